package pursuit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/ui/progress"
)

// LPOptions are the options of LinearProgram. The zero value and nil mean the defaults.
type LPOptions struct {
	// Tolerance bounds the relative primal and dual residuals and the relative duality gap of the scaled problem. In the
	// scaled problem, powers of two make the largest entry of each row and column of A about 1, and b and c are divided by
	// their largest entries. At a vertex Tolerance bounds the relative error of each coefficient. 0 means 1e-9.
	Tolerance float64
	// MaxIterations bounds the predictor-corrector steps. 0 means 100, after which the simplex method continues. If you
	// set a limit, LinearProgram ends when it reaches this limit.
	MaxIterations int
	// KeepInterior returns the final point of the interior-point method instead of moving to a vertex. Rows and
	// coefficients that are much smaller than others then have few digits, and a problem whose solutions are
	// all above 1e9 (scaled) may be reported as infeasible.
	KeepInterior bool
	// Recorder receives each iteration. May be nil.
	Recorder progress.Recorder
}

// An LPStep is one interior-point iteration.
type LPStep struct {
	Primal, Dual       float64 // c'z and b'y
	PrimalRes, DualRes float64 // relative residuals ‖Az−b‖/(1+‖b‖), ‖A'y+r−c‖/(1+‖c‖)
	Mu                 float64 // average complementarity, scaled
	Tau, Kappa         float64 // homogenizing variables: κ outgrows τ if there is no solution
	Step               float64 // step length taken to get here
}

// An LPResult holds what LinearProgram found.
type LPResult struct {
	Status    ended.Status
	Z         []float64 // primal solution, n; a ray (A z = 0, z >= 0, c'z < 0) if Unbounded; 0 if Infeasible
	Y         []float64 // multipliers of A z = b, m; a Farkas certificate (A'y <= 0 < b'y) if Infeasible; 0 if Unbounded
	R         []float64 // reduced costs, n: c − A'y up to the Tolerance; −A'y if Infeasible; 0 if Unbounded
	Objective float64   // c'z; +Inf if Infeasible, −Inf if Unbounded
	// Gap is |c'z − b'y|, +Inf without a solution. If c − A'y >= 0, Objective − Gap is at most the minimum c'z*, because
	// b'y = z*'A'y <= c'z*. Rounding and the Tolerance may leave an r_j = (c − A'y)_j below 0, which moves the bound by
	// r_j z*_j.
	Gap        float64
	Iterations int
	Basic      bool  // the columns in the support of Z are linearly independent (at most m)
	Support    []int // indices of the nonzeros of Z, ascending
	History    []LPStep
}

// String returns a one-line summary.
func (r *LPResult) String() string {
	return fmt.Sprintf("linear program in %d variables: %d nonzeros, objective %.4g after %d iterations (%v)", len(r.Z), len(r.Support), r.Objective, r.Iterations, r.Status)
}

// LinearProgram minimizes c'z over A z = b, z >= 0, with A m×n, by Mehrotra's predictor-corrector method on the
// homogeneous self-dual embedding of the primal and the dual. It then moves to a vertex of the optimal face, so that
// at most m entries of Z are nonzero. It continues with the simplex method (vertex.go) in three cases: the reduced
// costs do not prove the vertex optimal; a row or a coefficient has too few correct digits because other rows or
// coefficients are much larger; or the interior-point method ends without a proof.
//
// If the problem is infeasible or unbounded, Status says so and the error is nil. If primal and dual are both
// infeasible, Status is Infeasible. LinearProgram returns an error if the data have NaN or Inf or are beyond the range
// of float64, if ctx is done, or if the method does not converge. In the last case the error wraps
// ended.ErrNotConverged, and the result holds the last iterate. No result has a NaN in Z, Y or R. LinearProgram panics
// if lengths do not match.
//
// Rows of A may be dependent; the problem is then reduced to independent equations. A contradiction between dependent
// equations counts as rounding if it is at most Tolerance, relative to their terms.
//
// Source: S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2 (1992);
// embedding: X. Xu, P.-F. Hung and Y. Ye, A simplified homogeneous and self-dual linear programming algorithm, Ann.
// Oper. Res. 62 (1996).
func LinearProgram(ctx context.Context, c []float64, a mat.Matrix, b []float64, opt *LPOptions) (*LPResult, error) {
	m, n := dims("LinearProgram", "A", a)
	if len(c) != n || len(b) != m {
		panic(fmt.Sprintf("pursuit: LinearProgram: A is %d×%d, c has %d and b has %d entries", m, n, len(c), len(b)))
	}
	if err := checkMatrix("LinearProgram", "A", a); err != nil {
		return nil, err
	}
	if err := checkVector("LinearProgram", "c", c); err != nil {
		return nil, err
	}
	if err := checkVector("LinearProgram", "b", b); err != nil {
		return nil, err
	}
	var set LPOptions
	if opt != nil {
		set = *opt
	}
	if err := checkLimits("LinearProgram", &set.Tolerance, &set.MaxIterations, 1e-9, 100); err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	p := newLP(c, a, b)
	p.ctx = ctx
	if i := finite.Index(p.b); i >= 0 {
		return nil, fmt.Errorf("pursuit: LinearProgram: b[%d] is %g, too large beside row %d of A: scale b", i, b[i], i)
	}
	if j := finite.Index(p.c); j >= 0 {
		return nil, fmt.Errorf("pursuit: LinearProgram: c[%d] is %g, too large beside column %d of A: scale c", j, c[j], j)
	}
	res, err := p.solve(&set)
	if !set.KeepInterior && !(res.Status == ended.IterationLimit && opt != nil && opt.MaxIterations > 0) {
		err = p.finish(res, err, set.Tolerance)
	}
	if at := finite.Index(slices.Concat(res.Z, res.Y, res.R)); at >= 0 {
		res.noSolution(math.Inf(1), res.Z, res.Y, res.R)
		res.Status = ended.Failed
		err = cmp.Or(err, errors.New("pursuit: LinearProgram: the solution is beyond the range of float64: scale A, b or c"))
	}
	res.Support = res.Support[:0]
	for j, v := range res.Z {
		if v != 0 {
			res.Support = append(res.Support, j)
		}
	}
	return res, err
}

