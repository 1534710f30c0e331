//go:build livesimd

package gemm

// These are the WebAssembly values of the limits in limits_product.go.
const (
	smallSide    = 4
	smallProduct = 64
)
