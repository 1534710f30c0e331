package s3c2011

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/record"
)

func TestToys(t *testing.T) {
	l := testLab(t)
	l.Toy()
	e := l.Explaining()
	if len(e.Sets) != 8 || e.Sets[0].Spikes != "2" {
		t.Errorf("sets of units: %+v", e.Sets)
	}
	l.Algorithm1()
	l.Alike()
	labtest.Want(t, l.Lab, map[string]record.Verdict{"algorithm1-typeset": record.NotReproduced})
}

// TestModel runs all experiments on the model, without photographs.
func TestModel(t *testing.T) {
	patience.SkipShort(t, "it trains a model")
	labtest.NoData(t)
	l := testLab(t)
	l.Training()
	l.Filters()
	l.Codes()
	l.Figure1Left()
	if d := l.Damping(); len(d.Ways) != patientGradients+1 || d.Ways[ascent].Fell != 0 {
		t.Errorf("ways of inference: %+v", d.Ways)
	}
	l.ROperator()
	l.Scaling()
	for _, s := range l.Guarantees() {
		if s.Trials == 0 {
			t.Errorf("%s: no trials", s.Step)
		}
	}
	l.Reconstructions()
	l.ReconstructedImages()
	d := l.Denoise()
	for _, q := range d.Levels {
		if q.S3C <= q.Noisy || q.Wiener <= q.Noisy {
			t.Errorf("denoising makes it worse: %+v", q)
		}
	}
	l.Samples()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"algorithm1-equally-good":  record.Unknown,
		"algorithm1-nineteen":      record.Unknown,
		"algorithm1-faster":        record.Unknown,
		"coordinate-ascent-slower": record.Unknown,
		"algorithm1-gpu":           record.Unknown,
		"r-operator":               record.Unknown,
		"thousands-on-millions":    record.Unknown,
		"figure1-left":             record.Unknown,
	})
}

// The claims are examined on CIFAR-10, if it is available.
func TestModelOnPhotographs(t *testing.T) {
	l := photographsLab(t)
	l.Figure1Left()
	labtest.Want(t, l.Lab, nil)
	if r := l.Rows()[0]; r.ID != "figure1-left" || r.Data.Generated {
		t.Errorf("%s, on %v", r.ID, r.Data)
	}
}

// The posterior computed with v's covariance equals the posterior computed with the slabs, for any
// parameters.
func TestSpikeSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := fan(0, 1, 3, 0, 5, 33, 71, 140)
	for i := range m.Mu {
		m.Mu[i], m.Alpha[i], m.Bias[i] = rng.NormFloat64(), 0.2+rng.Float64(), rng.NormFloat64()-1
	}
	for range 5 {
		v := mat.NewDense(1, 2, []float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()})
		exact, err := m.Exact(v)
		if err != nil {
			t.Fatal(err)
		}
		var evidence, prior, q float64
		P := make([]float64, 4)
		for _, s := range spikeSets(m, v.RawRowView(0), []float64{0.1, 0.2, 0.3, 0.4}) {
			evidence += s.Prior * s.Evidence
			prior, q = prior+s.Prior, q+s.Q
			for i := range P {
				if s.on(i + 1) {
					P[i] += s.Truth
				}
			}
		}
		if math.Abs(prior-1) > 1e-12 || math.Abs(q-1) > 1e-12 {
			t.Errorf("P(h) sums to %v, Q(h) to %v", prior, q)
		}
		if d := math.Log(evidence) - exact.LogEvidence[0]; math.Abs(d) > 1e-10 {
			t.Errorf("log evidence is off by %v", d)
		}
		for i, p := range P {
			if math.Abs(p-exact.H.At(0, i)) > 1e-10 {
				t.Errorf("unit %d: %v, by the slabs %v", i+1, p, exact.H.At(0, i))
			}
		}
	}
}

