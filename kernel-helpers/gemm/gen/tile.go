package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"overcomplete/kernel-helpers/internal/avogen"
)

// tile emits the micro-kernel
//
//	C = alpha A B + beta C,   A rows×k, B k×n, C rows×n
//
// for 1 <= rows <= s.rows and for all n that need the given number of vectors. Element (i, p) of A is at a + i*rs +
// p*cs, so A need not be packed. All of C stays in registers while p runs from 0 to k-1, with one fused multiply-add
// for each p. The operations for an element of C and their order are the same for all shapes of the tile, and so are
// the element's bits.
//
// There is one loop for each number of rows. AVX2 has a second loop for a partial last vector, because AVX2's masked
// loads are slower.
func tile(s *isa, vectors int) {
	name := fmt.Sprintf("tile%d%s", vectors, s.Suffix())
	TEXT(name, NOSPLIT, fmt.Sprintf("func(rows, k int, a *%[1]s, rs, cs int, b *%[1]s, bs int, c *%[1]s, ldc int, last int, alpha, beta %[1]s)", s.Type()))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s multiplies into a tile of C of rows × %d vectors; strides are in bytes, last is the number of columns in the last vector.", name, vectors))
	rows := avogen.Argument("rows")
	if !s.Wide() {
		last := avogen.Argument("last")
		CMPQ(last, operand.Imm(uint64(s.Lanes)))
		JNE(operand.LabelRef("part"))
		s.rowCases(vectors, rows, "full", false)
		Label("part")
	}
	s.rowCases(vectors, rows, "masked", true)
}

// rowCases emits the code for each possible number of rows, preceded by a jump to the code for the number that the
// given register holds.
func (s *isa) rowCases(vectors int, rows reg.GPVirtual, what string, masked bool) {
	for n := s.rows; n > 1; n-- {
		CMPQ(rows, operand.Imm(uint64(n)))
		JEQ(operand.LabelRef(fmt.Sprintf("%s%d", what, n)))
	}
	for n := 1; n <= s.rows; n++ {
		Label(fmt.Sprintf("%s%d", what, n))
		s.rowCase(vectors, n, what, masked)
	}
}

// acc returns the accumulator of row i and vector v.
func (s *isa) acc(vectors, i, v int) reg.Register { return s.V(i*vectors + v) }

