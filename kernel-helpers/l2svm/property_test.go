package l2svm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// A hard is a problem on which solvers have stopped too early.
type hard struct {
	name  string
	X     *mat.Dense
	y     []int
	scale *Scale // nil: standardized
}

// plain returns the Scale that does not change d features.
func plain(d int) *Scale {
	s := &Scale{make([]float64, d), make([]float64, d)}
	for j := range s.SD {
		s.SD[j] = 1
	}
	return s
}

// problems returns problems of n points and d features: separable and overlapping blobs, with rows and
// columns of all sizes, and with constant, duplicate and zero columns.
func problems(seed uint64) []hard {
	rng := rand.New(rand.NewPCG(seed, 77))
	blobs := func(n, d, K int, apart float64) (*mat.Dense, []int) {
		centre := mat.NewDense(K, d, nil)
		centre.Apply(func(int, int, float64) float64 { return apart * rng.NormFloat64() }, centre)
		X, y := mat.NewDense(n, d, nil), make([]int, n)
		for i := range n {
			y[i] = i % K
			for j := range d {
				X.Set(i, j, centre.At(y[i], j)+rng.NormFloat64())
			}
		}
		return X, y
	}
	changed := func(X *mat.Dense, f func(i, j int, v float64) float64) *mat.Dense {
		var Z mat.Dense
		Z.Apply(f, X)
		return &Z
	}
	sep, ys := blobs(60, 4, 3, 5)
	mix, ym := blobs(60, 4, 2, 0.5)
	wide, yw := blobs(30, 50, 3, 1)
	return []hard{
		{"separable", sep, ys, nil},
		{"separable, as it is", sep, ys, plain(4)},
		{"overlapping", mix, ym, nil},
		{"more features than points", wide, yw, nil},
		{"a constant feature 1e4, as it is", changed(mix, func(_, j int, v float64) float64 {
			if j == 1 {
				return 1e4
			}
			return v
		}), ym, plain(4)},
		{"a feature of mean 1e6", changed(mix, func(_, j int, v float64) float64 {
			if j == 2 {
				return v + 1e6
			}
			return v
		}), ym, nil},
		{"a feature of size 1e4, as it is", changed(mix, func(_, j int, v float64) float64 {
			if j == 0 {
				return v * 1e4
			}
			return v
		}), ym, plain(4)},
		{"columns by 1e-8, 1e-4, 1e4, 1e8", changed(sep, func(_, j int, v float64) float64 { return v * []float64{1e-8, 1e-4, 1e4, 1e8}[j] }), ys, nil},
		{"all by 1e8", changed(sep, func(_, _ int, v float64) float64 { return v * 1e8 }), ys, nil},
		{"all by 1e-8", changed(sep, func(_, _ int, v float64) float64 { return v * 1e-8 }), ys, nil},
		{"all by 1e-8, as it is", changed(sep, func(_, _ int, v float64) float64 { return v * 1e-8 }), ys, plain(4)},
		{"a row by 1e3", changed(mix, func(i, _ int, v float64) float64 {
			if i == 7 {
				return v * 1e3
			}
			return v
		}), ym, plain(4)},
		{"a zero and a double column", changed(mix, func(i, j int, v float64) float64 {
			if j == 3 {
				return 0
			}
			return mix.At(i, max(1, j))
		}), ym, nil},
		{"nothing but constants", changed(mix, func(int, int, float64) float64 { return 3 }), ym, nil},
	}
}

