package pursuit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/internal/subset"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/ui/progress"
)

// LassoOptions are the options of Lasso and FISTA. The zero value and nil mean the
// defaults.
type LassoOptions struct {
	// NonNegative restricts the solution to s >= 0.
	NonNegative bool
	// Tolerance ends the iterations for a signal when its duality gap is at most Tolerance times its objective. 0 means
	// 1e-6. The iterations also end at a gap of 1e-15 ‖x‖², because smaller gaps are only rounding. Tolerance is not
	// relative to ½‖x‖², because with a small alpha every exact representation, however dense, would then pass.
	Tolerance float64
	// MaxIterations bounds the sweeps (Lasso) or steps (FISTA) of one signal.
	// 0 means 10000.
	MaxIterations int
	// Start holds the initial coefficients, n×p. nil means 0.
	Start *mat.Dense
	// Workers is the number of goroutines; the result does not depend on it.
	// 0 means GOMAXPROCS.
	Workers int
	// Recorder receives one event when the batch is done, with the mean objective.
	Recorder progress.Recorder
}

// A LassoResult holds the coefficients of a batch.
type LassoResult struct {
	// Status is Converged if all signals converged, otherwise IterationLimit or Interrupted.
	Status     ended.Status
	S          *mat.Dense // n×p
	Objective  []float64  // ½‖x − A s‖² + alpha ‖s‖₁ per signal, p
	Gap        []float64  // proved bound on Objective minus optimum, p
	Iterations []int      // p
}

// String returns a one-line summary.
func (r *LassoResult) String() string {
	n, p := size.Of(r.S)
	return fmt.Sprintf("lasso of %d signals on %d atoms (%v)", p, n, r.Status)
}

// MeanObjective returns the mean of Objective over the signals.
func (r *LassoResult) MeanObjective() float64 {
	var t float64
	for _, v := range r.Objective {
		t += v
	}
	return t / float64(len(r.Objective))
}

// Lasso minimizes ½‖x − A s‖² + alpha‖s‖₁ for every column x of X (m×p) by cyclic coordinate descent. alpha must be
// positive and finite. The Gram matrix A'A (n×n) is computed once for the batch; signals are solved in parallel.
// Coordinate descent is slow if alpha is small or columns of A are nearly dependent. Signals that have not reached the
// gap after 300 sweeps are therefore given to package sparseapprox, and the sweeps go on from its solution.
//
// If some signals do not reach the gap in MaxIterations, the result is complete, and an error that wraps
// ended.ErrNotConverged says how many. If ctx is done, the error wraps that of ctx, and the signals that are not
// finished have the coefficients so far, or 0.
//
// Source: Friedman, Hastie and Tibshirani, Regularization paths for generalized linear models via coordinate descent,
// J. Stat. Softw. 33 (2010).
func Lasso(ctx context.Context, a, x mat.Matrix, alpha float64, opt *LassoOptions) (*LassoResult, error) {
	return lasso(ctx, "Lasso", a, x, alpha, opt, (*lassoProblem).descend, plainSweeps)
}

// FISTA minimizes the same function as Lasso by accelerated proximal gradient steps of length 1/‖A'A‖₂, restarted
// whenever the momentum points uphill. It takes the same options as Lasso, stops at the same gap, and returns the same
// errors. If the longest column of A is more than about 8 times as long as the shortest, FISTA works with columns
// scaled to about the same length. If a signal runs out of steps, FISTA takes the nonzeros and signs that it has
// found, solves for their values directly, and keeps this solution if it is better.
//
// Source: Beck and Teboulle, A fast iterative shrinkage-thresholding algorithm, SIAM J. Imaging Sci. 2 (2009);
// restart: O'Donoghue and Candès, Found. Comput. Math. 15 (2015).
func FISTA(ctx context.Context, a, x mat.Matrix, alpha float64, opt *LassoOptions) (*LassoResult, error) {
	return lasso(ctx, "FISTA", a, x, alpha, opt, (*lassoProblem).accelerate, math.MaxInt)
}

