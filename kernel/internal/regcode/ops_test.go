package regcode

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"unsafe"
)

var ints = []uint64{
	0, 1, 2, 3, 5, 7, 8, 9, 31, 32, 33, 63, 64, 65, 70, 100, 127, 128, 255, 256, 1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1,
	1 << 32, 1<<53 - 1, 1 << 53, 1<<53 + 1, 1<<62 + 12345, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<63 + 1025, 0xdeadbeefcafebabe,
	^uint64(0), ^uint64(0) - 1, ^uint64(1), ^uint64(6), ^uint64(127), ^uint64(128), ^uint64(1<<31 - 1), ^uint64(1 << 31),
}

var floats = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 1e-310, -1e-310, math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN(), math.Pi, 126.7, 127.2, 128, -129, 255.9, 256, 32767.5, 65536.5, 1<<31 - 1, 1 << 31, -1 << 31, -1<<31 - 1, 1 << 32, 1<<32 + 0.5,
	1 << 53, 1<<62 + 1, 1 << 63, -1 << 63, -1<<63 - 2048, 1 << 64, 1e300, 16777217, 3.4028235e38, 3.4028236e38, 1e-46, 0.49999999999999994, 4503599627370497.5,
}

// operands returns the bits of all operands to test.
func operands() (all []uint64) {
	all = append(all, ints...)
	for _, f := range floats {
		all = append(all, bits(f), bits32(float32(f)))
	}
	return all
}

// A want returns the expected result of an op for two operands; ok is false if the op fails.
type want func(a, b uint64) (result uint64, ok bool)

func ints2(f func(a, b int64) int64) want {
	return func(a, b uint64) (uint64, bool) { return uint64(f(int64(a), int64(b))), true }
}
func uints2(f func(a, b uint64) uint64) want {
	return func(a, b uint64) (uint64, bool) { return f(a, b), true }
}
func floats2(f func(a, b float64) float64) want {
	return func(a, b uint64) (uint64, bool) { return bits(f(f64(a), f64(b))), true }
}
func floats32(f func(a, b float32) float32) want {
	return func(a, b uint64) (uint64, bool) { return bits32(f(f32(a), f32(b))), true }
}
func compare[T any](from func(uint64) T, f func(a, b T) bool) want {
	return func(a, b uint64) (uint64, bool) {
		if f(from(a), from(b)) {
			return 1, true
		}
		return 0, true
	}
}
func one(f func(a uint64) uint64) want { return func(a, _ uint64) (uint64, bool) { return f(a), true } }

func signed(a uint64) int64    { return int64(a) }
func unsigned(a uint64) uint64 { return a }

// divide returns f as a want that fails if b is 0, where Go panics.
func divide(f func(a, b uint64) uint64) want {
	return func(a, b uint64) (uint64, bool) {
		if b == 0 {
			return 0, false
		}
		return f(a, b), true
	}
}

