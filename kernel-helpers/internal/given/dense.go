package given

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// Dense returns X as a dense matrix: a copy, or X itself if X is already dense. The caller must not change
// the result. Dense panics, as Args does, if X is nil.
func Dense(where, name string, X mat.Matrix) *mat.Dense {
	if Nil(X) {
		panic(fmt.Sprintf("%s: %s is nil", where, name))
	}
	return finite.AsDense(X)
}
