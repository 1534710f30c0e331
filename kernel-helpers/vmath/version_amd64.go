//go:build !noasm

package vmath

import "golang.org/x/sys/cpu"

// available is the best set that the processor and the system have.
func available() instructions {
	c := &cpu.X86
	switch {
	case !(c.HasAVX2 && c.HasFMA && c.HasBMI2):
		return portable
	case c.HasAVX512F && c.HasAVX512DQ && c.HasAVX512BW && c.HasAVX512VL:
		return avx512
	}
	return avx2
}
