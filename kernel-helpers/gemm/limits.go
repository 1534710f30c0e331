//go:build !arm64 && !(js && livesimd)

package gemm

// The limits are the numbers of elements of A below which gonum's level 2 routines are at least as fast
// (BenchmarkVector). In double precision gonum's gemv and ger are good.
const (
	smallVector32  = 900
	smallVector64  = 6000
	smallSymmetric = 2000
)
