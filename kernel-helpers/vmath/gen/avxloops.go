package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// begin opens a function. The precision and the instruction set are appended to its name. In the signature, T
// stands for the element type.
func (k *avx) begin(name, signature, doc string) {
	set := "AVX2"
	if k.wide {
		set = "AVX512"
	}
	bits := strconv.Itoa(8 * k.size())
	name += bits + set
	k.Function(name)
	k.Attributes(attr.NOSPLIT)
	k.Doc(name + " " + doc)
	k.Pragma("noescape")
	k.SignatureExpr(strings.ReplaceAll(signature, "T", "float"+bits))
}

// end closes the function.
func (k *avx) end() {
	k.VZEROUPPER()
	k.RET()
}

// address returns the address of a parameter or a result.
func (k *avx) address(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err) // a name that is not in the signature
	}
	return b.Addr
}

// broadcast returns a register with the parameter param in all lanes.
func (k *avx) broadcast(param string) register {
	d := k.vec()
	k.pick(k.VBROADCASTSD, k.VBROADCASTSS)(k.address(k.Param(param)), d)
	return d
}

// loop emits the loop over the slice x, in groups of 64 bytes. step() emits the work on one register of the group; its
// argument part is the number of this register. If dst is not empty, it names the parameter in which the results of
// step are stored.
//
// If the last group is incomplete, it is padded with pad, which is 0 or −Inf, and goes through the same instructions.
// So an element's result depends neither on its place nor on the length. Nothing outside the slices is touched: AVX-512
// loads and stores under a mask, which suppresses faults. AVX2's masked loads may not be as safe on every processor, so
// with AVX2 the last group goes through a block on the stack.
func (k *avx) loop(dst string, pad float64, step func(part int, x vector) vector) {
	x := k.Load(k.Param("x").Base(), k.GP64())
	n := k.Load(k.Param("x").Len(), k.GP64())
	var y reg.Register
	if dst != "" {
		y = k.Load(k.Param(dst).Base(), k.GP64())
	}
	move := k.pick(k.VMOVUPD, k.VMOVUPS)
	group := operand.U8(k.group())
	pass := func(x, y operand.Mem) {
		for part := range k.parts() {
			v := k.vec()
			move(x.Offset(32*part), v)
			if v := step(part, v); dst != "" {
				move(v.(operand.Op), y.Offset(32*part))
			}
		}
	}
	at := func(r reg.Register) operand.Mem { return operand.Mem{Base: r} }

	k.SUBQ(group, n)
	k.JLT(operand.LabelRef("rest"))
	k.Label("loop")
	if dst == "" {
		pass(at(x), operand.Mem{})
	} else {
		pass(at(x), at(y))
		k.ADDQ(operand.U8(64), y)
	}
	k.ADDQ(operand.U8(64), x)
	k.SUBQ(group, n)
	k.JGE(operand.LabelRef("loop"))
	k.Label("rest")
	k.ADDQ(group, n)
	k.JEQ(operand.LabelRef("done"))
	fill := k.constant("zero", 0)
	if pad != 0 {
		fill = k.constant("minusInf", pad)
	}
	if k.wide {
		ones, m := k.GP64(), k.K()
		k.MOVQ(operand.I32(-1), ones)
		k.BZHIQ(n, ones, ones)
		k.KMOVW(ones.As32(), m)
		v := k.copy(fill).(operand.Op)
		move(at(x), m, v)
		if v := step(0, v); dst != "" {
			move(v.(operand.Op), m, at(y))
		}
	} else {
		block, v, i := k.AllocLocal(64), k.copy(fill).(operand.Op), k.GP64()
		move(v, block)
		move(v, block.Offset(32))
		b := k.GP64()
		k.LEAQ(block, b)
		// copyRest copies n elements.
		copyRest := func(label string, from, to reg.Register) {
			e := k.GP64()
			k.XORQ(i, i)
			k.Label(label)
			source := operand.Mem{Base: from, Index: i, Scale: uint8(k.size())}
			target := operand.Mem{Base: to, Index: i, Scale: uint8(k.size())}
			if k.single {
				k.MOVL(source, e.As32())
				k.MOVL(e.As32(), target)
			} else {
				k.MOVQ(source, e)
				k.MOVQ(e, target)
			}
			k.INCQ(i)
			k.CMPQ(i, n)
			k.JLT(operand.LabelRef(label))
		}
		copyRest("copyIn", x, b)
		pass(at(b), at(b))
		if dst != "" {
			copyRest("copyOut", b, y)
		}
	}
	k.Label("done")
}

