package pca_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/pca"
)

func ExampleFit() {
	X := mat.NewDense(4, 2, []float64{1, 2, 2, 4, -1, -2, -2, -4})
	m, err := pca.Fit(context.Background(), X, &pca.Options{Components: 1})
	if err != nil {
		panic(err)
	}
	fmt.Printf("eigenvalue %.0f\n", m.Eigenvalues[0])
	fmt.Printf("axis %.3f\n", m.Axis(0))
	fmt.Printf("scores %.3f\n", mat.Formatted(m.Scores(X).T()))
	fmt.Printf("share %.0f %%\n", 100*m.Explained(1))
	// Output:
	// eigenvalue 50
	// axis [0.447 0.894]
	// scores [ 2.236   4.472  -2.236  -4.472]
	// share 100 %
}

func ExampleTruncatedSVD() {
	M := mat.NewDense(3, 2, []float64{3, 0, 0, 2, 0, 0})
	f, err := pca.TruncatedSVD(M, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(f)
	fmt.Printf("%.0f\n", mat.Formatted(f.Matrix()))
	// Output:
	// U 3×1, Σ 1×1, V 2×1
	// ⎡3  0⎤
	// ⎢0  0⎥
	// ⎣0  0⎦
}

func ExampleIncremental() {
	inc := pca.NewIncremental(1)
	for _, block := range []*mat.Dense{
		mat.NewDense(2, 2, []float64{1, 2, 2, 4}),
		mat.NewDense(2, 2, []float64{-1, -2, -2, -4}),
	} {
		if err := inc.PartialFit(context.Background(), block); err != nil {
			panic(err)
		}
	}
	m, err := inc.Model()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d points, eigenvalue %.0f, axis %.3f\n", m.N, m.Eigenvalues[0], m.Axis(0))
	// Output: 4 points, eigenvalue 50, axis [0.447 0.894]
}
