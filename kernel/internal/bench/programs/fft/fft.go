// Package fft computes the fast Fourier transform of complex numbers by recursion.
package fft

import (
	"math"
	"math/cmplx"
)

func transform(x []complex128) []complex128 {
	n := len(x)
	if n == 1 {
		return x
	}
	even, odd := make([]complex128, n/2), make([]complex128, n/2)
	for k := range even {
		even[k], odd[k] = x[2*k], x[2*k+1]
	}
	even, odd = transform(even), transform(odd)
	y := make([]complex128, n)
	for k := range even {
		t := cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n)) * odd[k]
		y[k], y[k+n/2] = even[k]+t, even[k]-t
	}
	return y
}

// Run transforms 2ⁿ numbers and returns the sum of the absolute values of the result.
func Run(n int) float64 {
	x := make([]complex128, 1<<n)
	for k := range x {
		x[k] = complex(float64(k%17), float64(k*k%23))
	}
	sum := 0.0
	for _, y := range transform(x) {
		sum += cmplx.Abs(y)
	}
	return sum
}
