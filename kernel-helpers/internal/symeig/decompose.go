package symeig

import (
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"
)

// Decompose returns the k largest eigenvalues of a symmetric matrix C (d×d) in
// descending order and their eigenvectors as COLUMNS (d×k) with the signs of Signs;
// for k = d that is C = QDQᵀ. It is Full for matrices that come from users: it returns an
// error if C is nil, empty or not finite, or if the eigenvalues overflow.
func Decompose(C mat.Symmetric, k int) (values []float64, Q *mat.Dense, err error) {
	if err := Check(C); err != nil {
		return nil, nil, err
	}
	values, V, err := Full(C, k)
	if err != nil {
		return nil, nil, err
	}
	Q = mat.DenseCopyOf(V.T())
	Signs(Q)
	return values, Q, nil
}

// Check refuses a matrix that is nil, empty, NaN or infinite.
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

// Signs flips the columns of Q (d×k) so that the loading of largest absolute
// value is positive. If several loadings lie within a billionth of the largest, the
// first of them decides, so that rounding does not.
func Signs(Q *mat.Dense) {
	d, k := Q.Dims()
	for j := range k {
		peak := 0.0
		for i := range d {
			peak = math.Max(peak, math.Abs(Q.At(i, j)))
		}
		for i := range d {
			if q := Q.At(i, j); math.Abs(q) >= peak*(1-1e-9) {
				if q < 0 {
					for r := range d {
						if x := Q.At(r, j); x != 0 {
							Q.Set(r, j, -x)
						}
					}
				}
				break
			}
		}
	}
}
