package ica

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/vector"
)

// Matching pairs the columns of an estimate with those of the truth. A basis
// can be known only up to order, sign and scale of its columns.
type Matching struct {
	Perm   []int     // column Perm[i] of the estimate belongs to column i of the truth
	Signs  []float64 // +1, or −1 if the estimate points the other way
	Angles []float64 // angle in degrees between the two lines, 0 to 90
	Worst  float64   // largest of Angles
	Mean   float64   // mean of Angles
}

// Match pairs columns so that the sum of absolute cosines is largest. The
// estimate must have at least as many columns as the truth; the rest stay
// unmatched. A zero column has cosine 0 with everything.
func Match(truth, estimate *mat.Dense) *Matching {
	m, n := dims("Match", "truth", truth)
	me, ne := dims("Match", "estimate", estimate)
	if m != me || ne < n {
		panic(fmt.Sprintf("ica: Match: truth is %d×%d and estimate %d×%d", m, n, me, ne))
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
				cost[i][j] = 0 // a diverged column matches nothing
			}
		}
	}
	out := &Matching{Perm: Assign(cost), Signs: make([]float64, n), Angles: make([]float64, n)}
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

// Align returns the estimate's columns in the truth's order and with its
// signs (m×n).
func (mt *Matching) Align(estimate *mat.Dense) *mat.Dense {
	m, _ := dims("Align", "estimate", estimate)
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
func (mt *Matching) SNR(s, shat *mat.Dense) []float64 {
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

// Assign returns for every row the column it is given so that the total cost
// is least and no column is used twice. Every row has the same length, at
// least the number of rows; costs must be finite.
//
// It is the Hungarian algorithm with potentials u, v (u_i + v_j <= cost_ij,
// equal on the assignment) and one shortest augmenting path a row: O(n²m).
func Assign(cost [][]float64) []int {
	n := len(cost)
	if n == 0 {
		return nil
	}
	m := len(cost[0])
	for i, r := range cost {
		if len(r) != m || m < n {
			panic(fmt.Sprintf("ica: Assign: row %d of %d has %d columns, the first has %d", i, n, len(r), m))
		}
		if j := finite.Index(r); j >= 0 {
			panic(fmt.Sprintf("ica: Assign: cost[%d][%d] is %v", i, j, r[j]))
		}
	}
	// Rows and columns from 1; column 0 stands for 'no column yet'.
	u, v := make([]float64, n+1), make([]float64, m+1)
	row, way := make([]int, m+1), make([]int, m+1)
	for i := 1; i <= n; i++ {
		row[0] = i
		j0 := 0
		dist := make([]float64, m+1)
		used := make([]bool, m+1)
		for j := range dist {
			dist[j] = math.Inf(1)
		}
		for row[j0] != 0 {
			used[j0] = true
			i0, j1, delta := row[j0], 0, math.Inf(1)
			for j := 1; j <= m; j++ {
				if used[j] {
					continue
				}
				if c := cost[i0-1][j-1] - u[i0] - v[j]; c < dist[j] {
					dist[j], way[j] = c, j0
				}
				if dist[j] < delta {
					delta, j1 = dist[j], j
				}
			}
			for j := 0; j <= m; j++ {
				if used[j] {
					u[row[j]] += delta
					v[j] -= delta
				} else {
					dist[j] -= delta
				}
			}
			j0 = j1
		}
		for j0 != 0 {
			row[j0] = row[way[j0]]
			j0 = way[j0]
		}
	}
	out := make([]int, n)
	for j := 1; j <= m; j++ {
		if row[j] > 0 {
			out[row[j]-1] = j - 1
		}
	}
	return out
}
