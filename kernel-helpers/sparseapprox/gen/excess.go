package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// excess emits the search for the worst violation: the largest of 0 and
// max(q_j, sign q_j) − bound_j.
func excess(s *isa) {
	name := "excess" + s.suffix()
	TEXT(name, NOSPLIT, "func(n int, q, bound *float32, sign float32) float32")
	Pragma("noescape")
	Doc(name + " is the largest of 0 and max(q_j, sign q_j) − bound_j.")
	n, q, bound := param("n"), param("q"), param("bound")
	s.broadcast(address("sign"), s.v(1))
	s.zero(s.v(0))
	s.strip(n, func(p passage) {
		s.over(p, q, bound)
		VMAXPS(s.v(2), s.v(0), s.v(0))
	})
	y := func(i int) reg.Register { return s.v(i).(reg.Vec).AsY() }
	if s.wide() {
		VEXTRACTF64X4(operand.Imm(1), s.v(0), y(2))
		VMAXPS(y(2), y(0), y(0))
	}
	VEXTRACTF128(operand.Imm(1), y(0), s.x(2))
	VMAXPS(s.x(2), s.x(0), s.x(0))
	VPERMILPS(operand.Imm(0b01_00_11_10), s.x(0), s.x(2)) // lanes 2, 3, 0, 1
	VMAXPS(s.x(2), s.x(0), s.x(0))
	VPERMILPS(operand.Imm(0b00_00_00_01), s.x(0), s.x(2))
	VMAXSS(s.x(2), s.x(0), s.x(0))
	VZEROUPPER()
	Store(s.x(0), ReturnIndex(0))
	RET()
}

// over sets vector 2 to max(q_j, sign q_j) − bound_j, with the sign in vector 1.
func (s *isa) over(p passage, q, bound reg.Register) {
	p.load(q, s.v(2))
	p.load(bound, s.v(3))
	VMULPS(s.v(1), s.v(2), s.v(4))
	VMAXPS(s.v(4), s.v(2), s.v(2))
	VSUBPS(s.v(3), s.v(2), s.v(2))
}

// above emits the search for all violations of at least some size, as bits.
func above(s *isa) {
	name := "above" + s.suffix()
	TEXT(name, NOSPLIT, "func(n int, q, bound *float32, sign, least float32, bits *byte)")
	Pragma("noescape")
	Doc(name + " sets bit j where max(q_j, sign q_j) − bound_j >= least > 0, in whole vectors.")
	n, q, bound, bits := param("n"), param("q"), param("bound"), param("bits")
	s.broadcast(address("sign"), s.v(1))
	s.broadcast(address("least"), s.v(5))
	const atLeast = 13 // the predicate GE
	s.strip(n, func(p passage) {
		s.over(p, q, bound)
		word := GP32()
		if s.wide() {
			k := K()
			VCMPPS(operand.Imm(atLeast), s.v(5), s.v(2), k)
			KMOVW(k, word)
			MOVW(word.As16(), operand.Mem{Base: bits})
		} else {
			VCMPPS(operand.Imm(atLeast), s.v(5), s.v(2), s.v(2))
			VMOVMSKPS(s.v(2), word)
			MOVB(word.As8(), operand.Mem{Base: bits})
		}
		ADDQ(operand.Imm(uint64(s.lanes/8)), bits)
	})
	done()
}
