package pursuit

import (
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

func checkMatrix(fn, name string, a mat.Matrix) error {
	if i, j := finite.Find(a); i >= 0 {
		return fmt.Errorf("pursuit: %s: %s[%d,%d] is %v", fn, name, i, j, a.At(i, j))
	}
	return nil
}

func checkVector(fn, name string, x []float64) error {
	if i := finite.Index(x); i >= 0 {
		return fmt.Errorf("pursuit: %s: %s[%d] is %v", fn, name, i, x[i])
	}
	return nil
}

// checkSquares returns an error if, for some column of the matrix a, the sum of squares overflows, or is so small that
// its digits underflow. The duality gap would then be 0, infinite or NaN for any solution.
func checkSquares(fn, name string, a mat.Matrix) error {
	m, n := a.Dims()
	for j := range n {
		var sum, top float64
		for i := range m {
			v := a.At(i, j)
			sum += v * v
			top = max(top, math.Abs(v))
		}
		if math.IsInf(sum, 0) || sum < 0x1p-960 && top > 0 {
			return fmt.Errorf("pursuit: %s: the square of column %d of %s is %g, beyond the range of float64: scale %s", fn, j, name, sum, name)
		}
	}
	return nil
}

// checkLimits returns an error for an invalid tolerance or iteration limit, and replaces 0 by the defaults.
func checkLimits(fn string, tolerance *float64, iterations *int, defaultTolerance float64, defaultIterations int) error {
	if !(*tolerance >= 0) || math.IsInf(*tolerance, 0) {
		return fmt.Errorf("pursuit: %s: Tolerance is %v, must be positive and finite", fn, *tolerance)
	}
	if *iterations < 0 {
		return fmt.Errorf("pursuit: %s: MaxIterations is %d, must be positive", fn, *iterations)
	}
	if *tolerance == 0 {
		*tolerance = defaultTolerance
	}
	if *iterations == 0 {
		*iterations = defaultIterations
	}
	return nil
}

// points returns the numbers of rows and columns of x, a matrix of signals. It panics if x is nil. If x is empty it
// returns an error, unlike dims, because empty data need not be the caller's mistake.
func points(fn, name string, x mat.Matrix) (r, c int, err error) {
	if v := reflect.ValueOf(x); x == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("pursuit: " + fn + ": " + name + " is nil")
	}
	if r, c = x.Dims(); r == 0 || c == 0 {
		return r, c, fmt.Errorf("pursuit: %s: %s is empty", fn, name)
	}
	return r, c, nil
}

// dims returns the numbers of rows and columns of the matrix a. It panics if the matrix is nil or empty, which is
// always a caller's mistake.
func dims(fn, name string, a mat.Matrix) (r, c int) {
	if v := reflect.ValueOf(a); a == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("pursuit: " + fn + ": " + name + " is nil")
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

// transposeHint returns a hint, for an error message, that X (r×c) may be transposed. It returns "" unless X has d
// columns but not d rows.
func transposeHint(r, c, d int) string {
	if c == d && r != d {
		return fmt.Sprintf(": want %d×%d, is X transposed?", c, r)
	}
	return ""
}
