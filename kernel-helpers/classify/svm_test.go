package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

func TestLinearSVMGap(t *testing.T) {
	for _, loss := range []Loss{Hinge, SquaredHinge} {
		X, y := blobs(240, 6, 3, 1, 4)
		before := mat.DenseCopyOf(X)
		m, err := FitLinearSVM(t.Context(), X, y, &LinearSVMOptions{C: 0.5, Loss: loss, Tolerance: 1e-8, MaxIterations: 100000, BiasValue: 3})
		if err != nil || m.Status != ended.Converged || !mat.Equal(X, before) {
			t.Fatalf("%v, %v", err, m.Status)
		}
		for k := range 3 {
			// P is computed by its definition, not from the solver's vectors.
			Z := m.Scores(X)
			P := 0.5 * (floats.Dot(m.W.RawRowView(k), m.W.RawRowView(k)) + m.B[k]*m.B[k]/9)
			for i, c := range y {
				s := -1.0
				if c == k {
					s = 1
				}
				v := math.Max(0, 1-s*Z.At(i, k))
				if loss == SquaredHinge {
					v *= v
				}
				P += 0.5 * v
			}
			near(t, "P", m.Objective[k], P, 1e-10)
			if m.Gap[k] < -1e-9 || m.Gap[k] > 1e-6*P {
				t.Errorf("loss %d, machine %d: gap %g of %g", loss, k, m.Gap[k], P)
			}
			if len(m.History[k]) != m.Iterations[k] {
				t.Errorf("%d sweeps, history %d", m.Iterations[k], len(m.History[k]))
			}
		}
	}
}

