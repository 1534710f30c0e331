package s3c

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The step follows the geodesic: the norm stays 1, the angle is the length of the tangent vector, and the path is in
// the plane of the column and the tangent vector.
func TestGeodesic(t *testing.T) {
	const d, N, rate = 7, 5, 0.3
	m := aModel(t, d, N, false, 111)
	G := gaussian(d, N, 2, 112)
	for k := range d {
		G.Set(k, 4, 0)                  // no gradient
		G.Set(k, 3, 5*m.W.At(k, 3))     // gradient without a part in the tangent space
		G.Set(k, 2, 1e-9*G.At(k, 2))    // a tiny step
		G.Set(k, 1, 50*rate*G.At(k, 1)) // more than once around
	}
	W := mat.DenseCopyOf(m.W)
	moveGeodesic(W, G, rate)
	for i := range N {
		old, now, g := m.W.ColView(i), W.ColView(i), G.ColView(i)
		if n := mat.Norm(now, 2); math.Abs(n-1) > 1e-14 {
			t.Errorf("column %d has norm %v", i, n)
		}
		var tangent, want mat.VecDense
		tangent.AddScaledVec(g, -mat.Dot(g, old), old)
		tangent.ScaleVec(rate, &tangent)
		a := mat.Norm(&tangent, 2)
		want.ScaleVec(math.Cos(a), old)
		if a > 0 {
			want.AddScaledVec(&want, math.Sin(a)/a, &tangent)
		}
		if !mat.EqualApprox(&want, now, 1e-13) {
			t.Errorf("column %d is not on the geodesic", i)
		}
	}
	for range 1000 {
		moveGeodesic(W, G, rate)
	}
	for i := range N {
		if n := mat.Norm(W.ColView(i), 2); math.Abs(n-1) > 1e-14 {
			t.Errorf("after 1000 steps column %d has norm %v", i, n)
		}
	}
}

