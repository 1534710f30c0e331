package implicit_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/implicit"
)

// A support is the Condition of a lasso restricted to its active columns: F = A'(As − x) + λ sign(s), where A
// (m×k) is the matrix of these columns and θ = x.
type support struct{ A *mat.Dense }

func (c support) Dims() (int, int) { m, k := c.A.Dims(); return k, m }

func (c support) SolJVP(dst, v []float64) {
	var z mat.VecDense
	z.MulVec(c.A, mat.NewVecDense(len(v), v))
	mat.NewVecDense(len(dst), dst).MulVec(c.A.T(), &z)
}

func (c support) SolVJP(dst, v []float64) { c.SolJVP(dst, v) } // A'A is symmetric

func (c support) ArgsJVP(dst, v []float64) {
	y := mat.NewVecDense(len(dst), dst)
	y.MulVec(c.A.T(), mat.NewVecDense(len(v), v))
	y.ScaleVec(-1, y)
}

func (c support) ArgsVJP(dst, v []float64) {
	y := mat.NewVecDense(len(dst), dst)
	y.MulVec(c.A, mat.NewVecDense(len(v), v))
	y.ScaleVec(-1, y)
}

func ExampleVJP() {
	// Signals of 3 elements, 2 active columns.
	c := support{mat.NewDense(3, 2, []float64{1, 0, 0, 2, 0, 0})}
	g, rep, err := implicit.VJP(c, []float64{1, 1}, &implicit.CG{})
	fmt.Println(g, rep.Method, rep.Residual < 1e-10, err)
	// Output: [1 0.5 0] CG true <nil>
}
