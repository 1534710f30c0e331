package codecost

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/trial"
)

func gauss(n int, sigma float64, seed uint64) []float64 {
	rnd := rand.New(rand.NewPCG(seed, 1))
	v := make([]float64, n)
	for i := range v {
		v[i] = sigma * rnd.NormFloat64()
	}
	return v
}

func laplace(n int, b float64, seed uint64) []float64 {
	rnd := rand.New(rand.NewPCG(seed, 2))
	v := make([]float64, n)
	for i := range v {
		v[i] = b * (rnd.ExpFloat64() - rnd.ExpFloat64())
	}
	return v
}

// TestEntropyClosedForms checks two closed forms. Rounded to a small step Δ, a Gaussian has entropy ½
// log₂(2πe σ²/Δ²), and a Laplacian has entropy log₂(2e b/Δ).
func TestEntropyClosedForms(t *testing.T) {
	const n = 100_000
	g := 0.5 * math.Log2(2*math.Pi*math.E*4/(0.25*0.25))
	l := math.Log2(2 * math.E * 1.5 / 0.25)
	for _, c := range []struct {
		name   string
		v      []float64
		opt    Options
		lo, hi float64
	}{
		{"Gaussian, histogram", gauss(n, 2, 1), Options{Correct: true}, g - 0.01, g + 0.01},
		{"Gaussian, kernel", gauss(n, 2, 1), Options{Estimator: Kernel}, g - 0.01, g + 0.02},
		{"Gaussian, Laplacian", gauss(n, 2, 1), Options{Estimator: Laplacian}, g + 0.02, g + 0.2}, // the wrong model costs extra bits
		{"Laplacian, histogram", laplace(n, 1.5, 2), Options{Correct: true}, l - 0.01, l + 0.01},
		{"Laplacian, Laplacian", laplace(n, 1.5, 2), Options{Estimator: Laplacian}, l - 0.01, l + 0.01},
		{"Laplacian, kernel", laplace(n, 1.5, 2), Options{Estimator: Kernel}, l - 0.01, l + 0.04},
	} {
		h, err := EstimateEntropy(c.v, 0.25, &c.opt)
		if err != nil || h < c.lo || h > c.hi {
			t.Errorf("%s: %v, %v; want %.4f to %.4f", c.name, h, err, c.lo, c.hi)
		}
		t.Logf("%s: %.4f (Gaussian %.4f, Laplacian %.4f)", c.name, h, g, l)
	}
}

// TestHistogramBias checks the bias given in the package comment: on 500 values of a Gaussian the plug-in
// estimate is too small by (K−1)/(2N ln 2).
func TestHistogramBias(t *testing.T) {
	want := 0.5 * math.Log2(2*math.Pi*math.E/(0.3*0.3))
	var plain, corrected float64
	const runs = 200
	for s := range uint64(runs) {
		v := gauss(500, 1, 100+s)
		a, _ := EstimateEntropy(v, 0.3, &Options{})
		b, _ := EstimateEntropy(v, 0.3, &Options{Correct: true})
		plain += a / runs
		corrected += b / runs
	}
	t.Logf("true %.4f, plug-in %.4f, corrected %.4f", want, plain, corrected)
	if want-plain < 0.015 || want-plain > 0.05 {
		t.Errorf("plug-in is off by %v", want-plain)
	}
	if math.Abs(want-corrected) > 0.01 {
		t.Errorf("corrected is off by %v", want-corrected)
	}
}

