package klcoding

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/trial"
)

// basis returns a random d×n matrix with unit-norm columns.
func basis(rng *rand.Rand, d, n int) *mat.Dense {
	b := mat.NewDense(d, n, nil)
	for j := range n {
		c := make([]float64, d)
		for i := range c {
			c[i] = rng.NormFloat64()
		}
		s := norm(c)
		for i := range c {
			b.Set(i, j, c[i]/s)
		}
	}
	return b
}

var normal = trial.Normal

// documents returns a random d×N matrix with distributions as columns, including zeros.
func documents(rng *rand.Rand, d, N int) *mat.Dense {
	m := mat.NewDense(d, N, nil)
	for k := range N {
		var sum float64
		c := make([]float64, d)
		for i := range c {
			if c[i] = max(0, rng.NormFloat64()); i == 0 {
				c[i] = 1
			}
			sum += c[i]
		}
		for i := range c {
			m.Set(i, k, c[i]/sum)
		}
	}
	return m
}

func coder(tb testing.TB, B mat.Matrix, opt Options) *Coder {
	tb.Helper()
	c, err := New(B, &opt)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func code(tb testing.TB, c *Coder, X mat.Matrix) *Result {
	tb.Helper()
	r, err := c.Code(context.Background(), X)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// difference returns max |a − b| / max(1, |b|).
func difference(a, b mat.Matrix) float64 {
	r, c := b.Dims()
	var t float64
	for i := range r {
		for j := range c {
			t = max(t, math.Abs(a.At(i, j)-b.At(i, j))/max(1, math.Abs(b.At(i, j))))
		}
	}
	return t
}

// doubledBasis returns [−B B] (D×2n).
func doubledBasis(B *mat.Dense) *mat.Dense {
	var minus, both mat.Dense
	minus.Scale(-1, B)
	both.Augment(&minus, B)
	return &both
}

// signed returns w⁺ − w⁻ (n×N) for codes on [−B B] (2n×N).
func signed(W *mat.Dense) *mat.Dense {
	n, N := W.Dims()
	s := mat.NewDense(n/2, N, nil)
	s.Sub(W.Slice(n/2, n, 0, N), W.Slice(0, n/2, 0, N))
	return s
}

// reference runs a textbook EGD in w, as the reference for codes and derivatives. It shares no code with the
// package. The step is halved permanently when the gradient rises, and the run ends when w no longer changes.
func reference(tb testing.TB, B *mat.Dense, x []float64, lambda float64, p []float64, loss Loss) []float64 {
	tb.Helper()
	d, n := B.Dims()
	w, g, f := append([]float64(nil), p...), make([]float64, n), make([]float64, d)
	gradient := func(w []float64) float64 {
		var sum, most float64
		top := math.Inf(-1)
		for i := range d {
			f[i] = 0
			for j := range n {
				f[i] += B.At(i, j) * w[j]
			}
			top = max(top, f[i])
		}
		if loss == Softmax {
			for i := range f {
				f[i] = math.Exp(f[i] - top)
				sum += f[i]
			}
			for i := range f {
				f[i] /= sum
			}
		}
		for j := range n {
			g[j] = lambda * math.Log(w[j]/p[j])
			for i := range d {
				g[j] += B.At(i, j) * (f[i] - x[i])
			}
			most = max(most, math.Abs(g[j]))
		}
		return most
	}
	next := make([]float64, n)
	alpha, last, best, since := 0.5/(lambda+1), gradient(w), math.Inf(1), 0
	old := append([]float64(nil), g...)
	for range 400000 {
		for j := range w {
			next[j] = w[j] * math.Exp(-alpha*old[j])
		}
		// Accept a step if the slope at its end still points down.
		m := gradient(next)
		var s float64
		for j := range w {
			s += g[j] * (next[j] - w[j])
		}
		if !(s <= 0) && m > 1e-13 {
			alpha /= 2
			if alpha < 1e-12 {
				break
			}
			continue
		}
		copy(w, next)
		copy(old, g)
		last = m
		if m < 0.9*best {
			best, since = m, 0
		} else if since++; since > 300 && m < 1e-11 {
			return w
		}
		alpha *= 1.05
	}
	if last > 1e-11 {
		tb.Fatalf("reference EGD ended at gradient %g", last)
	}
	return w
}

// referenceCodes is like reference, for all columns; the codes are signed if doubled.
func referenceCodes(tb testing.TB, B, X *mat.Dense, opt Options) *mat.Dense {
	tb.Helper()
	b := B
	if opt.Doubled {
		b = doubledBasis(B)
	}
	_, n := b.Dims()
	_, N := X.Dims()
	p := make([]float64, n)
	for j := range p {
		if p[j] = opt.P; opt.PVec != nil {
			p[j] = opt.PVec[j%len(opt.PVec)]
		}
	}
	W := mat.NewDense(n, N, nil)
	for i := range N {
		W.SetCol(i, reference(tb, b, mat.Col(nil, i, X), opt.Lambda, p, opt.Loss))
	}
	if opt.Doubled {
		return signed(W)
	}
	return W
}
