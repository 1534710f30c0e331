// Package levrunes computes the edit distance of two strings, rune by rune.
package levrunes

// Distance returns the Levenshtein distance of s and t, counted in runes.
func Distance(s, t string) int {
	other := []rune(t)
	row := make([]int, len(other)+1)
	for j := range row {
		row[j] = j
	}
	i := 0
	for _, a := range s {
		diagonal := row[0]
		i++
		row[0] = i
		for j, b := range other {
			cost := 1
			if a == b {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(other)]
}

// Text returns n pseudorandom letters, which depend on seed.
func Text(n, seed int) string {
	alphabet := []rune("αβγδεζηθ")
	letters := make([]rune, n)
	for i := range letters {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		letters[i] = alphabet[seed>>16&7]
	}
	return string(letters)
}

// Run returns the distance of two texts of n letters.
func Run(n int) int { return Distance(Text(n, 1), Text(n, 2)) }
