package native

import (
	"math"
	"reflect"
	"unsafe"

	"overcomplete/internal/wasm"
	rc "overcomplete/kernel/internal/regcode"
)

// emits reports whether the op of code c can be emitted.
func (e *calls) emits(op *rc.Op, c *rc.Code) bool {
	if _, ok := shapes[op.Code]; !ok || op.Imm < 0 && follows(op.Code) {
		return false
	}
	if follows(op.Code) && isConstP(c, op.A) {
		return e.target.holds(constP(c, op.A))
	}
	if op.Code == rc.OpTypeOf && len(c.Itabs[op.Or].Seen()) == 0 {
		return false
	}
	return !isCall(op.Code) || op.Code == rc.OpCallOf && e.can(&c.Calls[op.Or])
}

// instructions maps ops to the WebAssembly instructions that implement them. The operands are A and, if the op has one,
// B. The result of a comparison (see compares) is an i32.
var instructions = map[rc.Opcode]string{
	rc.OpEQ: "i64.eq", rc.OpLT: "i64.lt_s", rc.OpLE: "i64.le_s", rc.OpLTU: "i64.lt_u", rc.OpLEU: "i64.le_u",
	rc.OpFEQ: "f64.eq", rc.OpFLT: "f64.lt", rc.OpFLE: "f64.le",
	rc.OpEQ32: "f32.eq", rc.OpLT32: "f32.lt", rc.OpLE32: "f32.le",

	rc.OpAdd: "i64.add", rc.OpSub: "i64.sub", rc.OpMul: "i64.mul", rc.OpAnd: "i64.and", rc.OpOr: "i64.or", rc.OpXor: "i64.xor",
	rc.OpFAdd: "f64.add", rc.OpFSub: "f64.sub", rc.OpFMul: "f64.mul", rc.OpFDiv: "f64.div", rc.OpFMin: "f64.min", rc.OpFMax: "f64.max",
	rc.OpAdd32: "f32.add", rc.OpSub32: "f32.sub", rc.OpMul32: "f32.mul", rc.OpDiv32: "f32.div",

	rc.OpFNeg: "f64.neg", rc.OpNeg32: "f32.neg",
	rc.OpInt8: "i64.extend8_s", rc.OpInt16: "i64.extend16_s", rc.OpInt32: "i64.extend32_s",
	rc.OpIntFloat: "f64.convert_i64_s", rc.OpUintFloat: "f64.convert_i64_u",
	rc.OpIntFloat32: "f32.convert_i64_s", rc.OpUintFloat32: "f32.convert_i64_u",
	rc.OpFloatFloat32: "f32.demote_f64", rc.OpFloat32Float: "f64.promote_f32",
	rc.OpSqrt: "f64.sqrt", rc.OpFAbs: "f64.abs", rc.OpFFloor: "f64.floor",
	rc.OpFCeil: "f64.ceil", rc.OpFTrunc: "f64.trunc", rc.OpFNearest: "f64.nearest",
}

var inverses = map[rc.Opcode]string{
	rc.OpIfEQ: "i64.ne", rc.OpIfLT: "i64.ge_s", rc.OpIfLE: "i64.gt_s", rc.OpIfLTU: "i64.ge_u", rc.OpIfLEU: "i64.gt_u",
}

// condition returns the condition under which a branch continues at To.
func (e *emitter) condition(op *rc.Op) wasm.Value {
	if op.Code == rc.OpIf {
		return wasm.I64.Ne(e.get(op.A, whole), wasm.Int64(0))
	}
	c := shapes[op.Code].a
	return wasm.Op(instructions[op.Code-rc.OpIfEQ+rc.OpEQ], e.get(op.A, c), e.get(op.B, c))
}

// inverse returns the condition under which op, a branch, jumps to op.Or. It returns false if op compares floats.
func (e *emitter) inverse(op *rc.Op) (wasm.Value, bool) {
	if op.Code == rc.OpIf {
		return wasm.I64.Eqz(e.get(op.A, whole)), true
	}
	name, ok := inverses[op.Code]
	if !ok {
		return nil, false
	}
	return wasm.Op(name, e.get(op.A, whole), e.get(op.B, whole)), true
}

