package dictionary

import (
	"cmp"
	"slices"

	"overcomplete/kernel-helpers/internal/vector"
)

// unused is the fraction of the mean of Σw_j² below which an atom is dead. For L1, a threshold of 0 would do, but
// coefficients under a KL prior are never exactly 0.
const unused = 1e-6

// replaceDead replaces each dead atom, one that the codes have hardly used since the last call, with a badly coded
// signal. It takes the signals of the last step in descending order of their objectives, and skips those that resemble
// one already taken. The argument from is the position of the step's first signal in the pass.
func (l *learner) replaceDead(from int) {
	n := l.bt.Rows
	var mean float64
	for _, v := range l.st.window {
		mean += v / float64(n)
	}
	var dead []int
	for j, v := range l.st.window {
		if mean > 0 && v <= unused*mean {
			dead = append(dead, j)
		}
	}
	clear(l.st.window)
	l.st.since = 0
	if len(dead) == 0 {
		return
	}
	bad := make([]int, len(l.full)) // positions in the step, the worst first
	for k := range bad {
		bad[k] = k
	}
	slices.SortFunc(bad, func(i, k int) int {
		return cmp.Or(cmp.Compare(l.full[k], l.full[i]), cmp.Compare(i, k))
	})
	var taken [][]float64
	for _, k := range bad {
		if len(taken) == len(dead) {
			return
		}
		b := slices.Clone(row(l.x, l.signal(from+k)))
		if l.opt.NonNegative {
			clip(b)
		}
		if !scaleTo1(b) {
			continue
		}
		// Skip similar signals: badly coded signals are often alike.
		if slices.ContainsFunc(taken, func(t []float64) bool { return vector.Dot(t, b) > 0.9 || vector.Dot(t, b) < -0.9 }) {
			continue
		}
		j := dead[len(taken)]
		taken = append(taken, b)
		copy(row(l.bt, j), b)
		l.forget(j)
		l.st.Replaced++
	}
}

// forget sets to 0 what the run has stored about atom j, because it still describes the atom that was replaced. For
// Online, these are the elements of A = Σww' and C = Σxw' that belong to the atom. For LagrangeDual, it is the
// multiplier λ_j.
func (l *learner) forget(j int) {
	if l.st.lambda != nil {
		l.st.lambda[j] = 0
	}
	if l.opt.Method != Online {
		return
	}
	clear(row(l.a, j))
	for i := range l.a.Rows {
		l.a.Data[i*l.a.Stride+j] = 0
	}
	clear(row(l.ct, j))
}