// lp holds the problem, with A stored by columns. The problem is scaled, so that tolerances mean the same for data of
// any size and for every row and column of A:
//
//	A <- diag(rows) A diag(cols),  b <- diag(rows) b / bs,  c <- diag(cols) c / cs,
//	z = bs diag(cols) z',  y = cs diag(rows) y',  r = cs diag(cols)⁻¹ r'.
//
// Here z', y' and r' are the solution of the scaled problem, and z, y and r that of the original problem.
type lp struct {
	ctx        context.Context
	m, n       int
	col        []float64 // column j is col[j*m:(j+1)*m]
	b, c       []float64
	rhs        []float64  // b before fullRank was called
	u          *mat.Dense // from fullRank: m×rank, or nil
	end        *embedding // the point where the method follow ended; nil if fullRank found the answer
	bs, cs     float64
	rows, cols []float64 // powers of two; rows has one for each row that A had before fullRank

	// The same problem without rounding, for the simplex method: A as it was before fullRank, and b and c
	// after division by powers of two.
	whole, sides, costs []float64
	sideExp, costExp    int
}

func newLP(c []float64, a mat.Matrix, b []float64) *lp {
	m, n := a.Dims()
	p := &lp{m: m, n: n, col: make([]float64, m*n), b: slices.Clone(b), c: slices.Clone(c)}
	for j := range n {
		for i := range m {
			p.col[j*m+i] = a.At(i, j)
		}
	}
	p.equilibrate()
	p.whole = p.col
	p.sides, p.sideExp = halved(p.b)
	p.costs, p.costExp = halved(p.c)
	p.bs, p.cs = 1, 1
	if v := normInf(p.b); v > 0 {
		p.bs = v
	}
	if v := normInf(p.c); v > 0 {
		p.cs = v
	}
	for i := range p.b {
		p.b[i] /= p.bs
	}
	for j := range p.c {
		p.c[j] /= p.cs
	}
	p.rhs = p.b
	return p
}

// halved returns x divided by 2^e, and e, where 2^e is the power of two just above the largest absolute entry of x.
func halved(x []float64) ([]float64, int) {
	_, e := math.Frexp(normInf(x))
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Ldexp(v, -e)
	}
	return out, e
}

// balanced is the limit above which a matrix is scaled: a matrix is left unscaled if the largest entries of its rows
// and columns, and the inverses of these entries, do not exceed this limit.
const balanced = 64

