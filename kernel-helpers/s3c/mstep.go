package s3c

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
)

// A Gradient holds the derivatives of an objective with respect to the parameters of a Model. Its fields have the same
// shapes as the Model's.
type Gradient struct {
	W                     *mat.Dense // D×N
	Bias, Mu, Alpha, Beta []float64
}

// Gradient returns the gradient of the mean over the patches of E_Q[log P(v,h,s)], with Q fixed:
//
//	∂/∂W_di = β_d (mean r_d m_i − W_di mean Var(h_i s_i)),   r = v − Wm
//	∂/∂β_d  = ½/β_d − ½ mean E(v_d − Σ W_di h_i s_i)²        (summed if β is one number)
//	∂/∂b    = mean ĥ − σ(b)
//	∂/∂μ    = α mean ĥ(ŝ − μ)
//	∂/∂α    = ½/α − ½ mean E(s − hμ)²
func (m *Model) Gradient(s *Moments) *Gradient {
	d, N := m.Dims()
	if s == nil || s.Patches < 1 || len(s.H) != N || len(s.RR) != d {
		panic("s3c: Gradient: the moments are of zero patches, or of another model")
	}
	n := float64(s.Patches)
	g := &Gradient{mat.NewDense(d, N, nil), make([]float64, N), make([]float64, N), make([]float64, N), make([]float64, len(m.Beta))}
	for k := range d {
		row, w, rm := g.W.RawRowView(k), m.W.RawRowView(k), s.RM.RawRowView(k)
		b := m.beta(k)
		spread := s.RR[k]
		for i, v := range w {
			row[i] = b * (rm[i] - v*s.Spread[i]) / n
			spread += v * v * s.Spread[i]
		}
		g.Beta[min(k, len(g.Beta)-1)] += 0.5/b - 0.5*spread/n
	}
	for i := range N {
		g.Bias[i] = s.H[i]/n - sigmoid(m.Bias[i])
		g.Mu[i] = m.Alpha[i] * (s.HS[i] - m.Mu[i]*s.H[i]) / n
		g.Alpha[i] = 0.5/m.Alpha[i] - 0.5*m.slabError(s, i)/n
	}
	return g
}

// slabError returns Σ E_Q (s_i − h_i μ_i)², summed over the patches.
func (m *Model) slabError(s *Moments, i int) float64 {
	mu := m.Mu[i]
	return s.HSS[i] - 2*mu*s.HS[i] + mu*mu*s.H[i] + s.Rest[i]
}

// A Range holds the smallest and the largest value that a parameter may have.
type Range struct{ Min, Max float64 }

func (r Range) clamp(v float64) float64 { return min(max(v, r.Min), r.Max) }

// MStepOptions are the options of MStep. The zero value means the values that led to the published CIFAR-10 result.
type MStepOptions struct {
	// Rate is the step length. 0 means 0.01.
	Rate float64
	// The step length is Rate times RateW for W, and Rate times RateBeta for β. 0 means 10 for RateW, and 0.01 for
	// RateBeta.
	RateW, RateBeta float64
	// PenaltyH, PenaltyBeta and PenaltyAlpha are the weights of three penalties: the mean of σ(b), which makes codes
	// sparse; the mean of β, which slows down the growth of β; and the mean of α, which lets unused units become
	// usable. 0 means 1. A negative weight means no penalty.
	PenaltyH, PenaltyBeta, PenaltyAlpha float64
	// Bias, Beta and Alpha are the ranges to which the parameters are clipped. The zero Range means [−7, 0], [0.1, 1e6]
	// and [1e−3, 1e6]. μ has no range.
	Bias, Beta, Alpha Range
}

