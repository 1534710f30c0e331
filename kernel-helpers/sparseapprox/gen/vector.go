package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// strip emits a loop over n numbers, whole vectors first and the rest masked.
// body is emitted twice; it reads with load and writes with store. n is changed.
func (s *isa) strip(n reg.GPVirtual, body func(p passage)) {
	i := GP64()
	XORQ(i, i)
	rest := GP64()
	MOVQ(n, rest)
	ANDQ(operand.Imm(uint64(s.lanes-1)), rest)
	m := s.mask(rest, s.v(15))
	SUBQ(rest, n)
	JEQ(operand.LabelRef("rest"))
	Label("whole")
	body(passage{s, i, m, false})
	ADDQ(operand.Imm(uint64(s.lanes)), i)
	CMPQ(i, n)
	JNE(operand.LabelRef("whole"))
	Label("rest")
	TESTQ(rest, rest)
	JEQ(operand.LabelRef("end"))
	body(passage{s, i, m, true})
	Label("end")
}

// A passage is one round of a strip's loop.
type passage struct {
	s    *isa
	i    reg.GPVirtual
	m    mask
	part bool
}

func (p passage) load(base reg.Register, v reg.Register) {
	if from := at(base, p.i, p.s.size); p.part {
		p.s.loadMasked(from, p.m, v)
	} else {
		p.s.load(from, v)
	}
}

func (p passage) store(v reg.Register, base reg.Register) {
	if to := at(base, p.i, p.s.size); p.part {
		p.s.storeMasked(v, p.m, to)
	} else {
		p.s.store(v, to)
	}
}

// sum adds the lanes of vector i, with vector j as help, into lane 0.
func (s *isa) sum(i, j int) {
	if s.wide() {
		VEXTRACTF64X4(operand.Imm(1), s.v(i), s.v(j).(reg.Vec).AsY())
		s.add(s.v(j).(reg.Vec).AsY(), s.v(i).(reg.Vec).AsY(), s.v(i).(reg.Vec).AsY())
	}
	x, y := s.x(i), s.x(j)
	VEXTRACTF128(operand.Imm(1), s.v(i).(reg.Vec).AsY(), y)
	s.add(y, x, x)
	if s.float64 {
		VHADDPD(x, x, x)
		return
	}
	VHADDPS(x, x, x)
	VHADDPS(x, x, x)
}

// axpys emits the sum of 1 or 4 rows: y += Σ_r f_r a_r.
func axpys(s *isa, rows int) {
	name := fmt.Sprintf("axpys%d%s", rows, s.suffix())
	names := []string{"a", "b", "c", "d"}[:rows]
	list := names[0]
	for _, v := range names[1:] {
		list += ", " + v
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, f, %s, y *%s)", list, s.typ()))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s adds %d rows times the numbers f to y.", name, rows))
	n, y, f := param("n"), param("y"), param("f")
	var a []reg.Register
	for _, v := range names {
		a = append(a, param(v))
	}
	for r := range rows {
		s.broadcast(operand.Mem{Base: f, Disp: r * s.size}, s.v(r))
	}
	s.strip(n, func(p passage) {
		p.load(y, s.v(8))
		for r := range rows {
			p.load(a[r], s.v(9))
			s.fma(s.v(9), s.v(r), s.v(8))
		}
		p.store(s.v(8), y)
	})
	done()
}

// dot emits the product x·y.
func dot(s *isa) {
	name := "dot" + s.suffix()
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, x, y *%[1]s) %[1]s", s.typ()))
	Pragma("noescape")
	Doc(name + " is the product of x and y.")
	n, x, y := param("n"), param("x"), param("y")
	s.zero(s.v(0))
	s.strip(n, func(p passage) {
		p.load(x, s.v(1))
		p.load(y, s.v(2))
		s.fma(s.v(2), s.v(1), s.v(0))
	})
	s.sum(0, 1)
	VZEROUPPER()
	Store(s.x(0), ReturnIndex(0))
	RET()
}
