package nmf

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/vmath"
)

// This file implements C. Févotte and J. Idier, Algorithms for nonnegative matrix factorization with the
// β-divergence, Neural Computation 23 (2011): their multiplicative updates by majorization-minimization (MM).

// betaData holds a dense A, and computes its products for a β-divergence. Elements of UW' that are smaller than the
// field floor are replaced by its value, so that powers of UW' do not overflow.
type betaData struct {
	*denseData
	beta, floor float64
}

// betaOf returns the β of the loss l, and whether l is minimized as a β-divergence, by the algorithm of this file. beta
// is Options.Beta.
func betaOf(l Loss, beta float64) (float64, bool) {
	switch l {
	case ItakuraSaito:
		return 0, true
	case BetaDivergence:
		return beta, true
	}
	return 0, false
}

// prepareBeta checks A and converts it to a betaData. A Sparse becomes dense: for β ≠ 1, 2 the divergence depends on
// every element of UW'. For β <= 0, a zero in A is an error, because the divergence is then infinite.
func prepareBeta(A mat.Matrix, beta float64) (*betaData, error) {
	a, err := prepare(A, true)
	if err != nil && !(err == errZero && beta <= 0) {
		return nil, err
	}
	if beta <= 0 { // d(0|y) = ∞
		n, d := A.Dims()
		for i := range n {
			for j := range d {
				if A.At(i, j) == 0 {
					return nil, fmt.Errorf("nmf: A(%d, %d) is 0, where the divergence with β = %v is infinite whatever U and W: β must be positive, or all of A", i, j, beta)
				}
			}
		}
	}
	D, ok := a.(*denseData)
	if !ok {
		D = &denseData{a: mat.DenseCopyOf(A).RawMatrix()}
	}
	b := &betaData{denseData: D, beta: beta, floor: tiny}
	if beta < 2 {
		b.floor = max(tiny, math.Pow(10, -280/(2-beta)))
	}
	return b, nil
}

// powers computes a block of P = A∘M^(β−2) and Q = M^(β−1), where M = UW'. The block has the rows of Ub, which are rows
// i0, i0+1, ... of U, and the columns [from, to). If loss is not nil, the block's divergence is added to *loss.
func (s *betaData) powers(bufP, bufQ []float64, Ub, W blas64.General, i0, from, to int, loss *float64) (P, Q blas64.General) {
	P = blas64.General{Rows: Ub.Rows, Cols: to - from, Stride: to - from, Data: bufP[:Ub.Rows*(to-from)]}
	Q = P
	Q.Data = bufQ[:len(P.Data)]
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, Ub, rowsOf(W, from, to), 0, P) // M
	for i := range P.Rows {
		p, q, a := P.Data[i*P.Stride:][:P.Cols], Q.Data[i*Q.Stride:][:P.Cols], s.row(i0 + i)[from:to]
		for j, m := range p {
			p[j] = max(m, s.floor)
		}
		if s.beta == 0 {
			for j, m := range p {
				q[j] = 1 / m
			}
		} else {
			vmath.Log(q, p)
			floats.Scale(s.beta-1, q)
			vmath.Exp(q, q)
		}
		if loss != nil {
			for j, m := range p {
				*loss += divergence(a[j], m, q[j], s.beta)
			}
		}
		for j, m := range p {
			p[j] = a[j] * q[j] / m
		}
	}
	return P, Q
}

// divergence returns d_β(a|m) = (a^β + (β−1)m^β − β a m^(β−1))/(β(β−1)), given q = m^(β−1). With r = a/m the
// divergence is m^β times
//
//	((r^β − 1)/β − (r − 1))/(β − 1) = (r (r^(β−1) − 1)/(β−1) − (r − 1))/β
//
// The left side has a limit at β = 0, and is used for β < 0.5; the right side has a limit at β = 1. If both β and r
// are greater than 2, the definition itself is used, because the powers of r may overflow where the powers of a and m
// do not.
func divergence(a, m, q, beta float64) float64 {
	r := a / m
	if r == 0 && beta > 0 {
		return m * q / beta
	}
	if r > 2 && beta > 2 {
		return math.Pow(a, beta)/(beta*(beta-1)) + q*(m/beta-a/(beta-1))
	}
	l := math.Log(r)
	if beta < 0.5 {
		return m * q * (scaledExpm1(l, beta) - (r - 1)) / (beta - 1)
	}
	return m * q * (r*scaledExpm1(l, beta-1) - (r - 1)) / beta
}

// scaledExpm1 returns (e^(lx) − 1)/x, or the limit l if x is 0.
func scaledExpm1(l, x float64) float64 {
	if x == 0 {
		return l
	}
	return math.Expm1(l*x) / x
}

// products computes N = P W and D = Q W (n×k). If want is set, it also returns the divergence.
func (s *betaData) products(U, W, N, D blas64.General, want bool) float64 {
	n, d := s.dims()
	blocks := (n + side - 1) / side
	loss := make([]float64, blocks)
	parallel.Do(blocks, 0, func(b int) {
		from, to := b*side, min(n, (b+1)*side)
		Ub, Nb, Db := rowsOf(U, from, to), rowsOf(N, from, to), rowsOf(D, from, to)
		size := (to - from) * min(d, side)
		bufP, bufQ := make([]float64, size), make([]float64, size)
		var l *float64
		if want {
			l = &loss[b]
		}
		for j := 0; j < d && !s.isOver(); j += side {
			P, Q := s.powers(bufP, bufQ, Ub, W, from, j, min(d, j+side), l)
			add := 1.0
			if j == 0 {
				add = 0
			}
			Wb := rowsOf(W, j, j+P.Cols)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, P, Wb, add, Nb)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, Q, Wb, add, Db)
		}
	})
	return max(0, floats.Sum(loss))
}

