// Package concat builds strings with +=.
package concat

// Run makes n strings of 100 letters, letter by letter, and adds up their lengths and last letters. With much longer
// strings the comparison with CPython would be unfair: Go copies the whole string at each step, CPython does not.
func Run(n int) int {
	total := 0
	for i := 0; i < n; i++ {
		s := ""
		for j := 0; j < 100; j++ {
			s += "abcdefgh"[(i+j)%8 : (i+j)%8+1]
		}
		total += int(s[len(s)-1]) + len(s)
	}
	return total
}
