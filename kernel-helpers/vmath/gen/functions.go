package main

import (
	"math"

	"overcomplete/kernel-helpers/internal/coefficients"
)

// A precision holds the parameters of a number format.
type precision struct {
	fraction int     // bits of the fraction: 52 or 23
	bias     float64 // bias of the exponent
	// exp limits its argument to [lo, hi], because e^x overflows above hi and rounds to 0 below lo. In this range 2^k,
	// with k = round(x/ln 2), can be applied in two factors.
	lo, hi       float64
	ln2Hi, ln2Lo float64 // log 2 as the sum of two numbers
	expTail      []float64
	logTail      []float64
}

var double = precision{
	fraction: 52, bias: 1023, lo: -746, hi: 710,
	ln2Hi: math.Ln2, ln2Lo: 2.3190468138462996e-17, // log 2 − float64(log 2)
	expTail: coefficients.ExpTail64, logTail: coefficients.LogTail64,
}

var single = precision{
	fraction: 23, bias: 127, lo: -104, hi: 89,
	ln2Hi: float64(float32(math.Ln2)), ln2Lo: math.Ln2 - float64(float32(math.Ln2)),
	expTail: coefficients.ExpTail32, logTail: coefficients.LogTail32,
}

func (k kernel) precision() precision {
	if k.single {
		return single
	}
	return double
}

// polynomial returns the coefficients c as constants called name0, name1, …, each passed through hold(), which may move
// the constant into a register.
func (k kernel) polynomial(name string, c []float64, hold func(value) value) []value {
	var p []value
	for i, v := range c {
		p = append(p, hold(k.constant(name+string(rune('0'+i)), v)))
	}
	return p
}

// fromMemory returns m unchanged. It is passed as the argument hold if the constants do not fit into the registers.
func fromMemory(m value) value { return m }

// An expConstants holds the constants of exp.
type expConstants struct {
	lo, hi, log2e, round, ln2Hi, ln2Lo value
	poly                               []value // polynomial of e^r
}

// expConstants loads the constants of exp. It omits hi if nonPositive says that x <= 0.
func (k kernel) expConstants(nonPositive bool) expConstants {
	f := k.precision()
	c := expConstants{
		lo:    k.constantVec("lo", f.lo),
		log2e: k.constantVec("log2e", math.Log2E),
		// Adding this to a number below 2^(fraction−1) leaves the nearest integer, plus twice the bias, in
		// the low bits.
		round: k.constantVec("round", 1.5*math.Exp2(float64(f.fraction))+2*f.bias),
		ln2Hi: k.constantVec("ln2Hi", f.ln2Hi),
		ln2Lo: k.constantVec("ln2Lo", f.ln2Lo),
	}
	if !nonPositive {
		c.hi = k.constantVec("hi", f.hi)
	}
	one := k.constantVec("one", 1)
	c.poly = append([]value{one, one, k.constantVec("half", 0.5)}, k.polynomial("expTail", f.expTail, k.keep)...)
	return c
}

// exp emits e^x = 2^n e^r with n = round(x/ln 2), r = x − n ln 2, |r| <= ln(2)/2 (W. J. Cody and W. Waite,
// Software Manual for the Elementary Functions, 1980, chapter 6). With fused multiply-add, x − n ln2Hi is
// exact: it is a multiple of the last place of ln2Hi or x, and smaller than 1/2.
func (k kernel) exp(c expConstants, x vector) vector {
	if c.hi != nil {
		x = k.min(c.hi, x)
	}
	x = k.max(c.lo, x)
	t := k.copy(c.round)
	k.addMul(t, x, c.log2e) // round + n
	n := k.sub(t, c.round)
	r := x
	k.subMul(r, n, c.ln2Hi)
	k.subMul(r, n, c.ln2Lo)
	p := k.horner(c.poly, r) // e^r, 0.7 < p < 1.42
	if y := k.scaleBy(p, n); y != nil {
		return y
	}
	// 2^n may be out of range. But if n is split into halves, n = h + u, then 2^h and 2^u are in range,
	// and p 2^h is exact. So there is one rounding, as in VSCALEF. The low bits of t are n + 2 bias.
	f := k.precision()
	h := k.shiftRight(t, 1)
	u := k.subInt(t, h)
	p = k.mul(p, k.shiftLeft(h, f.fraction))
	return k.mul(p, k.shiftLeft(u, f.fraction))
}

// A logConstants holds the constants of log1p and log.
type logConstants struct {
	one, half, two, ln2Hi, ln2Lo value
	poly                         []value
}

func (k kernel) logConstants(hold func(value) value) logConstants {
	f := k.precision()
	c := logConstants{
		one:   k.constantVec("one", 1),
		half:  k.constantVec("half", 0.5),
		ln2Hi: k.constantVec("ln2Hi", f.ln2Hi),
		ln2Lo: k.constantVec("ln2Lo", f.ln2Lo),
	}
	c.poly = k.polynomial("logTail", f.logTail, hold)
	if k.single {
		c.poly = append([]value{hold(k.constant("minusHalf", -0.5))}, c.poly...)
	} else {
		c.two = hold(k.constant("two", 2))
	}
	return c
}

