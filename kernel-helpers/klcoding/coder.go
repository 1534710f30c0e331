package klcoding

import (
	"context"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/internal/vector"
)

// A Coder codes signals on its own copy of a fixed basis B. It is immutable and safe for concurrent use.
type Coder struct {
	opt  Options
	link link
	d, n int
	bt   blas64.General // B', n×D: a column of B is contiguous

	longest float64 // max_j ‖B_j‖₂

	// Tests set these for comparison. If alone is true, each signal is coded by calls to dual and adjoint. If whole is
	// true, dual computes its Hessian from all columns.
	alone, whole bool

	spectral func() *spectralBasis // for batches of the squared loss
	rank     func() ranks          // for dual

	typical []float64      // n×n: B'SB at Options.Typical, for NewtonCG
	single  blas32.General // n×D: bt, for Options.Single
}

// A Result holds the codes of N signals.
type Result struct {
	W *mat.Dense // n×N: ŵ of each signal; with Options.Doubled w⁺ − w⁻
	R *mat.Dense // D×N: the residual x − f(Bŵ), a warm start for CodeFrom

	Status     []ended.Status // N
	Iterations []int          // N: Newton steps, or trial steps of EGD
	Gradient   []float64      // N: the largest absolute element of (6) at ŵ
}

// String returns a one-line summary.
func (r *Result) String() string {
	n, N := size.Of(r.W)
	converged := 0
	for _, s := range r.Status {
		if s == ended.Converged {
			converged++
		}
	}
	return fmt.Sprintf("codes of %d signals on %d atoms: %d converged", N, n, converged)
}

// A Trace records one run. Element t of Objective and of Gradient, and column t of W, describe the point after t
// accepted steps.
type Trace struct {
	Objective []float64  // (2)
	Gradient  []float64  // largest absolute element of (6)
	W         *mat.Dense // n×(steps+1)
	Status    ended.Status
}

// String returns a one-line summary.
func (r *Trace) String() string {
	n, steps := size.Of(r.W)
	return fmt.Sprintf("the codes of one signal on %d atoms, in %d steps (%v)", n, steps-1, r.Status)
}

// New returns a Coder for the basis B (D×n). Unit-norm columns are usual but not required. New returns an error if an
// element of B is NaN or infinite, or if an option is out of its range. It panics if B is nil or empty, or if PVec,
// Offset or Typical has the wrong length.
func New(B mat.Matrix, options *Options) (*Coder, error) {
	var opt Options
	if options != nil {
		opt = *options
	}
	d, n := dims("New", "B", B)
	opt, err := opt.complete(n)
	if err != nil {
		return nil, err
	}
	if err := opt.words(d); err != nil {
		return nil, err
	}
	bt, err := transpose("New", "B", B)
	if err != nil {
		return nil, err
	}
	c := &Coder{opt: opt, link: newLink(opt.PVec, opt.Doubled), d: d, n: n, bt: bt}
	for j := range n {
		c.longest = max(c.longest, norm(c.column(j)))
	}
	if math.IsInf(c.longest*c.longest, 1) {
		return nil, fmt.Errorf("klcoding: New: a column of B is too long, norm %v", c.longest)
	}
	c.spectral = sync.OnceValue(func() *spectralBasis { return newSpectralBasis(c) })
	c.rank = sync.OnceValue(func() ranks { return newRanks(c) })
	if opt.Method == NewtonCG {
		if err := ram.Check(fmt.Sprintf("the products of %d atoms", n), 8*float64(n)*float64(n)); err != nil {
			return nil, fmt.Errorf("klcoding: New: %w", err)
		}
		c.typical = newTypical(c)
		if opt.Single {
			c.single = blas32.General{Rows: n, Cols: d, Stride: d, Data: narrow(nil, bt.Data)}
		}
	}
	return c, nil
}

// Dims returns D and n, the dimension of a signal and the number of columns of B.
func (c *Coder) Dims() (d, n int) { return c.d, c.n }

// column returns B_j (D).
func (c *Coder) column(j int) []float64 { return c.bt.Data[j*c.d : (j+1)*c.d] }

// scale returns λ + ‖x‖₂ + max p for signal x (D). A run ends when the gradient is at most Options.Tolerance times
// this sum.
func (c *Coder) scale(x []float64) float64 {
	return c.opt.Lambda + norm(x) + largest(c.opt.PVec)
}

// mul stores Bw in z (D), for w (n).
func (c *Coder) mul(z, w []float64) {
	blas64.Gemv(blas.Trans, 1, c.bt, vector.Of(w), 0, vector.Of(z))
}

// mulT stores s B'r in h (n), for r (D).
func (c *Coder) mulT(h []float64, s float64, r []float64) {
	blas64.Gemv(blas.NoTrans, s, c.bt, vector.Of(r), 0, vector.Of(h))
}

