package classify

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/data/mnist"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
)

// benchmarkPoints returns 5,000 training and 2,000 test digits of MNIST (not the first test images, which are
// easier), or generated digits if MNIST is missing.
func benchmarkPoints(b *testing.B) (X *mat.Dense, y []int, Xt *mat.Dense, yt []int) {
	b.Helper()
	d, err := mnist.Load()
	if err != nil {
		b.Logf("generated digits: %v", err)
		X, y = digits(b, 5000, 28, 1)
		Xt, yt = digits(b, 2000, 28, 2)
		return
	}
	idx := make([]int, 2000)
	for i := range idx {
		idx[i] = 5*i + 2
	}
	return d.Train.First(5000), d.Train.Labels[:5000], d.Test.Rows(idx), Labels(d.Test.Labels, idx)
}

// BenchmarkMaxent compares FitMaxent with scikit-learn's LogisticRegression at the same bound on the gradient
// (scikit-learn's tol applies to the sum over points). The metric excess is scikit-learn's objective divided
// by ours, minus 1.
func BenchmarkMaxent(b *testing.B) {
	gemm.Use()
	X, y, Xt, yt := benchmarkPoints(b)
	py := peer.Start(b, 2, "import numpy as np\nfrom sklearn.linear_model import LogisticRegression", "numpy", "sklearn")
	send(b, py, X, y)
	for _, alpha := range []float64{1e-2, 1e-3} {
		b.Run(fmt.Sprintf("alpha=%g", alpha), func(b *testing.B) {
			py.Do(fmt.Sprintf("def run():\n    global m\n    m = LogisticRegression(C=1/(%g*5000), tol=1e-2, max_iter=1000).fit(X, y)", alpha))
			var m *Maxent
			r := peer.Race(5, peer.Timer(func() {
				var err error
				if m, err = FitMaxent(b.Context(), X, y, &MaxentOptions{Alpha: alpha, Tolerance: 2e-6}); err != nil {
					b.Fatal(err)
				}
			}), py.Timer("run()"))
			r.Report(b)
			f, _, _ := MaxentObjective(mat.NewDense(10, 784, py.Floats("m.coef_.ravel()")), py.Floats("m.intercept_"), X, y, alpha)
			b.ReportMetric(f/m.Objective-1, "excess")
			b.ReportMetric(float64(m.Evaluations), "evaluations")
			b.ReportMetric(py.Float("int(m.n_iter_[0])"), "peer-steps")
			b.ReportMetric(ErrorRate(m.Predict(Xt), yt), "test-error")
		})
	}
}

// BenchmarkRBFSVM compares FitRBFSVM and its predictions with scikit-learn's SVC (LIBSVM) at the same
// tolerance. The metric excess is scikit-learn's sum of dual values divided by ours, minus 1.
func BenchmarkRBFSVM(b *testing.B) {
	gemm.Use()
	X, y, Xt, yt := benchmarkPoints(b)
	py := peer.Start(b, 2, "import numpy as np\nfrom sklearn.svm import SVC", "numpy", "sklearn")
	send(b, py, Xt, yt)
	py.Do("Xt, yt = X, y")
	send(b, py, X, y)
	py.Do("def run():\n    global m\n    m = SVC(C=5, gamma=0.02, tol=1e-3, cache_size=400, decision_function_shape='ovo').fit(X, y)")
	var m *RBFSVM
	b.Run("train", func(b *testing.B) {
		r := peer.Race(5, peer.Timer(func() {
			var err error
			if m, err = FitRBFSVM(b.Context(), X, y, &RBFSVMOptions{C: 5, Gamma: 0.02}); err != nil {
				b.Fatal(err)
			}
		}), py.Timer("run()"))
		r.Report(b)
		b.ReportMetric(peerDual(py)/floats.Sum(m.Dual)-1, "excess")
		b.ReportMetric(ErrorRate(m.Predict(Xt), yt), "test-error")
		b.ReportMetric(py.Float("float((m.predict(Xt) != yt).mean())"), "peer-test-error")
		b.ReportMetric(float64(len(m.Index)), "support")
	})
	b.Run("predict", func(b *testing.B) {
		peer.Race(2, peer.Timer(func() { m.Predict(Xt) }), py.Timer("m.predict(Xt)")).Report(b)
	})
}

