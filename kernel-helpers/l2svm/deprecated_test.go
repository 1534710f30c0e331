package l2svm

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names do what the new ones do.
func TestDeprecated(t *testing.T) {
	ctx, X, y := t.Context(), Dense(mat.NewDense(6, 1, []float64{1, 2, 2.5, 3, 5, 7})), []int{0, 0, 1, 0, 1, 1}
	same := func(name string, was any, err error) func(any, error) {
		return func(is any, other error) {
			t.Helper()
			if err != nil || other != nil || !reflect.DeepEqual(was, is) {
				t.Errorf("%s: %v %v, by the new name %v %v", name, was, err, is, other)
			}
		}
	}
	a, err := Train(ctx, X, y, nil)
	b, other := Fit(ctx, X, y, nil)
	same("Train", a.W, err)(b.W, other)
	c, err := TrainPath(ctx, X, y, []float64{1}, nil)
	d, other := FitPath(ctx, X, y, []float64{1}, nil)
	same("TrainPath", c[0].W, err)(d[0].W, other)
	o := CurveOptions{PerClass: []int{2}, Cs: []float64{1}}
	e, err := LearningCurve(ctx, X, y, X, y, o)
	f, other := MeasureCurve(ctx, X, y, X, y, &o)
	same("LearningCurve", e, err)(f, other)
}
