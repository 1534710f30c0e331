package main

import (
	"math"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// neonAssembly returns the functions for arm64 and their declarations.
func neonAssembly() (text, stubs []byte, err error) {
	file := ng.New("vmath")
	constants := &table{places: map[string]place{}}
	for _, shape := range []ng.Shape{ng.D2, ng.S4} {
		k := &neon{kernel: kernel{nil, shape == ng.S4}, shape: shape, table: constants}
		k.machine = k
		elementwise := func(name, doc string, prepare func() unary) {
			k.begin(file, name, "func(dst, x []T)", doc)
			f := prepare()
			k.loop("dst", 0, func(_ int, x pair) pair { return f(x).(pair) })
			k.Ret()
		}
		elementwise("exp", "stores e^x.", func() unary {
			e := k.expConstants(false)
			return func(x vector) vector { return k.exp(e, x) }
		})
		elementwise("log", "stores log x.", k.log)
		elementwise("sigmoid", "stores 1/(1+e^-x).", k.sigmoid)
		elementwise("softplus", "stores log(1+e^x).", k.softplus)
		k.scale(file)
		k.largest(file)
		k.sumExp(file, false)
		k.sumExp(file, true)
	}
	file.Words("constants", constants.words...)
	return file.Write()
}

// loop emits the loop over the slice x, in groups of 64 bytes. As with AVX2, if the last group is incomplete, it is
// copied to a block on the stack, padded with pad, and goes through the same instructions.
func (k *neon) loop(dst string, pad float64, step func(part int, x pair) pair) {
	x, n := k.Arg("x_base"), k.Arg("x_len")
	var y ng.X
	if dst != "" {
		y = k.Arg(dst + "_base")
	}
	pass := func(x, y ng.X) {
		for part := range 2 {
			v := k.vec()
			k.LoadPair(16, v[0], v[1], ng.At(x, 32*part))
			if v = step(part, v); dst != "" {
				k.StorePair(16, v[0], v[1], ng.At(y, 32*part))
			}
		}
	}
	k.SubsN(n, n, k.group())
	k.Br("LT", "rest")
	k.Label("loop")
	pass(x, y)
	k.AddN(x, x, 64)
	if dst != "" {
		k.AddN(y, y, 64)
	}
	k.SubsN(n, n, k.group())
	k.Br("GE", "loop")
	k.Label("rest")
	k.AddN(n, n, k.group())
	k.IfZero(n, "done")
	k.Frame(64)
	block, fill := k.Local(), k.fill(pad)
	k.StorePair(16, fill, fill, ng.At(block, 0))
	k.StorePair(16, fill, fill, ng.At(block, 32))
	copyRest := func(label string, from, to ng.X) {
		i, end, v := k.X(), k.X(), k.V()
		k.Set(i, 0)
		k.Shl(end, n, k.shape.Shift())
		k.Label(label)
		k.Load(k.size(), v, ng.By(from, i))
		k.Store(k.size(), v, ng.By(to, i))
		k.AddN(i, i, k.size())
		k.Cmp(i, end)
		k.Br("LT", label)
	}
	copyRest("copyIn", x, block)
	pass(block, block)
	if dst != "" {
		copyRest("copyOut", block, y)
	}
	k.Label("done")
}

// fill returns a register with v in all lanes. v must be 0 or −Inf.
func (k *neon) fill(v float64) ng.V {
	name := "zero"
	if v != 0 {
		name = "minusInf"
	}
	return k.reg(k.constant(name, v)).(pair)[0]
}

// broadcast returns registers with the parameter param in all lanes.
func (k *neon) broadcast(param string) pair {
	v := k.FloatArg(k.shape, param)
	k.Splat(k.shape, v, v, 0)
	return pair{v, v}
}

func (k *neon) scale(file *ng.File) {
	k.begin(file, "scale", "func(x []T, factor T)", "multiplies x by factor.")
	a := k.broadcast("factor")
	k.loop("x", 0, func(_ int, x pair) pair { return k.mul(a, x).(pair) })
	k.Ret()
}

// sums returns four new registers (64 bytes), in which a loop accumulates. All lanes hold v. v must be 0 or −Inf.
func (k *neon) sums(v float64) [2]pair {
	var acc [2]pair
	for i := range acc {
		acc[i] = k.vec()
		for _, r := range acc[i] {
			k.Copy(r, k.fill(v))
		}
	}
	return acc
}

// fold combines the 8 lanes of acc, of 8 bytes each, with the instruction f: first lanes j and j+4, then j and j+2.
// Two lanes remain, which are in the register returned.
func (k *neon) fold(s ng.Shape, acc [2]pair, f func(s ng.Shape, d, a, b ng.V)) ng.V {
	f(s, acc[0][0], acc[0][0], acc[1][0])
	f(s, acc[0][1], acc[0][1], acc[1][1])
	f(s, acc[0][0], acc[0][0], acc[0][1])
	return acc[0][0]
}

// largest emits a function that returns the maximum of the elements that are not NaN, or −Inf if there are none.
func (k *neon) largest(file *ng.File) {
	k.begin(file, "largest", "func(x []T) (y T)", "is the largest number of x that is not NaN, else -Inf.")
	acc := k.sums(math.Inf(-1))
	k.loop("", math.Inf(-1), func(part int, x pair) pair {
		for i, r := range acc[part] {
			m := k.V()
			k.FGreater(k.shape, m, x[i], r) // false for NaN, which is ignored
			k.Insert(r, x[i], m)
		}
		return x
	})
	y := k.fold(k.shape, acc, k.FMax)
	if k.single {
		k.FMaxAcross4(y, y)
	} else {
		upper := k.V()
		k.Upper(upper, y)
		k.Max1(k.shape, y, y, upper)
	}
	k.Return(k.shape, "y", y)
	k.Ret()
}

// sumExp emits the sum over i of e_i = exp(x[i] − shift), for x[i] <= shift. If store is true, it also stores e_i in
// dst[i]. There are 8 partial sums in float64, as in avx.sumExp.
func (k *neon) sumExp(file *ng.File, store bool) {
	dst := ""
	if store {
		dst = "dst"
		k.begin(file, "expSum", "func(dst, x []T, shift T) (y float64)", "stores exp(x[i] - shift) and gives the sum; x[i] <= shift.")
	} else {
		k.begin(file, "sumExp", "func(x []T, shift T) (y float64)", "is the sum of exp(x[i] - shift); x[i] <= shift.")
	}
	shift := k.broadcast("shift")
	c := k.expConstants(true)
	acc := k.sums(0)
	k.loop(dst, math.Inf(-1), func(part int, x pair) pair {
		e := k.exp(c, k.sub(x, shift)).(pair)
		for i, r := range e {
			if !k.single {
				k.FAdd(ng.D2, acc[part][i], acc[part][i], r)
				continue
			}
			lo, hi := k.V(), k.V() // 4 of the 8 numbers of the part
			k.Widen(lo, r)
			k.WidenUpper(hi, r)
			k.FAdd(ng.D2, acc[i][0], acc[i][0], lo)
			k.FAdd(ng.D2, acc[i][1], acc[i][1], hi)
		}
		return e
	})
	y := k.fold(ng.D2, acc, k.FAdd)
	k.FAddAcross2(y, y)
	k.Return(ng.D2, "y", y)
	k.Ret()
}
