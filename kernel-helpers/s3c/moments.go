package s3c

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/product"
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

// moments is like Moments. When ctx ends, it returns ctx's error.
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
