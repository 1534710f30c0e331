// Package twokeys sorts structs with sort.Slice, by a string and then by a number.
package twokeys

import "sort"

type result struct {
	team  string
	score float64
	index int
}

// Run sorts n structs and returns a checksum of the order.
func Run(n int) int {
	teams := []string{"red", "green", "blue", "white", "black", "yellow", "orange"}
	results := make([]result, n)
	seed := 1
	for i := range results {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		results[i] = result{teams[(seed>>16)%len(teams)], float64(seed), i}
	}
	sort.Slice(results, func(i, j int) bool {
		a, b := results[i], results[j]
		if a.team != b.team {
			return a.team < b.team
		}
		return a.score > b.score
	})
	sum := 0
	for i, r := range results {
		sum += i * r.index % 1009
	}
	return sum
}
