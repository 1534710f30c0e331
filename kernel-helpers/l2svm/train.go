package l2svm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/gpu"
	"overcomplete/kernel-helpers/internal/option"
	"overcomplete/kernel-helpers/internal/weights"
	"overcomplete/ui/progress"
)

// A Method selects how Fit computes its steps: from the points or from their Gram matrix. Every method takes the same
// steps, apart from rounding; the methods differ in time and memory.
type Method int

const (
	// Auto is Gram if there are at most 10,000 points and at least as many features as points, otherwise
	// Primal.
	Auto Method = iota
	// Primal takes two passes over the points per step.
	Primal
	// Gram forms X̂X̂' once (n×n float64) and takes one product with it per step, regardless of the number of
	// features, machines and C.
	Gram
)

// String returns the name of the method.
func (m Method) String() string {
	switch m {
	case Auto:
		return "auto"
	case Primal:
		return "primal"
	case Gram:
		return "gram"
	}
	return fmt.Sprintf("Method(%d)", int(m))
}

const gramLimit = 10000 // points: 800 MB

// Options are the options of Fit and FitPath. nil means the zero value.
type Options struct {
	C       float64 // weight of the mean loss. 0: 1
	Classes int     // K. 0: one more than the largest label
	// Scale standardizes the features. nil means NewScale of the points, with floor 0.01.
	Scale  *Scale
	Method Method
	// Training ends when both hold: the norm of the gradient is at most Tolerance times its norm at w = 0, b = 0, and
	// the duality gap is at most Gap times the objective. 0 means 1e-3, for each of the two. Gap +Inf uses the gradient
	// alone. That is a weak test if C is large and classes are separable, because the gradient at 0 grows with C. See
	// the package comment about the limits of float32.
	Tolerance, Gap float64
	MaxIterations  int // maximum for each C. 0: 1000
	// ClassWeights and SampleWeights weight the loss of a point: s_i is the weight of its class (K weights; see
	// classify.BalancedWeights) times its sample weight (n weights). nil means 1. A weight has the same effect, in all
	// machines, as repeating the point that many times, except that n stays the number of points.
	ClassWeights, SampleWeights []float64
	// Memory is the number of pairs that L-BFGS keeps. More pairs mean fewer steps. A pair takes 16(d + 1) bytes per
	// machine (Gram: 32n). 0 means 40.
	Memory int
	// Device computes the products with the points, in float32, on a device such as a graphics card (see package gpu).
	// The points stay in its memory if they take at most half of it. The last bits of results differ from device to
	// device. Gram, sparse points and products in float64 do not use the device. nil means the processor.
	Device gpu.Device
	// Recorder receives each step. May be nil.
	Recorder progress.Recorder
}

func (opt *Options) withDefaults() (Options, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	if o.C == 0 {
		o.C = 1
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-3
	}
	if o.Gap == 0 {
		o.Gap = 1e-3
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 1000
	}
	if o.Memory == 0 {
		o.Memory = 40
	}
	if o.Method < Auto || o.Method > Gram {
		return o, fmt.Errorf("Method is %d, which there is not", o.Method)
	}
	return o, cmp.Or(
		option.Positive("C", o.C),
		option.Between("Tolerance", o.Tolerance, 0, 1),
		option.Positive("Gap", min(o.Gap, math.MaxFloat64)), // +Inf is allowed
		option.Count("MaxIterations", o.MaxIterations),
		option.Count("Memory", o.Memory),
		option.Count("Classes", o.Classes),
	)
}

// A Model holds K machines, one for each class against the others: score_k(x) = w_k'x̂ + b_k with x̂ = (x −
// Mean)/SD.
type Model struct {
	W     *mat.Dense // K×d, for standardized features
	B     []float64  // K
	Scale *Scale

	C      float64
	Method Method // Primal or Gram
	// Status is the worst status of the machines. Converged: Gap and Gradient are within the limits of the
	// options; because of rounding, Gradient may exceed its limit by a factor of 2, or of 10 with Gram.
	// NoProgress: rounding ended training earlier.
	Status     ended.Status
	Iterations []int // by machine
	Objective  []float64
	// Gap holds the duality gaps: bounds on how far each Objective is above its minimum. It is NaN if
	// Options.Gap is +Inf.
	Gap []float64
	// Gradient holds the norm of each machine's gradient divided by its norm at w = 0, b = 0. Like Objective,
	// it is computed from W and B themselves.
	Gradient []float64
	// History holds the objective of each machine before each step and at the end.
	History [][]float64
}

