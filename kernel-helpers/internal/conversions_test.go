package internal_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel-helpers/sparseapprox"
)

// TestConversions checks the README's table of weights: if the weights are converted by this table, the packages find
// the same minimizer.
func TestConversions(t *testing.T) {
	const n, d = 40, 6
	rng := rand.New(rand.NewPCG(1, 4))
	X, y := mat.NewDense(n, d, nil), make([]float64, n)
	labels := make([]int, n)
	for i := range n {
		for j := range d {
			X.Set(i, j, rng.NormFloat64())
			y[i] += X.At(i, j) * float64(j-2)
		}
		y[i] += rng.NormFloat64()
		if y[i] > 0 {
			labels[i] = 1
		}
	}
	centre := func(v mat.MutableVector) { // so that the intercept, which has no penalty, is 0
		mean := mat.Sum(v) / n
		for i := range n {
			v.SetVec(i, v.AtVec(i)-mean)
		}
	}
	for j := range d {
		centre(X.ColView(j).(*mat.VecDense))
	}
	signal := mat.NewDense(n, 1, y)
	centre(signal.ColView(0).(*mat.VecDense))
	ctx := t.Context()
	same := func(name string, want []float64, got func(j int) float64, tolerance float64) {
		t.Helper()
		for j, w := range want {
			if math.Abs(got(j)-w) > tolerance {
				t.Errorf("%s: w_%d is %v, want %v", name, j, got(j), w)
			}
		}
	}

	const alpha = 3.
	ridge, err := regress.FitRidge(ctx, X, y, alpha)
	must(t, err)
	l2, err := sparseapprox.Solve(ctx, X, signal, &sparseapprox.Options{Prior: sparseapprox.L2, Lambda: alpha / 2})
	must(t, err)
	same("ridge by sparseapprox", ridge.W, func(j int) float64 { return l2.W.At(j, 0) }, 1e-10)

	const a = 0.3
	lasso, err := regress.FitLasso(ctx, X, y, a, &regress.LassoOptions{Tolerance: 1e-13})
	must(t, err)
	if lasso.Active == 0 || lasso.Active == d {
		t.Fatalf("%d of %d active: the penalty shows nothing", lasso.Active, d)
	}
	l1, err := sparseapprox.Solve(ctx, X, signal, &sparseapprox.Options{Lambda: n * a})
	must(t, err)
	same("lasso by sparseapprox", lasso.W, func(j int) float64 { return l1.W.At(j, 0) }, 1e-5)
	p, err := pursuit.Lasso(ctx, X, signal, n*a, nil)
	must(t, err)
	same("lasso by pursuit", lasso.W, func(j int) float64 { return p.S.At(j, 0) }, 1e-3)

	const ratio = 0.6
	net, err := regress.FitLasso(ctx, X, y, a, &regress.LassoOptions{L1Ratio: ratio, Tolerance: 1e-13})
	must(t, err)
	codes, err := sparseapprox.Solve(ctx, X, signal, &sparseapprox.Options{Lambda: n * a * ratio, Ridge: n * a * (1 - ratio), Tolerance: 1e-12})
	must(t, err)
	same("elastic net by sparseapprox", net.W, func(j int) float64 { return codes.W.At(j, 0) }, 1e-5)

	const C = 0.1
	machine, err := classify.FitLinearSVM(ctx, X, labels, &classify.LinearSVMOptions{C: C, BiasValue: 100, Tolerance: 1e-9, MaxIterations: 1000000})
	must(t, err)
	scale := &l2svm.Scale{Mean: make([]float64, d), SD: make([]float64, d)}
	for j := range d {
		scale.SD[j] = 1
	}
	of, err := l2svm.Fit(ctx, l2svm.Dense(X), labels, &l2svm.Options{C: C * n, Scale: scale, Tolerance: 1e-6, Gap: 1e-8})
	must(t, err)
	same("linear machine by l2svm", machine.W.RawRowView(1), func(j int) float64 { return of.W.At(1, j) }, 1e-3)

	maxent, err := classify.FitMaxent(ctx, X, labels, &classify.MaxentOptions{Alpha: 0.05, Tolerance: 1e-9})
	must(t, err)
	net1, err := classify.FitMaxent(ctx, X, labels, &classify.MaxentOptions{Alpha: 0.05, L1Ratio: 1, Tolerance: 1e-9})
	must(t, err)
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.linear_model import Ridge, Lasso, ElasticNet, LogisticRegression\nfrom sklearn.svm import LinearSVC", "numpy", "sklearn")
	py.Array("X", X)
	py.Array("y", signal)
	label := mat.NewDense(n, 1, nil)
	for i, l := range labels {
		label.Set(i, 0, float64(l))
	}
	py.Array("t", label)
	py.Do("y = y.ravel(); t = t.ravel().astype(int)")
	theirs := func(expr string) func(j int) float64 {
		w := py.Floats(expr)
		return func(j int) float64 { return w[j] }
	}
	same("Ridge", ridge.W, theirs("Ridge(alpha=3).fit(X, y).coef_"), 1e-8)
	same("Lasso", lasso.W, theirs("Lasso(alpha=0.3, tol=1e-12).fit(X, y).coef_"), 1e-5)
	same("ElasticNet", net.W, theirs("ElasticNet(alpha=0.3, l1_ratio=0.6, tol=1e-12).fit(X, y).coef_"), 1e-5)
	same("LinearSVC", machine.W.RawRowView(1), theirs("LinearSVC(C=0.1, intercept_scaling=100, tol=1e-10, max_iter=1000000).fit(X, t).coef_[0]"), 1e-3)
	same("LogisticRegression", maxent.W.RawRowView(1), theirs("LogisticRegression(C=2/(0.05*40), tol=1e-12, max_iter=10000).fit(X, t).coef_[0]/2"), 1e-4)
	same("LogisticRegression, L1", net1.W.RawRowView(1), theirs("LogisticRegression(penalty='l1', solver='saga', C=1/(0.05*40), tol=1e-9, max_iter=100000).fit(X, t).coef_[0]/2"), 1e-4)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