// minimum returns the minimum of a machine, as a reference that shares no code with the package. It uses
// Newton's method with an exact line search on the standardized points in float64: f is quadratic as long as
// the set of points within the margin does not change.
func minimum(t *testing.T, h hard, k int, C float64, s *Scale, w0 []float64, b0 float64) float64 {
	t.Helper()
	n, d := h.X.Dims()
	Z := mat.NewDense(n, d+1, nil)
	for i := range n {
		for j := range d {
			Z.Set(i, j, (h.X.At(i, j)-s.Mean[j])/s.SD[j])
		}
		Z.Set(i, d, 1)
	}
	u := mat.NewVecDense(d+1, append(slices.Clone(w0), b0))
	value := func(u *mat.VecDense) (f float64, in []int) {
		for i := range n {
			y := -1.0
			if h.y[i] == k {
				y = 1
			}
			if m := 1 - y*mat.Dot(Z.RowView(i), u); m > 0 {
				f += C / float64(n) * m * m
				in = append(in, i)
			}
		}
		for j := range d {
			f += u.AtVec(j) * u.AtVec(j) / 2
		}
		return f, in
	}
	f, in := value(u)
	for range 200 {
		// Solve the normal equations of the points within the margin by least squares, with the rows √(2C/n)
		// z_i' and the unit rows of the penalty.
		A, r := mat.NewDense(len(in)+d+1, d+1, nil), mat.NewVecDense(len(in)+d+1, nil)
		for a, i := range in {
			y := -1.0
			if h.y[i] == k {
				y = 1
			}
			for j := range d + 1 {
				A.Set(a, j, math.Sqrt(2*C/float64(n))*Z.At(i, j))
			}
			r.SetVec(a, math.Sqrt(2*C/float64(n))*y)
		}
		for j := range d {
			A.Set(len(in)+j, j, 1)
		}
		A.Set(len(in)+d, d, 1e-12)
		var next, step mat.VecDense
		if err := next.SolveVec(A, r); err != nil {
			if _, condition := err.(mat.Condition); !condition {
				t.Fatal(err)
			}
		}
		step.SubVec(&next, u)
		better := false
		for share := 1.0; share > 1e-9; share /= 2 {
			var v mat.VecDense
			v.AddScaledVec(u, share, &step)
			if g, set := value(&v); g < f {
				better = g < f*(1-1e-13)
				f, in, u = g, set, &v
				break
			}
		}
		if !better {
			break
		}
	}
	return f
}

// Converged implies that the objective, by its definition in float64, is at most Gap above the minimum found
// by another method.
func TestConvergedIsMinimal(t *testing.T) {
	patience.SkipShort(t, "it fits again and again")
	ran, ended1 := 0, map[ended.Status]int{}
	for seed := range uint64(2) {
		for _, h := range problems(seed) {
			for _, C := range []float64{0.01, 1, 100, 1e4, 1e6} {
				for _, o := range []Options{{Method: Primal}, {Method: Gram}, {Method: Gram, Tolerance: 1e-6, Gap: 1e-6}} {
					o.C, o.Scale, o.MaxIterations = C, h.scale, 5000
					m, err := Fit(bg, Dense(h.X), h.y, &o)
					name := fmt.Sprintf("%s, C %g, %v, tolerance %g", h.name, C, o.Method, o.Tolerance)
					if ended.Accept(err) != nil || (err == nil) != (m.Status == ended.Converged) {
						t.Errorf("%s: %v", name, err)
						continue
					}
					ran++
					ended1[m.Status]++
					gap := 1e-3
					if o.Gap > 0 {
						gap = o.Gap
					}
					for k, f := range m.Objective {
						own := naive(m.W.RawRowView(k), m.B[k], h.X, h.y, k, C, m.Scale)
						if math.Abs(own-f) > 1e-9*own {
							t.Errorf("%s: class %d: the objective is told as %v, it is %v", name, k, f, own)
						}
						least := minimum(t, h, k, C, m.Scale, m.W.RawRowView(k), m.B[k])
						if own-least > m.Gap[k]+1e-9*own {
							t.Errorf("%s: class %d: %v is %v above %v, the gap is told as %v", name, k, own, own-least, least, m.Gap[k])
						}
						if m.Status == ended.Converged && own > least*(1+1.001*gap) {
							t.Errorf("%s: class %d: %v, the minimum is %v", name, k, own, least)
						}
					}
					if m.Status != ended.Converged {
						t.Logf("%s: %v", name, m)
					}
				}
			}
		}
	}
	t.Logf("%d trained: %v", ran, ended1)
	if ended1[ended.Converged] < ran*95/100 {
		t.Errorf("of %d only %d converged", ran, ended1[ended.Converged])
	}
}

