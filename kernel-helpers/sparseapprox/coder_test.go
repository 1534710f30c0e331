package sparseapprox

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/ui/progress"
)

var everything = []Options{
	{Lambda: 0.1, Method: CoordinateDescent},
	{Lambda: 0.1, Method: FeatureSign},
	{Lambda: 0.1, Method: LARS},
	{Lambda: 0.1, Method: FISTA},
	{Lambda: 0.1, Prior: L1NonNegative},
	{Lambda: 0.1, Prior: L2},
	{Prior: None},
	{Lambda: 0.1, Prior: Lp},
	{Prior: L0, Nonzeros: 5},
}

func TestWorkers(t *testing.T) {
	B, X := problem(16, 40, 700, 21) // more than one block
	for _, opt := range everything {
		opt.Workers = 1
		want := solve(t, B, X, opt)
		for _, n := range []int{2, 5} {
			opt.Workers = n
			got := solve(t, B, X, opt)
			if !slices.Equal(got.W.RawMatrix().Data, want.W.RawMatrix().Data) || !slices.Equal(got.Iterations, want.Iterations) {
				t.Errorf("%v %v: %d goroutines change the result", opt.Prior, opt.Method, n)
			}
		}
	}
}

func TestCoderIsReusable(t *testing.T) {
	B, X := problem(16, 40, 30, 22)
	_, Y := problem(16, 40, 30, 23)
	for _, opt := range everything {
		c, err := NewCoder(B, &opt)
		if err != nil {
			t.Fatal(err)
		}
		first, err := c.Code(t.Context(), X)
		if err != nil {
			t.Fatal(err)
		}
		// Coding other signals in between must not affect the result through shared scratch memory.
		if _, err := c.Code(t.Context(), Y); err != nil {
			t.Fatal(err)
		}
		again, err := c.Code(t.Context(), X)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(first.W, again.W) {
			t.Errorf("%v %v: the second batch of the same signals differs", opt.Prior, opt.Method)
		}
		other, err := c.With(&opt)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := other.Code(t.Context(), X); err != nil || !mat.Equal(first.W, r.W) {
			t.Errorf("%v %v: With the same options differs (%v)", opt.Prior, opt.Method, err)
		}
	}
}

func TestInputsAreNotModified(t *testing.T) {
	B, X := problem(10, 24, 8, 24)
	warm := mat.NewDense(24, 8, nil)
	warm.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(i + 3*j)) }, warm)
	b, x, w := mat.DenseCopyOf(B), mat.DenseCopyOf(X), mat.DenseCopyOf(warm)
	for _, opt := range everything {
		opt.Warm = warm
		solve(t, B, X, opt)
		if !mat.Equal(b, B) || !mat.Equal(x, X) || !mat.Equal(w, warm) {
			t.Fatalf("%v %v modified an input", opt.Prior, opt.Method)
		}
	}
	// A view with a stride, and a transpose, give the same result as a copy.
	c := mat.DenseCopyOf(X.Slice(0, 10, 2, 7))
	view := solve(t, B, X.Slice(0, 10, 2, 7), everything[0])
	turned := solve(t, mat.DenseCopyOf(B.T()).T(), c, everything[0])
	want := solve(t, B, c, everything[0])
	if !mat.Equal(view.W, want.W) || !mat.Equal(turned.W, want.W) {
		t.Error("the result depends on how a matrix is stored")
	}
}

