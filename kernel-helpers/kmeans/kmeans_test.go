package kmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/ui/progress"
)

func init() { gemm.Use() }

func gauss(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	X := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			X.Set(i, j, rng.NormFloat64()+5)
		}
	}
	return X
}

// blobs returns n points around k distant centers, with labels i mod k.
func blobs(n, k, d int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 2))
	X, y := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		y[i] = i % k
		for j := range d {
			X.Set(i, j, rng.NormFloat64())
		}
		X.Set(i, y[i]%d, X.At(i, y[i]%d)+20*float64(1+y[i]/d))
	}
	return X, y
}

func fit(t testing.TB, X mat.Matrix, opt *Options) *Model {
	t.Helper()
	r, err := Fit(context.Background(), X, opt)
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	if missed := r.Status == ended.IterationLimit; missed != (err != nil) {
		t.Fatalf("the status is %v and the error %v", r.Status, err)
	}
	return r
}

// inertiaOf returns J of a labeling with the best centers, computed from pairs, without centers: the sum over
// clusters of Σ_{i<j} ‖x_i − x_j‖²/n_a.
func inertiaOf(X *mat.Dense, labels []int) float64 {
	n, _ := X.Dims()
	count := map[int]float64{}
	for _, a := range labels {
		count[a]++
	}
	s := 0.0
	for i := range n {
		for j := range i {
			if labels[i] == labels[j] {
				s += squaredDistance(X.RawRowView(i), X.RawRowView(j)) / count[labels[i]]
			}
		}
	}
	return s
}

// bruteForce returns the least J over all labelings.
func bruteForce(X *mat.Dense, k int) float64 {
	n, _ := X.Dims()
	labels := make([]int, n)
	best := math.Inf(1)
	for {
		best = min(best, inertiaOf(X, labels))
		i := 0
		for ; i < n; i++ {
			if labels[i]++; labels[i] < k {
				break
			}
			labels[i] = 0
		}
		if i == n {
			return best
		}
	}
}

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Greedy k-means++ has few possible starts, and perhaps none of them leads to the least J. Random points give
// every possible start within 200 runs, and here one of these starts reaches the centers of the best
// labeling.
func TestBruteForce(t *testing.T) {
	for seed := range uint64(6) {
		X := gauss(9, 2, seed)
		for k := 1; k <= 3; k++ {
			r := fit(t, X, &Options{K: k, Seed: seed, Restarts: 200, Start: RandomPoints, Tolerance: -1})
			near(t, "J", r.Inertia, bruteForce(X, k), 1e-12)
			near(t, "J from pairs", r.Inertia, inertiaOf(X, r.Labels), 1e-12)
		}
	}
}

// A single center is the mean; with n centers J is 0.
func TestClosedForms(t *testing.T) {
	X := gauss(40, 3, 1)
	r := fit(t, X, &Options{K: 1})
	for j := range 3 {
		near(t, "mean", r.Centers.At(0, j), mat.Sum(X.ColView(j))/40, 1e-13)
	}
	if r.Status != ended.Converged && r.Status != ended.Settled {
		t.Error(r.Status)
	}
	near(t, "J of n centres", fit(t, X, &Options{K: 40}).Inertia, 0, 1e-20)
	// Two pairs on a line: centers 0.5 and 10.5.
	line := mat.NewDense(4, 1, []float64{0, 1, 10, 11})
	two := fit(t, line, &Options{K: 2})
	near(t, "J of two pairs", two.Inertia, 1, 1e-12)
	if two.Labels[0] != two.Labels[1] || two.Labels[2] != two.Labels[3] || two.Labels[0] == two.Labels[2] {
		t.Error(two.Labels)
	}
}

