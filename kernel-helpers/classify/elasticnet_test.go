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

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// noisyLabels returns n normal points with d features, and labels of K classes, which depend on the first features.
func noisyLabels(n, d, K int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 77))
	X, y := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		for j := range d {
			X.Set(i, j, rng.NormFloat64())
		}
		best := math.Inf(-1)
		for k := range K {
			if v := 1.5*X.At(i, k%d) + rng.NormFloat64(); v > best {
				best, y[i] = v, k
			}
		}
	}
	for k := range K {
		y[k] = k
	}
	return X, y
}

// netObjective computes the objective that the comment of Maxent gives, by plain sums.
func netObjective(m *Maxent, X mat.Matrix, y []int, s []float64, alpha, rho float64) float64 {
	P := m.Probabilities(X)
	f := 0.0
	for i, c := range y {
		w := 1.0
		if s != nil {
			w = s[i]
		}
		f -= w * math.Log(P.At(i, c)) / float64(len(y))
	}
	for _, w := range m.W.RawMatrix().Data {
		f += alpha * (rho*math.Abs(w) + (1-rho)/2*w*w)
	}
	return f
}

// With a single feature that is 0 or 1, each of its two values has its own log odds. For the lasso, the gradient is 0
// if the predicted shares are ȳ_1 − αn/n_1 and ȳ_0 + αn/n_0.
func TestMaxentL1ByHand(t *testing.T) {
	// 10 points with x = 0, 3 of them in class 1, and 6 with x = 1, 5 of them in class 1
	var x []float64
	var y []int
	for i := range 16 {
		x, y = append(x, 0), append(y, 0)
		if i >= 10 {
			x[i] = 1
		}
		if i < 3 || i >= 11 {
			y[i] = 1
		}
	}
	X := mat.NewDense(16, 1, x)
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	for _, alpha := range []float64{0.001, 0.02, 0.05} {
		p1, p0 := 5./6-alpha*16/6, 0.3+alpha*16/10
		want := logit(p1) - logit(p0)
		if want < 0 {
			t.Fatal("the case is not what it should be")
		}
		m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: alpha, L1Ratio: 1, Tolerance: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		if v := m.W.At(1, 0) - m.W.At(0, 0); math.Abs(v-want) > 1e-9 || math.Abs(m.B[1]-m.B[0]-logit(p0)) > 1e-9 {
			t.Errorf("alpha %v: slope %v and intercept %v, want %v and %v", alpha, v, m.B[1]-m.B[0], want, logit(p0))
		}
	}
	// The gradient at w = 0 is 5/16 − 6/16·8/16. If α is larger than this, the weight is 0.
	path, err := FitMaxentPath(t.Context(), X, y, nil, &MaxentOptions{L1Ratio: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(path) != 50 || path[0].W.At(1, 0) != 0 || path[1].W.At(1, 0) == 0 {
		t.Errorf("a path of %d models begins with %v and %v", len(path), path[0].W, path[1].W)
	}
}

// The gap is a bound: after any number of steps, a model's objective exceeds the minimum by at most its gap. The
// minimum agrees with the result of proximal gradient steps, an independent method.
func TestMaxentElasticNet(t *testing.T) {
	for _, c := range []struct {
		n, d, K    int
		alpha, rho float64
	}{{40, 5, 2, 0.05, 1}, {40, 5, 2, 0.05, 0.5}, {60, 6, 3, 0.03, 1}, {60, 6, 4, 0.02, 0.3}, {30, 60, 2, 0.02, 1}, {30, 40, 3, 0.02, 0.8}, {40, 5, 2, 1e-6, 1}} {
		name := fmt.Sprint(c)
		X, y := noisyLabels(c.n, c.d, c.K, 3)
		fit := func(M mat.Matrix, steps int) *Maxent {
			m, err := FitMaxent(t.Context(), M, y, &MaxentOptions{Alpha: c.alpha, L1Ratio: c.rho, Tolerance: 1e-10, Gap: 1e-9, MaxIterations: steps})
			if ended.Accept(err) != nil || steps == 0 && err != nil {
				t.Fatal(name, err)
			}
			if f := netObjective(m, M, y, nil, c.alpha, c.rho); math.Abs(f-m.Objective) > 1e-12*(1+f) {
				t.Errorf("%s: objective %v, in plain sums %v", name, m.Objective, f)
			}
			return m
		}
		best := fit(X, 0)
		if best.Iterations > 40 {
			t.Errorf("%s: %d steps of Newton's method", name, best.Iterations)
		}
		if sparse := fit(csr.Of(X), 0); math.Abs(sparse.Objective-best.Objective) > 2e-9*best.Objective {
			t.Errorf("%s: sparse %v, dense %v", name, sparse.Objective, best.Objective)
		}
		if c.alpha > 1e-3 {
			if f := proximalGradient(X, y, c.K, c.alpha, c.rho); math.Abs(f-best.Objective) > 1e-8*f {
				t.Errorf("%s: objective %v, by proximal gradient steps %v", name, best.Objective, f)
			}
		}
		for steps := 1; steps < best.Iterations; steps++ {
			if m := fit(X, steps); m.Objective-m.Gap > best.Objective*(1+1e-12) || m.Objective < best.Objective-best.Gap-1e-12 {
				t.Errorf("%s: after %d steps %v with gap %v, the minimum is %v", name, steps, m.Objective, m.Gap, best.Objective)
			}
		}
		for k, f := range best.History[1:] {
			if f > best.History[k]*(1+1e-13) {
				t.Errorf("%s: step %d raises the objective: %v", name, k+1, best.History)
			}
		}
	}
}

// proximalGradient returns the objective after many accelerated proximal gradient steps with a fixed step length.
// The step length follows from a bound on the curvature, ½ ‖(X, 1)‖²/n.
func proximalGradient(X *mat.Dense, y []int, K int, alpha, rho float64) float64 {
	n, d := X.Dims()
	m := &Maxent{W: mat.NewDense(K, d, nil), B: make([]float64, K)}
	at := &Maxent{W: mat.NewDense(K, d, nil), B: make([]float64, K)}
	norm := mat.Norm(X, 2)
	step := 1 / (0.5 * (norm*norm + float64(n)) / float64(n))
	momentum := 1.0
	best := math.Inf(1)
	for range 4000 {
		_, dW, db := MaxentObjective(at.W, at.B, X, y, 0)
		next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		beta := (momentum - 1) / next
		move := func(old, a *float64, g, l1, l2 float64) float64 {
			v := *a - step*g
			v = math.Copysign(math.Max(0, math.Abs(v)-step*l1), v) / (1 + step*l2)
			*a = v + beta*(v-*old)
			*old = v
			return v
		}
		for k := range K {
			for j := range d {
				w, a := m.W.At(k, j), at.W.At(k, j)
				move(&w, &a, dW.At(k, j), alpha*rho, alpha*(1-rho))
				m.W.Set(k, j, w)
				at.W.Set(k, j, a)
			}
			move(&m.B[k], &at.B[k], db[k], 0, 0)
		}
		momentum = next
	}
	return math.Min(best, netObjective(m, X, y, nil, alpha, rho))
}

// With these data, careless descent is slow or wrong: the features are far from 0, in different units, or equal, or the
// classes are separable.
func TestMaxentL1Hard(t *testing.T) {
	X, y := noisyLabels(60, 5, 2, 8)
	base, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: 0.02, L1Ratio: 1, Gap: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	far := mat.NewDense(60, 5, nil)
	far.Apply(func(_, _ int, v float64) float64 { return v + 1e6 }, X)
	years := mat.NewDense(4, 1, []float64{2000, 2001, 2002, 2003})
	twins := mat.NewDense(60, 10, nil)
	for i := range 60 {
		for j := range 10 {
			twins.Set(i, j, X.At(i, j%5))
		}
	}
	var constant mat.Dense
	constant.Augment(X, mat.NewDense(60, 1, slices60(0.1)))
	for name, c := range map[string]struct {
		X    *mat.Dense
		y    []int
		want float64 // 0 if it is unknown
	}{
		"far from 0": {far, y, base.Objective}, "equal features": {twins, y, base.Objective}, "a constant": {&constant, y, base.Objective},
		"years": {years, []int{0, 0, 1, 1}, 0},
	} {
		for _, M := range []mat.Matrix{c.X, csr.Of(c.X)} {
			m, err := FitMaxent(t.Context(), M, c.y, &MaxentOptions{Alpha: 0.02, L1Ratio: 1, Gap: 1e-8})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if c.want != 0 && math.Abs(m.Objective-c.want) > 3e-8*c.want {
				t.Errorf("%s: %T: %v, want %v", name, M, m.Objective, c.want)
			}
			if f := netObjective(m, M, c.y, nil, 0.02, 1); math.Abs(f-m.Objective) > 1e-7*f {
				t.Errorf("%s: %T: objective %v, of the weights %v", name, M, m.Objective, f)
			}
		}
	}
	// Separable classes, and an α so small that the loss is nearly 0.
	sep, ys := mat.NewDense(20, 2, nil), make([]int, 20)
	for i := range 20 {
		ys[i] = i % 2
		sep.SetRow(i, []float64{float64(2*ys[i]-1) + 0.01*float64(i), float64(i * i % 7)})
	}
	for _, alpha := range []float64{1e-3, 1e-6, 1e-9} {
		if m, err := FitMaxent(t.Context(), sep, ys, &MaxentOptions{Alpha: alpha, L1Ratio: 1, Gap: 1e-4}); err != nil {
			t.Errorf("separable, alpha %v: %v", alpha, err)
		} else if ErrorRate(m.Predict(sep), ys) != 0 {
			t.Errorf("separable, alpha %v: errors", alpha)
		}
	}
	// A class without points gets no probability.
	m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: 0.02, L1Ratio: 0.9, Classes: 3})
	if err != nil || mat.Max(m.Probabilities(X).ColView(2)) > 1e-3 {
		t.Errorf("a class without points: %v", err)
	}
	if _, err := FitMaxent(t.Context(), mat.NewDense(4, 1, []float64{1e200, 2e200, 0, 1}), []int{0, 0, 1, 1}, &MaxentOptions{L1Ratio: 1}); err == nil || !strings.Contains(err.Error(), "feature 0") {
		t.Errorf("features whose squares overflow: %v", err)
	}
}

