package nmf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/nnls"
)

// Reconstruct returns U W' (n×d).
func (r *Model) Reconstruct() *mat.Dense {
	var M mat.Dense
	M.Mul(r.U, r.W.T())
	return &M
}

// Inverse returns U W' (n'×d), for U (n'×k). If U is what Transform returned for some rows, the result approximates
// these rows.
func (r *Model) Inverse(U mat.Matrix) *mat.Dense {
	if isNil(U) {
		panic("nmf: Inverse: U is nil")
	}
	n, c := U.Dims()
	if _, k := r.W.Dims(); c != k || n == 0 {
		panic(fmt.Sprintf("nmf: Inverse: U is %d×%d, a row for each POINT: must have %d columns", n, c, k))
	}
	var M mat.Dense
	M.Mul(U, r.W.T())
	return &M
}

// MultiplierU returns the gradient of the objective with respect to U (n×k), for the matrix A that was factored. In
// the optimality conditions it is the multiplier Ū of U >= 0. If there is a penalty, L1 + L2 U is added to the
// gradient of the loss:
//
//	(U W' − A) W                         Frobenius
//	(1 − A/UW') W                        KL
//	((UW' − A)∘(UW')^(β−2)) W            β-divergence
func (r *Model) MultiplierU(A mat.Matrix) (*mat.Dense, error) { return r.multiplier(A, true) }

// MultiplierW returns the gradient of the objective with respect to W (d×k): (W U' − A') U, or for KL (1 − A/UW')'U;
// see MultiplierU.
func (r *Model) MultiplierW(A mat.Matrix) (*mat.Dense, error) { return r.multiplier(A, false) }

func (r *Model) multiplier(A mat.Matrix, forU bool) (*mat.Dense, error) {
	if isNil(A) {
		return nil, fmt.Errorf("nmf: A is nil")
	}
	n, d := A.Dims()
	nu, k := r.U.Dims()
	if dw, _ := r.W.Dims(); n != nu || d != dw {
		panic(fmt.Sprintf("nmf: A is %d×%d, U has %d rows and W %d", n, d, nu, dw))
	}
	beta, isBeta := betaOf(r.Loss, r.Beta)
	var a data
	var err error
	if isBeta {
		a, err = prepareBeta(A, beta)
	} else {
		a, err = prepare(A, false)
	}
	if err != nil {
		return nil, err
	}
	U, W := paddedCopy(r.U), paddedCopy(r.W)
	Z, F, other := factor(n, k), U, W
	if !forU {
		Z, F, other = factor(d, k), W, U
	}
	p := r.PenaltyU
	if !forU {
		p = r.PenaltyW
	}
	if isBeta {
		N := factor(Z.Rows, k)
		if b := a.(*betaData); forU {
			b.products(U, W, N, Z, false)
		} else {
			b.productsT(U, W, N, Z)
		}
		for i, v := range N.Data {
			Z.Data[i] -= v
		}
		p.addSlope(Z, F)
		return compact(Z), nil
	}
	if r.Loss == KL {
		if forU {
			a.ratioTimes(U, W, Z, false)
		} else {
			a.ratioTimesT(U, W, Z)
		}
		sums := columnSums(other)
		for i := range Z.Rows {
			for t, s := range sums {
				Z.Data[i*Z.Stride+t] = s - Z.Data[i*Z.Stride+t]
			}
		}
		p.addSlope(Z, F)
		return compact(Z), nil
	}
	if forU {
		a.times(W, Z)
	} else {
		a.timesT(U, Z)
	}
	G := factor(k, k)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, other, other, 0, G)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, F, G, -1, Z)
	p.addSlope(Z, F)
	return compact(Z), nil
}

// paddedCopy returns a copy of M with padded rows; see factor.
func paddedCopy(M *mat.Dense) blas64.General {
	r, k := M.Dims()
	F := factor(r, k)
	for i := range r {
		copy(F.Data[i*F.Stride:], M.RawRowView(i))
	}
	return F
}

