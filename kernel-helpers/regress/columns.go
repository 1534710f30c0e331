package regress

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/constant"
)

// columns stores the centered matrix X̃ = X − 1m' column by column, where m holds the means of the columns. A column
// with few nonzeros (word counts, say) stores only its nonzeros. If points have weights, row i of X is first multiplied
// by u_i, the square root of the weight of point i, and X̃ is X − um'.
type columns struct {
	n      int
	u      []float64   // nil means 1
	total  float64     // ‖u‖²
	index  [][]int     // rows of the nonzeros of each column; nil if the column is dense
	value  [][]float64 // the nonzeros of each column; all elements of a dense column
	mean   []float64   // m
	off    []float64   // the means of the columns as they are stored: 0 for columns that are stored centered, otherwise m
	square []float64   // ‖x̃_j‖²
}

// farFrom0 is the ratio of a column's mean to its deviation above which the column is stored centered and dense.
// Without this, sums over the column would lose log₁₀(ratio) digits.
const farFrom0 = 100

// center converts each column that is far from 0 to centered form, that is, each column whose mean is very large
// compared with its deviations. It sets constant columns to 0, because centering would leave only the rounding error of
// their mean.
func (c *columns) center(constant []bool) *columns {
	c.off = append([]float64{}, c.mean...)
	for j, m := range c.mean {
		if constant[j] {
			c.index[j], c.value[j], c.off[j], c.square[j] = []int{}, nil, 0, 0
			continue
		}
		if !(m*m*c.total > farFrom0*farFrom0*c.square[j]) || c.square[j] == 0 {
			continue
		}
		full := c.value[j]
		if c.index[j] != nil {
			full = make([]float64, c.n)
			for k, i := range c.index[j] {
				full[i] = c.value[j][k]
			}
		}
		c.index[j], c.value[j], c.off[j] = nil, make([]float64, c.n), 0
		for i, x := range full {
			if c.u != nil {
				c.value[j][i] = x - m*c.u[i]
			} else {
				c.value[j][i] = x - m
			}
		}
	}
	return c
}

// sparseShare is the share of nonzeros above which a column is kept dense.
const sparseShare = 0.2

// newColumns returns the columns of A. mean holds the means of A's columns, and u holds the square roots of the points'
// weights.
func newColumns(A mat.Matrix, mean, u []float64) *columns {
	if S, ok := A.(*csr.Matrix); ok {
		return sparseColumns(S, mean, u)
	}
	X := timesRows(A, u).(*mat.Dense)
	n, d := X.Dims()
	c := emptyColumns(n, d, mean, u)
	nonzeros := make([]int, d)
	weighted := make([]float64, d)
	for i := range n {
		m := mean
		if u != nil {
			m = floats.ScaleTo(weighted, u[i], mean)
		}
		m, square, nonzeros := m[:d], c.square[:d], nonzeros[:d]
		for j, x := range X.RawRowView(i)[:d] {
			square[j] += (x - m[j]) * (x - m[j])
			if x != 0 {
				nonzeros[j]++
			}
		}
	}
	dense := 0
	for j, m := range nonzeros {
		if float64(m) <= sparseShare*float64(n) {
			c.index[j], c.value[j] = make([]int, 0, m), make([]float64, 0, m)
		} else {
			dense++
		}
	}
	all := make([]float64, dense*n)
	for j := range d {
		if c.index[j] == nil {
			c.value[j], all = all[:n:n], all[n:]
		}
	}
	// Columns are far apart in memory, so eight rows are copied at a time: they fill one cache line of each dense
	// column.
	var rows [8][]float64
	for i := 0; i < n; i += len(rows) {
		some := rows[:min(n-i, len(rows))]
		for r := range some {
			some[r] = X.RawRowView(i + r)
		}
		for j := range d {
			switch {
			case c.index[j] != nil:
				for r, row := range some {
					if x := row[j]; x != 0 {
						c.index[j], c.value[j] = append(c.index[j], i+r), append(c.value[j], x)
					}
				}
			case len(some) == len(rows):
				v := (*[len(rows)]float64)(c.value[j][i:])
				v[0], v[1], v[2], v[3] = rows[0][j], rows[1][j], rows[2][j], rows[3][j]
				v[4], v[5], v[6], v[7] = rows[4][j], rows[5][j], rows[6][j], rows[7][j]
			default:
				for r, row := range some {
					c.value[j][i+r] = row[j]
				}
			}
		}
	}
	return c.center(constant.Columns(A))
}

