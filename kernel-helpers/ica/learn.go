package ica

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/pursuit"
	"overcomplete/ui/progress"
)

// A Rule is a learning rule for A. With C = E[sign(ŝ)ŝ']/b, averaged over the
// batch, the rules are A <- A + η A M with the n×n matrices M below. The package
// comment derives them.
type Rule int

const (
	// Natural is the paper's rule, with the paper's sign: M = C − I, that is
	// dA = −A(E[z s'] + I) with z = −sign(s)/b and sign(0) = 0.
	Natural Rule = iota
	// ActiveSet lets a sample change only its active columns: M = C − diag(P(s_j ≠ 0)).
	ActiveSet
	// Certificate replaces sign(ŝ) by the subgradient A'y, where y solves the dual of basis pursuit. A'y is not 0 for
	// inactive columns, so M is the exact gradient of −E‖ŝ‖₁/b − ½ log det AA', multiplied by AA'. Certificate needs
	// the method Pursuit.
	Certificate
	// Posterior replaces sign(ŝ)ŝ' at the MAP by the posterior mean of sign(s)s', in closed form: M is the exact gradient
	// of the exact log P(x|A), multiplied by AA'. Posterior needs noise-free data and n = m+1.
	Posterior
	// Blog is the rule as printed in the text that this project reproduces:
	// dA = −A(E[z s'] + I) with z = +sign(s)/b, so M = −C − I.
	Blog
)

// String returns the name of the rule.
func (r Rule) String() string {
	return [...]string{"natural", "active set", "certificate", "posterior", "blog"}[r]
}

// FitOptions controls Fit. nil and the zero value mean the defaults.
type FitOptions struct {
	Rule Rule
	// Infer selects how ŝ is found. nil means noise-free basis pursuit. Infer.Scale is ignored; the field
	// Scale below is used instead.
	Infer *InferOptions
	// Scale is the scale b of the prior. 0 means 1. Scale fixes the norms of the columns; see 'Equilibrium' in the
	// package comment.
	Scale float64
	// Steps is the number of steps. 0 means 600.
	Steps int
	// Rate is η of the first step, and FinalRate is η of the last step. From the first to the last step, η falls
	// geometrically. 0 means 0.3 for Rate and 1e-4 for FinalRate. If both are equal, η is constant.
	Rate, FinalRate float64
	// MaxChange bounds ‖ηM‖ (Frobenius): a longer step is shortened to this norm, so that I + ηM stays
	// invertible. 0 means 0.3; negative means no bound, which is the default for the rule Blog.
	MaxChange float64
	// UnitNorm scales the columns to norm 1 after every step; otherwise the equilibrium determines the norms. With
	// UnitNorm, no column in the plane can fall inside the hull of the other columns and die. Without UnitNorm, a
	// fluctuation of a few percent can cause this if there are many columns. With UnitNorm the diagonal of M has no
	// effect, and sources keep their different amplitudes.
	UnitNorm bool
	// BatchSize is the number of samples per step. Successive steps take successive samples of a permutation
	// that Seed determines. 0 means all samples.
	BatchSize int
	Seed      uint64
	// Truth (m×n) is the true basis. If Truth is not nil, History includes the worst angle between the
	// columns of A and Truth. Truth does not affect learning.
	Truth *mat.Dense
	// Snapshots lists the steps before which A is recorded. The number 0 records the initial A, and the value of the
	// field Steps records the final A.
	Snapshots []int
	// History keeps every RecordEvery-th step and the last step. 0 means 1. Negative means no history.
	RecordEvery int
	// Evidence adds the mean exact log P(x|A) to History (n = m+1 and
	// Laplacian prior only; otherwise NaN).
	Evidence bool
	// MaxNorm and MinNorm bound the largest column norm, relative to the largest norm at the start. If the
	// largest norm leaves these bounds, the run ends as Diverged. 0 means 1e6 for MaxNorm and 1e-6 for
	// MinNorm. Individual columns may become smaller, because only the largest norm counts.
	MaxNorm, MinNorm float64
	// Recorder receives an event for each step, with the mean ‖ŝ‖₁. It may be nil.
	Recorder progress.Recorder
}

