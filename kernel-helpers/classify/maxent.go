package classify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/vmath"
	"overcomplete/ui/progress"
)

// A Maxent is a multinomial logistic regression: P(y = k | x) = e^{z_k} / Σ_j e^{z_j} with z = Wx + b. A
// trained Maxent minimizes
//
//	f(W, b) = −(1/n) Σ_i s_i log P(y_i | x_i) + (α/2) ‖W‖_F²
//
// where s_i = 1 unless classes or points have weights (K. Nigam, J. Lafferty, A. McCallum, Using maximum entropy for
// text classification, 1999). With an L1Ratio ρ the penalty is that of the elastic net,
//
//	α (ρ ‖W‖₁ + ½(1−ρ) ‖W‖_F²)
//
// where ‖W‖₁ is the sum of absolute values; many weights are then 0. The bias b is not penalized. For three or
// more classes, scikit-learn's C corresponds to α = 1/(C n). For two classes, see the package comment.
type Maxent struct {
	W *mat.Dense // K×d, a class per row
	B []float64  // K

	Status      ended.Status
	Iterations  int     // steps of L-BFGS and of Newton's method
	Evaluations int     // number of evaluations of f and its gradient
	Objective   float64 // f at the end
	// Gradient is the largest absolute element of f's gradient at the end. Training subtracts the means from some
	// features, such as those far from 0; the gradient is then the gradient for the shifted features. With an L1Ratio,
	// |w| has several subgradients at w = 0; the subgradient that makes the element smallest is used. With an L1Ratio
	// and two classes, the gradient is with respect to the difference of their weights.
	Gradient float64
	// Gap bounds how far Objective is above its minimum, up to rounding errors of about 1e-15. It is the difference
	// between Objective and the value of a dual solution. This difference is ‖∂f/∂W‖²/2α if ∂f/∂b = 0. If the fit ended
	// with Newton's method, Gap may also be computed from the second derivatives.
	Gap     float64
	History []float64 // f at the start and after each step
}

// String returns a one-line summary.
func (m *Maxent) String() string {
	K, d := size.Of(m.W)
	return fmt.Sprintf("maximum entropy: %d classes, %d features, objective %.4g after %d iterations (%v)", K, d, m.Objective, m.Iterations, m.Status)
}

// MaxentOptions configures FitMaxent. The zero value is usable.
type MaxentOptions struct {
	// Alpha is the strength α of the penalty. 0 means 1e-4. The penalty cannot be switched off: without it, f has no
	// minimum if the classes are separable.
	Alpha float64
	// L1Ratio is ρ, the L1 share of the penalty, 0 to 1. 0 means no L1 penalty. With an L1 penalty and two classes, W_0
	// is −W_1.
	L1Ratio float64
	// Classes is K. 0 means one more than the largest label.
	Classes int
	// Tolerance bounds the largest absolute element of the gradient at the end. Gap bounds Maxent.Gap relative to the
	// objective; it is needed because the gradient alone says little if features are much smaller than 1. If only one
	// bound is given, only that bound must be met. If neither is given, both must be met, with Tolerance 1e-6 and Gap
	// 1e-3. But if rounding errors hide the gradient, as they do for very large features, a gap of 1e-6 is enough.
	Tolerance, Gap float64
	// MaxIterations is the largest number of steps of L-BFGS or, with an L1Ratio, of Newton's method. 0 means 100 steps of
	// L-BFGS (1000 of Newton's method with an L1Ratio). With 0, steps of Newton's method follow if L-BFGS has taken all
	// its steps. If Gap is still missed, up to 50 steps with all second derivatives follow, unless a step would take
	// too long. They help because features of very different sizes do not slow them down.
	MaxIterations int
	// Memory is the number of steps that L-BFGS remembers. 0 means 10. Newton's method does not use Memory.
	Memory int
	// ClassWeights (K) and SampleWeights (n) set the weights of the points: s_i is the weight of the point's class
	// times its sample weight. nil means 1. A point of weight 2 is like two points, except that n stays the number of
	// points. See BalancedWeights.
	ClassWeights, SampleWeights []float64
	// Start is the initial model, for example a model trained on slightly different features or with another
	// α. nil means W = 0, b = 0. The minimum does not depend on Start.
	Start *Maxent
	// Recorder receives an event for each step. It may be nil.
	Recorder progress.Recorder
}

