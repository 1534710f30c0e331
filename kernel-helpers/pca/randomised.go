package pca

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/symeig"
	"overcomplete/ui/progress"
)

// byRandom stores in m the k leading axes, computed by the randomized subspace iteration of N. Halko, P. G. Martinsson
// and J. A. Tropp, Finding structure with randomness, SIAM Review 53 (2011), algorithm 4.4, then 5.1. It stores the
// transposes of the paper's matrices, Yᵀ (l×n) for Y (n×l), because blocks are stored by rows:
//
//	Yᵀ = Ωᵀ X̄ᵀ                        Ω d×l Gaussian, l = k + oversampling
//	q times: Qᵀ = orth(Yᵀ), Q̃ᵀ = orth(QᵀX̄), Yᵀ = Q̃ᵀX̄ᵀ
//	B = QᵀX̄ (l×d), BBᵀ = S Θ Sᵀ, V = BᵀSΘ^(−1/2)
//
// Without the orthogonalization in between, all columns of Y would converge to the first axis. Using BBᵀ instead of
// the SVD of B squares the condition number. This loses components below 1e-8 of the first, for which the method gives
// no guarantee anyway.
//
// The operator X holds X̄ divided by scaleOf(m.Total, n, d), so that no square of a block overflows.
func (m *Model) byRandom(ctx context.Context, X operator, k int, o *Options) error {
	n, d := m.N, m.D
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
	back := scaleOf(m.Total, n, d)
	none := func(c int) blas64.General { return blas64.General{Cols: c, Stride: c} }
	Y, Z := block(l, n), block(l, d)
	for i := range Z.Data {
		Z.Data[i] = rng.NormFloat64()
	}
	// await calls the function do, and waits until do returns or ctx is done. If ctx is done, do may still be running,
	// so the blocks must not be used.
	await := func(do func()) error {
		err := parallel.Await(ctx, X.cost()*float64(l)+float64(l)*float64(l)*float64(n+d), do)
		if err != nil {
			return fmt.Errorf("%w after %d passes", err, m.Rounds)
		}
		return nil
	}
	err := await(func() {
		X.timesT(Z, Y)
		symeig.Orthonormalise(Y, none(n), rng)
	})
	if err != nil {
		return err
	}
	for p := range max(0, passes) {
		err := await(func() {
			X.times(Y, Z)
			symeig.Orthonormalise(Z, none(d), rng)
			X.timesT(Z, Y)
			symeig.Orthonormalise(Y, none(n), rng)
		})
		if err != nil {
			return err
		}
		m.Rounds = p + 1
		progress.Report(o.Recorder, progress.Event{What: "random projections", Step: p + 1, Total: passes, Objective: math.NaN()})
	}
	var values []float64
	var failure error
	V := block(k, d)
	err = await(func() {
		X.times(Y, Z) // B
		G := mat.NewSymDense(l, nil)
		blas64.Syrk(blas.NoTrans, 1, Z, 0, G.RawSymmetric())
		var S *mat.Dense
		if values, S, failure = symeig.Full(G, k); failure == nil {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, S.RawMatrix(), Z, 0, V)
			symeig.Orthonormalise(V, none(d), rng)
		}
	})
	if err != nil {
		return err
	}
	if failure != nil {
		return failure
	}
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

// scaleOf returns a power of two near the root mean square of the elements of X̄ (n×d), where total is ‖X̄‖_F². The
// squares of products with X̄ may overflow although ‖X̄‖_F² does not; those of products with X̄/scaleOf do not.
func scaleOf(total float64, n, d int) float64 {
	_, e := math.Frexp(math.Sqrt(total / float64(n*d)))
	return math.Ldexp(1, e)
}

// An operator multiplies matrices of l rows by X̄ (n×d), which has been divided by scaleOf.
type operator interface {
	timesT(Z, Y blas64.General) // Y (l×n) = Z X̄ᵀ
	times(Y, Z blas64.General)  // Z (l×d) = Y X̄
	cost() float64              // multiplications for each row of a block
}

// A denseOperator is an operator with a dense X̄.
type denseOperator struct{ x blas64.General }

func (f denseOperator) timesT(Z, Y blas64.General) {
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, Z, f.x, 0, Y)
}
func (f denseOperator) cost() float64 { return float64(f.x.Rows) * float64(f.x.Cols) }
func (f denseOperator) times(Y, Z blas64.General) {
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, Y, f.x, 0, Z)
}
