package kmeans

import (
	"fmt"
	"math"

	"overcomplete/kernel-helpers/assignment"
)

// table returns a table N and the sums of its rows and columns. N[a][b] is the number of points with label a in x and
// label b in y. The labels are first numbered anew: from 0, in order of their first appearance.
func table(what string, x, y []int) (N [][]float64, rows, cols []float64) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("kmeans: %s: %d and %d labels", what, len(x), len(y)))
	}
	if len(x) == 0 {
		panic(fmt.Sprintf("kmeans: %s: no labels", what))
	}
	number := func(v []int) ([]int, int) {
		seen, out := map[int]int{}, make([]int, len(v))
		for i, l := range v {
			a, ok := seen[l]
			if !ok {
				a = len(seen)
				seen[l] = a
			}
			out[i] = a
		}
		return out, len(seen)
	}
	u, r := number(x)
	w, c := number(y)
	N, rows, cols = make([][]float64, r), make([]float64, r), make([]float64, c)
	for a := range N {
		N[a] = make([]float64, c)
	}
	for i := range u {
		N[u[i]][w[i]]++
		rows[u[i]]++
		cols[w[i]]++
	}
	return N, rows, cols
}

// AdjustedRand returns the adjusted Rand index of two clusterings of the same points (L. Hubert and P.
// Arabie, 1985): the share of pairs on which they agree, corrected for chance. It is 1 if the clusterings are
// the same except for names, and 0 on average if they are independent; it may be negative.
func AdjustedRand(x, y []int) float64 {
	N, rows, cols := table("AdjustedRand", x, y)
	pairs := func(v float64) float64 { return v * (v - 1) / 2 }
	var both, r, c float64
	for a, row := range N {
		r += pairs(rows[a])
		for _, v := range row {
			both += pairs(v)
		}
	}
	for _, v := range cols {
		c += pairs(v)
	}
	if all := pairs(float64(len(x))); all > 0 {
		expected := r * c / all
		if top := (r + c) / 2; top != expected {
			return (both - expected) / (top - expected)
		}
	}
	return 1 // both trivial in the same way: one cluster, or one for each point
}

// MutualInformation returns I(x; y) = Σ p_ab log p_ab/(p_a p_b) in nats. p_a is the share of points in cluster a of x,
// p_b is the share in cluster b of y, and p_ab is the share in both.
func MutualInformation(x, y []int) float64 {
	N, rows, cols := table("MutualInformation", x, y)
	return information(N, rows, cols, float64(len(x)))
}

func information(N [][]float64, rows, cols []float64, n float64) float64 {
	s := 0.0
	for a, row := range N {
		for b, v := range row {
			if v > 0 {
				s += v / n * math.Log(v*n/(rows[a]*cols[b]))
			}
		}
	}
	return math.Max(0, s)
}

// NormalizedInformation returns I(x; y) divided by the mean of the two entropies: 1 for clusterings that are
// the same except for names, 0 for independent clusterings. It is not corrected for chance: many small
// clusters raise its value.
func NormalizedInformation(x, y []int) float64 {
	N, rows, cols := table("NormalizedInformation", x, y)
	n := float64(len(x))
	entropy := func(counts []float64) float64 {
		h := 0.0
		for _, c := range counts {
			h -= c / n * math.Log(c/n)
		}
		return h
	}
	h := (entropy(rows) + entropy(cols)) / 2
	if h == 0 {
		return 1 // both have one cluster
	}
	return information(N, rows, cols, n) / h
}

// MatchedAccuracy returns the Hungarian accuracy: the share of points whose cluster is matched with their class.
// Clusters and classes are matched one to one so that this share is largest.
func MatchedAccuracy(clusters, classes []int) float64 {
	N, rows, cols := table("MatchedAccuracy", clusters, classes)
	cost := make([][]float64, len(rows))
	for a := range cost {
		cost[a] = make([]float64, len(cols))
		for b, v := range N[a] {
			cost[a][b] = -v
		}
	}
	hits := 0.0
	for a, b := range assignment.Solve(cost) {
		if b >= 0 {
			hits -= cost[a][b]
		}
	}
	return hits / float64(len(clusters))
}