// FitMaxent fits a Maxent to the rows of X (n×d) with labels y (n). opt may be nil. If ctx is done, FitMaxent returns
// the model so far with an error that wraps ctx.Err(). If the tolerance is missed, it returns the model with an error
// that wraps ended.ErrNotConverged. Status then says whether FitMaxent reached MaxIterations or could not improve the
// objective beyond rounding.
//
// Rounding ends the fit for about one in a hundred of the hardest data sets; Gap is still a bound. There are three
// causes. A point may be so far from the others (1e4 times and more) that the curvature in its direction hides the
// other directions. α may be so small that the objective at the minimum is below the rounding error of a loss. Or the
// features may be nearly dependent for this α. In these cases, leave the point out, standardize the features, or
// choose a larger α.
func FitMaxent(ctx context.Context, X mat.Matrix, y []int, opt *MaxentOptions) (*Maxent, error) {
	var o MaxentOptions
	if opt != nil {
		o = *opt
	}
	if err := o.check("FitMaxent"); err != nil {
		return nil, err
	}
	F, K, err := checkLabeledRows("FitMaxent", X, y, o.Classes)
	if err != nil {
		return nil, err
	}
	s, err := pointWeights("FitMaxent", o.ClassWeights, o.SampleWeights, y, K)
	if err != nil {
		return nil, err
	}
	return fitMaxent(ctx, "FitMaxent", F, y, K, s, o)
}

// check returns an error that names an option out of range.
func (o *MaxentOptions) check(fn string) error {
	return inRange(fn, number("Alpha", o.Alpha), option{"L1Ratio", o.L1Ratio, o.L1Ratio >= 0 && o.L1Ratio <= 1, "0 to 1"},
		number("Tolerance", o.Tolerance), number("Gap", o.Gap), count("MaxIterations", o.MaxIterations), count("Memory", o.Memory))
}

