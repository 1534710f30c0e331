package lab

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestPictures(t *testing.T) {
	X := mat.NewDense(2, 8, []float64{1, 3, 5, 7, 1, 3, 5, 7, 0, 0, 0, 4, 0, 0, 4, 0}) // 2 × 4
	if got := Shrink(X, 2, 4, 2); !mat.Equal(got, mat.NewDense(2, 2, []float64{2, 6, 0, 2})) {
		t.Errorf("got %v", mat.Formatted(got))
	}
	one := First(X, 1)
	if !mat.Equal(one, X.Slice(0, 1, 0, 8)) || !mat.Equal(First(X, 3), X) {
		t.Errorf("got %v", mat.Formatted(one))
	}
	one.Set(0, 0, 9)
	if X.At(0, 0) != 1 {
		t.Error("First is no copy")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for blocks that do not fit")
		}
	}()
	Shrink(X, 2, 4, 3)
}
