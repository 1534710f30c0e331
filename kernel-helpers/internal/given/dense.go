package given

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Dense returns X as a dense matrix: X itself if it is one, which the caller must not change,
// or a copy. It panics, as Args does, if X is nil.
func Dense(where, name string, X mat.Matrix) *mat.Dense {
	if Nil(X) {
		panic(fmt.Sprintf("%s: %s is nil", where, name))
	}
	switch X := X.(type) {
	case *mat.Dense:
		return X
	case interface{ Dense() *mat.Dense }: // such as csr.Matrix, whose At is slow
		return X.Dense()
	}
	return mat.DenseCopyOf(X)
}