// A run with status Converged is at a fixed point, and J never rose.
func TestFixedPoint(t *testing.T) {
	X := gauss(3000, 5, 7)
	r := fit(t, X, &Options{K: 12, Tolerance: -1, MaxIterations: 1000, Restarts: 2})
	if r.Status != ended.Converged {
		t.Fatal(r.Status)
	}
	counts := make([]int, 12)
	means := mat.NewDense(12, 5, nil)
	for i, a := range r.Labels {
		counts[a]++
		for b := range 12 {
			if squaredDistance(X.RawRowView(i), r.Centers.RawRowView(b)) < squaredDistance(X.RawRowView(i), r.Centers.RawRowView(a))-1e-9 {
				t.Fatalf("point %d: centre %d is nearer than %d", i, b, a)
			}
		}
		for j := range 5 {
			means.Set(a, j, means.At(a, j)+X.At(i, j))
		}
	}
	for a, c := range counts {
		if c != r.Counts[a] {
			t.Errorf("counts[%d] is %d, want %d", a, r.Counts[a], c)
		}
		for j := range 5 {
			near(t, "centre", r.Centers.At(a, j), means.At(a, j)/float64(c), 1e-10)
		}
	}
	for s := 1; s < len(r.History); s++ {
		if r.History[s].Inertia > r.History[s-1].Inertia*(1+1e-12) {
			t.Errorf("J rose in step %d: %v, %v", s, r.History[s-1].Inertia, r.History[s].Inertia)
		}
	}
	if !reflect.DeepEqual(r.Predict(X), r.Labels) {
		t.Error("Predict does not give the labels of the fit")
	}
	near(t, "Score", r.Score(X), r.Inertia, 1e-12)
	if len(r.Runs) != 2 || r.Runs[r.Best] != r.Inertia || min(r.Runs[0], r.Runs[1]) != r.Inertia {
		t.Error(r.Runs, r.Best, r.Inertia)
	}
}

// One Lloyd step from given centers agrees with a calculation by hand.
func TestOneStep(t *testing.T) {
	X := mat.NewDense(5, 1, []float64{0, 2, 3, 8, 10})
	r := fit(t, X, &Options{K: 2, Centers: mat.NewDense(2, 1, []float64{0, 2}), MaxIterations: 1})
	// Labels 0 | 1 1 1 1, means 0 and 23/4; then 0 2 | 3 8 10 for the final labels.
	near(t, "centre 1", r.Centers.At(1, 0), 23.0/4, 1e-14)
	near(t, "J before", r.History[0].Inertia, 1+36+64, 1e-14)
	near(t, "J after", r.Inertia, 4+2.75*2.75+2.25*2.25+4.25*4.25, 1e-14)
	if r.Status != ended.IterationLimit || r.Iterations != 1 {
		t.Error(r.Status, r.Iterations)
	}
}

func TestSameBits(t *testing.T) {
	X, _ := blobs(5000, 6, 4, 3)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, batch := range []int{0, 256} {
		var first *Model
		for _, procs := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(procs)
			r := fit(t, X, &Options{K: 9, Seed: 4, Batch: batch, Restarts: 2})
			if first == nil {
				first = r
			} else if !reflect.DeepEqual(first, r) {
				t.Errorf("batch %d: not the same with %d processors", batch, procs)
			}
		}
		if other := fit(t, X, &Options{K: 9, Seed: 5, Batch: batch, Restarts: 2}); reflect.DeepEqual(other.Centers, first.Centers) {
			t.Errorf("batch %d: the seed does nothing", batch)
		}
	}
}

func TestBlobs(t *testing.T) {
	X, y := blobs(600, 6, 3, 1)
	before := mat.DenseCopyOf(X)
	for _, opt := range []*Options{{K: 6}, {K: 6, Start: RandomPoints, Restarts: 40}, {K: 6, Batch: 60}} {
		r := fit(t, X, opt)
		if a := AdjustedRand(r.Labels, y); a != 1 {
			t.Errorf("%+v: adjusted Rand index %v", opt, a)
		}
	}
	if !mat.Equal(X, before) {
		t.Error("X was changed")
	}
}

// k-means++ takes a point from each of two distant blobs: the probability of another start is about the
// squared ratio of their size to their distance, 1e-10.
func TestPlusPlus(t *testing.T) {
	X := mat.NewDense(100, 1, nil)
	for i := range 100 {
		X.Set(i, 0, float64(i%50)*1e-3+1e4*float64(i/50))
	}
	p, err := newPoints(t.Context(), X, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(50) {
		M, err := firstCenters(t.Context(), p, 2, PlusPlus, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if (M.At(0, 0) > 0) == (M.At(1, 0) > 0) {
			t.Fatalf("seed %d: both centres in one blob", seed)
		}
	}
}

// An empty cluster gets the farthest point; too few distinct points are not an error.
func TestEmptyClusters(t *testing.T) {
	X := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 50})
	r := fit(t, X, &Options{K: 2, Centers: mat.NewDense(2, 1, []float64{1, 1e6})})
	if r.Filled != 1 {
		t.Errorf("%d filled", r.Filled)
	}
	near(t, "J", r.Inertia, 5, 1e-12)
	same := mat.NewDense(6, 2, []float64{1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4})
	for _, batch := range []int{0, 3} {
		r = fit(t, same, &Options{K: 4, Batch: batch})
		near(t, "J of two different points", r.Inertia, 0, 1e-20)
	}
}

