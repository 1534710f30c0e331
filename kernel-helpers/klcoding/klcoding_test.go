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
	"overcomplete/ui/progress"
)

// problems returns small random problems of every kind.
func problems(rng *rand.Rand, loss Loss, doubled bool) (B, X *mat.Dense, opt Options) {
	d, n := 3+rng.IntN(5), 2+rng.IntN(9)
	B = basis(rng, d, n)
	opt = Options{Lambda: 0.05 + rng.Float64(), P: 0.02 + rng.Float64()/2, Doubled: doubled, Loss: loss, Tolerance: 1e-12}
	X = normal(rng, d, 3, 1)
	if loss == Softmax {
		X = documents(rng, d, 3)
		B.Scale(2, B)
		opt.Lambda /= 10
	}
	return B, X, opt
}

func every(t *testing.T, do func(t *testing.T, loss Loss, doubled bool)) {
	for _, loss := range []Loss{Squared, Softmax} {
		for _, doubled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v doubled %v", loss, doubled), func(t *testing.T) { do(t, loss, doubled) })
		}
	}
}

func TestSolversAgree(t *testing.T) {
	every(t, func(t *testing.T, loss Loss, doubled bool) {
		rng := rand.New(rand.NewPCG(1, uint64(loss)))
		for trial := range 12 {
			B, X, opt := problems(rng, loss, doubled)
			if trial%3 == 0 { // one p for each column
				_, n := B.Dims()
				opt.P, opt.PVec = 0, make([]float64, n)
				for j := range opt.PVec {
					opt.PVec[j] = 0.05 + rng.Float64()
				}
			}
			newton := code(t, coder(t, B, opt), X)
			opt.Method = EGD
			egd := code(t, coder(t, B, opt), X)
			if e := difference(newton.W, egd.W); e > 1e-9 {
				t.Errorf("trial %d: Newton and EGD differ by %g", trial, e)
			}
			if e := difference(newton.W, referenceCodes(t, B, X, opt)); e > 1e-9 {
				t.Errorf("trial %d: Newton and the reference differ by %g", trial, e)
			}
		}
	})
}

// At the optimum w = p exp(B'r/λ) with r = x − f(Bw), doubled 2p sinh(B'r/λ).
func TestOptimality(t *testing.T) {
	every(t, func(t *testing.T, loss Loss, doubled bool) {
		rng := rand.New(rand.NewPCG(2, 0))
		for range 20 {
			B, X, opt := problems(rng, loss, doubled)
			opt.Tolerance = -1
			c := coder(t, B, opt)
			res := code(t, c, X)
			var r, v mat.Dense
			r.Sub(X, c.Inverse(res.W))
			v.Mul(B.T(), &r)
			v.Apply(func(_, _ int, u float64) float64 {
				if doubled {
					return 2 * opt.P * math.Sinh(u/opt.Lambda)
				}
				return opt.P * math.Exp(u/opt.Lambda)
			}, &v)
			if e := difference(&v, res.W); e > 1e-12 {
				t.Errorf("w − p exp(B'r/λ): %g", e)
			}
			if e := difference(res.R, &r); e > 1e-13 {
				t.Errorf("R is not x − f(Bw): %g", e)
			}
		}
	})
}

func TestDoubledIsExplicit(t *testing.T) {
	for _, loss := range []Loss{Squared, Softmax} {
		for _, method := range []Method{Newton, EGD} {
			rng := rand.New(rand.NewPCG(3, 0))
			for range 8 {
				B, X, opt := problems(rng, loss, true)
				opt.Method = method
				short := code(t, coder(t, B, opt), X)
				opt.Doubled = false
				long := code(t, coder(t, doubledBasis(B), opt), X)
				if e := difference(short.W, signed(long.W)); e > 1e-10 {
					t.Errorf("%v, %v: doubled and [−B B] differ by %g", loss, method, e)
				}
			}
		}
	}
}