// Code returns, for each column of X (D×N), the code ŵ, which minimizes (2). It returns an error if an element of X is
// NaN or infinite, if a column is not a distribution (Softmax only), or if ctx is done. If some signals missed the
// tolerance, the error wraps ErrNotConverged and comes with the result, which is usable.
func (c *Coder) Code(ctx context.Context, X mat.Matrix) (*Result, error) {
	return c.CodeFrom(ctx, X, nil)
}

// CodeFrom is like Code, but starts signal i at v = B'r/λ, where r is column i of R (D×N). R is for instance Result.R
// of the same signals on a basis that has changed a little. If R is nil or zero, the signals start at w = p (doubled: w
// = 0).
func (c *Coder) CodeFrom(ctx context.Context, X, R mat.Matrix) (*Result, error) {
	xt, err := c.signals("Code", X)
	if err != nil {
		return nil, err
	}
	N := xt.Rows
	rt := blas64.General{Rows: N, Cols: c.d, Stride: c.d, Data: make([]float64, N*c.d)}
	if r, ok := R.(*mat.Dense); R != nil && !(ok && r == nil) {
		if rd, rn := R.Dims(); rd != c.d || rn != N {
			panic(fmt.Sprintf("klcoding: CodeFrom: R is %d×%d, must be %d×%d", rd, rn, c.d, N))
		}
		if rt, err = transpose("CodeFrom", "R", R); err != nil {
			return nil, err
		}
	}
	return c.code(ctx, xt, rt, nil)
}

// CodeNear is like Code, but starts signal i at column i of W (n×N), for instance Result.W of the same signals on a
// basis that has changed a little. If the column is zero, NewtonCG starts at w = p (or, with Doubled, at w = 0). The
// other methods do not start at W itself, but from the residual x − f(BW), as in CodeFrom.
func (c *Coder) CodeNear(ctx context.Context, X, W mat.Matrix) (*Result, error) {
	xt, err := c.signals("CodeNear", X)
	if err != nil {
		return nil, err
	}
	if n, N := dims("CodeNear", "W", W); n != c.n || N != xt.Rows {
		panic(fmt.Sprintf("klcoding: CodeNear: W is %d×%d, must be %d×%d", n, N, c.n, xt.Rows))
	}
	wt, err := transpose("CodeNear", "W", W)
	if err != nil {
		return nil, err
	}
	rt := blas64.General{Rows: xt.Rows, Cols: c.d, Stride: c.d, Data: make([]float64, xt.Rows*c.d)}
	if !c.opt.Doubled {
		for k, v := range wt.Data {
			if v < 0 {
				return nil, fmt.Errorf("klcoding: CodeNear: W[%d,%d] is %v: only Doubled allows negative weights", k%c.n, k/c.n, v)
			}
		}
	}
	if c.opt.Method != NewtonCG { // the other methods start from r
		k := newWork(c, context.Background())
		for i := range xt.Rows {
			if ctx != nil && ctx.Err() != nil {
				return nil, fmt.Errorf("klcoding: Code: %w", ctx.Err())
			}
			c.mul(k.z, wt.Data[i*c.n:(i+1)*c.n])
			k.transfer()
			k.residual(rt.Data[i*c.d:(i+1)*c.d], xt.Data[i*c.d:(i+1)*c.d])
		}
	}
	return c.code(ctx, xt, rt, wt.Data)
}

