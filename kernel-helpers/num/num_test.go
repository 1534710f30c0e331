package num_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/num"
)

// TestShapes tries all pairs of shapes that numpy's rule allows, and refuses the others.
func TestShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	random := func(r, c int) *mat.Dense {
		M := mat.NewDense(r, c, nil)
		M.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, M)
		return M
	}
	sizes := []int{1, 2, 3}

	for _, ar := range sizes {
		for _, ac := range sizes {
			for _, br := range sizes {
				for _, bc := range sizes {
					A, B := random(ar, ac), random(br, bc)
					ok := (ar == br || ar == 1 || br == 1) && (ac == bc || ac == 1 || bc == 1)
					for name, op := range map[string]struct {
						f    func(A, B mat.Matrix) *mat.Dense
						want func(a, b float64) float64
					}{
						"Add": {num.Add, func(a, b float64) float64 { return a + b }}, "Sub": {num.Sub, func(a, b float64) float64 { return a - b }},
						"Mul": {num.Mul, func(a, b float64) float64 { return a * b }}, "Div": {num.Div, func(a, b float64) float64 { return a / b }},
					} {
						var C *mat.Dense
						fault := fmt.Sprint(panics.Value(func() { C = op.f(A, B) }))
						if !ok {
							if want := fmt.Sprintf("num: %s: A is %d×%d, B is %d×%d", name, ar, ac, br, bc); !strings.HasPrefix(fault, want) {
								t.Errorf("%q, want %q", fault, want)
							}
							continue
						}

						r, c := C.Dims()
						if r != max(ar, br) || c != max(ac, bc) {
							t.Fatalf("%s of %d×%d and %d×%d is %d×%d", name, ar, ac, br, bc, r, c)
						}
						for i := range r {
							for j := range c {
								if got, want := C.At(i, j), op.want(A.At(i%ar, j%ac), B.At(i%br, j%bc)); got != want {
									t.Fatalf("%s: element (%d, %d) is %v, want %v", name, i, j, got, want)
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestColumns compares with gonum's statistics.
func TestColumns(t *testing.T) {
	A := mat.NewDense(3, 2, []float64{1, 1e9 + 1, 2, 1e9 + 2, 4, 1e9 + 4})
	for j := range 2 {
		v := mat.Col(nil, j, A)
		if m, s := num.ColMeans(A)[j], num.ColSDs(A)[j]; m != stat.Mean(v, nil) || math.Abs(s-stat.PopStdDev(v, nil)) > 1e-7 {
			t.Errorf("column %d: %v, %v", j, m, s)
		}
	}
	if got := fmt.Sprint(num.RowSums(A.Slice(0, 3, 0, 1)), num.RowMeans(A.Slice(0, 3, 0, 1)), num.ColSums(A.Slice(0, 3, 0, 1))); got != "[1 2 4] [1 2 4] [7]" {
		t.Error(got)
	}
	Z := num.Div(num.Sub(A, num.Row(num.ColMeans(A))), num.Row(num.ColSDs(A)))
	for j, s := range num.ColSDs(Z) {
		if math.Abs(s-1) > 1e-7 {
			t.Errorf("column %d of the standardized matrix has the deviation %v", j, s)
		}
	}
	if got := num.Map(A, math.Sqrt).At(2, 0); got != 2 || A.At(2, 0) != 4 {
		t.Error(got)
	}
	if got := fmt.Sprint(num.Zip([]float64{1, 2}, []float64{3, 5}, math.Hypot), num.Apply([]float64{4, 9}, math.Sqrt)); got != "[3.1622776601683795 5.385164807134505] [2 3]" {
		t.Error(got)
	}
}

// TestFiniteRows compares with a sum, which is finite only if all its terms are.
func TestFiniteRows(t *testing.T) {
	A := mat.NewDense(6, 3, nil)
	for i, x := range []float64{1, math.NaN(), math.Inf(1), 2, math.Inf(-1), math.MaxFloat64} {
		A.Set(i, i%3, x)
	}
	var want []int
	for i, s := range num.RowSums(A) {
		if s-s == 0 {
			want = append(want, i)
		}
	}
	if got := num.FiniteRows(A); len(got) != 3 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestEmpty: an empty matrix has no mean.
func TestEmpty(t *testing.T) {
	for name, f := range map[string]func(A mat.Matrix) []float64{"ColMeans": num.ColMeans, "RowMeans": num.RowMeans, "ColSums": num.ColSums, "RowSums": num.RowSums, "ColSDs": num.ColSDs} {
		if s := fmt.Sprint(panics.Value(func() { f(&mat.Dense{}) })); s != "num: "+name+": A is 0×0: it is empty" {
			t.Error(s)
		}
	}
}
