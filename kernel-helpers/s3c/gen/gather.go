package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chunk is the maximum number of vectors of a row that are kept in registers.
const chunk = 8

// dots emits out_j += w_j · r for the units j, four units at a time. w_j and r are as long as c vectors.
func dots(s *isa, c int) {
	name := fmt.Sprintf("dots%d%s", c, s.name)
	TEXT(name, NOSPLIT, "func(units int, w *float32, stride int, r, out *float32)")
	Pragma("noescape")
	Doc(name + " adds the products of r with rows of w to out; units is a multiple of 4, stride in bytes.")
	units, w, stride, r, out := param("units"), param("w"), param("stride"), param("r"), param("out")
	var held []vector
	for i := range c {
		held = append(held, s.load(operand.Mem{Base: r, Disp: i * s.bytes()}))
	}
	Label("units")
	var sum [4]vector
	for u := range sum {
		sum[u] = s.mul(held[0], operand.Mem{Base: w})
		for i := 1; i < c; i++ {
			s.addMul(sum[u], held[i], operand.Mem{Base: w, Disp: i * s.bytes()})
		}
		ADDQ(stride, w)
	}
	var y [4]reg.VecVirtual
	for u, v := range sum {
		y[u] = v.AsY().(reg.VecVirtual)
		if s.wide {
			top := YMM()
			VEXTRACTF64X4(operand.Imm(1), v, top)
			VADDPS(top, y[u], y[u])
		}
	}
	VHADDPS(y[1], y[0], y[0])
	VHADDPS(y[3], y[2], y[2])
	VHADDPS(y[2], y[0], y[0])
	x := XMM()
	VEXTRACTF128(operand.Imm(1), y[0], x)
	VADDPS(y[0].AsX(), x, x)
	VADDPS(operand.Mem{Base: out}, x, x)
	VMOVUPS(x, operand.Mem{Base: out})
	ADDQ(operand.Imm(16), out)
	SUBQ(operand.Imm(4), units)
	JNE(operand.LabelRef("units"))
	VZEROUPPER()
	RET()
}

// sums emits r −= Σ_j m_j w_j over the units j. w_j and r are as long as c vectors.
func sums(s *isa, c int) {
	name := fmt.Sprintf("sums%d%s", c, s.name)
	TEXT(name, NOSPLIT, "func(units int, w *float32, stride int, m, r *float32)")
	Pragma("noescape")
	Doc(name + " subtracts m times rows of w from r; stride is in bytes.")
	units, w, stride, m, r := param("units"), param("w"), param("stride"), param("m"), param("r")
	var held []vector
	for i := range c {
		held = append(held, s.load(operand.Mem{Base: r, Disp: i * s.bytes()}))
	}
	Label("units")
	f := s.broadcast(operand.Mem{Base: m})
	for i := range c {
		s.subMul(held[i], f, operand.Mem{Base: w, Disp: i * s.bytes()})
	}
	ADDQ(stride, w)
	ADDQ(operand.Imm(4), m)
	DECQ(units)
	JNE(operand.LabelRef("units"))
	for i := range c {
		VMOVUPS(held[i], operand.Mem{Base: r, Disp: i * s.bytes()})
	}
	VZEROUPPER()
	RET()
}

// respond emits the response of the passive units (see SkipOptions in package s3c) for whole vectors:
//
//	u <- keep u + step (level + c r)
//
// Here level, c, r and u are vectors, and keep and step are numbers; all are arguments of the emitted function. level
// is the g of SkipOptions.
func respond(s *isa) {
	name := "respond" + s.name
	TEXT(name, NOSPLIT, "func(n int, keep, step float32, level, c, r, u *float32)")
	Pragma("noescape")
	Doc(name + " is the response of the passive units; n is a multiple of 16.")
	n, level, c, r, u := param("n"), param("level"), param("c"), param("r"), param("u")
	keep, step := s.broadcast(address("keep")), s.broadcast(address("step"))
	SHLQ(operand.Imm(2), n)
	i := GP64()
	XORQ(i, i)
	Label("vector")
	x, y := s.load(memoryAt(level, i)), s.load(memoryAt(c, i))
	s.addMul(x, y, memoryAt(r, i))
	z := s.mul(keep, memoryAt(u, i))
	s.addMul(z, x, step)
	VMOVUPS(z, memoryAt(u, i))
	ADDQ(operand.Imm(uint64(s.bytes())), i)
	CMPQ(i, n)
	JNE(operand.LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// column emits a loop that copies n numbers, which are stride bytes apart, to contiguous memory. n is a
// multiple of the length of a vector.
func column(s *isa) {
	name := "column" + s.name
	TEXT(name, NOSPLIT, "func(n int, src *float32, stride int, dst *float32)")
	Pragma("noescape")
	Doc(name + " copies n numbers, stride bytes apart; n is a multiple of 16.")
	n, src, stride, dst := param("n"), param("src"), param("stride"), param("dst")
	places := GLOBL("places"+s.name, 8|16)
	for i := range s.bytes() / 4 {
		DATA(4*i, operand.U32(i))
	}
	index, all := s.vec(), s.vec()
	VPBROADCASTD(address("stride"), index)
	VPMULLD(places, index, index)
	step := GP64()
	MOVQ(stride, step)
	shift := uint64(3)
	if s.wide {
		shift = 4
	}
	SHLQ(operand.Imm(shift), step)
	Label("vector")
	from := operand.Mem{Base: src, Index: index, Scale: 1}
	v := s.zero()
	if s.wide {
		k := K()
		KXNORW(k, k, k)
		VGATHERDPS(from, k, v)
	} else {
		VPCMPEQD(all, all, all)
		VGATHERDPS(all, from, v)
	}
	VMOVUPS(v, operand.Mem{Base: dst})
	ADDQ(step, src)
	ADDQ(operand.Imm(uint64(s.bytes())), dst)
	SUBQ(operand.Imm(uint64(s.bytes()/4)), n)
	JNE(operand.LabelRef("vector"))
	VZEROUPPER()
	RET()
}
