// Package mapstrings counts words in a map.
package mapstrings

import "strconv"

// Count returns how often each word occurs.
func Count(words []string) map[string]int {
	counts := map[string]int{}
	for _, w := range words {
		counts[w]++
	}
	return counts
}

// Run counts the same n words ten times, and returns the sum of the squares of all counts.
func Run(n int) int {
	words := make([]string, n)
	for i := range words {
		words[i] = "word" + strconv.Itoa(i*i%5003)
	}
	total := 0
	for range 10 {
		for _, c := range Count(words) {
			total += c * c
		}
	}
	return total
}
