package csr

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
)

var (
	_ mat.NonZeroDoer    = (*Matrix)(nil)
	_ mat.RowNonZeroDoer = (*Matrix)(nil)
)

// random returns a matrix with the given share of nonzeros.
func random(n, d int, share float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	A := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			if rng.Float64() < share {
				A.Set(i, j, rng.NormFloat64())
			}
		}
	}
	return A
}

// TestOf compares all methods of a Matrix with the dense matrix.
func TestOf(t *testing.T) {
	for _, A := range []*mat.Dense{random(1, 1, 1, 1), random(7, 5, 0.3, 2), random(5, 90, 0.05, 3), random(150, 4, 0.5, 4), mat.NewDense(3, 4, nil)} {
		n, d := A.Dims()
		S := Of(A)
		if !mat.Equal(S, A) || !mat.Equal(S.Dense(), A) || !mat.Equal(S.T(), A.T()) || !mat.Equal(S.T().T(), A) {
			t.Fatalf("%d×%d: other elements", n, d)
		}
		if T := S.Transpose(); Of(S) != S || S.Transpose() != T || S.Transpose().Transpose() != S {
			t.Error("a copy where none is needed")
		}
		if !mat.Equal(Of(A.T()), A.T()) || !mat.Equal(Of(stranger{S}), A) {
			t.Error("other elements of a transpose, or by DoNonZero")
		}
		ptr, col, val := S.Raw()
		columns := make([]int, len(col))
		for p, j := range col {
			columns[p] = int(j)
		}
		if again, err := New(n, d, ptr, columns, val); err != nil || !mat.Equal(again, A) || again.NNZ() != S.NNZ() {
			t.Error("New", err)
		}
		idx := []int{n - 1, 0, n - 1}
		R := S.Rows(idx)
		for r, i := range idx {
			if !slices.Equal(mat.Row(nil, r, R), A.RawRowView(i)) {
				t.Errorf("Rows: row %d", r)
			}
		}
		if C := S.Columns([]int{d - 1}); !slices.Equal(mat.Col(nil, 0, C), mat.Col(nil, d-1, A)) {
			t.Error("Columns")
		}
		for j, m := range S.Means() {
			if math.Abs(m-mat.Sum(A.ColView(j))/float64(n)) > 1e-15 {
				t.Errorf("mean of column %d", j)
			}
		}
		B, C := random(d, 3, 1, 9), random(n, 2, 1, 10)
		var AB, AC mat.Dense
		AB.Mul(A, B)
		AC.Mul(A.T(), C)
		if !mat.EqualApprox(S.Mul(B), &AB, 1e-13) || !mat.EqualApprox(S.MulT(C), &AC, 1e-13) {
			t.Errorf("%d×%d: products", n, d)
		}
	}
}

// A stranger stands for a sparse matrix type of another library.
type stranger struct{ *Matrix }

func (stranger) At(i, j int) float64 { panic("asked for an element") }

func TestTriplets(t *testing.T) {
	s, err := FromTriplets(3, 4, []int{2, 0, 0, 0, 1, 1}, []int{0, 3, 1, 3, 2, 2}, []float64{7, 2, 5, 4, 1, -1})
	want := mat.NewDense(3, 4, []float64{0, 5, 0, 6, 0, 0, 0, 0, 7, 0, 0, 0})
	if err != nil || !mat.Equal(s, want) || s.NNZ() != 3 {
		t.Errorf("%v, %v", s, err)
	}
	if c, v := s.Row(0); !slices.Equal(c, []int{1, 3}) || !slices.Equal(v, []float64{5, 6}) {
		t.Errorf("row 0: %v %v", c, v)
	}
}

