package l2svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

var bg = context.Background()

// clouds returns n points of d features in K overlapping classes, with features of very different scale and
// values that are exact in float32.
func clouds(n, d, K int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	centre := mat.NewDense(K, d, nil)
	c := rand.New(rand.NewPCG(99, 1))
	for k := range K {
		for j := range d {
			centre.Set(k, j, c.NormFloat64())
		}
	}
	X, y := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		y[i] = rng.IntN(K)
		if i < K {
			y[i] = i
		}
		for j := range d {
			v := (centre.At(y[i], j)*0.7 + rng.NormFloat64()) * math.Pow(10, float64(j%3-1))
			X.Set(i, j, float64(float32(v+3)))
		}
	}
	return X, y
}

// naive returns the objective by its definition, in float64 and without matrix products.
func naive(w []float64, b float64, X *mat.Dense, y []int, k int, C float64, s *Scale) float64 {
	n, d := X.Dims()
	var f float64
	for i := range n {
		z := b
		for j := range d {
			z += w[j] * (X.At(i, j) - s.Mean[j]) / s.SD[j]
		}
		t := -1.0
		if y[i] == k {
			t = 1
		}
		f += math.Pow(math.Max(0, 1-t*z), 2)
	}
	f *= C / float64(n)
	for _, v := range w {
		f += v * v / 2
	}
	return f
}

