package nmfgrad

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
)

// blocks holds the Cholesky factors of G_SS for the rows of a factor U or W, where G is k×k and S is the support of
// the row. Rows with the same support share a Cholesky factor. The methods work on vectors of the free entries of all
// rows, one row after the other.
type blocks struct {
	from    []int // row i has the elements from[i] to from[i+1] − 1
	factor  []*triangle
	trouble []int // rows with a G_SS that is not positive definite up to rounding
}

// A triangle is the Cholesky factor L (m×m) of a G_SS = LL'.
type triangle struct {
	m int
	l []float64
}

// newBlocks computes the Cholesky factors of G_SS. free holds an array with k columns, row by row; the support S of a
// row is the set of columns in which this array is true. If diagonal is set, a G_SS that has no Cholesky factor is
// replaced by its diagonal.
func newBlocks(G *mat.Dense, free []bool, diagonal bool) *blocks {
	k, _ := G.Dims()
	rows := len(free) / k
	b := &blocks{from: make([]int, rows+1), factor: make([]*triangle, rows)}
	known := map[string]int{}
	var support [][]int
	which, key := make([]int, rows), make([]byte, k)
	for i := range rows {
		var s []int
		for j, f := range free[i*k : (i+1)*k] {
			key[j] = 0
			if f {
				key[j] = 1
				s = append(s, j)
			}
		}
		b.from[i+1] = b.from[i] + len(s)
		p, ok := known[string(key)]
		if !ok {
			p = len(support)
			known[string(key)] = p
			support = append(support, s)
		}
		which[i] = p
	}
	tri, bad := make([]*triangle, len(support)), make([]bool, len(support))
	parallel.Do(len(support), 0, func(p int) {
		t, ok := factor(G, support[p])
		if !ok {
			bad[p] = true
			if diagonal {
				for a, j := range support[p] {
					for c := range a {
						t.l[a*t.m+c] = 0
					}
					t.l[a*t.m+a] = math.Sqrt(G.At(j, j))
				}
			}
		}
		tri[p] = t
	})
	for i, p := range which {
		b.factor[i] = tri[p]
		if bad[p] {
			b.trouble = append(b.trouble, i)
		}
	}
	return b
}

// factor returns the Cholesky factor of G_SS for the support s. It returns false if a pivot is at most 1e-12 of its
// diagonal element: G_SS is then singular, up to rounding.
func factor(G *mat.Dense, s []int) (*triangle, bool) {
	m := len(s)
	t := &triangle{m, make([]float64, m*m)}
	for i, gi := range s {
		for j, gj := range s[:i+1] {
			x := G.At(gi, gj)
			for c := range j {
				x -= t.l[i*m+c] * t.l[j*m+c]
			}
			if i != j {
				t.l[i*m+j] = x / t.l[j*m+j]
				continue
			}
			if !(x > 1e-12*G.At(gi, gi)) {
				return t, false
			}
			t.l[i*m+i] = math.Sqrt(x)
		}
	}
	return t, true
}

// solveLower replaces x by L⁻¹x, where L is the block-diagonal matrix of the factors.
func (b *blocks) solveLower(x []float64) {
	for r, t := range b.factor {
		y := x[b.from[r]:b.from[r+1]]
		for i := range y {
			row := t.l[i*t.m:]
			v := y[i]
			for j := range i {
				v -= row[j] * y[j]
			}
			y[i] = v / row[i]
		}
	}
}

// solveUpper replaces x by L'⁻¹x, where L is the block-diagonal matrix of the factors.
func (b *blocks) solveUpper(x []float64) {
	for r, t := range b.factor {
		y := x[b.from[r]:b.from[r+1]]
		for i := t.m - 1; i >= 0; i-- {
			y[i] /= t.l[i*t.m+i]
			for j := range i {
				y[j] -= t.l[i*t.m+j] * y[i]
			}
		}
	}
}