// LassoObjective returns ½‖x − A s‖² + alpha‖s‖₁ for each pair of columns x of X and s of S.
func LassoObjective(a, x, s mat.Matrix, alpha float64) []float64 {
	given.Args("pursuit: LassoObjective", "s", s)
	m, n := dims("LassoObjective", "A", a)
	_, p := dims("LassoObjective", "X", x)
	if r, c := dims("LassoObjective", "S", s); r != n || c != p {
		panic(fmt.Sprintf("pursuit: LassoObjective: A is %d×%d, X has %d columns, S is %d×%d", m, n, p, r, c))
	}
	var e mat.Dense
	e.Mul(a, s)
	return objectives(x, &e, s, alpha)
}

// objectives returns what LassoObjective returns. e must hold A s, and is overwritten.
func objectives(x mat.Matrix, e *mat.Dense, s mat.Matrix, alpha float64) []float64 {
	_, p := e.Dims()
	e.Sub(x, e)
	out := make([]float64, p)
	for k := range out {
		r := mat.Col(nil, k, e)
		out[k] = 0.5*vector.DotInOrder(r, r) + alpha*norm1(mat.Col(nil, k, s))
	}
	return out
}

// lassoProblem holds the data shared by the signals of a batch.
type lassoProblem struct {
	ctx    context.Context
	m, n   int
	cols   []float64 // A by columns
	gram   []float64 // A'A, n×n
	lip    float64   // bound on ‖A‖₂², for A with its columns divided by √unit_j
	unit   []float64 // n: FISTA divides column j of A by √unit_j (see scaleColumns); nil means all 1
	alpha  float64
	nonneg bool
	tol    float64
	maxIt  int
}

// lassoWork is scratch space for one goroutine at a time.
type lassoWork struct {
	x, s, q, r  []float64
	c           []float64 // A'x
	v, old, grd []float64
	fac         []float64 // polish: Cholesky factor
	sup         []int
}

// lasso calls solve for each signal. solve returns the number of iterations, the objective and the gap. Signals that
// have not reached the gap after the number of iterations called plain continue from the solution that package
// sparseapprox finds.
func lasso(ctx context.Context, fn string, A, X mat.Matrix, alpha float64, opt *LassoOptions, solve func(*lassoProblem, *lassoWork) (int, float64, float64), plain int) (*LassoResult, error) {
	m, n := dims(fn, "A", A)
	mx, p, err := points(fn, "X", X)
	if err != nil {
		return nil, err
	}
	if mx != m {
		panic(fmt.Sprintf("pursuit: %s: A has %d rows and X is %d×%d, a signal per COLUMN%s", fn, m, mx, p, transposeHint(mx, p, m)))
	}
	a, x := given.Dense("pursuit: "+fn, "A", A), given.Dense("pursuit: "+fn, "X", X)
	if !(alpha > 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("pursuit: %s: alpha is %v, must be positive and finite", fn, alpha)
	}
	if err := errors.Join(checkMatrix(fn, "A", a), checkMatrix(fn, "X", x)); err != nil {
		return nil, err
	}
	if err := errors.Join(checkSquares(fn, "A", a), checkSquares(fn, "X", x)); err != nil {
		return nil, err
	}
	var set LassoOptions
	if opt != nil {
		set = *opt
	}
	if err := checkLimits(fn, &set.Tolerance, &set.MaxIterations, 1e-6, 10000); err != nil {
		return nil, err
	}
	if set.Workers < 0 {
		return nil, fmt.Errorf("pursuit: %s: Workers is %d, must not be negative", fn, set.Workers)
	}
	if set.Start != nil {
		if r, c := set.Start.Dims(); r != n || c != p {
			panic(fmt.Sprintf("pursuit: %s: Start is %d×%d, must be %d×%d", fn, r, c, n, p))
		}
		if err := checkMatrix(fn, "Start", set.Start); err != nil {
			return nil, err
		}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	lp := &lassoProblem{ctx: ctx, m: m, n: n, alpha: alpha, nonneg: set.NonNegative, tol: set.Tolerance, maxIt: set.MaxIterations}
	lp.cols = make([]float64, m*n)
	for j := range n {
		mat.Col(lp.cols[j*m:(j+1)*m], j, a)
	}
	if err := ram.Check(fmt.Sprintf("the products of %d columns", n), 8*float64(n)*float64(n)); err != nil {
		return nil, fmt.Errorf("pursuit: %s: %w", fn, err)
	}
	g, own := mat.NewDense(n, n, nil), mat.DenseCopyOf(a)
	err = parallel.Await(ctx, float64(m)*float64(n)*float64(n), func() { g.Mul(own.T(), own) })
	if err == nil {
		lp.unit = scaleColumns(own)
		lp.lip, err = awaitSpectralBound(ctx, own)
	}
	res := &LassoResult{S: mat.NewDense(n, p, nil), Objective: make([]float64, p), Gap: make([]float64, p), Iterations: make([]int, p)}
	if err != nil {
		res.Status = ended.Interrupted
		return res, fmt.Errorf("pursuit: %s: %w with %d of %d signals left", fn, err, p, p)
	}
	lp.gram = g.RawMatrix().Data
	if set.Start != nil {
		res.S.Copy(set.Start)
		if lp.nonneg {
			res.S.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, res.S)
		}
	}
	left := make([]int, p) // the signals that have not reached the gap
	for k := range left {
		left[k] = k
	}
	lp.maxIt = min(set.MaxIterations, plain)
	left = lp.solveAll(x, left, set.Workers, res, solve)
	if rest := set.MaxIterations - lp.maxIt; rest > 0 && len(left) > 0 && !lp.isOver() {
		lp.maxIt = (rest + 1) / 2
		lp.jump(a, x, left, set.Workers, res)
		lp.maxIt = rest / 2
		left = lp.solveAll(x, left, set.Workers, res, solve)
	}
	progress.Report(set.Recorder, progress.Event{What: fn, Step: p, Total: p, Objective: res.MeanObjective()})
	if ctx.Err() != nil {
		res.Status = ended.Interrupted
		return res, fmt.Errorf("pursuit: %s: %w with %d of %d signals left", fn, ctx.Err(), len(left), p)
	}
	if len(left) > 0 {
		res.Status = ended.IterationLimit
		return res, fmt.Errorf("pursuit: %s: %w: %d of %d signals did not reach gap %g in %d iterations", fn, ended.ErrNotConverged, len(left), p, set.Tolerance, set.MaxIterations)
	}
	res.Status = ended.Converged
	return res, nil
}

