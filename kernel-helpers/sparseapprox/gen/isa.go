package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa is an instruction set used for one type of number. Its methods emit
// the few instructions that the kernels need.
type isa struct {
	name    string // AVX512 or AVX2
	float64 bool
	lanes   int // numbers in a vector
	size    int // bytes in a number
	table   operand.Mem
}

func newISA(name string, float64s bool) *isa {
	s := &isa{name: strings.ToUpper(name), float64: float64s, size: 4}
	if float64s {
		s.size = 8
	}
	switch name {
	case "avx512":
		s.lanes = 64 / s.size
	case "avx2":
		s.lanes = 32 / s.size
		s.table = s.maskTable()
	default:
		panic("gen: no instruction set " + name)
	}
	return s
}

func (s *isa) wide() bool { return s.name == "AVX512" }

// bytes is the length of a vector in bytes.
func (s *isa) bytes() int { return s.lanes * s.size }

// typ is the Go type of a number.
func (s *isa) typ() string {
	if s.float64 {
		return "float64"
	}
	return "float32"
}

// suffix ends the names of the functions, as in F32AVX512.
func (s *isa) suffix() string { return fmt.Sprintf("F%d%s", 8*s.size, s.name) }

// v is the i-th vector register.
func (s *isa) v(i int) reg.Register {
	r := [...]reg.Vec{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
		reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
		reg.X24, reg.X25, reg.X26, reg.X27, reg.X28, reg.X29, reg.X30, reg.X31,
	}[i]
	if s.wide() {
		return r.AsZ()
	}
	return r.AsY()
}

// x is the first quarter or half of it.
func (s *isa) x(i int) reg.Register { return s.v(i).(reg.Vec).AsX() }

// pick takes the instruction for single or double precision.
func (s *isa) pick(ps, pd func(...operand.Op), ops ...operand.Op) {
	if s.float64 {
		pd(ops...)
	} else {
		ps(ops...)
	}
}

func (s *isa) load(m, v operand.Op)      { s.pick(VMOVUPS, VMOVUPD, m, v) }
func (s *isa) store(v, m operand.Op)     { s.pick(VMOVUPS, VMOVUPD, v, m) }
func (s *isa) broadcast(m, v operand.Op) { s.pick(VBROADCASTSS, VBROADCASTSD, m, v) }
func (s *isa) add(x, y, z operand.Op)    { s.pick(VADDPS, VADDPD, x, y, z) }
func (s *isa) fma(x, y, sum operand.Op)  { s.pick(VFMADD231PS, VFMADD231PD, x, y, sum) }
func (s *isa) zero(v operand.Op) {
	if s.wide() {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}

// A mask says how many of the lanes of a vector are there: a mask register, or
// a vector whose lanes have the top bit set.
type mask struct{ r reg.Register }

// mask makes a mask of the first n lanes; n is a register and keeps its value.
// spare is the vector register that AVX2 may use for it.
func (s *isa) mask(n reg.GPVirtual, spare reg.Register) mask {
	if s.wide() {
		ones, k := GP64(), K()
		MOVQ(operand.I32(-1), ones)
		BZHIQ(n, ones, ones)
		KMOVW(ones.As32(), k)
		return mask{k}
	}
	at, back := GP64(), GP64()
	LEAQ(s.table.Offset(s.bytes()), at)
	MOVQ(n, back)
	NEGQ(back)
	VMOVUPS(operand.Mem{Base: at, Index: back, Scale: uint8(s.size)}, spare)
	return mask{spare}
}

// maskTable is the data from which AVX2's masks are read: a vector of ones and
// one of zeros.
func (s *isa) maskTable() operand.Mem {
	t := GLOBL("mask"+s.suffix(), 8|16) // RODATA|NOPTR
	for i := range 2 * s.bytes() / 8 {
		v := operand.U64(0)
		if 8*i < s.bytes() {
			v = ^v
		}
		DATA(8*i, v)
	}
	return t
}

// loadMasked reads the masked lanes, 0 for the others, and touches no memory
// of the others.
func (s *isa) loadMasked(m operand.Op, k mask, v operand.Op) {
	switch {
	case s.wide() && s.float64:
		VMOVUPD_Z(m, k.r, v)
	case s.wide():
		VMOVUPS_Z(m, k.r, v)
	case s.float64:
		VMASKMOVPD(m, k.r, v)
	default:
		VMASKMOVPS(m, k.r, v)
	}
}

func (s *isa) storeMasked(v operand.Op, k mask, m operand.Op) {
	switch {
	case s.wide() && s.float64:
		VMOVUPD(v, k.r, m)
	case s.wide():
		VMOVUPS(v, k.r, m)
	case s.float64:
		VMASKMOVPD(v, k.r, m)
	default:
		VMASKMOVPS(v, k.r, m)
	}
}

// param loads an argument of the function.
func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// address is where an argument of the function lies.
func address(name string) operand.Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// done ends a function.
func done() {
	VZEROUPPER()
	RET()
}

// at is base + scale*index bytes.
func at(base, index reg.Register, scale int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: uint8(scale)}
}
