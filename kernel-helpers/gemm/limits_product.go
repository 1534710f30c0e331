//go:build !js || !livesimd

package gemm

// The limits are the largest sizes for which gonum's products are at least as fast as this package's (BenchmarkSmall),
// if m, n and k are all small. The limits are the same for all assembly, so that the bits of a product change at the
// same sizes everywhere.
const (
	smallSide    = 2
	smallProduct = 8
)
