// Package sortslice sorts structs with sort.Slice and a closure.
package sortslice

import "sort"

// A Point is a sort key and its original index.
type Point struct {
	Key   float64
	Index int
}

// Run sorts n points and returns a checksum of the order.
func Run(n int) int {
	points := make([]Point, n)
	seed := 1
	for i := range points {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		points[i] = Point{float64(seed), i}
	}
	sort.Slice(points, func(i, j int) bool { return points[i].Key < points[j].Key })
	sum := 0
	for i, p := range points {
		sum += i * p.Index % 1009
	}
	return sum
}
