//go:build !noasm

package simd

// available is NEON, which belongs to the processor.
func available() level { return neon }
