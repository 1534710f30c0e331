package regress

import (
	"context"
	"encoding/json"
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
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/internal/subset"
	"overcomplete/ui/progress"
)

// problem returns X and y = X w + noise + 5 with a sparse w. The features have different means; zeros is the share of
// elements that are 0.
func problem(n, d int, zeros float64, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	X, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		y[i] = 5 + 0.5*rng.NormFloat64()
		for j := range d {
			if rng.Float64() < zeros {
				continue
			}
			x := rng.NormFloat64() + float64(j%4)
			X.Set(i, j, x)
			if j%7 == 0 {
				y[i] += x * float64(j%3-1)
			}
		}
	}
	return X, y
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g (within %g)", what, got, want, tolerance)
	}
}

// residuals returns y − ŷ.
func residuals(m *Linear, X *mat.Dense, y []float64) *mat.VecDense {
	r := mat.NewVecDense(len(y), slices.Clone(y))
	r.SubVec(r, mat.NewVecDense(len(y), m.Predict(X)))
	return r
}

// TestRidgeNormalEquations: X'r = αw and 1'r = 0 at the minimum, for every method.
func TestRidgeNormalEquations(t *testing.T) {
	for _, c := range []struct{ n, d int }{{40, 10}, {10, 40}, {20, 20}, {1, 3}} {
		X, y := problem(c.n, c.d, 0, 3)
		before := mat.DenseCopyOf(X)
		alphas := []float64{100, 0.01, 1}
		path, err := FitRidgePath(t.Context(), X, y, alphas)
		if err != nil {
			t.Fatal(err)
		}
		for k, a := range alphas {
			m, err := FitRidge(t.Context(), X, y, a)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*Linear{m, path[k]} {
				r := residuals(m, X, y)
				near(t, "sum of residuals", mat.Sum(r), 0, 1e-8)
				var g mat.VecDense
				g.MulVec(X.T(), r)
				for j, w := range m.W {
					near(t, fmt.Sprintf("%dx%d alpha %g: X'r", c.n, c.d, a), g.AtVec(j), a*w, 1e-7)
				}
				if m.Alpha != a {
					t.Errorf("alpha %g recorded as %g", a, m.Alpha)
				}
			}
		}
		if !mat.Equal(X, before) {
			t.Error("X was changed")
		}
	}
}

func TestLeastSquares(t *testing.T) {
	X := mat.NewDense(3, 1, []float64{0, 1, 2})
	m, err := FitRidge(t.Context(), X, []float64{1, 3, 5}, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "slope", m.W[0], 2, 1e-14)
	near(t, "intercept", m.Intercept, 1, 1e-14)
	wide, y := problem(5, 9, 0, 1)
	if _, err := FitRidge(t.Context(), wide, y, 0); err == nil || !strings.Contains(err.Error(), "no unique solution") {
		t.Error(err)
	}
}

// TestLasso checks the KKT conditions, for dense and compressed columns: x̃_j'r/n = α sign(w_j) where w_j != 0, and
// |x̃_j'r|/n <= α elsewhere.
func TestLasso(t *testing.T) {
	for _, c := range []struct {
		n, d  int
		zeros float64
	}{{60, 20, 0}, {30, 80, 0}, {100, 60, 0.9}, {50, 120, 0.9}} {
		X, y := problem(c.n, c.d, c.zeros, 4)
		top, err := AlphaMax(X, y)
		if err != nil {
			t.Fatal(err)
		}
		path, err := FitLassoPath(t.Context(), X, y, []float64{top * 1.0001, top * 0.999, top / 5, top / 100, top / 3}, &LassoOptions{Tolerance: 1e-13})
		if err != nil {
			t.Fatal(err)
		}
		if path[0].Active != 0 || path[1].Active == 0 {
			t.Errorf("%d active above AlphaMax, %d below", path[0].Active, path[1].Active)
		}
		for _, m := range path {
			if m.Status != ended.Converged || m.Gap < -1e-12 {
				t.Errorf("%v, gap %g", m.Status, m.Gap)
			}
			r := residuals(&m.Linear, X, y)
			near(t, "sum of residuals", mat.Sum(r), 0, 1e-8)
			var g mat.VecDense
			g.MulVec(X.T(), r)
			F := mat.Dot(r, r)/(2*float64(c.n)) + m.Alpha*floats.Norm(m.W, 1)
			near(t, "objective", m.Objective, F, 1e-10)
			for j, w := range m.W {
				v := g.AtVec(j) / float64(c.n)
				if w != 0 && math.Abs(v-math.Copysign(m.Alpha, w)) > 1e-5*top || math.Abs(v) > m.Alpha+1e-5*top {
					t.Errorf("%+v alpha %g: w[%d] = %g with gradient %g", c, m.Alpha, j, w, v)
				}
			}
		}
		// The result does not depend on the start.
		cold, err := FitLasso(t.Context(), X, y, top/3, &LassoOptions{Tolerance: 1e-13})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "objective from a cold start", cold.Objective, path[4].Objective, 1e-11)
	}
}

