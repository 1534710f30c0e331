package classify

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// mostPolish is the largest number of multiplications that a step of a polisher may take, about a fifth of a second.
const mostPolish = 2e8

// A polisher minimizes the objective of a Maxent by Newton's method, after L-BFGS or newtonCG has ended without
// convergence. Neither its steps nor its bound depend on the units of the features.
//
// The variables are the differences u_k = w_k − w_0 and c_k = b_k − b_0 for k >= 1. The argument u of the methods
// holds the rows (u_k, c_k), one after the other. If the means of W over the classes are 0, as they are at the
// minimum, the objective depends only on these differences: ‖W‖² is then Σ ‖u_k‖² − ‖Σ u_k‖²/K.
type polisher struct {
	x     []point
	y     []int
	c     []float64 // n: the weights of the points, divided by n
	K, d  int
	alpha float64

	p, others []float64 // K: P(y = k) of a point, and 1 − P
	row       []float64 // d+1: (x_i, 1)
}

// at returns the loss of point i at u. It stores the point's row in p.row, its probabilities in p.p, and the
// complements of these probabilities in p.others. Each complement is the sum of the other probabilities. Subtraction
// from 1 would cause rounding errors, which the features of a point far from 0 would multiply.
func (p *polisher) at(u []float64, i int) float64 {
	D := p.d + 1
	clear(p.row)
	p.x[i].addTo(p.row[:p.d], 1)
	p.row[p.d] = 1
	p.p[0] = 0
	for k := 1; k < p.K; k++ {
		p.p[k] = floats.Dot(u[(k-1)*D:k*D], p.row)
	}
	top, z := floats.MaxIdx(p.p), p.p[p.y[i]]
	most, rest := p.p[top], 0.0
	for k, v := range p.p {
		p.p[k] = math.Exp(v - most)
		if k != top {
			rest += p.p[k]
		}
	}
	floats.Scale(1/(1+rest), p.p)
	for k := range p.others {
		p.others[k] = floats.Sum(p.p[:k]) + floats.Sum(p.p[k+1:])
	}
	return most - z + math.Log1p(rest)
}

// objective returns the objective at u.
func (p *polisher) objective(u []float64) (f float64) {
	for i, c := range p.c {
		f += c * p.at(u, i)
	}
	D := p.d + 1
	for j := range p.d {
		square, sum := 0.0, 0.0
		for q := j; q < len(u); q += D {
			square += u[q] * u[q]
			sum += u[q]
		}
		f += p.alpha / 2 * (square - sum*sum/float64(p.K))
	}
	return f
}

// derivatives returns the gradient and the second derivatives at u.
func (p *polisher) derivatives(u []float64) (g []float64, H *mat.SymDense) {
	D, m := p.d+1, len(u)
	g, H = make([]float64, m), mat.NewSymDense(m, nil)
	for j := range p.d {
		sum := 0.0
		for q := j; q < m; q += D {
			sum += u[q]
		}
		for q := j; q < m; q += D {
			g[q] = p.alpha * (u[q] - sum/float64(p.K))
			for r := q; r < m; r += D {
				H.SetSym(q, r, -p.alpha/float64(p.K))
			}
			H.SetSym(q, q, p.alpha*(1-1/float64(p.K)))
		}
	}
	S := H.RawSymmetric()
	for i, c := range p.c {
		p.at(u, i)
		for k := 1; k < p.K; k++ {
			r := c * p.p[k]
			if k == p.y[i] {
				r = -c * p.others[k]
			}
			floats.AddScaled(g[(k-1)*D:k*D], r, p.row)
			for l := k; l < p.K; l++ {
				h := -c * p.p[k] * p.p[l]
				if l == k {
					h = c * p.p[k] * p.others[k]
				}
				for a, v := range p.row {
					if v == 0 || h == 0 {
						continue
					}
					first := 0 // the diagonal blocks have an upper triangle
					if l == k {
						first = a
					}
					q := (k-1)*D + a
					floats.AddScaled(S.Data[q*S.Stride+(l-1)*D+first:][:D-first], h*v, p.row[first:])
				}
			}
		}
	}
	return g, H
}

