package crossval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/regress"
	"overcomplete/ui/progress"
)

// Folds divide the points evenly. The same seed gives the same folds, and another seed gives other folds.
func TestFolds(t *testing.T) {
	var y, groups []int
	for i := range 103 {
		y = append(y, i*i%4%3)
		groups = append(groups, 1000-i*i%17)
	}
	for name, divide := range map[string]func(seed uint64) [][]int{
		"KFold":      func(seed uint64) [][]int { return KFold(103, 5, seed) },
		"Stratified": func(seed uint64) [][]int { return Stratified(y, 5, seed) },
		"Grouped":    func(seed uint64) [][]int { return Grouped(groups, 4, seed) },
	} {
		folds := divide(1)
		if n := mustBeFolds(folds); n != 103 {
			t.Errorf("%s: %d points", name, n)
		}
		if !reflect.DeepEqual(folds, divide(1)) || reflect.DeepEqual(folds, divide(2)) {
			t.Errorf("%s: the seed does not determine the folds", name)
		}
		for f, fold := range folds {
			if !slices.IsSorted(fold) {
				t.Errorf("%s: fold %d is %v", name, f, fold)
			}
			if name != "Grouped" && (len(fold) < 20 || len(fold) > 21) {
				t.Errorf("%s: fold %d has %d points", name, f, len(fold))
			}
			classes := map[int]int{}
			for _, i := range fold {
				classes[y[i]]++
				if g := groups[i]; name == "Grouped" {
					for j, h := range groups {
						if g == h && !slices.Contains(fold, j) {
							t.Errorf("group %d is in several folds", g)
						}
					}
				}
			}
			for c, m := range classes {
				all := 0
				for _, k := range y {
					if k == c {
						all++
					}
				}
				if name == "Stratified" && (m < all/5 || m > all/5+1) {
					t.Errorf("fold %d has %d of the %d points of class %d", f, m, all, c)
				}
			}
		}
	}
	if !reflect.DeepEqual(KFold(50, 3, 4), regress.KFold(50, 3, 4)) {
		t.Error("the folds are not those of regress")
	}
	// By hand: groups of 4, 2, 2, 1, 1 points in two folds leave five in each.
	folds := Grouped([]int{7, 7, 7, 7, 3, 3, 5, 5, 1, 2}, 2, 9)
	if len(folds[0]) != 5 || len(folds[1]) != 5 {
		t.Errorf("%v", folds)
	}
}

