package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"overcomplete/kernel-helpers/internal/avogen"
)

// sweep emits a function that performs one sweep of coordinate descent over m atoms, in units of λ. a is their Gram
// matrix with rows a_i and diagonal g, inverse_i is 1/g_i, and low is −1, or −∞ for w >= 0. For each atom i the
// function computes
//
//	t = q_i + g_i w_i,  v = (t − clamp(t, low, 1)) inverse_i,  d = w_i − v,
//	w_i <- v,  q += d a_i
//
// It returns the largest |d| g_i. Vectors and rows are padded to the next multiple of 16 numbers above m; the padding
// takes part in the computation.
//
// The speed is limited because an atom's t depends on the previous atom's d. To avoid a further wait until the vector
// q has been stored and loaded again, the t of the next atom, k = i+1, is kept in a register: q_k + g_k w_k is
// computed from the old q_k, and d a_ik is added to it separately.
func sweep(s *avogen.ISA) {
	name := "sweep" + s.Suffix()
	TEXT(name, NOSPLIT, "func(m int, a *float32, stride int, w, q, diag, inverse *float32, low float32) float32")
	Pragma("noescape")
	Doc(name + " is one sweep over m atoms; stride is in bytes. It gives the largest change of a q_i.")
	m, a, stride, w, q, g, inv := avogen.Argument("m"), avogen.Argument("a"), avogen.Argument("stride"), avogen.Argument("w"), avogen.Argument("q"), avogen.Argument("diag"), avogen.Argument("inverse")
	low, high, t, clamp, d, change, absolute, old := s.X(0), s.X(1), s.X(2), s.X(3), s.X(4), s.X(5), s.X(6), s.X(7)
	v, size := s.X(8), s.X(9)
	Load(Param("low"), low)
	one := GP32()
	MOVL(operand.U32(0x3f800000), one)
	VMOVD(one, high)
	MOVL(operand.U32(0x7fffffff), one)
	VMOVD(one, absolute)
	VXORPS(change, change, change)
	whole := GP64() // how many numbers are in whole vectors
	MOVQ(m, whole)
	ADDQ(operand.Imm(16), whole)
	ANDQ(operand.I32(-16), whole)
	i := GP64()
	XORQ(i, i)
	VMOVSS(operand.Mem{Base: w}, old)
	VMOVSS(operand.Mem{Base: q}, t)
	VFMADD231SS(operand.Mem{Base: g}, old, t)

	Label("atom")
	VMAXSS(low, t, clamp)
	VMINSS(high, clamp, clamp)
	VSUBSS(clamp, t, t) // t − clamp(t)
	VMULSS(avogen.At(inv, i, 4), t, v)
	VMOVAPS(old, d)
	VFNMADD231SS(avogen.At(inv, i, 4), t, d) // d = w_i − v
	VMOVSS(v, avogen.At(w, i, 4))
	// t of the next atom.
	next := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: i, Scale: 4, Disp: 4} }
	VMOVSS(next(w), old)
	VMOVSS(next(q), t)
	VFMADD231SS(next(g), old, t)
	VFMADD231SS(next(a), d, t)
	VMULSS(avogen.At(g, i, 4), d, size)
	VANDPS(absolute, size, size)
	VMAXSS(size, change, change)
	// q += d a_i.
	VBROADCASTSS(d, s.V(10))
	j := GP64()
	XORQ(j, j)
	Label("vector")
	for part := 0; part < 16; part += s.Lanes {
		from, to := operand.Mem{Base: a, Index: j, Scale: 4, Disp: 4 * part}, operand.Mem{Base: q, Index: j, Scale: 4, Disp: 4 * part}
		s.Load(to, s.V(11+part/8))
		VFMADD231PS(from, s.V(10), s.V(11+part/8))
		s.Store(s.V(11+part/8), to)
	}
	ADDQ(operand.Imm(16), j)
	CMPQ(j, whole)
	JNE(operand.LabelRef("vector"))
	ADDQ(stride, a)
	INCQ(i)
	CMPQ(i, m)
	JNE(operand.LabelRef("atom"))
	VZEROUPPER()
	Store(change, ReturnIndex(0))
	RET()
}
