package regress

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// A Lasso is a linear model at the minimum of
//
//	F(w, b) = 1/(2n) Σ_i (y_i − w'x_i − b)² + α ‖w‖₁
//
// (scikit-learn's Lasso), or, with an L1Ratio ρ below 1, of the elastic net
//
//	F(w, b) = 1/(2n) Σ_i (y_i − w'x_i − b)² + αρ ‖w‖₁ + ½α(1−ρ) ‖w‖²
//
// (its ElasticNet; H. Zou and T. Hastie, J. R. Statist. Soc. B 67, 2005). b is not penalized. Note that the
// squares enter as a MEAN here and as a SUM in ridge, as in scikit-learn.
type Lasso struct {
	Linear
	Status     ended.Status
	Iterations int       // number of sweeps over working sets of features, plus the number of steps along the path
	Objective  float64   // F
	Gap        float64   // duality gap: F exceeds its minimum by at most Gap
	Active     int       // number of nonzeros of w
	History    []float64 // the gap before the first sweep, and after the sweeps over each working set of features
}

// String returns a one-line summary.
func (m *Lasso) String() string {
	return fmt.Sprintf("lasso with alpha %.4g: %d of %d weights are nonzero, objective %.4g, gap %.2g after %d sweeps (%v)", m.Alpha, m.Active, len(m.W), m.Objective, m.Gap, m.Iterations, m.Status)
}

// LassoOptions are the options of FitLasso and FitLassoPath. The zero value is ready to use.
type LassoOptions struct {
	// Tolerance ends the descent when the duality gap is below Tolerance times F(0, ȳ). 0 means 1e-6.
	Tolerance float64
	// MaxIterations is the maximum number of sweeps for each α. 0 means 10,000. If 1,000 sweeps do not suffice,
	// the path of solutions is followed from w = 0, and its steps count as sweeps.
	MaxIterations int
	// L1Ratio is ρ, the L1 share of the penalty: above 0 and at most 1. The rest is a ridge penalty, which
	// makes similar features share their weight, whereas the lasso picks one of them. 0 means 1, the lasso.
	L1Ratio float64
	// Count and Ratio determine the alphas of a path if none are given. The number of alphas is Count. They go from the
	// smallest α with w = 0 down to Ratio times that α, evenly spaced on a logarithmic scale. 0 means 50 for Count, and
	// 0.001 for Ratio.
	Count int
	Ratio float64
	// SampleWeights (n) are the weights s_i of the points. With weights, F is 1/(2Σs) Σ_i s_i (y_i − w'x_i − b)² plus
	// the penalty. A point of weight 2 is like two points. nil means 1 for each point.
	SampleWeights []float64
	// Recorder receives an event after each α. May be nil.
	Recorder progress.Recorder
}

// FitLasso fits a Lasso with α > 0 to the rows of X (n×d) with values y (n). opt may be nil. If MaxIterations sweeps do
// not suffice, FitLasso returns the model so far with an error that wraps ended.ErrNotConverged. When ctx is done, it
// returns ctx's error, with the model so far if the descent had begun.
func FitLasso(ctx context.Context, X mat.Matrix, y []float64, alpha float64, opt *LassoOptions) (*Lasso, error) {
	path, err := lassoPath(ctx, "FitLasso", X, y, []float64{alpha}, opt)
	if len(path) == 0 {
		return nil, err
	}
	return path[0], err
}

// AlphaMax returns the smallest α at which the lasso's w is 0: ‖X̃'ỹ‖_∞/n, where X̃ and ỹ are X and y minus their
// means. For the elastic net, the smallest such α is AlphaMax/ρ.
func AlphaMax(X mat.Matrix, y []float64) (float64, error) {
	D, err := data("AlphaMax", X, y)
	if err != nil {
		return 0, err
	}
	s := newDescent(D, y, nil)
	if err := s.inRange("AlphaMax"); err != nil {
		return 0, err
	}
	return s.alphaMax(), nil
}

