package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/ui/progress"
)

func TestMaxentGradient(t *testing.T) {
	X, y := blobs(37, 5, 4, 1, 1)
	W := random(4, 5, 0.5, 2)
	b := []float64{0.1, -0.2, 0.3, 0}
	const alpha = 0.3
	_, dW, db := MaxentObjective(W, b, X, y, alpha)
	f := func() float64 { f, _, _ := MaxentObjective(W, b, X, y, alpha); return f }
	for k := range 4 {
		for j := range 5 {
			near(t, fmt.Sprintf("dW(%d,%d)", k, j), dW.At(k, j), derivative(&W.RawRowView(k)[j], f), 1e-8)
		}
		near(t, fmt.Sprintf("db[%d]", k), db[k], derivative(&b[k], f), 1e-8)
	}
	m := &Maxent{W: W, B: b}
	loss, dX := m.InputGradient(X, y)
	near(t, "loss", loss, m.Loss(X, y), 1e-14)
	for i := range 37 {
		for j := range 5 {
			near(t, fmt.Sprintf("dX(%d,%d)", i, j), dX.At(i, j), derivative(&X.RawRowView(i)[j], func() float64 { return m.Loss(X, y) }), 1e-8)
		}
	}
	// want is the loss computed by its definition.
	P, want := m.Probabilities(X), 0.0
	for i, c := range y {
		want -= math.Log(P.At(i, c)) / 37
		near(t, "sum of probabilities", floats.Sum(P.RawRowView(i)), 1, 1e-14)
	}
	near(t, "loss", loss, want, 1e-13)
}

func TestMaxentExtremeScores(t *testing.T) {
	z := []float64{1e4, -1e4, 0}
	near(t, "loss", crossEntropy(z, 1), 2e4, 1e-14)
	if z[0] != 1 || z[1] != -1 || z[2] != 0 {
		t.Errorf("gradient %v", z)
	}
}

func TestMaxentMinimum(t *testing.T) {
	X, y := digits(t, 300, 10, 3)
	before := mat.DenseCopyOf(X)
	last := progress.Event{}
	m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: 0.01, Tolerance: 1e-9, Recorder: progress.Func(func(e progress.Event) { last = e })})
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != ended.Converged || !mat.Equal(before, X) || len(m.History) != m.Iterations+1 || last.Step != m.Iterations {
		t.Fatalf("status %v, %d steps, %d in history, last event %d", m.Status, m.Iterations, len(m.History), last.Step)
	}
	f, dW, db := MaxentObjective(m.W, m.B, X, y, 0.01)
	if g := math.Max(mat.Max(dW), -mat.Min(dW)); g > 1e-9 || floats.Norm(db, math.Inf(1)) > 1e-9 || f != m.Objective {
		t.Errorf("gradient %g, %g; objective %v recorded as %v", g, db, f, m.Objective)
	}
	for i := 1; i < len(m.History); i++ {
		if m.History[i] > m.History[i-1]+1e-12 {
			t.Errorf("the objective rose in step %d: %v to %v", i, m.History[i-1], m.History[i])
		}
	}
	// The penalty makes each column of W sum to 0 over the classes. The free bias makes the model's mean
	// probabilities equal the class shares.
	for j := range 100 {
		if s := mat.Sum(m.W.ColView(j)); math.Abs(s) > 1e-6 {
			t.Errorf("column %d of W sums to %g", j, s)
		}
	}
	P := m.Probabilities(X)
	for k := range 10 {
		near(t, "mean probability", mat.Sum(P.ColView(k))/300, 0.1, 1e-7)
	}
	// A fit that starts at the minimum ends there at once.
	w, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: 0.01, Tolerance: 1e-9, Start: m})
	if err != nil || w.Iterations != 0 || w.Objective != m.Objective {
		t.Errorf("warm start: %v, %d steps", err, w.Iterations)
	}
	w, err = FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: 0.012, Tolerance: 1e-9, Start: m})
	if err != nil || w.Status != ended.Converged || w.Iterations >= m.Iterations {
		t.Errorf("warm start from another alpha: %v, %d steps against %d", err, w.Iterations, m.Iterations)
	}
}