// The iterates of EGD on [−B B] are those of EGD in v.
func TestDoubledSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	B, X, opt := problems(rng, Squared, true)
	opt.Method, opt.Tolerance = EGD, 1e-6
	x := mat.Col(nil, 0, X)
	short, err := coder(t, B, opt).Trace(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	opt.Doubled = false
	long, err := coder(t, doubledBasis(B), opt).Trace(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	if len(short.Gradient) != len(long.Gradient) || len(short.Gradient) < 5 {
		t.Fatalf("%d and %d steps", len(short.Gradient), len(long.Gradient))
	}
	if e := difference(short.W, signed(long.W)); e > 1e-12 {
		t.Errorf("the paths differ by %g", e)
	}
	for i, f := range short.Objective {
		if math.Abs(f-long.Objective[i]) > 1e-12*(1+f) {
			t.Errorf("objective %d: %v and %v", i, f, long.Objective[i])
		}
		if i > 0 && f > short.Objective[i-1]+1e-14 {
			t.Errorf("objective rises at %d", i)
		}
	}
}

// (17): the signed code is the minimum of D_L + λΣ w arcsinh(w/2p) − √(w² + 4p²),
// whose gradient is written out here from the paper.
func TestArcsinh(t *testing.T) {
	for _, loss := range []Loss{Squared, Softmax} {
		rng := rand.New(rand.NewPCG(5, 0))
		for range 25 {
			B, X, opt := problems(rng, loss, true)
			c := coder(t, B, opt)
			res := code(t, c, X)
			var g mat.Dense
			f := c.Inverse(res.W)
			f.Sub(f, X)
			g.Mul(B.T(), f)
			n, N := g.Dims()
			value := func(w []float64, x []float64) float64 {
				var t float64
				for _, v := range w {
					t += v*math.Asinh(v/2/opt.P) - math.Hypot(v, 2*opt.P)
				}
				t *= opt.Lambda
				z := mat.NewVecDense(len(x), nil)
				z.MulVec(B, mat.NewVecDense(n, w))
				if loss == Squared {
					for i, v := range x {
						t += (v - z.AtVec(i)) * (v - z.AtVec(i)) / 2
					}
					return t
				}
				var sum float64
				for i, v := range x {
					sum += math.Exp(z.AtVec(i))
					t -= v * z.AtVec(i)
				}
				return t + math.Log(sum)
			}
			for i := range N {
				w, x := mat.Col(nil, i, res.W), mat.Col(nil, i, X)
				at := value(w, x)
				for j := range n {
					if e := g.At(j, i) + opt.Lambda*math.Asinh(w[j]/2/opt.P); math.Abs(e) > 1e-10 {
						t.Fatalf("%v: gradient of (17) is %g", loss, e)
					}
					for _, h := range []float64{-1e-3, 1e-3} {
						w[j] += h
						if value(w, x) <= at {
							t.Fatalf("%v: (17) falls in direction %d", loss, j)
						}
						w[j] -= h
					}
				}
			}
		}
	}
}

// H~ of system.dual is within δ/2 of H: all eigenvalues of H⁻¹H~ are in [1−δ/2, 1+δ/2].
func TestRestrictedHessian(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	dropped := 0
	for trial := range 40 {
		d, n := 4+rng.IntN(8), 8+rng.IntN(30)
		opt := Options{Lambda: 0.1, P: 0.05, Doubled: trial%2 == 0}
		c := coder(t, basis(rng, d, n), opt)
		v, w, cw := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range v {
			v[j] = 1.2 * rng.NormFloat64()
			if !opt.Doubled {
				v[j] = v[j]*2 - 2
			}
		}
		c.link.evaluate(w, cw, v)
		delta := rng.Float64()
		var exact, near system
		if !exact.dual(c, cw, 0) || !near.dual(c, cw, delta) {
			t.Fatal("no factor")
		}
		dropped += exact.used - near.used
		// |U⁻ᵀ (H~ − H) U⁻¹| for H = U'U, D×D.
		u := mat.NewTriDense(d, mat.Upper, exact.t.Data)
		un := mat.NewTriDense(d, mat.Upper, near.t.Data)
		var q, inv mat.Dense
		if err := inv.Inverse(u); err != nil {
			t.Fatal(err)
		}
		q.Mul(un, &inv)
		sym := mat.NewSymDense(d, nil)
		sym.SymOuterK(1, q.T())
		var e mat.EigenSym
		if !e.Factorize(sym, false) {
			t.Fatal("no eigenvalues")
		}
		for _, l := range e.Values(nil) {
			if math.Abs(l-1) > delta/2+1e-10 {
				t.Errorf("δ %g: eigenvalue %g", delta, l)
			}
		}
	}
	if dropped < 40 {
		t.Errorf("only %d columns were left out in all: the test shows nothing", dropped)
	}
}

// Extreme inputs: the exponential must not overflow, and the result must be right.
func TestGuards(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	B := basis(rng, 6, 12)
	X := normal(rng, 6, 4, 1)
	for _, doubled := range []bool{false, true} {
		for _, lambda := range []float64{1e-8, 1e-4, 1, 1e6} {
			for _, scale := range []float64{0, 1e-9, 1, 1e5, 1e30, 1e100} {
				for _, p := range []float64{1e-12, 1e-3, 10} {
					name := fmt.Sprintf("doubled %v, λ %g, x %g, p %g", doubled, lambda, scale, p)
					var x mat.Dense
					x.Scale(scale, X)
					res, err := coder(t, B, Options{Lambda: lambda, P: p, Doubled: doubled, MaxIterations: 2000}).Code(nil, &x)
					if err != nil && scale <= 1e5 {
						t.Errorf("%s: %v, steps %v", name, err, res.Iterations)
						continue
					}
					// Far beyond 1e17 p the Hessian has no correct digit: the result is an error with finite
					// numbers.
					for _, s := range res.Iterations {
						if s > 300 {
							t.Errorf("%s: %d steps", name, s)
						}
					}
					n, N := res.W.Dims()
					for i := range N {
						for j := range n {
							if v := res.W.At(j, i); math.IsNaN(v) || math.IsInf(v, 0) {
								t.Fatalf("%s: w is %v", name, v)
							}
						}
					}
				}
			}
		}
	}
}

// Newton and NewtonCG survive extreme inputs.
func TestGuardsSoftmax(t *testing.T) {
	for method, seed := range map[Method]uint64{Newton: 8, NewtonCG: 43} {
		rng := rand.New(rand.NewPCG(seed, 0))
		X := documents(rng, 20, 3)
		for _, doubled := range []bool{false, true} {
			for _, length := range []float64{1, 30} {
				B := basis(rng, 20, 8)
				B.Scale(length, B)
				for _, lambda := range []float64{1e-7, 1e-2, 1e3} {
					for _, p := range []float64{1e-9, 0.1, 5} {
						res, err := coder(t, B, Options{Lambda: lambda, P: p, Doubled: doubled, Loss: Softmax, Method: method, MaxIterations: 2000}).Code(nil, X)
						if err != nil {
							t.Errorf("%v, doubled %v, |B| %g, λ %g, p %g: %v, steps %v", method, doubled, length, lambda, p, err, res.Iterations)
						}
					}
				}
			}
		}
	}
}

func TestWarmStart(t *testing.T) {
	every(t, func(t *testing.T, loss Loss, doubled bool) {
		rng := rand.New(rand.NewPCG(9, 0))
		B, X, opt := problems(rng, loss, doubled)
		opt.Tolerance = 1e-10
		cold := code(t, coder(t, B, opt), X)
		c := coder(t, B, opt)
		warm, err := c.CodeFrom(nil, X, cold.R)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range warm.Iterations {
			if s > 1 || cold.Iterations[i] < 2 {
				t.Errorf("signal %d: %d steps warm, %d cold", i, s, cold.Iterations[i])
			}
		}
		// A start where w overflows is replaced.
		var far mat.Dense
		far.Scale(1e9, X)
		again, err := c.CodeFrom(nil, X, &far)
		if err != nil {
			t.Fatal(err)
		}
		if e := difference(again.W, cold.W); e > 1e-7 {
			t.Errorf("from far away: %g", e)
		}
	})
}

func TestDeterministic(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 0))
	B, X, G := basis(rng, 12, 30), normal(rng, 12, 25, 1), normal(rng, 30, 25, 1)
	b, x := mat.DenseCopyOf(B), mat.DenseCopyOf(X)
	var first *Result
	var grad *Gradient
	for _, workers := range []int{1, 2, 7} {
		c := coder(t, B, Options{Lambda: 0.1, P: 0.01, Doubled: true, Workers: workers})
		res := code(t, c, X)
		g, err := c.VJP(nil, X, res.W, G)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, grad = res, g
		}
		if !mat.Equal(first.W, res.W) || !mat.Equal(first.R, res.R) || !mat.Equal(grad.B, g.B) || !mat.Equal(grad.X, g.X) {
			t.Errorf("%d workers give another result", workers)
		}
	}
	if !mat.Equal(b, B) || !mat.Equal(x, X) {
		t.Error("an input was modified")
	}
}

