package kmeans

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/peer"
)

// documents returns counts of d words in n documents. Most words of a document are from its topic, i mod
// topics.
func documents(n, d, topics, words int, seed uint64) (*csr.Matrix, []int) {
	rng := rand.New(rand.NewPCG(seed, 7))
	var row, col, topic []int
	var val []float64
	for i := range n {
		topic = append(topic, i%topics)
		for range words {
			j := rng.IntN(d)
			if rng.IntN(5) > 0 {
				j = min(j/topics*topics+i%topics, d-1)
			}
			row, col, val = append(row, i), append(col, j), append(val, 1)
		}
	}
	S, err := csr.FromTriplets(n, d, row, col, val)
	if err != nil {
		panic(err)
	}
	return S, topic
}

// A sparse matrix and its dense copy give the same centers up to rounding, because the same random numbers
// draw the same points.
func TestSparse(t *testing.T) {
	S, topic := documents(400, 60, 4, 40, 1)
	X := S.Dense()
	for _, o := range []*Options{
		{K: 4, Seed: 1},
		{K: 4, Seed: 1, Start: RandomPoints, Restarts: 2},
		{K: 1},
		{K: 4, Centers: X.Slice(0, 4, 0, 60)},
		{K: 4, Batch: 50, MaxIterations: 30, Seed: 2},
		{K: 4, Batch: 50, MaxIterations: 30, Seed: 2, Start: RandomPoints},
	} {
		r, want := fit(t, S, o), fit(t, X, o)
		var D mat.Dense
		D.Sub(r.Centers, want.Centers)
		if e := mat.Norm(&D, math.Inf(1)); e > 1e-10 {
			t.Errorf("%+v: the centres differ by %.2g", o, e)
		}
		if !slices.Equal(r.Labels, want.Labels) || !slices.Equal(r.Counts, want.Counts) || r.Iterations != want.Iterations || r.Status != want.Status {
			t.Errorf("%+v: %d steps (%v), of the dense matrix %d (%v)", o, r.Iterations, r.Status, want.Iterations, want.Status)
		}
		near(t, "inertia", r.Inertia, want.Inertia, 1e-11)
		near(t, "score", r.Score(S), want.Score(X), 1e-11)
		if !slices.Equal(r.Predict(S), r.Predict(X)) {
			t.Errorf("%+v: the predictions differ", o)
		}
		if a := AdjustedRand(r.Labels, topic); o.K > 1 && o.Start == PlusPlus && o.Batch == 0 && a < 0.99 {
			t.Errorf("%+v: the clusters are not the topics: %v", o, a)
		}
	}
	a, b := fit(t, S, &Options{K: 7, Workers: 1}), fit(t, S, &Options{K: 7, Workers: 3})
	if !mat.Equal(a.Centers, b.Centers) {
		t.Error("the centres depend on Workers")
	}
}

// TestSparseLarge fits a matrix that would take 40 GB if dense.
func TestSparseLarge(t *testing.T) {
	S, topic := documents(100_000, 50_000, 2, 3, 2)
	before := S.NNZ()
	centres := mat.NewDense(2, 50_000, nil)
	for j := range 50_000 {
		centres.Set(j%2, j, 1e-3)
	}
	r := fit(t, S, &Options{K: 2, Centers: centres, MaxIterations: 3})
	if a := MatchedAccuracy(r.Labels, topic); a < 0.9 || S.NNZ() != before {
		t.Errorf("%.3f of the documents are with their topic", a)
	}
	fit(t, S, &Options{K: 2, Batch: 100, MaxIterations: 3, Restarts: 1})
}

func TestSparseEqual(t *testing.T) {
	X := mat.NewDense(30, 5, nil)
	for i := range 30 {
		X.Set(i, i%2*3, 0.1)
	}
	r := fit(t, csr.Of(X), &Options{K: 2})
	if r.Inertia > 1e-30 || r.Counts[0] != 15 {
		t.Errorf("two places, two centres: inertia %v, counts %v", r.Inertia, r.Counts)
	}
}

func TestSparseRefuses(t *testing.T) {
	S, _ := documents(40, 9, 3, 5, 3)
	X := S.Dense()
	with := func(v float64) *csr.Matrix {
		Y := mat.DenseCopyOf(X)
		Y.Set(7, 5, v)
		return csr.Of(Y)
	}
	var tiny mat.Dense
	tiny.Scale(1e-170, X)
	for _, c := range []struct {
		X    mat.Matrix
		want string
	}{
		{(*csr.Matrix)(nil), "the matrix X is nil"},
		{&csr.Matrix{}, "the matrix X is empty"},
		{with(math.NaN()), "X(7, 5) is NaN"},
		{with(1e200), "overflow"},
		{csr.Of(&tiny), "underflow"},
	} {
		if _, err := Fit(t.Context(), c.X, &Options{K: 2}); err == nil || !strings.HasPrefix(err.Error(), "kmeans: Fit: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	r := fit(t, S, &Options{K: 2})
	if got := fmt.Sprint(panics.Value(func() { r.Predict(with(math.NaN())) })); got != "kmeans: Predict: X(7, 5) is NaN" {
		t.Errorf("panic %q", got)
	}
}

// From the same start scikit-learn reaches the same centers for a sparse matrix.
func TestSparseSklearn(t *testing.T) {
	py := peer.Start(t, 1, sklearn+"\nimport scipy.sparse", "numpy", "sklearn", "scipy")
	S, _ := documents(500, 80, 5, 12, 4)
	C := S.Rows([]int{0, 1, 2, 3, 4, 5}).Dense()
	py.Array("X", S.Dense())
	py.Array("C", C)
	py.Do("m = KMeans(6, init=C, n_init=1, tol=0, max_iter=500, algorithm='lloyd').fit(scipy.sparse.csr_matrix(X))")
	r := fit(t, S, &Options{K: 6, Centers: C, Tolerance: -1, MaxIterations: 500})
	near(t, "inertia", r.Inertia, py.Float("float(m.inertia_)"), 1e-10)
	near(t, "steps", float64(r.Iterations), py.Float("float(m.n_iter_)"), 0)
	for j, v := range py.Floats("m.cluster_centers_.ravel()") {
		if math.Abs(v-r.Centers.RawMatrix().Data[j]) > 1e-9 {
			t.Fatalf("centre coordinate %d: %v, scikit-learn has %v", j, r.Centers.RawMatrix().Data[j], v)
		}
	}
}
