package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// strip emits a loop over the n numbers of a strip, whole vectors first and the
// rest masked. at gives the address in the array that begins at the register.
// body is emitted twice; it reads with load and writes with store.
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
	x, y := s.v(i).(reg.Vec).AsX(), s.v(j).(reg.Vec).AsX()
	VEXTRACTF128(operand.Imm(1), s.v(i).(reg.Vec).AsY(), y)
	s.add(y, x, x)
	if s.float64 {
		VHADDPD(x, x, x)
		return
	}
	VHADDPS(x, x, x)
	VHADDPS(x, x, x)
}

// storeFirst writes lane 0 of vector i.
func (s *isa) storeFirst(i int, to operand.Mem) {
	x := s.v(i).(reg.Vec).AsX()
	if s.float64 {
		VMOVSD(x, to)
	} else {
		VMOVSS(x, to)
	}
}

// rowPointers is a, a + stride, ...
func rowPointers(rows int) []reg.Register {
	p := []reg.Register{param("a")}
	for len(p) < rows {
		stride := param("stride")
		ADDQ(p[len(p)-1], stride)
		p = append(p, stride)
	}
	return p
}

// dots emits the products of 1 or 4 rows of A with x: out_r = a_r · x.
func dots(s *isa, rows int) {
	name := fmt.Sprintf("dots%d%s", rows, s.suffix())
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, a *%[1]s, stride int, x, out *%[1]s)", s.typ()))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s gives the dot products of %d rows of a, stride bytes apart, with x.", name, rows))
	n, x := param("n"), param("x")
	a := rowPointers(rows)
	for r := range rows {
		s.zero(s.v(r))
	}
	s.strip(n, func(p passage) {
		p.load(x, s.v(8))
		for r := range rows {
			p.load(a[r], s.v(9))
			s.fma(s.v(9), s.v(8), s.v(r))
		}
	})
	out := param("out")
	for r := range rows {
		s.sum(r, 8)
		s.storeFirst(r, operand.Mem{Base: out, Disp: r * s.size})
	}
	done()
}

// axpys emits the sum of 1 or 4 rows of A: y += Σ_r f_r a_r.
func axpys(s *isa, rows int) {
	name := fmt.Sprintf("axpys%d%s", rows, s.suffix())
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, f, a *%[1]s, stride int, y *%[1]s)", s.typ()))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s adds %d rows of a, stride bytes apart, times the numbers f to y.", name, rows))
	n, y, f := param("n"), param("y"), param("f")
	a := rowPointers(rows)
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

// both emits what a row of a symmetric matrix does: y += f a and out = a · x.
func both(s *isa) {
	name := "both" + s.suffix()
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, f, a, x, y, out *%[1]s)", s.typ()))
	Pragma("noescape")
	Doc(name + " adds a times the number f to y and gives the dot product of a with x.")
	n, f, a, x, y := param("n"), param("f"), param("a"), param("x"), param("y")
	s.broadcast(operand.Mem{Base: f}, s.v(1))
	s.zero(s.v(0))
	s.strip(n, func(p passage) {
		p.load(a, s.v(2))
		p.load(x, s.v(3))
		p.load(y, s.v(4))
		s.fma(s.v(3), s.v(2), s.v(0))
		s.fma(s.v(2), s.v(1), s.v(4))
		p.store(s.v(4), y)
	})
	s.sum(0, 2)
	s.storeFirst(0, operand.Mem{Base: param("out")})
	done()
}
