// Package finite refuses numbers with which nothing can be calculated, and says
// where they are: data with a NaN is a mistake in its making, and the place leads
// to it. Dense and Check make the error, which begins with the name of the matrix;
// whoever calls puts the package and function in front. Is, Index and Find leave
// the message to the caller.
package finite

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Is reports whether x is neither NaN nor infinite.
func Is[T float32 | float64](x T) bool { return x-x == 0 }

// Index returns the index of the first number of x that is NaN or infinite, or −1.
func Index[T float32 | float64](x []T) int {
	for i, v := range x {
		if v-v != 0 {
			return i
		}
	}
	return -1
}

// Find returns the place of the first element of X, row by row, that is NaN or
// infinite, or −1, −1.
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
	for i := range n {
		for j := range d {
			if !Is(X.At(i, j)) {
				return i, j
			}
		}
	}
	return -1, -1
}

// Dense is X as a *mat.Dense, without a copy if it is one. It refuses what is nil,
// empty, NaN or infinite.
func Dense(name string, X mat.Matrix) (*mat.Dense, error) {
	D, ok := X.(*mat.Dense)
	if X == nil || ok && D == nil {
		return nil, fmt.Errorf("%s is nil", name)
	}
	n, d := X.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("%s is empty (%d×%d)", name, n, d)
	}
	if !ok {
		D = mat.DenseCopyOf(X)
	}
	if err := Check(name, D); err != nil {
		return nil, err
	}
	return D, nil
}

// Check refuses NaN and infinities.
func Check(name string, X mat.Matrix) error {
	if i, j := Find(X); i >= 0 {
		return fmt.Errorf("%s(%d, %d) is %v", name, i, j, X.At(i, j))
	}
	return nil
}
