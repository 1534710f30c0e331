package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

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
