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
// not suffice, FitLasso returns the model so far with an error that wraps ended.ErrNotConverged.
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
// determined by opt.Count and opt.Ratio. opt may be nil. When ctx ends, FitLassoPath returns the models so far with
// ctx's error. If some models did not converge, it returns all models with an error that wraps ended.ErrNotConverged.
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
	s := newDescent(D, ys[0], weights)
	if err := s.inRange(fn); err != nil {
		return nil, err
	}
	if alphas == nil {
		if alphas, err = s.alphas(o); err != nil {
			return nil, err
		}
	}
	var path []*Lasso
	missed := 0
	for k, a := range alphas {
		m := s.solve(ctx, a, o)
		path = append(path, m)
		if m.Status == ended.Interrupted {
			return path, fmt.Errorf("regress: %s: %w at alpha %g", fn, ctx.Err(), a)
		}
		if m.Status != ended.Converged {
			missed++
		}
		progress.Report(o.Recorder, progress.Event{What: "lasso", Step: k + 1, Total: len(alphas), Objective: m.Objective})
	}
	if missed > 0 {
		return path, fmt.Errorf("regress: %s: %d of %d alphas: %w in %d sweeps", fn, missed, len(alphas), ended.ErrNotConverged, o.MaxIterations)
	}
	return path, nil
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

func (s *descent) alphas(o LassoOptions) ([]float64, error) {
	top := s.alphaMax() / o.L1Ratio
	if top == 0 {
		return nil, fmt.Errorf("regress: FitLassoPath: no feature varies with y, so there is no largest alpha: pass alphas")
	}
	a := make([]float64, o.Count)
	for k := range a {
		a[k] = top * math.Pow(o.Ratio, float64(k)/math.Max(1, float64(o.Count-1)))
	}
	return a, nil
}

// update minimizes F over w_j, where alpha is the weight of |w_j|, and mu the weight of ½w_j². It returns the size of
// w_j's change times √h, where h is the curvature of the squared error.
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

// solve fits the model for alpha, starting at the current w. It sweeps over a working set of features until the gap
// within this set is small, then computes the gap of all features, and chooses the next set. It ends when the gap of
// all features is small enough. When the number of sweeps reaches slowSweeps, it calls the method follow once.
func (s *descent) solve(ctx context.Context, alpha float64, o LassoOptions) *Lasso {
	m := &Lasso{Status: ended.IterationLimit}
	enough := o.Tolerance * s.yy / (2 * s.n)
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
		working = s.choose(working[:0], l1)
		// There is no point in solving for an early set accurately.
		target := math.Max(enough/2, m.Gap/10)
		last := math.Inf(1)
		var e extrapolation
		for m.Iterations < o.MaxIterations && (followed || m.Iterations < slowSweeps) {
			move := 0.0
			for _, j := range working {
				move = math.Max(move, s.update(j, l1, l2))
			}
			m.Iterations++
			if move == 0 || m.Iterations%64 == 0 && ctx.Err() != nil {
				break
			}
			if e.add(s, working, l1, l2) {
				_, gap := s.gap(working, l1, l2)
				if gap <= target || gap >= last { // if the gap no longer falls, only rounding errors are left
					break
				}
				last = gap
			}
		}
	}
	m.W = append([]float64{}, s.w...)
	m.Alpha = alpha
	m.Intercept = s.my - floats.Dot(s.X.mean, s.w)
	for _, v := range s.w {
		if v != 0 {
			m.Active++
		}
	}
	return m
}

// least is the number of features that a call of choose may add even if w has fewer nonzeros.
const least = 50

// choose appends the working set to the slice dst, and returns the result in ascending order. alpha is the weight of
// ‖w‖₁.
//
// The working set holds the nonzeros of w, and features with w_j = 0 and |q_j| > alpha, whose w_j would not stay 0. Of
// the latter, it holds those with the largest |q_j|: at most as many as w has nonzeros, or 50 (the constant least) if
// that is more. The method gap must be called first, because it sets q.
func (s *descent) choose(dst []int, alpha float64) []int {
	for j, v := range s.w {
		if v != 0 {
			dst = append(dst, j)
		}
	}
	nonzeros := len(dst)
	for j, q := range s.q {
		if s.w[j] == 0 && math.Abs(q) > alpha {
			dst = append(dst, j)
		}
	}
	more := dst[nonzeros:]
	slices.SortStableFunc(more, func(i, j int) int { return cmp.Compare(math.Abs(s.q[j]), math.Abs(s.q[i])) })
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
