//go:build !js || !livesimd

package gemm

// The limits are the sizes up to which gonum's products are at least as fast, if all of m, n and k are small
// (BenchmarkSmall). They are the same for all assembly: callers can tell from them where the bits of a
// product change.
const (
	smallSide    = 2
	smallProduct = 8
)
