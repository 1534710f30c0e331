package tsne

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/internal/finite"
	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/avogen/avogentest"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/ui/progress"
)

func init() { gemm.Use() }

// blobs returns n points of k normal distributions in d dimensions, with means about distance·√(2d) apart.
func blobs(rnd *rand.Rand, n, d, k int, distance float64) (X *mat.Dense, labels []int) {
	means := normal(rnd, k, d, distance)
	X = normal(rnd, n, d, 1)
	labels = make([]int, n)
	for i := range n {
		labels[i] = i % k
		for j := range d {
			X.Set(i, j, X.At(i, j)+means.At(labels[i], j))
		}
	}
	return X, labels
}

var normal = trial.Normal

func mustAffinities(t *testing.T, X mat.Matrix, opt *Options) *Affinities {
	t.Helper()
	a, err := NewAffinities(t.Context(), X, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func mustFit(t *testing.T, X mat.Matrix, opt *Options) *Result {
	t.Helper()
	r, err := Fit(t.Context(), X, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// different returns ‖a − b‖/‖b‖.
func different(a, b []float64) float64 {
	var e, s float64
	for k := range a {
		e += (a[k] - b[k]) * (a[k] - b[k])
		s += b[k] * b[k]
	}
	return math.Sqrt(e / s)
}

// TestPurity checks that neighbors in the map are of the same cluster, for well separated clusters.
func TestPurity(t *testing.T) {
	X, labels := blobs(rand.New(rand.NewPCG(1, 1)), 300, 20, 4, 1.5)
	for _, o := range []Options{
		{Steps: 400},
		{Steps: 400, Start: Random, Seed: 7},
		{Steps: 350, Method: Exact},
	} {
		r := mustFit(t, X, &o)
		near, err := nearest(context.Background(), r.Y, 10, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		same := 0
		for i, list := range near {
			for _, v := range list {
				if labels[v.j] == labels[i] {
					same++
				}
			}
		}
		if purity := float64(same) / 3000; purity < 0.99 {
			t.Errorf("%v, %v: %.3f of the ten nearest points are of the same cluster", o.Method, o.Start, purity)
		}
		first := r.History[0].KL
		if !(r.KL < first/2) || !r.KLExact || r.Steps != o.Steps || r.Status != ended.Done {
			t.Errorf("%v: the divergence went from %v; %v steps", r, first, r.Steps)
		}
	}
}

// TestMethods: on generated digits, each method finds little to improve in the other's result. (From the same
// start the two maps drift apart.)
func TestMethods(t *testing.T) {
	d, err := synth.Digits(t.Context(), synth.DigitsOptions{N: 400, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range [][2]Method{{BarnesHut, Exact}, {Exact, BarnesHut}} {
		a := mustFit(t, d.Images, &Options{Steps: 700, Method: m[0], Neighbors: 91})
		if got := a.Affinities.KL(a.Y); math.Abs(got-a.KL) > 1e-12 {
			t.Errorf("KL(Y) is %v, Result.KL %v", got, a.KL)
		}
		b := mustFit(t, d.Images, &Options{Steps: 100, Method: m[1], Neighbors: 91, Start: Given, Init: a.Y, EarlyExaggeration: 1})
		if math.Abs(b.KL-a.KL) > 0.01*a.KL {
			t.Errorf("%v ends at %.4f, from where %v goes to %.4f", m[0], a.KL, m[1], b.KL)
		}
	}
}

func TestDeterministic(t *testing.T) {
	X, _ := blobs(rand.New(rand.NewPCG(2, 1)), 1500, 10, 5, 1)
	var want []float64
	for _, o := range []struct{ procs, workers int }{{1, 0}, {2, 0}, {4, 3}} {
		procs := runtime.GOMAXPROCS(o.procs)
		r := mustFit(t, X, &Options{Steps: 120, ExaggeratedSteps: 60, Workers: o.workers})
		runtime.GOMAXPROCS(procs)
		got := append(coordinates(r.Y), r.KL, r.History[1].KL, r.History[2].GradNorm)
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("other bits with %+v", o)
		}
	}
	r := mustFit(t, X, &Options{Steps: 60, Start: Random, Seed: 1})
	s := mustFit(t, X, &Options{Steps: 60, Start: Random, Seed: 2})
	if mat.Equal(r.Y, s.Y) {
		t.Error("two seeds give the same map")
	}
}

// TestDuplicates uses data with many equal points, and with only equal points.
func TestDuplicates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	X := normal(rnd, 120, 5, 1)
	for i := range 40 {
		X.SetRow(i, X.RawRowView(0))
	}
	for i := 40; i < 60; i++ {
		X.SetRow(i, X.RawRowView(i+20))
	}
	for _, m := range []Method{BarnesHut, Exact} {
		r := mustFit(t, X, &Options{Perplexity: 10, Method: m, Steps: 300})
		want := 0 // points with a least distance that occurs more than 10 times
		for i := range 120 {
			least, ties := math.Inf(1), 0
			for j := range 120 {
				switch d := squaredDistance(X.RawRowView(i), X.RawRowView(j)); {
				case j == i || d > least:
				case d < least:
					least, ties = d, 1
				default:
					ties++
				}
			}
			if ties > 10 {
				want++
			}
		}
		if want < 40 || r.Affinities.Missed != want {
			t.Errorf("%v: %d points missed the perplexity, want %d", m, r.Affinities.Missed, want)
		}
		if err := finite.Check("Y", r.Y); err != nil {
			t.Errorf("%v: %v", m, err)
		}
		same := mat.NewDense(50, 3, nil)
		for i := range 50 {
			same.SetRow(i, []float64{0.1, 0.2, 0.3})
		}
		if r = mustFit(t, same, &Options{Perplexity: 10, Method: m, Steps: 300}); finite.Check("Y", r.Y) != nil {
			t.Errorf("%v: equal points: not finite", m)
		}
	}
	// A map with all points equal, and a map with a distant outlier.
	a := mustAffinities(t, X, &Options{Perplexity: 10})
	b := newBarnesHut(a, 0.5, team{})
	for _, y := range [][]float64{make([]float64, 240), outlier(rnd)} {
		g := make([]float64, 240)
		b.gradient(y, 1, g, false)
		want := coordinates(a.Gradient(mat.NewDense(120, 2, y)))
		for k := range g {
			if math.Abs(g[k]-want[k]) > 1e-6 {
				t.Fatalf("g[%d] is %g, want %g", k, g[k], want[k])
			}
		}
	}
}

func outlier(rnd *rand.Rand) []float64 {
	y := coordinates(normal(rnd, 120, 2, 1e-3))
	y[238] = 1e6
	return y
}

func TestSmall(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 1))
	for _, c := range []struct{ n, d int }{{4, 1}, {5, 2}, {33, 1}, {17, 40}} {
		X := normal(rnd, c.n, c.d, 1)
		before := mat.DenseCopyOf(X)
		for _, m := range []Method{BarnesHut, Exact} {
			r := mustFit(t, X, &Options{Perplexity: 1.5, Method: m, Steps: 300})
			if finite.Check("Y", r.Y) != nil || !(r.KL >= 0) {
				t.Errorf("%+v, %v: KL %v", c, m, r.KL)
			}
		}
		if !mat.Equal(X, before) {
			t.Errorf("%+v: X was modified", c)
		}
	}
}

// TestStart compares the start with principal components from an SVD.
func TestStart(t *testing.T) {
	X, _ := blobs(rand.New(rand.NewPCG(7, 1)), 300, 20, 4, 2)
	y, err := start(t.Context(), X, &Options{Dimensions: 2})
	if err != nil {
		t.Fatal(err)
	}
	m, err := pca.Fit(t.Context(), X, &pca.Options{Components: 2})
	if err != nil {
		t.Fatal(err)
	}
	Z := m.Scores(X)
	sd := math.Sqrt(m.Variances()[0] * 299 / 300)
	for c := range 2 {
		z := mat.Col(nil, c, Z)
		got := mat.Col(nil, c, mat.NewDense(300, 2, y))
		if z[0]*got[0] < 0 {
			floats.Scale(-1, z)
		}
		floats.Scale(1e-4/sd, z)
		if e := different(got, z); !(e < 1e-3) {
			t.Errorf("component %d differs by %.2g", c, e)
		}
	}
}

// A few points need no options: the default perplexity is below their number. From 32 points on it is 30.
func TestFewPoints(t *testing.T) {
	for _, n := range []int{4, 5, 12, 31, 32} {
		X := normal(rand.New(rand.NewPCG(5, 1)), n, 3, 1)
		r, err := Fit(t.Context(), X, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		want := float64(n) / 3
		if n > 31 {
			want = 30
		}
		// Chance is about 0.5 for many points.
		if trust := mustTrust(t, X, r.Y, max(1, n/5)); r.Affinities.Perplexity != want || trust < 0.8 {
			t.Errorf("%d points: perplexity %v, trustworthiness %v", n, r.Affinities.Perplexity, trust)
		}
	}
}

func TestRefusals(t *testing.T) {
	good := normal(rand.New(rand.NewPCG(5, 1)), 40, 3, 1)
	with := func(v float64) *mat.Dense {
		X := mat.DenseCopyOf(good)
		X.Set(7, 2, v)
		return X
	}
	for _, c := range []struct {
		X    mat.Matrix
		o    *Options
		want string
	}{
		{nil, nil, "X is nil"},
		{(*mat.Dense)(nil), nil, "X is nil"},
		{&mat.Dense{}, nil, "empty"},
		{with(math.NaN()), nil, "X(7, 2) is NaN"},
		{with(math.Inf(-1)), nil, "X(7, 2) is -Inf"},
		{with(1e200), nil, "overflow"},
		{mat.NewDense(40, 1, slices.Repeat([]float64{1e-200, 2e-200}, 20)), nil, "underflow"},
		{good, &Options{Perplexity: 39}, "Perplexity is 39, must be above 1 and below n − 1 = 39"},
		{good.Slice(0, 20, 0, 3), &Options{Perplexity: 30}, "Perplexity is 30, must be above 1 and below n − 1 = 19"},
		{good.Slice(0, 3, 0, 3), nil, "X has 3 points, must have at least 4"},
		{good, &Options{Perplexity: 1}, "Perplexity is 1"},
		{good, &Options{Perplexity: -5}, "Perplexity is -5"},
		{good, &Options{LearningRate: math.NaN()}, "LearningRate is NaN"},
		{good, &Options{EarlyExaggeration: -1}, "EarlyExaggeration is -1"},
		{good, &Options{Theta: math.Inf(1)}, "Theta is +Inf"},
		{good, &Options{Steps: -1}, "Steps -1"},
		{good, &Options{Neighbors: 40}, "Neighbors is 40"},
		{good, &Options{Neighbors: 30}, "Neighbors is 30"},
		{good, &Options{Method: 9}, "Method(9)"},
		{good, &Options{Dimensions: -1}, "Dimensions is -1"},
		{good, &Options{Dimensions: 65}, "Dimensions is 65"},
		{good, &Options{Start: 9}, "Start(9)"},
		{good, &Options{Start: Given}, "if and only if"},
		{good, &Options{Init: good}, "if and only if"},
		{good, &Options{Start: Given, Init: (*mat.Dense)(nil)}, "if and only if"},
		{good, &Options{Start: Given, Init: mat.NewDense(40, 2, slices.Repeat([]float64{1e30, -1}, 40))}, "elements of Init reach 1e+30"},
		{good, &Options{Start: Given, Init: mat.NewDense(40, 2, append(make([]float64, 79), math.NaN()))}, "Init(39, 1) is NaN"},
	} {
		r, err := Fit(t.Context(), c.X, c.o)
		if err == nil || r != nil || !strings.HasPrefix(err.Error(), "tsne: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	r := mustFit(t, good, &Options{Perplexity: 5, Steps: 1})
	for name, f := range map[string]func(){
		"Init is 40×3": func() { Fit(t.Context(), good, &Options{Start: Given, Init: good}) },
		"Init is 40×2, must be 40×3": func() {
			Fit(t.Context(), good, &Options{Dimensions: 3, Start: Given, Init: good.Slice(0, 40, 0, 2)})
		},
		"Y is 39×2": func() { r.Affinities.KL(mat.NewDense(39, 2, nil)) },
		"Y is nil":  func() { r.Affinities.Gradient(nil) },
		"Y(1, 1)": func() {
			r.Affinities.Gradient(mat.NewDense(40, 2, append([]float64{0, 0, 0, math.NaN()}, make([]float64, 76)...)))
		},
	} {
		if s, _ := panics.Value(f).(string); !strings.HasPrefix(s, "tsne: ") || !strings.Contains(s, name) {
			t.Errorf("panic %q, want %q", s, name)
		}
	}
}

func TestEnds(t *testing.T) {
	X, _ := blobs(rand.New(rand.NewPCG(6, 1)), 50, 5, 2, 3)
	// A cancelled fit returns the current map.
	ctx, cancel := context.WithCancel(context.Background())
	events := 0
	r, err := Fit(ctx, X, &Options{Perplexity: 10, Recorder: progress.Func(func(e progress.Event) {
		if e.What == "t-SNE" && e.Step >= 30 {
			events++
			cancel()
		}
	})})
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != ended.Interrupted || r.Steps != 30 || events != 1 || !math.IsNaN(r.KL) {
		t.Errorf("cancelled: %v, %v, %d events", err, r, events)
	}
	if r, err = Fit(ctx, X, &Options{Perplexity: 10}); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("cancelled before: %v, %v", err, r)
	}
	// A fit that diverges returns the last finite map.
	r, err = Fit(t.Context(), X, &Options{Perplexity: 10, LearningRate: 1e300, Method: Exact})
	if !errors.Is(err, ErrDiverged) || r == nil || r.Status != ended.Diverged || finite.Check("Y", r.Y) != nil {
		t.Errorf("diverged: %v, %v", err, r)
	}
	r, err = Fit(t.Context(), X, &Options{Perplexity: 10, LearningRate: 1e300})
	if !errors.Is(err, ErrDiverged) || r == nil || r.Status != ended.Diverged || finite.Check("Y", r.Y) != nil {
		t.Errorf("diverged: %v, %v", err, r)
	}
	// A fit that diverges at once returns the start.
	init := normal(rand.New(rand.NewPCG(9, 1)), 50, 2, 1)
	r, err = Fit(t.Context(), X, &Options{Perplexity: 10, Start: Given, Init: init, EarlyExaggeration: 1e300})
	if !errors.Is(err, ErrDiverged) || r == nil || r.Steps != 0 || !mat.Equal(r.Y, init) {
		t.Errorf("diverged: %v, %v", err, r)
	}
	// At the minimum the gradient is small, and the divergence does not fall.
	r = mustFit(t, X, &Options{Perplexity: 10, Method: Exact, Steps: 20000, MinGradNorm: 1e-6})
	if r.Status != ended.Converged || r.Steps == 20000 {
		t.Errorf("%v", r)
	}
	if g := mat.Norm(r.Affinities.Gradient(r.Y), 2); !(g <= 1e-6) {
		t.Errorf("‖∇C‖ is %g at the end", g)
	}
	// Steps too short to move a point do not lower the divergence. (Whether a long descent ever rises depends
	// on rounding, which differs with fused multiply-add.)
	r = mustFit(t, X, &Options{Perplexity: 10, Steps: 1000, ExaggeratedSteps: 1, MinGradNorm: -1, Patience: 60, LearningRate: 1e-300})
	if r.Status != ended.EarlyStop || r.Steps != 150 { // checked after 50, 100 and 150 steps
		t.Errorf("%v", r)
	}
}

// The package's arm64 assembly equals the generator's output.
func TestGenerated(t *testing.T) { avogentest.NEON(t, "tsne") }
