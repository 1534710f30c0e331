package nmfgrad

import (
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// checkSizes panics unless A is n×d, U n×k and W d×k.
func checkSizes(fn string, A, U, W mat.Matrix) (n, d, k int) {
	if isNil(A) || isNil(U) || isNil(W) {
		panic(fmt.Sprintf("nmfgrad: %s: a matrix is nil", fn))
	}
	n, d = A.Dims()
	un, k := U.Dims()
	wd, wk := W.Dims()
	if n == 0 || d == 0 || k == 0 {
		panic(fmt.Sprintf("nmfgrad: %s: A is %d×%d, U %d×%d: empty", fn, n, d, un, k))
	}
	if un != n || wd != d || wk != k {
		panic(fmt.Sprintf("nmfgrad: %s: A is %d×%d, U %d×%d, W %d×%d; need n×d, n×k, d×k", fn, n, d, un, k, wd, wk))
	}
	return n, d, k
}

// copyOf returns a copy of m, or zeros for nil. It returns an error if m has NaN or Inf, and panics if m is not r×c.
func copyOf(fn, name string, m mat.Matrix, r, c int) (*mat.Dense, error) {
	out := mat.NewDense(r, c, nil)
	if isNil(m) {
		return out, nil
	}
	if mr, mc := m.Dims(); mr != r || mc != c {
		panic(fmt.Sprintf("nmfgrad: %s: %s is %d×%d, must be %d×%d", fn, name, mr, mc, r, c))
	}
	out.Copy(m)
	if i, j := finite.Find(out); i >= 0 {
		return nil, fmt.Errorf("nmfgrad: %s: element %d,%d of %s is %v", fn, i, j, name, out.At(i, j))
	}
	return out, nil
}

// isNil reports whether m is nil or holds a nil pointer.
func isNil(m mat.Matrix) bool {
	v := reflect.ValueOf(m)
	return m == nil || v.Kind() == reflect.Pointer && v.IsNil()
}