// FitStep describes the state of a fit before a step.
type FitStep struct {
	Step       int
	Rate       float64   // η
	L1         float64   // mean ‖ŝ‖₁ per sample
	MeanAbs    []float64 // E|ŝ_i|, n
	Error      float64   // mean ‖x − Aŝ‖² per sample
	Norms      []float64 // column norms of A, n
	Change     float64   // ‖ηM‖ before MaxChange is applied
	Cost       float64   // E‖ŝ‖₁/b + ½ log det AA', which the rule Certificate minimizes
	WorstAngle float64   // degrees to Truth, NaN without Truth
	Evidence   float64   // mean exact log P(x|A) per sample, NaN unless requested
}

// A Snapshot is a copy of the basis A before a step.
type Snapshot struct {
	Step int
	A    *mat.Dense
}

// FitResult is the outcome of Fit.
type FitResult struct {
	Status    ended.Status
	Reason    string     // reason for the status Diverged
	A         *mat.Dense // m×n
	Steps     int        // steps made
	History   []FitStep
	Snapshots []Snapshot
}

// String returns a one-line summary.
func (r *FitResult) String() string {
	m, n := size.Of(r.A)
	return fmt.Sprintf("A is %d×%d after %d steps (%v)", m, n, r.Steps, r.Status)
}

// moments holds the averages over a batch that the rules need.
type moments struct {
	// c is E[sign(s_i) s_j], n×n. The rule Certificate replaces sign(s_i) by (A'y)_i, where y is the dual solution of
	// basis pursuit. The rule Posterior replaces sign(s_i) s_j by its posterior mean.
	c      []float64
	active []float64 // P(s_j ≠ 0)
	abs    []float64 // E|s_j|
	err    float64   // mean ‖x − A s‖²
}

// l1 returns the mean ‖s‖₁.
func (mo *moments) l1() float64 {
	var sum float64
	for _, v := range mo.abs {
		sum += v
	}
	return sum
}

// Fit learns a basis A from the columns of X (m×p) by one of the rules, beginning with the basis start (m×n). It
// modifies neither start nor X. Divergence is a Status, not an error. An error means bad data, a failed inference or a
// canceled context, and is returned with the result so far.
func Fit(ctx context.Context, start, X mat.Matrix, opt *FitOptions) (*FitResult, error) {
	return learn(ctx, dense("Fit", "start", start), dense("Fit", "X", X), opt, nil)
}

// learn does what Fit does. The argument w is nil, or the wheel of the samples: an index of samples in the plane,
// sorted by direction, which several calls can share.
func learn(ctx context.Context, start, x *mat.Dense, opt *FitOptions, w *wheel) (*FitResult, error) {
	m, _ := dims("Fit", "start", start)
	mx, _, err := points("Fit", "X", x)
	if err != nil {
		return nil, err
	}
	if mx != m {
		panic(shapeMismatch("Fit", "start", m, x))
	}
	if err := checkMatrix("Fit", "start", start); err != nil {
		return nil, err
	}
	if err := checkMatrix("Fit", "X", x); err != nil {
		return nil, err
	}
	set, inf, err := opt.complete()
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	l, err := newLearner(start, x, set, inf, w)
	if err != nil {
		return nil, err
	}
	return l.run(ctx)
}

