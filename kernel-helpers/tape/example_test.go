package tape_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/tape"
)

// The gradient of ‖xW‖² with respect to W is 2x'(xW).
func ExampleTape_Backward() {
	set := tape.NewSet(1)
	W := set.Ones("W", 2, 1)
	t := tape.New()
	y := t.MatMul(t.Const(mat.NewDense(1, 2, []float64{3, 4})), t.Param(W))
	t.Backward(t.Mul(y, y))
	fmt.Println(mat.Formatted(W.Grad))
	// Output:
	// ⎡42⎤
	// ⎣56⎦
}

// Two layers learn exclusive or, which one layer cannot represent.
func Example() {
	X := mat.NewDense(4, 2, []float64{0, 0, 0, 1, 1, 0, 1, 1})
	xor := []int{0, 1, 1, 0}
	set := tape.NewSet(1)
	W1, b1 := set.Glorot("W1", 2, 8), set.Zeros("b1", 1, 8)
	W2, b2 := set.Glorot("W2", 8, 2), set.Zeros("b2", 1, 2)
	adam := &tape.Adam{Rate: 0.05}
	var y *tape.Value
	for range 200 {
		t := tape.New()
		h := t.Tanh(t.Add(t.MatMul(t.Const(X), t.Param(W1)), t.Param(b1)))
		y = t.Add(t.MatMul(h, t.Param(W2)), t.Param(b2))
		t.Backward(t.CrossEntropy(y, xor, -1))
		adam.Step(set.Params)
	}
	for i := range 4 {
		fmt.Println(X.RawRowView(i), y.X.At(i, 1) > y.X.At(i, 0))
	}
	// Output:
	// [0 0] false
	// [0 1] true
	// [1 0] true
	// [1 1] false
}
