package nmf

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// leeSeung makes inner multiplicative updates of D. Lee and H. S. Seung, Algorithms for
// non-negative matrix factorization, NIPS 13 (2001), (4):
//
//	U ← U ∘ (A W) / (U W'W)
//
// with C = A W and G = W'W. No update raises ‖A − UW'‖. An element that is 0 stays so.
func leeSeung(U, C, G blas64.General, inner int) {
	k := U.Cols
	rowBlocks(U.Rows, func(from, to int) {
		Ub := rowsOf(U, from, to)
		D := factor(to-from, k)
		for range inner {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, Ub, G, 0, D) // (n×k)(k×k)
			for i := range Ub.Rows {
				u, c, den := Ub.Data[i*U.Stride:][:k], C.Data[(from+i)*C.Stride:][:k], D.Data[i*D.Stride:][:k]
				for t, v := range den {
					if v > 0 { // else u_t = 0, or column t of W is 0
						u[t] *= c[t] / v
					}
				}
			}
		}
	})
}

// multiply makes the update (5) of the same paper, for the divergence,
//
//	U_it ← U_it C_it / w_t
//
// with C = (A/UW')W and w_t = Σ_j W_jt.
func multiply(U, C blas64.General, w []float64) {
	k := U.Cols
	for i := range U.Rows {
		u, c := U.Data[i*U.Stride:][:k], C.Data[i*C.Stride:][:k]
		for t, v := range w {
			if v > 0 {
				u[t] *= c[t] / v
			}
		}
	}
}