// plainSweeps is the number of sweeps after which Lasso looks for a better start. (Package lewicki shows the course of
// plain sweeps, and stops them at this number.)
const plainSweeps = 300

// solveAll calls solve for the given signals of x (m×p). It starts at the coefficients in res, and updates res. It
// returns the signals whose duality gap is still above the tolerance.
func (lp *lassoProblem) solveAll(x *mat.Dense, signals []int, workers int, res *LassoResult, solve func(*lassoProblem, *lassoWork) (int, float64, float64)) (left []int) {
	const block = 16 // signals per task: large enough that scratch space is shared
	reached := make([]bool, len(signals))
	parallel.Do((len(signals)+block-1)/block, workers, func(b int) {
		w := lp.newWork()
		for i := b * block; i < min(len(signals), (b+1)*block) && !lp.isOver(); i++ {
			k := signals[i]
			mat.Col(w.x, k, x)
			mat.Col(w.s, k, res.S)
			for j := range w.c {
				w.c[j] = vector.DotInOrder(lp.cols[j*lp.m:(j+1)*lp.m], w.x)
			}
			it, obj, gap := solve(lp, w)
			reached[i] = gap <= lp.target(w, obj)
			res.S.SetCol(k, w.s)
			res.Iterations[k] += it
			res.Objective[k], res.Gap[k] = obj, gap
		}
	})
	for i, k := range signals {
		if !reached[i] {
			left = append(left, k)
		}
	}
	return left
}

