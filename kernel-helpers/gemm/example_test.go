package gemm_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/gemm"
)

func ExampleUse() {
	gemm.Use()

	a := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	var gram mat.Dense
	gram.Mul(a, a.T())
	fmt.Println(mat.Formatted(&gram))
	// Output:
	// ⎡14  32⎤
	// ⎣32  77⎦
}

// This example uses single precision, with gonum's blas32.
func ExampleUse_float32() {
	gemm.Use()

	a := blas32.General{Rows: 2, Cols: 3, Stride: 3, Data: []float32{1, 2, 3, 4, 5, 6}}
	x := blas32.General{Rows: 3, Cols: 1, Stride: 1, Data: []float32{1, 0, -1}}
	y := blas32.General{Rows: 2, Cols: 1, Stride: 1, Data: make([]float32, 2)}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, a, x, 0, y)
	fmt.Println(y.Data)
	// Output: [-2 -2]
}