// fitMaxent does what FitMaxent does. Its arguments have been checked, and s holds the weights of the points.
func fitMaxent(ctx context.Context, fn string, F features, y []int, K int, s []float64, o MaxentOptions) (*Maxent, error) {
	if o.Alpha == 0 {
		o.Alpha = 1e-4
	}
	enough := 0.0 // if rounding ends the training, a Gap of at most this share of the objective is enough
	switch {
	case o.Tolerance == 0 && o.Gap == 0:
		o.Tolerance, o.Gap, enough = 1e-6, 1e-3, smallGap
	case o.Tolerance == 0:
		o.Tolerance = math.Inf(1)
	case o.Gap == 0:
		o.Gap = math.Inf(1)
	}
	limit := o.MaxIterations
	switch {
	case limit > 0:
	case o.L1Ratio > 0:
		o.MaxIterations = 1000
	default:
		o.MaxIterations = 100 // newtonCG follows
	}
	if o.Memory == 0 {
		o.Memory = 10
	}
	if ctx == nil {
		ctx = context.Background()
	}
	var shift, square []float64
	if o.L1Ratio == 0 {
		F, shift, square = nearer(F)
	}
	_, d := F.dims()
	theta := make([]float64, K*d+K) // W by rows, then b
	if s := o.Start; s != nil {
		if s.W == nil {
			panic(fmt.Sprintf("classify: %s: Start has no W", fn))
		}
		if r, c := s.W.Dims(); r != K || c != d || len(s.B) != K {
			panic(fmt.Sprintf("classify: %s: Start has a %d×%d W, this model is %d×%d", fn, r, c, K, d))
		}
		for k := range K {
			copy(theta[k*d:(k+1)*d], s.W.RawRowView(k))
		}
		copy(theta[K*d:], s.B)
	}
	m := &Maxent{W: mat.NewDense(K, d, theta[:K*d:K*d]), B: theta[K*d:]}
	each := func(step int, f float64) {
		m.History = append(m.History, f)
		progress.Report(o.Recorder, progress.Event{What: "maxent", Step: step, Total: o.MaxIterations, Objective: f})
	}
	if o.L1Ratio > 0 {
		e, err := newElasticNet(F, y, K, s, o.Alpha, o.L1Ratio)
		if err != nil {
			return nil, fmt.Errorf("classify: %s: %w", fn, err)
		}
		e.start(m)
		e.run(ctx, &o, m, each)
		e.store(m)
		return m.ended(ctx, fn)
	}
	m.moveBias(shift, 1)
	work := newMaxentWork(F, y, K, s)
	// If there are units, the minimizer's variables are theta divided by unit.
	unit := weightUnits(square, K, o.Alpha)
	scaled := func(x, unit []float64) []float64 {
		if unit == nil {
			return x
		}
		return floats.MulTo(make([]float64, len(x)), x, unit)
	}
	inverse := slices.Clone(unit)
	for i, u := range unit {
		inverse[i] = 1 / u
	}
	start := scaled(theta, inverse)
	res := (&minimizer{
		memory: o.Memory, steps: o.MaxIterations, tolerance: o.Tolerance, ctx: ctx,
		eval: func(x, g []float64) float64 {
			f := work.objective(scaled(x, unit), g, o.Alpha)
			copy(g, scaled(g, unit))
			return f
		},
		gmax: func(g []float64) float64 { return maxAbs(scaled(g, inverse)) },
		near: func(x, g []float64, f float64) bool {
			x, g = scaled(x, unit), scaled(g, inverse)
			// The gap costs as much as a step, so it is computed only if it may be small enough.
			return math.IsInf(o.Gap, 1) || penaltyGap(g[:K*d], o.Alpha) <= o.Gap*f && work.gap(x, g, o.Alpha) <= o.Gap*f
		},
		each: func(step int, f, _ float64) { each(step, f) },
	}).run(start)
	copy(theta, scaled(start, unit))
	m.Status, m.Iterations, m.Evaluations = res.status, res.steps, res.evaluations
	m.Objective, m.Gradient, m.Gap = res.f, res.gmax, work.gap(theta, scaled(res.g, inverse), o.Alpha)
	if limit == 0 && m.Status == ended.IterationLimit {
		s := newNewtonCG(work, o.Alpha)
		s.each = func(f float64) {
			m.Iterations++
			each(m.Iterations, f)
		}
		s.near = func(x, g []float64, f float64) bool {
			m.Evaluations++
			return maxAbs(g) <= o.Tolerance && (math.IsInf(o.Gap, 1) || work.gap(x, g, o.Alpha) <= o.Gap*f)
		}
		var g []float64
		m.Objective, g, m.Status = s.run(ctx, theta)
		m.Gradient, m.Gap = maxAbs(g), work.gap(theta, g, o.Alpha)
	}
	share := o.Gap
	if enough > 0 {
		share = enough
	}
	if limit == 0 && !(m.Gap <= share*m.Objective) && !math.IsInf(share, 1) {
		m.polish(ctx, work, theta, o.Alpha, share, func(f float64) { each(m.Iterations, f) })
	}
	if m.Status == ended.NoProgress && (m.Gap <= enough*m.Objective || m.Gradient <= o.Tolerance && m.Gap <= o.Gap*m.Objective) {
		m.Status = ended.Converged
	}
	m.moveBias(shift, -1)
	return m.ended(ctx, fn)
}

// ended returns the model, with an error unless the model has converged. It returns nil for the model if the objective
// is NaN.
func (m *Maxent) ended(ctx context.Context, fn string) (*Maxent, error) {
	switch {
	case math.IsNaN(m.Objective) || math.IsNaN(m.Gradient):
		return nil, fmt.Errorf("classify: %s: the objective is %v: the scores overflow, scale the features", fn, m.Objective)
	case m.Status == ended.Interrupted:
		return m, fmt.Errorf("classify: %s: %w at step %d", fn, ctx.Err(), m.Iterations)
	case m.Status != ended.Converged:
		return m, fmt.Errorf("classify: %s: %w: %v after %d steps, largest gradient %.2g, gap %.2g beside an objective of %.4g (standardized features or a larger Alpha take fewer steps)", fn, ended.ErrNotConverged, m.Status, m.Iterations, m.Gradient, m.Gap, m.Objective)
	}
	return m, nil
}

