package nmf

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

//go:generate go run ./gen -out neon_arm64.s -stubs neon_arm64.go -pkg nmf

// combinePortable adds Σ_p val[p] W[col[p], :] to dst (k).
func combinePortable(dst, val []float64, col []int32, W blas64.General) {
	for p, j := range col {
		floats.AddScaled(dst, val[p], W.Data[int(j)*W.Stride:][:len(dst)])
	}
}

// innerPortable stores u'W[col[p], :] in dst[p].
func innerPortable(dst, u []float64, col []int32, W blas64.General) {
	for p, j := range col {
		dst[p] = floats.Dot(u, W.Data[int(j)*W.Stride:][:len(u)])
	}
}