func scaleOf(t testing.TB, X Points) *Scale {
	t.Helper()
	s, err := NewScale(bg, X, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScale(t *testing.T) {
	X, _ := clouds(123, 7, 3, 1)
	s := scaleOf(t, Dense(X))
	for j := range 7 {
		m, v := stat.MeanVariance(mat.Col(nil, j, X), nil)
		if math.Abs(m-s.Mean[j]) > 1e-12*math.Abs(m) || math.Abs(math.Sqrt(v+0.01)-s.SD[j]) > 1e-12*s.SD[j] {
			t.Errorf("feature %d: %v, %v, want %v, %v", j, s.Mean[j], s.SD[j], m, math.Sqrt(v+0.01))
		}
	}
	X.Set(77, 3, math.NaN())
	if _, err := NewScale(bg, Dense(X), 0.01); err == nil || !strings.Contains(err.Error(), "feature 3 of point 77 is NaN") {
		t.Errorf("NaN: %v", err)
	}
}

// TestFarFeatures: seconds since 1970, of which 40 follow each other, are standardized, separated and predicted like 0 to
// 39, although float32 holds them as one number.
func TestFarFeatures(t *testing.T) {
	const n = 40
	y := make([]int, n)
	for i := n / 2; i < n; i++ {
		y[i] = 1
	}
	seconds := func(from float64) Points {
		X := mat.NewDense(n, 2, nil)
		for i := range n {
			X.SetRow(i, []float64{from + float64(i), float64(i % 3)})
		}
		return Dense(X)
	}
	X := seconds(1.7e9)
	s := scaleOf(t, X)
	if want := math.Sqrt(40*41/12. + 0.01); s.Mean[0] != 1.7e9+19.5 || math.Abs(s.SD[0]-want) > 1e-14*want {
		t.Errorf("%v, want 1700000019.5 and %v", *s, want)
	}
	for _, method := range []Method{Primal, Gram} {
		far, near := train(t, X, y, Options{Method: method}), train(t, seconds(0), y, Options{Method: method})
		if a, err := far.Accuracy(bg, X, y); err != nil || a != 1 {
			t.Errorf("%v: accuracy %v, %v", method, a, err)
		}
		f, _, _, err := Objective(bg, far, X, y, 1)
		for k, o := range far.Objective {
			if err != nil || math.Abs(o-near.Objective[k]) > 1e-3*o || math.Abs(f[k]-o) > 1e-6*o {
				t.Errorf("%v: class %d: objective %v, recomputed %v, at 0 %v, %v", method, k, o, f[k], near.Objective[k], err)
			}
		}
		v, err := CrossValidate(bg, Select(X, rand.New(rand.NewPCG(1, 2)).Perm(n)), y, []float64{1}, &CVOptions{Options: Options{Method: method}})
		if err != nil || v.Accuracy[0] > 0.8 { // labels that do not belong to the points
			t.Errorf("%v: %v, %v", method, v, err)
		}
		if v, err = CrossValidate(bg, X, y, []float64{1}, &CVOptions{Options: Options{Method: method}}); err != nil || v.Accuracy[0] < 0.95 {
			t.Errorf("%v: %v, %v", method, v, err)
		}
	}
}

// TestScaleMoments: mean and SD agree with those of a sum over all points in 200 binary digits, also if the first point
// is far from the others.
func TestScaleMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, far := range []float64{0, 1e3, 1e8, -1e12} {
		n := 1 + rng.IntN(3000)
		x := make([]float64, n)
		for i := range x {
			x[i] = far + rng.NormFloat64()
		}
		x[0] = 3
		s, err := NewScale(bg, Dense(mat.NewDense(n, 1, x)), 0)
		if err != nil {
			t.Fatal(err)
		}
		big200 := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
		mean, square := big200(0), big200(0)
		for _, v := range x {
			mean.Add(mean, big200(v))
		}
		mean.Quo(mean, big200(float64(n)))
		for _, v := range x {
			e := big200(v)
			e.Sub(e, mean)
			square.Add(square, e.Mul(e, e))
		}
		m, _ := mean.Float64()
		sd, _ := square.Sqrt(square.Quo(square, big200(float64(n-1)))).Float64()
		if math.Abs(s.Mean[0]-m) > 4e-16*(math.Abs(m)+sd) || math.Abs(s.SD[0]-sd) > 1e-12*sd {
			t.Errorf("%d points at %g: mean %v, SD %v, want %v, %v", n, far, s.Mean[0], s.SD[0], m, sd)
		}
	}
}

func TestObjectiveGradient(t *testing.T) {
	X, y := clouds(60, 5, 3, 2)
	s := scaleOf(t, Dense(X))
	rng := rand.New(rand.NewPCG(5, 5))
	m := &Model{W: mat.NewDense(3, 5, nil), B: make([]float64, 3), Scale: s}
	for k := range 3 {
		m.B[k] = rng.NormFloat64()
		for j := range 5 {
			m.W.Set(k, j, rng.NormFloat64())
		}
	}
	const C = 2.5
	f, dW, db, err := Objective(bg, m, Dense(X), y, C)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		w := slices.Clone(m.W.RawRowView(k))
		at := func(j int, e float64) float64 {
			b := m.B[k]
			if j == 5 {
				b += e
			} else {
				w[j] += e
				defer func() { w[j] -= e }()
			}
			return naive(w, b, X, y, k, C, s)
		}
		if want := at(5, 0); math.Abs(f[k]-want) > 1e-6*want {
			t.Errorf("f[%d] = %v, want %v", k, f[k], want)
		}
		const h = 1e-6
		for j := range 6 {
			num := (at(j, h) - at(j, -h)) / (2 * h)
			got := db[k]
			if j < 5 {
				got = dW.At(k, j)
			}
			if math.Abs(num-got) > 2e-5*(1+math.Abs(num)) {
				t.Errorf("class %d, variable %d: gradient %v, differences %v", k, j, got, num)
			}
		}
	}
}

