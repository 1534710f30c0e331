package pca

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/symeig"
	"overcomplete/ui/progress"
)

// byRandom is the randomised subspace iteration of N. Halko, P. G. Martinsson
// and J. A. Tropp, Finding structure with randomness, SIAM Review 53 (2011),
// algorithm 4.4, then 5.1. Blocks are stored by rows here, so that what the paper
// writes as Y (n×l) is Yᵀ (l×n):
//
//	Yᵀ = Ωᵀ X̄ᵀ                        Ω d×l Gaussian, l = k + oversampling
//	q times: Qᵀ = orth(Yᵀ), Q̃ᵀ = orth(QᵀX̄), Yᵀ = Q̃ᵀX̄ᵀ
//	B = QᵀX̄ (l×d), BBᵀ = S Θ Sᵀ, V = BᵀSΘ^(−1/2)
//
// Without the orthogonalisation in between, all of Y would turn into the first
// axis. BBᵀ instead of the SVD of B squares the condition; the components that
// it loses are below 1e-8 of the first, where the method promises nothing.
func (m *Model) byRandom(ctx context.Context, X *mat.Dense, k int, o *Options) error {
	Xc, err := centre(X, m.Mean)
	if err != nil {
		return err
	}
	n, d := Xc.Dims()
	over, passes := o.Oversample, o.Passes
	if over == 0 {
		over = 10
	}
	if passes == 0 {
		passes = 4
		if 10*k < min(n, d) {
			passes = 7
		}
	}
	if over < 0 {
		return fmt.Errorf("oversampling by %d, must not be negative", over)
	}
	l := min(k+over, n, d)
	rng := rand.New(rand.NewPCG(o.Seed, 0x4a1c0))
	// Blocks of products with X̄ have squares above ‖X̄‖²: at a scale near 1, by a
	// power of two, they cannot overflow.
	_, e := math.Frexp(math.Sqrt(m.Total / float64(n*d)))
	back := math.Ldexp(1, e)
	Xc.Scale(1/back, Xc)
	x := Xc.RawMatrix()
	none := func(c int) blas64.General { return blas64.General{Cols: c, Stride: c} }
	Y, Z := block(l, n), block(l, d)
	for i := range Z.Data {
		Z.Data[i] = rng.NormFloat64()
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, Z, x, 0, Y)
	symeig.Orthonormalise(Y, none(n), rng)
	for p := range max(0, passes) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%w after %d passes", err, p)
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, Y, x, 0, Z)
		symeig.Orthonormalise(Z, none(d), rng)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, Z, x, 0, Y)
		symeig.Orthonormalise(Y, none(n), rng)
		m.Rounds = p + 1
		progress.Report(o.Recorder, progress.Event{What: "random projections", Step: p + 1, Total: passes, Objective: math.NaN()})
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, Y, x, 0, Z) // B
	G := mat.NewSymDense(l, nil)
	blas64.Syrk(blas.NoTrans, 1, Z, 0, G.RawSymmetric())
	values, S, err := symeig.Full(G, k)
	if err != nil {
		return err
	}
	V := block(k, d)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, S.RawMatrix(), Z, 0, V)
	symeig.Orthonormalise(V, none(d), rng)
	for i := range values {
		values[i] = values[i] * back * back // back² alone may overflow
	}
	m.Approximate = true
	m.set(values, mat.DenseCopyOf(mat.NewDense(k, d, V.Data).T()))
	return nil
}

func block(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
}
