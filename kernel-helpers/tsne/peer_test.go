package tsne

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/mnist"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/pca"
)

// received returns an n×2 array from Python.
func received(py *peer.Python, expr string, n int) *mat.Dense {
	return mat.NewDense(n, 2, py.Floats("np.asarray("+expr+", float).ravel()"))
}

// TestSklearn compares the affinities with scikit-learn's and, from the same start, the map after up to 100
// exaggerated steps. The steps are small: with larger steps, rounding errors (its P is in float32) grow
// tenfold every few steps, and finally determine the positions of clusters.
func TestSklearn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	X, _ := blobs(rnd, 150, 10, 3, 3)
	n, _ := X.Dims()
	Y := mat.NewDense(n, 2, nil)
	for i := range n {
		Y.SetRow(i, []float64{1e-2 * rnd.NormFloat64(), 1e-2 * rnd.NormFloat64()})
	}
	py := peer.Start(t, 1, `
import numpy as np
from sklearn.manifold import TSNE, _t_sne
from sklearn.neighbors import NearestNeighbors
`, "numpy", "sklearn")
	py.Array("X", X)
	py.Array("Y", Y)
	opt := &Options{Perplexity: 12}
	a, err := NewAffinities(t.Context(), X, opt)
	if err != nil {
		t.Fatal(err)
	}
	py.Do(`
d = NearestNeighbors(n_neighbors=37).fit(X).kneighbors_graph(mode="distance")
d.data **= 2
P = _t_sne._joint_probabilities_nn(d, 12, 0).toarray()
`)
	theirs := py.Floats("P.ravel()")
	for i := range n {
		row := make([]float64, n)
		for c := a.Row[i]; c < a.Row[i+1]; c++ {
			row[a.Col[c]] = a.P[c]
		}
		for j, p := range row {
			// scikit-learn's P is in float32, with the entropy accurate to 1e-5.
			if q := theirs[i*n+j]; math.Abs(p-q) > 1e-4*q+1e-9 {
				t.Fatalf("p(%d, %d) is %g, scikit-learn's %g", i, j, p, q)
			}
		}
	}

	py.Do(`
from scipy.spatial.distance import pdist, squareform
P = _t_sne._joint_probabilities(squareform(pdist(X, "sqeuclidean")).astype(np.float32), 12, 0)
`)
	for _, steps := range []int{1, 5, 20, 50, 100} {
		r, err := Fit(t.Context(), X, &Options{Perplexity: 12, Steps: steps, Method: Exact, Start: Given, Init: Y, LearningRate: 5, EarlyExaggeration: 2, MinGradNorm: -1})
		if err != nil {
			t.Fatal(err)
		}
		py.Do(fmt.Sprintf(`
Z, _, _ = _t_sne._gradient_descent(_t_sne._kl_divergence, Y.ravel().copy(), 0, %d, n_iter_check=1000, momentum=0.5, learning_rate=5, min_grad_norm=0, args=[2 * P, 1, len(X), 2])
`, steps))
		W := received(py, "Z", n)
		if e := different(coordinates(r.Y), coordinates(W)); !(e < 1e-3) {
			t.Errorf("the map after %d exaggerated steps differs from scikit-learn's by %.2g", steps, e)
		}
	}
}

// BenchmarkSklearn compares one Fit of 10,000 digits, in 50 principal components, with one run of
// scikit-learn's Barnes-Hut, which takes minutes. The metrics kl and peer-kl are the exact divergences of the
// two maps, for the same P. Without MNIST the digits are generated.
//
//	go test -bench Sklearn/steps=250 -benchtime 1x -run - ./kernel-helpers/tsne
func BenchmarkSklearn(b *testing.B) {
	gemm.Use()
	X := digits(b, 10_000)
	m, err := pca.Fit(b.Context(), X, &pca.Options{Components: 50})
	if err != nil {
		b.Fatal(err)
	}
	X = m.Scores(X)
	n, _ := X.Dims()
	for _, steps := range []int{250, 1000} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("steps=%d/threads=%d", steps, threads), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				py := peer.Start(b, threads, "import numpy as np\nfrom sklearn.manifold import TSNE\nX = np.zeros((0, 0))", "numpy", "sklearn")
				py.Array("X", X)
				for range b.N {
					var r *Result
					mine := peer.Timer(func() {
						var err error
						if r, err = Fit(b.Context(), X, &Options{Steps: steps}); err != nil {
							b.Fatal(err)
						}
					})()
					theirs := py.Timer(fmt.Sprintf(`
steps = {"max_iter" if hasattr(TSNE(), "max_iter") else "n_iter": %d}
Z = TSNE(method="barnes_hut", init="pca", learning_rate="auto", random_state=0, n_jobs=%d, **steps).fit_transform(X)`, steps, threads))()
					peer.Compare(mine, theirs).Report(b)
					b.ReportMetric(r.KL, "kl")
					b.ReportMetric(r.Affinities.KL(received(py, "Z", n)), "peer-kl")
				}
			})
		}
	}
}

// digits returns MNIST's first n training images, or generated images.
func digits(tb testing.TB, n int) *mat.Dense {
	if d, err := mnist.Load(); err == nil {
		return d.Train.First(n)
	}
	tb.Log("no MNIST: generated digits")
	d, err := synth.Digits(tb.Context(), synth.DigitsOptions{N: n, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	return d.Images
}
