package regress

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/constant"
	"overcomplete/kernel-helpers/internal/subset"
	"overcomplete/ui/progress"
)

// KFold divides 0..n-1 at random into k folds, whose sizes differ by at most one. Each fold is in ascending order.
// KFold panics unless 2 <= k <= n.
func KFold(n, k int, seed uint64) [][]int {
	if k < 2 || k > n {
		panic(fmt.Sprintf("regress: KFold: %d folds of %d points: need 2 folds or more, and a point in each", k, n))
	}
	return subset.KFold(n, k, seed)
}

// CVOptions are the options of RidgeCV and LassoCV. The zero value is ready to use.
type CVOptions struct {
	// Alphas are the penalties to choose from. nil means 13 values for ridge, from 1e-3 to 1e3 times the mean
	// eigenvalue ‖X̃‖_F²/d of X̃'X̃, and 30 values for lasso, from AlphaMax down to a thousandth of AlphaMax.
	Alphas []float64
	// L1Ratios are the shares ρ of the L1 penalty from which LassoCV chooses, each above 0 and at most 1. LassoCV tries
	// every ρ with every α; if Alphas is nil, each ρ has its own 30 values of α. nil means only the L1Ratio of the
	// LassoOptions.
	L1Ratios []float64
	// Folds is the number of folds. 0 means 5.
	Folds int
	// Nested is the number of inner folds. The α (and ρ) of a fold is then chosen without the points of that fold, by a
	// cross-validation with the inner folds on the other points. 0 means no inner folds: one α is chosen for all folds,
	// by the same out-of-fold predictions that are reported.
	Nested int
	// Seed determines the folds.
	Seed uint64
	// SampleWeights (n) are the weights of the points, in the fits and in R2 and PR2. nil means 1 for each point.
	SampleWeights []float64
	// Recorder receives an event after each fold, including inner folds. It may be nil.
	Recorder progress.Recorder
}

// A CV is the outcome of a cross-validation.
type CV struct {
	// Alphas holds the α of each candidate: first all α with the first ρ, then all α with the second ρ, and so on.
	// L1Ratios holds the ρ of each candidate, or is nil if the options have no L1Ratios.
	Alphas, L1Ratios []float64
	// R2 is the predictive R² of the out-of-fold predictions with each candidate.
	R2 []float64
	// Best is the index of the candidate with the largest R2; ties go to the first.
	Best int
	// Predictions holds out-of-fold predictions: point i is predicted by a model that was not trained on it. This model
	// uses candidate Best or, if Nested is set, the FoldAlpha and FoldL1Ratio of the point's fold.
	Predictions []float64
	// PR2 is the predictive R² of Predictions.
	PR2       float64
	Folds     [][]int
	FoldAlpha []float64 // the α used for each fold
	// FoldL1Ratio is the ρ used for each fold. It is nil if the options have no L1Ratios.
	FoldL1Ratio []float64
	// Model is trained on all points with candidate Best.
	Model *Linear
	// NotConverged is the number of lasso fits that missed their tolerance, counted over all folds and candidates and
	// over Model's path. For these fits, the last iterates were used.
	NotConverged int
}

// String returns the chosen α and ρ, the predictive R², and the number of fits that did not converge.
func (c *CV) String() string {
	rho := ""
	if c.L1Ratios != nil {
		rho = fmt.Sprintf(", L1Ratio %g", c.L1Ratios[c.Best])
	}
	missed := ""
	if c.NotConverged > 0 {
		missed = fmt.Sprintf("; %d fits did not converge", c.NotConverged)
	}
	return fmt.Sprintf("alpha %.4g%s of %d candidates in %d folds: predictive R² %.4g%s", c.Alphas[c.Best], rho, len(c.Alphas), len(c.Folds), c.PR2, missed)
}

// defaultAlphas is the number of alphas that LassoCV tries if the options do not list any.
const defaultAlphas = 30