// Fit minimizes, for each class k,
//
//	½‖w_k‖² + C/n Σ_i s_i max(0, 1 − y_ik (w_k'x̂_i + b_k))²
//
// over the points X (n×d) with labels y. Here x̂_i is the standardized point i, and y_ik is 1 if its label is k,
// otherwise −1. s_i is 1 unless weights are given. The bias b_k is not penalized. opt may be nil. If machines miss
// their tolerance, the error wraps ended.ErrNotConverged and comes with the model.
func Fit(ctx context.Context, X Points, y []int, opt *Options) (*Model, error) {
	C := 1.0
	if opt != nil && opt.C != 0 {
		C = opt.C
	}
	models, err := fitPath(ctx, "Fit", X, y, []float64{C}, opt)
	if models == nil {
		return nil, err
	}
	return models[0], err
}

// FitPath trains a model for each C, in ascending order, each starting from the previous model. The models
// are returned in the order of cs. Options.C is not used. If some models miss their tolerance, the error
// wraps ended.ErrNotConverged and comes with all models.
func FitPath(ctx context.Context, X Points, y []int, cs []float64, opt *Options) ([]*Model, error) {
	return fitPath(ctx, "FitPath", X, y, cs, opt)
}

func fitPath(ctx context.Context, fn string, X Points, y []int, cs []float64, opt *Options) ([]*Model, error) {
	t, err := newTask(ctx, fn, X, y, opt)
	if err != nil {
		return nil, fmt.Errorf("l2svm: %s: %w", fn, err)
	}
	defer t.close()
	models, err := t.models(cs)
	if err != nil {
		return nil, fmt.Errorf("l2svm: %s: %w", fn, err)
	}
	return models, missedError(fn, "models", models)
}

// missedError returns an error that wraps ended.ErrNotConverged if any of the models missed its tolerance.
func missedError(fn, what string, models []*Model) error {
	each := make([]ended.Status, len(models))
	for i, m := range models {
		each[i] = m.Status
	}
	return ended.Missed("l2svm: "+fn, what, each)
}

// models returns a Model for each C in cs, trained on all points. The training is in ascending order of C, but the
// result is in the order of cs.
func (t *task) models(cs []float64) ([]*Model, error) {
	models := make([]*Model, len(cs))
	var list []*machine
	for k := range t.K {
		list = append(list, t.solver.start(t.oneAgainstRest(k, nil)))
	}
	err := t.path(list, cs, func(q int) (err error) {
		models[q], err = t.model(list, cs[q])
		return err
	})
	return models, err
}

// oneAgainstRest returns the column of class k against all others, with the points' weights. It leaves out each point i
// for which held[i] is true; held may be nil.
func (t *task) oneAgainstRest(k int, held []bool) *column {
	c := oneAgainstRest(t.y, k, held, 1)
	c.s = t.weights
	return c
}

// A task holds what all machines share: the points, their labels, the options and the solver.
type task struct {
	ctx context.Context
	X   Points
	y   []int
	K   int
	// weights holds the weights of the points; nil means 1.
	weights []float64
	opt     Options
	design  design
	solver  solver
	method  Method
}

// close gives back the device's memory.
func (t *task) close() {
	if t.design.device != nil {
		t.design.device.free()
	}
}