// TestLassoOrthogonal: for X̃'X̃ = nI the solution is the soft threshold of X̃'y/n.
func TestLassoOrthogonal(t *testing.T) {
	X := mat.NewDense(4, 3, []float64{1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1})
	y := []float64{8, 2, 1, -3}
	var b mat.VecDense
	b.MulVec(X.T(), mat.NewVecDense(4, y))
	for _, a := range []float64{0.3, 1, 2} {
		m, err := FitLasso(t.Context(), X, y, a, &LassoOptions{Tolerance: 1e-14})
		if err != nil {
			t.Fatal(err)
		}
		for j := range 3 {
			c := b.AtVec(j) / 4
			near(t, "w", m.W[j], math.Copysign(math.Max(0, math.Abs(c)-a), c), 1e-12)
		}
		near(t, "intercept", m.Intercept, 2, 1e-12)
	}
}

func TestLassoEnds(t *testing.T) {
	for _, size := range [][2]int{{50, 80}, {400, 80}} { // the second has a Gram matrix
		n, d := size[0], size[1]
		X, y := problem(n, d, 0, 2)
		m, err := FitLasso(t.Context(), X, y, 1e-4, &LassoOptions{MaxIterations: 3})
		if !errors.Is(err, ended.ErrNotConverged) || m.Status != ended.IterationLimit || m.Iterations != 3 || m.Gap <= 0 {
			t.Errorf("%v, %v after %d sweeps", err, m.Status, m.Iterations)
		}
		paths, err := FitLassoPath(t.Context(), X, y, nil, &LassoOptions{MaxIterations: 3, Tolerance: 1e-12})
		if !errors.Is(err, ended.ErrNotConverged) || len(paths) != 50 || paths[49].Iterations > 3 || paths[49].Gap <= 0 {
			t.Errorf("%v, %v", err, paths)
		}
		ctx, cancel := context.WithCancel(context.Background())
		path, err := FitLassoPath(ctx, X, y, nil, &LassoOptions{Recorder: progress.Func(func(e progress.Event) {
			if e.Step == 5 {
				cancel()
			}
		})})
		if !errors.Is(err, context.Canceled) || len(path) != 6 || path[5].Status != ended.Interrupted {
			t.Errorf("%v with %d models", err, len(path))
		}
		path, err = FitLassoPath(ctx, X, y, nil, nil)
		if !errors.Is(err, context.Canceled) || len(path) != 2 || path[0].Status != ended.Converged || path[1].Status != ended.Interrupted {
			t.Errorf("%v with %d models", err, len(path))
		}
		if cv, err := LassoCV(ctx, X, y, nil, nil); !errors.Is(err, context.Canceled) || cv != nil {
			t.Errorf("%v, %v", cv, err)
		}
		constant := make([]float64, n)
		if _, err := FitLassoPath(t.Context(), X, constant, nil, nil); err == nil {
			t.Error("a constant y has an AlphaMax")
		}
		for _, alphas := range [][]float64{{1}, slices.Repeat([]float64{1}, 30)} {
			if path, err := FitLassoPath(t.Context(), X, constant, alphas, nil); err != nil || path[0].Active != 0 || path[0].Status != ended.Converged {
				t.Errorf("%v, %v", err, path)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	X, y := problem(10, 3, 0, 1)
	bad := mat.DenseCopyOf(X)
	bad.Set(2, 1, math.Inf(1))
	if _, err := FitRidge(t.Context(), bad, y, 1); err == nil || !strings.Contains(err.Error(), "X(2, 1) is +Inf") {
		t.Error(err)
	}
	if _, err := FitLasso(t.Context(), X, append(slices.Clone(y[:9]), math.NaN()), 1, nil); err == nil || !strings.Contains(err.Error(), "y[9] is NaN") {
		t.Error(err)
	}
	if _, err := FitLasso(t.Context(), X, y, 0, nil); err == nil {
		t.Error("alpha 0 accepted")
	}
	if _, err := FitRidge(t.Context(), &mat.Dense{}, nil, 1); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Error(err)
	}
	if _, err := RidgeCV(t.Context(), X, make([]float64, 10), nil); err == nil {
		t.Error("constant y accepted")
	}
	if r := panics.Value(func() { FitRidge(t.Context(), X, y[:4], 1) }); r == nil || !strings.HasPrefix(fmt.Sprint(r), "regress: ") {
		t.Errorf("panic %v", r)
	}
}

func TestPredictiveR2(t *testing.T) {
	y := []float64{1, 2, 3, 6}
	near(t, "perfect", PredictiveR2(y, y), 1, 0)
	near(t, "the mean", PredictiveR2(y, []float64{3, 3, 3, 3}), 0, 0)
	near(t, "by hand", PredictiveR2(y, []float64{1, 2, 4, 4}), 1-5.0/14, 1e-15)
	for _, unit := range []float64{0x1p-1000, 0x1p-600, 0x1p600, 0x1p1000} { // squares leave the range
		near(t, "in another unit", PredictiveR2([]float64{unit, 2 * unit, 3 * unit, 6 * unit}, []float64{unit, 2 * unit, 4 * unit, 4 * unit}), 1-5.0/14, 1e-15)
	}
}

func TestKFold(t *testing.T) {
	for seed := range uint64(30) {
		n, k := 5+int(seed), 2+int(seed)%4
		var all []int
		for _, f := range KFold(n, k, seed) {
			if len(f) < n/k || len(f) > n/k+1 {
				t.Errorf("%d points in a fold of %d by %d", len(f), n, k)
			}
			all = append(all, f...)
		}
		slices.Sort(all)
		if len(slices.Compact(all)) != n {
			t.Error("not a partition")
		}
	}
}

// TestCV recomputes a fold by hand, and shows that noise is not predicted.
func TestCV(t *testing.T) {
	X, y := problem(80, 15, 0, 6)
	ridge, err := RidgeCV(t.Context(), X, y, &CVOptions{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	lasso, err := LassoCV(t.Context(), X, y, &CVOptions{Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	nested, err := RidgeCV(t.Context(), X, y, &CVOptions{Seed: 3, Nested: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, cv := range []*CV{ridge, lasso, nested} {
		if cv.PR2 < 0.7 || cv.PR2 > 1 || len(cv.FoldAlpha) != 5 {
			t.Errorf("pR² %v", cv.PR2)
		}
		for k, r := range cv.R2 {
			if r > cv.R2[cv.Best] || r == cv.R2[cv.Best] && k < cv.Best {
				t.Errorf("alpha %d is better than %d", k, cv.Best)
			}
		}
		near(t, "pR²", cv.PR2, PredictiveR2(y, cv.Predictions), 0)
	}
	near(t, "pR²", ridge.PR2, ridge.R2[ridge.Best], 0)
	for f, fold := range nested.Folds {
		rest := subset.Others(nested.Folds, f)
		m, err := FitRidge(t.Context(), subset.Rows(X, rest), subset.Values(y, rest), nested.FoldAlpha[f])
		if err != nil {
			t.Fatal(err)
		}
		for r, p := range m.Predict(subset.Rows(X, fold)) {
			near(t, "prediction", nested.Predictions[fold[r]], p, 1e-9)
		}
	}
	m, err := FitRidge(t.Context(), X, y, ridge.Alphas[ridge.Best])
	if err != nil {
		t.Fatal(err)
	}
	if !floats.EqualApprox(m.W, ridge.Model.W, 1e-9) {
		t.Error("the model is not that of all points")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	noise, err := RidgeCV(t.Context(), X, y, &CVOptions{Nested: 4})
	if err != nil {
		t.Fatal(err)
	}
	if noise.PR2 > 0.15 {
		t.Errorf("noise has predictive R² %v", noise.PR2)
	}
}

// TestPeer compares the fits with scikit-learn's Ridge and Lasso.
func TestPeer(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.linear_model import Ridge, Lasso", "numpy", "sklearn")
	for _, c := range []struct {
		n, d  int
		zeros float64
	}{{50, 12, 0}, {30, 60, 0.85}} {
		X, y := problem(c.n, c.d, c.zeros, 8)
		x, _ := json.Marshal(X.RawMatrix().Data)
		v, _ := json.Marshal(y)
		py.Do(fmt.Sprintf("X = np.array(%s).reshape(%d, %d)\ny = np.array(%s)", x, c.n, c.d, v))
		for _, a := range []float64{0.03, 0.3} {
			ridge, err := FitRidge(t.Context(), X, y, a)
			if err != nil {
				t.Fatal(err)
			}
			lasso, err := FitLasso(t.Context(), X, y, a, &LassoOptions{Tolerance: 1e-13})
			if err != nil {
				t.Fatal(err)
			}
			py.Do(fmt.Sprintf("r = Ridge(alpha=%g).fit(X, y)\nl = Lasso(alpha=%g, tol=1e-12, max_iter=1000000).fit(X, y)", a, a))
			for name, m := range map[string]*Linear{"r": ridge, "l": &lasso.Linear} {
				want := append(py.Floats(name+".coef_"), py.Float("float("+name+".intercept_)"))
				if d := floats.Distance(want, append(slices.Clone(m.W), m.Intercept), math.Inf(1)); d > 1e-4 {
					t.Errorf("%s, %+v, alpha %g: differs by %g", name, c, a, d)
				}
			}
		}
	}
}

func ExampleRidgeCV() {
	// Ten points of y = 2x + 1, with a second feature that carries no information.
	X := mat.NewDense(10, 2, nil)
	y := make([]float64, 10)
	for i := range y {
		X.Set(i, 0, float64(i))
		X.Set(i, 1, float64(i*i%5))
		y[i] = 2*float64(i) + 1
	}
	cv, err := RidgeCV(context.Background(), X, y, &CVOptions{Alphas: []float64{100, 1, 1e-4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("alpha %g: y = %.2f x + %.2f, predictive R² %.3f\n", cv.Model.Alpha, cv.Model.W[0], cv.Model.Intercept, cv.PR2)
	// Output: alpha 0.0001: y = 2.00 x + 1.00, predictive R² 1.000
}

// A path with many unknowns uses a factor for each α; a path with few unknowns uses one decomposition.
func TestFitRidgePathOfManyUnknowns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, d = 520, 530
	X, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			X.Set(i, j, rng.NormFloat64())
		}
		y[i] = X.At(i, 0) + rng.NormFloat64()
	}
	alphas := make([]float64, 41)
	for i := range alphas {
		alphas[i] = 0.1 * math.Pow(1.3, float64(i))
	}
	decomposed, err := FitRidgePath(t.Context(), X, y, alphas)
	if err != nil {
		t.Fatal(err)
	}
	factored, err := FitRidgePath(t.Context(), X, y, alphas[:5])
	if err != nil {
		t.Fatal(err)
	}
	for k, m := range factored {
		for j, w := range m.W {
			if v := decomposed[k].W[j]; math.Abs(w-v) > 1e-9 {
				t.Fatalf("α %v: w[%d] is %v factored and %v decomposed", alphas[k], j, w, v)
			}
		}
	}
}