// RidgeCV chooses α for FitRidge by k-fold cross-validation on the rows of X (n×d)
// with values y (n). opt may be nil.
func RidgeCV(ctx context.Context, X mat.Matrix, y []float64, opt *CVOptions) (*CV, error) {
	if opt != nil && opt.L1Ratios != nil {
		return nil, fmt.Errorf("regress: RidgeCV: L1Ratios are for LassoCV")
	}
	return crossValidate(ctx, "RidgeCV", X, y, opt, 0, ridgeMethod{})
}

type ridgeMethod struct{}

func (ridgeMethod) fitter(ctx context.Context, X mat.Matrix, y, s []float64, _ int) (gridFitter, error) {
	return ridgeFitter{ctx, X, y, s}, nil
}

func (m ridgeMethod) outside(ctx context.Context, X mat.Matrix, y, s []float64, folds [][]int, _ int) func(f int) (fitter, error) {
	return func(f int) (fitter, error) {
		X, y, s := outside(X, y, s, folds, f)
		return ridgeFitter{ctx, X, y, s}, nil
	}
}

// outside returns X, y and the weights s for the points outside fold f.
func outside(X mat.Matrix, y, s []float64, folds [][]int, f int) (mat.Matrix, []float64, []float64) {
	rest := subset.Others(folds, f)
	if s != nil {
		s = subset.Values(s, rest)
	}
	return rowsOf(X, rest), subset.Values(y, rest), s
}

// A ridgeFitter fits ridge regressions to points with the weights s.
type ridgeFitter struct {
	ctx  context.Context
	X    mat.Matrix
	y, s []float64
}

func (f ridgeFitter) grid(float64) ([]float64, error) {
	v := meanEigenvalue(f.X, f.s)
	if v == 0 {
		return nil, fmt.Errorf("regress: RidgeCV: all features are constant")
	}
	var a []float64
	for _, t := range []float64{1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000} {
		a = append(a, t*v)
	}
	return a, nil
}

func (f ridgeFitter) path(alphas []float64, _ float64) ([]*Linear, int, error) {
	models, err := ridgePath(f.ctx, f.X, f.y, f.s, alphas)
	return models, 0, err
}

func (f ridgeFitter) release() {}

// meanEigenvalue returns ‖S^½X̃‖_F²/d, where S = diag(s) holds the weights of the points.
func meanEigenvalue(X mat.Matrix, s []float64) (v float64) {
	mx := means(X, s)
	n, d := X.Dims()
	if S, ok := X.(*csr.Matrix); ok {
		for _, square := range sparseColumns(S, mx, roots(s)).square {
			v += square / float64(d)
		}
		return v
	}
	same := constant.Columns(X)
	for i := range n {
		for j, x := range X.(*mat.Dense).RawRowView(i) {
			switch {
			case same[j]:
			case s != nil:
				v += s[i] * (x - mx[j]) * (x - mx[j]) / float64(d)
			default:
				v += (x - mx[j]) * (x - mx[j]) / float64(d)
			}
		}
	}
	return v
}