// productsT computes N = P'U and D = Q'U (d×k).
func (s *betaData) productsT(U, W, N, D blas64.General) {
	n, d := s.dims()
	blocks := (d + side - 1) / side
	parallel.Do(blocks, 0, func(b int) {
		from, to := b*side, min(d, (b+1)*side)
		Nb, Db := rowsOf(N, from, to), rowsOf(D, from, to)
		size := (to - from) * min(n, side)
		bufP, bufQ := make([]float64, size), make([]float64, size)
		for i := 0; i < n && !s.isOver(); i += side {
			Ub := rowsOf(U, i, min(n, i+side))
			P, Q := s.powers(bufP, bufQ, Ub, W, i, from, to, nil)
			add := 1.0
			if i == 0 {
				add = 0
			}
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, P, Ub, add, Nb)
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, Q, Ub, add, Db)
		}
	})
}

// constant returns the divergence of A from the constant matrix whose elements are A's mean. For every β, the mean is
// the best constant.
func (s *betaData) constant() (v float64) {
	n, d := s.dims()
	mean := s.sum() / float64(n) / float64(d)
	q := math.Pow(mean, s.beta-1)
	for i := 0; i < n && !s.isOver(); i++ {
		for _, a := range s.row(i) {
			v += divergence(a, mean, q, s.beta)
		}
	}
	return v
}

// gamma returns the exponent γ of multiplyPower with which no update raises the objective. Without an L2 penalty it is
// 1/(2−β) for β < 1, 1 for 1 <= β <= 2, and 1/(β−1) for β > 2. For one element u of U, let ũ be its current value and
// z = u/ũ, and let N and D be the elements of multiplyPower's matrices at the same place. The majorizer of the
// divergence has the slope
//
//	D z^p − N z^−q      p = max(0, β−1), q = max(0, 2−β)
//
// and γ = 1/(p + q). Févotte and Idier have no penalties. The L1 penalty has a majorizer with slope L1 z^p. The L2
// penalty has the slope L2 ũ z, which can be replaced by L2 ũ z^p only if p >= 1. So, with an L2 penalty and β < 2,
// p is set to 1: D z and L1 z then take the place of D z^p and L1 z^p, and remain slopes of a majorizer.
func gamma(beta float64, p Penalty) float64 {
	up, down := exponents(beta, p)
	return 1 / (up + down)
}

// exponents returns the exponents that the comment of gamma calls p and q, as up and down. The argument p is the
// penalty.
func exponents(beta float64, p Penalty) (up, down float64) {
	up, down = max(0, beta-1), max(0, 2-beta)
	if p.L2 > 0 {
		up = max(up, 1)
	}
	return up, down
}

// multiplyPower performs the update
//
//	U ← U ∘ (N/(D + L1 + L2 U))^γ
//
// with the N and D that betaData.products computes (or productsT, if U stands for the factor W). This is the MM update
// of Févotte and Idier, with penalties added. See gamma for γ.
func multiplyPower(U, N, D blas64.General, p Penalty, gamma float64) {
	k := U.Cols
	rowBlocks(U.Rows, func(from, to int) {
		for i := from; i < to; i++ {
			u, num, den := U.Data[i*U.Stride:][:k], N.Data[i*N.Stride:][:k], D.Data[i*D.Stride:][:k]
			for t, v := range u {
				den := den[t] + p.slope(v)
				if v == 0 || den == 0 { // otherwise column t of the other factor is 0
					continue
				}
				switch z := num[t] / den; gamma {
				case 1:
					u[t] *= z
				case 0.5:
					u[t] *= math.Sqrt(z)
				default:
					u[t] *= math.Pow(z, gamma)
				}
			}
		}
	})
}

// transformBeta implements Transform for a β-divergence.
func (r *Model) transformBeta(ctx context.Context, A mat.Matrix, beta float64) (*mat.Dense, error) {
	n, _ := A.Dims()
	_, k := r.W.Dims()
	a, err := prepareBeta(A, beta)
	if err == errZero {
		return mat.NewDense(n, k, nil), nil
	}
	if err != nil {
		return nil, err
	}
	U, W := factor(n, k), paddedCopy(r.W)
	total := floats.Sum(columnSums(W))
	if total == 0 {
		return compact(U), nil
	}
	rows, _ := a.margins()
	for i, v := range rows {
		for t := range k {
			U.Data[i*U.Stride+t] = v / total // so that the row sums of UW' equal those of A
		}
	}
	N, D := factor(n, k), factor(n, k)
	a.endWith(ctx)
	last := math.Inf(1)
	for range 5000 {
		f := a.products(U, W, N, D, true) + r.PenaltyU.value(U)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("nmf: Transform: %w", err)
		}
		if f-f != 0 {
			return nil, fmt.Errorf("nmf: Transform: the objective is %v", f)
		}
		if last-f <= 1e-9*math.Abs(f) {
			break
		}
		last = f
		multiplyPower(U, N, D, r.PenaltyU, gamma(beta, r.PenaltyU))
	}
	return compact(U), nil
}
