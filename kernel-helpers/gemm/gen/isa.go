package main

import "overcomplete/kernel-helpers/internal/avogen"

// An isa is an instruction set used for one type of number.
type isa struct {
	*avogen.ISA
	rows int // most rows of a tile
}

// newISA returns the instruction set of that name. A tile has rows × 2 vectors of accumulators. With two
// vectors of B and at least one of A they fill the 32 or 16 registers.
func newISA(name string, float64s bool) *isa {
	s := &isa{avogen.New(name, float64s), 6}
	if s.Wide() {
		s.rows = 12
	}
	return s
}
