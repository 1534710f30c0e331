package s3c

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The energy without the cancelling terms equals the definition.
func TestEnergy(t *testing.T) {
	for _, diagonal := range []bool{false, true} {
		m := aModel(t, 5, 9, diagonal, 1)
		m.W.Scale(1.3, m.W) // columns need not have norm 1
		V, q := gaussian(6, 5, 1, 2), aPosterior(6, 9, 3)
		a, b := must[[]float64](t)(m.Energy(V, q)), must[[]float64](t)(m.EnergyReference(V, q))
		for k := range a {
			if math.Abs(a[k]-b[k]) > 1e-11*math.Abs(b[k]) {
				t.Errorf("diagonal %t, patch %d: %v, by the definition %v", diagonal, k, a[k], b[k])
			}
		}
	}
}

// The energy is accurate for extreme logits, even if ĥ is very near 0 or 1.
func TestEnergyFarLogits(t *testing.T) {
	m := aModel(t, 4, 3, false, 5)
	V := gaussian(1, 4, 1, 6)
	for _, far := range []float64{30, 200, 2000} {
		q := aPosterior(1, 3, 7)
		q.Logit.SetRow(0, []float64{far, -far, 0.3})
		a, b := must[[]float64](t)(m.Energy(V, q)), must[[]float64](t)(m.EnergyReference(V, q))
		if math.Abs(a[0]-b[0]) > 1e-12*math.Abs(b[0]) {
			t.Errorf("logits %v: %v, by the definition %v", far, a[0], b[0])
		}
	}
	// The entropy of a spike with logit ±20 is about 21 e^−20, which 1−ĥ cannot represent accurately. The slab's
	// entropy is 0 with this precision.
	q := &Posterior{mat.NewDense(2, 1, []float64{20, -20}), mat.NewDense(2, 1, []float64{0, 0})}
	one := &Model{W: mat.NewDense(1, 1, []float64{0}), Bias: []float64{0}, Mu: []float64{0}, Alpha: []float64{2 * math.Pi * math.E}, Beta: []float64{1}}
	e := math.Exp(-20)
	want := math.Log1p(e) + 20*e/(1+e)
	for k, h := range one.Entropy(q) {
		if math.Abs(h/want-1) > 1e-8 {
			t.Errorf("patch %d: entropy %v, want %v", k, h, want)
		}
	}
}

// The gradients of all parameters are those of E_Q[log P] with Q's variances fixed. Because these variances are
// optimal, the gradients are also those of the energy.
func TestGradient(t *testing.T) {
	for _, diagonal := range []bool{false, true} {
		const d, N, n = 4, 6, 5
		m := aModel(t, d, N, diagonal, 11)
		m.W.Scale(0.8, m.W)
		V, q := gaussian(n, d, 1, 12), aPosterior(n, N, 13)
		s := must[*Moments](t)(m.Moments(V, q))
		var o MStepOptions
		o, _ = o.complete()
		o.PenaltyH, o.PenaltyBeta, o.PenaltyAlpha = 2, 3, 5
		fixed := m.slabVariances()
		logP := func(x *Model) float64 { return mean(x.expectedLogP(V, q, fixed)) }
		energy := func(x *Model) float64 { return mean(must[[]float64](t)(x.EnergyReference(V, q))) }
		penalised := func(x *Model) float64 { return logP(x) - o.penalty(x) }
		plain, less := m.Gradient(s), m.Gradient(s)
		o.penalize(m, less)
		for name, c := range map[string]struct {
			f func(*Model) float64
			g *Gradient
		}{"log P": {logP, plain}, "energy": {energy, plain}, "penalised": {penalised, less}} {
			check := func(what string, i int, got float64, at func(x *Model) *float64) {
				const e = 1e-5
				a, b := m.Clone(), m.Clone()
				*at(a) += e
				*at(b) -= e
				want := (c.f(a) - c.f(b)) / (2 * e)
				if math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
					t.Errorf("%s, diagonal %t, %s[%d]: %v, by differences %v", name, diagonal, what, i, got, want)
				}
			}
			for i := range d * N {
				check("W", i, c.g.W.RawMatrix().Data[i], func(x *Model) *float64 { return &x.W.RawMatrix().Data[i] })
			}
			for i := range N {
				check("b", i, c.g.Bias[i], func(x *Model) *float64 { return &x.Bias[i] })
				check("μ", i, c.g.Mu[i], func(x *Model) *float64 { return &x.Mu[i] })
				check("α", i, c.g.Alpha[i], func(x *Model) *float64 { return &x.Alpha[i] })
			}
			for i := range m.Beta {
				check("β", i, c.g.Beta[i], func(x *Model) *float64 { return &x.Beta[i] })
			}
		}
	}
}

// Stationarity returns the gradient of the energy with respect to ŝ, divided by ĥ, and with respect to ĥ.
func TestStationarity(t *testing.T) {
	const d, N = 4, 5
	m := aModel(t, d, N, true, 21)
	V, q := gaussian(1, d, 1, 22), aPosterior(1, N, 23)
	dS, dH, err := m.Stationarity(V, q)
	if err != nil {
		t.Fatal(err)
	}
	energy := func(q *Posterior) float64 { return must[[]float64](t)(m.EnergyReference(V, q))[0] }
	const e = 1e-5
	for i := range N {
		h := sigmoid(q.Logit.At(0, i))
		diff := func(q1, q2 *Posterior) float64 { return (energy(q1) - energy(q2)) / (2 * e) }
		a, b := q.Clone(), q.Clone()
		a.S.Set(0, i, a.S.At(0, i)+e)
		b.S.Set(0, i, b.S.At(0, i)-e)
		if want := diff(a, b); math.Abs(h*dS.At(0, i)-want) > 1e-8 {
			t.Errorf("ŝ_%d: %v, by differences %v", i, h*dS.At(0, i), want)
		}
		a, b = q.Clone(), q.Clone()
		a.Logit.Set(0, i, a.Logit.At(0, i)+e)
		b.Logit.Set(0, i, b.Logit.At(0, i)-e)
		if want := diff(a, b); math.Abs(h*(1-h)*dH.At(0, i)-want) > 1e-8 {
			t.Errorf("ĥ_%d: %v, by differences %v", i, h*(1-h)*dH.At(0, i), want)
		}
	}
}
