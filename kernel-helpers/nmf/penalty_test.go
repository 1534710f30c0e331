package nmf

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// penalised returns the objective by its definition.
func penalised(o Options, A, U, W mat.Matrix) float64 {
	f := objective(o.Loss, A, U, W)
	for _, c := range []struct {
		M mat.Matrix
		p Penalty
	}{{U, o.PenaltyU}, {W, o.PenaltyW}} {
		F := mat.Norm(c.M, 2)
		f += c.p.L1*mat.Sum(c.M) + c.p.L2/2*F*F
	}
	return f
}

var penalties = [][2]Penalty{
	{{L1: 0.3}, {L1: 0.2}},
	{{L2: 0.5}, {L2: 0.7}},
	{{L1: 0.3, L2: 0.2}, {L1: 0.1, L2: 0.4}},
	{{L1: 0.5}, {L2: 1}},
	{{}, {L2: 0.3}},
}

// The objective agrees with its definition and never rises, and the multipliers agree with its finite
// differences.
func TestPenalty(t *testing.T) {
	A := lowRank(20, 15, 3, 0.3, 0.1, 1)
	for _, c := range combos {
		if c.Method == ADMM {
			continue
		}
		for i, p := range penalties {
			o := c
			o.PenaltyU, o.PenaltyW = p[0], p[1]
			o.Components, o.MaxIterations, o.Tolerance, o.Init, o.Seed = 3, 60, -1, Random, uint64(i)
			for _, a := range []mat.Matrix{A, Sparsify(A)} {
				r := fit(t, a, o)
				if want := penalised(o, A, r.U, r.W); math.Abs(r.Objective-want) > 1e-9*want {
					t.Errorf("%v, %v, %v: objective %v, by its definition %v", o.Method, o.Loss, p, r.Objective, want)
				}
				for i, s := range r.History[1:] {
					if s.Objective > r.History[i].Objective*(1+1e-12) {
						t.Errorf("%v, %v, %v: iteration %d: the objective rises from %v to %v", o.Method, o.Loss, p, s.Iteration, r.History[i].Objective, s.Objective)
					}
				}
				differences(t, r, a, func() float64 { return penalised(o, A, r.U, r.W) })
			}
		}
	}
}

// differences compares the multipliers of r with finite differences of f.
func differences(t *testing.T, r *Model, a mat.Matrix, f func() float64) {
	t.Helper()
	for i, c := range []struct {
		M          *mat.Dense
		multiplier func(mat.Matrix) (*mat.Dense, error)
	}{{r.U, r.MultiplierU}, {r.W, r.MultiplierW}} {
		Z, err := c.multiplier(a)
		if err != nil {
			t.Fatal(err)
		}
		rows, k := Z.Dims()
		for p := range rows {
			for q := range k {
				v := c.M.At(p, q)
				h := 1e-5
				if r.Loss != Frobenius {
					h = min(1e-6, v/100) // because of the logarithm
				}
				if h < 1e-7 && r.Loss != Frobenius {
					continue
				}
				c.M.Set(p, q, v+h)
				up := f()
				c.M.Set(p, q, v-h)
				down := f()
				c.M.Set(p, q, v)
				if d := (up - down) / (2 * h); math.Abs(d-Z.At(p, q)) > 1e-4*(1+math.Abs(d)) {
					t.Fatalf("%v, factor %d (%d, %d): %v, differences %v", r.Loss, i, p, q, Z.At(p, q), d)
				}
			}
		}
	}
}

// If a fit ends by Options.KKT, its multipliers show that it is stationary: min(U, Ū) = 0. Transform finds the same U,
// because it solves the same problem with W fixed.
func TestPenaltyStationary(t *testing.T) {
	patience.SkipShort(t, "it fits until nothing moves, many times")
	A := lowRank(20, 15, 3, 0.3, 0.1, 1)
	for i, p := range penalties[:4] {
		r := fit(t, A, Options{Components: 3, PenaltyU: p[0], PenaltyW: p[1], Tolerance: -1, KKT: 1e-9, MaxIterations: 20000, Seed: uint64(i)})
		if r.Status != ended.Converged {
			t.Errorf("%v: %v, KKT %g", p, r.Status, r.KKT)
			continue
		}
		for _, c := range []struct {
			M          *mat.Dense
			multiplier func(mat.Matrix) (*mat.Dense, error)
		}{{r.U, r.MultiplierU}, {r.W, r.MultiplierW}} {
			Z, err := c.multiplier(A)
			if err != nil {
				t.Fatal(err)
			}
			n, k := Z.Dims()
			for i := range n {
				for q := range k {
					if v := min(c.M.At(i, q), Z.At(i, q)); math.Abs(v) > 1e-6 {
						t.Errorf("%v: (%d, %d): the element is %g, the multiplier %g", p, i, q, c.M.At(i, q), Z.At(i, q))
					}
				}
			}
		}
		U, err := r.Transform(t.Context(), A)
		if err != nil || maxDiff(U, r.U) > 1e-5 {
			t.Errorf("%v: Transform is off by %g, %v", p, maxDiff(U, r.U), err)
		}
		free := &Model{U: r.U, W: r.W}
		if U, err := free.Transform(t.Context(), A); p[0] != (Penalty{}) && (err != nil || maxDiff(U, r.U) < 1e-3) {
			t.Errorf("%v: without the penalty Transform finds the same, %v", p, err)
		}
	}
	for _, p := range penalties[:4] {
		r := fit(t, A, Options{Components: 3, Method: Multiplicative, Loss: KL, PenaltyU: p[0], PenaltyW: p[1], Tolerance: 1e-11, MaxIterations: 5000})
		U, err := r.Transform(t.Context(), A)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Loss: KL, PenaltyU: p[0]}
		if f, want := penalised(o, A, U, r.W), penalised(o, A, r.U, r.W); math.Abs(f-want) > 1e-5*want {
			t.Errorf("KL, %v: Transform ends at %v, Fit at %v", p, f, want)
		}
	}
}

