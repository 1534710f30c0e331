package sparseapprox

import (
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// options fills in the defaults and refuses what makes no sense.
func (c *Coder) options() error {
	o := &c.opt
	methods := map[Prior][]Method{
		L1:            {CoordinateDescent, FeatureSign, LARS, FISTA, SoftThreshold},
		L1NonNegative: {CoordinateDescent, FeatureSign, LARS, FISTA, SoftThreshold},
		Lp:            {CoordinateDescent},
		L2:            {ClosedForm},
		None:          {ClosedForm},
		L0:            {OMP},
	}[o.Prior]
	if methods == nil {
		return fmt.Errorf("sparseapprox: unknown %v", o.Prior)
	}
	known := o.Method == Auto
	for _, m := range methods {
		known = known || o.Method == m
	}
	if !known {
		return fmt.Errorf("sparseapprox: %v is not a method for %v", o.Method, o.Prior)
	}
	switch o.Prior {
	case None, L0:
		o.Lambda = 0
	default:
		if !(o.Lambda > 0) || math.IsInf(o.Lambda, 0) {
			return fmt.Errorf("sparseapprox: Lambda is %v, must be positive and finite", o.Lambda)
		}
	}
	c.lambda, c.nonneg = o.Lambda, o.Prior == L1NonNegative
	if o.P == 0 {
		o.P = 0.5
	}
	if o.Prior == Lp && !(o.P > 0 && o.P < 1) {
		return fmt.Errorf("sparseapprox: P is %v, must be above 0 and below 1", o.P)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
	}
	if !(o.Tolerance > 0) {
		return fmt.Errorf("sparseapprox: Tolerance is %v, must be positive", o.Tolerance)
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 10000
	}
	if o.MaxIterations < 0 || o.Workers < 0 || o.Nonzeros < 0 {
		return fmt.Errorf("sparseapprox: MaxIterations %d, Workers %d, Nonzeros %d: must not be negative", o.MaxIterations, o.Workers, o.Nonzeros)
	}
	if !(o.MaxError >= 0) {
		return fmt.Errorf("sparseapprox: MaxError is %v, must be 0 or more", o.MaxError)
	}
	if rank := min(c.d, c.n); o.Nonzeros == 0 {
		o.Nonzeros = rank
		if o.MaxError == 0 {
			o.Nonzeros = max(1, rank/10)
		}
	}
	return nil
}

// underflows reports whether the square of x, xx, has lost digits because it is too
// small.
func underflows(x []float64, xx float64) bool {
	return xx < 0x1p-960 && floats.Norm(x, math.Inf(1)) > 0
}

// dims panics on a nil or empty matrix, which is a caller's mistake.
func dims(where, name string, a mat.Matrix) (r, c int) {
	if v := reflect.ValueOf(a); a == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic(fmt.Sprintf("sparseapprox: %s: %s is empty", where, name))
	}
	r, c = a.Dims()
	if r == 0 || c == 0 {
		panic(fmt.Sprintf("sparseapprox: %s: %s is empty", where, name))
	}
	return r, c
}

// checkFinite returns an error that says where a is NaN or infinite.
func checkFinite(name string, a mat.Matrix) error {
	if i, j := finite.Find(a); i >= 0 {
		return fmt.Errorf("sparseapprox: %s is %v in row %d, column %d", name, a.At(i, j), i, j)
	}
	return nil
}
