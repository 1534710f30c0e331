package crossval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// A Fit trains a model of type M on points, given by their numbers, with options of type O. It must not change the
// list of points. Several goroutines call it at once, unless Workers is 1. A model beside an error that wraps
// ended.ErrNotConverged is used; any other error ends the search.
type Fit[M, O any] func(ctx context.Context, train []int, o O) (M, error)

// A Score returns how good a model is for points, given by their numbers: larger is better. Several goroutines call it
// at once, unless Workers is 1.
type Score[M any] func(m M, test []int) (float64, error)

// Options are the options of Search. The zero value is ready to use.
type Options struct {
	// Workers is the number of fits at once. 0 means as many as there are processors.
	Workers int
	// Recorder receives an event after each fit. May be nil.
	Recorder progress.Recorder
}

// A Result is the outcome of a Search.
type Result[M, O any] struct {
	Status ended.Status // Done
	Grid   []O
	// Scores[g][f] is the score on fold f of a model trained on the other folds with Grid[g].
	Scores [][]float64
	// Mean and SD are the mean of the scores of each element of Grid over the folds, and their standard deviation
	// (with the number of folds in the denominator).
	Mean, SD []float64
	// Best is the index in Grid of the largest Mean; ties go to the first.
	Best int
	// Options is Grid[Best], and Model is trained with it on all points.
	Options O
	Model   M
	// NotConverged is the number of fits, Model's included, that ended with ended.ErrNotConverged.
	NotConverged int
}

// Search trains a model with each of the options in grid on all points outside each fold, scores it on the fold, and
// chooses the options with the largest mean score. Folds must divide the points, as those of KFold do. opt may be nil.
// The first error of a fit or a score, in the order of grid and folds, ends the search. So does the end of ctx.
func Search[M, O any](ctx context.Context, folds [][]int, grid []O, fit Fit[M, O], score Score[M], opt *Options) (*Result[M, O], error) {
	const fn = "Search"
	n := mustBeFolds(fn, folds)
	if fit == nil || score == nil {
		panic("crossval: Search: fit or score is nil")
	}
	if len(grid) == 0 {
		return nil, fmt.Errorf("crossval: %s: the grid is empty", fn)
	}
	var o Options
	if opt != nil {
		o = *opt
	}
	if o.Workers < 0 {
		return nil, fmt.Errorf("crossval: %s: Workers is %d, must be 0 or more", fn, o.Workers)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	r := &Result[M, O]{Grid: slices.Clone(grid), Scores: make([][]float64, len(grid))}
	for g := range grid {
		r.Scores[g] = make([]float64, len(folds))
	}
	train := make([][]int, len(folds))
	for f := range folds {
		train[f] = Others(folds, f)
	}
	pieces := len(grid) * len(folds)
	errs := make([]error, pieces)
	var failed atomic.Int64 // the first piece with an error
	failed.Store(int64(pieces))
	var mu sync.Mutex // of what follows
	done := 0
	parallel.Do(pieces, o.Workers, func(k int) {
		if int64(k) > failed.Load() || ctx.Err() != nil {
			return
		}
		g, f := k/len(folds), k%len(folds)
		m, err := fit(ctx, train[f], grid[g])
		missed := err != nil && ended.Accept(err) == nil
		if err = ended.Accept(err); err == nil {
			r.Scores[g][f], err = score(m, folds[f])
			if err == nil && math.IsNaN(r.Scores[g][f]) {
				err = fmt.Errorf("the score is NaN")
			}
		}
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
		return nil, fmt.Errorf("crossval: %s: %w after %d of %d fits", fn, ctx.Err(), done, pieces)
	}
	if k := int(failed.Load()); k < pieces {
		return nil, fmt.Errorf("crossval: %s: element %d of the grid, fold %d: %w", fn, k/len(folds), k%len(folds), errs[k])
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
	r.Options = grid[r.Best]
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	m, err := fit(ctx, all, r.Options)
	if err != nil && ended.Accept(err) == nil {
		r.NotConverged++
	}
	if err = ended.Accept(err); err != nil {
		return nil, fmt.Errorf("crossval: %s: element %d of the grid, all points: %w", fn, r.Best, err)
	}
	progress.Report(o.Recorder, progress.Event{What: "cross-validation", Step: pieces + 1, Total: pieces + 1})
	r.Model, r.Status = m, ended.Done
	return r, nil
}
