package pca

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
)

// covarianceEigh is scikit-learn's solver of that name (since version 1.5), written with numpy to allow
// comparisons with older versions too.
const covarianceEigh = `
class CovarianceEigh:
    def __init__(self, k): self.k = k
    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        C = X.T @ X
        C -= len(X) * np.outer(self.mean_, self.mean_)
        C /= len(X) - 1
        l, V = np.linalg.eigh(C)
        l = l[::-1].copy(); l[l < 0] = 0
        self.explained_variance_ratio_ = (l / l.sum())[:self.k]
        self.components_ = np.asfortranarray(V[:, ::-1].T[:self.k])
        return self
    def transform(self, X): return (X - self.mean_) @ self.components_.T
    def inverse_transform(self, Z): return Z @ self.components_ + self.mean_
`

// BenchmarkSklearn compares Fit with each of scikit-learn's solvers on generated faces, with two threads
// each, and with covariance_eigh on one thread. The metric share is the share of the variance that the axes
// explain: solvers that do equal work have equal shares.
func BenchmarkSklearn(b *testing.B) {
	gemm.Use()
	for _, c := range []struct{ n, size, k int }{{5000, 32, 100}, {5000, 32, 1024}, {400, 64, 100}} {
		faces, err := synth.Faces(b.Context(), synth.FacesOptions{N: c.n, Size: c.size, Noise: 0.02, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		X := faces.Images
		k := min(c.k, c.n)
		pairs := []struct {
			mine  Method
			their string
		}{{Auto, "full"}, {Auto, "covariance_eigh"}, {Auto, "arpack"}, {Auto, "randomized"}, {ByRandom, "randomized"}}
		if k == c.size*c.size {
			pairs = pairs[:2]
		}
		for _, p := range pairs {
			name := fmt.Sprintf("%dx%d to %d/%v against %s", c.n, c.size*c.size, k, p.mine, p.their)
			b.Run(name, func(b *testing.B) { raceSklearn(b, X, k, p.mine, p.their, 2) })
			if p.their == "covariance_eigh" {
				b.Run(name+"/threads=1", func(b *testing.B) { raceSklearn(b, X, k, p.mine, p.their, 1) })
			}
		}
	}
}

func raceSklearn(b *testing.B, X *mat.Dense, k int, mine Method, their string, threads int) {
	defer gemm.SetWorkers(gemm.SetWorkers(threads))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	py := peer.Start(b, threads, "import numpy as np\nfrom sklearn.decomposition import PCA", "numpy", "sklearn")
	py.Array("X", X)
	py.Do(covarianceEigh)
	solver := fmt.Sprintf("PCA(%d, svd_solver=%q, random_state=0)", k, their)
	if their == "covariance_eigh" {
		if n, d := X.Dims(); n < d {
			b.Skip("d x d is the wrong matrix for few points in many dimensions")
		}
		solver = fmt.Sprintf("CovarianceEigh(%d)", k)
	}
	py.Do(fmt.Sprintf("def run():\n    global p\n    p = %s.fit(X)", solver))
	var m *Model
	r := peer.Race(5, peer.Timer(func() { m = fit(b, X, Options{Components: k, Method: mine}) }), py.Timer("run()"))
	r.Report(b)
	if m.Residual > 0 {
		b.ReportMetric(math.Log10(m.Residual), "log10-residual")
	}
	b.ReportMetric(m.Explained(k), "share")
	b.ReportMetric(py.Float("float(p.explained_variance_ratio_.sum())"), "peer-share")
	b.ReportMetric(m.Loss(X, k), "loss")
	b.ReportMetric(py.Float("float(np.linalg.norm(X - p.inverse_transform(p.transform(X))))"), "peer-loss")
}
