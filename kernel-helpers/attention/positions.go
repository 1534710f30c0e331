package attention

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Sinusoid returns the encodings of positions 0 to n−1 (n×d) from Vaswani et al. 2017, section 3.5:
//
//	PE(pos, 2i) = sin(pos / 10000^(2i/d))    PE(pos, 2i+1) = cos(pos / 10000^(2i/d))
//
// Columns 2i and 2i+1 are a pair, which turns with the position like the hand of a clock: a full turn takes 2π
// positions for the first pair and, if d is large, almost 20000π for the last. If d is odd, the last pair lacks its
// cosine.
func Sinusoid(n, d int) *mat.Dense {
	if n <= 0 || d <= 0 {
		panic(fmt.Sprintf("attention: Sinusoid: %d positions, width %d", n, d))
	}
	pe := mat.NewDense(n, d, nil)
	for pos := range n {
		for j := range d {
			sin, cos := math.Sincos(float64(pos) * frequency(j/2, d))
			if j%2 == 0 {
				pe.Set(pos, j, sin)
			} else {
				pe.Set(pos, j, cos)
			}
		}
	}
	return pe
}

// frequency returns ω_i = 10000^(−2i/d), the angle in radians by which pair i of Sinusoid's columns turns per
// position.
func frequency(i, d int) float64 { return math.Pow(10000, -2*float64(i)/float64(d)) }

// Shift returns the matrix M (d×d, d even) that moves the encoding of any position by k positions: r_{pos+k} = r_pos
// M, where the row vector r_pos is the encoding of position pos (see Sinusoid). M turns pair i of the columns by the
// angle k ω_i, where ω_i = 10000^(−2i/d).
func Shift(k, d int) *mat.Dense {
	if d <= 0 || d%2 != 0 {
		panic(fmt.Sprintf("attention: Shift: width %d is not even", d))
	}
	m := mat.NewDense(d, d, nil)
	for i := range d / 2 {
		sin, cos := math.Sincos(float64(k) * frequency(i, d))
		// sin(a+b) = sin a cos b + cos a sin b, cos(a+b) = cos a cos b − sin a sin b
		m.Set(2*i, 2*i, cos)
		m.Set(2*i+1, 2*i, sin)
		m.Set(2*i, 2*i+1, -sin)
		m.Set(2*i+1, 2*i+1, cos)
	}
	return m
}

// WithPositions returns H + Sinusoid(n, d) for a matrix H (n×d). So row t of the result depends on row t of H and on
// the position t.
func WithPositions(H mat.Matrix) *mat.Dense {
	h := dense("WithPositions", "H", H)
	n, d := h.Dims()
	var sum mat.Dense
	sum.Add(h, Sinusoid(n, d))
	return &sum
}
