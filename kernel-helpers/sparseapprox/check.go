package sparseapprox

import (
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// options fills in the defaults of the Coder's options. It returns an error if an option is invalid.
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
	if !(o.Ridge >= 0) || math.IsInf(o.Ridge, 0) {
		return fmt.Errorf("sparseapprox: Ridge is %v, must be 0 or more, and finite", o.Ridge)
	}
	if o.Ridge > 0 && o.Prior != L1 && o.Prior != L1NonNegative {
		return fmt.Errorf("sparseapprox: Ridge is %v, must be 0 for %v", o.Ridge, o.Prior)
	}
	c.lambda, c.ridge, c.nonneg = o.Lambda, o.Ridge, o.Prior == L1NonNegative
	if o.P == 0 {
		o.P = 0.5
	}
	if o.Prior == Lp && !(o.P > 0 && o.P < 1) {
		return fmt.Errorf("sparseapprox: P is %v, must be above 0 and below 1", o.P)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
	}
	if !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 0) {
		return fmt.Errorf("sparseapprox: Tolerance is %v, must be positive and finite", o.Tolerance)
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 10000
	}
	for _, v := range []struct {
		name string
		is   int
	}{{"MaxIterations", o.MaxIterations}, {"Workers", o.Workers}, {"Nonzeros", o.Nonzeros}} {
		if v.is < 0 {
			return fmt.Errorf("sparseapprox: %s is %d, must not be negative", v.name, v.is)
		}
	}
	if !(o.MaxError >= 0) || math.IsInf(o.MaxError, 0) {
		return fmt.Errorf("sparseapprox: MaxError is %v, must be 0 or more, and finite", o.MaxError)
	}
	c.exact = o.MaxError > 0 && o.Nonzeros == 0
	if rank := min(c.d, c.n); o.Nonzeros == 0 {
		o.Nonzeros = rank
		if o.MaxError == 0 {
			o.Nonzeros = max(1, rank/10)
		}
	}
	return nil
}

// underflows reports whether xx, the sum of squares of x, is so small that it has lost digits.
func underflows(x []float64, xx float64) bool {
	return xx < 0x1p-960 && floats.Norm(x, math.Inf(1)) > 0
}

// points returns the shape of a. Unlike dims, it returns an error if a is empty, because empty data need not be a
// mistake in the calling code.
func points(where, name string, a mat.Matrix) (r, c int, err error) {
	if v := reflect.ValueOf(a); a == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic(fmt.Sprintf("sparseapprox: %s: %s is nil", where, name))
	}
	if r, c = a.Dims(); r == 0 || c == 0 {
		return r, c, fmt.Errorf("sparseapprox: %s: %s is empty", where, name)
	}
	return r, c, nil
}

// dims returns the shape of a. It panics if a is nil or empty, because that is a mistake in the calling code.
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

// checkFinite returns an error if an element of a is NaN or infinite. The error says where.
func checkFinite(name string, a mat.Matrix) error {
	if i, j := finite.Find(a); i >= 0 {
		return fmt.Errorf("sparseapprox: %s is %v in row %d, column %d", name, a.At(i, j), i, j)
	}
	return nil
}

// transposeHint returns text that asks whether X (r×c) is transposed. It returns "" unless X has d columns but not d
// rows.
func transposeHint(r, c, d int) string {
	if c == d && r != d {
		return fmt.Sprintf(": want %d×%d, is X transposed?", c, r)
	}
	return ""
}
