//go:build !noasm

package simd

// available returns NEON, which every arm64 processor has.
func available() level { return neon }