// complete returns the options with defaults filled in, and the options for Infer.
func (s *FitOptions) complete() (set FitOptions, inf InferOptions, err error) {
	if s != nil {
		set = *s
	}
	if set.Rule < Natural || set.Rule > Blog {
		return set, inf, fmt.Errorf("ica: Fit: Rule is %d, must be Natural to Blog", int(set.Rule))
	}
	if set.Steps < 0 || set.BatchSize < 0 {
		return set, inf, fmt.Errorf("ica: Fit: Steps is %d and BatchSize is %d, must not be negative", set.Steps, set.BatchSize)
	}
	def := func(v *float64, d float64) {
		if *v == 0 {
			*v = d
		}
	}
	def(&set.Scale, 1)
	def(&set.Rate, 0.3)
	def(&set.FinalRate, 1e-4)
	def(&set.MaxNorm, 1e6)
	def(&set.MinNorm, 1e-6)
	if set.Rule == Blog {
		def(&set.MaxChange, -1)
	}
	def(&set.MaxChange, 0.3)
	if set.Steps == 0 {
		set.Steps = 600
	}
	if set.RecordEvery == 0 {
		set.RecordEvery = 1
	}
	for _, v := range []struct {
		name string
		is   float64
	}{{"Scale", set.Scale}, {"Rate", set.Rate}, {"FinalRate", set.FinalRate}, {"MaxNorm", set.MaxNorm}, {"MinNorm", set.MinNorm}} {
		if !(v.is > 0) || math.IsInf(v.is, 0) {
			return set, inf, fmt.Errorf("ica: Fit: %s is %v, must be positive and finite", v.name, v.is)
		}
	}
	if math.IsNaN(set.MaxChange) {
		return set, inf, fmt.Errorf("ica: Fit: MaxChange is NaN")
	}
	if set.Infer != nil {
		inf = *set.Infer
	}
	inf.Scale = set.Scale
	if (set.Rule == Certificate || set.Rule == Posterior) && inf.Method != Pursuit {
		return set, inf, fmt.Errorf("ica: Fit: rule %v needs noise-free inference, not %v", set.Rule, inf.Method)
	}
	if (set.Rule == Certificate || set.Rule == Posterior) && inf.NonNegative {
		return set, inf, fmt.Errorf("ica: Fit: rule %v is for coefficients of either sign", set.Rule)
	}
	return set, inf, nil
}

// A learner is a call to Fit in progress.
type learner struct {
	set   FitOptions
	inf   InferOptions
	x     *mat.Dense            // m×p
	batch func(t int) []float64 // returns the samples of step t, sample after sample
	wheel *wheel                // the wheel of all samples if m = 2, or nil
	norm0 float64               // the largest norm of a column at the start
	next  *mat.Dense            // m×n: A after the step
	m     []float64             // n×n: the rule's M
	res   *FitResult            // its A is the basis before the step
}

func newLearner(start, x *mat.Dense, set FitOptions, inf InferOptions, w *wheel) (*learner, error) {
	m, n := start.Dims()
	_, p := x.Dims()
	if err := ram.Check(fmt.Sprintf("the rule's matrix for %d columns", n), 16*float64(n)*float64(n)); err != nil {
		return nil, fmt.Errorf("ica: Fit: %w", err)
	}
	xs := columns(x)
	l := &learner{set: set, inf: inf, x: x, batch: batches(xs, m, p, set.BatchSize, set.Seed),
		next: mat.NewDense(m, n, nil), m: make([]float64, n*n), res: &FitResult{A: mat.DenseCopyOf(start), Status: ended.Done}}
	if wholePlane := m == 2 && !(set.BatchSize > 0 && set.BatchSize < p); wholePlane {
		if l.wheel = w; w == nil {
			l.wheel = newWheel(xs)
		}
	}
	for _, v := range ColumnNorms(start) {
		l.norm0 = max(l.norm0, v)
	}
	if l.norm0 == 0 {
		return nil, errors.New("ica: Fit: the start is all zeros")
	}
	return l, nil
}

// run performs the steps of the fit and returns its result.
func (l *learner) run(ctx context.Context) (*FitResult, error) {
	set, res := &l.set, l.res
	decay := 1.0
	if set.Steps > 1 {
		decay = math.Pow(set.FinalRate/set.Rate, 1/float64(set.Steps-1))
	}
	for t, rate := 0, set.Rate; ; t, rate = t+1, rate*decay {
		if slices.Contains(set.Snapshots, t) {
			res.Snapshots = append(res.Snapshots, Snapshot{t, mat.DenseCopyOf(res.A)})
		}
		res.Steps = t
		if ctx.Err() != nil {
			res.Status = ended.Interrupted
			return res, fmt.Errorf("ica: Fit: %w at step %d", ctx.Err(), t)
		}
		last := t == set.Steps
		record := set.RecordEvery > 0 && (last || t%set.RecordEvery == 0)
		if last && !record {
			return res, nil
		}
		mo, err := average(ctx, res.A, l.batch(t), l.wheel, set, &l.inf)
		if err != nil {
			return l.fail(ctx, t, err)
		}
		change := l.rule(mo) * rate
		if record {
			res.History = append(res.History, l.state(t, rate, change, mo))
		}
		progress.Report(set.Recorder, progress.Event{What: "learn A", Step: t, Total: set.Steps, Objective: mo.l1()})
		if last {
			return res, nil
		}
		eta := rate
		if set.MaxChange > 0 && change > set.MaxChange {
			eta *= set.MaxChange / change
		}
		if !l.step(ctx, eta) {
			return res, nil
		}
	}
}

