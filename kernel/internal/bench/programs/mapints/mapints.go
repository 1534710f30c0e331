// Package mapints counts numbers in a map.
package mapints

// Run counts how often each number occurs among n numbers, and returns the sum of the squares of the counts.
func Run(n int) int {
	counts := map[int]int{}
	for i := 0; i < n; i++ {
		counts[i*i%10007]++
	}
	total := 0
	for _, c := range counts {
		total += c * c
	}
	return total
}
