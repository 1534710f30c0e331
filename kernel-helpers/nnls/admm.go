package nnls

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
)

// Residuals holds the residuals at which Rows.ADMM ended, with its number of iterations and its ρ.
type Residuals struct {
	Primal     float64 // ‖Ũ − U‖_F/‖U‖_F
	Dual       float64 // ‖U − U before‖_F/‖Ū/ρ‖_F
	Iterations int
	Rho        float64
}

// ADMM runs the alternating direction method of multipliers, for at most the given number of iterations. The method
// has two copies of U: Ũ fits the data, and U is nonnegative. Let Ū be a dual variable, which is kept in r.Dual. Let
// δ(U) be 0 for U >= 0, and ∞ for any other U. In each iteration ADMM minimizes
//
//	L = ½‖A − Ũ W'‖² + δ(U) + <Ū, Ũ − U> + (ρ/2)‖Ũ − U‖²
//
// over Ũ, then over U, and then takes a gradient ascent step in Ū:
//
//	Ũ (G + ρI) = C + ρU − Ū       one Cholesky factorization for all rows and iterations
//	U = max(0, Ũ + Ū/ρ)
//	Ū ← Ū + ρ(Ũ − U)
//
// At the end Ũ = U, and the equation for Ũ gives Ū = −(U G − C). So −Ū holds the multipliers of U >= 0. In every
// iteration Ū <= 0 and Ū∘U = 0.
//
// With the default ρ = trace(G)/k the eigenvalues of G + ρI are between ρ and (k+1)ρ. So the inverse of G + ρI can be
// computed accurately. This is done once; each iteration then needs a product instead of a solve.
//
// Rows are independent of each other. A block of rows stops when both of its residuals are at most the tolerance. The
// residuals and Iterations returned are the largest over all blocks.
//
// Sources: S. Boyd et al., Foundations and Trends in Machine Learning 3 (2011), in the form of K. Huang, N.
// Sidiropoulos and A. Liavas, A flexible and efficient algorithmic framework for constrained matrix and tensor
// factorization, IEEE Trans. Signal Process. 64 (2016), algorithm 1; stopping by blocks: S. Smith, A. Beri and G.
// Karypis, Constrained tensor factorization with accelerated AO-ADMM, ICPP 2017.
func (r *Rows) ADMM(iterations int, tolerance float64) Residuals {
	return r.admm(context.Background(), iterations, tolerance)
}

// admm is like ADMM, but ends early when ctx is done.
func (r *Rows) admm(ctx context.Context, iterations int, tolerance float64) Residuals {
	n, k := r.check(true)
	G, C, U, dual := r.G.RawMatrix(), r.C.RawMatrix(), r.U.RawMatrix(), r.Dual.RawMatrix()
	rho := r.Rho
	if rho == 0 {
		for i := range k {
			rho += G.Data[i*G.Stride+i] / float64(k)
		}
	}
	if rho == 0 { // W = 0: any U is a solution
		return Residuals{}
	}
	var M blas64.General
	own := general(k, k)
	for i := range k {
		copy(own.Data[i*k:(i+1)*k], G.Data[i*G.Stride:])
	}
	if parallel.Await(ctx, float64(k)*float64(k)*float64(k), func() { M = inverse(own, rho) }) != nil {
		return Residuals{}
	}
	const block = 256
	blocks := (n + block - 1) / block
	reps := make([]Residuals, blocks)
	parallel.Do(blocks, 0, func(b int) {
		from, to := b*block, min(n, (b+1)*block)
		reps[b] = admmBlock(ctx, M, rho, rowsOf(C, from, to), rowsOf(U, from, to), rowsOf(dual, from, to), iterations, tolerance)
	})
	all := Residuals{Rho: rho}
	for _, p := range reps {
		all.Primal = max(all.Primal, p.Primal)
		all.Dual = max(all.Dual, p.Dual)
		all.Iterations = max(all.Iterations, p.Iterations)
	}
	return all
}

// inverse returns (G + ρI)⁻¹.
func inverse(G blas64.General, rho float64) blas64.General {
	k := G.Rows
	S := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			S.SetSym(i, j, G.Data[i*G.Stride+j])
		}
		S.SetSym(i, i, S.At(i, i)+rho)
	}
	var ch mat.Cholesky
	if !ch.Factorize(S) {
		panic("nnls: ADMM: G + ρI is not positive definite; is G a Gram matrix?")
	}
	var inv mat.SymDense
	if err := ch.InverseTo(&inv); err != nil {
		panic("nnls: ADMM: " + err.Error())
	}
	return mat.DenseCopyOf(&inv).RawMatrix()
}

func admmBlock(ctx context.Context, M blas64.General, rho float64, C, U, dual blas64.General, iterations int, tolerance float64) Residuals {
	n, k := U.Rows, U.Cols
	T, Ut := general(n, k), general(n, k)
	var rep Residuals
	for t := range iterations {
		if ctx.Err() != nil {
			break
		}
		for i := range n {
			c, u, y := C.Data[i*C.Stride:][:k], U.Data[i*U.Stride:][:k], dual.Data[i*dual.Stride:][:k]
			row := T.Data[i*k:][:k]
			for j := range row {
				row[j] = c[j] + rho*u[j] - y[j]
			}
		}
		if product.Gemm(ctx, blas.NoTrans, blas.NoTrans, 1, T, M, 0, Ut) != nil { // Ũ, (n×k)(k×k)
			break
		}
		var primal, moved, normU, normY float64
		for i := range n {
			u, y, ut := U.Data[i*U.Stride:][:k], dual.Data[i*dual.Stride:][:k], Ut.Data[i*k:][:k]
			for j, a := range ut {
				v := a + y[j]/rho
				next, low := v, 0.0
				if v < 0 {
					next, low = 0, v
				}
				primal += square(a - next)
				moved += square(next - u[j])
				normU += square(next)
				normY += square(low)
				u[j], y[j] = next, rho*low
			}
		}
		rep = Residuals{Primal: ratio(primal, normU), Dual: ratio(moved, normY), Iterations: t + 1}
		if rep.Primal <= tolerance && rep.Dual <= tolerance {
			break
		}
	}
	return rep
}
