package vmath_test

import (
	"fmt"

	"overcomplete/kernel-helpers/vmath"
)

func ExampleSoftmax() {
	x := []float64{1000, 1001, 1002} // e^1000 overflows float64
	p := make([]float64, len(x))
	vmath.Softmax(p, x)
	fmt.Printf("%.4f\n", p)
	fmt.Printf("%.4f\n", vmath.LogSumExp(x))
	// Output:
	// [0.0900 0.2447 0.6652]
	// 1002.4076
}

func ExampleExp32() {
	x := []float32{-1, 0, 1}
	vmath.Exp32(x, x) // in place
	fmt.Printf("%.4f\n", x)
	// Output:
	// [0.3679 1.0000 2.7183]
}