func TestEntropyExact(t *testing.T) {
	v := []float64{0, 0, 1, 1, 2, 2, 3, 3}
	if h, err := EstimateEntropy(v, 1, &Options{}); err != nil || h != 2 {
		t.Errorf("four equal values: %v, %v", h, err)
	}
	for _, e := range []Estimator{Histogram, Laplacian, Kernel} {
		if h, err := EstimateEntropy([]float64{0.1, -0.2, 0}, 1, &Options{Estimator: e}); err != nil || h != 0 {
			t.Errorf("%v of zeros: %v, %v", e, h, err)
		}
	}
	// The Laplacian estimate is a cross entropy with a distribution that sums to 1.
	h, _ := EstimateEntropy([]float64{0, 0, 1, -1, 2, -3}, 1, &Options{})
	l, _ := EstimateEntropy([]float64{0, 0, 1, -1, 2, -3}, 1, &Options{Estimator: Laplacian})
	if l < h {
		t.Errorf("cross entropy %v below entropy %v", l, h)
	}
	for _, bad := range [][]float64{{}, {math.NaN()}, {math.Inf(1)}} {
		if _, err := EstimateEntropy(bad, 1, &Options{}); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	if _, err := EstimateEntropy(v, 0, &Options{}); err == nil {
		t.Error("a step of 0 is accepted")
	}
}

func TestFourier(t *testing.T) {
	for _, m := range []int{1, 2, 3, 8, 13, 64} {
		A := Fourier(m)
		var G mat.Dense
		G.Mul(A.T(), A)
		for i := range m {
			G.Set(i, i, G.At(i, i)-1)
		}
		if n := mat.Norm(&G, math.Inf(1)); n > 1e-12 {
			t.Errorf("Fourier(%d): off by %v", m, n)
		}
		B := Fourier2(m)
		if r, c := B.Dims(); r != m || c != 2*m {
			t.Errorf("Fourier2(%d) is %d × %d", m, r, c)
		}
		for k := range 2 * m {
			if n := mat.Norm(B.ColView(k), 2); math.Abs(n-1) > 1e-12 {
				t.Errorf("Fourier2(%d): column %d has norm %v", m, k, n)
			}
		}
		var F mat.Dense
		F.Mul(B, B.T())
		for i := range m {
			F.Set(i, i, F.At(i, i)-2)
		}
		if n := mat.Norm(&F, math.Inf(1)); n > 1e-12 {
			t.Errorf("Fourier2(%d): off by %v", m, n)
		}
	}
}

// TestUniformQuantizer checks the theory of uniform quantizers: in an orthonormal basis the error is Δ/√12,
// so at high rate Δ = σ √12, and for Gaussian signals every halving of the error costs one bit per sample.
func TestUniformQuantizer(t *testing.T) {
	const m, N = 8, 8000
	X := mat.NewDense(m, N, gauss(m*N, 1, 7))
	A := Fourier(m)
	S := Analyze(A, X)
	sigmas := []float64{0.1, 0.05, 0.025}
	cs, err := MeasureCurve(X, A, S, sigmas, &Options{Correct: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cs {
		if c.RMS > c.Sigma || c.RMS < 0.999*c.Sigma {
			t.Errorf("error %v for sigma %v", c.RMS, c.Sigma)
		}
		if want := c.Sigma * math.Sqrt(12); math.Abs(c.Step/want-1) > 0.02 {
			t.Errorf("step %v, theory %v", c.Step, want)
		}
		want := 0.5*math.Log2(2*math.Pi*math.E) - math.Log2(c.Step)
		if math.Abs(c.Bits-want) > 0.03 {
			t.Errorf("%v bits, theory %v", c.Bits, want)
		}
		if i > 0 {
			if d := c.Bits - cs[i-1].Bits; math.Abs(d-1) > 0.03 {
				t.Errorf("halving the error costs %v bits", d)
			}
		}
	}
	mid := At(cs, (cs[0].SNR+cs[1].SNR)/2)
	if math.Abs(mid-(cs[0].Bits+cs[1].Bits)/2) > 1e-9 || !math.IsNaN(At(cs, 100)) || At(cs, cs[2].SNR) != cs[2].Bits {
		t.Errorf("At: %v", mid)
	}
}

// TestRightBasisIsCheaper checks that signals that are sparse in one basis cost less in that basis than in
// another.
func TestRightBasisIsCheaper(t *testing.T) {
	const m, N = 16, 2000
	rnd := rand.New(rand.NewPCG(3, 3))
	S := mat.NewDense(m, N, nil)
	S.Apply(func(_, _ int, _ float64) float64 {
		if rnd.Float64() < 0.1 {
			return rnd.ExpFloat64() - rnd.ExpFloat64()
		}
		return 0
	}, S)
	F := Fourier(m)
	X := mat.NewDense(m, N, nil)
	X.Mul(F, S)
	id := mat.NewDense(m, m, nil)
	for i := range m {
		id.Set(i, i, 1)
	}
	for _, e := range []Estimator{Histogram, Laplacian, Kernel} {
		a, err1 := MeasureCost(X, F, S, 0.02, &Options{Estimator: e})
		b, err2 := MeasureCost(X, id, X, 0.02, &Options{Estimator: e})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		t.Logf("%v: %.3f bits in Fourier, %.3f as it is", e, a.Bits, b.Bits)
		if a.Bits > 0.7*b.Bits {
			t.Errorf("%v: %v and %v bits", e, a.Bits, b.Bits)
		}
	}
}

func TestMeasureRefuses(t *testing.T) {
	X := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	A := Fourier(2)
	if _, err := MeasureCost(X, A, mat.NewDense(2, 3, nil), 0.1, &Options{}); !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
	if _, err := MeasureCost(X, A, Analyze(A, X), 0, &Options{}); err == nil {
		t.Error("sigma 0 is accepted")
	}
	X.Set(1, 1, math.NaN())
	if _, err := MeasureCost(X, A, X, 1, &Options{}); err == nil {
		t.Error("NaN is accepted")
	}
	for name, f := range map[string]func(){
		"shapes":     func() { MeasureCost(X, A, mat.NewDense(3, 3, nil), 1, &Options{}) },
		"not tight":  func() { Analyze(mat.NewDense(2, 2, []float64{1, 1, 0, 1}), X) },
		"length 0":   func() { Fourier(0) },
		"step 0":     func() { Quantize([]float64{1}, 0) },
		"other rows": func() { Analyze(Fourier(3), X) },
	} {
		if panics.Value(f) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

func FuzzEntropy(f *testing.F) {
	f.Add(1.0, 2.0, -3.0, 0.5)
	f.Add(0.0, 0.0, 1e300, 1e-300)
	f.Fuzz(func(t *testing.T, a, b, c, step float64) {
		for _, e := range []Estimator{Histogram, Laplacian, Kernel} {
			h, err := EstimateEntropy([]float64{a, b, c, a}, step, &Options{Estimator: e, Correct: true})
			if err == nil && (math.IsNaN(h) || math.IsInf(h, 0) || h < -1e-9) {
				t.Errorf("%v of %v, %v, %v by %v: %v", e, a, b, c, step, h)
			}
		}
	})
}

func ExampleEntropy() {
	h, _ := EstimateEntropy([]float64{0.1, -0.1, 1.1, 0.9}, 1, &Options{})
	fmt.Println(h, "bit")
	// Output: 1 bit
}

// TestLaws: signals and sigma in another unit cost the same number of bits, whether the basis or the coefficients have
// this unit.
func TestLaws(t *testing.T) {
	reached := 0
	for seed := range uint64(trial.Count(100, 3000)) {
		rng := rand.New(rand.NewPCG(seed, 94))
		m, n, N := 2+rng.IntN(4), 1+rng.IntN(6), 3+rng.IntN(30)
		draw := func(r, c int) *mat.Dense {
			M := mat.NewDense(r, c, nil)
			M.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, M)
			return M
		}
		A, S := draw(m, n), draw(n, N)
		var X mat.Dense
		X.Mul(A, S)
		noise := draw(m, N)
		noise.Scale(1e-3, noise)
		X.Add(&X, noise)
		sigma := math.Pow(10, -3*rng.Float64())
		o := &Options{Estimator: Estimator(rng.IntN(3))}
		want, wrong := MeasureCost(&X, A, S, sigma, o)
		if wrong != nil && !errors.Is(wrong, ErrUnreachable) {
			t.Errorf("seed %d: %v", seed, wrong)
			continue
		}
		a, s := math.Ldexp(1, rng.IntN(400)-200), math.Ldexp(1, rng.IntN(400)-200)
		X.Scale(a*s, &X)
		A.Scale(a, A)
		S.Scale(s, S)
		got, err := MeasureCost(&X, A, S, a*s*sigma, o)
		if (err == nil) != (wrong == nil) {
			t.Errorf("seed %d, times %g and %g: %v, want %v", seed, a, s, err, wrong)
			continue
		}
		if err != nil {
			continue
		}
		reached++
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b)+1e-12 }
		if !near(got.Bits, want.Bits) || !near(got.SNR, want.SNR) || !near(got.Step/s, want.Step) || !near(got.RMS/a/s, want.RMS) {
			t.Errorf("seed %d, %v, times %g and %g: %+v, want %+v", seed, o.Estimator, a, s, got, want)
		}
	}
	if reached == 0 {
		t.Error("no sigma was reached")
	}
}
