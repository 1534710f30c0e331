package native

import "errors"

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
