package sparseapprox_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/sparseapprox"
)

// Three atoms in the plane: the axes and the diagonal between them.
var (
	h = math.Sqrt(0.5)
	B = mat.NewDense(2, 3, []float64{
		1, 0, h,
		0, 1, h,
	})
)

func ExampleSolve() {
	X := mat.NewDense(2, 2, []float64{ // two signals
		2, 3,
		2, 1,
	})
	r, err := sparseapprox.Solve(context.Background(), B, X, &sparseapprox.Options{Lambda: 0.1})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Status)
	fmt.Printf("%.3f\n", mat.Formatted(r.W))
	// Output:
	// converged
	// ⎡0.000  1.941⎤
	// ⎢0.000  0.000⎥
	// ⎣2.728  1.356⎦
}

func ExampleCoder_Path() {
	c, err := sparseapprox.NewCoder(B, &sparseapprox.Options{Prior: sparseapprox.L1NonNegative, Lambda: 1})
	if err != nil {
		panic(err)
	}
	p, err := c.Path([]float64{3, 1}, 0.1)
	if err != nil {
		panic(err)
	}
	for i, lambda := range p.Knots {
		fmt.Printf("%.3f: %.3f\n", lambda, mat.Col(nil, i, p.W))
	}
	// Output:
	// 3.000: [0.000 0.000 0.000]
	// 2.414: [0.586 0.000 0.000]
	// 0.100: [1.941 0.000 1.356]
}
