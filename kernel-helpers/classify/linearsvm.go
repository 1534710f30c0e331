package classify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/internal/twofloat"
	"overcomplete/ui/progress"
)

// Loss selects the loss of a LinearSVM.
type Loss int

const (
	// SquaredHinge is max(0, 1 − yz)², LIBLINEAR's L2 loss.
	SquaredHinge Loss = iota
	// Hinge is max(0, 1 − yz), LIBLINEAR's L1 loss.
	Hinge
)

// A LinearSVM has one linear machine per class, which separates this class from the rest. Let y_i be 1 for the points
// of the class and −1 for all others, x̃ = (x, BiasValue) and w̃ = (w, b / BiasValue). Each machine minimizes
//
//	P(w̃) = ½ ‖w̃‖² + C Σ_i s_i loss(y_i w̃'x̃_i)
//
// where s_i = 1 unless classes or points have weights. So the bias is penalized, as in LIBLINEAR; a larger BiasValue
// penalizes it less.
type LinearSVM struct {
	W *mat.Dense // K×d, a machine per row
	B []float64  // K

	Status     ended.Status // Converged if all machines converged, otherwise the worst status of a machine
	Iterations []int        // for each machine, the number of sweeps over the points plus the steps of other methods
	Objective  []float64    // P of each machine
	Gap        []float64    // P minus a dual value: P exceeds its minimum by at most Gap. Negative only because of rounding
	History    [][]float64  // for each machine, the violation of the KKT conditions after each sweep
}

// String returns a one-line summary.
func (m *LinearSVM) String() string {
	K, d := size.Of(m.W)
	return fmt.Sprintf("linear SVM: %d machines on %d features, %d iterations (%v)", K, d, total(m.Iterations), m.Status)
}

func total(counts []int) (sum int) {
	for _, c := range counts {
		sum += c
	}
	return sum
}

// LinearSVMOptions configures FitLinearSVM. The zero value is usable.
type LinearSVMOptions struct {
	C         float64 // weight of the loss. 0 means 1
	Loss      Loss    // the zero value is SquaredHinge
	BiasValue float64 // 0 means 1
	Classes   int     // K. 0 means one more than the largest label
	// ClassWeights (K) and SampleWeights (n) set the weights of the points: s_i is the weight of the point's class
	// times its sample weight. nil means 1. The weights apply in all machines, like sample_weight in scikit-learn's
	// LinearSVC.
	ClassWeights, SampleWeights []float64
	// Coordinate descent ends when the projected gradients of the dual differ by at most Tolerance. 0 means 1e-3. (The
	// methods that may follow end when the duality gap is at most 1e-6 of the objective.)
	Tolerance float64
	// The duality gap must also be at most Gap times the objective. 0 means 0.01. (Small gradients alone do not imply a
	// small gap: LIBLINEAR, which requires only small gradients, ends with gaps of a tenth of the objective or more if
	// features are large.)
	Gap float64
	// MaxIterations is the largest number of sweeps over the points. 0 means 1000. With 0 and at most 1000 features,
	// there are fewer sweeps. Newton steps (for the squared hinge) or up to 100 steps of an interior point method then
	// follow, because many points or features of very different sizes do not slow these methods down.
	MaxIterations int
	// Seed determines the order of the points.
	Seed uint64
	// Recorder receives an event for each finished machine. It may be nil.
	Recorder progress.Recorder
}

