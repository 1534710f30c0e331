package classify_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/figure"
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

func ExampleConfusion_Report() {
	truth, names := []int{0, 0, 0, 0, 1, 1, 2, 2, 2, 2}, []string{"ash", "birch", "oak"}
	predicted := []int{0, 0, 0, 1, 1, 1, 2, 2, 1, 0}
	c := classify.Confuse(predicted, truth)
	fmt.Print(c.Report(names...)) // in a cell, c.Report(names...) as the last line shows the table

	figure.Annotated("Trees", c.Matrix(), names, names) // draws the counts
	// Output:
	//               precision    recall  f1-score   support
	//
	//          ash       0.75      0.75      0.75         4
	//        birch       0.50      1.00      0.67         2
	//          oak       1.00      0.50      0.67         4
	//
	//     accuracy                           0.70        10
	//    macro avg       0.75      0.75      0.69        10
	// weighted avg       0.80      0.70      0.70        10
}
