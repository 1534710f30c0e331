package classify

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// smallGap is the duality gap, as a share of the objective, with which newton may end.
const smallGap = 1e-6

// newtonFeatures is the largest number of features for which newton is tried.
const newtonFeatures = 1000

// newton minimizes the primal of the squared hinge,
//
//	P(w̃) = ½ ‖w̃‖² + C Σ_i s_i max(0, 1 − y_i w̃'x̃_i)²,
//
// by Newton's method, starting where coordinate descent ended (S. Keerthi and D. DeCoste, A modified finite
// Newton method for fast solution of large scale linear SVMs, JMLR 6, 2005): P is quadratic as long as the
// set of points within the margin does not change. Unlike descent, Newton's method is not slowed by features
// of different sizes. With
//
//	α_i = 2C s_i max(0, 1 − y_i w̃'x̃_i)
//
// as dual variables, newton uses the same stopping criterion as descent. The duality gap is then half the square
// of the gradient. If rounding hides the criterion, as it does for features that are far from 0, a gap of
// smallGap will do.
func (s *dualDescent) newton(ctx context.Context) ended.Status {
	n, d := len(s.y), len(s.w)
	u := append(append(make([]float64, 0, d+1), s.w...), s.b) // w̃
	at := func(u []float64, i int) float64 { return s.x[i].dot(u[:d]) + u[d]*s.opt.BiasValue }
	primal := func(u []float64) float64 {
		p := floats.Dot(u, u) / 2
		for i := range n {
			m := math.Max(0, 1-s.y[i]*at(u, i))
			p += s.opt.C * s.weight(i) * m * m
		}
		return p
	}
	f := primal(u)
	x := make([]float64, d+1)
	// leave keeps u, because Σ α_i y_i x̃_i may be far from it before it is converged.
	leave := func(status ended.Status) ended.Status {
		copy(s.w, u[:d])
		s.b = u[d]
		if status != ended.Interrupted && f-s.bound <= math.Min(smallGap, s.opt.Gap)*f {
			return ended.Converged
		}
		return status
	}
	for range 100 {
		if ctx.Err() != nil {
			return leave(ended.Interrupted)
		}
		// The gradient u − Σ α_i y_i x̃_i and H = I + 2C Σ s_i x̃_i x̃_i' of the points
		// within the margin.
		g := append([]float64{}, u...)
		within, weights := []int{}, []float64{}
		for i := range n {
			c := 2 * s.opt.C * s.weight(i)
			if s.alpha[i] = c * math.Max(0, 1-s.y[i]*at(u, i)); s.alpha[i] == 0 {
				continue
			}
			clear(x)
			s.x[i].addTo(x[:d], 1)
			x[d] = s.opt.BiasValue
			floats.AddScaled(g, -s.alpha[i]*s.y[i], x)
			within, weights = append(within, i), append(weights, c)
		}
		H := s.normal(ctx, within, weights)
		if H == nil {
			return leave(ended.Interrupted)
		}
		floats.SubTo(x, u, g) // Σ α_i y_i x̃_i
		copy(s.w, x[:d])
		s.b = x[d]
		s.history = append(s.history, s.violation())
		if s.history[len(s.history)-1] <= s.opt.Tolerance && s.isConverged() {
			s.bound = s.dualBound()
			return ended.Converged
		}
		s.bound = math.Max(s.bound, s.dualBound())
		step := solveScaled(H, g) // Hp = −g
		if step == nil {
			return leave(ended.NoProgress)
		}
		better := false
		for t := 1.0; t > 1e-6; t /= 2 {
			v := append([]float64{}, u...)
			floats.AddScaled(v, -t, step)
			if h := primal(v); h <= f {
				better = h < f || t == 1 && len(s.history) < 3
				u, f = v, h
				break
			}
		}
		if !better {
			return leave(ended.NoProgress)
		}
	}
	return leave(ended.IterationLimit)
}

// solveScaled returns H⁻¹g, or nil if H cannot be factored. It scales H to a unit diagonal, for an accurate
// factor. It changes H and g.
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

// solveUnit returns (H + δI)⁻¹g for an H with a unit diagonal, where δ is the smallest number, 0 if possible,
// with which H can be factored despite rounding. It returns nil if there is none.
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

// violation returns top − bottom, computed as in run, over all points of nonzero weight.
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
