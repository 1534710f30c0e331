package ixengine

import (
	"math"
	"reflect"
	"unsafe"

	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// This file moves values between the registers of register code and the anys in the interpreter's frames.

// A passage describes a value that moves between registers and the interpreter's frame or memory.
type passage struct {
	*shape
	slot  int // register of the interpreter's frame
	regs  []uint16
	n, p  int // numbers of leaves in each register file
	rtype reflect.Type
	// Properties of the type: its type word, whether a value is itself the data word of an any, and whether
	// it is an interface type.
	word             rt.Type
	isDirect, isFace bool
	types            []rt.Type // the result of shape.types, or nil if the shape is plain
}

func newPassage(sh *shape, slot int, regs []uint16, t reflect.Type) *passage {
	x := &passage{shape: sh, slot: slot, regs: regs, rtype: t}
	for _, l := range sh.leaves {
		if l.isP() {
			x.p++
		} else {
			x.n++
		}
	}
	if t != nil {
		x.word, x.isDirect, x.isFace = rt.TypeWord(t), rt.IsDirect(t), isInterface(t)
		if !sh.plain() {
			x.types = sh.types(t, nil)
		}
	}
	return x
}

// types appends one entry to list for each leaf (register) of a value of type t: the interface type for the first leaf
// of an interface, the value's type for a boxed value, and nil for any other leaf.
func (sh *shape) types(t reflect.Type, list []rt.Type) []rt.Type {
	if sh.isBoxed() {
		return append(list, rt.TypeWord(t))
	}
	switch t.Kind() {
	case reflect.Interface:
		return append(list, rt.TypeWord(t), nil)
	case reflect.Struct:
		for i, part := range sh.parts {
			list = part.types(t.Field(i).Type, list)
		}
		return list
	case reflect.Array:
		for _, part := range sh.parts {
			list = part.types(t.Elem(), list)
		}
		return list
	}
	return append(list, make([]rt.Type, len(sh.leaves))...)
}

func isInterface(t reflect.Type) bool { return t.Kind() == reflect.Interface }

// unbox moves v to registers.
func (x *passage) unbox(v any, n *regcode.N, p *regcode.P) {
	word, data := rt.Words(v)
	switch {
	case len(x.leaves) == 0:
	case x.isFace:
		p[x.regs[0]], p[x.regs[1]] = word, data
	case word == nil: // the unused variable of a range that has ended
		x.zero(n, p)
	case x.isDirect, x.isBoxed() && word == x.word:
		p[x.regs[0]] = data
	case word != x.word && x.number() != reflect.Invalid:
		n[x.regs[0]] = bitsOf(v, x.number())
	default:
		x.load(data, n, p)
	}
}

// zero sets the registers to zero.
func (x *passage) zero(n *regcode.N, p *regcode.P) {
	for i, l := range x.leaves {
		if l.isP() {
			p[x.regs[i]] = nil
		} else {
			n[x.regs[i]] = 0
		}
	}
}

// load moves a value from memory to registers.
func (x *passage) load(at unsafe.Pointer, n *regcode.N, p *regcode.P) {
	for i, l := range x.leaves {
		from, to := unsafe.Add(at, l.offset), x.regs[i]
		switch {
		case l.itab:
			p[to] = rt.ItabType(*(*unsafe.Pointer)(from))
		case l.isBox:
			box := rt.New(x.types[i])
			rt.Move(x.types[i], box, from)
			p[to] = box
		case l.isP():
			p[to] = *(*unsafe.Pointer)(from)
		default:
			n[to] = rt.LoadNumber(from, l.kind)
		}
	}
}

// store moves a value from registers to memory.
func (x *passage) store(at unsafe.Pointer, n *regcode.N, p *regcode.P) {
	for i, l := range x.leaves {
		to, r := unsafe.Add(at, l.offset), x.regs[i]
		switch {
		case l.itab:
			*(*unsafe.Pointer)(to) = itabOf(x.types[i], p[r])
		case l.isBox && p[r] == nil:
			rt.Clear(x.types[i], to)
		case l.isBox:
			rt.Move(x.types[i], to, p[r])
		case l.isP():
			*(*unsafe.Pointer)(to) = p[r]
		default:
			rt.StoreNumber(to, n[r], l.kind)
		}
	}
}

// itabOf returns the itab for a value of dynamic type t in an interface of type iface, which t implements.
func itabOf(iface, t rt.Type) unsafe.Pointer {
	itab, ok := rt.Itab(iface, t)
	if ok {
		return itab
	}
	if t, ok = fitting(iface, t); ok {
		itab, ok = rt.Itab(iface, t)
	}
	if !ok {
		panic("ixengine: " + rt.TypeOf(t).String() + " has not the methods of " + rt.TypeOf(iface).String())
	}
	return itab
}

// box returns the value in registers as an any.
func (x *passage) box(n *regcode.N, p *regcode.P) any {
	if x.isFace {
		return rt.Any(p[x.regs[0]], p[x.regs[1]])
	}
	return rt.Any(x.word, x.data(n, p))
}

// dataOf returns the data word of v.
func dataOf(v any) unsafe.Pointer {
	_, data := rt.Words(v)
	return data
}

// data returns the second word, the pointer, of an interface of type any. The interface holds the value that is in the
// registers. The value's own type must not be an interface type.
func (x *passage) data(n *regcode.N, p *regcode.P) unsafe.Pointer {
	if x.isDirect {
		return p[x.regs[0]]
	}
	if k := x.number(); k != reflect.Invalid {
		v := n[x.regs[0]]
		switch rt.BytesOf(k) {
		case 1:
			return rt.Box8(uint8(v))
		case 2:
			return rt.Box16(uint16(v))
		case 4:
			return rt.Box32(uint32(v))
		}
		return rt.Box64(v)
	}
	if x.isBoxed() && p[x.regs[0]] != nil {
		return p[x.regs[0]]
	}
	if x.rtype.Kind() == reflect.String {
		return rt.BoxString(rt.String(p[x.regs[0]], n[x.regs[1]]))
	}
	v := rt.New(x.word)
	x.store(v, n, p)
	return v
}

// bitsOf returns the bits of the number v as a value of kind k.
func bitsOf(v any, k reflect.Kind) uint64 {
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return uint64(r.Int())
	case r.CanUint():
		return r.Uint()
	case k == reflect.Float32:
		return uint64(math.Float32bits(float32(r.Float())))
	case r.CanFloat():
		return math.Float64bits(r.Float())
	case r.Kind() == reflect.Bool && r.Bool():
		return 1
	}
	return 0
}
