package s3c2011

import (
	"fmt"
	"math"

	"overcomplete/paper/record"
)

// arithmetic adds rows on the statements about Q and Algorithm 1 that can be decided by computing a few numbers.
func (s *sharedLab) arithmetic() {
	// Given the other factors, the logarithm of the best factor for unit i is E[log P(v, h, s)] plus a constant. As a
	// function of s_i for given h_i, this must be the logarithm of the normal density of (3): the same second
	// difference everywhere, and the maximum at h_i ŝ_i. Of the other units' contribution, only the mean
	// matters, because E is linear in it.
	const alpha, beta, mu, h = 1.7, 2.3, 0.6, 1e-3
	W := [2]float64{0.8, 0.6}           // norm 1
	unexplained := [2]float64{0.9, 1.4} // v minus the mean of the other units' contribution
	logP := func(on, s float64) float64 {
		f := -alpha / 2 * (s - on*mu) * (s - on*mu)
		for d, w := range W {
			r := unexplained[d] - w*on*s
			f -= beta / 2 * r * r
		}
		return f
	}
	off := 0.0
	for _, on := range []float64{0, 1} {
		gamma := alpha + on*beta // (3): α_i + h_i W_i'βW_i
		mean := on * (mu*alpha + beta*(W[0]*unexplained[0]+W[1]*unexplained[1])) / gamma
		for x := -3.0; x <= 3; x += 0.5 {
			curvature := (logP(on, x+h) - 2*logP(on, x) + logP(on, x-h)) / (h * h)
			slope := (logP(on, x+h) - logP(on, x-h)) / (2 * h)
			off = max(off, math.Abs(curvature+gamma)/gamma, math.Abs(slope+gamma*(x-mean)))
		}
	}
	s.Row(record.Row{
		ID: "form-three", What: "optimal factor of Q compared with the normal density of (3): largest deviation in slope or (relative) curvature of the log density",
		Published: record.Text("Q(h, s) = ∏_i Q(h_i, s_i), which implies a solution of the form [(3)]", variational),
		Measured:  record.Number(off, ""), Rule: record.AtMost(1e-6), Repeat: 1e-6, Data: record.Example("one unit in the plane, on and off"),
	})

	W1, B := [2]int{108, 1}, [2]int{108, 108} // the shapes of W_i and β for patches of 6 × 6 pixels in three colors
	s.Row(record.Row{
		ID: "algorithm1-typeset", What: "Algorithm 1 as typeset, with W_iβ[v − Σ_{j≠i} W_j ĥ_j ŝ_j]: the matrices can be multiplied",
		Published: record.Text("W_iβ[·]", "Algorithm 1"),
		Measured:  record.Bool(W1[1] == B[0], fmt.Sprintf("W_i, a column, is %d × %d and β is %d × %d", W1[0], W1[1], B[0], B[1])), Rule: record.Holds(), Data: record.Example("the shapes of patches of 6 × 6 pixels in three colors"),
		Reason: "a transpose is missing: W_i'β[·] is a number, as ŝ_i is",
	})
}