func (o MStepOptions) complete() (MStepOptions, error) {
	for _, p := range []struct {
		name     string
		at       *float64
		standard float64
	}{{"Rate", &o.Rate, 0.01}, {"RateW", &o.RateW, 10}, {"RateBeta", &o.RateBeta, 0.01}} {
		if !(*p.at >= 0) || math.IsInf(*p.at, 0) {
			return o, fmt.Errorf("s3c: %s is %v, must be positive and finite", p.name, *p.at)
		}
		if *p.at == 0 {
			*p.at = p.standard
		}
	}
	for _, p := range []*float64{&o.PenaltyH, &o.PenaltyBeta, &o.PenaltyAlpha} {
		if *p-*p != 0 {
			return o, fmt.Errorf("s3c: a penalty is %v, must be finite", *p)
		}
		if *p == 0 {
			*p = 1
		}
	}
	for _, p := range []struct {
		name     string
		at       *Range
		standard Range
		least    float64
	}{{"Bias", &o.Bias, Range{-7, 0}, math.Inf(-1)}, {"Beta", &o.Beta, Range{0.1, 1e6}, 0}, {"Alpha", &o.Alpha, Range{1e-3, 1e6}, 0}} {
		if *p.at == (Range{}) {
			*p.at = p.standard
		}
		if r := *p.at; !(r.Min > p.least && r.Min <= r.Max) || math.IsInf(r.Max, 0) {
			return o, fmt.Errorf("s3c: the range of %s is %v to %v", p.name, r.Min, r.Max)
		}
	}
	return o, nil
}

// penalty returns the sum of the penalties that MStep subtracts from the mean of E_Q[log P].
func (o MStepOptions) penalty(m *Model) float64 {
	on := make([]float64, len(m.Bias))
	for i, b := range m.Bias {
		on[i] = sigmoid(b)
	}
	return max(o.PenaltyH, 0)*mean(on) + max(o.PenaltyBeta, 0)*mean(m.Beta) + max(o.PenaltyAlpha, 0)*mean(m.Alpha)
}

// penalize subtracts the gradient of the penalties from g.
func (o MStepOptions) penalize(m *Model, g *Gradient) {
	n := float64(len(m.Bias))
	for i, b := range m.Bias {
		g.Bias[i] -= max(o.PenaltyH, 0) * sigmoid(b) * sigmoid(-b) / n
		g.Alpha[i] -= max(o.PenaltyAlpha, 0) / n
	}
	for k := range g.Beta {
		g.Beta[k] -= max(o.PenaltyBeta, 0) / float64(len(g.Beta))
	}
}

// MStep returns the model after one step of gradient ascent on the mean of E_Q[log P(v,h,s)] minus the
// penalties. The columns of W move along geodesics of the unit sphere. opt may be nil.
func (m *Model) MStep(s *Moments, opt *MStepOptions) (*Model, error) {
	var o MStepOptions
	if opt != nil {
		o = *opt
	}
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	g := m.Gradient(s)
	o.penalize(m, g)
	return o.step(m, g)
}

func (o MStepOptions) step(m *Model, g *Gradient) (*Model, error) {
	out := m.Clone()
	moveGeodesic(out.W, g.W, o.Rate*o.RateW)
	for i := range m.Bias {
		out.Bias[i] = o.Bias.clamp(m.Bias[i] + o.Rate*g.Bias[i])
		out.Mu[i] = m.Mu[i] + o.Rate*g.Mu[i]
		out.Alpha[i] = o.Alpha.clamp(m.Alpha[i] + o.Rate*g.Alpha[i])
	}
	for k := range m.Beta {
		out.Beta[k] = o.Beta.clamp(m.Beta[k] + o.Rate*o.RateBeta*g.Beta[k])
	}
	if err := out.Check(); err != nil {
		return nil, fmt.Errorf("the step led to an invalid model: %w", err)
	}
	return out, nil
}

