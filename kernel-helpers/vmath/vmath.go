package vmath

import "fmt"

// Exp stores e^x[i] in dst[i], within 1 ulp. Above 709.78 the result is +Inf, below
// -745.13 it is 0. It panics if the lengths differ.
func Exp(dst, x []float64) { checkLengths("Exp", len(dst), len(x)); exp64(dst, x) }

// Exp32 is like Exp, for float32, within 1 ulp. Above 88.72 the result is +Inf, below
// -103.97 it is 0.
func Exp32(dst, x []float32) { checkLengths("Exp32", len(dst), len(x)); exp32(dst, x) }

// Log stores the natural logarithm of x[i] in dst[i], within 1 ulp. The result is -Inf for ±0, and NaN for x[i] < 0. It
// panics if the lengths differ.
func Log(dst, x []float64) { checkLengths("Log", len(dst), len(x)); log64(dst, x) }

// Log32 is like Log, for float32, within 1 ulp.
func Log32(dst, x []float32) { checkLengths("Log32", len(dst), len(x)); log32(dst, x) }

// Sigmoid stores 1/(1+e^-x[i]) in dst[i], within 2.5 ulp. This holds even for very negative x[i], where the result is
// e^x[i]. It panics if the lengths differ.
func Sigmoid(dst, x []float64) { checkLengths("Sigmoid", len(dst), len(x)); sigmoid64(dst, x) }

// Sigmoid32 is like Sigmoid, for float32, within 2.5 ulp.
func Sigmoid32(dst, x []float32) { checkLengths("Sigmoid32", len(dst), len(x)); sigmoid32(dst, x) }

// Softplus stores log(1+e^x[i]) in dst[i], within 2 ulp. It panics if the
// lengths differ.
func Softplus(dst, x []float64) { checkLengths("Softplus", len(dst), len(x)); softplus64(dst, x) }

// Softplus32 is like Softplus, for float32, within 2 ulp.
func Softplus32(dst, x []float32) { checkLengths("Softplus32", len(dst), len(x)); softplus32(dst, x) }

// checkLengths panics if the lengths differ.
func checkLengths(name string, dst, x int) {
	if dst != x {
		panic(fmt.Sprintf("vmath: %s: dst has length %d, x has %d", name, dst, x))
	}
}
