package vmath

import "overcomplete/internal/simd"

const (
	portable instructions = iota // no assembly
	neon
)

var names = [...]string{"go", "neon"}

// available is the best set that there is assembly for.
func available() instructions {
	if simd.NEON() {
		return neon
	}
	return portable
}