// scikit-learn's LinearSVC, with a bias that is hardly penalized, finds no lower objective.
func TestScikitWeights(t *testing.T) {
	py := peer.Start(t, 1, `
import numpy as np
from sklearn.svm import LinearSVC
`, "numpy", "sklearn")
	X, y := clouds(120, 6, 2, 3)
	rng := rand.New(rand.NewPCG(8, 8))
	w := make([]float64, 120)
	for i := range w {
		w[i] = float64(rng.IntN(4))
	}
	m := train(t, Dense(X), y, Options{C: 5, SampleWeights: w, ClassWeights: []float64{3, 0.5}, Tolerance: 1e-6, Gap: 1e-6})
	Z := mat.DenseCopyOf(X)
	Z.Apply(func(_, j int, v float64) float64 { return (v - m.Scale.Mean[j]) / m.Scale.SD[j] }, Z)
	py.Array("Z", Z)
	list := func(x any) string { return strings.Join(strings.Fields(fmt.Sprint(x)), ",") }
	py.Do(fmt.Sprintf("y = np.array(%s); s = np.array(%s) * np.where(y == 0, 3.0, 0.5)", list(y), list(w)))
	py.Do("m = LinearSVC(C=5/120, dual=False, intercept_scaling=1000, tol=1e-10, max_iter=100000).fit(Z, y, sample_weight=s)")
	py.Do("f = lambda w, b: 0.5*(w*w).sum() + 5/120*(s*np.maximum(0, 1 - np.where(y == 1, 1, -1)*(Z@w + b))**2).sum()")
	theirs := py.Float("f(m.coef_[0], m.intercept_[0])")
	if math.Abs(m.Objective[1]-theirs) > 1e-5*theirs {
		t.Errorf("objective %v, scikit-learn's %v", m.Objective[1], theirs)
	}
}

// A point of weight 2 acts like two copies of the point, and a point of weight 0 acts as if it were absent.
func TestWeights(t *testing.T) {
	X, y := clouds(80, 5, 3, 4)
	rng := rand.New(rand.NewPCG(9, 9))
	w := make([]float64, 80)
	var idx []int
	for i := range w {
		w[i] = float64(rng.IntN(3))
		for range int(w[i]) {
			idx = append(idx, i)
		}
	}
	s := scaleOf(t, Dense(X))
	for _, method := range []Method{Primal, Gram} {
		a := train(t, Dense(X), y, Options{C: 80, Scale: s, SampleWeights: w, Method: method, Gap: 1e-7, Tolerance: 1e-6})
		b := train(t, Select(Dense(X), idx), pick(y, idx), Options{C: float64(len(idx)), Scale: s, Method: method, Gap: 1e-7, Tolerance: 1e-6})
		for k := range 3 {
			if math.Abs(a.Objective[k]-b.Objective[k]) > 1e-6*b.Objective[k] {
				t.Errorf("%v: class %d: weighted %v, repeated %v", method, k, a.Objective[k], b.Objective[k])
			}
		}
		c := train(t, Dense(X), y, Options{C: 7, Scale: s, ClassWeights: []float64{2, 2, 2}, Method: method})
		e := train(t, Dense(X), y, Options{C: 14, Scale: s, Method: method})
		if math.Abs(c.Objective[0]-e.Objective[0]) > 2e-3*e.Objective[0] {
			t.Errorf("%v: all classes of weight 2: %v, twice C: %v", method, c.Objective[0], e.Objective[0])
		}
	}
}

