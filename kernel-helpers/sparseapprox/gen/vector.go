package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
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
