// Package sortfunc sorts numbers with slices.SortFunc and a closure.
package sortfunc

import (
	"cmp"
	"slices"
)

// Run sorts n numbers by their distance from a central number and returns a checksum of the resulting order.
func Run(n int) int {
	numbers := make([]int, n)
	seed := 1
	for i := range numbers {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		numbers[i] = seed
	}
	middle := 1 << 30
	distance := func(x int) int { return max(2*(x-middle), 2*(middle-x)+1) } // no two numbers have the same distance
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
	sum := 0
	for i, x := range numbers {
		sum += i * (x % 1009) % 1009
	}
	return sum
}
