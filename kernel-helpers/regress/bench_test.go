package regress

import (
	"fmt"
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
