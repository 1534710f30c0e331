// Package sortsort sorts a slice of its own type with sort.Sort, which calls the type's methods.
package sortsort

import "sort"

type ints []int

func (x ints) Len() int           { return len(x) }
func (x ints) Less(i, j int) bool { return x[i] < x[j] }
func (x ints) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }

// Run sorts n numbers and returns a checksum of the order.
func Run(n int) int {
	numbers := make(ints, n)
	seed := 1
	for i := range numbers {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		numbers[i] = seed
	}
	sort.Sort(numbers)
	sum := 0
	for i, x := range numbers {
		sum += i * (x % 1009) % 1009
	}
	return sum
}
