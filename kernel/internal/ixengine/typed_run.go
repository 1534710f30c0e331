package ixengine

import (
	"math"
	"reflect"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// How typed code runs; typed.go makes it.

// An opcode says what an op does. Numbers are kept in 64 bits: integers extended by
// their sign or by zeros, floats as their bits.
type opcode uint16

const (
	opExit     opcode = iota // leave by exits[to]
	opJump                   // go on at to
	opMove                   // d = a
	opMoveJump               // d = a, go on at to
	opMoveAny                // the same for values of the interpreter's frame
	opIf                     // go on at to if a, at or if not; so do the next ones
	opIfEQ
	opIfLT
	opIfLE
	opIfLTU
	opIfLEU
	opIfFEQ
	opIfFLT
	opIfFLE
	opEQ
	opLT
	opLE
	opLTU
	opLEU
	opFEQ
	opFLT
	opFLE
	opEQ32
	opLT32
	opLE32
	opAdd
	opSub
	opMul
	opAnd
	opOr
	opXor
	opAndNot
	opShl
	opShr
	opShrU
	opDiv
	opDivU
	opRem
	opRemU
	opFAdd
	opFSub
	opFMul
	opFDiv
	opAdd32
	opSub32
	opMul32
	opDiv32
	opNot
	opNeg
	opCom
	opFNeg
	opNeg32
	opInt8 // d = a, cut to the type
	opInt16
	opInt32
	opUint8
	opUint16
	opUint32
	opIntFloat // d = float64(a), of a signed integer
	opUintFloat
	opIntFloat32
	opUintFloat32
	opFloatFloat32
	opFloat32Float
	opFloatInt // d = a, a float64, as the integer type b
	opFloat32Int
	opLen   // of the slice or string a of the frame
	opCheck // that index b is one of the slice a of the frame
	opLoad8 // d = *a, for a pointer a of the frame; more follow
	opLoad16
	opLoad32
	opLoad64
	opLoadS8
	opLoadS16
	opLoadS32
	opStore8 // *a = d
	opStore16
	opStore32
	opStore64
	opAt8 // d = a[b], for a slice a of the frame
	opAt16
	opAt32
	opAt64
	opAtS8
	opAtS16
	opAtS32
	opSet8 // a[b] = d
	opSet16
	opSet32
	opSet64
	opNotNil   // that the pointer a of the frame, or if b what it points to, is not nil
	opField    // d = the field fields[or] of a and b
	opSetField // that field = d
	opCall1    // d = f(a), for a function of package math; opCall2 has b too
	opCall2    // which is function to
	opCall     // d = calls[a](its arguments)
	opReturn   // a, of a function that typed code calls
)

// An op is one step. If the step cannot be done here (a division by zero, a shift
// by a negative number, a nil pointer, an index out of range), the code leaves by
// exits[to], where the interpreter's own instruction panics.
type op struct {
	code    opcode
	d, a, b uint16
	to, or  int32
}

// A passage is a number that moves between typed code and the interpreter's frame.
type passage struct {
	reg   uint16
	frame int
	kind  reflect.Kind
}

type exit struct {
	out   []passage
	block *ssa.BasicBlock
	pred  int // -1: as it is
	ipc   int
	fault instruction // what panics there, if that is why
	again bool        // not a panic: a call that the interpreter has to do
}

type entry struct {
	in    []passage
	edges []entryEdge // for a block with phis
	start int
}

type entryEdge struct {
	pred  int
	in    []passage
	moves [][2]int // of values of the frame
}

// typedCode is the typed code of connected parts of one function.
type typedCode struct {
	ops    []op
	exits  []exit
	consts []typedConst
	size   int
	calls  []*typedCall
	fields []typedField
	math1  []func(float64) float64
	math2  []func(x, y float64) float64
	pool   sync.Pool // of registers, where there are many
}

// A typedField is a number in a struct. The value a of the frame is a pointer to the
// struct or, if indirect is set, to a pointer to it. If there is a stride, which is the
// struct's size, the value leads to a slice of such structs, and b is the index.
type typedField struct {
	offset, stride uintptr
	code           opcode // opLoad8 and so on, or opStore8 and so on
	indirect       bool
}

type typedConst struct {
	reg  uint16
	bits uint64
}

// An eface is the memory layout of an any.
type eface struct{ typ, data unsafe.Pointer }

// A slice is the memory layout with which slices and strings begin.
type slice struct {
	data unsafe.Pointer
	len  int
}

func typeWord(v any) unsafe.Pointer { return (*eface)(unsafe.Pointer(&v)).typ }

var typeWords = [...]unsafe.Pointer{
	reflect.Bool: typeWord(false),
	reflect.Int:  typeWord(int(0)), reflect.Int8: typeWord(int8(0)), reflect.Int16: typeWord(int16(0)),
	reflect.Int32: typeWord(int32(0)), reflect.Int64: typeWord(int64(0)),
	reflect.Uint: typeWord(uint(0)), reflect.Uint8: typeWord(uint8(0)), reflect.Uint16: typeWord(uint16(0)),
	reflect.Uint32: typeWord(uint32(0)), reflect.Uint64: typeWord(uint64(0)), reflect.Uintptr: typeWord(uintptr(0)),
	reflect.Float32: typeWord(float32(0)), reflect.Float64: typeWord(float64(0)),
}

// unbox returns the bits of v, a value of kind k.
func unbox(v any, k reflect.Kind) uint64 {
	e := (*eface)(unsafe.Pointer(&v))
	if e.typ == typeWords[k] {
		switch k {
		case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Uintptr, reflect.Float64:
			return *(*uint64)(e.data)
		}
	}
	if v == nil { // of a range that has ended: nobody uses it
		return 0
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return uint64(r.Int())
	case r.CanUint():
		return r.Uint()
	case k == reflect.Float32:
		return uint64(math.Float32bits(*(*float32)(e.data)))
	case r.CanFloat():
		return math.Float64bits(r.Float())
	case r.Bool():
		return 1
	}
	return 0
}

func box(bits uint64, k reflect.Kind) any {
	switch k {
	case reflect.Bool:
		return bits != 0
	case reflect.Int:
		return int(bits)
	case reflect.Int8:
		return int8(bits)
	case reflect.Int16:
		return int16(bits)
	case reflect.Int32:
		return int32(bits)
	case reflect.Int64:
		return int64(bits)
	case reflect.Uint:
		return uint(bits)
	case reflect.Uint8:
		return uint8(bits)
	case reflect.Uint16:
		return uint16(bits)
	case reflect.Uint32:
		return uint32(bits)
	case reflect.Uint64:
		return bits
	case reflect.Uintptr:
		return uintptr(bits)
	case reflect.Float32:
		return math.Float32frombits(uint32(bits))
	case reflect.Float64:
		return math.Float64frombits(bits)
	}
	panic("ixengine: no number of kind " + k.String())
}

func floatToInt(f float64, k reflect.Kind) uint64 {
	switch k {
	case reflect.Int8:
		return uint64(int8(f))
	case reflect.Int16:
		return uint64(int16(f))
	case reflect.Int32:
		return uint64(int32(f))
	case reflect.Uint8:
		return uint64(uint8(f))
	case reflect.Uint16:
		return uint64(uint16(f))
	case reflect.Uint32:
		return uint64(uint32(f))
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return uint64(f)
	}
	return uint64(int64(f))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func f64(x uint64) float64    { return math.Float64frombits(x) }
func f32(x uint64) float32    { return math.Float32frombits(uint32(x)) }
func bits32(f float32) uint64 { return uint64(math.Float32bits(f)) }

// instruction returns the instruction that begins at e.
func (c *typedCode) instruction(e *entry) instruction {
	if c.size <= 16 {
		return func(fr *frame) {
			var r [16]uint64
			c.run(fr, e, r[:])
		}
	}
	if c.size <= 96 {
		return func(fr *frame) {
			var r [96]uint64
			c.run(fr, e, r[:])
		}
	}
	return func(fr *frame) {
		r, ok := c.pool.Get().(*[]uint64)
		if !ok {
			r = new([]uint64)
			*r = make([]uint64, c.size)
		}
		c.run(fr, e, *r) // which writes a register before it reads it
		c.pool.Put(r)
	}
}

func (c *typedCode) run(fr *frame, e *entry, r []uint64) {
	values := stackOf(fr)
	for _, k := range c.consts {
		r[k.reg] = k.bits
	}
	if e.edges != nil {
		pred := field[int](unsafe.Pointer(fr), layout.pred)
		for i := range e.edges {
			if ed := &e.edges[i]; ed.pred == pred {
				for _, p := range ed.in {
					r[p.reg] = unbox(values[p.frame], p.kind)
				}
				for _, m := range ed.moves {
					values[m[0]] = values[m[1]]
				}
				break
			}
		}
	}
	for _, p := range e.in {
		r[p.reg] = unbox(values[p.frame], p.kind)
	}
	x := &c.exits[c.steps(*(*[]eface)(unsafe.Pointer(&values)), r, e.start, 0)]
	for _, p := range x.out {
		values[p.frame] = box(r[p.reg], p.kind)
	}
	at := unsafe.Pointer(fr)
	setField(at, layout.block, x.block)
	if x.pred >= 0 {
		setField(at, layout.pred, x.pred)
	}
	setField(at, layout.ipc, x.ipc)
	if x.fault != nil {
		x.fault(fr)
		if x.again {
			return
		}
		panic("ixengine: a number, pointer or slice changed while it was used: a data race")
	}
}

// steps runs the code from start on until it is left, and returns the exit. The
// race detector does not see the variables that it reads: the flag in stop.go is
// one of them.
//
//go:norace
func (c *typedCode) steps(values []eface, r []uint64, start, depth int) int32 {
	ops := c.ops
	pc := int32(start)
	for {
		o := &ops[pc]
		pc++
		switch o.code {
		case opExit:
			return o.to
		case opJump:
			pc = o.to
		case opMove:
			r[o.d] = r[o.a]
		case opMoveJump:
			r[o.d] = r[o.a]
			pc = o.to
		case opMoveAny:
			values[o.d] = values[o.a]
		case opIf:
			pc = o.or
			if r[o.a] != 0 {
				pc = o.to
			}
		case opIfEQ:
			pc = o.or
			if r[o.a] == r[o.b] {
				pc = o.to
			}
		case opIfLT:
			pc = o.or
			if int64(r[o.a]) < int64(r[o.b]) {
				pc = o.to
			}
		case opIfLE:
			pc = o.or
			if int64(r[o.a]) <= int64(r[o.b]) {
				pc = o.to
			}
		case opIfLTU:
			pc = o.or
			if r[o.a] < r[o.b] {
				pc = o.to
			}
		case opIfLEU:
			pc = o.or
			if r[o.a] <= r[o.b] {
				pc = o.to
			}
		case opIfFEQ:
			pc = o.or
			if f64(r[o.a]) == f64(r[o.b]) {
				pc = o.to
			}
		case opIfFLT:
			pc = o.or
			if f64(r[o.a]) < f64(r[o.b]) {
				pc = o.to
			}
		case opIfFLE:
			pc = o.or
			if f64(r[o.a]) <= f64(r[o.b]) {
				pc = o.to
			}
		case opEQ:
			r[o.d] = truth(r[o.a] == r[o.b])
		case opLT:
			r[o.d] = truth(int64(r[o.a]) < int64(r[o.b]))
		case opLE:
			r[o.d] = truth(int64(r[o.a]) <= int64(r[o.b]))
		case opLTU:
			r[o.d] = truth(r[o.a] < r[o.b])
		case opLEU:
			r[o.d] = truth(r[o.a] <= r[o.b])
		case opFEQ:
			r[o.d] = truth(f64(r[o.a]) == f64(r[o.b]))
		case opFLT:
			r[o.d] = truth(f64(r[o.a]) < f64(r[o.b]))
		case opFLE:
			r[o.d] = truth(f64(r[o.a]) <= f64(r[o.b]))
		case opEQ32:
			r[o.d] = truth(f32(r[o.a]) == f32(r[o.b]))
		case opLT32:
			r[o.d] = truth(f32(r[o.a]) < f32(r[o.b]))
		case opLE32:
			r[o.d] = truth(f32(r[o.a]) <= f32(r[o.b]))
		case opAdd:
			r[o.d] = r[o.a] + r[o.b]
		case opSub:
			r[o.d] = r[o.a] - r[o.b]
		case opMul:
			r[o.d] = r[o.a] * r[o.b]
		case opAnd:
			r[o.d] = r[o.a] & r[o.b]
		case opOr:
			r[o.d] = r[o.a] | r[o.b]
		case opXor:
			r[o.d] = r[o.a] ^ r[o.b]
		case opAndNot:
			r[o.d] = r[o.a] &^ r[o.b]
		// Shifts by signed numbers: to is -1 if the number is not signed.
		case opShl:
			if o.to >= 0 && int64(r[o.b]) < 0 {
				return o.to
			}
			r[o.d] = r[o.a] << r[o.b]
		case opShr:
			if o.to >= 0 && int64(r[o.b]) < 0 {
				return o.to
			}
			r[o.d] = uint64(int64(r[o.a]) >> r[o.b])
		case opShrU:
			if o.to >= 0 && int64(r[o.b]) < 0 {
				return o.to
			}
			r[o.d] = r[o.a] >> r[o.b]
		case opDiv:
			if r[o.b] == 0 {
				return o.to
			}
			r[o.d] = uint64(int64(r[o.a]) / int64(r[o.b]))
		case opDivU:
			if r[o.b] == 0 {
				return o.to
			}
			r[o.d] = r[o.a] / r[o.b]
		case opRem:
			if r[o.b] == 0 {
				return o.to
			}
			r[o.d] = uint64(int64(r[o.a]) % int64(r[o.b]))
		case opRemU:
			if r[o.b] == 0 {
				return o.to
			}
			r[o.d] = r[o.a] % r[o.b]
		case opFAdd:
			r[o.d] = math.Float64bits(f64(r[o.a]) + f64(r[o.b]))
		case opFSub:
			r[o.d] = math.Float64bits(f64(r[o.a]) - f64(r[o.b]))
		case opFMul:
			r[o.d] = math.Float64bits(f64(r[o.a]) * f64(r[o.b]))
		case opFDiv:
			r[o.d] = math.Float64bits(f64(r[o.a]) / f64(r[o.b]))
		case opAdd32:
			r[o.d] = bits32(f32(r[o.a]) + f32(r[o.b]))
		case opSub32:
			r[o.d] = bits32(f32(r[o.a]) - f32(r[o.b]))
		case opMul32:
			r[o.d] = bits32(f32(r[o.a]) * f32(r[o.b]))
		case opDiv32:
			r[o.d] = bits32(f32(r[o.a]) / f32(r[o.b]))
		case opNot:
			r[o.d] = r[o.a] ^ 1
		case opNeg:
			r[o.d] = -r[o.a]
		case opCom:
			r[o.d] = ^r[o.a]
		case opFNeg:
			r[o.d] = math.Float64bits(-f64(r[o.a]))
		case opNeg32:
			r[o.d] = bits32(-f32(r[o.a]))
		case opInt8:
			r[o.d] = uint64(int8(r[o.a]))
		case opInt16:
			r[o.d] = uint64(int16(r[o.a]))
		case opInt32:
			r[o.d] = uint64(int32(r[o.a]))
		case opUint8:
			r[o.d] = uint64(uint8(r[o.a]))
		case opUint16:
			r[o.d] = uint64(uint16(r[o.a]))
		case opUint32:
			r[o.d] = uint64(uint32(r[o.a]))
		case opIntFloat:
			r[o.d] = math.Float64bits(float64(int64(r[o.a])))
		case opUintFloat:
			r[o.d] = math.Float64bits(float64(r[o.a]))
		case opIntFloat32:
			r[o.d] = bits32(float32(int64(r[o.a])))
		case opUintFloat32:
			r[o.d] = bits32(float32(r[o.a]))
		case opFloatFloat32:
			r[o.d] = bits32(float32(f64(r[o.a])))
		case opFloat32Float:
			r[o.d] = math.Float64bits(float64(f32(r[o.a])))
		case opFloatInt:
			r[o.d] = floatToInt(f64(r[o.a]), reflect.Kind(o.b))
		case opFloat32Int:
			r[o.d] = floatToInt(float64(f32(r[o.a])), reflect.Kind(o.b))
		case opNotNil:
			p := values[o.a].data
			if p == nil || o.b != 0 && *(*unsafe.Pointer)(p) == nil {
				return o.to
			}
		case opField, opSetField:
			f := &c.fields[o.or]
			p := values[o.a].data
			if f.indirect && p != nil {
				p = *(*unsafe.Pointer)(p)
			}
			if p == nil {
				return o.to
			}
			if f.stride != 0 {
				s := (*slice)(p)
				if r[o.b] >= uint64(s.len) {
					return o.to
				}
				p = unsafe.Add(s.data, uintptr(r[o.b])*f.stride)
			}
			p = unsafe.Add(p, f.offset)
			switch f.code {
			case opLoad64:
				r[o.d] = *(*uint64)(p)
			case opLoad8:
				r[o.d] = uint64(*(*uint8)(p))
			case opLoad16:
				r[o.d] = uint64(*(*uint16)(p))
			case opLoad32:
				r[o.d] = uint64(*(*uint32)(p))
			case opLoadS8:
				r[o.d] = uint64(*(*int8)(p))
			case opLoadS16:
				r[o.d] = uint64(*(*int16)(p))
			case opLoadS32:
				r[o.d] = uint64(*(*int32)(p))
			case opStore64:
				*(*uint64)(p) = r[o.d]
			case opStore8:
				*(*uint8)(p) = uint8(r[o.d])
			case opStore16:
				*(*uint16)(p) = uint16(r[o.d])
			case opStore32:
				*(*uint32)(p) = uint32(r[o.d])
			}
		case opCall1:
			r[o.d] = math.Float64bits(c.math1[o.to](f64(r[o.a])))
		case opCall2:
			r[o.d] = math.Float64bits(c.math2[o.to](f64(r[o.a]), f64(r[o.b])))
		case opCall:
			v, ok := c.calls[o.a].do(r, depth)
			if !ok {
				return o.to
			}
			r[o.d] = v
		case opReturn:
			r[0] = r[o.a]
			return returned
		case opLen:
			s := (*slice)(values[o.a].data)
			if s == nil {
				return o.to
			}
			r[o.d] = uint64(s.len)
		case opCheck:
			s := (*slice)(values[o.a].data)
			if s == nil || r[o.b] >= uint64(s.len) {
				return o.to
			}
		case opLoad8, opLoad16, opLoad32, opLoad64, opLoadS8, opLoadS16, opLoadS32:
			p := values[o.a].data
			if p == nil {
				return o.to
			}
			switch o.code {
			case opLoad64:
				r[o.d] = *(*uint64)(p)
			case opLoad8:
				r[o.d] = uint64(*(*uint8)(p))
			case opLoad16:
				r[o.d] = uint64(*(*uint16)(p))
			case opLoad32:
				r[o.d] = uint64(*(*uint32)(p))
			case opLoadS8:
				r[o.d] = uint64(*(*int8)(p))
			case opLoadS16:
				r[o.d] = uint64(*(*int16)(p))
			case opLoadS32:
				r[o.d] = uint64(*(*int32)(p))
			}
		case opStore8, opStore16, opStore32, opStore64:
			p := values[o.a].data
			if p == nil {
				return o.to
			}
			switch o.code {
			case opStore64:
				*(*uint64)(p) = r[o.d]
			case opStore8:
				*(*uint8)(p) = uint8(r[o.d])
			case opStore16:
				*(*uint16)(p) = uint16(r[o.d])
			case opStore32:
				*(*uint32)(p) = uint32(r[o.d])
			}
		case opAt8, opAt16, opAt32, opAt64, opAtS8, opAtS16, opAtS32, opSet8, opSet16, opSet32, opSet64:
			s := (*slice)(values[o.a].data)
			if s == nil || r[o.b] >= uint64(s.len) {
				return o.to
			}
			i := uintptr(r[o.b])
			switch o.code {
			case opAt64:
				r[o.d] = *(*uint64)(unsafe.Add(s.data, i*8))
			case opAt8:
				r[o.d] = uint64(*(*uint8)(unsafe.Add(s.data, i)))
			case opAt16:
				r[o.d] = uint64(*(*uint16)(unsafe.Add(s.data, i*2)))
			case opAt32:
				r[o.d] = uint64(*(*uint32)(unsafe.Add(s.data, i*4)))
			case opAtS8:
				r[o.d] = uint64(*(*int8)(unsafe.Add(s.data, i)))
			case opAtS16:
				r[o.d] = uint64(*(*int16)(unsafe.Add(s.data, i*2)))
			case opAtS32:
				r[o.d] = uint64(*(*int32)(unsafe.Add(s.data, i*4)))
			case opSet64:
				*(*uint64)(unsafe.Add(s.data, i*8)) = r[o.d]
			case opSet8:
				*(*uint8)(unsafe.Add(s.data, i)) = uint8(r[o.d])
			case opSet16:
				*(*uint16)(unsafe.Add(s.data, i*2)) = uint16(r[o.d])
			case opSet32:
				*(*uint32)(unsafe.Add(s.data, i*4)) = uint32(r[o.d])
			}
		}
	}
}