// log1p emits n ln 2 + log(1+f), for integers n and 1/√2 <= 1+f <= √2.
func (k kernel) log1p(c logConstants, n, f vector) vector {
	if k.single {
		// log(1+f) = f + f² (−1/2 + f P(f)), to which n ln2Lo and n ln2Hi are added; the smallest
		// terms come first.
		z := k.mul(f, f)
		q := k.horner(c.poly, f)
		y := k.mul(n, c.ln2Lo)
		k.addMul(y, z, q)
		y = k.add(f, y)
		k.addMul(y, n, c.ln2Hi)
		return y
	}
	// With s = f/(2+f), z = s²: log(1+f) = 2 atanh s = 2s + s z P(z). To avoid rounding 2s, use 2s = f − s f
	// = f − h + s h, h = f²/2 (the arrangement of FDLIBM's e_log.c, Sun Microsystems 1993): log(1+f) = f − (h
	// − s (h + z P)).
	s := k.div(f, k.add(f, c.two))
	z := k.mul(s, s)
	p := k.horner(c.poly, z)
	h := k.mul(k.mul(f, c.half), f)
	u := k.copy(h)
	k.addMul(u, z, p)
	v := k.mul(s, u)
	k.addMul(v, n, c.ln2Lo)
	y := k.sub(f, k.sub(h, v))
	k.addMul(y, n, c.ln2Hi)
	return y
}

// log loads the constants and returns a function that emits log x = n ln 2 + log m, with x = 2^n m and m
// between 1/√2 and √2.
func (k kernel) log() func(x vector) vector {
	f := k.precision()
	c := k.logConstants(k.keep)
	root := math.Sqrt2 / 2 // rounded to the precision
	if k.single {
		root = float64(float32(root))
	}
	if f := k.ownLog(c, root); f != nil {
		return f
	}
	bits, one := math.Float64bits(root), math.Float64bits(1)
	if k.single {
		bits, one = uint64(math.Float32bits(float32(root))), uint64(math.Float32bits(1))
	}
	tiny := math.Exp2(1 - f.bias) // the smallest normal number
	two := math.Exp2(float64(f.fraction))
	var (
		least = k.constant("leastNormal", tiny)
		up    = k.constant("up", 4*two)
		// Combining an integer below 2^fraction with the exponent of 2^fraction converts it to a number.
		number   = k.constant("number", two)
		bias     = k.constant("numberBias", two+f.bias)
		biasTiny = k.constant("numberBiasTiny", two+f.bias+float64(f.fraction)+2)
		toRoot   = k.pattern("oneMinusRoot", one-bits)
		low      = k.pattern("fractionBits", 1<<f.fraction-1)
		rootBits = k.pattern("root", bits)
		inf      = k.constant("inf", math.Inf(1))
		minusInf = k.constant("minusInf", math.Inf(-1))
		nan      = k.constant("nan", math.NaN())
		zero     = k.constant("zero", 0)
	)
	return func(x vector) vector {
		subnormal := k.compare(x, less, least)
		a := k.choose(subnormal, k.mul(x, up), x)
		b := k.choose(subnormal, biasTiny, k.reg(bias))
		// Adding one − root to the bits carries into the exponent when the
		// fraction is at or above that of root.
		i := k.addInt(a, toRoot)
		n := k.sub(k.or(k.shiftRight(i, f.fraction), number), b)
		m := k.addInt(k.and(i, low), rootBits)
		y := k.log1p(c, n, k.sub(m, c.one))
		y = k.choose(k.compare(x, notLess, inf), x, y) // Inf and NaN
		y = k.choose(k.negative(x), nan, y)
		return k.choose(k.compare(x, equal, zero), minusInf, y)
	}
}

// minusAbs returns a function that emits −|x|.
func (k kernel) minusAbs() func(x vector) vector {
	sign := k.constantVec("sign", math.Copysign(0, -1))
	return func(x vector) vector { return k.or(x, sign) }
}

// sigmoid loads the constants and returns a function that emits 1/(1+e^−x) = (x < 0 ? t : 1)/(1 + t), t =
// e^−|x|. Nothing overflows, and small results are accurate.
func (k kernel) sigmoid() func(x vector) vector {
	c, minusAbs := k.expConstants(true), k.minusAbs()
	one := c.poly[0]
	return func(x vector) vector {
		t := k.exp(c, minusAbs(x))
		num := k.choose(k.negative(x), t, k.reg(one))
		return k.div(num, k.add(t, one))
	}
}

// softplus loads the constants and returns a function that emits log(1+e^x) = max(x, 0) + log(1+t), where t = e^−|x|
// is between 0 and 1. log1p computes log(1+t) as n ln 2 + log(1+f). For t below √2 − 1, n = 0 and f = t; otherwise n =
// 1 and f = (t−1)/2. So 1+t is never rounded.
func (k kernel) softplus() func(x vector) vector {
	c, minusAbs := k.expConstants(true), k.minusAbs()
	l := k.logConstants(fromMemory)
	split := k.constantVec("sqrt2MinusOne", math.Sqrt2-1)
	zero := k.constantVec("zero", 0)
	return func(x vector) vector {
		t := k.exp(c, minusAbs(x))
		big := k.compare(t, greaterEqual, split)
		f := k.choose(big, k.mul(k.sub(t, l.one), l.half), t)
		y := k.log1p(l, k.chooseOrZero(big, l.one), f)
		return k.add(y, k.max(zero, x))
	}
}
