package kmeans_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/kmeans"
)

func ExampleFit() {
	X := mat.NewDense(6, 2, []float64{0, 0, 0, 1, 1, 0, 10, 10, 10, 11, 11, 10})
	r, err := kmeans.Fit(context.Background(), X, &kmeans.Options{K: 2, Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Printf("inertia %.3f, %v\n", r.Inertia, r.Status)
	fmt.Println("together:", r.Labels[0] == r.Labels[2], r.Labels[0] == r.Labels[3])
	// Output:
	// inertia 2.667, converged
	// together: true false
}

// Labels are names: only the grouping matters.
func ExampleAdjustedRand() {
	fmt.Println(kmeans.AdjustedRand([]int{0, 0, 1, 1}, []int{5, 5, 2, 2}))
	fmt.Println(kmeans.MatchedAccuracy([]int{0, 0, 1, 1}, []int{5, 5, 2, 5}))
	// Output:
	// 1
	// 0.75
}
