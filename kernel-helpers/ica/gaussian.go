package ica

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/vector"
)

// GaussianOptions controls GaussianEvidence. nil and the zero value mean the
// defaults.
type GaussianOptions struct {
	// Scale is b of the prior. 0 means 1.
	Scale float64
	// Noise is σ = λ^(−1/2), the standard deviation of the noise. 0 means 0.05.
	Noise float64
	// Sharpness is β of the smoothed prior. 0 means 10/b.
	Sharpness float64
	// Gradient requests the gradient with respect to A.
	Gradient bool
}

// SmoothLaplacian is the Laplacian with a rounded peak,
//
//	p(s) ∝ cosh(βs)^(−1/(bβ)),
//
// which tends to exp(−|s|/b)/(2b) as β grows. b is Scale and β is Sharpness. The log density of the Laplacian itself
// has no curvature on either side of 0. So for A m×n with n > m, the Hessian of the log posterior would be singular,
// and the Gaussian approximation would not exist. The paper smooths the prior for the same reason.
type SmoothLaplacian struct{ Scale, Sharpness float64 }

func (l SmoothLaplacian) params() (b, beta float64) {
	b = scaleOr1(l.Scale)
	beta = l.Sharpness
	if beta == 0 {
		beta = 10 / b
	}
	return b, beta
}

// LogDensity returns log p(s), normalized.
func (l SmoothLaplacian) LogDensity(s float64) float64 {
	b, beta := l.params()
	c := 1 / (b * beta)
	// ∫cosh(βs)^−c ds = √π Γ(c/2) / (β Γ((c+1)/2))
	l1, _ := math.Lgamma(c / 2)
	l2, _ := math.Lgamma((c + 1) / 2)
	return -c*logCosh(beta*s) - (0.5*math.Log(math.Pi) + l1 - l2 - math.Log(beta))
}

// Score returns z = d log p/ds = −tanh(βs)/b.
func (l SmoothLaplacian) Score(s float64) float64 {
	b, beta := l.params()
	return -math.Tanh(beta*s) / b
}

// Curvature returns −d² log p/ds² = (β/b) sech²(βs).
func (l SmoothLaplacian) Curvature(s float64) float64 {
	b, beta := l.params()
	return beta / b * sech2(beta*s)
}

func logCosh(t float64) float64 {
	t = math.Abs(t)
	return t + math.Log1p(math.Exp(-2*t)) - math.Ln2
}

func sech2(t float64) float64 {
	if t = math.Abs(t); t > 350 {
		return 0
	}
	c := math.Cosh(t)
	return 1 / (c * c)
}

