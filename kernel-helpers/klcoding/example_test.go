package klcoding_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/klcoding"
)

// The signal is twice the third direction. The prior distributes it over similar directions, where L1 would
// use only the third.
func ExampleCoder_Code() {
	B := mat.NewDense(2, 3, []float64{
		1, 0, 0.8,
		0, 1, 0.6,
	})
	X := mat.NewDense(2, 1, []float64{1.6, 1.2})
	c, err := klcoding.New(B, &klcoding.Options{Lambda: 0.01, P: 0.001, Doubled: true})
	if err != nil {
		panic(err)
	}
	res, err := c.Code(context.Background(), X)
	if err != nil {
		panic(err)
	}
	fmt.Println(res.Status[0])
	fmt.Printf("%.2f\n", mat.Formatted(res.W.T()))
	// Output:
	// converged
	// [0.23  0.16  1.64]
}

// One step of gradient descent on B that makes a coefficient larger.
func ExampleCoder_VJP() {
	B := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	X := mat.NewDense(2, 1, []float64{0.6, 0.8})
	dldW := mat.NewDense(2, 1, []float64{-1, 0}) // l = −w₁
	opt := klcoding.Options{Lambda: 0.1, P: 0.1}
	var before float64
	for step := range 2 {
		c, err := klcoding.New(B, &opt)
		if err != nil {
			panic(err)
		}
		res, err := c.Code(context.Background(), X)
		if err != nil {
			panic(err)
		}
		if step == 1 {
			fmt.Println(res.W.At(0, 0) > before)
		}
		before = res.W.At(0, 0)
		g, err := c.VJP(context.Background(), X, res.W, dldW)
		if err != nil {
			panic(err)
		}
		g.B.Scale(-0.1, g.B)
		B.Add(B, g.B)
	}
	// Output: true
}
