package l2svm_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/l2svm"
)

func ExampleFit() {
	X := l2svm.Dense(mat.NewDense(6, 2, []float64{0, 0, 1, 0, 0, 5, 1, 5, 9, 0, 9, 1}))
	y := []int{0, 0, 1, 1, 2, 2}
	m, err := l2svm.Fit(context.Background(), X, y, &l2svm.Options{C: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Status)
	fmt.Println(m.Predict(context.Background(), X))
	// Output:
	// converged
	// [0 0 1 1 2 2] <nil>
}
