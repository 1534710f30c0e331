package dictionary

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

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
