package nmf

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

var betas = []float64{-1, 0, 0.5, 1, 1.5, 2, 3}

// definition returns d_β(a|m) by its definition.
func definition(a, m, beta float64) float64 {
	switch {
	case a == 0 && beta > 0:
		return math.Pow(m, beta) / beta
	case beta == 0:
		return a/m - math.Log(a/m) - 1
	case beta == 1:
		return a*math.Log(a/m) - a + m
	}
	return (math.Pow(a, beta) + (beta-1)*math.Pow(m, beta) - beta*a*math.Pow(m, beta-1)) / (beta * (beta - 1))
}

// betaObjective returns the objective by its definition.
func betaObjective(o Options, A, U, W mat.Matrix) float64 {
	beta, _ := betaOf(o.Loss, o.Beta)
	var M mat.Dense
	M.Mul(U, W.T())
	f := 0.0
	n, d := A.Dims()
	for i := range n {
		for j := range d {
			f += definition(A.At(i, j), M.At(i, j), beta)
		}
	}
	o.Loss = Frobenius
	return f + penalised(o, A, U, W) - objective(Frobenius, A, U, W)
}

func TestDivergence(t *testing.T) {
	for _, beta := range betas {
		for _, a := range []float64{0, 1e-3, 0.7, 1, 20} {
			for _, m := range []float64{1e-3, 0.5, 1, 30} {
				if a == 0 && beta <= 0 {
					continue
				}
				have, want := divergence(a, m, math.Pow(m, beta-1), beta), definition(a, m, beta)
				size := math.Abs(want) + math.Pow(m, beta)
				if math.Abs(have-want) > 1e-12*size {
					t.Errorf("β %v: d(%v|%v) is %v, must be %v", beta, a, m, have, want)
				}
				if a == m && have != 0 {
					t.Errorf("β %v: d(%v|%v) is %v", beta, a, m, have)
				}
			}
		}
	}
	// Near β = 0 and β = 1, where the definition loses all digits, the divergence must be near its limits.
	for _, beta := range []float64{0, 1} {
		for _, e := range []float64{-1e-13, 1e-13, -1e-9, 1e-9} {
			have, want := divergence(0.7, 0.3, math.Pow(0.3, beta+e-1), beta+e), definition(0.7, 0.3, beta)
			if math.Abs(have-want) > 1e-13+2*math.Abs(e) {
				t.Errorf("β %v: %v, the limit is %v", beta+e, have, want)
			}
		}
	}
}

func TestGamma(t *testing.T) {
	for _, c := range []struct{ beta, want, wantL2 float64 }{
		{-1, 1. / 3, 1. / 4}, {0, 1. / 2, 1. / 3}, {0.5, 1 / 1.5, 1 / 2.5}, {1, 1, 1. / 2}, {1.5, 1, 1 / 1.5}, {2, 1, 1}, {3, 1. / 2, 1. / 2},
	} {
		if g, l2 := gamma(c.beta, Penalty{L1: 1}), gamma(c.beta, Penalty{L2: 1}); math.Abs(g-c.want) > 1e-15 || math.Abs(l2-c.wantL2) > 1e-15 {
			t.Errorf("γ(%v) is %v, with an L2 penalty %v; must be %v and %v", c.beta, g, l2, c.want, c.wantL2)
		}
	}
}

// The objective agrees with its definition and never rises, and the multipliers agree with its finite
// differences, with and without penalties.
func TestBeta(t *testing.T) {
	for _, beta := range betas {
		zeros := 0.3
		if beta <= 0 {
			zeros = 0
		}
		A := lowRank(20, 15, 3, zeros, 0.3, 1)
		for i, p := range append([][2]Penalty{{}}, penalties...) {
			for seed := range uint64(3) {
				o := Options{Components: 3, Method: Multiplicative, Loss: BetaDivergence, Beta: beta, PenaltyU: p[0], PenaltyW: p[1], Init: Random, MaxIterations: 60, Tolerance: -1, Seed: seed}
				if beta == 0 && i%2 == 0 {
					o.Loss = ItakuraSaito
				}
				r := fit(t, A, o)
				if want := betaObjective(o, A, r.U, r.W); math.Abs(r.Objective-want) > 1e-9*(want+1) {
					t.Errorf("β %v, %v: objective %v, by its definition %v", beta, p, r.Objective, want)
				}
				for i, s := range r.History[1:] {
					if s.Objective > r.History[i].Objective*(1+1e-12) {
						t.Errorf("β %v, %v: iteration %d: the objective rises from %v to %v", beta, p, s.Iteration, r.History[i].Objective, s.Objective)
					}
				}
				if last := r.History[60].Objective; last > 0.9*r.History[0].Objective {
					t.Errorf("β %v, %v: the objective falls from %v to %v only", beta, p, r.History[0].Objective, last)
				}
				if seed > 0 {
					continue
				}
				differences(t, r, A, func() float64 { return betaObjective(o, A, r.U, r.W) })
				s := fit(t, Sparsify(A), o)
				if d := maxDiff(r.U, s.U); d != 0 {
					t.Errorf("β %v: of a Sparse U differs by %g", beta, d)
				}
			}
		}
	}
}