func slices60(v float64) []float64 {
	s := make([]float64, 60)
	floats.AddConst(v, s)
	return s
}

// A point of weight k is like k points, except that n stays the number of points.
func TestMaxentL1Weights(t *testing.T) {
	X, y := noisyLabels(30, 4, 3, 5)
	s := make([]float64, 30)
	var rows []int
	for i := range s {
		s[i] = float64(1 + i%3)
		for range int(s[i]) {
			rows = append(rows, i)
		}
	}
	share := 30 / float64(len(rows))
	m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: 0.05, L1Ratio: 0.7, SampleWeights: s, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	c, err := FitMaxent(t.Context(), Rows(X, rows), Labels(y, rows), &MaxentOptions{Alpha: 0.05 * share, L1Ratio: 0.7, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(m.W, c.W, 1e-9) || !floats.EqualApprox(m.B, c.B, 1e-9) {
		t.Errorf("%v, of the copies %v", m, c)
	}
}

// Each model of a path equals the model that FitMaxent finds without Start, also with L2 alone. A path ends when its
// context is done.
func TestFitMaxentPath(t *testing.T) {
	X, y := noisyLabels(50, 8, 3, 6)
	for _, rho := range []float64{0, 0.5, 1} {
		opt := &MaxentOptions{L1Ratio: rho, Tolerance: 1e-9}
		alphas := []float64{0.1, 0.03, 0.01}
		path, err := FitMaxentPath(t.Context(), X, y, alphas, opt)
		if err != nil {
			t.Fatal(err)
		}
		for k, m := range path {
			o := *opt
			o.Alpha = alphas[k]
			one, err := FitMaxent(t.Context(), X, y, &o)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(one.Objective-m.Objective) > 1e-10 || rho > 0 && !mat.EqualApprox(one.W, m.W, 1e-5) {
				t.Errorf("L1Ratio %v, alpha %v: %v on the path, %v alone", rho, alphas[k], m.Objective, one.Objective)
			}
		}
		if opt.Start != nil || opt.Alpha != 0 {
			t.Error("the options were changed")
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if path, err := FitMaxentPath(ctx, X, y, nil, &MaxentOptions{L1Ratio: 1}); !errors.Is(err, context.Canceled) || len(path) > 1 {
		t.Errorf("%d models, %v", len(path), err)
	}
	if path, err := FitMaxentPath(t.Context(), X, y, []float64{1e-4}, &MaxentOptions{L1Ratio: 1, MaxIterations: 1}); !errors.Is(err, ended.ErrNotConverged) || len(path) != 1 {
		t.Errorf("%d models, %v", len(path), err)
	}
	for want, c := range map[string]struct {
		alphas []float64
		opt    *MaxentOptions
	}{"alpha[1] is NaN": {[]float64{1, math.NaN()}, nil}, "pass alphas": {nil, nil}, "L1Ratio is 2": {nil, &MaxentOptions{L1Ratio: 2}}} {
		if _, err := FitMaxentPath(t.Context(), X, y, c.alphas, c.opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// For the same problem, scikit-learn's solvers reach objectives that are no lower than ours, and not much higher.
func TestMaxentL1AgainstSklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np, warnings\nfrom sklearn.linear_model import LogisticRegression\nwarnings.filterwarnings('ignore')", "numpy", "sklearn")
	for _, c := range []struct {
		K        int
		rho      float64
		features int
	}{{2, 1, 6}, {2, 0.5, 6}, {3, 1, 6}, {3, 0.5, 20}, {2, 1, 100}} {
		const n, alpha = 60, 0.02
		X, y := noisyLabels(n, c.features, c.K, 11)
		label := mat.NewDense(n, 1, nil)
		for i, k := range y {
			label.Set(i, 0, float64(k))
		}
		py.Array("X", X)
		py.Array("t", label)
		py.Do("t = t.ravel().astype(int)")
		// With two classes, scikit-learn's weights are v = 2 W_1, and its L2 penalty is twice as large as here.
		l1, l2 := alpha*c.rho, alpha*(1-c.rho)
		if c.K == 2 {
			l2 /= 2
		}
		py.Do(fmt.Sprintf("m = LogisticRegression(penalty='elasticnet', l1_ratio=%v, C=%v, solver='saga', tol=1e-9, max_iter=20000).fit(X, t)", l1/(l1+l2), 1/(n*(l1+l2))))
		w, b := py.Floats("m.coef_.ravel()"), py.Floats("m.intercept_")
		theirs := &Maxent{W: mat.NewDense(c.K, c.features, nil), B: make([]float64, c.K)}
		for k := range c.K {
			for j := range c.features {
				if c.K == 2 {
					theirs.W.Set(k, j, float64(2*k-1)*w[j]/2)
					theirs.B[k] = float64(2*k-1) * b[0] / 2
				} else {
					theirs.W.Set(k, j, w[k*c.features+j])
					theirs.B[k] = b[k]
				}
			}
		}
		m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: alpha, L1Ratio: c.rho, Gap: 1e-9, Tolerance: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		if f := netObjective(theirs, X, y, nil, alpha, c.rho); f < m.Objective-m.Gap-1e-12 || f > m.Objective*(1+1e-7) {
			t.Errorf("%v: objective %v (gap %v), of saga %v", c, m.Objective, m.Gap, f)
		}
		if e := floats.Distance(m.W.RawMatrix().Data, theirs.W.RawMatrix().Data, math.Inf(1)); c.rho < 1 && e > 1e-4 {
			t.Errorf("%v: weights differ by %v", c, e)
		}
	}
}

// Small problems of all kinds converge: with features in different units, far from 0, with zeros, nearly equal, or
// more features than points; with two or more classes; with α down to 1e-4.
func TestMaxentL1Converges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for q := range 60 {
		K := 2 + rng.IntN(3)
		n, d := 10+rng.IntN(40), K+rng.IntN(25)
		X, y := noisyLabels(n, d, K, uint64(q))
		for j := range d {
			unit, offset := 1.0, 0.0
			if q%2 == 1 {
				unit = math.Pow(10, float64(rng.IntN(7)-3))
			}
			if rng.IntN(4) == 0 {
				offset = math.Pow(10, float64(rng.IntN(7)))
			}
			for i := range n {
				x := (X.At(i, j) + offset) * unit
				if q%5 == 0 && j > 0 && rng.IntN(2) == 0 {
					x = X.At(i, 0) + 1e-6*x
				}
				if q%3 == 0 && rng.IntN(2) == 0 {
					x = 0
				}
				X.Set(i, j, x)
			}
		}
		alpha, rho := math.Pow(10, -float64(rng.IntN(5))), []float64{1, 0.5, 0.01}[q%3]
		m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: alpha, L1Ratio: rho, Gap: 1e-6})
		if err != nil {
			t.Errorf("%d: %d×%d, %d classes, alpha %v, L1Ratio %v: %v", q, n, d, K, alpha, rho, err)
		} else if f := netObjective(m, X, y, nil, alpha, rho); math.Abs(f-m.Objective) > 1e-7*(1+f) {
			t.Errorf("%d: objective %v, of the weights %v", q, m.Objective, f)
		}
	}
}

// TestLeastPenalty compares leastPenalty with a search over all candidates: the numbers themselves, 0, and stationary
// points.
func TestLeastPenalty(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range 500 {
		w := make([]float64, 1+rng.IntN(6))
		for k := range w {
			w[k] = math.Round(rng.NormFloat64() * 3)
		}
		slices.Sort(w)
		l2 := float64(rng.IntN(3))
		cost := func(c float64) (f float64) {
			for _, v := range w {
				f += 1.5*math.Abs(v-c) + l2/2*(v-c)*(v-c)
			}
			return f
		}
		c := leastPenalty(w, 1.5, l2)
		for x := -10.0; x <= 10; x += 0.125 {
			if f := cost(x); f < cost(c)-1e-12 || f < cost(c)+1e-12 && l2 == 0 && math.Abs(x) < math.Abs(c) {
				t.Fatalf("%v, l2 %v: %v costs %v, but %v %v", w, l2, c, cost(c), x, f)
			}
		}
	}
}
