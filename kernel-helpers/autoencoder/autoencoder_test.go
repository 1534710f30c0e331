package autoencoder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/ui/progress"
)

func normal(m, n int, seed uint64) *mat.Dense {
	return trial.Normal(rand.New(rand.NewPCG(seed, 9)), m, n, 1)
}

// TestGradient compares the gradient of every parameter with central differences. The step is small enough
// that no ReLU input changes sign.
func TestGradient(t *testing.T) {
	for _, lambda := range []float64{0, 0.3} {
		a := New(4, 7, 3)
		rnd := rand.New(rand.NewPCG(1, 2))
		for _, p := range a.params() {
			for i := range p {
				p[i] += 0.3 * rnd.NormFloat64()
			}
		}
		X := normal(4, 11, 5)
		_, g := a.Gradient(X, lambda)
		gp := g.params()
		const h = 1e-6
		for k, p := range a.params() {
			for i := range p {
				old := p[i]
				p[i] = old + h
				up := a.Evaluate(X, lambda).Total
				p[i] = old - h
				down := a.Evaluate(X, lambda).Total
				p[i] = old
				fd := (up - down) / (2 * h)
				if math.Abs(fd-gp[k][i]) > 1e-6*(1+math.Abs(fd)) {
					t.Errorf("lambda %v, parameter %d.%d: gradient %v, finite difference %v", lambda, k, i, gp[k][i], fd)
				}
			}
		}
	}
}

// recoverable returns A and X = A S, with nonnegative sparse sources S, fewer than the values of a sample.
// (With more sources than values, a linear encoder with a ReLU cannot separate the features, and the learned
// columns are off by tens of degrees.)
func recoverable(N int, seed uint64) (X, A *mat.Dense) {
	rnd := rand.New(rand.NewPCG(seed, 4))
	A = New(6, 5, 77).Wdec
	S := mat.NewDense(5, N, nil)
	S.Apply(func(_, _ int, _ float64) float64 {
		if rnd.Float64() < 0.12 {
			return 0.5 + rnd.ExpFloat64()
		}
		return 0
	}, S)
	X = mat.NewDense(6, N, nil)
	X.Mul(A, S)
	return X, A
}

func TestTrainRecovers(t *testing.T) {
	X, A := recoverable(2000, 1)
	before := mat.DenseCopyOf(X)
	events := 0
	res, err := Fit(context.Background(), X, &Options{Features: 8, Lambda: 0.05, Steps: 3000, Rate: 0.01, Seed: 2,
		Recorder: progress.Func(func(progress.Event) { events++ })})
	if err != nil || res.Status != ended.Done {
		t.Fatal(err, res.Status)
	}
	if !mat.Equal(X, before) {
		t.Error("Fit changed its data")
	}
	if events != len(res.History) || events < 50 {
		t.Errorf("%d events, %d points", events, len(res.History))
	}
	if first, last := res.History[0].Total, res.Loss.Total; last > 0.5*first {
		t.Errorf("loss from %v to %v", first, last)
	}
	// worst is the smallest cosine of a true column with its best match.
	worst := 1.0
	for k := range 5 {
		best := 0.0
		for j := range 8 {
			best = math.Max(best, mat.Dot(A.ColView(k), res.Model.Wdec.ColView(j)))
		}
		worst = math.Min(worst, best)
	}
	t.Logf("loss %+v, worst cosine %.4f, dead %d", res.Loss, worst, res.Dead)
	if worst < 0.95 {
		t.Errorf("a true column is matched with cosine %v only", worst)
	}
	for j := range 8 {
		if n := mat.Norm(res.Model.Wdec.ColView(j), 2); math.Abs(n-1) > 1e-12 {
			t.Errorf("column %d has norm %v", j, n)
		}
	}
}

func TestDeterministic(t *testing.T) {
	X, _ := recoverable(300, 1)
	train := func() *Result {
		r, err := Fit(context.Background(), X, &Options{Features: 8, Lambda: 0.1, Steps: 60, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b := train(), train()
	for k, p := range a.Model.params() {
		for i, v := range p {
			if v != b.Model.params()[k][i] {
				t.Fatalf("parameter %d.%d: %v and %v", k, i, v, b.Model.params()[k][i])
			}
		}
	}
}

// TestFreeNormCheats demonstrates the trap described in the package comment: without the norm constraint, the
// L1 norm shrinks at no cost.
func TestFreeNormCheats(t *testing.T) {
	a := New(3, 5, 1)
	X := normal(3, 40, 2)
	b := a.Clone()
	b.Wenc.Scale(0.1, b.Wenc)
	b.Wdec.Scale(10, b.Wdec)
	la, lb := a.Evaluate(X, 1), b.Evaluate(X, 1)
	if math.Abs(la.Error-lb.Error) > 1e-9 || math.Abs(lb.L1-0.1*la.L1) > 1e-9 {
		t.Errorf("%+v, %+v", la, lb)
	}
}

func TestRefusals(t *testing.T) {
	X := normal(3, 10, 1)
	bad := mat.DenseCopyOf(X)
	bad.Set(1, 4, math.NaN())
	ctx := context.Background()
	for _, c := range []struct {
		X    *mat.Dense
		opt  Options
		want string
	}{
		{bad, Options{Features: 2}, "value 1 of sample 4 is NaN"},
		{new(mat.Dense), Options{Features: 2}, "no samples"},
		{X, Options{}, "Features is 0"},
		{X, Options{Features: 2, Lambda: -1}, "Lambda is -1"},
		{X, Options{Features: 2, Rate: -1}, "Rate is -1"},
	} {
		if _, err := Fit(ctx, c.X, &c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %q", err, c.want)
		}
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	r, err := Fit(stopped, X, &Options{Features: 2})
	if !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted {
		t.Errorf("%v, %v", err, r)
	}
	huge := mat.DenseCopyOf(X)
	huge.Scale(1e200, huge)
	if r, err := Fit(ctx, huge, &Options{Features: 2, Steps: 10}); err == nil || r.Status != ended.Diverged {
		t.Errorf("%v, %v", err, r.Status)
	}
}

func ExampleTrain() {
	// A direction with values of both signs needs two features.
	X := mat.NewDense(2, 4, []float64{
		1, -1, 2, -2,
		0, 0, 0, 0})
	start := &Model{
		Wenc: mat.NewDense(2, 2, []float64{0.8, 0.1, -0.8, 0.1}), Benc: make([]float64, 2),
		Wdec: mat.NewDense(2, 2, []float64{1, -1, 0.2, 0.2}), Bdec: make([]float64, 2),
	}
	res, err := Fit(context.Background(), X, &Options{Lambda: 0.001, Steps: 2000, Start: start})
	var b bytes.Buffer
	fmt.Fprintf(&b, "%v, error < 0.001: %t, decoder %.1f", err, res.Loss.Error < 0.001, mat.Formatted(res.Model.Wdec.RowView(0).T()))
	fmt.Println(b.String())
	// Output: <nil>, error < 0.001: true, decoder [ 1.0  -1.0]
}

// TestTransposed checks that samples in rows are rejected with a message that suggests the transpose.
func TestTransposed(t *testing.T) {
	const want = "autoencoder: Transform: X is 10×3, a sample per COLUMN, and samples of the model have 3 values: want 3×10, is X transposed?"
	if p := panics.Value(func() { New(3, 4, 1).Transform(normal(3, 10, 1).T()) }); p != want {
		t.Errorf("%v, want %s", p, want)
	}
}
