package icon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/ui/progress"
)

func digits(t testing.TB, n, size int, seed uint64) *synth.DigitSet {
	t.Helper()
	set, err := synth.Digits(t.Context(), synth.DigitsOptions{N: n, Size: size, Balanced: true, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestFitTSNE checks that t-SNE of generated digits brings points of the same class together and keeps
// neighbors close.
func TestFitTSNE(t *testing.T) {
	set := digits(t, 300, 14, 1)
	ctx := context.Background()
	o := must(TSNE(set.Images, 20, 2, 1))
	r := must(Minimize(ctx, o, &Options{Method: Momentum, Rate: 50, Exaggeration: 4, Steps: 400}))
	acc, trust := KNNAccuracy(r.Embedding, set.Labels, 5), Trustworthiness(set.Images, r.Embedding, 10)
	raw := KNNAccuracy(set.Images, set.Labels, 5)
	t.Logf("loss %.3f to %.3f; nearest neighbours %.3f (images themselves %.3f), trustworthiness %.3f", r.History[0].Loss, r.Loss, acc, raw, trust)
	if r.Loss > 0.5*r.History[0].Loss || acc < raw-0.1 || trust < 0.9 {
		t.Error("a poor embedding")
	}
	random := Trustworthiness(set.Images, Normal(300, 2, 1, 1), 10)
	if math.Abs(random-0.5) > 0.05 {
		t.Errorf("trustworthiness of a random embedding: %v", random)
	}
}

func TestSameBits(t *testing.T) {
	set := digits(t, 60, 10, 1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first, net *mat.Dense
	for _, procs := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(procs)
		r := must(Minimize(context.Background(), must(SNE(set.Images, 10, 2, 1)), &Options{Steps: 30}))
		c := must(FitContrast(context.Background(), set.Images, &ContrastOptions{Height: 10, Width: 10, Steps: 5, Batch: 16, Hidden: 20, Features: 10, Projection: 5}))
		f := c.Transform(set.Images)
		if first == nil {
			first, net = r.Embedding, f
		} else if !mat.Equal(first, r.Embedding) || !mat.Equal(net, f) {
			t.Errorf("not the same with %d processors", procs)
		}
	}
	if mat.Equal(first, must(Minimize(context.Background(), must(SNE(set.Images, 10, 2, 2)), &Options{Steps: 30})).Embedding) {
		t.Error("the seed does nothing")
	}
}

// TestMinimum checks that Adam and Momentum both reach the minimum of logistic regression, which is unique
// except for parameters that cancel in the softmax.
func TestMinimum(t *testing.T) {
	X := Normal(40, 2, 1, 1)
	labels := make([]int, 40)
	for i := range labels {
		if X.At(i, 0)+0.5*X.At(i, 1)+0.8*math.Sin(float64(5*i)) > 0 {
			labels[i] = 1
		}
	}
	var loss [2]float64
	for k, opt := range []Options{{Steps: 3000, Decay: true}, {Method: Momentum, Rate: 0.5, Steps: 3000}} {
		r := must(Minimize(context.Background(), must(CrossEntropy(X, labels, 2)), &opt))
		loss[k] = r.Loss
		if k == 1 && r.Status != ended.Converged {
			t.Errorf("%v after %d steps, gradient %v", r.Status, r.Steps, r.History[len(r.History)-1].Gradient)
		}
	}
	near(t, "loss", loss[0], loss[1], 1e-8)
}

func TestFitRefusals(t *testing.T) {
	ctx := context.Background()
	X := Normal(12, 3, 1, 1)
	for want, opt := range map[string]Options{
		"Method": {Method: 9}, "negative": {Steps: -1}, "Rate": {Rate: math.NaN()}, "Exaggeration": {Exaggeration: -1}, "Tolerance": {Tolerance: math.NaN()},
	} {
		if _, err := Minimize(ctx, must(SNE(X, 4, 2, 1)), &opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Minimize(gone, must(SNE(X, 4, 2, 1)), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Minimize(ctx, must(SNE(X, 4, 2, 1)), &Options{Method: Momentum, Rate: 1e200}); !errors.Is(err, ErrDiverged) {
		// The squared distances of points this far apart overflow.
		t.Error(err)
	}
	if _, err := Minimize(ctx, &Objective{P: randomP(12, 12, false, false, 1), Q: On(Data{X}, Gaussian{})}, nil); err == nil {
		t.Error("nothing to learn is no error")
	}
	events := 0
	r := must(Minimize(ctx, must(SNE(X, 4, 2, 1)), &Options{Steps: 7, Recorder: progress.Func(func(progress.Event) { events++ })}))
	if events != 7 || r.Steps != 7 || len(r.History) != 7 || r.Status != ended.Done {
		t.Error(events, r.Steps, r.Status)
	}
}

// TestFixP checks that FixP leaves θ unchanged although it has a gradient.
func TestFixP(t *testing.T) {
	p := On(NewLinear(Normal(10, 3, 1, 1), Normal(3, 2, 1, 2)), Gaussian{})
	before := mat.DenseCopyOf(p.Params()[0].X)
	o := &Objective{P: p, Q: On(NewPoints(Normal(10, 2, 1, 3)), Gaussian{})}
	L := o.Loss()
	r := must(Minimize(context.Background(), o, &Options{Steps: 50, FixP: true}))
	if !mat.Equal(before, p.Params()[0].X) || r.Loss >= L {
		t.Errorf("θ moved, or the loss did not fall: %v, %v", L, r.Loss)
	}
	near(t, "loss", r.Loss, o.Loss(), 1e-12)
}

// TestContrast checks that, after training on views, images of the same class are closer than with the
// untrained network.
func TestContrast(t *testing.T) {
	set := digits(t, 400, 14, 1)
	other := digits(t, 300, 14, 2)
	opt := ContrastOptions{Height: 14, Width: 14, Steps: 120, Batch: 64, Hidden: 128, Features: 64, Projection: 16, Seed: 1}
	r := must(FitContrast(context.Background(), set.Images, &opt))
	untrained := NewEncoder(1, 1, 196, 128, 64, 16)
	before, after := KNNAccuracy(untrained.Transform(other.Images), other.Labels, 5), KNNAccuracy(r.Transform(other.Images), other.Labels, 5)
	t.Logf("loss %.3f to %.3f; nearest neighbours on other images: pixels %.3f, untrained %.3f, trained %.3f",
		r.History[0].Loss, r.History[len(r.History)-1].Loss, KNNAccuracy(other.Images, other.Labels, 5), before, after)
	if after < before || r.History[len(r.History)-1].Loss > 0.7*r.History[0].Loss {
		t.Error("nothing was learned")
	}
	if _, err := FitContrast(context.Background(), set.Images.Slice(0, 1, 0, 196), &opt); err == nil {
		t.Error("one image is no error")
	}
	bad := mat.DenseCopyOf(set.Images)
	bad.Set(2, 3, math.NaN())
	if _, err := FitContrast(context.Background(), bad, &opt); err == nil || !strings.Contains(err.Error(), "(2, 3)") {
		t.Error(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FitContrast(gone, set.Images, &opt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAugment(t *testing.T) {
	img := mat.NewDense(1, 25, nil)
	for i := range 25 {
		img.Set(0, i, float64(i*i%7))
	}
	same := Augment{}.Views(img, 5, 5, 1)
	for i := range 2 {
		nearMatrix(t, "a view without changes", same.Slice(i, i+1, 0, 25), img, 1e-14)
	}
	// A bump moves by the random shift, which is at most Shift, and keeps its mass if it stays inside the
	// image.
	bump := mat.NewDense(1, 21*21, nil)
	bump.Set(0, 10*21+10, 1)
	far := 0.0
	for seed := range uint64(40) {
		V := Augment{Shift: 3}.Views(bump, 21, 21, seed)
		mass, y, x := 0.0, 0.0, 0.0
		for k, v := range V.RawRowView(0) {
			mass, y, x = mass+v, y+v*float64(k/21-10), x+v*float64(k%21-10)
		}
		near(t, "mass", mass, 1, 1e-12)
		far = max(far, math.Abs(x), math.Abs(y))
	}
	if far > 3 || far < 2.5 {
		t.Errorf("largest shift %v", far)
	}
	// Rotation does not change a disk around the center, except for interpolation errors.
	disk := mat.NewDense(1, 21*21, nil)
	for k := range 21 * 21 {
		disk.Set(0, k, math.Exp(-(math.Pow(float64(k/21-10), 2)+math.Pow(float64(k%21-10), 2))/30))
	}
	var d mat.Dense
	d.Sub(Augment{Rotation: 1}.Views(disk, 21, 21, 3).Slice(0, 1, 0, 441), disk)
	if e := mat.Max(&d); e > 0.02 {
		t.Errorf("a disk changes by %v", e)
	}
	a := Digits(21)
	if !mat.Equal(a.Views(disk, 21, 21, 5), a.Views(disk, 21, 21, 5)) || mat.Equal(a.Views(disk, 21, 21, 5), a.Views(disk, 21, 21, 6)) {
		t.Error("views do not follow from the seed")
	}
}

// TestLearn runs each method of the table, except methods that need more than points and labels.
func TestLearn(t *testing.T) {
	set := digits(t, 60, 10, 1)
	ctx := context.Background()
	for _, in := range Instances() {
		r, err := FitMethod(ctx, set.Images, set.Labels, in.Method, &FitOptions{Steps: 200, Seed: 1})
		if in.Method == "SimCLR" || in.Method == "X-Sample" {
			if err == nil {
				t.Errorf("%s: no error", in.Method)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", in.Method, err)
			continue
		}
		if !(r.Loss < r.History[0].Loss) || r.Steps != 200 {
			t.Errorf("%s: loss %v to %v in %d steps", in.Method, r.History[0].Loss, r.Loss, r.Steps)
		}
	}
	// The perplexity is two thirds of the number of points. Exaggeration would collapse all points into one
	// place, where only a tenth of the points have neighbors of the same class.
	set = digits(t, 150, 14, 1)
	r := must(FitMethod(ctx, set.Images, nil, "t-SNE", &FitOptions{Steps: 300, Perplexity: 100, Seed: 1}))
	if acc := KNNAccuracy(r.Embedding, set.Labels, 5); acc < 0.4 {
		t.Errorf("perplexity 100 of 150 points: neighbours of the same class %.3f", acc)
	}
	bad := mat.DenseCopyOf(set.Images)
	bad.Set(1, 2, math.Inf(1))
	if _, err := FitMethod(ctx, bad, nil, "SNE", nil); err == nil || !strings.Contains(err.Error(), "X(1, 2)") {
		t.Error(err)
	}
}

// TestLearnRefusesOptions checks that the error for an invalid option names it.
func TestLearnRefusesOptions(t *testing.T) {
	X := Normal(12, 3, 1, 1)
	for want, opt := range map[string]FitOptions{
		"icon: FitMethod: Steps is -1":       {Steps: -1},
		"icon: FitMethod: Clusters is -2":    {Clusters: -2},
		"icon: FitMethod: Perplexity is NaN": {Perplexity: math.NaN()},
		"icon: FitMethod: Sigma is -1":       {Sigma: -1},
	} {
		if _, err := FitMethod(t.Context(), X, nil, "t-SNE", &opt); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// BenchmarkSklearn compares the engine's t-SNE with scikit-learn's exact method at the same points,
// perplexity, rate, exaggeration and number of steps. Each side has its own initial embedding.
func BenchmarkSklearn(b *testing.B) {
	for _, n := range []int{300, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			X := digits(b, n, 10, 1).Images
			py := peer.Start(b, 2, "import numpy as np\nfrom sklearn.manifold import TSNE", "numpy", "sklearn")
			x := must(json.Marshal(X.RawMatrix().Data))
			py.Do(fmt.Sprintf("X = np.array(%s).reshape(%d, 100)", x, n))
			var r *Result
			race := peer.Race(3, peer.Timer(func() {
				o := must(TSNE(X, 30, 2, 1))
				r = must(Minimize(context.Background(), o, &Options{Method: Momentum, Rate: 50, Exaggeration: 12, Steps: 500, ExaggerationSteps: 250, Tolerance: -1}))
			}), py.Timer("m = TSNE(2, perplexity=30, method='exact', init='random', learning_rate=50, n_iter=500, random_state=1).fit(X)"))
			race.Report(b)
			b.ReportMetric(r.Loss, "loss")
			b.ReportMetric(py.Float("float(m.kl_divergence_)"), "peer-loss")
			b.ReportMetric(py.Float("float(m.n_iter_)"), "peer-steps")
		})
	}
}