// jump passes the coefficients of the given signals of x (m×p) in res to package sparseapprox as a starting point. It
// replaces them by the coefficients that the package finds, where these are better. The sweeps of the package cover a
// growing set of columns and end with a linear system for their coefficients, so a small alpha or nearly dependent
// columns do not slow them down.
func (lp *lassoProblem) jump(a, x *mat.Dense, signals []int, workers int, res *LassoResult) {
	X, S := mat.DenseCopyOf(subset.Rows(x.T(), signals).T()), mat.DenseCopyOf(subset.Rows(res.S.T(), signals).T())
	opt := &sparseapprox.Options{Method: sparseapprox.CoordinateDescent, Lambda: lp.alpha, Tolerance: lp.tol, MaxIterations: lp.maxIt, Warm: S, Workers: workers}
	if lp.nonneg {
		opt.Prior = sparseapprox.L1NonNegative
	}
	found, _ := sparseapprox.Solve(lp.ctx, a, X, opt) // what it achieved is computed again below
	if found == nil {
		return
	}
	w := lp.newWork()
	for i, k := range signals {
		mat.Col(w.x, i, X)
		mat.Col(w.s, i, found.W)
		res.Iterations[k] += found.Iterations[i]
		if obj, gap := lp.evaluate(w); obj <= res.Objective[k] {
			res.S.SetCol(k, w.s)
			res.Objective[k], res.Gap[k] = obj, gap
		}
	}
}

// isOver reports whether the context is done.
func (lp *lassoProblem) isOver() bool { return lp.ctx.Err() != nil }

func (lp *lassoProblem) newWork() *lassoWork {
	n := lp.n
	f := func(k int) []float64 { return make([]float64, k) }
	return &lassoWork{x: f(lp.m), s: f(n), q: f(n), r: f(lp.m), c: f(n), v: f(n), old: f(n), grd: f(n)}
}

// spectralBound returns an upper bound on ‖A‖₂²: ‖A‖₂² itself, up to rounding, or ‖A‖_F² if the singular value
// decomposition fails.
func spectralBound(a *mat.Dense) float64 {
	var svd mat.SVD
	if svd.Factorize(a, mat.SVDNone) {
		v := svd.Values(nil)[0]
		return v * v * (1 + 1e-12)
	}
	v := mat.Norm(a, 2)
	return v * v
}

// scaleColumns divides the columns of A by powers of two, so that their lengths become about the same. It returns the
// squares of these powers of two. If the lengths differ by no more than a factor of about 8, it leaves A as it is and
// returns nil.
func scaleColumns(A *mat.Dense) []float64 {
	_, n := A.Dims()
	e := make([]int, n)
	least, most := math.MaxInt, math.MinInt
	for j := range e {
		if norm := mat.Norm(A.ColView(j), 2); norm > 0 {
			_, e[j] = math.Frexp(norm)
			least, most = min(least, e[j]), max(most, e[j])
		}
	}
	if most-least <= 3 {
		return nil
	}
	unit := make([]float64, n)
	for j, e := range e {
		unit[j] = math.Ldexp(1, 2*e)
		c := A.ColView(j).(*mat.VecDense)
		c.ScaleVec(math.Ldexp(1, -e), c)
	}
	return unit
}

// awaitSpectralBound returns the result of spectralBound, or the error of ctx if ctx is done.
func awaitSpectralBound(ctx context.Context, a *mat.Dense) (bound float64, err error) {
	m, n := a.Dims()
	own := mat.DenseCopyOf(a) // the decomposition may go on after an error
	found := 0.0
	err = parallel.Await(ctx, 4*float64(m)*float64(n)*float64(min(m, n)), func() { found = spectralBound(own) })
	if err != nil {
		return 0, err
	}
	return found, nil
}

// evaluate recomputes r = x − A s and q = A'r from scratch, and returns the objective and the duality gap. The dual
// problem is
//
//	maximize ½‖x‖² − ½‖x − θ‖²  over |a_j'θ| <= alpha      (a_j'θ <= alpha if s >= 0)
//
// and θ is the best multiple of r that meets the constraint of the dual. The dual's value at any such θ is at most the
// objective at any s, because ½‖r‖² >= θ'r − ½‖θ‖² for r = x − A s, and θ'A s <= alpha ‖s‖₁.
func (lp *lassoProblem) evaluate(w *lassoWork) (obj, gap float64) {
	m := lp.m
	copy(w.r, w.x)
	for j, v := range w.s {
		if v != 0 {
			for i, a := range lp.cols[j*m : (j+1)*m] {
				w.r[i] -= a * v
			}
		}
	}
	var top float64
	for j := range w.q {
		t := vector.DotInOrder(lp.cols[j*m:(j+1)*m], w.r)
		w.q[j] = t
		if !lp.nonneg {
			t = math.Abs(t)
		}
		top = max(top, t)
	}
	rr, xr := vector.DotInOrder(w.r, w.r), vector.DotInOrder(w.x, w.r)
	obj = 0.5*rr + lp.alpha*norm1(w.s)
	tau := 0.0
	if rr > 0 {
		tau = max(0, xr/rr)
		if top > 0 {
			tau = min(tau, lp.alpha/top)
		}
	}
	// ½‖x‖² − ½‖x − τr‖² = τ x'r − ½τ²‖r‖²
	return obj, max(0, obj-(tau*xr-0.5*tau*tau*rr))
}

