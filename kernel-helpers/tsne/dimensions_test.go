package tsne

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/peer"
)

// TestGradientDimensions compares the gradient with central differences of C, and C with its definition, in one
// to five dimensions, for several degrees of freedom.
func TestGradientDimensions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 4))
	const n = 70 // more than a strip
	X := normal(rnd, n, 6, 1)
	for _, c := range []struct {
		D  int
		nu float64
	}{{1, 0}, {3, 0}, {5, 0}, {1, 3}, {2, 0.5}, {2, 2}, {2, 3.7}, {3, 2}, {3, 100}, {5, 4}} {
		D := c.D
		a := mustAffinities(t, X, &Options{Perplexity: 4, Dimensions: D, DegreesOfFreedom: c.nu})
		Y := normal(rnd, n, D, 1)
		nu := c.nu
		if nu == 0 {
			nu = 1
		}
		w := func(i, j int) float64 {
			return math.Pow(1+squaredDistance(Y.RawRowView(i), Y.RawRowView(j))/nu, -(nu+1)/2)
		}
		var Z, want float64
		for i := range n {
			for j := range n {
				if i != j {
					Z += w(i, j)
				}
			}
		}
		for i := range n {
			for c := a.Row[i]; c < a.Row[i+1]; c++ {
				want += a.P[c] * math.Log(a.P[c]/(w(i, int(a.Col[c]))/Z))
			}
		}
		if got := a.KL(Y); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d dimensions, ν = %v: KL is %v, want %v", D, nu, got, want)
		}
		G := a.Gradient(Y)
		for i := range n {
			for c := range D {
				const h = 1e-5
				y := Y.At(i, c)
				Y.Set(i, c, y+h)
				up := a.KL(Y)
				Y.Set(i, c, y-h)
				down := a.KL(Y)
				Y.Set(i, c, y)
				if want := (up - down) / (2 * h); math.Abs(G.At(i, c)-want) > 1e-8 {
					t.Fatalf("%d dimensions, ν = %v: ∂C/∂y(%d, %d) is %g, differences say %g", D, nu, i, c, G.At(i, c), want)
				}
			}
		}
		// Trees that open every cell give the same gradient.
		var f field
		switch {
		case D == 3:
			f = newSpace(a, 0, team{workers: 1})
		case D == 2 && nu != 1:
			f = newFlat(a, 0, team{workers: 1})
		default:
			continue
		}
		g := make([]float64, n*D)
		if kl := f.gradient(coordinates(Y), 1, g, true); math.Abs(kl-want) > 1e-12 {
			t.Errorf("%d dimensions, ν = %v: KL by the tree is %v, want %v", D, nu, kl, want)
		}
		if e := different(g, coordinates(G)); !(e < 1e-12) {
			t.Errorf("%d dimensions, ν = %v: the gradient by the tree differs by %.2g", D, nu, e)
		}
	}
}

// TestDegreesOfFreedom: judged with its own ν, each map has a smaller divergence than the map for another ν. The map by
// the tree is about as good as the map over all pairs, and ν = 1 is the default.
func TestDegreesOfFreedom(t *testing.T) {
	X, _ := blobs(rand.New(rand.NewPCG(5, 4)), 120, 20, 4, 1)
	for _, D := range []int{2, 3} {
		maps := map[float64]*Result{}
		for _, nu := range []float64{0, 1, 2} {
			maps[nu] = mustFit(t, X, &Options{Dimensions: D, DegreesOfFreedom: nu, Steps: 400, Perplexity: 10})
			if got := maps[nu].Affinities.KL(maps[nu].Y); math.Abs(got-maps[nu].KL) > 1e-12 {
				t.Errorf("ν = %v: KL(Y) is %v, Result.KL %v", nu, got, maps[nu].KL)
			}
		}
		if !mat.Equal(maps[0].Y, maps[1].Y) {
			t.Errorf("%d dimensions: ν = 1 is not the default", D)
		}
		for _, nu := range []float64{1, 2} {
			if mine, other := maps[nu].KL, maps[nu].Affinities.KL(maps[3-nu].Y); !(mine < other) {
				t.Errorf("%d dimensions: by ν = %v, its map has %v and another %v", D, nu, mine, other)
			}
		}
		exact := mustFit(t, X, &Options{Dimensions: D, DegreesOfFreedom: 2, Steps: 400, Perplexity: 10, Method: Exact, Neighbors: 31})
		if got := maps[2].KL; math.Abs(got-exact.KL) > 0.1*exact.KL {
			t.Errorf("%d dimensions, ν = 2: KL is %v by the tree, %v over all pairs", D, got, exact.KL)
		}
		if maps[2].Method != BarnesHut {
			t.Errorf("%d dimensions, ν = 2: the method is %v", D, maps[2].Method)
		}
	}
}

