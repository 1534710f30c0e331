package lapack_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/lapack"
)

// Call Use in main, or in the first cell of a notebook. All other calls are gonum's.
func ExampleUse() {
	lapack.Use()

	a := mat.NewDense(3, 2, []float64{3, 0, 0, 4, 0, 0})
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		panic("not converged")
	}
	fmt.Printf("%.0f", svd.Values(nil))
	// Output: [4 3]
}
