package nmf

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/kernel-helpers/internal/product"
)

// leeSeung performs the given number of multiplicative updates. The update is (4) in D. Lee and H. S. Seung, Algorithms
// for non-negative matrix factorization, NIPS 13 (2001):
//
//	U ← U ∘ (A W) / (U W'W + L1 + L2 U)
//
// with C = A W and G = W'W. No update raises the objective. An element that is 0 stays 0.
//
// The paper has no penalties, but its proof extends to them. The paper bounds ‖A − UW'‖² by a sum of quadratic
// functions, one for each element u of U. The L2 penalty is such a sum. The L1 penalty has the bound u <= (u²/ũ +
// ũ)/2, with equality at the current value ũ.
//
// If ctx is done, U is unfinished.
func leeSeung(ctx context.Context, U, C, G blas64.General, p Penalty, inner int) {
	k := U.Cols
	rowBlocks(U.Rows, func(from, to int) {
		Ub := rowsOf(U, from, to)
		D := factor(to-from, k)
		for range inner {
			if product.Gemm(ctx, blas.NoTrans, blas.NoTrans, 1, Ub, G, 0, D) != nil { // (n×k)(k×k)
				return
			}
			for i := range Ub.Rows {
				u, c, den := Ub.Data[i*U.Stride:][:k], C.Data[(from+i)*C.Stride:][:k], D.Data[i*D.Stride:][:k]
				for t, v := range den {
					if v += p.slope(u[t]); v > 0 { // otherwise u_t = 0, or column t of W is 0
						u[t] *= c[t] / v
					}
				}
			}
		}
	})
}

// multiply performs the update (5) of Lee and Seung's paper, for the divergence,
//
//	U_it ← U_it C_it / (w_t + L1)
//
// with C = (A/UW')W and w_t = Σ_j W_jt. The majorizer of the divergence is, up to a constant, the sum of −ũ_it C_it
// log u_it + w_t u_it, where ũ is the current U. With an L2 penalty, its minimum is at the positive root of L2 u² +
// (w_t + L1) u − ũ_it C_it = 0, and u_it is set to this root.
func multiply(U, C blas64.General, w []float64, p Penalty) {
	k := U.Cols
	if p.L2 > 0 {
		for i := range U.Rows {
			u, c := U.Data[i*U.Stride:][:k], C.Data[i*C.Stride:][:k]
			for t, v := range w {
				if x := u[t] * c[t]; x > 0 {
					// Avoid the difference of nearly equal numbers.
					b := v + p.L1
					u[t] = 2 * x / (b + math.Hypot(b, 2*math.Sqrt(p.L2)*math.Sqrt(x)))
				} else {
					u[t] = 0
				}
			}
		}
		return
	}
	for i := range U.Rows {
		u, c := U.Data[i*U.Stride:][:k], C.Data[i*C.Stride:][:k]
		for t, v := range w {
			if v += p.L1; v > 0 {
				u[t] *= c[t] / v
			}
		}
	}
}