// FitLassoPath fits a Lasso for each α in alphas. Each fit starts from the model of the previous α. The path is fastest
// if the alphas descend, because each start is then close to its solution. If alphas is nil, the values of α are
// determined by opt.Count and opt.Ratio. opt may be nil.
//
// If X is dense and has at least twice as many points as features, and not too many features for the number of alphas,
// the descent uses X̃'X̃, two d×d matrices in memory, instead of a copy of X. Objective is still computed from X, and
// Gap allows for the rounding errors of X̃'X̃. Where these errors are too large, the descent continues on a copy of X.
//
// When ctx is done, FitLassoPath returns the models so far with ctx's error. If some models did not converge, it
// returns all models with an error that wraps ended.ErrNotConverged.
func FitLassoPath(ctx context.Context, X mat.Matrix, y []float64, alphas []float64, opt *LassoOptions) ([]*Lasso, error) {
	return lassoPath(ctx, "FitLassoPath", X, y, alphas, opt)
}

func lassoPath(ctx context.Context, fn string, X mat.Matrix, y []float64, alphas []float64, opt *LassoOptions) ([]*Lasso, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	var o LassoOptions
	if opt != nil {
		o = *opt
	}
	D, err := data(fn, X, y)
	if err != nil {
		return nil, err
	}
	if err := checkAlphas(fn, alphas); err != nil {
		return nil, err
	}
	if err := o.check(fn); err != nil {
		return nil, err
	}
	o.setDefaults()
	D, ys, weights, err := weigh(fn, D, [][]float64{y}, o.SampleWeights)
	if err != nil {
		return nil, err
	}
	count := len(alphas)
	if alphas == nil {
		count = o.Count
	}
	p, err := newLassoProblem(ctx, D, ys[0], weights, count)
	if err != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, err)
	}
	if err := p.inRange(fn); err != nil {
		return nil, err
	}
	if alphas == nil {
		if alphas, err = p.alphas(o); err != nil {
			return nil, err
		}
	}
	return p.path(ctx, fn, alphas, o, true)
}

// A lassoProblem holds the points to which paths are fitted. It descends on the Gram matrix or on the data, whichever is
// faster.
type lassoProblem struct {
	X          mat.Matrix
	y, weights []float64
	gram       *gram    // nil if the descent uses the data
	data       *descent // nil until needed
}

// newLassoProblem returns the problem of paths with the given number of alphas. The weights of the points may be nil.
// If ctx is done, and much work remains, it returns ctx's error.
func newLassoProblem(ctx context.Context, X mat.Matrix, y, weights []float64, alphas int) (*lassoProblem, error) {
	p := &lassoProblem{X: X, y: y, weights: weights}
	if !suitsGram(X, alphas) {
		return p, nil
	}
	n, d := X.Dims()
	ctx = parallel.Grace(ctx, float64(n)*float64(d)*float64(d)/2)
	p.gram = newGram(ctx, X.(*mat.Dense), y, weights)
	return p, ctx.Err()
}

// descent returns the state of the descent on the data.
func (p *lassoProblem) descent() *descent {
	if p.data == nil {
		p.data = newDescent(p.X, p.y, p.weights)
	}
	return p.data
}

// inRange returns an error if the data are out of range. It checks them only if there is no Gram matrix, because
// newGram makes none for such data.
func (p *lassoProblem) inRange(fn string) error {
	if p.gram != nil {
		return nil
	}
	return p.descent().inRange(fn)
}

func (p *lassoProblem) alphas(o LassoOptions) ([]float64, error) {
	if p.gram != nil {
		return pathAlphas(p.gram.alphaMax(), o)
	}
	return p.descent().alphas(o)
}

// certified limits the multiplications of one check with the data. As many models of a path on the Gram matrix are
// checked together as this allows, at least one. This many multiplications take a fraction of a second.
const certified = 5e8

