package ica

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/assignment"
	"overcomplete/kernel-helpers/internal/vector"
)

// A Matching pairs the columns of an estimate with the columns of the truth. A basis is determined only up to
// the order, sign and scale of its columns.
type Matching struct {
	Perm   []int     // column Perm[i] of the estimate belongs to column i of the truth
	Signs  []float64 // +1, or −1 if the estimate points the other way
	Angles []float64 // angle in degrees between the two lines, 0 to 90
	Worst  float64   // largest of Angles
	Mean   float64   // mean of Angles

	columns int // number of columns of the estimate; 0 means not known
}

// Match pairs the columns of the truth with those of the estimate so that the sum of absolute cosines is maximal. The
// estimate must have at least as many columns as the truth; surplus columns stay unmatched. A column that is 0 or
// contains NaN or Inf, as after divergence, has cosine 0 with every column.
func Match(truth, estimate mat.Matrix) *Matching {
	return match(dense("Match", "truth", truth), dense("Match", "estimate", estimate))
}

func match(truth, estimate *mat.Dense) *Matching {
	m, n := dims("Match", "truth", truth)
	me, ne := dims("Match", "estimate", estimate)
	if m != me || ne < n {
		panic(fmt.Sprintf("ica: Match: truth is %d×%d and estimate is %d×%d", m, n, me, ne))
	}
	nt, es := ColumnNorms(truth), ColumnNorms(estimate)
	var g mat.Dense // g = truth' estimate, n×ne
	g.Mul(truth.T(), estimate)
	cost := make([][]float64, n)
	for i := range cost {
		cost[i] = make([]float64, ne)
		for j := range cost[i] {
			if d := nt[i] * es[j]; d > 0 {
				cost[i][j] = -math.Abs(g.At(i, j)) / d
			}
			if math.IsNaN(cost[i][j]) {
				cost[i][j] = 0 // a diverged column gets cosine 0
			}
		}
	}
	out := &Matching{columns: ne, Perm: assignment.Solve(cost), Signs: make([]float64, n), Angles: make([]float64, n)}
	for i, j := range out.Perm {
		out.Signs[i] = 1
		if g.At(i, j) < 0 {
			out.Signs[i] = -1
		}
		out.Angles[i] = angle(mat.Col(nil, i, truth), mat.Col(nil, j, estimate))
		if math.IsNaN(out.Angles[i]) {
			out.Angles[i] = 90
		}
		out.Worst = max(out.Worst, out.Angles[i])
		out.Mean += out.Angles[i] / float64(n)
	}
	return out
}

// Align returns the estimate's columns in the order and with the signs of the truth (m×n). The estimate need not be the
// matrix that was matched: its entries and its number of rows may differ, but it must have the same number of columns.
func (mt *Matching) Align(estimate mat.Matrix) *mat.Dense {
	m, n := anyDims("Align", "estimate", estimate)
	if mt.columns != 0 && n != mt.columns || len(mt.Perm) > 0 && n <= slices.Max(mt.Perm) {
		panic(fmt.Sprintf("ica: Align: estimate is %d×%d, and %d of %d columns were matched", m, n, len(mt.Perm), max(mt.columns, slices.Max(mt.Perm)+1)))
	}
	out := mat.NewDense(m, len(mt.Perm), nil)
	for i, j := range mt.Perm {
		for r := range m {
			out.Set(r, i, mt.Signs[i]*estimate.At(r, j))
		}
	}
	return out
}

// SNR returns, for each true source, the signal-to-noise ratio in dB of its
// matched estimate after the best scaling: 10 log10(‖s‖²/‖s − c ŝ‖²). S and
// Shat are n×p and n'×p. +Inf means exact, and a source that is all 0 gives NaN.
func (mt *Matching) SNR(S, Shat mat.Matrix) []float64 {
	s, shat := dense("SNR", "S", S), dense("SNR", "Shat", Shat)
	n, p := dims("SNR", "S", s)
	_, pe := dims("SNR", "Shat", shat)
	if n != len(mt.Perm) || p != pe {
		panic(fmt.Sprintf("ica: SNR: S is %d×%d for %d matched columns, Shat has %d columns", n, p, len(mt.Perm), pe))
	}
	out := make([]float64, n)
	for i, j := range mt.Perm {
		a, b := mat.Row(nil, i, s), mat.Row(nil, j, shat)
		c := 0.0
		if bb := vector.DotInOrder(b, b); bb > 0 {
			c = vector.DotInOrder(a, b) / bb
		}
		var e float64
		for k := range a {
			d := a[k] - c*b[k]
			e += d * d
		}
		out[i] = 10 * math.Log10(vector.DotInOrder(a, a)/e)
	}
	return out
}
