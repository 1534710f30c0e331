//go:build livesimd

package gemm

// The limits of limits_product.go in WebAssembly.
const (
	smallSide    = 4
	smallProduct = 64
)