// path fits a model for each α, starting at w = 0. The models' Objective and Gap come from the data if exact is set;
// otherwise they may come from a Gram matrix, and include its rounding errors.
func (p *lassoProblem) path(ctx context.Context, fn string, alphas []float64, o LassoOptions, exact bool) ([]*Lasso, error) {
	var path []*Lasso
	missed := 0
	// add adds a model to the path, and returns an error if ctx is done.
	add := func(m *Lasso) error {
		path = append(path, m)
		if m.Status == ended.Interrupted {
			return fmt.Errorf("regress: %s: %w at alpha %g", fn, ctx.Err(), m.Alpha)
		}
		if m.Status != ended.Converged {
			missed++
		}
		progress.Report(o.Recorder, progress.Event{What: "lasso", Step: len(path), Total: len(alphas), Objective: m.Objective})
		return nil
	}
	if p.gram == nil {
		s := p.descent()
		s.start(nil)
		for _, a := range alphas {
			if err := add(s.solve(ctx, &Lasso{}, a, o)); err != nil {
				return path, err
			}
		}
	} else {
		clear(p.gram.w)
		n, d := p.X.Dims()
		many := max(1, int(certified/(2*float64(n)*float64(d+2))))
		for first := 0; first < len(alphas); first += many {
			for k, m := range p.some(ctx, alphas[first:min(first+many, len(alphas))], o, exact) {
				if k > 0 && m.Iterations > 0 && ctx.Err() != nil { // since the descent, because the recorder has ended ctx, perhaps
					m.Status = ended.Interrupted
				} else {
					m = p.polish(ctx, m, o)
				}
				if err := add(m); err != nil {
					return path, err
				}
			}
		}
	}
	if missed > 0 {
		return path, fmt.Errorf("regress: %s: %d of %d alphas: %w in %d sweeps", fn, missed, len(alphas), ended.ErrNotConverged, o.MaxIterations)
	}
	return path, nil
}

// some fits models on the Gram matrix, and computes their objectives and gaps. When ctx is done, the last model is the
// one whose descent was interrupted.
func (p *lassoProblem) some(ctx context.Context, alphas []float64, o LassoOptions, exact bool) []*Lasso {
	var models, open []*Lasso
	for _, a := range alphas {
		m := p.gram.solve(ctx, a, o)
		models = append(models, m)
		if exact || !p.gram.isProved(m, o) {
			open = append(open, m)
		}
		if m.Status == ended.Interrupted {
			break
		}
	}
	if len(open) > 0 {
		p.gram.certify(open, o)
		copy(p.gram.w, models[len(models)-1].W) // where the next models begin
	}
	return models
}

// polish returns m if its gap is small enough. Otherwise it continues the descent on the data, which have more digits
// than the Gram matrix.
func (p *lassoProblem) polish(ctx context.Context, m *Lasso, o LassoOptions) *Lasso {
	switch {
	case m.Gap <= o.enough(p.gram.yy, p.gram.n):
		m.Status = ended.Converged
	case m.Status != ended.Interrupted && m.Iterations < o.MaxIterations:
		s := p.descent()
		s.start(m.W)
		return s.solve(ctx, m, m.Alpha, o)
	}
	return m
}

// enough returns the duality gap at which a descent ends. yy is ‖ỹ‖², and n is the sum of the weights.
func (o *LassoOptions) enough(yy, n float64) float64 { return o.Tolerance * yy / (2 * n) }

// finish sets Alpha, Intercept and Active, given W and the means of y and of the features.
func (m *Lasso) finish(my float64, mean []float64, alpha float64) {
	m.Alpha, m.Active = alpha, 0
	m.Intercept = my - floats.Dot(mean, m.W)
	for _, v := range m.W {
		if v != 0 {
			m.Active++
		}
	}
}