// FitLinearSVM trains on the rows of X (n×d) with labels y (n) by coordinate descent on the dual (C.-J. Hsieh
// and others, A dual coordinate descent method for large-scale linear SVM, ICML 2008). opt may be nil. If
// machines miss their tolerance, the error wraps ended.ErrNotConverged; if ctx is done, the error wraps
// ctx.Err(). In both cases the model is returned too, with objectives that are at most those of w̃ = 0.
func FitLinearSVM(ctx context.Context, X mat.Matrix, y []int, opt *LinearSVMOptions) (*LinearSVM, error) {
	var o LinearSVMOptions
	if opt != nil {
		o = *opt
	}
	if err := inRange("FitLinearSVM", number("C", o.C), number("Tolerance", o.Tolerance), number("Gap", o.Gap), number("BiasValue", o.BiasValue),
		count("MaxIterations", o.MaxIterations), option{"Loss", int(o.Loss), o.Loss >= 0 && o.Loss <= Hinge, "SquaredHinge or Hinge"}); err != nil {
		return nil, err
	}
	F, K, err := checkLabeledRows("FitLinearSVM", X, y, o.Classes)
	if err != nil {
		return nil, err
	}
	if _, err := counts("FitLinearSVM", y, K); err != nil {
		return nil, err
	}
	if o.C == 0 {
		o.C = 1
	}
	if o.BiasValue == 0 {
		o.BiasValue = 1
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-3
	}
	if o.Gap == 0 {
		o.Gap = 0.01
	}
	second := o.MaxIterations == 0 // whether another method may follow
	if ctx == nil {
		ctx = context.Background()
	}
	s, err := pointWeights("FitLinearSVM", o.ClassWeights, o.SampleWeights, y, K)
	if err != nil {
		return nil, err
	}
	n, d := F.dims()
	x := pointsOf(F)
	second = second && d <= secondFeatures
	switch {
	case second:
		o.MaxIterations = sweepsBefore(x, d, o.Loss)
	case o.MaxIterations == 0:
		o.MaxIterations = 1000
	}
	norms := make([]float64, n) // ‖x̃_i‖²
	for i := range n {
		norms[i] = x[i].squaredNorm() + o.BiasValue*o.BiasValue
		if !(norms[i] <= 1e300) {
			return nil, fmt.Errorf("classify: FitLinearSVM: the squares of point %d overflow: scale the features", i)
		}
	}
	m := &LinearSVM{
		W: mat.NewDense(K, d, nil), B: make([]float64, K), Status: ended.Converged,
		Iterations: make([]int, K), Objective: make([]float64, K), Gap: make([]float64, K), History: make([][]float64, K),
	}
	status := make([]ended.Status, K)
	var lock sync.Mutex
	done := 0
	first := 0
	if K == 2 {
		first = 1 // the machine of class 0 is the same with the opposite sign
	}
	parallel.Do(K-first, 0, func(k int) {
		k += first
		s := &dualDescent{x: x, y: make([]float64, n), s: s, norms: norms, opt: o, w: m.W.RawRowView(k)}
		for i, c := range y {
			s.y[i] = -1
			if c == k {
				s.y[i] = 1
			}
		}
		status[k] = s.run(ctx, rand.New(rand.NewPCG(o.Seed, uint64(k))))
		s.bound = s.dualBound()
		unfinished := func() bool { return second && status[k] != ended.Converged && status[k] != ended.Interrupted }
		if unfinished() && o.Loss == SquaredHinge {
			status[k] = s.primal(ctx)
		}
		if unfinished() {
			status[k] = s.interior(ctx)
		}
		s.shrink()
		m.B[k] = s.b * o.BiasValue
		m.Iterations[k], m.History[k] = len(s.history), s.history
		m.Objective[k], _ = s.values()
		m.Gap[k] = m.Objective[k] - s.bound
		if status[k] == ended.Converged && m.Gap[k] > (o.Gap+1e-6)*m.Objective[k] {
			status[k] = ended.NoProgress // rounding errors had hidden a part of the gap
		}
		lock.Lock()
		defer lock.Unlock()
		done++
		progress.Report(o.Recorder, progress.Event{What: "linear SVM", Step: done, Total: K - first, Objective: m.Objective[k]})
	})
	if K == 2 {
		floats.ScaleTo(m.W.RawRowView(0), -1, m.W.RawRowView(1))
		m.B[0] = -m.B[1]
		status[0], m.Iterations[0], m.History[0], m.Objective[0], m.Gap[0] = status[1], m.Iterations[1], m.History[1], m.Objective[1], m.Gap[1]
	}
	for _, s := range status {
		m.Status = max(m.Status, s)
	}
	if m.Status == ended.Interrupted {
		return m, fmt.Errorf("classify: FitLinearSVM: %w", ctx.Err())
	}
	return m, ended.Missed("classify: FitLinearSVM", "machines", status)
}

// dualDescent minimizes the dual (4) of Hsieh and others,
//
//	½ α'Q̄α − Σ α_i,  0 <= α_i <= U_i,  Q̄_ij = y_i y_j x̃_i'x̃_j + D_ij.
//
// D is diagonal. For the hinge, U_i = C s_i and D_ii = 0. For the squared hinge, U_i = ∞ and D_ii = 1/(2C s_i). Points
// of weight 0 are ignored.
type dualDescent struct {
	x       []point
	y       []float64
	s       []float64 // weights of the points; nil means 1
	norms   []float64
	opt     LinearSVMOptions
	alpha   []float64
	w       []float64 // w = Σ α_i y_i x_i, kept up to date
	b       float64   // the weight of the constant feature, also kept up to date
	bound   float64   // the largest known dual value
	history []float64
}

