package s3c_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/s3c"
)

// Two units that point along the axes, and three patches: the E step finds which units generated the patches, and how
// strongly.
func Example() {
	m, err := s3c.NewModel(mat.NewDense(2, 2, []float64{
		1, 0,
		0, 1,
	}), -2, 1, 20) // b, α, β
	if err != nil {
		fmt.Println(err)
		return
	}
	V := mat.NewDense(3, 2, []float64{
		3, 0,
		0, -2,
		0, 0,
	})
	r, err := m.Infer(context.Background(), V, &s3c.InferOptions{Method: s3c.Coordinate})
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := m.Exact(V)
	if err != nil {
		fmt.Println(err)
		return
	}
	H, HS := r.Q.H(), r.Q.HS()
	for k := range 3 {
		fmt.Printf("ĥ %.2f %.2f  ĥŝ %+.2f %+.2f  KL %.4f\n", H.At(k, 0), H.At(k, 1), HS.At(k, 0)+0, HS.At(k, 1)+0,
			math.Abs(exact.LogEvidence[k]-r.Energy[k]))
	}
	// Output:
	// ĥ 1.00 0.03  ĥŝ +2.86 +0.00  KL 0.0000
	// ĥ 0.03 1.00  ĥŝ +0.00 -1.90  KL 0.0000
	// ĥ 0.03 0.03  ĥŝ +0.00 +0.00  KL 0.0000
}

// This example trains a model on patches from a model with four units.
func ExampleFit() {
	truth, err := s3c.NewModel(mat.NewDense(3, 4, []float64{
		1, 0, 0, 1,
		0, 1, 0, 1,
		0, 0, 1, 1,
	}), -2, 4, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := truth.Sample(5000, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	src, err := s3c.Rows(x.V, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := s3c.Fit(context.Background(), src, &s3c.Options{Units: 4, Steps: 300})
	if err != nil {
		fmt.Println(err)
		return
	}
	first, last := r.State.History[0].Energy, r.State.Energy()
	fmt.Println(r.Status, last > first)
	// Output: done true
}
