package kmeans

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/peer"
)

func TestSilhouetteByHand(t *testing.T) {
	// Clusters on a line: {0, 1}, {4, 6}, {9}.
	X := mat.NewDense(5, 1, []float64{0, 1, 4, 6, 9})
	s, err := Silhouette(X, []int{3, 3, 0, 0, 7})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{
		(5.0 - 1) / 5, (4.0 - 1) / 4,
		(3.5 - 2) / 3.5, // point 4: mean distance 2 to its own cluster, 3.5 to {0, 1}, 5 to {9}
		(3.0 - 2) / 3,   // point 6: mean distance 3 to {9}
		0,
	} {
		if math.Abs(s[i]-want) > 1e-15 {
			t.Errorf("point %d has %v, want %v", i, s[i], want)
		}
	}
	same, err := Silhouette(mat.NewDense(4, 1, nil), []int{0, 0, 1, 1})
	if err != nil || mat.Norm(mat.NewVecDense(4, same), 1) != 0 {
		t.Errorf("equal points: %v, %v", same, err)
	}
	for _, c := range []struct {
		X      mat.Matrix
		labels []int
		says   string
	}{
		{X, []int{1, 1, 1, 1, 1}, "two clusters"},
		{X, []int{1, 1, -1, 1, 1}, "is -1"},
		{nil, nil, "X is nil"},
		{mat.NewDense(2, 1, []float64{math.NaN(), 0}), []int{0, 1}, "X(0, 0) is NaN"},
		{mat.NewDense(3, 1, []float64{1e308, -1e308, 1}), []int{0, 1, 1}, "overflow"},
	} {
		if _, err := Silhouette(c.X, c.labels); err == nil || !strings.HasPrefix(err.Error(), "kmeans: Silhouette: ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want %q", err, c.says)
		}
	}
}

// Silhouettes are ratios of distances and do not depend on the unit, also where squares do not fit a float64.
// Powers of two as units add no rounding.
func TestSilhouetteUnits(t *testing.T) {
	X, labels := blobs(60, 4, 3, 5)
	want, err := Silhouette(X, labels)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []int{-1000, -900, -560, -500, 500, 900, 1000} {
		Y := mat.NewDense(60, 3, nil)
		Y.Scale(math.Ldexp(1, e), X)
		got, err := Silhouette(Y, labels)
		if err != nil {
			t.Errorf("unit 2^%d: %v", e, err)
			continue
		}
		for i, s := range got {
			if math.Abs(s-want[i]) > 1e-14 {
				t.Errorf("unit 2^%d: point %d has %v, in the unit 1 %v", e, i, s, want[i])
				break
			}
		}
	}
	// Two small clusters, {0, 1} and {4, 6} times 1e-170, and a third far away, {1}.
	X = mat.NewDense(5, 1, []float64{0, 1e-170, 4e-170, 6e-170, 1})
	got, err := Silhouette(X, []int{0, 0, 1, 1, 2})
	if err != nil || math.Abs(got[0]-4.0/5) > 1e-15 || math.Abs(got[3]-(5.5-2)/5.5) > 1e-15 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestSilhouetteSklearn(t *testing.T) {
	py := peer.Start(t, 1, sklearn, "numpy", "sklearn")
	X, labels := blobs(300, 4, 3, 5)
	s, err := Silhouette(X, labels)
	if err != nil {
		t.Fatal(err)
	}
	py.Array("X", X)
	for i, want := range py.Floats("metrics.silhouette_samples(X, " + list(labels) + ")") {
		if math.Abs(s[i]-want) > 1e-9 {
			t.Fatalf("point %d has %v, scikit-learn %v", i, s[i], want)
		}
	}
}
