package native

import (
	"maps"
	"slices"

	rc "overcomplete/kernel/internal/regcode"
)

// A fact says that a pointer is known to be valid (if b is negative), or that the index n[b] is known to be
// below the length n[c].
type fact struct {
	p, b, c int
}

func good(p uint16) fact     { return fact{int(p), -1, -1} }
func below(b, c uint16) fact { return fact{-1, int(b), int(c)} }
func (f fact) isAbout(o register) bool {
	if o.pointer {
		return f.p == int(o.number)
	}
	return f.b == int(o.number) || f.c == int(o.number)
}

// facts is the set of facts that hold where an op begins.
type facts map[fact]bool

// findFacts returns the facts known at the beginning of each block. entered holds the facts known on entry to the
// region. hoists says what is executed before each loop, keyed by the loop's first block. The facts that are checked
// before a loop hold in the loop's other blocks. hoisted is the set of ops that findFacts skips, because they are
// executed before the loops and not in their own blocks.
func (r *region) findFacts(entered facts, hoists map[int]*hoist, hoisted map[int32]bool) []facts {
	in := make([]facts, len(r.blocks)) // nil for blocks not reached yet
	in[0] = maps.Clone(entered)
	for changed := true; changed; {
		changed = false
		for i, b := range r.blocks {
			if in[i] == nil {
				continue
			}
			out := maps.Clone(in[i])
			for at := b.from; at < b.to; at++ {
				if !hoisted[at] {
					out.pass(r.code, &r.code.Ops[at])
				}
			}
			for _, to := range r.successors(i) {
				out := maps.Clone(out)
				if h := hoists[i]; h != nil && h.in[to] {
					maps.Copy(out, h.known)
				}
				if in[to] == nil {
					in[to], changed = out, true
				} else if in[to].meet(out) {
					changed = true
				}
			}
		}
	}
	return in
}

// meet keeps only those facts in f that also hold on another path. other holds the facts on that path. meet
// reports whether it has removed any facts.
func (f facts) meet(other facts) (changed bool) {
	for k := range f {
		if !other[k] {
			delete(f, k)
			changed = true
		}
	}
	return changed
}

// pass updates the facts for an op that succeeds.
func (f facts) pass(c *rc.Code, op *rc.Op) {
	if follows(op.Code) {
		f[good(op.A)] = true
	}
	if indexes(op.Code) {
		f[below(op.B, op.C)] = true
	}
	written := writes(c, op)
	var gained []fact
	switch op.Code {
	case rc.OpMoveP:
		if f[good(op.A)] {
			gained = append(gained, good(op.D))
		}
	case rc.OpField, rc.OpElem, rc.OpElemOf:
		gained = append(gained, good(op.D))
	case rc.OpMove:
		for k := range f {
			if k.b == int(op.A) && k.c != int(op.D) {
				gained = append(gained, below(op.D, uint16(k.c)))
			}
		}
	}
	for _, w := range written {
		for k := range f {
			if k.isAbout(w.register) && !slices.Contains(gained, k) {
				delete(f, k)
			}
		}
	}
	for _, k := range gained {
		f[k] = true
	}
}