// check returns an error if an option is out of range. The error names the option.
func (o *LassoOptions) check(fn string) error {
	bad := func(name string, v any, want string) error {
		return fmt.Errorf("regress: %s: %s is %v, must be %s", fn, name, v, want)
	}
	switch {
	case !(o.Tolerance >= 0 && o.Tolerance < 1):
		return bad("Tolerance", o.Tolerance, "0 or more and less than 1")
	case !(o.L1Ratio >= 0 && o.L1Ratio <= 1):
		return bad("L1Ratio", o.L1Ratio, "above 0 and at most 1")
	case o.MaxIterations < 0:
		return bad("MaxIterations", o.MaxIterations, "0 or more")
	case o.Count < 0:
		return bad("Count", o.Count, "0 or more")
	case !(o.Ratio >= 0 && o.Ratio < 1):
		return bad("Ratio", o.Ratio, "0 or more and less than 1")
	}
	return nil
}

func (o *LassoOptions) setDefaults() {
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
	}
	if o.L1Ratio == 0 {
		o.L1Ratio = 1
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 10000
	}
	if o.Count == 0 {
		o.Count = 50
	}
	if o.Ratio == 0 {
		o.Ratio = 0.001
	}
}

// descent is the state of coordinate descent (J. Friedman, T. Hastie, R. Tibshirani, Regularization paths for
// generalized linear models via coordinate descent, J. Statistical Software 33 (2010)) on the centered data.
type descent struct {
	X      *columns
	my, yy float64 // ȳ and ‖ỹ‖²
	y      []float64
	w      []float64
	all    []int     // all features: 0 to d−1
	q      []float64 // d: X̃'r/n − μw, set by gap
	r      *residual // ỹ − X̃w
	n      float64   // the sum of the weights
}

// newDescent returns the state at w = 0. If the points have weights, the rows of X̃ and ỹ are multiplied by the square
// roots of the weights.
func newDescent(X mat.Matrix, y, weights []float64) *descent {
	n, d := X.Dims()
	my, u := mean(y, weights), roots(weights)
	flat := constant.Values(y) // ỹ would be the rounding error of ȳ
	s := &descent{X: newColumns(X, means(X, weights), u), my: my, y: make([]float64, n), w: make([]float64, d), q: make([]float64, d), n: total(n, weights)}
	for j := range d {
		s.all = append(s.all, j)
	}
	for i, v := range y {
		switch s.y[i] = v - my; {
		case flat:
			s.y[i] = 0
		case u != nil:
			s.y[i] *= u[i]
		}
	}
	s.yy = floats.Dot(s.y, s.y)
	s.r = &residual{base: append([]float64{}, s.y...)}
	s.X.settle(s.r)
	return s
}

// inRange returns an error if squares of the data overflow, or underflow so that the data look constant.
func (s *descent) inRange(fn string) error {
	const most, least = 1e300, 1e-290
	if s.yy > most || math.IsNaN(s.yy) || s.yy < least && floats.Norm(s.y, math.Inf(1)) > 0 {
		return fmt.Errorf("regress: %s: the sum of squares of y about its mean is %.3g: scale y", fn, s.yy)
	}
	for j, q := range s.X.square {
		if q > most || math.IsNaN(q) || q < least && s.X.varies(j) {
			return fmt.Errorf("regress: %s: the sum of squares of feature %d about its mean is %.3g: scale the feature", fn, j, q)
		}
	}
	return nil
}

// alphaMax returns ‖X̃'ỹ‖_∞/n, the smallest weight of ‖w‖₁ at which w is 0.
func (s *descent) alphaMax() float64 {
	r := &residual{base: append([]float64{}, s.y...)}
	s.X.settle(r)
	top := 0.0
	for j := range s.w {
		top = math.Max(top, math.Abs(s.X.dot(j, r)))
	}
	return top / s.n
}

func (s *descent) alphas(o LassoOptions) ([]float64, error) { return pathAlphas(s.alphaMax(), o) }

