//go:build !noasm

package simd

// supportedLevel returns NEON, which every arm64 processor has.
func supportedLevel() level { return neon }
