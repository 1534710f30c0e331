package main

import (
	"fmt"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// neonCopy emits a function that copies rows × cols numbers between matrices with different strides.
func neonCopy(file *ng.File, s ng.Shape) {
	f := function(file, s, "copy", "func(dst *T, dstStride int, src *T, srcStride int, rows, cols int)", "copies rows × cols numbers; strides are in bytes.")
	dst, ds, src, ss := f.Arg("dst"), f.Arg("dstStride"), f.Arg("src"), f.Arg("srcStride")
	rows, cols := f.Arg("rows"), f.Arg("cols")
	f.Label("row")
	from, to, n, v := f.X(), f.X(), f.X(), f.V()
	f.Move(from, src)
	f.Move(to, dst)
	f.Move(n, cols)
	f.Strip(s, n, from, to).Do(1, func(p ng.Passage) {
		p.Load(v, from)
		p.Store(v, to)
	})
	f.Add(src, src, ss)
	f.Add(dst, dst, ds)
	f.SubsN(rows, rows, 1)
	f.Br("NE", "row")
	f.Ret()
}

// neonTranspose emits a function that transposes at most one vector's worth of rows (see transpose). The function
// transposes squares of lanes × lanes, and then the remaining columns one by one.
func neonTranspose(file *ng.File, s ng.Shape) {
	f := function(file, s, "transpose", "func(dst *T, dstStride int, src *T, srcStride int, rows, k int)", "puts the transpose of src, rows × k, into dst, k × the lanes of a vector; strides are in bytes.")
	dst, ds, ss, rows, k := f.Arg("dst"), f.Arg("dstStride"), f.Arg("srcStride"), f.Arg("rows"), f.Arg("k")
	row := []ng.X{f.Arg("src")}
	for i := 1; i < s.Lanes(); i++ {
		// Do not advance beyond the last row.
		step, stay, x := f.X(), f.X(), f.X()
		f.Set(stay, 0)
		f.CmpN(rows, int64(i))
		f.Choose("GT", step, ss, stay)
		f.Add(x, row[i-1], step)
		row = append(row, x)
	}
	put := func(column ng.V) {
		f.Store(16, column, ng.At(dst, 0))
		f.Add(dst, dst, ds)
	}
	f.Strip(s, k, row...).Do(1, func(p ng.Passage) {
		var x []ng.V
		for _, r := range row {
			v := f.V()
			p.Load(v, r)
			x = append(x, v)
		}
		zip := func(a, b ng.V) (lo, hi ng.V) {
			lo, hi = f.V(), f.V()
			f.Zip1(s, lo, a, b)
			if !p.Single() {
				f.Zip2(s, hi, a, b)
			}
			return lo, hi
		}
		if s == ng.D2 {
			first, second := zip(x[0], x[1])
			put(first)
			if !p.Single() {
				put(second)
			}
			return
		}
		a, c := zip(x[0], x[2]) // rows 0 and 2 interleaved
		b, d := zip(x[1], x[3])
		first, second := zip(a, b)
		put(first)
		if !p.Single() {
			third, fourth := zip(c, d)
			put(second)
			put(third)
			put(fourth)
		}
	})
	f.Ret()
}

// neonRowPointers emits instructions that compute the addresses of the given number of rows: a, a + stride, and so on.
// It returns the registers that hold the addresses.
func neonRowPointers(f *ng.Func, rows int) []ng.X {
	p := []ng.X{f.Arg("a")}
	if rows > 1 {
		stride := f.Arg("stride")
		for i := 1; i < rows; i++ {
			x := f.X()
			f.Add(x, p[i-1], stride)
			p = append(p, x)
		}
	}
	return p
}

// neonDots emits a function that computes the dot products of 1 or 4 rows of A with x: out_r = a_r · x. To hide the
// latency of a multiply-add, it uses several independent sums: four for a single row, and two for each of four rows.
func neonDots(file *ng.File, s ng.Shape, rows int) {
	f := function(file, s, fmt.Sprint("dots", rows), "func(n int, a *T, stride int, x, out *T)", fmt.Sprintf("gives the dot products of %d rows of a, stride bytes apart, with x.", rows))
	n, x, a := f.Arg("n"), f.Arg("x"), neonRowPointers(f, rows)
	turn := 4
	if rows == 4 {
		turn = 2
	}
	var sum [4][4]ng.V
	for r := range rows {
		for u := range turn {
			sum[r][u] = f.V()
			f.Zero(sum[r][u])
		}
	}
	f.Strip(s, n, append(a, x)...).Do(turn, func(p ng.Passage) {
		b := f.V()
		p.Load(b, x)
		for r := range rows {
			v := f.V()
			p.Load(v, a[r])
			f.FMla(s, sum[r][p.I], v, b)
		}
	})
	out := f.Arg("out")
	for r := range rows {
		for u := turn / 2; u > 0; u /= 2 {
			for i := range u {
				f.FAdd(s, sum[r][i], sum[r][i], sum[r][i+u])
			}
		}
		f.Sum(s, sum[r][0])
		f.Store(s.Size(), sum[r][0], ng.At(out, r*s.Size()))
	}
	f.Ret()
}

// neonAxpys emits a function that adds 1 or 4 rows of A, each times its own factor, to y. It computes y += Σ_r f_r
// a_r, where a_r is row r and f_r its factor.
func neonAxpys(file *ng.File, s ng.Shape, rows int) {
	f := function(file, s, fmt.Sprint("axpys", rows), "func(n int, f, a *T, stride int, y *T)", fmt.Sprintf("adds %d rows of a, stride bytes apart, times the numbers f to y.", rows))
	n, y, a := f.Arg("n"), f.Arg("y"), neonRowPointers(f, rows)
	f.AddRows(s, n, f.Arg("f"), a, y)
	f.Ret()
}

// neonBoth emits a function for one row a of a symmetric matrix. The function adds the row times the number f to y,
// and stores the dot product a · x in out.
func neonBoth(file *ng.File, s ng.Shape) {
	f := function(file, s, "both", "func(n int, f, a, x, y, out *T)", "adds a times the number f to y and gives the dot product of a with x.")
	n, a, x, y := f.Arg("n"), f.Arg("a"), f.Arg("x"), f.Arg("y")
	factor, sum := f.V(), [2]ng.V{f.V(), f.V()}
	f.LoadAll(s, factor, f.Arg("f"))
	f.Zero(sum[0])
	f.Zero(sum[1])
	f.Strip(s, n, a, x, y).Do(2, func(p ng.Passage) {
		av, xv, yv := f.V(), f.V(), f.V()
		p.Load(av, a)
		p.Load(xv, x)
		p.Load(yv, y)
		f.FMla(s, sum[p.I], av, xv)
		f.FMla(s, yv, factor, av)
		p.Store(yv, y)
	})
	f.FAdd(s, sum[0], sum[0], sum[1])
	f.Sum(s, sum[0])
	f.Store(s.Size(), sum[0], ng.At(f.Arg("out"), 0))
	f.Ret()
}
