package sparse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/progress"
)

// LPOptions controls LinearProgram. The zero value and nil mean the defaults.
type LPOptions struct {
	// Tolerance bounds the relative primal and dual residuals and the relative
	// duality gap. 0 means 1e-9.
	Tolerance float64
	// MaxIterations bounds the predictor-corrector steps. 0 means 100.
	MaxIterations int
	// KeepInterior leaves the solution where the interior-point method ended
	// instead of walking to a vertex.
	KeepInterior bool
	// Recorder is told of each iteration. nil means nobody is.
	Recorder progress.Recorder
}

// LPStep is one interior-point iteration.
type LPStep struct {
	Primal, Dual       float64 // c'z and b'y
	PrimalRes, DualRes float64 // relative residuals ‖Az−b‖/(1+‖b‖), ‖A'y+r−c‖/(1+‖c‖)
	Mu                 float64 // average complementarity, scaled
	Tau, Kappa         float64 // homogenising variables: κ outgrows τ if there is no solution
	Step               float64 // step length taken to get here
}

// LPResult is what LinearProgram found.
type LPResult struct {
	Status     ended.Status
	Z          []float64 // primal solution, n
	Y          []float64 // multipliers of A z = b, m; a Farkas certificate if Infeasible
	R          []float64 // reduced costs c − A'y, n
	Objective  float64   // c'z
	Gap        float64   // |c'z − b'y|
	Iterations int
	Basic      bool  // Z has linearly independent columns in its support (at most m)
	Support    []int // indices of the nonzeros of Z, ascending
	History    []LPStep
}

// LinearProgram minimises c'z over A z = b, z >= 0, with A m×n, by Mehrotra's
// predictor-corrector method on the homogeneous self-dual embedding of the
// primal and the dual, and then walks to a vertex of the optimal face so that at most m entries of Z are
// nonzero.
//
// An infeasible or unbounded problem is reported by Status with a nil error.
// NaN or Inf in the data, and failure to converge, are errors; in the second
// case the Result holds the last iterate. Wrong lengths panic.
//
// Rows of A may be dependent: A and b are then projected on A's range.
//
// Source: S. Mehrotra, On the implementation of a primal-dual interior point
// method, SIAM J. Optim. 2 (1992); embedding: X. Xu, P.-F. Hung and Y. Ye, A
// simplified homogeneous and self-dual linear programming algorithm, Ann. Oper.
// Res. 62 (1996).
func LinearProgram(ctx context.Context, c []float64, a mat.Matrix, b []float64, opt *LPOptions) (*LPResult, error) {
	m, n := dims("LinearProgram", "A", a)
	if len(c) != n || len(b) != m {
		panic(fmt.Sprintf("sparse: LinearProgram: A is %d×%d, c has %d and b has %d entries", m, n, len(c), len(b)))
	}
	if err := checkMatrix("A", a); err != nil {
		return nil, err
	}
	if err := checkVector("c", c); err != nil {
		return nil, err
	}
	if err := checkVector("b", b); err != nil {
		return nil, err
	}
	var set LPOptions
	if opt != nil {
		set = *opt
	}
	if set.Tolerance == 0 {
		set.Tolerance = 1e-9
	}
	if set.MaxIterations == 0 {
		set.MaxIterations = 100
	}
	p := newLP(c, a, b)
	res, err := p.solve(ctx, &set)
	if res.Status == ended.Converged && !set.KeepInterior {
		p.crossover(res)
	}
	res.Support = res.Support[:0]
	for j, v := range res.Z {
		if v != 0 {
			res.Support = append(res.Support, j)
		}
	}
	return res, err
}

// lp holds the problem with A by columns, scaled: b is divided by bs and c by
// cs, so that tolerances mean the same for data of any size.
type lp struct {
	m, n   int
	col    []float64 // column j is col[j*m:(j+1)*m]
	b, c   []float64
	rhs    []float64 // b before fullRank
	bs, cs float64
}

func newLP(c []float64, a mat.Matrix, b []float64) *lp {
	m, n := a.Dims()
	p := &lp{m: m, n: n, col: make([]float64, m*n), b: slices.Clone(b), c: slices.Clone(c)}
	for j := range n {
		for i := range m {
			p.col[j*m+i] = a.At(i, j)
		}
	}
	p.bs, p.cs = 1, 1
	if v := normInf(b); v > 0 {
		p.bs = v
	}
	if v := normInf(c); v > 0 {
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
		out[j] = dot(p.column(j), y)
	}
	return out
}

