package s3c

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// An exact update makes the gradient with respect to its coordinate 0, and never lowers the energy.
func TestCoordinate(t *testing.T) {
	const d, N, n = 6, 10, 4
	for _, diagonal := range []bool{false, true} {
		m := aModel(t, d, N, diagonal, 31)
		V := gaussian(n, d, 1.5, 32)
		q := m.Prior(n)
		before := mean(m.energy(t.Context(), V, q))
		for i := range N {
			// Make the sweep here, unit by unit, so that each update can be checked.
			w := m.weights()
			e := newFixedPoint(t.Context(), m, V, q)
			e.project()
			for k := range n {
				p := e.p.At(k, i) + w[i]*e.hs.At(k, i)
				slab := (m.Mu[i]*m.Alpha[i] + p) / (m.Alpha[i] + w[i])
				q.S.Set(k, i, slab)
				q.Logit.Set(k, i, m.bestLogit(i, slab, p, w[i]))
			}
			dS, dH, err := m.Stationarity(V, q)
			if err != nil {
				t.Fatal(err)
			}
			for k := range n {
				if g := math.Max(math.Abs(dS.At(k, i)), math.Abs(dH.At(k, i))); g > 1e-10 {
					t.Errorf("unit %d, patch %d: gradient %g after its update", i, k, g)
				}
			}
			after := mean(m.energy(t.Context(), V, q))
			if after < before-1e-12*math.Abs(before) {
				t.Errorf("unit %d: the energy fell from %v to %v", i, before, after)
			}
			before = after
		}
		// The package's sweep does the same.
		q2 := m.Prior(n)
		m.sweep(t.Context(), V, q2)
		if !mat.EqualApprox(q.S, q2.S, 1e-12) || !mat.EqualApprox(q.Logit, q2.Logit, 1e-12) {
			t.Error("a sweep is not the updates one after the other")
		}
		r := infer(t, m, V, InferOptions{Method: Coordinate, Trace: true})
		for k := 1; k < len(r.Trace); k++ {
			if r.Trace[k] < r.Trace[k-1]-1e-12*math.Abs(r.Trace[k]) {
				t.Errorf("sweep %d: the energy fell from %v to %v", k, r.Trace[k-1], r.Trace[k])
			}
		}
		dS, dH, _ := m.Stationarity(V, r.Q)
		if r.Status != ended.Converged || largest(dS) > 1e-8 || largest(dH) > 1e-8 {
			t.Errorf("%v after %d sweeps, gradients %g and %g", r.Status, r.Updates, largest(dS), largest(dH))
		}
	}
}

// Algorithm 1 stays at the point where coordinate ascent ends, and reaches it from nearby.
func TestFixedPointIsStationary(t *testing.T) {
	const d, N, n = 8, 10, 5
	m := aModel(t, d, N, false, 41)
	V := gaussian(n, d, 1, 42)
	end := infer(t, m, V, InferOptions{Method: Coordinate})
	stay := infer(t, m, V, InferOptions{Init: end.Q})
	if !mat.EqualApprox(stay.Q.S, end.Q.S, 1e-8) || !mat.EqualApprox(stay.Q.Logit, end.Q.Logit, 1e-8) {
		t.Error("Algorithm 1 leaves a stationary point")
	}
	near := end.Q.Clone()
	near.Logit.Apply(func(_, i int, v float64) float64 { return v + 0.01*float64(i%3-1) }, near.Logit)
	var long Schedule
	for range 600 {
		long.H, long.S = append(long.H, 0.1), append(long.S, 0.1)
	}
	long.Rho = 0.5
	for _, method := range []Method{FixedPoint, ConjugateGradient} {
		back := infer(t, m, V, InferOptions{Init: near, Schedule: long, Method: method})
		dS, dH, _ := m.Stationarity(V, back.Q)
		if largest(dS) > 1e-6 || largest(dH) > 1e-6 {
			t.Errorf("%v: gradients %g and %g", method, largest(dS), largest(dH))
		}
		if !mat.EqualApprox(back.Q.S, end.Q.S, 1e-5) {
			t.Errorf("%v: another solution than coordinate ascent's", method)
		}
	}
}

