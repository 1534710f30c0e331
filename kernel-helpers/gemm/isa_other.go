//go:build ((!amd64 && !arm64) || noasm) && !(js && livesimd)

package gemm

// assembly lists the instruction sets that have assembly: none here.
func assembly() []*isa { return nil }
