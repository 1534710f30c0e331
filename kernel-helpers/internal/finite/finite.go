// Package finite refuses matrices with which nothing can be calculated, and says
// where they are bad: data with a NaN is a mistake in its making, and the place leads
// to it. The errors begin with the name of the matrix; whoever calls puts the
// package and function in front.
package finite

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

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
	n, d := X.Dims()
	D, dense := X.(*mat.Dense)
	for i := range n {
		if dense {
			zero := 0.0 // stays 0 unless there is a NaN or an infinity
			for _, x := range D.RawRowView(i) {
				zero += x * 0
			}
			if zero == 0 {
				continue
			}
		}
		for j := range d {
			if x := X.At(i, j); math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("%s(%d, %d) is %v", name, i, j, x)
			}
		}
	}
	return nil
}
