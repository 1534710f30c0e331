package main

import "overcomplete/kernel-helpers/internal/avogen"

// An isa is an instruction set for one element type.
type isa struct {
	*avogen.ISA
	rows int // maximum number of rows of a tile
}

// newISA returns the instruction set of that name. A tile has rows × 2 accumulator vectors. Together with two
// vectors of B and at least one vector of A they fill the 32 or 16 registers.
func newISA(name string, float64s bool) *isa {
	s := &isa{avogen.New(name, float64s), 6}
	if s.Wide() {
		s.rows = 12
	}
	return s
}