// moveGeodesic moves each column of W (D×N), which has norm 1, along a geodesic of the unit sphere: W_i <- cos|d| W_i +
// sin|d| d/|d|. d is rate times the projection of the column's gradient onto the tangent space.
func moveGeodesic(W, gradient *mat.Dense, rate float64) {
	d, N := W.Dims()
	dot, norm := make([]float64, N), make([]float64, N)
	for k := range d {
		g := gradient.RawRowView(k)
		for i, w := range W.RawRowView(k) {
			dot[i] += rate * g[i] * w
		}
	}
	for k := range d {
		g := gradient.RawRowView(k)
		for i, w := range W.RawRowView(k) {
			t := rate*g[i] - dot[i]*w
			norm[i] += t * t
		}
	}
	along, across, after := make([]float64, N), make([]float64, N), make([]float64, N)
	for i, v := range norm {
		along[i], across[i] = 1, 1
		if n := math.Sqrt(v); n > 0 {
			along[i], across[i] = math.Cos(n), math.Sin(n)/n
		}
	}
	for k := range d {
		g := gradient.RawRowView(k)
		row := W.RawRowView(k)
		for i, w := range row {
			row[i] = along[i]*w + across[i]*(rate*g[i]-dot[i]*w)
			after[i] += row[i] * row[i]
		}
	}
	// cos² + sin² is 1 only up to rounding errors, which would accumulate over many steps.
	for i, v := range after {
		after[i] = 1 / math.Sqrt(v)
	}
	for k := range d {
		row := W.RawRowView(k)
		for i := range row {
			row[i] *= after[i]
		}
	}
}

// LeastSquares returns the parameters that maximize the mean of E_Q[log P(v,h,s)], without penalties or ranges, and
// with columns of any norm. It is an alternative M step for all patches at once. Q must have been inferred with this
// model.
//
//	W = Σ v m' (Σ m m' + diag Σ Var(h s))⁻¹
//
// b, μ, α and β are computed from means of the moments. Call Rescale to scale the columns to norm 1. LeastSquares
// returns an error if a unit's ĥ is 0 for all patches, or 1 for all patches.
func (m *Model) LeastSquares(V mat.Matrix, q *Posterior) (*Model, error) {
	given.Args("s3c: Model.LeastSquares", "q", q)
	s, err := m.Moments(V, q)
	if err != nil {
		return nil, err
	}
	n := float64(s.Patches)
	d, N := m.Dims()
	if err := ram.Check(fmt.Sprintf("the second moments of %d units", N), 24*float64(N)*float64(N)); err != nil {
		return nil, fmt.Errorf("s3c: LeastSquares: %w", err)
	}
	out := m.Clone()
	M := q.HS() // n×N
	var vm, mm mat.Dense
	vm.Mul(mat.DenseCopyOf(V).T(), M) // (D×n)(n×N)
	mm.Mul(M.T(), M)                  // (N×n)(n×N)
	second := mat.NewSymDense(N, nil)
	for i := range N {
		for j := range i + 1 {
			second.SetSym(i, j, mm.At(i, j))
		}
		second.SetSym(i, i, mm.At(i, i)+s.Spread[i])
	}
	var chol mat.Cholesky
	if !chol.Factorize(second) {
		return nil, errors.New("s3c: LeastSquares: Σ E[(h∘s)(h∘s)'] is singular: a unit is never used")
	}
	var wt mat.Dense
	if err := chol.SolveTo(&wt, vm.T()); err != nil { // N×D
		return nil, fmt.Errorf("s3c: LeastSquares: %w", err)
	}
	out.W.Copy(wt.T())
	// Σ (v − Wm)² with the new W.
	var R mat.Dense
	R.Mul(M, &wt) // (n×N)(N×D)
	R.Sub(V, &R)
	spread := make([]float64, d)
	for k := range d {
		for i, v := range out.W.RawRowView(k) {
			spread[k] += v * v * s.Spread[i]
		}
	}
	for k := range s.Patches {
		for i, r := range R.RawRowView(k) {
			spread[i] += r * r
		}
	}
	if len(out.Beta) == 1 {
		out.Beta[0] = float64(d) / (mean(spread) * float64(d) / n)
	} else {
		for k, v := range spread {
			out.Beta[k] = n / v
		}
	}
	for i := range N {
		h := s.H[i] / n
		out.Bias[i] = math.Log(h) - math.Log1p(-h)
		out.Mu[i] = s.HS[i] / s.H[i]
		out.Alpha[i] = n / out.slabError(s, i)
	}
	if err := out.Check(); err != nil {
		return nil, fmt.Errorf("s3c: LeastSquares: a unit is never or always used: %w", err)
	}
	return out, nil
}
