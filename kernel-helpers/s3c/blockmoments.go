package s3c

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"overcomplete/kernel-helpers/vmath"
)

// moments returns the moments of the block's Q, and the sum of the patches' energies. variance holds the variances of
// Q (see slabVariances). Sums over the block's patches, of which there are at most 32, are in float32, except those
// for RR; all other sums are in float64.
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
		F = out.dimension(F, m, k)
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
		F += out.unit(y, m, i, variance[i], float64(sumH), float64(sumHS), float64(sumHSS), float64(cross), float64(entropy))
	}
	return out, F
}

// dimension adds to F the part of the energies that belongs to dimension k, and returns the sum. It also divides RR[k]
// by β_k: before the call, RR[k] must be the sum over the patches of the squares of √β_k (v − Wm)_k.
func (s *Moments) dimension(F float64, m *Model, k int) float64 {
	F -= 0.5 * s.RR[k]
	F += float64(s.Patches) * 0.5 * math.Log(m.beta(k)/(2*math.Pi))
	root := float64(float32(math.Sqrt(m.beta(k))))
	s.RR[k] /= root * root
	return F
}

// unit sets the moments of unit i, and returns the unit's part of the energies. The last five arguments are the sums
// over the patches of ĥ, ĥŝ, ĥŝ², ĥŝ²(1−ĥ) and the entropies of ĥ, in this order.
func (s *Moments) unit(y *system, m *Model, i int, variance [2]float64, H, HS, HSS, cross, entropy float64) float64 {
	n, mu, alpha, w := float64(s.Patches), m.Mu[i], m.Alpha[i], float64(y.param[i*inRow+pWide])
	s.H[i], s.HS[i] = H, HS
	s.HSS[i] = HSS + H*variance[0]
	s.Rest[i] = (n - H) * variance[1]
	s.Spread[i] = cross + H*variance[0]
	return entropy + H*m.Bias[i] - n*softplus(m.Bias[i]) - 0.5*w*cross -
		0.5*alpha*(HSS-2*mu*HS+mu*mu*H) - 0.5*H*math.Log1p(w/alpha)
}
