package regress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/reviews"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/wordcount"
)

// ratings returns the normalized counts of the given number of words in each document, and the documents' ratings. Both
// are from the movie reviews, or from generated documents if the reviews are missing.
func ratings(b *testing.B, words int) (*mat.Dense, []float64) {
	b.Helper()
	var docs [][]string
	var y []float64
	if r, err := reviews.Load(); err == nil {
		for _, x := range r.Reviews {
			docs = append(docs, x.Tokens())
		}
		y = r.Ratings()
	} else {
		b.Logf("generated documents: %v", err)
		c, err := synth.Topics(b.Context(), synth.TopicsOptions{Documents: 5000, Vocabulary: 2 * words, Noise: 0.5, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		for i := range c.Ratings {
			docs = append(docs, strings.Fields(c.Text(i)))
		}
		y = c.Ratings
	}
	v, err := wordcount.Fit(b.Context(), docs, &wordcount.Options{Words: words})
	if err != nil {
		b.Fatal(err)
	}
	X, err := wordcount.Normalize(v.Transform(docs))
	if err != nil {
		b.Fatal(err)
	}
	return X, y
}

// BenchmarkLasso compares a path of 20 lassos on 5,000 words with scikit-learn's Lasso on the same counts as
// a sparse matrix, with warm starts and the same bound on the duality gap. The metric excess is the ratio of
// the sums of objectives, scikit-learn's to ours, minus 1.
func BenchmarkLasso(b *testing.B) {
	X, y := ratings(b, 5000)
	py := peer.Start(b, 2, "import numpy as np\nimport scipy.sparse\nfrom sklearn.linear_model import Lasso", "numpy", "scipy", "sklearn")
	py.Array("X", X)
	py.Array("y", mat.NewVecDense(len(y), y))
	py.Do("y = y.ravel()\nX = scipy.sparse.csc_matrix(X)")
	top, err := AlphaMax(X, y)
	if err != nil {
		b.Fatal(err)
	}
	py.Do(fmt.Sprintf(`
alphas = %g * 0.01 ** (np.arange(20) / 19)
def run():
    global F
    m, F = Lasso(warm_start=True, tol=1e-5, max_iter=100000), 0.0
    for a in alphas:
        m.alpha = a
        m.fit(X, y)
        r = y - m.predict(X)
        F += r @ r / (2 * len(y)) + a * np.abs(m.coef_).sum()
`, top))
	var models []*Lasso
	r := peer.Race(2, peer.Timer(func() {
		if models, err = FitLassoPath(b.Context(), X, y, nil, &LassoOptions{Count: 20, Ratio: 0.01, Tolerance: 2e-5}); err != nil {
			b.Fatal(err)
		}
	}), py.Timer("run()"))
	r.Report(b)
	F := 0.0
	for _, m := range models {
		F += m.Objective
	}
	b.ReportMetric(py.Float("float(F)")/F-1, "excess")
	b.ReportMetric(float64(models[19].Active), "active")
}

// BenchmarkLassoDense compares FitLasso with scikit-learn's Lasso on 500×1000 normal numbers, where 50 features affect
// y, with the same bound on the duality gap. α is a share of AlphaMax.
func BenchmarkLassoDense(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n, d = 500, 1000
	X, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		y[i] = rng.NormFloat64()
		for j := range d {
			v := rng.NormFloat64()
			X.Set(i, j, v)
			if j%20 == 0 {
				y[i] += v
			}
		}
	}
	top, err := AlphaMax(X, y)
	if err != nil {
		b.Fatal(err)
	}
	for _, share := range []float64{0.1, 0.01} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%g/%d", share, threads), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				py := peer.Start(b, threads, "import numpy as np\nfrom sklearn.linear_model import Lasso", "numpy", "sklearn")
				py.Array("X", X)
				py.Array("y", mat.NewVecDense(n, y))
				py.Do("y = y.ravel()")
				var m *Lasso
				mine := peer.Timer(func() {
					if m, err = FitLasso(b.Context(), X, y, share*top, &LassoOptions{Tolerance: 1e-4}); err != nil {
						b.Fatal(err)
					}
				})
				// scikit-learn's bound is relative to ‖y − ȳ‖²/n, ours to half of that.
				theirs := py.Timer(fmt.Sprintf("m = Lasso(alpha=%g, tol=5e-5, max_iter=100000).fit(X, y)", share*top))
				peer.Race(9, mine, theirs).Report(b)
				b.ReportMetric(m.Objective, "objective")
				b.ReportMetric(py.Float(fmt.Sprintf("float(((y - m.predict(X))**2).mean()/2 + %g*np.abs(m.coef_).sum())", share*top)), "peer-objective")
				b.ReportMetric(float64(m.Iterations), "iterations")
				b.ReportMetric(py.Float("float(m.n_iter_)"), "peer-iterations")
			})
		}
	}
}

