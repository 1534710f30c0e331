//go:build !noasm

package nmf

import (
	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/internal/simd"
)

// isPadded reports whether the NEON kernels may be used for W. NEON must be enabled, and the rows of W must be padded
// to whole vectors (see factor), because the kernels read past the last column.
func isPadded(W blas64.General) bool {
	return simd.NEON() && W.Stride%8 == 0 && len(W.Data) == W.Rows*W.Stride
}

// combine adds Σ_p val[p] W[col[p], :] to dst (k).
func combine(dst, val []float64, col []int32, W blas64.General) {
	if len(col) == 0 {
		return
	}
	if !isPadded(W) || cap(dst) < W.Stride {
		combinePortable(dst, val, col, W)
		return
	}
	dst = dst[:W.Stride]
	_ = val[len(col)-1]
	for v := 0; v < W.Stride; v += 32 {
		combineNEON(min(4, (W.Stride-v)/8), len(col), &col[0], &val[0], &W.Data[v], W.Stride*8, &dst[v])
	}
}

// inner stores u'W[col[p], :] in dst[p]. u is a row of a factor.
func inner(dst, u []float64, col []int32, W blas64.General) {
	if len(col) == 0 {
		return
	}
	if !isPadded(W) || cap(u) < W.Stride {
		innerPortable(dst, u, col, W)
		return
	}
	u = u[:W.Stride]
	clear(dst)
	_ = dst[len(col)-1]
	for v := 0; v < W.Stride; v += 32 {
		innerNEON(min(4, (W.Stride-v)/8), len(col), &col[0], &u[v], &W.Data[v], W.Stride*8, &dst[0])
	}
}
