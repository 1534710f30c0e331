package regress

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/peer"
)

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
