package classify

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// smallGap is the duality gap, relative to the objective, that is small enough for convergence regardless of the
// gradients.
const smallGap = 1e-6

// secondFeatures is the largest number of features for which primal and interior are tried.
const secondFeatures = 1000

// interior minimizes the primal P(w̃) together with its dual,
//
//	½ ‖Σ α_i z_i‖² + ½ Σ D_ii α_i² − Σ α_i,  0 <= α_i <= U_i,  z_i = y_i x̃_i,
//
// by a primal-dual interior point method (M. Ferris and T. Munson, Interior-point methods for massive support vector
// machines, SIAM J. Optim. 13, 2003). It takes about 30 steps; features of different sizes do not slow it down. With
// multipliers r_i, q_i >= 0 for the bounds 0 and U_i, the conditions are
//
//	w̃ = Σ α_i z_i,  z_i'w̃ + D_ii α_i − 1 = r_i − q_i,  α_i r_i = μ,  (U_i − α_i) q_i = μ
//
// where μ goes to 0. With the squared hinge, U_i is infinite and q_i is 0. A Newton step for these conditions solves
// one system of d+1 equations,
//
//	(I + Σ c_i z_i z_i') Δw̃ = Σ c_i h_i z_i − (w̃ − Σ α_i z_i),  Δα_i = c_i (h_i − z_i'Δw̃)
//	1/c_i = D_ii + r_i/α_i + q_i/(U_i − α_i)
//	h_i = 1 − z_i'w̃ − D_ii α_i + μ/α_i − μ/(U_i − α_i)
//
// w̃ is stored separately from α, because Σ α_i z_i may lose all digits to rounding if features are large.
//
// interior keeps the w̃ with the smallest P(w̃). It returns ended.Converged if this P(w̃) exceeds the largest dual
// value by at most t·P(w̃), where t is the smaller of smallGap and the option Gap. If ctx is done, it returns
// ended.Interrupted.
func (s *dualDescent) interior(ctx context.Context) ended.Status {
	var at []int         // indices of the points of nonzero weight
	var top, D []float64 // U_i and D_ii
	for i := range s.y {
		if s.weight(i) > 0 {
			U, Dii := s.bounds(i)
			at, top, D = append(at, i), append(top, U), append(D, Dii)
		}
	}
	n, d := len(at), len(s.w)
	bias := s.opt.BiasValue
	value := func(i int, w []float64) float64 { return s.y[i] * (s.x[i].dot(w[:d]) + w[d]*bias) } // z_i'w̃
	least, _ := s.values()
	best := append(append([]float64{}, s.w...), s.b)
	alpha, r, q := make([]float64, n), make([]float64, n), make([]float64, n)
	w := make([]float64, d+1)
	for k, U := range top { // w̃ = 0
		if alpha[k], r[k], q[k] = U/2, 1, 2; math.IsInf(U, 1) {
			alpha[k], q[k] = 2/D[k], 0
		}
	}
	c, h := make([]float64, n), make([]float64, n) // h_i
	da, dr, dq := make([]float64, n), make([]float64, n), make([]float64, n)
	status := ended.NoProgress
	for range 100 {
		mu, products := 0.0, 0.0
		for k, a := range alpha {
			mu += a * r[k]
			products++
			if q[k] > 0 {
				mu += (top[k] - a) * q[k]
				products++
			}
			c[k] = 1 / (D[k] + r[k]/a + q[k]/(top[k]-a))
		}
		mu /= 10 * products // the next μ is a tenth of the mean product
		H := s.normal(ctx, at, c)
		if H == nil {
			status = ended.Interrupted
			break
		}
		g := make([]float64, d+1)
		floats.SubTo(g, g, w)
		for k, i := range at {
			a := alpha[k]
			h[k] = 1 - value(i, w) - D[k]*a + mu/a - mu/(top[k]-a)
			s.x[i].addTo(g[:d], (c[k]*h[k]+a)*s.y[i])
			g[d] += (c[k]*h[k] + a) * s.y[i] * bias
		}
		step := solveScaled(H, g)
		if step == nil {
			break
		}
		far := 1.0 // the longest step that keeps all variables positive
		inside := func(x, dx float64) {
			if dx < 0 {
				far = math.Min(far, -0.995*x/dx)
			}
		}
		for k, i := range at {
			a := alpha[k]
			da[k] = (h[k] - value(i, step)) * c[k]
			dr[k] = mu/a - r[k] - r[k]/a*da[k]
			dq[k] = mu/(top[k]-a) - q[k] + q[k]/(top[k]-a)*da[k]
			inside(a, da[k])
			inside(top[k]-a, -da[k])
			inside(r[k], dr[k])
			inside(q[k], dq[k])
		}
		if !(far > 1e-10) {
			break
		}
		floats.AddScaled(alpha, far, da)
		floats.AddScaled(r, far, dr)
		floats.AddScaled(q, far, dq)
		floats.AddScaled(w, far, step)
		for k, i := range at { // rounding may reach a bound
			alpha[k] = math.Min(math.Max(alpha[k], math.Min(top[k], 1)*0x1p-1000), top[k]*(1-0x1p-53))
			s.alpha[i] = alpha[k]
		}
		copy(s.w, w)
		s.b = w[d]
		if p, _ := s.values(); p < least {
			least = p
			copy(best, w)
		}
		s.bound = math.Max(s.bound, s.dualBound())
		s.history = append(s.history, s.violation())
		if least-s.bound <= 0.1*math.Min(smallGap, s.opt.Gap)*least {
			break
		}
	}
	copy(s.w, best)
	s.b = best[d]
	if status != ended.Interrupted && least-s.bound <= math.Min(smallGap, s.opt.Gap)*least {
		return ended.Converged
	}
	return status
}

