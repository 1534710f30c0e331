package autoencoder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/adam"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/option"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/ui/progress"
)

// A Model is a sparse autoencoder. The method Gradient also returns a Model: its fields hold the derivatives with
// respect to the parameters.
type Model struct {
	Wenc *mat.Dense // n × m
	Benc []float64  // n
	Wdec *mat.Dense // m × n
	Bdec []float64  // m
	// TopK keeps, for each sample, only the TopK largest features (A. Makhzani and B. Frey, k-Sparse autoencoders,
	// 2014). In a tie, the features with the lower indices are kept. 0 keeps all features.
	TopK int
}

// Dims returns m, the number of values per sample, and n, the number of features.
func (a *Model) Dims() (m, n int) { return a.Wdec.Dims() }

// New returns a randomly initialized model: the decoder's columns have norm 1 and random
// directions, the encoder is the decoder's transpose, and the biases are 0.
func New(m, n int, seed uint64) *Model {
	if m <= 0 || n <= 0 {
		panic(fmt.Sprintf("autoencoder: New: %d values, %d features", m, n))
	}
	rnd := rand.New(rand.NewPCG(seed, 0x5ae))
	a := &Model{Wdec: mat.NewDense(m, n, nil), Benc: make([]float64, n), Bdec: make([]float64, m)}
	w := a.Wdec.RawMatrix().Data
	for i := range w {
		w[i] = rnd.NormFloat64()
	}
	a.normalize()
	a.Wenc = mat.DenseCopyOf(a.Wdec.T())
	return a
}

// Clone returns a copy that shares nothing with a.
func (a *Model) Clone() *Model {
	return &Model{
		Wenc: mat.DenseCopyOf(a.Wenc), Benc: append([]float64(nil), a.Benc...),
		Wdec: mat.DenseCopyOf(a.Wdec), Bdec: append([]float64(nil), a.Bdec...), TopK: a.TopK,
	}
}

// Transform returns the features S (n × N) of X (m × N). Each column is one sample.
func (a *Model) Transform(X mat.Matrix) *mat.Dense {
	S, _ := a.transform(context.Background(), "Transform", given.Dense("autoencoder: Model.Transform", "X", X))
	return S
}

// transform is like Transform, but returns ctx's error if ctx is done. If X has the wrong size, it panics with a
// message that names the function fn. The methods inverse, evaluate and gradient also return ctx's error if ctx is
// done.
func (a *Model) transform(ctx context.Context, fn string, X *mat.Dense) (*mat.Dense, error) {
	m, n := a.Dims()
	r, N := X.Dims()
	if r != m {
		panic(a.orientation(fn, r, N, m))
	}
	S := mat.NewDense(n, N, nil)
	if err := product.Mul(ctx, S, a.Wenc, X); err != nil { // n×m · m×N
		return nil, err
	}
	for i := range n {
		row := S.RawRowView(i)
		for j := range row {
			row[j] = max(0, row[j]+a.Benc[i])
		}
	}
	if a.TopK > 0 && a.TopK < n {
		keepLargest(ctx, S, a.TopK)
	}
	return S, ctx.Err()
}

// orientation returns the message with which the function fn panics if X is r×N although samples must have m values. If
// N = m, the message asks whether X is transposed.
func (a *Model) orientation(fn string, r, N, m int) string {
	s := fmt.Sprintf("autoencoder: %s: X is %d×%d, a sample per COLUMN, and samples of the model have %d values", fn, r, N, m)
	if N == m {
		s += fmt.Sprintf(": want %d×%d, is X transposed?", m, r)
	}
	return s
}

// Inverse returns the reconstruction (m × N) from features S (n × N). Each column is one sample.
func (a *Model) Inverse(S mat.Matrix) *mat.Dense {
	Y, _ := a.inverse(context.Background(), given.Dense("autoencoder: Model.Inverse", "S", S))
	return Y
}