// A small step raises the penalized objective by the squared length of the gradient, times the rate. The parameters
// stay in their ranges, and the default rates are the published rates.
func TestMStep(t *testing.T) {
	const d, N, n = 5, 8, 40
	m := aModel(t, d, N, true, 121)
	V, q := gaussian(n, d, 1, 122), aPosterior(n, N, 123)
	s := must[*Moments](t)(m.Moments(V, q))
	o, err := MStepOptions{Rate: 1e-6, RateW: 1, RateBeta: 1, Bias: Range{-20, 20}}.complete()
	if err != nil {
		t.Fatal(err)
	}
	fixed := m.slabVariances()
	objective := func(x *Model) float64 { return mean(x.expectedLogP(V, q, fixed)) - o.penalty(x) }
	g := m.Gradient(s)
	o.penalize(m, g)
	var square float64
	for _, x := range [][]float64{g.Bias, g.Mu, g.Alpha, g.Beta} {
		for _, v := range x {
			square += v * v
		}
	}
	for i := range N {
		c, w := g.W.ColView(i), m.W.ColView(i)
		square += mat.Dot(c, c) - mat.Dot(c, w)*mat.Dot(c, w)
	}
	next := must[*Model](t)(o.step(m, g))
	if rise := objective(next) - objective(m); math.Abs(rise/(1e-6*square)-1) > 1e-3 {
		t.Errorf("the objective rose by %g, the gradient says %g", rise, 1e-6*square)
	}
	std, _ := MStepOptions{}.complete()
	if std.Rate != 0.01 || std.RateW != 10 || std.RateBeta != 0.01 || std.PenaltyH != 1 || std.Bias != (Range{-7, 0}) || std.Beta != (Range{0.1, 1e6}) || std.Alpha != (Range{1e-3, 1e6}) {
		t.Errorf("defaults: %+v", std)
	}
	far := must[*Model](t)(m.MStep(s, &MStepOptions{Rate: 1e4}))
	for i := range N {
		if far.Bias[i] < -7 || far.Bias[i] > 0 || far.Alpha[i] < 1e-3 {
			t.Errorf("unit %d is out of bounds: b %v, α %v", i, far.Bias[i], far.Alpha[i])
		}
	}
	for name, o := range map[string]MStepOptions{
		"Rate":    {Rate: -1},
		"penalty": {PenaltyH: math.NaN()},
		"Beta":    {Beta: Range{-1, 2}},
		"Bias":    {Bias: Range{2, 1}},
	} {
		if _, err := m.MStep(s, &o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After least squares all gradients are 0. Scaling the columns changes neither the energy at the
// corresponding Q nor the evidence.
func TestLeastSquares(t *testing.T) {
	for _, diagonal := range []bool{false, true} {
		const d, N, n = 4, 6, 50
		m := aModel(t, d, N, diagonal, 131)
		V, q := gaussian(n, d, 1, 132), aPosterior(n, N, 133)
		best := must[*Model](t)(m.LeastSquares(V, q))
		// The gradient at the new model, with Q's previous variances.
		s := must[*Moments](t)(m.Moments(V, q))
		var R mat.Dense
		M := q.HS()
		R.Mul(M, best.W.T())
		R.Sub(V, &R)
		s.RM.Mul(R.T(), M)
		clear(s.RR)
		for k := range n {
			for i, r := range R.RawRowView(k) {
				s.RR[i] += r * r
			}
		}
		g := best.Gradient(s)
		for name, x := range map[string][]float64{"W": g.W.RawMatrix().Data, "b": g.Bias, "μ": g.Mu, "α": g.Alpha, "β": g.Beta} {
			for i, v := range x {
				if math.Abs(v) > 1e-10 {
					t.Errorf("diagonal %t: the gradient of %s[%d] is %g", diagonal, name, i, v)
				}
			}
		}
		unit := must[*Model](t)(best.Rescale())
		scaled := q.Clone()
		for i := range N {
			c := mat.Norm(best.W.ColView(i), 2)
			for k := range n {
				scaled.S.Set(k, i, c*q.S.At(k, i))
			}
			if u := mat.Norm(unit.W.ColView(i), 2); math.Abs(u-1) > 1e-14 {
				t.Errorf("column %d has norm %v", i, u)
			}
		}
		a, b := must[*ExactPosterior](t)(best.Exact(V)), must[*ExactPosterior](t)(unit.Exact(V))
		e, f := must[[]float64](t)(best.Energy(V, q)), must[[]float64](t)(unit.Energy(V, scaled))
		for k := range n {
			if math.Abs(a.LogEvidence[k]-b.LogEvidence[k]) > 1e-9 || math.Abs(e[k]-f[k]) > 1e-9 {
				t.Errorf("patch %d: log evidence %v and %v, energy %v and %v", k, a.LogEvidence[k], b.LogEvidence[k], e[k], f[k])
			}
		}
	}
	// EM with LeastSquares never lowers the energy.
	m := aModel(t, 4, 6, false, 134)
	V := must[*Draw](t)(m.Sample(200, 1)).V
	model := aModel(t, 4, 6, false, 135)
	before := math.Inf(-1)
	for range 8 {
		r := infer(t, model, V, InferOptions{Method: Coordinate})
		if f := mean(r.Energy); f < before-1e-9 {
			t.Errorf("the energy fell from %v to %v", before, f)
		} else {
			before = f
		}
		model = must[*Model](t)(model.LeastSquares(V, r.Q))
	}
}

// Samples have the moments of (1).
func TestSample(t *testing.T) {
	const d, N, n = 3, 4, 60_000
	m := aModel(t, d, N, true, 141)
	x := must[*Draw](t)(m.Sample(n, 5))
	if !mat.Equal(x.V, must[*Draw](t)(m.Sample(n, 5)).V) || mat.Equal(x.V, must[*Draw](t)(m.Sample(n, 6)).V) {
		t.Error("the seed does not decide")
	}
	check := func(what string, i int, got, want, sd float64) {
		if math.Abs(got-want) > 4.5*sd/math.Sqrt(n) {
			t.Errorf("%s[%d]: %v, want %v", what, i, got, want)
		}
	}
	mean := make([]float64, N) // of h s
	for i := range N {
		var h, s, ss float64
		for k := range n {
			h += x.H.At(k, i) / n
			s += x.S.At(k, i) / n
			e := x.S.At(k, i) - x.H.At(k, i)*m.Mu[i]
			ss += e * e / n
		}
		p := sigmoid(m.Bias[i])
		check("h", i, h, p, 0.5)
		check("s", i, s, p*m.Mu[i], 1/math.Sqrt(m.Alpha[i])+math.Abs(m.Mu[i]))
		check("variance", i, ss, 1/m.Alpha[i], math.Sqrt2/m.Alpha[i])
		mean[i] = p * m.Mu[i]
	}
	// cov v = W diag(Var h s) W' + 1/β
	for a := range d {
		var got, want, v float64
		for i := range N {
			p := sigmoid(m.Bias[i])
			second := p * (m.Mu[i]*m.Mu[i] + 1/m.Alpha[i])
			want += m.W.At(a, i) * mean[i]
			v += m.W.At(a, i) * m.W.At(a, i) * (second - mean[i]*mean[i])
		}
		v += 1 / m.beta(a)
		var square float64
		for k := range n {
			got += x.V.At(k, a) / n
			square += x.V.At(k, a) * x.V.At(k, a) / n
		}
		check("v", a, got, want, math.Sqrt(v))
		check("variance of v", a, square-got*got, v, 4*v)
	}
}
