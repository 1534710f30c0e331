package l2svm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// pointsOf returns the dimensions of X, which must be there.
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

// whole returns an error if a product with the points has a number that is NaN or infinite,
// which it has if a point has one: 0·NaN is NaN, and so is 0·∞.
func whole(a *design, V [][]float64) error {
	for _, v := range V {
		if i := finite.Index(v); i >= 0 {
			return a.broken()
		}
	}
	return nil
}

// broken says why a product with the points is not finite.
func (a *design) broken() error {
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

// checkWeights refuses weights of classes or points that are not numbers or do not fit.
func checkWeights(field string, w []float64, want int) error {
	if w == nil {
		return nil
	}
	if len(w) != want {
		return fmt.Errorf("%s has %d weights, want %d", field, len(w), want)
	}
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s[%d] is %v, must be finite and not negative", field, i, v)
		}
	}
	return nil
}

// pointWeights are the products of the weights of points and of their classes; nil if all
// are 1. A class without weight is an error.
func (o *Options) pointWeights(y []int, K int) ([]float64, error) {
	if err := checkWeights("ClassWeights", o.ClassWeights, K); err != nil {
		return nil, err
	}
	if err := checkWeights("SampleWeights", o.SampleWeights, len(y)); err != nil {
		return nil, err
	}
	if o.ClassWeights == nil && o.SampleWeights == nil {
		return nil, nil
	}
	s, of := make([]float64, len(y)), make([]float64, K)
	for i, k := range y {
		s[i] = 1
		if o.ClassWeights != nil {
			s[i] = o.ClassWeights[k]
		}
		if o.SampleWeights != nil {
			s[i] *= o.SampleWeights[i]
		}
		of[k] += s[i]
	}
	for k, w := range of {
		if w == 0 || math.IsInf(w, 0) {
			return nil, fmt.Errorf("the points of class %d weigh %v together", k, w)
		}
	}
	return s, nil
}

// matrixIsNil reports whether M is nil, also as a nil *mat.Dense.
func matrixIsNil(M mat.Matrix) bool {
	D, ok := M.(*mat.Dense)
	return M == nil || ok && D == nil
}