// code codes the signals xt (N×D). With NewtonCG and w0 (N×n) not nil, signal i starts from the code in row i of w0;
// otherwise, it starts from the residual in row i of rt (N×D). code overwrites rt with the final residuals.
func (c *Coder) code(ctx context.Context, xt, rt blas64.General, w0 []float64) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := c.awaitBasis(ctx); err != nil {
		return nil, fmt.Errorf("klcoding: Code: %w", err)
	}
	N := xt.Rows
	wt := make([]float64, N*c.n)
	res := &Result{Status: make([]ended.Status, N), Iterations: make([]int, N), Gradient: make([]float64, N)}
	var err error
	if c.opt.Method == NewtonCG {
		err = c.crowd(ctx, "code", N, func(k *work, l *lane, i int, u []float64) {
			l.x, l.weights, l.misfit = xt.Data[i*c.d:(i+1)*c.d], wt[i*c.n:(i+1)*c.n], rt.Data[i*c.d:(i+1)*c.d]
			if w0 == nil {
				l.startFrom(l.misfit)
			} else {
				l.startAt(w0[i*c.n : (i+1)*c.n])
			}
			l.begin(u, k)
		}, func(k *work, l *lane) error {
			o := l.handOver(k, make([]float64, c.d))
			res.Status[l.signal], res.Iterations[l.signal], res.Gradient[l.signal] = o.status, o.steps, o.gradient
			return nil
		})
	} else if c.opt.Method == Newton && c.opt.Tolerance > 0 && c.canBatch() {
		err = c.eachBatch(ctx, "code", N, func(b *batch, from, to int) error {
			out := make([]outcome, to-from)
			b.code(xt.Data[from*c.d:to*c.d], rt.Data[from*c.d:to*c.d], wt[from*c.n:to*c.n], out)
			for i, o := range out {
				res.Status[from+i], res.Iterations[from+i], res.Gradient[from+i] = o.status, o.steps, o.gradient
			}
			return b.k.ctx.Err()
		})
	} else {
		err = c.eachSignal(ctx, "code", N, func(k *work, i int) error {
			r, w := rt.Data[i*c.d:(i+1)*c.d], wt[i*c.n:(i+1)*c.n]
			o := k.solve(xt.Data[i*c.d:(i+1)*c.d], r, w)
			res.Status[i], res.Iterations[i], res.Gradient[i] = o.status, o.steps, o.gradient
			return k.ctx.Err()
		})
	}
	if err != nil {
		return nil, fmt.Errorf("klcoding: Code: %w", err)
	}
	res.W, res.R = mat.NewDense(c.n, N, nil), mat.NewDense(c.d, N, nil)
	res.W.Copy(mat.NewDense(N, c.n, wt).T())
	res.R.Copy(mat.NewDense(N, c.d, rt.Data).T())
	missed, first := 0, -1
	for i, s := range res.Status {
		if s == ended.IterationLimit || s == ended.NoProgress && c.opt.Tolerance > 0 {
			if missed++; first < 0 {
				first = i
			}
		}
	}
	if missed > 0 {
		return res, fmt.Errorf("klcoding: Code: %d of %d signals, the first of them %d (%v, gradient %.3g): %w",
			missed, N, first, res.Status[first], res.Gradient[first], ErrNotConverged)
	}
	return res, nil
}

// Trace codes one signal x (D), starting at w = p (doubled: w = 0), and keeps the point after every step. It returns
// the same errors as Code and panics if x has the wrong length.
func (c *Coder) Trace(ctx context.Context, x []float64) (*Trace, error) {
	if len(x) != c.d {
		panic(fmt.Sprintf("klcoding: Trace: x has %d elements, B has %d rows", len(x), c.d))
	}
	xt, err := c.signals("Trace", mat.NewDense(c.d, 1, append([]float64(nil), x...)))
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	k, t := newWork(c, ctx), &Trace{}
	var path []float64
	k.watch = func(gradient float64, w []float64) {
		t.Gradient = append(t.Gradient, gradient)
		t.Objective = append(t.Objective, k.objective(xt.Data, w))
		path = append(path, w...)
	}
	t.Status = k.solve(xt.Data, make([]float64, c.d), make([]float64, c.n)).status
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("klcoding: Trace: %w", err)
	}
	t.W = mat.NewDense(c.n, len(t.Gradient), nil)
	t.W.Copy(mat.NewDense(len(t.Gradient), c.n, path).T())
	if t.Status == ended.IterationLimit || t.Status == ended.NoProgress && c.opt.Tolerance > 0 {
		return t, fmt.Errorf("klcoding: Trace: %v: %w", t.Status, ErrNotConverged)
	}
	return t, nil
}

// Objective returns, for each i, the objective (2) of the signal in column i of X (D×N) at the code in column i of W
// (n×N). Without Doubled, W may not have negative elements.
func (c *Coder) Objective(X, W mat.Matrix) ([]float64, error) {
	xt, wt, err := c.pair("Objective", X, W)
	if err != nil {
		return nil, err
	}
	k := newWork(c, context.Background())
	f := make([]float64, xt.Rows)
	for i := range f {
		f[i] = k.objective(xt.Data[i*c.d:(i+1)*c.d], wt.Data[i*c.n:(i+1)*c.n])
	}
	return f, nil
}

// Inverse returns f(BW) (D×N), the reconstructions, for codes W (n×N).
func (c *Coder) Inverse(W mat.Matrix) *mat.Dense {
	n, N := dims("Inverse", "W", W)
	if n != c.n {
		panic(fmt.Sprintf("klcoding: Inverse: W is %d×%d, a code per COLUMN, B has %d columns%s", n, N, c.n, transposeHint(n, N, c.n)))
	}
	k := newWork(c, context.Background())
	f, w := mat.NewDense(c.d, N, nil), make([]float64, n)
	for i := range N {
		mat.Col(w, i, W)
		c.mul(k.z, w)
		k.transfer()
		f.SetCol(i, k.f)
	}
	return f
}
