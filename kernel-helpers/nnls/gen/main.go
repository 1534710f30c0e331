// Command gen writes the arm64 assembly of package nnls. The amd64 assembly is written by hand.
//
//	go run ./gen -out neon_arm64.s -stubs neon_arm64.go -pkg nnls
package main

import (
	"flag"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// held is the number of vector registers that 32 numbers fill. The numbers stay in these registers.
const held = 16

func main() {
	ng.Flags()
	flag.Parse()
	file := ng.New("nnls")
	f := file.Func("sweepNEON", "func(k, columns int, order *int, G, inv, c, u *float64)", "is sweepPortable with fused multiply-adds.")
	k, columns, order := f.Arg("k"), f.Arg("columns"), f.Arg("order")
	G, inv, c, u := f.Arg("G"), f.Arg("inv"), f.Arg("c"), f.Arg("u")
	zero := f.V()
	f.Zero(zero)

	f.Label("column")
	t, at, row, ct, ut, ur, left := f.X(), f.X(), f.X(), f.X(), f.X(), f.X(), f.X()
	f.LoadX(t, order, 0)
	f.AddN(order, order, 8)
	f.Shl(at, t, 8) // 32 numbers of 8 bytes
	f.Add(ct, c, at)
	f.Add(ut, u, at)
	f.Mul(row, t, k)
	f.AddShifted(row, G, row, 3)
	f.Move(ur, u)
	f.Move(left, k)
	s := load(f, ct, 0, held)

	// s = c_t − Σ_r G_tr u_r
	f.Label("row")
	g := f.V()
	f.Load(8, g, ng.Step(row, 8))
	for i := 0; i < held; i += 2 {
		x := load(f, ur, i, 2)
		f.FMlsLane(ng.D2, s[i], x[0], g, 0)
		f.FMlsLane(ng.D2, s[i+1], x[1], g, 0)
	}
	f.AddN(ur, ur, 16*held)
	f.SubsN(left, left, 1)
	f.Br("NE", "row")

	// u_t = max(0, u_t + s / G_tt)
	by := f.V()
	f.AddShifted(t, inv, t, 3)
	f.Load(8, by, ng.At(t, 0))
	for i := 0; i < held; i += 2 {
		x := load(f, ut, i, 2)
		for j, v := range x {
			f.FMlaLane(ng.D2, v, s[i+j], by, 0)
			f.FMax(ng.D2, v, v, zero)
		}
		f.StorePair(16, x[0], x[1], ng.At(ut, 16*i))
	}
	f.SubsN(columns, columns, 1)
	f.Br("NE", "column")
	f.Ret()
	file.Generate()
}

// load generates instructions that load n consecutive vectors of 16 bytes into registers, beginning with vector i of
// the array at base. n must be even. It returns the registers.
func load(f *ng.Func, base ng.X, i, n int) (v []ng.V) {
	for j := 0; j < n; j += 2 {
		a, b := f.V(), f.V()
		f.LoadPair(16, a, b, ng.At(base, 16*(i+j)))
		v = append(v, a, b)
	}
	return v
}