func TestMaxentTwoClassesOneFeature(t *testing.T) {
	// Compare with a closed form: one point of class 1 is at x = 1, and one point of class 0 is at −1. By symmetry w_1
	// = −w_0 = w/2 and b = 0. So w minimizes log(1 + e^−w) + (α/4)w², which means that 1/(1+e^w) = αw/2.
	m, err := FitMaxent(t.Context(), mat.NewDense(2, 1, []float64{1, -1}), []int{1, 0}, &MaxentOptions{Alpha: 0.1, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	w := m.W.At(1, 0) - m.W.At(0, 0)
	near(t, "slope", 1/(1+math.Exp(w)), 0.05*w, 1e-10)
	near(t, "bias", m.B[1]-m.B[0], 0, 1e-10)
}

func TestMaxentRefuses(t *testing.T) {
	X, y := blobs(10, 2, 2, 1, 1)
	bad := mat.DenseCopyOf(X)
	bad.Set(3, 1, math.NaN())
	for _, c := range []struct {
		X    mat.Matrix
		y    []int
		opt  *MaxentOptions
		want string
	}{
		{bad, y, nil, "X(3, 1) is NaN"},
		{&mat.Dense{}, nil, nil, "X is empty"},
		{X, make([]int, 10), nil, "only one class"},
		{X, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, nil, "only one class"},
		{X, []int{0, 1, 0, 1, 0, 1, 0, -1, 0, 1}, nil, "y[7] is -1"},
		{X, []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 2}, &MaxentOptions{Classes: 2}, "y[9] is 2"},
		{X, y, &MaxentOptions{Alpha: math.NaN()}, "Alpha is NaN"},
	} {
		if _, err := FitMaxent(t.Context(), c.X, c.y, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if r := panics.Value(func() { FitMaxent(t.Context(), X, y[:9], nil) }); r == nil || !strings.HasPrefix(fmt.Sprint(r), "classify: ") {
		t.Errorf("panic %v", r)
	}
}

func TestMaxentStops(t *testing.T) {
	X, y := blobs(50, 5, 3, 0.5, 1)
	ctx, cancel := context.WithCancel(context.Background())
	m, err := FitMaxent(ctx, X, y, &MaxentOptions{Recorder: progress.Func(func(e progress.Event) {
		if e.Step == 3 {
			cancel()
		}
	})})
	if !errors.Is(err, context.Canceled) || m.Iterations != 3 || m.Status != ended.Interrupted {
		t.Errorf("%v after %d steps, %v", err, m.Iterations, m.Status)
	}
	if m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{MaxIterations: 2}); !errors.Is(err, ended.ErrNotConverged) || m.Status != ended.IterationLimit {
		t.Errorf("%v, %v", err, m.Status)
	}
	// A tolerance below rounding cannot be met, and the remaining gradient is rounding error.
	if m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: 0.1, Tolerance: 1e-300}); !errors.Is(err, ended.ErrNotConverged) || m.Status != ended.NoProgress || m.Gradient > 1e-9 {
		t.Errorf("%v, %v, gradient %g", err, m.Status, m.Gradient)
	}
}

// TestMinimizer minimizes Rosenbrock's function, whose minimum is 0 at (1, 1).
func TestMinimizer(t *testing.T) {
	x := []float64{-1.2, 1}
	res := (&minimizer{memory: 5, steps: 200, tolerance: 1e-10, ctx: context.Background(), each: func(int, float64, float64) {},
		eval: func(x, g []float64) float64 {
			a, b := 1-x[0], x[1]-x[0]*x[0]
			g[0], g[1] = -2*a-400*x[0]*b, 200*b
			return a*a + 100*b*b
		}}).run(x)
	if res.status != ended.Converged || math.Abs(x[0]-1) > 1e-9 || math.Abs(x[1]-1) > 1e-9 || res.evaluations > 80 {
		t.Errorf("%+v at %v", res, x)
	}
}

// TestMaxentPeer compares with scikit-learn's LogisticRegression. W and f must agree, because f is strictly
// convex in W.
func TestMaxentPeer(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.linear_model import LogisticRegression", "numpy", "sklearn")
	X, y := digits(t, 300, 10, 5)
	send(t, py, X, y)
	const alpha = 0.003
	m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: alpha, Tolerance: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	// scikit-learn's L-BFGS stops when the objective changes by less than 2e-9, even if tol is smaller.
	py.Do(fmt.Sprintf("m = LogisticRegression(C=1/(%g*300), solver='newton-cg', tol=1e-6, max_iter=1000).fit(X, y)", alpha))
	w := py.Floats("m.coef_.ravel()")
	f, _, _ := MaxentObjective(mat.NewDense(10, 100, w), py.Floats("m.intercept_"), X, y, alpha)
	near(t, "objective", m.Objective, f, 1e-9)
	if d := floats.Distance(w, m.W.RawMatrix().Data, math.Inf(1)); d > 1e-4 {
		t.Errorf("W differs by %g", d)
	}
}