// Footnote 4: α adapts from a start that is far too small or far too large.
func TestAlpha(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 0))
	B, X := basis(rng, 5, 9), normal(rng, 5, 3, 1)
	opt := Options{Lambda: 0.2, P: 0.05, Method: EGD, Tolerance: 1e-9}
	want := code(t, coder(t, B, opt), X)
	for _, alpha := range []float64{1e-5, 1e4} {
		opt.Alpha = alpha
		got := code(t, coder(t, B, opt), X)
		if e := difference(got.W, want.W); e > 1e-7 {
			t.Errorf("α %g: the result differs by %g", alpha, e)
		}
		// From 1e-5 to 0.5 takes ln(5e4)/ln 1.1 = 114 windows of 10 steps. Downward, each window gives a
		// factor of 0.9, and each step is tried with all its halvings.
		for i, s := range got.Iterations {
			if s > want.Iterations[i]+3000 {
				t.Errorf("α %g: %d steps, %d from the default", alpha, s, want.Iterations[i])
			}
		}
	}
}

// A point where the objective overflows is not lower, regardless of its gradient.
func TestLowerOverflow(t *testing.T) {
	k := &work{tw: []float64{0}}
	for _, g := range []float64{-1e240, 1e240, math.Inf(1)} {
		k.g = []float64{g}
		for _, f := range []float64{math.Inf(1), math.NaN()} {
			if k.isLower(1, f, []float64{1}) {
				t.Errorf("f %g with gradient %g", f, g)
			}
		}
	}
}

