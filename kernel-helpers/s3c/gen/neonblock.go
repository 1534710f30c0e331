package main

import (
	"fmt"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// neonScreen emits the choice of the active units (see screen). An iteration handles eight patches of a unit; their
// bits form one byte.
func neonScreen(file *ng.File) {
	s := arm{file.Func("screenRowsNEON", "func(c *byte)", "marks the active units, sets m of the passive ones and adds up their sizes."), file}
	c := s.Arg("c")
	p, h, sl, m, sum := s.field(c, atP), s.field(c, atH), s.field(c, atS), s.field(c, atM), s.field(c, atParam)
	units, width, bits := s.field(c, atUnits), s.field(c, atWidth), s.field(c, atBits)
	threshold := s.broadcast(c, atThreshold)
	table := s.Address(file.Words("weights", 2<<32|1, 8<<32|4, 32<<32|16, 128<<32|64))
	weights := []ng.V{s.load(ng.At(table, 0)), s.load(ng.At(table, 16))}
	sum1, sum2, i := s.X(), s.X(), s.X()
	s.Add(sum1, sum, width)
	s.Add(sum2, sum1, width)
	s.Label("unit")
	s.Set(i, 0)
	s.Label("eight")
	found := s.zero()
	for _, weight := range weights {
		best, one, slab := s.load(ng.By(p, i)), s.load(ng.By(h, i)), s.load(ng.By(sl, i))
		active, quiet := s.above(s.max(best, one), threshold), s.V()
		s.Clear(quiet, slab, active) // s for passive units, 0 for active units
		s.And(active, active, weight)
		s.Or(found, found, active)
		hs := s.mul(quiet, one)
		s.Store(16, hs, ng.By(m, i))
		for _, a := range []struct {
			to   ng.X
			x, y ng.V
		}{{sum, quiet, quiet}, {sum1, hs, quiet}, {sum2, s.mul(quiet, best), quiet}} {
			acc := s.load(ng.By(a.to, i))
			s.addMul(acc, a.x, a.y)
			s.Store(16, acc, ng.By(a.to, i))
		}
		s.AddN(i, i, 16)
	}
	word := s.X()
	s.AddAcross4(found, found)
	s.ToX(ng.S4, word, found)
	s.StoreByte(word, bits, 0)
	s.AddN(bits, bits, 1)
	s.Cmp(i, width)
	s.Br("NE", "eight")
	for _, r := range []ng.X{p, h, sl, m} {
		s.Add(r, r, width)
	}
	s.SubsN(units, units, 1)
	s.Br("NE", "unit")
	s.Ret()
}

// neonRespond emits the response of the passive units (see SkipOptions in package s3c) for whole vectors:
//
//	u <- keep u + step (level + c r)
//
// Here level, c, r and u are vectors, and keep and step are numbers; all are arguments of the emitted function. level
// is the g of SkipOptions.
func neonRespond(file *ng.File) {
	s := arm{file.Func("respondNEON", "func(n int, keep, step float32, level, c, r, u *float32)", "is the response of the passive units; n is a multiple of 16."), file}
	n, level, c, r, u := s.Arg("n"), s.Arg("level"), s.Arg("c"), s.Arg("r"), s.Arg("u")
	keep, step := s.FloatArg(ng.S4, "keep"), s.FloatArg(ng.S4, "step")
	i := s.X()
	s.Set(i, 0)
	s.Label("vector")
	x, y, z := s.load(ng.By(level, i)), s.load(ng.By(c, i)), s.V()
	s.addMul(x, y, s.load(ng.By(r, i)))
	s.FMulLane(ng.S4, z, s.load(ng.By(u, i)), keep, 0)
	s.FMlaLane(ng.S4, z, x, step, 0)
	s.Store(16, z, ng.By(u, i))
	s.AddN(i, i, 16)
	s.SubsN(n, n, 4)
	s.Br("NE", "vector")
	s.Ret()
}

// neonChunk is the maximum number of vectors of a row that are kept in registers. There is a function for each multiple
// of neonStep vectors (16 numbers).
const (
	neonChunk = 16
	neonStep  = 4
)

// row emits loads of c vectors from the address in base, and returns their registers.
func (s arm) row(base ng.X, c int) (held []ng.V) {
	for i := 0; i < c; i += 2 {
		held = append(held, s.V(), s.V())
		s.LoadPair(16, held[i], held[i+1], ng.At(base, 16*i))
	}
	return held
}

// neonDots emits out_j += w_j · r for the units j, four units at a time, with two partial sums for each. The vectors
// w_j and r consist of c registers.
func neonDots(file *ng.File, c int) {
	s := arm{file.Func(fmt.Sprintf("dots%dNEON", c), "func(units int, w *float32, stride int, r, out *float32)", "adds the products of r with rows of w to out; units is a multiple of 4, stride in bytes."), file}
	units, w, stride, out := s.Arg("units"), s.Arg("w"), s.Arg("stride"), s.Arg("out")
	held := s.row(s.Arg("r"), c)
	s.Label("units")
	var sum [4]ng.V
	for u := range sum {
		half := [2]ng.V{s.V(), s.V()}
		for i := 0; i < c; i += 2 {
			x := [2]ng.V{s.V(), s.V()}
			s.LoadPair(16, x[0], x[1], ng.At(w, 16*i))
			for k := range x {
				if i == 0 {
					s.FMul(ng.S4, half[k], x[k], held[k])
				} else {
					s.addMul(half[k], x[k], held[i+k])
				}
			}
		}
		sum[u] = s.add(half[0], half[1])
		s.Add(w, w, stride)
	}
	pairs := func(a, b ng.V) ng.V { return s.apply(s.FAddPairs, a, b) }
	all := pairs(pairs(sum[0], sum[1]), pairs(sum[2], sum[3]))
	s.Store(16, s.add(all, s.load(ng.At(out, 0))), ng.At(out, 0))
	s.AddN(out, out, 16)
	s.SubsN(units, units, 4)
	s.Br("NE", "units")
	s.Ret()
}

// neonSums emits r −= Σ_j m_j w_j over the units j. The vectors w_j and r consist of c registers.
func neonSums(file *ng.File, c int) {
	s := arm{file.Func(fmt.Sprintf("sums%dNEON", c), "func(units int, w *float32, stride int, m, r *float32)", "subtracts m times rows of w from r; stride is in bytes."), file}
	units, w, stride, m, r := s.Arg("units"), s.Arg("w"), s.Arg("stride"), s.Arg("m"), s.Arg("r")
	held := s.row(r, c)
	s.Label("units")
	f := s.V()
	s.Load(4, f, ng.Step(m, 4))
	for i := 0; i < c; i += 2 {
		x := [2]ng.V{s.V(), s.V()}
		s.LoadPair(16, x[0], x[1], ng.At(w, 16*i))
		for k := range x {
			s.FMlsLane(ng.S4, held[i+k], x[k], f, 0)
		}
	}
	s.Add(w, w, stride)
	s.SubsN(units, units, 1)
	s.Br("NE", "units")
	for i := 0; i < c; i += 2 {
		s.StorePair(16, held[i], held[i+1], ng.At(r, 16*i))
	}
	s.Ret()
}
