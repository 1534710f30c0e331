package vmath

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"overcomplete/kernel-helpers/internal/twofloat"
)

var exhaustive = flag.Bool("exhaustive", false, "float32: test all 2^32 arguments; float64: 50 times as many as otherwise")

// eachVersion runs f with each instruction set of this machine.
func eachVersion(f func(v instructions)) {
	best := inUse
	defer func() { inUse = best }()
	for v := range best + 1 {
		inUse = v
		f(v)
	}
}

// versions runs f as a subtest of each version.
func versions(t *testing.T, f func(t *testing.T)) {
	eachVersion(func(v instructions) { t.Run(names[v], f) })
}

// functions lists the elementwise functions with their bounds in ulp.
var functions = []struct {
	name   string
	f64    func(dst, x []float64)
	f32    func(dst, x []float32)
	exact  func(x float64) value   // for float64
	approx func(x float64) float64 // for float32: with a far smaller error
	bound  float64
}{
	// The bounds are those of the assembly; see portableBound.
	{"Exp", Exp, Exp32, expValue, math.Exp, 1},
	{"Log", Log, Log32, logValue, math.Log, 1},
	{"Sigmoid", Sigmoid, Sigmoid32, sigmoidValue, sigmoidOf, 2.5},
	{"Softplus", Softplus, Softplus32, softplusValue, softplusOf, 2},
}

// portableBound returns the error bound of the portable version for a function with the given bound. It is
// larger because package math's exponential has an error of up to 2 ulp, not 1.
func portableBound(bound float64) float64 { return bound + 1 }

func sigmoidOf(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / (1 + math.Exp(x))
	}
	return 1 / (1 + math.Exp(-x))
}