// fail sets the status of a run in which inference failed at step t with the error err, and returns the result.
// Inference may fail because the rule has made A degenerate. The run then counts as diverged, and the returned error
// is nil.
func (l *learner) fail(ctx context.Context, t int, err error) (*FitResult, error) {
	res := l.res
	interrupted := ctx.Err() != nil
	switch {
	// Inference may fail because the rule has made A degenerate.
	case errors.Is(err, errInferDiverged), !interrupted && (l.set.Rule == Blog || isDegenerate(res.A)):
		res.Status, res.Reason = ended.Diverged, err.Error()
		return res, nil
	case interrupted:
		res.Status = ended.Interrupted
	default:
		res.Status = ended.Failed
	}
	return res, fmt.Errorf("ica: Fit: step %d: %w", t, err)
}

// rule stores the matrix M of the learning rule (see Rule) in l.m, and returns its Frobenius norm.
func (l *learner) rule(mo *moments) float64 {
	_, n := l.res.A.Dims()
	var squares float64
	for i := range n {
		for j := range n {
			v := mo.c[i*n+j] / l.set.Scale
			if l.set.Rule == Blog {
				v = -v
			}
			if i == j {
				if l.set.Rule == ActiveSet {
					v -= mo.active[j]
				} else {
					v--
				}
			}
			l.m[i*n+j] = v
			squares += v * v
		}
	}
	return math.Sqrt(squares)
}

// state returns the entry of History that describes the state before step t.
func (l *learner) state(t int, rate, change float64, mo *moments) FitStep {
	a, set, l1 := l.res.A, &l.set, mo.l1()
	h := FitStep{Step: t, Rate: rate, L1: l1, MeanAbs: mo.abs, Error: mo.err, Norms: ColumnNorms(a), Change: change,
		Cost: l1/set.Scale + halfLogDet(a), WorstAngle: math.NaN(), Evidence: math.NaN()}
	if set.Truth != nil {
		h.WorstAngle = Match(set.Truth, a).Worst
	}
	if m, n := a.Dims(); set.Evidence && n == m+1 {
		if e, err := ExactEvidence(a, l.x, &EvidenceOptions{Scale: set.Scale}); err == nil {
			h.Evidence = e.Mean
		}
	}
	return h
}

// step performs A <- A + η A M. It reports whether the largest column norm of A stays between MinNorm and MaxNorm
// times its value at the start. If the norm would leave these bounds, step does not change A and sets the status to
// Diverged. If ctx is done, step leaves A unchanged and returns true.
func (l *learner) step(ctx context.Context, eta float64) bool {
	a, res := l.res.A, l.res
	m, n := a.Dims()
	from, to := a.RawMatrix().Data, l.next.RawMatrix().Data
	for i := range m {
		if ctx.Err() != nil {
			return true
		}
		for j := range n {
			v := 0.0
			for k := range n {
				v += from[i*n+k] * l.m[k*n+j]
			}
			to[i*n+j] = from[i*n+j] + eta*v
		}
	}
	top := 0.0
	for _, v := range ColumnNorms(l.next) {
		if math.IsNaN(v) {
			v = math.Inf(1)
		}
		top = max(top, v)
	}
	if top > l.set.MaxNorm*l.norm0 || top < l.set.MinNorm*l.norm0 {
		res.Status = ended.Diverged
		res.Reason = fmt.Sprintf("largest column norm %.3g after step %d, %.3g at the start", top, res.Steps, l.norm0)
		return false
	}
	a.Copy(l.next)
	if l.set.UnitNorm {
		Normalize(a)
	}
	return true
}