func emptyColumns(n, d int, mean, u []float64) *columns {
	c := &columns{n: n, u: u, total: float64(n), index: make([][]int, d), value: make([][]float64, d), mean: mean, square: make([]float64, d)}
	if u != nil {
		c.total = floats.Dot(u, u)
	}
	return c
}

// sparseColumns does what newColumns does, for a sparse S. Unless points have weights, the result shares its values
// with the transpose that S caches.
func sparseColumns(S *csr.Matrix, mean, u []float64) *columns {
	n, d := S.Dims()
	c := emptyColumns(n, d, mean, u)
	T := timesRows(S, u).(*csr.Matrix).Transpose()
	for j := range d {
		rows, val := T.View(j)
		c.value[j], c.index[j] = val, make([]int, len(rows))
		zeros := c.total
		for p, i := range rows {
			c.index[j][p] = int(i)
			if u == nil {
				zeros--
				c.square[j] += (val[p] - mean[j]) * (val[p] - mean[j])
			} else {
				zeros -= u[i] * u[i]
				c.square[j] += (val[p] - u[i]*mean[j]) * (val[p] - u[i]*mean[j])
			}
		}
		if len(rows) < n {
			c.square[j] += math.Max(0, zeros) * mean[j] * mean[j]
		}
	}
	return c.center(constant.Columns(S))
}

// varies reports whether column j has two different values.
func (c *columns) varies(j int) bool {
	v := c.value[j]
	if len(v) < c.n && len(v) > 0 {
		return true // 0 and a nonzero
	}
	for _, x := range v {
		if x != v[0] {
			return true
		}
	}
	return false
}

// A residual is r = base + shift·u. In this form, adding a multiple of a centered column takes time proportional to
// the number of values that are stored for the column.
type residual struct {
	base  []float64
	shift float64
}

// sum returns u'x_j, where x_j is column j as it is stored.
func (c *columns) sum(j int) float64 { return c.off[j] * c.total }

// dot returns x̃_j'r. r must satisfy u'r = 0: then x̃_j'r = x_j'r, where x_j is column j as it is stored.
func (c *columns) dot(j int, r *residual) float64 {
	s := r.shift * c.sum(j)
	if c.index[j] == nil {
		return s + floats.Dot(c.value[j], r.base)
	}
	for k, i := range c.index[j] {
		s += c.value[j][k] * r.base[i]
	}
	return s
}

// add computes r += t x̃_j.
func (c *columns) add(j int, t float64, r *residual) {
	r.shift -= t * c.off[j]
	if c.index[j] == nil {
		floats.AddScaled(r.base, t, c.value[j])
		return
	}
	for k, i := range c.index[j] {
		r.base[i] += t * c.value[j][k]
	}
}

// settle adds shift·u to base and sets shift to 0. It then restores u'r = 0, which removes accumulated rounding errors.
func (c *columns) settle(r *residual) {
	if c.u != nil {
		floats.AddScaled(r.base, r.shift, c.u)
		floats.AddScaled(r.base, -floats.Dot(c.u, r.base)/c.total, c.u)
		r.shift = 0
		return
	}
	mean := 0.0
	for i := range r.base {
		r.base[i] += r.shift
		mean += r.base[i] / float64(len(r.base))
	}
	floats.AddConst(-mean, r.base)
	r.shift = 0
}