// peerDual returns the sum of the dual values D = Σ|β| − ½ β'(f − b) of SVC's machines. It unpacks β from dual_coef_:
// for the pair (a, b), the coefficients of a's support vectors are in row b − 1, and those of b's support vectors are
// in row a.
func peerDual(py *peer.Python) float64 {
	py.Do(`
def dual():
    s, F = m.support_, m.decision_function(X[m.support_])
    ys, D, p = y[s], 0.0, 0
    for a in range(10):
        for b in range(a + 1, 10):
            beta = np.where(ys == a, m.dual_coef_[b - 1], np.where(ys == b, m.dual_coef_[a], 0))
            D += np.abs(beta).sum() - 0.5 * beta @ (F[:, p] - m.intercept_[p])
            p += 1
    return float(D)
`)
	return py.Float("dual()")
}

// BenchmarkLinearSVM compares FitLinearSVM with scikit-learn's LinearSVC (LIBLINEAR, which has one thread). The
// objectives are sums of the machines' primal objectives.
func BenchmarkLinearSVM(b *testing.B) {
	gemm.Use()
	X, y, Xt, yt := benchmarkPoints(b)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			py := peer.Start(b, threads, "import numpy as np\nfrom sklearn.svm import LinearSVC", "numpy", "sklearn")
			send(b, py, X, y)
			py.Do("def run():\n    global m\n    m = LinearSVC(C=0.01, dual=True, tol=1e-2, max_iter=1000).fit(X, y)")
			var m *LinearSVM
			r := peer.Race(9, peer.Timer(func() {
				var err error
				if m, err = FitLinearSVM(b.Context(), X, y, &LinearSVMOptions{C: 0.01, Tolerance: 1e-2}); err != nil {
					b.Fatal(err)
				}
			}), py.Timer("run()"))
			r.Report(b)
			b.ReportMetric(floats.Sum(m.Objective), "objective")
			b.ReportMetric(py.Float("float(sum(0.5*(m.coef_[k]@m.coef_[k] + m.intercept_[k]**2) + 0.01*(np.maximum(0, 1-np.where(y==k,1,-1)*(X@m.coef_[k]+m.intercept_[k]))**2).sum() for k in range(10)))"), "peer-objective")
			b.ReportMetric(ErrorRate(m.Predict(Xt), yt), "test-error")
		})
	}
}

// BenchmarkLinearSVMTall has many points with few features, and classes that overlap. scikit-learn chooses its method
// (dual="auto").
func BenchmarkLinearSVMTall(b *testing.B) {
	gemm.Use()
	const n, d = 20000, 50
	rng := rand.New(rand.NewPCG(5, 1))
	X, y := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		sum := 2 * rng.NormFloat64()
		for j := range d {
			v := rng.NormFloat64()
			X.Set(i, j, v)
			if j < 5 {
				sum += v
			}
		}
		if sum > 0 {
			y[i] = 1
		}
	}
	for _, loss := range []Loss{SquaredHinge, Hinge} {
		name, power := "squared_hinge", 2
		if loss == Hinge {
			name, power = "hinge", 1
		}
		b.Run(name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			py := peer.Start(b, 1, "import numpy as np\nfrom sklearn.svm import LinearSVC", "numpy", "sklearn")
			send(b, py, X, y)
			py.Do(fmt.Sprintf("def run():\n    global m\n    m = LinearSVC(loss=%q).fit(X, y)", name))
			var m *LinearSVM
			r := peer.Race(5, peer.Timer(func() {
				var err error
				if m, err = FitLinearSVM(b.Context(), X, y, &LinearSVMOptions{Loss: loss}); err != nil {
					b.Fatal(err)
				}
			}), py.Timer("run()"))
			r.Report(b)
			b.ReportMetric(m.Objective[1], "objective")
			b.ReportMetric(py.Float(fmt.Sprintf("float(0.5*(m.coef_[0]@m.coef_[0] + m.intercept_[0]**2) + (np.maximum(0, 1-np.where(y==1,1,-1)*(X@m.coef_[0]+m.intercept_[0]))**%d).sum())", power)), "peer-objective")
		})
	}
}
