package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	patient "overcomplete/internal/patience"
	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/crossval"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/kernel/notebook"
)

// TestGridSearch: in cells, crossval finds the same options as in compiled code, although its functions and types have
// type parameters. The options are of a type of the library or of a type that the cell declares. A later cell uses the
// result.
func TestGridSearch(t *testing.T) {
	patient.SkipShort(t, "it runs a notebook")
	cells := []string{`
import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/crossval"
	"overcomplete/kernel-helpers/regress"
)

const n = 120
rng := rand.New(rand.NewPCG(1, 1))
X, values, labels := mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n)
for i := range n {
	labels[i] = i % 2
	radius, angle := float64(1+2*labels[i])+0.2*rng.NormFloat64(), 2*math.Pi*rng.Float64()
	X.SetRow(i, []float64{radius * math.Cos(angle), radius * math.Sin(angle)})
	values[i] = X.At(i, 0) - 2*X.At(i, 1) + rng.NormFloat64()
}
folds := crossval.Stratified(labels, 5, 1)`, `
grid := crossval.Grid(classify.RBFSVMOptions{},
	crossval.Vary(func(o *classify.RBFSVMOptions, v float64) { o.C = v }, 0.1, 10),
	crossval.Vary(func(o *classify.RBFSVMOptions, v float64) { o.Gamma = v }, 0.5, 500))
found, err := crossval.Search(context.Background(), folds, grid,
	func(ctx context.Context, train []int, o classify.RBFSVMOptions) (*classify.RBFSVM, error) {
		return classify.FitRBFSVM(ctx, classify.Rows(X, train), classify.Labels(labels, train), &o)
	},
	func(m *classify.RBFSVM, test []int) (float64, error) {
		return classify.Accuracy(m.Predict(classify.Rows(X, test)), classify.Labels(labels, test)), nil
	}, nil)`, `
fmt.Println(err, found.Options.C, found.Options.Gamma, found.Best, found.Mean, found.Scores[3][2], len(found.Model.Predict(X)))`, `
type lassoOptions struct {
	alpha float64
	regress.LassoOptions
}
of := func(idx []int) (*mat.Dense, []float64) {
	var y []float64
	for _, i := range idx {
		y = append(y, values[i])
	}
	return classify.Rows(X, idx), y
}
lasso, err := crossval.Search(context.Background(), folds, crossval.Grid(lassoOptions{},
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
fmt.Println(err, lasso.Options.alpha, lasso.Options.L1Ratio, lasso.Mean)`, `
wrong := errors.New("a mistake in the cell")
_, err = crossval.Search(context.Background(), folds, []int{1, 2},
	func(ctx context.Context, train []int, k int) (int, error) { return k, wrong },
	func(m int, test []int) (float64, error) { return 0, nil }, nil)
fmt.Println(errors.Is(err, wrong), err)`}
	nb := &notebook.Notebook{Metadata: goMetadata()}
	for _, c := range cells {
		nb.Cells = append(nb.Cells, notebook.NewCode(strings.TrimPrefix(c, "\n")))
	}
	dir := t.TempDir()
	if err := nb.Write(filepath.Join(dir, "grid.ipynb")); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := output(t, dir, "run", "--inplace", "grid.ipynb"); code != 0 {
		t.Fatal(out, errs)
	}
	ran, err := notebook.Read(filepath.Join(dir, "grid.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	printed := make([]string, len(cells))
	for i, c := range ran.Cells {
		printed[i] = textOf(c)
	}

	const n = 120
	rng := rand.New(rand.NewPCG(1, 1))
	X, values, labels := mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n)
	for i := range n {
		labels[i] = i % 2
		radius, angle := float64(1+2*labels[i])+0.2*rng.NormFloat64(), 2*math.Pi*rng.Float64()
		X.SetRow(i, []float64{radius * math.Cos(angle), radius * math.Sin(angle)})
		values[i] = X.At(i, 0) - 2*X.At(i, 1) + rng.NormFloat64()
	}
	folds := crossval.Stratified(labels, 5, 1)
	found, err := crossval.Search(t.Context(), folds, crossval.Grid(classify.RBFSVMOptions{},
		crossval.Vary(func(o *classify.RBFSVMOptions, v float64) { o.C = v }, 0.1, 10),
		crossval.Vary(func(o *classify.RBFSVMOptions, v float64) { o.Gamma = v }, 0.5, 500)),
		func(ctx context.Context, train []int, o classify.RBFSVMOptions) (*classify.RBFSVM, error) {
			return classify.FitRBFSVM(ctx, classify.Rows(X, train), classify.Labels(labels, train), &o)
		},
		func(m *classify.RBFSVM, test []int) (float64, error) {
			return classify.Accuracy(m.Predict(classify.Rows(X, test)), classify.Labels(labels, test)), nil
		}, nil)
	if want := fmt.Sprintln(err, found.Options.C, found.Options.Gamma, found.Best, found.Mean, found.Scores[3][2], n); printed[2] != want {
		t.Errorf("the machine: %q, want %q", printed[2], want)
	}
	type lassoOptions struct {
		alpha float64
		regress.LassoOptions
	}
	of := func(idx []int) (*mat.Dense, []float64) {
		var y []float64
		for _, i := range idx {
			y = append(y, values[i])
		}
		return classify.Rows(X, idx), y
	}
	lasso, err := crossval.Search(t.Context(), folds, crossval.Grid(lassoOptions{},
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
	if want := fmt.Sprintln(err, lasso.Options.alpha, lasso.Options.L1Ratio, lasso.Mean); printed[3] != want {
		t.Errorf("the lasso: %q, want %q", printed[3], want)
	}
	if want := "true crossval: candidate 0, fold 0: a mistake in the cell\n"; printed[4] != want {
		t.Errorf("the mistake: %q, want %q", printed[4], want)
	}
}
