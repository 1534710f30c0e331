// Command gen writes the assembly of package sparseapprox: one file for each instruction set, and the Go declarations
// that belong to it.
//
//	go run ./gen -isa avx512 -out avx512_amd64.s -stubs avx512_amd64.go -pkg sparseapprox
//
// Package avogen defines the instruction sets. vector.go generates weighted sums of rows, the dot product, and the
// violations that coordinate descent looks for; sweep.go generates its sweeps. neon.go does all this for arm64, and
// uses package neongen.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"

	"overcomplete/kernel-helpers/internal/avogen"
)

var isaName = flag.String("isa", "avx512", "instruction set: avx512, avx2 or neon")

func main() {
	flag.Parse()
	if *isaName == "neon" {
		neon()
		return
	}
	ConstraintExpr("amd64,!noasm")
	for _, float64s := range []bool{false, true} {
		s := avogen.New(*isaName, float64s)
		axpys(s, 1)
		axpys(s, 4)
		if float64s {
			dot(s)
		} else {
			sweep(s)
			excess(s)
			above(s)
		}
	}
	Generate()
}