// isDegenerate reports whether the rows of A are linearly dependent, or A is not finite.
func isDegenerate(a *mat.Dense) bool {
	h := halfLogDet(a)
	return math.IsNaN(h) || math.IsInf(h, 0)
}

// halfLogDet returns ½ log det AA', or −Inf if A has dependent rows.
func halfLogDet(a *mat.Dense) float64 {
	m, n := a.Dims()
	if m == 2 {
		var p, q, r float64
		for j := range n {
			u, v := a.At(0, j), a.At(1, j)
			p, q, r = p+u*u, q+u*v, r+v*v
		}
		return 0.5 * math.Log(max(0, p*r-q*q))
	}
	g := mat.NewSymDense(m, nil)
	for i := range m {
		for j := i; j < m; j++ {
			g.SetSym(i, j, mat.Dot(a.RowView(i), a.RowView(j)))
		}
	}
	var ch mat.Cholesky
	if !ch.Factorize(g) {
		return math.Inf(-1)
	}
	return 0.5 * ch.LogDet()
}

// columns returns the columns of X, stored one after another.
func columns(x *mat.Dense) []float64 {
	m, p := x.Dims()
	out := make([]float64, m*p)
	for i := range m {
		for k := range p {
			out[k*m+i] = x.At(i, k)
		}
	}
	return out
}

// batches returns a function that returns the samples of step t. If 0 < size < p, successive steps go through a fixed
// permutation of the samples, and start over at its end. Otherwise each step has all samples.
func batches(xs []float64, m, p, size int, seed uint64) func(t int) []float64 {
	if size <= 0 || size >= p {
		return func(int) []float64 { return xs }
	}
	perm := newRand(seed, streamBatch).Perm(p)
	shuffled := make([]float64, 0, len(xs))
	for _, k := range perm {
		shuffled = append(shuffled, xs[k*m:(k+1)*m]...)
	}
	out := make([]float64, size*m)
	return func(t int) []float64 {
		for i := range size {
			k := (t*size + i) % p
			copy(out[i*m:(i+1)*m], shuffled[k*m:(k+1)*m])
		}
		return out
	}
}

// average computes the moments of a batch xs, whose samples are stored one after another. The argument w is the wheel
// of the batch, or nil.
func average(ctx context.Context, a *mat.Dense, xs []float64, w *wheel, set *FitOptions, inf *InferOptions) (*moments, error) {
	m, n := a.Dims()
	if m == 2 && inf.Method == Pursuit && !inf.NonNegative {
		mo, err := planarMoments(ctx, a, xs, w, set.Rule == Certificate)
		if err != nil {
			return nil, err
		}
		if set.Rule == Posterior {
			return mo, usePosterior(ctx, a, xs, set.Scale, mo)
		}
		return mo, nil
	}
	p := len(xs) / m
	x := mat.NewDense(m, p, nil)
	for k := range p {
		x.SetCol(k, xs[k*m:(k+1)*m])
	}
	r, err := Infer(ctx, a, x, inf)
	if err != nil {
		return nil, err
	}
	mo := &moments{c: make([]float64, n*n), active: make([]float64, n), abs: make([]float64, n)}
	weight := 1 / float64(p)
	s, u := make([]float64, n), make([]float64, n)
	for k := range p {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		mat.Col(s, k, r.S)
		for i, v := range s {
			switch {
			case v > 0:
				u[i] = 1
			case v < 0:
				u[i] = -1
			default:
				u[i] = 0
			}
			if v != 0 {
				mo.active[i] += weight
				mo.abs[i] += weight * math.Abs(v)
			}
			if set.Rule == Certificate {
				u[i] = 0
				for q := range m {
					u[i] += a.At(q, i) * r.Dual.At(q, k)
				}
			}
		}
		for i, ui := range u {
			if ui != 0 {
				for j, v := range s {
					mo.c[i*n+j] += weight * ui * v
				}
			}
		}
		for q := range m {
			e := xs[k*m+q]
			for j, v := range s {
				e -= a.At(q, j) * v
			}
			mo.err += weight * e * e
		}
	}
	if set.Rule == Posterior {
		return mo, usePosterior(ctx, a, xs, set.Scale, mo)
	}
	return mo, nil
}

