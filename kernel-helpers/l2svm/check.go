package l2svm

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// pointsOf returns the dimensions of X. It panics if X is nil.
func pointsOf(fn string, X Points) (n, d int) {
	if X == nil {
		panic(fmt.Sprintf("l2svm: %s: X is nil", fn))
	}
	return X.Dims()
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// checkFinite returns an error if an element of V, the products with the points, is NaN or infinite. This
// detects a NaN or infinite element of any point, because 0·NaN and 0·∞ are NaN.
func checkFinite(a *design, V [][]float64) error {
	for _, v := range V {
		if i := finite.Index(v); i >= 0 {
			return a.nonFiniteError()
		}
	}
	return nil
}

// nonFiniteError returns an error that says why a product with the points is not finite.
func (a *design) nonFiniteError() error {
	_, d := a.X.Dims()
	var found [lanes]error
	err := stream(a.ctx, a.X, func(lane int, x []float32, from, to int) {
		if k := finite.Index(x); k >= 0 && found[lane] == nil {
			found[lane] = fmt.Errorf("feature %d of point %d is %v as float32", k%d, from+k/d, x[k])
		}
	})
	if err != nil {
		return err
	}
	for _, f := range found {
		if f != nil {
			return f
		}
	}
	return fmt.Errorf("the points' scores leave the range of numbers: scale the features, or choose a smaller C")
}

// matrixIsNil reports whether M is nil or a nil *mat.Dense.
func matrixIsNil(M mat.Matrix) bool {
	D, ok := M.(*mat.Dense)
	return M == nil || ok && D == nil
}
