// Package sieve counts primes.
package sieve

// Run returns the number of primes up to n.
func Run(n int) int {
	composite := make([]bool, n+1)
	primes := 0
	for i := 2; i <= n; i++ {
		if composite[i] {
			continue
		}
		primes++
		for j := i * i; j <= n; j += i {
			composite[j] = true
		}
	}
	return primes
}
