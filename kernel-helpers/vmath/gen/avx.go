package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An avx is the machine (see kernel.go) that emits instructions of AVX2 or AVX-512. It emits one function after
// another.
//
// The methods for arithmetic return a new register, except addMul and subMul, which change their first argument.
type avx struct {
	kernel
	*build.Context
	wide bool // AVX-512 (64-byte registers), otherwise AVX2 and FMA (32-byte)
	// constants holds the addresses of the file's constants by name.
	constants map[string]operand.Mem
}

func newAVX(c *build.Context, wide, single bool, constants map[string]operand.Mem) *avx {
	k := &avx{kernel{nil, single}, c, wide, constants}
	k.machine = k
	return k
}

// A register is a virtual register of 32 or 64 bytes, which avo allocates.
type register = reg.VecVirtual

// An op is a method of avo's Context that emits one instruction with the given operands.
type op = func(...operand.Op)

// pick returns the instruction for the kernel's precision: double for float64, single for float32.
func (k *avx) pick(double, single op) op {
	if k.single {
		return single
	}
	return double
}

// parts returns the number of registers that hold a group, the 64 bytes that one pass of a loop processes.
func (k *avx) parts() int {
	if k.wide {
		return 1
	}
	return 2
}

func (k *avx) vec() register {
	if k.wide {
		return k.ZMM()
	}
	return k.YMM()
}

// pattern returns the address of a 64-byte constant in which every element has the bit pattern given by bits. The
// argument called name is the first part of the constant's name in the assembly.
func (k *avx) pattern(name string, bits uint64) value {
	name = fmt.Sprintf("%s%d", name, 8*k.size())
	m, ok := k.constants[name]
	if !ok {
		m = k.StaticGlobal(name)
		k.DataAttributes(attr.RODATA | attr.NOPTR)
		for range k.group() {
			if k.single {
				k.AppendDatum(operand.U32(bits))
			} else {
				k.AppendDatum(operand.U64(bits))
			}
		}
		k.constants[name] = m
	}
	return m
}

// keep returns a constant for use in a loop. With AVX-512 it moves the constant into a register. AVX2 has too few
// registers, so the loop reads the constant from memory each time.
func (k *avx) keep(m value) value {
	if k.wide {
		return k.copy(m)
	}
	return m
}

func (k *avx) copy(a value) vector {
	d := k.vec()
	k.pick(k.VMOVUPD, k.VMOVUPS)(a.(operand.Op), d)
	return d
}

// reg returns the value a in a register; if a is already a register, it returns a itself.
func (k *avx) reg(a value) vector {
	if v, ok := a.(register); ok {
		return v
	}
	return k.copy(a)
}

// two emits d = f(a, b), where f is an instruction with three operands.
func (k *avx) two(f op, a, b value) vector {
	d := k.vec()
	f(b.(operand.Op), a.(operand.Op), d) // Go's assembler has the operands in reverse
	return d
}

func (k *avx) add(a vector, b value) vector {
	return k.two(k.pick(k.VADDPD, k.VADDPS), a, b)
}

func (k *avx) sub(a vector, b value) vector {
	return k.two(k.pick(k.VSUBPD, k.VSUBPS), a, b)
}

func (k *avx) mul(a vector, b value) vector {
	return k.two(k.pick(k.VMULPD, k.VMULPS), a, b)
}

func (k *avx) div(a vector, b value) vector {
	return k.two(k.pick(k.VDIVPD, k.VDIVPS), a, b)
}

// min returns a where a < b, otherwise b, so a NaN in b survives.
func (k *avx) min(a value, b vector) vector {
	return k.two(k.pick(k.VMINPD, k.VMINPS), k.reg(a), b)
}

// max returns a where a > b, otherwise b, so a NaN in b survives.
func (k *avx) max(a value, b vector) vector {
	return k.two(k.pick(k.VMAXPD, k.VMAXPS), k.reg(a), b)
}

// addMul changes c to c + a b, rounded once.
func (k *avx) addMul(c, a vector, b value) {
	k.pick(k.VFMADD231PD, k.VFMADD231PS)(b.(operand.Op), a.(operand.Op), c.(operand.Op))
}

// subMul changes c to c − a b, rounded once.
func (k *avx) subMul(c, a vector, b value) {
	k.pick(k.VFNMADD231PD, k.VFNMADD231PS)(b.(operand.Op), a.(operand.Op), c.(operand.Op))
}

// horner returns c[0] + c[1] x + …
func (k *avx) horner(c []value, x vector) vector {
	n := len(c) - 1
	p := k.copy(c[n])
	for i := n - 1; i >= 0; i-- {
		k.pick(k.VFMADD213PD, k.VFMADD213PS)(c[i].(operand.Op), x.(operand.Op), p.(operand.Op))
	}
	return p
}

