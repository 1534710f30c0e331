package classify

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// cauchy is a positive definite kernel that the package does not provide.
func cauchy(x, z []float64) float64 {
	d := floats.Distance(x, z, 2)
	return 1 / (1 + d*d/4)
}

// gram returns the kernel matrix by its definition.
func gram(k Kernel, X *mat.Dense) *mat.Dense {
	n, _ := X.Dims()
	K := mat.NewDense(n, n, nil)
	K.Apply(func(i, j int, _ float64) float64 { return k.Value(X.RawRowView(i), X.RawRowView(j)) }, K)
	return K
}

// energy returns β'Kβ.
func energy(K *mat.Dense, beta []float64) float64 {
	b := mat.NewVecDense(len(beta), beta)
	return mat.Inner(b, K, b)
}

// TestSVMGap: for each kernel that is positive definite, the primal is an upper and the dual a lower bound of the
// minimum, both computed from their definitions. A small gap proves that the solution is right.
func TestSVMGap(t *testing.T) {
	X, y := blobs(90, 3, 3, 0.8, 3)
	before := mat.DenseCopyOf(X)
	far := scaled(X, func(_, _ int, v float64) float64 { return v + 1e5 })
	big := scaled(X, func(_, _ int, v float64) float64 { return 300 * v })
	for name, c := range map[string]struct {
		X *mat.Dense
		k Kernel
		C float64
	}{
		"rbf":             {X, nil, 2},
		"linear":          {X, Linear{}, 2},
		"linear, far":     {far, Linear{}, 2},
		"linear, large":   {big, Linear{}, 1e-4},
		"polynomial":      {X, Polynomial{Offset: 1}, 2},
		"degree 2":        {X, Polynomial{Degree: 2, Gamma: 3, Offset: 5}, 0.1},
		"degree 5, large": {big, Polynomial{Degree: 5, Gamma: 1e-4, Offset: 1}, 1},
		"function":        {X, KernelFunc(cauchy), 2},
	} {
		m, err := FitSVM(t.Context(), c.X, y, &SVMOptions{Kernel: c.k, C: c.C, Tolerance: 1e-5, Gap: 5e-5})
		if err != nil || m.Status != ended.Converged {
			t.Errorf("%s: %v", name, err)
			continue
		}
		K, F := gram(m.Kernel, c.X), m.Decisions(c.X)
		for p, pair := range pairsOf(3) {
			beta := make([]float64, len(y))
			for col, i := range m.Index {
				beta[i] = m.Beta.At(p, col)
			}
			primal, dual := 0.0, 0.0
			for i, label := range y {
				s := 1.0
				if label == pair[1] {
					s = -1
				}
				if label == pair[0] || label == pair[1] {
					primal += c.C * math.Max(0, 1-s*F.At(i, p))
					dual += s * beta[i]
				} else if beta[i] != 0 {
					t.Errorf("%s: machine %d uses point %d of class %d", name, p, i, label)
				}
				if a := s * beta[i]; a < 0 || a > c.C {
					t.Errorf("%s: α is %v", name, a)
				}
			}
			if sum := floats.Sum(beta); math.Abs(sum) > 1e-9*c.C {
				t.Errorf("%s: Σβ = %g", name, sum)
			}
			e := energy(K, beta)
			if name == "linear, far" { // K itself has lost 1e-6 of the energy
				e = 0
				var w mat.VecDense
				w.MulVec(X.T(), mat.NewVecDense(len(y), beta))
				e = mat.Dot(&w, &w)
			}
			primal, dual = primal+e/2, dual-e/2
			if gap := primal - dual; gap > 1e-4*primal || gap < -1e-6*primal {
				t.Errorf("%s, machine %d: primal %v, dual %v", name, p, primal, dual)
			}
			near(t, name+", objective", m.Objective[p], primal, 1e-5)
			near(t, name+", dual", m.Dual[p], dual, 1e-5)
		}
	}
	if !mat.Equal(X, before) {
		t.Error("X was changed")
	}
}

