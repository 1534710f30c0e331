package native

import (
	"cmp"
	"slices"

	rc "overcomplete/kernel/internal/regcode"
)

// A place is an op, and the block that it is in.
type place struct {
	block int
	op    int32
}

// comesBefore reports whether op a has been done wherever op b is about to be.
func (r *region) comesBefore(a, b place) bool {
	if a.block == b.block {
		return a.op < b.op
	}
	return r.dominates(a.block, b.block)
}

// An exit is where the machine goes on, and the registers that are written back before.
type exit struct {
	pc    int32
	saved []register
}

// homes says which registers a region keeps, and where they are good.
type homes struct {
	// once has the registers that one op of the whole code writes, which is not a move: there.
	once map[register]place
	// many has the other registers that the region writes.
	many []register
	// loaded has the registers that are read when the region is entered, without the constants.
	loaded []register
	// fixed has those of them that the region does not write.
	fixed map[register]bool
}

// ops gives the region's ops in the order of its blocks.
func (r *region) ops() []int32 {
	var list []int32
	for _, b := range r.blocks {
		for i := b.from; i < b.to; i++ {
			list = append(list, i)
		}
	}
	return list
}

func (r *region) findHomes() *homes {
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
	h := &homes{once: map[register]place{}, fixed: map[register]bool{}}
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
					delete(h.once, o.register) // it has a value from before the loop
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

// saved gives the registers that are written back where the machine goes on from a place.
func (r *region) saved(h *homes, at place) []register {
	list := slices.Clone(h.many)
	for o, def := range h.once {
		if r.comesBefore(def, at) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, order)
	return list
}

// order puts the highest registers first: an engine then checks the first access alone.
func order(a, b register) int {
	if a.pointer != b.pointer {
		if a.pointer {
			return 1
		}
		return -1
	}
	return cmp.Compare(b.number, a.number)
}

// exits are those of a region; each place has its own, by the op at which the machine goes on.
type exits struct {
	list []exit
	of   map[place]int
}

// most is how many registers all exits together may write back.
const most = 20_000

func (r *region) findExits(h *homes, skip int32) *exits {
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
	x.list = append(x.list, exit{pc: skip}) // without having begun
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

// size is how many registers the exits write back.
func (x *exits) size() int {
	n := 0
	for _, e := range x.list {
		n += len(e.saved)
	}
	return n
}
