package l2svm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/option"
	"overcomplete/ui/progress"
)

// CurveOptions are the options of MeasureCurve.
type CurveOptions struct {
	Name string // name in the legend. "": measured
	// PerClass holds the numbers of labeled points per class. nil means 50, 100, 200, 400, 1000.
	PerClass []int
	// Draws is the number of random draws for each number of points. 0 means 5.
	Draws int
	// Cs holds the candidates for C. Each draw chooses one by cross-validation on the points drawn, never on the test
	// set. A single candidate is used as is. nil means 0.01, 0.1, 1, 10, 100.
	Cs    []float64
	Folds int // 0: 5
	Seed  uint64
	// Options are the options of training. If Scale is nil, each draw computes its scale from its labeled
	// points alone. Options.C is not used.
	Options Options
	// Recorder receives each draw. May be nil.
	Recorder progress.Recorder
}

// A Curve is the test accuracy as a function of the number of labeled points.
type Curve struct {
	Name   string
	Points []CurvePoint
	// Status is the worst status of the tested machines; Unknown for published numbers.
	Status ended.Status
}

// A CurvePoint holds the results of all draws with the same number of labeled points.
type CurvePoint struct {
	PerClass int
	// Accuracy holds each draw's accuracy on the test set, and C holds the weight chosen for each draw. Both
	// are nil for published numbers.
	Accuracy, C []float64
	// Mean and SD are the mean of Accuracy and its sample standard deviation (division by draws − 1). SD is 0 if there
	// is only one draw.
	Mean, SD float64
}

// NewCurve returns a curve of given accuracies, for instance published ones: mean[i] and sd[i] are for perClass[i]
// labeled points of each class.
func NewCurve(name string, perClass []int, mean, sd []float64) *Curve {
	if len(perClass) == 0 || len(mean) != len(perClass) || len(sd) != len(perClass) {
		panic(fmt.Sprintf("l2svm: NewCurve: %d numbers of points, %d means, %d standard deviations", len(perClass), len(mean), len(sd)))
	}
	c := &Curve{Name: name}
	for k, n := range perClass {
		c.Points = append(c.Points, CurvePoint{PerClass: n, Mean: mean[k], SD: sd[k]})
	}
	return c
}

// MeasureCurve draws a few labeled points of each class several times, trains on them, and tests on all
// test points. This is the protocol of figure 1 (right) of I. Goodfellow, A. Courville and Y. Bengio,
// Spike-and-slab sparse coding for unsupervised feature discovery (2012). If tested machines missed their
// tolerance, the error wraps ended.ErrNotConverged and comes with the whole curve. options may be nil.
func MeasureCurve(ctx context.Context, train Points, ytrain []int, test Points, ytest []int, options *CurveOptions) (*Curve, error) {
	var opt CurveOptions
	if options != nil {
		opt = *options
	}
	c, err := measureCurve(ctx, train, ytrain, test, ytest, opt)
	if ended.Accept(err) != nil {
		return c, fmt.Errorf("l2svm: MeasureCurve: %w", err)
	}
	return c, err
}