// Mini-batches end near Lloyd's inertia on generated digits.
func TestMiniBatch(t *testing.T) {
	set, err := synth.Digits(t.Context(), synth.DigitsOptions{N: 2000, Size: 14, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	full := fit(t, set.Images, &Options{K: 20, Restarts: 3})
	mini := fit(t, set.Images, &Options{K: 20, Restarts: 3, Batch: 200})
	t.Logf("J: %.5g in %d steps, in mini-batches %.5g in %d steps (%v)", full.Inertia, full.Iterations, mini.Inertia, mini.Iterations, mini.Status)
	if mini.Inertia > 1.03*full.Inertia || mini.Status != ended.Settled {
		t.Errorf("mini-batches: %v, %v; Lloyd: %v", mini.Inertia, mini.Status, full.Inertia)
	}
	t.Logf("matched accuracy %.3f, NMI %.3f, ARI %.3f", MatchedAccuracy(full.Labels, set.Labels),
		NormalizedInformation(full.Labels, set.Labels), AdjustedRand(full.Labels, set.Labels))
}

// With batches of one point, each center is the mean of the points assigned to it.
func TestMiniBatchIsAMean(t *testing.T) {
	X := gauss(50, 2, 3)
	p, err := newPoints(t.Context(), X, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	M := mat.NewDense(1, 2, nil)
	r, err := minibatch(context.Background(), p, M, Options{K: 1, Batch: 1, MaxIterations: 30}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	want := [2]float64{}
	for range r.Iterations {
		i := rng.IntN(50)
		want[0] += X.At(i, 0) / float64(r.Iterations)
		want[1] += X.At(i, 1) / float64(r.Iterations)
	}
	near(t, "centre", r.Centers.At(0, 0), want[0], 1e-12)
	near(t, "centre", r.Centers.At(0, 1), want[1], 1e-12)
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	X := gauss(5, 2, 1)
	bad := mat.DenseCopyOf(X)
	bad.Set(3, 1, math.NaN())
	for _, c := range []struct {
		X    mat.Matrix
		opt  *Options
		want string
	}{
		{bad, &Options{K: 2}, "X(3, 1) is NaN"},
		{nil, &Options{K: 2}, "X is nil"},
		{&mat.Dense{}, &Options{K: 2}, "empty"},
		{X, &Options{}, "K is 0"},
		{X, &Options{K: 6}, "K is 6, must be between 1 and the number of points, 5"},
		{X, &Options{K: 2, Batch: -1}, "negative"},
		{X, &Options{K: 2, Tolerance: math.NaN()}, "Tolerance is NaN"},
		{X, &Options{K: 2, Tolerance: math.Inf(1)}, "Tolerance is +Inf, must be finite"},
		{X, &Options{K: 2, Start: 7}, "Start(7)"},
		{X, &Options{K: 2, Centers: mat.NewDense(2, 2, []float64{0, math.Inf(1), 0, 0})}, "Centers(0, 1) is +Inf"},
		{mat.NewDense(2, 1, []float64{1e200, -1e200}), &Options{K: 1}, "overflow"},
		{mat.NewDense(2, 1, []float64{1e-170, -1e-170}), &Options{K: 1}, "underflow"},
	} {
		if _, err := Fit(ctx, c.X, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.opt, err, c.want)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Fit(gone, X, &Options{K: 2}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r := fit(t, X, &Options{K: 2})
	for name, f := range map[string]func(){
		"columns": func() { r.Predict(mat.NewDense(1, 3, nil)) },
		"NaN":     func() { r.Score(bad) },
		"Centers": func() { Fit(ctx, X, &Options{K: 2, Centers: mat.NewDense(3, 2, nil)}) },
		"lengths": func() { AdjustedRand([]int{1}, []int{1, 2}) },
		"empty":   func() { MatchedAccuracy(nil, nil) },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "kmeans: ") {
			t.Errorf("%s: no panic of this package", name)
		}
	}
}

func TestRecorder(t *testing.T) {
	var seen []progress.Event
	r := fit(t, gauss(50, 2, 1), &Options{K: 3, Restarts: 1, Recorder: progress.Func(func(e progress.Event) { seen = append(seen, e) })})
	if len(seen) != r.Iterations || seen[0].Objective != r.History[0].Inertia {
		t.Errorf("%d events for %d steps", len(seen), r.Iterations)
	}
}