// descend runs cyclic coordinate descent on w.s until the gap is reached, and returns the number of sweeps, the
// objective and the gap. A step is
//
//	s_j <- soft(s_j G_jj + q_j, alpha)/G_jj,   q = A'(x − A s),  G = A'A
//
// where soft moves a number toward 0 by alpha, and q is kept up to date by rows of G. Between sweeps it calls the
// methods thin and polish.
func (lp *lassoProblem) descend(w *lassoWork) (it int, obj, gap float64) {
	n := lp.n
	obj, gap = lp.evaluate(w)
	for it < lp.maxIt && gap > lp.target(w, obj) && !lp.isOver() {
		// Make a few sweeps between evaluations, because an evaluation costs about as much as a dense sweep.
		for range 4 {
			it++
			moved := false
			for j := range n {
				gjj := lp.gram[j*n+j]
				if gjj == 0 {
					w.s[j] = 0
					continue
				}
				t := w.s[j]*gjj + w.q[j]
				var v float64
				switch {
				case t > lp.alpha:
					v = (t - lp.alpha) / gjj
				case t < -lp.alpha && !lp.nonneg:
					v = (t + lp.alpha) / gjj
				}
				if d := v - w.s[j]; d != 0 {
					if j%256 == 0 && lp.isOver() {
						break
					}
					w.s[j] = v
					row := lp.gram[j*n : (j+1)*n]
					for k, g := range row {
						w.q[k] -= d * g
					}
					moved = true
				}
			}
			if !moved || it >= lp.maxIt || lp.isOver() {
				break
			}
		}
		obj, gap = lp.evaluate(w)
		if gap > lp.target(w, obj) && !lp.isOver() {
			if it >= 20 && lp.thin(w) {
				obj, gap = lp.evaluate(w)
			}
			obj, gap = lp.polish(w, obj, gap)
		}
	}
	return it, obj, gap
}

// thin sets coefficients to 0 until s has at most m nonzeros, and reports whether s changed. Any m+1 columns have a
// null vector d. Along d, A s does not change; in one of the directions d and −d, ‖s‖₁ does not rise either, until a
// coefficient reaches 0. Coordinate descent cannot move along d directly, and for a small alpha it is very slow there.
// If m is above 39, thin does nothing.
func (lp *lassoProblem) thin(w *lassoWork) bool {
	changed := false
	for {
		w.sup = w.sup[:0]
		for j, v := range w.s {
			if v != 0 && len(w.sup) <= lp.m {
				w.sup = append(w.sup, j)
			}
		}
		k := len(w.sup)
		if k <= lp.m || k > 40 {
			return changed
		}
		sub := mat.NewDense(lp.m, k, nil)
		for t, j := range w.sup {
			sub.SetCol(t, lp.cols[j*lp.m:(j+1)*lp.m])
		}
		var svd mat.SVD
		if !svd.Factorize(sub, mat.SVDFullV) {
			return changed
		}
		var v mat.Dense
		svd.VTo(&v)
		d := mat.Col(nil, k-1, &v)
		var slope float64
		for t, j := range w.sup {
			slope += math.Copysign(1, w.s[j]) * d[t]
		}
		if slope > 0 {
			for t := range d {
				d[t] = -d[t]
			}
		}
		step, at := math.Inf(1), -1
		for t, j := range w.sup {
			if q := -w.s[j] / d[t]; d[t]*w.s[j] < 0 && q < step {
				step, at = q, t
			}
		}
		if at < 0 {
			return changed
		}
		for t, j := range w.sup {
			w.s[j] += step * d[t]
		}
		w.s[w.sup[at]] = 0
		changed = true
	}
}

