package l2svm

import (
	"context"
	"fmt"
	"math"
	"overcomplete/kernel-helpers/ended"
)

// CVOptions are the options of CrossValidate. nil means the zero value. Options.C is not used.
type CVOptions struct {
	Options
	Folds int // the number of contiguous blocks of points. 0: 5
}

// A CV holds the accuracy of each C on points that were not used for training.
type CV struct {
	C []float64
	// Accuracy is the accuracy over all points, FoldAccuracy that of each fold (C × folds).
	Accuracy     []float64
	FoldAccuracy [][]float64
	// Best is the index in C of the largest accuracy, the first of equal ones.
	Best   int
	Status ended.Status // the worst of all machines
}

// CrossValidate trains on all folds but one and predicts that one, for each C. All
// folds and classes are trained at the same time, so that one pass over the points
// serves all of them, and for C in rising order, each starting from the one before. The
// scale is computed from all points, so training uses the features of a predicted fold,
// but not its labels.
func CrossValidate(ctx context.Context, X Points, y []int, cs []float64, opt *CVOptions) (*CV, error) {
	var o CVOptions
	if opt != nil {
		o = *opt
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	n, _ := X.Dims()
	if o.Folds < 2 || o.Folds > n {
		return nil, fmt.Errorf("l2svm: CrossValidate: %d folds of %d points", o.Folds, n)
	}
	fold := make([]int, n)
	for i := range fold {
		fold[i] = i * o.Folds / n
	}
	t, err := newTask(ctx, X, y, &o.Options)
	if err == nil {
		var v *CV
		if v, err = t.validate(fold, o.Folds, cs); err == nil {
			return v, nil
		}
	}
	return nil, fmt.Errorf("l2svm: CrossValidate: %w", err)
}

// validate is CrossValidate with the fold of each point.
func (t *task) validate(fold []int, folds int, cs []float64) (*CV, error) {
	n := len(t.y)
	var list []*machine // fold by fold, of each the classes
	size := make([]int, folds)
	held := make([]bool, n)
	for f := range folds {
		for i := range held {
			held[i] = fold[i] == f
			if held[i] {
				size[f]++
			}
		}
		for k := range t.K {
			c := against(t.y, k, held, 1)
			some := false
			for _, yi := range c.y {
				some = some || yi > 0
			}
			if !some || size[f] == 0 {
				return nil, fmt.Errorf("fold %d has no points, or all points of class %d", f, k)
			}
			list = append(list, t.solver.start(c))
		}
	}
	v := &CV{C: append([]float64(nil), cs...), Accuracy: make([]float64, len(cs)), FoldAccuracy: make([][]float64, len(cs))}
	err := t.path(t.ctx, list, cs, func(q int) error {
		right := make([]int, folds)
		total := 0
		for i, f := range fold {
			// A machine keeps the scores of all points, also of those it is not
			// trained on.
			best, at := math.Inf(-1), -1
			for k := range t.K {
				if z := list[f*t.K+k].z[i]; z > best {
					best, at = z, k
				}
			}
			if at == t.y[i] {
				right[f]++
				total++
			}
		}
		v.Accuracy[q] = float64(total) / float64(n)
		for f, r := range right {
			v.FoldAccuracy[q] = append(v.FoldAccuracy[q], float64(r)/float64(size[f]))
		}
		for _, m := range list {
			v.Status = max(v.Status, m.status)
		}
		return nil
	})
	for q, a := range v.Accuracy {
		if a > v.Accuracy[v.Best] {
			v.Best = q
		}
	}
	return v, err
}

// String summarises the result in one line.
func (v *CV) String() string {
	return fmt.Sprintf("l2svm: C %.3g of %.3g has the largest accuracy, %.4f of %.4f; %v", v.C[v.Best], v.C, v.Accuracy[v.Best], v.Accuracy, v.Status)
}
