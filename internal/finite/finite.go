// Package finite rejects NaN and infinite numbers, and reports where they are. A NaN in data is caused by a
// mistake in the program that produced the data, and the location helps to find that mistake. Dense and Check
// return an error that begins with the name of the matrix; the caller prepends its package and function. Is,
// Index and Find leave the message to the caller.
package finite

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
)

// Is reports whether x is neither NaN nor infinite. It does not compute x−x == 0, because after inlining x may be a
// product a·b. A processor with fused multiply-add may then compute a·b − round(a·b), which need not be 0.
func Is[T float32 | float64](x T) bool { return x*0 == 0 }

// Index returns the index of the first number in x that is NaN or infinite, or −1
// if there is none.
func Index[T float32 | float64](x []T) int {
	for i, v := range x {
		if v-v != 0 {
			return i
		}
	}
	return -1
}

// Unit returns a power of two that brings the largest |x_i| between ½ and 1, or at least to a size whose square is in
// range. So sums of squares of numbers near 1e200 or 1e-200 keep their digits. It returns 1 if all x are 0.
func Unit(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	_, exp := math.Frexp(top)
	return math.Ldexp(1, -max(exp, -1000))
}

// Find returns the position of the first element of X, row by row, that is NaN or infinite, or −1, −1 if
// there is none.
func Find(X mat.Matrix) (i, j int) {
	n, d := X.Dims()
	if D, ok := X.(*mat.Dense); ok {
		for i := range n {
			if j := Index(D.RawRowView(i)); j >= 0 {
				return i, j
			}
		}
		return -1, -1
	}
	if s, sparse := X.(interface{ Find() (i, j int) }); sparse { // csr.Matrix, for example, where At is slow
		return s.Find()
	}
	for i := range n {
		for j := range d {
			if !Is(X.At(i, j)) {
				return i, j
			}
		}
	}
	return -1, -1
}

// Dense returns X as a *mat.Dense, without copying X if it already is one. It returns an error if X is nil or
// empty, has an element that is NaN or infinite, or would take too much memory as a copy.
func Dense(name string, X mat.Matrix) (*mat.Dense, error) {
	if D, ok := X.(*mat.Dense); X == nil || ok && D == nil {
		return nil, fmt.Errorf("%s is nil", name)
	}
	n, d := X.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("%s is empty (%d×%d)", name, n, d)
	}
	if err := Room(name, X); err != nil {
		return nil, err
	}
	D := AsDense(X)
	if err := Check(name, D); err != nil {
		return nil, err
	}
	return D, nil
}

// Room returns an error if X is not a *mat.Dense and a dense copy of X would take too much memory (see package ram).
func Room(name string, X mat.Matrix) error {
	if _, dense := X.(*mat.Dense); dense {
		return nil
	}
	n, d := X.Dims()
	return ram.Check(fmt.Sprintf("a dense copy of %s, %d×%d", name, n, d), 8*float64(n)*float64(d))
}

// AsDense returns X as a *mat.Dense, without copying X if it already is one.
func AsDense(X mat.Matrix) *mat.Dense {
	switch X := X.(type) {
	case *mat.Dense:
		return X
	case interface{ Dense() *mat.Dense }: // csr.Matrix, for example, where At is slow
		return X.Dense()
	}
	return mat.DenseCopyOf(X)
}

// Check returns an error if an element of X is NaN or infinite.
func Check(name string, X mat.Matrix) error {
	if i, j := Find(X); i >= 0 {
		return fmt.Errorf("%s(%d, %d) is %v", name, i, j, X.At(i, j))
	}
	return nil
}
