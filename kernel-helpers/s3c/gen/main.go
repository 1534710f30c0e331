// Command gen writes the assembly of package s3c: one file for each instruction
// set, and the Go declarations that belong to it.
//
//	go run ./gen -isa avx512 -out avx512_amd64.s -stubs avx512_amd64.go -pkg s3c
//
// Reading order: update.go (the two updates of Algorithm 1), screen.go (the choice of active units),
// gather.go (the products of the active columns, and a transpose), vector.go (the instruction sets).
// neon.go and neonblock.go have all of these for arm64, using package neongen.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
)

var isaName = flag.String("isa", "avx512", "instruction set: avx512, avx2 or neon")

func main() {
	flag.Parse()
	if *isaName == "neon" {
		neon()
		return
	}
	ConstraintExpr("amd64,!noasm")
	s := newISA(*isaName)
	for _, rows := range []bool{true, false} {
		slab(s, rows)
		spike(s, rows, false)
	}
	spike(s, true, true)
	screen(s)
	respond(s)
	column(s)
	for c := 1; c <= chunk; c++ {
		dots(s, c)
		sums(s, c)
	}
	Generate()
}
