package avogen

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An ISA is an instruction set for one type of number. Its methods emit the few instructions that the kernels need.
type ISA struct {
	Name    string // AVX512 or AVX2
	Float64 bool
	Lanes   int // numbers per vector
	Size    int // bytes per number
	table   operand.Mem
}

// New returns the instruction set with the given name, avx512 or avx2, for float64 or float32. For AVX2 it adds to the
// generated file the table from which masks are read. So call it only once for each type of number.
func New(name string, float64s bool) *ISA {
	s := &ISA{Name: strings.ToUpper(name), Float64: float64s, Size: 4}
	if float64s {
		s.Size = 8
	}
	switch name {
	case "avx512":
		s.Lanes = 64 / s.Size
	case "avx2":
		s.Lanes = 32 / s.Size
		s.table = s.maskTable()
	default:
		panic("avogen: no instruction set " + name)
	}
	return s
}

// Wide reports whether the instruction set is AVX-512.
func (s *ISA) Wide() bool { return s.Name == "AVX512" }

// Bytes returns the length of a vector in bytes.
func (s *ISA) Bytes() int { return s.Lanes * s.Size }

// Type returns the Go type of a number.
func (s *ISA) Type() string {
	if s.Float64 {
		return "float64"
	}
	return "float32"
}

// Suffix returns the suffix of the names of the generated functions, such as F32AVX512.
func (s *ISA) Suffix() string { return fmt.Sprintf("F%d%s", 8*s.Size, s.Name) }

// V returns the i-th vector register.
func (s *ISA) V(i int) reg.Register {
	r := [...]reg.Vec{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
		reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
		reg.X24, reg.X25, reg.X26, reg.X27, reg.X28, reg.X29, reg.X30, reg.X31,
	}[i]
	if s.Wide() {
		return r.AsZ()
	}
	return r.AsY()
}

// X returns the first 16 bytes of V(i); Y returns the first 32 bytes.
func (s *ISA) X(i int) reg.Register { return s.V(i).(reg.Vec).AsX() }
func (s *ISA) Y(i int) reg.Register { return s.V(i).(reg.Vec).AsY() }

// pick emits an instruction by calling ps for single precision, or pd for double precision.
func (s *ISA) pick(ps, pd func(...operand.Op), ops ...operand.Op) {
	if s.Float64 {
		pd(ops...)
	} else {
		ps(ops...)
	}
}

func (s *ISA) Load(m, v operand.Op)      { s.pick(VMOVUPS, VMOVUPD, m, v) }
func (s *ISA) Store(v, m operand.Op)     { s.pick(VMOVUPS, VMOVUPD, v, m) }
func (s *ISA) Broadcast(m, v operand.Op) { s.pick(VBROADCASTSS, VBROADCASTSD, m, v) }
func (s *ISA) Mul(x, y, z operand.Op)    { s.pick(VMULPS, VMULPD, x, y, z) }
func (s *ISA) Add(x, y, z operand.Op)    { s.pick(VADDPS, VADDPD, x, y, z) }
func (s *ISA) FMA(x, y, sum operand.Op)  { s.pick(VFMADD231PS, VFMADD231PD, x, y, sum) }

// Zero sets v to 0.
func (s *ISA) Zero(v operand.Op) {
	if s.Wide() {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}

// A Mask selects the lanes of a vector that are in use. It is a mask register, or a vector with the top bit
// set in these lanes.
type Mask struct{ r reg.Register }

// Mask returns a mask of the first n lanes. n is a register and keeps its value. spare is a vector register that AVX2
// may use for the mask.
func (s *ISA) Mask(n reg.GPVirtual, spare reg.Register) Mask {
	if s.Wide() {
		ones, k := GP64(), K()
		MOVQ(operand.I32(-1), ones)
		BZHIQ(n, ones, ones)
		KMOVW(ones.As32(), k)
		return Mask{k}
	}
	at, back := GP64(), GP64()
	LEAQ(s.table.Offset(s.Bytes()), at)
	MOVQ(n, back)
	NEGQ(back)
	VMOVUPS(operand.Mem{Base: at, Index: back, Scale: uint8(s.Size)}, spare)
	return Mask{spare}
}

// maskTable adds to the file the table from which AVX2's masks are read, and returns its address. The table is a
// vector in which all bits are 1, followed by a vector in which all bits are 0.
func (s *ISA) maskTable() operand.Mem {
	t := GLOBL("mask"+s.Suffix(), 8|16) // RODATA|NOPTR
	for i := range 2 * s.Bytes() / 8 {
		v := operand.U64(0)
		if 8*i < s.Bytes() {
			v = ^v
		}
		DATA(8*i, v)
	}
	return t
}

// LoadMasked reads the lanes in the mask k, and sets the other lanes to 0 without reading their memory.
func (s *ISA) LoadMasked(m operand.Op, k Mask, v operand.Op) {
	switch {
	case s.Wide() && s.Float64:
		VMOVUPD_Z(m, k.r, v)
	case s.Wide():
		VMOVUPS_Z(m, k.r, v)
	case s.Float64:
		VMASKMOVPD(m, k.r, v)
	default:
		VMASKMOVPS(m, k.r, v)
	}
}

// StoreMasked writes the lanes in the mask k. It does not write the memory of the other lanes.
func (s *ISA) StoreMasked(v operand.Op, k Mask, m operand.Op) {
	switch {
	case s.Wide() && s.Float64:
		VMOVUPD(v, k.r, m)
	case s.Wide():
		VMOVUPS(v, k.r, m)
	case s.Float64:
		VMASKMOVPD(v, k.r, m)
	default:
		VMASKMOVPS(v, k.r, m)
	}
}

// Argument emits code that loads the function's argument with the given name into a new register, and returns
// this register.
func Argument(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// Address returns the place in memory of the function's argument with the given name.
func Address(name string) operand.Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// Done emits the end of a function: VZEROUPPER and RET.
func Done() {
	VZEROUPPER()
	RET()
}

// At returns the memory operand at the address base + scale*index.
func At(base, index reg.Register, scale int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: uint8(scale)}
}