// TestPlaneInSpace: a map in three dimensions with third coordinate 0 has the divergence and the gradient of
// the map in the plane.
func TestPlaneInSpace(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 4))
	a := mustAffinities(t, normal(rnd, 90, 6, 1), &Options{Perplexity: 8})
	Y := normal(rnd, 90, 2, 2)
	S := mat.NewDense(90, 3, nil)
	S.Slice(0, 90, 0, 2).(*mat.Dense).Copy(Y)
	if p, s := a.KL(Y), a.KL(S); math.Abs(p-s) > 1e-12 {
		t.Errorf("KL is %v in the plane, %v in space", p, s)
	}
	G := a.Gradient(S)
	if e := different(coordinates(G.Slice(0, 90, 0, 2)), coordinates(a.Gradient(Y))); !(e < 1e-12) {
		t.Errorf("the gradients differ by %.2g", e)
	}
	if z := mat.Max(G.Slice(0, 90, 2, 3)); z != 0 {
		t.Errorf("there is a force of %g out of the plane", z)
	}
}

// TestDimensions: more dimensions give a smaller divergence, the plane is the default, and maps do not depend
// on Workers.
func TestDimensions(t *testing.T) {
	X, _ := blobs(rand.New(rand.NewPCG(3, 4)), 250, 20, 4, 1)
	maps := map[int]*Result{}
	for _, D := range []int{0, 1, 2, 3} {
		for _, s := range []Start{PCA, Random} {
			r := mustFit(t, X, &Options{Dimensions: D, Start: s, Steps: 300, Workers: 1})
			want := D
			if D == 0 {
				want = 2
			}
			if n, c := r.Y.Dims(); n != 250 || c != want {
				t.Fatalf("Dimensions %d: the map is %d×%d", D, n, c)
			}
			if got := r.Affinities.KL(r.Y); math.Abs(got-r.KL) > 1e-12 || !r.KLExact {
				t.Errorf("KL(Y) is %v, Result.KL %v", got, r.KL)
			}
			if (r.Method == Exact) != (want == 1) {
				t.Errorf("Dimensions %d: the method is %v", D, r.Method)
			}
			if s == PCA {
				maps[D] = r
			}
		}
	}
	if !mat.Equal(maps[0].Y, maps[2].Y) {
		t.Error("2 dimensions are not the default")
	}
	if !(maps[3].KL < maps[2].KL && maps[2].KL < maps[1].KL) {
		t.Errorf("KL is %v, %v and %v in 1, 2 and 3 dimensions", maps[1].KL, maps[2].KL, maps[3].KL)
	}
	if r := mustFit(t, X, &Options{Dimensions: 3, Steps: 300, Workers: 5}); !mat.Equal(r.Y, maps[3].Y) {
		t.Error("the map depends on Workers")
	}
	if !slices.ContainsFunc(mat.Col(nil, 2, maps[3].Y), func(v float64) bool { return math.Abs(v) > 0.1 }) {
		t.Error("the map in space is flat")
	}
}

// TestSklearnDimensions compares the divergence, its gradient and, from the same start, three-dimensional
// maps with scikit-learn's.
func TestSklearnDimensions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	X, _ := blobs(rnd, 120, 10, 3, 3)
	Y := normal(rnd, 120, 3, 1)
	small := normal(rnd, 120, 3, 1e-2)
	py := peer.Start(t, 1, `
import numpy as np
from sklearn.manifold import _t_sne
from scipy.spatial.distance import pdist, squareform
`, "numpy", "sklearn", "scipy")
	py.Array("X", X)
	py.Array("Y", Y)
	py.Array("S", small)
	py.Do(`
P = _t_sne._joint_probabilities(squareform(pdist(X, "sqeuclidean")).astype(np.float32), 12, 0)
`)
	a := mustAffinities(t, X, &Options{Perplexity: 12, Method: Exact})
	// scikit-learn's P is in float32, with the entropy accurate to 1e-5. It takes ν = 2 in three dimensions, but
	// its gradient is then not the derivative of its divergence: see the package comment.
	for _, nu := range []float64{2, 1} {
		a.DegreesOfFreedom = nu
		py.Do(fmt.Sprintf("kl, g = _t_sne._kl_divergence(Y.ravel(), P, %v, len(X), 3)", nu))
		if got, want := a.KL(Y), py.Float("float(kl)"); math.Abs(got-want) > 1e-5*want {
			t.Errorf("ν = %v: KL is %v, scikit-learn's %v", nu, got, want)
		}
		if e := different(coordinates(a.Gradient(Y)), py.Floats("g.ravel()")); nu == 1 && !(e < 1e-4) {
			t.Errorf("ν = %v: the gradient differs from scikit-learn's by %.2g", nu, e)
		}
	}
	for _, steps := range []int{1, 20, 50} {
		r := mustFit(t, X, &Options{Perplexity: 12, Dimensions: 3, Steps: steps, Method: Exact, Start: Given, Init: small, LearningRate: 5, EarlyExaggeration: 2, MinGradNorm: -1})
		py.Do(fmt.Sprintf(`
Z, _, _ = _t_sne._gradient_descent(_t_sne._kl_divergence, S.ravel().copy(), 0, %d, n_iter_check=1000, momentum=0.5, learning_rate=5, min_grad_norm=0, args=[2 * P, 1, len(X), 3])
`, steps))
		if e := different(coordinates(r.Y), py.Floats("np.asarray(Z, float).ravel()")); !(e < 1e-3) {
			t.Errorf("the map after %d exaggerated steps differs from scikit-learn's by %.2g", steps, e)
		}
	}
}
