package symeig

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/kernel-helpers/internal/vector"
)

// panel is the number of vectors in a panel. Within a panel, vectors are orthogonalized one by one; panels are
// orthogonalized against each other by matrix products.
const panel = 16

// Orthonormalise replaces the rows of Y (b×n, b <= n) by an orthonormal basis of their span, in order: row i of the
// result is in the span of rows 0..i. It also makes the rows orthogonal to those of done (l×n, orthonormal; l may be
// 0). It replaces linearly dependent rows by random directions. It applies Gram-Schmidt to panels, twice to each, so
// that ‖YYᵀ − I‖ is a few rounding errors (Giraud, Langou and Rozloznik 2005).
func Orthonormalise(Y, done blas64.General, rng *rand.Rand) {
	for p0 := 0; p0 < Y.Rows; p0 += panel {
		P := rows(Y, p0, min(p0+panel, Y.Rows))
		before := make([]float64, P.Rows)
		for i := range before {
			before[i] = norm(row(P, i))
		}
		prev := rows(Y, 0, p0)
		for range 2 {
			Project(P, done)
			Project(P, prev)
			for i := range P.Rows {
				v := row(P, i)
				for j := range i {
					u := row(P, j)
					vector.Axpy(-vector.Dot(u, v), u, v)
				}
				// Only rounding errors are left: the row was in the span of the other rows.
				s := norm(v)
				for try := 0; !(s > 1e-13*before[i]) && try < 4; try++ {
					for c := range v {
						v[c] = rng.NormFloat64()
					}
					before[i] = norm(v)
					one := rows(P, i, i+1)
					for range 2 {
						Project(one, done)
						Project(one, prev)
						Project(one, rows(P, 0, i))
					}
					s = norm(v)
				}
				if s > 0 {
					scale(1/s, v)
				}
				before[i] = 1
			}
		}
	}
}

// Project subtracts, from each row of Y (b×n), its projection onto the span of the orthonormal rows of Q (l×n): Y ← Y −
// (YQᵀ)Q.
func Project(Y, Q blas64.General) {
	if Q.Rows == 0 || Y.Rows == 0 {
		return
	}
	R := general(Y.Rows, Q.Rows) // b×l
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, Y, Q, 0, R)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, R, Q, 1, Y)
}

func rows(g blas64.General, from, to int) blas64.General {
	g.Rows = to - from
	if g.Rows == 0 {
		g.Data = nil
		return g
	}
	g.Data = g.Data[from*g.Stride : (to-1)*g.Stride+g.Cols]
	return g
}

func row(g blas64.General, i int) []float64 { return g.Data[i*g.Stride : i*g.Stride+g.Cols] }

func scale(a float64, x []float64) { blas64.Scal(a, vector.Of(x)) }
func norm(x []float64) float64     { return math.Sqrt(vector.Dot(x, x)) }
func fill(g blas64.General, r *rand.Rand) {
	for i := range g.Rows {
		v := row(g, i)
		for j := range v {
			v[j] = r.NormFloat64()
		}
	}
}
