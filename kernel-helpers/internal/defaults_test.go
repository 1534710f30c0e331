package internal_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/regress"
)

// ordinary returns n points of d features, and values that depend on the first two features, plus noise. kind is
// "normal" (all features independent), "correlated" (adjacent features have correlation 0.9), "one-hot" (three normal
// features, then a feature for each category), or "units" (as "correlated", in units from 0.01 to 1000).
func ordinary(kind string, n, d int, seed uint64) (X *mat.Dense, y []float64) {
	rng := rand.New(rand.NewPCG(seed, uint64(n*1000+d)))
	X, y = mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			if (kind == "correlated" || kind == "units") && j > 0 {
				v = 0.9*X.At(i, j-1) + math.Sqrt(1-0.81)*v
			}
			X.Set(i, j, v)
		}
		if kind == "one-hot" && d > 4 {
			c := 3 + rng.IntN(d-3)
			for j := 3; j < d; j++ {
				X.Set(i, j, 0)
			}
			X.Set(i, c, 1)
		}
		y[i] = X.At(i, 0) + X.At(i, 1) + rng.NormFloat64()
		if kind == "units" {
			for j := range d {
				X.Set(i, j, X.At(i, j)*math.Pow(10, float64(j%6-2)))
			}
		}
	}
	return X, y
}

// TestDefaultsFinish: with its default options, a method converges on ordinary data. Normally the test makes only a
// third of the fits (see patience.LeftOut).
func TestDefaultsFinish(t *testing.T) {
	patience.SkipShort(t, "it fits hundreds of models")
	missed, calls := map[string]int{}, 0
	for _, size := range [][2]int{{20, 2}, {100, 2}, {100, 50}, {100, 100}, {100, 200}, {100, 400}, {20, 500}, {1500, 7}, {500, 30}, {2000, 20}} {
		for _, kind := range []string{"normal", "correlated", "one-hot", "units"} {
			n, d := size[0], size[1]
			X, y := ordinary(kind, n, d, 1)
			labels := make([]int, n)
			for i, v := range y {
				if v > 0 {
					labels[i] = 1
				}
			}
			var positive mat.Dense
			positive.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, X)
			ctx := t.Context()
			for name, f := range map[string]func() error{
				"regress.LassoCV":  func() error { _, err := regress.LassoCV(ctx, X, y, nil, nil); return err },
				"regress.RidgeCV":  func() error { _, err := regress.RidgeCV(ctx, X, y, nil); return err },
				"regress.FitLasso": func() error { _, err := regress.FitLasso(ctx, X, y, 0.01, nil); return err },
				"classify.FitMaxent": func() error {
					_, err := classify.FitMaxent(ctx, X, labels, nil)
					return err
				},
				"classify.FitLinearSVM":  func() error { _, err := classify.FitLinearSVM(ctx, X, labels, nil); return err },
				"classify.FitRBFSVM":     func() error { _, err := classify.FitRBFSVM(ctx, X, labels, nil); return err },
				"ica.FitFastICA":         func() error { _, err := ica.FitFastICA(ctx, X.T(), nil); return err },
				"classify.FitSVM":        func() error { _, err := classify.FitSVM(ctx, X, labels, nil); return err },
				"kmeans.Fit":             func() error { _, err := kmeans.Fit(ctx, X, &kmeans.Options{K: 3}); return err },
				"nmf.Fit":                func() error { _, err := nmf.Fit(ctx, &positive, &nmf.Options{Components: 3}); return err },
				"pca.Fit":                func() error { _, err := pca.Fit(ctx, X, nil); return err },
				"pca.FitProbabilisticEM": func() error { _, err := pca.FitProbabilisticEM(ctx, X, 1, nil); return err },
				"classify.FitSVR":        func() error { _, err := classify.FitSVR(ctx, X, y, nil); return err },
				"l2svm.Fit":              func() error { _, err := l2svm.Fit(ctx, l2svm.Dense(X), labels, nil); return err },
				"nnls.Solve":             func() error { _, err := nnls.Solve(ctx, X, mat.NewDense(n, 1, y), nil); return err },
				"pursuit.Lasso":          func() error { _, err := pursuit.Lasso(ctx, X, mat.NewDense(n, 1, y), 0.01*float64(n), nil); return err },
			} {
				if name == "nmf.Fit" && d < 3 || name == "ica.FitFastICA" && (d >= n || kind == "one-hot") || patience.LeftOut(fmt.Sprint(name, kind, size)) {
					continue // too few features for the parts, or a covariance without full rank
				}
				calls++
				if err := f(); err != nil {
					missed[name]++
					t.Errorf("%s, %s, %d×%d: %v", name, kind, n, d, err)
				}
			}
		}
	}
	t.Logf("%d calls, missed: %v", calls, missed)
}

// TestLassoCVDefaults solves 24 problems of 100 points, most of which have more features than points. Normally it
// solves fewer (see patience.Rounds).
func TestLassoCVDefaults(t *testing.T) {
	for _, d := range []int{50, 100, 200, 400} {
		for seed := range uint64(patience.Rounds(6)) {
			X, y := ordinary("normal", 100, d, seed)
			cv, err := regress.LassoCV(t.Context(), X, y, nil, nil)
			if err != nil || cv.NotConverged != 0 || cv.PR2 < 0.2 {
				t.Errorf("d = %d, seed %d: %v, %v", d, seed, err, cv)
			}
		}
	}
}
