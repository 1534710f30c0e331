package native

import (
	"slices"

	rc "overcomplete/kernel/internal/regcode"
)

// A fact is that a pointer has been found good (b is less than 0), or that an index in n[b] has been
// found below a length in n[c].
type fact struct {
	p, b, c int
}

func good(p uint16) fact     { return fact{int(p), -1, -1} }
func below(b, c uint16) fact { return fact{-1, int(b), int(c)} }
func (f fact) of(o register) bool {
	if o.pointer {
		return f.p == int(o.number)
	}
	return f.b == int(o.number) || f.c == int(o.number)
}

// facts are those that hold where an op begins.
type facts map[fact]bool

// findFacts finds what is known at the begin of each block, given what is known when the region is
// entered.
func (r *region) findFacts(entered facts) []facts {
	in := make([]facts, len(r.blocks)) // nil: not known to be reached
	in[0] = clone(entered)
	for changed := true; changed; {
		changed = false
		for i, b := range r.blocks {
			if in[i] == nil {
				continue
			}
			out := clone(in[i])
			for at := b.from; at < b.to; at++ {
				out.pass(r.code, &r.code.Ops[at])
			}
			for _, to := range r.within(i) {
				if in[to] == nil {
					in[to], changed = clone(out), true
				} else if in[to].meet(out) {
					changed = true
				}
			}
		}
	}
	return in
}

func clone(f facts) facts {
	g := make(facts, len(f))
	for k := range f {
		g[k] = true
	}
	return g
}

// meet keeps the facts that hold on the other way, too, and reports whether some did not.
func (f facts) meet(other facts) (changed bool) {
	for k := range f {
		if !other[k] {
			delete(f, k)
			changed = true
		}
	}
	return changed
}

// pass changes the facts as an op does that does not fail.
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
			if k.of(w.register) && !slices.Contains(gained, k) {
				delete(f, k)
			}
		}
	}
	for _, k := range gained {
		f[k] = true
	}
}