// β = 2 and β = 1 have the same iterates as Frobenius and KL.
func TestBetaAgrees(t *testing.T) {
	patience.SkipShort(t, "it fits in several ways until they agree")
	A := lowRank(300, 280, 4, 0.3, 0.1, 1) // more than one block in each direction
	for _, c := range []struct {
		beta float64
		l    Loss
		p    Penalty
	}{{2, Frobenius, Penalty{}}, {2, Frobenius, Penalty{L1: 0.3, L2: 0.4}}, {1, KL, Penalty{}}, {1, KL, Penalty{L1: 0.5}}} {
		o := Options{Components: 4, Method: Multiplicative, Loss: c.l, PenaltyU: c.p, PenaltyW: c.p, Init: Random, MaxIterations: 15, Tolerance: -1, Inner: 1, KKT: 1e-12}
		r := fit(t, A, o)
		o.Loss, o.Beta = BetaDivergence, c.beta
		b := fit(t, A, o)
		for i, s := range r.History {
			if v := b.History[i].Objective; math.Abs(v-s.Objective) > 1e-11*s.Objective {
				t.Errorf("β %v, iteration %d: objective %v, with %v %v", c.beta, i, v, c.l, s.Objective)
			}
			if v := b.History[i].KKT; c.l == KL && math.Abs(v-s.KKT) > 1e-10 {
				t.Errorf("β %v, iteration %d: KKT %v, with %v %v", c.beta, i, v, c.l, s.KKT)
			}
		}
		if d := max(maxDiff(r.U, b.U)/mat.Max(r.U), maxDiff(r.W, b.W)/mat.Max(r.W)); d > 1e-10 {
			t.Errorf("β %v, %v: the factors differ by %g", c.beta, c.p, d)
		}
	}
}

// For rank 1 the solution has no zeros, so the multipliers vanish. Transform finds the same U.
func TestBetaStationary(t *testing.T) {
	A := lowRank(12, 9, 3, 0, 0.3, 2)
	for _, beta := range betas {
		r := fit(t, A, Options{Components: 1, Method: Multiplicative, Loss: BetaDivergence, Beta: beta, Init: Random, MaxIterations: 3000, Tolerance: -1, KKT: 1e-10})
		if r.Status != ended.Converged {
			t.Errorf("β %v: %v, KKT %g", beta, r.Status, r.KKT)
		}
		for _, multiplier := range []func(mat.Matrix) (*mat.Dense, error){r.MultiplierU, r.MultiplierW} {
			Z, err := multiplier(A)
			if err != nil {
				t.Fatal(err)
			}
			if z := mat.Norm(Z, 2); z > 1e-6*(1+r.Objective) {
				t.Errorf("β %v: the multipliers are %g", beta, z)
			}
		}
		U, err := r.Transform(t.Context(), A)
		if err != nil || maxDiff(U, r.U) > 1e-3*mat.Max(r.U) {
			t.Errorf("β %v: Transform is off by %g, %v", beta, maxDiff(U, r.U), err)
		}
		if r.Explained <= 0 || r.Explained >= 1 {
			t.Errorf("β %v: %v explained", beta, r.Explained)
		}
	}
}

// The Itakura-Saito divergence does not depend on the scale.
func TestItakuraSaitoScale(t *testing.T) {
	A := lowRank(30, 20, 3, 0, 0.3, 3)
	var B mat.Dense
	B.Scale(1e6, A)
	o := Options{Components: 3, Method: Multiplicative, Loss: ItakuraSaito, Init: Random, MaxIterations: 50, Tolerance: -1}
	a, b := fit(t, A, o), fit(t, &B, o)
	if math.Abs(a.Objective-b.Objective) > 1e-10*a.Objective {
		t.Errorf("objective %v, and %v for A a million times as large", a.Objective, b.Objective)
	}
}

// A row of zeros has a code of zeros for β > 0, and is an error for β <= 0.
func TestBetaZeros(t *testing.T) {
	A := lowRank(10, 8, 2, 0, 0.1, 14)
	Z := mat.DenseCopyOf(A)
	Z.SetRow(4, make([]float64, 8))
	for _, beta := range betas {
		o := Options{Components: 2, Method: Multiplicative, Loss: BetaDivergence, Beta: beta}
		r := fit(t, A, o)
		U, err := r.Transform(t.Context(), Z)
		_, none := r.Transform(t.Context(), mat.NewDense(2, 8, nil))
		if beta <= 0 {
			for at, err := range map[string]error{"A(4, 0) is 0": err, "A(0, 0) is 0": none} {
				if err == nil || !strings.Contains(err.Error(), at) {
					t.Errorf("β %v: the error is %v, must say %q", beta, err, at)
				}
			}
			continue
		}
		if err != nil || none != nil || U.At(4, 0) > 1e-4*mat.Max(U) || U.At(4, 1) > 1e-4*mat.Max(U) {
			t.Errorf("β %v: %v, %v", beta, mat.Formatted(U), err)
		}
		if r := fit(t, Z, o); r.Explained < 0.7 || r.KKT-r.KKT != 0 {
			t.Errorf("β %v: with a row of zeros %v is explained, KKT %v", beta, r.Explained, r.KKT)
		}
	}
}

