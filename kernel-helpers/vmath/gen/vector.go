package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel emits one assembly function for one instruction set and one
// precision. Its methods are the vector operations of which the functions are
// made, so that each algorithm is written once: the four versions of it take the
// same roundings in the same order.
//
// Operands are in the order of the formula. An operand.Op may be a register or
// memory; a vector is a register. Every method gives a new register, but for
// addMul and subMul.
type kernel struct {
	*build.Context
	wide   bool // AVX-512 (64-byte registers), else AVX2 and FMA (32-byte)
	single bool // float32, else float64
	// constants holds the addresses of the constants by name, for the file.
	constants map[string]operand.Mem
}

// A vector is a register of 32 or 64 bytes that avo will choose.
type vector = reg.VecVirtual

// A unary emits the work on one register.
type unary = func(x vector) vector

// op is an instruction that avo offers with any number of operands.
type op = func(...operand.Op)

// pick is the instruction for the precision.
func (k kernel) pick(double, single op) op {
	if k.single {
		return single
	}
	return double
}

// size is the bytes of an element.
func (k kernel) size() int {
	if k.single {
		return 4
	}
	return 8
}

// group is the elements in 64 bytes: what a pass of a loop takes.
func (k kernel) group() int { return 64 / k.size() }

// parts is the registers that a group needs.
func (k kernel) parts() int {
	if k.wide {
		return 1
	}
	return 2
}

func (k kernel) vec() vector {
	if k.wide {
		return k.ZMM()
	}
	return k.YMM()
}

// constant returns 64 bytes of memory filled with v, which is called name in the
// listing.
func (k kernel) constant(name string, v float64) operand.Mem {
	if k.single {
		return k.pattern(name, uint64(math.Float32bits(float32(v))))
	}
	return k.pattern(name, math.Float64bits(v))
}

// pattern is constant for a bit pattern.
func (k kernel) pattern(name string, bits uint64) operand.Mem {
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

// keep moves a constant into a register for the time of the loop if there are
// registers enough, which is with AVX-512; AVX2 takes it from memory each time.
func (k kernel) keep(m operand.Mem) operand.Op {
	if k.wide {
		return k.copy(m)
	}
	return m
}

// constantVec is keep(constant(name, v)).
func (k kernel) constantVec(name string, v float64) operand.Op {
	return k.keep(k.constant(name, v))
}

func (k kernel) copy(a operand.Op) vector {
	d := k.vec()
	k.pick(k.VMOVUPD, k.VMOVUPS)(a, d)
	return d
}

// reg returns a itself if it is a register.
func (k kernel) reg(a operand.Op) vector {
	if v, ok := a.(vector); ok {
		return v
	}
	return k.copy(a)
}

// two emits d = f(a, b), where f is an instruction of three operands.
func (k kernel) two(f op, a vector, b operand.Op) vector {
	d := k.vec()
	f(b, a, d) // Go's assembler has the operands in reverse
	return d
}

func (k kernel) add(a vector, b operand.Op) vector {
	return k.two(k.pick(k.VADDPD, k.VADDPS), a, b)
}

func (k kernel) sub(a vector, b operand.Op) vector {
	return k.two(k.pick(k.VSUBPD, k.VSUBPS), a, b)
}

func (k kernel) mul(a vector, b operand.Op) vector {
	return k.two(k.pick(k.VMULPD, k.VMULPS), a, b)
}

func (k kernel) div(a vector, b operand.Op) vector {
	return k.two(k.pick(k.VDIVPD, k.VDIVPS), a, b)
}

// min is a where a < b, else b: a NaN in b survives.
func (k kernel) min(a operand.Op, b vector) vector {
	return k.two(k.pick(k.VMINPD, k.VMINPS), k.reg(a), b)
}

// max is a where a > b, else b: a NaN in b survives.
func (k kernel) max(a operand.Op, b vector) vector {
	return k.two(k.pick(k.VMAXPD, k.VMAXPS), k.reg(a), b)
}

// addMul changes c to c + a b, rounded once.
func (k kernel) addMul(c, a vector, b operand.Op) {
	k.pick(k.VFMADD231PD, k.VFMADD231PS)(b, a, c)
}

// subMul changes c to c − a b, rounded once.
func (k kernel) subMul(c, a vector, b operand.Op) {
	k.pick(k.VFNMADD231PD, k.VFNMADD231PS)(b, a, c)
}

// horner is c[0] + c[1] x + …
func (k kernel) horner(c []operand.Op, x vector) vector {
	n := len(c) - 1
	p := k.copy(c[n])
	for i := n - 1; i >= 0; i-- {
		k.pick(k.VFMADD213PD, k.VFMADD213PS)(c[i], x, p)
	}
	return p
}

// The operations on bits and integers.

func (k kernel) and(a vector, b operand.Op) vector {
	if k.wide {
		return k.two(k.VPANDQ, a, b)
	}
	return k.two(k.VANDPD, a, b)
}

func (k kernel) or(a vector, b operand.Op) vector {
	if k.wide {
		return k.two(k.VPORQ, a, b)
	}
	return k.two(k.VORPD, a, b)
}

func (k kernel) addInt(a vector, b operand.Op) vector {
	return k.two(k.pick(k.VPADDQ, k.VPADDD), a, b)
}

func (k kernel) subInt(a vector, b operand.Op) vector {
	return k.two(k.pick(k.VPSUBQ, k.VPSUBD), a, b)
}

func (k kernel) shiftRight(a vector, n int) vector {
	d := k.vec()
	k.pick(k.VPSRLQ, k.VPSRLD)(operand.U8(n), a, d)
	return d
}

func (k kernel) shiftLeft(a vector, n int) vector {
	d := k.vec()
	k.pick(k.VPSLLQ, k.VPSLLD)(operand.U8(n), a, d)
	return d
}

// A mask tells lanes apart: a mask register with AVX-512, else the sign bits of
// a vector.
type mask operand.Op

// Comparisons that do not signal.
const (
	equal        = 0x00
	notLess      = 0x15 // true for NaN
	less         = 0x11
	greaterEqual = 0x1d
)

func (k kernel) compare(a vector, predicate int, b operand.Op) mask {
	var d operand.Op = k.vec()
	if k.wide {
		d = k.K()
	}
	k.pick(k.VCMPPD, k.VCMPPS)(operand.U8(predicate), b, a, d)
	return d
}

// negative is the lanes of which the sign bit is set.
func (k kernel) negative(a vector) mask {
	if !k.wide {
		return a
	}
	d := k.K()
	if k.single {
		k.VPMOVD2M(a, d)
	} else {
		k.VPMOVQ2M(a, d)
	}
	return d
}

// choose is yes in the lanes of m, else no.
func (k kernel) choose(m mask, yes operand.Op, no vector) vector {
	d := k.vec()
	switch {
	case k.wide:
		k.pick(k.VBLENDMPD, k.VBLENDMPS)(yes, no, m, d)
	case k.single:
		k.VBLENDVPS(m, yes, no, d)
	default:
		k.VBLENDVPD(m, yes, no, d)
	}
	return d
}

// chooseOrZero is yes in the lanes of m, else 0. Without AVX-512 m must come
// from compare.
func (k kernel) chooseOrZero(m mask, yes operand.Op) vector {
	if !k.wide {
		return k.and(m.(vector), yes)
	}
	d := k.vec()
	if k.single {
		k.VMOVUPS_Z(yes, m, d)
	} else {
		k.VMOVUPD_Z(yes, m, d)
	}
	return d
}