// pathAlphas returns the alphas of a path, given the smallest weight of ‖w‖₁ at which w is 0.
func pathAlphas(top float64, o LassoOptions) ([]float64, error) {
	if top /= o.L1Ratio; top == 0 {
		return nil, fmt.Errorf("regress: FitLassoPath: no feature varies with y, so there is no largest alpha: pass alphas")
	}
	a := make([]float64, o.Count)
	for k := range a {
		a[k] = top * math.Pow(o.Ratio, float64(k)/math.Max(1, float64(o.Count-1)))
	}
	return a, nil
}

// sweep minimizes F over each of the given coefficients in turn, where alpha is the weight of |w_j|, and mu the weight
// of ½w_j². It returns the largest of the numbers that the method update returns.
func (s *descent) sweep(features []int, alpha, mu float64) (move float64) {
	for _, j := range features {
		move = math.Max(move, s.update(j, alpha, mu))
	}
	return move
}

// update minimizes F over w_j. It returns the size of w_j's change times √h, where h is the curvature of the squared
// error.
func (s *descent) update(j int, alpha, mu float64) float64 {
	h := s.X.square[j] / s.n
	if h == 0 { // constant feature
		return 0
	}
	old := s.w[j]
	u := s.X.dot(j, s.r)/s.n + h*old
	v := 0.0
	if u > alpha {
		v = (u - alpha) / (h + mu)
	} else if u < -alpha {
		v = (u + alpha) / (h + mu)
	}
	if v == old {
		return 0
	}
	s.w[j] = v
	s.X.add(j, old-v, s.r)
	return math.Abs(v-old) * math.Sqrt(h)
}

// start moves to w. nil means 0.
func (s *descent) start(w []float64) {
	clear(s.w)
	copy(s.w, w)
	s.restart()
}

// solve fits the model for alpha, starting at the current w, and stores it in m. The sweeps already in m.Iterations
// count toward the limit. It sweeps over a working set of features until the gap within this set is small, then
// computes the gap of all features, and chooses the next set. It ends when the gap of all features is small enough.
// When the number of sweeps reaches slowSweeps, it calls the method follow once.
func (s *descent) solve(ctx context.Context, m *Lasso, alpha float64, o LassoOptions) *Lasso {
	m.Status = ended.IterationLimit
	enough := o.enough(s.yy, s.n)
	l1, l2 := alpha*o.L1Ratio, alpha*(1-o.L1Ratio)
	var working []int
	followed := false
	for {
		m.Objective, m.Gap = s.gap(s.all, l1, l2)
		m.History = append(m.History, m.Gap)
		if m.Gap <= enough {
			m.Status = ended.Converged
			break
		}
		if ctx.Err() != nil {
			m.Status = ended.Interrupted
			break
		}
		if m.Iterations >= o.MaxIterations {
			break
		}
		if m.Iterations >= slowSweeps && !followed {
			m.Iterations += s.follow(ctx, l1, l2, o.MaxIterations-m.Iterations)
			followed = true
			continue
		}
		limit := o.MaxIterations
		if !followed {
			limit = min(limit, slowSweeps)
		}
		working = choose(working[:0], s.w, s.q, l1)
		sweeps(ctx, s, m, working, l1, l2, math.Max(enough/2, m.Gap/10), limit)
	}
	m.W = append([]float64{}, s.w...)
	m.finish(s.my, s.X.mean, alpha)
	return m
}

// A state is the state of a descent, on the data or on the Gram matrix. alpha is the weight of ‖w‖₁, and mu the weight
// of ½‖w‖². If features are given, the coefficients must be 0 outside them.
type state interface {
	coefficients() []float64
	// sweep minimizes F over each of the given coefficients in turn. It returns 0 if none of them has changed.
	sweep(features []int, alpha, mu float64) (move float64)
	gap(features []int, alpha, mu float64) (objective, gap float64)
	value(features []int, alpha, mu float64) float64 // F
	// restart adapts the state after coefficients have been set.
	restart()
	// save returns a function that undoes restart.
	save() (restore func())
}

