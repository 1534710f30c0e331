// Command gen writes the assembly of package gemm: one file for each instruction set, and Go declarations of
// its functions.
//
//	go run ./gen -isa avx512 -out avx512_amd64.s -stubs avx512_amd64.go -pkg gemm
//
// The same code generates the functions for float32 and float64. Package avogen and the type isa define the
// instruction sets of amd64; tile.go generates the register tile, block.go generates the packing functions,
// and vector.go generates the level 2 kernels. neon.go and neonblock.go generate the same functions for
// arm64, with package neongen.
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
		s := newISA(*isaName, float64s)
		for _, vectors := range []int{1, 2} {
			tile(s, vectors)
		}
		copyBlock(s)
		transpose(s)
		for _, rows := range []int{1, 4} {
			dots(s, rows)
			axpys(s, rows)
			both(s, rows)
		}
	}
	Generate()
}

// An isa is an instruction set for one element type.
type isa struct {
	*avogen.ISA
	rows int // maximum number of rows of a tile
}

// newISA returns the instruction set with the given name. A tile has rows × 2 accumulator vectors. The
// accumulators, two vectors of B and at least one vector of A fill the vector registers: 32 for AVX-512, 16
// for AVX2.
func newISA(name string, float64s bool) *isa {
	s := &isa{avogen.New(name, float64s), 6}
	if s.Wide() {
		s.rows = 12
	}
	return s
}
