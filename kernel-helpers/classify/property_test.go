package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// scaled returns a copy of X in which each element v is replaced by f(i, j, v).
func scaled(X *mat.Dense, f func(i, j int, v float64) float64) *mat.Dense {
	var Z mat.Dense
	Z.Apply(f, X)
	return &Z
}

// hard returns problems for which solvers have stopped too early in the past.
func hard(seed uint64) map[string]struct {
	X *mat.Dense
	y []int
} {
	type problem = struct {
		X *mat.Dense
		y []int
	}
	sep, ys := blobs(45, 4, 3, 6, seed)
	mix, ym := blobs(60, 4, 2, 0.7, seed)
	return map[string]problem{
		"separable":   {sep, ys},
		"overlapping": {mix, ym},
		"all by 1e-8": {scaled(mix, func(_, _ int, v float64) float64 { return v * 1e-8 }), ym},
		"all by 1e-4": {scaled(mix, func(_, _ int, v float64) float64 { return v * 1e-4 }), ym},
		"all by 1e3":  {scaled(sep, func(_, _ int, v float64) float64 { return v * 1e3 }), ys},
		"columns by 1e-6 to 1e3": {scaled(sep, func(_, j int, v float64) float64 {
			return v * math.Pow(1e3, float64(j-2))
		}), ys},
		"a constant, a zero and a double column": {scaled(mix, func(i, j int, v float64) float64 {
			return []float64{3, 0, mix.At(i, 3), v}[j]
		}), ym},
		"a row by 1e3": {scaled(mix, func(i, _ int, v float64) float64 {
			if i == 5 {
				return v * 1e3
			}
			return v
		}), ym},
	}
}