// sweeps sweeps over the working set until the gap within this set is at most target or no longer falls, or
// m.Iterations reaches limit. For early sets the callers pass a large target, because there is no point in solving for
// such a set accurately.
func sweeps(ctx context.Context, s state, m *Lasso, working []int, alpha, mu, target float64, limit int) {
	last := math.Inf(1)
	var e extrapolation
	for m.Iterations < limit {
		move := s.sweep(working, alpha, mu)
		m.Iterations++
		if move == 0 || m.Iterations%64 == 0 && ctx.Err() != nil {
			return
		}
		if e.add(s, working, alpha, mu) {
			_, gap := s.gap(working, alpha, mu)
			if gap <= target || gap >= last { // if the gap no longer falls, only rounding errors are left
				return
			}
			last = gap
		}
	}
}

// least is the number of features that a call to choose may add even if w has fewer nonzeros.
const least = 50

// choose appends the working set to the slice dst, and returns the result in ascending order. alpha is the weight of
// ‖w‖₁, and q is the gradient that the method gap of a state has set.
//
// The working set holds the nonzeros of w, and features with w_j = 0 and |q_j| > alpha, whose w_j would not stay 0. Of
// the latter, it holds those with the largest |q_j|: at most as many as w has nonzeros, or 50 (the constant least) if
// that is more.
func choose(dst []int, w, q []float64, alpha float64) []int {
	for j, v := range w {
		if v != 0 {
			dst = append(dst, j)
		}
	}
	nonzeros := len(dst)
	for j, v := range q {
		if w[j] == 0 && math.Abs(v) > alpha {
			dst = append(dst, j)
		}
	}
	more := dst[nonzeros:]
	slices.SortStableFunc(more, func(i, j int) int { return cmp.Compare(math.Abs(q[j]), math.Abs(q[i])) })
	dst = dst[:nonzeros+min(len(more), max(least, nonzeros))]
	slices.Sort(dst)
	return dst
}

// gap returns F and the duality gap F − D. D = (‖ỹ‖² − ‖ỹ − cr‖²)/2n is the value of the dual at θ = r·c/n, where c is
// the largest c <= 1 for which ‖X̃'θ‖_∞ <= α. If mu is not 0, X̃ is extended by the rows √(nμ) I, ỹ by zeros and r by
// −√(nμ) w.
//
// D is at most F(v) for every v, so the gap bounds how far F is above its minimum. Since ‖a‖² >= 2a'b − ‖b‖²,
//
//	‖ỹ − X̃v‖²/2n + α‖v‖₁ >= θ'(ỹ − X̃v) − ½n‖θ‖² + α‖v‖₁ >= θ'ỹ − ½n‖θ‖² = D
//
// because θ'X̃v <= α‖v‖₁. Rounding changes D by a few ε‖ỹ‖²/n.
//
// If some features are not in the given list, w must be 0 for the missing ones, and D bounds F(v) only if v is also 0
// for the missing ones.
func (s *descent) gap(features []int, alpha, mu float64) (objective, gap float64) {
	s.X.settle(s.r)
	rr, top, l1, ww := 0.0, 0.0, 0.0, 0.0
	for _, v := range s.r.base {
		rr += v * v
	}
	for _, j := range features {
		w, q := s.w[j], s.X.dot(j, s.r)/s.n
		if mu > 0 {
			q -= mu * w
			ww += w * w
		}
		s.q[j] = q
		top = math.Max(top, math.Abs(q))
		l1 += math.Abs(w)
	}
	rr += s.n * mu * ww
	objective = rr/(2*s.n) + alpha*l1
	c := 1.0
	if top > alpha {
		c = alpha / top
	}
	dist := c * c * s.n * mu * ww
	for i, v := range s.r.base {
		e := s.y[i] - c*v
		dist += e * e
	}
	return objective, objective - (s.yy-dist)/(2*s.n)
}
