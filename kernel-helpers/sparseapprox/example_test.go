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

// Two nearly equal atoms: the lasso uses one of them, the elastic net uses both.
func ExampleOptions_elasticNet() {
	B := mat.NewDense(3, 3, []float64{
		1, 0.99, 0,
		0, 0.14, 0,
		0, 0, 1,
	})
	X := mat.NewDense(3, 1, []float64{2, 0, 0})
	for _, ridge := range []float64{0, 0.5} {
		r, err := sparseapprox.Solve(context.Background(), B, X, &sparseapprox.Options{Lambda: 0.1, Ridge: ridge})
		fmt.Printf("%.2f %v\n", mat.Col(nil, 0, r.W), err)
	}
	// Output:
	// [1.90 0.00 0.00] <nil>
	// [0.78 0.74 0.00] <nil>
}
