//go:build livesimd

package vmath

import "overcomplete/internal/simd"

const (
	portable instructions = iota // no vectors
	simd128                      // WebAssembly's
)

var names = [...]string{"go", "simd128"}

// available returns simd128 if the browser supports it, otherwise portable.
func available() instructions {
	if simd.Wasm() {
		return simd128
	}
	return portable
}
