package dictionary

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/vector"
)

// stepSGD performs one step of stochastic gradient descent on the signals from..to-1:
//
//	B ← B − η ∂L/∂B,  ∂L/∂B = (f(Bw) − x) w'   (7), summed over the batch and divided by Options.Batch
//	η = Rate/(unit √t)
//
// and then scales the columns to norm 1 again. It returns the number of signals that missed the coder's tolerance.
func (l *learner) stepSGD(ctx context.Context, from, to int) (missed int, err error) {
	_, X, c, err := l.code(ctx, from, to)
	if err != nil {
		return 0, err
	}
	if l.st.unit == 0 {
		if err := l.measure(ctx, c, from, to); err != nil {
			return 0, err
		}
	}
	l.full = c.Objective
	l.tally(c.W)
	l.keep(c.Warm, from)
	if l.st.unit == 0 { // all codes were 0, and so is the gradient
		return c.Missed, nil
	}
	r := residual(l.st.B, X, c)
	// The last batch of a pass may be small: its weight is proportional to its size.
	eta := l.opt.Rate / (l.st.unit * math.Sqrt(float64(l.st.Step+1)))
	blas64.Gemm(blas.NoTrans, blas.Trans, eta/float64(l.opt.Batch), c.W.RawMatrix(), r.RawMatrix(), 1, l.bt) // (n×m)(m×D)
	for j := range l.bt.Rows {
		b := row(l.bt, j)
		if l.opt.NonNegative {
			clip(b)
		}
		if !scaleTo1(b) { // the step made the column 0: keep the old column
			mat.Col(b, j, l.st.B)
		}
	}
	return c.Missed, nil
}

// residual returns x − f(Bw), D×m.
func residual(B *mat.Dense, X mat.Matrix, c *Codes) *mat.Dense {
	if c.Residual != nil {
		return c.Residual
	}
	r := mat.DenseCopyOf(X)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, B.RawMatrix(), c.W.RawMatrix(), 1, r.RawMatrix()) // (D×n)(n×m)
	return r
}

// Gradient returns (7), the gradient of the loss with respect to B (D×n), summed over the columns of X (D×m), one
// signal per column: (f(BW) − X)W', where c holds the codes of X in the basis B, and W is c.W. Use it to write your own
// steps; Fit does not need it.
func Gradient(B, X mat.Matrix, c *Codes) *mat.Dense {
	d, n := dims("Gradient", "B", B)
	r, m := dims("Gradient", "X", X)
	if r != d {
		panic(fmt.Sprintf("dictionary: Gradient: X is %d×%d, a signal per COLUMN, and B has %d rows%s", r, m, d, transposeHint(r, m, d)))
	}
	if c == nil || c.W == nil {
		panic("dictionary: Gradient: the codes c are nil")
	}
	if k, p := c.W.Dims(); k != n || p != m {
		panic(fmt.Sprintf("dictionary: Gradient: B is %d×%d, X %d×%d and the codes' W %d×%d, must be %d×%d", d, n, d, m, k, p, n, m))
	}
	g := mat.NewDense(d, n, nil)
	R := residual(given.Dense("dictionary: Gradient", "B", B), X, c)
	blas64.Gemm(blas.NoTrans, blas.Trans, -1, R.RawMatrix(), c.W.RawMatrix(), 0, g.RawMatrix()) // (D×m)(m×n)
	return g
}

// measured is the minimum number of signals from which measure computes the unit of the step.
const measured = 512

// measure computes the unit of the step: the largest eigenvalue of the mean of ww', which is the largest
// curvature of the mean squared loss with respect to B. c holds the codes of the signals from..to-1.
func (l *learner) measure(ctx context.Context, c *Codes, from, to int) error {
	if to-from < measured && to < l.x.Rows {
		var err error
		if _, _, c, err = l.code(ctx, from, min(l.x.Rows, from+measured)); err != nil {
			return err
		}
	}
	n, m := c.W.Dims()
	v, u := make([]float64, n), make([]float64, m)
	for j := range v {
		v[j] = 1
		for _, w := range c.W.RawRowView(j) {
			v[j] += math.Abs(w)
		}
	}
	w := c.W.RawMatrix()
	for range 50 { // accurate to about a percent, which suffices for a step size
		if !scaleTo1(v) {
			break
		}
		blas64.Gemv(blas.Trans, 1, w, vector.Of(v), 0, vector.Of(u))
		blas64.Gemv(blas.NoTrans, 1/float64(m), w, vector.Of(u), 0, vector.Of(v))
	}
	l.st.unit = norm(v)
	return nil
}