func TestAdapt(t *testing.T) {
	for back, want := range []float64{1.1, 1.1, 1.1, 1, 1, 1, 1, 0.9, 0.9, 0.9, 0.9} {
		if got := adapt(1, back, 10); got != want {
			t.Errorf("%d of 10 steps taken back: α times %v, want %v", back, got, want)
		}
	}
}

func TestRecorder(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 0))
	var seen []int
	c := coder(t, basis(rng, 3, 5), Options{Lambda: 1, P: 0.1, Recorder: progress.Func(func(e progress.Event) {
		if e.Total != 20 || e.What != "code" {
			t.Errorf("%+v", e)
		}
		seen = append(seen, e.Step)
	})})
	code(t, c, normal(rng, 3, 20, 1))
	for i, s := range seen {
		if s != i+1 {
			t.Fatalf("events %v", seen)
		}
	}
	if len(seen) != 20 {
		t.Errorf("%d events", len(seen))
	}
}

// The threshold found by Calibrate gives the promised accuracy, and one 30 times larger does not.
func TestCalibrate(t *testing.T) {
	for _, method := range []Method{EGD, Newton} {
		rng := rand.New(rand.NewPCG(11, 0))
		B, X := basis(rng, 5, 9), normal(rng, 5, 6, 1)
		opt := Options{Lambda: 0.2, P: 0.05, Doubled: true, Method: method}
		const eps = 1e-4
		tol, err := coder(t, B, opt).Calibrate(nil, X, eps, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		exact := referenceCodes(t, B, X, opt)
		worst := func(tol float64) float64 {
			opt.Tolerance = tol
			res := code(t, coder(t, B, opt), X)
			var most float64
			for i := range 6 {
				var off, size float64
				for j := range 9 {
					off += math.Abs(res.W.At(j, i) - exact.At(j, i))
					size += math.Abs(exact.At(j, i))
				}
				most = max(most, off/size)
			}
			return most
		}
		if e := worst(tol); e > eps*1.001 {
			t.Errorf("%v: threshold %g leaves %g", method, tol, e)
		}
		if method == EGD {
			if e := worst(30 * tol); e < eps {
				t.Errorf("threshold %g is far too small", tol)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 0))
	B := basis(rng, 4, 6)
	good := Options{Lambda: 1, P: 1}
	bad := func(name, want string, f func() error) {
		t.Helper()
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	with := func(f func(o *Options)) func() error {
		return func() error { o := good; f(&o); _, err := New(B, &o); return err }
	}
	bad("λ", "Lambda", with(func(o *Options) { o.Lambda = 0 }))
	bad("λ NaN", "Lambda", with(func(o *Options) { o.Lambda = math.NaN() }))
	bad("p", "P is", with(func(o *Options) { o.P = -1 }))
	bad("p inf", "PVec[2]", with(func(o *Options) { o.P = 0; o.PVec = []float64{1, 1, math.Inf(1), 1, 1, 1} }))
	bad("both", "both", with(func(o *Options) { o.PVec = []float64{1, 1, 1, 1, 1, 1} }))
	bad("loss", "loss", with(func(o *Options) { o.Loss = 7 }))
	bad("method", "method", with(func(o *Options) { o.Method = 7 }))
	bad("α", "Alpha", with(func(o *Options) { o.Alpha = -1 }))
	bad("tolerance", "NaN", with(func(o *Options) { o.Tolerance = math.NaN() }))
	bad("workers", "Workers", with(func(o *Options) { o.Workers = -1 }))
	bad("B", "B[1,2]", func() error {
		b := mat.DenseCopyOf(B)
		b.Set(1, 2, math.NaN())
		_, err := New(b, &good)
		return err
	})
	c := coder(t, B, good)
	x := normal(rng, 4, 3, 1)
	w := mat.NewDense(6, 3, nil)
	nan := mat.DenseCopyOf(x)
	nan.Set(3, 1, math.Inf(-1))
	bad("X", "X[3,1]", func() error { _, err := c.Code(nil, nan); return err })
	bad("R", "R[3,1]", func() error { _, err := c.CodeFrom(nil, x, nan); return err })
	bad("Trace", "X[3,0]", func() error { _, err := c.Trace(nil, mat.Col(nil, 1, nan)); return err })
	negative := mat.DenseCopyOf(w)
	negative.Set(5, 2, -1)
	bad("W", "W[5,2]", func() error { _, err := c.Objective(x, negative); return err })
	bad("eps", "eps", func() error { _, err := c.Calibrate(nil, x, 0, 1, 1); return err })
	soft := coder(t, B, Options{Lambda: 1, P: 1, Loss: Softmax})
	bad("negative document", "distribution", func() error { _, err := soft.Code(nil, x); return err })
	bad("sum", "column 0 of X has sum 4", func() error {
		_, err := soft.Code(nil, mat.NewDense(4, 1, []float64{1, 1, 1, 1}))
		return err
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, f := range []func() error{
		func() error { _, err := c.Code(ctx, x); return err },
		func() error { _, err := c.Trace(ctx, mat.Col(nil, 0, x)); return err },
		func() error { _, err := c.VJP(ctx, x, w, w); return err },
	} {
		if err := f(); !errors.Is(err, context.Canceled) {
			t.Errorf("after cancel: %v", err)
		}
	}
	few := coder(t, B, Options{Lambda: 1e-3, P: 1e-3, MaxIterations: 1})
	res, err := few.Code(nil, x)
	if !errors.Is(err, ErrNotConverged) || res == nil || res.Status[0] != ended.IterationLimit {
		t.Errorf("one step: %v, %v", res, err)
	}
	for name, f := range map[string]func(){
		"empty B":     func() { New(&mat.Dense{}, &good) },
		"nil X":       func() { c.Code(nil, nil) },
		"X rows":      func() { c.Code(nil, w) },
		"PVec":        func() { New(B, &Options{Lambda: 1, PVec: []float64{1}}) },
		"W rows":      func() { c.Objective(x, x) },
		"G":           func() { c.VJP(nil, x, w, x) },
		"R":           func() { c.CodeFrom(nil, x, w) },
		"trace":       func() { c.Trace(nil, []float64{1}) },
		"calibrate":   func() { c.Calibrate(nil, w, 1e-3, 1, 1) },
		"reconstruct": func() { c.Inverse(x) },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "klcoding: ") {
			t.Errorf("%s: panic %q", name, s)
		}
	}
}

// The objective at hand-made points: at w = p only the loss remains.
func TestObjective(t *testing.T) {
	B := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	x := mat.NewDense(2, 1, []float64{0.25, 0.75})
	for _, v := range []struct {
		opt  Options
		w    []float64
		want float64
	}{
		{Options{Lambda: 2, P: 1}, []float64{1, 1}, (0.75*0.75 + 0.25*0.25) / 2},
		{Options{Lambda: 2, P: 1}, []float64{0, 1}, (0.25*0.25+0.25*0.25)/2 + 2},
		{Options{Lambda: 2, P: 1}, []float64{math.E, 1}, (math.Pow(0.25-math.E, 2)+0.25*0.25)/2 + 2},
		{Options{Lambda: 2, P: 1, Doubled: true}, []float64{0, 0}, (0.75*0.75 + 0.25*0.25) / 2},
		// w⁺ = e, w⁻ = 1/e: e − e + 1 and −1/e − 1/e + 1.
		{Options{Lambda: 2, P: 1, Doubled: true}, []float64{0, 2 * math.Sinh(1)}, (0.25*0.25+math.Pow(0.75-2*math.Sinh(1), 2))/2 + 2*(2-2/math.E)},
		{Options{Lambda: 2, P: 1, Loss: Softmax}, []float64{1, 1}, 0.25*math.Log(0.5) + 0.75*math.Log(1.5)},
	} {
		f, err := coder(t, B, v.opt).Objective(x, mat.NewDense(2, 1, v.w))
		if err != nil || math.Abs(f[0]-v.want) > 1e-14 {
			t.Errorf("%+v at %v: %v, %v, want %v", v.opt, v.w, f, err, v.want)
		}
	}
}
