package icon_test

import (
	"context"
	"fmt"

	"overcomplete/kernel-helpers/icon"
)

// SNE embeds two groups of points from five dimensions in two dimensions and keeps the groups apart.
func Example() {
	X := icon.Normal(40, 5, 1, 1)
	labels := make([]int, 40)
	for i := range 40 {
		labels[i] = i % 2
		X.Set(i, 0, X.At(i, 0)+10*float64(labels[i]))
	}
	o, err := icon.SNE(X, 10, 2, 1)
	if err != nil {
		panic(err)
	}
	r, err := icon.Minimize(context.Background(), o, &icon.Options{Steps: 200})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Loss < r.History[0].Loss, icon.KNNAccuracy(r.Embedding, labels, 5))
	// Output: true 1
}

// To define a method, choose two relations: here p comes from labels, and q is Student's t on a linear map.
func ExampleObjective() {
	X := icon.Normal(30, 4, 1, 1)
	labels := make([]int, 30)
	for i := range 30 {
		labels[i] = i % 3
		X.Set(i, labels[i], X.At(i, labels[i])+2)
	}
	p, err := icon.SameLabelP(labels)
	if err != nil {
		panic(err)
	}
	o := &icon.Objective{P: p, Q: icon.On(icon.NewLinear(X, icon.Normal(4, 2, 1, 2)), icon.StudentT{})}
	fmt.Println(o.Q.Name())
	r, err := icon.Minimize(context.Background(), o, &icon.Options{Steps: 300})
	if err != nil {
		panic(err)
	}
	fmt.Println(icon.KNNAccuracy(r.Embedding, labels, 5) > icon.KNNAccuracy(X, labels, 5))
	// Output:
	// Student t on linear map
	// true
}
