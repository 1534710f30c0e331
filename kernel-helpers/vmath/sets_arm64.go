package vmath

import "overcomplete/internal/simd"

const (
	portable instructions = iota // no assembly
	neon
)

var names = [...]string{"go", "neon"}

// available returns the best set that has assembly.
func available() instructions {
	if simd.NEON() {
		return neon
	}
	return portable
}