func TestFind(t *testing.T) {
	A := random(6, 9, 0.4, 5)
	if i, j := Of(A).Find(); i != -1 || j != -1 {
		t.Errorf("found %d, %d", i, j)
	}
	for _, at := range [][2]int{{0, 0}, {0, 8}, {3, 4}, {5, 8}} {
		B := mat.DenseCopyOf(A)
		B.Set(at[0], at[1], math.Inf(-1))
		B.Set(5, 8, math.NaN())
		if i, j := Of(B).Find(); i != at[0] || j != at[1] {
			t.Errorf("found %d, %d, want %v", i, j, at)
		}
	}
	empty, _ := New(3, 2, []int{0, 0, 0, 1}, []int{1}, []float64{math.NaN()})
	if i, j := empty.Find(); i != 2 || j != 1 {
		t.Errorf("found %d, %d after empty rows", i, j)
	}
}

// TestRefused checks that invalid arguments are refused with a message of this package.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		n, d     int
		ptr, col []int
		val      []float64
	}{
		{0, 4, []int{0}, nil, nil},
		{3, 4, []int{0, 2, 2}, []int{1, 3}, []float64{1, 2}},
		{2, 4, []int{0, 2, 2}, []int{3, 1}, []float64{1, 2}},
		{2, 4, []int{0, 2, 2}, []int{1, 4}, []float64{1, 2}},
		{2, 4, []int{0, 3, 2}, []int{1, 2}, []float64{1, 2}},
		{2, 4, []int{0, -1, 2}, []int{1, 2}, []float64{1, 2}},
	} {
		if _, err := New(c.n, c.d, c.ptr, c.col, c.val); err == nil || !strings.HasPrefix(err.Error(), "csr: New: ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := FromTriplets(2, 2, []int{0, 2}, []int{0, 0}, []float64{1, 1}); err == nil || !strings.HasPrefix(err.Error(), "csr: FromTriplets: ") {
		t.Error(err)
	}
	S := Of(mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
	var nilDense *mat.Dense
	var nilMatrix *Matrix
	for name, f := range map[string]func(){
		"nil": func() { Of(nil) }, "nil Dense": func() { Of(nilDense) }, "nil Matrix": func() { Of(nilMatrix) }, "empty": func() { Of(&mat.Dense{}) },
		"At": func() { S.At(0, 2) }, "Row": func() { S.Row(2) }, "Rows": func() { S.Rows(nil) }, "Columns": func() { S.Columns([]int{1, 0}) },
		"Mul": func() { S.Mul(mat.NewDense(3, 1, nil)) }, "MulT": func() { S.MulT(mat.NewDense(3, 1, nil)) },
	} {
		if m, _ := panics.Value(f).(string); !strings.HasPrefix(m, "csr: ") {
			t.Errorf("%s: %q", name, m)
		}
	}
}

// TestMoments compares Moments with the definition, for a column without zeros, a column with some zeros, an
// all-zero column and a constant column.
func TestMoments(t *testing.T) {
	X := mat.NewDense(7, 4, nil)
	for i := range 7 {
		X.Set(i, 0, 5+float64(i*i)/3)
		X.Set(i, 1, float64(i%3)*0.7)
		X.Set(i, 3, 0.1)
	}
	mean, squares, farthest := Of(X).Moments()
	most := 0.0
	for j := range 4 {
		col := mat.Col(nil, j, X)
		m := floats.Sum(col) / 7
		s := 0.0
		for _, x := range col {
			s += (x - m) * (x - m)
			most = max(most, math.Abs(x-m))
		}
		if math.Abs(mean[j]-m) > 1e-15*m || math.Abs(squares[j]-s) > 1e-14*max(s, 1e-17) {
			t.Errorf("column %d: mean %v and squares %v, want %v and %v", j, mean[j], squares[j], m, s)
		}
	}
	if mean[3] != 0.1 || squares[3] != 0 || math.Abs(farthest-most) > 1e-14 {
		t.Errorf("a constant column has the mean %v and squares %v; the farthest is %v, want %v", mean[3], squares[3], farthest, most)
	}
}
