package sparseapprox

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/transposed"
	"overcomplete/ui/progress"
)

// block is the number of signals that share one dense product. It is constant, so that results do not depend on the
// number of goroutines.
const block = 512

// chunk is the number of signals that a goroutine processes at a time.
const chunk = 4

// A Coder holds the data shared by all signals: B, the Gram matrix BᵀB, and whatever else Options.Method needs. A Coder
// is safe for concurrent use if its Recorder is.
type Coder struct {
	opt        Options
	d, n       int
	atoms      *mat.Dense // Bᵀ, one atom per row (n×D)
	g          []float64  // G = BᵀB + μI (n×n), nil if no solver needs it
	single     *gram32    // G in float32, for CoordinateDescent; nil if not used
	lambda     float64
	ridge      float64 // μ; G holds BᵀB + μI
	nonneg     bool
	orthogonal bool       // BᵀB = I
	lipschitz  float64    // upper bound on the largest eigenvalue of BᵀB + μI, for FISTA
	linear     *mat.Dense // n×D, for ClosedForm
	exact      bool       // OMP must reach MaxError, because Nonzeros is not set
	curvature  float64    // smallest positive eigenvalue of the Hessian, for ClosedForm
	idle       sync.Pool  // holds *work values
}

// NewCoder prepares B (D×n) for coding signals of D entries. Columns of B are atoms; unit norm is usual but
// not required. It returns an error if B or an option is invalid, or if Options.Warm is set.
func NewCoder(B mat.Matrix, opt *Options) (*Coder, error) {
	return newCoder(context.Background(), B, opt)
}

