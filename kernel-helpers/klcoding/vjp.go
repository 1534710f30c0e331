package klcoding

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/vector"
)

// errSingular arises only from an overflow.
var errSingular = errors.New("the system has no Cholesky factor")

// A Gradient holds the derivatives of a scalar function l of the coefficients.
type Gradient struct {
	B *mat.Dense // D×n: dl/dB, summed over the signals
	X *mat.Dense // D×N: dl/dx of each signal
}

// VJP carries G = dl/dW (n×N) back through the minimization, to B and to X. W (n×N) holds the codes of X (D×N) that
// Code returned. They must be converged: the formulas hold only at a point where (6) is zero. For each signal let a be
// the solution of
//
//	(B'SB + λ diag(1/c)) a = dl/dŵ,   S = ∂f/∂z,   c = ŵ (doubled √(ŵ² + 4p²)).
//
// Then
//
//	dl/dB = −[(f(Bŵ) − x) a' + S B a ŵ'],   dl/dx = B a.
//
// These are (9) and (21), multiplied from the left by dl/dŵ. The squared loss has S = I and leads to a D×D system;
// softmax has S = diag(f) − ff' and leads to an n×n system. With softmax, dl/dx is valid for changes to x that keep
// its sum.
func (c *Coder) VJP(ctx context.Context, X, W, G mat.Matrix) (*Gradient, error) {
	xt, wt, err := c.pair("VJP", X, W)
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if err := c.awaitBasis(ctx); err != nil {
		return nil, fmt.Errorf("klcoding: VJP: %w", err)
	}
	N := xt.Rows
	if gn, gN := dims("VJP", "G", G); gn != c.n || gN != N {
		panic(fmt.Sprintf("klcoding: VJP: G is %d×%d, must be %d×%d", gn, gN, c.n, N))
	}
	at, err := transpose("VJP", "G", G) // a overwrites it, N×n
	if err != nil {
		return nil, err
	}
	et := xt // f − x overwrites x, N×D
	ba := blas64.General{Rows: N, Cols: c.d, Stride: c.d, Data: make([]float64, N*c.d)}
	st := ba // S B a, N×D
	if c.opt.Loss == Softmax {
		st.Data = make([]float64, N*c.d)
	}
	if c.opt.Method == NewtonCG {
		err = c.crowd(ctx, "back-propagate", N, func(_ *work, l *lane, i int, u []float64) {
			l.x, l.weights, l.misfit = xt.Data[i*c.d:(i+1)*c.d], at.Data[i*c.n:(i+1)*c.n], et.Data[i*c.d:(i+1)*c.d]
			l.imageA, l.curvedA = ba.Data[i*c.d:(i+1)*c.d], st.Data[i*c.d:(i+1)*c.d]
			l.beginAdjoint(u, wt.Data[i*c.n:(i+1)*c.n])
		}, func(_ *work, l *lane) error {
			if l.err != nil {
				return fmt.Errorf("signal %d: %w", l.signal, l.err)
			}
			return nil
		})
	} else if c.canBatch() {
		err = c.eachBatch(ctx, "back-propagate", N, func(b *batch, from, to int) error {
			w, a := wt.Data[from*c.n:to*c.n], at.Data[from*c.n:to*c.n]
			if !b.adjoint(w, a, et.Data[from*c.d:to*c.d], ba.Data[from*c.d:to*c.d]) {
				return fmt.Errorf("signals %d to %d: %w", from, to-1, errSingular)
			}
			return b.k.ctx.Err()
		})
	} else {
		err = c.eachSignal(ctx, "back-propagate", N, func(k *work, i int) error {
			a, w := at.Data[i*c.n:(i+1)*c.n], wt.Data[i*c.n:(i+1)*c.n]
			e, u := et.Data[i*c.d:(i+1)*c.d], ba.Data[i*c.d:(i+1)*c.d]
			c.mul(k.z, w)
			k.transfer()
			for j, f := range k.f {
				e[j] = f - e[j]
			}
			if !k.adjoint(w, a) {
				return fmt.Errorf("signal %d: %w", i, errSingular)
			}
			c.mul(u, a)
			if c.opt.Loss == Softmax {
				mean := vector.Dot(k.f, u)
				for j, f := range k.f {
					st.Data[i*c.d+j] = f * (u[j] - mean)
				}
			}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("klcoding: VJP: %w", err)
	}
	// −[Σ (f − x) a' + S B a w'] takes two products D×N · N×n. One product over all signals keeps the order
	// of summation independent of the number of goroutines.
	out := &Gradient{B: mat.NewDense(c.d, c.n, nil), X: mat.NewDense(c.d, N, nil)}
	b := out.B.RawMatrix()
	if err := product.Gemm(ctx, blas.Trans, blas.NoTrans, -1, et, at, 0, b); err != nil {
		return nil, fmt.Errorf("klcoding: VJP: %w", err)
	}
	if err := product.Gemm(ctx, blas.Trans, blas.NoTrans, -1, st, wt, 1, b); err != nil {
		return nil, fmt.Errorf("klcoding: VJP: %w", err)
	}
	out.X.Copy(mat.NewDense(N, c.d, ba.Data).T())
	return out, nil
}

// adjoint replaces g = dl/dw (n) by the vector a of Coder.VJP at the code w (n), and reports whether that succeeded.
// It must be called after transfer.
func (k *work) adjoint(w, g []float64) bool {
	c, lambda := k.c, k.c.opt.Lambda
	k.c.link.gradient(k.tv, k.cw, w)
	if c.opt.Loss == Softmax {
		if !k.sys.primal(c, k.f, k.cw, k.h) {
			return false
		}
		for j, s := range k.h {
			g[j] *= s
		}
		k.sys.solve(g)
		for j, s := range k.h {
			g[j] *= s
		}
		return !math.IsNaN(largest(g))
	}
	// Woodbury: a = (c/λ)g − (c/λ)B'H⁻¹B(c/λ)g = (c/λ)(g − B'H⁻¹B(c/λ)g).
	if !k.sys.dual(c, k.cw, 0) {
		return false
	}
	for j, v := range g {
		k.dw[j] = k.cw[j] / lambda * v
	}
	c.mul(k.q, k.dw)
	k.sys.solve(k.q)
	c.mulT(k.h, 1, k.q)
	for j := range g {
		g[j] = k.cw[j] / lambda * (g[j] - k.h[j])
	}
	return !math.IsNaN(largest(g))
}