func (s *isa) rowCase(vectors, rows int, what string, masked bool) {
	var (
		k  = avogen.Argument("k")
		a  = avogen.Argument("a")
		rs = avogen.Argument("rs")
		cs = avogen.Argument("cs")
		b  = avogen.Argument("b")
		bs = avogen.Argument("bs")
	)
	// The registers after the accumulators hold B and the broadcasts of A.
	bv := []reg.Register{s.V(2 * s.rows), s.V(2*s.rows + 1)}[:vectors]
	var av []reg.Register
	free := 2
	if s.Wide() {
		free = 6
	} else if masked {
		free = 1
	}
	for i := range free {
		av = append(av, s.V(2*s.rows+2+i))
	}
	var m avogen.Mask
	if masked {
		m = s.Mask(avogen.Argument("last"), s.V(15))
	}
	// index holds registers with multiples of rs, for rows that an address mode cannot reach from the base.
	index := map[int]reg.Register{1: rs}
	for j := 3; j < rows; j += 2 {
		r := GP64()
		if j == 3 {
			LEAQ(avogen.At(rs, rs, 2), r)
		} else {
			LEAQ(avogen.At(index[j-2], rs, 2), r)
		}
		index[j] = r
	}
	row := func(i int) operand.Mem {
		if i == 0 {
			return operand.Mem{Base: a}
		}
		scale := 1
		for i%2 == 0 {
			i, scale = i/2, scale*2
		}
		return avogen.At(a, index[i], scale)
	}
	// Prefetch C, which is needed when the loop ends.
	prefetched, ldc := avogen.Argument("c"), avogen.Argument("ldc")
	for i := range rows {
		for at := 0; at < vectors*s.Bytes(); at += 64 {
			PREFETCHT0(operand.Mem{Base: prefetched, Disp: at})
		}
		if i+1 < rows {
			ADDQ(ldc, prefetched)
		}
	}
	for i := range rows {
		for v := range vectors {
			s.Zero(s.acc(vectors, i, v))
		}
	}
	step := func() {
		for v := range vectors {
			from := operand.Mem{Base: b, Disp: v * s.Bytes()}
			if masked && v == vectors-1 {
				s.LoadMasked(from, m, bv[v])
			} else {
				s.Load(from, bv[v])
			}
		}
		for i := range rows {
			x := av[i%len(av)]
			s.Broadcast(row(i), x)
			for v := range vectors {
				s.FMA(x, bv[v], s.acc(vectors, i, v))
			}
		}
		ADDQ(cs, a)
		ADDQ(bs, b)
	}
	label := func(what2 string) string { return fmt.Sprintf("%s%d%s", what, rows, what2) }
	loop := label("loop")
	if s.unrolls(rows, masked) {
		CMPQ(k, operand.Imm(unrolled))
		JLT(operand.LabelRef(loop))
		Label(label("unrolled"))
		for range unrolled {
			step()
		}
		SUBQ(operand.Imm(unrolled), k)
		CMPQ(k, operand.Imm(unrolled))
		JGE(operand.LabelRef(label("unrolled")))
		TESTQ(k, k)
		JE(operand.LabelRef(label("end")))
	}
	Label(loop)
	step()
	DECQ(k)
	JNE(operand.LabelRef(loop))
	if s.unrolls(rows, masked) {
		Label(label("end"))
	}
	s.storeCase(vectors, rows, what, masked, m)
}

// unrolled is the number of steps of p in an iteration of the loop of a full tile. The loop then has so few iterations
// that the processor predicts the end of the loop.
const unrolled = 8

func (s *isa) unrolls(rows int, masked bool) bool { return !s.Wide() && rows == s.rows && !masked }

// storeCase emits C = alpha times the accumulators + beta C. If beta is 0, C is not read.
func (s *isa) storeCase(vectors, rows int, what string, masked bool, m avogen.Mask) {
	alpha, beta, old := s.V(2*s.rows), s.V(2*s.rows+1), s.V(2*s.rows+2)
	c, ldc := avogen.Argument("c"), avogen.Argument("ldc")
	s.Broadcast(avogen.Address("alpha"), alpha)
	s.Broadcast(avogen.Address("beta"), beta)
	for i := range rows {
		for v := range vectors {
			s.Mul(alpha, s.acc(vectors, i, v), s.acc(vectors, i, v))
		}
	}
	// 2 beta is 0 for both 0 and −0.
	bits := GP64()
	if s.Float64 {
		MOVQ(avogen.Address("beta"), bits)
		ADDQ(bits, bits)
	} else {
		MOVL(avogen.Address("beta"), bits.As32())
		ADDL(bits.As32(), bits.As32())
	}
	store := fmt.Sprintf("%s%dstore", what, rows)
	JEQ(operand.LabelRef(store))
	each := func(f func(x reg.Register, to operand.Mem, part bool)) {
		for i := range rows {
			for v := range vectors {
				f(s.acc(vectors, i, v), operand.Mem{Base: c, Disp: v * s.Bytes()}, masked && v == vectors-1)
			}
			if i+1 < rows {
				ADDQ(ldc, c)
			}
		}
	}
	each(func(x reg.Register, to operand.Mem, part bool) {
		if part {
			s.LoadMasked(to, m, old)
		} else {
			s.Load(to, old)
		}
		s.FMA(old, beta, x)
	})
	Load(Param("c"), c)
	Label(store)
	each(func(x reg.Register, to operand.Mem, part bool) {
		if part {
			s.StoreMasked(x, m, to)
		} else {
			s.Store(x, to)
		}
	})
	avogen.Done()
}
