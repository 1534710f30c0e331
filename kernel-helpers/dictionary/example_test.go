package dictionary_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/dictionary"
	"overcomplete/kernel-helpers/sparseapprox"
)

// Signals that lie along three directions in the plane have these directions as
// their basis.
func Example() {
	rng := rand.New(rand.NewPCG(1, 2))
	X := mat.NewDense(2, 600, nil)
	for i := range 600 {
		angle, size := math.Pi/180*[]float64{10, 60, 130}[i%3], 2*rng.Float64()-1
		X.Set(0, i, size*math.Cos(angle))
		X.Set(1, i, size*math.Sin(angle))
	}
	r, err := dictionary.Learn(context.Background(), X, &dictionary.Options{
		Coder: dictionary.Sparse(sparseapprox.Options{Lambda: 0.1}),
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