func TestGrid(t *testing.T) {
	type options struct {
		a float64
		b string
	}
	got := Grid(options{a: 9}, Vary(func(o *options, v float64) { o.a = v }, 1, 2), Vary(func(o *options, v string) { o.b = v }, "x", "y", "z"))
	want := []options{{1, "x"}, {1, "y"}, {1, "z"}, {2, "x"}, {2, "y"}, {2, "z"}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Grid(options{a: 9}); len(got) != 1 || got[0].a != 9 {
		t.Errorf("%v", got)
	}
}

// Search agrees with RidgeCV: the same folds, the same choice, the same model. Both score the same predictions,
// but RidgeCV computes one R² over all folds.
func TestSearchIsRidgeCV(t *testing.T) {
	X, y := mat.NewDense(40, 3, nil), make([]float64, 40)
	for i := range 40 {
		for j := range 3 {
			X.Set(i, j, math.Sin(float64(1+i*(j+2))))
		}
		y[i] = X.At(i, 0) + 0.3*math.Cos(float64(7*i))
	}
	alphas := []float64{0.01, 1, 100}
	cv, err := regress.RidgeCV(t.Context(), X, y, &regress.CVOptions{Alphas: alphas, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	rows := func(idx []int) (*mat.Dense, []float64) {
		R, v := mat.NewDense(len(idx), 3, nil), make([]float64, len(idx))
		for r, i := range idx {
			R.SetRow(r, X.RawRowView(i))
			v[r] = y[i]
		}
		return R, v
	}
	fit := func(ctx context.Context, train []int, alpha float64) (*regress.Linear, error) {
		R, v := rows(train)
		return regress.FitRidge(ctx, R, v, alpha)
	}
	score := func(m *regress.Linear, test []int) (float64, error) {
		R, v := rows(test)
		e := 0.0
		for i, p := range m.Predict(R) {
			e -= (p - v[i]) * (p - v[i]) / float64(len(v))
		}
		return e, nil
	}
	var first *Result[*regress.Linear, float64]
	for _, workers := range []int{1, 3, 0} {
		var count counter
		r, err := Search(t.Context(), KFold(40, 5, 3), alphas, fit, score, &Options{Workers: workers, Recorder: &count})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != ended.Done || r.Best != cv.Best || r.Options != alphas[r.Best] || !mat.EqualApprox(mat.NewVecDense(3, r.Model.W), mat.NewVecDense(3, cv.Model.W), 1e-12) {
			t.Errorf("%v with %v, RidgeCV finds %v", r.Best, r.Model, cv.Best)
		}
		square := 0.0
		for i, p := range cv.Predictions {
			square += (p - y[i]) * (p - y[i]) / 40
		}
		if math.Abs(r.Mean[r.Best]+square) > 1e-12 { // the folds are of equal size
			t.Errorf("mean squared error %v, of RidgeCV's predictions %v", -r.Mean[r.Best], square)
		}
		if count.events != 16 || count.last.Step != 16 || count.last.Total != 16 {
			t.Errorf("%d events, the last %v", count.events, count.last)
		}
		if first == nil {
			first = r
		}
		if !reflect.DeepEqual(first, r) {
			t.Errorf("the result depends on Workers: %v and %v", first, r)
		}
	}
}

type counter struct {
	events int
	last   progress.Event
}

func (c *counter) Record(e progress.Event) { c.events, c.last = c.events+1, e }

// The first error, in the order of the grid and the folds, is reported with its place, for any number of workers.
// Models that have not converged are used and counted.
func TestSearchEnds(t *testing.T) {
	folds := [][]int{{0, 1}, {2, 3}}
	score := func(m int, _ []int) (float64, error) {
		if m == 3 {
			return math.NaN(), nil
		}
		return float64(m), nil
	}
	wrong := errors.New("wrong")
	for _, workers := range []int{1, 4} {
		r, err := Search(t.Context(), folds, []int{0, 1, 2}, func(_ context.Context, train []int, o int) (int, error) {
			return o, fmt.Errorf("slow: %w", ended.ErrNotConverged)
		}, score, &Options{Workers: workers})
		if err != nil || r.NotConverged != 7 || r.Best != 2 || r.Model != 2 || r.SD[2] != 0 {
			t.Errorf("%v, %v", r, err)
		}
		_, err = Search(t.Context(), folds, []int{0, 1, 2}, func(_ context.Context, train []int, o int) (int, error) {
			if o > 0 && train[0] == 0 {
				return 0, wrong
			}
			return o, nil
		}, score, &Options{Workers: workers})
		if !errors.Is(err, wrong) || !strings.Contains(err.Error(), "candidate 1, fold 1") {
			t.Errorf("%v", err)
		}
		_, err = Search(t.Context(), folds, []int{0, 3}, func(context.Context, []int, int) (int, error) { return 3, nil }, score, nil)
		if err == nil || !strings.Contains(err.Error(), "NaN") {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var once sync.Once
		_, err = Search(ctx, folds, make([]int, 100), func(ctx context.Context, _ []int, o int) (int, error) {
			once.Do(cancel)
			return o, ctx.Err()
		}, score, &Options{Workers: workers})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	fit := func(context.Context, []int, int) (int, error) { return 0, nil }
	if _, err := Search(t.Context(), folds, nil, fit, score, nil); err == nil || !strings.Contains(err.Error(), "the grid is empty") {
		t.Errorf("%v", err)
	}
	if _, err := Search(t.Context(), folds, []int{1}, fit, score, &Options{Workers: -1}); err == nil || !strings.Contains(err.Error(), "Workers is -1") {
		t.Errorf("%v", err)
	}
	for want, f := range map[string]func(){
		"crossval: KFold: 1 folds of 3 points":      func() { KFold(3, 1, 0) },
		"crossval: Stratified: 3 folds of 2 points": func() { Stratified([]int{0, 1}, 3, 0) },
		"crossval: Stratified: label y[1] is -1":    func() { Stratified([]int{0, -1}, 2, 0) },
		"crossval: Grouped: 2 folds of 1 groups":    func() { Grouped([]int{4, 4, 4}, 2, 0) },
		"crossval: Others: fold 2 of 2":             func() { Others(folds, 2) },
		"crossval: Vary: set is nil":                func() { Vary[int]((func(*int, int))(nil), 1) },
		"crossval: fold 1 is empty":                 func() { Search(t.Context(), [][]int{{0}, {}}, []int{1}, fit, score, nil) },
		"crossval: there are 1 folds":               func() { Search(t.Context(), [][]int{{0}}, []int{1}, fit, score, nil) },
		"crossval: point 0 of fold 1 is in another": func() { Search(t.Context(), [][]int{{0}, {0}}, []int{1}, fit, score, nil) },
		"crossval: point 5 of fold 1 is in another": func() { Search(t.Context(), [][]int{{0}, {5}}, []int{1}, fit, score, nil) },
		"crossval: Search: fit or score is nil":     func() { Search[int, int](t.Context(), folds, []int{1}, nil, score, nil) },
	} {
		if p := fmt.Sprint(panics.Value(f)); !strings.HasPrefix(p, want) {
			t.Errorf("%s, want %s", p, want)
		}
	}
}
