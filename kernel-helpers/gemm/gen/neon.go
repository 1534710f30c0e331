package main

import (
	"fmt"
	"strings"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// neon writes the arm64 versions of all functions, with the same arguments as on amd64.
func neon() {
	file := ng.New("gemm")
	for _, s := range []ng.Shape{ng.S4, ng.D2} {
		for vectors := 1; vectors <= 2; vectors++ {
			neonTile(file, s, vectors)
		}
		neonCopy(file, s)
		neonTranspose(file, s)
		for _, rows := range []int{1, 4} {
			neonDots(file, s, rows)
			neonAxpys(file, s, rows)
		}
		neonBoth(file, s)
	}
	file.Generate()
}

// function begins an assembly function for the elements of shape s. Its signature is given as a Go signature in which T
// stands for the element type.
func function(file *ng.File, s ng.Shape, name, signature, doc string) *ng.Func {
	return file.Func(fmt.Sprintf("%sF%dNEON", name, 8*s.Size()), strings.ReplaceAll(signature, "T", s.Type()), doc)
}

// neonRows is the largest number of rows of a tile. With two vectors of columns, a tile needs 24
// accumulators. This leaves 8 of the 32 registers for four vectors of B and for elements of A.
const neonRows = 12

// A neonCase generates the part of the micro-kernel for one number of rows and one number of vectors. If part is true,
// the last vector is not full.
type neonCase struct {
	*ng.Func
	s             ng.Shape
	rows, vectors int
	part          bool
	acc           [neonRows][2]ng.V
	name          string
}

// neonTile emits the micro-kernel for arm64. It has the same operations, in the same order, as the micro-kernel that
// tile(s, vectors) emits.
func neonTile(file *ng.File, s ng.Shape, vectors int) {
	f := function(file, s, fmt.Sprint("tile", vectors), "func(rows, k int, a *T, rs, cs int, b *T, bs int, c *T, ldc int, last int, alpha, beta T)",
		fmt.Sprintf("multiplies into a tile of C of rows × %d vectors; strides are in bytes, last is the number of columns in the last vector.", vectors))
	rows := f.Arg("rows")
	f.CmpN(f.Arg("last"), int64(s.Lanes()))
	f.Br("NE", "part")
	for _, part := range []bool{false, true} {
		what := "full"
		if part {
			what = "part"
			f.Label("part")
		}
		for n := neonRows; n > 1; n-- {
			f.CmpN(rows, int64(n))
			f.Br("EQ", fmt.Sprint(what, n))
		}
		for n := 1; n <= neonRows; n++ {
			name := fmt.Sprint(what, n)
			f.Label(name)
			t := neonCase{Func: f, s: s, rows: n, vectors: vectors, part: part, name: name}
			t.multiply()
			t.store()
			f.Ret()
		}
	}
}

// columns describes the vectors in a row of B or C. The last vector may be partial. In a partial float32
// vector, lanes past the last column repeat the last column. They read, compute and write the same values, so
// memory outside the row is not touched.
type columns struct {
	t    *neonCase
	base ng.X
	lane [2]ng.X // lanes 1 and 2 of a partial float32 vector
}

func (t *neonCase) columns(base ng.X) columns {
	c := columns{t: t, base: base}
	if !t.part || t.s == ng.D2 {
		return c
	}
	most := t.X()
	t.SubN(most, t.Arg("last"), 1)
	for i := range c.lane {
		at, x := t.X(), t.X()
		t.Set(at, int64(i+1))
		t.Cmp(at, most)
		t.Choose("LT", at, at, most)
		t.AddShifted(x, base, at, 2)
		t.AddN(x, x, 16*(t.vectors-1))
		c.lane[i] = x
	}
	return c
}

// next emits instructions that advance to the next row, stride bytes further.
func (c columns) next(stride ng.X) {
	for _, x := range []ng.X{c.base, c.lane[0], c.lane[1]} {
		if x != 0 {
			c.t.Add(x, x, stride)
		}
	}
}

// load emits instructions that read the vectors of a row into v.
func (c columns) load(v []ng.V) {
	t := c.t
	switch {
	case !t.part && t.vectors == 2:
		t.LoadPair(16, v[0], v[1], ng.At(c.base, 0))
		return
	case !t.part:
		t.Load(16, v[0], ng.At(c.base, 0))
		return
	case t.vectors == 2:
		t.Load(16, v[0], ng.At(c.base, 0))
	}
	last := v[t.vectors-1]
	t.Load(t.s.Size(), last, ng.At(c.base, 16*(t.vectors-1)))
	if t.s == ng.S4 {
		t.LoadLane(t.s, last, 1, c.lane[0])
		t.LoadLane(t.s, last, 2, c.lane[1])
	}
}

// store emits instructions that write the vectors v to a row.
func (c columns) store(v []ng.V) {
	t := c.t
	switch {
	case !t.part && t.vectors == 2:
		t.StorePair(16, v[0], v[1], ng.At(c.base, 0))
		return
	case !t.part:
		t.Store(16, v[0], ng.At(c.base, 0))
		return
	case t.vectors == 2:
		t.Store(16, v[0], ng.At(c.base, 0))
	}
	last := v[t.vectors-1]
	t.Store(t.s.Size(), last, ng.At(c.base, 16*(t.vectors-1)))
	if t.s == ng.S4 {
		t.StoreLane(t.s, last, 1, c.lane[0])
		t.StoreLane(t.s, last, 2, c.lane[1])
	}
}

// multiply emits the loop over p, the inner index of the product. This loop leaves A B in the accumulators, and works
// for any strides of A. For two full vectors, multiply also emits a second loop, which performs two steps of p per
// iteration; the second loop is used if the rows of A are contiguous.
func (t *neonCase) multiply() {
	k, rs, cs, bs := t.Arg("k"), t.Arg("rs"), t.Arg("cs"), t.Arg("bs")
	b := t.columns(t.Arg("b"))
	row := []ng.X{t.Arg("a")}
	for i := 1; i < t.rows; i++ {
		x := t.X()
		t.Add(x, row[i-1], rs)
		row = append(row, x)
	}
	for i := range t.rows {
		for v := range t.vectors {
			t.acc[i][v] = t.V()
			t.Zero(t.acc[i][v])
		}
	}
	p := t.X() // offset in the rows of A, in bytes
	t.Set(p, 0)
	size, done := t.s.Size(), t.name+"done"
	// step emits n steps of p.
	step := func(n int) {
		var bv [2][]ng.V
		for u := range n {
			bv[u] = []ng.V{t.V(), t.V()}[:t.vectors]
			b.load(bv[u])
			b.next(bs)
		}
		for i := range t.rows {
			x := t.V()
			t.Load(n*size, x, ng.By(row[i], p))
			for u := range n {
				for v := range t.vectors {
					t.FMlaLane(t.s, t.acc[i][v], bv[u][v], x, u)
				}
			}
		}
	}
	if !t.part && t.vectors == 2 {
		two, one := t.name+"two", t.name+"one"
		t.CmpN(cs, int64(size))
		t.Br("NE", one)
		t.SubsN(k, k, 2)
		t.Br("LT", two+"end")
		t.Label(two)
		step(2)
		t.AddN(p, p, 2*size)
		t.SubsN(k, k, 2)
		t.Br("GE", two)
		t.Label(two + "end")
		t.AddN(k, k, 2)
		t.IfZero(k, done)
		t.Label(one)
	}
	loop := t.name + "loop"
	t.Label(loop)
	step(1)
	t.Add(p, p, cs)
	t.SubsN(k, k, 1)
	t.Br("NE", loop)
	t.Label(done)
}

// store emits C = alpha times the accumulators + beta C. If beta is 0, C is not read.
func (t *neonCase) store() {
	alpha, beta := t.FloatArg(t.s, "alpha"), t.FloatArg(t.s, "beta")
	for i := range t.rows {
		for v := range t.vectors {
			t.FMulLane(t.s, t.acc[i][v], t.acc[i][v], alpha, 0)
		}
	}
	// Shift out the sign: beta may be 0 or −0.
	bits, store := t.X(), t.name+"store"
	t.ToX(t.s, bits, beta)
	t.Shl(bits, bits, 65-8*t.s.Size())
	t.IfZero(bits, store)
	each := func(f func(c columns, acc []ng.V)) {
		c, ldc := t.columns(t.Arg("c")), t.Arg("ldc")
		for i := range t.rows {
			f(c, t.acc[i][:t.vectors])
			if i+1 < t.rows {
				c.next(ldc)
			}
		}
	}
	each(func(c columns, acc []ng.V) {
		old := []ng.V{t.V(), t.V()}[:t.vectors]
		c.load(old)
		for v, a := range acc {
			t.FMlaLane(t.s, a, old[v], beta, 0)
		}
	})
	t.Label(store)
	each(func(c columns, acc []ng.V) { c.store(acc) })
}
