// Command gen writes the arm64 assembly of package nmf. The amd64 assembly is written by hand.
//
//	go run ./gen -out neon_arm64.s -stubs neon_arm64.go -pkg nmf
package main

import (
	"flag"
	"fmt"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// A row consists of blocks of 8 numbers (4 vectors). At most 4 blocks are kept in registers.
const (
	block = 4 // vectors
	most  = 4 // blocks in registers
)

func main() {
	ng.Flags()
	flag.Parse()
	file := ng.New("nmf")
	combine(file)
	inner(file)
	file.Generate()
}

// cases emits code that branches on the number of blocks, from 1 to the largest number that is kept in registers (the
// constant most). For each number it calls each(blocks, label), which emits the body of the branch. label is the name
// of the loop in the body.
func cases(f *ng.Func, each func(blocks int, label string)) {
	blocks := f.Arg("blocks")
	for b := 1; b < most; b++ {
		f.CmpN(blocks, int64(b))
		f.Br("EQ", fmt.Sprint("blocks", b))
	}
	for b := most; b > 0; b-- {
		label := fmt.Sprint("blocks", b)
		f.Label(label)
		each(b, label+"loop")
		f.Ret()
	}
}

// row emits the loads of one row, from the address in base, into registers. It returns the registers.
func row(f *ng.Func, base ng.X, blocks int) (v []ng.V) {
	for i := 0; i < blocks*block; i += 2 {
		v = append(v, f.V(), f.V())
		f.LoadPair(16, v[i], v[i+1], ng.At(base, 16*i))
	}
	return v
}

// next emits code that reads the next column number from col, advances col, and computes the address of the row of W
// with this number. It returns the register with the address.
func next(f *ng.Func, col, W, stride ng.X) ng.X {
	j := f.X()
	f.LoadInt32(j, col, 0)
	f.AddN(col, col, 4)
	f.Mul(j, j, stride)
	f.Add(j, W, j)
	return j
}

func combine(file *ng.File) {
	f := file.Func("combineNEON", "func(blocks, n int, col *int32, val, W *float64, stride int, dst *float64)",
		"adds Σ_p val[p] W[col[p]] to dst, for rows of blocks·8 numbers (1 to 4 blocks) that are stride bytes apart.")
	cases(f, func(blocks int, label string) {
		n, col, val, W, stride, dst := f.Arg("n"), f.Arg("col"), f.Arg("val"), f.Arg("W"), f.Arg("stride"), f.Arg("dst")
		sum := row(f, dst, blocks)
		f.Label(label)
		w, by := next(f, col, W, stride), f.V()
		f.Load(8, by, ng.Step(val, 8))
		for i := 0; i < len(sum); i += 2 {
			a, b := f.V(), f.V()
			f.LoadPair(16, a, b, ng.At(w, 16*i))
			f.FMlaLane(ng.D2, sum[i], a, by, 0)
			f.FMlaLane(ng.D2, sum[i+1], b, by, 0)
		}
		f.SubsN(n, n, 1)
		f.Br("NE", label)
		for i := 0; i < len(sum); i += 2 {
			f.StorePair(16, sum[i], sum[i+1], ng.At(dst, 16*i))
		}
	})
}

func inner(file *ng.File) {
	f := file.Func("innerNEON", "func(blocks, n int, col *int32, u, W *float64, stride int, dst *float64)",
		"adds u'W[col[p]] to dst[p], for rows alike.")
	cases(f, func(blocks int, label string) {
		n, col, W, stride, dst := f.Arg("n"), f.Arg("col"), f.Arg("W"), f.Arg("stride"), f.Arg("dst")
		u := row(f, f.Arg("u"), blocks)
		f.Label(label)
		w := next(f, col, W, stride)
		var sum [4]ng.V
		for i := 0; i < len(u); i += 2 {
			x := [2]ng.V{f.V(), f.V()}
			f.LoadPair(16, x[0], x[1], ng.At(w, 16*i))
			for k, v := range x {
				if s := (i + k) % 4; i < len(sum) {
					sum[s] = f.V()
					f.FMul(ng.D2, sum[s], v, u[i+k])
				} else {
					f.FMla(ng.D2, sum[s], v, u[i+k])
				}
			}
		}
		f.FAdd(ng.D2, sum[0], sum[0], sum[2])
		f.FAdd(ng.D2, sum[1], sum[1], sum[3])
		f.FAdd(ng.D2, sum[0], sum[0], sum[1])
		f.Sum(ng.D2, sum[0])
		old := f.V()
		f.Load(8, old, ng.At(dst, 0))
		f.Add1(ng.D2, old, old, sum[0])
		f.Store(8, old, ng.Step(dst, 8))
		f.SubsN(n, n, 1)
		f.Br("NE", label)
	})
}
