package tsne

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/peer"
)

func mustTrust(t *testing.T, X, Y mat.Matrix, k int) float64 {
	t.Helper()
	v, err := Trustworthiness(X, Y, k)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestTrustworthiness checks a case computed by hand: five points on a line, with the ends swapped in the
// map.
func TestTrustworthiness(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{0, 1, 2.1, 3.3, 4.6})
	y := mat.NewDense(5, 1, []float64{4.6, 1, 2.1, 3.3, 0})
	// Nearest neighbors in y, with their rank in x: 0→3 (rank 3), 1→4 (4), 2→1 (1), 3→2 (1), 4→1 (3).
	if got, want := mustTrust(t, x, y, 1), 1-2.0/(5*1*(10-3-1))*(2+3+0+0+2); math.Abs(got-want) > 1e-15 {
		t.Errorf("T(1) is %v, by hand %v", got, want)
	}
	// Ties: in x all distances are equal, and points rank by index. Nearest neighbors in the map 0 3 1 2 · 4,
	// with their rank in x: 0→3 (rank 3), 1→2, tied with 3 (2), 2→1 (2), 3→0, tied with 1 (1), 4→2 (3).
	X := mat.NewDense(5, 5, nil)
	for i := range 5 {
		X.Set(i, i, 1)
	}
	y = mat.NewDense(5, 1, []float64{0, 2, 3, 1, 4.5})
	if got, want := mustTrust(t, X, y, 1), 1-2.0/30*(2+1+1+0+2); math.Abs(got-want) > 1e-15 {
		t.Errorf("with equal distances T(1) is %v, by hand %v", got, want)
	}
	rnd := rand.New(rand.NewPCG(1, 3))
	Z := normal(rnd, 200, 4, 1)
	if got := mustTrust(t, Z, Z, 20); got != 1 {
		t.Errorf("of the data themselves it is %v", got)
	}
	if got := mustTrust(t, Z, normal(rnd, 200, 2, 1), 20); math.Abs(got-0.5) > 0.03 {
		t.Errorf("of a map by chance it is %v", got)
	}
}

// Trustworthiness depends only on the order of the distances, and so not on the unit, even where squares do not fit a
// float64. The points of the second case have neighbors at 1e-170 and at 100.
func TestTrustworthinessUnits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 3))
	X, Y := normal(rnd, 60, 4, 1), normal(rnd, 60, 2, 1)
	for i := range 30 {
		Y.SetRow(i, X.RawRowView(i)[:2])
	}
	want := mustTrust(t, X, Y, 5)
	scaled := func(M *mat.Dense, s float64) *mat.Dense {
		var S mat.Dense
		S.Scale(s, M)
		return &S
	}
	for _, e := range []int{-1000, -560, -500, 500, 1000} {
		s := math.Ldexp(1, e)
		if got := mustTrust(t, scaled(X, s), Y, 5); got != want {
			t.Errorf("X in the unit 2^%d: %v, in the unit 1 %v", e, got, want)
		}
		if got := mustTrust(t, X, scaled(Y, s), 5); got != want {
			t.Errorf("Y in the unit 2^%d: %v, in the unit 1 %v", e, got, want)
		}
	}
	Z := mat.NewDense(10, 1, []float64{0, 1e-170, 3e-170, 6e-170, 10e-170, 100, 101, 103, 106, 110})
	back := mat.NewDense(10, 1, []float64{6e-170, 3e-170, 10e-170, 0, 1e-170, 100, 101, 103, 106, 110})
	ordinary := func(M *mat.Dense) *mat.Dense { // in the same order, because 1e-9 is far below 100
		S := mat.DenseCopyOf(M)
		S.Slice(0, 5, 0, 1).(*mat.Dense).Scale(1e161, M.Slice(0, 5, 0, 1))
		return S
	}
	if got, want := mustTrust(t, Z, back, 2), mustTrust(t, ordinary(Z), ordinary(back), 2); got != want || got == 1 {
		t.Errorf("beside far points: %v, want %v", got, want)
	}
}

func TestTrustworthinessSklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.manifold import trustworthiness", "numpy", "sklearn")
	rnd := rand.New(rand.NewPCG(2, 3))
	X := normal(rnd, 150, 7, 1)
	Y := normal(rnd, 150, 3, 0.4)
	for i := range 150 {
		Y.Set(i, 0, Y.At(i, 0)+X.At(i, 0))
		Y.Set(i, 2, Y.At(i, 2)+X.At(i, 4))
	}
	py.Array("X", X)
	py.Array("Y", Y)
	for _, c := range []struct {
		k    int
		expr string
	}{{1, "1"}, {7, "7"}, {74, "74"}} {
		want := py.Float("float(trustworthiness(X, Y, n_neighbors=" + c.expr + "))")
		if got := mustTrust(t, X, Y, c.k); math.Abs(got-want) > 1e-12 {
			t.Errorf("T(%d) is %v, scikit-learn's %v", c.k, got, want)
		}
	}
}

func TestTrustworthinessRefuses(t *testing.T) {
	good := normal(rand.New(rand.NewPCG(3, 3)), 10, 2, 1)
	bad := mat.DenseCopyOf(good)
	bad.Set(4, 1, math.NaN())
	large := mat.DenseCopyOf(good)
	large.Set(4, 1, 1.7e308)
	large.Set(5, 1, -1.7e308)
	for _, c := range []struct {
		X, Y mat.Matrix
		k    int
		want string
	}{
		{nil, good, 2, "X is"},
		{good, bad, 2, "Y(4, 1) is NaN"},
		{large, good, 2, "overflow"},
		{good, good, 0, "k is 0"},
		{good, good, 5, "k is 5, must be at least 1 and below half of the 10 points"},
	} {
		if _, err := Trustworthiness(c.X, c.Y, c.k); err == nil || !strings.HasPrefix(err.Error(), "tsne: Trustworthiness: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	if s, _ := panics.Value(func() { Trustworthiness(good, good.Slice(0, 9, 0, 2), 2) }).(string); s != "tsne: Trustworthiness: X has 10 rows, Y has 9" {
		t.Errorf("panic %q", s)
	}
}
