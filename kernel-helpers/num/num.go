// Package num adds, subtracts, multiplies and divides matrices element by element. If one argument has a single row,
// this row is combined with every row of the other argument, and likewise for columns, as numpy broadcasts arrays:
//
//	C := num.Sub(X, num.Row(num.ColMeans(X)))  // n×d − 1×d: each column minus its mean
//	P := num.Div(K, num.Column(num.RowSums(K))) // n×n / n×1: each row divided by its sum
//	Y := num.Map(X, math.Sqrt)
//	Z := num.Mul(X, num.Scalar(2))
//
// Results are new matrices; arguments are never changed. For slices, gonum's package floats has the same operations in
// place; Apply and Zip return new slices. An operation on NaN, which stands for a missing value, gives NaN. For the
// product of matrices use gonum's Mul.
package num

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
)

// Row returns v as a matrix with one row. It shares v's memory.
func Row(v []float64) *mat.Dense { return mat.NewDense(1, mustHave("Row", v), v) }

// Column returns v as a matrix with one column. It shares v's memory.
func Column(v []float64) *mat.Dense { return mat.NewDense(mustHave("Column", v), 1, v) }

// Scalar returns x as a 1×1 matrix.
func Scalar(x float64) *mat.Dense { return mat.NewDense(1, 1, []float64{x}) }

// mustHold panics if A is nil or empty.
func mustHold(fn string, A mat.Matrix) {
	given.Args("num: "+fn, "A", A)
	if r, c := A.Dims(); r == 0 || c == 0 {
		panic(fmt.Sprintf("num: %s: A is %d×%d: it is empty", fn, r, c))
	}
}

func mustHave(fn string, v []float64) int {
	if len(v) == 0 {
		panic(fmt.Sprintf("num: %s: the slice is empty", fn))
	}
	return len(v)
}

// Add returns A + B.
func Add(A, B mat.Matrix) *mat.Dense {
	return combine("Add", A, B, func(a, b float64) float64 { return a + b })
}

// Sub returns A − B.
func Sub(A, B mat.Matrix) *mat.Dense {
	return combine("Sub", A, B, func(a, b float64) float64 { return a - b })
}

// Mul returns the product of A and B element by element.
func Mul(A, B mat.Matrix) *mat.Dense {
	return combine("Mul", A, B, func(a, b float64) float64 { return a * b })
}

// Div returns A/B element by element. Division by 0 gives Inf or NaN, as for numbers.
func Div(A, B mat.Matrix) *mat.Dense {
	return combine("Div", A, B, func(a, b float64) float64 { return a / b })
}

// combine returns f(a, b) for the elements a of A and b of B. If A or B has a single row or column, this row or column
// is repeated to the size of the other matrix.
func combine(fn string, A, B mat.Matrix, f func(a, b float64) float64) *mat.Dense {
	given.Args("num: "+fn, "A", A, "B", B)
	ar, ac := A.Dims()
	br, bc := B.Dims()
	n, rows := common(ar, br)
	m, columns := common(ac, bc)
	if !rows || !columns {
		panic(fmt.Sprintf("num: %s: A is %d×%d, B is %d×%d: rows and columns must be as many, or one", fn, ar, ac, br, bc))
	}
	if ar*ac < n*m && br*bc < n*m {
		if err := ram.Check(fmt.Sprintf("the result (%d×%d)", n, m), 8*float64(n)*float64(m)); err != nil {
			panic(fmt.Sprintf("num: %s: %v", fn, err))
		}
	}
	out := mat.NewDense(n, m, nil)
	for i := range n {
		row := out.RawRowView(i)
		for j := range row {
			row[j] = f(A.At(min(i, ar-1), min(j, ac-1)), B.At(min(i, br-1), min(j, bc-1)))
		}
	}
	return out
}

// common returns the size of a result in one dimension, given the sizes a and b of its arguments. It returns false if
// a size is 0, or if the sizes differ and neither is 1.
func common(a, b int) (n int, ok bool) {
	if a == 0 || b == 0 {
		return 0, false
	}
	return max(a, b), a == b || a == 1 || b == 1
}

// Map returns a matrix of f(x) for the elements x of A.
func Map(A mat.Matrix, f func(x float64) float64) *mat.Dense {
	mustHold("Map", A)
	given.Args("num: Map", "f", f)
	out := mat.DenseCopyOf(A)
	out.Apply(func(_, _ int, x float64) float64 { return f(x) }, out)
	return out
}

// Apply returns a slice of f(x) for the elements x of v.
func Apply(v []float64, f func(x float64) float64) []float64 {
	given.Args("num: Apply", "f", f)
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = f(x)
	}
	return out
}

// Zip returns a slice of f(v[i], w[i]). v and w must have the same length.
func Zip(v, w []float64, f func(x, y float64) float64) []float64 {
	given.Args("num: Zip", "f", f)
	if len(v) != len(w) {
		panic(fmt.Sprintf("num: Zip: v has %d values, w has %d", len(v), len(w)))
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = f(x, w[i])
	}
	return out
}

// ColSums returns the sum of each column of A (n×d), d numbers.
func ColSums(A mat.Matrix) []float64 {
	mustHold("ColSums", A)
	n, d := A.Dims()
	sums := make([]float64, d)
	for i := range n {
		for j := range sums {
			sums[j] += A.At(i, j)
		}
	}
	return sums
}

// RowSums returns the sum of each row of A (n×d), n numbers.
func RowSums(A mat.Matrix) []float64 {
	mustHold("RowSums", A)
	return ColSums(A.T())
}

// ColMeans returns the mean of each column of A (n×d), d numbers.
func ColMeans(A mat.Matrix) []float64 {
	mustHold("ColMeans", A)
	n, _ := A.Dims()
	return Apply(ColSums(A), func(s float64) float64 { return s / float64(n) })
}

// RowMeans returns the mean of each row of A (n×d), n numbers.
func RowMeans(A mat.Matrix) []float64 {
	mustHold("RowMeans", A)
	return ColMeans(A.T())
}

// ColSDs returns the standard deviation of each column of A (n×d), with n in the denominator, as in numpy's std. It is
// computed from the deviations from the mean.
func ColSDs(A mat.Matrix) []float64 {
	mustHold("ColSDs", A)
	C := Sub(A, Row(ColMeans(A)))
	return Apply(ColMeans(Mul(C, C)), math.Sqrt)
}

// FiniteRows returns the indices of the rows of A (n×d) that contain neither NaN nor Inf, in ascending order. Functions
// that fit models refuse the other rows; classify.Rows(A, FiniteRows(A)) leaves them out.
func FiniteRows(A mat.Matrix) []int {
	mustHold("FiniteRows", A)
	D := finite.AsDense(A)
	var rows []int
	for i := range D.RawMatrix().Rows {
		if finite.Index(D.RawRowView(i)) < 0 {
			rows = append(rows, i)
		}
	}
	return rows
}