func newCoder(ctx context.Context, B mat.Matrix, opt *Options) (*Coder, error) {
	c := &Coder{}
	if opt != nil {
		c.opt = *opt
	}
	if c.opt.Warm != nil {
		return nil, errors.New("sparseapprox: NewCoder: Options.Warm is for Solve; use CodeFrom")
	}
	c.d, c.n = dims("NewCoder", "B", B)
	if err := checkFinite("NewCoder: B", B); err != nil {
		return nil, err
	}
	c.atoms = transposed.Columns(B, 0, c.n)
	if err := c.options(); err != nil {
		return nil, err
	}
	if c.opt.Prior == L2 || c.opt.Prior == None {
		if err := c.invert(ctx); err != nil {
			return nil, err
		}
		return c, nil
	}
	// The memory is for G = BᵀB (n×n), in float64 and in float32.
	if err := ram.Check(fmt.Sprintf("the products of %d atoms", c.n), 12*float64(c.n)*float64(c.n)); err != nil {
		return nil, fmt.Errorf("sparseapprox: NewCoder: %w", err)
	}
	c.g = make([]float64, c.n*c.n)
	err := parallel.Await(ctx, float64(c.d)*float64(c.n)*float64(c.n), func() {
		blas64.Syrk(blas.NoTrans, 1, c.atoms.RawMatrix(), 0, blas64.Symmetric{Uplo: blas.Upper, N: c.n, Stride: c.n, Data: c.g})
	})
	if err != nil {
		return nil, err
	}
	c.mirror()
	for j := range c.n {
		if g := c.gram(j)[j]; math.IsInf(g, 0) || math.IsNaN(g) || underflows(c.atoms.RawRowView(j), g) {
			return nil, fmt.Errorf("sparseapprox: the square of column %d of B is %g, beyond the range of float64: scale B", j, g)
		}
	}
	c.orthogonal = c.isOrthonormal()
	if c.ridge > 0 {
		// Extend x by n zeros and B by √μ I below it. The squared loss of the extended problem is ½‖x − Bw‖² + ½μ‖w‖²
		// (Zou and Hastie, Regularization and variable selection via the elastic net, J. R. Statist. Soc. B 67, 2005,
		// Lemma 1). The extension adds μ to the diagonal of G and does not change Bᵀx and x'x. So the solvers work
		// without changes.
		for j := range c.n {
			c.g[j*c.n+j] += c.ridge
		}
		c.orthogonal = false
	}
	if err := c.choose(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// mirror copies the upper triangle of G to the lower triangle, in square blocks that stay in the L1 cache.
func (c *Coder) mirror() {
	const side = 16
	n := c.n
	for top := 0; top < n; top += side {
		for left := 0; left <= top; left += side {
			for i := top; i < min(top+side, n); i++ {
				row := c.g[i*n : (i+1)*n]
				for j := left; j < min(left+side, i); j++ {
					row[j] = c.g[j*n+i]
				}
			}
		}
	}
}

// choose replaces the method Auto by a concrete method, and prepares what the method needs in addition to G.
func (c *Coder) choose(ctx context.Context) error {
	if c.opt.Method == Auto {
		switch {
		case c.opt.Prior == L0:
			c.opt.Method = OMP
		case c.orthogonal && c.opt.Prior != Lp:
			c.opt.Method = SoftThreshold
		default:
			c.opt.Method = CoordinateDescent
		}
	}
	if c.opt.Method == SoftThreshold && !c.orthogonal {
		return errors.New("sparseapprox: SoftThreshold: BᵀB is not the identity")
	}
	switch {
	case c.opt.Method == FISTA:
		return c.bound(ctx)
	case c.opt.Method == CoordinateDescent && c.opt.Prior != Lp && c.single == nil:
		c.single = c.newGram32()
	}
	return nil
}

// With returns a Coder with the same B and other options. It reuses the Gram matrix if both Coders need it.
func (c *Coder) With(opt *Options) (*Coder, error) {
	d := &Coder{d: c.d, n: c.n, atoms: c.atoms, g: c.g, single: c.single}
	if opt != nil {
		d.opt = *opt
	}
	if d.g == nil || d.opt.Prior == L2 || d.opt.Prior == None || d.opt.Warm != nil || d.opt.Ridge != c.ridge {
		return NewCoder(c.atoms.T(), opt)
	}
	d.orthogonal = c.orthogonal
	if err := d.options(); err != nil {
		return nil, err
	}
	if err := d.choose(context.Background()); err != nil {
		return nil, err
	}
	return d, nil
}

// Atoms returns n, the number of columns of B.
func (c *Coder) Atoms() int { return c.n }

// Dim returns D, the number of entries of a signal.
func (c *Coder) Dim() int { return c.d }

// Solve finds w for every column of X (D×N) with the atoms of B (D×n). opt must not be nil, because λ has no default.
// If some signals did not converge, the result is still complete; the error wraps ended.ErrNotConverged and says how
// many. N = 0 is an error.
func Solve(ctx context.Context, B, X mat.Matrix, opt *Options) (*Result, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	warm := o.Warm
	o.Warm = nil
	if ctx == nil {
		ctx = context.Background()
	}
	c, err := newCoder(ctx, B, &o)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("sparseapprox: %w", err)
		}
		return nil, err
	}
	return c.code(ctx, X, warm)
}

// Code finds w for every column of X (D×N), starting at w = 0.
func (c *Coder) Code(ctx context.Context, X mat.Matrix) (*Result, error) {
	return c.code(ctx, X, nil)
}

// CodeFrom finds w for every column of X (D×N), starting at the columns of warm
// (n×N; nil means 0).
func (c *Coder) CodeFrom(ctx context.Context, X, warm mat.Matrix) (*Result, error) {
	if given.Nil(warm) {
		return c.code(ctx, X, nil)
	}
	return c.code(ctx, X, given.Dense("sparseapprox: CodeFrom", "warm", warm))
}

