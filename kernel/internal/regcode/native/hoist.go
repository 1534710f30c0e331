package native

import (
	"cmp"
	"maps"
	"slices"

	"overcomplete/internal/wasm"
	rc "overcomplete/kernel/internal/regcode"
)

// Loads that give the same result in each iteration of a loop are executed once before the loop: rows of
// matrices, and slices that are fields or package variables. They are executed only if the loop's first block
// decides that there is a first iteration. If one of the loads fails, the machine continues at the beginning
// of the loop.
//
// Two more checks can then be made once before the loop: whether the loaded pointers are valid, and whether
// indices that do not change are below lengths that do not change.

// A hoist holds what is executed before a loop: the ops that are moved out of the loop, and the facts that are
// checked.
type hoist struct {
	ops   []int32
	yes   bool         // the loop continues if its first block's branch condition is true
	in    map[int]bool // the blocks of the loop
	known facts        // facts that are checked before the loop
}

// loopBlocks returns the blocks of the loop that begins at a block.
func (r *region) loopBlocks(head int) map[int]bool {
	in := map[int]bool{head: true}
	var visit func(i int)
	visit = func(i int) {
		if !in[i] {
			in[i] = true
			for _, p := range r.before[i] {
				visit(p)
			}
		}
	}
	for _, p := range r.before[head] {
		if p >= head {
			visit(p)
		}
	}
	return in
}

// findHoists finds the ops to hoist out of each loop. It stores them in e.hoists, keyed by the loop's first
// block.
func (e *emitter) findHoists() {
	e.hoists, e.hoisted, e.held = map[int]*hoist{}, map[int32]bool{}, map[register]map[register]bool{}
	for i := len(e.blocks) - 1; i >= 0; i-- { // innermost loops first
		if e.loops[i] > 0 {
			e.findHoist(i)
		}
	}
}

func (e *emitter) findHoist(head int) {
	in := e.loopBlocks(head)
	yes, ok := e.entersLoop(head, in)
	if !ok {
		return
	}
	written := map[register]bool{}
	stores, reslices := false, false
	for b := range in {
		for i := e.blocks[b].from; i < e.blocks[b].to; i++ {
			op := &e.code.Ops[i]
			stores = stores || shapes[op.Code].stores
			reslices = reslices || op.Code == rc.OpStoreP
			for _, w := range writes(e.code, op) {
				written[w.register] = true
			}
		}
	}
	h := &hoist{yes: yes, in: in, known: facts{}}
	for b := head; b < len(e.blocks); b++ {
		if !in[b] || !e.everyTurn(head, b) {
			continue
		}
		for i := e.blocks[b].from; i < e.blocks[b].to; i++ {
			if op := &e.code.Ops[i]; !e.hoisted[i] && e.same(op, written, stores, reslices) {
				h.ops = append(h.ops, i)
				e.hoisted[i] = true
				delete(written, writes(e.code, op)[0].register)
			}
		}
	}
	for b := range in {
		for i := e.blocks[b].from; i < e.blocks[b].to; i++ {
			op := &e.code.Ops[i]
			if indexes(op.Code) && e.everyTurn(head, b) && !written[register{false, op.B}] && !written[register{false, op.C}] {
				h.known[below(op.B, op.C)] = true
			}
		}
	}
	if len(h.ops)+len(h.known) == 0 {
		return
	}
	e.hoists[head] = h
	for _, i := range h.ops {
		if d := (register{true, e.code.Ops[i].D}); writes(e.code, &e.code.Ops[i])[0].register == d && e.followedIn(d, in) {
			e.held[d] = map[register]bool{}
		}
	}
	for b := range in {
		for i := e.blocks[b].from; i < e.blocks[b].to; i++ {
			op := &e.code.Ops[i]
			lengths, n := e.held[register{true, op.A}], register{false, op.C}
			if indexes(op.Code) && !written[n] && lengths != nil {
				lengths[n] = true
			}
		}
	}
}

// followedIn reports whether at least one op dereferences the pointer in the register p, and every such op belongs to
// one of the given blocks.
func (e *emitter) followedIn(p register, in map[int]bool) bool {
	some := false
	for b, blk := range e.blocks {
		for i := blk.from; i < blk.to; i++ {
			if op := &e.code.Ops[i]; follows(op.Code) && op.A == p.number {
				if some = true; !in[b] {
					return false
				}
			}
		}
	}
	return some
}

