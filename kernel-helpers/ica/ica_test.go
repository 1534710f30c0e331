package ica

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// TestSources checks the mean absolute value of the draws, and that each density integrates to the expected
// mass.
func TestSources(t *testing.T) {
	for _, src := range []Source{Laplacian{}, Laplacian{2}, Exponential{0.5}, BernoulliLaplacian{P: 0.3, Scale: 2}, GeneralizedGaussian{Shape: 0.5}, GeneralizedGaussian{Shape: 2, Scale: 1.5}} {
		s := DrawSources(src, 1, 200000, 1)
		var mean float64
		for _, v := range s.RawMatrix().Data {
			mean += math.Abs(v) / 200000
		}
		if want := src.MeanAbs(); math.Abs(mean-want) > 0.02*want {
			t.Errorf("%v: E|s| = %g, want %g", src, mean, want)
		}
		// Use the midpoint rule in u = |s|^½, which smooths the peak at 0.
		var mass float64
		const h = 1e-3
		for u := h / 2; u < 40; u += h {
			mass += (math.Exp(src.LogDensity(u*u)) + math.Exp(src.LogDensity(-u*u))) * 2 * u * h
		}
		want := 1.0
		if b, ok := src.(BernoulliLaplacian); ok {
			want = b.P
		}
		if math.Abs(mass-want) > 1e-3 {
			t.Errorf("%v: mass %g, want %g", src, mass, want)
		}
	}
}

func TestBases(t *testing.T) {
	a, err := RandomBasisApart(2, 4, 20, 3)
	if err != nil || MinAngle(a) < 20 {
		t.Fatalf("%v, angle %g", err, MinAngle(a))
	}
	if _, err := RandomBasisApart(2, 4, 50, 3); err == nil {
		t.Error("four lines 50 degrees apart in the plane: no error")
	}
	b := PerturbBasis(RandomBasis(3, 5, 1), 7, 2)
	for _, v := range Match(RandomBasis(3, 5, 1), b).Angles {
		if math.Abs(v-7) > 1e-9 {
			t.Errorf("turned by %g, want 7", v)
		}
	}
	if v := MinAngle(EvenBasis(5, 3)); math.Abs(v-36) > 1e-9 {
		t.Errorf("even basis: %g", v)
	}
	if !mat.Equal(RandomBasis(2, 3, 9), RandomBasis(2, 3, 9)) {
		t.Error("the same seed gave two bases")
	}
	x1, x2 := NewMixture(b, Laplacian{}, 50, 0.1, 4), NewMixture(b, Laplacian{}, 50, 0.1, 4)
	if !mat.Equal(x1.X, x2.X) {
		t.Error("the same seed gave two mixtures")
	}
}

func TestMatch(t *testing.T) {
	a := RandomBasis(3, 4, 5)
	b := mat.NewDense(3, 4, nil)
	perm, sg := []int{2, 0, 3, 1}, []float64{-2, 3, 0.5, -1}
	for i, j := range perm {
		for r := range 3 {
			b.Set(r, j, sg[i]*a.At(r, i))
		}
	}
	mt := Match(a, b)
	for i := range perm {
		if mt.Perm[i] != perm[i] || mt.Signs[i]*sg[i] < 0 {
			t.Errorf("column %d: %d sign %g", i, mt.Perm[i], mt.Signs[i])
		}
	}
	if mt.Worst > 1e-6 {
		t.Errorf("worst angle %g", mt.Worst)
	}
	s := DrawSources(Laplacian{}, 4, 500, 1)
	sh := mat.NewDense(4, 500, nil)
	rng := rand.New(rand.NewPCG(2, 2))
	for i, j := range perm {
		for k := range 500 {
			sh.Set(j, k, s.At(i, k)/sg[i]+0.01/math.Abs(sg[i])*rng.NormFloat64())
		}
	}
	for i, v := range mt.SNR(s, sh) {
		// E[s²] = 2 and noise variance 1e-4 give 43 dB.
		if math.Abs(v-43) > 2 {
			t.Errorf("source %d: %g dB", i, v)
		}
	}
}