// normal factors A diag(d) A' = L L', skipping vanishing pivots.
func (p *lp) normal(d, l []float64) {
	m := p.m
	for i := range l {
		l[i] = 0
	}
	for j := range p.n {
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

// maxStep returns the largest t with x + t dx >= 0.
func maxStep(x, dx []float64) float64 {
	t := math.Inf(1)
	for i, d := range dx {
		if d < 0 {
			t = min(t, -x[i]/d)
		}
	}
	return t
}

// fullRank replaces A z = b by U'A z = U'b with U (m×rank) the left singular
// vectors of A, if A has dependent rows. It returns U, or nil if A has full
// rank, and a certificate e (A'e = 0, b'e > 0) if b is outside A's range.
func (p *lp) fullRank() (u *mat.Dense, e []float64) {
	m := p.m
	a := mat.NewDense(p.n, m, p.col).T()
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThinU) {
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
			t := dot(uk, p.b)
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

// solve follows the central path of the homogeneous self-dual embedding
//
//	A z = b τ,  A'y + r = c τ,  b'y − c'z = κ,  z, r, τ, κ >= 0,
//
// in which a solution with τ > 0 is an optimum (z, y, r)/τ and one with κ > 0
// a certificate, so that infeasible problems end as cleanly as others.
func (p *lp) solve(ctx context.Context, set *LPOptions) (*LPResult, error) {
	res := &LPResult{}
	orig := p.rhs
	u, e := p.fullRank()
	if e != nil {
		res.Z, res.Y, res.R = make([]float64, p.n), e, slices.Clone(p.c)
		if normInf(orig) > 0 {
			res.Status = ended.Infeasible
			return res, nil
		}
		// A = 0 and b = 0: z = 0 is optimal unless a cost is negative.
		res.Status = ended.Converged
		if slices.Min(p.c) < 0 {
			res.Status = ended.Unbounded
		}
		return res, nil
	}
	m, n := p.m, p.n
	l := make([]float64, m*m)
	d := make([]float64, n)
	z, r, y := make([]float64, n), make([]float64, n), make([]float64, m)
	for j := range z {
		z[j], r[j] = 1, 1
	}
	tau, kappa, step := 1.0, 1.0, 0.0

	finish := func(st ended.Status, it int) {
		res.Status, res.Iterations = st, it
		t := tau
		if st == ended.Infeasible || st == ended.Unbounded {
			t = 1 // a certificate is a direction
		}
		res.Z, res.R = make([]float64, n), make([]float64, n)
		for j := range z {
			res.Z[j], res.R[j] = z[j]/t*p.bs, r[j]/t*p.cs
		}
		res.Y = make([]float64, m)
		for i := range y {
			res.Y[i] = y[i] / t * p.cs
		}
		if u != nil {
			back := mat.NewVecDense(len(orig), nil)
			back.MulVec(u, mat.NewVecDense(m, res.Y))
			res.Y = back.RawVector().Data
		}
		pr, du := dot(p.c, z)/t, dot(p.b, y)/t
		res.Objective = pr * p.bs * p.cs
		res.Gap = math.Abs(pr-du) * p.bs * p.cs
	}
	nb, nc := 1+normInf(p.b), 1+normInf(p.c)
	for it := 0; ; it++ {
		rp, aty := p.mulA(z), p.mulAT(y)
		az := normInf(rp)
		var atyr float64 // ‖A'y + r‖
		for i := range rp {
			rp[i] = p.b[i]*tau - rp[i]
		}
		rd := make([]float64, n)
		for j := range rd {
			atyr = max(atyr, math.Abs(aty[j]+r[j]))
			rd[j] = p.c[j]*tau - aty[j] - r[j]
		}
		cz, by := dot(p.c, z), dot(p.b, y)
		rg := cz - by + kappa
		mu := (dot(z, r) + tau*kappa) / float64(n+1)
		ep, ed := normInf(rp)/tau/nb, normInf(rd)/tau/nc
		eg := math.Abs(cz-by) / (tau + math.Abs(cz))
		scale := p.bs * p.cs
		res.History = append(res.History, LPStep{cz / tau * scale, by / tau * scale, ep, ed, mu, tau, kappa, step})
		progress.Report(set.Recorder, progress.Event{What: "linear program", Step: it, Total: set.MaxIterations, Objective: cz / tau * scale})
		if !allFinite(z) || !allFinite(y) || !allFinite(r) || !(tau > 0) {
			finish(ended.Failed, it)
			return res, fmt.Errorf("sparse: LinearProgram: iterates are not finite after %d iterations", it)
		}
		switch {
		case ep <= set.Tolerance && ed <= set.Tolerance && eg <= set.Tolerance:
			finish(ended.Converged, it)
			return res, nil
		case by > 0 && atyr <= 1e-9*by && kappa > tau:
			// Farkas: A'y = −r <= 0 and b'y > 0.
			finish(ended.Infeasible, it)
			return res, nil
		case cz < 0 && az <= -1e-9*cz && kappa > tau:
			// A z = 0, z >= 0, c'z < 0.
			finish(ended.Unbounded, it)
			return res, nil
		}
		if it == set.MaxIterations || it > 5 && step < 1e-10 {
			st := ended.IterationLimit
			if it < set.MaxIterations {
				st = ended.NoProgress
			}
			finish(st, it)
			return res, fmt.Errorf("sparse: LinearProgram: %v after %d iterations (residuals %.2g, %.2g, gap %.2g)", st, it, ep, ed, eg)
		}
		if ctx != nil && ctx.Err() != nil {
			finish(ended.Interrupted, it)
			return res, fmt.Errorf("sparse: LinearProgram: %w", ctx.Err())
		}

		for j := range d {
			d[j] = z[j] / r[j]
		}
		p.normal(d, l)
		// Every direction is (pz, py) + dτ (qz, qy); q does not depend on
		// the right-hand side.
		t := make([]float64, n)
		for j := range t {
			t[j] = d[j] * p.c[j]
		}
		qy := p.mulA(t)
		for i := range qy {
			qy[i] += p.b[i]
		}
		cholSolve(m, l, qy)
		qz := p.mulAT(qy)
		for j := range qz {
			qz[j] = d[j] * (qz[j] - p.c[j])
		}
		den := dot(p.b, qy) - dot(p.c, qz) + kappa/tau
		rc := make([]float64, n)
		newton := func(eta, rct float64) (dz, dy, dr []float64, dt, dk float64) {
			for j := range t {
				t[j] = d[j] * (eta*rd[j] - rc[j]/z[j])
			}
			dy = p.mulA(t)
			for i := range dy {
				dy[i] += eta * rp[i]
			}
			cholSolve(m, l, dy)
			dz = p.mulAT(dy)
			for j := range dz {
				dz[j] = d[j] * (dz[j] - eta*rd[j] + rc[j]/z[j])
			}
			dt = (eta*rg + dot(p.c, dz) - dot(p.b, dy) + rct/tau) / den
			dr = make([]float64, n)
			for j := range dz {
				dz[j] += dt * qz[j]
				dr[j] = (rc[j] - r[j]*dz[j]) / z[j]
			}
			for i := range dy {
				dy[i] += dt * qy[i]
			}
			return dz, dy, dr, dt, (rct - kappa*dt) / tau
		}
		length := func(dz, dr []float64, dt, dk float64) float64 {
			a := min(maxStep(z, dz), maxStep(r, dr))
			if dt < 0 {
				a = min(a, -tau/dt)
			}
			if dk < 0 {
				a = min(a, -kappa/dk)
			}
			return a
		}
		for j := range rc {
			rc[j] = -z[j] * r[j]
		}
		za, _, ra, ta, ka := newton(1, -tau*kappa)
		aff := min(1, length(za, ra, ta, ka))
		gamma := (1 - aff) * (1 - aff) * min(1-aff, 0.3)
		gamma = max(gamma, 1e-8)
		for j := range rc {
			rc[j] = gamma*mu - z[j]*r[j] - za[j]*ra[j]
		}
		dz, dy, dr, dt, dk := newton(1-gamma, gamma*mu-tau*kappa-ta*ka)
		step = min(1, 0.9995*length(dz, dr, dt, dk))
		for j := range z {
			z[j] += step * dz[j]
			r[j] += step * dr[j]
		}
		for i := range y {
			y[i] += step * dy[i]
		}
		tau += step * dt
		kappa += step * dk
	}
}

// crossover moves the interior solution in res to a vertex of the optimal
// face. The support is where z exceeds its reduced cost (both scaled), which
// strict complementarity makes reliable; while its columns are dependent, a
// null vector d of them (on the optimal face c'd = 0) is followed until an
// entry vanishes (Carathéodory); last, the remaining entries are solved for.
// If the vertex does not reproduce b to 1e-9, the interior solution stays.
func (p *lp) crossover(res *LPResult) {
	m := p.m
	z := make([]float64, p.n)
	var sup []int
	for j := range z {
		v := res.Z[j] / p.bs
		if v > res.R[j]/p.cs {
			z[j] = v
			sup = append(sup, j)
		}
	}
	for len(sup) > 0 {
		// At most m+1 columns, smallest coefficients first, are enough to
		// find a dependence if there are more than m.
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
			// cd was 0 up to rounding and the sign pointed outwards.
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
		if err := v.SolveVec(as, mat.NewVecDense(m, p.b)); err != nil {
			return
		}
		for t, j := range sup {
			z[j] = v.AtVec(t)
			if z[j] < -1e-9 {
				return
			}
			if z[j] < 1e-13 {
				z[j] = 0
			}
		}
	}
	az := p.mulA(z)
	for i := range az {
		if math.Abs(az[i]-p.b[i]) > 1e-9 {
			return
		}
	}
	if obj := dot(p.c, z) * p.bs * p.cs; obj <= res.Objective+1e-8*(p.bs*p.cs+math.Abs(res.Objective)) {
		res.Objective = obj
		for j := range z {
			res.Z[j] = z[j] * p.bs
		}
		res.Gap = math.Abs(obj - dot(p.rhs, res.Y)*p.bs)
		res.Basic = true
	}
}

// nullVector returns a nonzero d with A_sup d = 0, or nil if the columns are
// independent.
func (p *lp) nullVector(sup []int) []float64 {
	m, k := p.m, len(sup)
	as := mat.NewDense(m, k, nil)
	for t, j := range sup {
		as.SetCol(t, p.column(j))
	}
	var svd mat.SVD
	if !svd.Factorize(as, mat.SVDFullV) {
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
