package nnls

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/kernel-helpers/internal/product"
)

// gradient stores X G − C (p×k) in Z; each row is one problem. It returns an error if ctx is done.
func gradient(ctx context.Context, G, C, X, Z blas64.General) error {
	for i := range Z.Rows {
		copy(Z.Data[i*Z.Stride:i*Z.Stride+Z.Cols], C.Data[i*C.Stride:i*C.Stride+C.Cols])
	}
	return product.Gemm(ctx, blas.NoTrans, blas.NoTrans, 1, X, G, -1, Z)
}

// residual returns the KKT residual that the package comment defines, for problems in rows. The numerator uses
// min(G_ii X_ij, Z_ij), which is 0 if and only if one of the two is 0 and the other is not negative.
func residual(G, C, X, Z blas64.General) float64 {
	unit := make([]float64, G.Rows) // 1/√G_ii
	for i := range unit {
		if g := G.Data[i*G.Stride+i]; g > 0 {
			unit[i] = 1 / math.Sqrt(g)
		}
	}
	worst, all, lost := 0.0, 0.0, 0.0
	for j := range X.Rows {
		x, z, c := X.Data[j*X.Stride:], Z.Data[j*Z.Stride:], C.Data[j*C.Stride:]
		var bad, scale float64
		for i, u := range unit {
			if u == 0 {
				continue
			}
			bad = max(bad, math.Abs(min(G.Data[i*G.Stride+i]*x[i], z[i]))*u)
			scale = max(scale, math.Abs(c[i])*u)
		}
		all = max(all, scale)
		if scale > 0 {
			worst = max(worst, bad/scale)
		} else {
			lost = max(lost, bad)
		}
	}
	if lost > 0 { // columns with C_j = 0, where X_j should be 0
		worst = max(worst, lost/all)
	}
	return worst
}
