package native

import (
	"cmp"
	"slices"

	"overcomplete/internal/wasm"
	rc "overcomplete/kernel/internal/regcode"
)

// A place is an op and the block that contains it.
type place struct {
	block int
	op    int32
}

// comesBefore reports whether the op at place a has always been executed when the op at place b begins.
func (r *region) comesBefore(a, b place) bool {
	if a.block == b.block {
		return a.op < b.op
	}
	return r.dominates(a.block, b.block)
}

// An exit is the op at which the machine continues, with the registers that are written back before it does.
type exit struct {
	pc    int32
	saved []register
}

// keptRegisters holds the registers that a region keeps in locals, and says where they are valid.
type keptRegisters struct {
	// once holds the registers that are set in only one place, and not by a move. It maps each of them to the
	// place of the only op of the region that sets it; see findSingle.
	once map[register]place
	// many holds the other registers that the region writes.
	many []register
	// loaded holds the registers that are read on entry to the region, except constants.
	loaded []register
	// fixed holds those loaded registers that the region does not write.
	fixed map[register]bool
}

// ops returns the region's ops in the order of its blocks.
func (r *region) ops() []int32 {
	var list []int32
	for _, b := range r.blocks {
		for i := b.from; i < b.to; i++ {
			list = append(list, i)
		}
	}
	return list
}

func (r *region) findKept() *keptRegisters {
	single := r.findSingle()
	h := &keptRegisters{once: map[register]place{}, fixed: map[register]bool{}}
	written, read := map[register]bool{}, map[register]bool{}
	for b, blk := range r.blocks {
		for i := blk.from; i < blk.to; i++ {
			for _, w := range writes(r.code, &r.code.Ops[i]) {
				if single[w.register] && !written[w.register] {
					h.once[w.register] = place{b, i}
				} else {
					delete(h.once, w.register)
				}
				written[w.register] = true
			}
		}
	}
	for b, blk := range r.blocks {
		for i := blk.from; i < blk.to; i++ {
			for _, o := range reads(r.code, &r.code.Ops[i]) {
				read[o.register] = true
				if at, ok := h.once[o.register]; ok && !r.comesBefore(at, place{b, i}) {
					delete(h.once, o.register) // the register's value may come from before the loop
				}
			}
		}
	}
	for w := range written {
		if _, ok := h.once[w]; !ok {
			h.many = append(h.many, w)
			if r.owns(w) {
				h.loaded = append(h.loaded, w)
			}
		}
	}
	for o := range read {
		if !written[o] && !r.constant(o) && r.owns(o) {
			h.fixed[o] = true
			h.loaded = append(h.loaded, o)
		}
	}
	slices.SortFunc(h.many, order)
	slices.SortFunc(h.loaded, order)
	return h
}

// findSingle returns a map that is true for the registers that are set in only one place, and not by a move. For
// inlined calls, inlining.findSingle says what counts as one place.
func (r *region) findSingle() map[register]bool {
	if r.in != nil {
		return r.in.findSingle()
	}
	return singleIn(r.code)
}

// singleIn returns a map that is true for the registers that only one op of c sets, if this op is not a move.
func singleIn(c *rc.Code) map[register]bool {
	single := map[register]bool{}
	set := func(o register, isMove bool) {
		_, known := single[o]
		single[o] = !known && !isMove
	}
	for i := range c.Ops {
		op := &c.Ops[i]
		for _, w := range writes(c, op) {
			set(w.register, isMove(op.Code))
		}
		if op.Code == rc.OpCall1 || op.Code == rc.OpCall2 {
			set(register{false, op.D}, false)
		}
	}
	return single
}

func (r *region) constant(o register) bool {
	if o.pointer {
		return isConstP(r.code, o.number)
	}
	return isConstN(r.code, o.number)
}

// saved returns the registers that are written back if the machine continues at the given place.
func (r *region) saved(h *keptRegisters, at place) []register {
	list := slices.Clone(h.many)
	for o, def := range h.once {
		if r.comesBefore(def, at) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, order)
	return list
}

// order compares registers for a sort in descending order: if the highest register is accessed first, an
// engine needs to check the bounds of that access only.
func order(a, b register) int {
	if a.pointer != b.pointer {
		if a.pointer {
			return 1
		}
		return -1
	}
	return cmp.Compare(b.number, a.number)
}

