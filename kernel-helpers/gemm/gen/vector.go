package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"overcomplete/kernel-helpers/internal/avogen"
)

// storeFirst writes lane 0 of vector i.
func (s *isa) storeFirst(i int, to operand.Mem) {
	x := s.X(i)
	if s.Float64 {
		VMOVSD(x, to)
	} else {
		VMOVSS(x, to)
	}
}

// rowPointers emits instructions that compute the addresses of the given number of rows: a, a + stride, and so on. It
// returns the registers that hold the addresses.
func rowPointers(rows int) []reg.Register {
	p := []reg.Register{avogen.Argument("a")}
	for len(p) < rows {
		stride := avogen.Argument("stride")
		ADDQ(p[len(p)-1], stride)
		p = append(p, stride)
	}
	return p
}

// dots emits a function that computes the dot products of 1 or 4 rows of A with x: out_r = a_r · x.
func dots(s *isa, rows int) {
	name := fmt.Sprintf("dots%d%s", rows, s.Suffix())
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, a *%[1]s, stride int, x, out *%[1]s)", s.Type()))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s gives the dot products of %d rows of a, stride bytes apart, with x.", name, rows))
	n, x := avogen.Argument("n"), avogen.Argument("x")
	a := rowPointers(rows)
	for r := range rows {
		s.Zero(s.V(r))
	}
	s.Strip(n, func(p avogen.Passage) {
		p.Load(x, s.V(8))
		for r := range rows {
			p.Load(a[r], s.V(9))
			s.FMA(s.V(9), s.V(8), s.V(r))
		}
	})
	out := avogen.Argument("out")
	for r := range rows {
		s.Sum(r, 8)
		s.storeFirst(r, operand.Mem{Base: out, Disp: r * s.Size})
	}
	avogen.Done()
}

// axpys emits a function that adds 1 or 4 rows of A, each times its own factor, to y. It computes y += Σ_r f_r a_r,
// where a_r is row r and f_r its factor.
func axpys(s *isa, rows int) {
	name := fmt.Sprintf("axpys%d%s", rows, s.Suffix())
	TEXT(name, NOSPLIT, fmt.Sprintf("func(n int, f, a *%[1]s, stride int, y *%[1]s)", s.Type()))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s adds %d rows of a, stride bytes apart, times the numbers f to y.", name, rows))
	n, y, f := avogen.Argument("n"), avogen.Argument("y"), avogen.Argument("f")
	a := rowPointers(rows)
	s.AddRows(n, f, a, y)
	avogen.Done()
}

// both emits a function for 1 or 4 rows a_r of a symmetric matrix. This function adds each row times its factor f_r to
// y, and stores the dot products a_r · x in out. With 4 rows, it goes through x and y only once for all of them, and
// the sums of the four dot products are independent.
func both(s *isa, rows int) {
	name := "both" + s.Suffix()
	signature, what := "func(n int, f, a, x, y, out *%[1]s)", "a times the number f to y and gives the dot product of a"
	if rows > 1 {
		name = fmt.Sprintf("both%d%s", rows, s.Suffix())
		signature = "func(n int, f, a *%[1]s, stride int, x, y, out *%[1]s)"
		what = fmt.Sprintf("%d rows of a, stride bytes apart, times the numbers f to y and gives their dot products", rows)
	}
	TEXT(name, NOSPLIT, fmt.Sprintf(signature, s.Type()))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s adds %s with x.", name, what))
	n, f, x, y := avogen.Argument("n"), avogen.Argument("f"), avogen.Argument("x"), avogen.Argument("y")
	a := rowPointers(rows)
	const sum, xs, ys, row = 4, 8, 9, 10 // vectors 0 to 3 hold the factors
	for r := range rows {
		s.Broadcast(operand.Mem{Base: f, Disp: r * s.Size}, s.V(r))
		s.Zero(s.V(sum + r))
	}
	s.Strip(n, func(p avogen.Passage) {
		p.Load(x, s.V(xs))
		p.Load(y, s.V(ys))
		for r := range rows {
			p.Load(a[r], s.V(row+r))
			s.FMA(s.V(xs), s.V(row+r), s.V(sum+r))
			s.FMA(s.V(row+r), s.V(r), s.V(ys))
		}
		p.Store(s.V(ys), y)
	})
	out := avogen.Argument("out")
	for r := range rows {
		s.Sum(sum+r, xs)
		s.storeFirst(sum+r, operand.Mem{Base: out, Disp: r * s.Size})
	}
	avogen.Done()
}