// weight returns s_i.
func (s *dualDescent) weight(i int) float64 {
	if s.s == nil {
		return 1
	}
	return s.s[i]
}

func (s *dualDescent) bounds(i int) (U, D float64) {
	C := s.opt.C * s.weight(i)
	if s.opt.Loss == Hinge {
		return C, 0
	}
	return math.Inf(1), 0.5 / C
}

// order returns the points of nonzero weight in random order.
func (s *dualDescent) order(rng *rand.Rand) []int {
	all := rng.Perm(len(s.y))
	if s.s == nil {
		return all
	}
	return slices.DeleteFunc(all, func(i int) bool { return s.s[i] == 0 })
}

// run performs coordinate descent with shrinking, algorithm 3 of Hsieh and others: it sets aside points whose α_i will
// probably stay at a bound, and returns to them at the end.
func (s *dualDescent) run(ctx context.Context, rng *rand.Rand) ended.Status {
	bias := s.opt.BiasValue
	s.alpha = make([]float64, len(s.y))
	active := s.order(rng) // active[:size] are the points that are not shrunk
	n := len(active)
	size := n
	tolerance := s.opt.Tolerance
	topOld, bottomOld := math.Inf(1), math.Inf(-1) // M̄ and m̄
	for len(s.history) < s.opt.MaxIterations {
		if ctx.Err() != nil {
			return ended.Interrupted
		}
		top, bottom := math.Inf(-1), math.Inf(1) // M and m
		rng.Shuffle(size, func(a, b int) { active[a], active[b] = active[b], active[a] })
		for a := 0; a < size; a++ {
			i := active[a]
			x, y, old := &s.x[i], s.y[i], s.alpha[i]
			U, D := s.bounds(i)
			G := y*(x.dot(s.w)+s.b*bias) - 1 + D*old
			PG := G // the projected gradient (8)
			switch {
			case old == 0:
				if G > topOld { // shrink this point: α will stay at 0
					size--
					active[a], active[size] = active[size], active[a]
					a--
					continue
				}
				PG = math.Min(G, 0)
			case old == U:
				if G < bottomOld { // shrink this point: α will stay at U
					size--
					active[a], active[size] = active[size], active[a]
					a--
					continue
				}
				PG = math.Max(G, 0)
			}
			top, bottom = math.Max(top, PG), math.Min(bottom, PG)
			if math.Abs(PG) < 1e-12 {
				continue
			}
			s.alpha[i] = math.Min(math.Max(old-G/(s.norms[i]+D), 0), U) // (9)
			step := (s.alpha[i] - old) * y
			x.addTo(s.w, step)
			s.b += step * bias
		}
		if size == 0 {
			top, bottom = 0, 0
		}
		s.history = append(s.history, top-bottom)
		if top-bottom <= tolerance {
			if size == n {
				if s.isConverged() {
					return ended.Converged
				}
				if tolerance /= 4; tolerance < 1e-13 {
					return ended.NoProgress
				}
			}
			size = n // once more with all points
			topOld, bottomOld = math.Inf(1), math.Inf(-1)
			continue
		}
		topOld, bottomOld = math.Inf(1), math.Inf(-1)
		if top > 0 {
			topOld = top
		}
		if bottom < 0 {
			bottomOld = bottom
		}
	}
	return ended.IterationLimit
}

// isConverged reports whether the duality gap is within the requested bound.
func (s *dualDescent) isConverged() bool {
	primal, dual := s.values()
	return primal-dual <= s.opt.Gap*primal
}

// zero returns P(0), the objective at w̃ = 0.
func (s *dualDescent) zero() float64 {
	sum := 0.0
	for i := range s.y {
		sum += s.opt.C * s.weight(i)
	}
	return sum
}

// values returns P(w̃) and the dual value D(α) = Σ α_i − ½ Σ D_ii α_i² − ½ ‖w̃‖². If w̃ = Σ α_i y_i x̃_i and α is
// within its bounds, D(α) is at most P(v) for every v. To see this, let m_i = 1 − y_i v'x̃_i. Then
//
//	P(v) >= ½‖v‖² + Σ α_i m_i − ½ Σ D_ii α_i² = ½‖v − w̃‖² + D(α)
//
// because the loss of point i is at least α_i m_i − ½D_ii α_i². For the hinge, D_ii is 0, and C s_i max(0, m_i) >= α_i
// m_i. For the squared hinge, C s_i max(0, m_i)² is the maximum of α_i m_i − ½D_ii α_i² over all α_i >= 0.
func (s *dualDescent) values() (primal, dual float64) {
	ww := floats.Dot(s.w, s.w) + s.b*s.b
	primal = ww / 2
	dual = -ww / 2
	for i, a := range s.alpha {
		weight := s.weight(i)
		if weight == 0 {
			continue
		}
		_, D := s.bounds(i)
		xi := math.Max(0, 1-s.y[i]*(s.x[i].dot(s.w)+s.b*s.opt.BiasValue))
		if s.opt.Loss == SquaredHinge {
			xi *= xi
		}
		primal += s.opt.C * weight * xi
		dual += a - D/2*a*a
	}
	return primal, dual
}

