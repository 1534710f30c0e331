package vmath

import (
	"fmt"
	"math"
)

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

// LogSumExp returns log Σ e^x[i], computed as m + log Σ e^(x[i] − m) with m = max x, so nothing overflows.
// The absolute error is a few ulp of max(|m|, 1), plus the rounding of n/8 additions. The result is NaN if
// any element is NaN, otherwise +Inf if any element is +Inf. It is -Inf if all elements are -Inf, or if the
// slice is empty (an empty sum).
func LogSumExp(x []float64) float64 {
	m := largest64(x) // ignores NaN, which reappears in the sum
	switch {
	case math.IsInf(m, 1):
		return sumWithInf(x)
	case math.IsInf(m, -1):
		return math.Log(sumExp64(x, 0)) // Σ 0, or NaN
	}
	return m + math.Log(sumExp64(x, m))
}

// LogSumExp32 is like LogSumExp, for float32. The sum is in float64.
func LogSumExp32(x []float32) float32 {
	m := largest32(x)
	switch {
	case math.IsInf(float64(m), 1):
		return sumWithInf(x)
	case math.IsInf(float64(m), -1):
		return float32(math.Log(sumExp32(x, 0)))
	}
	return float32(float64(m) + math.Log(sumExp32(x, m)))
}

// sumWithInf returns the result of LogSumExp for an x with a +Inf element: NaN if x contains a NaN, otherwise +Inf.
func sumWithInf[T float32 | float64](x []T) T {
	for _, v := range x {
		if v != v {
			return v
		}
	}
	return T(math.Inf(1))
}

// Softmax stores e^x[i] / Σ e^x[j] in dst[i], in 3 passes: m = max x; e^(x[i] − m)
// and their sum; scaling by 1/sum. All results are NaN if an element is NaN or
// +Inf, or if all are -Inf. It panics if the lengths differ.
func Softmax(dst, x []float64) {
	checkLengths("Softmax", len(dst), len(x))
	scale64(dst, 1/expSum64(dst, x, largest64(x)))
}

// Softmax32 is like Softmax, for float32. The sum is in float64.
func Softmax32(dst, x []float32) {
	checkLengths("Softmax32", len(dst), len(x))
	scale32(dst, float32(1/expSum32(dst, x, largest32(x))))
}
