package codecost

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestDeprecated checks that each deprecated name does what its replacement does.
func TestDeprecated(t *testing.T) {
	A := Fourier(4)
	X := mat.NewDense(4, 5, []float64{1, 2, 3, 4, 5, 2, 1, 0, 3, 1, 5, 4, 2, 1, 0, 1, 1, 3, 2, 2})
	S, o := Analyze(A, X), Options{Estimator: Kernel}
	values := S.RawRowView(0)
	pair := func(v any, err error) [2]any { return [2]any{v, err} }
	for name, c := range map[string][2]any{
		"Analyse":  {Analyse(A, X), S},
		"Quantise": {Quantise(values, 0.1), Quantize(values, 0.1)},
		"Entropy":  {pair(any2(Entropy(values, 0.1, o))), pair(any2(EstimateEntropy(values, 0.1, &o)))},
		"Measure":  {pair(any2(Measure(X, A, S, 0.1, o))), pair(any2(MeasureCost(X, A, S, 0.1, &o)))},
		"Curve":    {pair(any2(Curve(X, A, S, []float64{0.1, 0.2}, o))), pair(any2(MeasureCurve(X, A, S, []float64{0.1, 0.2}, &o)))},
	} {
		if !reflect.DeepEqual(c[0], c[1]) {
			t.Errorf("%s: %v, by the new name %v", name, c[0], c[1])
		}
	}
}

func any2[T any](v T, err error) (any, error) { return v, err }
