//go:build !noasm

package simd

import "golang.org/x/sys/cpu"

// supportedLevel returns the level that the processor and the operating system support.
func supportedLevel() level {
	c := &cpu.X86
	switch {
	case !(c.HasAVX2 && c.HasFMA && c.HasBMI2 && c.HasF16C):
		return portable
	case !(c.HasAVX512F && c.HasAVX512DQ && c.HasAVX512BW && c.HasAVX512VL):
		return avx2
	}
	return avx512
}
