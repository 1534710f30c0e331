package kmeans

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/internal/subset"
	"overcomplete/kernel-helpers/internal/weights"
	"overcomplete/ui/progress"
)

// A Start specifies where the first centers come from.
type Start int

const (
	// PlusPlus is greedy k-means++.
	PlusPlus Start = iota
	// RandomPoints picks k distinct points at random, each with a probability proportional to its weight.
	RandomPoints
)

// Options are the options of Fit. K must be given; in every other field zero means the default.
type Options struct {
	// K is the number of centers: at least 1, and at most the number of points whose weight is not 0.
	K int
	// Start is where the first centers come from. 0 means PlusPlus.
	Start Start
	// Centers (K×d), if not nil, holds the first centers; Fit then does a single run.
	Centers mat.Matrix
	// Centres is Centers under its old name.
	//
	// Deprecated: use Centers.
	Centres mat.Matrix
	// Restarts is the number of runs (scikit-learn's n_init); Fit keeps the best. 0 means 10, or 3 with mini-batches.
	Restarts int
	// MaxIterations is the maximum number of steps of one run. 0 means 300, or with mini-batches the number of steps
	// that makes 100 passes over the data.
	MaxIterations int
	// Tolerance ends a run when the squared movement of all centers together is at most Tolerance times the mean
	// variance of a column. 0 means 1e-4. If negative, a run ends only when no label changes. Mini-batches have their
	// own stopping rule.
	Tolerance float64
	// Batch is the size of a mini-batch. 0 means Lloyd's algorithm on all data.
	Batch int
	// SampleWeights (n) are the weights s_i of the points. With weights, J is Σ_i s_i ‖x_i − μ_{c(i)}‖², the centers
	// are weighted means, and the weights affect which points become first centers or are moved to empty clusters. A
	// point of weight 2 is like two equal points, with one exception: an empty cluster receives the point with its
	// whole weight, but only one of two equal points. A point of weight 0 gets a label, but otherwise has no effect.
	// nil means 1.
	SampleWeights []float64
	// Seed determines the starts and the batches.
	Seed uint64
	// Workers is the number of goroutines. 0 means runtime.GOMAXPROCS(0). The result does not depend on it.
	Workers int
	// Recorder receives each step of each run. May be nil.
	Recorder progress.Recorder
}

// An Optional is an *Options. In this version it may also be an Options, so that older notebook cells still work; in
// the next version Fit takes an *Options.
type Optional interface{ options() *Options }

func (o Options) options() *Options { return &o }

// chosenOptions returns the options in o, or nil if there are none.
func chosenOptions(o Optional) *Options {
	switch o := o.(type) {
	case nil:
		return nil
	case *Options:
		return o
	}
	return o.options()
}

// A Step describes one step of a run, in Model.History.
type Step struct {
	Inertia float64 // for the centers before the step; for a batch, scaled to n points
	Moved   int     // labels that changed in the step; 0 in mini-batches
	Shift   float64 // squared movement of the centers in the step
}

// A Model is the result of the best run: the one with the least inertia.
type Model struct {
	Centers *mat.Dense // K×d
	// Centres is Centers under its old name.
	//
	// Deprecated: use Centers.
	Centres *mat.Dense
	Labels  []int   // the nearest center of each point (n)
	Counts  []int   // number of points of each center (K)
	Inertia float64 // J of Centers and Labels
	// Status is how the best run ended: Converged if labels stopped changing, Settled if the tolerance was
	// met or mini-batches no longer improved the inertia, else IterationLimit.
	Status     ended.Status
	Iterations int    // of the best run
	History    []Step // of the best run
	// Runs holds the inertia of each run.
	Runs []float64
	// Best is the index of the best run.
	Best int
	// Filled is the number of times the best run gave a point to an empty cluster.
	Filled int
}

// String returns a one-line summary.
func (m *Model) String() string {
	K, d := size.Of(m.Centers)
	return fmt.Sprintf("k-means of %d points in %d dimensions: %d clusters, inertia %.4g after %d iterations (%v)", len(m.Labels), d, K, m.Inertia, m.Iterations, m.Status)
}

