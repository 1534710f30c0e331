package crossval

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// A Fit trains a model of type M, with the options o, on the points whose indices are in the slice train. A Fit must
// not change train. Several goroutines call the function at once, unless Options.Workers is 1. If its error wraps
// ended.ErrNotConverged, the model is used; any other error ends the search.
type Fit[M, O any] func(ctx context.Context, train []int, o O) (M, error)

// A Score returns how good the model m is for the points whose indices are in the slice test. Larger is better.
// Several goroutines call the function at once, unless Options.Workers is 1.
type Score[M any] func(m M, test []int) (float64, error)

// A Result is the outcome of a Search.
type Result[M, O any] struct {
	Choice
	Grid []O
	// Options is Grid[Best], and Model is trained with it on all points.
	Options O
	Model   M
}

// String returns the chosen options and a one-line summary of the choice.
func (r *Result[M, O]) String() string { return fmt.Sprintf("%+v, %v", r.Options, &r.Choice) }

// Search chooses the element of grid (options of the model) with the largest mean score. For each element and each
// fold, it trains a model on all points outside the fold and scores the model on the fold. Finally it trains a model
// with the chosen options on all points. Each point must be in exactly one fold, as in the result of KFold. opt may be
// nil.
//
// The search ends with an error when a fit or a score fails, or when ctx is done. If several fail, Search returns the
// error that is first in the order of grid and folds.
func Search[M, O any](ctx context.Context, folds [][]int, grid []O, fit Fit[M, O], score Score[M], opt *Options) (*Result[M, O], error) {
	if fit == nil || score == nil {
		panic("crossval: Search: fit or score is nil")
	}
	r := &Result[M, O]{Grid: append([]O(nil), grid...)}
	c, err := Choose(ctx, folds, len(grid), func(ctx context.Context, g int, train, test []int) (float64, error) {
		m, err := fit(ctx, train, grid[g])
		if ended.Accept(err) != nil {
			return 0, err
		}
		if len(test) == 0 { // the last call
			r.Model = m
			return 0, err
		}
		s, wrong := score(m, test)
		if wrong != nil {
			return 0, wrong
		}
		return s, err
	}, opt)
	if err != nil {
		return nil, err
	}
	r.Choice, r.Options = *c, grid[c.Best]
	return r, nil
}

// An Axis is a list of alternative changes to a value of type O, which holds options. Usually, all changes set the
// same option, each to a different value.
type Axis[O any] []func(*O)

// Vary returns an Axis with one change for each v in values: the change calls set(o, v), which should set one option
// of o to v.
func Vary[O, V any](set func(o *O, v V), values ...V) Axis[O] {
	if set == nil {
		panic("crossval: Vary: set is nil")
	}
	var axis Axis[O]
	for _, v := range values {
		axis = append(axis, func(o *O) { set(o, v) })
	}
	return axis
}

// Grid returns copies of base, one for each combination of the changes on the axes, with these changes made. The last
// axis varies fastest. Without axes the result is base alone. If an axis has no values, the result is empty.
func Grid[O any](base O, axes ...Axis[O]) []O {
	grid := []O{base}
	for _, axis := range axes {
		var next []O
		for _, o := range grid {
			for _, change := range axis {
				changed := o
				change(&changed)
				next = append(next, changed)
			}
		}
		grid = next
	}
	return grid
}

// Options are the options of Search and Choose. The zero value is ready to use.
type Options struct {
	// Workers is the number of fits at once. 0 means as many as there are processors.
	Workers int
	// Recorder receives an event after each fit. May be nil.
	Recorder progress.Recorder
}

// A Choice is the outcome of Choose: the best candidate, and the scores of all candidates.
type Choice struct {
	Status ended.Status // always ended.Done
	// Scores[g][f] is the score of candidate g on fold f, trained on the other folds.
	Scores [][]float64
	// Mean and SD are, for each candidate, the mean and the standard deviation of its scores over the folds. The
	// standard deviation has the number of folds in the denominator.
	Mean, SD []float64
	// Best is the candidate with the largest Mean; ties go to the first.
	Best int
	// NotConverged is the number of fits that ended with ended.ErrNotConverged, including the fit on all points.
	NotConverged int
}

