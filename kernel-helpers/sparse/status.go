package sparse

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// Status says how a solver ended.
type Status int

const (
	// Unknown is the zero Status: the solver has not run.
	Unknown Status = iota
	// Optimal means that the duality gap (and the residuals) met the tolerance.
	Optimal
	// Infeasible means that a certificate was found: no point meets the constraints.
	Infeasible
	// Unbounded means that a ray was found along which the objective falls for ever.
	Unbounded
	// IterationLimit means that the iterations ran out first.
	IterationLimit
	// NumericalFailure means that rounding stopped the progress first.
	NumericalFailure
	// Completed means that a method with a fixed number of steps made them all.
	Completed
	// Diverged means that the iterates or the objective left the finite numbers.
	Diverged
)

// String returns the name of the status.
func (s Status) String() string {
	names := [...]string{"Unknown", "Optimal", "Infeasible", "Unbounded", "IterationLimit", "NumericalFailure", "Completed", "Diverged"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return names[s]
}

func checkMatrix(name string, a mat.Matrix) error {
	if i, j := finite.Find(a); i >= 0 {
		return fmt.Errorf("sparse: %s[%d,%d] is %v", name, i, j, a.At(i, j))
	}
	return nil
}

func checkVector(name string, x []float64) error {
	if i := finite.Index(x); i >= 0 {
		return fmt.Errorf("sparse: %s[%d] is %v", name, i, x[i])
	}
	return nil
}

// dims panics on a nil or empty matrix, which is always a caller's mistake.
func dims(fn, name string, a mat.Matrix) (r, c int) {
	if a == nil {
		panic("sparse: " + fn + ": " + name + " is nil")
	}
	if d, ok := a.(*mat.Dense); ok && (d == nil || d.IsEmpty()) {
		panic("sparse: " + fn + ": " + name + " is empty")
	}
	r, c = a.Dims()
	if r == 0 || c == 0 {
		panic("sparse: " + fn + ": " + name + " is empty")
	}
	return r, c
}

func norm1(a []float64) float64 {
	var t float64
	for _, v := range a {
		t += math.Abs(v)
	}
	return t
}

func normInf(a []float64) float64 {
	var t float64
	for _, v := range a {
		t = max(t, math.Abs(v))
	}
	return t
}
