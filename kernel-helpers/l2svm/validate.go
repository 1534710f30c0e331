package l2svm

import (
	"context"
	"fmt"
	"math"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/subset"
)

// CVOptions are the options of CrossValidate. nil means the zero value. Options.C is not used.
type CVOptions struct {
	Options
	Folds   int     // number of folds. 0: 5
	Folding Folding // assignment of points to folds. 0 means AutoFolds
	Seed    uint64  // of stratified folds
}

// A Folding says how points are assigned to folds.
type Folding int

const (
	// AutoFolds is Contiguous if the labels look shuffled, and Stratified if they look sorted by class. They look sorted
	// if the χ² of the folds' classes is more than six standard deviations above its mean for random order, or if a fold
	// has all points of a class.
	AutoFolds Folding = iota
	// Contiguous folds are blocks of consecutive points.
	Contiguous
	// Stratified folds are drawn at random, with each class spread as evenly as possible.
	Stratified
)

// String returns the name of the folding.
func (f Folding) String() string {
	switch f {
	case AutoFolds:
		return "auto"
	case Contiguous:
		return "contiguous"
	case Stratified:
		return "stratified"
	}
	return fmt.Sprintf("Folding(%d)", int(f))
}

// A CV holds the accuracy of each C on points that were not used for training.
type CV struct {
	C []float64
	// Accuracy is over all points; FoldAccuracy is the accuracy on each fold (C × folds).
	Accuracy     []float64
	FoldAccuracy [][]float64
	// Best is the index in C of the largest accuracy; ties go to the first.
	Best    int
	Folding Folding // Contiguous or Stratified
	// Status is the worst status of all machines.
	Status ended.Status
}

// CrossValidate measures the accuracy of each C in cs. For each fold, it trains on the other folds and predicts the
// points of this fold. All folds and classes are trained together, so that they share each pass over the points. The
// values of C are taken in ascending order, and training starts from the solution for the previous C. The scale is
// computed from all points, so training uses the features of a predicted fold, but not its labels. If machines miss
// their tolerance, the error wraps ended.ErrNotConverged and comes with the result; Status says how the machines
// ended.
func CrossValidate(ctx context.Context, X Points, y []int, cs []float64, opt *CVOptions) (*CV, error) {
	var o CVOptions
	if opt != nil {
		o = *opt
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	n, _ := pointsOf("CrossValidate", X)
	if o.Folds < 2 || o.Folds > n {
		return nil, fmt.Errorf("l2svm: CrossValidate: Folds is %d, must be 2 to the %d points", o.Folds, n)
	}
	if o.Folding < AutoFolds || o.Folding > Stratified {
		return nil, fmt.Errorf("l2svm: CrossValidate: Folding is %d, which there is not", o.Folding)
	}
	t, err := newTask(ctx, "CrossValidate", X, y, &o.Options)
	if err != nil {
		return nil, fmt.Errorf("l2svm: CrossValidate: %w", err)
	}
	defer t.close()
	fold := make([]int, n)
	for i := range fold {
		fold[i] = i * o.Folds / n
	}
	if o.Folding == AutoFolds {
		o.Folding = Contiguous
		if isSorted(y, fold, t.K, o.Folds) {
			o.Folding = Stratified
		}
	}
	if o.Folding == Stratified {
		for f, idx := range subset.Stratified(y, o.Folds, o.Seed) {
			for _, i := range idx {
				fold[i] = f
			}
		}
	}
	v, err := t.validate(fold, o.Folds, cs)
	if err != nil {
		return nil, fmt.Errorf("l2svm: CrossValidate: %w", err)
	}
	v.Folding = o.Folding
	if v.Status == ended.IterationLimit || v.Status == ended.NoProgress {
		return v, fmt.Errorf("l2svm: CrossValidate: %w: %v", ended.ErrNotConverged, v.Status)
	}
	return v, nil
}

// isSorted reports whether the labels look sorted by class: either a fold has all points of a class, or Pearson's χ²
// of the folds' class counts is more than six standard deviations above its mean. For points in random order, χ² has
// mean f = (folds − 1)(K − 1) and variance 2f.
func isSorted(y, fold []int, K, folds int) bool {
	n := float64(len(y))
	count, inFold, inClass := make([]float64, folds*K), make([]float64, folds), make([]float64, K)
	for i, k := range y {
		count[fold[i]*K+k]++
		inFold[fold[i]]++
		inClass[k]++
	}
	var chi2 float64
	for f := range folds {
		for k := range K {
			expected := inFold[f] * inClass[k] / n
			chi2 += (count[f*K+k] - expected) * (count[f*K+k] - expected) / expected
			if count[f*K+k] == inClass[k] {
				return true
			}
		}
	}
	free := float64((folds - 1) * (K - 1))
	return chi2 > free+6*math.Sqrt(2*free)
}

// validate is like CrossValidate, given the fold of each point.
func (t *task) validate(fold []int, folds int, cs []float64) (*CV, error) {
	n := len(t.y)
	var list []*machine // fold by fold, and by class within a fold
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
			c := t.oneAgainstRest(k, held)
			some := false
			for _, yi := range c.y {
				some = some || yi > 0
			}
			if !some || size[f] == 0 {
				return nil, fmt.Errorf("fold %d has no points, or all %d of class %d: take fewer folds", f, size[f], k)
			}
			list = append(list, t.solver.start(c))
		}
	}
	v := &CV{C: append([]float64(nil), cs...), Accuracy: make([]float64, len(cs)), FoldAccuracy: make([][]float64, len(cs))}
	err := t.path(list, cs, func(q int) error {
		right := make([]int, folds)
		total := 0
		for i, f := range fold {
			// A machine has the scores of all points, including those it is not trained on.
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

// String returns a one-line summary.
func (v *CV) String() string {
	return fmt.Sprintf("l2svm: C %.3g of %.3g has the largest accuracy, %.4f of %.4f; %v", v.C[v.Best], v.C, v.Accuracy[v.Best], v.Accuracy, v.Status)
}
