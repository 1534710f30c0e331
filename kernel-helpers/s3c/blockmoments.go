package s3c

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"overcomplete/kernel-helpers/vmath"
)

// moments returns the moments of the block's Q and the sum of its energies. Sums over the patches of a block,
// at most 32, are in float32; everything else is summed in float64.
func (b *block) moments(m *Model, variance [][2]float64) (*Moments, float64) {
	y := b.y
	out := newMoments(y.d, y.n)
	out.Patches = b.n
	b.residual()
	r := b.r
	if y.turn != nil { // transform back to the space of v
		r = make([]float32, len(b.r))
		blas32.Implementation().Sgemm(blas.NoTrans, blas.NoTrans, y.d, b.width, y.d, 1, y.turn, y.d, b.r, b.width, 0, r, b.width)
	}
	// Σ m r' (N×D)
	mr := make([]float32, y.n*y.d)
	blas32.Implementation().Sgemm(blas.NoTrans, blas.Trans, y.n, y.d, b.n, 1, b.m, b.width, r, b.width, 0, mr, y.d)
	F := 0.0
	for k := range y.d {
		root := float64(y.root[k])
		row := out.RM.RawRowView(k)
		for i := range row {
			row[i] = float64(mr[i*y.d+k]) / root
		}
		for _, r := range r[k*b.width : k*b.width+b.n] {
			out.RR[k] += float64(r) * float64(r)
		}
		F -= 0.5 * out.RR[k]
		F += float64(b.n) * 0.5 * math.Log(m.beta(k)/(2*math.Pi))
		out.RR[k] /= root * root
	}
	log, other, logOther := make([]float32, b.n), make([]float32, b.n), make([]float32, b.n)
	for i := range y.n {
		at := i * b.width
		h, s := b.h[at:at+b.n], b.s[at:at+b.n]
		var sumH, sumHS, sumHSS, cross, entropy float32
		for j, u := range h {
			hs := u * s[j]
			sumH += u
			sumHS += hs
			sumHSS += hs * s[j]
			cross += hs * s[j] * (1 - u)
			other[j] = 1 - u
		}
		vmath.Log32(log, h)
		vmath.Log32(logOther, other)
		for j, u := range h {
			// 0 log 0 is 0. If 1−ĥ was rounded to 0, the error is at most 1e-6.
			if u > 0 {
				entropy -= u * log[j]
			}
			if u < 1 {
				entropy -= other[j] * logOther[j]
			}
		}
		H, HS, HSS := float64(sumH), float64(sumHS), float64(sumHSS)
		n, mu, alpha, w := float64(b.n), m.Mu[i], m.Alpha[i], float64(y.param[i*inRow+pWide])
		out.H[i], out.HS[i] = H, HS
		out.HSS[i] = HSS + H*variance[i][0]
		out.Rest[i] = (n - H) * variance[i][1]
		out.Spread[i] = float64(cross) + H*variance[i][0]
		F += float64(entropy) + H*m.Bias[i] - n*softplus(m.Bias[i]) - 0.5*w*float64(cross) -
			0.5*alpha*(HSS-2*mu*HS+mu*mu*H) - 0.5*H*math.Log1p(w/alpha)
	}
	return out, F
}
