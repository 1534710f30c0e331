package attention

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// String describes the shapes of the matrices.
func (o *Output) String() string {
	return fmt.Sprintf("attention: A is %s, Alpha is %s", shape(o.A), shape(o.Alpha))
}

// String describes the shapes of the matrices.
func (o *MultiOutput) String() string {
	return fmt.Sprintf("attention: Y is %s, A is %s, weights of %d heads", shape(o.Y), shape(o.A), len(o.Alpha))
}

// shape returns the shape of X in the form 2×3, or "missing" if X is nil.
func shape(X *mat.Dense) string {
	if X == nil {
		return "missing"
	}
	r, c := X.Dims()
	return fmt.Sprintf("%d×%d", r, c)
}
