package regress

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// The elastic net agrees with scikit-learn's, for narrow and wide, dense and sparse data.
func TestElasticNetAgainstSklearn(t *testing.T) {
	py := peer.Start(t, 1, `
from sklearn.linear_model import ElasticNet
def net(X, y, a, r):
    m = ElasticNet(alpha=a, l1_ratio=r, tol=1e-13, max_iter=100000).fit(X, y.ravel())
    return list(m.coef_) + [m.intercept_]
`, "sklearn")
	for _, size := range [][2]int{{60, 12}, {20, 50}} {
		X, y := cloud(size[0], size[1], 0.7, 3)
		py.Array("X", X)
		py.Array("y", mat.NewDense(len(y), 1, y))
		for _, ratio := range []float64{0.9, 0.5, 0.05} {
			want := py.Floats(fmt.Sprintf("net(X, y, 0.1, %v)", ratio))
			for name, Z := range map[string]mat.Matrix{"dense": X, "sparse": csr.Of(X)} {
				m, err := FitLasso(t.Context(), Z, y, 0.1, &LassoOptions{L1Ratio: ratio, Tolerance: 1e-13})
				if err != nil || m.Status != ended.Converged {
					t.Fatal(err, m)
				}
				if d := floats.Distance(append(m.W, m.Intercept), want, math.Inf(1)); d > 1e-6 {
					t.Errorf("%v, %s, ratio %v: off by %g", size, name, ratio, d)
				}
			}
		}
	}
}

// Objective and Gap agree with their definitions: the gap bounds the distance from the minimum, which the test finds by
// a second fit, up to rounding. Two equal features share their weight. The path starts at w = 0.
func TestElasticNet(t *testing.T) {
	X, y := cloud(40, 12, 0.7, 4)
	X.SetCol(1, mat.Col(nil, 0, X))
	best, err := FitLasso(t.Context(), X, y, 0.05, &LassoOptions{L1Ratio: 0.5, Tolerance: 1e-14})
	if err != nil || best.Status != ended.Converged {
		t.Fatal(err, best)
	}
	if best.W[0] == 0 || math.Abs(best.W[0]-best.W[1]) > 1e-6 {
		t.Errorf("equal features have the weights %v and %v", best.W[0], best.W[1])
	}
	for _, tol := range []float64{1e-1, 1e-2, 1e-4} {
		m, err := FitLasso(t.Context(), X, y, 0.05, &LassoOptions{L1Ratio: 0.5, Tolerance: tol})
		if err != nil {
			t.Fatal(err)
		}
		f := 0.0
		for i, p := range m.Predict(X) {
			f += (y[i] - p) * (y[i] - p) / 80
		}
		f += 0.05*0.5*floats.Norm(m.W, 1) + 0.05*0.5*floats.Dot(m.W, m.W)/2
		if math.Abs(f-m.Objective) > 1e-12*f || f-best.Objective > m.Gap+1e-12 || m.Gap < 0 {
			t.Errorf("tolerance %g: objective %v, by hand %v, gap %g, minimum %v", tol, m.Objective, f, m.Gap, best.Objective)
		}
	}
	path, err := FitLassoPath(t.Context(), X, y, nil, &LassoOptions{L1Ratio: 0.5, Count: 10})
	if err != nil {
		t.Fatal(err)
	}
	top, err := AlphaMax(X, y)
	if err != nil || math.Abs(path[0].Alpha-2*top) > 1e-12*top || path[0].Active != 0 || path[1].Active == 0 {
		t.Errorf("the path begins at %v with %d nonzeros, then %d; AlphaMax is %v (%v)", path[0].Alpha, path[0].Active, path[1].Active, top, err)
	}
	for _, ratio := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := FitLasso(t.Context(), X, y, 0.05, &LassoOptions{L1Ratio: ratio}); err == nil || !strings.HasPrefix(err.Error(), "regress: FitLasso: L1Ratio is ") {
			t.Errorf("ratio %v: %v", ratio, err)
		}
		if _, err := LassoCV(t.Context(), X, y, nil, &LassoOptions{L1Ratio: ratio}); err == nil || !strings.HasPrefix(err.Error(), "regress: LassoCV: L1Ratio is ") {
			t.Errorf("ratio %v: %v", ratio, err)
		}
	}
}

