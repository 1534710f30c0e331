package kmeans

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/peer"
)

// The test compares small cases with calculations by hand. For [0 0 1 1] and [0 0 1 2]: of 6 pairs, both
// clusterings join 1, x joins 2 and y joins 1: ARI = (1 − 2·1/6)/(1.5 − 2·1/6) = 4/7. I = log 2, entropies log 2
// and 1.5 log 2: NMI = 0.8.
func TestAgreementByHand(t *testing.T) {
	x, y := []int{0, 0, 1, 1}, []int{7, 7, -1, 2}
	near(t, "ARI", AdjustedRand(x, y), 4.0/7, 1e-15)
	near(t, "ARI turned", AdjustedRand(y, x), 4.0/7, 1e-15)
	near(t, "NMI", NormalizedInformation(x, y), 0.8, 1e-15)
	near(t, "MI", MutualInformation(x, y), math.Ln2, 1e-15)
	near(t, "matched", MatchedAccuracy(x, y), 0.75, 1e-15)
	// Crossed labels: worse than chance.
	near(t, "ARI crossed", AdjustedRand([]int{0, 0, 1, 1}, []int{0, 1, 0, 1}), -0.5, 1e-15)
	near(t, "NMI crossed", NormalizedInformation([]int{0, 0, 1, 1}, []int{0, 1, 0, 1}), 0, 1e-15)
	for _, v := range [][]int{{3, 3, 3}, {0, 1, 2}, {5}} {
		near(t, "ARI with itself", AdjustedRand(v, v), 1, 0)
		near(t, "NMI with itself", NormalizedInformation(v, v), 1, 1e-15)
		near(t, "matched with itself", MatchedAccuracy(v, v), 1, 0)
	}
}

// Check the ARI against all pairs of points, and the matching against all permutations.
func TestAgreementByCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 30 {
		n := 12 + rng.IntN(10)
		x, y := make([]int, n), make([]int, n)
		for i := range n {
			x[i], y[i] = rng.IntN(4), rng.IntN(3)
		}
		var both, onlyX, onlyY, none float64
		for i := range n {
			for j := range i {
				switch {
				case x[i] == x[j] && y[i] == y[j]:
					both++
				case x[i] == x[j]:
					onlyX++
				case y[i] == y[j]:
					onlyY++
				default:
					none++
				}
			}
		}
		// The form of Hubert and Arabie's index in the four kinds of pairs.
		want := 2 * (both*none - onlyX*onlyY) / ((both+onlyX)*(onlyX+none) + (both+onlyY)*(onlyY+none))
		near(t, "ARI", AdjustedRand(x, y), want, 1e-12)
		best := 0.0
		var permute func(partner []int, used int)
		permute = func(partner []int, used int) {
			if len(partner) == 4 {
				hits := 0.0
				for i := range n {
					if partner[x[i]] == y[i] {
						hits++
					}
				}
				best = max(best, hits/float64(n))
				return
			}
			for b := range 4 {
				if used&(1<<b) == 0 {
					permute(append(partner[:len(partner):len(partner)], b), used|1<<b)
				}
			}
		}
		permute(nil, 0)
		near(t, "matched accuracy", MatchedAccuracy(x, y), best, 1e-12)
	}
}

// For independent labels the ARI is 0 on average; the NMI is not, which is a trap.
func TestChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	ari, nmi := 0.0, 0.0
	const rounds = 200
	for range rounds {
		x, y := make([]int, 60), make([]int, 60)
		for i := range x {
			x[i], y[i] = rng.IntN(10), rng.IntN(10)
		}
		ari += AdjustedRand(x, y) / rounds
		nmi += NormalizedInformation(x, y) / rounds
	}
	if math.Abs(ari) > 0.01 || nmi < 0.3 {
		t.Errorf("mean ARI %v, mean NMI %v", ari, nmi)
	}
}

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
