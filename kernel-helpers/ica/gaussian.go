package ica

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
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
	// Gradient asks for the gradient with respect to A.
	Gradient bool
}

// SmoothLaplacian is the Laplacian with its peak rounded off,
//
//	p(s) ∝ cosh(βs)^(−1/(bβ)),
//
// which tends to exp(−|s|/b)/(2b) as β grows. The Laplacian itself has no
// curvature anywhere (B = 0), so the Hessian of its log posterior is singular
// for n > m and the Gaussian approximation does not exist; the paper rounds
// the prior off for the same reason.
type SmoothLaplacian struct{ Scale, Sharpness float64 }

func (l SmoothLaplacian) params() (b, beta float64) {
	b = scaleOr1(l.Scale)
	beta = l.Sharpness
	if beta == 0 {
		beta = 10 / b
	}
	return b, beta
}

// LogDensity returns log p(s), normalised.
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

// GaussianEvidence returns the Gaussian (Laplace) approximation of log P(x|A)
// with noise, the paper's (5) with its constants:
//
//	log p(ŝ) − λ/2 ‖x − Aŝ‖² − ½ log det H + (m/2) log(λ/2π) + (n/2) log 2π,
//	H = λA'A + B,  B = diag(−d² log p/ds²) at ŝ,
//
// for the smoothed Laplacian prior, ŝ being its MAP, found by Newton's method.
// H is minus the Hessian, so its determinant is positive.
//
// The gradient, with r = x − Aŝ, is exact for this approximation, including
// how ŝ moves with A:
//
//	∂/∂A = λ r ŝ' − λ A H⁻¹ + λ (r v' − A v ŝ'),
//	v = −½ H⁻¹ g,  g_i = (H⁻¹)_ii dB_ii/ds_i.
//
// The first two terms are the paper's: at the MAP λA'r = −z, so the first is
// −(AA')⁻¹A z ŝ'. The third is the one that the paper hides in y and drops.
//
// A sample whose Newton iteration does not converge is an error that names it.
func GaussianEvidence(a, x *mat.Dense, opt *GaussianOptions) (*Evidence, error) {
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
	if !(gs.Noise > 0) || gs.Sharpness < 0 {
		return nil, fmt.Errorf("ica: GaussianEvidence: noise %v, sharpness %v", gs.Noise, gs.Sharpness)
	}
	m, n := a.Dims()
	_, p := x.Dims()
	lambda := 1 / (gs.Noise * gs.Noise)
	prior := SmoothLaplacian{set.Scale, gs.Sharpness}
	_, beta := prior.params()
	zero := prior.LogDensity(0) // log p(s) = zero − c log cosh(βs)
	c := 1 / (set.Scale * beta)

	gram := mat.NewSymDense(n, nil) // λA'A
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, lambda*mat.Dot(a.ColView(i), a.ColView(j)))
		}
	}
	out := &Evidence{LogP: make([]float64, p), S: mat.NewDense(n, p, nil)}
	if set.Gradient {
		out.Grad = mat.NewDense(m, n, nil)
	}
	xs := columns(x)
	s, grad, r := make([]float64, n), make([]float64, n), make([]float64, m)
	trial := make([]float64, n)
	h := mat.NewSymDense(n, nil)
	var ch mat.Cholesky
	// value returns f(s) = Σ −c log cosh(βs_i) − λ/2‖x − As‖² and leaves r.
	value := func(s, xk []float64) float64 {
		var f float64
		for i := range m {
			r[i] = xk[i] - dot(a.RawRowView(i), s)
			f -= lambda / 2 * r[i] * r[i]
		}
		for _, v := range s {
			f -= c * logCosh(beta*v)
		}
		return f
	}
	hessian := func(ridge float64) bool {
		h.CopySym(gram)
		for i, v := range s {
			h.SetSym(i, i, h.At(i, i)+prior.Curvature(v)+ridge)
		}
		return ch.Factorize(h)
	}
	dvec := mat.NewVecDense(n, nil)
	for k := range p {
		xk := xs[k*m : (k+1)*m]
		for i := range s {
			s[i] = 0
		}
		f := value(s, xk)
		converged := false
		for range 500 {
			for j := range n {
				grad[j] = prior.Score(s[j])
				for i := range m {
					grad[j] += lambda * a.At(i, j) * r[i]
				}
			}
			ridge := 0.0
			for !hessian(ridge) {
				ridge = max(10*ridge, 1e-9*lambda)
				if ridge > 1e12*lambda {
					return nil, fmt.Errorf("ica: GaussianEvidence: sample %d: the Hessian is not definite", k)
				}
			}
			if err := ch.SolveVecTo(dvec, mat.NewVecDense(n, grad)); err != nil {
				// Badly conditioned, yet a direction of ascent.
				if dvec.Len() != n {
					return nil, fmt.Errorf("ica: GaussianEvidence: sample %d: %w", k, err)
				}
			}
			d := dvec.RawVector().Data
			slope := dot(d, grad) // the Newton decrement squared
			if slope < 1e-22*(1+math.Abs(f)) {
				converged = true
				break
			}
			step, ok := 1.0, false
			for range 60 {
				for i := range trial {
					trial[i] = s[i] + step*d[i]
				}
				if ft := value(trial, xk); ft >= f+1e-4*step*slope || slope < 1e-12*(1+math.Abs(f)) && ft >= f-1e-14*(1+math.Abs(f)) {
					copy(s, trial)
					f, ok = ft, true
					break
				}
				step /= 2
			}
			if !ok {
				// Rounding: the decrement is below what f resolves.
				converged = slope < 1e-9*(1+math.Abs(f))
				break
			}
		}
		if !converged {
			return nil, fmt.Errorf("ica: GaussianEvidence: sample %d: Newton's method did not converge", k)
		}
		f = value(s, xk)
		if !hessian(0) {
			return nil, fmt.Errorf("ica: GaussianEvidence: sample %d: H is singular at the MAP", k)
		}
		out.LogP[k] = f + float64(n)*zero - 0.5*ch.LogDet() + float64(m)/2*math.Log(lambda/(2*math.Pi)) + float64(n)/2*math.Log(2*math.Pi)
		out.S.SetCol(k, s)
		if !set.Gradient {
			continue
		}
		var hi mat.SymDense
		if err := ch.InverseTo(&hi); err != nil && hi.IsEmpty() {
			return nil, fmt.Errorf("ica: GaussianEvidence: sample %d: %w", k, err)
		}
		v := make([]float64, n)
		for i := range n {
			// dB/ds = −2β (β/b) sech²(βs) tanh(βs)
			db := -2 * beta * prior.Curvature(s[i]) * math.Tanh(beta*s[i])
			g := hi.At(i, i) * db
			for j := range n {
				v[j] -= 0.5 * hi.At(j, i) * g
			}
		}
		for i := range m {
			av := dot(a.RawRowView(i), v)
			for j := range n {
				var ah float64
				for q := range n {
					ah += a.At(i, q) * hi.At(q, j)
				}
				t := lambda * (r[i]*s[j] - ah + r[i]*v[j] - av*s[j])
				out.Grad.Set(i, j, out.Grad.At(i, j)+t/float64(p))
			}
		}
	}
	out.finish()
	return out, nil
}
