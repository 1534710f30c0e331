package scaleout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/l2svm"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Point]())
	register.DoFn2x2[context.Context, Point, Outcome, error](&sweepFn{})
}

// A Point is one point of a sweep's grid: values of λ and p, and the seed that chooses the held-out signals. Index is
// its number, and Of is the number of all points.
type Point struct {
	Index, Of int
	Lambda, P float64
	Seed      uint64
}

// Grid returns all combinations of the given values, sorted by λ, p and seed. A value that is given twice counts once.
func Grid(lambdas, ps []float64, seeds []uint64) []Point {
	var list []Point
	for _, l := range sorted(lambdas) {
		for _, p := range sorted(ps) {
			for _, s := range sorted(seeds) {
				list = append(list, Point{Index: len(list), Lambda: l, P: p, Seed: s})
			}
		}
	}
	for i := range list {
		list[i].Of = len(list)
	}
	return list
}

func sorted[T cmp.Ordered](x []T) []T {
	x = slices.Clone(x)
	slices.Sort(x)
	return slices.Compact(x)
}

// SweepOptions are the options of Sweep.
type SweepOptions struct {
	// Signals and Basis are as in CodeOptions; Labels is a matrix file, 1×N, with the
	// class of each signal: 0, 1, ...
	Signals, Basis, Labels string
	Doubled                bool
	// Share is the share of the signals that is held out. The held-out signals are drawn with the point's seed. 0 means
	// 0.2.
	Share float64
	// C is the C of l2svm. 0 means 1.
	C float64
	// Report receives the table.
	Report string
}

// Sweep computes the validation error of each point. It codes the signals with the point's λ and p, and trains a
// linear support vector machine on the codes of all signals except those that the point's seed holds out. The error is
// measured on the held-out signals.
//
//	Point → (the error) → Outcome → file Report
func Sweep(s beam.Scope, o SweepOptions, grid []Point) {
	s = s.Scope("scaleout.Sweep")
	if len(grid) == 0 {
		panic("scaleout: Sweep: no points")
	}
	if o.Share == 0 {
		o.Share = 0.2
	}
	points := beam.Reshuffle(s, beam.CreateList(s, grid))
	report(s, beam.ParDo(s, &sweepFn{SweepOptions: o}, points), o.Report)
}

// A sweepFn computes the error of a point.
type sweepFn struct {
	SweepOptions
	b, x   mat.Matrix // D×n, D×N
	labels []int      // N
}

func (f *sweepFn) Setup(ctx context.Context) error {
	if err := f.setup(ctx); err != nil {
		return fmt.Errorf("scaleout: Sweep: %w", err)
	}
	return nil
}

func (f *sweepFn) setup(ctx context.Context) error {
	var err error
	if f.b, _, err = readMatrix(ctx, f.Basis); err != nil {
		return err
	}
	x, err := openSignals(ctx, f.Signals)
	if err != nil {
		return err
	}
	defer x.close()
	if f.x, err = x.columns(0, x.n); err != nil {
		return err
	}
	Y, _, err := readMatrix(ctx, f.Labels)
	if err != nil {
		return err
	}
	if r, c := Y.Dims(); r != 1 || c != x.n {
		return fmt.Errorf("the labels are %d×%d, not 1×%d", r, c, x.n)
	}
	if d, _ := f.b.Dims(); d != x.d {
		return fmt.Errorf("the signals have %d numbers, but the basis is for %d", x.d, d)
	}
	f.labels = nil
	for i, y := range Y.RawRowView(0) {
		if y < 0 || y != float64(int(y)) {
			return fmt.Errorf("label %d is %v, which is not a whole number from 0 on", i, y)
		}
		f.labels = append(f.labels, int(y))
	}
	if held := int(f.Share * float64(x.n)); held < 1 || held >= x.n {
		return fmt.Errorf("a share of %v holds out %d of %d signals, but some must be held out and some left", f.Share, held, x.n)
	}
	return nil
}

func (f *sweepFn) ProcessElement(ctx context.Context, p Point) (Outcome, error) {
	o := Outcome{Index: p.Index, Of: p.Of}
	e, remark, err := f.validate(ctx, p)
	if err != nil {
		return o, fmt.Errorf("scaleout: Sweep: λ %v, p %v, seed %d: %w", p.Lambda, p.P, p.Seed, err)
	}
	o.Line = fmt.Sprintf("%v\t%v\t%d\t%.6f%s", p.Lambda, p.P, p.Seed, e, remark)
	return o, nil
}

func (f *sweepFn) validate(ctx context.Context, p Point) (e float64, remark string, err error) {
	c, err := klcoding.New(f.b, &klcoding.Options{Lambda: p.Lambda, P: p.P, Doubled: f.Doubled})
	if err != nil {
		return 0, "", err
	}
	r, err := c.Code(ctx, f.x)
	if errors.Is(err, klcoding.ErrNotConverged) { // the codes are usable
		remark = "\tcodes not converged"
	} else if err != nil {
		return 0, "", err
	}
	W := l2svm.Dense(mat.DenseCopyOf(r.W.T())) // N×n
	order := rand.New(rand.NewPCG(p.Seed, 0)).Perm(len(f.labels))
	held := int(f.Share * float64(len(order)))
	part := func(idx []int) (l2svm.Points, []int) {
		var y []int
		for _, i := range idx {
			y = append(y, f.labels[i])
		}
		return l2svm.Select(W, idx), y
	}
	X, y := part(order[held:])
	m, err := l2svm.Fit(ctx, X, y, &l2svm.Options{C: f.C, Classes: slices.Max(f.labels) + 1})
	if ended.Accept(err) != nil { // with ended.ErrNotConverged the machine is usable
		return 0, "", err
	}
	X, y = part(order[:held])
	a, err := m.Accuracy(ctx, X, y)
	return 1 - a, remark, err
}