// GaussianEvidence returns the Gaussian (Laplace) approximation of log P(x|A) with noise, for the columns of X (m×p).
// It is equation (5) of the paper, with the constants:
//
//	log p(ŝ) − λ/2 ‖x − Aŝ‖² − ½ log det H + (m/2) log(λ/2π) + (n/2) log 2π,
//	H = λA'A + B,  B = diag(−d² log p/ds²) at ŝ.
//
// The prior p is the smoothed Laplacian, and λ = 1/σ² for noise of standard deviation σ. ŝ is the MAP under this
// prior, found by Newton's method. H is minus the Hessian, so its determinant is positive.
//
// The gradient, with r = x − Aŝ, is exact for this approximation, including the dependence of ŝ on A:
//
//	∂/∂A = λ r ŝ' − λ A H⁻¹ + λ (r v' − A v ŝ'),
//	v = −½ H⁻¹ g,  g_i = (H⁻¹)_ii dB_ii/ds_i.
//
// The first two terms are the paper's: at the MAP λA'r = −z, with z = d log p/ds, so the first term is −(AA')⁻¹A z ŝ'.
// The third term comes from the dependence of H on ŝ. The paper drops this term.
//
// If Newton's method does not converge for a sample, the error names the sample.
func GaussianEvidence(A, X mat.Matrix, opt *GaussianOptions) (*Evidence, error) {
	a, x := dense("GaussianEvidence", "A", A), dense("GaussianEvidence", "X", X)
	var gs GaussianOptions
	if opt != nil {
		gs = *opt
	}
	set, err := evidenceInput("GaussianEvidence", a, x, &EvidenceOptions{Scale: gs.Scale, Gradient: gs.Gradient})
	if err != nil {
		return nil, err
	}
	if gs.Noise == 0 {
		gs.Noise = 0.05
	}
	if !(gs.Noise > 0) || math.IsInf(gs.Noise, 0) {
		return nil, fmt.Errorf("ica: GaussianEvidence: Noise is %v, must be positive and finite", gs.Noise)
	}
	if !(gs.Sharpness >= 0) || math.IsInf(gs.Sharpness, 0) {
		return nil, fmt.Errorf("ica: GaussianEvidence: Sharpness is %v, must be positive and finite", gs.Sharpness)
	}
	m, n := a.Dims()
	_, p := x.Dims()
	if err := ram.Check(fmt.Sprintf("the Hessian of %d coefficients", n), 24*float64(n)*float64(n)); err != nil {
		return nil, fmt.Errorf("ica: GaussianEvidence: %w", err)
	}
	g := newPosteriorMode(a, SmoothLaplacian{set.Scale, gs.Sharpness}, 1/(gs.Noise*gs.Noise))
	out := &Evidence{LogP: make([]float64, p), S: mat.NewDense(n, p, nil)}
	if set.Gradient {
		out.Grad = mat.NewDense(m, n, nil)
	}
	xs := columns(x)
	for k := range p {
		err := g.find(xs[k*m : (k+1)*m])
		if err == nil {
			out.S.SetCol(k, g.s)
			out.LogP[k] = g.logEvidence()
			if set.Gradient {
				err = g.addGradient(out.Grad, p)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("ica: GaussianEvidence: sample %d: %w", k, err)
		}
	}
	out.finish()
	return out, nil
}

// These are the constants of Newton's method for the mode. The paper does not say how it finds ŝ. Since f is
// concave, every method finds the same ŝ up to rounding, or fails. "Relative" means relative to 1 + |f|.
const (
	// newtonSteps bounds the number of steps, and newtonHalvings the number of halvings of one step. For 2×3
	// matrices and β up to 1000/b, the median was 9 steps and the maximum 31.
	newtonSteps    = 500
	newtonHalvings = 60 // 2⁻⁶⁰ of a step is less than rounding of s

	// The decrement g'H⁻¹g is about twice the distance of f from its maximum (S. Boyd and L. Vandenberghe,
	// Convex Optimization, 9.5.1), and because Newton's method converges quadratically, a decrement this
	// small does not occur by chance.
	newtonDone = 1e-22 // relative decrement at which the mode is found

	// f has a relative rounding error of about 1e-14. Once the decrement is below newtonNear, a step is
	// accepted if f does not fall by more than this error. If no step is accepted, a decrement below
	// newtonEnough counts as converged, because f cannot resolve smaller decrements.
	newtonNear     = 1e-12
	newtonRounding = 1e-14
	newtonEnough   = 1e-9

	newtonArmijo = 1e-4 // share of the expected gain that a step must achieve (Nocedal and Wright, 3.1)

	// If all s are far from 0, B underflows, and H = λA'A is singular for n > m. The step then needs a ridge.
	// The first ridge is ridgeFirst λ; it grows by the factor ridgeGrowth until H is definite. A ridge above
	// ridgeMost λ does not help.
	ridgeFirst  = 1e-9
	ridgeGrowth = 10
	ridgeMost   = 1e12
)

// A posteriorMode finds the ŝ that maximizes
//
//	f(s) = −Σ log cosh(βs_i)/(bβ) − λ/2 ‖x − As‖²  =  log p(s) − λ/2 ‖x − As‖² + const,
//
// for one sample x at a time.
type posteriorMode struct {
	a      *mat.Dense // m×n
	prior  SmoothLaplacian
	beta   float64       // β of the prior
	power  float64       // 1/(bβ)
	peak   float64       // log p(0), so that log p(s) = peak − log cosh(βs)/(bβ)
	lambda float64       // 1/σ²
	gram   *mat.SymDense // λA'A, n×n

	s        []float64     // n: ŝ at the end
	f        float64       // f(s)
	r        []float64     // m: x − As for the last evaluated s
	gradient []float64     // n: df/ds
	step     *mat.VecDense // n: H⁻¹ gradient
	trial    []float64     // n
	h        *mat.SymDense // H + ridge, n×n
	factor   mat.Cholesky  // Cholesky factor of h
}

func newPosteriorMode(a *mat.Dense, prior SmoothLaplacian, lambda float64) *posteriorMode {
	m, n := a.Dims()
	b, beta := prior.params()
	g := &posteriorMode{a: a, prior: prior, beta: beta, power: 1 / (b * beta), peak: prior.LogDensity(0), lambda: lambda, gram: mat.NewSymDense(n, nil),
		s: make([]float64, n), r: make([]float64, m), gradient: make([]float64, n), step: mat.NewVecDense(n, nil), trial: make([]float64, n), h: mat.NewSymDense(n, nil)}
	for i := range n {
		for j := i; j < n; j++ {
			g.gram.SetSym(i, j, lambda*mat.Dot(a.ColView(i), a.ColView(j)))
		}
	}
	return g
}

// value returns f(s) and stores x − As in r.
func (g *posteriorMode) value(s, x []float64) float64 {
	var f float64
	for i := range g.r {
		g.r[i] = x[i] - vector.DotInOrder(g.a.RawRowView(i), s)
		f -= g.lambda / 2 * g.r[i] * g.r[i]
	}
	for _, v := range s {
		f -= g.power * logCosh(g.beta*v)
	}
	return f
}

// hessian computes the Cholesky factor of H + ridge I at the current s, where H = λA'A + B as in GaussianEvidence. It
// reports whether this matrix is positive definite.
func (g *posteriorMode) hessian(ridge float64) bool {
	g.h.CopySym(g.gram)
	for i, v := range g.s {
		g.h.SetSym(i, i, g.h.At(i, i)+g.prior.Curvature(v)+ridge)
	}
	return g.factor.Factorize(g.h)
}

// find computes ŝ for x (m), starting from 0. It leaves f, r and the factor of H at ŝ in g.
func (g *posteriorMode) find(x []float64) error {
	clear(g.s)
	g.f = g.value(g.s, x)
	if err := g.climb(x); err != nil {
		return err
	}
	g.f = g.value(g.s, x)
	if !g.hessian(0) {
		return errors.New("the Hessian is singular at the MAP")
	}
	return nil
}

// climb performs Newton steps until f is at its maximum. It returns an error if the steps do not reach the maximum.
func (g *posteriorMode) climb(x []float64) error {
	for range newtonSteps {
		if err := g.newton(); err != nil {
			return err
		}
		decrement := vector.DotInOrder(g.step.RawVector().Data, g.gradient)
		size := 1 + math.Abs(g.f)
		if decrement < newtonDone*size {
			return nil
		}
		if !g.search(x, decrement) {
			// The decrement is below the rounding error of f.
			if decrement < newtonEnough*size {
				return nil
			}
			break
		}
	}
	return errors.New("no convergence of Newton's method")
}

// newton computes the gradient of f at the current s, and the Newton step H⁻¹·gradient. If H is singular, it adds a
// ridge to H. The field r must hold x − As.
func (g *posteriorMode) newton() error {
	for j := range g.gradient {
		g.gradient[j] = g.prior.Score(g.s[j])
		for i, r := range g.r {
			g.gradient[j] += g.lambda * g.a.At(i, j) * r
		}
	}
	ridge := 0.0
	for !g.hessian(ridge) {
		ridge = max(ridgeGrowth*ridge, ridgeFirst*g.lambda)
		if ridge > ridgeMost*g.lambda {
			return errors.New("the Hessian is not definite")
		}
	}
	n := len(g.s)
	if err := g.factor.SolveVecTo(g.step, mat.NewVecDense(n, g.gradient)); err != nil && g.step.Len() != n {
		return err // other errors mean bad conditioning, and the step is still an ascent direction
	}
	return nil
}

// search moves s by the Newton step, which it halves until f rises. It reports whether it moved s. The argument
// decrement is the product of the step and the gradient.
func (g *posteriorMode) search(x []float64, decrement float64) bool {
	d, size := g.step.RawVector().Data, 1+math.Abs(g.f)
	t := 1.0
	for range newtonHalvings {
		for i := range g.trial {
			g.trial[i] = g.s[i] + t*d[i]
		}
		f := g.value(g.trial, x)
		if f >= g.f+newtonArmijo*t*decrement || decrement < newtonNear*size && f >= g.f-newtonRounding*size {
			copy(g.s, g.trial)
			g.f = f
			return true
		}
		t /= 2
	}
	return false
}

// logEvidence returns the approximation of log P(x|A), equation (5) of the paper with its constants, after find has
// found ŝ.
func (g *posteriorMode) logEvidence() float64 {
	m, n := g.a.Dims()
	return g.f + float64(n)*g.peak - 0.5*g.factor.LogDet() + float64(m)/2*math.Log(g.lambda/(2*math.Pi)) + float64(n)/2*math.Log(2*math.Pi)
}

// addGradient adds to dst the gradient of logEvidence with respect to A, divided by p: the contribution of
// one sample to the mean over p samples.
func (g *posteriorMode) addGradient(dst *mat.Dense, p int) error {
	m, n := g.a.Dims()
	s, r := g.s, g.r
	var hi mat.SymDense // H⁻¹
	if err := g.factor.InverseTo(&hi); err != nil && hi.IsEmpty() {
		return err
	}
	v := make([]float64, n)
	for i := range n {
		// dB/ds = −2β (β/b) sech²(βs) tanh(βs)
		db := -2 * g.beta * g.prior.Curvature(s[i]) * math.Tanh(g.beta*s[i])
		gi := hi.At(i, i) * db
		for j := range n {
			v[j] -= 0.5 * hi.At(j, i) * gi
		}
	}
	for i := range m {
		av := vector.DotInOrder(g.a.RawRowView(i), v)
		for j := range n {
			var ah float64
			for q := range n {
				ah += g.a.At(i, q) * hi.At(q, j)
			}
			t := g.lambda * (r[i]*s[j] - ah + r[i]*v[j] - av*s[j])
			dst.Set(i, j, dst.At(i, j)+t/float64(p))
		}
	}
	return nil
}
