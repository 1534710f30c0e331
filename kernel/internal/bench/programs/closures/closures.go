// Package closures calls closures that capture numbers.
package closures

// Counter returns a function that adds step to its own number.
func Counter(step float64) func() float64 {
	x := 0.0
	return func() float64 {
		x += step
		return x
	}
}

// Apply returns the sum of f over the numbers below n.
func Apply(n int, f func(float64) float64) float64 {
	s := 0.0
	for i := 0; i < n; i++ {
		s += f(float64(i))
	}
	return s
}

// Run makes n calls of a counter and n calls of a closure that is passed as an argument.
func Run(n int) float64 {
	next, scale, s := Counter(0.5), 0.25, 0.0
	for i := 0; i < n; i++ {
		s += next()
	}
	return s + Apply(n, func(x float64) float64 { return scale*x + 1 })
}