// equilibrate scales the rows and columns of A, and b and c with them, until the largest entry of every row and column
// of A is between ¼ and 2. Rows and columns of zeros do not change, and nothing changes if A needs no scaling (see
// balanced). Without scaling, even a large relative error in a row with small entries would be within the tolerance.
//
// Source: D. Ruiz, A scaling algorithm to equilibrate both rows and columns norms in matrices, RAL-TR-2001-034.
func (p *lp) equilibrate() {
	m := p.m
	p.rows, p.cols = ones(m), ones(p.n)
	top := func() (rows, cols []float64) { // the largest entries
		rows, cols = make([]float64, m), make([]float64, p.n)
		for j := range p.n {
			for i, v := range p.column(j) {
				rows[i], cols[j] = max(rows[i], math.Abs(v)), max(cols[j], math.Abs(v))
			}
		}
		return rows, cols
	}
	rows, cols := top()
	if !slices.ContainsFunc(slices.Concat(rows, cols), func(v float64) bool { return v > balanced || v > 0 && v < 1.0/balanced }) {
		return
	}
	// half returns the exponent of a power of two close to 1/√v.
	half := func(v float64) int {
		if v == 0 {
			return 0
		}
		_, e := math.Frexp(v)
		return -e / 2
	}
	for range 40 { // an exponent of a thousand is halved ten times
		rows, cols := top()
		moved := false
		for i, v := range rows {
			if e := half(v); e != 0 {
				moved = true
				p.rows[i], p.b[i] = math.Ldexp(p.rows[i], e), math.Ldexp(p.b[i], e)
				for j := range p.n {
					p.col[j*m+i] = math.Ldexp(p.col[j*m+i], e)
				}
			}
		}
		for j, v := range cols {
			if e := half(v); e != 0 {
				moved = true
				p.cols[j], p.c[j] = math.Ldexp(p.cols[j], e), math.Ldexp(p.c[j], e)
				for i := range m {
					p.col[j*m+i] = math.Ldexp(p.col[j*m+i], e)
				}
			}
		}
		if !moved {
			return
		}
	}
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// isOver reports whether the context is done.
func (p *lp) isOver() bool { return p.ctx.Err() != nil }

func (p *lp) column(j int) []float64 { return p.col[j*p.m : (j+1)*p.m] }

// mulA returns A z; mulAT returns A'y.
func (p *lp) mulA(z []float64) []float64 {
	out := make([]float64, p.m)
	for j, v := range z {
		if v != 0 {
			for i, a := range p.column(j) {
				out[i] += a * v
			}
		}
	}
	return out
}

func (p *lp) mulAT(y []float64) []float64 {
	out := make([]float64, p.n)
	for j := range out {
		out[j] = vector.DotInOrder(p.column(j), y)
	}
	return out
}

// factorNormal stores in l (m×m) the Cholesky factor L of A diag(d) A' = L L'. It replaces vanishing pivots, which
// belong to dependent rows, by a huge number, so that the multipliers of these rows become zero. If the context is
// done, L is unfinished.
func (p *lp) factorNormal(d, l []float64) {
	m := p.m
	for i := range l {
		l[i] = 0
	}
	for j := range p.n {
		if p.isOver() {
			return
		}
		aj := p.column(j)
		for i := range m {
			t := d[j] * aj[i]
			if t == 0 {
				continue
			}
			for k := 0; k <= i; k++ {
				l[i*m+k] += t * aj[k]
			}
		}
	}
	var big float64
	for i := range m {
		big = max(big, l[i*m+i])
	}
	for k := range m {
		if p.isOver() {
			return
		}
		piv := l[k*m+k]
		for t := range k {
			piv -= l[k*m+t] * l[k*m+t]
		}
		if piv <= 1e-13*big || !(piv > 0) {
			// A dependent row: a huge pivot makes its multiplier zero.
			piv = 1e64
		}
		piv = math.Sqrt(piv)
		l[k*m+k] = piv
		for i := k + 1; i < m; i++ {
			v := l[i*m+k]
			for t := range k {
				v -= l[i*m+t] * l[k*m+t]
			}
			l[i*m+k] = v / piv
		}
	}
}

func cholSolve(m int, l, x []float64) {
	for i := range m {
		v := x[i]
		for k := range i {
			v -= l[i*m+k] * x[k]
		}
		x[i] = v / l[i*m+i]
	}
	for i := m - 1; i >= 0; i-- {
		v := x[i]
		for k := i + 1; k < m; k++ {
			v -= l[k*m+i] * x[k]
		}
		x[i] = v / l[i*m+i]
	}
}

// maxStep returns the largest t with x + t dx >= 0; it is +Inf if no entry of dx is negative.
func maxStep(x, dx []float64) float64 {
	t := math.Inf(1)
	for i, d := range dx {
		if d < 0 {
			t = min(t, -x[i]/d)
		}
	}
	return t
}

// fullRank replaces A z = b by U'A z = U'b if A has dependent rows, where U (m×rank) holds the left singular vectors
// of A. It returns U, or nil if A has full rank. If b is outside A's range, or A is zero, it returns a nil u and a
// non-nil e. This e is a certificate that there is no solution (A'e = 0, b'e > 0), except if A and b are both
// zero.
func (p *lp) fullRank() (u *mat.Dense, e []float64) {
	m := p.m
	a := mat.NewDense(p.n, m, p.col).T()
	var svd mat.SVD
	found := false
	err := parallel.Await(p.ctx, 10*float64(m)*float64(p.n)*float64(min(m, p.n)), func() {
		found = svd.Factorize(a, mat.SVDThinU)
	})
	if err != nil || !found {
		return nil, nil
	}
	sv := svd.Values(nil)
	rank := 0
	for _, v := range sv {
		if v > 1e-11*sv[0] {
			rank++
		}
	}
	if rank == m {
		return nil, nil
	}
	var full mat.Dense
	svd.UTo(&full)
	e = slices.Clone(p.b)
	if rank > 0 {
		u = mat.DenseCopyOf(full.Slice(0, m, 0, rank))
		for k := range rank {
			uk := mat.Col(nil, k, u)
			t := vector.DotInOrder(uk, p.b)
			for i := range e {
				e[i] -= t * uk[i]
			}
		}
	}
	if normInf(e) > 1e-8 || rank == 0 {
		return nil, e
	}
	b := make([]float64, rank)
	mat.NewVecDense(rank, b).MulVec(u.T(), mat.NewVecDense(m, p.b))
	var at mat.Dense // n×rank: the columns of U'A one after the other
	at.Mul(a.T(), u)
	p.m, p.b, p.col = rank, b, at.RawMatrix().Data
	return u, nil
}

// solve removes dependent rows, and then follows the central path of the homogeneous self-dual embedding
//
//	A z = b τ,  A'y + r = c τ,  b'y − c'z = κ,  z, r, τ, κ >= 0.
//
// A solution with τ > 0 gives the optimum (z, y, r)/τ. A solution with κ > 0 is a certificate that there is no
// optimum, so infeasible problems converge too.
func (p *lp) solve(set *LPOptions) (*LPResult, error) {
	var e []float64
	if p.u, e = p.fullRank(); e != nil {
		return p.outsideRange(e), nil
	}
	return p.follow(set)
}

// follow does the work of solve, for an A of full rank.
func (p *lp) follow(set *LPOptions) (*LPResult, error) {
	res := &LPResult{}
	h, stuck := newEmbedding(p), false
	p.end = h
	for it := 0; ; it++ {
		h.measure()
		scale := p.bs * p.cs
		res.History = append(res.History, LPStep{h.cz / h.tau * scale, h.by / h.tau * scale, h.primalError, h.dualError, h.mu, h.tau, h.kappa, h.step})
		progress.Report(set.Recorder, progress.Event{What: "linear program", Step: it, Total: set.MaxIterations, Objective: h.cz / h.tau * scale})
		if st := h.status(set.Tolerance); st != ended.Unknown {
			h.finish(res, st, it)
			if st == ended.Unbounded {
				return p.checkFeasible(set, res)
			}
			return res, nil
		}
		if it == set.MaxIterations || stuck || it > 5 && h.step < 1e-10 {
			st := ended.IterationLimit
			if it < set.MaxIterations {
				st = ended.NoProgress
			}
			h.finish(res, st, it)
			return res, fmt.Errorf("pursuit: LinearProgram: %w: %v after %d iterations (residuals %.2g, %.2g, gap %.2g)",
				ended.ErrNotConverged, st, it, h.primalError, h.dualError, h.gapError)
		}
		if !p.isOver() {
			h.factor()
		}
		if p.isOver() {
			h.finish(res, ended.Interrupted, it)
			return res, fmt.Errorf("pursuit: LinearProgram: %w", p.ctx.Err())
		}
		stuck = !h.advance()
	}
}

// checkFeasible is called when res holds a ray along which the cost falls. The problem is then unbounded if any point
// meets the constraints, and infeasible otherwise. checkFeasible decides this by solving the problem with cost 0, whose
// cost falls along no ray.
func (p *lp) checkFeasible(set *LPOptions, res *LPResult) (*LPResult, error) {
	if normInf(p.c) == 0 {
		return res, nil
	}
	free, quiet := *p, *set
	free.c, quiet.Recorder = make([]float64, p.n), nil
	r, err := free.follow(&quiet)
	r.History = append(res.History, r.History...)
	r.Iterations += res.Iterations
	if err != nil || r.Status == ended.Infeasible {
		return r, err
	}
	res.Iterations, res.History = r.Iterations, r.History
	return res, nil
}

// outsideRange returns the result for a problem for which fullRank returned the certificate e. If b is not 0, the
// problem is infeasible. If A and b are both 0, z = 0 is optimal, or the problem is unbounded because a cost is
// negative.
func (p *lp) outsideRange(e []float64) *LPResult {
	res := &LPResult{Z: make([]float64, p.n), Y: e, R: slices.Clone(p.c)}
	for i, v := range p.rows {
		res.Y[i] *= v
	}
	for j, v := range p.cols { // A'y = 0
		res.R[j] *= p.cs / v
	}
	switch {
	case normInf(p.rhs) > 0:
		res.Status = ended.Infeasible
		clear(res.R) // A'y = 0
		res.noSolution(math.Inf(1))
	case slices.Min(p.c) < 0: // A = 0 and b = 0: z = 0 is optimal unless there is a negative cost
		res.Status = ended.Unbounded
		res.Z[slices.Index(p.c, slices.Min(p.c))] = 1
		res.noSolution(math.Inf(-1), res.Y, res.R)
	default:
		res.Status = ended.Converged
	}
	return res
}

// An embedding is the current point of the method follow, near the central path, with the quantities that a step
// needs.
type embedding struct {
	*lp
	z, r, y    []float64 // n, n, m
	tau, kappa float64
	step       float64 // length of the last step

	// Set by a call to measure: how far the point is from solving the equations of the embedding.
	rp, rd   []float64 // b τ − A z and c τ − A'y − r
	rg       float64   // c'z − b'y + κ
	mu       float64   // (z'r + τκ)/(n+1)
	cz, by   float64   // c'z and b'y
	az, atyr float64   // ‖A z‖ and ‖A'y + r‖, largest entries
	// Relative errors of (z, y, r)/τ.
	primalError, dualError, gapError float64

	// Set by factor: shared by both directions of a step.
	d, l   []float64 // z/r (n), and the factor of A diag(d) A' (m×m)
	qz, qy []float64 // the part of a direction that is multiplied by dτ
	den    float64
}

func newEmbedding(p *lp) *embedding {
	m, n := p.m, p.n
	h := &embedding{lp: p, z: make([]float64, n), r: make([]float64, n), y: make([]float64, m), tau: 1, kappa: 1,
		d: make([]float64, n), l: make([]float64, m*m)}
	for j := range h.z {
		h.z[j], h.r[j] = 1, 1
	}
	return h
}

// measure computes the residuals and errors of the point.
func (h *embedding) measure() {
	h.rp = h.mulA(h.z)
	h.az = normInf(h.rp)
	for i := range h.rp {
		h.rp[i] = h.b[i]*h.tau - h.rp[i]
	}
	aty := h.mulAT(h.y)
	h.rd, h.atyr = make([]float64, h.n), 0
	for j := range h.rd {
		h.atyr = max(h.atyr, math.Abs(aty[j]+h.r[j]))
		h.rd[j] = h.c[j]*h.tau - aty[j] - h.r[j]
	}
	h.cz, h.by = vector.DotInOrder(h.c, h.z), vector.DotInOrder(h.b, h.y)
	h.rg = h.cz - h.by + h.kappa
	h.mu = (vector.DotInOrder(h.z, h.r) + h.tau*h.kappa) / float64(h.n+1)
	h.primalError = normInf(h.rp) / h.tau / (1 + normInf(h.b))
	h.dualError = normInf(h.rd) / h.tau / (1 + normInf(h.c))
	h.gapError = math.Abs(h.cz-h.by) / (h.tau + math.Abs(h.cz))
}

// status returns the status that the point proves: Converged, Infeasible or Unbounded. It returns Unknown if the point
// proves nothing yet.
func (h *embedding) status(tol float64) ended.Status {
	switch {
	case h.primalError <= tol && h.dualError <= tol && h.gapError <= tol:
		return ended.Converged
	case h.by > 0 && h.atyr <= 1e-9*h.by && h.kappa > h.tau: // Farkas: A'y = −r <= 0 and b'y > 0
		return ended.Infeasible
	case h.cz < 0 && h.az <= -1e-9*h.cz && h.kappa > h.tau: // A z = 0, z >= 0, c'z < 0
		return ended.Unbounded
	}
	return ended.Unknown
}

// finish stores the point, its status st and the number of iterations in res, in the units of the original problem.
func (h *embedding) finish(res *LPResult, st ended.Status, it int) {
	res.Status, res.Iterations = st, it
	t := h.tau
	if st == ended.Infeasible || st == ended.Unbounded {
		t = 1 // a certificate is a direction
	}
	res.Z, res.R = make([]float64, h.n), make([]float64, h.n)
	for j := range h.z {
		res.Z[j], res.R[j] = h.z[j]/t*h.bs*h.cols[j], h.r[j]/t*h.cs/h.cols[j]
	}
	res.Y = make([]float64, h.m)
	for i := range h.y {
		res.Y[i] = h.y[i] / t * h.cs
	}
	if h.u != nil {
		back := mat.NewVecDense(len(h.rhs), nil)
		back.MulVec(h.u, mat.NewVecDense(h.m, res.Y))
		res.Y = back.RawVector().Data
	}
	for i, v := range h.rows {
		res.Y[i] *= v
	}
	primal, dual := vector.DotInOrder(h.c, h.z)/t, vector.DotInOrder(h.b, h.y)/t
	res.Objective = primal * h.bs * h.cs
	res.Gap = math.Abs(primal-dual) * h.bs * h.cs
	switch st {
	case ended.Infeasible:
		res.noSolution(math.Inf(1), res.Z)
	case ended.Unbounded:
		res.noSolution(math.Inf(-1), res.Y, res.R)
	}
}

// prices returns y/τ, the multipliers of the equations A z = b, in the scaled problem.
func (h *embedding) prices() []float64 {
	y := slices.Clone(h.y)
	for i := range y {
		y[i] /= h.tau
	}
	return y
}

// support returns the numbers j of the columns with z_j > r_j, the largest z_j first.
func (h *embedding) support() []int {
	var sup []int
	for j, z := range h.z {
		if z > h.r[j] {
			sup = append(sup, j)
		}
	}
	slices.SortStableFunc(sup, func(i, j int) int { return cmp.Compare(h.z[j], h.z[i]) })
	return sup
}

// noSolution sets the objective, makes the gap infinite, and fills the given vectors of r with zeros. A certificate,
// if there is one, is in the other vectors.
func (r *LPResult) noSolution(objective float64, meaningless ...[]float64) {
	r.Objective, r.Gap = objective, math.Inf(1)
	for _, x := range meaningless {
		clear(x)
	}
}

// advance takes one step from the current point. factor must have been called at this point. The step is
// that of Mehrotra's corrector; the step length that his predictor allows determines how closely the step aims at the
// central path. If rounding makes the step NaN or infinite, advance returns false, and the point does not move.
func (h *embedding) advance() bool {
	rc := make([]float64, h.n)
	for j := range rc {
		rc[j] = -h.z[j] * h.r[j]
	}
	affine := h.newton(1, rc, -h.tau*h.kappa)
	reach := min(1, h.length(&affine))
	gamma := (1 - reach) * (1 - reach) * min(1-reach, 0.3)
	gamma = max(gamma, 1e-8)
	for j := range rc {
		rc[j] = gamma*h.mu - h.z[j]*h.r[j] - affine.z[j]*affine.r[j]
	}
	to := h.newton(1-gamma, rc, gamma*h.mu-h.tau*h.kappa-affine.tau*affine.kappa)
	h.step = min(1, 0.9995*h.length(&to))
	for _, x := range [][]float64{to.z, to.r, to.y, {to.tau, to.kappa, h.step}} {
		if finite.Index(x) >= 0 {
			return false
		}
	}
	for j := range h.z {
		h.z[j] += h.step * to.z[j]
		h.r[j] += h.step * to.r[j]
	}
	for i := range h.y {
		h.y[i] += h.step * to.y[i]
	}
	h.tau += h.step * to.tau
	h.kappa += h.step * to.kappa
	return true
}

// factor factors the normal equations at the current point, and computes qz and qy, the parts that all directions from
// this point share: a direction that changes τ by dτ has the z and y parts (pz, py) + dτ (qz, qy), and only pz, py and
// dτ depend on the right-hand side.
func (h *embedding) factor() {
	for j := range h.d {
		h.d[j] = h.z[j] / h.r[j]
	}
	h.factorNormal(h.d, h.l)
	t := make([]float64, h.n)
	for j := range t {
		t[j] = h.d[j] * h.c[j]
	}
	h.qy = h.mulA(t)
	for i := range h.qy {
		h.qy[i] += h.b[i]
	}
	cholSolve(h.m, h.l, h.qy)
	h.qz = h.mulAT(h.qy)
	for j := range h.qz {
		h.qz[j] = h.d[j] * (h.qz[j] - h.c[j])
	}
	h.den = vector.DotInOrder(h.b, h.qy) - vector.DotInOrder(h.c, h.qz) + h.kappa/h.tau
}

// A direction is a change of all variables of an embedding.
type direction struct {
	z, y, r    []float64
	tau, kappa float64
}

// newton returns the direction in which a full step, to first order, reduces the residuals by the share eta, and
// changes each product z_j r_j by rc[j] and τκ by rct.
func (h *embedding) newton(eta float64, rc []float64, rct float64) direction {
	t := make([]float64, h.n)
	for j := range t {
		t[j] = h.d[j] * (eta*h.rd[j] - rc[j]/h.z[j])
	}
	dy := h.mulA(t)
	for i := range dy {
		dy[i] += eta * h.rp[i]
	}
	cholSolve(h.m, h.l, dy)
	dz := h.mulAT(dy)
	for j := range dz {
		dz[j] = h.d[j] * (dz[j] - eta*h.rd[j] + rc[j]/h.z[j])
	}
	dt := (eta*h.rg + vector.DotInOrder(h.c, dz) - vector.DotInOrder(h.b, dy) + rct/h.tau) / h.den
	dr := make([]float64, h.n)
	for j := range dz {
		dz[j] += dt * h.qz[j]
		dr[j] = (rc[j] - h.r[j]*dz[j]) / h.z[j]
	}
	for i := range dy {
		dy[i] += dt * h.qy[i]
	}
	return direction{dz, dy, dr, dt, (rct - h.kappa*dt) / h.tau}
}

// length returns the largest step in the given direction for which z, r, τ and κ are still >= 0.
func (h *embedding) length(to *direction) float64 {
	a := min(maxStep(h.z, to.z), maxStep(h.r, to.r))
	if to.tau < 0 {
		a = min(a, -h.tau/to.tau)
	}
	if to.kappa < 0 {
		a = min(a, -h.kappa/to.kappa)
	}
	return a
}

// crossover moves the interior solution in res to a vertex of the optimal face. It begins with the columns whose z
// exceeds their reduced cost (both scaled); by strict complementarity these are the columns that the optimal face
// uses. While these columns are dependent, crossover moves z along a null vector d until an entry of z vanishes
// (Carathéodory). On the optimal face, this does not change the cost. Finally it solves for the remaining entries.
//
// crossover keeps the interior solution in three cases: the vertex does not reproduce b to 1e-9; it costs more than the
// interior solution; or the context is done. It returns the support, and whether the vertex is proved optimal and each
// coefficient is accurate relative to its own size.
func (p *lp) crossover(res *LPResult, tolerance float64) (sup []int, exact bool) {
	m := p.m
	z := make([]float64, p.n)
	for j := range z {
		v := res.Z[j] / p.bs / p.cols[j]
		if v > res.R[j]/p.cs*p.cols[j] {
			z[j] = v
			sup = append(sup, j)
		}
	}
	for len(sup) > 0 {
		// If there are more than m columns, the m+1 with the smallest coefficients are enough to find a
		// dependence.
		slices.SortFunc(sup, func(i, j int) int {
			if z[i] != z[j] {
				if z[i] < z[j] {
					return -1
				}
				return 1
			}
			return i - j
		})
		k := min(len(sup), m+1)
		d := p.nullVector(sup[:k])
		if p.isOver() {
			return
		}
		if d == nil {
			break
		}
		var cd float64
		for t, j := range sup[:k] {
			cd += p.c[j] * d[t]
		}
		if cd > 0 {
			for t := range d {
				d[t] = -d[t]
			}
		}
		step, at := math.Inf(1), -1
		for t, j := range sup[:k] {
			if d[t] < 0 && -z[j]/d[t] < step {
				step, at = -z[j]/d[t], t
			}
		}
		if at < 0 {
			// cd was 0 up to rounding, and its sign was wrong: the step would go outward.
			for t, j := range sup[:k] {
				d[t] = -d[t]
				if d[t] < 0 && -z[j]/d[t] < step {
					step, at = -z[j]/d[t], t
				}
			}
		}
		for t, j := range sup[:k] {
			z[j] += step * d[t]
		}
		z[sup[at]] = 0
		sup = slices.Delete(sup, at, at+1)
	}
	if len(sup) > 0 {
		as := mat.NewDense(m, len(sup), nil)
		for t, j := range sup {
			as.SetCol(t, p.column(j))
		}
		var v mat.VecDense
		var failure error
		err := parallel.Await(p.ctx, float64(m)*float64(m)*float64(len(sup)), func() {
			failure = v.SolveVec(as, mat.NewVecDense(m, p.b))
		})
		if err != nil || failure != nil {
			return sup, false
		}
		for t, j := range sup {
			z[j] = v.AtVec(t)
			if z[j] < -1e-9 {
				return sup, false
			}
			if z[j] < 1e-13 {
				z[j] = 0
			}
		}
	}
	az := p.mulA(z)
	for i := range az {
		if math.Abs(az[i]-p.b[i]) > 1e-9 {
			return sup, false
		}
	}
	if obj := vector.DotInOrder(p.c, z) * p.bs * p.cs; obj > res.Objective+1e-8*(p.bs*p.cs+math.Abs(res.Objective)) {
		return sup, false
	}
	res.Objective = vector.DotInOrder(p.c, z) * p.bs * p.cs
	for j := range z {
		res.Z[j] = z[j] * p.bs * p.cols[j]
	}
	var by float64
	for i, v := range p.rhs {
		by += v / p.rows[i] * res.Y[i]
	}
	res.Gap = math.Abs(res.Objective - by*p.bs)
	res.Basic = true
	return sup, p.isOptimal(z) && p.isExact(z, sup, tolerance)
}

// relative is the tolerance of isOptimal: the largest violation of A'y <= c and of c'z = b'y, relative to the
// terms of each.
const relative = 1e-8

// isOptimal reports whether the multipliers of the interior-point method prove that the vertex z (scaled) is optimal.
// They may not prove it even if the method has converged, because its tolerance is relative to the largest cost. If
// costs differ by many orders of magnitude, a vertex of cheap columns may cost several times as much as the best
// vertex.
func (p *lp) isOptimal(z []float64) bool {
	if p.end == nil { // A = 0
		return true
	}
	y := p.end.prices()
	gap, terms := 0.0, 0.0
	for i, v := range y {
		gap -= p.b[i] * v
		terms += math.Abs(p.b[i] * v)
	}
	for j, v := range z {
		c := p.c[j]
		gap += c * v
		terms += math.Abs(c * v)
		a := p.column(j)
		below, size := vector.DotInOrder(a, y)-c, math.Abs(c)
		for i, v := range a {
			size += math.Abs(v * y[i])
		}
		if below > relative*size {
			return false
		}
	}
	return math.Abs(gap) <= relative*terms
}

// isExact reports whether the vertex z with the support sup meets each row of A z = b up to rounding of the terms of
// that row, and whether the error of each coefficient, relative to the coefficient, is within the tolerance.
func (p *lp) isExact(z []float64, sup []int, tolerance float64) bool {
	m := len(p.rows)
	rest, terms := make([]twofold, m), make([]float64, m)
	for i, v := range p.sides {
		rest[i].hi, terms[i] = v, math.Abs(v)
	}
	as := mat.NewDense(m, max(1, len(sup)), nil)
	x := make([]float64, len(sup))
	for t, j := range sup {
		x[t] = math.Ldexp(z[j]*p.bs, -p.sideExp)
		a := p.whole[j*m : (j+1)*m]
		as.SetCol(t, a)
		for i, v := range a {
			rest[i] = rest[i].plusProduct(-v, twofold{hi: x[t]})
			terms[i] += math.Abs(v * x[t])
		}
	}
	left := make([]float64, m)
	for i, v := range rest {
		left[i] = v.hi
	}
	if len(sup) > 0 {
		var d mat.VecDense // what x lacks
		var failure error
		err := parallel.Await(p.ctx, float64(m)*float64(m)*float64(len(sup)), func() {
			failure = d.SolveVec(as, mat.NewVecDense(m, slices.Clone(left)))
		})
		if err != nil || failure != nil {
			return false
		}
		for t, v := range x {
			if !(math.Abs(d.AtVec(t)) <= tolerance*v) && v != 0 {
				return false
			}
		}
	}
	floor := 1e-15 * normInf(terms)
	for i, v := range left {
		if math.Abs(v) > 1e-13*terms[i]+floor {
			return false
		}
	}
	return true
}

// isProof reports whether A'y <= 0 < b'y holds by more than rounding. If so, this proves that the problem is
// infeasible. y is in the units of the original problem.
func (p *lp) isProof(y []float64) bool {
	m := len(p.rows)
	by, terms := 0.0, 0.0
	for i, v := range p.sides {
		by += v * y[i] / p.rows[i]
		terms += math.Abs(v * y[i] / p.rows[i])
	}
	for j := range p.n {
		var aty twofold
		for i, v := range p.whole[j*m : (j+1)*m] {
			aty = aty.plusProduct(v, twofold{hi: y[i] / p.rows[i]})
		}
		if aty.hi > 0 {
			return false
		}
	}
	return by > 1e-12*terms
}

// finish completes res, which solve returned with the error err. It does nothing if solve was interrupted. It moves an
// optimal solution to a vertex by crossover. It continues with the simplex method unless the vertex is exact or isProof
// confirms that the problem is infeasible. It returns err if the simplex method is not needed or has no result, the
// context's error if the context is done, and otherwise nil.
func (p *lp) finish(res *LPResult, err error, tolerance float64) error {
	var sup []int // where the simplex method begins
	exact := false
	switch {
	case res.Status == ended.Interrupted:
		return err
	case res.Status == ended.Converged:
		sup, exact = p.crossover(res, tolerance)
	case res.Status == ended.Infeasible:
		exact = p.isProof(res.Y)
	case p.end != nil:
		sup = p.end.support()
	}
	if exact {
		return err
	}
	v := p.simplex(sup, tolerance)
	switch {
	case v == nil && p.isOver():
		res.Status = ended.Interrupted
		return fmt.Errorf("pursuit: LinearProgram: %w", p.ctx.Err())
	case v == nil:
		return err
	case v.status != ended.Unbounded || res.Status != ended.Unbounded: // else the ray of solve will do
		p.take(res, v)
	}
	return nil
}

// take stores the result v of the simplex method in res, in the units of the original problem. It keeps the iterations
// and the history of res.
func (p *lp) take(res *LPResult, v *corner) {
	*res = LPResult{Status: v.status, Z: v.z, Y: v.y, R: v.r, Iterations: res.Iterations, Basic: v.status == ended.Converged, History: res.History}
	b, c := p.sideExp, p.costExp
	switch v.status {
	case ended.Infeasible:
		res.noSolution(math.Inf(1))
		c = 0
	case ended.Unbounded:
		res.noSolution(math.Inf(-1))
		b = 0
	default:
		primal, dual := vector.DotInOrder(p.costs, v.z), vector.DotInOrder(p.sides, v.y)
		res.Objective, res.Gap = math.Ldexp(primal, b+c), math.Ldexp(math.Abs(primal-dual), b+c)
	}
	for j, s := range p.cols {
		res.Z[j], res.R[j] = math.Ldexp(v.z[j], b)*s, math.Ldexp(v.r[j], c)/s
	}
	for i, s := range p.rows {
		res.Y[i] = math.Ldexp(v.y[i], c) * s
	}
}

// nullVector returns a nonzero d with A_sup d = 0, where A_sup holds the columns of A whose indices are in sup. It
// returns nil if these columns are independent, or if the context is done.
func (p *lp) nullVector(sup []int) []float64 {
	m, k := p.m, len(sup)
	as := mat.NewDense(m, k, nil)
	for t, j := range sup {
		as.SetCol(t, p.column(j))
	}
	var svd mat.SVD
	found := false
	err := parallel.Await(p.ctx, 20*float64(m)*float64(k)*float64(k), func() {
		found = svd.Factorize(as, mat.SVDFullV)
	})
	if err != nil || !found {
		return nil
	}
	sv := svd.Values(nil)
	if k <= m && sv[len(sv)-1] > 1e-10*sv[0] {
		return nil
	}
	var v mat.Dense
	svd.VTo(&v)
	return mat.Col(nil, k-1, &v)
}