// newtonMinimum returns the minimum of the weighted f by Newton's method, with all second derivatives, starting
// from W = 0. It first subtracts the features' means, which changes only b.
func newtonMinimum(t *testing.T, X *mat.Dense, y []int, s []float64, K int, alpha float64) float64 {
	t.Helper()
	n, d := X.Dims()
	C := mat.DenseCopyOf(X)
	for j := range d {
		col := mat.Col(nil, j, X)
		mean := floats.Sum(col) / float64(n)
		for range 2 { // the second pass removes the rounding errors of the first
			for i := range n {
				C.Set(i, j, X.At(i, j)-mean)
			}
			mean += mat.Sum(C.ColView(j)) / float64(n)
		}
	}
	m := d + 1
	theta := make([]float64, K*m) // a row (w_k, b_k) per class
	at := func(theta []float64) (f float64, P *mat.Dense) {
		P = mat.NewDense(n, K, nil)
		for i := range n {
			z := P.RawRowView(i)
			for k := range K {
				z[k] = floats.Dot(theta[k*m:k*m+d], C.RawRowView(i)) + theta[k*m+d]
			}
			lse := floats.LogSumExp(z)
			f += s[i] * (lse - z[y[i]]) / float64(n)
			for k := range z {
				z[k] = math.Exp(z[k] - lse)
			}
		}
		for k := range K {
			f += alpha / 2 * floats.Dot(theta[k*m:k*m+d], theta[k*m:k*m+d])
		}
		return f, P
	}
	for range 200 {
		f, P := at(theta)
		g, H := make([]float64, K*m), mat.NewSymDense(K*m, nil)
		for k := range K {
			for j := range d {
				g[k*m+j] = alpha * theta[k*m+j]
				H.SetSym(k*m+j, k*m+j, alpha)
			}
			H.SetSym(k*m+d, k*m+d, 1e-13) // adding a constant to b changes nothing
		}
		for i := range n {
			x := append(mat.Row(nil, i, C), 1)
			for a := range K {
				r := P.At(i, a)
				if a == y[i] {
					r--
				}
				floats.AddScaled(g[a*m:(a+1)*m], s[i]*r/float64(n), x)
				for b := range K {
					h := -P.At(i, a) * P.At(i, b)
					if a == b {
						h += P.At(i, a)
					}
					for p := range m {
						for q := range m {
							if a*m+p <= b*m+q {
								H.SetSym(a*m+p, b*m+q, H.At(a*m+p, b*m+q)+s[i]*h*x[p]*x[q]/float64(n))
							}
						}
					}
				}
			}
		}
		scale := make([]float64, K*m) // scales H to a unit diagonal
		for a := range scale {
			scale[a] = 1 / math.Sqrt(H.At(a, a))
		}
		floats.Mul(g, scale)
		for a := range K * m {
			for b := a; b < K*m; b++ {
				H.SetSym(a, b, H.At(a, b)*scale[a]*scale[b])
			}
		}
		var chol mat.Cholesky
		var p mat.VecDense
		if !chol.Factorize(H) {
			t.Fatal("no factor")
		}
		if err := chol.SolveVecTo(&p, mat.NewVecDense(K*m, g)); err != nil && p.Len() == 0 {
			t.Fatal(err)
		}
		floats.Mul(p.RawVector().Data, scale)
		better := false
		for step := 1.0; step > 1e-9; step /= 2 {
			next := append([]float64{}, theta...)
			floats.AddScaled(next, -step, p.RawVector().Data)
			if h, _ := at(next); h < f {
				theta, better = next, true
				break
			}
		}
		if !better {
			return f
		}
	}
	t.Fatal("Newton's method does not end")
	return 0
}

