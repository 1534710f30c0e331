package main

import (
	"math"
	"unsafe"

	"overcomplete/internal/wasm"
	"overcomplete/kernel-helpers/internal/coefficients"
)

// The algorithms and polynomials are those of vmath's assembly (vmath/gen/functions.go). But there is no fused
// multiply-add here. Therefore log 2 is split into two numbers; the first has so many trailing zeros that its product
// with n is exact. Small terms are added before large terms, as in FDLIBM (Sun Microsystems 1993).

// A precision holds the parameters of a number format.
type precision struct {
	fraction     int     // bits of the fraction
	bias         float64 // bias of the exponent
	lo, hi       float64 // exp rounds to 0 below lo and overflows above hi
	ln2Hi, ln2Lo float64
	exp, log     []float64
	root         float64 // 1/√2
}

func (k *kernel) precision() precision {
	if k.size == 8 {
		hi := math.Float64frombits(0x3fe62e42fee00000)
		return precision{52, 1023, -746, 710, hi, exactLn2(hi), coefficients.ExpTail64, coefficients.LogTail64, math.Sqrt2 / 2}
	}
	hi := float64(math.Float32frombits(0x3f317200))
	return precision{23, 127, -104, 89, hi, exactLn2(hi), coefficients.ExpTail32, coefficients.LogTail32, float64(float32(math.Sqrt2 / 2))}
}

// exactLn2 returns log 2 − hi.
func exactLn2(hi float64) float64 {
	const rest = 2.3190468138462996e-17 // log 2 − float64(log 2)
	return (math.Ln2 - hi) + rest
}

// horner returns c[0] + c[1] x + c[2] x² + ...
func (k *kernel) horner(c []float64, x v) v {
	p := k.c(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		p = k.t.Add(k.t.Mul(p, x), k.c(c[i]))
	}
	return p
}

// exp emits code for e^x = 2^n e^r, where n = round(x/log 2) and r = x − n log 2. If nonPositive is set, x must be <=
// 0, and overflow is not checked.
func (k *kernel) exp(x v, nonPositive bool) wasm.Local {
	f, t := k.precision(), k.t
	if !nonPositive {
		x = t.PMin(x, k.c(f.hi)) // PMin keeps NaN
	}
	x = k.let(t.PMax(x, k.c(f.lo)))
	// Adding round to a number below 2^(fraction−1) leaves, in the low bits, the nearest integer plus twice the bias.
	round := k.c(1.5*math.Exp2(float64(f.fraction)) + 2*f.bias)
	bits := k.let(t.Add(t.Mul(x, k.c(math.Log2E)), round))
	n := k.let(t.Sub(bits, round))
	hi := k.let(t.Sub(x, t.Mul(n, k.c(f.ln2Hi))))
	lo := k.let(t.Mul(n, k.c(f.ln2Lo)))
	r := k.let(t.Sub(hi, lo))
	q := k.horner(append([]float64{0.5}, f.exp...), r)
	p := t.Add(k.c(1), t.Add(hi, t.Sub(t.Mul(t.Mul(r, r), q), lo)))
	// 2^n may be out of range. But if n is divided into halves, n = h + u, then 2^h and 2^u are in range, and p 2^h is
	// exact. So the result is rounded only once.
	h := k.let(k.i.ShrU(bits, wasm.Int(1)))
	u := k.i.Sub(bits, h)
	up := func(x v) v { return k.i.Shl(x, wasm.Int(f.fraction)) }
	return k.let(t.Mul(t.Mul(p, up(h)), up(u)))
}

// log1p returns the expression n log 2 + log(1+f), for integers n and 1/√2 <= 1+f <= √2.
func (k *kernel) log1p(n, f wasm.Local) v {
	p, t := k.precision(), k.t
	if k.size == 4 {
		z := k.let(t.Mul(f, f))
		q := k.horner(append([]float64{-0.5}, p.log...), f)
		return t.Add(t.Mul(n, k.c(p.ln2Hi)), t.Add(f, t.Add(t.Mul(n, k.c(p.ln2Lo)), t.Mul(z, q))))
	}
	s := k.let(t.Div(f, t.Add(f, k.c(2))))
	z := k.let(t.Mul(s, s))
	h := k.let(t.Mul(t.Mul(f, k.c(0.5)), f))
	w := t.Add(t.Mul(s, t.Add(h, t.Mul(z, k.horner(p.log, z)))), t.Mul(n, k.c(p.ln2Lo)))
	return t.Sub(t.Mul(n, k.c(p.ln2Hi)), t.Sub(t.Sub(h, w), f))
}

