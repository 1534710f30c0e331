package icon

import (
	"encoding/json"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/peer"
)

func TestKNNAccuracy(t *testing.T) {
	// The points are on a line: labels 0 0 on the left, 1 1 1 on the right, and a 1 among the zeros.
	Z := mat.NewDense(6, 1, []float64{0, 1, 2.5, 10, 11, 12.5})
	labels := []int{0, 0, 1, 1, 1, 1}
	near(t, "k = 1", KNNAccuracy(Z, labels, 1), 5.0/6, 1e-15) // only the point at 2.5 is wrong
	// If the labels of the two neighbors differ, the nearer neighbor wins.
	near(t, "k = 2", KNNAccuracy(Z, labels, 2), 5.0/6, 1e-15)
	if got, want := KNNVotes(Z, labels, 1), []int{0, 0, 0, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("votes %v, want %v", got, want)
	}
}

func TestTrustworthiness(t *testing.T) {
	X := Normal(40, 3, 1, 1)
	near(t, "of the data itself", Trustworthiness(X, X, 5), 1, 0)
	// There are five points on a line, and the embedding swaps the two ends. The expected value is computed
	// by hand for k = 1, n = 5, from neighbors in Z and ranks in X.
	x := mat.NewDense(5, 1, []float64{0, 1, 2.1, 3.3, 4.6})
	z := mat.NewDense(5, 1, []float64{4.6, 1, 2.1, 3.3, 0})
	// Z order: x4(0), x1(1), x2(2.1), x3(3.3), x0(4.6). Nearest: 4→1 (rank of 1 from 4: 3),
	// 1→4 (rank 4), 2→1 (rank 1), 3→2 (rank 1), 0→3 (rank 3).
	near(t, "by hand", Trustworthiness(x, z, 1), 1-2.0/(5*1*(10-3-1))*(2+3+0+0+2), 1e-14)
}

func TestTrustworthinessSklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.manifold import trustworthiness", "numpy", "sklearn")
	X, Z := Normal(120, 6, 1, 1), Normal(120, 2, 1, 2)
	for i := range 120 {
		Z.Set(i, 0, X.At(i, 0)+0.3*Z.At(i, 0))
	}
	x, z := must(json.Marshal(X.RawMatrix().Data)), must(json.Marshal(Z.RawMatrix().Data))
	py.Do("X = np.array(" + string(x) + ").reshape(120, 6); Z = np.array(" + string(z) + ").reshape(120, 2)")
	near(t, "trustworthiness", Trustworthiness(X, Z, 7), py.Float("float(trustworthiness(X, Z, n_neighbors=7))"), 1e-12)
}

func TestQualityPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"labels": func() { KNNAccuracy(Normal(5, 2, 1, 1), []int{1}, 1) },
		"votes":  func() { KNNVotes(Normal(5, 2, 1, 1), []int{1}, 1) },
		"k":      func() { KNNAccuracy(Normal(5, 2, 1, 1), make([]int, 5), 5) },
		"half":   func() { Trustworthiness(Normal(5, 2, 1, 1), Normal(5, 2, 1, 1), 3) },
		"rows":   func() { Trustworthiness(Normal(5, 2, 1, 1), Normal(6, 2, 1, 1), 2) },
	} {
		if s, ok := panics.Value(f).(string); !ok || s[:6] != "icon: " {
			t.Errorf("%s: no panic of this package: %v", name, s)
		}
	}
}