// Fit finds K centers for the rows of X (n×d). If X is a *csr.Matrix, a step costs O(K) per nonzero. Fit returns an
// error if an element is NaN or infinite, if an option is invalid, or if ctx is done. If the best run used up
// MaxIterations, the error wraps ended.ErrNotConverged and comes with the model. options is an *Options.
func Fit(ctx context.Context, X mat.Matrix, options Optional) (*Model, error) {
	var opt Options
	if o := chosenOptions(options); o != nil {
		opt = *o
	}
	if ctx == nil {
		ctx = context.Background()
	}
	S, data, err := sparseOrDense(X)
	if err != nil {
		return nil, fmt.Errorf("kmeans: Fit: %w", err)
	}
	n, d := X.Dims()
	heavy, err := weighty(opt.SampleWeights, n)
	if err != nil {
		return nil, fmt.Errorf("kmeans: Fit: %w", err)
	}
	if len(heavy) < n {
		return fitSome(ctx, X, heavy, opt)
	}
	if opt, err = opt.complete(n, d); err != nil {
		return nil, fmt.Errorf("kmeans: Fit: %w", err)
	}
	var p *points
	var most float64 // the largest |x|
	if S != nil {
		p = newSparsePoints(S, opt.SampleWeights, opt.Workers)
		p.variance, p.most = p.sparseVariance()
		_, _, values := S.Raw()
		most = largest(values)
	} else {
		if p, err = newPoints(ctx, data, opt.SampleWeights, opt.Workers); err != nil {
			return nil, fmt.Errorf("kmeans: Fit: %w", err)
		}
		for i := range n {
			most = max(most, largest(data.RawRowView(i)))
		}
	}
	one := p.variance * float64(d) * p.total() // J of one center
	if math.IsInf(p.variance, 0) || math.IsNaN(p.variance) || opt.SampleWeights != nil && math.IsInf(one, 0) {
		return nil, fmt.Errorf("kmeans: Fit: the squares of X overflow: scale X%s", orWeights(opt))
	}
	if (p.variance < 1e-280 || one < 1e-280) && p.most > 1e-12*most { // more than the rounding error of the mean
		return nil, fmt.Errorf("kmeans: Fit: the squares of the distances in X underflow: scale X%s", orWeights(opt))
	}
	var best *Model
	runs := make([]float64, opt.Restarts)
	for run := range opt.Restarts {
		rng := rand.New(rand.NewPCG(opt.Seed, uint64(run)))
		var M *mat.Dense // K×d, centers minus the mean
		switch {
		case opt.Centers != nil:
			M = p.subtractMean(opt.Centers)
		case opt.Batch > 0:
			// Starting from a few batches is nearly as good; k-means++ on all data would cost more than
			// the run.
			M, err = firstCenters(ctx, p.sample(rng, min(n, max(3*opt.Batch, 3*opt.K))), opt.K, opt.Start, rng)
		default:
			M, err = firstCenters(ctx, p, opt.K, opt.Start, rng)
		}
		var r *Model
		switch {
		case err != nil:
		case opt.Batch > 0:
			r, err = minibatch(ctx, p, M, opt, rng)
		default:
			r, err = lloyd(ctx, p, M, opt)
		}
		if err != nil {
			return nil, fmt.Errorf("kmeans: Fit: run %d of %d: %w", run+1, opt.Restarts, err)
		}
		runs[run] = r.Inertia
		if best == nil || r.Inertia < best.Inertia {
			best, r.Best = r, run
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("kmeans: Fit: %w", err)
	}
	best.Runs = runs
	if best.Status == ended.IterationLimit {
		return best, fmt.Errorf("kmeans: Fit: %w in %d iterations", ended.ErrNotConverged, best.Iterations)
	}
	return best, nil
}

// weighty checks the weights s of n points, and returns the indices of the points whose weight is not 0. If s is nil,
// all weights are 1.
func weighty(s []float64, n int) ([]int, error) {
	if err := weights.Check("SampleWeights", s, n, "points"); err != nil {
		return nil, err
	}
	var some []int
	for i := range n {
		if s == nil || s[i] > 0 {
			some = append(some, i)
		}
	}
	if sum := floats.Sum(s); len(some) == 0 || math.IsInf(sum, 0) {
		return nil, fmt.Errorf("the sum of SampleWeights is %v, must be positive and finite", sum)
	}
	return some, nil
}

func orWeights(o Options) string {
	if o.SampleWeights != nil {
		return " or SampleWeights"
	}
	return ""
}

// fitSome fits only the points whose weight is not 0, and then labels all rows of X. The slice rows holds the row
// indices of the points that are fitted.
func fitSome(ctx context.Context, X mat.Matrix, rows []int, o Options) (*Model, error) {
	o.SampleWeights = subset.Values(o.SampleWeights, rows)
	var part mat.Matrix
	if S, ok := X.(*csr.Matrix); ok {
		part = S.Rows(rows)
	} else {
		part = subset.Rows(X, rows)
	}
	r, err := Fit(ctx, part, &o)
	if r == nil {
		return nil, err
	}
	r.Labels = r.Predict(X)
	clear(r.Counts)
	for _, a := range r.Labels {
		r.Counts[a]++
	}
	return r, err
}

// sparseOrDense returns X as a sparse matrix if it is one, otherwise as a dense matrix; the other result is nil. It
// returns an error if X is nil or empty, has an element that is NaN or infinite, or would take too much memory as a
// dense copy.
func sparseOrDense(X mat.Matrix) (*csr.Matrix, *mat.Dense, error) {
	S, ok := X.(*csr.Matrix)
	if !ok {
		D, err := finite.Dense("X", X)
		return nil, D, err
	}
	if S == nil {
		return nil, nil, errors.New("the matrix X is nil")
	}
	if n, d := S.Dims(); n == 0 || d == 0 {
		return nil, nil, fmt.Errorf("the matrix X is empty (%d×%d)", n, d)
	}
	if i, j := S.Find(); i >= 0 {
		return nil, nil, fmt.Errorf("X(%d, %d) is %v", i, j, S.At(i, j))
	}
	return S, nil, nil
}

// largest returns max |x_j|.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		if v = math.Abs(v); v > most {
			most = v
		}
	}
	return most
}