func softplusOf(x float64) float64 {
	return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// points64 returns random numbers of every exponent and of both signs, more of them where the functions are
// not constant, and numbers near special points.
func points64(rng *rand.Rand) []float64 {
	var x []float64
	times := 1
	if *exhaustive {
		times = 50
	}
	random := func(exponent uint64, n int) {
		for range n * times {
			b := rng.Uint64()&^(0x7ff<<52) | exponent<<52
			x = append(x, math.Float64frombits(b))
		}
	}
	for e := range uint64(0x7ff) {
		random(e, 20)
		if e > 1023-60 && e < 1023+11 {
			random(e, 700)
		}
	}
	for range 30000 * times {
		x = append(x, 1500*rng.Float64()-750, math.Exp(2*rng.Float64()-1), 2*rng.Float64()-1)
	}
	for _, c := range []float64{
		0, 1, math.Sqrt2, math.Sqrt2 / 2, 0.5, 2, math.Ln2, math.Ln2 / 2, 0x1p-1022, 0x1p-1074, math.MaxFloat64,
		709.782712893384, 708.3964185322641, 745.1332191019412, 744.4400719213812, 36.7, 37.4, 710, 746, math.Log(math.Sqrt2 - 1),
	} {
		b := math.Float64bits(c)
		for d := range uint64(200) {
			for _, v := range []float64{math.Float64frombits(b + d), math.Float64frombits(b - d)} {
				if math.Abs(v) <= math.MaxFloat64 {
					x = append(x, v, -v)
				}
			}
		}
	}
	return x
}

func TestDouble(t *testing.T) {
	x := points64(rand.New(rand.NewPCG(2, 2)))
	y := make([]float64, len(x))
	for _, f := range functions {
		exact := make([]value, len(x))
		for i, v := range x {
			if v > 0 || f.name != "Log" {
				exact[i] = f.exact(math.Max(-800, math.Min(v, limitOf(f.name))))
			}
		}
		t.Run(f.name, func(t *testing.T) {
			versions(t, func(t *testing.T) {
				f.f64(y, x)
				worst, at := 0.0, 0.0
				for i, v := range x {
					if v <= 0 && f.name == "Log" {
						if (v == 0) != math.IsInf(y[i], -1) || (v < 0) != math.IsNaN(y[i]) {
							t.Fatalf("Log(%v) = %v", v, y[i])
						}
						continue
					}
					if m := exact[i]; m.k > 1024 || m.k == 1024 && m.m.Hi >= 1 {
						if !math.IsInf(y[i], 1) {
							t.Fatalf("%s(%v) = %v, want +Inf", f.name, v, y[i])
						}
						continue
					}
					if math.IsNaN(y[i]) || math.IsInf(y[i], 0) {
						t.Fatalf("%s(%v) = %v", f.name, v, y[i])
					}
					if e := exact[i].ulps(y[i], 53, -1074); e > worst {
						worst, at = e, v
					}
				}
				bound := f.bound
				if inUse == portable {
					bound = portableBound(bound)
				}
				t.Logf("%.3f ulp at %v", worst, at)
				if !(worst <= bound) {
					t.Errorf("%.3f ulp at %v, more than %v", worst, at, bound)
				}
			})
		})
	}
}

// limitOf returns the largest argument for the reference: beyond 800, e^x has overflowed, and the other
// functions are x or 1.
func limitOf(name string) float64 {
	if name == "Exp" || name == "Sigmoid" {
		return 800
	}
	return math.MaxFloat64
}

// ulps32 returns the error of y in units of the last place of z as a float32.
func ulps32(y float32, z float64) float64 {
	e := int(math.Float64bits(z)>>52&0x7ff) - 1023 // -1023 for z = 0
	unit := math.Float64frombits(uint64(max(e-23, -149)+1023) << 52)
	return math.Abs(float64(y)-z) / unit
}

// overflow is the least float64 that rounds to +Inf in float32.
const overflow = 0x1.ffffffp127

func TestSingle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const block = 1 << 14
	blocks := 1 << 18
	if !*exhaustive {
		blocks = 1 << 6
		if testing.Short() {
			blocks = 1 << 4
		}
	}
	x, y := make([]float32, block), make([]float32, block)
	z := make([]float64, block)
	for _, f := range functions {
		var worst [len(names)]float64
		var at [len(names)]float32
		for b := range blocks {
			for i := range x {
				switch {
				case *exhaustive:
					x[i] = math.Float32frombits(uint32(b*block + i))
				case b%2 == 0: // every sign, exponent and leading 3 bits, 4 times
					x[i] = math.Float32frombits(uint32(i)<<18 | rng.Uint32()>>14)
				case b%4 == 1: // where the functions are not constant
					x[i] = float32(220*rng.Float64() - 110)
				default:
					x[i] = math.Float32frombits(0x3f000000 + rng.Uint32()>>7) // 0.5 to 8
					if f.name != "Log" && i%2 == 0 {
						x[i] = -x[i]
					}
				}
				z[i] = f.approx(float64(x[i]))
			}
			eachVersion(func(v instructions) {
				if v == portable && *exhaustive {
					return // approx equals the portable version up to rounding
				}
				f.f32(y, x)
				for i, w := range z {
					switch {
					case w != w:
						if y[i] == y[i] {
							t.Fatalf("%s: %s32(%v) = %v, want NaN", names[v], f.name, x[i], y[i])
						}
					case math.Abs(w) >= overflow:
						if float64(y[i]) != math.Inf(int(math.Copysign(1, w))) {
							t.Fatalf("%s: %s32(%v) = %v, want Inf", names[v], f.name, x[i], y[i])
						}
					default:
						if e := ulps32(y[i], w); !(e <= worst[v]) {
							worst[v], at[v] = e, x[i]
						}
					}
				}
			})
		}
		for v := range inUse + 1 {
			if v == portable && *exhaustive {
				continue
			}
			t.Logf("%s: %s32: %.3f ulp at %v", names[v], f.name, worst[v], at[v])
			if !(worst[v] <= f.bound) {
				t.Errorf("%s: %s32: %.3f ulp at %v, more than %v", names[v], f.name, worst[v], at[v], f.bound)
			}
		}
	}
}

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