// polish tries to jump to the optimum. For the current support J and signs σ it solves G_JJ s_J = A_J'x − alpha σ. It
// accepts the solution if its signs are σ and the objective or the gap does not rise. It returns the objective and the
// gap of the resulting s. For a small alpha, descent alone would be very slow.
func (lp *lassoProblem) polish(w *lassoWork, obj, gap float64) (float64, float64) {
	n := lp.n
	sup := w.sup[:0]
	for j, v := range w.s {
		if v != 0 {
			if sup = append(sup, j); len(sup) > lp.m || len(sup) > 100 {
				return obj, gap
			}
		}
	}
	w.sup = sup
	k := len(sup)
	if k == 0 {
		return obj, gap
	}
	if len(w.fac) < k*k {
		w.fac = make([]float64, k*k)
	}
	l, t := w.fac[:k*k], w.v[:k]
	for a, i := range sup {
		for b, j := range sup[:a+1] {
			v := lp.gram[i*n+j]
			for c := range b {
				v -= l[a*k+c] * l[b*k+c]
			}
			if a == b {
				if v <= 1e-12*lp.gram[i*n+i] {
					return obj, gap // dependent columns
				}
				l[a*k+a] = math.Sqrt(v)
			} else {
				l[a*k+b] = v / l[b*k+b]
			}
		}
		t[a] = w.c[i] - math.Copysign(lp.alpha, w.s[i])
	}
	cholSolve(k, l, t)
	for a, i := range sup {
		if t[a]*w.s[i] <= 0 {
			return obj, gap
		}
	}
	copy(w.old, w.s)
	for a, i := range sup {
		w.s[i] = t[a]
	}
	o, g := lp.evaluate(w)
	if o <= obj || g <= gap {
		return o, g
	}
	copy(w.s, w.old)
	return lp.evaluate(w)
}

// target returns the gap at which a signal is done: the tolerance times its objective, but at least 1e-15 ‖x‖²,
// because smaller gaps are only rounding.
func (lp *lassoProblem) target(w *lassoWork, obj float64) float64 {
	return max(lp.tol*obj, 1e-15*vector.DotInOrder(w.x, w.x))
}

// accelerate runs FISTA with adaptive restart on w.s, and returns the number of steps, the objective and the gap.
func (lp *lassoProblem) accelerate(w *lassoWork) (it int, obj, gap float64) {
	n := lp.n
	obj, gap = lp.evaluate(w)
	if lp.lip == 0 {
		for j := range w.s {
			w.s[j] = 0
		}
		obj, gap = lp.evaluate(w)
		return 0, obj, gap
	}
	step, thr := 1/lp.lip, lp.alpha/lp.lip
	copy(w.v, w.s)
	t := 1.0
	for it < lp.maxIt && gap > lp.target(w, obj) && !lp.isOver() {
		for range 10 {
			if lp.isOver() {
				break
			}
			it++
			copy(w.old, w.s)
			copy(w.grd, w.c)
			for j, v := range w.v {
				if v != 0 {
					for k, g := range lp.gram[j*n : (j+1)*n] {
						w.grd[k] -= v * g
					}
				}
			}
			var uphill float64
			step, thr := step, thr
			for j := range w.s {
				unit := 1.0
				if lp.unit != nil {
					unit = lp.unit[j]
					step, thr = 1/lp.lip/unit, lp.alpha/lp.lip/unit
				}
				u := w.v[j] + step*w.grd[j]
				var v float64
				switch {
				case u > thr:
					v = u - thr
				case u < -thr && !lp.nonneg:
					v = u + thr
				}
				w.s[j] = v
				uphill += unit * (w.v[j] - v) * (v - w.old[j])
			}
			if uphill > 0 {
				t = 1
			}
			tn := (1 + math.Sqrt(1+4*t*t)) / 2
			mom := (t - 1) / tn
			for j := range w.v {
				w.v[j] = w.s[j] + mom*(w.s[j]-w.old[j])
			}
			t = tn
		}
		obj, gap = lp.evaluate(w)
	}
	if it >= lp.maxIt && gap > lp.target(w, obj) {
		obj, gap = lp.polish(w, obj, gap)
	}
	return it, obj, gap
}
