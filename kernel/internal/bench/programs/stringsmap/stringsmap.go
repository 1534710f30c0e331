// Package stringsmap passes a closure to strings.Map, which calls it for each rune.
package stringsmap

import "strings"

// Run replaces each letter of a text of about n letters by the letter three places later in the alphabet, and returns
// a checksum.
func Run(n int) int {
	shift := rune(3)
	text := strings.Map(func(r rune) rune { return (r-'a'+shift)%26 + 'a' }, strings.Repeat("gopher", n/6))
	return strings.Count(text, "j") + int(text[len(text)-1])
}
