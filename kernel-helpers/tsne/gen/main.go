// Command gen writes the arm64 assembly of package tsne. The amd64 assembly is written by hand.
//
//	go run ./gen -out neon_arm64.s -stubs neon_arm64.go -pkg tsne
package main

import (
	"flag"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// vectors is the number of vectors of a block of points.
const vectors = 4

func main() {
	ng.Flags()
	flag.Parse()
	file := ng.New("tsne")
	repel(file, true)
	repel(file, false)
	file.Generate()
}

// repel emits the repulsion of a block of points by cells or by single points. The operations are those of the
// assembly for amd64:
//
//	acc += (m w, m w² dx, m w² dy),   w = 1/(1 + dx² + dy²)
//
// where (dx, dy) leads from the cell's center, or the single point, to the point of the block, and m is the cell's
// mass, or 1 for a single point.
func repel(file *ng.File, cells bool) {
	const s = ng.S4
	var f *ng.Func
	var mass ng.X
	if cells {
		f = file.Func("repelCellsNEON", "func(n int, x, y, mass *float32, own, acc *float32)", "is repelCells.")
		mass = f.Arg("mass")
	} else {
		f = file.Func("repelPointsNEON", "func(n int, x, y *float32, own, acc *float32)", "is repelPoints.")
	}
	n, x, y, own, acc := f.Arg("n"), f.Arg("x"), f.Arg("y"), f.Arg("own"), f.Arg("acc")
	xi, yi := load(f, own, 0), load(f, own, 1)
	z, fx, fy := load(f, acc, 0), load(f, acc, 1), load(f, acc, 2)
	one := f.V()
	f.LoadAll(s, one, f.Address(file.Constant("one", s, 1)))
	f.Label("next")
	// each emits a load of the next number of an array into all lanes.
	each := func(array ng.X) ng.V {
		v := f.V()
		f.LoadAll(s, v, array)
		f.AddN(array, array, 4)
		return v
	}
	xj, yj := each(x), each(y)
	var m ng.V
	if cells {
		m = each(mass)
	}
	for i := range vectors {
		dx, dy, t, w, mw := f.V(), f.V(), f.V(), f.V(), f.V()
		f.FSub(s, dx, xi[i], xj)
		f.FSub(s, dy, yi[i], yj)
		f.Copy(t, one)
		f.FMla(s, t, dx, dx)
		f.FMla(s, t, dy, dy)
		f.FDiv(s, w, one, t)
		if cells {
			f.FMul(s, mw, w, m)
			f.FAdd(s, z[i], z[i], mw)
			f.FMul(s, mw, mw, w)
		} else {
			f.FAdd(s, z[i], z[i], w)
			f.FMul(s, mw, w, w)
		}
		f.FMla(s, fx[i], mw, dx)
		f.FMla(s, fy[i], mw, dy)
	}
	f.SubsN(n, n, 1)
	f.Br("NE", "next")
	for a, v := range [][]ng.V{z, fx, fy} {
		for i := 0; i < vectors; i += 2 {
			f.StorePair(16, v[i], v[i+1], ng.At(acc, 16*(vectors*a+i)))
		}
	}
	f.Ret()
}

// load emits the loads of one array of a struct, and returns the registers. base is the struct's address, and a is the
// index of the array in the struct. The struct's type is block or sums.
func load(f *ng.Func, base ng.X, a int) (v []ng.V) {
	for i := 0; i < vectors; i += 2 {
		v = append(v, f.V(), f.V())
		f.LoadPair(16, v[i], v[i+1], ng.At(base, 16*(vectors*a+i)))
	}
	return v
}
