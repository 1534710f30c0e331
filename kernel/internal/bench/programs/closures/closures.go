// Package closures calls closures that use variables of the enclosing function.
package closures

// Counter returns a function whose calls return step, 2·step, 3·step and so on.
func Counter(step float64) func() float64 {
	x := 0.0
	return func() float64 {
		x += step
		return x
	}
}

// Apply returns f(0) + f(1) + … + f(n-1).
func Apply(n int, f func(float64) float64) float64 {
	s := 0.0
	for i := 0; i < n; i++ {
		s += f(float64(i))
	}
	return s
}

// Run makes n calls of a counter and n calls of a closure that is passed as an argument, and returns the sum of the
// results.
func Run(n int) float64 {
	next, scale, s := Counter(0.5), 0.25, 0.0
	for i := 0; i < n; i++ {
		s += next()
	}
	return s + Apply(n, func(x float64) float64 { return scale*x + 1 })
}
