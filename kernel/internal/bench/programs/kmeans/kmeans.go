// Package kmeans clusters points with Lloyd's algorithm for k-means.
package kmeans

import "math"

// Run clusters n points with 8 coordinates around 10 centers, in ten steps. It returns the sum of the squared
// distances of the points from the nearest centers, as measured in the last step.
func Run(n int) float64 {
	const k, dim = 10, 8
	points := make([][]float64, n)
	seed := 1
	for i := range points {
		points[i] = make([]float64, dim)
		for j := range points[i] {
			seed = (seed*1103515245 + 12345) & 0x7fffffff
			points[i][j] = float64(i%k) + float64(seed)/0x80000000*4
		}
	}
	centers := make([][]float64, k)
	for c := range centers {
		centers[c] = append([]float64(nil), points[c]...)
	}
	inertia := 0.0
	for range 10 {
		inertia = 0
		counts := make([]int, k)
		sums := make([][]float64, k)
		for c := range sums {
			sums[c] = make([]float64, dim)
		}
		for _, p := range points {
			nearest, least := 0, math.Inf(1)
			for c, center := range centers {
				d := 0.0
				for j, x := range p {
					d += (x - center[j]) * (x - center[j])
				}
				if d < least {
					nearest, least = c, d
				}
			}
			inertia += least
			counts[nearest]++
			for j, x := range p {
				sums[nearest][j] += x
			}
		}
		for c, sum := range sums {
			for j := range sum {
				if counts[c] > 0 {
					centers[c][j] = sum[j] / float64(counts[c])
				}
			}
		}
	}
	return inertia
}
