package pursuit

import "math"

// A twofold is the unevaluated sum hi + lo of two numbers, about twice as precise as one of them.
//
// Source: T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18
// (1971).
type twofold struct{ hi, lo float64 }

// plus returns t + v.
func (t twofold) plus(v float64) twofold {
	s := t.hi + v
	w := s - t.hi
	e := (t.hi - (s - w)) + (v - w) + t.lo
	hi := s + e
	return twofold{hi, e - (hi - s)}
}

// plusProduct returns t + a v.
func (t twofold) plusProduct(a float64, v twofold) twofold {
	p := float64(a * v.hi)
	return t.plus(p).plus(math.FMA(a, v.hi, -p) + float64(a*v.lo))
}

// highest returns the largest absolute value.
func highest(x []twofold) (t float64) {
	for _, v := range x {
		t = max(t, math.Abs(v.hi))
	}
	return t
}