// The candidates of LassoCV with several ρ are those of one LassoCV for each ρ, and the best of all is chosen.
func TestL1Ratios(t *testing.T) {
	X, y := problem(60, 8, 0.5, 3)
	ratios := []float64{0.2, 0.7, 1}
	for _, alphas := range [][]float64{nil, {1, 0.1, 0.01}} {
		cv, err := LassoCV(t.Context(), X, y, &CVOptions{L1Ratios: ratios, Alphas: alphas, Seed: 4, Nested: 3}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var alpha, rho, r2 []float64
		best, at := math.Inf(-1), 0.0
		var model *Linear
		for _, r := range ratios {
			one, err := LassoCV(t.Context(), X, y, &CVOptions{Alphas: alphas, Seed: 4}, &LassoOptions{L1Ratio: r})
			if err != nil {
				t.Fatal(err)
			}
			alpha, r2 = append(alpha, one.Alphas...), append(r2, one.R2...)
			rho = append(rho, slices.Repeat([]float64{r}, len(one.Alphas))...)
			if one.R2[one.Best] > best {
				best, at, model = one.R2[one.Best], r, one.Model
			}
		}
		if !slices.Equal(cv.Alphas, alpha) || !slices.Equal(cv.L1Ratios, rho) || !slices.Equal(cv.R2, r2) {
			t.Errorf("candidates: alphas %v, ratios %v", cv.Alphas, cv.L1Ratios)
		}
		if cv.R2[cv.Best] != best || cv.L1Ratios[cv.Best] != at || !slices.Equal(cv.Model.W, model.W) {
			t.Errorf("chosen: R2 %v with %v, want %v with %v", cv.R2[cv.Best], cv.L1Ratios[cv.Best], best, at)
		}
		for f, fold := range cv.Folds { // with Nested, each fold has its own choice, and Predictions come from that candidate
			k := slices.IndexFunc(cv.Alphas, func(a float64) bool { return a == cv.FoldAlpha[f] })
			for cv.L1Ratios[k] != cv.FoldL1Ratio[f] || cv.Alphas[k] != cv.FoldAlpha[f] {
				k++
			}
			var rest []int
			for g, other := range cv.Folds {
				if g != f {
					rest = append(rest, other...)
				}
			}
			slices.Sort(rest)
			var yr []float64
			for _, i := range rest {
				yr = append(yr, y[i])
			}
			m, err := FitLasso(t.Context(), rowsOf(X, rest), yr, cv.FoldAlpha[f], &LassoOptions{L1Ratio: cv.FoldL1Ratio[f], Tolerance: 1e-10})
			if err != nil {
				t.Fatal(err)
			}
			for r, p := range m.Predict(rowsOf(X, fold)) {
				near(t, "prediction", cv.Predictions[fold[r]], p, 1e-2)
			}
		}
	}
}

func TestL1RatiosRefused(t *testing.T) {
	X, y := problem(20, 3, 0, 1)
	for _, c := range []struct {
		o     CVOptions
		lasso *LassoOptions
		want  string
	}{
		{CVOptions{L1Ratios: []float64{0.5, 0}}, nil, "L1Ratios[1] is 0, must be above 0 and at most 1"},
		{CVOptions{L1Ratios: []float64{math.NaN()}}, nil, "L1Ratios[0] is NaN"},
		{CVOptions{L1Ratios: []float64{0.5}}, &LassoOptions{L1Ratio: 0.3}, "set one of them"},
		{CVOptions{L1Ratios: []float64{}}, nil, "no elements"},
		{CVOptions{Alphas: []float64{}}, nil, "no elements"},
	} {
		if _, err := LassoCV(t.Context(), X, y, &c.o, c.lasso); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.o, err, c.want)
		}
	}
	if _, err := RidgeCV(t.Context(), X, y, &CVOptions{L1Ratios: []float64{1}}); err == nil || !strings.Contains(err.Error(), "for LassoCV") {
		t.Error(err)
	}
}

// With the same folds, all of the same size, scikit-learn's ElasticNetCV has the same candidates and makes the same
// choice.
func TestElasticNetCV(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.linear_model import ElasticNetCV", "numpy", "sklearn")
	X, y := problem(60, 8, 0.5, 5)
	ratios := []float64{0.1, 0.5, 0.9, 1}
	cv, err := LassoCV(t.Context(), X, y, &CVOptions{L1Ratios: ratios, Folds: 4, Seed: 2}, &LassoOptions{Tolerance: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	py.Array("X", X)
	py.Array("y", mat.NewDense(60, 1, y))
	fold := make([]float64, 60)
	for f, rows := range cv.Folds {
		for _, i := range rows {
			fold[i] = float64(f)
		}
	}
	py.Array("fold", mat.NewDense(60, 1, fold))
	py.Do(`
fold = fold.ravel()
folds = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(4)]
m = ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9, 1], alphas=30, eps=1e-3, cv=folds, tol=1e-10, max_iter=100000).fit(X, y.ravel())`)
	for k, a := range py.Floats("m.alphas_.ravel()") {
		near(t, "alpha", cv.Alphas[k], a, 1e-12)
	}
	variance := py.Float("float(((y - y.mean())**2).mean())")
	for k, e := range py.Floats("m.mse_path_.mean(axis=2).ravel()") {
		near(t, "R2", cv.R2[k], 1-e/variance, 1e-6)
	}
	near(t, "ratio", cv.L1Ratios[cv.Best], py.Float("float(m.l1_ratio_)"), 0)
	near(t, "alpha", cv.Alphas[cv.Best], py.Float("float(m.alpha_)"), 1e-12)
	for j, w := range py.Floats("m.coef_") {
		near(t, "w", cv.Model.W[j], w, 1e-5)
	}
}
