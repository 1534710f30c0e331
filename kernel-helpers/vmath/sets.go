//go:build !arm64 && !(js && livesimd)

package vmath

import "overcomplete/internal/simd"

const (
	portable instructions = iota // no assembly
	avx2
	avx512
)

var names = [...]string{"go", "avx2", "avx512"}

// available returns the best instruction set that has assembly and that the machine supports, or portable if there is
// none.
func available() instructions {
	switch {
	case simd.AVX512():
		return avx512
	case simd.AVX2():
		return avx2
	}
	return portable
}
