// Package builder makes a string with strings.Builder.
package builder

import (
	"strconv"
	"strings"
)

// Run writes n numbers, each followed by a comma, and returns the length of the text plus the number of
// commas.
func Run(n int) int {
	var b strings.Builder
	for i := 0; i < n; i++ {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte(',')
	}
	s := b.String()
	return len(s) + strings.Count(s, ",")
}
