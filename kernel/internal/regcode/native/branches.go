package native

import "overcomplete/internal/wasm"

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
