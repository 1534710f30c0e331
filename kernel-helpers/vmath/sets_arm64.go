package vmath

import "overcomplete/internal/simd"

const (
	portable instructions = iota // no assembly
	neon
)

var names = [...]string{"go", "neon"}

// available returns neon if package simd permits its instructions, otherwise portable.
func available() instructions {
	if simd.NEON() {
		return neon
	}
	return portable
}