// If the L1 weight exceeds all elements of A'U, all elements become 0. A larger weight gives more zeros.
func TestPenaltySparse(t *testing.T) {
	A := lowRank(20, 15, 3, 0, 0.3, 2)
	zeros := func(l1 float64) int {
		r := fit(t, A, Options{Components: 3, PenaltyU: Penalty{L1: l1}, PenaltyW: Penalty{L2: 1}, MaxIterations: 2000})
		n := 0
		for _, v := range r.U.RawMatrix().Data {
			if v == 0 {
				n++
			}
		}
		return n
	}
	if a, b, c := zeros(0), zeros(2), zeros(1e4); !(a < b && b < c && c == 60) {
		t.Errorf("%d, %d and %d zeros of 60", a, b, c)
	}
	r := fit(t, A, Options{Components: 3, PenaltyU: Penalty{L1: 1e4}, PenaltyW: Penalty{L1: 1}})
	if mat.Max(r.U) != 0 || mat.Max(r.W) != 0 || r.Explained != 0 || r.KKT != 0 {
		t.Errorf("U up to %g, W up to %g, %g explained, KKT %g", mat.Max(r.U), mat.Max(r.W), r.Explained, r.KKT)
	}
}

// From the same start, the iterates and objective equal scikit-learn's, with weights alpha_W·d and alpha_H·n. For KL
// with an L2 penalty, scikit-learn's update is different and may raise the objective; there our objective must be at
// least as good.
func TestPenaltySklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np, warnings\nfrom sklearn.decomposition import NMF\nwarnings.simplefilter('ignore')", "numpy", "sklearn")
	const n, d, k = 60, 40, 5
	A := lowRank(n, d, 7, 0.5, 0.2, 16)
	py.Array("A", A)
	begin := fit(t, A, Options{Components: k, Method: Multiplicative, Init: Random, MaxIterations: 1}) // without zeros
	py.Array("U0", begin.U)
	py.Array("H0", mat.DenseCopyOf(begin.W.T()))
	for _, c := range []struct {
		solver, loss string
		o            Options
	}{
		{"cd", "frobenius", Options{}},
		{"mu", "frobenius", Options{Method: Multiplicative}},
		{"mu", "kullback-leibler", Options{Method: Multiplicative, Loss: KL}},
	} {
		for _, share := range []float64{0, 0.4, 1} {
			const aU, aW = 0.01, 0.02
			o := c.o
			o.PenaltyU = Penalty{L1: d * aU * share, L2: d * aU * (1 - share)}
			o.PenaltyW = Penalty{L1: n * aW * share, L2: n * aW * (1 - share)}
			same := o.Loss == Frobenius || share == 1
			iterations := 30
			if !same {
				iterations = 500
			}
			o.U, o.W, o.MaxIterations, o.Tolerance, o.Inner = begin.U, begin.W, iterations, -1, 1
			r := fit(t, A, o)
			py.Do(fmt.Sprintf("m = NMF(%d, init='custom', solver=%q, beta_loss=%q, tol=0, max_iter=%d, alpha_W=%v, alpha_H=%v, l1_ratio=%v)\nU = m.fit_transform(A, W=U0.copy(), H=H0.copy())", k, c.solver, c.loss, iterations, aU, aW, share))
			U := mat.NewDense(n, k, py.Floats("np.ascontiguousarray(U).ravel()"))
			W := mat.NewDense(d, k, py.Floats("np.ascontiguousarray(m.components_.T).ravel()"))
			theirs := penalised(o, A, U, W)
			if math.IsInf(theirs, 0) {
				t.Fatalf("%s %s: scikit-learn's objective is infinite", c.solver, c.loss)
			}
			t.Logf("%s %s, share of L1 %v: objective %.9g, scikit-learn %.9g", c.solver, c.loss, share, r.Objective, theirs)
			if !same {
				if r.Objective > theirs*(1+1e-3) {
					t.Errorf("%s %s, share %v: objective %v, scikit-learn %v", c.solver, c.loss, share, r.Objective, theirs)
				}
				continue
			}
			if math.Abs(r.Objective-theirs) > 1e-6*theirs || maxDiff(r.U, U) > 1e-6*mat.Max(U) || maxDiff(r.W, W) > 1e-6*mat.Max(W) {
				t.Errorf("%s %s, share %v: objective %v, scikit-learn %v; U off by %g, W by %g", c.solver, c.loss, share, r.Objective, theirs, maxDiff(r.U, U), maxDiff(r.W, W))
			}
		}
	}
}
