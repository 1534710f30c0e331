//go:build !arm64 && !(js && livesimd)

package gemm

// The limits are numbers of elements of A. Below these limits, gonum's level 2 routines are at least as fast as this
// package's (BenchmarkVector). smallVector64 is large because gonum's gemv and ger are fast in double precision.
const (
	smallVector32  = 900
	smallVector64  = 6000
	smallSymmetric = 2000
)
