package kmeans

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The old names, and options that are not pointers, do what the new ones do.
func TestDeprecated(t *testing.T) {
	X := mat.NewDense(5, 1, []float64{1, 2, 10, 11, 12})
	first := mat.NewDense(2, 1, []float64{1, 2})
	var was *Result
	was, err := Fit(t.Context(), X, Options{K: 2, Centres: first})
	if err != nil {
		t.Fatal(err)
	}
	is, err := Fit(t.Context(), X, &Options{K: 2, Centers: first})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(was, is) || was.Centres != was.Centers {
		t.Errorf("%+v, by the new names %+v", was, is)
	}
	if a, b := NormalisedInformation(was.Labels, []int{0, 0, 1, 1, 0}), NormalizedInformation(was.Labels, []int{0, 0, 1, 1, 0}); a != b {
		t.Errorf("NormalisedInformation is %v, NormalizedInformation %v", a, b)
	}
	var none *Options
	for _, o := range []Optional{nil, none} {
		if _, err := Fit(t.Context(), X, o); err == nil {
			t.Error("Fit without K")
		}
	}
}
