package kmeans

import (
	"math"
	"math/rand/v2"
	"testing"
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
