package tsne

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/pca"
)

// TestSpace compares the gradient by the octree with the gradient over all pairs: without cells, both are the
// same up to rounding; with cells, they are close. Some points coincide, and in some maps all do.
func TestSpace(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 4))
	for _, n := range []int{40, 700} {
		X, _ := blobs(rnd, n, 10, 4, 1)
		a := mustAffinities(t, X, &Options{Perplexity: 8})
		wide := normal(rnd, n, 3, 30)
		for i := range n / 2 { // half of them in five tight clusters, ten at one point
			for c := range 3 {
				wide.Set(i, c, float64(20*(i%5))+0.01*wide.At(i, c))
			}
		}
		for i := range 10 {
			wide.SetRow(i, []float64{3, 1, 2})
		}
		flat := normal(rnd, n, 3, 2)
		for i := range n {
			flat.Set(i, 1, 4)
		}
		for name, Y := range map[string]*mat.Dense{"wide": wide, "near": normal(rnd, n, 3, 1e-4), "flat": flat, "one place": mat.NewDense(n, 3, nil)} {
			y, want, got := coordinates(Y), make([]float64, 3*n), make([]float64, 3*n)
			e := &exactField{Affinities: a, rep: make([]float64, 3*n), z: make([]float64, n)}
			C := e.gradient(y, 3, want, true)
			for _, c := range []struct{ theta, tol, kl float64 }{{0, 1e-12, 1e-12}, {0.2, 0.01, 1e-3}, {0.5, 0.05, 0.01}} {
				s := newSpace(a, c.theta, team{workers: 3})
				kl := s.gradient(y, 3, got, true)
				if d := different(got, want); name != "one place" && !(d <= c.tol) {
					t.Errorf("%d points, %s, θ %v: the gradient differs by %.2g", n, name, c.theta, d)
				}
				if math.Abs(kl-C) > c.kl {
					t.Errorf("%d points, %s, θ %v: C is %v, must be %v", n, name, c.theta, kl, C)
				}
				if total(s.z) == 0 {
					t.Errorf("%d points, %s: Z is 0", n, name)
				}
				mass := 0.0
				for _, cell := range s.tree.cells {
					if int(cell.skip) <= 0 || cell.to <= cell.from {
						t.Fatalf("cell %+v", cell)
					}
				}
				mass = s.tree.cells[0].mass
				if mass != float64(n) {
					t.Errorf("the tree has %v of %d points", mass, n)
				}
			}
		}
	}
}

// TestSpread: the bits of a place on the curve are the interleaved bits of the coordinates.
func TestSpread(t *testing.T) {
	for _, x := range []uint64{0, 1, 5, 1<<21 - 1, 0x155555, 0x0aaaaa, 123456} {
		got, want := spread(x), uint64(0)
		for b := range 21 {
			want |= (x >> b & 1) << (3 * b)
		}
		if got != want {
			t.Errorf("spread(%x) is %x, must be %x", x, got, want)
		}
	}
}

// Three-dimensional maps by the tree are as good as maps over all pairs with the same affinities.
func TestSpaceMap(t *testing.T) {
	X, _ := blobs(rand.New(rand.NewPCG(6, 4)), 300, 20, 5, 1)
	o := Options{Dimensions: 3, Steps: 400, Neighbors: 91}
	fast := mustFit(t, X, &o)
	o.Method = Exact
	slow := mustFit(t, X, &o)
	if fast.Method != BarnesHut || slow.Method != Exact {
		t.Errorf("the methods are %v and %v", fast.Method, slow.Method)
	}
	if math.Abs(fast.KL-slow.KL) > 0.05*slow.KL {
		t.Errorf("the divergence is %v by the tree, %v over all pairs", fast.KL, slow.KL)
	}
	t.Logf("KL %.4f by the tree, %.4f over all pairs", fast.KL, slow.KL)
}

// BenchmarkSpace compares Fit with scikit-learn's Barnes-Hut: a three-dimensional map of 3,000 digits in 50 principal
// components, 1,000 steps, one thread. kl-1 and kl-2 are the divergences of the map with one and two degrees of
// freedom; trust is its trustworthiness with 10 neighbors.
//
//	go test -bench Space -benchtime 1x -run - ./kernel-helpers/tsne
func BenchmarkSpace(b *testing.B) {
	X := digits(b, 3000)
	m, err := pca.Fit(b.Context(), X, &pca.Options{Components: 50})
	if err != nil {
		b.Fatal(err)
	}
	X = m.Scores(X)
	n, _ := X.Dims()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	py := peer.Start(b, 1, "import numpy as np\nfrom sklearn.manifold import TSNE\nX = np.zeros((0, 0))", "numpy", "sklearn")
	py.Array("X", X)
	a, err := NewAffinities(b.Context(), X, &Options{Neighbors: 91})
	if err != nil {
		b.Fatal(err)
	}
	report := func(b *testing.B, Y mat.Matrix, prefix string) {
		for _, nu := range []float64{1, 2} {
			a.DegreesOfFreedom = nu
			b.ReportMetric(a.KL(Y), fmt.Sprintf("%skl-%v", prefix, nu))
		}
		trust, err := Trustworthiness(X, Y, 10)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(trust, prefix+"trust")
	}
	for _, method := range []Method{BarnesHut, Exact} {
		for _, nu := range []float64{1, 2} {
			b.Run(fmt.Sprintf("%v/nu=%v", method, nu), func(b *testing.B) {
				for range b.N {
					var r *Result
					mine := peer.Timer(func() {
						var err error
						if r, err = Fit(b.Context(), X, &Options{Dimensions: 3, DegreesOfFreedom: nu, Method: method, Neighbors: 91}); err != nil {
							b.Fatal(err)
						}
					})()
					theirs := py.Timer(`
steps = {"max_iter" if hasattr(TSNE(), "max_iter") else "n_iter": 1000}
Z = TSNE(3, method="barnes_hut", init="pca", learning_rate="auto", random_state=0, n_jobs=1, **steps).fit_transform(X)`)()
					peer.Compare(mine, theirs).Report(b)
					report(b, r.Y, "")
					report(b, mat.NewDense(n, 3, py.Floats("np.asarray(Z, float).ravel()")), "peer-")
				}
			})
		}
	}
}