func TestLinearSVMTwoPoints(t *testing.T) {
	// The points are x = ±1 with labels 1 and 0. By symmetry the bias is 0. With the squared hinge, ½w² +
	// 2C(1 − w)² has its minimum at w = 4C/(1 + 4C). With the hinge, the minimum is at min(1, 2C).
	X := mat.NewDense(2, 1, []float64{1, -1})
	for _, C := range []float64{0.1, 0.3, 2} {
		m, err := FitLinearSVM(t.Context(), X, []int{1, 0}, &LinearSVMOptions{C: C, Tolerance: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "w", m.W.At(1, 0), 4*C/(1+4*C), 1e-9)
		m, err = FitLinearSVM(t.Context(), X, []int{1, 0}, &LinearSVMOptions{C: C, Loss: Hinge, Tolerance: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "w", m.W.At(1, 0), math.Min(1, 2*C), 1e-9)
	}
}

func TestRBFSVMTwoPoints(t *testing.T) {
	// β = ±t with t = min(C, 2/(2 − 2e^{−γ‖x−z‖²})), the unconstrained step.
	X := mat.NewDense(2, 1, []float64{0, 2})
	for _, C := range []float64{0.5, 10} {
		m, err := FitRBFSVM(t.Context(), X, []int{0, 1}, &RBFSVMOptions{C: C, Gamma: 0.25})
		if err != nil {
			t.Fatal(err)
		}
		want := math.Min(C, 1/(1-math.Exp(-1)))
		near(t, "β", m.Beta.At(0, 0), want, 1e-6)
		near(t, "β", m.Beta.At(0, 1), -want, 1e-6)
		near(t, "bias", m.Bias[0], 0, 1e-6)
	}
}

// kkt checks the KKT conditions of machine p of m, using only the definition.
func kkt(t *testing.T, m *RBFSVM, X *mat.Dense, y []int, tolerance float64) {
	t.Helper()
	F := m.Decisions(X)
	beta := make([]float64, len(y))
	for p, pair := range pairsOf(m.Classes) {
		clear(beta)
		for c, i := range m.Index {
			beta[i] = m.Beta.At(p, c)
		}
		sum, primal, dual := 0.0, 0.0, 0.0
		for i, c := range y {
			s := 1.0
			switch c {
			case pair[0]:
			case pair[1]:
				s = -1
			default:
				if beta[i] != 0 {
					t.Errorf("machine %d uses point %d of class %d", p, i, c)
				}
				continue
			}
			a, f := s*beta[i], s*F.At(i, p)
			sum += beta[i]
			quad := beta[i] * (F.At(i, p) - m.Bias[p]) / 2
			primal += quad + m.C*math.Max(0, 1-f)
			dual += a - quad
			if a < 0 || a > m.C || a == 0 && f < 1-tolerance || a == m.C && f > 1+tolerance || a > 0 && a < m.C && math.Abs(f-1) > tolerance {
				t.Errorf("machine %d, point %d: α %g, yf %g", p, i, a, f)
			}
		}
		if math.Abs(sum) > 1e-9 {
			t.Errorf("machine %d: Σβ = %g", p, sum)
		}
		near(t, "primal", m.Objective[p], primal, 1e-5)
		near(t, "dual", m.Dual[p], dual, 1e-5)
		if gap := primal - dual; gap < -1e-5*primal || gap > 20*tolerance*primal {
			t.Errorf("machine %d: gap %g of %g", p, gap, primal)
		}
	}
}

func TestRBFSVMOptimality(t *testing.T) {
	X, y := blobs(240, 4, 3, 0.7, 9)
	for _, C := range []float64{0.1, 1, 30} {
		m, err := FitRBFSVM(t.Context(), X, y, &RBFSVMOptions{C: C, Tolerance: 1e-4})
		if err != nil || m.Status != ended.Converged {
			t.Fatalf("%v, %v", err, m.Status)
		}
		kkt(t, m, X, y, 2e-4)
		// A cache of three rows gives the same minimum.
		small, err := FitRBFSVM(t.Context(), X, y, &RBFSVMOptions{C: C, Tolerance: 1e-4, CacheBytes: 2 * 3 * 4 * 160})
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Objective {
			near(t, "objective with a small cache", small.Objective[p], m.Objective[p], 1e-9)
		}
	}
}

// TestRBFSVMShift checks that shifting all points does not change the results.
func TestRBFSVMShift(t *testing.T) {
	X, y := blobs(90, 3, 3, 1, 5)
	far := mat.DenseCopyOf(X)
	far.Apply(func(_, _ int, x float64) float64 { return x + 1e6 }, far)
	a, err := FitRBFSVM(t.Context(), X, y, &RBFSVMOptions{Gamma: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	b, err := FitRBFSVM(t.Context(), far, y, &RBFSVMOptions{Gamma: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(a.Decisions(X), b.Decisions(far), 1e-3) {
		t.Error("decisions depend on the origin")
	}
}

func TestKernelRows(t *testing.T) {
	X, _ := blobs(70, 3, 2, 1, 3)
	for _, capacity := range []int{2, 3, 5, 40, 70} {
		s := &smo{y: make([]float64, 70), C: 1, beta: make([]float64, 70), g: make([]float64, 70)}
		for i := range 70 {
			s.y[i], s.g[i] = 1, math.Sin(float64(i))
		}
		k := newKernelRows(X, RBF{0.4}, 1, capacity*4*70)
		for step := range 300 {
			i, j := step*step%70, (step*7+1)%70
			if i == j {
				continue
			}
			Ki := k.row(i, s)
			Kj := k.row(j, s)
			for r := range 70 {
				for _, v := range []struct {
					i   int
					got float32
				}{{i, Ki[r]}, {j, Kj[r]}} {
					want := math.Exp(-0.4 * math.Pow(floats.Distance(X.RawRowView(v.i), X.RawRowView(r), 2), 2))
					if math.Abs(float64(v.got)-want) > 1e-6 {
						t.Fatalf("capacity %d, step %d: K(%d, %d) = %v, want %v", capacity, step, v.i, r, v.got, want)
					}
				}
			}
			if len(k.kept) > capacity || len(k.kept) != k.order.Len() || len(k.kept) != len(k.place) {
				t.Fatalf("capacity %d: %d rows kept", capacity, len(k.kept))
			}
		}
	}
}

// TestLargeLabels: identifiers as labels are refused before memory for as many classes is taken.
func TestLargeLabels(t *testing.T) {
	X, y := blobs(6, 2, 2, 1, 1)
	y[5] = 1 << 40
	ctx := t.Context()
	for name, err := range map[string]error{
		"FitSVM":       func() error { _, err := FitSVM(ctx, X, y, nil); return err }(),
		"FitLinearSVM": func() error { _, err := FitLinearSVM(ctx, X, y, nil); return err }(),
		"FitMDA":       func() error { _, err := FitMDA(ctx, X, y, nil); return err }(),
		"FitMaxent":    func() error { _, err := FitMaxent(ctx, X, y, nil); return err }(),
		"FitNetwork":   func() error { _, err := FitNetwork(ctx, X, y, &NetworkOptions{NoValidation: true}); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "label y[5] is 1099511627776, more than there are points (6)") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSVMRefuses(t *testing.T) {
	X, y := blobs(10, 2, 2, 1, 1)
	if _, err := FitRBFSVM(t.Context(), X, y, &RBFSVMOptions{Classes: 3}); err == nil || !strings.Contains(err.Error(), "no point has label 2") {
		t.Error(err)
	}
	if _, err := FitLinearSVM(t.Context(), X, y, &LinearSVMOptions{C: -1}); err == nil {
		t.Error("C = -1 accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FitRBFSVM(ctx, X, y, &RBFSVMOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := FitLinearSVM(ctx, X, y, &LinearSVMOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if m, err := FitRBFSVM(t.Context(), X, y, &RBFSVMOptions{MaxIterations: 1}); !errors.Is(err, ended.ErrNotConverged) || m.Status != ended.IterationLimit {
		t.Error(err, m.Status)
	}
}

// TestSVMPeer compares with scikit-learn's LinearSVC and SVC (LIBLINEAR and LIBSVM).
func TestSVMPeer(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.svm import SVC, LinearSVC", "numpy", "sklearn")
	X, y := digits(t, 400, 10, 6)
	send(t, py, X, y)
	for _, c := range []struct {
		loss Loss
		name string
	}{{Hinge, "hinge"}, {SquaredHinge, "squared_hinge"}} {
		m, err := FitLinearSVM(t.Context(), X, y, &LinearSVMOptions{C: 0.1, Loss: c.loss, Tolerance: 1e-7, MaxIterations: 10000})
		if err != nil {
			t.Fatal(err)
		}
		py.Do(fmt.Sprintf("m = LinearSVC(C=0.1, loss=%q, dual=True, tol=1e-8, max_iter=100000).fit(X, y)", c.name))
		if d := floats.Distance(py.Floats("m.coef_.ravel()"), m.W.RawMatrix().Data, math.Inf(1)); d > 1e-5 {
			t.Errorf("%s: W differs by %g", c.name, d)
		}
		if d := floats.Distance(py.Floats("m.intercept_"), m.B, math.Inf(1)); d > 1e-5 {
			t.Errorf("%s: b differs by %g", c.name, d)
		}
	}
	m, err := FitRBFSVM(t.Context(), X, y, &RBFSVMOptions{C: 5, Tolerance: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	Xt, yt := digits(t, 300, 10, 7)
	py.Do("m = SVC(C=5, tol=1e-6, decision_function_shape='ovo').fit(X, y)")
	send(t, py, Xt, yt)
	want := py.Floats("m.decision_function(X).ravel()")
	if d := floats.Distance(want, m.Decisions(Xt).RawMatrix().Data, math.Inf(1)); d > 1e-3 {
		t.Errorf("decisions differ by %g", d)
	}
	near(t, "gamma", m.Gamma, py.Float("float(m._gamma)"), 1e-12)
	theirs := py.Floats("m.predict(X)")
	differ := 0
	for i, c := range m.Predict(Xt) {
		if float64(c) != theirs[i] {
			differ++
		}
	}
	// If votes are equal, LIBSVM chooses the class with the lower number, so a few predictions may differ.
	if differ > 3 {
		t.Errorf("%d of 300 predictions differ", differ)
	}
}

// TestPoints checks that points that hold nonzeros, and points that hold codes, give the same products as the rows.
func TestPoints(t *testing.T) {
	few := []float64{-2, -0.1, 0.3, 5e-324, 1e5, math.Copysign(0, -1)}
	for _, coded := range []bool{false, true} {
		X := random(60, 21, 1, 3)
		for i := range 60 {
			for j := range 21 {
				switch {
				case (i*j+j)%60 > i: // from no nonzeros to nonzeros everywhere
					X.Set(i, j, 0)
				case coded:
					X.Set(i, j, few[(i+j*j)%len(few)])
				}
			}
		}
		X.Set(0, 0, 0)
		points := compress(X)
		if coded {
			points = encode(X)
		} else if encode(X) != nil {
			t.Error("more than 256 values have codes")
		}
		sparse := 0
		for i, p := range points {
			row := X.RawRowView(i)
			if p.index != nil || p.table != nil {
				sparse++
			}
			w := random(1, 21, 1, uint64(i)).RawRowView(0)
			near(t, "dot", p.dot(w), floats.Dot(w, row), 1e-14)
			near(t, "norm", p.squaredNorm(), floats.Dot(row, row), 1e-14)
			all := make([]float64, 21)
			p.visit(func(j int, x float64) { all[j] = x })
			if !floats.Equal(all, row) {
				t.Errorf("point %d: %v, want %v", i, all, row)
			}
			want := make([]float64, 21)
			floats.AddScaledTo(want, w, 0.7, row)
			p.addTo(w, 0.7)
			if !floats.EqualApprox(w, want, 1e-15) {
				t.Errorf("point %d: %v, want %v", i, w, want)
			}
		}
		if sparse == 0 || sparse == 60 {
			t.Errorf("%d of 60 points are sparse", sparse)
		}
	}
}

// A table of codes has room for 256 nonzeros, and for no more.
func TestCodes(t *testing.T) {
	for _, n := range []int{256, 257} {
		X := mat.NewDense(n, 3, nil)
		for i := range n {
			X.Set(i, 1, float64(i+1)/255)
		}
		if p := encode(X); (p != nil) != (n == 256) {
			t.Errorf("%d values: %v", n, p != nil)
		}
	}
}

// TestLinearSVMLargeFeature checks that a feature of size 1e4 among features of size 1 does not end training
// with the squared hinge early: the interior point method follows descent.
func TestLinearSVMLargeFeature(t *testing.T) {
	X, y := blobs(80, 4, 2, 0.7, 21)
	for i := range 80 {
		X.Set(i, 1, 1e4*X.At(i, 1))
	}
	m, err := FitLinearSVM(t.Context(), X, y, nil)
	if err != nil || m.Status != ended.Converged {
		t.Fatal(err, m.Status)
	}
	for k, gap := range m.Gap {
		if gap > 1e-6*m.Objective[k] {
			t.Errorf("machine %d: gap %v of %v", k, gap, m.Objective[k])
		}
	}
	stopped, err := FitLinearSVM(t.Context(), X, y, &LinearSVMOptions{MaxIterations: 50})
	if !errors.Is(err, ended.ErrNotConverged) || stopped.Status != ended.IterationLimit || stopped.Iterations[0] != 50 {
		t.Errorf("asked for 50 sweeps: %v, %v of them, %v", stopped.Status, stopped.Iterations, err)
	}
}

// TestRBFSVMConstant: if all elements of X are equal, there is no variance, and the default γ is 1. This holds for any
// value of the elements, no matter how their sum is rounded.
func TestRBFSVMConstant(t *testing.T) {
	X := mat.NewDense(1000, 3, nil)
	X.Apply(func(_, _ int, _ float64) float64 { return 0.1 }, X)
	y := make([]int, 1000)
	y[0], y[1] = 1, 1
	m, err := FitRBFSVM(t.Context(), X, y, nil)
	if err != nil || m.Gamma != 1 {
		t.Errorf("γ = %v, %v", m.Gamma, err)
	}
}

// TestLinearSVMUsable: no matter how training ends, Objective agrees with its definition, and is at most that of w̃ =
// 0. Objective − Gap is at most the objective of any other run.
func TestLinearSVMUsable(t *testing.T) {
	type problem struct {
		X *mat.Dense
		y []int
	}
	mix, ym := blobs(80, 3, 2, 0.7, 1)
	counts, yc := mat.NewDense(60, 40, nil), make([]int, 60)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range yc {
		yc[i] = rng.IntN(2)
		for j := range 40 {
			counts.Set(i, j, float64(rng.IntN(4)))
		}
	}
	problems := map[string]problem{}
	for _, off := range []float64{0, 1e2, 1e4, 1e6} {
		problems[fmt.Sprintf("mix + %g", off)] = problem{scaled(mix, func(_, _ int, v float64) float64 { return v + off }), ym}
	}
	for _, s := range []float64{1, 1e4, 1e8, 1e12} {
		problems[fmt.Sprintf("counts times %g", s)] = problem{scaled(counts, func(_, _ int, v float64) float64 { return v * s }), yc}
	}
	problems["a column times 1e6"] = problem{scaled(mix, func(_, j int, v float64) float64 { return v * []float64{1, 1e6, 1}[j] }), ym}
	weights := make([]float64, 80)
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, p := range problems {
		n, d := p.X.Dims()
		for _, s := range [][]float64{nil, weights[:n]} {
			for _, loss := range []Loss{SquaredHinge, Hinge} {
				above, below := math.Inf(1), math.Inf(-1) // bounds of the minimum of machine 0
				for _, o := range []LinearSVMOptions{{}, {MaxIterations: 1}, {MaxIterations: 30}, {Gap: 1e-4}} {
					o.C, o.Loss, o.SampleWeights, o.BiasValue = 0.1, loss, s, 2
					what := fmt.Sprintf("%s, %+v", name, o)
					m, err := FitLinearSVM(t.Context(), p.X, p.y, &o)
					if ended.Accept(err) != nil {
						t.Fatal(what, err)
					}
					if err != nil && loss == SquaredHinge && o.MaxIterations == 0 && strings.HasPrefix(name, "mix") {
						t.Errorf("%s: %v", what, err)
					}
					for k, f := range m.Objective {
						own := floats.Dot(m.W.RawRowView(k), m.W.RawRowView(k))/2 + m.B[k]*m.B[k]/8
						zero := 0.0
						for i := range n {
							weight, y := 0.1, -1.0
							if s != nil {
								weight *= s[i]
							}
							if p.y[i] == k {
								y = 1
							}
							xi := math.Max(0, 1-y*(floats.Dot(m.W.RawRowView(k), p.X.RawRowView(i))+m.B[k]))
							if loss == SquaredHinge {
								xi *= xi
							}
							own += weight * xi
							zero += weight
						}
						if math.Abs(own-f) > 1e-8*zero || f > zero*(1+1e-12) {
							t.Errorf("%s: told %v, is %v, and at w = 0 it is %v", what, f, own, zero)
						}
						if k == 0 {
							above, below = math.Min(above, f), math.Max(below, f-m.Gap[k])
						}
					}
				}
				if below > above+1e-9*float64(n)+1e-15*float64(d) {
					t.Errorf("%s, loss %d: the minimum is at least %v and at most %v", name, loss, below, above)
				}
			}
		}
	}
	m, err := FitLinearSVM(over, mix, ym, nil)
	if !errors.Is(err, context.Canceled) || m.Objective[0] != 80 || m.Gap[0] != 80 {
		t.Errorf("interrupted: %v, %v, gap %v", err, m.Objective, m.Gap)
	}
}

// TestLinearSVMTwoPointsFar: with x = m ± 1 and the squared hinge, both points stay within the margin, so the
// minimum solves two linear equations. The test solves them in rational numbers.
func TestLinearSVMTwoPointsFar(t *testing.T) {
	for _, mean := range []float64{0, 1e2, 1e4, 1e5, 1e6} {
		X := mat.NewDense(2, 1, []float64{mean + 1, mean - 1})
		m, err := FitLinearSVM(t.Context(), X, []int{1, 0}, &LinearSVMOptions{C: 0.25})
		if err != nil {
			t.Errorf("mean %g: %v", mean, err)
		}
		// P = ½(w² + b²) + ¼ Σ (1 − y_i(w x_i + b))². Both derivatives are 0, with x_i = m ± 1:
		//	(1 + m² + 1) w + m b = 1,   m w + 2 b = 0
		r := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
		mm := new(big.Rat).Mul(r(mean), r(mean))
		w := new(big.Rat).Quo(r(1), new(big.Rat).Add(r(2), new(big.Rat).Quo(mm, r(2))))
		b := new(big.Rat).Quo(new(big.Rat).Mul(w, r(-mean)), r(2))
		P := new(big.Rat).Mul(r(0.5), new(big.Rat).Add(new(big.Rat).Mul(w, w), new(big.Rat).Mul(b, b)))
		for _, side := range []float64{1, -1} {
			z := new(big.Rat).Add(new(big.Rat).Mul(w, r(mean+side)), b)
			xi := new(big.Rat).Sub(r(1), z.Mul(z, r(side)))
			P.Add(P, xi.Mul(xi, xi).Mul(xi, r(0.25)))
		}
		want, _ := P.Float64()
		near(t, fmt.Sprintf("P, mean %g", mean), m.Objective[1], want, 1e-5)
	}
}

// TestRBFSVMFarPoints: points that are far away, alone or in a group, do not change the kernel of the other points. The
// objective, the dual value and the decisions equal those computed from differences between points.
func TestRBFSVMFarPoints(t *testing.T) {
	X, y := blobs(80, 3, 2, 0.7, 1)
	at := func(f func(i, j int) float64) *mat.Dense {
		return scaled(X, func(i, j int, v float64) float64 { return v + f(i, j) })
	}
	last := func(far float64) *mat.Dense {
		Z := mat.DenseCopyOf(X)
		Z.SetRow(79, []float64{far, 0, 0})
		return Z
	}
	for name, Z := range map[string]*mat.Dense{
		"near":               X,
		"a point at 1e9":     last(1e9),
		"a point at -1e10":   last(-1e10),
		"a point at 1e15":    last(1e15),
		"a point at 1e100":   last(1e100),
		"a group at 1e10":    at(func(i, j int) float64 { return float64(i/70*(1-j)*(2-j)) / 2 * 1e10 }),
		"all but 10 at 1e10": at(func(i, j int) float64 { return float64(min(i/10, 1)) * 1e10 }),
		"halves":             at(func(i, j int) float64 { return float64(i%4/2) * 1e9 }),
		"all at 1e8":         at(func(i, j int) float64 { return 1e8 }),
		"a point from 1e6":   scaled(last(1e10), func(i, j int, v float64) float64 { return v + 1e6 }),
	} {
		for _, C := range []float64{1, 1e4} {
			m, err := FitRBFSVM(t.Context(), Z, y, &RBFSVMOptions{Gamma: 1, C: C, Tolerance: 1e-5})
			if err != nil {
				t.Errorf("%s, C %g: %v", name, C, err)
				continue
			}
			kernel := func(a, b int) float64 {
				d := 0.0
				for j := range 3 {
					e := Z.At(a, j) - Z.At(b, j)
					d += e * e
				}
				return math.Exp(-d)
			}
			F := m.Decisions(Z)
			primal, dual, scale := 0.0, 0.0, 1.0
			for i, c := range y {
				f, own := 0.0, 0.0
				for k, s := range m.Index {
					f += m.Beta.At(0, k) * kernel(s, i)
					if s == i {
						own = m.Beta.At(0, k)
					}
				}
				side := 1.0
				if c == 1 {
					side = -1
				}
				primal += own*f/2 + C*math.Max(0, 1-side*(f+m.Bias[0]))
				dual += side*own - own*f/2
				if e := math.Abs(F.At(i, 0) - f - m.Bias[0]); e > 1e-7*(1+floats.Norm(m.Beta.RawRowView(0), 1)) {
					t.Errorf("%s, C %g: the decision of point %d is off by %g", name, C, i, e)
				}
				scale += math.Abs(own)
			}
			// The rows of the kernel matrix have the rounding of float32.
			if e := math.Max(math.Abs(primal-m.Objective[0]), math.Abs(dual-m.Dual[0])); e > 1e-6*scale*math.Max(1, C/100) {
				t.Errorf("%s, C %g: told %v to %v, is %v to %v", name, C, m.Dual[0], m.Objective[0], dual, primal)
			}
			if primal-dual > 1e-5*C*80+1e-6*scale*math.Max(1, C/100) {
				t.Errorf("%s, C %g: gap %g of %g", name, C, primal-dual, primal)
			}
		}
	}
}

// TestLinearSVMTall checks that many overlapping points take few steps, and end at the minimum that the interior point
// method finds.
func TestLinearSVMTall(t *testing.T) {
	const n, d = 3000, 20
	rng := rand.New(rand.NewPCG(7, 1))
	X, y := mat.NewDense(n, d, nil), make([]int, n)
	weights := make([]float64, n)
	for i := range n {
		sum := 2 * rng.NormFloat64()
		for j := range d {
			v := rng.NormFloat64()
			X.Set(i, j, v*math.Pow(10, float64(j%5-2))+3)
			if j < 5 {
				sum += v
			}
		}
		if sum > 0 {
			y[i] = 1
		}
		weights[i] = float64(rng.IntN(3))
	}
	for _, s := range [][]float64{nil, weights} {
		m, err := FitLinearSVM(t.Context(), X, y, &LinearSVMOptions{SampleWeights: s})
		if err != nil {
			t.Fatal(err)
		}
		if m.Iterations[1] > 40 || m.Gap[1] > 1e-6*m.Objective[1] {
			t.Errorf("%d iterations, a gap of %g of %g", m.Iterations[1], m.Gap[1], m.Objective[1])
		}
		if m.Objective[0] != m.Objective[1] || m.B[0] != -m.B[1] || m.W.At(0, 3) != -m.W.At(1, 3) {
			t.Error("the two machines are not opposite")
		}
		norms := make([]float64, n)
		x := pointsOf(denseFeatures{X})
		for i := range norms {
			norms[i] = x[i].squaredNorm() + 1
		}
		other := &dualDescent{x: x, y: make([]float64, n), s: s, norms: norms, alpha: make([]float64, n), w: make([]float64, d),
			opt: LinearSVMOptions{C: 1, BiasValue: 1, Gap: 1e-9}}
		for i, c := range y {
			other.y[i] = float64(2*c - 1)
		}
		other.interior(t.Context())
		if p, _ := other.values(); math.Abs(p-m.Objective[1]) > 2e-6*p {
			t.Errorf("objective %v, by the interior point method %v", m.Objective[1], p)
		}
	}
}
