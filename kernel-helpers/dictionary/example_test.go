package dictionary_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/ica"
	"overcomplete/kernel-helpers/sparseapprox"
)

// Fit finds the three directions of signals in the plane.
func Example() {
	rng := rand.New(rand.NewPCG(1, 2))
	X := mat.NewDense(2, 600, nil)
	for i := range 600 {
		angle, size := math.Pi/180*[]float64{10, 60, 130}[i%3], 2*rng.Float64()-1
		X.Set(0, i, size*math.Cos(angle))
		X.Set(1, i, size*math.Sin(angle))
	}
	r, err := dictionary.Fit(context.Background(), X, &dictionary.Options{
		Coder: dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.1}),
		Atoms: 3,
		Start: dictionary.Gaussian,
		Seed:  1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for j := range 3 {
		a := 180 / math.Pi * math.Atan2(r.B.At(1, j), r.B.At(0, j))
		fmt.Printf("%.0f°\n", math.Mod(a+180, 180))
	}
	// Unordered output:
	// 10°
	// 60°
	// 130°
}

// This is one gradient descent step, written out. At the optimal codes, the dependence of the codes on B has
// no first-order effect, so the gradient of the loss equals the gradient of the objective.
func ExampleGradient() {
	X := mat.NewDense(2, 3, []float64{
		2, 0, 1,
		0, 2, 2,
	})
	B := mat.NewDense(2, 2, []float64{
		1, 0.6,
		0, 0.8,
	})
	coder := dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.1})
	before, err := coder.Code(context.Background(), B, X, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	G := dictionary.Gradient(B, X, before)
	G.Scale(-0.1, G)
	B.Add(B, G)
	ica.Normalize(B) // scale columns to norm 1: otherwise B grows and W shrinks
	after, err := coder.Code(context.Background(), B, X, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean objective %.3f, then %.3f\n", before.Mean(), after.Mean())
	// Output:
	// mean objective 0.282, then 0.256
}
