package dictionary

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"overcomplete/kernel-helpers/internal/parallel"
)

// alternate performs one step of LagrangeDual or MOD: it codes all signals and then computes B. It does not keep the
// codes, because B depends only on A = Σww' and C = Σxw', sums over the signals x and their codes w. It returns the
// number of signals that missed the coder's tolerance. If it fails, it restores the state.
func (l *learner) alternate(ctx context.Context) (missed int, err error) {
	n, d, N := l.bt.Rows, l.bt.Cols, l.x.Rows
	a := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	ct := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	objective := make([]float64, 0, N)
	// If the step fails, the state must be restored.
	use, window, warm := slices.Clone(l.st.use), slices.Clone(l.st.window), slices.Clone(l.st.warm)
	defer func() {
		if err != nil {
			l.st.use, l.st.window, l.st.warm = use, window, warm
		}
	}()
	for from := 0; from < N; from += chunk {
		to := min(N, from+chunk)
		xr, _, c, err := l.code(ctx, from, to)
		if err != nil {
			return 0, err
		}
		if err := accumulate(ctx, a, ct, c.W, xr, 1/float64(N)); err != nil {
			return 0, err
		}
		objective = append(objective, c.Objective...)
		missed += c.Missed
		l.tally(c.W)
		l.keep(c.Warm, from)
	}
	l.full = objective
	// An atom that no signal used does not change.
	var at []int
	for j := range n {
		if a.Data[j*n+j] > 0 {
			at = append(at, j)
		}
	}
	if len(at) == 0 {
		return missed, nil
	}
	k := len(at)
	as := blas64.General{Rows: k, Cols: k, Stride: k, Data: make([]float64, k*k)}
	cs := blas64.General{Rows: k, Cols: d, Stride: d, Data: make([]float64, k*d)}
	for i, j := range at {
		for e, f := range at {
			as.Data[i*k+e] = a.Data[j*n+f]
		}
		copy(row(cs, i), row(ct, j))
	}
	var bs blas64.General
	if l.opt.Method == MOD {
		var failure error
		err = parallel.Await(ctx, float64(k)*float64(k)*float64(k+d), func() { bs, failure = leastSquares(as, cs) })
		if err == nil {
			err = failure
		}
	} else {
		start := make([]float64, k)
		if l.st.lambda != nil {
			for i, j := range at {
				start[i] = l.st.lambda[j]
			}
		}
		var lambda []float64
		var failure error
		err = parallel.Await(ctx, 10*float64(k)*float64(k)*float64(k+d), func() { bs, lambda, failure = dual(as, cs, start) })
		if err == nil {
			err = failure
		}
		if err == nil {
			l.st.lambda = make([]float64, n)
			for i, j := range at {
				l.st.lambda[j] = lambda[i]
			}
		}
	}
	if err != nil {
		return 0, fmt.Errorf("%v: %w", l.opt.Method, err)
	}
	for i, j := range at {
		b := row(bs, i)
		if l.opt.Method == MOD || l.opt.Unit || norm(b) > 1 {
			if !scaleTo1(b) {
				continue
			}
		}
		copy(row(l.bt, j), b)
	}
	return missed, nil
}

// leastSquares computes the B that minimizes Σ‖x − Bw‖²:
//
//	B = C A⁻¹,  A = Σww' (n×n),  C = Σxw' (D×n)
//
// This is the method of optimal directions (K. Engan, S. O. Aase and J. H. Husøy 1999) without the scaling of the
// columns. leastSquares takes C' and returns B' (n×D). If A is singular, as it always is with fewer signals than
// atoms, leastSquares adds δI to A. It starts with a very small δ, and multiplies δ by 10 until the sum is no longer
// singular (see factor).
func leastSquares(a, ct blas64.General) (bt blas64.General, err error) {
	f, ok := factor(a, nil)
	for ridge := 1e-14 * largestDiagonal(a); !ok; ridge *= 10 {
		if !(ridge > 0 && ridge < largestDiagonal(a)) {
			return bt, errors.New("the squares of the codes overflow: scale X")
		}
		shift := make([]float64, a.Rows)
		for j := range shift {
			shift[j] = ridge
		}
		f, ok = factor(a, shift)
	}
	bt = clone(ct)
	lapack64.Potrs(f, bt)
	return bt, nil
}

// factor returns the Cholesky factor of A + diag(shift); shift may be nil. ok reports whether this sum is positive
// definite and so well conditioned that solutions have a few accurate digits. The condition is judged by the smallest
// squared diagonal element of the factor, relative to the largest diagonal element of the sum.
func factor(a blas64.General, shift []float64) (f blas64.Triangular, ok bool) {
	n := a.Rows
	s := blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}
	for i := range n {
		copy(s.Data[i*n:(i+1)*n], row(a, i))
		if shift != nil {
			s.Data[i*n+i] += shift[i]
		}
	}
	top := largestDiagonal(blas64.General{Rows: n, Cols: n, Stride: n, Data: s.Data})
	if f, ok = lapack64.Potrf(s); !ok {
		return f, false
	}
	for i := range n {
		if p := f.Data[i*n+i]; !(p*p > 1e-15*top) {
			return f, false
		}
	}
	return f, true
}

func largestDiagonal(a blas64.General) float64 {
	var t float64
	for j := range a.Rows {
		t = max(t, a.Data[j*a.Stride+j])
	}
	return t
}

// clone copies a, without gaps between rows.
func clone(a blas64.General) blas64.General {
	c := blas64.General{Rows: a.Rows, Cols: a.Cols, Stride: a.Cols, Data: make([]float64, a.Rows*a.Cols)}
	for i := range a.Rows {
		copy(row(c, i), row(a, i))
	}
	return c
}