func newTask(ctx context.Context, fn string, X Points, y []int, opt *Options) (*task, error) {
	ctx = orBackground(ctx)
	n, d := pointsOf(fn, X)
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("the matrix X has %d points of %d features", n, d)
	}
	if len(y) != n {
		panic(fmt.Sprintf("l2svm: %s: %s", fn, transposedWords(n, d, len(y))))
	}
	K := max(o.Classes, slices.Max(y)+1)
	for i, l := range y {
		if l < 0 || o.Classes > 0 && l >= o.Classes {
			return nil, fmt.Errorf("label y[%d] is %d, outside 0 to %d", i, l, K-1)
		}
	}
	if K > n { // before allocating memory for K classes
		return nil, fmt.Errorf("%d points have labels up to %d: some class has no points", n, K-1)
	}
	count := make([]int, K)
	for _, l := range y {
		count[l]++
	}
	for k, c := range count {
		if c == 0 || c == n {
			return nil, fmt.Errorf("class %d has %d of %d points: nothing to separate", k, c, n)
		}
	}
	if o.Scale == nil {
		if o.Scale, err = newScale(ctx, X, 0.01); err != nil {
			return nil, err
		}
	} else if err := o.Scale.check(d); err != nil {
		return nil, err
	}
	t := &task{ctx: ctx, X: X, y: y, K: K, opt: o, method: o.Method}
	if t.weights, err = weights.Of(o.ClassWeights, o.SampleWeights, y, K); err != nil {
		return nil, err
	}
	t.design = newDesign(ctx, X, o.Scale)
	if t.method == Auto {
		t.method = Primal
		if n <= gramLimit && n <= d {
			t.method = Gram
		}
	}
	if _, sparse := X.(*sparsePoints); o.Device != nil && t.method == Primal && !sparse {
		if t.design.device, err = newDevicePoints(ctx, o.Device, t.design.X); err != nil {
			return nil, err
		}
	}
	t.solver = solver{space: &primalSpace{t.design}, tolerance: o.Tolerance, gap: o.Gap, steps: o.MaxIterations, memory: o.Memory}
	if t.method == Gram {
		if t.solver.space, err = newGramSpace(&t.design); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// path trains the machines for each C in ascending order. After each C it calls done(q), where q is the index of C in
// cs. If done returns an error, path stops and returns the error.
func (t *task) path(list []*machine, cs []float64, done func(q int) error) error {
	if len(cs) == 0 {
		return errors.New("no weight C")
	}
	order := make([]int, len(cs))
	for q, C := range cs {
		if err := option.Positive("C", C); err != nil {
			return err
		}
		order[q] = q
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case cs[a] < cs[b]:
			return -1
		case cs[a] > cs[b]:
			return 1
		}
		return 0
	})
	for _, q := range order {
		for _, m := range list {
			m.weight = cs[q] / float64(m.n)
		}
		t.solver.each = func(step int, f float64, open int) {
			progress.Report(t.opt.Recorder, progress.Event{
				What: fmt.Sprintf("SVM, C %.3g, %d machines open", cs[q], open), Step: step, Total: t.opt.MaxIterations, Objective: f})
		}
		err := t.solver.run(t.ctx, list)
		for _, m := range list {
			if m.f-m.f != 0 {
				err = errNotFinite
			}
		}
		if err == errNotFinite {
			return t.design.nonFiniteError()
		} else if err != nil {
			return err
		}
		if err := done(q); err != nil {
			return err
		}
	}
	return nil
}

// model returns the Model of a list of machines, one for each class. If the machines were trained with the Gram
// matrix, model computes W from their coefficients, and recomputes objective and gradient.
func (t *task) model(list []*machine, C float64) (*Model, error) {
	_, d := t.X.Dims()
	m := &Model{W: mat.NewDense(t.K, d, nil), B: make([]float64, t.K), Scale: t.opt.Scale, C: C, Method: t.method,
		Iterations: make([]int, t.K), Objective: make([]float64, t.K), Gradient: make([]float64, t.K), Gap: make([]float64, t.K), History: make([][]float64, t.K)}
	P := make([][]float64, t.K)
	for k, q := range list {
		P[k] = q.x
		m.Status = max(m.Status, q.status)
		m.Iterations[k], m.Objective[k], m.Gradient[k], m.Gap[k] = q.steps, q.f, q.relativeGradient(), q.gap
		m.History[k] = slices.Clone(q.history)
	}
	if t.method == Gram { // w = X̂'β
		n := len(t.y)
		R, G := make([][]float64, t.K), make([][]float64, t.K)
		for k := range P {
			R[k], G[k] = P[k][:n], make([]float64, d+1)
		}
		if err := t.design.transposedTimes(G, R); err != nil {
			return nil, err
		}
		for k := range P {
			G[k][d] = P[k][2*n]
			P[k] = G[k]
		}
	}
	for k, p := range P {
		m.W.SetRow(k, p[:d])
		m.B[k] = p[d]
	}
	if t.method == Gram {
		if err := t.recomputePrimal(m, list); err != nil {
			return nil, err
		}
	}
	if err := t.certify(m, list); err != nil {
		return nil, err
	}
	return m, nil
}

// recomputePrimal computes the objective, the gradient and, if requested, the gap of a model anew from its weights,
// after training with the Gram matrix K. If this gap exceeds its limit, or the gradient exceeds 10 times its
// tolerance, the status Converged becomes NoProgress.
func (t *task) recomputePrimal(m *Model, list []*machine) error {
	s := solver{space: &primalSpace{t.design}, memory: 1}
	anew := make([]*machine, t.K)
	for k, p := range m.vectors() {
		anew[k] = s.start(list[k].column)
		anew[k].x = p
	}
	if err := s.rescore(anew); err != nil {
		return err
	}
	if err := s.gradients(anew); err != nil {
		return err
	}
	for k, q := range anew {
		q.reference = list[k].reference
		m.Objective[k], m.Gradient[k] = q.f, q.relativeGradient()
		if t.solver.certifies() {
			q.bound(s.space)
			m.Gap[k] = q.gap
		}
		if m.Status == ended.Converged && (m.Gradient[k] > 10*t.opt.Tolerance || m.Gap[k] > t.opt.Gap*m.Objective[k]) {
			m.Status = ended.NoProgress
		}
	}
	return nil
}

