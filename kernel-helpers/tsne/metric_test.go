package tsne

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/peer"
)

// distances returns the distances between the rows of X by their definitions.
func distances(X *mat.Dense, metric Metric) *mat.Dense {
	n, _ := X.Dims()
	D := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i {
			a, b := X.RawRowView(i), X.RawRowView(j)
			v := floats.Distance(a, b, 2)
			if metric == Cosine {
				v = 1 - floats.Dot(a, b)/floats.Norm(a, 2)/floats.Norm(b, 2)
			}
			D.Set(i, j, v)
			D.Set(j, i, v)
		}
	}
	return D
}

// full returns P as a matrix.
func full(a *Affinities) *mat.Dense {
	P := mat.NewDense(a.N, a.N, nil)
	for i := range a.N {
		for c := a.Row[i]; c < a.Row[i+1]; c++ {
			P.Set(i, int(a.Col[c]), a.P[c])
		}
	}
	return P
}

// TestGivenDistances: distances give the same affinities whether they are computed or given, and Euclidean
// distances give the same start up to signs. The map does not depend on the scale of distances.
func TestGivenDistances(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	X, _ := blobs(rnd, 90, 6, 3, 3)
	before := mat.DenseCopyOf(X)
	for _, metric := range []Metric{Euclidean, Cosine} {
		D := distances(X, metric)
		given := mat.DenseCopyOf(D)
		for _, method := range []Method{BarnesHut, Exact} {
			a := mustAffinities(t, X, &Options{Perplexity: 8, Metric: metric, Method: method})
			b := mustAffinities(t, D, &Options{Perplexity: 8, Metric: Precomputed, Method: method})
			if !mat.EqualApprox(full(a), full(b), 1e-12) {
				t.Errorf("%v, %v: P differs", metric, method)
			}
		}
		if !mat.Equal(D, given) {
			t.Error("the distances were changed")
		}
	}
	if !mat.Equal(X, before) {
		t.Error("X was changed")
	}
	D := distances(X, Euclidean)
	a, err := start(t.Context(), X, &Options{Dimensions: 2})
	if err != nil {
		t.Fatal(err)
	}
	b, err := start(t.Context(), D, &Options{Dimensions: 2, Metric: Precomputed})
	if err != nil {
		t.Fatal(err)
	}
	for k := range a {
		if math.Abs(math.Abs(a[k])-math.Abs(b[k])) > 1e-8 { // the first has a deviation of 1e-4
			t.Fatalf("the starts differ: %v and %v", a[k], b[k])
		}
	}
	var scaled mat.Dense
	scaled.Scale(1<<20, D)
	for _, method := range []Method{BarnesHut, Exact} {
		o := &Options{Perplexity: 8, Metric: Precomputed, Method: method, Steps: 100}
		r, s := mustFit(t, D, o), mustFit(t, &scaled, o)
		if !mat.Equal(r.Y, s.Y) {
			t.Errorf("%v: the map depends on the scale", method)
		}
	}
}

// TestCosine: the norms of the points do not matter, and the affinities come from squared cosine distances. With points
// at angles t on a circle, p_j|i ∝ exp(−β(1 − cos(t_i − t_j))²).
func TestCosine(t *testing.T) {
	const n = 12
	rnd := rand.New(rand.NewPCG(3, 4))
	X := mat.NewDense(n, 2, nil)
	angle := make([]float64, n)
	for i := range n {
		angle[i] = 2 * math.Pi * rnd.Float64()
		norm := math.Exp(5 * rnd.NormFloat64())
		X.SetRow(i, []float64{norm * math.Cos(angle[i]), norm * math.Sin(angle[i])})
	}
	a := mustAffinities(t, X, &Options{Perplexity: 3, Metric: Cosine, Method: Exact})
	cond := mat.NewDense(n, n, nil)
	for i := range n {
		row := cond.RawRowView(i)
		for j := range n {
			c := 1 - math.Cos(angle[i]-angle[j])
			if row[j] = math.Exp(-a.Beta[i] * c * c); i == j {
				row[j] = 0
			}
		}
		floats.Scale(1/floats.Sum(row), row)
		h := 0.0
		for j, p := range row {
			if j != i && p > 0 {
				h -= p * math.Log(p)
			}
		}
		if math.Abs(h-math.Log(3)) > 1e-8 {
			t.Errorf("point %d: perplexity %v", i, math.Exp(h))
		}
	}
	var want mat.Dense
	want.Add(cond, cond.T())
	want.Scale(1/(2.0*n), &want)
	if !mat.EqualApprox(full(a), &want, 1e-10) {
		t.Error("P is not that of the cosine distances")
	}
}

func TestMetricRefuses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	X := normal(rnd, 20, 3, 1)
	with := func(M *mat.Dense, i, j int, v float64) *mat.Dense {
		out := mat.DenseCopyOf(M)
		out.Set(i, j, v)
		return out
	}
	D := distances(X, Euclidean)
	zero := mat.DenseCopyOf(X)
	zero.SetRow(4, []float64{0, 0, 0})
	for want, c := range map[string]struct {
		X *mat.Dense
		m Metric
	}{
		"X[4] is 0":                   {zero, Cosine},
		"X[2,2] of a point to itself": {with(D, 2, 2, 1), Precomputed},
		"X[3,1] is -1, must not be":   {with(D, 3, 1, -1), Precomputed},
		"X[3,1] is 7 and X[1,3]":      {with(D, 3, 1, 7), Precomputed},
		"unknown metric Metric(3)":    {X, 3},
		"X(1, 2) is NaN":              {with(D, 1, 2, math.NaN()), Precomputed},
	} {
		for _, f := range []func() error{
			func() error { _, err := Fit(t.Context(), c.X, &Options{Perplexity: 4, Metric: c.m}); return err },
			func() error {
				_, err := NewAffinities(t.Context(), c.X, &Options{Perplexity: 4, Metric: c.m})
				return err
			},
		} {
			if err := f(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %q: %v", want, err)
			}
		}
	}
	if panics.Value(func() { _, _ = Fit(t.Context(), X, &Options{Perplexity: 4, Metric: Precomputed}) }) == nil {
		t.Error("distances that are not square are accepted")
	}
}

// TestMetricSklearn compares the affinities with scikit-learn's, for cosine distances by either method.
func TestMetricSklearn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	X, _ := blobs(rnd, 100, 10, 3, 1)
	py := peer.Start(t, 1, `
import numpy as np
from sklearn.manifold import _t_sne
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors
from scipy.spatial.distance import squareform
`, "numpy", "sklearn")
	py.Array("X", X)
	py.Do(`
d = NearestNeighbors(n_neighbors=37, metric="cosine").fit(X).kneighbors_graph(mode="distance")
d.data **= 2
P = _t_sne._joint_probabilities_nn(d, 12, 0).toarray()
D = pairwise_distances(X, metric="cosine")**2
E = squareform(_t_sne._joint_probabilities(D.astype(np.float32), 12, 0))
`)
	for method, name := range map[Method]string{BarnesHut: "P", Exact: "E"} {
		a := mustAffinities(t, X, &Options{Perplexity: 12, Metric: Cosine, Method: method})
		theirs := py.Floats(name + ".ravel()")
		for k, p := range full(a).RawMatrix().Data {
			// scikit-learn's distances are in float32, with the entropy accurate to 1e-5.
			if q := theirs[k]; math.Abs(p-q) > 1e-3*q+1e-9 {
				t.Fatalf("%v: p is %g, scikit-learn's %g", method, p, q)
			}
		}
	}
}