// FitMaxentPath fits a Maxent for each α in alphas, in order. Each fit starts from the model before it, so descending
// alphas are fastest. If alphas is nil, there are 50 values, evenly spaced on a logarithmic scale, from the smallest α
// with W = 0 down to a thousandth of it. L1Ratio must then not be 0, because with L2 alone there is no such α. opt may
// be nil; its Alpha is not used. When ctx is done, FitMaxentPath returns the models so far with ctx's error. If some
// models did not converge, it returns all models with an error that wraps ended.ErrNotConverged.
func FitMaxentPath(ctx context.Context, X mat.Matrix, y []int, alphas []float64, opt *MaxentOptions) ([]*Maxent, error) {
	const fn = "FitMaxentPath"
	var o MaxentOptions
	if opt != nil {
		o = *opt
	}
	o.Alpha = 0
	if err := o.check(fn); err != nil {
		return nil, err
	}
	for i, a := range alphas {
		if !(a > 0) || math.IsInf(a, 0) {
			return nil, fmt.Errorf("classify: %s: alpha[%d] is %v, must be positive and finite", fn, i, a)
		}
	}
	if alphas == nil && o.L1Ratio == 0 {
		return nil, fmt.Errorf("classify: %s: there are no alphas, and L1Ratio is 0: pass alphas", fn)
	}
	F, K, err := checkLabeledRows(fn, X, y, o.Classes)
	if err != nil {
		return nil, err
	}
	s, err := pointWeights(fn, o.ClassWeights, o.SampleWeights, y, K)
	if err != nil {
		return nil, err
	}
	if alphas == nil {
		e, err := newElasticNet(F, y, K, s, 1, o.L1Ratio)
		if err != nil {
			return nil, fmt.Errorf("classify: %s: %w", fn, err)
		}
		top := e.alphaMax() / o.L1Ratio
		if top == 0 {
			return nil, fmt.Errorf("classify: %s: no feature varies with the labels, so there is no largest alpha: pass alphas", fn)
		}
		for k := range 50 {
			alphas = append(alphas, top*math.Pow(1e-3, float64(k)/49))
		}
	}
	var path []*Maxent
	missed := 0
	for _, a := range alphas {
		o.Alpha = a
		m, err := fitMaxent(ctx, fn, F, y, K, s, o)
		if m != nil {
			path = append(path, m)
		}
		if ended.Accept(err) != nil {
			return path, fmt.Errorf("%w (alpha %g)", err, a)
		}
		if err != nil {
			missed++
		}
		o.Start = m
	}
	if missed > 0 {
		return path, fmt.Errorf("classify: %s: %d of %d alphas: %w", fn, missed, len(alphas), ended.ErrNotConverged)
	}
	return path, nil
}

// MaxentObjective returns f(W, b) (see Maxent) on the rows of X (n×d), and its gradients
//
//	∂f/∂W = (P − Y)'X/n + αW   K×d,     ∂f/∂b = (P − Y)'1/n   K,
//
// where P (n×K) holds the predicted probabilities and Y (n×K) is 1 at the labels.
func MaxentObjective(W mat.Matrix, b []float64, X mat.Matrix, y []int, alpha float64) (f float64, dW *mat.Dense, db []float64) {
	w := given.Dense("classify: MaxentObjective", "W", W)
	K, d := w.Dims()
	F := inputRows("MaxentObjective", X, d)
	n, _ := F.dims()
	checkLabels("MaxentObjective", y, n, K)
	if len(b) != K {
		panic(fmt.Sprintf("classify: MaxentObjective: W is %d×%d and b has %d", K, d, len(b)))
	}
	theta, g := make([]float64, K*d+K), make([]float64, K*d+K)
	for k := range K {
		copy(theta[k*d:], w.RawRowView(k))
	}
	copy(theta[K*d:], b)
	f = newMaxentWork(F, y, K, nil).objective(theta, g, alpha)
	return f, mat.NewDense(K, d, g[:K*d:K*d]), g[K*d:]
}