// op emits an op that is not a branch.
func (e *emitter) op(op *rc.Op) {
	s := shapes[op.Code]
	if name, ok := instructions[op.Code]; ok {
		operands := []wasm.Value{e.get(op.A, s.a)}
		if s.b != none {
			operands = append(operands, e.get(op.B, s.b))
		}
		v := wasm.Op(name, operands...)
		if compares(op.Code) {
			v = extended(v)
		}
		e.set(op.D, v, s.d)
		return
	}
	if follows(op.Code) || op.Code == rc.OpCheck {
		e.access(op)
		return
	}
	a := func() wasm.Value { return e.get(op.A, whole) }
	b := func() wasm.Value { return e.get(op.B, whole) }
	set := func(v wasm.Value) { e.set(op.D, v, whole) }
	switch op.Code {
	case rc.OpCallOf:
		e.callOf(&e.code.Calls[op.Or])
	case rc.OpMove:
		c := e.classes.get(op.D)
		e.set(op.D, e.get(op.A, c), c)
	case rc.OpMoveP:
		if e.isGood(op.A) {
			e.setP(op.D, e.getP(op.A), e.place(op.A))
		} else {
			e.setP(op.D, e.getP(op.A), nil)
		}
	case rc.OpTypeOf:
		e.typeOf(op)
	case rc.OpCopy:
		e.copy(op)
	case rc.OpEQP:
		set(extended(wasm.I64.Eq(e.getP(op.A), e.getP(op.B))))
	case rc.OpNil:
		set(extended(wasm.I64.Eq(e.getP(op.A), wasm.Int64(-int64(e.target.Base)))))
	case rc.OpAndNot:
		set(wasm.I64.And(a(), wasm.I64.Xor(b(), wasm.Int64(-1))))
	case rc.OpShl, rc.OpShr, rc.OpShrU:
		e.shift(op)
	case rc.OpDiv, rc.OpDivU, rc.OpRem, rc.OpRemU:
		e.divide(op)
	case rc.OpAddI:
		set(wasm.I64.Add(a(), wasm.Int64(int64(op.Imm))))
	case rc.OpNot:
		set(wasm.I64.Xor(a(), wasm.Int64(1)))
	case rc.OpNeg:
		set(wasm.I64.Sub(wasm.Int64(0), a()))
	case rc.OpCom:
		set(wasm.I64.Xor(a(), wasm.Int64(-1)))
	case rc.OpUint8, rc.OpUint16, rc.OpUint32:
		set(wasm.I64.And(a(), wasm.Int64(map[rc.Opcode]int64{rc.OpUint8: math.MaxUint8, rc.OpUint16: math.MaxUint16, rc.OpUint32: math.MaxUint32}[op.Code])))
	case rc.OpFloatInt:
		e.toInt(op, e.get(op.A, double))
	case rc.OpFloat32Int:
		e.toInt(op, wasm.Op("f64.promote_f32", e.get(op.A, single)))
	}
}

// copy emits op, which copies memory. The end of each memory area is in the window if its beginning is.
func (e *emitter) copy(op *rc.Op) {
	n := e.f.Let(e.get(op.C, whole))
	some := wasm.I64.Ne(n, wasm.Int64(0))
	to, from := e.f.Let(e.getP(op.A)), e.f.Let(e.getP(op.B))
	e.fail(wasm.I32.And(some, wasm.I32.Or(e.target.bad(to), e.target.bad(from))))
	place := func(v wasm.Value) wasm.Value { return wasm.Op("i32.wrap_i64", v) }
	e.f.If(some, func() {
		e.f.CopyMemory(place(to), place(from), place(wasm.I64.Mul(n, wasm.Int64(int64(op.Imm)))))
	})
}

// typeOf emits op, which finds the type in an itab. The emitted code compares the itab with those that op has seen so
// far, and exits if the itab is neither one of these nor nil.
func (e *emitter) typeOf(op *rc.Op) {
	at := func(p unsafe.Pointer) wasm.Value { return wasm.Int64(int64(uint64(uintptr(p)) - e.target.Base)) }
	itab, typ := e.f.Let(e.getP(op.A)), e.f.Let(at(nil))
	known := wasm.I64.Eq(itab, at(nil))
	for _, x := range e.code.Itabs[op.Or].Seen() {
		is := e.f.Let(wasm.I64.Eq(itab, at(x.Itab)))
		e.f.Set(typ, wasm.Select(is, at(x.Type), typ))
		known = wasm.I32.Or(known, is)
	}
	e.fail(wasm.I32.Eqz(known))
	e.setP(op.D, typ, nil)
}

