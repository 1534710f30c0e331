package given

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// Dense returns X as a dense matrix: X itself if it is one, which the caller must not change,
// or a copy. It panics, as Args does, if X is nil.
func Dense(where, name string, X mat.Matrix) *mat.Dense {
	if Nil(X) {
		panic(fmt.Sprintf("%s: %s is nil", where, name))
	}
	return finite.AsDense(X)
}