// TestConvergedIsMinimal checks that a Converged machine's objective, computed by definition, exceeds
// scikit-learn's by at most the machine's gap, and that the gap is a small share of the objective.
func TestConvergedIsMinimal(t *testing.T) {
	py := peer.Start(t, 1, `
import numpy as np, warnings
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
warnings.simplefilter("ignore")
def maxent(X, y, a):
    n = len(y); K = y.max() + 1
    best = np.inf
    for solver in ("newton-cg",):
        # Of two classes it has one row of weights, which is the difference of ours, and penalises that.
        m = LogisticRegression(C=(2 if K == 2 else 1)/(a*n), tol=1e-10, max_iter=500, solver=solver).fit(X, y)
        W, b = m.coef_, m.intercept_
        if K == 2:
            W, b = np.vstack([-W, W])/2, np.append(-b, b)/2
        Z = X @ W.T + b
        Z -= Z.max(1, keepdims=True)
        f = (np.log(np.exp(Z).sum(1)) - Z[np.arange(n), y]).mean() + a/2*(W*W).sum()
        best = min(best, f)
    return best
def svc(X, y, C, g):
    m = SVC(C=C, gamma=g, tol=1e-9).fit(X, y)
    K = np.exp(-g*((X[:, None, :] - X[None, :, :])**2).sum(2))
    b = np.zeros(len(y)); b[m.support_] = m.dual_coef_[0]
    f = K @ b + m.intercept_[0]
    return 0.5*b @ K @ b + C*np.maximum(0, 1 - np.where(y == 1, 1, -1)*f).sum()
`, "numpy", "sklearn")
	ran, converged := 0, 0
	for seed := range uint64(1) {
		for name, p := range hard(seed) {
			n, _ := p.X.Dims()
			py.Array("X", p.X)
			py.Do(fmt.Sprintf("y = np.array(%s)", strings.Join(strings.Fields(fmt.Sprint(p.y)), ",")))
			for _, alpha := range []float64{1, 1e-4, 1e-10} {
				m, err := FitMaxent(t.Context(), p.X, p.y, &MaxentOptions{Alpha: alpha, MaxIterations: 5000})
				if ended.Accept(err) != nil || (err == nil) != (m.Status == ended.Converged) {
					t.Errorf("maxent, %s, alpha %g: %v", name, alpha, err)
					continue
				}
				ran++
				f, _, _ := MaxentObjective(m.W, m.B, p.X, p.y, alpha)
				if math.Abs(f-m.Objective) > 1e-12*f {
					t.Errorf("maxent, %s, alpha %g: told %v, is %v", name, alpha, m.Objective, f)
				}
				least := math.Inf(1)
				if alpha > 1e-5 { // for smaller α, scikit-learn's solvers stop too early
					least = py.Float(fmt.Sprintf("maxent(X, y, %g)", alpha))
				}
				if f-m.Gap > least*(1+1e-9) {
					t.Errorf("maxent, %s, alpha %g: at least %v, scikit-learn has %v", name, alpha, f-m.Gap, least)
				}
				switch {
				case m.Status != ended.Converged:
					t.Logf("maxent, %s, alpha %g: %v, gap %g of %g", name, alpha, m.Status, m.Gap, f)
				default:
					converged++
					if m.Gap > 1e-3*f || m.Gradient > 1e-6 || f > least*1.001 {
						t.Errorf("maxent, %s, alpha %g: converged at %v, gap %v, gradient %v, scikit-learn has %v", name, alpha, f, m.Gap, m.Gradient, least)
					}
				}
			}
			for _, C := range []float64{0.01, 1, 100} {
				for _, loss := range []Loss{SquaredHinge, Hinge} {
					m, err := FitLinearSVM(t.Context(), p.X, p.y, &LinearSVMOptions{C: C, Loss: loss, Gap: 1e-3})
					if ended.Accept(err) != nil || (err == nil) != (m.Status == ended.Converged) {
						t.Errorf("linear, %s, C %g: %v", name, C, err)
						continue
					}
					ran++
					if m.Status != ended.Converged {
						t.Logf("linear, %s, C %g, loss %d: %v", name, C, loss, m.Status)
						continue
					}
					converged++
					for k, f := range m.Objective {
						own := 0.0
						for j := range 4 {
							own += m.W.At(k, j) * m.W.At(k, j) / 2
						}
						own += m.B[k] * m.B[k] / 2
						for i := range n {
							y := -1.0
							if p.y[i] == k {
								y = 1
							}
							xi := math.Max(0, 1-y*(mat.Dot(p.X.RowView(i), m.W.RowView(k))+m.B[k]))
							if loss == SquaredHinge {
								xi *= xi
							}
							own += C * xi
						}
						if math.Abs(own-f) > 1e-9*own || m.Gap[k] > 1e-3*own {
							t.Errorf("linear, %s, C %g, loss %d: told %v, is %v, gap %v", name, C, loss, f, own, m.Gap[k])
						}
					}
				}
				m, err := FitRBFSVM(t.Context(), p.X, p.y, &RBFSVMOptions{C: C, Gap: 1e-3})
				if ended.Accept(err) != nil || (err == nil) != (m.Status == ended.Converged) {
					t.Errorf("RBF, %s, C %g: %v", name, C, err)
					continue
				}
				ran++
				if m.Status == ended.Converged {
					converged++
				}
				for q, f := range m.Objective {
					if m.Status == ended.Converged && f-m.Dual[q] > 1.001e-3*f {
						t.Errorf("RBF, %s, C %g: objective %v, dual %v", name, C, f, m.Dual[q])
					}
				}
				if m.Classes == 2 {
					least := py.Float(fmt.Sprintf("svc(X, y, %.17g, %.17g)", C, m.Gamma))
					if m.Dual[0] > least*(1+1e-6) || m.Status == ended.Converged && m.Objective[0] > least*1.001 {
						t.Errorf("RBF, %s, C %g: %v to %v, scikit-learn has %v", name, C, m.Dual[0], m.Objective[0], least)
					}
				}
			}
		}
	}
	t.Logf("%d trained, %d converged", ran, converged)
	if converged < ran*8/10 {
		t.Errorf("%d of %d converged", converged, ran)
	}
}

