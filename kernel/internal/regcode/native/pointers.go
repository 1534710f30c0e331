package native

import (
	"maps"
	"slices"

	"overcomplete/internal/wasm"
	rc "overcomplete/kernel/internal/regcode"
)

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

// setP assigns the pointer p to a P register. The last argument is the same pointer as an address in the module's
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
