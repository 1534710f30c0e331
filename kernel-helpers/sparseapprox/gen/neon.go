package main

import (
	"fmt"
	"strings"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// neon writes the arm64 versions of the functions that main writes for amd64, with the same arguments.
func neon() {
	file := ng.New("sparseapprox")
	for _, s := range []ng.Shape{ng.S4, ng.D2} {
		neonAxpys(file, s, 1)
		neonAxpys(file, s, 4)
	}
	neonDot(file)
	neonSweep(file)
	neonExcess(file)
	neonAbove(file)
	file.Generate()
}

// neonAxpys emits y += Σ_r f_r a_r, a sum over 1 or 4 rows a_r.
func neonAxpys(file *ng.File, s ng.Shape, rows int) {
	names := []string{"a", "b", "c", "d"}[:rows]
	f := file.Func(fmt.Sprintf("axpys%dF%dNEON", rows, 8*s.Size()), fmt.Sprintf("func(n int, f, %s, y *%s)", strings.Join(names, ", "), s.Type()),
		fmt.Sprintf("adds %d rows times the numbers f to y.", rows))
	var a []ng.X
	for _, name := range names {
		a = append(a, f.Arg(name))
	}
	f.AddRows(s, f.Arg("n"), f.Arg("f"), a, f.Arg("y"))
	f.Ret()
}

// neonDot emits the product x·y, with four partial sums.
func neonDot(file *ng.File) {
	f := file.Func("dotF64NEON", "func(n int, x, y *float64) float64", "is the product of x and y.")
	n, x, y := f.Arg("n"), f.Arg("x"), f.Arg("y")
	var sum [4]ng.V
	for i := range sum {
		sum[i] = f.V()
		f.Zero(sum[i])
	}
	f.Strip(ng.D2, n, x, y).Do(len(sum), func(p ng.Passage) {
		a, b := f.V(), f.V()
		p.Load(a, x)
		p.Load(b, y)
		f.FMla(ng.D2, sum[p.I], a, b)
	})
	f.FAdd(ng.D2, sum[0], sum[0], sum[2])
	f.FAdd(ng.D2, sum[1], sum[1], sum[3])
	f.FAdd(ng.D2, sum[0], sum[0], sum[1])
	f.Sum(ng.D2, sum[0])
	f.Return(ng.D2, "ret", sum[0])
	f.Ret()
}

// neonSweep emits one sweep of coordinate descent, with the same operations as sweep.
func neonSweep(file *ng.File) {
	const s = ng.S4
	f := file.Func("sweepF32NEON", "func(m int, a *float32, stride int, w, q, diag, inverse *float32, low float32) float32",
		"is one sweep over m atoms; stride is in bytes. It gives the largest change of a q_i.")
	m, a, stride, w, q, g, inverse := f.Arg("m"), f.Arg("a"), f.Arg("stride"), f.Arg("w"), f.Arg("q"), f.Arg("diag"), f.Arg("inverse")
	low, high, change := f.FloatArg(s, "low"), f.V(), f.V()
	bits := f.X()
	f.Set(bits, 0x3f800000) // 1
	f.FromX(s, high, bits)
	f.Zero(change)
	end, i, next := f.X(), f.X(), f.X() // in bytes
	f.Shl(end, m, 2)
	f.Set(i, 0)
	number := func(base, index ng.X) ng.V {
		v := f.V()
		f.Load(4, v, ng.By(base, index))
		return v
	}
	old, t := f.V(), f.V()
	f.Load(4, old, ng.At(w, 0))
	f.Load(4, t, ng.At(q, 0))
	f.MulAdd1(s, t, old, number(g, i), t)

	f.Label("atom")
	f.AddN(next, i, 4)
	clamp, v, d, size := f.V(), f.V(), f.V(), f.V()
	f.Max1(s, clamp, t, low)
	f.Min1(s, clamp, clamp, high)
	f.Sub1(s, t, t, clamp)
	by := number(inverse, i)
	f.Mul1(s, v, t, by)
	f.MulSub1(s, d, t, by, old) // w_i − v
	f.Store(4, v, ng.By(w, i))
	// t of the next atom.
	f.Load(4, old, ng.By(w, next))
	f.Load(4, t, ng.By(q, next))
	f.MulAdd1(s, t, old, number(g, next), t)
	f.MulAdd1(s, t, d, number(a, next), t)
	f.Mul1(s, size, d, number(g, i))
	f.Abs1(s, size, size)
	f.Max1(s, change, change, size)
	// q += d a_i, 16 numbers per iteration.
	row, to, left := f.X(), f.X(), f.X()
	f.Move(row, a)
	f.Move(to, q)
	f.Move(left, m)
	f.Label("vectors")
	var x, y [4]ng.V
	for k := range x {
		x[k], y[k] = f.V(), f.V()
	}
	for k := 0; k < 4; k += 2 {
		f.LoadPair(16, x[k], x[k+1], ng.At(row, 16*k))
		f.LoadPair(16, y[k], y[k+1], ng.At(to, 16*k))
	}
	for k := range x {
		f.FMlaLane(s, y[k], x[k], d, 0)
	}
	for k := 0; k < 4; k += 2 {
		f.StorePair(16, y[k], y[k+1], ng.At(to, 16*k))
	}
	f.AddN(row, row, 64)
	f.AddN(to, to, 64)
	f.SubsN(left, left, 16)
	f.Br("GT", "vectors")
	f.Add(a, a, stride)
	f.Move(i, next)
	f.Cmp(i, end)
	f.Br("NE", "atom")
	f.Return(s, "ret", change)
	f.Ret()
}

// neonOver emits code that computes max(q_j, sign·q_j) − bound_j, and returns the register of the result.
func neonOver(f *ng.Func, q, bound, sign ng.V) ng.V {
	v := f.V()
	f.FMulLane(ng.S4, v, q, sign, 0)
	f.FMax(ng.S4, v, v, q)
	f.FSub(ng.S4, v, v, bound)
	return v
}

// neonExcess emits the search for the worst violation; see excess.
func neonExcess(file *ng.File) {
	f := file.Func("excessF32NEON", "func(n int, q, bound *float32, sign float32) float32", "is the largest of 0 and max(q_j, sign q_j) − bound_j.")
	n, q, bound, sign := f.Arg("n"), f.Arg("q"), f.Arg("bound"), f.FloatArg(ng.S4, "sign")
	worst := [2]ng.V{f.V(), f.V()}
	f.Zero(worst[0])
	f.Zero(worst[1])
	f.Strip(ng.S4, n, q, bound).Do(2, func(p ng.Passage) {
		x, b := f.V(), f.V()
		p.Load(x, q)
		p.Load(b, bound)
		f.FMax(ng.S4, worst[p.I], worst[p.I], neonOver(f, x, b, sign))
	})
	f.FMax(ng.S4, worst[0], worst[0], worst[1])
	f.FMaxAcross4(worst[0], worst[0])
	f.Return(ng.S4, "ret", worst[0])
	f.Ret()
}

// neonAbove emits the function that above in vector.go emits, but for arm64: it sets one bit for each j. Each lane has
// a weight 1, 2, 4, ...; the byte for eight numbers is the sum of the weights of the lanes where the condition holds.
func neonAbove(file *ng.File) {
	f := file.Func("aboveF32NEON", "func(n int, q, bound *float32, sign, least float32, bits *byte)",
		"sets bit j where max(q_j, sign q_j) − bound_j >= least > 0, in whole bytes.")
	n, q, bound, bits := f.Arg("n"), f.Arg("q"), f.Arg("bound"), f.Arg("bits")
	sign, least := f.FloatArg(ng.S4, "sign"), f.FloatArg(ng.S4, "least")
	f.Splat(ng.S4, least, least, 0)
	table := f.Address(file.Words("weights", 2<<32|1, 8<<32|4, 32<<32|16, 128<<32|64))
	weights := [2]ng.V{f.V(), f.V()}
	f.LoadPair(16, weights[0], weights[1], ng.At(table, 0))
	// found returns, for each lane, its weight if the condition holds there, otherwise 0.
	found := func(bytes, at int, weight ng.V) ng.V {
		x, b := f.V(), f.V()
		f.Load(bytes, x, ng.At(q, at))
		f.Load(bytes, b, ng.At(bound, at))
		over := neonOver(f, x, b, sign)
		f.FGreaterEqual(ng.S4, over, over, least)
		f.And(over, over, weight)
		return over
	}
	byteOf := func(v ng.V) {
		sum := f.X()
		f.AddAcross4(v, v)
		f.ToX(ng.S4, sum, v)
		f.StoreByte(sum, bits, 0)
		f.AddN(bits, bits, 1)
	}
	f.SubsN(n, n, 8)
	f.Br("LT", "rest")
	f.Label("eight")
	lower, upper := found(16, 0, weights[0]), found(16, 16, weights[1])
	f.Or(lower, lower, upper)
	byteOf(lower)
	f.AddN(q, q, 32)
	f.AddN(bound, bound, 32)
	f.SubsN(n, n, 8)
	f.Br("GE", "eight")
	f.Label("rest")
	f.AddN(n, n, 8)
	f.IfZero(n, "end")
	// For a single number, the weight is in the first lane; the other lanes are 0.
	weight, all := f.V(), f.V()
	f.Load(4, weight, ng.At(table, 0))
	f.Zero(all)
	f.Label("number")
	f.Or(all, all, found(4, 0, weight))
	f.IAdd(ng.S4, weight, weight, weight)
	f.AddN(q, q, 4)
	f.AddN(bound, bound, 4)
	f.SubsN(n, n, 1)
	f.Br("NE", "number")
	byteOf(all)
	f.Label("end")
	f.Ret()
}
