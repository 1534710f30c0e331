package alike

import (
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

func TestCompare(t *testing.T) {
	type pair struct {
		A *mat.Dense
		N int
	}
	dense := func(r, c int, x ...float64) *mat.Dense { return mat.NewDense(r, c, x) }
	var none *mat.Dense
	loop := []any{nil}
	loop[0] = loop
	for _, c := range []struct {
		name      string
		got, want any
		tol       float64
		right     bool
		where     string // location of the largest difference
		reason    string
	}{
		{"equal", 1.5, 1.5, 0, true, "", ""},
		{"int and float", 2, 2.0, 0, true, "", ""},
		{"relative", 1e9 + 0.1, 1e9, 0, true, "", ""},
		{"small ones count", 1e-12, 2e-12, 0, false, "", ""},
		{"a tolerance", 1.01, 1.0, 0.02, true, "", ""},
		{"relative to the largest", []float64{1e6, 1e-5}, []float64{1e6, 0}, 0, true, "[1]", ""},
		{"wanted 0", 1e-10, 0.0, 0, true, "", ""},
		{"index", []float64{1, 2, 4}, []float64{1, 2, 3}, 0, false, "[2]", ""},
		{"NaN is never close", math.NaN(), math.NaN(), 10, false, "", ""},
		{"NaN hides nothing", []float64{math.NaN(), 5}, []float64{1, 5}, 10, false, "[0]", ""},
		{"infinity", math.Inf(1), math.Inf(1), 0, true, "", ""},
		{"other infinity", math.Inf(-1), math.Inf(1), 0, false, "", ""},
		{"infinity for a number", []float64{math.Inf(1)}, []float64{1}, 0, false, "[0]", ""},
		{"complex", 1 + 2i, 1 + 2.5i, 0, false, "", ""},
		{"complex matrix", mat.NewCDense(1, 2, []complex128{1, 2i}), mat.NewCDense(1, 2, []complex128{1, 2i}), 0, true, "", ""},
		{"matrix", dense(2, 2, 1, 2, 3, 5), dense(2, 2, 1, 2, 3, 4), 0, false, "[1][1]", ""},
		{"rows of a matrix", [][]float64{{1, 2}, {3, 4}}, dense(2, 2, 1, 2, 3, 4), 0, true, "", ""},
		{"symmetric", mat.NewSymDense(1, []float64{2}), dense(1, 1, 2), 0, true, "", ""},
		{"vector", mat.NewVecDense(2, []float64{1, 2}), []float64{1, 2}, 0, true, "", ""},
		{"column for a vector", dense(2, 1, 1, 2), mat.NewVecDense(2, []float64{1, 2}), 0, false, "", "2×1 numbers, wanted is a list of 2 numbers"},
		{"transposed", dense(2, 3, make([]float64, 6)...), dense(3, 2, make([]float64, 6)...), 0, false, "", "2×3 numbers, wanted is 3×2"},
		{"too short", []float64{1}, []float64{1, 2}, 0, false, "", "a list of one number, wanted is a list of 2 numbers"},
		{"nil matrix", none, dense(1, 1, 0), 0, false, "", "nothing (nil)"},
		{"nil", nil, 1, 0, false, "", "nothing (nil)"},
		{"ragged", [][]float64{{1}, {1, 2}}, [][]float64{{1}, {1, 3}}, 0, false, "[1][1]", ""},
		{"text", "a", "b", 5, false, "", ""},
		{"truth", true, true, 0, true, "", ""},
		{"struct", pair{dense(1, 1, 1), 2}, pair{dense(1, 1, 1), 3}, 0, false, ".N", ""},
		{"pointer to a struct", &pair{dense(1, 2, 1, 2), 2}, &pair{dense(1, 2, 1, 7), 2}, 0, false, ".A[0][1]", ""},
		{"a matrix, not its pointer", *dense(1, 2, 1, 2), *dense(1, 2, 1, 3), 0, false, "[0][1]", ""},
		{"a matrix by value and a pointer", *dense(1, 2, 1, 2), dense(1, 2, 1, 2), 0, true, "", ""},
		{"nothing to see", time.Time{}, time.Unix(1, 0), 0, false, "", "cannot be compared"},
		{"a map", map[int]int{}, 1, 0, false, "", "cannot be compared"},
		{"a list in itself", loop, 1, 0, false, "", "nested"},
		{"empty", []float64{}, []float64(nil), 0, true, "", ""},
		{"empty for a matrix", []float64{}, dense(1, 1, 0), 0, false, "", "the shape is wrong"},
	} {
		d := Compare(c.got, c.want, c.tol)
		if d.Right != c.right || d.Where != c.where || !strings.Contains(d.Reason, c.reason) || (d.Reason == "") != (c.reason == "") {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}

func TestBlank(t *testing.T) {
	type pair struct {
		A *mat.Dense
		B string
	}
	for _, c := range []struct {
		v    any
		want bool
	}{
		{nil, true}, {0, true}, {math.NaN(), true}, {false, true}, {"", true}, {[]float64(nil), true}, {[]float64{0, math.NaN()}, true},
		{mat.NewDense(2, 2, nil), true}, {pair{A: mat.NewDense(1, 2, nil)}, true}, {[][]int{{0}, {}}, true},
		{1, false}, {true, false}, {"a", false}, {[]float64{0, 1}, false}, {math.Inf(1), false}, {pair{B: "b"}, false},
		{pair{A: mat.NewDense(1, 2, []float64{0, 1})}, false}, {[][]int{{0}, {2}}, false}, {func() {}, false},
	} {
		if got := Blank(c.v); got != c.want {
			t.Errorf("%v: %v", c.v, got)
		}
	}
}