// Stopping after each update does not change the result.
func TestEachUpdate(t *testing.T) {
	m, _ := toy()
	x, err := m.Sample(20, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := infer(t.Context(), m, x.V, &s3c.InferOptions{Trace: true})
	var trace, last []float64
	eachUpdate(t.Context(), m, x.V, s3c.DefaultSchedule(), func(made int, _ *s3c.Posterior, e []float64) {
		if made != len(trace) {
			t.Errorf("update %d after %d", made, len(trace))
		}
		trace, last = append(trace, mean(e)), e
	})
	if !slices.Equal(trace, want.Trace) || !slices.Equal(last, want.Energy) {
		t.Errorf("%v\nwant %v", trace, want.Trace)
	}
}

func TestRestore(t *testing.T) {
	labtest.NoData(t)
	l := testLab(t)
	r, c := newRestorer(l.Whitening(), l.Heed), asColour(l.Photographs().Test, 0)
	same := func(Z *mat.Dense, _ []float64) *mat.Dense { return mat.DenseCopyOf(Z) }
	if q := psnr(c, r.restore(c, 0, same)); q < 150 {
		t.Errorf("taken apart and put together: %v dB", q)
	}
	if q := psnr(c, r.restore(c, 0, r.wiener)); q < 150 {
		t.Errorf("shrunk for no noise: %v dB", q)
	}
	// Axes and values are those of the whitening: V diag(√(E+ε)) V' is the inverse of the whitening.
	d := len(r.values)
	var root, back mat.Dense
	root.Apply(func(_, j int, v float64) float64 { return v * math.Sqrt(r.values[j]+r.epsilon) }, r.V)
	back.Mul(&root, r.V.T())
	back.Sub(&back, l.Whitening().Inverse)
	if off := math.Max(mat.Max(&back), -mat.Min(&back)); off > 1e-8 {
		t.Errorf("the whitening's inverse is off by %v", off)
	}
	// Without noise the estimate equals the patch. Without spikes, patches are normal with variance 1/β.
	rng := rand.New(rand.NewPCG(3, 4))
	Z := mat.NewDense(5, d, nil)
	Z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, Z)
	nu := make([]float64, d)
	off := func(E *mat.Dense, want func(j int, z float64) float64) float64 {
		worst := 0.0
		for k := range 5 {
			for j := range d {
				worst = math.Max(worst, math.Abs(E.At(k, j)-want(j, Z.At(k, j))))
			}
		}
		return worst
	}
	m := l.Model()
	if e := off(r.spikeSlab(m, false)(Z, nu), func(_ int, z float64) float64 { return z }); e > 1e-5 {
		t.Errorf("without noise off by %v", e)
	}
	for j := range nu {
		nu[j] = rng.Float64()
	}
	silent := m.Clone()
	for i := range silent.Bias {
		silent.Bias[i], silent.Mu[i] = -60, 0
	}
	own := 1 / m.Beta[0]
	if e := off(r.spikeSlab(silent, false)(Z, nu), func(j int, z float64) float64 { return z * own / (own + nu[j]) }); e > 1e-5 {
		t.Errorf("without spikes off by %v", e)
	}
}

func TestPSNR(t *testing.T) {
	a := &colourImage{1, 1, []float64{0, 100, 255}}
	b := &colourImage{1, 1, []float64{-50, 130, 300}} // clipped, only the middle value differs visibly
	if q, want := psnr(a, b), 10*math.Log10(255*255/300.0); math.Abs(q-want) > 1e-12 {
		t.Errorf("%v dB, want %v", q, want)
	}
}

// TestHessian checks that the matrix whose products ROperator measures is the Hessian: it gives the second
// differences of the energy along any direction. (The energy is quadratic in ŝ.)
func TestHessian(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	m := fan(0, 1, 3, 0, 5, 33, 71, 140)
	m.Beta = []float64{2, 5}
	N := len(m.Mu)
	for i := range N {
		m.Mu[i], m.Alpha[i], m.Bias[i] = rng.NormFloat64(), 0.2+rng.Float64(), rng.NormFloat64()-1
	}
	G := gramOf(m)
	v := mat.NewDense(1, 2, []float64{0.7, -1.1})
	for range 5 {
		y, u, logit := make([]float64, N), make([]float64, N), make([]float64, N)
		for i := range N {
			y[i], u[i], logit[i] = rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		}
		q := &s3c.Posterior{Logit: mat.NewDense(1, N, logit), S: mat.NewDense(1, N, nil)}
		h := q.H().RawRowView(0)
		at := func(t float64) float64 {
			for i := range N {
				q.S.Set(0, i, (y[i]+t*u[i])/math.Sqrt(h[i]))
			}
			e, err := m.Energy(v, q)
			if err != nil {
				panic(err)
			}
			return e[0]
		}
		want := 0.0
		for i := range N {
			want += u[i] * u[i] * (m.Alpha[i] + G.At(i, i)*(1-h[i]))
			for j := range N {
				want += u[i] * u[j] * math.Sqrt(h[i]*h[j]) * G.At(i, j)
			}
		}
		if got := -(at(1) - 2*at(0) + at(-1)); math.Abs(got-want) > 1e-9*want {
			t.Errorf("second difference %v, u'Au %v", got, want)
		}
	}
	X := mat.NewDense(2, 3, []float64{1, 2, 3, 0, 0, 0})
	x := mat.NewDense(2, 3, nil)
	if n := conjugateGradients(x, X, 1e-12, func(dst, p *mat.Dense) { dst.Scale(4, p) }); n != 1 || x.At(0, 2) != 0.75 || x.At(1, 0) != 0 {
		t.Errorf("%d steps, %v", n, mat.Formatted(x))
	}
}
