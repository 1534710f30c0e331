package implicit

import (
	"fmt"
	"reflect"

	"overcomplete/internal/finite"
)

// A Condition is F(s, θ) = 0, S equations for S unknowns with T parameters,
// linearized at one solution. Each method overwrites dst with a product and does
// not change v.
type Condition interface {
	// Dims returns S and T.
	Dims() (sol, args int)
	// SolJVP computes J_s v; dst and v have length S.
	SolJVP(dst, v []float64)
	// SolVJP computes J_s' v; dst and v have length S.
	SolVJP(dst, v []float64)
	// ArgsJVP computes J_θ v; dst has length S, and v has length T.
	ArgsJVP(dst, v []float64)
	// ArgsVJP computes J_θ' v; dst has length T, and v has length S.
	ArgsVJP(dst, v []float64)
}

// VJP returns the gradient dl/dθ (length T) of a scalar l, given gs = dl/ds (length S). It returns the solver's error,
// or an error if gs or the result is not finite. It panics if gs has the wrong length, or if c or solver is nil. If
// there are no unknowns (the empty support of a lasso, say), the gradient is 0 and the solver is not called.
func VJP(c Condition, gs []float64, solver Solver) ([]float64, Report, error) {
	s, t := dims("VJP", c, solver)
	if len(gs) != s {
		panic(fmt.Sprintf("implicit: VJP: gs has %d elements, s has %d", len(gs), s))
	}
	if err := checkFinite("gs", gs); err != nil {
		return nil, Report{}, prefixError("VJP", err)
	}
	if s == 0 {
		return make([]float64, t), Report{Method: none}, nil
	}
	u, rep, err := solver.Solve(jacobian{c, s, true}, gs)
	if err != nil {
		return nil, rep, prefixError("VJP", err)
	}
	out := make([]float64, t)
	c.ArgsVJP(out, u)
	for i, v := range out {
		out[i] = -v
	}
	return out, rep, prefixError("VJP", checkFinite("dl/dθ", out))
}

// none is Report's method name if there was nothing to solve.
const none = "none"

// JVP returns the change ds of the solution (length S) for the change dtheta of the parameters (length T). Errors and
// panics are as in VJP.
func JVP(c Condition, dtheta []float64, solver Solver) ([]float64, Report, error) {
	s, t := dims("JVP", c, solver)
	if len(dtheta) != t {
		panic(fmt.Sprintf("implicit: JVP: dθ has %d elements, θ has %d", len(dtheta), t))
	}
	if err := checkFinite("dθ", dtheta); err != nil {
		return nil, Report{}, prefixError("JVP", err)
	}
	if s == 0 {
		return []float64{}, Report{Method: none}, nil
	}
	b := make([]float64, s)
	c.ArgsJVP(b, dtheta)
	if err := checkFinite("J_θ dθ", b); err != nil {
		return nil, Report{}, prefixError("JVP", err)
	}
	ds, rep, err := solver.Solve(jacobian{c, s, false}, b)
	if err != nil {
		return nil, rep, prefixError("JVP", err)
	}
	for i, v := range ds {
		ds[i] = -v
	}
	return ds, rep, prefixError("JVP", checkFinite("ds", ds))
}

// A jacobian is the Operator J_s of a condition, or its transpose.
type jacobian struct {
	c     Condition
	n     int
	trans bool
}

func (j jacobian) Dim() int { return j.n }

func (j jacobian) Apply(dst, v []float64) {
	if j.trans {
		j.c.SolVJP(dst, v)
	} else {
		j.c.SolJVP(dst, v)
	}
}

func (j jacobian) ApplyT(dst, v []float64) {
	if j.trans {
		j.c.SolJVP(dst, v)
	} else {
		j.c.SolVJP(dst, v)
	}
}

func dims(fn string, c Condition, solver Solver) (s, t int) {
	if c == nil {
		panic("implicit: " + fn + ": the Condition is nil")
	}
	if v := reflect.ValueOf(solver); solver == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("implicit: " + fn + ": the Solver is nil")
	}
	if s, t = c.Dims(); s < 0 || t <= 0 {
		panic(fmt.Sprintf("implicit: %s: the Condition has %d unknowns and %d parameters", fn, s, t))
	}
	return s, t
}

func checkFinite(name string, x []float64) error {
	if i := finite.Index(x); i >= 0 {
		return fmt.Errorf("element %d of %s is %v", i, name, x[i])
	}
	return nil
}

// prefixError prefixes err with the name of the exported function.
func prefixError(fn string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("implicit: %s: %w", fn, err)
}