// log emits code for log x = n log 2 + log m, where x = 2^n m and m is between 1/√2 and √2.
func (k *kernel) log(x wasm.Local) wasm.Local {
	f, t, i := k.precision(), k.t, k.i
	root, one := math.Float64bits(f.root), math.Float64bits(1)
	if k.size == 4 {
		root, one = uint64(math.Float32bits(float32(f.root))), uint64(math.Float32bits(1))
	}
	two := math.Exp2(float64(f.fraction))
	tiny := k.let(t.Lt(x, k.c(math.Exp2(1-f.bias)))) // subnormal, 0, or negative
	a := t.Choose(tiny, t.Mul(x, k.c(4*two)), x)
	bias := t.Choose(tiny, k.c(two+f.bias+float64(f.fraction)+2), k.c(two+f.bias))
	// Adding one − root to the bits increases the exponent if the fraction is at least that of root.
	b := k.let(i.Add(a, i.Bits(one-root)))
	// Combining an integer below 2^fraction with the exponent of 2^fraction converts it to a number.
	n := k.let(t.Sub(t.Or(i.ShrU(b, wasm.Int(f.fraction)), k.c(two)), bias))
	m := i.Add(t.And(b, i.Bits(1<<f.fraction-1)), i.Bits(root))
	y := k.log1p(n, k.let(t.Sub(m, k.c(1))))
	inf := k.c(math.Inf(1))
	// Inf and NaN are kept; the logarithm of a negative number is NaN.
	y = t.Choose(t.Lt(x, inf), y, x)
	y = t.Choose(t.Lt(x, k.c(0)), k.c(math.NaN()), y)
	return k.let(t.Choose(t.Eq(x, k.c(0)), k.c(math.Inf(-1)), y))
}

// minusAbs returns −|x|.
func (k *kernel) minusAbs(x v) v { return k.t.Neg(k.t.Abs(x)) }

// sigmoid emits code for 1/(1+e^−x) = (x < 0 ? t : 1)/(1 + t), t = e^−|x|.
func (k *kernel) sigmoid(x wasm.Local) wasm.Local {
	e := k.exp(k.minusAbs(x), true)
	num := k.t.Choose(k.t.Lt(x, k.c(0)), e, k.c(1))
	return k.let(k.t.Div(num, k.t.Add(e, k.c(1))))
}

// softplus emits code for log(1+e^x) = max(x, 0) + log(1+t), t = e^−|x|. Since 0 <= t <= 1, log(1+t) is log1p with n =
// 0 and f = t, or with n = 1 and 1+f = (1+t)/2. So 1+t is never rounded.
func (k *kernel) softplus(x wasm.Local) wasm.Local {
	t := k.t
	e := k.exp(k.minusAbs(x), true)
	big := k.let(t.Ge(e, k.c(math.Sqrt2-1)))
	f := k.let(t.Choose(big, t.Mul(t.Sub(e, k.c(1)), k.c(0.5)), e))
	n := k.let(t.And(big, k.c(1)))
	return k.let(t.Add(k.log1p(n, f), t.PMax(k.c(0), x)))
}

// elementwise generates a function with the given name, which computes one result for each element of X and stores it
// in Dst. f(x) emits the code that computes the results for a vector x.
func (k *kernel) elementwise(name string, f func(x wasm.Local) wasm.Local) {
	k.begin(name)
	dst, x := k.word(unsafe.Offsetof(m64.Dst)), k.word(unsafe.Offsetof(m64.X))
	n := k.word(unsafe.Offsetof(m64.N))
	k.loop(n, []wasm.Local{x, dst}, func() {
		k.f.Store(k.t, dst, 0, f(k.let(k.t.Load(x, 0))))
	}, func(left wasm.Local) {
		k.storeLeft(dst, left, f(k.loadLeft(x, left)))
	})
}