// literal runs Algorithm 1 line by line, for one patch, with loops and the sums of the paper.
func literal(m *Model, v []float64, sch Schedule) (h, s []float64) {
	d, N := m.Dims()
	for i := range N {
		h, s = append(h, sigmoid(m.Bias[i])), append(s, m.Mu[i])
	}
	// W_i'β(v − Σ_{j≠i} W_j ĥ_j ŝ_j)
	other := func(i int) (p, w float64) {
		for k := range d {
			r := v[k]
			for j := range N {
				if j != i {
					r -= m.W.At(k, j) * h[j] * s[j]
				}
			}
			p += m.W.At(k, i) * m.beta(k) * r
			w += m.W.At(k, i) * m.beta(k) * m.W.At(k, i)
		}
		return p, w
	}
	for k := range sch.H {
		c := make([]float64, N)
		for i := range N {
			p, w := other(i)
			c[i] = (m.Mu[i]*m.Alpha[i] + p) / (m.Alpha[i] + w)
			if c[i]*s[i] < 0 && math.Abs(c[i]) > sch.Rho*math.Abs(s[i]) {
				c[i] = -sch.Rho * s[i]
			}
		}
		for i := range N {
			s[i] = sch.S[k]*c[i] + (1-sch.S[k])*s[i]
		}
		best := make([]float64, N)
		for i := range N {
			p, w := other(i)
			e := s[i] - m.Mu[i]
			best[i] = 1 / (1 + math.Exp(-((p-0.5*w*s[i])*s[i] + m.Bias[i] - 0.5*m.Alpha[i]*e*e - 0.5*math.Log(m.Alpha[i]+w) + 0.5*math.Log(m.Alpha[i]))))
		}
		for i := range N {
			h[i] = sch.H[k]*best[i] + (1-sch.H[k])*h[i]
		}
	}
	return h, s
}

func TestAlgorithm1(t *testing.T) {
	sch := DefaultSchedule()
	if len(sch.H) != 19 || len(sch.S) != 19 || sch.S[0] != 0.7 || sch.H[18] != 0.4 || sch.Rho != 0.5 {
		t.Errorf("the default schedule is %+v", sch)
	}
	var rough Schedule // little damping, so that reflections occur
	for range 6 {
		rough.H, rough.S = append(rough.H, 0.6), append(rough.S, 0.9)
	}
	rough.Rho = 0.3
	clipped := 0
	for _, sch := range []Schedule{sch, rough} {
		for _, diagonal := range []bool{false, true} {
			m := aModel(t, 4, 9, diagonal, 51)
			m.Mu[2] = 0 // a slab that starts at 0 is not clipped
			V := gaussian(3, 4, 2, 52)
			r := infer(t, m, V, InferOptions{Schedule: sch})
			free := sch
			free.Rho = 1e9
			if !mat.EqualApprox(infer(t, m, V, InferOptions{Schedule: free}).Q.S, r.Q.S, 1e-9) {
				clipped++
			}
			X := single(V)
			e := must[*Encoder](t)(NewEncoder(m, EncoderOptions{Schedule: sch}))
			h32, s32 := make([]float32, 3*9), make([]float32, 3*9)
			e.EncodeBoth(h32, s32, X, 3)
			H := r.Q.H()
			for k := range 3 {
				h, s := literal(m, V.RawRowView(k), sch)
				for i := range h {
					if math.Abs(h[i]-H.At(k, i)) > 1e-12 || math.Abs(s[i]-r.Q.S.At(k, i)) > 1e-11 {
						t.Errorf("patch %d, unit %d: ĥ %v, want %v; ŝ %v, want %v", k, i, H.At(k, i), h[i], r.Q.S.At(k, i), s[i])
					}
				}
			}
			if a, b := apart(h32, H), apart(s32, r.Q.S); a > 2e-5 || b > 2e-5 {
				t.Errorf("float32 differs by %g in ĥ, %g in ŝ", a, b)
			}
		}
	}
	if clipped == 0 {
		t.Error("nothing was clipped: the test is empty")
	}
}

// With ĥ fixed, conjugate gradients find the best ŝ: the gradient is 0, and every step raises the energy.
func TestConjugateGradient(t *testing.T) {
	const d, N, n = 6, 12, 4
	m := aModel(t, d, N, true, 61)
	V := gaussian(n, d, 1, 62)
	q := aPosterior(n, N, 63)
	q.Logit.Set(0, 0, -60) // ŝ is right even for a unit with almost no weight
	q.Logit.Set(1, 1, 60)
	before := mean(m.energy(t.Context(), V, q))
	for steps := 1; steps <= 40; steps++ {
		x := q.Clone()
		newFixedPoint(t.Context(), m, V, x).conjugate(1e-13, steps)
		after := mean(m.energy(t.Context(), V, x))
		if after < before-1e-9*math.Abs(before) {
			t.Errorf("%d steps: the energy fell from %v to %v", steps, before, after)
		}
		before = after
	}
	x := q.Clone()
	newFixedPoint(t.Context(), m, V, x).conjugate(1e-13, 200)
	dS, _, err := m.Stationarity(V, x)
	if err != nil || largest(dS) > 1e-9 {
		t.Errorf("gradient %g, %v", largest(dS), err)
	}
	r := infer(t, m, V, InferOptions{Method: ConjugateGradient, Trace: true})
	if r.CGSteps == 0 || len(r.Trace) != 20 || r.Trace[19] < r.Trace[0] {
		t.Errorf("%d steps, trace %v", r.CGSteps, r.Trace)
	}
}

