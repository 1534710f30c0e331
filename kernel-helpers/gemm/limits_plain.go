//go:build arm64 || (js && livesimd)

package gemm

// These are the values of the limits in limits.go for platforms where gonum has no assembly. They were
// measured in WebAssembly, where a call into the module takes about 50 ns. On arm64 the limits have not been
// measured.
const (
	smallVector32  = 500
	smallVector64  = 1200
	smallSymmetric = 2000
)
