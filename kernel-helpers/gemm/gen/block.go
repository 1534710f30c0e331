package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"overcomplete/kernel-helpers/internal/avogen"
)

// copyBlock emits a function that copies rows × cols numbers. Source and destination may have different strides.
func copyBlock(s *isa) {
	name := "copy" + s.Suffix()
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *%[1]s, dstStride int, src *%[1]s, srcStride int, rows, cols int)", s.Type()))
	Pragma("noescape")
	Doc(name + " copies rows × cols numbers; strides are in bytes.")
	var (
		dst, ds = avogen.Argument("dst"), avogen.Argument("dstStride")
		src, ss = avogen.Argument("src"), avogen.Argument("srcStride")
		rows    = avogen.Argument("rows")
		cols    = avogen.Argument("cols")
	)
	// whole is the number of bytes in full vectors; rest is the number of elements after the last full
	// vector.
	whole, rest := GP64(), GP64()
	MOVQ(cols, whole)
	ANDQ(operand.I32(-s.Lanes), whole)
	MOVQ(cols, rest)
	SUBQ(whole, rest)
	SHLQ(operand.Imm(uint64(log2(s.Size))), whole)
	m := s.Mask(rest, s.V(15))

	Label("row")
	i := GP64()
	XORQ(i, i)
	CMPQ(whole, operand.Imm(0))
	JEQ(operand.LabelRef("rest"))
	Label("vector")
	s.Load(avogen.At(src, i, 1), s.V(0))
	s.Store(s.V(0), avogen.At(dst, i, 1))
	ADDQ(operand.Imm(uint64(s.Bytes())), i)
	CMPQ(i, whole)
	JNE(operand.LabelRef("vector"))
	Label("rest")
	TESTQ(rest, rest)
	JEQ(operand.LabelRef("next"))
	s.LoadMasked(avogen.At(src, i, 1), m, s.V(0))
	s.StoreMasked(s.V(0), m, avogen.At(dst, i, 1))
	Label("next")
	ADDQ(ss, src)
	ADDQ(ds, dst)
	DECQ(rows)
	JNE(operand.LabelRef("row"))
	avogen.Done()
}

// transpose emits a function that transposes at most one vector's worth of rows: src is rows × k with 1 <= rows <=
// lanes, and dst is k × lanes, where lanes is the number of elements in a vector. If j >= rows, column j of dst repeats
// the last row of src; nothing reads such columns.
//
// The function loads a square of lanes × lanes row by row, transposes it in the registers and stores it. The last
// square may cover fewer columns of src and then needs masked loads. All squares use masked loads, because the cost is
// negligible.
func transpose(s *isa) {
	name := "transpose" + s.Suffix()
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *%[1]s, dstStride int, src *%[1]s, srcStride int, rows, k int)", s.Type()))
	Pragma("noescape")
	Doc(name + " puts the transpose of src, rows × k, into dst, k × the lanes of a vector; strides are in bytes.")
	var (
		dst, ds = avogen.Argument("dst"), avogen.Argument("dstStride")
		src, ss = avogen.Argument("src"), avogen.Argument("srcStride")
		rows    = avogen.Argument("rows")
		k       = avogen.Argument("k")
	)
	n := s.Lanes
	Label("square")
	// cols is the number of columns of this square.
	cols := GP64()
	MOVQ(operand.U32(uint32(n)), cols)
	CMPQ(k, cols)
	CMOVQLT(k, cols)
	m := s.Mask(cols, s.V(15))

	from, left, step, stay := GP64(), GP64(), GP64(), GP64()
	MOVQ(src, from)
	MOVQ(rows, left)
	XORQ(stay, stay)
	x := make([]reg.Register, n)
	for i := range n {
		x[i] = s.V(i)
	}
	for i := range n {
		if i > 0 {
			// Do not advance beyond the last row.
			MOVQ(ss, step)
			DECQ(left)
			CMOVQLE(stay, step)
			ADDQ(step, from)
		}
		s.LoadMasked(operand.Mem{Base: from}, m, x[i])
	}
	y := s.transposeRegisters(x, s.V(n))
	for i := range n {
		s.Store(y[i], operand.Mem{Base: dst})
		ADDQ(ds, dst)
		DECQ(k)
		JEQ(operand.LabelRef("end"))
	}
	ADDQ(operand.Imm(uint64(s.Bytes())), src)
	JMP(operand.LabelRef("square"))
	Label("end")
	avogen.Done()
}

// transposeRegisters transposes the square in the registers x, which hold one row each, using one free register. It
// returns the registers that hold the columns.
//
// A vector consists of 16-byte parts that hold q numbers each. First, each q×q square within the parts is transposed
// by interleaving. Then the parts are transposed as units.
func (s *isa) transposeRegisters(x []reg.Register, free reg.Register) []reg.Register {
	// pair replaces a and b by lo(a, b) and hi(a, b).
	pair := func(i, j int, lo, hi func(b, a, to operand.Op)) {
		lo(x[j], x[i], free)
		hi(x[j], x[i], x[j])
		x[i], free = free, x[i]
	}
	lops := func(b, a, to operand.Op) { VUNPCKLPS(b, a, to) }
	hips := func(b, a, to operand.Op) { VUNPCKHPS(b, a, to) }
	lopd := func(b, a, to operand.Op) { VUNPCKLPD(b, a, to) }
	hipd := func(b, a, to operand.Op) { VUNPCKHPD(b, a, to) }
	q := 16 / s.Size
	for g := 0; g < len(x); g += q {
		if s.Float64 {
			pair(g, g+1, lopd, hipd)
			continue
		}
		pair(g, g+1, lops, hips)   // a0 b0 a1 b1, a2 b2 a3 b3
		pair(g+2, g+3, lops, hips) // c0 d0 c1 d1, c2 d2 c3 d3
		pair(g, g+2, lopd, hipd)   // column 0, column 1
		pair(g+1, g+3, lopd, hipd) // column 2, column 3
		x[g+1], x[g+2] = x[g+2], x[g+1]
	}
	shuffle := func(imm uint64) func(b, a, to operand.Op) {
		return func(b, a, to operand.Op) {
			if s.Wide() {
				VSHUFF64X2(operand.Imm(imm), b, a, to)
			} else {
				VPERM2F128(operand.Imm(imm), b, a, to)
			}
		}
	}
	for c := range q {
		if !s.Wide() {
			pair(c, c+q, shuffle(0x20), shuffle(0x31))
			continue
		}
		even, odd := shuffle(0x88), shuffle(0xdd)
		pair(c, c+q, even, odd)       // v0 and v1, lanes 0 2, lanes 1 3
		pair(c+2*q, c+3*q, even, odd) // v2 and v3
		pair(c, c+2*q, even, odd)     // lane 0, lane 2
		pair(c+q, c+3*q, even, odd)   // lane 1, lane 3
	}
	return x
}

func log2(n int) int {
	k := 0
	for 1<<k < n {
		k++
	}
	return k
}
