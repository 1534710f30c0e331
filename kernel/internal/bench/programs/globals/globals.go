// Package globals iterates the logistic map and keeps its state in package variables, as a cell keeps its state in
// session variables.
package globals

var (
	x     = 0.25
	rate  = 3.75
	above = 0
)

// Run takes n steps of the logistic map, and returns how many of them end above one half.
func Run(n int) int {
	x, above = 0.25, 0
	for i := 0; i < n; i++ {
		x = rate * x * (1 - x)
		if x > 0.5 {
			above++
		}
	}
	return above
}