// Sparse points give the same results as dense points.
func TestSparsePoints(t *testing.T) {
	X, y := clouds(150, 9, 3, 5)
	X.Apply(func(i, j int, v float64) float64 {
		if (i*7+j*3)%4 > 0 {
			return 0
		}
		return v
	}, X)
	S := Dense(csr.Of(X))
	if _, ok := S.(*sparsePoints); !ok {
		t.Fatal("Dense of a csr.Matrix is not sparse")
	}
	for _, method := range []Method{Primal, Gram} {
		a := train(t, Dense(X), y, Options{C: 30, Method: method, Gap: 1e-6, Tolerance: 1e-6})
		b := train(t, S, y, Options{C: 30, Method: method, Gap: 1e-6, Tolerance: 1e-6})
		var D mat.Dense
		D.Sub(a.W, b.W)
		if mat.Norm(&D, 2) > 3e-3*mat.Norm(a.W, 2) {
			t.Errorf("%v: weights differ by %v of %v", method, mat.Norm(&D, 2), mat.Norm(a.W, 2))
		}
		for k := range 3 {
			if math.Abs(a.Objective[k]-b.Objective[k]) > 2e-6*a.Objective[k] {
				t.Errorf("%v: %v, sparse %v", method, a.Objective, b.Objective)
			}
		}
		p, err := a.Predict(bg, Dense(X))
		q, err2 := a.Predict(bg, Select(S, []int{3, 149, 0}))
		if err != nil || err2 != nil || !slices.Equal(q, pick(p, []int{3, 149, 0})) {
			t.Errorf("%v: predictions %v, of points %v", method, q, pick(p, []int{3, 149, 0}))
		}
	}
}

// Points sorted by class get stratified folds; points in random order get contiguous folds.
func TestFolding(t *testing.T) {
	X, y := clouds(200, 6, 4, 6)
	order := make([]int, 200)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return y[a] - y[b] })
	random, err := CrossValidate(bg, Dense(X), y, []float64{1}, nil)
	if err != nil || random.Folding != Contiguous {
		t.Fatalf("random order: %v, %v", random, err)
	}
	byClass, err := CrossValidate(bg, Select(Dense(X), order), pick(y, order), []float64{1}, &CVOptions{Seed: 3})
	if err != nil || byClass.Folding != Stratified || math.Abs(byClass.Accuracy[0]-random.Accuracy[0]) > 0.06 {
		t.Errorf("sorted: %v, random order %v, %v", byClass, random, err)
	}
	if _, err := CrossValidate(bg, Select(Dense(X), order), pick(y, order), []float64{1}, &CVOptions{Folding: Contiguous, Folds: 4}); err == nil {
		t.Error("a fold with all points of a class was taken")
	}
	asTold, err := CrossValidate(bg, Dense(X), y, []float64{1}, &CVOptions{Folding: Stratified})
	if err != nil || asTold.Folding != Stratified {
		t.Errorf("%v, %v", asTold, err)
	}
}