// LassoCV chooses α for FitLasso as RidgeCV does for FitRidge. If opt has L1Ratios, LassoCV also chooses ρ, as
// scikit-learn's ElasticNetCV does. lasso holds the options of the fits and may be nil. Its Count, Ratio and Recorder
// are not used, and its SampleWeights must be nil: set opt.SampleWeights instead. If fits miss their
// tolerance, LassoCV returns the CV with an error that wraps ended.ErrNotConverged; CV.NotConverged is the number of
// these fits.
func LassoCV(ctx context.Context, X mat.Matrix, y []float64, opt *CVOptions, lasso *LassoOptions) (*CV, error) {
	var o LassoOptions
	if lasso != nil {
		o = *lasso
	}
	o.Count, o.Ratio, o.Recorder = defaultAlphas, 0, nil
	if err := o.check("LassoCV"); err != nil {
		return nil, err
	}
	o.setDefaults()
	if o.SampleWeights != nil {
		return nil, fmt.Errorf("regress: LassoCV: SampleWeights of the LassoOptions are set: set those of the CVOptions")
	}
	if opt != nil && opt.L1Ratios != nil {
		if lasso != nil && lasso.L1Ratio != 0 {
			return nil, fmt.Errorf("regress: LassoCV: L1Ratio is %v and L1Ratios are %v: set one of them", lasso.L1Ratio, opt.L1Ratios)
		}
		for i, rho := range opt.L1Ratios {
			if !(rho > 0 && rho <= 1) {
				return nil, fmt.Errorf("regress: LassoCV: L1Ratios[%d] is %v, must be above 0 and at most 1", i, rho)
			}
		}
	}
	cv, err := crossValidate(ctx, "LassoCV", X, y, opt, o.L1Ratio, lassoMethod{o})
	if err == nil && cv.NotConverged > 0 {
		err = fmt.Errorf("regress: LassoCV: %d fits: %w in %d sweeps", cv.NotConverged, ended.ErrNotConverged, o.MaxIterations)
	}
	return cv, err
}

type lassoMethod struct{ o LassoOptions }

func (m lassoMethod) fitter(ctx context.Context, X mat.Matrix, y, s []float64, alphas int) (gridFitter, error) {
	X, ys, s, err := weigh("FitLassoPath", X, [][]float64{y}, s)
	if err != nil {
		return nil, err
	}
	p, err := newLassoProblem(ctx, X, ys[0], s, alphas)
	if err != nil {
		return nil, fmt.Errorf("regress: FitLassoPath: %w", err)
	}
	return &lassoFitter{ctx, p, m.o}, nil
}

func (m lassoMethod) outside(ctx context.Context, X mat.Matrix, y, s []float64, folds [][]int, alphas int) func(f int) (fitter, error) {
	shared := grams(ctx, X, y, s, folds, alphas)
	return func(f int) (fitter, error) {
		// This is called only if the products of the folds do not suffice.
		fit := sync.OnceValues(func() (fitter, error) {
			X, y, s := outside(X, y, s, folds, f)
			return m.fitter(ctx, X, y, s, alphas)
		})
		if shared != nil {
			if g := shared(f); g != nil {
				return &foldFitter{ctx, g, m.o, fit}, nil
			}
		}
		return fit()
	}
}

// A lassoFitter fits lassos.
type lassoFitter struct {
	ctx context.Context
	p   *lassoProblem
	o   LassoOptions
}

func (f *lassoFitter) grid(rho float64) ([]float64, error) {
	o := f.o
	o.L1Ratio = rho
	return f.p.alphas(o)
}

func (f *lassoFitter) path(alphas []float64, rho float64) (models []*Linear, missed int, err error) {
	o := f.o
	o.L1Ratio = rho
	if err := f.p.inRange("FitLassoPath"); err != nil {
		return nil, 0, err
	}
	path, err := f.p.path(f.ctx, "FitLassoPath", alphas, o, false)
	if err = ended.Accept(err); err != nil {
		return nil, 0, err
	}
	for _, m := range path {
		models = append(models, &m.Linear)
		if m.Status != ended.Converged {
			missed++
		}
	}
	return models, missed, nil
}

func (f *lassoFitter) release() { f.p.data = nil }

// A foldFitter fits lassos to a Gram matrix alone. If that does not prove a model good enough, it uses another fitter,
// which has the data.
type foldFitter struct {
	ctx  context.Context
	gram *gram
	o    LassoOptions
	data func() (fitter, error)
}

func (f *foldFitter) path(alphas []float64, rho float64) (models []*Linear, missed int, err error) {
	o := f.o
	o.L1Ratio = rho
	clear(f.gram.w)
	for _, a := range alphas {
		m := f.gram.solve(f.ctx, a, o)
		if m.Status == ended.Interrupted {
			return nil, 0, fmt.Errorf("regress: FitLassoPath: %w at alpha %g", f.ctx.Err(), a)
		}
		if !f.gram.isProved(m, o) {
			own, err := f.data()
			if err != nil {
				return nil, 0, err
			}
			return own.path(alphas, rho)
		}
		models = append(models, &m.Linear)
	}
	return models, 0, nil
}

