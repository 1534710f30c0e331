package crossval_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/crossval"
	"overcomplete/kernel-helpers/kmeans"
	"overcomplete/kernel-helpers/regress"
)

// This example chooses options for ridge, the lasso, a support vector machine and k-means; each has its own type
// of options. The points are two rings of 60 points each, and the values are those of a plane with noise.
func Example() {
	const n = 120
	rng := rand.New(rand.NewPCG(1, 1))
	X, values, labels := mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n)
	for i := range n {
		labels[i] = i % 2
		radius, angle := float64(1+2*labels[i])+0.2*rng.NormFloat64(), 2*math.Pi*rng.Float64()
		X.SetRow(i, []float64{radius * math.Cos(angle), radius * math.Sin(angle)})
		values[i] = X.At(i, 0) - 2*X.At(i, 1) + rng.NormFloat64()
	}
	of := func(idx []int) (*mat.Dense, []float64) {
		var y []float64
		for _, i := range idx {
			y = append(y, values[i])
		}
		return classify.Rows(X, idx), y
	}
	ctx := context.Background()
	folds := crossval.Stratified(labels, 5, 1)

	// The options of ridge are one number.
	ridge, err := crossval.Search(ctx, folds, []float64{0.1, 1, 1000},
		func(ctx context.Context, train []int, alpha float64) (*regress.Linear, error) {
			X, y := of(train)
			return regress.FitRidge(ctx, X, y, alpha)
		},
		func(m *regress.Linear, test []int) (float64, error) {
			X, y := of(test)
			return regress.PredictiveR2(y, m.Predict(X)), nil
		}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ridge: alpha %v\n", ridge.Options)

	// Lasso has an argument besides its options.
	type lassoOptions struct {
		alpha float64
		regress.LassoOptions
	}
	lasso, err := crossval.Search(ctx, folds, crossval.Grid(lassoOptions{},
		crossval.Vary(func(o *lassoOptions, v float64) { o.alpha = v }, 0.01, 3),
		crossval.Vary(func(o *lassoOptions, v float64) { o.L1Ratio = v }, 0.5, 1)),
		func(ctx context.Context, train []int, o lassoOptions) (*regress.Lasso, error) {
			X, y := of(train)
			return regress.FitLasso(ctx, X, y, o.alpha, &o.LassoOptions)
		},
		func(m *regress.Lasso, test []int) (float64, error) {
			X, y := of(test)
			return regress.PredictiveR2(y, m.Predict(X)), nil
		}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("lasso: alpha %v\n", lasso.Options.alpha)

	svm, err := crossval.Search(ctx, folds, crossval.Grid(classify.RBFSVMOptions{},
		crossval.Vary(func(o *classify.RBFSVMOptions, v float64) { o.C = v }, 0.1, 10),
		crossval.Vary(func(o *classify.RBFSVMOptions, v float64) { o.Gamma = v }, 0.5, 500)),
		func(ctx context.Context, train []int, o classify.RBFSVMOptions) (*classify.RBFSVM, error) {
			return classify.FitRBFSVM(ctx, classify.Rows(X, train), classify.Labels(labels, train), &o)
		},
		func(m *classify.RBFSVM, test []int) (float64, error) {
			return classify.Accuracy(m.Predict(classify.Rows(X, test)), classify.Labels(labels, test)), nil
		}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("machine: C %v, gamma %v, accuracy %.2f\n", svm.Options.C, svm.Options.Gamma, svm.Mean[svm.Best])

	// k-means has no labels: new points should be near their centers.
	clusters, err := crossval.Search(ctx, folds, crossval.Grid(kmeans.Options{Seed: 1},
		crossval.Vary(func(o *kmeans.Options, k int) { o.K = k }, 1, 2, 8)),
		func(ctx context.Context, train []int, o kmeans.Options) (*kmeans.Model, error) {
			return kmeans.Fit(ctx, classify.Rows(X, train), &o)
		},
		func(m *kmeans.Model, test []int) (float64, error) { return -m.Score(classify.Rows(X, test)), nil }, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("k-means: K %v\n", clusters.Options.K)
	// Output:
	// ridge: alpha 0.1
	// lasso: alpha 0.01
	// machine: C 0.1, gamma 0.5, accuracy 1.00
	// k-means: K 8
}
