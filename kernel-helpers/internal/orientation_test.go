package internal_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/taskdict"
	"overcomplete/kernel-helpers/unrolled"
)

// If signals are in rows where columns are wanted, they are refused, and the message asks whether the matrix is
// transposed.
func TestOrientation(t *testing.T) {
	ctx := context.Background()
	B, X := mat.NewDense(2, 3, []float64{1, 0, 1, 0, 1, 1}), mat.NewDense(5, 2, nil)
	coding := &klcoding.Options{Lambda: 0.1, P: 0.01}
	for name, f := range map[string]func(){
		"klcoding": func() {
			c, err := klcoding.New(B, coding)
			must(t, err)
			c.Code(ctx, X)
		},
		"pursuit: Lasso":             func() { pursuit.Lasso(ctx, B, X, 0.1, nil) },
		"pursuit: FISTA":             func() { pursuit.FISTA(ctx, B, X, 0.1, nil) },
		"pursuit: GradientDescent":   func() { pursuit.GradientDescent(ctx, B, X, 0.1, nil) },
		"pursuit: BasisPursuitBatch": func() { pursuit.BasisPursuitBatch(ctx, B, X, nil) },
		"sparseapprox":               func() { sparseapprox.Solve(ctx, B, X, &sparseapprox.Options{Lambda: 0.1}) },
		"taskdict: Fit": func() {
			taskdict.Fit(ctx, B, X, taskdict.NewLinear(make([]float64, 5), make([]float64, 3), 0, 0.1), &taskdict.Options{Coding: *coding})
		},
		"unrolled: Transform": func() { unrolled.New(B, 0.1, 2).Transform(X) },
		"unrolled: Fit":       func() { unrolled.Fit(ctx, unrolled.New(B, 0.1, 2), X, mat.NewDense(3, 5, nil), nil) },
	} {
		said := fmt.Sprint(panics.Value(f))
		if !strings.HasPrefix(said, name) || !strings.Contains(said, "X is 5×2, a signal per COLUMN") || !strings.HasSuffix(said, ": want 2×5, is X transposed?") {
			t.Errorf("%s: %s", name, said)
		}
	}
}