// TestMaxentGap: Gap bounds the distance from the minimum (which Newton's method finds), wherever training ends, and
// however far the features are from 0. The status Converged means what the options promise.
func TestMaxentGap(t *testing.T) {
	type problem struct {
		X    *mat.Dense
		y    []int
		s, c []float64
	}
	mix, ym := blobs(60, 3, 2, 0.7, 3)
	three, y3 := blobs(45, 2, 3, 2, 4)
	years := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	weights := make([]float64, 45)
	for i := range weights {
		weights[i] = float64(i % 4)
	}
	problems := map[string]problem{
		"years":   {X: years, y: []int{0, 0, 1, 1}},
		"mix":     {X: mix, y: ym},
		"three":   {X: three, y: y3},
		"weights": {X: three, y: y3, s: weights, c: []float64{1, 10, 3}},
		"a large column": {X: scaled(mix, func(_, j int, v float64) float64 {
			return v * []float64{1, 1e3, 1}[j]
		}), y: ym},
		"a constant": {X: scaled(mix, func(_, j int, v float64) float64 { return []float64{v, 7, v}[j] }), y: ym},
	}
	for name, p := range problems {
		for _, off := range []float64{0, 20, 2000, -1e5, 1e8} {
			X := scaled(p.X, func(_, j int, v float64) float64 { return v + off*float64(j+1) })
			n, _ := X.Dims()
			K := slices.Max(p.y) + 1
			s, err := pointWeights("", p.c, p.s, p.y, K)
			if err != nil {
				t.Fatal(err)
			}
			if s == nil {
				s = make([]float64, n)
				floats.AddConst(1, s)
			}
			least := newtonMinimum(t, X, p.y, s, K, 0.01)
			for kind, A := range map[string]mat.Matrix{"dense": X, "sparse": csr.Of(X)} {
				options := []MaxentOptions{{}, {Gap: 1e-3}, {Tolerance: 1e-9}}
				for steps := 1; steps < 12; steps += 2 {
					options = append(options, MaxentOptions{MaxIterations: steps, Gap: 1e-9})
				}
				for _, o := range options {
					o.Alpha, o.ClassWeights, o.SampleWeights = 0.01, p.c, p.s
					m, err := FitMaxent(t.Context(), A, p.y, &o)
					if ended.Accept(err) != nil {
						t.Fatalf("%s + %g, %s: %v", name, off, kind, err)
					}
					what := fmt.Sprintf("%s + %g, %s, %+v", name, off, kind, o)
					if err != nil && o.MaxIterations == 0 {
						t.Errorf("%s: %v", what, err)
					}
					// Features near 1e8 are rounded at 1e-8, and so are the scores.
					rounding := 1e-14 * (1 + math.Abs(off))
					if m.Gap < 0 || m.Objective-m.Gap > least*(1+1e-12)+rounding {
						t.Errorf("%s: at least %.15g, the minimum is %.15g", what, m.Objective-m.Gap, least)
					}
					if most := least * 1.0011; err == nil && m.Objective > most+rounding {
						t.Errorf("%s: converged at %v, the minimum is %v", what, m.Objective, least)
					}
					var own float64
					if p.s == nil {
						own, _, _ = MaxentObjective(m.W, m.B, A, p.y, 0.01)
						if math.Abs(own-m.Objective) > 1e-12*own+1e-14*math.Abs(off)*(1+mat.Norm(m.W, 2)) {
							t.Errorf("%s: told %v, is %v", what, m.Objective, own)
						}
					}
					if o.MaxIterations == 0 && math.Abs(off) < 1e6 { // farther away, b cannot be determined exactly
						o.Start = m
						if again, err := FitMaxent(t.Context(), A, p.y, &o); err != nil || again.Iterations > 2 {
							t.Errorf("%s: a start at the end takes %d steps, %v", what, again.Iterations, err)
						}
					}
				}
			}
		}
	}
}

// TestMaxentEmptyClass: a class without points has no weight in the gap's lower bound, and the gap stays finite.
func TestMaxentEmptyClass(t *testing.T) {
	X, y := blobs(60, 3, 2, 0.7, 3)
	for _, o := range []MaxentOptions{{Classes: 4}, {Classes: 4, Gap: 1e-3}} {
		m, err := FitMaxent(t.Context(), X, y, &o)
		if err != nil || !(m.Gap < 1e-3*m.Objective) {
			t.Errorf("%v, gap %v of %v", err, m.Gap, m.Objective)
		}
	}
}

// TestMaxentUnscaled checks that features of different sizes, with means that are far from 0, take few steps with the
// default options, and that the result is the minimum that Newton's method finds.
func TestMaxentUnscaled(t *testing.T) {
	for _, K := range []int{2, 4} {
		const n, d = 500, 8
		rng := rand.New(rand.NewPCG(3, uint64(K)))
		X, y, s := mat.NewDense(n, d, nil), make([]int, n), make([]float64, n)
		for i := range n {
			sum := 2 * rng.NormFloat64()
			for j := range d {
				v := rng.NormFloat64()
				sum += v
				X.Set(i, j, v*math.Pow(10, float64(j%5-2))+float64(j%3))
			}
			y[i] = min(K-1, max(0, int(sum+float64(K)/2)))
			s[i] = 1
		}
		for _, alpha := range []float64{1e-3, 1e-6} {
			for name, A := range map[string]mat.Matrix{"dense": X, "sparse": csr.Of(X)} {
				m, err := FitMaxent(t.Context(), A, y, &MaxentOptions{Alpha: alpha})
				if err != nil || m.Iterations > 110 {
					t.Errorf("%d classes, α %g, %s: %d steps, %v", K, alpha, name, m.Iterations, err)
				}
				if least := newtonMinimum(t, X, y, s, K, alpha); m.Objective-m.Gap > least*(1+1e-9) || m.Objective > least*1.0011 {
					t.Errorf("%d classes, α %g, %s: objective %v, gap %v, the minimum is %v", K, alpha, name, m.Objective, m.Gap, least)
				}
			}
		}
	}
}