// wants holds the expected results, computed with Go's own operators.
var wants = map[Opcode]want{
	OpMove: one(unsigned),

	OpEQ: compare(unsigned, func(a, b uint64) bool { return a == b }), OpLT: compare(signed, func(a, b int64) bool { return a < b }),
	OpLE: compare(signed, func(a, b int64) bool { return a <= b }), OpLTU: compare(unsigned, func(a, b uint64) bool { return a < b }),
	OpLEU: compare(unsigned, func(a, b uint64) bool { return a <= b }), OpFEQ: compare(f64, func(a, b float64) bool { return a == b }),
	OpFLT: compare(f64, func(a, b float64) bool { return a < b }), OpFLE: compare(f64, func(a, b float64) bool { return a <= b }),
	OpEQ32: compare(f32, func(a, b float32) bool { return a == b }), OpLT32: compare(f32, func(a, b float32) bool { return a < b }),
	OpLE32: compare(f32, func(a, b float32) bool { return a <= b }),

	OpAdd: ints2(func(a, b int64) int64 { return a + b }), OpSub: ints2(func(a, b int64) int64 { return a - b }), OpMul: ints2(func(a, b int64) int64 { return a * b }),
	OpAnd: uints2(func(a, b uint64) uint64 { return a & b }), OpOr: uints2(func(a, b uint64) uint64 { return a | b }),
	OpXor: uints2(func(a, b uint64) uint64 { return a ^ b }), OpAndNot: uints2(func(a, b uint64) uint64 { return a &^ b }),
	OpShl: uints2(func(a, b uint64) uint64 { return a << b }), OpShr: uints2(func(a, b uint64) uint64 { return uint64(int64(a) >> b) }),
	OpShrU: uints2(func(a, b uint64) uint64 { return a >> b }),
	OpDiv:  divide(func(a, b uint64) uint64 { return uint64(int64(a) / int64(b)) }), OpDivU: divide(func(a, b uint64) uint64 { return a / b }),
	OpRem: divide(func(a, b uint64) uint64 { return uint64(int64(a) % int64(b)) }), OpRemU: divide(func(a, b uint64) uint64 { return a % b }),
	OpAddI: one(func(a uint64) uint64 { return a - 3 }), // the operand is Imm

	OpFAdd: floats2(func(a, b float64) float64 { return a + b }), OpFSub: floats2(func(a, b float64) float64 { return a - b }),
	OpFMul: floats2(func(a, b float64) float64 { return a * b }), OpFDiv: floats2(func(a, b float64) float64 { return a / b }),
	OpAdd32: floats32(func(a, b float32) float32 { return a + b }), OpSub32: floats32(func(a, b float32) float32 { return a - b }),
	OpMul32: floats32(func(a, b float32) float32 { return a * b }), OpDiv32: floats32(func(a, b float32) float32 { return a / b }),

	OpNot: one(func(a uint64) uint64 {
		if a == 0 {
			return 1
		}
		return 0
	}),
	OpNeg: one(func(a uint64) uint64 { return uint64(-int64(a)) }), OpCom: one(func(a uint64) uint64 { return ^a }),
	OpFNeg: one(func(a uint64) uint64 { return bits(-f64(a)) }), OpNeg32: one(func(a uint64) uint64 { return bits32(-f32(a)) }),
	OpInt8: one(func(a uint64) uint64 { return uint64(int64(int8(a))) }), OpInt16: one(func(a uint64) uint64 { return uint64(int64(int16(a))) }),
	OpInt32: one(func(a uint64) uint64 { return uint64(int64(int32(a))) }), OpUint8: one(func(a uint64) uint64 { return uint64(uint8(a)) }),
	OpUint16: one(func(a uint64) uint64 { return uint64(uint16(a)) }), OpUint32: one(func(a uint64) uint64 { return uint64(uint32(a)) }),
	OpIntFloat: one(func(a uint64) uint64 { return bits(float64(int64(a))) }), OpUintFloat: one(func(a uint64) uint64 { return bits(float64(a)) }),
	OpIntFloat32: one(func(a uint64) uint64 { return bits32(float32(int64(a))) }), OpUintFloat32: one(func(a uint64) uint64 { return bits32(float32(a)) }),
	OpFloatFloat32: one(func(a uint64) uint64 { return bits32(float32(f64(a))) }), OpFloat32Float: one(func(a uint64) uint64 { return bits(float64(f32(a))) }),
	OpCall1: one(func(a uint64) uint64 { return bits(math.Cbrt(f64(a))) }), OpCall2: floats2(math.Hypot),
	OpSqrt: one(func(a uint64) uint64 { return bits(math.Sqrt(f64(a))) }), OpFAbs: one(func(a uint64) uint64 { return bits(math.Abs(f64(a))) }),
	OpFFloor: one(func(a uint64) uint64 { return bits(math.Floor(f64(a))) }), OpFCeil: one(func(a uint64) uint64 { return bits(math.Ceil(f64(a))) }),
	OpFTrunc: one(func(a uint64) uint64 { return bits(math.Trunc(f64(a))) }), OpFNearest: one(func(a uint64) uint64 { return bits(math.RoundToEven(f64(a))) }),
	OpFMin: floats2(func(a, b float64) float64 { return min(a, b) }), OpFMax: floats2(func(a, b float64) float64 { return max(a, b) }),
}

