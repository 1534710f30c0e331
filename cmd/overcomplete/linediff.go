package main

import "strings"

// lineDiff compares two short texts line by line. Lines that only a has get the prefix -, and lines that only b has
// get the prefix +. Up to three common lines are shown before and after each change. Time and memory are proportional
// to the product of the line counts.
func lineDiff(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	// common[i][j] is the length of the longest common subsequence of x[i:] and y[j:].
	common := make([][]int, len(x)+1)
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				common[i][j] = 1 + common[i+1][j+1]
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var lines []string
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			lines = append(lines, " "+x[i])
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			lines = append(lines, "-"+x[i])
			i++
		default:
			lines = append(lines, "+"+y[j])
			j++
		}
	}
	const around = 3
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l[0] == ' ' {
			continue
		}
		for k := max(0, i-around); k < min(len(lines), i+around+1); k++ {
			near[k] = true
		}
	}
	var out strings.Builder
	for i, l := range lines {
		if near[i] {
			out.WriteString(l + "\n")
		} else if i > 0 && near[i-1] {
			out.WriteString(" ...\n")
		}
	}
	return out.String()
}