// The points are divided into shards of about equal size, which run in parallel. The shards are always the same, so
// that sums do not depend on the number of processors. A shard is divided into blocks, so small that a block stays in
// the cache between the two products that use it.
const (
	shards    = 8
	blockRows = 128
)

type maxentWork struct {
	X    features
	y    []int
	s    []float64 // weights of the points; nil means 1
	K, d int
	loss [shards]float64
	grad [shards][]float64 // gradient of the summed loss: K·d for W, then K for b
	Z    [shards][]float64 // blockRows×K
}

func newMaxentWork(X features, y []int, K int, s []float64) *maxentWork {
	_, d := X.dims()
	w := &maxentWork{X: X, y: y, s: s, K: K, d: d}
	for s := range shards {
		w.grad[s] = make([]float64, K*d+K)
		w.Z[s] = make([]float64, blockRows*K)
	}
	return w
}

// manyUnits is the ratio of the objective's curvatures above which the minimizer needs units (see weightUnits).
const manyUnits = 1e8

// weightUnits returns units for the variables (K·d for W, then K for b). They are powers of two, and in these units
// the objective has a curvature of about ¼ in all variables. weightUnits returns nil if no units are needed,
// because the largest curvature without them is at most manyUnits times the smallest. The more the curvatures
// differ, the more steps L-BFGS takes; if they differ very much, rounding stops it. square (d) holds the mean
// square of each feature.
func weightUnits(square []float64, K int, alpha float64) []float64 {
	least, most := 0.25, 0.25
	unit := make([]float64, len(square))
	for j, v := range square {
		if unit[j] = 1; v == 0 {
			continue
		}
		curvature := v/4 + alpha
		least, most = math.Min(least, curvature), math.Max(most, curvature)
		_, e := math.Frexp(4 * curvature)
		unit[j] = math.Ldexp(1, -e/2)
	}
	if !(most > manyUnits*least) || math.IsInf(most, 1) {
		return nil
	}
	return append(slices.Repeat(unit, K), slices.Repeat([]float64{1}, K)...)
}

// penaltyGap returns ‖g‖²/2α.
func penaltyGap(g []float64, alpha float64) float64 {
	norm := floats.Norm(g, 2)
	return norm / alpha * norm / 2
}

// gap returns Maxent.Gap at theta, given the gradient g at theta. Since −log P(c) = max_q q'z + H(q) − z_c over
// probabilities q, where H is the entropy, any probabilities Q (n×K) give a lower bound of f. The bound is the minimum
// of a quadratic function of W; it is finite if Q gives each class as much weight as the labels do. The objective minus
// the bound is then
//
//	(1/n) Σ_i s_i KL(q_i ‖ p_i) + ‖∂f/∂W + (1/n) Σ_i s_i (q_i − p_i)x_i'‖² / 2α
//
// Here Q is P after moving as little probability as necessary from classes with too much weight to the others.
func (w *maxentWork) gap(theta, g []float64, alpha float64) float64 {
	n, _ := w.X.dims()
	K, wide := w.K, w.K*w.d
	want := make([]float64, K) // the weight of the labels
	for i, c := range w.y {
		if w.s == nil {
			want[c]++
		} else {
			want[c] += w.s[i]
		}
	}
	keep, share := make([]float64, K), make([]float64, K) // q = p·keep + moved·share
	missing := 0.0
	for k, v := range want {
		keep[k] = 1
		if more := float64(n) * g[wide+k]; more > 0 {
			keep[k] = v / (v + more)
		} else {
			share[k] = -more
			missing -= more
		}
	}
	if missing > 0 {
		floats.Scale(1/missing, share)
	}
	// With Q in place of P, the gradient of a loss changes by Q − P.
	parallel.Do(shards, 0, func(s int) {
		w.loss[s] = w.shard(theta, s, func(z []float64, _ int) (kl float64) {
			logSum, moved := vmath.LogSumExp(z), 0.0
			for k, v := range z {
				moved += math.Exp(v-logSum) * (1 - keep[k])
			}
			for k, v := range z {
				p := math.Exp(v - logSum)
				switch more, q := moved*share[k], p*keep[k]; {
				case more > 1e-3*p: // p may be 0
					kl += (p + more) * (math.Log(p+more) - (v - logSum))
					z[k] = more
				case more > 0:
					kl += (p + more) * math.Log1p(more/p)
					z[k] = more
				default:
					z[k] = q - p
					if q > 0 {
						kl += q * math.Log(keep[k])
					}
				}
			}
			return kl
		})
	})
	step, kl := make([]float64, wide), 0.0
	for s := range shards {
		kl += w.loss[s]
		floats.Add(step, w.grad[s][:wide])
	}
	floats.Scale(1/float64(n), step)
	floats.Add(step, g[:wide])
	return math.Max(0, kl/float64(n)) + penaltyGap(step, alpha)
}