// sameResult compares results. Any two NaNs count as equal, because the result of a float operation depends
// on the processor and on the compiler's order of operands.
func sameResult(code Opcode, a, b uint64) bool {
	if a == b {
		return true
	}
	switch {
	case code >= OpAdd32 && code <= OpDiv32, code == OpIntFloat32, code == OpUintFloat32, code == OpFloatFloat32:
		return math.IsNaN(float64(f32(a))) && math.IsNaN(float64(f32(b)))
	case code >= OpFAdd && code <= OpFDiv, code == OpCall1, code == OpCall2, code == OpSqrt, code >= OpFFloor && code <= OpFMax, code == OpFloat32Float:
		return math.IsNaN(f64(a)) && math.IsNaN(f64(b))
	}
	return false
}

const failed = 0xfa11ed

// fail is a host that marks the result of an op that ran its site.
var fail = site(func(m *Machine, at int32) { m.Top().N[0] = failed })

// oneOp returns a function that consists of an op and a return. n0 is the result and the first operand, n1
// the second operand.
func oneOp(t *testing.T, o Op) *Func {
	code := &Code{Ops: []Op{o, {Code: OpReturn}}, NN: 3, NP: 3, Math1: []func(float64) float64{math.Cbrt}, Math2: []func(x, y float64) float64{math.Hypot}}
	verify(t, code)
	return function(t, o.String(), code)
}

func TestNumbers(t *testing.T) {
	for code, want := range wants {
		o := Op{Code: code, A: 0, B: 1}
		if code == OpAddI {
			o.Imm = -3
		}
		f := oneOp(t, o)
		m := Get(fail)
		for _, a := range operands() {
			for _, b := range operands() {
				if code == OpNot {
					a &= 1
				}
				got, _ := callOn(m, f, []uint64{a, b})
				w, ok := want(a, b)
				if !ok {
					w = failed
				}
				if !sameResult(code, got, w) {
					t.Fatalf("%v of %#x and %#x: %#x, want %#x", code, a, b, got, w)
				}
			}
		}
	}
}

// TestAllNumbersTested: each opcode with a result in N is in wants or in a test below.
func TestAllNumbersTested(t *testing.T) {
	elsewhere := map[Opcode]bool{OpEQP: true, OpNil: true, OpFloatInt: true, OpFloat32Int: true}
	for code := range opcodes {
		if infos[code].name == "" {
			t.Errorf("opcode %d has no name", code)
		}
		if infos[code].shape&toN == 0 || infos[code].shape&aP != 0 || elsewhere[code] {
			continue
		}
		if wants[code] == nil {
			t.Errorf("nothing tests %v", code)
		}
	}
}

func TestSignedShifts(t *testing.T) {
	for _, code := range []Opcode{OpShl, OpShr, OpShrU} {
		f := oneOp(t, Op{Code: code, A: 0, B: 1, C: 1})
		for _, a := range ints {
			for by := int64(-70); by <= 70; by++ {
				got, _ := call(fail, f, []uint64{a, uint64(by)})
				w := uint64(failed)
				if by >= 0 {
					w, _ = wants[code](a, uint64(by))
				}
				if got != w {
					t.Fatalf("%v of %#x by %d: %#x, want %#x", code, a, by, got, w)
				}
			}
		}
	}
}

func TestFloatToInt(t *testing.T) {
	check := func(code Opcode, k reflect.Kind, a uint64, want uint64) {
		t.Helper()
		if got, _ := call(fail, oneOp(t, Op{Code: code, B: uint16(k)}), []uint64{a}); got != want {
			t.Errorf("%v of %#x to %v: %#x, want %#x", code, a, k, got, want)
		}
	}
	for _, f := range floats {
		for _, c := range []struct {
			code Opcode
			bits uint64
			to   map[reflect.Kind]uint64
		}{{OpFloatInt, bits(f), converted(f)}, {OpFloat32Int, bits32(float32(f)), converted(float32(f))}} {
			for k, w := range c.to {
				check(c.code, k, c.bits, w)
			}
		}
	}
}