// vectors returns (w, b) of each machine.
func (m *Model) vectors() [][]float64 {
	K, d := m.W.Dims()
	P := make([][]float64, K)
	for k := range K {
		P[k] = append(append(make([]float64, 0, d+1), m.W.RawRowView(k)...), m.B[k])
	}
	return P
}

// Scores returns w_k'x̂_i + b_k for the points X (n×d), as an n×K matrix.
func (m *Model) Scores(ctx context.Context, X Points) (*mat.Dense, error) {
	Z, err := m.scores(ctx, "Scores", X)
	if err != nil {
		return nil, fmt.Errorf("l2svm: Scores: %w", err)
	}
	return Z, nil
}

// scores implements Scores. fn is the name of the exported function that was called; it appears only in panic
// messages, not in errors. The same holds for the fn of predict.
func (m *Model) scores(ctx context.Context, fn string, X Points) (*mat.Dense, error) {
	if m == nil || m.W == nil || m.Scale == nil {
		panic(fmt.Sprintf("l2svm: %s: the model is not trained", fn))
	}
	n, d := pointsOf(fn, X)
	K, md := m.W.Dims()
	if d != md {
		panic(fmt.Sprintf("l2svm: %s: X has %d points of %d features, the model has %d features", fn, n, d, md))
	}
	V := make([][]float64, K)
	for k := range V {
		V[k] = make([]float64, n)
	}
	a := newDesign(ctx, X, m.Scale)
	err := a.times(V, m.vectors())
	if err == nil {
		err = checkFinite(&a, V)
	}
	if err != nil {
		return nil, err
	}
	Z := mat.NewDense(n, K, nil)
	for k, v := range V {
		Z.SetCol(k, v)
	}
	return Z, nil
}

// Predict returns the class with the largest score for each of the points X (n×d). Ties go to the first
// class.
func (m *Model) Predict(ctx context.Context, X Points) ([]int, error) {
	y, err := m.predict(ctx, "Predict", X)
	if err != nil {
		return nil, fmt.Errorf("l2svm: Predict: %w", err)
	}
	return y, nil
}

func (m *Model) predict(ctx context.Context, fn string, X Points) ([]int, error) {
	Z, err := m.scores(ctx, fn, X)
	if err != nil {
		return nil, err
	}
	n, _ := Z.Dims()
	y := make([]int, n)
	for i := range y {
		y[i] = floats.MaxIdx(Z.RawRowView(i))
	}
	return y, nil
}

// Accuracy returns the share of the points X (n×d) for which the predicted class equals the label.
func (m *Model) Accuracy(ctx context.Context, X Points, y []int) (float64, error) {
	a, err := m.accuracy(ctx, "Accuracy", X, y)
	if err != nil {
		return 0, fmt.Errorf("l2svm: Accuracy: %w", err)
	}
	return a, nil
}

func (m *Model) accuracy(ctx context.Context, fn string, X Points, y []int) (float64, error) {
	if n, d := pointsOf(fn, X); len(y) != n {
		panic(fmt.Sprintf("l2svm: %s: %s", fn, transposedWords(n, d, len(y))))
	}
	p, err := m.predict(ctx, fn, X)
	if err != nil {
		return 0, err
	}
	return agreement(p, y), nil
}

func agreement(a, b []int) float64 {
	same := 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
	}
	return float64(same) / float64(len(a))
}

// String returns a one-line summary of the training.
func (m *Model) String() string {
	K, d := m.W.Dims()
	if m.Iterations == nil { // read from a file
		return fmt.Sprintf("l2svm: %d classes, %d features, C %.3g", K, d, m.C)
	}
	return fmt.Sprintf("l2svm: %d classes, %d features, C %.3g, %v: %v after %d steps, mean objective %.6g, gradient at most %.1e of that at 0",
		K, d, m.C, m.Method, m.Status, slices.Max(m.Iterations), floats.Sum(m.Objective)/float64(K), slices.Max(m.Gradient))
}
