package subset

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestRows(t *testing.T) {
	X := mat.NewDense(3, 4, []float64{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23})
	idx := []int{2, 0, 2}
	for name, m := range map[string]mat.Matrix{
		"dense":            X,
		"part of a matrix": X.Slice(0, 3, 1, 3),
		"transpose":        X.T(),
		"diagonal":         mat.NewDiagDense(3, []float64{5, 6, 7}),
	} {
		got := Rows(m, idx)
		n, d := got.Dims()
		if _, want := m.Dims(); n != 3 || d != want {
			t.Fatalf("%s: %d×%d", name, n, d)
		}
		for r, i := range idx {
			for j := range d {
				if got.At(r, j) != m.At(i, j) {
					t.Errorf("%s: row %d is %v", name, r, got.RawRowView(r))
				}
			}
		}
	}
	Rows(X, idx).Set(0, 0, -1)
	if X.At(2, 0) != 20 {
		t.Error("Rows gave no copy")
	}
}

func TestValuesAndOthers(t *testing.T) {
	if got := Values([]string{"a", "b", "c"}, []int{2, 0, 2}); !slices.Equal(got, []string{"c", "a", "c"}) {
		t.Error(got)
	}
	if got := Others([][]int{{1, 4}, {0, 5}, {2, 3}}, 1); !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Error(got)
	}
}
