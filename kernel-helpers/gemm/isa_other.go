//go:build !amd64 || noasm

package gemm

// assembly lists the instruction sets there is assembly for: none here.
func assembly() []*isa { return nil }
