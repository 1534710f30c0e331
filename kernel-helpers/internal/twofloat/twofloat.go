// Package twofloat computes with sums of two float64 numbers, which have about 31 digits (T. J. Dekker, A
// floating-point technique for extending the available precision, 1971). It is for the few results for which
// float64 has too few digits, such as sums of squares of nearly dependent columns.
package twofloat

import "math"

// A Number is Hi + Lo, where Lo is at most half a unit in the last place of Hi. Its range is that of float64, but Lo
// loses digits if Hi is below about 1e-290.
type Number struct{ Hi, Lo float64 }

// Of returns x as a Number.
func Of(x float64) Number { return Number{x, 0} }

// Sum returns a + b exactly.
func Sum(a, b float64) Number {
	s := a + b
	t := s - a
	return Number{s, (a - (s - t)) + (b - t)}
}

// Product returns ab exactly.
func Product(a, b float64) Number {
	p := float64(a * b) // the conversion forces rounding: without it, the product may be fused with a sum
	return Number{p, math.FMA(a, b, -p)}
}

// Add returns a + b.
func (a Number) Add(b Number) Number {
	s, t := Sum(a.Hi, b.Hi), Sum(a.Lo, b.Lo)
	s = Sum(s.Hi, s.Lo+t.Hi)
	return Sum(s.Hi, s.Lo+t.Lo)
}

// Neg returns −a.
func (a Number) Neg() Number { return Number{-a.Hi, -a.Lo} }

// Mul returns ab.
func (a Number) Mul(b Number) Number {
	p := Product(a.Hi, b.Hi)
	p.Lo = math.FMA(a.Hi, b.Lo, p.Lo)
	p.Lo = math.FMA(a.Lo, b.Hi, p.Lo)
	return Sum(p.Hi, p.Lo)
}

// Quo returns a/b.
func (a Number) Quo(b Number) Number {
	q := a.Hi / b.Hi
	r := a.Add(Of(-q).Mul(b))
	q2 := r.Hi / b.Hi
	r = r.Add(Of(-q2).Mul(b))
	return Sum(q, q2).Add(Of(r.Hi / b.Hi))
}

// Sqrt returns the square root of a, which must be positive.
func (a Number) Sqrt() Number {
	r := math.Sqrt(a.Hi) // one step of Newton's method doubles the number of digits
	rest := a.Add(Product(r, r).Neg())
	return Sum(r, rest.Hi/(2*r))
}

// Scale returns a 2^k.
func (a Number) Scale(k int) Number { return Number{math.Ldexp(a.Hi, k), math.Ldexp(a.Lo, k)} }

// Float returns a rounded to float64.
func (a Number) Float() float64 { return a.Hi + a.Lo }