// A pathError is an error from fitting a path. Its message leaves out the name of the package and that of the
// function, because the caller adds its own.
type pathError struct{ error }

func (e pathError) Error() string {
	s := e.error.Error()
	for _, front := range []string{"regress: ", "FitLassoPath: ", "FitRidgePath: "} {
		s = strings.TrimPrefix(s, front)
	}
	return s
}

func (e pathError) Unwrap() error { return e.error }

// A method is a kind of regression.
type method interface {
	// fitter returns a fitter for the rows of X with the values y and the weights s, and for paths with the given
	// number of alphas.
	fitter(ctx context.Context, X mat.Matrix, y, s []float64, alphas int) (gridFitter, error)
	// outside returns a function that returns a fitter for the points outside fold f.
	outside(ctx context.Context, X mat.Matrix, y, s []float64, folds [][]int, alphas int) func(f int) (fitter, error)
}

// A fitter fits paths to some points.
type fitter interface {
	// path fits a model for each of the alphas. It also returns the number of models that did not converge.
	path(alphas []float64, rho float64) (models []*Linear, missed int, err error)
}

// A gridFitter also knows default alphas.
type gridFitter interface {
	fitter
	// grid returns the default alphas for the given ρ.
	grid(rho float64) ([]float64, error)
	// release frees memory, at the cost of time if path is called later.
	release()
}

