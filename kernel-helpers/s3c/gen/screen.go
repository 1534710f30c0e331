package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	atThreshold = atEta
	atBits      = atEta + 16
)

// screen emits the function that chooses the active units. It works on the arrays of a sweep (a struct of package s3c),
// where p holds h*. For each patch, a unit is active if max(h, h*) is above the threshold; the others are passive.
//
// For each unit and patch, the emitted function sets one bit if the unit is active. The bits of a unit are
// consecutive, in the order of the patches. The element of m becomes 0 if the unit is active, and h s if it is
// passive. For each patch, the sums of s², h s² and h* s² over the passive units are added to the three rows to which
// the sweep's field param points.
func screen(s *isa) {
	TEXT("screenRows"+s.name, NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("screenRows" + s.name + " marks the active units, sets m of the passive ones and adds up their sizes.")
	c := param("c")
	field := func(at int) reg.GPVirtual {
		r := GP64()
		MOVQ(operand.Mem{Base: c, Disp: at}, r)
		return r
	}
	p, h, sl, m, sum := field(atP), field(atH), field(atS), field(atM), field(atParam)
	units, width, bits := field(atUnits), field(atWidth), field(atBits)
	threshold := s.broadcast(operand.Mem{Base: c, Disp: atThreshold})
	sum1, sum2 := GP64(), GP64()
	MOVQ(sum, sum1)
	ADDQ(width, sum1)
	MOVQ(sum1, sum2)
	ADDQ(width, sum2)
	i := GP64()
	zero := s.zero()
	Label("unit")
	XORQ(i, i)
	Label("vector")
	best, one, slab := s.load(memoryAt(p, i)), s.load(memoryAt(h, i)), s.load(memoryAt(sl, i))
	top := s.max(best, one)
	word := GP32()
	var active reg.Register
	const less = operand.U8(0x11)
	if s.wide {
		k := K()
		VCMPPS(less, top, threshold, k)
		KMOVW(k, word)
		MOVW(word.As16(), operand.Mem{Base: bits})
		active = k
	} else {
		k := s.vec()
		VCMPPS(less, top, threshold, k)
		VMOVMSKPS(k, word)
		MOVB(word.As8(), operand.Mem{Base: bits})
		active = k
	}
	ADDQ(operand.Imm(uint64(s.bytes()/32)), bits)
	quiet := s.vec() // s for passive units, 0 for active units
	if s.wide {
		VBLENDMPS(zero, slab, active, quiet)
	} else {
		VBLENDVPS(active, zero, slab, quiet)
	}
	hs := s.mul(quiet, one)
	VMOVUPS(hs, memoryAt(m, i))
	for _, a := range []struct {
		to   reg.Register
		x, y vector
	}{{sum, quiet, quiet}, {sum1, hs, quiet}, {sum2, s.mul(quiet, best), quiet}} {
		acc := s.load(memoryAt(a.to, i))
		s.addMul(acc, a.x, a.y)
		VMOVUPS(acc, memoryAt(a.to, i))
	}
	ADDQ(operand.Imm(uint64(s.bytes())), i)
	CMPQ(i, width)
	JNE(operand.LabelRef("vector"))
	for _, r := range []reg.Register{p, h, sl, m} {
		ADDQ(width, r)
	}
	DECQ(units)
	JNE(operand.LabelRef("unit"))
	VZEROUPPER()
	RET()
}
