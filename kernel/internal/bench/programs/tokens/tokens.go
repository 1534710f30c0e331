// Package tokens splits a text into words, character by character, and counts the words in a map of structs.
package tokens

import (
	"strings"
	"unicode"
)

type word struct{ count, first int }

// Run counts how often each word occurs in a text of n words, and notes where it occurs first. It returns a checksum of
// the counts and the first places.
func Run(n int) int {
	vocabulary := []string{"the", "loss", "of", "Gradient", "descent", "falls", "x1", "naïve", "kernel", "a"}
	var b strings.Builder
	seed := 1
	for range n {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		b.WriteString(vocabulary[(seed>>16)%10])
		b.WriteString(vocabulary[(seed>>8)%10])
		b.WriteString(", ")
	}
	text := b.String()

	words := map[string]word{}
	place, begin := 0, -1
	for i, r := range text {
		inWord := unicode.IsLetter(r) || unicode.IsDigit(r)
		if inWord && begin < 0 {
			begin = i
		}
		if !inWord && begin >= 0 {
			key := strings.ToLower(text[begin:i])
			w, found := words[key]
			if !found {
				w.first = place
			}
			w.count++
			words[key] = w
			place++
			begin = -1
		}
	}
	sum := len(words)
	for _, w := range words {
		sum += w.count * (w.first + 1)
	}
	return sum
}