// planarMoments computes the moments for m = 2 from sums of samples, without the coefficients of each sample. A sector
// is a cone in which ŝ uses the same two columns. In a sector and its mirror image through the origin, ŝ is linear in
// x, and the signs of its two coefficients are constant, apart from a common factor σ = ±1. So the sector's
// contribution to E[sign(ŝ)ŝ'] depends only on the sum of σx over the sector's samples. The argument wh is the wheel
// of the samples, or nil.
func planarMoments(ctx context.Context, a *mat.Dense, xs []float64, wh *wheel, certificate bool) (*moments, error) {
	_, n := a.Dims()
	sec, err := sectors(ctx, a)
	if err != nil {
		return nil, err
	}
	list := sec.List
	var sums []pile
	if wh != nil {
		sums = wh.piles(a, list)
	} else {
		sums = pilesOf(xs, list)
	}
	mo := &moments{c: make([]float64, n*n), active: make([]float64, n), abs: make([]float64, n)}
	w := 2 / float64(len(xs))
	for k := range list {
		s, t := &list[k], &sums[k]
		si, sj := s.Coefficients(t.x0*w, t.x1*w)
		mo.active[s.I] += t.count * w
		mo.active[s.J] += t.count * w
		mo.abs[s.I] += si * s.SignI
		mo.abs[s.J] += sj * s.SignJ
		if certificate {
			for i := range n {
				u := a.At(0, i)*s.Y[0] + a.At(1, i)*s.Y[1]
				mo.c[i*n+s.I] += u * si
				mo.c[i*n+s.J] += u * sj
			}
			continue
		}
		mo.c[s.I*n+s.I] += s.SignI * si
		mo.c[s.I*n+s.J] += s.SignI * sj
		mo.c[s.J*n+s.I] += s.SignJ * si
		mo.c[s.J*n+s.J] += s.SignJ * sj
	}
	return mo, nil
}

// sectors returns the sectors of A (2×n): cones within each of which basis pursuit always uses the same two columns. If
// ctx is done first, it returns ctx's error.
func sectors(ctx context.Context, a *mat.Dense) (*pursuit.Sectors, error) {
	_, n := a.Dims()
	own := mat.DenseCopyOf(a)
	var sec *pursuit.Sectors
	var failure error
	err := parallel.Await(ctx, float64(n)*float64(n)*float64(n), func() { sec, failure = pursuit.NewSectors(own, nil, false) })
	if err != nil {
		return nil, err
	}
	return sec, failure
}

// pilesOf returns the pile of each sector: the sum and the number of the sector's samples. It loops over the samples
// xs. wheel.piles returns the same sums up to rounding. It is faster, but the samples must first be sorted, which pays
// off only if the wheel is used often.
func pilesOf(xs []float64, list []pursuit.Sector) []pile {
	sums := make([]pile, len(list))
	ys := make([][2]float64, len(list))
	for k := range list {
		ys[k] = list[k].Y
	}
	for k := 0; k+1 < len(xs); k += 2 {
		x0, x1 := xs[k], xs[k+1]
		best, bv, ba := 0, 0.0, 0.0
		for q := range ys {
			v := ys[q][0]*x0 + ys[q][1]*x1
			if av := math.Abs(v); av > ba {
				best, bv, ba = q, v, av
			}
		}
		if ba == 0 {
			continue
		}
		t := &sums[best]
		if bv < 0 {
			x0, x1 = -x0, -x1
		}
		t.x0 += x0
		t.x1 += x1
		t.count++
	}
	return sums
}

// usePosterior replaces mo.c, which is E[sign(ŝ)ŝ'] at the MAP, by the posterior expectation of sign(s)s', averaged
// over the samples xs.
func usePosterior(ctx context.Context, a *mat.Dense, xs []float64, b float64, mo *moments) error {
	l, err := newLine(a, b)
	if err != nil {
		return err
	}
	for i := range mo.c {
		mo.c[i] = 0
	}
	p := len(xs) / l.m
	for k := range p {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.laplacian(xs[k*l.m:(k+1)*l.m], mo.c)
	}
	for i := range mo.c {
		mo.c[i] /= float64(p)
	}
	return nil
}
