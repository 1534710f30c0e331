// Package spelling finds the names that were probably meant when a name does
// not exist.
package spelling

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Distance returns the smallest number of edits that turn a into b, ignoring case. An edit inserts, deletes
// or replaces a letter, or swaps two neighbors (optimal string alignment).
func Distance(a, b string) int {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

// Near returns at most three names from the given list, in alphabetical order. They are those at the smallest Distance
// from name, and any of them may be what was meant. Near returns none if more than about a third of the letters would
// have to change.
func Near(name string, names []string) []string {
	type near struct {
		name string
		d    int
	}
	// At most a third of the letters may be wrong, so that n and x do not match.
	allowed := (utf8.RuneCountInString(name) + 1) / 3
	var list []near
	for _, n := range names {
		if n == name {
			continue
		}
		if d := Distance(name, n); d <= allowed {
			list = append(list, near{n, d})
		}
	}
	slices.SortFunc(list, func(a, b near) int {
		if a.d != b.d {
			return a.d - b.d
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, n := range list {
		// A name that is farther away than the nearest one was probably not meant.
		if n.d > list[0].d || len(out) == 3 {
			break
		}
		if !slices.Contains(out, n.name) {
			out = append(out, n.name)
		}
	}
	return out
}

// Or joins alternatives: "a, b or c".
func Or(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// DidYouMean returns a question that suggests the names in list, or "" if list is empty.
func DidYouMean(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "did you mean " + Or(list) + "?"
}
