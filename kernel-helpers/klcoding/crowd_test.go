//lint:file-ignore SA1012 a nil context is allowed, and tested here

package klcoding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/gemm"
)

// words returns a problem of the size of a small text task, with an offset in every other trial.
func words(rng *rand.Rand, trial int) (B, X *mat.Dense, opt Options) {
	d, n, N := 2+rng.IntN(60), 1+rng.IntN(50), 1+rng.IntN(300)
	B, X = basis(rng, d, n), documents(rng, d, N)
	opt = Options{Loss: Softmax, Lambda: []float64{1e-3, 1e-2, 0.1, 1e-4}[trial%4], P: []float64{0.1, 1, 0.01}[trial%3], Doubled: trial%5 == 0, Tolerance: 1e-11}
	if trial%2 == 0 {
		opt.Offset = make([]float64, d)
		for i := range opt.Offset {
			opt.Offset[i] = 2 * rng.NormFloat64()
		}
	}
	return B, X, opt
}

// NewtonCG agrees with logNewton and adjoint, which use the Hessian, signal by signal.
func TestNewtonCG(t *testing.T) {
	for trial := range 12 {
		rng := rand.New(rand.NewPCG(40, uint64(trial)))
		B, X, opt := words(rng, trial)
		d, n := B.Dims()
		_, N := X.Dims()
		G := normal(rng, n, N, 1)
		exact := coder(t, B, opt)
		opt.Method = NewtonCG
		if trial%3 == 0 {
			opt.Typical = mat.Col(nil, 0, X)
		}
		c := coder(t, B, opt)
		name := fmt.Sprintf("trial %d: %d×%d, %d signals, λ %g", trial, d, n, N, opt.Lambda)
		want, got := code(t, exact, X), code(t, c, X)
		if e := difference(got.W, want.W); e > 1e-7 {
			t.Errorf("%s: W differs by %g", name, e)
		}
		if e := difference(got.R, want.R); e > 1e-8 {
			t.Errorf("%s: R differs by %g", name, e)
		}
		slow, err := exact.VJP(nil, X, want.W, G)
		if err != nil {
			t.Fatal(err)
		}
		g, err := c.VJP(nil, X, want.W, G)
		if err != nil {
			t.Fatal(err)
		}
		if e := difference(g.B, slow.B); e > 1e-7*(1+mat.Norm(slow.B, 1)) {
			t.Errorf("%s: dl/dB differs by %g", name, e)
		}
		if e := difference(g.X, slow.X); e > 1e-7*(1+mat.Norm(slow.X, 1)) {
			t.Errorf("%s: dl/dx differs by %g", name, e)
		}
		// Start near the solution, and at the solution.
		near := mat.DenseCopyOf(want.W)
		near.Apply(func(_, _ int, v float64) float64 { return v * (1 + 0.1*rng.NormFloat64()) }, near)
		again, err := c.CodeNear(nil, X, near)
		if err != nil {
			t.Fatal(err)
		}
		if e := difference(again.W, want.W); e > 1e-7 {
			t.Errorf("%s: from near W differs by %g", name, e)
		}
		if again, err = c.CodeNear(nil, X, want.W); err != nil {
			t.Fatal(err)
		}
		for i, s := range again.Iterations {
			if s > 2 {
				t.Errorf("%s: signal %d: %d steps from the answer", name, i, s)
			}
		}
		// Now in float32.
		opt.Single, opt.Tolerance = true, 1e-5
		half, err := coder(t, B, opt).Code(nil, X)
		if err != nil {
			t.Errorf("%s: doubled %v offset %v: %v", name, opt.Doubled, opt.Offset != nil, err)
		}
		if e := difference(half.R, want.R); e > 1e-2 {
			t.Errorf("%s: in float32 R differs by %g", name, e)
		}
		g, err = coder(t, B, opt).VJP(nil, X, want.W, G)
		if err != nil {
			t.Fatal(err)
		}
		if e := difference(g.B, slow.B); e > 1e-3*(1+mat.Norm(slow.B, 1)) {
			t.Errorf("%s: in float32 dl/dB differs by %g of %g", name, e, mat.Norm(slow.B, 1))
		}
	}
}

