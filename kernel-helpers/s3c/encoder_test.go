package s3c

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/internal/simd"
	"overcomplete/ui/progress"
)

// The float32 E step equals the float64 E step up to rounding, for any number of patches and every
// instruction set.
func TestEncoder(t *testing.T) {
	for _, diagonal := range []bool{false, true} {
		const d, n = 21, 75
		N := 45
		if diagonal {
			N = 40 // few enough to use the Gram matrix
		}
		m := aModel(t, d, N, diagonal, 91)
		V := gaussian(n, d, 0.7, 92)
		X := single(V)
		r := infer(t, m, V, InferOptions{})
		H := r.Q.H()
		simd.Each(func(name string) {
			e := must[*Encoder](t)(NewEncoder(m, EncoderOptions{}))
			h, s := make([]float32, n*N), make([]float32, n*N)
			e.EncodeBoth(h, s, X, n)
			if a, b := apart(h, H), apart(s, r.Q.S); a > 2e-5 || b > 1e-4 {
				t.Errorf("%s, diagonal %t: differs by %g in ĥ, %g in ŝ", name, diagonal, a, b)
			}
			for _, few := range []int{0, 1, 17, 33} {
				g := make([]float32, few*N)
				e.Fork().Encode(g, X[:few*d], few)
				if few > 0 && apart(g, H.Slice(0, few, 0, N).(*mat.Dense)) > 2e-5 {
					t.Errorf("%s: %d patches alone have other codes", name, few)
				}
			}
		})
		// Compare the energy of a block, and its moments.
		sch, _ := Schedule{}.check()
		for _, turn := range []bool{false, true} {
			y := newSystem(m, sch)
			if turn { // Rotated for skipping; without skipping the result is the same.
				if err := y.response(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if (y.gram != nil) != (diagonal && !turn) {
				t.Error("the Gram matrix is there, or is not")
			}
			var b block
			b.load(y, X[:30*d], 30)
			b.infer()
			got, F := b.moments(m, m.slabVariances())
			var want float64
			for _, f := range r.Energy[:30] {
				want += f
			}
			if math.Abs(F-want) > 1e-5*math.Abs(want) {
				t.Errorf("energy %v, want %v", F, want)
			}
			part := &Posterior{mat.DenseCopyOf(r.Q.Logit.Slice(0, 30, 0, N)), mat.DenseCopyOf(r.Q.S.Slice(0, 30, 0, N))}
			s := must[*Moments](t)(m.Moments(V.Slice(0, 30, 0, d), part))
			for name, c := range map[string][2][]float64{"H": {got.H, s.H}, "HS": {got.HS, s.HS}, "HSS": {got.HSS, s.HSS}, "Rest": {got.Rest, s.Rest},
				"Spread": {got.Spread, s.Spread}, "RR": {got.RR, s.RR}, "RM": {got.RM.RawMatrix().Data, s.RM.RawMatrix().Data}} {
				for i := range c[0] {
					if math.Abs(c[0][i]-c[1][i]) > 1e-3*(1+math.Abs(c[1][i])) {
						t.Errorf("turn %t, %s[%d]: %v, in float64 %v", turn, name, i, c[0][i], c[1][i])
						break
					}
				}
			}
		}
	}
}

func TestEncodeAll(t *testing.T) {
	const d, N, n = 6, 14, 300
	m := aModel(t, d, N, false, 95)
	V := gaussian(n, d, 1, 96)
	calls, last := 0, 0
	H, err := m.Transform(bg, V, &EncodeOptions{Recorder: progress.Func(func(e progress.Event) { calls++; last = e.Step })})
	if err != nil {
		t.Fatal(err)
	}
	if calls == 0 || last != n {
		t.Errorf("%d events, the last at %d", calls, last)
	}
	if want := infer(t, m, V, InferOptions{}).Q.H(); !mat.EqualApprox(H, want, 2e-5) {
		t.Error("not what Infer finds")
	}
	for _, o := range []EncoderOptions{{}, {Skip: &SkipOptions{}}} {
		a := must[*mat.Dense](t)(m.Transform(bg, V, &EncodeOptions{EncoderOptions: o, Workers: 1}))
		b := must[*mat.Dense](t)(m.Transform(bg, V, &EncodeOptions{EncoderOptions: o, Workers: 3}))
		if !mat.Equal(a, b) {
			t.Error("the codes depend on the number of goroutines")
		}
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, err := m.Transform(ctx, V, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestEncodeContext(t *testing.T) {
	const d, N, n = 6, 14, 70
	e := must[*Encoder](t)(aModel(t, d, N, false, 95).NewEncoder(nil))
	X := single(gaussian(n, d, 1, 96))
	h, want := make([]float32, n*N), make([]float32, n*N)
	e.Encode(want, X, n)
	if err := e.EncodeContext(bg, h, nil, X, n); err != nil || !slices.Equal(h, want) {
		t.Errorf("other codes than Encode's, %v", err)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if err := e.EncodeContext(ctx, h, nil, X, n); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "s3c: Encode: ") {
		t.Errorf("canceled: %v", err)
	}
	e.Encode(h, X, n) // the next call is not canceled
	if !slices.Equal(h, want) {
		t.Error("after a canceled call, other codes")
	}
}

// NaN and Inf are errors, or make the code NaN; wrong shapes cause a panic.
func TestRefused(t *testing.T) {
	const d, N = 4, 6
	m := aModel(t, d, N, false, 97)
	V := gaussian(3, d, 1, 98)
	V.Set(1, 2, math.NaN())
	for name, f := range map[string]func() error{
		"Infer":  func() error { _, err := m.Infer(t.Context(), V, nil); return err },
		"Energy": func() error { _, err := m.Energy(V, m.Prior(3)); return err },
		"Encode": func() error { _, err := m.Transform(bg, V, nil); return err },
		"Rows":   func() error { _, err := Rows(V, 1); return err },
		"Exact":  func() error { _, err := m.Exact(V); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), "row 1, column 2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := gaussian(3, d, 1, 98)
	for name, spoil := range map[string]func(*Model){
		"Alpha[1] is 0":               func(m *Model) { m.Alpha[1] = 0 },
		"Beta[0] is -1":               func(m *Model) { m.Beta[0] = -1 },
		"Mu[2] is NaN":                func(m *Model) { m.Mu[2] = math.NaN() },
		"W is +Inf in row 1":          func(m *Model) { m.W.Set(1, 0, math.Inf(1)) },
		"Bias[0] is -Inf":             func(m *Model) { m.Bias[0] = math.Inf(-1) },
		"beyond the range of float32": func(m *Model) { m.Mu[0] = 1e300 },
	} {
		x := m.Clone()
		spoil(x)
		if _, err := x.Transform(bg, good, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A bad patch has a NaN code, and the other codes are not affected.
	e := must[*Encoder](t)(NewEncoder(m, EncoderOptions{}))
	h, clean := make([]float32, 3*N), make([]float32, 3*N)
	X := single(V)
	e.Encode(h, X, 3)
	e.Encode(clean, single(good), 3)
	if X[d+2] == X[d+2] {
		t.Error("the input was changed")
	}
	for i, v := range h {
		if (i/N == 1) != (v != v) || i/N != 1 && v != clean[i] {
			t.Errorf("patch %d, unit %d: %v, without its neighbour %v", i/N, i%N, v, clean[i])
		}
	}
	q := m.Prior(3)
	q.S.Set(0, 1, math.Inf(1))
	if _, err := m.Energy(good, q); err == nil || !strings.Contains(err.Error(), "patch 0, unit 1") {
		t.Errorf("a bad posterior: %v", err)
	}
	for name, f := range map[string]func(){
		"patch":     func() { m.Infer(t.Context(), gaussian(3, d+1, 1, 1), nil) },
		"posterior": func() { m.Energy(good, m.Prior(2)) },
		"dst":       func() { e.Encode(h[1:], X, 3) },
		"units":     func() { aModel(t, 3, MaxExact+1, false, 1).Exact(gaussian(1, 3, 1, 1)) },
		"schedule":  func() { m.Infer(t.Context(), good, &InferOptions{Schedule: Schedule{H: []float64{1}}}) },
		"samples":   func() { m.Sample(0, 1) },
		"moments":   func() { m.Gradient(newMoments(d, N)) },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "s3c: ") {
			t.Errorf("%s: no panic of this package: %v", name, s)
		}
	}
	for name, o := range map[string]InferOptions{
		"η":       {Schedule: Schedule{H: []float64{2}, S: []float64{1}}},
		"Rho":     {Schedule: Schedule{H: []float64{1}, S: []float64{1}, Rho: -1}},
		"unknown": {Method: 7},
		"CGSteps": {CGSteps: -1},
	} {
		if _, err := m.Infer(t.Context(), good, &o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	huge := gaussian(1, d, 1e200, 1)
	if _, err := m.Infer(t.Context(), huge, nil); err == nil || !strings.Contains(err.Error(), "scale V") {
		t.Errorf("overflow: %v", err)
	}
}

// overcomplete returns patches, and a model for which the E step makes most units unlikely.
func overcomplete(t testing.TB, d, N int) (*Model, *mat.Dense) {
	m, err := NewModel(gaussian(d, N, 1, 101), -5, 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Mu {
		m.Mu[i] = 0.1 * float64(i%5-2)
		m.Alpha[i] = 0.5 + 0.1*float64(i%7)
	}
	// Patches of three units each.
	V := gaussian(64, d, 0.3, 102)
	for k := range 64 {
		for i := range 3 {
			col := mat.Col(nil, (7*k+31*i)%N, m.W)
			for j, v := range col {
				V.Set(k, j, V.At(k, j)+2*v)
			}
		}
	}
	return m, V
}

// If few units are active, skipping changes the energy and the codes little. With threshold 0 there are no passive
// units, and the result is that of Algorithm 1.
func TestSkip(t *testing.T) {
	const d, N = 24, 240
	m, V := overcomplete(t, d, N)
	X := single(V)
	sch := DefaultSchedule()
	whole := infer(t, m, V, InferOptions{})
	H := whole.Q.H()
	simd.Each(func(name string) {
		for _, o := range []SkipOptions{{}, {First: 3, Again: 5}, {Threshold: 0.02}} {
			o, err := o.complete()
			if err != nil {
				t.Fatal(err)
			}
			y := newSystem(m, sch)
			if err := y.response(t.Context()); err != nil {
				t.Fatal(err)
			}
			b := &block{skip: &skipBuffers{opt: o}}
			b.load(y, X, 64)
			b.infer()
			_, F := b.moments(m, m.slabVariances())
			want := 64 * mean(whole.Energy)
			if math.Abs(F-want) > 3e-3*math.Abs(want) {
				t.Errorf("%s, %+v: energy %v, want %v", name, o, F, want)
			}
			h := make([]float32, 64*N)
			b.store(h, b.h)
			var sum float64
			for i, v := range h {
				sum += math.Abs(float64(v)-H.At(i/N, i%N)) / float64(len(h))
			}
			if sum > 1e-3 {
				t.Errorf("%s, %+v: mean difference of ĥ %g", name, o, sum)
			}
			if k := b.skip; k.screened == 0 || k.active > k.screened*N/8 || k.whole > 5*k.patches {
				t.Errorf("%s, %+v: %d active units in %d screenings, %d whole updates of %d patches", name, o, k.active, k.screened, k.whole, k.patches)
			}
			// m is ĥ∘ŝ again.
			for i, v := range b.m {
				if v != b.h[i]*b.s[i] {
					t.Fatalf("%s: m is stale", name)
				}
			}
		}
	})
	// If too many units are active, all updates are full updates. Apart from the rotation, they give the same bits.
	dense := must[*Encoder](t)(NewEncoder(m, EncoderOptions{}))
	all := must[*Encoder](t)(NewEncoder(m, EncoderOptions{Skip: &SkipOptions{Threshold: 1e-12}}))
	h, g := make([]float32, 64*N), make([]float32, 64*N)
	dense.Encode(h, X, 64)
	all.Encode(g, X, 64)
	for i := range h {
		if math.Abs(float64(h[i]-g[i])) > 1e-4 {
			t.Fatalf("without passive units: ĥ %v and %v", h[i], g[i])
		}
	}
	for _, o := range []SkipOptions{{First: -1}, {Again: -1}, {Threshold: 2}, {Threshold: math.NaN()}} {
		if _, err := NewEncoder(m, EncoderOptions{Skip: &o}); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

// Numbers out of float32's range are an error instead of a NaN code.
func TestEncodeTooLarge(t *testing.T) {
	m := aModel(t, 4, 3, false, 1)
	for _, v := range []float64{1e39, -1e300} {
		V := gaussian(40, 4, 1, 2)
		V.Set(37, 2, v)
		H, err := m.Transform(bg, V, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "s3c: Transform: ") || !strings.Contains(err.Error(), "row 37") {
			t.Errorf("%g: %v", v, err)
		}
		if H != nil {
			t.Errorf("%g: codes beside the error", v)
		}
	}
}
