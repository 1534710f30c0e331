// Package fib computes Fibonacci numbers by recursion.
package fib

// Fib returns the n-th Fibonacci number.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

// Run returns the n-th Fibonacci number.
func Run(n int) int { return Fib(n) }
