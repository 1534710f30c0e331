package main

import "overcomplete/kernel-helpers/internal/avogen"

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
