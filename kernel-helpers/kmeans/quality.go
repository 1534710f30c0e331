package kmeans

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/assignment"
	"overcomplete/kernel-helpers/internal/parallel"
)

// table returns a table N and the sums of its rows and columns. N[a][b] is the number of points with label a in x and
// label b in y. The labels are first renumbered from 0, in order of first appearance.
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

// Silhouette returns, for each row x_i of X (n×d),
//
//	s_i = (b_i − a_i) / max(a_i, b_i)
//
// Here labels[i] >= 0 is the cluster of x_i, a_i is the mean distance to the other points of this cluster, and b_i is
// the least mean distance to the points of another cluster. s_i is near 1 inside a cluster, near 0 between two
// clusters, and negative where another cluster is nearer. It is 0 for a point alone in its cluster, and if a_i = b_i =
// 0 (P. Rousseeuw, 1987). Silhouette computes n² distances. It returns an error unless at least two labels occur.
func Silhouette(X mat.Matrix, labels []int) ([]float64, error) {
	data, err := finite.Dense("X", X)
	if err != nil {
		return nil, fmt.Errorf("kmeans: Silhouette: %w", err)
	}
	n, _ := data.Dims()
	if len(labels) != n {
		panic(fmt.Sprintf("kmeans: Silhouette: %d points and %d labels", n, len(labels)))
	}
	names := slices.Clone(labels)
	slices.Sort(names)
	names = slices.Compact(names)
	if names[0] < 0 {
		return nil, fmt.Errorf("kmeans: Silhouette: the label of a point is %d, must not be negative", names[0])
	}
	if len(names) < 2 {
		return nil, fmt.Errorf("kmeans: Silhouette: all points have the label %d, must be of at least two clusters", names[0])
	}
	cluster, counts := make([]int, n), make([]float64, len(names))
	for i, l := range labels {
		cluster[i], _ = slices.BinarySearch(names, l)
		counts[cluster[i]]++
	}
	s := make([]float64, n)
	parallel.Do((n+piece-1)/piece, 0, func(p int) {
		sums := make([]float64, len(names))
		for i := p * piece; i < min(n, (p+1)*piece); i++ {
			clear(sums)
			for j := range n {
				sums[cluster[j]] += distance(data.RawRowView(i), data.RawRowView(j))
			}
			own := cluster[i]
			if counts[own] == 1 {
				continue
			}
			a, b := sums[own]/(counts[own]-1), math.Inf(1)
			for c, sum := range sums {
				if c != own {
					b = min(b, sum/counts[c])
				}
			}
			if most := max(a, b); most > 0 {
				s[i] = (b - a) / most
			}
		}
	})
	if i := finite.Index(s); i >= 0 {
		return nil, fmt.Errorf("kmeans: Silhouette: the distances of point %d overflow: scale X", i)
	}
	return s, nil
}

// distance returns ‖x − y‖, even if the square of this distance overflows or underflows.
func distance(x, y []float64) float64 {
	if s := squaredDistance(x, y); s > 0x1p-960 && s <= math.MaxFloat64 {
		return math.Sqrt(s)
	}
	return floats.Distance(x, y, 2)
}