func measureCurve(ctx context.Context, train Points, ytrain []int, test Points, ytest []int, opt CurveOptions) (*Curve, error) {
	n, d := pointsOf("MeasureCurve", train)
	nt, dt := pointsOf("MeasureCurve", test)
	if len(ytrain) != n || len(ytest) != nt || d != dt {
		panic(fmt.Sprintf("l2svm: MeasureCurve: %d×%d points with %d labels, tested on %d×%d with %d", n, d, len(ytrain), nt, dt, len(ytest)))
	}
	if opt.Name == "" {
		opt.Name = "measured"
	}
	if opt.PerClass == nil {
		opt.PerClass = []int{50, 100, 200, 400, 1000}
	}
	if opt.Draws == 0 {
		opt.Draws = 5
	}
	if opt.Cs == nil {
		opt.Cs = []float64{0.01, 0.1, 1, 10, 100}
	}
	if opt.Folds == 0 {
		opt.Folds = 5
	}
	if err := cmp.Or(option.Count("Draws", opt.Draws), option.AtLeast("Folds", opt.Folds, 2)); err != nil {
		return nil, err
	}
	switch {
	case opt.Options.SampleWeights != nil:
		return nil, fmt.Errorf("SampleWeights are weights of all points, of which a curve draws some: leave them out")
	case n == 0:
		return nil, fmt.Errorf("there are no points")
	}
	members := make([][]int, slices.Max(ytrain)+1)
	for i, l := range ytrain {
		if l < 0 {
			return nil, fmt.Errorf("point %d has label %d", i, l)
		}
		members[l] = append(members[l], i)
	}
	for _, per := range opt.PerClass {
		for k, m := range members {
			if per < 1 || per > len(m) {
				return nil, fmt.Errorf("%d labeled points of class %d, which has %d", per, k, len(m))
			}
			if per < 2 && len(opt.Cs) > 1 {
				return nil, fmt.Errorf("one point of each class is not enough to choose C")
			}
		}
	}
	curve := &Curve{Name: opt.Name}
	var tested []*Model
	done, total := 0, len(opt.PerClass)*opt.Draws
	for _, per := range opt.PerClass {
		p := CurvePoint{PerClass: per}
		for r := range opt.Draws {
			progress.Report(opt.Recorder, progress.Event{What: fmt.Sprintf("learning curve, %d of each class", per), Step: done, Total: total, Objective: math.NaN()})
			done++
			idx, fold := draw(members, per, min(opt.Folds, per), opt.Seed, r)
			m, err := fitByCV(ctx, Select(train, idx), pick(ytrain, idx), fold, min(opt.Folds, per), opt)
			if err != nil {
				return curve, err
			}
			a, err := m.accuracy(ctx, "MeasureCurve", test, ytest)
			if err != nil {
				return curve, err
			}
			p.Accuracy, p.C = append(p.Accuracy, a), append(p.C, m.C)
			tested, curve.Status = append(tested, &Model{Status: m.Status}), max(curve.Status, m.Status)
		}
		p.Mean = stat.Mean(p.Accuracy, nil)
		if opt.Draws > 1 {
			p.SD = stat.StdDev(p.Accuracy, nil)
		}
		curve.Points = append(curve.Points, p)
	}
	progress.Report(opt.Recorder, progress.Event{What: "learning curve", Step: total, Total: total, Objective: math.NaN()})
	return curve, missedError("MeasureCurve", "machines that were tested", tested)
}

// draw chooses points at random; per is their number in each class. It spreads the chosen points of each class evenly
// over the folds. It returns the indices of the chosen points in ascending order, and their folds. Its random numbers
// depend only on seed, per and r; r is the number of the draw.
func draw(members [][]int, per, folds int, seed uint64, r int) (idx, fold []int) {
	rng := rand.New(rand.NewPCG(seed, uint64(per)<<32|uint64(r)))
	foldOf := map[int]int{}
	for _, m := range members {
		for j, k := range rng.Perm(len(m))[:per] {
			idx = append(idx, m[k])
			foldOf[m[k]] = j * folds / per
		}
	}
	slices.Sort(idx)
	for _, i := range idx {
		fold = append(fold, foldOf[i])
	}
	return idx, fold
}

func pick(y, idx []int) []int {
	out := make([]int, len(idx))
	for k, i := range idx {
		out[k] = y[i]
	}
	return out
}

// fitByCV chooses C by cross-validation on the points, and trains on all of the points with that C. Both steps share
// the standardization and, with method Gram, the Gram matrix.
func fitByCV(ctx context.Context, X Points, y, fold []int, folds int, opt CurveOptions) (*Model, error) {
	t, err := newTask(ctx, "MeasureCurve", X, y, &opt.Options)
	if err != nil {
		return nil, err
	}
	defer t.close()
	C := opt.Cs[0]
	if len(opt.Cs) > 1 {
		v, err := t.validate(fold, folds, opt.Cs)
		if err != nil {
			return nil, err
		}
		C = v.C[v.Best]
	}
	models, err := t.models([]float64{C})
	if err != nil {
		return nil, err
	}
	return models[0], nil
}

// String returns a table of the curve.
func (c *Curve) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", c.Name)
	for _, p := range c.Points {
		fmt.Fprintf(&b, "%6d per class: %.4f ± %.4f\n", p.PerClass, p.Mean, p.SD)
	}
	return b.String()
}