// The operations on bits and integers.

func (k *avx) and(a vector, b value) vector {
	if k.wide {
		return k.two(k.VPANDQ, a, b)
	}
	return k.two(k.VANDPD, a, b)
}

func (k *avx) or(a vector, b value) vector {
	if k.wide {
		return k.two(k.VPORQ, a, b)
	}
	return k.two(k.VORPD, a, b)
}

func (k *avx) addInt(a vector, b value) vector {
	return k.two(k.pick(k.VPADDQ, k.VPADDD), a, b)
}

func (k *avx) subInt(a vector, b value) vector {
	return k.two(k.pick(k.VPSUBQ, k.VPSUBD), a, b)
}

func (k *avx) shiftRight(a vector, n int) vector {
	d := k.vec()
	k.pick(k.VPSRLQ, k.VPSRLD)(operand.U8(n), a.(operand.Op), d)
	return d
}

func (k *avx) shiftLeft(a vector, n int) vector {
	d := k.vec()
	k.pick(k.VPSLLQ, k.VPSLLD)(operand.U8(n), a.(operand.Op), d)
	return d
}

func (k *avx) compare(a vector, predicate int, b value) mask {
	var d operand.Op = k.vec()
	if k.wide {
		d = k.K()
	}
	k.pick(k.VCMPPD, k.VCMPPS)(operand.U8(predicate), b.(operand.Op), a.(operand.Op), d)
	return d
}

// negative returns the mask of lanes with the sign bit set. With AVX2 the mask is the vector a itself,
// because only the sign bits of a mask matter.
func (k *avx) negative(a vector) mask {
	if !k.wide {
		return a
	}
	d := k.K()
	if k.single {
		k.VPMOVD2M(a.(operand.Op), d)
	} else {
		k.VPMOVQ2M(a.(operand.Op), d)
	}
	return d
}

// choose returns a vector that equals yes in the lanes of the mask m, and no in the other lanes.
func (k *avx) choose(m mask, yes value, no vector) vector {
	d := k.vec()
	switch {
	case k.wide:
		k.pick(k.VBLENDMPD, k.VBLENDMPS)(yes.(operand.Op), no.(operand.Op), m.(operand.Op), d)
	case k.single:
		k.VBLENDVPS(m.(operand.Op), yes.(operand.Op), no.(operand.Op), d)
	default:
		k.VBLENDVPD(m.(operand.Op), yes.(operand.Op), no.(operand.Op), d)
	}
	return d
}

// chooseOrZero returns a vector that equals the value called yes in the lanes of the mask m, and 0 in the other lanes.
// Without AVX-512, m must be a result of compare.
func (k *avx) chooseOrZero(m mask, yes value) vector {
	if !k.wide {
		return k.and(m, yes)
	}
	d := k.vec()
	if k.single {
		k.VMOVUPS_Z(yes.(operand.Op), m.(operand.Op), d)
	} else {
		k.VMOVUPD_Z(yes.(operand.Op), m.(operand.Op), d)
	}
	return d
}

// scaleBy returns p 2^n for integers n, or nil if there is no instruction for it.
func (k *avx) scaleBy(p, n vector) vector {
	if !k.wide {
		return nil
	}
	return k.two(k.pick(k.VSCALEFPD, k.VSCALEFPS), p, n)
}

// ownLog returns a function that emits log x with AVX-512's instructions for exponent and mantissa, or nil without
// AVX-512.
func (k *avx) ownLog(c logConstants, root float64) unary {
	if !k.wide {
		return nil
	}
	split := k.constantVec("sqrt2", 2*root)
	// The table for VFIXUPIMM has one digit for each class of x, lowest digit first. NaN: NaN; ±0: −Inf; 1:
	// as computed; −Inf: NaN; +Inf: +Inf; negative: NaN; positive: as computed.
	table := k.keep(k.pattern("fixup", 0x03530422)).(operand.Op)
	return func(x vector) vector {
		n, m := k.vec(), k.vec()
		k.pick(k.VGETEXPPD, k.VGETEXPPS)(x.(operand.Op), n)
		k.pick(k.VGETMANTPD, k.VGETMANTPS)(operand.U8(0), x.(operand.Op), m) // 1 <= m < 2
		big := k.compare(m, greaterEqual, split).(operand.Op)
		k.pick(k.VMULPD, k.VMULPS)(c.half.(operand.Op), m, big, m)
		k.pick(k.VADDPD, k.VADDPS)(c.one.(operand.Op), n, big, n)
		y := k.log1p(c, n, k.sub(m, c.one))
		k.pick(k.VFIXUPIMMPD, k.VFIXUPIMMPS)(operand.U8(0), table, x.(operand.Op), y.(operand.Op))
		return y
	}
}