// objective returns f at theta = (W, b), and stores its gradient in g.
func (w *maxentWork) objective(theta, g []float64, alpha float64) float64 {
	return w.sum(theta, g, alpha, func(z []float64, i int) float64 { return crossEntropy(z, w.y[i]) })
}

// sum returns Σ_i s_i loss_i / n + α/2 ‖W‖² at theta and stores its gradient in g. loss takes the scores z and the
// index of a point, returns the loss of the point, and overwrites z with the gradient of this loss.
func (w *maxentWork) sum(theta, g []float64, alpha float64, loss func(z []float64, i int) float64) float64 {
	n, _ := w.X.dims()
	parallel.Do(shards, 0, func(s int) { w.loss[s] = w.shard(theta, s, loss) })
	f := 0.0
	clear(g)
	for s := range shards {
		f += w.loss[s]
		for i, v := range w.grad[s] {
			g[i] += v
		}
	}
	f /= float64(n)
	for i := range g {
		g[i] /= float64(n)
	}
	norm2 := 0.0
	for i, v := range theta[:w.K*w.d] {
		norm2 += v * v
		g[i] += alpha * v
	}
	return f + alpha/2*norm2
}

// shard returns the sum of the losses over shard s, one of the parts into which the points are divided, and stores its
// gradient in w.grad[s]. pointLoss takes the scores and the index of a point, returns the loss, and overwrites the
// scores with the loss's gradient.
func (w *maxentWork) shard(theta []float64, s int, pointLoss func(z []float64, i int) float64) float64 {
	n, _ := w.X.dims()
	K, d := w.K, w.d
	grad := w.grad[s]
	clear(grad)
	W := blas64.General{Rows: K, Cols: d, Stride: d, Data: theta[:K*d]}
	G := blas64.General{Rows: K, Cols: d, Stride: d, Data: grad[:K*d]}
	b, gb := theta[K*d:], grad[K*d:]
	loss := 0.0
	for from := s * n / shards; from < (s+1)*n/shards; from += blockRows {
		to := min(from+blockRows, (s+1)*n/shards)
		Z := blas64.General{Rows: to - from, Cols: K, Stride: K, Data: w.Z[s][:(to-from)*K]}
		for i := range to - from {
			copy(Z.Data[i*K:], b)
		}
		w.X.addTimes(Z, W, from, to) // Z = XW' + 1b': rows×K
		for i := range to - from {
			l := pointLoss(Z.Data[i*K:(i+1)*K], from+i) // Z becomes P − Y
			if w.s != nil {
				l *= w.s[from+i]
				floats.Scale(w.s[from+i], Z.Data[i*K:(i+1)*K])
			}
			loss += l
			for k, r := range Z.Data[i*K : (i+1)*K] {
				gb[k] += r
			}
		}
		w.X.addTransposed(G, Z, from, to) // G += (P − Y)'X: K×d
	}
	return loss
}

