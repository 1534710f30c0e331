//go:build arm64 || (js && livesimd)

package gemm

// The limits of limits.go where gonum has no assembly. They are those of WebAssembly, where a call of the
// module takes some 50 ns. On arm64 they have not been measured.
const (
	smallVector32  = 500
	smallVector64  = 1200
	smallSymmetric = 2000
)
