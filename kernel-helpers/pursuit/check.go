package pursuit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

func checkMatrix(name string, a mat.Matrix) error {
	if i, j := finite.Find(a); i >= 0 {
		return fmt.Errorf("pursuit: %s[%d,%d] is %v", name, i, j, a.At(i, j))
	}
	return nil
}

func checkVector(name string, x []float64) error {
	if i := finite.Index(x); i >= 0 {
		return fmt.Errorf("pursuit: %s[%d] is %v", name, i, x[i])
	}
	return nil
}

// dims panics on a nil or empty matrix, which is always a caller's mistake.
func dims(fn, name string, a mat.Matrix) (r, c int) {
	if a == nil {
		panic("pursuit: " + fn + ": " + name + " is nil")
	}
	if d, ok := a.(*mat.Dense); ok && (d == nil || d.IsEmpty()) {
		panic("pursuit: " + fn + ": " + name + " is empty")
	}
	r, c = a.Dims()
	if r == 0 || c == 0 {
		panic("pursuit: " + fn + ": " + name + " is empty")
	}
	return r, c
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
