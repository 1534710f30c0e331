package klcoding

import (
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/transposed"
	"overcomplete/kernel-helpers/internal/vector"
)

// dims returns the dimensions of a. It panics if a is nil or empty, because that is a mistake by the caller.
func dims(fn, name string, a mat.Matrix) (r, c int) {
	if v := reflect.ValueOf(a); a == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("klcoding: " + fn + ": " + name + " is nil")
	}
	if r, c = a.Dims(); r == 0 || c == 0 {
		panic("klcoding: " + fn + ": " + name + " is empty")
	}
	return r, c
}

// transpose returns a copy of a', stored without gaps between the rows. It returns an error if an element is NaN or
// infinite.
func transpose(fn, name string, a mat.Matrix) (blas64.General, error) {
	r, c := a.Dims()
	g := transposed.Columns(a, 0, c).RawMatrix()
	if k := finite.Index(g.Data); k >= 0 {
		return g, fmt.Errorf("klcoding: %s: %s[%d,%d] is %v", fn, name, k%r, k/r, g.Data[k])
	}
	return g, nil
}

// signals returns a copy of X' (N×D). It returns an error if X is empty, if an element is NaN or infinite, or, with
// Softmax, if a signal is not a distribution.
func (c *Coder) signals(fn string, X mat.Matrix) (blas64.General, error) {
	if v := reflect.ValueOf(X); X == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("klcoding: " + fn + ": X is nil")
	}
	d, N := X.Dims()
	if d == 0 || N == 0 {
		return blas64.General{}, fmt.Errorf("klcoding: %s: X is empty", fn)
	}
	if d != c.d {
		panic(fmt.Sprintf("klcoding: %s: X is %d×%d, a signal per COLUMN, and B has %d rows%s", fn, d, N, c.d, transposeHint(d, N, c.d)))
	}
	xt, err := transpose(fn, "X", X)
	if err != nil || c.opt.Loss != Softmax {
		return xt, err
	}
	for i := range N {
		var sum float64
		for j, v := range xt.Data[i*d : (i+1)*d] {
			if v < 0 {
				return xt, fmt.Errorf("klcoding: %s: X[%d,%d] is %v: with Softmax a signal is a distribution", fn, j, i, v)
			}
			sum += v
		}
		if math.Abs(sum-1) > 1e-6 {
			return xt, fmt.Errorf("klcoding: %s: column %d of X has sum %v: with Softmax a signal is a distribution", fn, i, sum)
		}
	}
	return xt, nil
}

// pair returns copies of X' (N×D) and W' (N×n). It returns an error if c.signals returns one for X, or if an element of
// W is NaN or infinite. Without Doubled, negative elements of W are errors, too.
func (c *Coder) pair(fn string, X, W mat.Matrix) (xt, wt blas64.General, err error) {
	if xt, err = c.signals(fn, X); err != nil {
		return xt, wt, err
	}
	if n, N := dims(fn, "W", W); n != c.n || N != xt.Rows {
		panic(fmt.Sprintf("klcoding: %s: W is %d×%d, must be %d×%d", fn, n, N, c.n, xt.Rows))
	}
	if wt, err = transpose(fn, "W", W); err != nil || c.opt.Doubled {
		return xt, wt, err
	}
	for k, v := range wt.Data {
		if v < 0 {
			return xt, wt, fmt.Errorf("klcoding: %s: W[%d,%d] is %v: only Doubled allows negative weights", fn, k%c.n, k/c.n, v)
		}
	}
	return xt, wt, nil
}

// norm returns ‖a‖₂. It does not use blas64.Nrm2, because the last bit of its result depends on where a is in memory.
func norm(a []float64) float64 {
	if t := vector.Dot(a, a); t > 1e-250 && t < 1e300 {
		return math.Sqrt(t)
	}
	top, t := largest(a), 0.0
	if top == 0 || math.IsInf(top, 1) {
		return top
	}
	for _, v := range a {
		v /= top
		t += v * v
	}
	return top * math.Sqrt(t)
}

// largest returns the largest absolute element, or NaN if any element is NaN.
func largest(a []float64) float64 {
	var t float64
	for _, v := range a {
		if v = math.Abs(v); !(v <= t) {
			if math.IsNaN(v) {
				return v
			}
			t = v
		}
	}
	return t
}

// transposeHint returns a hint that asks whether X (r×c) is transposed. It returns "" unless c = d and r ≠ d.
func transposeHint(r, c, d int) string {
	if c == d && r != d {
		return fmt.Sprintf(": want %d×%d, is X transposed?", c, r)
	}
	return ""
}
