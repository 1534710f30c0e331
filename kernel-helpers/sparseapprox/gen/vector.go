package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"overcomplete/kernel-helpers/internal/avogen"
)

// axpys emits y += Σ_r f_r a_r, a sum over 1 or 4 rows a_r.
func axpys(s *avogen.ISA, rows int) {
	name := fmt.Sprintf("axpys%d%s", rows, s.Suffix())
	names := []string{"a", "b", "c", "d"}[:rows]
	list := names[0]
	for _, v := range names[1:] {
		list += ", " + v
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, f, %s, y *%s)", list, s.Type()))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s adds %d rows times the numbers f to y.", name, rows))
	n, y, f := avogen.Argument("n"), avogen.Argument("y"), avogen.Argument("f")
	var a []reg.Register
	for _, v := range names {
		a = append(a, avogen.Argument(v))
	}
	s.AddRows(n, f, a, y)
	avogen.Done()
}

// dot emits the product x·y.
func dot(s *avogen.ISA) {
	name := "dot" + s.Suffix()
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, x, y *%[1]s) %[1]s", s.Type()))
	Pragma("noescape")
	Doc(name + " is the product of x and y.")
	n, x, y := avogen.Argument("n"), avogen.Argument("x"), avogen.Argument("y")
	s.Zero(s.V(0))
	s.Strip(n, func(p avogen.Passage) {
		p.Load(x, s.V(1))
		p.Load(y, s.V(2))
		s.FMA(s.V(2), s.V(1), s.V(0))
	})
	s.Sum(0, 1)
	VZEROUPPER()
	Store(s.X(0), ReturnIndex(0))
	RET()
}

// excess emits a function that returns the worst violation: the largest of 0 and all max(q_j, sign·q_j) − bound_j.
// sign is an argument of the emitted function.
func excess(s *avogen.ISA) {
	name := "excess" + s.Suffix()
	TEXT(name, NOSPLIT, "func(n int, q, bound *float32, sign float32) float32")
	Pragma("noescape")
	Doc(name + " is the largest of 0 and max(q_j, sign q_j) − bound_j.")
	n, q, bound := avogen.Argument("n"), avogen.Argument("q"), avogen.Argument("bound")
	s.Broadcast(avogen.Address("sign"), s.V(1))
	s.Zero(s.V(0))
	s.Strip(n, func(p avogen.Passage) {
		over(s, p, q, bound)
		VMAXPS(s.V(2), s.V(0), s.V(0))
	})
	if s.Wide() {
		VEXTRACTF64X4(operand.Imm(1), s.V(0), s.Y(2))
		VMAXPS(s.Y(2), s.Y(0), s.Y(0))
	}
	VEXTRACTF128(operand.Imm(1), s.Y(0), s.X(2))
	VMAXPS(s.X(2), s.X(0), s.X(0))
	VPERMILPS(operand.Imm(0b01_00_11_10), s.X(0), s.X(2)) // lanes 2, 3, 0, 1
	VMAXPS(s.X(2), s.X(0), s.X(0))
	VPERMILPS(operand.Imm(0b00_00_00_01), s.X(0), s.X(2))
	VMAXSS(s.X(2), s.X(0), s.X(0))
	VZEROUPPER()
	Store(s.X(0), ReturnIndex(0))
	RET()
}

// over emits code that sets vector register 2 to max(q_j, sign·q_j) − bound_j. Vector register 1 must hold sign.
func over(s *avogen.ISA, p avogen.Passage, q, bound reg.Register) {
	p.Load(q, s.V(2))
	p.Load(bound, s.V(3))
	VMULPS(s.V(1), s.V(2), s.V(4))
	VMAXPS(s.V(4), s.V(2), s.V(2))
	VSUBPS(s.V(3), s.V(2), s.V(2))
}

// above emits a function that sets one bit for each j: 1 if max(q_j, sign·q_j) − bound_j >= least, otherwise 0. sign
// and least are arguments of the emitted function.
func above(s *avogen.ISA) {
	name := "above" + s.Suffix()
	TEXT(name, NOSPLIT, "func(n int, q, bound *float32, sign, least float32, bits *byte)")
	Pragma("noescape")
	Doc(name + " sets bit j where max(q_j, sign q_j) − bound_j >= least > 0, in whole vectors.")
	n, q, bound, bits := avogen.Argument("n"), avogen.Argument("q"), avogen.Argument("bound"), avogen.Argument("bits")
	s.Broadcast(avogen.Address("sign"), s.V(1))
	s.Broadcast(avogen.Address("least"), s.V(5))
	const atLeast = 13 // the predicate GE
	s.Strip(n, func(p avogen.Passage) {
		over(s, p, q, bound)
		word := GP32()
		if s.Wide() {
			k := K()
			VCMPPS(operand.Imm(atLeast), s.V(5), s.V(2), k)
			KMOVW(k, word)
			MOVW(word.As16(), operand.Mem{Base: bits})
		} else {
			VCMPPS(operand.Imm(atLeast), s.V(5), s.V(2), s.V(2))
			VMOVMSKPS(s.V(2), word)
			MOVB(word.As8(), operand.Mem{Base: bits})
		}
		ADDQ(operand.Imm(uint64(s.Lanes/8)), bits)
	})
	avogen.Done()
}
