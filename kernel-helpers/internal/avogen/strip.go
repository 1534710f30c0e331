package avogen

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Strip emits a loop over n numbers: first over whole vectors, and then over the rest, with a mask. The argument body
// is a function that must read with Passage.Load and write with Passage.Store. Strip calls it twice: once to emit the
// code for whole vectors, and once for the rest. n is overwritten. AVX2 uses vector register 15 for its mask.
func (s *ISA) Strip(n reg.GPVirtual, body func(p Passage)) {
	i := GP64()
	XORQ(i, i)
	rest := GP64()
	MOVQ(n, rest)
	ANDQ(operand.Imm(uint64(s.Lanes-1)), rest)
	m := s.Mask(rest, s.V(15))
	SUBQ(rest, n)
	JEQ(operand.LabelRef("rest"))
	Label("whole")
	body(Passage{s, i, m, false})
	ADDQ(operand.Imm(uint64(s.Lanes)), i)
	CMPQ(i, n)
	JNE(operand.LabelRef("whole"))
	Label("rest")
	TESTQ(rest, rest)
	JEQ(operand.LabelRef("end"))
	body(Passage{s, i, m, true})
	Label("end")
}

// A Passage is one iteration of Strip's loop.
type Passage struct {
	s    *ISA
	i    reg.GPVirtual
	m    Mask
	part bool
}

// Load reads the numbers for this iteration from an array into v. base holds the address of the array.
func (p Passage) Load(base reg.Register, v reg.Register) {
	if from := At(base, p.i, p.s.Size); p.part {
		p.s.LoadMasked(from, p.m, v)
	} else {
		p.s.Load(from, v)
	}
}

// Store writes v to an array, as the numbers for this iteration. base holds the address of the array.
func (p Passage) Store(v reg.Register, base reg.Register) {
	if to := At(base, p.i, p.s.Size); p.part {
		p.s.StoreMasked(v, p.m, to)
	} else {
		p.s.Store(v, to)
	}
}

// Sum adds the lanes of vector i into lane 0, using vector j as scratch.
func (s *ISA) Sum(i, j int) {
	if s.Wide() {
		VEXTRACTF64X4(operand.Imm(1), s.V(i), s.Y(j))
		s.Add(s.Y(j), s.Y(i), s.Y(i))
	}
	x, y := s.X(i), s.X(j)
	VEXTRACTF128(operand.Imm(1), s.Y(i), y)
	s.Add(y, x, x)
	if s.Float64 {
		VHADDPD(x, x, x)
		return
	}
	VHADDPS(x, x, x)
	VHADDPS(x, x, x)
}

// AddRows emits y += Σ_r f_r a_r for at most 8 rows a_r of n numbers. The argument a holds the addresses of the rows, f
// the address of the factors f_r, and y the address of the sum. n is overwritten.
func (s *ISA) AddRows(n, f reg.GPVirtual, a []reg.Register, y reg.GPVirtual) {
	for r := range a {
		s.Broadcast(operand.Mem{Base: f, Disp: r * s.Size}, s.V(r))
	}
	s.Strip(n, func(p Passage) {
		p.Load(y, s.V(8))
		for r := range a {
			p.Load(a[r], s.V(9))
			s.FMA(s.V(9), s.V(r), s.V(8))
		}
		p.Store(s.V(8), y)
	})
}