// String returns a one-line summary.
func (c *Choice) String() string {
	if c.Best >= len(c.Mean) {
		return "no candidates"
	}
	return fmt.Sprintf("candidate %d of %d: %.4g ± %.2g in %d folds", c.Best, len(c.Mean), c.Mean[c.Best], c.SD[c.Best], len(c.Scores[c.Best]))
}

// Choose is like Search, but the candidates are numbers, 0 to candidates−1, instead of options. It calls try(ctx, g,
// train, test), which trains candidate g on the points with the indices in train, and returns the candidate's score for
// the points with the indices in test. The score counts even if the error wraps ended.ErrNotConverged. A call must not
// change the two slices, and several goroutines make such calls at once unless Workers is 1. The last call, which runs
// alone, trains the best candidate on all points; test is then empty, and the score is ignored.
func Choose(ctx context.Context, folds [][]int, candidates int, try func(ctx context.Context, g int, train, test []int) (float64, error), opt *Options) (*Choice, error) {
	n := mustBeFolds(folds)
	if try == nil {
		panic("crossval: Choose: try is nil")
	}
	if candidates < 1 {
		return nil, fmt.Errorf("crossval: there are %d candidates (the grid is empty)", candidates)
	}
	var o Options
	if opt != nil {
		o = *opt
	}
	if o.Workers < 0 {
		return nil, fmt.Errorf("crossval: Workers is %d, must be 0 or more", o.Workers)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	r := &Choice{Status: ended.Done, Scores: make([][]float64, candidates)}
	for g := range candidates {
		r.Scores[g] = make([]float64, len(folds))
	}
	train := make([][]int, len(folds))
	for f := range folds {
		train[f] = Others(folds, f)
	}
	pieces := candidates * len(folds)
	errs := make([]error, pieces)
	var failed atomic.Int64 // the first piece with an error
	failed.Store(int64(pieces))
	var mu sync.Mutex // guards what follows
	done := 0
	parallel.Do(pieces, o.Workers, func(k int) {
		if int64(k) > failed.Load() || ctx.Err() != nil {
			return
		}
		g, f := k/len(folds), k%len(folds)
		s, err := try(ctx, g, train[f], folds[f])
		missed := err != nil && ended.Accept(err) == nil
		if err = ended.Accept(err); err == nil && math.IsNaN(s) {
			err = fmt.Errorf("the score is NaN")
		}
		r.Scores[g][f] = s
		mu.Lock()
		defer mu.Unlock()
		if missed {
			r.NotConverged++
		}
		if errs[k] = err; err != nil {
			failed.Store(min(failed.Load(), int64(k)))
		}
		done++
		progress.Report(o.Recorder, progress.Event{What: "cross-validation", Step: done, Total: pieces + 1})
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("crossval: %w after %d of %d fits", ctx.Err(), done, pieces)
	}
	if k := int(failed.Load()); k < pieces {
		return nil, fmt.Errorf("crossval: candidate %d, fold %d: %w", k/len(folds), k%len(folds), errs[k])
	}
	for g, scores := range r.Scores {
		mean, square := 0.0, 0.0
		for _, v := range scores {
			mean += v / float64(len(folds))
		}
		for _, v := range scores {
			square += (v - mean) * (v - mean) / float64(len(folds))
		}
		r.Mean, r.SD = append(r.Mean, mean), append(r.SD, math.Sqrt(square))
		if mean > r.Mean[r.Best] {
			r.Best = g
		}
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	_, err := try(ctx, r.Best, all, nil)
	if err != nil && ended.Accept(err) == nil {
		r.NotConverged++
	}
	if err = ended.Accept(err); err != nil {
		return nil, fmt.Errorf("crossval: candidate %d, all points: %w", r.Best, err)
	}
	progress.Report(o.Recorder, progress.Event{What: "cross-validation", Step: pieces + 1, Total: pieces + 1})
	return r, nil
}
