//go:build !js || !livesimd

package gemm

// gonum's products are at least as fast as this package's (BenchmarkSmall) if m, n and k are at most smallSide and
// m·n·k is below smallProduct (see isTiny). These limits are the same for all assembly, so that the bits of a product
// change at the same sizes everywhere.
const (
	smallSide    = 2
	smallProduct = 8
)