// converted returns f converted to each integer type.
func converted[F float32 | float64](f F) map[reflect.Kind]uint64 {
	return map[reflect.Kind]uint64{
		reflect.Int: uint64(int(f)), reflect.Int8: uint64(int8(f)), reflect.Int16: uint64(int16(f)), reflect.Int32: uint64(int32(f)), reflect.Int64: uint64(int64(f)),
		reflect.Uint: uint64(uint(f)), reflect.Uint8: uint64(uint8(f)), reflect.Uint16: uint64(uint16(f)), reflect.Uint32: uint64(uint32(f)), reflect.Uint64: uint64(f),
		reflect.Uintptr: uint64(uintptr(f)),
	}
}

func TestBranches(t *testing.T) {
	like := map[Opcode]Opcode{OpIfEQ: OpEQ, OpIfLT: OpLT, OpIfLE: OpLE, OpIfLTU: OpLTU, OpIfLEU: OpLEU, OpIfFEQ: OpFEQ, OpIfFLT: OpFLT, OpIfFLE: OpFLE}
	for code := OpIf; code <= OpIfFLE; code++ {
		// The results are constants, loaded on either branch.
		c := &Code{Ops: []Op{
			{Code: OpJump, To: 3},
			{Code: OpMove, D: 0, A: 3},
			{Code: OpReturn},
			{Code: code, A: 0, B: 1, To: 1, Or: 4},
			{Code: OpMove, D: 0, A: 2},
			{Code: OpReturn},
		}, NN: 4, NP: 1, ConstN: []uint64{0, 1}, AtConstN: 2}
		verify(t, c)
		f := function(t, code.String(), c)
		m := Get(noSite(t))
		for _, a := range operands() {
			for _, b := range operands() {
				want := truth(a != 0)
				if code != OpIf {
					want, _ = wants[like[code]](a, b)
				}
				if got, _ := callOn(m, f, []uint64{a, b}); got != want {
					t.Fatalf("%v of %#x and %#x: %d", code, a, b, got)
				}
			}
		}
	}
}

func TestPointers(t *testing.T) {
	x, y := new(int), new(int)
	all := []unsafe.Pointer{nil, unsafe.Pointer(x), unsafe.Pointer(y)}
	equal, isNil, move := oneOp(t, Op{Code: OpEQP, A: 0, B: 1}), oneOp(t, Op{Code: OpNil, A: 0}), oneOp(t, Op{Code: OpMoveP, D: 0, A: 1})
	for _, a := range all {
		for _, b := range all {
			if got, _ := call(fail, equal, nil, a, b); (got == 1) != (a == b) {
				t.Errorf("%p == %p: %d", a, b, got)
			}
			if _, got := call(fail, move, nil, a, b); got != b {
				t.Errorf("%p moved: %p", b, got)
			}
		}
		if got, _ := call(fail, isNil, nil, a); (got == 1) != (a == nil) {
			t.Errorf("%p == nil: %d", a, got)
		}
	}
}

var loads = map[Opcode]func(p unsafe.Pointer) uint64{
	OpLoad8: loaded[uint8], OpLoad16: loaded[uint16], OpLoad32: loaded[uint32], OpLoad64: loaded[uint64], OpLoadS8: loaded[int8], OpLoadS16: loaded[int16], OpLoadS32: loaded[int32],
	OpAt8: loaded[uint8], OpAt16: loaded[uint16], OpAt32: loaded[uint32], OpAt64: loaded[uint64], OpAtS8: loaded[int8], OpAtS16: loaded[int16], OpAtS32: loaded[int32],
}

func loaded[T int8 | int16 | int32 | uint8 | uint16 | uint32 | uint64](p unsafe.Pointer) uint64 {
	return uint64(*(*T)(p))
}

var sizes = map[Opcode]int{
	OpLoad8: 1, OpLoad16: 2, OpLoad32: 4, OpLoad64: 8, OpLoadS8: 1, OpLoadS16: 2, OpLoadS32: 4, OpStore8: 1, OpStore16: 2, OpStore32: 4, OpStore64: 8,
	OpAt8: 1, OpAt16: 2, OpAt32: 4, OpAt64: 8, OpAtS8: 1, OpAtS16: 2, OpAtS32: 4, OpSet8: 1, OpSet16: 2, OpSet32: 4, OpSet64: 8,
}