// NaN and ∞ are rejected with their position, wherever they occur.
func TestNotFinite(t *testing.T) {
	X, y := clouds(60, 80, 3, 7)
	good := train(t, Dense(X), y, Options{})
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e39} {
		bad := mat.DenseCopyOf(X)
		bad.Set(41, 5, v)
		for name, err := range map[string]error{
			"Gram":      second(Fit(bg, Dense(bad), y, &Options{Scale: good.Scale, Method: Gram})),
			"Primal":    second(Fit(bg, Dense(bad), y, &Options{Scale: good.Scale, Method: Primal})),
			"sparse":    second(Fit(bg, Sparse(csr.Of(bad)), y, &Options{Scale: good.Scale, Method: Primal})),
			"own scale": second(Fit(bg, Dense(bad), y, nil)),
			"CV":        second(CrossValidate(bg, Dense(bad), y, []float64{1}, &CVOptions{Options: Options{Scale: good.Scale}})),
			"Scores":    second(good.Scores(bg, Dense(bad))),
			"Predict":   second(good.Predict(bg, Dense(bad))),
			"curve":     second(MeasureCurve(bg, Dense(X), y, Dense(bad), y, &CurveOptions{PerClass: []int{5}, Draws: 1, Cs: []float64{1}})),
			"Accuracy":  second(good.Accuracy(bg, Dense(bad), y)),
		} {
			if v == 1e39 && slices.Contains([]string{"sparse", "own scale", "curve"}, name) { // in float64
				continue
			}
			if err == nil || !strings.Contains(err.Error(), "feature 5 of point 41 is ") || strings.Count(err.Error(), "l2svm: ") != 1 {
				t.Errorf("%v: %s: %v", v, name, err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Each option out of range is rejected with its name, in one short line.
func TestOptionsByName(t *testing.T) {
	X, y := clouds(30, 4, 2, 8)
	nan := math.NaN()
	weights := func(at float64) []float64 {
		w := make([]float64, 30)
		w[3] = at
		return w
	}
	for want, o := range map[string]Options{
		"C is -1":                     {C: -1},
		"C is NaN":                    {C: nan},
		"Tolerance is NaN":            {Tolerance: nan},
		"Tolerance is 2":              {Tolerance: 2},
		"Gap is -1":                   {Gap: -1},
		"Gap is NaN":                  {Gap: nan},
		"MaxIterations is -3":         {MaxIterations: -3},
		"Memory is -1":                {Memory: -1},
		"Classes is -1":               {Classes: -1},
		"Method is 7":                 {Method: 7},
		"ClassWeights has 3 weights":  {ClassWeights: []float64{1, 1, 1}},
		"ClassWeights[1] is NaN":      {ClassWeights: []float64{1, nan}},
		"SampleWeights has 1 weights": {SampleWeights: []float64{1}},
		"SampleWeights[3] is -2":      {SampleWeights: weights(-2)},
		"ClassWeights and SampleWeights: the points of class 0 weigh 0": {ClassWeights: []float64{0, 1}},
	} {
		_, err := Fit(bg, Dense(X), y, &o)
		if err == nil || !strings.HasPrefix(err.Error(), "l2svm: Fit: "+want) || len(err.Error()) > 120 {
			t.Errorf("%s: %v", want, err)
		}
	}
	for want, o := range map[string]CVOptions{
		"Folds is 1": {Folds: 1}, "Folding is 9": {Folding: 9}, "C is NaN": {},
	} {
		if _, err := CrossValidate(bg, Dense(X), y, []float64{nan}, &o); err == nil || !strings.HasPrefix(err.Error(), "l2svm: CrossValidate: "+want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Misuse leads to this package's message; a nil context means the background context.
func TestMistakes(t *testing.T) {
	X, y := clouds(30, 4, 2, 9)
	m := train(t, Dense(X), y, Options{})
	//lint:ignore SA1012 a nil context is allowed, and tested here
	if _, err := Fit(nil, Dense(X), y, nil); err != nil {
		t.Error(err)
	}
	var none *mat.Dense
	for name, f := range map[string]func(){
		"Fit":        func() { Fit(bg, nil, y, nil) },
		"Dense":      func() { Dense(nil) },
		"Dense nil":  func() { Dense(none) },
		"Sparse":     func() { Sparse(nil) },
		"Select":     func() { Select(nil, []int{0}) },
		"Load":       func() { Load(nil) },
		"Predict":    func() { m.Predict(bg, nil) },
		"Scores":     func() { m.Scores(bg, nil) },
		"zero model": func() { new(Model).Predict(bg, Dense(X)) },
		"Accuracy":   func() { m.Accuracy(bg, nil, y) },
		"NewScale":   func() { NewScale(bg, nil, 0) },
		"Objective":  func() { Objective(bg, nil, Dense(X), y, 1) },
		"Validate":   func() { CrossValidate(bg, nil, y, []float64{1}, nil) },
		"Curve":      func() { MeasureCurve(bg, nil, y, nil, y, &CurveOptions{}) },
		"transposed": func() { Fit(bg, Dense(X.T()), y, nil) },
	} {
		message, _ := panics.Value(f).(string)
		if !strings.HasPrefix(message, "l2svm: ") || name == "transposed" && !strings.Contains(message, "want 30×4: is X transposed?") {
			t.Errorf("%s: %q", name, message)
		}
	}
}
