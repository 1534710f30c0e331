package vmath

import "math"

// The portable version applies package math element by element. It runs where there is no assembly, and is
// the reference in the assembly's tests.

type number interface{ float32 | float64 }

// exp is math.Exp without its defect on amd64 (Go 1.26): math.Exp returns +Inf from 709.44 on, although e^x
// overflows only above 709.78.
func exp(x float64) float64 {
	if x > 709 && x < 710 {
		r := math.FMA(-1023, math.Ln2, x)              // e^x = 2^1023 e^r
		r = math.FMA(-1023, 2.3190468138462996e-17, r) // log 2 − float64(log 2)
		return math.Exp(r) * 0x1p1023
	}
	return math.Exp(x)
}

// log is math.Log without its defect on amd64 (Go 1.26): math.Log does not normalize subnormal numbers, and
// log(5e-324) is -709.1 instead of -744.4.
func log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func expGo[T number](dst, x []T) {
	for i, v := range x {
		dst[i] = T(exp(float64(v)))
	}
}

func logGo[T number](dst, x []T) {
	for i, v := range x {
		dst[i] = T(log(float64(v)))
	}
}

func sigmoidGo[T number](dst, x []T) {
	for i, v := range x {
		t := math.Exp(-math.Abs(float64(v)))
		if v < 0 {
			dst[i] = T(t / (1 + t))
		} else {
			dst[i] = T(1 / (1 + t))
		}
	}
}

func softplusGo[T number](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Max(float64(v), 0) + math.Log1p(math.Exp(-math.Abs(float64(v)))))
	}
}

func scaleGo[T number](x []T, factor T) {
	for i := range x {
		x[i] *= factor
	}
}

// largestGo returns the largest element that is not NaN, or -Inf if there is none.
func largestGo[T number](x []T) T {
	m := T(math.Inf(-1))
	for _, v := range x {
		if v > m {
			m = v
		}
	}
	return m
}

// sumExpGo returns Σ e^(x[i] − shift).
func sumExpGo[T number](x []T, shift T) float64 {
	var lane [8]float64
	for i, v := range x {
		lane[i%8] += float64(T(math.Exp(float64(v - shift))))
	}
	return fold(lane)
}

// expSumGo stores e^(x[i] − shift) in dst[i] and returns the sum.
func expSumGo[T number](dst, x []T, shift T) float64 {
	var lane [8]float64
	for i, v := range x {
		dst[i] = T(math.Exp(float64(v - shift)))
		lane[i%8] += float64(dst[i])
	}
	return fold(lane)
}

// fold adds up the lanes in the order of the assembly: first lanes j and j+4, then the sums j and j+2, then j and j+1.
func fold(lane [8]float64) float64 {
	return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
}
