package native

import (
	"maps"
	"runtime"
	"slices"

	"overcomplete/internal/wasm"
	rc "overcomplete/kernel/internal/regcode"
)

// emitBlocks emits all blocks.
func (e *emitter) emitBlocks() {
	e.heads, e.joins = map[int]*wasm.Label{}, map[int]*wasm.Label{}
	e.merges = make([]bool, len(e.blocks))
	for i, before := range e.before {
		n := 0
		for _, p := range before {
			if p < i {
				n++
			}
		}
		e.merges[i] = n > 1
	}
	e.tree(0)
	e.f.Unreachable()
}

// tree emits a block and the blocks that it dominates, as in Ramsey's Beyond Relooper.
func (e *emitter) tree(i int) {
	var merges []int
	for _, u := range e.under[i] {
		if e.merges[u] {
			merges = append(merges, u)
		}
	}
	slices.Sort(merges)
	slices.Reverse(merges)
	if e.loops[i] > 0 {
		e.beforeLoop(i)
		e.f.Loop(func(again *wasm.Label) {
			e.heads[i] = again
			e.joined(i, merges)
		})
		return
	}
	e.joined(i, merges)
}

// joined emits block i, followed by the blocks in merges. These are blocks that i immediately dominates and that have
// several incoming forward edges. The first block in merges is emitted last, because its label is the outermost one.
func (e *emitter) joined(i int, merges []int) {
	if len(merges) == 0 {
		e.block(i)
		return
	}
	e.f.Block(func(out *wasm.Label) {
		e.joins[merges[0]] = out
		e.joined(i, merges[1:])
	})
	e.tree(merges[0])
}

// block emits the ops of a block, and the branches to its successors.
func (e *emitter) block(i int) {
	b := e.blocks[i]
	e.now = maps.Clone(e.known[i])
	e.recent = newRecent()
	for at := b.from; at < b.to; at++ {
		op := &e.code.Ops[at]
		e.here = place{i, at}
		if e.hoisted[at] {
			continue
		}
		e.op(op)
		e.now.pass(e.code, op)
		e.recent.pass(e.code, op)
	}
	if b.stops {
		e.f.Br(e.out(e.exit(place{i, b.to})))
		return
	}
	if len(b.next) == 0 {
		e.giveResults()
		return
	}
	if len(b.next) == 1 {
		e.branch(i, b.next[0])
		return
	}
	op := &e.code.Ops[b.to-1]
	if e.goesOn(b) {
		e.branch(i, b.next[1])
		return
	}
	if e.simple(i, b.next[0]) {
		e.f.BrIf(e.label(i, b.next[0]), e.condition(op))
		e.branch(i, b.next[1])
		return
	}
	if not, ok := e.inverse(op); ok && e.simple(i, b.next[1]) {
		e.f.BrIf(e.label(i, b.next[1]), not)
		e.branch(i, b.next[0])
		return
	}
	e.f.If(e.condition(op), func() { e.branch(i, b.next[0]) }, func() { e.branch(i, b.next[1]) })
}

// simple reports whether the edge from block i to Ops[at] can be emitted as a single branch instruction.
func (e *emitter) simple(i int, at int32) bool {
	to, ok := e.at[at]
	return !ok || to > i && e.merges[to]
}

// label returns the label to which a branch must jump to follow the edge from block i to Ops[at]. The edge must be
// simple.
func (e *emitter) label(i int, at int32) *wasm.Label {
	if to, ok := e.at[at]; ok {
		return e.joins[to]
	}
	return e.out(e.exit(place{i, at}))
}

// branch emits the edge from block i to the block that begins at Ops[at].
func (e *emitter) branch(i int, at int32) {
	if e.simple(i, at) {
		e.f.Br(e.label(i, at))
		return
	}
	to := e.at[at]
	if to > i {
		e.tree(to)
		return
	}
	// A back edge: an iteration costs as much fuel as the loop has ops.
	if e.asksEachTurn(to) {
		e.f.Inc(e.fuel, -e.loops[to])
	} else {
		e.burn(e.loops[to], e.exit(place{to, at}))
	}
	e.f.Br(e.heads[to])
}

// asks reports whether the module checks its fuel in place of op, a load of the flag that says whether the cell must
// stop. (The fuel is the approximate number of ops that the module may still execute.) When the fuel is used up, the
// module exits at op, and the machine loads the flag.
//
// In a callee, and in a browser, the result is always false. In a browser, the module loads the flag in each iteration.
// When the fuel is used up, it exits at the loop's head, where the machine lets other goroutines run (see rc.Breathe).
func (e *emitter) asks(op *rc.Op) bool {
	return op.Code == rc.OpLoad8 && op.C != 0 && e.callee == nil && runtime.GOOS != "js"
}

// asksEachTurn reports whether each iteration of the loop that begins at the given block executes an op for which
// asks(op) is true.
func (e *emitter) asksEachTurn(head int) bool {
	for b := range e.loopBlocks(head) {
		for i := e.blocks[b].from; i < e.blocks[b].to; i++ {
			if e.asks(&e.code.Ops[i]) && e.everyTurn(head, b) {
				return true
			}
		}
	}
	return false
}

// goesOn reports whether block b ends with a branch on the stop flag, loaded by an op for which asks is true. Native
// code reads this flag as 0, so it never takes the branch that stops the cell. The machine checks the flag when the
// fuel is used up.
func (e *emitter) goesOn(b *block) bool {
	end := &e.code.Ops[b.to-1]
	for i := b.from; end.Code == rc.OpIf && i < b.to; i++ {
		if op := &e.code.Ops[i]; e.asks(op) && op.D == end.A {
			return true
		}
	}
	return false
}

// fail emits code that exits at the current op if the condition cond holds; the machine then executes the op.
func (e *emitter) fail(cond wasm.Value) {
	at := e.here
	if e.failing != nil {
		at = *e.failing
	}
	e.f.BrIf(e.out(e.exit(at)), cond)
}

// get returns the value of an N register in class c.
func (e *emitter) get(n uint16, c class) wasm.Value {
	if isConstN(e.code, n) {
		return types[c].Bits(e.code.ConstN[int(n)-e.code.AtConstN])
	}
	return convert(e.number(n), e.classes.get(n), c)
}

// set assigns v, a value of class c, to an N register.
func (e *emitter) set(n uint16, v wasm.Value, c class) {
	e.f.Set(e.number(n), convert(v, c, e.classes.get(n)))
}