func (a *Model) inverse(ctx context.Context, S *mat.Dense) (*mat.Dense, error) {
	m, n := a.Dims()
	r, N := S.Dims()
	if r != n {
		panic(fmt.Sprintf("autoencoder: Inverse: S is %d×%d, a sample per COLUMN, and the model has %d features", r, N, n))
	}
	Y := mat.NewDense(m, N, nil)
	if err := product.Mul(ctx, Y, a.Wdec, S); err != nil { // m×n · n×N
		return nil, err
	}
	for i := range m {
		row := Y.RawRowView(i)
		for j := range row {
			row[j] += a.Bdec[i]
		}
	}
	return Y, nil
}

// Loss holds the objective L of the package comment and its parts. All are means over the samples.
type Loss struct {
	Total  float64 // Error + λ L1
	Error  float64 // ‖x − x'‖²
	L1     float64 // ‖s‖₁
	Active float64 // number of nonzero features
}

// Evaluate returns the loss of the columns of X (m × N).
func (a *Model) Evaluate(X mat.Matrix, lambda float64) Loss {
	l, _, _ := a.evaluate(context.Background(), "Evaluate", given.Dense("autoencoder: Model.Evaluate", "X", X), lambda)
	return l
}

// evaluate is like Evaluate, but also returns the features of X.
func (a *Model) evaluate(ctx context.Context, fn string, X *mat.Dense, lambda float64) (l Loss, S *mat.Dense, err error) {
	if S, err = a.transform(ctx, fn, X); err != nil {
		return l, nil, err
	}
	Y, err := a.inverse(ctx, S)
	if err != nil {
		return l, nil, err
	}
	return a.loss(X, S, Y, lambda), S, nil
}

func (a *Model) loss(X, S, Y *mat.Dense, lambda float64) Loss {
	_, N := X.Dims()
	var l Loss
	for i := range len(a.Bdec) {
		x, y := X.RawRowView(i), Y.RawRowView(i)
		for j := range x {
			l.Error += (x[j] - y[j]) * (x[j] - y[j])
		}
	}
	for i := range len(a.Benc) {
		for _, s := range S.RawRowView(i) {
			l.L1 += s
			if s > 0 {
				l.Active++
			}
		}
	}
	l.Error, l.L1, l.Active = l.Error/float64(N), l.L1/float64(N), l.Active/float64(N)
	l.Total = l.Error + lambda*l.L1
	return l
}

// Gradient returns the loss of the columns of X (m × N) and its gradient with respect to all parameters. At
// the kink of the ReLU, Gradient uses the left derivative, 0. Features that TopK drops get no gradient.
func (a *Model) Gradient(X mat.Matrix, lambda float64) (Loss, *Model) {
	l, g, _ := a.gradient(context.Background(), given.Dense("autoencoder: Model.Gradient", "X", X), lambda)
	return l, g
}

func (a *Model) gradient(ctx context.Context, X *mat.Dense, lambda float64) (Loss, *Model, error) {
	m, n := a.Dims()
	_, N := X.Dims()
	S, err := a.transform(ctx, "Gradient", X)
	if err != nil {
		return Loss{}, nil, err
	}
	Y, err := a.inverse(ctx, S)
	if err != nil {
		return Loss{}, nil, err
	}
	l := a.loss(X, S, Y, lambda)
	g := &Model{Wenc: mat.NewDense(n, m, nil), Benc: make([]float64, n), Wdec: mat.NewDense(m, n, nil), Bdec: make([]float64, m)}

	// dL/dx' = 2 (x' − x)/N, m × N
	D := mat.NewDense(m, N, nil)
	D.Sub(Y, X)
	D.Scale(2/float64(N), D)
	if err := product.Mul(ctx, g.Wdec, D, S.T()); err != nil { // m×N · N×n
		return l, nil, err
	}
	for i := range m {
		for _, v := range D.RawRowView(i) {
			g.Bdec[i] += v
		}
	}
	// dL/ds = Wdecᵀ dL/dx' + λ/N where s > 0, and 0 elsewhere, because of the ReLU.
	P := mat.NewDense(n, N, nil)
	if err := product.Mul(ctx, P, a.Wdec.T(), D); err != nil { // n×m · m×N
		return l, nil, err
	}
	for i := range n {
		p, s := P.RawRowView(i), S.RawRowView(i)
		for j := range p {
			if s[j] > 0 {
				p[j] += lambda / float64(N)
				g.Benc[i] += p[j]
			} else {
				p[j] = 0
			}
		}
	}
	return l, g, product.Mul(ctx, g.Wenc, P, X.T()) // n×N · N×m
}