// If powers overflow, the error says what to do.
func TestBetaOverflow(t *testing.T) {
	A := lowRank(10, 8, 2, 0, 0.1, 1)
	A.Scale(1e60, A)
	if _, err := Fit(t.Context(), A, &Options{Components: 2, Method: Multiplicative, Loss: BetaDivergence, Beta: 10}); err == nil || !strings.Contains(err.Error(), "scale A") {
		t.Errorf("the error is %v", err)
	}
}

// The rank of clean data is found with a β-divergence and penalties, too.
func TestBetaRank(t *testing.T) {
	A := mat.NewDense(30, 24, nil) // two groups of rows and of columns, with 10 % error
	noise := lowRank(30, 24, 24, 0, 0, 6)
	noise.Scale(0.1/mat.Max(noise), noise)
	A.Apply(func(i, j int, v float64) float64 {
		if i%2 == j%2 {
			return 5 * (1 + v)
		}
		return 0.5 * (1 + v)
	}, noise)
	o := Options{Method: Multiplicative, Loss: ItakuraSaito, PenaltyU: Penalty{L1: 0.01}, PenaltyW: Penalty{L1: 0.01}, MaxIterations: 300, Init: Random}
	cv, err := CrossValidate(t.Context(), A, &CVOptions{Ranks: []int{1, 2}, Fit: o})
	if err != nil || cv.Best != 2 || cv.Error[1] > cv.Error[0]/2 {
		t.Errorf("%+v, %v", cv, err)
	}
	s, err := Consensus(t.Context(), A, &ConsensusOptions{Ranks: []int{2}, Runs: 5, Fit: o})
	if err != nil || s.Dispersion[0] < 1-1e-9 {
		t.Errorf("%+v, %v", s, err)
	}
}

// From the same start, the iterates and objective equal scikit-learn's.
func TestBetaSklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np, warnings\nfrom sklearn.decomposition import NMF\nwarnings.simplefilter('ignore')", "numpy", "sklearn")
	const n, d, k = 60, 40, 5
	for _, beta := range betas {
		zeros := 0.5
		if beta <= 0 {
			zeros = 0
		}
		A := lowRank(n, d, 7, zeros, 0.2, 16)
		begin := fit(t, A, Options{Components: k, Method: Multiplicative, Init: Random, MaxIterations: 1})
		py.Array("A", A)
		py.Array("U0", begin.U)
		py.Array("H0", mat.DenseCopyOf(begin.W.T()))
		for _, weight := range []float64{0, 0.01} {
			o := Options{Method: Multiplicative, Loss: BetaDivergence, Beta: beta, PenaltyU: Penalty{L1: d * weight}, PenaltyW: Penalty{L1: n * weight}, U: begin.U, W: begin.W, MaxIterations: 30, Tolerance: -1}
			r := fit(t, A, o)
			py.Do(fmt.Sprintf("m = NMF(%d, init='custom', solver='mu', beta_loss=%v, tol=0, max_iter=30, alpha_W=%v, l1_ratio=1.0)\nU = m.fit_transform(A, W=U0.copy(), H=H0.copy())", k, beta, weight))
			U := mat.NewDense(n, k, py.Floats("np.ascontiguousarray(U).ravel()"))
			W := mat.NewDense(d, k, py.Floats("np.ascontiguousarray(m.components_.T).ravel()"))
			theirs := betaObjective(o, A, U, W)
			t.Logf("β %v, L1 %v: objective %.9g, scikit-learn %.9g", beta, weight, r.Objective, theirs)
			tolerance := 1e-6
			if beta > 0 && beta < 1 {
				// Where the data are zero, the product goes to zero; scikit-learn 1.9 keeps it at 1.2e-7,
				// version 1.2 did not.
				tolerance = 1e-5
			}
			if !(math.Abs(r.Objective-theirs) <= 1e-6*theirs) || maxDiff(r.U, U) > tolerance*mat.Max(U) || maxDiff(r.W, W) > tolerance*mat.Max(W) {
				t.Errorf("β %v, L1 %v: objective %v, scikit-learn %v; U off by %g, W by %g", beta, weight, r.Objective, theirs, maxDiff(r.U, U), maxDiff(r.W, W))
			}
		}
	}
}
