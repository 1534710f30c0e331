// Package stringers prints values whose type has a method String, which package fmt calls.
package stringers

import "fmt"

type level int

func (l level) String() string {
	if l%2 == 0 {
		return "low"
	}
	return "high"
}

// Run prints n values to strings and returns the total length of the strings.
func Run(n int) int {
	sum := 0
	for i := range n {
		sum += len(fmt.Sprint(level(i)))
	}
	return sum
}