// dualBound returns D(α); see values. D(α) is a bound only if w̃ equals Σ α_i y_i x̃_i. If features are large
// or far from 0, rounding may have made w̃ too inaccurate; then dualBound computes the sum with twice as many
// digits.
func (s *dualDescent) dualBound() float64 {
	_, dual := s.values()
	d := len(s.w)
	w := append(append(make([]float64, 0, d+1), s.w...), s.b)
	sum, size := make([]float64, d+1), make([]float64, d+1) // Σ α_i y_i x̃_i, and the same sum of absolute values
	nonzeros := 0.0
	for i, a := range s.alpha {
		if a == 0 {
			continue
		}
		nonzeros++
		s.x[i].visit(func(j int, x float64) {
			sum[j] += a * s.y[i] * x
			size[j] += a * math.Abs(x)
		})
		sum[d] += a * s.y[i] * s.opt.BiasValue
		size[d] += a * s.opt.BiasValue
	}
	lost := 0.0
	for j, v := range w {
		e := math.Abs(sum[j]-v) + nonzeros*0x1p-52*size[j]
		lost += e * (math.Abs(v) + e)
	}
	if lost <= 1e-10*dual {
		return dual
	}
	exact := make([]twofloat.Number, d+1)
	for i, a := range s.alpha {
		if a != 0 {
			s.x[i].visit(func(j int, x float64) { exact[j] = exact[j].Add(twofloat.Product(a*s.y[i], x)) })
			exact[d] = exact[d].Add(twofloat.Product(a*s.y[i], s.opt.BiasValue))
		}
	}
	dual = 0
	for _, v := range exact {
		dual -= v.Mul(v).Float() / 2
	}
	for i, a := range s.alpha {
		if a != 0 {
			_, D := s.bounds(i)
			dual += a - D/2*a*a
		}
	}
	return dual
}

// shrink shortens w̃ if P(w̃) exceeds P(0): it multiplies w̃ by the factor t from 0 to 1 for which P(tw̃) is smallest.
// Before descent has converged, w̃ may be far too long; with a large tolerance, it may be a little too long even
// afterwards. If s.bound, the largest known dual value, is negative, shrink replaces it by 0, the dual value of α = 0.
func (s *dualDescent) shrink() {
	s.bound = math.Max(0, s.bound)
	zero := s.zero() * (1 + 1e-12) // with room for rounding errors
	if p, _ := s.values(); p <= zero {
		return
	}
	ww := floats.Dot(s.w, s.w) + s.b*s.b
	z := make([]float64, len(s.y)) // y_i w̃'x̃_i
	for i := range z {
		z[i] = s.y[i] * (s.x[i].dot(s.w) + s.b*s.opt.BiasValue)
	}
	slope := func(t float64) float64 {
		d := t * ww
		for i, v := range z {
			if xi := 1 - t*v; xi > 0 {
				if s.opt.Loss == Hinge {
					xi = 0.5
				}
				d -= 2 * s.opt.C * s.weight(i) * xi * v
			}
		}
		return d
	}
	low, high := 0.0, 1.0
	for t := 0.5; t > low && t < high; t = low + (high-low)/2 {
		if slope(t) < 0 {
			low = t
		} else {
			high = t
		}
	}
	floats.Scale(low, s.w)
	s.b *= low
	if p, _ := s.values(); !(p <= zero) { // for example if w̃ overflows
		clear(s.w)
		s.b = 0
	}
}

// Scores returns z = XW' + 1b' for the rows of X (n×d): n×K.
func (m *LinearSVM) Scores(X mat.Matrix) *mat.Dense {
	Z, _ := affine(context.Background(), "Scores", X, m.W, m.B) // this context never ends
	return Z
}

// Predict returns the class with the largest score for each row of X (n×d).
func (m *LinearSVM) Predict(X mat.Matrix) []int { return largest(m.Scores(X)) }
