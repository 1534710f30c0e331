// Package stringers prints values with a method String, which package fmt calls.
package stringers

import "fmt"

type level int

func (l level) String() string {
	if l%2 == 0 {
		return "low"
	}
	return "high"
}

// Run prints n values and returns the length of the texts.
func Run(n int) int {
	sum := 0
	for i := range n {
		sum += len(fmt.Sprint(level(i)))
	}
	return sum
}
