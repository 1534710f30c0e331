package native

import (
	"cmp"
	"slices"

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

// An exit is the op at which the machine continues, with the registers that are written back first.
type exit struct {
	pc    int32
	saved []register
}

// keptRegisters holds the registers that a region keeps in locals, and says where they are valid.
type keptRegisters struct {
	// once maps each register that is written by only one op of the whole code, and not by a move, to the
	// place of that op.
	once map[register]place
	// many holds the other registers that the region writes.
	many []register
	// loaded holds the registers that are read on entry to the region, except constants.
	loaded []register
	// fixed holds the registers in loaded that the region does not write.
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
	writers := map[register]int{}
	for i := range r.code.Ops {
		op := &r.code.Ops[i]
		for _, w := range writes(r.code, op) {
			writers[w.register]++
		}
		if op.Code == rc.OpCall1 || op.Code == rc.OpCall2 {
			writers[register{false, op.D}]++
		}
	}
	h := &keptRegisters{once: map[register]place{}, fixed: map[register]bool{}}
	written, read := map[register]bool{}, map[register]bool{}
	for b, blk := range r.blocks {
		for i := blk.from; i < blk.to; i++ {
			op := &r.code.Ops[i]
			for _, w := range writes(r.code, op) {
				written[w.register] = true
				if writers[w.register] == 1 && op.Code != rc.OpMove && op.Code != rc.OpMoveP {
					h.once[w.register] = place{b, i}
				}
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
			h.loaded = append(h.loaded, w)
		}
	}
	for o := range read {
		if !written[o] && !r.constant(o) {
			h.fixed[o] = true
			h.loaded = append(h.loaded, o)
		}
	}
	slices.SortFunc(h.many, order)
	slices.SortFunc(h.loaded, order)
	return h
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
// engine checks only that access.
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
	live := findLive(r.code)
	add := func(from place, pc int32) {
		saved := r.saved(h, from)
		if live != nil {
			needed := live.before(pc)
			saved = slices.DeleteFunc(saved, func(o register) bool { return !needed.has(live.bit(o)) })
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

// size returns the total number of registers that the exits write back.
func (x *exits) size() int {
	n := 0
	for _, e := range x.list {
		n += len(e.saved)
	}
	return n
}
