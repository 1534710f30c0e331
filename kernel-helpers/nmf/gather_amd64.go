//go:build !noasm

package nmf

import (
	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/internal/simd"
)

// combine512 adds Σ_p val[p] W[col[p]] to dst. The distance between rows of W, in bytes, is stride. It uses
// 8·vectors numbers of each row, where vectors is from 1 to 8.
//
//go:noescape
func combine512(vectors, n int, col *int32, val, W *float64, stride int, dst *float64)

// inner512 adds u'W[col[p]] to dst[p], for rows as in combine512.
//
//go:noescape
func inner512(vectors, n int, col *int32, u, W *float64, stride int, dst *float64)

// isPadded reports whether the AVX-512 kernels may be used for W. The processor must have AVX-512, and the rows of W
// must be padded to whole vectors (see factor), because the kernels read past the last column.
func isPadded(W blas64.General) bool {
	return simd.AVX512() && W.Stride%8 == 0 && len(W.Data) == W.Rows*W.Stride
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
	for v := 0; v < W.Stride; v += 64 {
		combine512(min(8, (W.Stride-v)/8), len(col), &col[0], &val[0], &W.Data[v], W.Stride*8, &dst[v])
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
	for v := 0; v < W.Stride; v += 64 {
		inner512(min(8, (W.Stride-v)/8), len(col), &col[0], &u[v], &W.Data[v], W.Stride*8, &dst[0])
	}
}
