package neongen

import (
	"cmp"
	"fmt"
	"slices"
)

// An X is a virtual general register of a function, and a V is a virtual vector register.
type (
	X int
	V int
)

// X returns a new general register.
func (f *Func) X() X { f.xs++; return X(f.xs) }

// V returns a new vector register.
func (f *Func) V() V { f.vs++; return V(f.vs) }

// A use is a register in an instruction. before is set if the instruction reads the register's earlier value, and after
// is set if it writes a new value.
type use struct {
	vector        bool
	id            int
	before, after bool
}

func readX(x X) use  { return use{false, int(x), true, false} }
func writeX(x X) use { return use{false, int(x), false, true} }
func readV(v V) use  { return use{true, int(v), true, false} }
func writeV(v V) use { return use{true, int(v), false, true} }

// changeV returns the use of a vector register that an instruction both reads and writes.
func changeV(v V) use { return use{true, int(v), true, true} }

// These registers may be allocated. The package comment says why others may not.
var (
	generals = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26}
	vectors  = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}
)

// A span is the live range of a register, from first to last. Instruction i reads at 2i and writes at 2i+1. So a result
// can use the same register as an operand that is no longer needed.
type span struct{ id, first, last int }

// An allocation maps the virtual registers of a function, general (x) and vector (v), to physical registers.
type allocation struct{ x, v map[int]int }

func (c allocation) general(x X) uint32 { return uint32(c.x[int(x)]) }
func (c allocation) vector(v V) uint32  { return uint32(c.v[int(v)]) }

// choose allocates physical registers of both kinds.
func (f *Func) choose() (allocation, error) {
	x, err := f.assign(false, generals)
	if err != nil {
		return allocation{}, err
	}
	v, err := f.assign(true, vectors)
	return allocation{x, v}, err
}

// assign allocates physical registers of one kind, by a linear scan over the spans of the virtual registers.
func (f *Func) assign(vector bool, free []int) (map[int]int, error) {
	spans, err := f.spans(vector)
	if err != nil {
		return nil, err
	}
	free = slices.Clone(free)
	number := map[int]int{}
	var live []span
	for _, s := range spans {
		live = slices.DeleteFunc(live, func(old span) bool {
			if old.last >= s.first {
				return false
			}
			free = append(free, number[old.id])
			return true
		})
		if len(free) == 0 {
			return nil, fmt.Errorf("%s: more registers than there are (vectors: %t), at instruction %d", f.name, vector, s.first/2)
		}
		at := slices.Index(free, slices.Min(free))
		if in := f.code[s.first/2]; vector && in.copies && in.uses[1].id == s.id {
			// For a copy, prefer the register of the source if the source's span ends here.
			if same := slices.Index(free, number[in.uses[0].id]); same >= 0 {
				at = same
			}
		}
		number[s.id] = free[at]
		free = slices.Delete(free, at, at+1)
		live = append(live, s)
	}
	return number, nil
}

// isSuperfluous reports whether an instruction copies a register to itself.
func (in instruction) isSuperfluous(c allocation) bool {
	return in.copies && c.v[in.uses[0].id] == c.v[in.uses[1].id]
}

// spans returns the spans of the registers of one kind, in the order of their first write.
func (f *Func) spans(vector bool) ([]span, error) {
	at := map[int]*span{}
	for i, in := range f.code {
		for _, u := range in.uses {
			if u.vector != vector {
				continue
			}
			first, last := 2*i, 2*i
			if !u.before {
				first++
			}
			if u.after {
				last++
			}
			s := at[u.id]
			switch {
			case u.id == 0:
				return nil, fmt.Errorf("%s: instruction %d: a register that nobody made", f.name, i)
			case s == nil && u.before:
				return nil, fmt.Errorf("%s: instruction %d reads a register that nothing was written to", f.name, i)
			case s == nil:
				at[u.id] = &span{u.id, first, last}
			default:
				s.last = max(s.last, last)
			}
		}
	}
	// If a register is used in a loop and also before or after it, the register must stay live for the whole loop.
	for changed := true; changed; {
		changed = false
		for _, l := range f.loops() {
			for _, s := range at {
				if s.last < l.first || s.first > l.last || (s.first >= l.first && s.last <= l.last) {
					continue
				}
				if first, last := min(s.first, l.first), max(s.last, l.last); first != s.first || last != s.last {
					s.first, s.last, changed = first, last, true
				}
			}
		}
	}
	var all []span
	for _, s := range at {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(a.first-b.first, a.id-b.id) })
	return all, nil
}

// loops returns, for each branch back to a label, the range from the label to the branch.
func (f *Func) loops() (all []span) {
	label := map[string]int{}
	for i, in := range f.code {
		if in.label != "" {
			label[in.label] = i
		}
		if to, ok := label[in.target]; ok && in.target != "" {
			all = append(all, span{0, 2 * to, 2*i + 1})
		}
	}
	return all
}