// normalize scales the decoder's columns to norm 1. Columns of zeros stay zero.
func (a *Model) normalize() {
	m, n := a.Wdec.Dims()
	for k := range n {
		s := 0.0
		for i := range m {
			s = math.Hypot(s, a.Wdec.At(i, k))
		}
		if s == 0 {
			continue
		}
		for i := range m {
			a.Wdec.Set(i, k, a.Wdec.At(i, k)/s)
		}
	}
}

// removeParallel removes from each column of g.Wdec the component along the same column of a.Wdec. This component would
// only change the norm of the column of a.Wdec.
func (a *Model) removeParallel(g *Model) {
	m, n := a.Wdec.Dims()
	for k := range n {
		dot, norm := 0.0, 0.0
		for i := range m {
			dot += g.Wdec.At(i, k) * a.Wdec.At(i, k)
			norm += a.Wdec.At(i, k) * a.Wdec.At(i, k)
		}
		if norm == 0 {
			continue
		}
		for i := range m {
			g.Wdec.Set(i, k, g.Wdec.At(i, k)-dot/norm*a.Wdec.At(i, k))
		}
	}
}

func (a *Model) params() [][]float64 {
	return [][]float64{a.Wenc.RawMatrix().Data, a.Benc, a.Wdec.RawMatrix().Data, a.Bdec}
}

// Options configures Fit. Features is required unless Start is given; the zero value of any other field means its
// default.
type Options struct {
	Features int     // n; required unless Start is given
	Lambda   float64 // λ ≥ 0; 0 means no sparsity
	Steps    int     // 0: 2000
	Batch    int     // samples per step; 0 means 128, or all if there are fewer
	Rate     float64 // Adam's step size; 0: 0.003
	// Decay is the fraction of the steps, at the end, over which the rate falls linearly to 0. A value of 0 means 0.5,
	// and a negative value keeps the rate constant.
	Decay    float64
	FreeNorm bool   // let the decoder's columns have any norm
	TopK     int    // Model.TopK; 0 means Start's TopK, or all features without Start
	Seed     uint64 // seed of the start and of the batches
	Start    *Model // the start, which is not changed; nil means New
	Every    int    // steps between two points of the history; 0 means Steps/50
	Recorder progress.Recorder
}

// A Point is an element of Result.History: the loss over all samples after Step steps.
type Point struct {
	Step int
	Loss
}

// A Result is the outcome of Fit.
type Result struct {
	Model   *Model
	Status  ended.Status
	Steps   int
	Loss    Loss // over all samples, at the end; NaN if Fit was interrupted and the loss would take long to compute
	History []Point
	Dead    int // features that are 0 for every sample
}

// String returns a one-line summary.
func (r *Result) String() string {
	return fmt.Sprintf("autoencoder after %d steps: %d dead features (%v)", r.Steps, r.Dead, r.Status)
}

// Fit trains an autoencoder on the columns of X (m × N). Invalid data or options are an error. If ctx is done or the
// training diverges, Fit returns both the result so far and an error.
func Fit(ctx context.Context, X mat.Matrix, opt *Options) (*Result, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return fit(ctx, given.Dense("autoencoder: Fit", "X", X), o)
}