// extended extends the condition v, an i32, to 64 bits: the form in which a register holds a Go bool.
func extended(v wasm.Value) wasm.Value { return wasm.Op("i64.extend_i32_u", v) }

// constantN returns the value of an N register if the register is a constant.
func (e *emitter) constantN(n uint16) (uint64, bool) {
	if !isConstN(e.code, n) {
		return 0, false
	}
	return e.code.ConstN[int(n)-e.code.AtConstN], true
}

// shift emits a shift. WebAssembly's shifts take the number of bits modulo 64.
func (e *emitter) shift(op *rc.Op) {
	a, b := e.get(op.A, whole), e.get(op.B, whole)
	do := map[rc.Opcode]func(x, y wasm.Value) wasm.Value{rc.OpShl: wasm.I64.Shl, rc.OpShr: wasm.I64.ShrS, rc.OpShrU: wasm.I64.ShrU}[op.Code]
	if by, ok := e.constantN(op.B); ok && by < 64 {
		e.set(op.D, do(a, b), whole)
		return
	}
	if op.C != 0 {
		e.fail(wasm.I64.Lt(b, wasm.Int64(0)))
	}
	short := wasm.I64.LtU(b, wasm.Int64(64))
	if op.Code == rc.OpShr {
		e.set(op.D, do(a, wasm.Select(short, b, wasm.Int64(63))), whole)
		return
	}
	e.set(op.D, wasm.Select(short, do(a, b), wasm.Int64(0)), whole)
}

// divide emits a division. WebAssembly's divisions trap if the divisor is 0, or if the most negative number is
// divided by -1.
func (e *emitter) divide(op *rc.Op) {
	a, b := e.get(op.A, whole), e.get(op.B, whole)
	by, fixed := e.constantN(op.B)
	if !fixed || by == 0 {
		e.fail(wasm.I64.Eqz(b))
	}
	switch op.Code {
	case rc.OpDivU:
		e.set(op.D, wasm.I64.DivU(a, b), whole)
	case rc.OpRemU:
		e.set(op.D, wasm.I64.RemU(a, b), whole)
	case rc.OpRem:
		e.set(op.D, wasm.I64.Rem(a, b), whole)
	default:
		if fixed && by != math.MaxUint64 {
			e.set(op.D, wasm.I64.Div(a, b), whole)
			return
		}
		e.f.If(wasm.I64.Eq(b, wasm.Int64(-1)),
			func() { e.set(op.D, wasm.I64.Sub(wasm.Int64(0), a), whole) },
			func() { e.set(op.D, wasm.I64.Div(a, b), whole) })
	}
}

// ranges holds the exclusive bounds between which a float64 can be truncated to an integer type. Outside
// these bounds, the result in compiled Go depends on the processor.
var ranges = map[reflect.Kind][2]float64{
	reflect.Int8: {-1<<7 - 1, 1 << 7}, reflect.Int16: {-1<<15 - 1, 1 << 15}, reflect.Int32: {-1<<31 - 1, 1 << 31},
	reflect.Uint8: {-1, 1 << 8}, reflect.Uint16: {-1, 1 << 16}, reflect.Uint32: {-1, 1 << 32},
	// The lower bound itself is in the type's range, but because the bounds are exclusive, the machine
	// converts it.
	reflect.Int: {-1 << 63, 1 << 63}, reflect.Int64: {-1 << 63, 1 << 63},
	// The machine converts values in the upper half of the unsigned range.
	reflect.Uint: {-1, 1 << 63}, reflect.Uint64: {-1, 1 << 63}, reflect.Uintptr: {-1, 1 << 63},
}

// toInt emits the conversion of a float64 to the integer type of kind op.B.
func (e *emitter) toInt(op *rc.Op, v wasm.Value) {
	x := e.f.Let(v)
	r := ranges[reflect.Kind(op.B)] // empty for other kinds
	e.fail(wasm.I32.Eqz(wasm.I32.And(wasm.F64.Gt(x, wasm.Float64(r[0])), wasm.F64.Lt(x, wasm.Float64(r[1])))))
	e.set(op.D, wasm.Op("i64.trunc_sat_f64_s", x), whole)
}