func (k *kernel) vmath() {
	k.elementwise("exp", func(x wasm.Local) wasm.Local { return k.exp(x, false) })
	k.elementwise("log", k.log)
	k.elementwise("sigmoid", k.sigmoid)
	k.elementwise("softplus", k.softplus)
	k.scale()
	k.largest()
	k.sumExp("sumExp", false)
	k.sumExp("expSum", true)
}

func (k *kernel) factor() uintptr {
	return k.offset(unsafe.Offsetof(m64.Factor), unsafe.Offsetof(m32.Factor))
}

// scale generates the function that computes X *= Factor.
func (k *kernel) scale() {
	k.begin("scale")
	x, n := k.word(unsafe.Offsetof(m64.X)), k.word(unsafe.Offsetof(m64.N))
	by := k.let(k.splat(k.n.Load(k.args, int(k.factor()))))
	k.loop(n, []wasm.Local{x}, func() {
		k.f.Store(k.t, x, 0, k.t.Mul(k.t.Load(x, 0), by))
	}, func(left wasm.Local) {
		k.storeLeft(x, left, k.let(k.t.Mul(k.loadLeft(x, left), by)))
	})
}

// largest generates the function that finds the largest number in X that is not NaN. The result is −Inf if X has no
// such number.
func (k *kernel) largest() {
	k.begin("largest")
	x, n := k.word(unsafe.Offsetof(m64.X)), k.word(unsafe.Offsetof(m64.N))
	most := k.let(k.c(math.Inf(-1)))
	k.loop(n, []wasm.Local{x}, func() {
		k.f.Set(most, k.t.PMax(most, k.t.Load(x, 0)))
	}, func(left wasm.Local) {
		k.f.Set(most, k.t.PMax(most, k.keep(k.loadLeft(x, left), left, math.Inf(-1))))
	})
	k.f.Store(k.n, k.args, int(k.factor()), k.reduce(most, k.t.PMax))
}

// keep returns a vector that has the first lanes of x, and the number other in the remaining lanes. left is the number
// of lanes of x that are kept.
func (k *kernel) keep(x v, left v, other float64) v {
	var index [16]byte
	for i := range k.lanes() {
		index[i*k.size] = byte(i)
	}
	if k.size == 8 {
		left = wasm.Op("i64.extend_i32_u", left)
	}
	return k.t.Choose(k.i.Gt(k.i.Splat(left), wasm.Vector(index)), x, k.c(other))
}

// sumExp generates the function that adds each term e^(X[i] − Shift) to Lane[i%8]. If store is true, the function also
// stores the terms in Dst.
func (k *kernel) sumExp(name string, store bool) {
	k.begin(name)
	dst, x := k.word(unsafe.Offsetof(s64.Dst)), k.word(unsafe.Offsetof(s64.X))
	n := k.word(unsafe.Offsetof(s64.N))
	shift := k.let(k.splat(k.n.Load(k.args, int(k.offset(unsafe.Offsetof(s64.Shift), unsafe.Offsetof(s32.Shift))))))
	lane := int(k.offset(unsafe.Offsetof(s64.Lane), unsafe.Offsetof(s32.Lane)))
	i := k.f.Local(wasm.I32) // offset of an element's sum: the element's index modulo 8, times 8
	sum := func(y v) {
		at := k.let(add(k.args, i))
		plus := func(offset int, y v) {
			k.f.Store(wasm.F64x2, at, offset, wasm.F64x2.Add(wasm.F64x2.Load(at, offset), y))
		}
		if k.size == 8 {
			plus(lane, y)
		} else {
			z := k.let(y)
			plus(lane, wasm.Op("f64x2.promote_low_f32x4", z))
			plus(lane+16, wasm.Op("f64x2.promote_low_f32x4", k.t.Shuffle(z, z, 2, 3, 0, 1)))
		}
		k.f.Set(i, wasm.I32.And(add(i, wasm.Int(8*k.lanes())), wasm.Int(63)))
	}
	at := []wasm.Local{x}
	if store {
		at = append(at, dst)
	}
	k.loop(n, at, func() {
		y := k.exp(k.t.Sub(k.t.Load(x, 0), shift), true)
		if store {
			k.f.Store(k.t, dst, 0, y)
		}
		sum(y)
	}, func(left wasm.Local) {
		y := k.exp(k.t.Sub(k.loadLeft(x, left), shift), true)
		if store {
			k.storeLeft(dst, left, y)
		}
		sum(k.keep(y, left, 0))
	})
}