// The energy is at most the log evidence. The difference is KL(Q||P), which is 0 with one unit.
func TestExact(t *testing.T) {
	const n = 6
	for _, c := range []struct{ d, N int }{{3, 1}, {4, 5}, {6, 4}} {
		for _, diagonal := range []bool{false, true} {
			m := aModel(t, c.d, c.N, diagonal, 71)
			V := gaussian(n, c.d, 1.5, 72)
			exact := must[*ExactPosterior](t)(m.Exact(V))
			r := infer(t, m, V, InferOptions{Method: Coordinate})
			for k, f := range r.Energy {
				kl := exact.LogEvidence[k] - f
				if kl < -1e-10 {
					t.Errorf("N %d, patch %d: KL %v", c.N, k, kl)
				}
				if c.N == 1 && math.Abs(kl) > 1e-10 {
					t.Errorf("one unit: KL %v", kl)
				}
			}
			if c.N == 1 && (!mat.EqualApprox(exact.H, r.Q.H(), 1e-10) || !mat.EqualApprox(exact.HS, r.Q.HS(), 1e-10)) {
				t.Error("one unit: Q is not the posterior")
			}
			if c.N > 1 && mean(exact.LogEvidence)-mean(r.Energy) < 1e-4 {
				t.Error("the bound is tight where it should not be: the test is empty")
			}
		}
	}
	// With orthogonal columns (and one β) the units are independent given v, so the energy equals the log evidence
	// here, too.
	m := aModel(t, 4, 3, false, 73)
	var qr mat.QR
	qr.Factorize(gaussian(4, 3, 1, 74))
	var Q mat.Dense
	qr.QTo(&Q)
	m.W.Copy(Q.Slice(0, 4, 0, 3))
	V := gaussian(n, 4, 1.5, 75)
	exact := must[*ExactPosterior](t)(m.Exact(V))
	for k, f := range infer(t, m, V, InferOptions{Method: Coordinate}).Energy {
		if math.Abs(exact.LogEvidence[k]-f) > 1e-9 {
			t.Errorf("orthogonal columns: log evidence %v, energy %v", exact.LogEvidence[k], f)
		}
	}
}

// The evidence is a density: over a grid of v in one dimension it sums to 1.
func TestEvidenceIsADensity(t *testing.T) {
	m := aModel(t, 1, 4, false, 81)
	const n, step = 4001, 0.01
	V := mat.NewDense(n, 1, nil)
	for k := range n {
		V.Set(k, 0, step*float64(k-n/2))
	}
	var sum float64
	for _, f := range must[*ExactPosterior](t)(m.Exact(V)).LogEvidence {
		sum += step * math.Exp(f)
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("the density has the integral %v", sum)
	}
}

func TestDampLogit(t *testing.T) {
	for _, eta := range []float64{0.1, 0.4, 1} {
		for _, a := range []float64{-8, -1, 0, 3} {
			for _, b := range []float64{-5, 0.5, 9} {
				p := eta*sigmoid(a) + (1-eta)*sigmoid(b)
				if got := sigmoid(dampLogit(eta, a, b)); math.Abs(got-p) > 1e-14 {
					t.Errorf("η %v, logits %v and %v: %v, want %v", eta, a, b, got, p)
				}
			}
		}
	}
	// Halfway between two spikes with ĥ = 1 in floating point.
	want := 800 - math.Log(0.5+0.5*math.Exp(-100))
	if got := dampLogit(0.5, 900, 800); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Infer ends with its context, for every method.
func TestInferEnds(t *testing.T) {
	m, V := aModel(t, 4, 6, false, 1), gaussian(3, 4, 1, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, method := range []Method{FixedPoint, ConjugateGradient, Coordinate} {
		if r, err := m.Infer(ctx, V, &InferOptions{Method: method}); r != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v, %v", method, r, err)
		}
	}
}
