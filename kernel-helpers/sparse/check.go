package sparse

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

func checkMatrix(name string, a mat.Matrix) error {
	r, c := a.Dims()
	for i := range r {
		for j := range c {
			if v := a.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("sparse: %s[%d,%d] is %v", name, i, j, v)
			}
		}
	}
	return nil
}

func checkVector(name string, x []float64) error {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("sparse: %s[%d] is %v", name, i, v)
		}
	}
	return nil
}

// dims panics on a nil or empty matrix, which is always a caller's mistake.
func dims(fn, name string, a mat.Matrix) (r, c int) {
	if a == nil {
		panic("sparse: " + fn + ": " + name + " is nil")
	}
	if d, ok := a.(*mat.Dense); ok && (d == nil || d.IsEmpty()) {
		panic("sparse: " + fn + ": " + name + " is empty")
	}
	r, c = a.Dims()
	if r == 0 || c == 0 {
		panic("sparse: " + fn + ": " + name + " is empty")
	}
	return r, c
}

func dot(a, b []float64) float64 {
	var t float64
	for i, v := range a {
		t += v * b[i]
	}
	return t
}

func norm1(a []float64) float64 {
	var t float64
	for _, v := range a {
		t += math.Abs(v)
	}
	return t
}

func normInf(a []float64) float64 {
	var t float64
	for _, v := range a {
		t = max(t, math.Abs(v))
	}
	return t
}

func allFinite(a []float64) bool {
	for _, v := range a {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