// elementwise emits a function that sets dst[i] = f(x[i]) for all i. prepare() loads the constants and returns f.
func (k *avx) elementwise(name, doc string, prepare func() unary) {
	k.begin(name, "func(dst, x []T)", doc)
	f := prepare()
	k.loop("dst", 0, func(_ int, x vector) vector { return f(x) })
	k.end()
}

// scale emits x[i] *= factor.
func (k *avx) scale() {
	k.begin("scale", "func(x []T, factor T)", "multiplies x by factor.")
	a := k.broadcast("factor")
	k.loop("x", 0, func(_ int, x vector) vector { return k.mul(a, x) })
	k.end()
}

// largest emits the maximum of the elements that are not NaN, or −Inf if there are no such elements.
func (k *avx) largest() {
	k.begin("largest", "func(x []T) (y T)", "is the largest number of x that is not NaN, else -Inf.")
	pad := k.constant("minusInf", math.Inf(-1))
	acc := make([]register, k.parts())
	for i := range acc {
		acc[i] = k.copy(pad).(register)
	}
	vmax := k.pick(k.VMAXPD, k.VMAXPS)
	k.loop("", math.Inf(-1), func(part int, x vector) vector {
		vmax(acc[part], x.(operand.Op), acc[part]) // x if x > acc, otherwise acc: ignores NaN
		return x
	})
	y := k.fold(acc, vmax)
	ret := k.address(k.Return("y"))
	if k.single {
		h := k.XMM()
		k.VMOVSHDUP(y, h)
		k.VMAXSS(y, h, h)
		k.VMOVSS(h, ret)
	} else {
		k.VMOVSD(y, ret)
	}
	k.end()
}

// fold combines the 8 lanes of acc, of 8 bytes each, with the instruction f: first lanes j and j+4, then j and j+2,
// then j and j+1. The result is in the lowest lane. For float32 this lane still holds two numbers.
func (k *avx) fold(acc []register, f op) register {
	lo := k.YMM()
	if k.wide {
		k.VEXTRACTF64X4(operand.U8(1), acc[0], lo)
		f(acc[0].AsY(), lo, lo)
	} else {
		f(acc[0], acc[1], lo)
	}
	hi := k.XMM()
	k.VEXTRACTF128(operand.U8(1), lo, hi)
	f(lo.AsX(), hi, hi)
	top := k.XMM()
	k.VPERMILPD(operand.U8(1), hi, top)
	f(hi, top, top)
	return top
}

// sumExp emits the sum over i of e_i = exp(x[i] − shift), for x[i] <= shift. If store is true, it also stores e_i in
// dst[i]. There are 8 partial sums in float64: sum number j is over the e_i with i mod 8 = j. At the end, fold
// combines the sums. So the order of the additions depends only on the length of x.
func (k *avx) sumExp(store bool) {
	dst := ""
	if store {
		dst = "dst"
		k.begin("expSum", "func(dst, x []T, shift T) (y float64)", "stores exp(x[i] - shift) and gives the sum; x[i] <= shift.")
	} else {
		k.begin("sumExp", "func(x []T, shift T) (y float64)", "is the sum of exp(x[i] - shift); x[i] <= shift.")
	}
	shift := k.broadcast("shift")
	c := k.expConstants(true)
	acc := make([]register, k.parts())
	for i := range acc {
		acc[i] = k.copy(k.constant("zero", 0)).(register)
	}
	k.loop(dst, math.Inf(-1), func(part int, x vector) vector {
		e := k.exp(c, k.sub(x, shift)).(register)
		switch {
		case !k.single:
			k.VADDPD(e, acc[part], acc[part])
		case k.wide: // 16 numbers: the first 8, then the others
			lo, hi, half := k.ZMM(), k.ZMM(), k.YMM()
			k.VCVTPS2PD(e.AsY(), lo)
			k.VADDPD(lo, acc[0], acc[0])
			k.VEXTRACTF64X4(operand.U8(1), e, half)
			k.VCVTPS2PD(half, hi)
			k.VADDPD(hi, acc[0], acc[0])
		default: // 8 numbers
			lo, hi, half := k.YMM(), k.YMM(), k.XMM()
			k.VCVTPS2PD(e.AsX(), lo)
			k.VADDPD(lo, acc[0], acc[0])
			k.VEXTRACTF128(operand.U8(1), e, half)
			k.VCVTPS2PD(half, hi)
			k.VADDPD(hi, acc[1], acc[1])
		}
		return e
	})
	y := k.fold(acc, k.VADDPD)
	ret := k.address(k.Return("y"))
	k.VMOVSD(y, ret)
	k.end()
}
