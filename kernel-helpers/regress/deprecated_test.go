package regress

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	ctx, X, y := t.Context(), mat.NewDense(4, 2, []float64{1, 2, 3, 1, 5, 7, 2, 2}), []float64{1, 3, 2, 5}
	list := []float64{1, 0.1}
	same := func(name string, was any, err error) func(any, error) {
		return func(is any, other error) {
			t.Helper()
			if err != nil || other != nil || !reflect.DeepEqual(was, is) {
				t.Errorf("%s: %v %v, by the new name %v %v", name, was, err, is, other)
			}
		}
	}
	a, err := TrainRidge(X, y, 1)
	b, other := FitRidge(ctx, X, y, 1)
	same("TrainRidge", a, err)(b, other)
	c, err := RidgePath(X, y, list)
	d, other := FitRidgePath(ctx, X, y, list)
	same("RidgePath", c, err)(d, other)
	e, err := TrainLasso(ctx, X, y, 0.1, nil)
	f, other := FitLasso(ctx, X, y, 0.1, nil)
	same("TrainLasso", e, err)(f, other)
	g, err := LassoPath(ctx, X, y, list, nil)
	h, other := FitLassoPath(ctx, X, y, list, nil)
	same("LassoPath", g, err)(h, other)
}
