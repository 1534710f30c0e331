package ixengine

import (
	"fmt"
	"strings"
	"testing"

	"overcomplete/kernel/engine"
)

// TestMatrixMethods: the elements of matrices and vectors, and gonum's errors, are the same at each level, for
// views and transposed strides too.
func TestMatrixMethods(t *testing.T) {
	const declare = `import "gonum.org/v1/gonum/mat"
x := mat.NewDense(4, 5, nil)
view := x.Slice(1, 3, 2, 4).(*mat.Dense)
v := mat.NewVecDense(5, []float64{1, 2, 3, 4, 5})
column := x.ColView(1).(*mat.VecDense)
none, noVec, empty := (*mat.Dense)(nil), (*mat.VecDense)(nil), &mat.Dense{}
func fill(x *mat.Dense) (sum float64) {
	r, c := x.Dims()
	for i := range r { for j := range c { x.Set(i, j, float64(10*i+j)) } }
	for i := range r { for j := range c { sum += x.At(i, j) * float64(i-j) } }
	for i := range r { row := x.RawRowView(i); for j := range row { row[j]++; sum += row[j] }; sum += float64(len(row) + cap(row)) }
	return sum
}
func vec(v *mat.VecDense) (sum float64) {
	for i := range v.Len() { v.SetVec(i, v.AtVec(i)*2) }
	for i := range v.Len() { sum += v.AtVec(i) }
	return sum
}
func at(x *mat.Dense, i, j int) float64 { return x.At(i, j) }
func set(x *mat.Dense, i, j int) { x.Set(i, j, 7) }
func row(x *mat.Dense, i int) []float64 { return x.RawRowView(i) }
func atVec(v *mat.VecDense, i int) float64 { return v.AtVec(i) }
func setVec(v *mat.VecDense, i int) { v.SetVec(i, 1) }
func dims(x *mat.Dense) (int, int) { return x.Dims() }`
	sources := []string{"fill(x)", "fill(view)", "x.RawMatrix().Data", "vec(v)", "vec(column)", "v.RawVector().Data", "x.RawMatrix().Data",
		"at(x, 3, 4)", "at(x, 4, 0)", "at(x, 0, 5)", "at(x, -1, 0)", "at(x, 0, -1)", "at(view, 1, 1)", "at(view, 2, 0)", "at(view, 0, 2)", "at(none, 0, 0)", "at(empty, 0, 0)",
		"set(x, 4, 0)", "set(view, 0, 2)", "set(none, 0, 0)", "row(x, 4)", "row(x, -1)", "row(view, 1)", "cap(row(view, 1))", "row(none, 0)", "row(empty, 0)",
		"atVec(v, 5)", "atVec(column, 4)", "atVec(v, -1)", "atVec(noVec, 0)", "setVec(v, 5)", "setVec(noVec, 0)", "dims(none)", "dims(view)", "x.RawMatrix().Data"}
	var oracle []string
	for i, level := range Levels {
		restore := level.Force()
		s := fresh(t, Options{})
		run(t, s, declare)
		for k, src := range sources {
			got := ""
			for range 2 {
				values, err := s.Run(t.Context(), engine.Cell{Name: "c", Source: src})
				got = fmt.Sprint(values, " ", err)
			}
			if i == 0 {
				oracle = append(oracle, got)
				if strings.Contains(src, "none") && !strings.Contains(got, "nil pointer") {
					t.Errorf("%s: %s", src, got)
				}
			} else if got != oracle[k] {
				t.Errorf("%s, %s: %s, the interpreter alone %s", level.Name, src, got, oracle[k])
			}
		}
		restore()
	}
}
