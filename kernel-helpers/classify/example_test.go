package classify_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/classify"
)

func ExampleTrainMaxent() {
	digits, err := synth.Digits(context.Background(), synth.DigitsOptions{N: 600, Size: 12, Balanced: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	train, test := classify.StratifiedSplit(digits.Labels, 0.25, 1)
	m, err := classify.FitMaxent(context.Background(), classify.Rows(digits.Images, train), classify.Labels(digits.Labels, train), &classify.MaxentOptions{Alpha: 0.003})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := classify.ErrorRate(m.Predict(classify.Rows(digits.Images, test)), classify.Labels(digits.Labels, test))
	fmt.Println(m.Status, e < 0.15)
	// Output: converged true
}

func ExampleTrainRBFSVM() {
	// The points are a ring around a disc: no line separates the two.
	X := mat.NewDense(9, 2, []float64{0, 0, 0.3, 0, 0, 0.3, -0.3, 0, 0, -0.3, 1, 0, 0, 1, -1, 0, 0, -1})
	y := []int{0, 0, 0, 0, 0, 1, 1, 1, 1}
	m, err := classify.FitRBFSVM(context.Background(), X, y, &classify.RBFSVMOptions{C: 100, Gamma: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(X))
	// Output: [0 0 0 0 0 1 1 1 1]
}