// crossEntropy returns −log P(c) for scores z, and overwrites z with its gradient, P − Y.
func crossEntropy(z []float64, c int) float64 {
	top := 0
	for k, v := range z {
		if v > z[top] {
			top = k
		}
	}
	zc, ztop := z[c], z[top]
	vmath.Softmax(z, z)
	// log Σe^z = z_top − log P(top). Since P(top) >= 1/K, its logarithm is safe to compute.
	loss := ztop - math.Log(z[top]) - zc
	z[c]--
	return loss
}

// moveBias adds sign times W·shift to b.
func (m *Maxent) moveBias(shift []float64, sign float64) {
	for k := range m.B {
		if shift != nil {
			m.B[k] += sign * floats.Dot(m.W.RawRowView(k), shift)
		}
	}
}

// Scores returns z = XW' + 1b' for the rows of X (n×d): n×K.
func (m *Maxent) Scores(X mat.Matrix) *mat.Dense {
	Z, _ := affine(context.Background(), "Scores", X, m.W, m.B) // this context never ends
	return Z
}

// affine returns XW' + 1b' (n×K) for X (n×d) and W (K×d). If ctx is done, it returns ctx's error. It panics, with a
// message that names the function fn, if W is nil or does not fit X.
func affine(ctx context.Context, fn string, X mat.Matrix, W *mat.Dense, b []float64) (*mat.Dense, error) {
	mustBeTrained(fn, W)
	_, d := W.Dims()
	var Z mat.Dense
	if S, ok := X.(*csr.Matrix); ok && S != nil {
		Z = *inputSparse(fn, S, d).Mul(mat.DenseCopyOf(W.T()))
	} else if err := product.Mul(ctx, &Z, input(fn, X, d), W.T()); err != nil {
		return nil, err
	}
	n, _ := Z.Dims()
	for i := range n {
		row := Z.RawRowView(i)
		for k, v := range b {
			row[k] += v
		}
	}
	return &Z, nil
}

// Probabilities returns P(y = k | x) for the rows of X (n×d): n×K. Rows sum to 1.
func (m *Maxent) Probabilities(X mat.Matrix) *mat.Dense {
	P := m.Scores(X)
	softmaxRows(P)
	return P
}

func softmaxRows(P *mat.Dense) {
	n, _ := P.Dims()
	for i := range n {
		vmath.Softmax(P.RawRowView(i), P.RawRowView(i))
	}
}

// Predict returns the class with the largest probability for each row of X (n×d).
func (m *Maxent) Predict(X mat.Matrix) []int { return largest(m.Scores(X)) }

// Loss returns the mean cross entropy −(1/n) Σ log P(y_i | x_i), without the penalty.
func (m *Maxent) Loss(X mat.Matrix, y []int) float64 {
	Z := m.Scores(X)
	n, K := Z.Dims()
	checkLabels("Loss", y, n, K)
	f := 0.0
	for i, c := range y {
		f += crossEntropy(Z.RawRowView(i), c) / float64(n)
	}
	return f
}

// InputGradient returns the mean loss of the points, as the method Loss does, and the gradient of this mean with
// respect to the points themselves,
//
//	∂Loss/∂X = (P − Y)W/n   n×d,
//
// for back-propagation to the source of the features. P (n×K) holds the predicted probabilities, and Y (n×K) is 1 at
// the labels. This is the gradient of the MEAN loss: n times row i is the gradient of the loss of point i alone.
func (m *Maxent) InputGradient(X mat.Matrix, y []int) (loss float64, dX *mat.Dense) {
	Z := m.Scores(X)
	n, K := Z.Dims()
	checkLabels("InputGradient", y, n, K)
	for i, c := range y {
		loss += crossEntropy(Z.RawRowView(i), c) / float64(n)
	}
	dX = new(mat.Dense)
	dX.Mul(Z, m.W) // n×K times K×d
	dX.Scale(1/float64(n), dX)
	return loss, dX
}