func TestInferMethodsAgree(t *testing.T) {
	a := EvenBasis(3, 10)
	x := NewMixture(a, BernoulliLaplacian{P: 0.4}, 60, 0.01, 1).X
	for _, nn := range []bool{false, true} {
		l, err := Infer(t.Context(), a, x, &InferOptions{Method: Lasso, NonNegative: nn, Noise: 0.1, Tolerance: 1e-8})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Infer(t.Context(), a, x, &InferOptions{Method: FISTA, NonNegative: nn, Noise: 0.1, Tolerance: 1e-8})
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(l.S, f.S, 1e-3) {
			t.Error("lasso and FISTA differ")
		}
		if nn {
			g, err := Infer(t.Context(), a, x, &InferOptions{Method: ReLUGradient, Noise: 0.1, MaxIterations: 20000})
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(l.S, g.S, 1e-3) {
				t.Error("lasso and ReLU gradient differ")
			}
		}
	}
	// With small noise the lasso tends to basis pursuit.
	b, err := Infer(t.Context(), a, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Infer(t.Context(), a, x, &InferOptions{Method: Lasso, Noise: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(b.S, l.S, 1e-3) {
		t.Error("basis pursuit is not the limit of the lasso")
	}
	// For a sample outside the cone of the columns, Infer uses the nearest point of the cone.
	p, err := Infer(t.Context(), mat.NewDense(2, 2, []float64{1, 1, 0, 1}), mat.NewDense(2, 1, []float64{1, -1}), &InferOptions{NonNegative: true})
	if err != nil || p.Projected != 1 || math.Abs(p.S.At(0, 0)-1) > 1e-3 || p.S.At(1, 0) > 1e-3 {
		t.Errorf("%v %v", p, err)
	}
}

// quadrature integrates exp(logp) along the line by brute force.
func quadrature(a *mat.Dense, x []float64, src Source) float64 {
	l, err := newLine(a, 1)
	if err != nil {
		panic(err)
	}
	l.particular(x)
	var z float64
	const h = 2e-4
	for t := -30 + h/2; t < 30; t += h {
		var lp float64
		for j := range l.s {
			lp += src.LogDensity(l.s[j] + t*l.v[j])
		}
		z += math.Exp(lp) * h
	}
	return math.Log(z) - l.logDet
}

func TestExactEvidence(t *testing.T) {
	for _, mn := range [][2]int{{2, 3}, {3, 4}} {
		a := RandomBasis(mn[0], mn[1], 4)
		for _, src := range []Source{Laplacian{0.7}, Exponential{0.7}} {
			x := NewMixture(a, src, 4, 0, 5).X
			_, nn := src.(Exponential)
			e, err := ExactEvidence(a, x, &EvidenceOptions{Scale: 0.7, NonNegative: nn})
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range e.LogP {
				if w := quadrature(a, mat.Col(nil, k, x), src); math.Abs(v-w) > 2e-3 {
					t.Errorf("%v %v sample %d: %.6f, quadrature %.6f", mn, src, k, v, w)
				}
			}
		}
	}
	// The basis is even, and two samples are opposite; x = 0 is tested too.
	e, err := ExactEvidence(EvenBasis(3, 0), mat.NewDense(2, 3, []float64{1, -1, 0, 0, 0, 0}), nil)
	if err != nil || math.Abs(e.LogP[0]-e.LogP[1]) > 1e-12 || math.IsNaN(e.LogP[2]) {
		t.Errorf("%v %v", e, err)
	}
}

// TestExactEvidenceMass checks that P(x|A) integrates to 1 over the plane.
func TestExactEvidenceMass(t *testing.T) {
	a := RandomBasis(2, 3, 8)
	var pts []float64
	const h = 0.1
	for u := -14.0; u <= 14; u += h {
		for v := -14.0; v <= 14; v += h {
			pts = append(pts, u, v)
		}
	}
	l, err := newLine(a, 1)
	if err != nil {
		t.Fatal(err)
	}
	var mass float64
	for k := 0; k < len(pts); k += 2 {
		mass += math.Exp(l.laplacian(pts[k:k+2], nil)) * h * h
	}
	if math.Abs(mass-1) > 1e-3 {
		t.Errorf("mass %g", mass)
	}
}

// differences returns the gradient of f at a by central differences.
func differences(a *mat.Dense, f func(a *mat.Dense) float64) *mat.Dense {
	m, n := a.Dims()
	g := mat.NewDense(m, n, nil)
	const h = 1e-5
	for i := range m {
		for j := range n {
			p, q := mat.DenseCopyOf(a), mat.DenseCopyOf(a)
			p.Set(i, j, p.At(i, j)+h)
			q.Set(i, j, q.At(i, j)-h)
			g.Set(i, j, (f(p)-f(q))/(2*h))
		}
	}
	return g
}

func TestExactGradient(t *testing.T) {
	for _, mn := range [][2]int{{2, 2}, {2, 3}, {3, 4}} {
		a := RandomBasis(mn[0], mn[1], 14)
		x := NewMixture(a, Laplacian{}, 20, 0, 3).X
		e, err := ExactEvidence(a, x, &EvidenceOptions{Scale: 0.8, Gradient: true})
		if err != nil {
			t.Fatal(err)
		}
		g := differences(a, func(a *mat.Dense) float64 {
			e, err := ExactEvidence(a, x, &EvidenceOptions{Scale: 0.8})
			if err != nil {
				t.Fatal(err)
			}
			return e.Mean
		})
		if !mat.EqualApprox(g, e.Grad, 1e-6) {
			t.Errorf("%v: analytic\n%v\ndifferences\n%v", mn, mat.Formatted(e.Grad), mat.Formatted(g))
		}
	}
}

func TestGaussianGradient(t *testing.T) {
	for _, mn := range [][2]int{{2, 2}, {2, 3}, {2, 5}} {
		a := RandomBasis(mn[0], mn[1], 24)
		x := NewMixture(a, Laplacian{}, 10, 0.1, 3).X
		set := GaussianOptions{Scale: 0.8, Noise: 0.2, Sharpness: 4, Gradient: true}
		e, err := GaussianEvidence(a, x, &set)
		if err != nil {
			t.Fatal(err)
		}
		g := differences(a, func(a *mat.Dense) float64 {
			e, err := GaussianEvidence(a, x, &set)
			if err != nil {
				t.Fatal(err)
			}
			return e.Mean
		})
		if !mat.EqualApprox(g, e.Grad, 1e-4) {
			t.Errorf("%v: analytic\n%v\ndifferences\n%v", mn, mat.Formatted(e.Grad), mat.Formatted(g))
		}
	}
}

// TestGaussianSquare checks that with little noise, a sharp prior and A square the Gaussian approximation
// becomes exact.
func TestGaussianSquare(t *testing.T) {
	a := RandomBasis(2, 2, 1)
	x := mat.NewDense(2, 2, []float64{0.9, -1.3, 0.8, 0.7})
	e, err := ExactEvidence(a, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := GaussianEvidence(a, x, &GaussianOptions{Noise: 0.002, Sharpness: 60})
	if err != nil {
		t.Fatal(err)
	}
	for k := range e.LogP {
		if math.Abs(e.LogP[k]-g.LogP[k]) > 0.03 {
			t.Errorf("sample %d: exact %g, Gaussian %g", k, e.LogP[k], g.LogP[k])
		}
	}
}

func TestSmoothLaplacianMass(t *testing.T) {
	l := SmoothLaplacian{0.5, 3}
	var mass float64
	const h = 1e-3
	for s := -40.0; s < 40; s += h {
		mass += math.Exp(l.LogDensity(s)) * h
	}
	if math.Abs(mass-1) > 1e-6 {
		t.Errorf("mass %g", mass)
	}
}

// TestPlanarMoments compares the fast moments for m = 2 with the moments from the general code path.
func TestPlanarMoments(t *testing.T) {
	for n := 2; n <= 5; n++ {
		a := RandomBasis(2, n, uint64(n))
		x := NewMixture(a, Laplacian{}, 100, 0, 1).X
		xs := columns(x)
		for _, rule := range []Rule{Natural, Certificate} {
			fast, err := planarMoments(t.Context(), a, xs, nil, rule == Certificate)
			if err != nil {
				t.Fatal(err)
			}
			// The general code path computes S and the duals of all samples.
			r, err := Infer(t.Context(), a, x, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := mat.NewDense(n, n, nil)
			for k := range 100 {
				for i := range n {
					u := 0.0
					if v := r.S.At(i, k); v > 0 {
						u = 1
					} else if v < 0 {
						u = -1
					}
					if rule == Certificate {
						u = a.At(0, i)*r.Dual.At(0, k) + a.At(1, i)*r.Dual.At(1, k)
					}
					for j := range n {
						c.Set(i, j, c.At(i, j)+u*r.S.At(j, k)/100)
					}
				}
			}
			if !mat.EqualApprox(mat.NewDense(n, n, fast.c), c, 1e-9) {
				t.Errorf("n = %d, %v", n, rule)
			}
		}
	}
}

// TestCertificateIsAGradient checks that the rule Certificate is AA' times the gradient of −E‖ŝ‖₁/b − ½ log
// det AA'.
func TestCertificateIsAGradient(t *testing.T) {
	a := RandomBasis(2, 4, 11)
	xs := columns(NewMixture(a, Laplacian{}, 50, 0, 1).X)
	f := func(a *mat.Dense) float64 {
		mo, err := planarMoments(t.Context(), a, xs, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		var l1 float64
		for _, v := range mo.abs {
			l1 += v
		}
		return -l1/0.7 - halfLogDet(a)
	}
	g := differences(a, f)
	var aa, want mat.Dense
	aa.Mul(a, a.T())
	want.Mul(&aa, g)
	mo, err := planarMoments(t.Context(), a, xs, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	mm := mat.NewDense(4, 4, mo.c)
	mm.Scale(1/0.7, mm)
	for i := range 4 {
		mm.Set(i, i, mm.At(i, i)-1)
	}
	var got mat.Dense
	got.Mul(a, mm)
	if !mat.EqualApprox(&got, &want, 1e-5) {
		t.Errorf("rule\n%v\ngradient\n%v", mat.Formatted(&got), mat.Formatted(&want))
	}
}

func TestLearnFromPerturbed(t *testing.T) {
	truth := EvenBasis(3, 10)
	mix := NewMixture(truth, BernoulliLaplacian{P: 0.3}, 1000, 0, 1)
	start := PerturbBasis(truth, 15, 1)
	before := mat.DenseCopyOf(start)
	for _, rule := range []Rule{Natural, ActiveSet} {
		r, err := Fit(t.Context(), start, mix.X, &FitOptions{Rule: rule, Scale: 0.3, Steps: 300, Truth: truth, Snapshots: []int{0, 100, 300}, Evidence: true, RecordEvery: 50})
		if err != nil {
			t.Fatal(err)
		}
		last := r.History[len(r.History)-1]
		if r.Status != ended.Done || last.WorstAngle > 0.5 || last.Error > 1e-20 || len(r.Snapshots) != 3 || len(r.History) != 7 {
			t.Errorf("%v: %v, worst angle %g, error %g, %d snapshots, %d records", rule, r.Status, last.WorstAngle, last.Error, len(r.Snapshots), len(r.History))
		}
		if math.IsNaN(last.Evidence) || !mat.Equal(r.Snapshots[2].A, r.A) {
			t.Errorf("%v: evidence %g", rule, last.Evidence)
		}
		if rule == Natural {
			// At equilibrium E‖ŝ‖₁ = m b.
			if math.Abs(last.L1/0.6-1) > 0.05 {
				t.Errorf("E‖s‖₁ = %g, want 2b = 0.6", last.L1)
			}
		}
	}
	if !mat.Equal(start, before) {
		t.Error("the start was modified")
	}
}

// TestEquilibriumOfA checks that for smooth problems (dense sources) the rule converges to A M = 0.
func TestEquilibriumOfA(t *testing.T) {
	x := NewMixture(EvenBasis(3, 10), Laplacian{}, 2000, 0, 1).X
	r, err := Fit(t.Context(), EvenBasis(3, 20), x, &FitOptions{Steps: 400, FinalRate: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	mo, err := planarMoments(t.Context(), r.A, columns(x), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	mm := mat.NewDense(3, 3, mo.c)
	for i := range 3 {
		mm.Set(i, i, mm.At(i, i)-1)
	}
	var am mat.Dense
	am.Mul(r.A, mm)
	if v := mat.Norm(&am, 2) / mat.Norm(r.A, 2); v > 0.02 {
		t.Errorf("‖AM‖/‖A‖ = %g", v)
	}
	if l1 := r.History[len(r.History)-1].L1; math.Abs(l1/2-1) > 0.02 {
		t.Errorf("E‖ŝ‖₁ = %g, want 2", l1)
	}
}

// TestLearnWithLasso checks that learning with the lasso, and with the general code path, also finds the true
// basis.
func TestLearnWithLasso(t *testing.T) {
	truth := EvenBasis(3, 10)
	mix := NewMixture(truth, BernoulliLaplacian{P: 0.3}, 400, 0.02, 1)
	r, err := Fit(t.Context(), PerturbBasis(truth, 10, 1), mix.X, &FitOptions{Scale: 0.3, Steps: 100, FinalRate: 0.01, BatchSize: 200,
		Infer: &InferOptions{Method: Lasso, Noise: 0.02}})
	if err != nil {
		t.Fatal(err)
	}
	if w := Match(truth, r.A).Worst; w > 3 {
		t.Errorf("worst angle %g", w)
	}
	// Three mixtures use the general code path of pursuit.
	t3 := RandomBasis(3, 4, 2)
	m3 := NewMixture(t3, BernoulliLaplacian{P: 0.25}, 150, 0, 1)
	s3 := PerturbBasis(t3, 10, 1)
	r3, err := Fit(t.Context(), s3, m3.X, &FitOptions{Rule: ActiveSet, Steps: 25, FinalRate: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	if w := Match(t3, r3.A).Worst; w > 6 {
		t.Errorf("three mixtures: worst angle %g", w)
	}
	c0, err := ActiveSetCost(t.Context(), s3, m3.X, 1)
	if err != nil {
		t.Fatal(err)
	}
	c1, err := ActiveSetCost(t.Context(), r3.A, m3.X, 1)
	if err != nil || c1 >= c0 {
		t.Errorf("cost from %g to %g, %v", c0, c1, err)
	}
}

// TestPosteriorClimbs checks that the rule Posterior climbs the exact evidence.
func TestPosteriorClimbs(t *testing.T) {
	truth := EvenBasis(3, 10)
	mix := NewMixture(truth, Laplacian{}, 500, 0, 1)
	r, err := Fit(t.Context(), PerturbBasis(truth, 12, 1), mix.X, &FitOptions{Rule: Posterior, Steps: 40, Rate: 0.2, FinalRate: 0.2, Evidence: true})
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k < len(r.History); k++ {
		if r.History[k].Evidence < r.History[k-1].Evidence-1e-9 {
			t.Errorf("step %d: evidence fell from %g to %g", k, r.History[k-1].Evidence, r.History[k].Evidence)
		}
	}
}

// TestMAPIsBiased demonstrates the bias of the MAP: when started at the truth with dense sources, rule
// Natural moves away from the truth, and rule Posterior does not.
func TestMAPIsBiased(t *testing.T) {
	truth, err := RandomBasisApart(2, 3, 20, 0)
	if err != nil {
		t.Fatal(err)
	}
	x := NewMixture(truth, Laplacian{}, 10000, 0, 0).X
	worst := map[Rule]float64{}
	for _, rule := range []Rule{Natural, Posterior} {
		r, err := Fit(t.Context(), truth, x, &FitOptions{Rule: rule, Steps: 60, FinalRate: 0.1, RecordEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		worst[rule] = Match(truth, r.A).Worst
	}
	if worst[Natural] < 6 || worst[Posterior] > 4 {
		t.Errorf("worst angles %v", worst)
	}
}

func TestBlogDiverges(t *testing.T) {
	patience.SkipShort(t, "it iterates until it diverges")
	for seed := range uint64(5) {
		truth := RandomBasis(2, 3, seed)
		for _, inf := range []*InferOptions{nil, {Method: ReLUGradient, Noise: 0.1, Step: 0.1}} {
			mix := NewMixture(truth, Exponential{}, 200, 0, seed)
			r, err := Fit(t.Context(), RandomBasis(2, 3, seed+100), mix.X, &FitOptions{Rule: Blog, Infer: inf, Rate: 0.1, FinalRate: 0.1, Steps: 400})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != ended.Diverged || r.Reason == "" {
				t.Errorf("seed %d: %v after %d steps", seed, r.Status, r.Steps)
			}
		}
	}
}

// TestEquilibrium checks that the equilibrium matrix is I for Laplacian sources, and all ones for exponential
// sources.
func TestEquilibrium(t *testing.T) {
	for _, c := range []struct {
		src Source
		off float64
	}{{Laplacian{}, 0}, {Exponential{}, 1}} {
		e := Equilibrium(DrawSources(c.src, 3, 100000, 1), 1)
		for i := range 3 {
			for j := range 3 {
				want := c.off
				if i == j {
					want = 1
				}
				if math.Abs(e.At(i, j)-want) > 0.02 {
					t.Errorf("%v: [%d,%d] = %g", c.src, i, j, e.At(i, j))
				}
			}
		}
	}
}

func TestFastICA(t *testing.T) {
	for _, c := range []Contrast{Tanh, Cube} {
		a := RandomBasis(4, 4, 3)
		mix := NewMixture(a, Laplacian{}, 20000, 0, 2)
		r, err := FitFastICA(t.Context(), mix.X, &FastICAOptions{Contrast: c})
		if err != nil {
			t.Fatal(err)
		}
		mt := Match(a, r.A)
		if mt.Worst > 5 {
			t.Errorf("contrast %d: worst angle %g", c, mt.Worst)
		}
		for i, v := range mt.SNR(mix.S, r.S) {
			if v < 20 {
				t.Errorf("contrast %d: source %d at %g dB", c, i, v)
			}
		}
		var id mat.Dense
		id.Mul(r.W, r.A)
		for i := range 4 {
			id.Set(i, i, id.At(i, i)-1)
		}
		if mat.Norm(&id, 2) > 1e-9 {
			t.Error("W A is not I")
		}
	}
	if _, err := FitFastICA(t.Context(), mat.NewDense(2, 4, []float64{1, 2, 3, 4, 2, 4, 6, 8}), nil); err == nil {
		t.Error("dependent rows: no error")
	}
}

func TestBadInput(t *testing.T) {
	nan := mat.NewDense(2, 2, []float64{1, 0, math.Inf(1), 1})
	ok := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	for name, f := range map[string]func() error{
		"start[1,0]":   func() error { _, err := Fit(t.Context(), nan, ok, nil); return err },
		"X[1,0]":       func() error { _, err := ExactEvidence(ok, nan, nil); return err },
		"A[1,0]":       func() error { _, err := GaussianEvidence(nan, ok, nil); return err },
		"Starts is -1": func() error { _, err := FitRestarts(t.Context(), ok, 2, &RestartOptions{Starts: -1}); return err },
		"X is empty":   func() error { _, err := FitRestarts(t.Context(), &mat.Dense{}, 2, nil); return err },
		"scale is -1":  func() error { _, err := ActiveSetCost(t.Context(), ok, ok, -1); return err },
		"Scale is -1":  func() error { _, err := Fit(t.Context(), ok, ok, &FitOptions{Scale: -1}); return err },
		"n = m+1":      func() error { _, err := ExactEvidence(EvenBasis(4, 0), ok, nil); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, f := range map[string]func(){
		"rows":  func() { Fit(t.Context(), ok, mat.NewDense(3, 1, nil), nil) },
		"empty": func() { Match(ok, &mat.Dense{}) },
		"mix":   func() { Mix(ok, mat.NewDense(3, 1, nil), 0, 1) },
	} {
		if r := panics.Value(f); r == nil || !strings.HasPrefix(fmt.Sprint(r), "ica: ") {
			t.Errorf("%s: recovered %v", name, r)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Fit(ctx, EvenBasis(3, 0), ok, &FitOptions{}); !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted {
		t.Errorf("cancelled: %v", err)
	}
}

func ExampleLearnRestarts() {
	truth := EvenBasis(3, 10)                                        // three lines in the plane
	mix := NewMixture(truth, BernoulliLaplacian{P: 0.3}, 1000, 0, 1) // two mixtures
	r, err := FitRestarts(context.Background(), mix.X, 3, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Status, "all within 0.1 degrees:", Match(truth, r.A).Worst < 0.1)
	// Output: done all within 0.1 degrees: true
}

func ExampleLearn_blog() {
	mix := NewMixture(EvenBasis(3, 10), Exponential{}, 500, 0, 1)
	r, _ := Fit(context.Background(), RandomBasis(2, 3, 7), mix.X, &FitOptions{Rule: Blog, Rate: 0.1, FinalRate: 0.1})
	fmt.Println(r.Status)
	// Output: diverged
}

func BenchmarkLearn(b *testing.B) {
	mix := NewMixture(EvenBasis(3, 10), BernoulliLaplacian{P: 0.3}, 1000, 0, 1)
	for b.Loop() {
		if _, err := Fit(b.Context(), RandomBasis(2, 3, 1), mix.X, &FitOptions{RecordEvery: -1}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFastICAComponents separates five mixtures of three sources with Components = 3, because three
// components hold all of the variance. Five components are an error.
func TestFastICAComponents(t *testing.T) {
	a := mat.NewDense(5, 3, nil)
	rng := rand.New(rand.NewPCG(8, 5))
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	mix := NewMixture(a, Laplacian{}, 20000, 0, 2)
	r, err := FitFastICA(t.Context(), mix.X, &FastICAOptions{Components: 3})
	if err != nil || r.Status != ended.Converged {
		t.Fatal(r, err)
	}
	if m, k := r.A.Dims(); m != 5 || k != 3 {
		t.Fatalf("A is %d×%d", m, k)
	}
	if mt := Match(a, r.A); mt.Worst > 3 {
		t.Errorf("worst angle %g", mt.Worst)
	}
	var id, back mat.Dense
	id.Mul(r.W, r.A)
	for i := range 3 {
		id.Set(i, i, id.At(i, i)-1)
	}
	if mat.Norm(&id, 2) > 1e-9 {
		t.Error("W A is not I")
	}
	back.Mul(r.A, r.S)
	for i := range 5 {
		for k := range 20000 {
			if math.Abs(back.At(i, k)+r.Mean[i]-mix.X.At(i, k)) > 1e-9 {
				t.Fatalf("A s + mean is not x in sample %d", k)
			}
		}
	}
	if _, err := FitFastICA(t.Context(), mix.X, nil); err == nil || !strings.Contains(err.Error(), "rank 3") {
		t.Errorf("five components: %v", err)
	}
}

// TestFastICAUnits checks that the units of a mixture do not matter: volts, nanovolts, or units in which
// squares overflow or underflow.
func TestFastICAUnits(t *testing.T) {
	a := RandomBasis(3, 3, 3)
	mix := NewMixture(a, Laplacian{}, 5000, 0, 2)
	want, err := FitFastICA(t.Context(), mix.X, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, units := range [][]float64{{1e-8, 1, 1e8}, {1e-170, 1e-170, 1e-170}, {1e150, 1, 1}, {1e200, 1e200, 1e200}} {
		x := mat.DenseCopyOf(mix.X)
		for i, u := range units {
			for k := range 5000 {
				x.Set(i, k, x.At(i, k)*u)
			}
		}
		r, err := FitFastICA(t.Context(), x, nil)
		if err != nil {
			t.Errorf("%v: %v", units, err)
			continue
		}
		for i, u := range units {
			for j := range 3 {
				r.A.Set(i, j, r.A.At(i, j)/u)
			}
		}
		if mt := Match(want.A, r.A); mt.Worst > 0.01 {
			t.Errorf("%v: %g degrees off", units, mt.Worst)
		}
	}
}

// TestFastICAConstantRow checks that a constant mixture adds nothing to the rank, whatever its value, even if its last
// digit varies. Four components are then an error, and three components are those of the other mixtures.
func TestFastICAConstantRow(t *testing.T) {
	const p = 2000
	three := NewMixture(RandomBasis(3, 3, 3), Laplacian{}, p, 0, 2).X
	want, err := FitFastICA(t.Context(), three, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []float64{5, 0.1, 1.0 / 3, -1e8 - 0.1, 1e-8, 1e15, 1e-300, 1e300} {
		for _, next := range []float64{c, math.Nextafter(c, 0)} {
			x := mat.NewDense(4, p, nil)
			x.Slice(0, 3, 0, p).(*mat.Dense).Copy(three)
			for k := range p {
				x.Set(3, k, []float64{c, next}[k%7%2])
			}
			for _, k := range []int{0, 4} {
				if _, err := FitFastICA(t.Context(), x, &FastICAOptions{Components: k}); err == nil || !strings.Contains(err.Error(), "rank 3 ") {
					t.Errorf("%v and %v, %d components: %v", c, next, k, err)
				}
			}
			r, err := FitFastICA(t.Context(), x, &FastICAOptions{Components: 3})
			if err != nil {
				t.Errorf("%v and %v: %v", c, next, err)
				continue
			}
			if mt := Match(want.A, r.A.Slice(0, 3, 0, 3)); mt.Worst > 1e-3 {
				t.Errorf("%v and %v: %g degrees from the sources of three mixtures", c, next, mt.Worst)
			}
			if math.Abs(r.Mean[3]-c) > 1e-15*math.Abs(c) || mat.Norm(r.W.Slice(0, 3, 3, 4), 2) != 0 || mat.Norm(r.A.Slice(3, 4, 0, 3), 2) != 0 {
				t.Errorf("%v and %v: the mean is %v, W %v and A %v", c, next, r.Mean[3], r.W.ColView(3), r.A.RowView(3))
			}
		}
	}
}

// TestFastICAFarFromZero checks mixtures with a large mean. Independent mixtures give the same sources, of
// variance 1, as if their mean were 0. A mixture that is the sum of two others does not raise the rank, even if
// its rounding is larger than the rounding of the eigenvalues.
func TestFastICAFarFromZero(t *testing.T) {
	const p = 2000
	a := RandomBasis(3, 3, 3)
	for _, far := range []float64{0, 1e6, 1e9, 1e11, 1e12} {
		x := NewMixture(a, Laplacian{}, p, 0, 2).X
		for i := range 3 {
			for k := range p {
				x.Set(i, k, x.At(i, k)+far)
			}
		}
		r, err := FitFastICA(t.Context(), x, nil)
		if err != nil {
			t.Errorf("%g: %v", far, err)
			continue
		}
		if mt := Match(a, r.A); mt.Worst > 3 {
			t.Errorf("%g: worst angle %g", far, mt.Worst)
		}
		for i := range 3 {
			// The mean of a mixture is rounded to a multiple of far's last digit.
			if mean := mat.Sum(r.S.RowView(i)) / p; math.Abs(mean) > 1e-12+0x1p-52*far*mat.Norm(r.W, 2) {
				t.Errorf("%g: source %d has the mean %g", far, i, mean)
			}
			if v := mat.Norm(r.S.RowView(i), 2); math.Abs(v*v/p-1) > 1e-9 {
				t.Errorf("%g: source %d has the variance %v", far, i, v*v/p)
			}
		}
		for k := range p {
			x.Set(2, k, x.At(0, k)+x.At(1, k))
		}
		if _, err := FitFastICA(t.Context(), x, nil); err == nil || !strings.Contains(err.Error(), "rank 2 ") {
			t.Errorf("%g, the third row is the sum of the others: %v", far, err)
		}
	}
}

// TestFastICAAgainstSklearn checks that scikit-learn's FastICA finds the same unmixing of the same mixtures.
// Both results are fixed points of the same map, and differ by the tolerances.
func TestFastICAAgainstSklearn(t *testing.T) {
	py := peer.Start(t, 1, `
import numpy as np
from sklearn.decomposition import FastICA
def mixing(X, k):
    f = FastICA(n_components=k, whiten="unit-variance", fun="logcosh", tol=1e-12, max_iter=2000, random_state=0)
    f.fit(X.T)
    return f.mixing_
`, "sklearn")
	a := mat.NewDense(5, 3, nil)
	rng := rand.New(rand.NewPCG(8, 6))
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	mix := NewMixture(a, Laplacian{}, 5000, 0.05, 4)
	py.Array("X", mix.X)
	r, err := FitFastICA(t.Context(), mix.X, &FastICAOptions{Components: 3, Tolerance: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	theirs := mat.NewDense(5, 3, py.Floats("mixing(X, 3).ravel()"))
	if mt := Match(theirs, r.A); mt.Worst > 1e-3 {
		t.Errorf("%g degrees from scikit-learn", mt.Worst)
	}
}

func TestFastICARefusals(t *testing.T) {
	x := NewMixture(RandomBasis(2, 2, 3), Laplacian{}, 100, 0, 2).X
	for _, c := range []struct {
		x    *mat.Dense
		opt  FastICAOptions
		want string
	}{
		{x, FastICAOptions{Contrast: 42}, "Contrast is 42"},
		{x, FastICAOptions{Tolerance: math.NaN()}, "Tolerance is NaN"},
		{x, FastICAOptions{Tolerance: -1}, "Tolerance is -1"},
		{x, FastICAOptions{MaxIterations: -1}, "MaxIterations is -1"},
		{x, FastICAOptions{Components: 3}, "Components is 3"},
		{x, FastICAOptions{Components: -1}, "Components is -1"},
		{&mat.Dense{}, FastICAOptions{}, "X is empty"},
		{mat.NewDense(2, 3, []float64{1, 1, 1, 2, 3, 5}), FastICAOptions{}, "rank 1"}, // the first row is constant
	} {
		if _, err := FitFastICA(t.Context(), c.x, &c.opt); err == nil || !strings.HasPrefix(err.Error(), "ica: FitFastICA: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.opt, err, c.want)
		}
	}
	r, err := FitFastICA(t.Context(), x, &FastICAOptions{MaxIterations: 1})
	if !errors.Is(err, ended.ErrNotConverged) || r.Status != ended.IterationLimit || r.A == nil || r.S == nil {
		t.Errorf("%v %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := FitFastICA(ctx, x, nil); !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted || r.A == nil {
		t.Errorf("%v %v", r, err)
	}
	for _, c := range []struct {
		opt  FitOptions
		want string
	}{
		{FitOptions{Rule: 9}, "Rule is 9"}, {FitOptions{Rate: math.NaN()}, "Rate is NaN"}, {FitOptions{MaxChange: math.NaN()}, "MaxChange is NaN"},
		{FitOptions{Steps: -1}, "Steps is -1"}, {FitOptions{Infer: &InferOptions{Method: 9}}, "Method is 9"}, {FitOptions{Infer: &InferOptions{Method: Lasso, Noise: -1}}, "Noise is -1"},
	} {
		if _, err := Fit(t.Context(), RandomBasis(2, 3, 1), x, &c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.opt, err, c.want)
		}
	}
}

// TestTransposed checks that samples in rows are rejected with a message that suggests the transpose.
func TestTransposed(t *testing.T) {
	const want = "ica: Infer: A has 2 rows and X is 9×2, a sample per COLUMN: want 2×9, is X transposed?"
	if p := panics.Value(func() { Infer(t.Context(), EvenBasis(3, 0), mat.NewDense(9, 2, nil), nil) }); p != want {
		t.Errorf("%v, want %s", p, want)
	}
}
