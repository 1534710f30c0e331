package kmeans

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/parallel"
)

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
