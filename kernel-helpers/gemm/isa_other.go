//go:build !amd64 || noasm

package gemm

// assembly lists the instruction sets that have assembly: none here.
func assembly() []*isa { return nil }
