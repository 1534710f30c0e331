package s3c

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
)

// sweep updates the units of each patch one after the other. It first sets ŝ_i to its optimum with everything else
// fixed (this optimum does not depend on ĥ_i), and then ĥ_i to its optimum. It returns the largest change of a logit or
// a slab, measured as InferOptions.Tolerance says. When ctx is done, it returns early.
func (m *Model) sweep(ctx context.Context, V *mat.Dense, q *Posterior) float64 {
	n, d := V.Dims()
	_, N := m.Dims()
	w := m.weights()
	Wt := mat.DenseCopyOf(m.W.T()) // N×D
	r := make([]float64, d)        // v − Σ_j W_j ĥ_j ŝ_j
	var change float64
	moved := func(to, from float64) { change = max(change, math.Abs(to-from)/(1+math.Abs(to))) }
	for k := 0; k < n && ctx.Err() == nil; k++ {
		t, s := q.Logit.RawRowView(k), q.S.RawRowView(k)
		copy(r, V.RawRowView(k))
		for i := range N {
			f := sigmoid(t[i]) * s[i]
			for j, v := range Wt.RawRowView(i) {
				r[j] -= v * f
			}
		}
		for i := range N {
			column := Wt.RawRowView(i)
			old := sigmoid(t[i]) * s[i]
			p := w[i] * old // W_i'β(v − Σ_{j≠i} W_j ĥ_j ŝ_j)
			for j, v := range column {
				p += v * m.beta(j) * r[j]
			}
			slab := (m.Mu[i]*m.Alpha[i] + p) / (m.Alpha[i] + w[i])
			logit := m.bestLogit(i, slab, p, w[i])
			deviations := math.Sqrt(m.Alpha[i] + w[i]) // in a unit of s_i
			moved(slab*deviations, s[i]*deviations)
			moved(logit, t[i])
			s[i], t[i] = slab, logit
			f := sigmoid(logit)*slab - old
			for j, v := range column {
				r[j] -= v * f
			}
		}
	}
	return change
}

// Stationarity returns gradients of the energy at Q (both n×N): dS is ∂F/∂ŝ_i divided by ĥ_i, and dH is ∂F/∂ĥ_i. Both
// are 0 at a point where coordinate ascent ends.
func (m *Model) Stationarity(V mat.Matrix, q *Posterior) (dS, dH *mat.Dense, err error) {
	given.Args("s3c: Model.Stationarity", "q", q)
	x, err := m.patches("Stationarity", V)
	if err != nil {
		return nil, nil, err
	}
	n, _ := x.Dims()
	_, N := m.Dims()
	if err := q.checkShape("Stationarity", n, N); err != nil {
		return nil, nil, err
	}
	e := newFixedPoint(context.Background(), m, x, q)
	e.project()
	dS, dH = mat.NewDense(n, N, nil), mat.NewDense(n, N, nil)
	for k := range n {
		t, s, p, hs := q.Logit.RawRowView(k), q.S.RawRowView(k), e.p.RawRowView(k), e.hs.RawRowView(k)
		ds, dh := dS.RawRowView(k), dH.RawRowView(k)
		for i := range s {
			ds[i] = p[i] - e.w[i]*sigmoid(-t[i])*s[i] - m.Alpha[i]*(s[i]-m.Mu[i])
			dh[i] = m.bestLogit(i, s[i], p[i]+e.w[i]*hs[i], e.w[i]) - t[i]
		}
	}
	return dS, dH, nil
}
