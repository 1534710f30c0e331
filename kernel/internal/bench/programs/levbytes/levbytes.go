// Package levbytes computes the edit distance of two strings, byte by byte.
package levbytes

// Distance returns the Levenshtein distance of s and t, counted in bytes.
func Distance(s, t string) int {
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := 0; i < len(s); i++ {
		diagonal := row[0]
		row[0] = i + 1
		for j := 0; j < len(t); j++ {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(t)]
}

// Text returns n pseudorandom letters, which depend on seed.
func Text(n, seed int) string {
	letters := make([]byte, n)
	for i := range letters {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		letters[i] = "abcdefgh"[seed>>16&7]
	}
	return string(letters)
}

// Run returns the distance of two texts of n letters.
func Run(n int) int { return Distance(Text(n, 1), Text(n, 2)) }