func TestLoads(t *testing.T) {
	memory := [4]uint64{0x8182838485868788, 0xdeadbeefcafebabe, 0x0102030405060708, ^uint64(0)}
	at := unsafe.Pointer(&memory)
	for code := OpLoad8; code <= OpLoadS32; code++ {
		for offset := 0; offset <= 32-sizes[code]; offset += sizes[code] {
			f := oneOp(t, Op{Code: code, Imm: int32(offset)})
			if got, _ := call(fail, f, nil, at); got != loads[code](unsafe.Add(at, offset)) {
				t.Errorf("%v at %d: %#x", code, offset, got)
			}
			if got, _ := call(fail, f, nil, nil); got != failed {
				t.Errorf("%v of nil: %#x", code, got)
			}
		}
		// The pointer points into the object, and Imm is the negative distance to a field before it.
		if got, _ := call(fail, oneOp(t, Op{Code: code, Imm: -8}), nil, unsafe.Add(at, 16)); got != loads[code](unsafe.Add(at, 8)) {
			t.Errorf("%v at 16-8: %#x", code, got)
		}
	}
	for code := OpAt8; code <= OpAtS32; code++ {
		f := oneOp(t, Op{Code: code, A: 0, B: 1, C: 2})
		length := uint64(32 / sizes[code])
		for i := range length {
			if got, _ := call(fail, f, []uint64{0, i, length}, at); got != loads[code](unsafe.Add(at, int(i)*sizes[code])) {
				t.Errorf("%v of %d: %#x", code, i, got)
			}
		}
		outside(t, f, length, at)
	}
}

// outside runs f, which executes an op on an element, with indices out of range.
func outside(t *testing.T, f *Func, length uint64, at unsafe.Pointer) {
	t.Helper()
	for _, i := range []uint64{length, length + 1, 1 << 31, 1 << 32, 1 << 63, ^uint64(0)} {
		if got, _ := call(fail, f, []uint64{0, i, length}, at, at); got != failed {
			t.Errorf("%s of %d: %#x", f.Name, int64(i), got)
		}
	}
	if got, _ := call(fail, f, []uint64{0, 0, 0}, nil); got != failed {
		t.Errorf("%s of nothing: %#x", f.Name, got)
	}
}

func TestStores(t *testing.T) {
	const value = 0xf1e2d3c4b5a69788
	check := func(f *Func, code Opcode, offset int, numbers ...uint64) {
		t.Helper()
		var memory, want [4]uint64
		for i := range memory {
			memory[i] = 0x1111111111111111 * uint64(i+1)
		}
		want = memory
		v := uint64(value)
		copy((*[32]byte)(unsafe.Pointer(&want))[offset:], (*[8]byte)(unsafe.Pointer(&v))[:sizes[code]])
		call(noSite(t), f, numbers, unsafe.Pointer(&memory))
		if memory != want {
			t.Errorf("%v at %d: %x, want %x", code, offset, memory, want)
		}
	}
	for code := OpStore8; code <= OpStore64; code++ {
		for offset := 0; offset <= 32-sizes[code]; offset += sizes[code] {
			check(oneOp(t, Op{Code: code, Imm: int32(offset)}), code, offset, value)
		}
		if got, _ := call(fail, oneOp(t, Op{Code: code, D: 1}), nil, nil); got != failed {
			t.Errorf("%v to nil: %#x", code, got)
		}
	}
	for code := OpSet8; code <= OpSet64; code++ {
		f := oneOp(t, Op{Code: code, D: 0, A: 0, B: 1, C: 2})
		length := 32 / sizes[code]
		for i := range length {
			check(f, code, i*sizes[code], value, uint64(i), uint64(length))
		}
		memory := new([4]uint64)
		outside(t, f, uint64(length), unsafe.Pointer(memory))
		if *memory != [4]uint64{} {
			t.Errorf("%v has stored outside", code)
		}
	}
}

