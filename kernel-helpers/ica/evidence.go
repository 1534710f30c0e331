package ica

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// EvidenceOptions controls the evidence functions. nil and the zero value
// mean the defaults.
type EvidenceOptions struct {
	// Scale is b of the prior. 0 means 1.
	Scale float64
	// NonNegative selects the exponential prior in ExactEvidence.
	NonNegative bool
	// Gradient requests the gradient with respect to A.
	Gradient bool
}

// Evidence holds log P(x|A) for a batch.
type Evidence struct {
	LogP []float64  // log P(x|A) (natural logarithm) of each sample, p
	Mean float64    // mean of LogP
	Grad *mat.Dense // gradient of Mean with respect to A, m×n; nil unless requested
	S    *mat.Dense // the MAP coefficients, n×p, if they were computed
}

func (e *Evidence) finish() {
	for _, v := range e.LogP {
		e.Mean += v / float64(len(e.LogP))
	}
}

func evidenceInput(fn string, a, x *mat.Dense, opt *EvidenceOptions) (EvidenceOptions, error) {
	m, _ := dims(fn, "A", a)
	mx, _, err := points(fn, "X", x)
	if err != nil {
		return EvidenceOptions{}, err
	}
	if mx != m {
		panic(shapeMismatch(fn, "A", m, x))
	}
	var set EvidenceOptions
	if opt != nil {
		set = *opt
	}
	set.Scale = scaleOr1(set.Scale)
	if !(set.Scale > 0) || math.IsInf(set.Scale, 0) {
		return set, fmt.Errorf("ica: %s: Scale is %v, must be positive and finite", fn, set.Scale)
	}
	if err := checkMatrix(fn, "A", a); err != nil {
		return set, err
	}
	return set, checkMatrix(fn, "X", x)
}

// ExactEvidence returns log P(x|A) for noise-free samples x, the columns of X (m×p), in closed form:
//
//	n = m:    Σ log p((A⁻¹x)_i) − log|det A|
//	n = m+1:  log of the integral of p along the line {s : A s = x}, minus ½ log det AA'
//
// The prior p is Laplacian or, with NonNegative, exponential. With NonNegative, the result is −Inf for a sample
// outside the cone of A's columns. The gradient, which is available only for the Laplacian prior, is
//
//	∂ log P/∂A = −(AA')⁻¹ A (E[z s' | x] + I),  z = −sign(s)/b,
//
// where E is the posterior expectation. The paper's rule is this gradient times AA', with the value at the MAP in
// place of the expectation.
func ExactEvidence(A, X mat.Matrix, opt *EvidenceOptions) (*Evidence, error) {
	a, x := dense("ExactEvidence", "A", A), dense("ExactEvidence", "X", X)
	set, err := evidenceInput("ExactEvidence", a, x, opt)
	if err != nil {
		return nil, err
	}
	if set.Gradient && set.NonNegative {
		return nil, fmt.Errorf("ica: ExactEvidence: no gradient for the exponential prior, whose density jumps at 0")
	}
	m, n := a.Dims()
	_, p := x.Dims()
	out := &Evidence{LogP: make([]float64, p)}
	c := make([]float64, n*n)
	switch n {
	case m:
		var lu mat.LU
		lu.Factorize(a)
		ld, _ := lu.LogDet()
		s := mat.NewDense(n, p, nil)
		if err := lu.SolveTo(s, false, x); err != nil {
			return nil, fmt.Errorf("ica: ExactEvidence: %w", err)
		}
		var src Source = Laplacian{set.Scale}
		if set.NonNegative {
			src = Exponential{set.Scale}
		}
		for k := range p {
			out.LogP[k] = -ld
			for j := range n {
				sj := s.At(j, k)
				out.LogP[k] += src.LogDensity(sj)
				for i := range n {
					if s.At(i, k) > 0 {
						c[i*n+j] += sj
					} else {
						c[i*n+j] -= sj
					}
				}
			}
		}
		out.S = s
	case m + 1:
		l, err := newLine(a, set.Scale)
		if err != nil {
			return nil, err
		}
		xs := columns(x)
		for k := range p {
			xk := xs[k*m : (k+1)*m]
			switch {
			case set.NonNegative:
				out.LogP[k] = l.exponential(xk)
			case set.Gradient:
				out.LogP[k] = l.laplacian(xk, c)
			default:
				out.LogP[k] = l.laplacian(xk, nil)
			}
		}
	default:
		return nil, fmt.Errorf("ica: ExactEvidence: closed form for n = m and n = m+1 only, A is %d×%d", m, n)
	}
	out.finish()
	if set.Gradient {
		// (AA')⁻¹A (C/b − I), with C the mean of E[sign(s)s'|x].
		mm := mat.NewDense(n, n, c)
		mm.Scale(1/(set.Scale*float64(p)), mm)
		for i := range n {
			mm.Set(i, i, mm.At(i, i)-1)
		}
		var aa, am, g mat.Dense
		aa.Mul(a, a.T())
		am.Mul(a, mm)
		if err := g.Solve(&aa, &am); err != nil {
			return nil, fmt.Errorf("ica: ExactEvidence: AA': %w", err)
		}
		out.Grad = &g
	}
	return out, nil
}