// same reports whether op, which is a load, gives the same result in each iteration of a loop. The loop writes the
// given registers; stores says whether it stores numbers. A load of a pointer gives the same result even if numbers are
// stored. A load of a byte may not, because the byte may be the stop flag. A load of a length does, unless the loop stores
// slices (reslices), which may have the same pointer and another length.
func (e *emitter) same(op *rc.Op, written map[register]bool, stores, reslices bool) bool {
	switch op.Code {
	case rc.OpLoadP, rc.OpField, rc.OpElem, rc.OpElemOf, rc.OpAtP:
	case rc.OpLoad64:
		if stores && (op.C == 0 || reslices) {
			return false
		}
	default:
		return false
	}
	for _, o := range reads(e.code, op) {
		if written[o.register] {
			return false
		}
	}
	_, once := e.once[writes(e.code, op)[0].register]
	return once
}

// everyTurn reports whether every complete iteration of the loop that begins at block head passes through block b.
func (e *emitter) everyTurn(head, b int) bool {
	for _, p := range e.before[head] {
		if p >= head && !e.dominates(b, p) {
			return false
		}
	}
	return true
}

// entersLoop inspects head, which is the first block of the loop that consists of the given blocks. The result ok
// reports whether a copy of this block can be executed before the loop to decide whether there is a first iteration.
// The result yes reports whether the loop continues if the condition of the block's branch is true.
func (e *emitter) entersLoop(head int, in map[int]bool) (yes, ok bool) {
	b := e.blocks[head]
	if len(b.next) != 2 || b.stops {
		return false, false
	}
	for i := b.from; i < b.to; i++ {
		op := &e.code.Ops[i]
		if shapes[op.Code].fails {
			return false, false
		}
		for _, w := range writes(e.code, op) {
			if _, once := e.once[w.register]; !once {
				return false, false
			}
		}
	}
	inside := func(at int32) bool {
		to, ok := e.at[at]
		return ok && in[to]
	}
	yes = inside(b.next[0])
	return yes, yes != inside(b.next[1])
}

// beforeLoop emits the hoisted ops and checks before a loop. They are executed only if the loop has a first iteration.
func (e *emitter) beforeLoop(head int) {
	h := e.hoists[head]
	if h == nil {
		return
	}
	b := e.blocks[head]
	e.now, e.recent = maps.Clone(e.known[head]), newRecent()
	for i := b.from; i < b.to; i++ {
		e.here = place{head, i}
		e.op(&e.code.Ops[i])
		e.now.pass(e.code, &e.code.Ops[i])
	}
	op := &e.code.Ops[b.to-1]
	first := e.condition(op)
	if !h.yes {
		first = wasm.I32.Eqz(first)
	}
	e.failing = &place{head, b.from}
	e.f.If(first, func() {
		for _, i := range h.ops {
			e.here = place{e.blockOf(i), i}
			op := &e.code.Ops[i]
			e.op(op)
			e.now.pass(e.code, op)
			e.recent.pass(e.code, op)
			if d := (register{true, op.D}); shapes[op.Code].d == pointer && e.held[d] != nil {
				e.f.Set(e.places[op.D], e.target.window(e.address(op.D)))
			}
		}
		for _, i := range h.ops {
			op := &e.code.Ops[i]
			if some := e.anyLength(e.held[register{true, op.D}]); shapes[op.Code].d == pointer && some != nil {
				e.fail(wasm.I32.And(wasm.I32.Eqz(e.places[op.D]), some))
			}
		}
		for _, k := range slices.SortedFunc(maps.Keys(h.known), func(a, b fact) int { return cmp.Or(a.b-b.b, a.c-b.c) }) {
			e.fail(wasm.I64.GeU(e.get(uint16(k.b), whole), e.get(uint16(k.c), whole)))
		}
	})
	e.failing = nil
}

// anyLength returns an i32 that is 1 if one of the lengths is not 0. It returns nil if there are no lengths.
func (e *emitter) anyLength(lengths map[register]bool) wasm.Value {
	if len(lengths) == 0 {
		return nil
	}
	some := wasm.Value(wasm.Int64(0))
	for _, n := range slices.SortedFunc(maps.Keys(lengths), order) {
		some = wasm.I64.Or(some, e.get(n.number, whole))
	}
	return wasm.I64.Ne(some, wasm.Int64(0))
}

// blockOf returns the block that contains an op.
func (e *emitter) blockOf(at int32) int {
	for i, b := range e.blocks {
		if at >= b.from && at < b.to {
			return i
		}
	}
	panic("native: an op without a block")
}