// normal returns the matrix I + Σ_k c[k] x̃_i x̃_i', where i = at[k]. If ctx is done first, it returns nil.
func (s *dualDescent) normal(ctx context.Context, at []int, c []float64) *mat.SymDense {
	d := len(s.w)
	H := mat.NewSymDense(d+1, nil)
	for j := range d + 1 {
		H.SetSym(j, j, 1)
	}
	const block = 128
	B := mat.NewDense(block, d+1, nil) // rows √c_k x̃_i'
	for from := 0; from < len(at); from += block {
		if ctx.Err() != nil {
			return nil
		}
		rows := min(block, len(at)-from)
		for r, i := range at[from : from+rows] {
			x, scale := B.RawRowView(r), math.Sqrt(c[from+r])
			clear(x)
			s.x[i].addTo(x[:d], scale)
			x[d] = scale * s.opt.BiasValue
		}
		blas64.Syrk(blas.Trans, 1, B.Slice(0, rows, 0, d+1).(*mat.Dense).RawMatrix(), 1, H.RawSymmetric())
	}
	return H
}

// solveScaled returns H⁻¹g, or nil if H cannot be factored. It first scales H to a unit diagonal, which makes the
// Cholesky factor accurate. It overwrites H and g.
func solveScaled(H *mat.SymDense, g []float64) []float64 {
	scale := make([]float64, len(g))
	for j := range scale {
		scale[j] = 1 / math.Sqrt(H.At(j, j))
	}
	for j := range scale {
		for k := j; k < len(scale); k++ {
			H.SetSym(j, k, H.At(j, k)*scale[j]*scale[k])
		}
	}
	floats.Mul(g, scale)
	p := solveUnit(H, g)
	if p != nil {
		floats.Mul(p, scale)
	}
	return p
}

// solveUnit returns (H + δI)⁻¹g, or nil if it fails. H must have a unit diagonal. δ is as small as possible: 0, or
// just large enough that H + δI can be factored in spite of rounding.
func solveUnit(H *mat.SymDense, g []float64) []float64 {
	var chol mat.Cholesky
	var p mat.VecDense
	for _, delta := range []float64{0, 1e-14, 1e-13, 1e-12, 1e-10} {
		for j := range g {
			H.SetSym(j, j, H.At(j, j)+delta)
		}
		if chol.Factorize(H) && chol.SolveVecTo(&p, mat.NewVecDense(len(g), g)) == nil {
			return p.RawVector().Data
		}
	}
	return nil
}

// violation returns max(0, a) − min(0, b), where a is the largest projected gradient and b the smallest. Points of
// weight 0 do not count. Points that were set aside by the method run do count here, although they do not count in the
// violation that run itself computes.
func (s *dualDescent) violation() float64 {
	top, bottom := 0.0, 0.0
	for i, a := range s.alpha {
		if s.weight(i) == 0 {
			continue
		}
		U, D := s.bounds(i)
		G := s.y[i]*(s.x[i].dot(s.w)+s.b*s.opt.BiasValue) - 1 + D*a
		switch a {
		case 0:
			G = math.Min(G, 0)
		case U:
			G = math.Max(G, 0)
		}
		top, bottom = math.Max(top, G), math.Min(bottom, G)
	}
	return top - bottom
}