// Transform returns the coefficients U (n'×k) of new rows A (n'×d). W stays fixed, and PenaltyU applies. The problem
// is convex, except for a β-divergence with β < 1 or β > 2. A row of zeros in A gives a row of zeros in U.
//
// For the Frobenius loss, the KKT residual is at most 1e-9, unless columns of W are nearly dependent. Even then U W' is
// correct up to rounding.
//
// The other losses are minimized by multiplicative updates. At the start all elements of a row of U are equal. The
// updates end when an update lowers the objective by at most 1e-9 of the objective, or after 5000 updates.
func (r *Model) Transform(ctx context.Context, A mat.Matrix) (*mat.Dense, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if isNil(A) {
		return nil, fmt.Errorf("nmf: Transform: A is nil")
	}
	n, d := A.Dims()
	dw, k := r.W.Dims()
	if d != dw && n*d > 0 {
		panic(fmt.Sprintf("nmf: Transform: A has %d columns, W %d rows", d, dw))
	}
	if beta, ok := betaOf(r.Loss, r.Beta); ok {
		return r.transformBeta(ctx, A, beta)
	}
	a, err := prepare(A, false)
	if err == errZero { // if all rows are 0, so is U
		return mat.NewDense(n, k, nil), nil
	}
	if err != nil {
		return nil, err
	}
	W := paddedCopy(r.W)
	if r.Loss == KL {
		return transformKL(ctx, a, W, r.PenaltyU)
	}
	G, C := factor(k, k), factor(n, k)
	product.Gemm(ctx, blas.Trans, blas.NoTrans, 1, W, W, 0, G)
	a.endWith(ctx)
	a.times(W, C)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("nmf: Transform: %w", err)
	}
	G, C = r.PenaltyU.penalizedSystem(G, C)
	if r.PenaltyU.L1 > 0 {
		// Since G >= 0, a negative element of C means a 0 in U, whatever its size. But its size would add to the norm
		// of C, and the tolerance is relative to this norm. So it is replaced by 0.
		for i, v := range C.Data {
			C.Data[i] = max(v, 0)
		}
	}
	s, err := nnls.SolveGram(ctx, view(G), view(C).T(), &nnls.Options{Method: nnls.CoordinateDescent, Tolerance: 1e-9, MaxIterations: 2000})
	if errors.Is(err, ended.ErrNotConverged) {
		// Columns of W are nearly dependent, so another method is tried.
		s, err = nnls.SolveGram(ctx, view(G), view(C).T(), nil)
	}
	if err != nil && !errors.Is(err, ended.ErrNotConverged) { // even if not converged, UW' is right up to rounding
		return nil, err
	}
	return mat.DenseCopyOf(s.X.T()), nil
}

func transformKL(ctx context.Context, a data, W blas64.General, p Penalty) (*mat.Dense, error) {
	n, _ := a.dims()
	k := W.Cols
	U, C := factor(n, k), factor(n, k)
	w := columnSums(W)
	rows, _ := a.margins()
	total := 0.0
	for _, v := range w {
		total += v
	}
	if total == 0 {
		return compact(U), nil
	}
	for i, v := range rows {
		for t := range k {
			U.Data[i*U.Stride+t] = v / total // so that the row sums of UW' equal those of A
		}
	}
	entropy, last := a.entropy(), math.Inf(1)
	a.endWith(ctx)
	for range 5000 {
		logs := a.ratioTimes(U, W, C, true)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("nmf: Transform: %w", err)
		}
		sum := 0.0
		for t, v := range columnSums(U) {
			sum += v * w[t]
		}
		f := entropy - logs + sum + p.value(U)
		if last-f <= 1e-9*math.Abs(f) {
			break
		}
		last = f
		multiply(U, C, w, p)
	}
	return compact(U), nil
}

// Normalized returns scaled factors: the columns of W have norm 1, the columns of U are scaled so that U W' stays the
// same, and components are in descending order of ‖U_t‖. Columns of zeros come last and stay 0.
func (r *Model) Normalized() (U, W *mat.Dense) {
	n, k := r.U.Dims()
	d, _ := r.W.Dims()
	size, norm, order := make([]float64, k), make([]float64, k), make([]int, k)
	for t := range k {
		norm[t] = mat.Norm(r.W.ColView(t), 2)
		size[t] = norm[t] * mat.Norm(r.U.ColView(t), 2)
		order[t] = t
	}
	slices.SortStableFunc(order, func(s, t int) int { return cmp.Compare(size[t], size[s]) })
	U, W = mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
	for t, from := range order {
		s := norm[from]
		if s == 0 {
			s = 1
		}
		for i := range n {
			U.Set(i, t, r.U.At(i, from)*s)
		}
		for j := range d {
			W.Set(j, t, r.W.At(j, from)/s)
		}
	}
	return U, W
}

// RowClusters returns, for each row i of A, the component t with the largest U_it‖W_t‖, or −1 for a row of zeros.
// Rescaling the factors does not change the result.
func (r *Model) RowClusters() []int { return clusters(r.U, r.W) }

// ColumnClusters returns, for each column j of A, the component t with the largest W_jt‖U_t‖, or −1 for a column of
// zeros.
func (r *Model) ColumnClusters() []int { return clusters(r.W, r.U) }

func clusters(M, other *mat.Dense) []int {
	n, k := M.Dims()
	norm := make([]float64, k)
	for t := range norm {
		norm[t] = mat.Norm(other.ColView(t), 2)
	}
	list := make([]int, n)
	for i := range list {
		list[i] = -1
		best := 0.0
		for t, v := range M.RawRowView(i) {
			if v*norm[t] > best {
				list[i], best = t, v*norm[t]
			}
		}
	}
	return list
}

// Top returns the indices of the largest elements of column t of W, largest first: the words of a topic. It returns at
// most count indices, and leaves out elements that are 0.
func (r *Model) Top(t, count int) []int {
	d, k := r.W.Dims()
	if t < 0 || t >= k {
		panic(fmt.Sprintf("nmf: Top: component %d, but there are %d", t, k))
	}
	list := make([]int, 0, d)
	for j := range d {
		if r.W.At(j, t) > 0 {
			list = append(list, j)
		}
	}
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(r.W.At(j, t), r.W.At(i, t)) })
	return list[:min(max(count, 0), len(list))]
}
