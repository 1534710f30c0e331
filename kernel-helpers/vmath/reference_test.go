package vmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The reference for float64: double-double arithmetic (T. J. Dekker, A
// floating-point technique for extending the available precision, 1971), good
// for about 100 bits.

// A dd is the number hi + lo, with lo below half an ulp of hi.
type dd struct{ hi, lo float64 }

// twoSum returns a + b exactly.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = twoSum(s.hi, s.lo+t.hi)
	return twoSum(s.hi, s.lo+t.lo)
}

func (a dd) mul(b dd) dd {
	p := float64(a.hi * b.hi) // rounded: without the conversion it may be fused with the sum in twoSum
	e := math.FMA(a.hi, b.hi, -p)
	e = math.FMA(a.hi, b.lo, e)
	e = math.FMA(a.lo, b.hi, e)
	return twoSum(p, e)
}

func (a dd) div(b dd) dd {
	q := a.hi / b.hi
	r := a.add(dd{-q, 0}.mul(b))
	q2 := r.hi / b.hi
	r = r.add(dd{-q2, 0}.mul(b))
	return twoSum(q, q2).add(dd{r.hi / b.hi, 0})
}

func (a dd) scale(k int) dd { return dd{math.Ldexp(a.hi, k), math.Ldexp(a.lo, k)} }

var one = dd{1, 0}

// ln2 is log 2 as the sum of three numbers.
var ln2 = [3]float64{math.Ln2, 2.3190468138462996e-17, 5.707708438416212e-34}

// expRef returns s and k with e^x = (1+s) 2^k. For small x, s has full relative precision.
func expRef(x float64) (s dd, k int) {
	n := math.Round(x / math.Ln2)
	r := dd{x, 0}
	for _, c := range ln2 {
		r = r.add(dd{-n, 0}.mul(dd{c, 0}))
	}
	r = r.scale(-8)
	// e^r − 1 = r (1 + r/2 (1 + r/3 (1 + …)))
	p := one
	for i := 14.0; i > 1; i-- {
		p = one.add(p.mul(r).div(dd{i, 0}))
	}
	s = p.mul(r)
	for range 8 { // (1+s)² = 1 + (2s + s²)
		s = s.scale(1).add(s.mul(s))
	}
	return s, int(n)
}

// A value is m 2^k.
type value struct {
	m dd
	k int
}

func expValue(x float64) value { s, k := expRef(x); return value{one.add(s), k} }

// newton improves y ≈ log(1+u), for 1+u > 0 given by u: δ = (1+u) e^−y − 1, log =
// y + δ − δ²/2.
func newton(y float64, u dd, k int) dd {
	s, n := expRef(-y)
	n += k // (1+u) 2^k e^−y = (1+u) 2^n (1+s)
	a := u
	if n != 0 {
		a = one.add(u).scale(n).add(dd{-1, 0})
	}
	d := a.add(one.add(a).mul(s))
	return dd{y, 0}.add(d).add(d.mul(d).scale(-1).mul(dd{-1, 0}))
}

func logValue(x float64) value {
	f, k := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, k = 2*f, k-1
	}
	return value{newton(log(x), dd{f - 1, 0}, k), 0}
}

func sigmoidValue(x float64) value {
	t := expValue(-math.Abs(x))
	d := one.add(t.m.scale(t.k))
	if x < 0 {
		return value{t.m.div(d), t.k}
	}
	return value{one.div(d), 0}
}

func softplusValue(x float64) value {
	v := expValue(-math.Abs(x))
	t := v.m.scale(v.k)
	if v.k < -60 { // log(1+t) = t (1 − t/2 + …)
		if x < 0 {
			return value{v.m.mul(one.add(t.scale(-1).mul(dd{-1, 0}))), v.k}
		}
		return value{dd{x, 0}.add(t), 0}
	}
	return value{newton(math.Log1p(t.hi), t, 0).add(dd{math.Max(x, 0), 0}), 0}
}

// ulps returns the error of y in units of the last place of v, for a format with the given bits and least
// exponent (53 and -1074 for float64).
func (v value) ulps(y float64, bits, least int) float64 {
	unit := least
	if v.m.hi != 0 {
		_, e := math.Frexp(v.m.hi)
		unit = max(e+v.k-bits, least)
	}
	d := math.Ldexp(y, -v.k) - v.m.hi
	return math.Ldexp(math.Abs(d-v.m.lo), v.k-unit)
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
	b := new(big.Float).SetPrec(400).SetFloat64(v.m.hi)
	b.Add(b, new(big.Float).SetFloat64(v.m.lo))
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