// exits holds the exits of a region. Places that continue at the same op with the same registers share an exit.
type exits struct {
	list []exit
	of   map[place]int
}

// most is the maximum total number of registers that the exits write back.
const most = 20_000

func (r *region) findExits(h *keptRegisters, skip int32) *exits {
	x := &exits{of: map[place]int{}}
	add := func(from place, pc int32) {
		saved := r.saved(h, from)
		if r.in != nil {
			needs := r.in.needs(pc)
			saved = slices.DeleteFunc(saved, func(o register) bool { return !needs(o) })
		}
		for i, e := range x.list {
			if e.pc == pc && slices.Equal(e.saved, saved) {
				x.of[place{from.block, pc}] = i
				return
			}
		}
		x.of[place{from.block, pc}] = len(x.list)
		x.list = append(x.list, exit{pc, saved})
	}
	x.list = append(x.list, exit{pc: skip}) // exit 0: the region has not begun
	for b, blk := range r.blocks {
		for i := blk.from; i < blk.to; i++ {
			if shapes[r.code.Ops[i].Code].fails {
				add(place{b, i}, i)
			}
		}
		if blk.stops {
			add(place{b, blk.to}, blk.to)
		}
		for _, at := range blk.next {
			if to, ok := r.at[at]; !ok {
				add(place{b, blk.to}, at)
			} else if to <= b {
				add(place{to, at}, at)
			}
		}
	}
	return x
}

// owns reports whether o is a register of the call that runs the region.
func (r *region) owns(o register) bool { return r.in == nil || r.in.owns(o) }

// size returns the total number of registers that the exits write back.
func (x *exits) size() int {
	n := 0
	for _, e := range x.list {
		n += len(e.saved)
	}
	return n
}

// exitBranches holds the branches to exits. Each branch has its own label, because the engine puts moves
// before a branch to a shared label, and these moves make the branch slow even if it is not taken.
type exitBranches struct {
	to     []int // exit of each branch
	labels []*wasm.Label
	probe  *wasm.Label // target of all branches in the emitter's first run, which only finds the branches
	next   int
	first  []int // for each exit, the index at which its branches begin in the field sorted
	sorted []int
}

// begin prepares the labels of the branches that the previous run of the emitter found. exits is the number of exits.
func (w *exitBranches) begin(exits int) {
	w.first = make([]int, exits+1)
	w.sorted = w.sorted[:0]
	for k := range exits {
		w.first[k] = len(w.sorted)
		for i, to := range w.to {
			if to == k {
				w.sorted = append(w.sorted, i)
			}
		}
	}
	w.first[exits] = len(w.sorted)
	w.labels = make([]*wasm.Label, len(w.to))
	w.next = 0
}

// out returns the label of the next branch, which leads to exit k.
func (e *emitter) out(k int) *wasm.Label {
	w := &e.branches
	i := w.next
	w.next++
	if i < len(w.labels) {
		return w.labels[i]
	}
	w.to = append(w.to, k)
	return w.probe
}

// leaving emits the region inside nested WebAssembly blocks, followed by the code of exit k and of the later exits. A
// branch to one of these exits jumps out of one of the blocks, to the code of the exit.
func (e *emitter) leaving(k int) {
	w := &e.branches
	if k == len(e.exits.list) {
		e.f.Block(func(out *wasm.Label) {
			w.probe = out
			e.enterRegion()
		})
		e.f.Unreachable()
		return
	}
	switch branches := w.sorted[w.first[k]:w.first[k+1]]; len(branches) {
	case 0:
		e.leaving(k + 1)
		return
	case 1:
		e.f.Block(func(out *wasm.Label) {
			w.labels[branches[0]] = out
			e.leaving(k + 1)
		})
	default:
		e.f.Block(func(out *wasm.Label) { e.landing(k, branches, out) })
	}
	e.leave(k)
}

// landing emits the region inside nested blocks, one for each of the given branches to exit k. A branch jumps to the
// end of its own block. From there, the code jumps to the given label, where the code of the exit follows.
func (e *emitter) landing(k int, branches []int, out *wasm.Label) {
	if len(branches) == 0 {
		e.leaving(k + 1)
		return
	}
	e.f.Block(func(l *wasm.Label) {
		e.branches.labels[branches[0]] = l
		e.landing(k, branches[1:], out)
	})
	e.f.Br(out)
}