// bound returns a bound on how far the objective is above its minimum, and Newton's step −H⁻¹g. Let ‖v‖² = v'Hv and λ
// = ‖H⁻¹g‖. Let ρ be so large that a move of u by v changes the difference between any two scores of a point by at
// most ρ‖v‖. The bound is
//
//	(a + (1 − a) log(1 − a))/ρ²,  a = λρ < 1,
//
// which is about λ²/2 if a is small. Along v, the third derivative of the objective is at most ρ‖v‖ times the second
// derivative, because for each point these derivatives are central moments of the changes of its scores. So the
// objective f satisfies
//
//	f(u + v) >= f(u) + g'v + ‖v‖² (e^{−R} + R − 1)/R²,  R = ρ‖v‖
//
// (F. Bach, Self-concordant analysis for logistic regression, Electronic J. Statistics 4, 2010, proposition 1). The
// bound is f(u) minus the minimum of the right side. For the bound, H is reduced by more than its rounding error,
// which makes the bound larger. If the reduced H is not positive definite, or a is not below 0.9, the bound is +Inf.
func (p *polisher) bound(g []float64, H *mat.SymDense) (gap float64, step []float64) {
	D, m := p.d+1, len(g)
	unit := make([]float64, m)
	for q := range unit {
		unit[q] = 1 / math.Sqrt(H.At(q, q))
	}
	for q := range m {
		for r := q; r < m; r++ {
			H.SetSym(q, r, H.At(q, r)*unit[q]*unit[r])
		}
	}
	direction := floats.MulTo(make([]float64, m), g, unit)
	inVariables := func(v []float64) []float64 {
		if v != nil {
			floats.Mul(v, unit)
			floats.Scale(-1, v)
		}
		return v
	}
	less := mat.NewSymDense(m, nil)
	less.CopySym(H)
	for q := range m {
		less.SetSym(q, q, H.At(q, q)-float64(len(p.x)+10*m)*0x1p-52)
	}
	var chol mat.Cholesky
	if !chol.Factorize(less) {
		return math.Inf(1), inVariables(solveUnit(H, direction))
	}
	var L mat.TriDense
	chol.LTo(&L)
	var half mat.VecDense
	norm := func(v []float64) float64 { // √(v'H⁻¹v)
		if err := half.SolveVec(&L, mat.NewVecDense(m, v)); err != nil {
			if _, ok := err.(mat.Condition); !ok {
				return math.Inf(1)
			}
		}
		return mat.Norm(&half, 2)
	}
	lambda, rho := norm(direction), 0.0
	v := make([]float64, m)
	for i, c := range p.c {
		if c == 0 {
			continue
		}
		clear(p.row)
		p.x[i].addTo(p.row[:p.d], 1)
		p.row[p.d] = 1
		for k := 1; k < p.K; k++ {
			for l := range k { // the score of class k minus that of class l
				clear(v)
				copy(v[(k-1)*D:], p.row)
				if l > 0 {
					floats.SubTo(v[(l-1)*D:l*D], v[(l-1)*D:l*D], p.row)
				}
				floats.Mul(v, unit)
				rho = math.Max(rho, norm(v))
			}
		}
	}
	step = inVariables(solveUnit(H, slices.Clone(direction)))
	switch a := lambda * rho * (1 + 1e-9); {
	case !(a < 0.9):
		return math.Inf(1), step
	case a < 1e-3: // a²/2 + a³/6 + a⁴/12 + ..
		return lambda * lambda * (0.5 + a/3), step
	default:
		return (a + (1-a)*math.Log1p(-a)) / (rho * rho), step
	}
}

// run improves u until the bound is at most share·f, where f is the objective, or until no step improves anything. It
// also ends if ctx is done. It returns the objective and the last bound.
func (p *polisher) run(ctx context.Context, u []float64, share float64, each func(f float64)) (f, gap float64) {
	f = p.objective(u)
	below := math.Inf(1) // if the last step has not changed the objective beyond rounding, g'H⁻¹g must fall below this number
	for range 50 {
		g, H := p.derivatives(u)
		var step []float64
		if gap, step = p.bound(g, H); gap <= share*f || step == nil || ctx.Err() != nil {
			break
		}
		decrement := -floats.Dot(g, step)
		if !(decrement < below) {
			break
		}
		moved := false
		for t := 1.0; t > 1e-6 && !moved; t /= 2 {
			trial := slices.Clone(u)
			floats.AddScaled(trial, t, step)
			h := p.objective(trial)
			if moved = h < f || t == 1 && h <= f*(1+1e-13); !moved {
				continue
			}
			if below = math.Inf(1); !(h < f*(1-1e-13)) {
				below = decrement / 4
			}
			f = h
			copy(u, trial)
			each(f)
		}
		if !moved {
			break
		}
	}
	return f, gap
}

// polish continues at theta with a polisher if L-BFGS or newtonCG has ended there without convergence. It ends when
// m.Gap is at most share·m.Objective, when no step improves anything, or when ctx is done. It does nothing if a step
// would take too long (see mostPolish).
func (m *Maxent) polish(ctx context.Context, work *maxentWork, theta []float64, alpha, share float64, each func(f float64)) {
	n, d := work.X.dims()
	K, D := work.K, d+1
	variables := float64((K - 1) * D)
	if m.Status == ended.Converged || m.Status == ended.Interrupted || float64(n*K*K)*variables*variables > mostPolish {
		return
	}
	p := &polisher{x: pointsOf(work.X), y: work.y, c: make([]float64, n), K: K, d: d, alpha: alpha,
		p: make([]float64, K), others: make([]float64, K), row: make([]float64, D)}
	for i := range p.c {
		p.c[i] = 1 / float64(n)
		if work.s != nil {
			p.c[i] *= work.s[i]
		}
	}
	u := make([]float64, (K-1)*D)
	for k := 1; k < K; k++ {
		floats.SubTo(u[(k-1)*D:][:d], theta[k*d:(k+1)*d], theta[:d])
		u[k*D-1] = theta[K*d+k] - theta[K*d]
	}
	f, gap := p.run(ctx, u, share, func(f float64) {
		m.Iterations++
		m.Evaluations++
		each(f)
	})
	if ctx.Err() != nil {
		m.Status = ended.Interrupted
	} else {
		m.Status = ended.NoProgress
	}
	if !(f <= m.Objective*(1+1e-12) || gap <= share*f) {
		return
	}
	for j := range D {
		mean := 0.0
		for k := 1; k < K; k++ {
			mean += u[(k-1)*D+j] / float64(K)
		}
		for k := range K {
			v := -mean
			if k > 0 {
				v += u[(k-1)*D+j]
			}
			if j < d {
				theta[k*d+j] = v
			} else {
				theta[K*d+k] = v
			}
		}
	}
	g := make([]float64, len(theta))
	work.objective(theta, g, alpha)
	m.Objective, m.Gradient, m.Gap = f, maxAbs(g), math.Min(math.Min(gap, f), work.gap(theta, g, alpha))
}
