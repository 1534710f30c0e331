package ica

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/vector"
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

// A line is the set of all s with A s = x, for a sample x and an A (m×n) with n = m+1: s = s0 + t v, where s0 = A⁺x, A
// v = 0 and |v| = 1. The density of a noise-free sample is then
//
//	P(x|A) = det(AA')^(−1/2) ∫ p(s0 + t v) dt,
//
// and with p(s) = Π exp(−|s_i|/b)/(2b) the integrand is exponential between the breakpoints, the values of t at which
// a coefficient changes sign.
type line struct {
	m, n   int
	b      float64
	pinv   []float64 // A⁺, n×m
	v      []float64 // null vector, n
	logDet float64   // ½ log det AA'
	brk    []float64
	top    []float64 // the integrand at each breakpoint
	pieces []piece
	s      []float64
}

// A piece is the part of a line between two breakpoints. w is the integral of the integrand over the piece, up to a
// factor common to all pieces; wt is the integral of t times the integrand, with the same factor. The field mid is a
// value of t inside the piece.
type piece struct{ w, wt, mid float64 }

// newLine prepares a line for the matrix A and the prior's scale b; the line is not yet set to a sample. It returns an
// error unless A is m×(m+1) and has rank m.
func newLine(a *mat.Dense, b float64) (*line, error) {
	m, n := a.Dims()
	if n != m+1 {
		return nil, fmt.Errorf("ica: the exact integral along a line needs n = m+1, got A %d×%d", m, n)
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDFull) {
		return nil, fmt.Errorf("ica: singular values of A not found")
	}
	sv := svd.Values(nil)
	if !(sv[m-1] > 1e-12*sv[0]) {
		return nil, fmt.Errorf("ica: A has rank below %d", m)
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	l := &line{m: m, n: n, b: b, pinv: make([]float64, n*m), v: mat.Col(nil, n-1, &v), brk: make([]float64, 0, n), top: make([]float64, n), pieces: make([]piece, n+1), s: make([]float64, n)}
	for k := range m {
		l.logDet += math.Log(sv[k])
		for j := range n {
			for i := range m {
				l.pinv[j*m+i] += v.At(j, k) * u.At(i, k) / sv[k]
			}
		}
	}
	return l, nil
}

func (l *line) particular(x []float64) {
	for j := range l.s {
		l.s[j] = vector.DotInOrder(l.pinv[j*l.m:(j+1)*l.m], x)
	}
}

// laplacian returns log P(x|A) = log ∫ Π exp(−|s_i|/b)/(2b) dt − ½ log det AA'. If c is not nil, laplacian adds
// E[sign(s_i) s_j | x] to c (n×n).
func (l *line) laplacian(x []float64, c []float64) float64 {
	l.particular(x)
	n := l.n
	l.brk = l.brk[:0]
	for j, v := range l.v {
		if v != 0 {
			l.brk = append(l.brk, -l.s[j]/v)
		}
	}
	slices.Sort(l.brk)
	// The exponent −‖s(t)‖₁/b is concave and piecewise linear, so its maximum is at a breakpoint. The maximum
	// is factored out of all integrals.
	low := math.Inf(1)
	top := l.top[:len(l.brk)]
	for k, t := range l.brk {
		top[k] = l.norm1(t)
		low = min(low, top[k])
	}
	for k, f := range top {
		top[k] = math.Exp((low - f) / l.b)
	}
	var z float64
	pieces := l.pieces[:len(l.brk)+1]
	for k := range pieces {
		p := &pieces[k]
		p.w, p.wt, p.mid = l.piece(k)
		z += p.w
	}
	if c != nil {
		for _, p := range pieces {
			w, wt, mid := p.w, p.wt, p.mid
			if w == 0 {
				continue
			}
			// The signs are constant on a piece, and the integral of s_j is s0_j w + v_j wt.
			for i := range n {
				sg := 1.0
				if l.s[i]+mid*l.v[i] < 0 {
					sg = -1
				}
				for j := range n {
					c[i*n+j] += sg * (l.s[j]*w + l.v[j]*wt) / z
				}
			}
		}
	}
	return math.Log(z) - low/l.b - float64(n)*math.Log(2*l.b) - l.logDet
}

func (l *line) norm1(t float64) float64 {
	var f float64
	for j, v := range l.v {
		f += math.Abs(l.s[j] + t*v)
	}
	return f
}

// piece integrates e(t) = exp((low − ‖s(t)‖₁)/b) and t e(t) over the k-th piece between breakpoints, where low is the
// smallest ‖s‖₁ at a breakpoint. The first and last pieces are half-lines. mid is a value of t inside the piece.
func (l *line) piece(k int) (w, wt, mid float64) {
	last := len(l.brk)
	var lo, hi float64
	switch k {
	case 0:
		hi = l.brk[0]
		mid = hi - 1
	case last:
		lo = l.brk[last-1]
		mid = lo + 1
	default:
		lo, hi = l.brk[k-1], l.brk[k]
		mid = (lo + hi) / 2
		if lo == hi {
			return 0, 0, mid
		}
	}
	var slope float64
	for j, v := range l.v {
		if l.s[j]+mid*v < 0 {
			v = -v
		}
		slope += v
	}
	g := -slope / l.b // d/dt of the exponent on this piece
	switch k {
	case 0: // ∫_{−∞}^{hi} e^{h + g (t−hi)}, g > 0
		e := l.top[0]
		return e / g, e / g * (hi - 1/g), mid
	case last: // ∫_{lo}^{∞} e^{h + g (t−lo)}, g < 0
		e := l.top[last-1]
		return -e / g, -e / g * (lo - 1/g), mid
	}
	w, wt = expPiece(lo, hi, l.top[k-1], l.top[k], g)
	return w, wt, mid
}

// expPiece integrates e^{g t + const} and t e^{g t + const} over [lo, hi], given the values elo and ehi of
// the first integrand at the ends.
func expPiece(lo, hi, elo, ehi, g float64) (w, wt float64) {
	d := hi - lo
	if q := g * d; math.Abs(q) < 1e-3 {
		// Use a series about the middle, because the closed form would suffer from cancellation.
		mid := (lo + hi) / 2
		em := math.Sqrt(elo * ehi)
		w = em * d * (1 + q*q/24)
		return w, mid*w + em*d*d*q/12*(1+q*q/40)
	}
	w = (ehi - elo) / g
	return w, (hi*ehi-lo*elo)/g - w/g
}

// exponential returns log P(x|A) = log ∫ p(s0 + t v) dt − ½ log det AA' for the prior exp(−s/b)/b, s >= 0. The result
// is −Inf if x is outside the cone of A's columns. The part of the line in the positive orthant is a segment or a
// half-line.
func (l *line) exponential(x []float64) float64 {
	l.particular(x)
	lo, hi := math.Inf(-1), math.Inf(1)
	var s0, slope float64
	for j, v := range l.v {
		s0 += l.s[j]
		slope += v
		switch {
		case v > 0:
			lo = max(lo, -l.s[j]/v)
		case v < 0:
			hi = min(hi, -l.s[j]/v)
		case l.s[j] < 0:
			return math.Inf(-1)
		}
	}
	if !(lo < hi) {
		return math.Inf(-1)
	}
	g := -slope / l.b
	rest := -float64(l.n)*math.Log(l.b) - l.logDet
	f := func(t float64) float64 { return -(s0 + t*slope) / l.b }
	switch {
	case math.IsInf(hi, 1): // all of v >= 0, so g < 0
		return f(lo) - math.Log(-g) + rest
	case math.IsInf(lo, -1):
		return f(hi) - math.Log(g) + rest
	}
	top := max(f(lo), f(hi))
	w, _ := expPiece(lo, hi, math.Exp(f(lo)-top), math.Exp(f(hi)-top), g)
	return math.Log(w) + top + rest
}
