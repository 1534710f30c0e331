//go:build ((!amd64 && !arm64) || noasm) && !(js && livesimd)

package gemm

// assembly returns nil, because no instruction set has assembly on this platform.
func assembly() []*isa { return nil }