// tall returns n points with d neighboring features that are correlated, and y for a w in which every third element is
// not 0.
func tall(n, d int) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	X, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		last := 0.0
		y[i] = 3 * rng.NormFloat64()
		for j := range d {
			last = 0.7*last + rng.NormFloat64()
			X.Set(i, j, last+1)
			if j%3 == 0 {
				y[i] += last * float64(j%5-2)
			}
		}
	}
	return X, y
}

// BenchmarkLassoTall compares paths and cross-validation with scikit-learn's lasso_path, LassoCV and ElasticNetCV on
// data with many more points than features, where scikit-learn descends on the Gram matrix. The bounds on the duality
// gap, the alphas and the folds are the same. The metric excess is the ratio of the sums of objectives, scikit-learn's
// to ours, minus 1.
func BenchmarkLassoTall(b *testing.B) {
	for _, size := range [][2]int{{20000, 50}, {100000, 30}, {5000, 200}} {
		n, d := size[0], size[1]
		X, y := tall(n, d)
		start := func(b *testing.B) *peer.Python {
			py := peer.Start(b, 1, "import numpy as np\nfrom sklearn.linear_model import lasso_path, LassoCV, ElasticNetCV", "numpy", "sklearn")
			py.Array("X", X)
			py.Array("y", mat.NewVecDense(n, y))
			py.Do(`
y = y.ravel()
def F(a, w, b, rho=1.0):
    r = y - X @ w - b
    return r @ r / (2 * len(y)) + a * rho * np.abs(w).sum() + a * (1 - rho) / 2 * (w @ w)
`)
			return py
		}
		b.Run(fmt.Sprintf("%dx%d/path", n, d), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			py := start(b)
			var models []*Lasso
			var err error
			mine := peer.Timer(func() {
				if models, err = FitLassoPath(b.Context(), X, y, nil, &LassoOptions{Tolerance: 1e-4}); err != nil {
					b.Fatal(err)
				}
			})
			// lasso_path does not center. Its bound is relative to ‖y − ȳ‖², ours to half of that.
			theirs := py.Timer("m = X.mean(axis=0)\na, W, _ = lasso_path(np.asfortranarray(X - m), y - y.mean(), eps=1e-3, alphas=50, tol=5e-5, max_iter=100000)")
			peer.Race(9, mine, theirs).Report(b)
			sum, sweeps := 0.0, 0
			for _, m := range models {
				sum += m.Objective
				sweeps += m.Iterations
			}
			b.ReportMetric(py.Float("float(sum(F(a[k], W[:, k], y.mean() - m @ W[:, k]) for k in range(50)))")/sum-1, "excess")
			b.ReportMetric(sum, "objectives")
			b.ReportMetric(float64(sweeps), "sweeps")
		})
		for _, c := range []struct {
			name, peer string
			ratios     []float64
		}{{"LassoCV", "LassoCV(", nil}, {"ElasticNetCV", "ElasticNetCV(l1_ratio=[0.2, 0.5, 0.9], ", []float64{0.2, 0.5, 0.9}}} {
			b.Run(fmt.Sprintf("%dx%d/%s", n, d, c.name), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				py := start(b)
				of := mat.NewVecDense(n, nil)
				for f, fold := range KFold(n, 5, 1) {
					for _, i := range fold {
						of.SetVec(i, float64(f))
					}
				}
				py.Array("fold", of)
				py.Do("fold = fold.ravel()\nfolds = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(5)]")
				var cv *CV
				var err error
				mine := peer.Timer(func() {
					if cv, err = LassoCV(b.Context(), X, y, &CVOptions{L1Ratios: c.ratios, Seed: 1}, &LassoOptions{Tolerance: 1e-4}); err != nil {
						b.Fatal(err)
					}
				})
				theirs := py.Timer("m = " + c.peer + "alphas=30, cv=folds, tol=5e-5, max_iter=100000).fit(X, y)")
				peer.Race(5, mine, theirs).Report(b)
				rho := 1.0
				if c.ratios != nil {
					rho = cv.L1Ratios[cv.Best]
				}
				F := 0.0
				for i, p := range cv.Model.Predict(X) {
					F += (y[i] - p) * (y[i] - p) / float64(2*n)
				}
				for _, w := range cv.Model.W {
					F += cv.Model.Alpha * (rho*math.Abs(w) + (1-rho)/2*w*w)
				}
				b.ReportMetric(F, "objective")
				b.ReportMetric(py.Float(fmt.Sprintf("float(F(m.alpha_, m.coef_, m.intercept_, %g))", rho))/F-1, "excess")
				b.ReportMetric(py.Float("float(m.alpha_)")/cv.Model.Alpha-1, "alpha-excess")
			})
		}
	}
}

// BenchmarkRidgeCV reports the predictive R² of ridge on 2,000 words with 5 folds.
func BenchmarkRidgeCV(b *testing.B) {
	gemm.Use()
	X, y := ratings(b, 2000)
	for range b.N {
		cv, err := RidgeCV(b.Context(), X, y, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(cv.PR2, "pR2")
		b.ReportMetric(float64(cv.Best), "best-alpha")
	}
}