func TestRefusals(t *testing.T) {
	B, X := problem(5, 8, 3, 25)
	bad := mat.DenseCopyOf(X)
	bad.Set(2, 1, math.NaN())
	badB := mat.DenseCopyOf(B)
	badB.Set(4, 7, math.Inf(1))
	for _, c := range []struct {
		B, X *mat.Dense
		opt  *Options
		want string
	}{
		{B, bad, &Options{Lambda: 1}, "X is NaN in row 2, column 1"},
		{badB, X, &Options{Lambda: 1}, "B is +Inf in row 4, column 7"},
		{B, X, &Options{Lambda: 1, Warm: mat.NewDense(8, 3, append(make([]float64, 23), math.NaN()))}, "Warm is NaN in row 7, column 2"},
		{B, X, nil, "Lambda is 0"},
		{B, X, &Options{Lambda: -1}, "Lambda is -1"},
		{B, X, &Options{Lambda: math.NaN()}, "Lambda is NaN"},
		{B, X, &Options{Lambda: 1, Prior: Lp, P: 1}, "P is 1"},
		{B, X, &Options{Lambda: 1, Prior: Prior(9)}, "unknown Prior(9)"},
		{B, X, &Options{Lambda: 1, Prior: L2, Method: LARS}, "LARS is not a method for L2"},
		{B, X, &Options{Lambda: 1, Tolerance: -1}, "Tolerance is -1"},
		{B, X, &Options{Lambda: 1, Workers: -1}, "Workers is -1"},
		{B, X, &Options{Lambda: 1, Tolerance: math.NaN()}, "Tolerance is NaN"},
		{B, X, &Options{Lambda: 1, MaxIterations: -1}, "MaxIterations is -1"},
		{B, X, &Options{Prior: L0, Nonzeros: -1}, "Nonzeros is -1"},
		{B, X, &Options{Lambda: 1, Ridge: math.NaN()}, "Ridge is NaN"},
		{B, X, &Options{Lambda: 1, Ridge: -1}, "Ridge is -1"},
		{B, X, &Options{Prior: L2, Lambda: 1, Ridge: 1}, "must be 0 for L2"},
		{B, &mat.Dense{}, &Options{Lambda: 1}, "X is empty"},
		{B, X, &Options{Prior: L0, MaxError: math.NaN()}, "MaxError is NaN"},
	} {
		_, err := Solve(t.Context(), c.B, c.X, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.opt, err, c.want)
		}
	}
	for name, f := range map[string]func(){
		"rows of X":   func() { Solve(t.Context(), B, mat.NewDense(4, 3, nil), &Options{Lambda: 1}) },
		"empty B":     func() { Solve(t.Context(), &mat.Dense{}, X, &Options{Lambda: 1}) },
		"nil vector":  func() { Solve(t.Context(), B, (*mat.VecDense)(nil), &Options{Lambda: 1}) },
		"nil B":       func() { Solve(t.Context(), nil, X, &Options{Lambda: 1}) },
		"shape of w":  func() { Solve(t.Context(), B, X, &Options{Lambda: 1, Warm: mat.NewDense(8, 2, nil)}) },
		"length of x": func() { c, _ := NewCoder(B, &Options{Lambda: 1}); c.Path(make([]float64, 4), 0) },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "sparseapprox: ") {
			t.Errorf("%s: no panic of this package, but %v", name, s)
		}
	}
	c, err := NewCoder(B, &Options{Prior: L2, Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Path(make([]float64, 5), 0); err == nil {
		t.Error("Path for L2")
	}
}

func TestLimits(t *testing.T) {
	B, X := problem(20, 50, 600, 26)
	for _, m := range []Method{CoordinateDescent, FeatureSign, LARS, FISTA} {
		r, err := Solve(t.Context(), B, X, &Options{Lambda: 0.01, Method: m, MaxIterations: 2})
		if err == nil || r == nil || r.Status != ended.IterationLimit {
			t.Errorf("%v with 2 iterations: %v", m, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var events []progress.Event
	opt := &Options{Lambda: 0.1, Recorder: progress.Func(func(e progress.Event) {
		events = append(events, e)
		cancel() // after the first block
	})}
	r, err := Solve(ctx, B, X, opt)
	if !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted {
		t.Fatalf("%v, %v", err, r.Status)
	}
	if len(events) != 1 || events[0].Step != 512 || events[0].Total != 600 {
		t.Errorf("events %+v", events)
	}
	best := solve(t, B, X, Options{Lambda: 0.1})
	for k, s := range r.Signals {
		if want := k < 512; (s == ended.Converged) != want || mat.Norm(r.W.ColView(k), 1) > 0 != want {
			t.Fatalf("signal %d: %v", k, s)
		}
		zero := objective(B, X, r.W, k, 0.1, math.Abs)
		if math.Abs(r.Objective[k]-zero) > 1e-12*zero || r.Objective[k]-r.Gap[k] > best.Objective[k] {
			t.Fatalf("signal %d: objective %v, by hand %v; gap %v from %v", k, r.Objective[k], zero, r.Gap[k], best.Objective[k])
		}
	}
}

func TestZeros(t *testing.T) {
	B, X := problem(5, 8, 3, 27)
	for _, opt := range everything {
		if r := solve(t, B, mat.NewDense(5, 3, nil), opt); mat.Norm(r.W, 1) != 0 || r.Objective[0] != 0 {
			t.Errorf("%v %v: zero signals have w of norm %v", opt.Prior, opt.Method, mat.Norm(r.W, 1))
		}
		opt.Warm = mat.NewDense(8, 3, slices.Repeat([]float64{1}, 24))
		if r := solve(t, mat.NewDense(5, 8, nil), X, opt); mat.Norm(r.W, 1) != 0 {
			t.Errorf("%v %v: zero atoms have w of norm %v", opt.Prior, opt.Method, mat.Norm(r.W, 1))
		}
	}
}

// FuzzLasso uses small problems with few distinct entries, so that ties, dependent atoms and zero atoms are common.
func FuzzLasso(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, uint8(2), uint8(10))
	f.Add([]byte{0, 1, 1, 0, 1, 1, 0, 0, 1, 2}, uint8(1), uint8(3))
	f.Add([]byte{3, 3, 3, 3, 1, 3, 3, 3}, uint8(3), uint8(50))
	// An atom leaves the path and comes back with the other sign, as the next event.
	f.Add([]byte("121122112"), uint8(6), uint8(3))
	f.Fuzz(func(t *testing.T, raw []byte, rows, scale uint8) {
		d := 1 + int(rows)%4
		n := min(8, len(raw)/d-1)
		if n < 1 {
			return
		}
		v := make([]float64, d*(n+1))
		for i := range v {
			v[i] = float64(int(raw[i])%7 - 3)
		}
		all := mat.NewDense(n+1, d, v).T()
		B, X := mat.DenseCopyOf(all).Slice(0, d, 0, n), mat.DenseCopyOf(all).Slice(0, d, n, n+1)
		lambda := 0.01 + float64(scale)/50
		for _, prior := range []Prior{L1, L1NonNegative} {
			var first float64
			for i, m := range []Method{FISTA, CoordinateDescent, FeatureSign, LARS} {
				r, err := Solve(t.Context(), B, X, &Options{Prior: prior, Lambda: lambda, Method: m, Tolerance: 1e-7, MaxIterations: 100000})
				if err != nil {
					t.Fatalf("%v %v: %v\nB %v\nX %v λ %v", prior, m, err, mat.Formatted(B), mat.Formatted(X), lambda)
				}
				if i == 0 {
					first = r.Objective[0]
				} else if math.Abs(r.Objective[0]-first) > 1e-6*first {
					t.Fatalf("%v %v: %v, FISTA %v", prior, m, r.Objective[0], first)
				}
			}
		}
	})
}

// Squares of these signals or atoms overflow or underflow, so no result may count as valid.
func TestOverflow(t *testing.T) {
	B, X := problem(5, 8, 3, 28)
	for _, scale := range []float64{1e200, 1e-200} {
		var far, farB mat.Dense
		far.Scale(scale, X)
		farB.Scale(scale, B)
		for _, opt := range everything {
			opt.MaxIterations = 100
			if r, err := Solve(t.Context(), B, &far, &opt); err == nil || r.Status < ended.NoProgress {
				t.Errorf("X·%g, %v %v: %v with objective %v", scale, opt.Prior, opt.Method, r.Status, r.Objective)
			}
		}
		for _, opt := range everything {
			if opt.Prior == L2 || opt.Prior == None {
				continue // these methods do not use BᵀB
			}
			if _, err := NewCoder(&farB, &opt); err == nil || !strings.Contains(err.Error(), "square of column 0") {
				t.Errorf("B·%g, %v %v: error %v", scale, opt.Prior, opt.Method, err)
			}
		}
	}
}

// The scales of B and X do not matter, even if they are far from 1, as long as they are within float64's range.
func TestScales(t *testing.T) {
	B, X := problem(10, 20, 4, 29)
	for _, m := range lassoMethods {
		want := solve(t, B, X, Options{Lambda: 0.1, Method: m})
		for _, s := range [][2]float64{{1e-100, 1}, {1e-100, 1e100}, {1e100, 1e-100}, {1, 1e140}, {1e140, 1}, {1, 1e-140}, {1e-140, 1}} {
			var b, x mat.Dense
			b.Scale(s[0], B)
			x.Scale(s[1], X)
			got := solve(t, &b, &x, Options{Lambda: 0.1 * s[0] * s[1], Method: m})
			for k, f := range got.Objective {
				if f /= s[1] * s[1]; math.Abs(f-want.Objective[k]) > 1e-5*f {
					t.Errorf("%v, B·%g, X·%g: objective %v, want %v", m, s[0], s[1], f, want.Objective[k])
				}
			}
		}
	}
}
