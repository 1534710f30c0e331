package kmeans

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/vector"
)

// centers holds centers (k×d) and the squares of their norms.
type centers struct {
	*mat.Dense
	norm []float64 // ‖μ‖² (k)
	// rest (k) holds the rounding errors of the squares in the field norm. It is set only for sparse points: their
	// distances are differences of norms, and may be much smaller than the norms.
	rest []float64
	most float64 // the largest ‖μ‖
}

// centers returns the centers M (k×d) with the squares of their norms.
func (p *points) centers(M *mat.Dense) *centers {
	k, _ := M.Dims()
	c := &centers{Dense: M, norm: make([]float64, k)}
	for a := range k {
		c.norm[a] = vector.Dot(M.RawRowView(a), M.RawRowView(a))
		c.most = max(c.most, math.Sqrt(c.norm[a]))
	}
	if p.S == nil {
		return c
	}
	c.rest = make([]float64, k)
	for a := range k {
		r := twoFloat{-c.norm[a], 0}
		for _, m := range M.RawRowView(a) {
			r.addSquare(m)
		}
		c.rest[a] = r.high + r.low
	}
	return c
}

// squaredDistance returns ‖x_i − μ_a‖² for center a.
func (p *points) squaredDistance(i int, c *centers, a int) float64 {
	m := c.RawRowView(a)
	if p.S == nil {
		return squaredDistance(p.X.RawRowView(i), m)
	}
	s, rest := 0.0, c.norm[a] // rest: the squares of m where x is 0
	col, val := p.S.View(i)
	for q, j := range col {
		d := val[q] - m[j]
		s += d * d
		rest -= m[j] * m[j]
	}
	if s+rest < 0x1p-20*c.norm[a] {
		// Most digits of rest have canceled.
		r := twoFloat{-c.norm[a], -c.rest[a]}
		for _, j := range col {
			r.addSquare(m[j])
		}
		rest = -r.high - r.low
	}
	return s + max(0, rest)
}

// squaredDistance returns ‖x − y‖².
func squaredDistance(x, y []float64) float64 {
	s := 0.0
	for j, v := range x {
		d := v - y[j]
		s += d * d
	}
	return s
}

// A twoFloat is a number with about 106 bits, stored as the sum of two float64.
type twoFloat struct{ high, low float64 }

// addSquare adds m². It keeps the rounding errors of the product and of the sum in low (T. J. Dekker, A floating-point
// technique for extending the available precision, Numer. Math. 18, 1971).
func (r *twoFloat) addSquare(m float64) {
	square := float64(m * m)
	sum := r.high + square
	part := sum - r.high
	r.low += (r.high - (sum - part)) + (square - part) + math.FMA(m, m, -square)
	r.high = sum
}