func (c *Coder) code(ctx context.Context, X mat.Matrix, warm *mat.Dense) (*Result, error) {
	d, N, err := points("Code", "X", X)
	if err != nil {
		return nil, err
	}
	if d != c.d {
		panic(fmt.Sprintf("sparseapprox: B is %d×%d and X is %d×%d, a signal per COLUMN%s", c.d, c.n, d, N, transposeHint(d, N, c.d)))
	}
	if err := checkFinite("Code: X", X); err != nil {
		return nil, err
	}
	if warm != nil {
		if r, k := warm.Dims(); r != c.n || k != N {
			panic(fmt.Sprintf("sparseapprox: Warm is %d×%d, must be %d×%d", r, k, c.n, N))
		}
		if err := checkFinite("Code: Warm", warm); err != nil {
			return nil, err
		}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	res := &Result{
		Method:     c.opt.Method,
		W:          mat.NewDense(c.n, N, nil),
		Objective:  make([]float64, N),
		Gap:        make([]float64, N),
		Iterations: make([]int, N),
		Signals:    make([]ended.Status, N),
	}
	var sum float64
	for from := 0; from < N; from += block {
		to := min(N, from+block)
		c.batch(ctx, X, warm, res, from, to)
		if ctx.Err() == nil {
			for _, v := range res.Objective[from:to] {
				sum += v
			}
			progress.Report(c.opt.Recorder, progress.Event{What: "sparse approximation", Step: to, Total: N, Objective: sum / float64(to)})
		}
	}
	var count [ended.Interrupted + 1]int
	for _, s := range res.Signals {
		count[s]++
		res.Status = max(res.Status, s)
	}
	if k := count[ended.Interrupted]; k > 0 || ctx.Err() != nil {
		return res, fmt.Errorf("sparseapprox: %w with %d of %d signals left", ctx.Err(), k, N)
	}
	if k := count[ended.IterationLimit]; k > 0 {
		return res, fmt.Errorf("sparseapprox: %v: %w: %d of %d signals, in %d iterations", c.opt.Method, ended.ErrNotConverged, k, N, c.opt.MaxIterations)
	}
	switch k := count[ended.NoProgress]; {
	case k > 0 && c.exact && c.opt.Prior == L0:
		return res, fmt.Errorf("sparseapprox: %v: %w: no atom brings %d of %d signals closer, and the error is above MaxError = %g", c.opt.Method, ended.ErrNotConverged, k, N, c.opt.MaxError)
	case k > 0:
		return res, fmt.Errorf("sparseapprox: %v: %w: rounding, overflow or underflow kept %d of %d signals from a relative gap of %g", c.opt.Method, ended.ErrNotConverged, k, N, c.opt.Tolerance)
	}
	return res, nil
}

// batch codes the columns [from, to) of X.
func (c *Coder) batch(ctx context.Context, X mat.Matrix, warm *mat.Dense, res *Result, from, to int) {
	m := to - from
	xt := transposed.Columns(X, from, to) // one signal per row
	wt := mat.NewDense(m, c.n, nil)       // one w per row
	out := &Result{Objective: make([]float64, m), Gap: make([]float64, m), Iterations: res.Iterations[from:to], Signals: make([]ended.Status, m)}
	cost := float64(m) * float64(c.d) * float64(c.n) // multiplications of one product
	err := c.solveAll(ctx, xt, wt, warm, out, from)
	if err == nil {
		err = c.certify(parallel.Grace(ctx, cost), xt, wt, out)
	}
	if err != nil { // w = 0
		for k := range m {
			x := xt.RawRowView(k)
			res.Signals[from+k] = ended.Interrupted
			res.Objective[from+k] = 0.5 * dot(x, x)
			res.Gap[from+k] = res.Objective[from+k] // a valid bound, because objectives are not negative
			if c.opt.Prior == Lp || c.opt.Prior == L0 {
				res.Gap[from+k] = math.NaN()
			}
		}
		return
	}
	copy(res.Objective[from:to], out.Objective)
	copy(res.Gap[from:to], out.Gap)
	copy(res.Signals[from:to], out.Signals)
	W := res.W.RawMatrix()
	for k := range m {
		for j, v := range wt.RawRowView(k) {
			if v != 0 {
				W.Data[j*W.Stride+from+k] = v
			}
		}
	}
}

// solveAll finds the rows of W (wt, m×n) for the rows of X (xt, m×D). from is the index of the signal in row 0 of X. If
// solveAll returns an error, W is unfinished.
func (c *Coder) solveAll(ctx context.Context, xt, wt *mat.Dense, warm *mat.Dense, out *Result, from int) error {
	m, _ := xt.Dims()
	if c.opt.Method == ClosedForm {
		for k := range m {
			out.Signals[k] = ended.Converged
		}
		return product.Mul(ctx, wt, xt, c.linear.T()) // (m×D)(D×n)
	}
	if warm != nil {
		for j := range c.n {
			if c.g[j*c.n+j] == 0 {
				continue // coefficients of zero columns stay 0
			}
			for k, v := range warm.RawRowView(j)[from : from+m] {
				if v < 0 && c.nonneg {
					v = 0
				}
				wt.Set(k, j, v)
			}
		}
	}
	var corr mat.Dense
	if err := product.Mul(ctx, &corr, xt, c.atoms.T()); err != nil { // row k is c = Bᵀx of signal k: (m×D)(D×n)
		return err
	}
	acquire := func() *work { return c.acquire(ctx) }
	eachInParallel(m, c.opt.Workers, acquire, c.release, func(w *work, k int) {
		if ctx.Err() != nil {
			clear(wt.RawRowView(k))
			out.Signals[k] = ended.Interrupted
			return
		}
		x := xt.RawRowView(k)
		w.load(corr.RawRowView(k), wt.RawRowView(k), dot(x, x))
		out.Signals[k] = w.solve()
		out.Iterations[k] = w.iterations
	})
	return nil
}

// certify computes the objective and the gap of each row of W (wt, m×n), for the rows of X (xt, m×D). It uses B, not G.
// If ctx is done, it returns ctx's error.
func (c *Coder) certify(ctx context.Context, xt, wt *mat.Dense, res *Result) error {
	rt, err := c.residual(ctx, xt, wt)
	if err != nil {
		return err
	}
	var qt mat.Dense
	if err := product.Mul(ctx, &qt, rt, c.atoms.T()); err != nil { // q = Bᵀr, (m×D)(D×n)
		return err
	}
	m, _ := xt.Dims()
	for k := range m {
		x, r, w, q := xt.RawRowView(k), rt.RawRowView(k), wt.RawRowView(k), qt.RawRowView(k)
		rr := dot(r, r)
		if c.ridge > 0 { // of the extended signal and atoms; see NewCoder
			rr += c.ridge * dot(w, w)
			for j, v := range w {
				q[j] -= c.ridge * v
			}
		}
		obj := 0.5*rr + c.penalty(w)
		gap := math.NaN()
		switch c.opt.Prior {
		case L0:
			if c.exact && !(math.Sqrt(rr) <= c.opt.MaxError*(1+1e-9)) {
				res.Signals[k] = max(res.Signals[k], ended.NoProgress)
			}
		case L1, L1NonNegative:
			gap = c.dualityGap(rr, w, q)
			if res.Signals[k] == ended.Converged && !(gap <= 2*c.opt.Tolerance*obj) {
				res.Signals[k] = ended.NoProgress
			}
		case L2, None:
			// The objective is quadratic. In each eigenvector's direction, its curvature is 0 or at least c.curvature.
			// The gradient −q + 2λw has no component in directions without curvature. So the objective exceeds its
			// minimum by at most ‖gradient‖²/(2 c.curvature).
			gap = 0
			for j, v := range q {
				v -= 2 * c.lambda * w[j]
				gap += v * v
			}
			if gap > 0 {
				gap /= 2 * c.curvature
			}
			if !(gap <= c.opt.Tolerance*dot(x, x)/2) {
				res.Signals[k] = max(res.Signals[k], ended.NoProgress)
			}
		}
		if math.IsNaN(obj) || math.IsInf(obj, 0) || underflows(x, dot(x, x)) { // the signal is too large or too small for float64
			res.Signals[k] = max(res.Signals[k], ended.NoProgress)
		}
		res.Objective[k], res.Gap[k] = obj, gap
	}
	return nil
}

// residual returns a matrix (m×D) whose rows are x − Bw, for the rows x of X (xt, m×D) and w of W (wt, m×n).
func (c *Coder) residual(ctx context.Context, xt, wt *mat.Dense) (*mat.Dense, error) {
	m, n := wt.Dims()
	nonzeros := 0
	for k := range m {
		for _, v := range wt.RawRowView(k) {
			if v != 0 {
				nonzeros++
			}
		}
	}
	if 4*nonzeros > m*n {
		var rt mat.Dense
		if err := product.Mul(ctx, &rt, wt, c.atoms); err != nil { // (m×n)(n×D)
			return nil, err
		}
		rt.Sub(xt, &rt)
		return &rt, nil
	}
	rt := mat.DenseCopyOf(xt)
	for k := range m {
		sum := rows{y: rt.RawRowView(k)}
		for j, v := range wt.RawRowView(k) {
			if v != 0 {
				sum.add(-v, c.atoms.RawRowView(j))
			}
		}
		sum.addRest()
	}
	return rt, nil
}

// penalty returns λP(w).
func (c *Coder) penalty(w []float64) (p float64) {
	switch c.opt.Prior {
	case L1, L1NonNegative:
		for _, v := range w {
			p += math.Abs(v)
		}
	case L2:
		p = dot(w, w)
	case Lp:
		for _, v := range w {
			if v != 0 {
				p += math.Pow(math.Abs(v), c.opt.P)
			}
		}
	}
	return c.lambda * p
}

// dualityGap returns a bound on how far ½‖r‖² + λ‖w‖₁ is above its minimum, where r = x − Bw, rr = ‖r‖² and q = Bᵀr.
// The dual problem is
//
//	max_θ  x'θ − ½‖θ‖²   with |b_j'θ| <= λ for all j (b_j'θ <= λ if w >= 0)
//
// and θ = τr is feasible for τ = min(1, λ/max_j|q_j|). With x'r = rr + w'q,
//
//	gap = ½rr + λ‖w‖₁ − τx'r + ½τ²rr = ½(1−τ)²rr + Σ_j (λ|w_j| − τ q_j w_j)
//
// In this form no term is negative, so no digits cancel.
func (c *Coder) dualityGap(rr float64, w, q []float64) float64 {
	top, l1 := 0.0, 0.0
	for _, v := range q {
		if v := c.reach(v); !(v <= top) {
			top = v
		}
	}
	for _, v := range w {
		l1 += math.Abs(v)
	}
	qw := dot(q, w)
	tau := 1.0
	if top > c.lambda {
		tau = c.lambda / top
	}
	return 0.5*(1-tau)*(1-tau)*rr + max(0, c.lambda*l1-tau*qw)
}

// reach takes an atom's correlation q with the residual, and returns the quantity that must not exceed λ at the
// minimum: |q|, or q itself if the prior demands w >= 0.
func (c *Coder) reach(q float64) float64 {
	if c.nonneg {
		return q
	}
	return math.Abs(q)
}

// shrink returns the v that minimizes ½(v − t)² + lambda |v|, with v >= 0 if the prior demands it.
func (c *Coder) shrink(t, lambda float64) float64 {
	switch {
	case t > lambda:
		return t - lambda
	case t < -lambda && !c.nonneg:
		return t + lambda
	}
	return 0
}

// gram returns row j of G.
func (c *Coder) gram(j int) []float64 { return c.g[j*c.n : (j+1)*c.n] }

// eachInParallel calls f(w, k) once for each k in [0, m). It uses several goroutines, each with its own w.
func eachInParallel(m, threads int, acquire func() *work, release func(*work), f func(w *work, k int)) {
	parallel.Do((m+chunk-1)/chunk, threads, func(c int) {
		w := acquire()
		defer release(w)
		for i := c * chunk; i < min(m, (c+1)*chunk); i++ {
			f(w, i)
		}
	})
}
