package iconframework_test

import (
	"context"
	"fmt"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/icon"
	"overcomplete/kernel-helpers/tape"
)

// Inner is a custom kernel: the log-affinity is the inner product.
type Inner struct{}

func (Inner) Name() string          { return "inner product" }
func (Inner) Params() []*tape.Param { return nil }
func (Inner) LogAffinity(t *tape.Tape, z *tape.Value) *tape.Value {
	return t.MatMul(z, t.Transpose(z)) // n×k · k×n
}

// A custom kernel, as in the notebook's exercise.
func Example_kernel() {
	labels := []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}
	p, err := icon.SameLabelP(labels)
	if err != nil {
		panic(err)
	}
	o := &icon.Objective{P: p, Q: icon.On(icon.NewPoints(icon.Normal(len(labels), 2, 0.5, 1)), Inner{})}
	r, err := icon.Minimize(context.Background(), o, &icon.Options{Steps: 300})
	if err != nil {
		panic(err)
	}
	fmt.Println(icon.KNNAccuracy(r.Embedding, labels, 3))
	// Output: 1
}

// This is the new method from the notebook: p is uniform over fifteen neighbors, and q is a heavy-tailed Student
// t.
func Example() {
	s, err := synth.Digits(context.Background(), synth.DigitsOptions{N: 150, Balanced: true, Seed: 1})
	if err != nil {
		panic(err)
	}
	p, err := icon.NeighborsP(s.Images, 15)
	if err != nil {
		panic(err)
	}
	points := icon.NewPoints(icon.Normal(len(s.Labels), 2, 0.1, 1))
	own := &icon.Objective{P: p, Q: icon.On(points, icon.StudentT{Freedom: 0.5})}
	r, err := icon.Minimize(context.Background(), own, &icon.Options{Rate: 0.5, Steps: 300, Decay: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(icon.KNNAccuracy(r.Embedding, s.Labels, 5) > 0.6)
	// Output: true
}