// crossValidate chooses the best pair of α and ρ. The candidates for ρ are opt.L1Ratios or, if that is nil, rho alone.
// The candidates for α are opt.Alphas or, if that is nil, the grid of the fitter for all points.
func crossValidate(ctx context.Context, fn string, X mat.Matrix, y []float64, opt *CVOptions, rho float64, how method) (*CV, error) {
	var o CVOptions
	if opt != nil {
		o = *opt
	}
	ratios := o.L1Ratios
	if ratios == nil {
		ratios = []float64{rho}
	}
	D, err := data(fn, X, y)
	if err != nil {
		return nil, err
	}
	if err := checkAlphas(fn, o.Alphas); err != nil {
		return nil, err
	}
	if o.Alphas != nil && len(o.Alphas) == 0 || len(ratios) == 0 {
		return nil, fmt.Errorf("regress: %s: Alphas or L1Ratios has no elements: nil means the default", fn)
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	if ctx == nil {
		ctx = context.Background()
	}
	n, _ := D.Dims()
	if o.Folds < 2 || o.Folds > n {
		return nil, fmt.Errorf("regress: %s: Folds is %d, must be 2 to the %d points", fn, o.Folds, n)
	}
	if most := n - (n+o.Folds-1)/o.Folds; o.Nested < 0 || o.Nested == 1 || o.Nested > most {
		return nil, fmt.Errorf("regress: %s: Nested is %d, must be 0 or 2 to the %d points outside a fold", fn, o.Nested, most)
	}
	// Points of weight 0 are left out here, for the grid. The folds divide all points, including those of weight 0.
	some, values, weights, err := weigh(fn, D, [][]float64{y}, o.SampleWeights)
	if err != nil {
		return nil, err
	}
	if constant.Values(values[0]) {
		return nil, fmt.Errorf("regress: %s: all y are equal", fn)
	}
	cv := &CV{}
	each := defaultAlphas // number of candidates with the same ρ
	if o.Alphas != nil {
		each = len(o.Alphas)
	}
	whole, err := how.fitter(ctx, some, values[0], weights, each)
	if err != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, pathError{err})
	}
	for _, rho := range ratios {
		alphas := o.Alphas
		if alphas == nil {
			if alphas, err = whole.grid(rho); err != nil {
				return nil, err
			}
		}
		each = len(alphas)
		cv.Alphas = append(cv.Alphas, alphas...)
		if o.L1Ratios != nil {
			cv.L1Ratios = append(cv.L1Ratios, slices.Repeat([]float64{rho}, each)...)
		}
	}
	whole.release()
	of := func(s []float64, idx []int) []float64 {
		if s == nil {
			return nil
		}
		return subset.Values(s, idx)
	}
	steps, total := 0, o.Folds*(1+o.Nested)
	// outOfFold predicts each point of y with models that were not trained on it. The result has a row for each
	// candidate.
	outOfFold := func(X mat.Matrix, y, s []float64, folds [][]int) (*mat.Dense, error) {
		P := mat.NewDense(len(cv.Alphas), len(y), nil)
		fit := how.outside(ctx, X, y, s, folds, each)
		for f, fold := range folds {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("regress: %s: %w", fn, err)
			}
			paths, err := fit(f)
			for i, rho := range ratios {
				var models []*Linear
				var missed int
				if err == nil {
					models, missed, err = paths.path(cv.Alphas[i*each:(i+1)*each], rho)
				}
				cv.NotConverged += missed
				if err != nil {
					return nil, fmt.Errorf("regress: %s: fold %d: %w", fn, f, pathError{err})
				}
				rows := make([][]float64, len(models))
				for k := range rows {
					rows[k] = P.RawRowView(i*each + k)
				}
				for _, r := range fold { // all models in turn, while the point is in the cache
					for k, m := range models {
						rows[k][r] = m.point(X, r)
					}
				}
			}
			steps++
			progress.Report(o.Recorder, progress.Event{What: "cross-validation", Step: min(steps, total), Total: total})
		}
		return P, nil
	}
	choose := func(P *mat.Dense, y, s []float64) (best int, r2 []float64) {
		for k := range cv.Alphas {
			r2 = append(r2, weightedR2(y, P.RawRowView(k), s))
			if r2[k] > r2[best] {
				best = k
			}
		}
		return best, r2
	}
	cv.Folds = KFold(n, o.Folds, o.Seed)
	P, err := outOfFold(D, y, o.SampleWeights, cv.Folds)
	if err != nil {
		return nil, err
	}
	cv.Best, cv.R2 = choose(P, y, o.SampleWeights)
	cv.Predictions = make([]float64, n)
	for f, fold := range cv.Folds {
		best := cv.Best
		if o.Nested > 0 {
			rest := subset.Others(cv.Folds, f)
			X, yr, s := rowsOf(D, rest), subset.Values(y, rest), of(o.SampleWeights, rest)
			_, values, _, err := weigh(fn, X, [][]float64{yr}, s)
			if err != nil {
				return nil, fmt.Errorf("%w outside fold %d", err, f)
			}
			if constant.Values(values[0]) {
				return nil, fmt.Errorf("regress: %s: all y outside fold %d are equal", fn, f)
			}
			within, err := outOfFold(X, yr, s, KFold(len(rest), o.Nested, o.Seed+1+uint64(f)))
			if err != nil {
				return nil, err
			}
			best, _ = choose(within, yr, s)
		}
		cv.FoldAlpha = append(cv.FoldAlpha, cv.Alphas[best])
		if cv.L1Ratios != nil {
			cv.FoldL1Ratio = append(cv.FoldL1Ratio, cv.L1Ratios[best])
		}
		for _, i := range fold {
			cv.Predictions[i] = P.At(best, i)
		}
	}
	cv.PR2 = weightedR2(y, cv.Predictions, o.SampleWeights)
	// Fit all α of this ρ up to the best one, because the lasso needs the warm starts.
	first := cv.Best / each * each // of this ρ
	models, missed, err := whole.path(cv.Alphas[first:cv.Best+1], ratios[cv.Best/each])
	cv.NotConverged += missed
	if err != nil {
		return nil, fmt.Errorf("regress: %s: %w", fn, pathError{err})
	}
	cv.Model = models[cv.Best-first]
	return cv, nil
}
