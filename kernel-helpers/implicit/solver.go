package implicit

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/option"
)

// An Operator is a square matrix A, given by its products with vectors. Apply computes dst = A v and ApplyT
// computes dst = A'v; neither changes v.
type Operator interface {
	Dim() int
	Apply(dst, v []float64)
	ApplyT(dst, v []float64)
}

// A Solver solves A x = b. It does not change b. It returns an error if the residual is above the solver's tolerance
// or if no solution could be found. The Report is valid even then.
type Solver interface {
	Solve(a Operator, b []float64) (x []float64, rep Report, err error)
}

// A Report says how a linear system was solved.
type Report struct {
	Method   string
	Products int // products with A or A' in total
	// Residual is ‖b − Ax‖/‖b‖, calculated from x at the end; 0 for b = 0. If the system has no solution,
	// NormalCG and LSMR report the residual of the least-squares solution.
	Residual float64
	// Normal is ‖A'(b − Ax)‖/‖A'b‖. Only NormalCG and LSMR set it.
	Normal float64
}

// ErrResidual means that the residual missed its tolerance; the solver's error wraps it. It differs from
// ended.ErrNotConverged: no solution is returned with ErrResidual, because a wrong derivative is useless.
var ErrResidual = errors.New("the residual is above the tolerance")

// Cholesky is a Solver that builds A as a matrix, from its products with unit vectors, and factors it. Solve returns
// an error unless A is positive definite, and symmetric to within 1e-8 of its largest element. The zero value is ready
// to use.
type Cholesky struct {
	Tolerance float64 // bounds Report.Residual; 0: 1e-6
}

// Solve implements Solver.
func (s *Cholesky) Solve(a Operator, b []float64) ([]float64, Report, error) {
	given.Args("implicit: Cholesky.Solve", "a", a)
	rep := Report{Method: "Cholesky"}
	m, err := form(a, b, &rep)
	if err != nil {
		return nil, rep, err
	}
	n := len(b)
	h, top := mat.NewSymDense(n, nil), mat.Max(m)
	top = max(top, -mat.Min(m))
	for i := range n {
		for j := range i + 1 {
			if math.Abs(m.At(i, j)-m.At(j, i)) > 1e-8*top {
				return nil, rep, fmt.Errorf("not symmetric: element %d,%d is %v, element %d,%d is %v", i, j, m.At(i, j), j, i, m.At(j, i))
			}
			h.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	var f mat.Cholesky
	if !f.Factorize(h) {
		return nil, rep, errors.New("not positive definite")
	}
	x := mat.NewVecDense(n, nil)
	if err := f.SolveVecTo(x, mat.NewVecDense(n, append([]float64(nil), b...))); err != nil {
		return nil, rep, err
	}
	return check(a, x.RawVector().Data, b, s.Tolerance, rep)
}

// LU is a Solver that builds A as a matrix, from its products with unit vectors, and factors it. Solve returns an
// error if the condition number of A is 1e15 or more. The zero value is ready to use.
type LU struct {
	Tolerance float64 // bounds Report.Residual; 0: 1e-6
}

// Solve implements Solver.
func (s *LU) Solve(a Operator, b []float64) ([]float64, Report, error) {
	given.Args("implicit: LU.Solve", "a", a)
	rep := Report{Method: "LU"}
	m, err := form(a, b, &rep)
	if err != nil {
		return nil, rep, err
	}
	var f mat.LU
	f.Factorize(m)
	if c := f.Cond(); !(c < 1e15) {
		return nil, rep, fmt.Errorf("singular: condition number %.3g", c)
	}
	x := mat.NewVecDense(len(b), nil)
	if err := f.SolveVecTo(x, false, mat.NewVecDense(len(b), append([]float64(nil), b...))); err != nil {
		return nil, rep, err
	}
	return check(a, x.RawVector().Data, b, s.Tolerance, rep)
}

// form returns A as a matrix, built from its products with unit vectors.
func form(a Operator, b []float64, rep *Report) (*mat.Dense, error) {
	n := size(a, b)
	if err := ram.Check(fmt.Sprintf("the Jacobian of %d unknowns, and its factor,", n), 16*float64(n)*float64(n)); err != nil {
		return nil, fmt.Errorf("%w: CG, GMRES and LSMR only multiply with the Jacobian", err)
	}
	m, e, col := mat.NewDense(n, n, nil), make([]float64, n), make([]float64, n)
	for j := range n {
		e[j] = 1
		a.Apply(col, e)
		e[j] = 0
		rep.Products++
		if err := checkFinite(fmt.Sprintf("column %d of the Jacobian", j), col); err != nil {
			return nil, err
		}
		m.SetCol(j, col)
	}
	return m, nil
}

// check returns x and rep, to which it adds the residual of x. If the residual is above the tolerance, it returns an
// error instead of x. A tolerance of 0 means 1e-6.
func check(a Operator, x, b []float64, tolerance float64, rep Report) ([]float64, Report, error) {
	rep.Residual = residual(a, x, b, nil)
	rep.Products++
	if err := refuse(tolerance); err != nil {
		return nil, rep, fmt.Errorf("%s: %w", rep.Method, err)
	}
	if tolerance == 0 {
		tolerance = 1e-6
	}
	if !(rep.Residual <= tolerance) {
		return nil, rep, fmt.Errorf("%s: residual %.3g, tolerance %.3g: %w", rep.Method, rep.Residual, tolerance, ErrResidual)
	}
	return x, rep, nil
}

// refuse returns an error if tolerance is negative or NaN.
func refuse(tolerance float64) error {
	return option.NotNegative("Tolerance", tolerance)
}

// residual returns ‖b − Ax‖/‖b‖, or ‖Ax‖ if b = 0. It stores b − Ax in r unless r is nil.
func residual(a Operator, x, b, r []float64) float64 {
	if r == nil {
		r = make([]float64, len(b))
	}
	a.Apply(r, x)
	for i, v := range b {
		r[i] = v - r[i]
	}
	if norm(b) == 0 {
		return norm(r)
	}
	return norm(r) / norm(b)
}

func size(a Operator, b []float64) int {
	if n := a.Dim(); n != len(b) {
		panic(fmt.Sprintf("implicit: a system of %d unknowns with %d right sides", n, len(b)))
	}
	return len(b)
}
