package main

import (
	"fmt"
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa is an instruction set. Its methods emit operations on vectors of float32. Operands have the order of the
// mathematical formula, so sub(a, b) is a − b. Each operation returns a new register, except addMul and subMul, which
// change their first argument.
type isa struct {
	name      string // AVX512 or AVX2
	wide      bool
	constants map[string]operand.Mem
}

// A vector is a register of 64 or 32 bytes.
type vector = reg.VecVirtual

func newISA(name string) *isa {
	if name != "avx512" && name != "avx2" {
		panic("gen: no instruction set " + name)
	}
	return &isa{strings.ToUpper(name), name == "avx512", map[string]operand.Mem{}}
}

// bytes returns the length of a vector in bytes.
func (s *isa) bytes() int {
	if s.wide {
		return 64
	}
	return 32
}

func (s *isa) vec() vector {
	if s.wide {
		return ZMM()
	}
	return YMM()
}

// constant returns a vector in memory filled with v.
func (s *isa) constant(name string, v float64) operand.Mem {
	return s.pattern(name, math.Float32bits(float32(v)))
}

func (s *isa) pattern(name string, bits uint32) operand.Mem {
	m, ok := s.constants[name]
	if !ok {
		m = GLOBL(name+s.name, 8|16) // RODATA|NOPTR
		for i := range s.bytes() / 4 {
			DATA(4*i, operand.U32(bits))
		}
		s.constants[name] = m
	}
	return m
}

// load returns a copy of a in a register.
func (s *isa) load(a operand.Op) vector {
	d := s.vec()
	VMOVUPS(a, d)
	return d
}

func (s *isa) broadcast(m operand.Op) vector {
	d := s.vec()
	VBROADCASTSS(m, d)
	return d
}

func (s *isa) zero() vector {
	d := s.vec()
	if s.wide {
		VPXORD(d, d, d)
	} else {
		VXORPS(d, d, d)
	}
	return d
}

func (s *isa) two(f func(...operand.Op), a vector, b operand.Op) vector {
	d := s.vec()
	f(b, a, d) // Go's assembler has the operands in reverse order
	return d
}

func (s *isa) add(a vector, b operand.Op) vector { return s.two(VADDPS, a, b) }
func (s *isa) sub(a vector, b operand.Op) vector { return s.two(VSUBPS, a, b) }
func (s *isa) mul(a vector, b operand.Op) vector { return s.two(VMULPS, a, b) }
func (s *isa) min(a vector, b operand.Op) vector { return s.two(VMINPS, a, b) }
func (s *isa) max(a vector, b operand.Op) vector { return s.two(VMAXPS, a, b) }

// addMul changes c to c + a b, and subMul changes c to c − a b. Both round once.
func (s *isa) addMul(c, a vector, b operand.Op) { VFMADD231PS(b, a, c) }
func (s *isa) subMul(c, a vector, b operand.Op) { VFNMADD231PS(b, a, c) }

// or emits a bitwise or.
func (s *isa) or(a vector, b operand.Op) vector {
	if s.wide {
		return s.two(VPORD, a, b)
	}
	return s.two(VORPS, a, b)
}

// xor emits a bitwise exclusive or.
func (s *isa) xor(a vector, b operand.Op) vector {
	if s.wide {
		return s.two(VPXORD, a, b)
	}
	return s.two(VXORPS, a, b)
}

// below returns a vector with the elements of yes where x < y, and those of no elsewhere.
func (s *isa) below(x, y vector, yes, no vector) vector {
	const less = operand.U8(0x11) // less than, without an exception for NaN
	d := s.vec()
	if s.wide {
		k := K()
		VCMPPS(less, y, x, k)
		VBLENDMPS(yes, no, k, d)
		return d
	}
	m := s.vec()
	VCMPPS(less, y, x, m)
	VBLENDVPS(m, yes, no, d)
	return d
}

// keep loads the constant m into a register if there are enough registers, as with AVX-512. Otherwise it returns m
// itself.
func (s *isa) keep(m operand.Mem) operand.Op {
	if s.wide {
		return s.load(m)
	}
	return m
}

// The coefficients of e^r = 1 + r + r²/2 + r³ P(r), |r| <= log(2)/2, are those of
// package vmath; the largest relative error is 2^-28.
var expTail = []float64{0.16666534543037415, 0.041667237877845764, 0.008367474190890789, 0.0013863765634596348}

// exp loads the constants and returns a function that emits e^x for x <= 0. Arguments below −87 count as −87, so that
// the result is never subnormal.
func (s *isa) exp() func(x vector) vector {
	const ln2Hi = float64(float32(math.Ln2))
	least := s.keep(s.constant("least", -87))
	log2e := s.keep(s.constant("log2e", math.Log2E))
	round := s.keep(s.constant("round", 1.5*(1<<23)+127)) // leaves n + 127 in the low bits
	hi, lo := s.keep(s.constant("ln2Hi", ln2Hi)), s.keep(s.constant("ln2Lo", math.Ln2-ln2Hi))
	poly := []operand.Op{s.keep(s.constant("one", 1)), s.keep(s.constant("one", 1)), s.keep(s.constant("half", 0.5))}
	for i, v := range expTail {
		poly = append(poly, s.keep(s.constant(fmt.Sprintf("expTail%d", i), v)))
	}
	return func(x vector) vector {
		x = s.max(x, least)
		t := s.load(round)
		s.addMul(t, x, log2e)
		n := s.sub(t, round)
		s.subMul(x, n, hi)
		s.subMul(x, n, lo)
		p := s.load(poly[len(poly)-1])
		for i := len(poly) - 2; i >= 0; i-- {
			VFMADD213PS(poly[i], x, p)
		}
		power := s.vec()
		VPSLLD(operand.U8(23), t, power)
		return s.mul(p, power)
	}
}

// sigmoid loads the constants and returns a function that emits 1/(1+e^−x) = (x < 0 ? t : 1)/(1 + t), with t = e^−|x|.
func (s *isa) sigmoid() func(x vector) vector {
	exp := s.exp()
	one := s.keep(s.constant("one", 1))
	sign := s.keep(s.pattern("sign", 1<<31))
	return func(x vector) vector {
		e := exp(s.or(x, sign))
		num := s.below(x, s.zero(), e, s.load(one))
		if !s.wide {
			return s.two(VDIVPS, num, s.add(e, one))
		}
		// A 14-bit reciprocal and one Newton step take a third of the time of a division.
		d := s.add(e, one)
		r := s.vec()
		VRCP14PS(d, r)
		error := s.load(one)
		s.subMul(error, d, r)
		s.addMul(r, r, error)
		return s.mul(num, r)
	}
}

// param emits a load of the named argument of the function being written, and returns its register.
func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// memoryAt returns the address base + index bytes.
func memoryAt(base, index reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: 1}
}

// address returns the address of the named argument of the function being written.
func address(name string) operand.Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}