// The offset enters correctly. The reference on [b B] would need w_0 = 1, which the prior cannot fix, so
// compare with the gradient (6) written out.
func TestOffset(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 0))
	for trial := range 6 {
		B, X, opt := words(rng, 2*trial)
		for _, method := range []Method{Newton, EGD, NewtonCG} {
			opt.Method, opt.Tolerance = method, 1e-7
			c := coder(t, B, opt)
			d, n := B.Dims()
			x := X.Slice(0, d, 0, 1)
			res, err := c.Code(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			// f by hand.
			f, sum := make([]float64, d), 0.0
			for i := range d {
				z := opt.Offset[i]
				for j := range n {
					z += B.At(i, j) * res.W.At(j, 0)
				}
				f[i] = math.Exp(z)
				sum += f[i]
			}
			fit := c.Inverse(res.W)
			for i := range d {
				if f[i] /= sum; math.Abs(f[i]-fit.At(i, 0)) > 1e-12 {
					t.Errorf("%v: Inverse gives %v, must be %v", method, fit.At(i, 0), f[i])
				}
			}
			for j := range n {
				w := res.W.At(j, 0)
				g := opt.Lambda * math.Log(w/opt.P)
				if opt.Doubled {
					g = opt.Lambda * math.Asinh(w/2/opt.P)
				}
				for i := range d {
					g += B.At(i, j) * (f[i] - x.At(i, 0))
				}
				if math.Abs(g) > 1e-6 {
					t.Errorf("%v: the gradient of w_%d is %g", method, j, g)
				}
			}
		}
	}
}

// VJP with an offset agrees with central differences of exact codes.
func TestOffsetVJP(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 0))
	d, n := 7, 5
	B, X, G := basis(rng, d, n), documents(rng, d, 2), normal(rng, n, 2, 1)
	opt := Options{Loss: Softmax, Lambda: 0.02, P: 0.3, Offset: []float64{1, -1, 0.5, 0, 2, -2, 0.1}, Tolerance: -1}
	l := func(B *mat.Dense) float64 {
		var p mat.Dense
		p.MulElem(G, code(t, coder(t, B, opt), X).W)
		return mat.Sum(&p)
	}
	cg := opt
	cg.Method, cg.Tolerance = NewtonCG, 1e-12
	c := coder(t, B, cg)
	g, err := c.VJP(nil, X, code(t, c, X).W, G)
	if err != nil {
		t.Fatal(err)
	}
	const h = 1e-5
	for i := range d {
		for j := range n {
			move := func(e float64) float64 {
				b := mat.DenseCopyOf(B)
				b.Set(i, j, b.At(i, j)+e)
				return l(b)
			}
			want := (move(h) - move(-h)) / (2 * h)
			if got := g.B.At(i, j); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("dl/dB[%d,%d] is %v, differences give %v", i, j, got, want)
			}
		}
	}
}

// A signal's code has the same bits with any other signals and any number of goroutines.
func TestCrowdCompany(t *testing.T) {
	defer gemm.SetWorkers(gemm.SetWorkers(1))
	gemm.Use()
	rng := rand.New(rand.NewPCG(42, 0))
	d, n, N := 70, 40, 2*lanes+37
	B, X, G := basis(rng, d, n), documents(rng, d, N), normal(rng, n, N, 1)
	for _, single := range []bool{false, true} {
		opt := Options{Loss: Softmax, Method: NewtonCG, Lambda: 2e-3, P: 0.1, Workers: 1, Single: single, Tolerance: 1e-6}
		all := code(t, coder(t, B, opt), X)
		back, err := coder(t, B, opt).VJP(nil, X, all.W, G)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range [][2]int{{0, 1}, {7, 9}, {3, N}, {N - 1, N}, {0, N}} {
			opt.Workers = 3
			from, to := part[0], part[1]
			c, x := coder(t, B, opt), X.Slice(0, d, from, to)
			few := code(t, c, x)
			if w := all.W.Slice(0, n, from, to); !mat.Equal(few.W, w) {
				t.Errorf("single %v, signals %d to %d: W differs by %g", single, from, to, difference(few.W, w))
			}
			g, err := c.VJP(nil, x, few.W, G.Slice(0, n, from, to))
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(g.X, back.X.Slice(0, d, from, to)) {
				t.Errorf("single %v, signals %d to %d: dl/dx differs", single, from, to)
			}
		}
	}
}

func TestCrowdRefusals(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 0))
	B, X := basis(rng, 3, 2), documents(rng, 3, 2)
	good := Options{Loss: Softmax, Method: NewtonCG, Lambda: 1, P: 1}
	for want, change := range map[string]func(o *Options){
		"Softmax only":  func(o *Options) { o.Loss = Squared },
		"NewtonCG only": func(o *Options) { o.Method, o.Single = Newton, true },
		"Offset[1]":     func(o *Options) { o.Offset = []float64{0, math.NaN(), 0} },
		"Typical[2]":    func(o *Options) { o.Typical = []float64{0, 0, -1} },
	} {
		o := good
		change(&o)
		if _, err := New(B, &o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, must name %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := coder(t, B, good).Code(ctx, X); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
	for _, good.Single = range []bool{true, false} {
		tr, err := coder(t, B, good).Trace(nil, mat.Col(nil, 0, X))
		if err != nil || tr.Status != ended.Converged || len(tr.Gradient) < 2 {
			t.Errorf("Trace: %v, %v", tr, err)
		}
	}
	o := good
	o.Offset = []float64{1}
	if r := panics.Value(func() { New(B, &o) }); r == nil || !strings.Contains(fmt.Sprint(r), "klcoding: Offset") {
		t.Errorf("an Offset of the wrong length: %v", r)
	}
}
