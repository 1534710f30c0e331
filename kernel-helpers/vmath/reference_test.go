package vmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"overcomplete/kernel-helpers/internal/twofloat"
)

// The reference for float64 is computed with package twofloat, good for about 100 bits.

var one = twofloat.Of(1)

// ln2 is log 2 as the sum of three numbers.
var ln2 = [3]float64{math.Ln2, 2.3190468138462996e-17, 5.707708438416212e-34}

// expRef returns s and k with e^x = (1+s) 2^k. For small x, s has full relative precision.
func expRef(x float64) (s twofloat.Number, k int) {
	n := math.Round(x / math.Ln2)
	r := twofloat.Of(x)
	for _, c := range ln2 {
		r = r.Add(twofloat.Of(-n).Mul(twofloat.Of(c)))
	}
	r = r.Scale(-8)
	// e^r − 1 = r (1 + r/2 (1 + r/3 (1 + …)))
	p := one
	for i := 14.0; i > 1; i-- {
		p = one.Add(p.Mul(r).Quo(twofloat.Of(i)))
	}
	s = p.Mul(r)
	for range 8 { // (1+s)² = 1 + (2s + s²)
		s = s.Scale(1).Add(s.Mul(s))
	}
	return s, int(n)
}

// A value is m 2^k.
type value struct {
	m twofloat.Number
	k int
}

func expValue(x float64) value { s, k := expRef(x); return value{one.Add(s), k} }

// newton improves y ≈ log(1+u), for 1+u > 0 given by u: δ = (1+u) e^−y − 1, log =
// y + δ − δ²/2.
func newton(y float64, u twofloat.Number, k int) twofloat.Number {
	s, n := expRef(-y)
	n += k // (1+u) 2^k e^−y = (1+u) 2^n (1+s)
	a := u
	if n != 0 {
		a = one.Add(u).Scale(n).Add(twofloat.Of(-1))
	}
	d := a.Add(one.Add(a).Mul(s))
	return twofloat.Of(y).Add(d).Add(d.Mul(d).Scale(-1).Mul(twofloat.Of(-1)))
}

func logValue(x float64) value {
	f, k := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, k = 2*f, k-1
	}
	return value{newton(log(x), twofloat.Of(f-1), k), 0}
}

func sigmoidValue(x float64) value {
	t := expValue(-math.Abs(x))
	d := one.Add(t.m.Scale(t.k))
	if x < 0 {
		return value{t.m.Quo(d), t.k}
	}
	return value{one.Quo(d), 0}
}

func softplusValue(x float64) value {
	v := expValue(-math.Abs(x))
	t := v.m.Scale(v.k)
	if v.k < -60 { // log(1+t) = t (1 − t/2 + …)
		if x < 0 {
			return value{v.m.Mul(one.Add(t.Scale(-1).Mul(twofloat.Of(-1)))), v.k}
		}
		return value{twofloat.Of(x).Add(t), 0}
	}
	return value{newton(math.Log1p(t.Hi), t, 0).Add(twofloat.Of(math.Max(x, 0))), 0}
}

// ulps returns the error of y in units of the last place of v, for a format with the given bits and least
// exponent (53 and -1074 for float64).
func (v value) ulps(y float64, bits, least int) float64 {
	unit := least
	if v.m.Hi != 0 {
		_, e := math.Frexp(v.m.Hi)
		unit = max(e+v.k-bits, least)
	}
	d := math.Ldexp(y, -v.k) - v.m.Hi
	return math.Ldexp(math.Abs(d-v.m.Lo), v.k-unit)
}

// bigExp returns e^x in 400 bits: Taylor's series of x/2^20, squared 20 times.
func bigExp(x *big.Float) *big.Float {
	r := new(big.Float).SetPrec(400).Set(x)
	r.SetMantExp(r, -20)
	term, sum := big.NewFloat(1).SetPrec(400), big.NewFloat(1).SetPrec(400)
	for i := 1; i < 40; i++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetInt64(int64(i)))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

func (v value) big() *big.Float {
	b := new(big.Float).SetPrec(400).SetFloat64(v.m.Hi)
	b.Add(b, new(big.Float).SetFloat64(v.m.Lo))
	return b.SetMantExp(b, v.k)
}

// TestReference compares the reference with math/big.
func TestReference(t *testing.T) {
	// near checks that a and b agree to the given number of bits, relative to b.
	near := func(what string, x float64, a, b *big.Float, bits int) {
		t.Helper()
		d := new(big.Float).SetPrec(400).Sub(a, b)
		if d.Sign() != 0 && d.MantExp(nil) > b.MantExp(nil)-bits {
			t.Errorf("%s(%v): reference %v, math/big %v", what, x, a, b)
		}
	}
	unit := big.NewFloat(1).SetPrec(400)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 300 {
		x := math.Ldexp(rng.Float64()*2-1, i%40-30)
		if math.Abs(x) > 740 {
			continue
		}
		b := new(big.Float).SetPrec(400).SetFloat64(x)
		e := bigExp(b)
		near("exp", x, expValue(x).big(), e, 95)
		sum := new(big.Float).SetPrec(400).Add(unit, e)
		near("sigmoid", x, sigmoidValue(x).big(), new(big.Float).SetPrec(400).Quo(e, sum), 95)
		// Replacing y by y + ε changes e^y by the factor 1+ε. Relative to e^y − 1 this is ε e^y/(e^y − 1), of
		// the order of ε/y for small y.
		minusOne := func(v value) *big.Float {
			a := bigExp(v.big())
			return a.Sub(a, unit)
		}
		near("softplus", x, minusOne(softplusValue(x)), e, 80)
		if x > 0 {
			near("log", x, bigExp(logValue(x).big()), b, 90)
			y := 1 + x
			near("log near 1", y, minusOne(logValue(y)), new(big.Float).SetPrec(400).Sub(new(big.Float).SetFloat64(y), unit), 85)
		}
	}
}
