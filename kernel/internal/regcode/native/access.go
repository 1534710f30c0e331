package native

import (
	"math/bits"

	"overcomplete/internal/wasm"
	rc "overcomplete/kernel/internal/regcode"
)

// memory describes the loads or stores of one opcode: the WebAssembly instruction for integers and, if there is one,
// the instruction for floats.
type memory struct {
	whole, float string
	size         int
	class        class // class of the float
}

var memories = map[rc.Opcode]memory{
	rc.OpLoad8: {"i64.load8_u", "", 1, none}, rc.OpAt8: {"i64.load8_u", "", 1, none},
	rc.OpLoad16: {"i64.load16_u", "", 2, none}, rc.OpAt16: {"i64.load16_u", "", 2, none},
	rc.OpLoad32: {"i64.load32_u", "f32.load", 4, single}, rc.OpAt32: {"i64.load32_u", "f32.load", 4, single},
	rc.OpLoad64: {"i64.load", "f64.load", 8, double}, rc.OpAt64: {"i64.load", "f64.load", 8, double},
	rc.OpLoadS8: {"i64.load8_s", "", 1, none}, rc.OpAtS8: {"i64.load8_s", "", 1, none},
	rc.OpLoadS16: {"i64.load16_s", "", 2, none}, rc.OpAtS16: {"i64.load16_s", "", 2, none},
	rc.OpLoadS32: {"i64.load32_s", "", 4, none}, rc.OpAtS32: {"i64.load32_s", "", 4, none},
	rc.OpLoadP: {"i64.load", "", 8, none}, rc.OpAtP: {"i64.load", "", 8, none},
	rc.OpStore8: {"i64.store8", "", 1, none}, rc.OpSet8: {"i64.store8", "", 1, none},
	rc.OpStore16: {"i64.store16", "", 2, none}, rc.OpSet16: {"i64.store16", "", 2, none},
	rc.OpStore32: {"i64.store32", "f32.store", 4, single}, rc.OpSet32: {"i64.store32", "f32.store", 4, single},
	rc.OpStore64: {"i64.store", "f64.store", 8, double}, rc.OpSet64: {"i64.store", "f64.store", 8, double},
}

// access emits an op that dereferences a pointer or adds to a pointer.
func (e *emitter) access(op *rc.Op) {
	if indexes(op.Code) && !e.now[below(op.B, op.C)] {
		e.fail(wasm.I64.GeU(e.get(op.B, whole), e.get(op.C, whole)))
	}
	if op.Code == rc.OpElemOf {
		e.fail(wasm.I64.GeU(e.get(op.B, whole), wasm.Int64(int64(op.Or))))
	}
	if op.Code == rc.OpCheck {
		return
	}
	if e.asks(op) {
		e.fail(wasm.I32.Lt(e.fuel, wasm.Int(0)))
		e.set(op.D, wasm.Int64(0), whole)
		return
	}
	e.check(op)
	switch op.Code {
	case rc.OpField:
		e.setP(op.D, wasm.I64.Add(e.getP(op.A), wasm.Int64(int64(op.Imm))), wasm.I32.Add(e.place(op.A), wasm.Int(int(op.Imm))))
		return
	case rc.OpElem, rc.OpElemOf:
		by := e.f.Let(wasm.I64.Mul(e.get(op.B, whole), wasm.Int64(int64(op.Imm))))
		e.setP(op.D, wasm.I64.Add(e.getP(op.A), by), wasm.I32.Add(e.place(op.A), wasm.Op("i32.wrap_i64", by)))
		return
	}
	m := memories[op.Code]
	s := shapes[op.Code]
	name, c := m.whole, whole
	if m.float != "" && e.sees(op.D) == m.class {
		name, c = m.float, m.class
	}
	if a, ok := e.recent.accessOf(op); ok {
		if d, again := e.recent.loads[a]; again {
			e.set(op.D, e.get(d, c), c)
			return
		}
	}
	var at wasm.Value
	offset := 0
	if indexes(op.Code) {
		at = wasm.I32.Add(e.place(op.A), scaled(wasm.Op("i32.wrap_i64", e.get(op.B, whole)), m.size))
	} else {
		from := e.recent.at(op.A, int(op.Imm))
		e.reach(from, m.size)
		at, offset = e.place(from.p), from.distance
	}
	if s.d == pointer {
		e.setP(op.D, e.target.offset(wasm.LoadOp(m.whole, at, offset)), nil)
		return
	}
	if s.stores {
		e.f.StoreOp(name, at, offset, e.get(op.D, c))
		return
	}
	e.set(op.D, wasm.LoadOp(name, at, offset), c)
}

// sees returns the class of an N register: the type in which the module keeps the register. A constant counts as
// whole, an integer.
func (e *emitter) sees(n uint16) class {
	if isConstN(e.code, n) {
		return whole
	}
	return e.classes.get(n)
}

// scaled returns the product of the index v and the size of an element, which is a power of 2.
func scaled(v wasm.Value, size int) wasm.Value {
	if size == 1 {
		return v
	}
	return wasm.I32.Shl(v, wasm.Int(bits.TrailingZeros(uint(size))))
}
