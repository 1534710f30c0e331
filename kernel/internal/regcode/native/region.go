package native

import (
	"errors"
	"fmt"
	"slices"

	rc "overcomplete/kernel/internal/regcode"
)

// A block is a sequence of ops that is entered only at the first op and left only after the last op.
type block struct {
	from, to int32 // range of ops; to is exclusive
	// next holds the ops at which execution continues after the block. For a branch, the first op follows if
	// the condition is true, the second op if it is false.
	next []int32
	// stops is set if the op after the block's last op cannot be emitted. Then the block ends there, and the
	// machine continues.
	stops bool
}

// A region is the part of a code that becomes a function of a module: the blocks of a loop, all of which are entered
// through the loop's op; a single call; or the whole code of a function.
type region struct {
	code   *rc.Code
	in     *inlining // nil if no calls are inlined
	blocks []*block  // blocks in reverse postorder; the loop's own block is first
	at     map[int32]int
	flow
}

// A can is a function that reports whether an op can be emitted. The argument at is the op's index.
type can func(at int32) bool

// findRegion finds the region of the loop whose first op is head.
func findRegion(c *rc.Code, head int32, emits can) (*region, error) {
	outside := reached(c, head)
	all := blocksFrom(c, head, emits)
	back := map[int32][]int32{} // predecessors of ops
	for at, b := range all {
		for _, n := range b.next {
			back[n] = append(back[n], at)
		}
	}
	within := map[int32]bool{}
	var visit func(at int32)
	visit = func(at int32) {
		if !within[at] && !outside[at] {
			within[at] = true
			for _, p := range back[at] {
				visit(p)
			}
		}
	}
	for _, p := range back[head] {
		visit(p)
	}
	if !within[head] {
		return nil, fmt.Errorf("native: each turn of the loop at %d does what a module cannot", head)
	}
	return newRegion(c, all, within, head)
}

func newRegion(c *rc.Code, all map[int32]*block, within map[int32]bool, head int32) (*region, error) {
	r := &region{code: c, at: map[int32]int{}}
	for _, at := range postorder(all, within, head) {
		r.at[at] = len(r.blocks)
		r.blocks = append(r.blocks, all[at])
	}
	return r, r.analyse()
}

// findWhole finds the region that consists of the whole code.
func findWhole(c *rc.Code, emits can) (*region, error) {
	all := blocksFrom(c, 0, emits)
	within := map[int32]bool{}
	for at := range all {
		within[at] = true
	}
	return newRegion(c, all, within, 0)
}

// reached finds the ops that can be reached from the beginning of the code without passing the given op. If such an op
// leads back to the given one, it does so through an outer loop.
func reached(c *rc.Code, head int32) map[int32]bool {
	seen := map[int32]bool{head: true}
	for work := []int32{0}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for !seen[at] {
			seen[at] = true
			next := successorOps(c, at)
			if next == nil {
				at++
				continue
			}
			work = append(work, next...)
			break
		}
	}
	delete(seen, head)
	return seen
}

// blocksFrom finds the blocks reachable from an op.
func blocksFrom(c *rc.Code, head int32, emits can) map[int32]*block {
	starts := map[int32]bool{head: true}
	for work := []int32{head}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for i := at; emits(i); i++ {
			next := successorOps(c, i)
			if next == nil {
				continue
			}
			for _, n := range next {
				if !starts[n] {
					starts[n] = true
					work = append(work, n)
				}
			}
			break
		}
	}
	blocks := map[int32]*block{}
	for at := range starts {
		b := &block{from: at}
		i := at
		for ; ; i++ {
			if i > at && starts[i] {
				b.next = []int32{i}
				break
			}
			if !emits(i) {
				b.stops = true
				break
			}
			if next := successorOps(c, i); next != nil {
				b.next = next
				i++
				break
			}
		}
		b.to = i
		blocks[at] = b
	}
	return blocks
}

// successorOps returns the successors of an op, or nil if the only successor is the next op.
func successorOps(c *rc.Code, at int32) []int32 {
	op := &c.Ops[at]
	switch {
	case op.Code == rc.OpJump:
		return []int32{op.To}
	case branches(op.Code):
		return []int32{op.To, op.Or}
	case op.Code == rc.OpReturn:
		return []int32{}
	}
	return nil
}

// postorder returns the first ops of blocks in reverse postorder, beginning at head. The parameter called within is the
// set of ops that it may return.
func postorder(all map[int32]*block, within map[int32]bool, head int32) []int32 {
	var order []int32
	seen := map[int32]bool{}
	var visit func(at int32)
	visit = func(at int32) {
		if seen[at] || !within[at] {
			return
		}
		seen[at] = true
		for _, n := range slices.Backward(all[at].next) {
			visit(n)
		}
		order = append(order, at)
	}
	visit(head)
	slices.Reverse(order)
	return order
}

// flow holds the control flow between a region's blocks, which are numbered in reverse postorder.
type flow struct {
	before [][]int // predecessors of each block
	idom   []int   // immediate dominator of each block
	under  [][]int // blocks that each block immediately dominates
	// loops holds, for each block that begins a loop, the number of ops of the loop, and 0 for other blocks.
	loops []int
}

var errIrreducible = errors.New("native: a loop with two ways into it")

func (r *region) analyse() error {
	n := len(r.blocks)
	r.before = make([][]int, n)
	for i := range r.blocks {
		for _, to := range r.successors(i) {
			r.before[to] = append(r.before[to], i)
		}
	}
	r.dominators()
	r.under = make([][]int, n)
	for i := 1; i < n; i++ {
		r.under[r.idom[i]] = append(r.under[r.idom[i]], i)
	}
	r.loops = make([]int, n)
	for i, before := range r.before {
		for _, p := range before {
			if p < i {
				continue
			}
			if !r.dominates(i, p) {
				return errIrreducible
			}
			r.loops[i] = max(r.loops[i], r.turn(i))
		}
	}
	return nil
}

// successors returns those successors of a block that are in the region.
func (r *region) successors(i int) []int {
	var list []int
	for _, at := range r.blocks[i].next {
		if to, ok := r.at[at]; ok {
			list = append(list, to)
		}
	}
	return list
}

// dominators computes idom by the algorithm of Cooper, Harvey and Kennedy.
func (r *region) dominators() {
	r.idom = make([]int, len(r.blocks))
	for i := range r.idom {
		r.idom[i] = -1
	}
	r.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(r.blocks); i++ {
			dom := -1
			for _, p := range r.before[i] {
				if r.idom[p] < 0 {
					continue
				}
				if dom < 0 {
					dom = p
					continue
				}
				for q := p; q != dom; {
					if q > dom {
						q = r.idom[q]
					} else {
						dom = r.idom[dom]
					}
				}
			}
			if r.idom[i] != dom {
				r.idom[i], changed = dom, true
			}
		}
	}
}

// dominates reports whether every path to block b passes through block a.
func (r *region) dominates(a, b int) bool {
	for b > a {
		b = r.idom[b]
	}
	return a == b
}

// turn returns the number of ops of the loop that begins at the given block.
func (r *region) turn(head int) int {
	n := 0
	for i := range r.loopBlocks(head) {
		n += int(r.blocks[i].to - r.blocks[i].from)
	}
	return n
}