// complete checks the options for n points in d dimensions and fills in defaults.
func (o Options) complete(n, d int) (Options, error) {
	if o.K < 1 || o.K > n {
		of := ""
		if o.SampleWeights != nil {
			of = " with a weight"
		}
		return o, fmt.Errorf("option K is %d, must be between 1 and the number of points%s, %d", o.K, of, n)
	}
	if o.Start != PlusPlus && o.Start != RandomPoints {
		return o, fmt.Errorf("unknown Start(%d)", int(o.Start))
	}
	if o.Restarts < 0 || o.MaxIterations < 0 || o.Batch < 0 || o.Workers < 0 {
		return o, fmt.Errorf("option Restarts %d, MaxIterations %d, Batch %d or Workers %d is negative", o.Restarts, o.MaxIterations, o.Batch, o.Workers)
	}
	if math.IsNaN(o.Tolerance) || math.IsInf(o.Tolerance, 1) {
		return o, fmt.Errorf("option Tolerance is %v, must be finite", o.Tolerance)
	}
	if o.Centers == nil {
		o.Centers = o.Centres
	}
	if o.Centers != nil {
		C, err := finite.Dense("Centers", o.Centers)
		if err != nil {
			return o, err
		}
		if r, c := C.Dims(); r != o.K || c != d {
			panic(fmt.Sprintf("kmeans: Fit: Centers is %d×%d, must be %d×%d", r, c, o.K, d))
		}
		o.Centers, o.Restarts = C, 1
	}
	o.Batch = min(o.Batch, n)
	if o.Restarts == 0 {
		o.Restarts = 10
		if o.Batch > 0 {
			o.Restarts = 3
		}
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 300
		if o.Batch > 0 {
			o.MaxIterations = max(1, 100*n/o.Batch)
		}
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-4
	}
	return o, nil
}

// Predict returns, for each row of X (m×d), the index of the nearest center. It panics if X is not finite.
func (r *Model) Predict(X mat.Matrix) []int {
	labels, _ := r.nearest("Predict", X)
	return labels
}

// Score returns the inertia of the rows of X (m×d), each with its nearest center and weight 1. It panics if X is not
// finite.
func (r *Model) Score(X mat.Matrix) float64 {
	_, inertia := r.nearest("Score", X)
	return inertia
}

func (r *Model) nearest(what string, X mat.Matrix) ([]int, float64) {
	S, data, err := sparseOrDense(X)
	if err != nil {
		panic(fmt.Sprintf("kmeans: %s: %v", what, err))
	}
	n, d := X.Dims()
	if _, c := r.Centers.Dims(); c != d {
		panic(fmt.Sprintf("kmeans: %s: X is %d×%d, the centres have %d columns", what, n, d, c))
	}
	var p *points
	if S != nil {
		p = newSparsePoints(S, nil, 0)
	} else {
		p, _ = newPoints(context.Background(), data, nil, 0) // this context never ends
	}
	labels := make([]int, n)
	inertia, _ := p.assignExactly(context.Background(), p.subtractMean(r.Centers), r.Centers, labels)
	return labels, inertia
}