func fit(ctx context.Context, X *mat.Dense, opt Options) (*Result, error) {
	m, N := X.Dims()
	if m == 0 || N == 0 {
		return nil, errors.New("autoencoder: Fit: no samples")
	}
	for i := range m {
		for j := range N {
			if v := X.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("autoencoder: Fit: value %d of sample %d is %v", i, j, v)
			}
		}
	}
	def := func(v, d int) int {
		if v == 0 {
			return d
		}
		return v
	}
	steps, batch := def(opt.Steps, 2000), min(def(opt.Batch, 128), N)
	every := def(opt.Every, max(1, steps/50))
	rate, decay := opt.Rate, opt.Decay
	if rate == 0 {
		rate = 0.003
	}
	if decay == 0 {
		decay = 0.5
	}
	if err := option.Check("autoencoder: Fit", option.NotNegative("Lambda", opt.Lambda), option.Count("Steps", steps), option.Count("Batch", batch), option.Count("Every", every),
		option.Positive("Rate", rate), option.AtMost("Decay", decay, 1), option.Count("TopK", opt.TopK)); err != nil {
		return nil, err
	}
	var a *Model
	if opt.Start != nil {
		a = opt.Start.Clone()
		if r, n := a.Dims(); r != m || (opt.Features != 0 && opt.Features != n) {
			panic(fmt.Sprintf("autoencoder: Fit: X is %d×%d, a sample per COLUMN, Features is %d, and Start is for %d values and %d features", m, N, opt.Features, r, n))
		}
	} else {
		if opt.Features <= 0 {
			return nil, fmt.Errorf("autoencoder: Fit: Features is %d", opt.Features)
		}
		a = New(m, opt.Features, opt.Seed)
	}
	if opt.TopK > 0 {
		a.TopK = opt.TopK
	}
	if !opt.FreeNorm {
		a.normalize()
	}
	var moments []adam.Moments
	for _, p := range a.params() {
		moments = append(moments, adam.New(len(p)))
	}
	rnd := rand.New(rand.NewPCG(opt.Seed, 0xba7c4))
	perm, at := rnd.Perm(N), 0
	B := mat.NewDense(m, batch, nil)
	res := &Result{Model: a, Status: ended.Done}
	// whole is the context for computations on all samples.
	whole := parallel.Grace(ctx, 2*float64(m)*float64(N)*float64(len(a.Benc)))
	var fail error
	interrupted := func() {
		res.Status, fail = ended.Interrupted, fmt.Errorf("autoencoder: Fit: after %d steps: %w", res.Steps, ctx.Err())
	}
	note := func() {
		l, _, err := a.evaluate(whole, "Fit", X, opt.Lambda)
		if err != nil {
			interrupted()
			return
		}
		res.History = append(res.History, Point{res.Steps, l})
		progress.Report(opt.Recorder, progress.Event{What: "sparse autoencoder", Step: res.Steps, Total: steps, Objective: l.Total})
	}
	note()
	for t := 1; t <= steps && fail == nil; t++ {
		if ctx.Err() != nil {
			interrupted()
			break
		}
		for j := range batch {
			if at == N {
				rnd.Shuffle(N, func(i, k int) { perm[i], perm[k] = perm[k], perm[i] })
				at = 0
			}
			for i := range m {
				B.Set(i, j, X.At(i, perm[at]))
			}
			at++
		}
		l, g, err := a.gradient(ctx, B, opt.Lambda)
		if err != nil {
			interrupted()
			break
		}
		if math.IsNaN(l.Total) || math.IsInf(l.Total, 0) {
			res.Status, fail = ended.Diverged, fmt.Errorf("autoencoder: Fit: the loss is %v at step %d; try a smaller Rate", l.Total, t)
			break
		}
		if !opt.FreeNorm {
			a.removeParallel(g)
		}
		eta := rate
		if decay > 0 {
			eta *= math.Min(1, float64(steps-t+1)/(decay*float64(steps)))
		}
		step, gp := adam.Default.At(t, eta), g.params()
		for k, p := range a.params() {
			step.Take(p, gp[k], moments[k])
		}
		if !opt.FreeNorm {
			a.normalize()
		}
		res.Steps = t
		if t%every == 0 || t == steps {
			note()
		}
	}
	if fail == nil && ctx.Err() != nil {
		interrupted()
	}
	l, S, err := a.evaluate(whole, "Fit", X, opt.Lambda)
	if err != nil {
		if fail == nil {
			interrupted()
		}
		nan := math.NaN()
		res.Loss = Loss{nan, nan, nan, nan}
		return res, fail
	}
	res.Loss = l
	for i := range len(a.Benc) {
		dead := true
		for _, s := range S.RawRowView(i) {
			dead = dead && s == 0
		}
		if dead {
			res.Dead++
		}
	}
	return res, fail
}
