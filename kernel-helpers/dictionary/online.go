package dictionary

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/vector"
)

// stepOnline performs one step of algorithm 1 of J. Mairal, F. Bach, J. Ponce and G. Sapiro, Online learning
// for matrix factorization and sparse coding, JMLR 11 (2010), with mini-batches and forgetting as in section
// 3.4:
//
//	A ← β A + mean ww',  C ← β C + mean xw',  β = (1 − 1/t)^ρ
//
// (C is B in the paper, and w is α). Then stepOnline updates each column of B once by calling
// updateColumns. It returns the number of signals that missed the coder's tolerance.
func (l *learner) stepOnline(ctx context.Context, from, to int) (missed int, err error) {
	xr, _, c, err := l.code(ctx, from, to)
	if err != nil {
		return 0, err
	}
	// A step that takes a fraction of a second is always finished.
	n, d := l.bt.Rows, l.bt.Cols
	inside := parallel.Grace(ctx, float64(n)*float64(n+d)*float64(to-from+n))
	defer l.restoreAfter(inside, &err)()
	l.full = c.Objective
	l.tally(c.W)
	l.keep(c.Warm, from)
	t := float64(l.st.Step + 1)
	beta := math.Pow(1-1/t, l.opt.Forget) // for ρ = 0, beta is 1 even if t = 1
	for i := range l.a.Data {
		l.a.Data[i] *= beta
	}
	for i := range l.ct.Data {
		l.ct.Data[i] *= beta
	}
	// The last batch of a pass may be small: its weight is proportional to its size.
	if err := accumulate(inside, l.a, l.ct, c.W, xr, 1/float64(l.opt.Batch)); err != nil {
		return 0, err
	}
	return c.Missed, updateColumns(inside, l.bt, l.a, l.ct, l.opt.Unit, l.opt.NonNegative)
}

// restoreAfter saves the current state and returns a function to be deferred. If *err is not nil when the deferred
// function is called, this function restores the saved state. It gives A and C new memory, because an unfinished
// product may still write to the old memory. If ctx can never end, restoreAfter saves nothing, and the function that
// it returns does nothing.
func (l *learner) restoreAfter(ctx context.Context, err *error) func() {
	if ctx.Done() == nil {
		return func() {}
	}
	use, window, warm := slices.Clone(l.st.use), slices.Clone(l.st.window), slices.Clone(l.st.warm)
	a, ct := slices.Clone(l.a.Data), slices.Clone(l.ct.Data)
	return func() {
		if *err != nil {
			l.st.use, l.st.window, l.st.warm = use, window, warm
			l.st.a, l.a.Data = a, a
			l.st.ct, l.ct.Data = ct, ct
		}
	}
}

// accumulate adds s Σww' to A (n×n) and s Σwx' to C' (n×D), for the columns w of W
// (n×m) and the rows x of xr (m×D). When ctx is done, it returns ctx's error, and A and C must not be used any more.
func accumulate(ctx context.Context, a, ct blas64.General, W *mat.Dense, xr blas64.General, s float64) error {
	n, m := W.Dims()
	type entry struct {
		j int
		w float64
	}
	of := make([][]entry, m) // nonzeros of each signal, j ascending
	nonzeros := 0
	for j := range n {
		for k, w := range W.RawRowView(j) {
			if w != 0 {
				of[k] = append(of[k], entry{j, w})
				nonzeros++
			}
		}
		if 8*nonzeros > n*m {
			break
		}
	}
	if 8*nonzeros > n*m {
		w := W.RawMatrix()
		err := parallel.Await(ctx, float64(n)*float64(n)*float64(m)/2, func() {
			blas64.Syrk(blas.NoTrans, s, w, 1, blas64.Symmetric{N: n, Stride: a.Stride, Data: a.Data, Uplo: blas.Upper}) // (n×m)(m×n)
		})
		if err != nil {
			return err
		}
		if err := product.Gemm(ctx, blas.NoTrans, blas.NoTrans, s, w, xr, 1, ct); err != nil { // (n×m)(m×D)
			return err
		}
	} else {
		// If there are few nonzeros, computing A from them alone takes a hundredth of the time. Different
		// goroutines process different rows.
		const rows = 16
		parallel.Do((n+rows-1)/rows, 0, func(block int) {
			for j := block * rows; j < min(n, block*rows+rows) && ctx.Err() == nil; j++ {
				aj, cj := row(a, j), vector.Of(row(ct, j))
				for k, w := range W.RawRowView(j) {
					if w == 0 {
						continue
					}
					w *= s
					list := of[k]
					for e := len(list) - 1; e >= 0 && list[e].j >= j; e-- {
						aj[list[e].j] += w * list[e].w
					}
					blas64.Axpy(w, vector.Of(row(xr, k)), cj)
				}
			}
		})
	}
	for i := range n { // A is symmetric
		for j := range i {
			a.Data[i*a.Stride+j] = a.Data[j*a.Stride+i]
		}
	}
	return ctx.Err()
}

// width is the number of columns that share one product in updateColumns.
const width = 64

// updateColumns performs algorithm 2 of the paper by Mairal and others (see stepOnline). It takes the columns B_j in
// turn, and sets each to its optimum while all other columns are fixed:
//
//	u = (c_j − B a_j)/A_jj + B_j,   B_j = u/max(‖u‖, 1)
//
// where a_j and c_j are column j of A and of C. This lowers the squared loss ½tr(B'BA) − tr(B'C). If unit is set, u is
// divided by ‖u‖ instead; if nonnegative is set, negative elements of u are first set to 0. updateColumns overwrites
// B' (n×D).
//
// The columns are processed in blocks. At the start of a block, one matrix product computes c_j − B a_j for all columns
// of the block. When a column changes, the values for the later columns of the block are corrected. Up to rounding, the
// result is the same as without blocks, but nearly all of the work is matrix products.
//
// When ctx is done, updateColumns returns ctx's error, and B must not be used any more.
func updateColumns(ctx context.Context, bt, a, ct blas64.General, unit, nonnegative bool) error {
	n, d := bt.Rows, bt.Cols
	var mean float64
	for j := range n {
		mean += a.Data[j*a.Stride+j] / float64(n)
	}
	p := blas64.General{Rows: width, Cols: d, Stride: d, Data: make([]float64, width*d)}
	u := make([]float64, d)
	for from := 0; from < n; from += width {
		to := min(n, from+width)
		p.Rows = to - from
		for j := from; j < to; j++ {
			copy(row(p, j-from), row(ct, j))
		}
		rows := blas64.General{Rows: p.Rows, Cols: n, Stride: a.Stride, Data: a.Data[from*a.Stride:]}
		if err := product.Gemm(ctx, blas.NoTrans, blas.NoTrans, -1, rows, bt, 1, p); err != nil { // P = C'_J − A_J B', (|J|×n)(n×D)
			return err
		}
		for j := from; j < to; j++ {
			aj, b := row(a, j), row(bt, j)
			if !(aj[j] > 1e-10*mean) { // rarely used: A and C have no information about this atom
				continue
			}
			for i, r := range row(p, j-from) {
				u[i] = r/aj[j] + b[i]
			}
			if nonnegative {
				clip(u)
			}
			s := norm(u)
			if unit && !(s > 0) {
				continue
			}
			if !unit {
				s = max(s, 1)
			}
			for i, v := range u {
				u[i], b[i] = v/s-b[i], v/s // u: the change
			}
			for k := j + 1; k < to; k++ {
				if aj[k] != 0 {
					blas64.Axpy(-aj[k], vector.Of(u), vector.Of(row(p, k-from)))
				}
			}
		}
	}
	return nil
}
