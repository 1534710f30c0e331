package s3c

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/vmath"
)

// Moments holds the statistics of Q that the M step needs: sums over the patches, which include the variances of Q.
type Moments struct {
	Patches int
	H       []float64  // Σ ĥ (N)
	HS      []float64  // Σ ĥŝ (N)
	HSS     []float64  // Σ E[h s²] = Σ ĥ(ŝ² + 1/γ) (N)
	Rest    []float64  // Σ (1−ĥ)/α, the part of E[s²] with h = 0 (N)
	Spread  []float64  // Σ Var(h s) (N)
	RM      *mat.Dense // Σ (v − Wm)m' (D×N)
	RR      []float64  // Σ (v_d − (Wm)_d)² (D)
}

func newMoments(d, n int) *Moments {
	return &Moments{H: make([]float64, n), HS: make([]float64, n), HSS: make([]float64, n), Rest: make([]float64, n),
		Spread: make([]float64, n), RM: mat.NewDense(d, n, nil), RR: make([]float64, d)}
}

// add adds o to a.
func (a *Moments) add(o *Moments) {
	a.Patches += o.Patches
	for _, p := range [][2][]float64{{a.H, o.H}, {a.HS, o.HS}, {a.HSS, o.HSS}, {a.Rest, o.Rest}, {a.Spread, o.Spread}, {a.RR, o.RR}} {
		for i, v := range p[1] {
			p[0][i] += v
		}
	}
	a.RM.Add(a.RM, o.RM)
}

// Moments returns the moments of Q for the rows of V (n×D), in float64.
func (m *Model) Moments(V mat.Matrix, q *Posterior) (*Moments, error) {
	return m.moments(context.Background(), V, q)
}

// moments is like Moments. When ctx is done, it returns ctx's error.
func (m *Model) moments(ctx context.Context, V mat.Matrix, q *Posterior) (*Moments, error) {
	given.Args("s3c: Model.Moments", "q", q)
	x, err := m.patches("Moments", V)
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	_, N := m.Dims()
	if err := q.checkShape("Moments", n, N); err != nil {
		return nil, err
	}
	out := newMoments(d, N)
	out.Patches = n
	variance := m.slabVariances()
	M := q.HS()
	var R mat.Dense
	if err := product.Mul(ctx, &R, M, m.W.T()); err != nil { // (n×N)(N×D)
		return nil, err
	}
	R.Sub(x, &R)
	if err := product.Mul(ctx, out.RM, R.T(), M); err != nil { // (D×n)(n×N)
		return nil, err
	}
	for k := range n {
		t, s := q.Logit.RawRowView(k), q.S.RawRowView(k)
		for i, hs := range M.RawRowView(k) {
			one, none := sigmoid(t[i]), sigmoid(-t[i])
			out.H[i] += one
			out.HS[i] += hs
			out.HSS[i] += one * (s[i]*s[i] + variance[i][0])
			out.Rest[i] += none * variance[i][1]
			out.Spread[i] += one * (none*s[i]*s[i] + variance[i][0])
		}
		for i, r := range R.RawRowView(k) {
			out.RR[i] += r * r
		}
	}
	return out, nil
}

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

// unit sets the moments of unit i, and returns the unit's part of the energies. H, HS, HSS, cross and entropy are the
// sums over the patches of ĥ, ĥŝ, ĥŝ², ĥŝ²(1−ĥ) and the entropies of ĥ.
func (s *Moments) unit(y *system, m *Model, i int, variance [2]float64, H, HS, HSS, cross, entropy float64) float64 {
	n, mu, alpha, w := float64(s.Patches), m.Mu[i], m.Alpha[i], float64(y.param[i*inRow+pWide])
	s.H[i], s.HS[i] = H, HS
	s.HSS[i] = HSS + H*variance[0]
	s.Rest[i] = (n - H) * variance[1]
	s.Spread[i] = cross + H*variance[0]
	return entropy + H*m.Bias[i] - n*softplus(m.Bias[i]) - 0.5*w*cross -
		0.5*alpha*(HSS-2*mu*HS+mu*mu*H) - 0.5*H*math.Log1p(w/alpha)
}
