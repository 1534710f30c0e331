package symeig

import (
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"
)

// Decompose returns the k largest eigenvalues of a symmetric matrix C (d×d) in descending order and their eigenvectors
// as COLUMNS (d×k), with their signs set by the function Signs. For k = d, C = QDQᵀ, where D holds the eigenvalues.
// Decompose is like Full, but checks C: it returns an error if C is nil, empty or not finite, or if the eigenvalues
// overflow.
func Decompose(C mat.Symmetric, k int) (values []float64, Q *mat.Dense, err error) {
	if err := Check(C); err != nil {
		return nil, nil, err
	}
	values, V, err := Full(C, k)
	if err != nil {
		return nil, nil, err
	}
	Q = Columns(V)
	Signs(Q)
	return values, Q, nil
}

// Columns returns the transpose of V. It copies in tiles that fit into the cache.
func Columns(V *mat.Dense) *mat.Dense {
	const tile = 32
	k, n := V.Dims()
	Q := mat.NewDense(n, k, nil)
	from, to := V.RawMatrix(), Q.RawMatrix()
	for i0 := 0; i0 < k; i0 += tile {
		for j0 := 0; j0 < n; j0 += tile {
			for i := i0; i < min(i0+tile, k); i++ {
				r := row(from, i)
				for j := j0; j < min(j0+tile, n); j++ {
					to.Data[j*to.Stride+i] = r[j]
				}
			}
		}
	}
	return Q
}

// Check returns an error if C is nil, empty or not finite.
func Check(C mat.Symmetric) error {
	if isNil(C) {
		return fmt.Errorf("the matrix is nil")
	}
	if C.SymmetricDim() == 0 {
		return fmt.Errorf("the matrix is empty")
	}
	for i := range C.SymmetricDim() {
		for j := range i + 1 {
			if x := C.At(i, j); math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("C(%d, %d) is %v", i, j, x)
			}
		}
	}
	return nil
}

func isNil(C mat.Symmetric) bool {
	v := reflect.ValueOf(C)
	return C == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Signs changes the signs of columns of Q (d×k) so that, in each column, the element of largest absolute value is
// positive. If several elements are within 1e-9 of the largest (relative), the first of them decides, so that rounding
// does not matter.
func Signs(Q *mat.Dense) {
	d, k := Q.Dims()
	peak := make([]float64, k)
	for i := range d {
		for j, q := range Q.RawRowView(i) {
			peak[j] = max(peak[j], math.Abs(q))
		}
	}
	sign := make([]float64, k) // 0 if not yet known
	for i := range d {
		for j, q := range Q.RawRowView(i) {
			if sign[j] == 0 && math.Abs(q) >= peak[j]*(1-1e-9) {
				sign[j] = math.Copysign(1, q)
			}
		}
	}
	for i := range d {
		r := Q.RawRowView(i)
		for j, x := range r {
			if sign[j] < 0 && x != 0 {
				r[j] = -x
			}
		}
	}
}
