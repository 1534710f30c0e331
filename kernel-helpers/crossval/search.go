package crossval

import (
	"context"
	"fmt"

	"overcomplete/kernel-helpers/ended"
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
// The search ends with an error when a fit or a score fails, or when ctx ends. If several fail, Search returns the
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
