package native

import (
	"maps"
	"math/bits"
	"slices"

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
	rc.OpStoreP: {"i64.load", "", 8, none},
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
	if op.Code == rc.OpStoreP {
		e.fail(wasm.I64.Ne(e.target.offset(wasm.LoadOp(m.whole, at, offset)), e.getP(op.D)))
		return
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

// constP returns the value of a P register that is a constant.
func constP(c *rc.Code, n uint16) uint64 {
	return uint64(uintptr(c.ConstP[int(n)-c.AtConstP]))
}

// getP returns the pointer in a P register, minus the target's base.
func (e *emitter) getP(n uint16) wasm.Value {
	if isConstP(e.code, n) {
		return wasm.Int64(int64(constP(e.code, n) - e.target.Base))
	}
	return e.address(n)
}

// place returns the pointer in a P register as an address in the module's memory. The pointer must be valid.
func (e *emitter) place(n uint16) wasm.Value {
	if isConstP(e.code, n) {
		return wasm.Int(int(constP(e.code, n) - e.target.Base))
	}
	return e.places[n]
}

// isGood reports whether the pointer in a register is known to be valid.
func (e *emitter) isGood(n uint16) bool {
	if isConstP(e.code, n) {
		return e.target.holds(constP(e.code, n))
	}
	return e.now[good(n)]
}

// check emits code that exits at op if the pointer that op dereferences is not valid.
func (e *emitter) check(op *rc.Op) {
	p := register{true, op.A}
	switch {
	case e.isGood(op.A):
	case e.held[p] != nil:
		if e.failing != nil || !indexes(op.Code) || !e.held[p][register{false, op.C}] {
			e.fail(wasm.I32.Eqz(e.places[op.A]))
		}
	case !e.fixed[p]:
		e.fail(e.target.bad(e.address(op.A)))
		e.f.Set(e.places[op.A], wasm.Op("i32.wrap_i64", e.address(op.A)))
	case indexes(op.Code) && e.sized[p][register{false, op.C}]: // the slice has elements, so the pointer is valid
	default:
		e.fail(wasm.I32.Eqz(e.places[op.A]))
	}
}

// setP assigns the pointer p to a P register. The parameter at is the same pointer as an address in the module's
// memory, or nil if this address is unknown.
func (e *emitter) setP(n uint16, p, at wasm.Value) {
	l, followed := e.places[n]
	if followed && at != nil {
		place := e.f.Let(at) // evaluate at before setting the register, because at may read that register
		e.f.Set(e.address(n), p)
		e.f.Set(l, place)
		return
	}
	e.f.Set(e.address(n), p)
}

// reach is called when the current op accesses memory: size is the number of bytes, and addr is their address. reach
// emits one load at the farthest address that the rest of the block accesses through the same pointer. The engine
// checks that address and then need not check the nearer ones.
func (e *emitter) reach(addr field, size int) {
	end := addr.distance + size
	if e.recent.reached[addr.p] >= end {
		return
	}
	farthest := end
	later := newRecent()
	later.fields = maps.Clone(e.recent.fields)
	for i := e.here.op; i < e.blocks[e.here.block].to; i++ {
		o := &e.code.Ops[i]
		if m, ok := memories[o.Code]; ok && !indexes(o.Code) {
			if at := later.at(o.A, int(o.Imm)); at.p == addr.p {
				farthest = max(farthest, at.distance+m.size)
			}
		}
		if slices.ContainsFunc(writes(e.code, o), func(w operand) bool { return w.register == (register{true, addr.p}) }) {
			break
		}
		later.pass(e.code, o)
	}
	if farthest > end {
		e.f.Drop(wasm.LoadOp("i32.load8_u", e.place(addr.p), farthest-1))
	}
	e.recent.reached[addr.p] = farthest
}