func TestPointersInMemory(t *testing.T) {
	type node struct {
		next  *node
		value int
		left  *node
	}
	a, b := &node{value: 1}, &node{value: 2}
	a.left = b
	left := int32(unsafe.Offsetof(a.left))
	if _, got := call(noSite(t), oneOp(t, Op{Code: OpLoadP, Imm: left}), nil, unsafe.Pointer(a)); got != unsafe.Pointer(b) {
		t.Error("LoadP")
	}
	call(noSite(t), oneOp(t, Op{Code: OpStoreP, D: 1, A: 0, Imm: left}), nil, unsafe.Pointer(b), unsafe.Pointer(a))
	if b.left != a {
		t.Error("StoreP")
	}
	if _, got := call(noSite(t), oneOp(t, Op{Code: OpField, Imm: left}), nil, unsafe.Pointer(b)); got != unsafe.Pointer(&b.left) {
		t.Error("Field")
	}
	for _, code := range []Opcode{OpLoadP, OpStoreP, OpField} {
		if got, _ := call(fail, oneOp(t, Op{Code: code}), nil, nil); got != failed {
			t.Errorf("%v of nil", code)
		}
	}

	list := []*node{a, nil, b}
	at := oneOp(t, Op{Code: OpAtP, A: 0, B: 1, C: 2})
	set := oneOp(t, Op{Code: OpSetP, D: 1, A: 0, B: 1, C: 2})
	data := unsafe.Pointer(&list[0])
	for i, want := range list {
		if _, got := call(noSite(t), at, []uint64{0, uint64(i), 3}, data); got != unsafe.Pointer(want) {
			t.Errorf("AtP of %d", i)
		}
	}
	call(noSite(t), set, []uint64{0, 1, 3}, data, unsafe.Pointer(a))
	if list[0] != a || list[1] != a || list[2] != b {
		t.Error("SetP")
	}
	outside(t, at, 3, data)
	outside(t, set, 3, data)

	words := []uint32{1, 2, 3, 4, 5}
	move := oneOp(t, Op{Code: OpCopy, A: 0, B: 1, C: 0, Imm: 4})
	call(noSite(t), move, []uint64{3}, unsafe.Pointer(&words[1]), unsafe.Pointer(&words[0]))
	if want := []uint32{1, 1, 2, 3, 5}; !slices.Equal(words, want) {
		t.Errorf("Copy to the right: %v", words)
	}
	call(noSite(t), move, []uint64{2}, unsafe.Pointer(&words[2]), unsafe.Pointer(&words[3]))
	if want := []uint32{1, 1, 3, 5, 5}; !slices.Equal(words, want) {
		t.Errorf("Copy to the left: %v", words)
	}
	call(noSite(t), move, []uint64{0}, nil, nil)

	nodes := make([]node, 5)
	elem := oneOp(t, Op{Code: OpElem, A: 0, B: 1, C: 2, Imm: int32(unsafe.Sizeof(node{}))})
	elemOf := oneOp(t, Op{Code: OpElemOf, A: 0, B: 1, Or: 5, Imm: int32(unsafe.Sizeof(node{}))})
	check := oneOp(t, Op{Code: OpCheck, B: 1, C: 2})
	for i := range nodes {
		for _, f := range []*Func{elem, elemOf} {
			if _, got := call(noSite(t), f, []uint64{0, uint64(i), 5}, unsafe.Pointer(&nodes[0])); got != unsafe.Pointer(&nodes[i]) {
				t.Errorf("%s of %d: %p", f.Name, i, got)
			}
		}
		call(noSite(t), check, []uint64{0, uint64(i), 5})
	}
	for _, f := range []*Func{elem, elemOf, check} {
		outside(t, f, 5, unsafe.Pointer(&nodes[0]))
	}
	if got, _ := call(fail, elemOf, []uint64{0, 0}, nil); got != failed {
		t.Error("ElemOf of nil")
	}
}

func TestNames(t *testing.T) {
	for o, want := range map[Op]string{
		{Code: OpAt64, D: 4, B: 1, C: 2, To: 7}:  "At64 n4 p0 n1 n2, else 7",
		{Code: OpIfLT, A: 1, B: 2, To: 3, Or: 4}: "IfLT n1 n2 3 or 4",
		{Code: OpAddI, D: 1, A: 1, Imm: -1}:      "AddI n1 n1 -1",
		{Code: opcodesAll + 5}:                   fmt.Sprintf("Opcode(%d)", opcodesAll+5),
	} {
		if got := o.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