// TestStep compares the exact step with the slope by its definition.
func TestStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for trial := range 50 {
		n := 1 + rng.IntN(40)
		c := &column{y: make([]int8, n), n: n, weight: math.Exp(rng.NormFloat64())}
		z, v := make([]float64, n), make([]float64, n)
		for i := range n {
			c.y[i] = int8(rng.IntN(3) - 1)
			z[i], v[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		pp := rng.ExpFloat64()
		slopeAt := func(t, wp float64) float64 {
			r := make([]float64, n)
			zt := make([]float64, n)
			for i := range zt {
				zt[i] = z[i] + t*v[i]
			}
			c.loss(r, zt)
			s := wp + t*pp
			for i := range r {
				s += r[i] * v[i]
			}
			return s
		}
		wp := -slopeAt(0, 0) - rng.ExpFloat64() // so that the direction is downhill
		s0 := slopeAt(0, wp)
		step, ok := c.step(z, v, wp, pp)
		if !ok || math.Abs(slopeAt(step, wp)) > 1e-7*-s0 {
			t.Errorf("trial %d: step %v (%v) has slope %v, at 0 it is %v", trial, step, ok, slopeAt(step, wp), s0)
		}
		if _, ok := c.step(z, v, wp-2*s0, pp); ok {
			t.Errorf("trial %d: a step uphill", trial)
		}
	}
}

func train(t testing.TB, X Points, y []int, opt Options) *Model {
	t.Helper()
	m, err := Fit(bg, X, y, &opt)
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != ended.Converged {
		t.Fatalf("%v", m)
	}
	return m
}

// TestPrimalGramClassify: both spaces find the same minimum as dual coordinate descent with a bias that is
// hardly penalized. The objective of dual coordinate descent is a bound.
func TestPrimalGramClassify(t *testing.T) {
	for _, n := range []int{45, 700} { // fewer points than features, and more than a tile
		X, y := clouds(n, 60, 4, 4)
		P := Dense(X)
		s := scaleOf(t, P)
		Z := mat.DenseCopyOf(X)
		Z.Apply(func(_, j int, v float64) float64 { return (v - s.Mean[j]) / s.SD[j] }, Z)
		for _, C := range []float64{0.05, 3} {
			a := train(t, P, y, Options{C: C, Method: Primal, Tolerance: 2e-6})
			g := train(t, P, y, Options{C: C, Method: Gram, Tolerance: 2e-6})
			l, err := classify.FitLinearSVM(t.Context(), Z, y, &classify.LinearSVMOptions{C: C / float64(n), BiasValue: 30, Tolerance: 1e-8, MaxIterations: 100000})
			if err != nil {
				t.Fatal(err)
			}
			for k := range 4 {
				fa := naive(a.W.RawRowView(k), a.B[k], X, y, k, C, s)
				fg := naive(g.W.RawRowView(k), g.B[k], X, y, k, C, s)
				fl := naive(l.W.RawRowView(k), l.B[k], X, y, k, C, s)
				// With the bias penalty added, the other solver's minimum is a lower bound, and its point is
				// feasible here.
				if fa > fl*(1+1e-6) || fa < fl-l.Gap[k]-math.Pow(l.B[k]/30, 2)-1e-6*fl {
					t.Errorf("n %d, C %v, class %d: primal %v, coordinate descent %v", n, C, k, fa, fl)
				}
				if math.Abs(fa-fg) > 1e-6*fa {
					t.Errorf("n %d, C %v, class %d: primal %v, gram %v", n, C, k, fa, fg)
				}
				if math.Abs(a.Objective[k]-fa) > 1e-5*fa || math.Abs(g.Objective[k]-fg) > 1e-5*fg {
					t.Errorf("n %d, C %v, class %d: reported %v and %v, are %v and %v", n, C, k, a.Objective[k], g.Objective[k], fa, fg)
				}
				if g.Gradient[k] > 1e-5 || a.Gradient[k] > 5e-6 {
					t.Errorf("gradients %v, %v", a.Gradient[k], g.Gradient[k])
				}
				for h := 1; h < len(a.History[k]); h++ {
					if a.History[k][h] > a.History[k][h-1]*(1+1e-6) {
						t.Errorf("the objective rose: %v", a.History[k])
					}
				}
			}
			var diff mat.Dense
			diff.Sub(a.W, g.W)
			if e := mat.Norm(&diff, 2) / mat.Norm(a.W, 2); e > 1e-4 {
				t.Errorf("n %d, C %v: weights of both spaces differ by %v", n, C, e)
			}
		}
	}
}

// TestScipy compares Fit with scipy's L-BFGS-B, which minimizes the definition written in numpy.
func TestScipy(t *testing.T) {
	py := peer.Start(t, 1, `
import numpy as np
from scipy.optimize import minimize
def solve(X, y, k, C):
    n, d = X.shape
    Z = (X - X.mean(0)) / np.sqrt(X.var(0, ddof=1) + 0.01)
    t = np.where(y == k, 1.0, -1.0)
    def f(v):
        m = np.maximum(0, 1 - t * (Z @ v[:d] + v[d]))
        r = -2 * C / n * t * m
        g = np.append(v[:d] + Z.T @ r, r.sum())
        return 0.5 * v[:d] @ v[:d] + C / n * (m * m).sum(), g
    return minimize(f, np.zeros(d + 1), jac=True, method='L-BFGS-B', options=dict(maxiter=5000, ftol=1e-15, gtol=1e-9)).fun
`, "numpy", "scipy")
	X, y := clouds(150, 40, 3, 6)
	list := func(x []float64) string { return strings.Join(strings.Fields(fmt.Sprintf("%.17g", x)), ",") }
	py.Do("X = np.array(" + list(X.RawMatrix().Data) + ").reshape(150, 40)")
	py.Do("y = np.array(" + strings.Join(strings.Fields(fmt.Sprint(y)), ",") + ")")
	for _, C := range []float64{0.01, 1, 30} {
		m := train(t, Dense(X), y, Options{C: C, Tolerance: 3e-6})
		for k := range 3 {
			want := py.Float(fmt.Sprintf("solve(X, y, %d, %v)", k, C))
			if f := naive(m.W.RawRowView(k), m.B[k], X, y, k, C, m.Scale); math.Abs(f-want) > 1e-6*want {
				t.Errorf("C %v, class %d: %v, scipy has %v", C, k, f, want)
			}
		}
	}
}

func TestPath(t *testing.T) {
	X, y := clouds(300, 20, 3, 7)
	cs := []float64{10, 0.1, 1}
	models, err := FitPath(bg, Dense(X), y, cs, &Options{Tolerance: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	for q, C := range cs {
		m := train(t, Dense(X), y, Options{C: C, Tolerance: 1e-5})
		for k := range 3 {
			if math.Abs(models[q].Objective[k]-m.Objective[k]) > 1e-6*m.Objective[k] || models[q].C != C {
				t.Errorf("C %v: from the C before %v, from 0 %v", C, models[q].Objective[k], m.Objective[k])
			}
		}
	}
}

// TestCrossValidate compares CrossValidate with separate training for each fold.
func TestCrossValidate(t *testing.T) {
	X, y := clouds(203, 12, 4, 8)
	P := Dense(X)
	cs := []float64{0.02, 2}
	for _, method := range []Method{Primal, Gram} {
		o := Options{Tolerance: 1e-5, Scale: scaleOf(t, P), Method: method}
		v, err := CrossValidate(bg, P, y, cs, &CVOptions{Options: o, Folds: 3})
		if err != nil {
			t.Fatal(err)
		}
		for q, C := range cs {
			right := 0
			for f := range 3 {
				var in, out []int
				for i := range 203 {
					if i*3/203 == f {
						out = append(out, i)
					} else {
						in = append(in, i)
					}
				}
				o.C = C
				m := train(t, Select(P, in), pick(y, in), o)
				p, err := m.Predict(bg, Select(P, out))
				if err != nil {
					t.Fatal(err)
				}
				a := agreement(p, pick(y, out))
				if math.Abs(a-v.FoldAccuracy[q][f]) > 1e-12 {
					t.Errorf("%v, C %v, fold %d: %v, by itself %v", method, C, f, v.FoldAccuracy[q][f], a)
				}
				right += int(math.Round(a * float64(len(out))))
			}
			if math.Abs(v.Accuracy[q]-float64(right)/203) > 1e-12 {
				t.Errorf("%v: accuracy %v, by itself %v", method, v.Accuracy[q], float64(right)/203)
			}
		}
		if v.Accuracy[v.Best] < v.Accuracy[1-v.Best] {
			t.Errorf("%v is not the best", v)
		}
	}
}

func TestDeterminism(t *testing.T) {
	X, y := clouds(600, 50, 3, 9)
	for _, method := range []Method{Primal, Gram} {
		var want *Model
		for _, procs := range []int{1, 2, 5} {
			old := runtime.GOMAXPROCS(procs)
			m := train(t, Dense(X), y, Options{Method: method})
			runtime.GOMAXPROCS(old)
			if want == nil {
				want = m
			} else if !mat.Equal(m.W, want.W) || !slices.Equal(m.B, want.B) {
				t.Errorf("%v: %d processors change the result", method, procs)
			}
		}
	}
}

func TestSelect(t *testing.T) {
	X, _ := clouds(20, 3, 2, 1)
	idx := []int{4, 5, 6, 2, 2, 19, 0, 1}
	S := Select(Dense(X), idx)
	L, err := Load(S)
	if err != nil {
		t.Fatal(err)
	}
	plain := Select(Dense(mat.Transpose{Matrix: mat.DenseCopyOf(X.T())}), idx) // a matrix that is not stored by rows
	for _, P := range []Points{S, L, plain} {
		got := make([]float32, 5*3)
		if err := P.Read(got, 2, 7); err != nil {
			t.Fatal(err)
		}
		for k, v := range got {
			if want := float32(X.At(idx[2+k/3], k%3)); v != want {
				t.Errorf("element %d is %v, want %v", k, v, want)
			}
		}
	}
}

func TestMeasureCurve(t *testing.T) {
	X, y := clouds(400, 10, 3, 10)
	T, yt := clouds(300, 10, 3, 11)
	opt := &CurveOptions{PerClass: []int{5, 40}, Draws: 4, Cs: []float64{0.1, 1}, Seed: 3}
	c, err := MeasureCurve(bg, Dense(X), y, Dense(T), yt, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Points {
		if m, s := stat.MeanStdDev(p.Accuracy, nil); len(p.Accuracy) != 4 || p.Mean != m || math.Abs(p.SD-s) > 1e-12 {
			t.Errorf("%+v", p)
		}
	}
	if !(c.Points[1].Mean > c.Points[0].Mean && c.Points[0].Mean > 0.5) {
		t.Errorf("more labels do not help: %v", c)
	}
	// The draws for one entry of PerClass do not depend on the other entries.
	opt.PerClass = []int{40}
	again, err := MeasureCurve(bg, Dense(X), y, Dense(T), yt, opt)
	if err != nil || !slices.Equal(again.Points[0].Accuracy, c.Points[1].Accuracy) {
		t.Errorf("%v: %v, %v", err, again.Points, c.Points)
	}
	// A draw has the requested number of points of each class, without repetition.
	members := [][]int{{0, 2, 4, 6}, {1, 3, 5}}
	idx, fold := draw(members, 3, 3, 1, 0)
	if len(idx) != 6 || !slices.IsSorted(idx) || len(slices.Compact(slices.Clone(idx))) != 6 {
		t.Errorf("drawn %v", idx)
	}
	for f := range 3 {
		var of [2]int
		for k, i := range idx {
			if fold[k] == f {
				of[i%2]++
			}
		}
		if of != [2]int{1, 1} {
			t.Errorf("fold %d has %v of the classes", f, of)
		}
	}
}

type broken struct{ Points }

var errDisk = errors.New("disk")

func (b broken) Read(dst []float32, from, to int) error {
	if to > 100 {
		return errDisk
	}
	return b.Points.Read(dst, from, to)
}

func TestErrors(t *testing.T) {
	X, y := clouds(200, 8, 3, 12)
	P := Dense(X)
	over, cancel := context.WithCancel(bg)
	cancel()
	for _, method := range []Method{Primal, Gram} {
		o := &Options{Method: method}
		if _, err := Fit(over, P, y, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if _, err := Fit(bg, broken{P}, y, o); !errors.Is(err, errDisk) {
			t.Errorf("%v", err)
		}
		m := &Options{Method: method, MaxIterations: 2, Tolerance: 1e-5}
		if got, err := Fit(bg, P, y, m); !errors.Is(err, ended.ErrNotConverged) || got.Status != ended.IterationLimit {
			t.Errorf("%v, %v", got, err)
		}
	}
	bad := mat.DenseCopyOf(X)
	bad.Set(3, 3, math.Inf(1))
	for name, err := range map[string]error{
		"Inf with a scale": func() error { _, e := Fit(bg, Dense(bad), y, &Options{Scale: scaleOf(t, P)}); return e }(),
		"C":                func() error { _, e := Fit(bg, P, y, &Options{C: -1}); return e }(),
		"tolerance":        func() error { _, e := Fit(bg, P, y, &Options{Tolerance: 2}); return e }(),
		"one class":        func() error { _, e := Fit(bg, P, make([]int, 200), nil); return e }(),
		"an empty class":   func() error { _, e := Fit(bg, P, y, &Options{Classes: 7}); return e }(),
		"too many classes": func() error { _, e := Fit(bg, P, y, &Options{Classes: 2}); return e }(),
		"no C":             func() error { _, e := FitPath(bg, P, y, nil, nil); return e }(),
		"folds":            func() error { _, e := CrossValidate(bg, P, y, []float64{1}, &CVOptions{Folds: 1}); return e }(),
		"sorted by class": func() error {
			s := slices.Clone(y)
			slices.Sort(s)
			_, e := CrossValidate(bg, P, s, []float64{1}, &CVOptions{Folds: 20})
			return e
		}(),
		"too few": func() error {
			_, e := MeasureCurve(bg, P, y, P, y, &CurveOptions{PerClass: []int{1000}})
			return e
		}(),
	} {
		if name == "sorted by class" { // 20 folds leave some of each class for training
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestModelFile(t *testing.T) {
	X, y := clouds(80, 5, 3, 13)
	m := train(t, Dense(X), y, Options{C: 2})
	path := filepath.Join(t.TempDir(), "m")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := LoadModel(path)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got.W, m.W) || !slices.Equal(got.B, m.B) || !slices.Equal(got.Scale.Mean, m.Scale.Mean) || !slices.Equal(got.Scale.SD, m.Scale.SD) || got.C != 2 {
		t.Error("what was saved is not what is loaded")
	}
	if got.String() == "" {
		t.Error("no words")
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for k := range good {
		b := slices.Clone(good)
		b[k] ^= 1 << (k % 8)
		if _, err := parseModel(b); err == nil {
			t.Fatalf("byte %d changed: no error", k)
		}
		if _, err := parseModel(good[:k]); err == nil {
			t.Fatalf("cut at %d: no error", k)
		}
	}
	if err := os.WriteFile(path, good[:50], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModel(path); !errors.Is(err, ErrFile) {
		t.Errorf("%v", err)
	}
}

// TestScaleConstants: a feature of equal numbers has the deviation 0, and so SD 1, for any number of points.
func TestScaleConstants(t *testing.T) {
	values := []float64{0, 5, 0.1, 1e8 + 0.1, 1e-8, 1e-30, 1e30}
	for _, n := range []int{1, 1000, 30000} {
		X := mat.NewDense(n, len(values), nil)
		for i := range n {
			X.SetRow(i, values)
		}
		s, err := NewScale(bg, Dense(X), 0)
		if err != nil {
			t.Fatal(err)
		}
		for j, c := range values {
			if s.SD[j] != 1 || s.Mean[j] != c {
				t.Errorf("%d times %v: SD %v, mean %v", n, c, s.SD[j], s.Mean[j])
			}
		}
	}
}