// TestSVMKernelsAgree: the linear kernel gives the same model as the polynomial kernel of degree 1, and as a function
// that computes the linear kernel. RBF and a function that computes it also agree. With x = ±1, w = min(1, 2C)
// minimizes ½w² + 2C max(0, 1 − w).
func TestSVMKernelsAgree(t *testing.T) {
	X, y := blobs(60, 3, 2, 0.8, 4)
	fit := func(k Kernel) *mat.Dense {
		m, err := FitSVM(t.Context(), X, y, &SVMOptions{Kernel: k, Tolerance: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		return m.Decisions(X)
	}
	dot := KernelFunc(func(x, z []float64) float64 { return floats.Dot(x, z) })
	for _, pair := range [][2]Kernel{
		{Linear{}, Polynomial{Degree: 1, Gamma: 1}}, {Linear{}, dot}, {RBF{0.2}, KernelFunc(RBF{0.2}.Value)},
		{Polynomial{Degree: 2, Gamma: 0.5, Offset: 1}, KernelFunc(Polynomial{Degree: 2, Gamma: 0.5, Offset: 1}.Value)},
		{Sigmoid{Gamma: 0.05}, KernelFunc(Sigmoid{Gamma: 0.05}.Value)},
	} {
		if a, b := fit(pair[0]), fit(pair[1]); !mat.EqualApprox(a, b, 1e-4) {
			t.Errorf("%T and %T differ", pair[0], pair[1])
		}
	}
	two := mat.NewDense(2, 1, []float64{1, -1})
	for _, C := range []float64{0.1, 0.3, 2} {
		m, err := FitSVM(t.Context(), two, []int{0, 1}, &SVMOptions{Kernel: Linear{}, C: C, Tolerance: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		F := m.Decisions(two)
		near(t, "w", (F.At(0, 0)-F.At(1, 0))/2, math.Min(1, 2*C), 1e-9)
	}
}

// svrBounds returns the primal and the dual of m by their definitions.
func svrBounds(m *SVR, K *mat.Dense, f, y, weights []float64) (primal, dual float64, beta []float64) {
	beta = make([]float64, len(y))
	for c, i := range m.Index {
		beta[i] = m.Beta[c]
	}
	e := energy(K, beta)
	primal, dual = e/2, -e/2
	for i, v := range y {
		primal += m.C * weights[i] * math.Max(0, math.Abs(v-f[i])-m.Epsilon)
		dual += v*beta[i] - m.Epsilon*math.Abs(beta[i])
	}
	return primal, dual, beta
}

// TestSVRGap: the primal and the dual of ε-SVR bound the minimum from both sides.
func TestSVRGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	X := random(70, 2, 1, 8)
	y, weights := make([]float64, 70), make([]float64, 70)
	for i := range y {
		y[i] = math.Sin(2*X.At(i, 0)) + X.At(i, 1)/2 + 0.2*rng.NormFloat64()
		weights[i] = float64(i % 3)
	}
	ones := make([]float64, 70)
	floats.AddConst(1, ones)
	for _, k := range []Kernel{RBF{}, Linear{}, Polynomial{Degree: 2, Offset: 1}, KernelFunc(cauchy)} {
		for _, epsilon := range []float64{0, -1, 0.4} {
			for _, s := range [][]float64{nil, weights} {
				for _, offset := range []float64{0, 1e6} {
					z := make([]float64, 70)
					floats.AddConst(offset, z)
					floats.Add(z, y)
					m, err := FitSVR(t.Context(), X, z, &SVROptions{Kernel: k, C: 3, Epsilon: epsilon, SampleWeights: s, Tolerance: 1e-5})
					if err != nil || m.Status != ended.Converged {
						t.Fatal(err)
					}
					w := ones
					if s != nil {
						w = s
					}
					primal, dual, beta := svrBounds(m, gram(m.Kernel, X), m.Predict(X), z, w)
					if math.Abs(floats.Sum(beta)) > 1e-8 {
						t.Errorf("%T: Σβ = %g", k, floats.Sum(beta))
					}
					for i, b := range beta {
						if math.Abs(b) > m.C*w[i] {
							t.Errorf("%T: β of point %d is %v", k, i, b)
						}
					}
					if gap := primal - dual; math.Abs(gap) > 1e-4*primal {
						t.Errorf("%T, ε %v: primal %v, dual %v", k, m.Epsilon, primal, dual)
					}
					near(t, "objective", m.Objective, primal, 1e-5)
					near(t, "dual", m.Dual, dual, 1e-5)
				}
			}
		}
	}
}

// TestSVRClosedForm: for x = ±1 with y = ±a, f(x) = wx with w = max(0, min(a − ε, 2C)), which minimizes ½w² + 2C max(0,
// a − ε − w). If all errors are below ε, f is constant.
func TestSVRClosedForm(t *testing.T) {
	X := mat.NewDense(2, 1, []float64{1, -1})
	for _, c := range []struct{ a, C, epsilon float64 }{{3, 1, 0.5}, {3, 10, 0.5}, {0.3, 1, 0.5}, {1, 10, -1}} {
		m, err := FitSVR(t.Context(), X, []float64{7 + c.a, 7 - c.a}, &SVROptions{Kernel: Linear{}, C: c.C, Epsilon: c.epsilon, Tolerance: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		w := math.Max(0, math.Min(c.a-math.Max(0, c.epsilon), 2*c.C))
		f := m.Predict(X)
		near(t, "f(1)", f[0], 7+w, 1e-9)
		near(t, "f(-1)", f[1], 7-w, 1e-9)
		if (m.Support == nil) != (w == 0) {
			t.Errorf("%+v: %d support vectors", c, len(m.Index))
		}
	}
}

// TestFitSigmoid: at the minimum both derivatives are 0, and the Hessian is positive definite, so there is no
// other minimum.
func TestFitSigmoid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for trial := range 40 {
		n := 5 + rng.IntN(60)
		f, y := make([]float64, n), make([]float64, n)
		scale := math.Pow(10, float64(trial%9-4))
		for i := range f {
			f[i], y[i] = scale*rng.NormFloat64(), 1
			if rng.Float64() > 1/(1+math.Exp(-3*f[i]/scale)) && trial%4 > 0 || i == 0 {
				y[i] = -1
			}
		}
		S := fitSigmoid(f, y)
		plus := 0.0
		for _, s := range y {
			plus += (s + 1) / 2
		}
		ga, gb := 0.0, 0.0
		for i, v := range f {
			want := 1 / (float64(n) - plus + 2)
			if y[i] > 0 {
				want = (plus + 1) / (plus + 2)
			}
			e := want - 1/(1+math.Exp(S[0]*v+S[1]))
			ga += e * v / scale
			gb += e
		}
		if math.Abs(ga) > 1e-4*float64(n) || math.Abs(gb) > 1e-6*float64(n) {
			t.Errorf("trial %d: the derivatives are %g and %g", trial, ga, gb)
		}
	}
}

// TestCouple: couple recovers p from consistent probabilities r_ij = p_i/(p_i + p_j). For other r, no point of the
// simplex has a smaller sum of squares than the result.
func TestCouple(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for K := 2; K < 7; K++ {
		p, got := make([]float64, K), make([]float64, K)
		for i := range p {
			p[i] = rng.ExpFloat64()
		}
		floats.Scale(1/floats.Sum(p), p)
		r := mat.NewDense(K, K, nil)
		r.Apply(func(i, j int, _ float64) float64 { return p[i] / (p[i] + p[j]) }, r)
		couple(r, got)
		if !floats.EqualApprox(got, p, 1e-12) {
			t.Errorf("%v, want %v", got, p)
		}
		for i := range K {
			for j := range i {
				v := rng.Float64()
				r.Set(i, j, clip(v*v*v))
				r.Set(j, i, clip(1-v*v*v))
			}
		}
		loss := func(p []float64) float64 {
			sum := 0.0
			for i := range K {
				for j := range K {
					if i != j {
						e := r.At(j, i)*p[i] - r.At(i, j)*p[j]
						sum += e * e
					}
				}
			}
			return sum
		}
		couple(r, got)
		least := loss(got)
		near(t, "Σp", floats.Sum(got), 1, 1e-14)
		for range 200 {
			q := make([]float64, K)
			for i := range q {
				q[i] = math.Max(0, got[i]+0.1*rng.NormFloat64())
			}
			floats.Scale(1/floats.Sum(q), q)
			if l := loss(q); l < least-1e-12 {
				t.Fatalf("K = %d: %v has %v, and %v has %v", K, got, least, q, l)
			}
		}
	}
}

// TestSVMProbabilities: probabilities sum to 1, are the same for the same seed, and are nearer to the truth than the
// shares of the classes. The truth for two normal classes: a point x belongs to the class with mean m with probability
// 1/(1 + exp(−2x'm)).
func TestSVMProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	X, y := mat.NewDense(400, 1, nil), make([]int, 400)
	truth := make([]float64, 400)
	for i := range y {
		y[i] = i % 2
		x := rng.NormFloat64() + 1 - 2*float64(y[i])
		X.Set(i, 0, x)
		truth[i] = 1 / (1 + math.Exp(-2*x))
	}
	o := &SVMOptions{Kernel: Linear{}, Probability: true, Seed: 7}
	m, err := FitSVM(t.Context(), X, y, o)
	if err != nil {
		t.Fatal(err)
	}
	P := m.Probabilities(X)
	off := 0.0
	for i, p := range truth {
		near(t, "Σp", floats.Sum(P.RawRowView(i)), 1, 1e-14)
		off += math.Abs(P.At(i, 0)-p) / 400
	}
	if off > 0.05 { // the shares of the classes are off by 0.37
		t.Errorf("probabilities are off by %v", off)
	}
	again, err := FitSVM(t.Context(), X, y, o)
	if err != nil || again.Sigmoids[0] != m.Sigmoids[0] {
		t.Errorf("the same seed: %v, %v, %v", again.Sigmoids, m.Sigmoids, err)
	}
	X3, y3 := blobs(90, 2, 3, 2, 6)
	y3[0], y3[3] = 3, 3 // a class of two points
	m, err = FitSVM(t.Context(), X3, y3, &SVMOptions{Probability: true, Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	P = m.Probabilities(X3)
	for i := range 90 {
		near(t, "Σp", floats.Sum(P.RawRowView(i)), 1, 1e-14)
		if floats.Min(P.RawRowView(i)) < 0 {
			t.Errorf("negative: %v", P.RawRowView(i))
		}
	}
}

func TestKernelsRefuse(t *testing.T) {
	X, y := blobs(20, 2, 2, 1, 1)
	z := make([]float64, 20)
	bad := X.RawRowView(7)[0]
	for name, k := range map[string]Kernel{
		"of points 7 and 7 is NaN": KernelFunc(func(x, z []float64) float64 {
			if x[0] == bad {
				return math.NaN()
			}
			return floats.Dot(x, z)
		}),
		"below 3.4e+38":     Polynomial{Degree: 200, Gamma: 1000, Offset: 1},
		"Gamma is -1":       RBF{-1},
		"Offset is NaN":     Sigmoid{Offset: math.NaN()},
		"Kernel holds nil":  KernelFunc(nil),
		"Degree is -1":      Polynomial{Degree: -1},
		"Gamma is +Inf":     Polynomial{Gamma: math.Inf(1)},
		"Offset is -1, mus": Polynomial{Offset: -1},
	} {
		if _, err := FitSVM(t.Context(), X, y, &SVMOptions{Kernel: k}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := FitSVR(t.Context(), X, z, &SVROptions{Kernel: k}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	z[4] = math.NaN()
	if _, err := FitSVR(t.Context(), X, z, nil); err == nil || !strings.Contains(err.Error(), "y[4] is NaN") {
		t.Error(err)
	}
	z[4] = 1e9
	if m, err := FitSVR(t.Context(), X, z, &SVROptions{C: 1e9, MaxIterations: 1}); !errors.Is(err, ended.ErrNotConverged) || m.Status != ended.IterationLimit {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := FitSVR(ctx, X, z, nil); !errors.Is(err, context.Canceled) || m.Status != ended.Interrupted {
		t.Error(err)
	}
}

// TestKernelsPeer compares with scikit-learn's SVC and SVR (LIBSVM) at the same objective.
func TestKernelsPeer(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.svm import SVC, SVR\nfrom sklearn.metrics import log_loss", "numpy", "sklearn")
	X, y := blobs(150, 4, 3, 0.8, 9)
	send(t, py, X, y)
	py.Do("cauchy = lambda a, b: 1/(1 + ((a[:, None] - b[None])**2).sum(2)/4)\nr = np.sin(X[:, 0]) + X[:, 1]")
	target := py.Floats("r")
	for name, k := range map[string]Kernel{
		"kernel='linear'":                             Linear{},
		"kernel='poly', coef0=1":                      Polynomial{Offset: 1},
		"kernel='poly', degree=2, gamma=0.3, coef0=2": Polynomial{Degree: 2, Gamma: 0.3, Offset: 2},
		"kernel='sigmoid', gamma=0.01, coef0=0.1":     Sigmoid{Gamma: 0.01, Offset: 0.1},
		"kernel=cauchy":                               KernelFunc(cauchy),
		"kernel='rbf'":                                nil,
	} {
		m, err := FitSVM(t.Context(), X, y, &SVMOptions{Kernel: k, Tolerance: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		py.Do(fmt.Sprintf("m = SVC(C=1, tol=1e-7, decision_function_shape='ovo', %s).fit(X, y)", name))
		if d := floats.Distance(py.Floats("m.decision_function(X).ravel()"), m.Decisions(X).RawMatrix().Data, math.Inf(1)); d > 1e-3 {
			t.Errorf("SVC, %s: decisions differ by %g", name, d)
		}
		r, err := FitSVR(t.Context(), X, target, &SVROptions{Kernel: k, Tolerance: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		py.Do(fmt.Sprintf("m = SVR(C=1, tol=1e-7, %s).fit(X, r)", name))
		if d := floats.Distance(py.Floats("m.predict(X)"), r.Predict(X), math.Inf(1)); d > 1e-3 {
			t.Errorf("SVR, %s: predictions differ by %g", name, d)
		}
	}
	// The folds are drawn differently, so only the likelihood is compared.
	m, err := FitSVM(t.Context(), X, y, &SVMOptions{Probability: true})
	if err != nil {
		t.Fatal(err)
	}
	loss, P := 0.0, m.Probabilities(X)
	for i, c := range y {
		loss -= math.Log(P.At(i, c)) / 150
	}
	if theirs := py.Float("log_loss(y, SVC(probability=True, random_state=1).fit(X, y).predict_proba(X))"); math.Abs(loss-theirs) > 0.1*theirs {
		t.Errorf("log loss %v, scikit-learn's %v", loss, theirs)
	}
}

// TestSVMDegenerate: equal points, equal targets, and a kernel that is 0 have closed forms.
func TestSVMDegenerate(t *testing.T) {
	X := mat.NewDense(5, 2, []float64{3, 1, 3, 1, 3, 1, 3, 1, 3, 1})
	for _, k := range []Kernel{nil, Linear{}, Polynomial{Offset: 1}, KernelFunc(func(_, _ []float64) float64 { return 0 })} {
		// f is constant: the two points of class 1 are on the wrong side, with a loss of 2 each.
		m, err := FitSVM(t.Context(), X, []int{0, 1, 0, 1, 0}, &SVMOptions{Kernel: k, C: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "objective", m.Objective[0], 2, 1e-9)
		near(t, "f", m.Decisions(X).At(0, 0), 1, 1e-9)
		// f is constant, and minimizes the sum of errors beyond ε = 0.1. It is 1.9, within ε of the median 2, where the
		// sum is 0.8 + 7.0 + 5.8.
		r, err := FitSVR(t.Context(), X, []float64{1, 2, 2, 9, -4}, &SVROptions{Kernel: k, C: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "objective", r.Objective, 0.5*(0.8+7.0+5.8), 1e-9)
		r, err = FitSVR(t.Context(), X, []float64{7, 7, 7, 7, 7}, &SVROptions{Kernel: k})
		if err != nil || r.Support != nil || r.Predict(X)[3] != 7 {
			t.Errorf("equal targets: %+v, %v", r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	slow := KernelFunc(func(x, z []float64) float64 {
		if calls++; calls == 3000 {
			cancel()
		}
		return floats.Dot(x, z)
	})
	B, z := blobs(60, 3, 2, 0.1, 1)
	if m, err := FitSVM(ctx, B, z, &SVMOptions{Kernel: slow, C: 1e4}); !errors.Is(err, context.Canceled) || m.Status != ended.Interrupted || calls > 3000+32*60 {
		t.Errorf("interrupted after %d calls: %v", calls, err)
	}
}

// TestStored checks that package encoding/gob stores an SVM with each of the kernels that are types.
func TestStored(t *testing.T) {
	X, y := blobs(60, 3, 3, 1, 5)
	for _, k := range []Kernel{RBF{}, Linear{}, Polynomial{}, Sigmoid{Gamma: 0.01}} {
		m, err := FitSVM(t.Context(), X, y, &SVMOptions{Kernel: k})
		if ended.Accept(err) != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		var stored SVM
		if err := gob.NewEncoder(&b).Encode(m); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&b).Decode(&stored); err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(stored.Decisions(X), m.Decisions(X)) {
			t.Errorf("%T: the stored model decides otherwise", k)
		}
	}
}
