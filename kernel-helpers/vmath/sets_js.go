//go:build livesimd

package vmath

import "overcomplete/internal/simd"

const (
	portable instructions = iota // no vectors
	simd128                      // WebAssembly's
)

var names = [...]string{"go", "simd128"}

// available is the best set that the browser has.
func available() instructions {
	if simd.Wasm() {
		return simd128
	}
	return portable
}
