package ica

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/pursuit"
)

// A wheel holds samples in the plane, sorted by direction, and their running sums. The sum over a sector (a cone
// between two columns of A) is then the difference of two running sums, so a learning step needs a binary search for
// each column instead of a loop over the samples. A sample and its mirror image through the origin are equivalent, so
// all samples are mirrored to the upper half plane.
type wheel struct {
	turn   []float64    // the direction of each sample, ascending
	before [][2]float64 // before[k] is the sum of the first k samples
}

// newWheel returns a wheel of the samples xs, two numbers per sample. Zero samples have no direction and are
// dropped.
func newWheel(xs []float64) *wheel {
	type sample struct{ turn, x0, x1 float64 }
	list := make([]sample, 0, len(xs)/2)
	for k := 0; k+1 < len(xs); k += 2 {
		x0, x1 := xs[k], xs[k+1]
		if x0 == 0 && x1 == 0 {
			continue
		}
		t, upper := turn(x0, x1)
		if !upper {
			x0, x1 = -x0, -x1
		}
		list = append(list, sample{t, x0, x1})
	}
	slices.SortStableFunc(list, func(a, b sample) int { return cmp.Compare(a.turn, b.turn) })
	w := &wheel{turn: make([]float64, len(list)), before: make([][2]float64, len(list)+1)}
	for k, s := range list {
		w.turn[k] = s.turn
		w.before[k+1] = [2]float64{w.before[k][0] + s.x0, w.before[k][1] + s.x1}
	}
	return w
}

// turn returns a number in [0, 2) that grows with the angle of (x0, x1), after mirroring to the upper
// half plane if necessary. The number is 1 − x0/(|x0| + |x1|), which replaces 1 − cos without trigonometry.
// upper reports whether (x0, x1) itself lies in the upper half plane.
func turn(x0, x1 float64) (t float64, upper bool) {
	upper = x1 > 0 || x1 == 0 && x0 > 0
	if !upper {
		x0, x1 = -x0, -x1
	}
	if x0 < 0 {
		return 1 - x0/(x1-x0), upper
	}
	return x1 / (x0 + x1), upper
}

// A pile holds the sum and the number of the samples in a sector. Samples in the sector's mirror image through the
// origin are mirrored and count too.
type pile struct{ x0, x1, count float64 }

// piles returns, for each of the listed sectors of A (2×n), the pile of the samples in it. Sectors do not overlap, and
// together with their mirror images they fill the plane, so each sample is in one pile.
func (w *wheel) piles(a *mat.Dense, list []pursuit.Sector) []pile {
	_, n := a.Dims()
	type column struct {
		at    int // number of samples before the edge
		upper bool
	}
	columns := make([]column, n)
	for j := range columns {
		t, upper := turn(a.At(0, j), a.At(1, j))
		at, _ := slices.BinarySearch(w.turn, t)
		columns[j] = column{at, upper}
	}
	out := make([]pile, len(list))
	for k := range list {
		s := &list[k]
		// The sector extends from u = a_I counterclockwise to v = ±a_J.
		u, v := columns[s.I], columns[s.J]
		u0, u1 := a.At(0, s.I), a.At(1, s.I)
		v0, v1 := s.SignJ*a.At(0, s.J), s.SignJ*a.At(1, s.J)
		if s.SignJ < 0 {
			v.upper = !v.upper
		}
		if u0*v1-u1*v0 < 0 {
			u, v = v, u
		}
		sign := 1.0
		if !u.upper {
			sign = -1
		}
		p := &out[k]
		add := func(from, to int, sign float64) {
			p.x0 += sign * (w.before[to][0] - w.before[from][0])
			p.x1 += sign * (w.before[to][1] - w.before[from][1])
			p.count += float64(to - from)
		}
		if u.upper == v.upper {
			add(u.at, v.at, sign)
		} else { // the sector extends past the half plane, where samples are mirrored
			add(u.at, len(w.turn), sign)
			add(0, v.at, -sign)
		}
	}
	return out
}