// TestWeights checks that a point of weight w is like w points, and that a class weight acts as the weight of
// each point of the class.
func TestWeights(t *testing.T) {
	X, y := blobs(60, 3, 3, 1, 11)
	rng := rand.New(rand.NewPCG(2, 2))
	w, class := make([]float64, 60), []float64{1, 2, 3}
	var idx []int
	for i := range w {
		w[i] = float64(rng.IntN(3))
		for range int(w[i] * class[y[i]]) {
			idx = append(idx, i)
		}
	}
	R, yr := Rows(X, idx), Labels(y, idx)
	more := float64(len(idx)) / 60 // number of repeated points divided by number of weighted points, because the means divide by these numbers
	ctx := t.Context()
	close := func(name string, a, b, tolerance float64) {
		t.Helper()
		if math.Abs(a-b) > tolerance*math.Abs(b) {
			t.Errorf("%s: weighted %v, repeated %v", name, a, b)
		}
	}
	a, err := FitMaxent(ctx, X, y, &MaxentOptions{Alpha: 0.01 * more, ClassWeights: class, SampleWeights: w})
	b, err2 := FitMaxent(ctx, R, yr, &MaxentOptions{Alpha: 0.01})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	close("maxent", a.Objective, b.Objective*more, 1e-9)
	for _, loss := range []Loss{SquaredHinge, Hinge} {
		a, err := FitLinearSVM(ctx, X, y, &LinearSVMOptions{Loss: loss, Tolerance: 1e-9, ClassWeights: class, SampleWeights: w, MaxIterations: 100000})
		b, err2 := FitLinearSVM(ctx, R, yr, &LinearSVMOptions{Loss: loss, Tolerance: 1e-9, MaxIterations: 100000})
		if err != nil || err2 != nil || a.Status != ended.Converged {
			t.Fatal(err, err2, a.Status)
		}
		for k := range 3 {
			close("linear", a.Objective[k], b.Objective[k], 1e-7)
			if a.Gap[k] > 1e-6*a.Objective[k] {
				t.Errorf("gap %v", a.Gap)
			}
		}
	}
	c, err := FitRBFSVM(ctx, X, y, &RBFSVMOptions{Gamma: 0.3, Tolerance: 1e-6, ClassWeights: class, SampleWeights: w})
	e, err2 := FitRBFSVM(ctx, R, yr, &RBFSVMOptions{Gamma: 0.3, Tolerance: 1e-6})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for q := range 3 {
		close("RBF", c.Objective[q], e.Objective[q], 1e-5)
	}
	for _, i := range c.Index {
		if w[i] == 0 {
			t.Errorf("point %d of weight 0 is a support vector", i)
		}
	}
	f, err := FitMDA(t.Context(), X, y, &MDAOptions{ClassWeights: class, SampleWeights: w})
	g, err2 := FitMDA(t.Context(), R, yr, nil)
	if err != nil || err2 != nil || !mat.EqualApprox(f.V, g.V, 1e-9) || !mat.EqualApprox(f.Centers, g.Centers, 1e-9) {
		t.Errorf("MDA: %v %v: %v, %v", err, err2, mat.Formatted(f.V), mat.Formatted(g.V))
	}
	m := NewNetwork(3, 5, 3, Tanh, 1)
	s := make([]float64, 60)
	for i := range s {
		s[i] = w[i] * class[y[i]]
	}
	fw, gw, err := m.gradient(t.Context(), "Gradient", X, y, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	fr, gr := m.Gradient(R, yr, 0)
	close("network", fw, fr*more, 1e-12)
	gr.W1.Scale(more, gr.W1)
	if !mat.EqualApprox(gw.W1, gr.W1, 1e-12) {
		t.Error("the network's gradient differs")
	}
	// With weights, a rare class is predicted more often.
	net := func(o NetworkOptions) int {
		o.NoValidation, o.Epochs, o.Hidden, o.Rate = true, 60, 5, 0.05
		n, err := FitNetwork(ctx, X, y, &o)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, p := range n.Predict(X) {
			if p == 2 {
				found++
			}
		}
		return found
	}
	if plain, weighed := net(NetworkOptions{}), net(NetworkOptions{ClassWeights: []float64{1, 1, 30}}); weighed <= plain {
		t.Errorf("class 2 is predicted %d times, with weight 30 %d times", plain, weighed)
	}
	if got := BalancedWeights([]int{0, 0, 0, 2}, 3); !slices.Equal(got, []float64{4. / 9, 0, 4. / 3}) {
		t.Errorf("balanced: %v", got)
	}
}

// TestSparseFeatures checks that sparse features give the same results as dense features.
func TestSparseFeatures(t *testing.T) {
	X, y := blobs(300, 9, 3, 1.5, 12)
	X = scaled(X, func(i, j int, v float64) float64 {
		if (3*i+5*j+i*j)%5 > 1 {
			return 0
		}
		return v
	})
	S := csr.Of(X)
	ctx := t.Context()
	a, err := FitMaxent(ctx, X, y, nil)
	b, err2 := FitMaxent(ctx, S, y, nil)
	if err != nil || err2 != nil || math.Abs(a.Objective-b.Objective) > 1e-9 {
		t.Errorf("maxent: %v %v: %v, %v", err, err2, a.Objective, b.Objective)
	}
	if !mat.EqualApprox(a.Probabilities(X), a.Probabilities(S), 1e-13) {
		t.Error("probabilities differ")
	}
	f, dW, _ := MaxentObjective(a.W, a.B, X, y, 0.1)
	g, dV, _ := MaxentObjective(a.W, a.B, S, y, 0.1)
	if math.Abs(f-g) > 1e-13 || !mat.EqualApprox(dW, dV, 1e-13) {
		t.Errorf("objective %v, sparse %v", f, g)
	}
	c, err := FitLinearSVM(ctx, X, y, &LinearSVMOptions{Tolerance: 1e-8, MaxIterations: 100000})
	d, err2 := FitLinearSVM(ctx, S, y, &LinearSVMOptions{Tolerance: 1e-8, MaxIterations: 100000})
	if err != nil || err2 != nil || !mat.EqualApprox(c.W, d.W, 1e-6) || !slices.Equal(c.Predict(X), d.Predict(S)) {
		t.Errorf("linear: %v %v", err, err2)
	}
	// Models without sparse products make a dense copy.
	r, err := FitRBFSVM(ctx, S, y, nil)
	if err != nil || !slices.Equal(r.Predict(S), r.Predict(X)) {
		t.Error(err)
	}
	X.Set(4, 2, math.NaN())
	if _, err := FitLinearSVM(ctx, csr.Of(X), y, nil); err == nil || err.Error() != "classify: FitLinearSVM: X(4, 2) is NaN" {
		t.Error(err)
	}
}

// TestRefusedByName checks that the error for an option out of range names the option.
func TestRefusedByName(t *testing.T) {
	ctx := t.Context()
	X, y := blobs(30, 3, 2, 1, 13)
	nan := math.NaN()
	times := func(f float64) *mat.Dense { return scaled(X, func(_, _ int, v float64) float64 { return f * v }) }
	for want, err := range map[string]error{
		"FitMaxent: Alpha is -1":            second(FitMaxent(ctx, X, y, &MaxentOptions{Alpha: -1})),
		"FitMaxent: Tolerance is NaN":       second(FitMaxent(ctx, X, y, &MaxentOptions{Tolerance: nan})),
		"FitMaxent: Gap is -1":              second(FitMaxent(ctx, X, y, &MaxentOptions{Gap: -1})),
		"FitMaxent: Memory is -1":           second(FitMaxent(ctx, X, y, &MaxentOptions{Memory: -1})),
		"FitMaxent: Classes is -1":          second(FitMaxent(ctx, X, y, &MaxentOptions{Classes: -1})),
		"FitMaxent: SampleWeights has 1":    second(FitMaxent(ctx, X, y, &MaxentOptions{SampleWeights: []float64{1}})),
		"FitNetwork: Momentum is 1":         second(FitNetwork(ctx, X, y, &NetworkOptions{Momentum: 1})),
		"FitNetwork: Rate is NaN":           second(FitNetwork(ctx, X, y, &NetworkOptions{Rate: nan})),
		"FitNetwork: Activation is 5":       second(FitNetwork(ctx, X, y, &NetworkOptions{Activation: 5})),
		"FitNetwork: ClassWeights[0] is -1": second(FitNetwork(ctx, X, y, &NetworkOptions{ClassWeights: []float64{-1, 1}})),
		"FitLinearSVM: C is -1":             second(FitLinearSVM(ctx, X, y, &LinearSVMOptions{C: -1})),
		"FitLinearSVM: BiasValue is +Inf":   second(FitLinearSVM(ctx, X, y, &LinearSVMOptions{BiasValue: math.Inf(1)})),
		"FitLinearSVM: Loss is 2":           second(FitLinearSVM(ctx, X, y, &LinearSVMOptions{Loss: 2})),
		"FitLinearSVM: the squares of":      second(FitLinearSVM(ctx, times(1e160), y, nil)),
		"FitRBFSVM: C is NaN":               second(FitRBFSVM(ctx, X, y, &RBFSVMOptions{C: nan})),
		"FitRBFSVM: CacheBytes is -1":       second(FitRBFSVM(ctx, X, y, &RBFSVMOptions{CacheBytes: -1})),
		"FitRBFSVM: X is up to":             second(FitRBFSVM(ctx, times(1e154), y, nil)),
		"FitRBFSVM: X is up to ":            second(FitRBFSVM(ctx, times(1e-170), y, nil)),
		"FitRBFSVM: Gap is NaN":             second(FitRBFSVM(ctx, X, y, &RBFSVMOptions{Gap: nan})),
		"FitLinearSVM: Gap is -1":           second(FitLinearSVM(ctx, X, y, &LinearSVMOptions{Gap: -1})),
		"FitMDA: Shrinkage is NaN":          second(FitMDA(ctx, X, y, &MDAOptions{Shrinkage: nan})),
		"FitMDA: Dimensions is -1":          second(FitMDA(ctx, X, y, &MDAOptions{Dimensions: -1})),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "classify: "+want) || len(err.Error()) > 160 {
			t.Errorf("%s: %v", want, err)
		}
	}
	//lint:ignore SA1012 a nil context is allowed, and tested here
	m, err := FitLinearSVM(nil, X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"nil X": func() { FitMaxent(ctx, nil, y, nil) }, "nil Dense": func() { FitRBFSVM(ctx, (*mat.Dense)(nil), y, nil) },
		"nil sparse": func() { FitLinearSVM(ctx, (*csr.Matrix)(nil), y, nil) }, "Standardize": func() { Standardize(nil) },
		"zero Maxent": func() { new(Maxent).Predict(X) }, "zero Network": func() { new(Network).Predict(X) }, "zero linear": func() { new(LinearSVM).Scores(X) },
		"zero RBF": func() { new(RBFSVM).Predict(X) }, "zero MDA": func() { new(MDA).Predict(X) }, "Rows": func() { Rows(nil, []int{0}) }, "Labels": func() { Labels(y, []int{30}) },
		"train": func() { FitMaxent(ctx, X.T(), y, nil) }, "sparse": func() { FitLinearSVM(ctx, csr.Of(X.T()), y, nil) }, "predict": func() { m.Predict(X.T()) },
	} {
		if r, _ := panics.Value(f).(string); !strings.HasPrefix(r, "classify: ") || slices.Contains([]string{"train", "sparse", "predict"}, name) && !strings.HasSuffix(r, "want 30×3, is X transposed?") {
			t.Errorf("%s: %q", name, r)
		}
	}
}

func second[T any](_ T, err error) error { return err }
