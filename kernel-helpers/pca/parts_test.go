package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

func TestSVDForms(t *testing.T) {
	// Rank 3 in 7×5 and 5×7.
	for _, shape := range [][2]int{{7, 5}, {5, 7}} {
		m, n := shape[0], shape[1]
		A, B := gaussian(m, 3, 1), gaussian(3, n, 2)
		var M mat.Dense
		M.Mul(A, B)
		full, err := FullSVD(&M)
		if err != nil {
			t.Fatal(err)
		}
		thin, _ := ThinSVD(&M)
		compact, _ := CompactSVD(&M, 0)
		cut, _ := TruncatedSVD(&M, 2)
		for _, c := range []struct {
			f            *Factors
			u, s1, s2, v int
			exact        bool
		}{{full, m, m, n, n, true}, {thin, 5, 5, 5, 5, true}, {compact, 3, 3, 3, 3, true}, {cut, 2, 2, 2, 2, false}} {
			ur, uc := c.f.U.Dims()
			vr, vc := c.f.V.Dims()
			sr, sc := c.f.Sigma().Dims()
			if ur != m || uc != c.u || vr != n || vc != c.v || sr != c.s1 || sc != c.s2 {
				t.Errorf("%d×%d: %v", m, n, c.f)
			}
			if maxDiff(gram(c.f.U), eye(uc)) > 1e-13 || maxDiff(gram(c.f.V), eye(vc)) > 1e-13 {
				t.Errorf("%v: not orthonormal", c.f)
			}
			var us, p mat.Dense
			us.Mul(c.f.U, c.f.Sigma())
			p.Mul(&us, c.f.V.T())
			if e := maxDiff(&p, c.f.Matrix()); e > 1e-13 {
				t.Errorf("%v: UΣVᵀ and Matrix differ by %g", c.f, e)
			}
			if e := maxDiff(&p, &M); (e < 1e-12) != c.exact {
				t.Errorf("%v: off by %g", c.f, e)
			}
		}
		if full.Rank(0) != 3 {
			t.Errorf("rank %d", full.Rank(0))
		}
		// Eckart-Young for the matrix itself.
		if d := distance(&M, cut.Matrix()); math.Abs(d-full.S[2]) > 1e-12 {
			t.Errorf("rank 2 is off by %v, σ_3 = %v", d, full.S[2])
		}
	}
	if _, err := CompactSVD(mat.NewDense(2, 2, nil), 0); err == nil {
		t.Error("a compact SVD of zero")
	}
	if _, err := ThinSVD(mat.NewDense(1, 1, []float64{math.NaN()})); err == nil {
		t.Error("an SVD of NaN")
	}
}

func TestEigen(t *testing.T) {
	C := mat.NewSymDense(3, []float64{2, 0, 0, 0, -5, 0, 0, 0, 3})
	e, err := Eigen(C, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{3, 2, -5} {
		if math.Abs(e.Values[i]-want) > 1e-15*4 {
			t.Errorf("values %v", e.Values)
		}
	}
	v, err := Eigenvalues(C)
	if err != nil || math.Abs(v[2]+5) > 1e-14 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := Eigen(mat.NewSymDense(1, []float64{math.Inf(1)}), 0); err == nil {
		t.Error("eigenvalues of infinity")
	}
}

func TestWhiten(t *testing.T) {
	X := cloud(300, 12, 0.8, 9)
	m := fit(t, X, Options{})
	w, err := m.Whiten(0)
	if err != nil {
		t.Fatal(err)
	}
	z, err := m.ZCA(0)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]*Whitener{"PCA": w, "ZCA": z} {
		Z := v.Transform(X)
		S, err := Scatter(Z)
		if err != nil {
			t.Fatal(err)
		}
		S.ScaleSym(1.0/299, S)
		if e := maxDiff(S, eye(12)); e > 1e-11 {
			t.Errorf("%s: the covariance is off the identity by %g", name, e)
		}
		if e := maxDiff(v.Inverse(Z), X); e > 1e-11 {
			t.Errorf("%s: the inverse is off by %g", name, e)
		}
	}
	// ZCA is symmetric, and nearer to X̄ than PCA's whitening.
	if e := maxDiff(z.W, z.W.T()); e > 1e-12 {
		t.Errorf("ZCA is not symmetric: %g", e)
	}
	C, _ := center(t.Context(), X, m.Mean)
	if distance(C, z.Transform(X)) >= distance(C, w.Transform(X)) {
		t.Error("ZCA is no nearer to the data than PCA's whitening")
	}
	// With ε an axis of variance v gets v/(v + ε).
	eps := 0.01
	we, err := m.Whiten(eps)
	if err != nil {
		t.Fatal(err)
	}
	S, _ := Scatter(we.Transform(X))
	for i, v := range m.Variances() {
		if got := S.At(i, i) / 299; math.Abs(got-v/(v+eps)) > 1e-11 {
			t.Errorf("axis %d: variance %v, want %v", i, got, v/(v+eps))
		}
	}
	// A direction without variance.
	flat := mat.NewDense(4, 2, []float64{1, 2, 2, 4, -1, -2, -2, -4})
	if _, err := fit(t, flat, Options{}).Whiten(0); err == nil {
		t.Error("whitened an axis without variance")
	}
	if _, err := fit(t, flat, Options{}).ZCA(0.1); err != nil {
		t.Error(err)
	}
}

func TestProbabilistic(t *testing.T) {
	n, d, k := 400, 8, 3
	X := cloud(n, d, 1, 10)
	p, err := FitProbabilistic(t.Context(), X, k)
	if err != nil {
		t.Fatal(err)
	}
	// The likelihood by its definition, from the d×d covariance.
	var C mat.Dense
	C.Mul(p.W, p.W.T())
	C.Add(&C, scaledEye(d, p.Sigma2))
	sym := mat.NewSymDense(d, C.RawMatrix().Data)
	var chol mat.Cholesky
	chol.Factorize(sym)
	Xc, _ := center(t.Context(), X, p.Mean)
	want := -0.5 * float64(n) * (float64(d)*math.Log(2*math.Pi) + chol.LogDet())
	for i := range n {
		var y mat.VecDense
		if err := chol.SolveVecTo(&y, Xc.RowView(i)); err != nil {
			t.Fatal(err)
		}
		want -= 0.5 * mat.Dot(&y, Xc.RowView(i))
	}
	if math.Abs(p.LogLikelihood-want) > 1e-9*math.Abs(want) {
		t.Errorf("log likelihood %v, by the definition %v", p.LogLikelihood, want)
	}
	// It is a maximum: no small change to W or σ² raises it.
	rng := rand.New(rand.NewPCG(3, 3))
	for range 30 {
		q := *p
		q.W = mat.DenseCopyOf(p.W)
		q.W.Apply(func(_, _ int, w float64) float64 { return w + 1e-3*rng.NormFloat64() }, q.W)
		q.Sigma2 *= math.Exp(1e-3 * rng.NormFloat64())
		if q.LogDensity(X) > p.LogLikelihood {
			t.Error("a change of the parameters raised the likelihood")
		}
	}
	em, err := FitProbabilisticEM(t.Context(), X, k, &EMOptions{MaxIterations: 3000, Tolerance: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(em.History); i++ {
		if em.History[i] < em.History[i-1]-1e-9*math.Abs(em.History[i]) {
			t.Errorf("EM step %d lowered the likelihood", i)
		}
	}
	if em.Status != ended.Converged || math.Abs(em.LogLikelihood-p.LogLikelihood) > 1e-8*math.Abs(p.LogLikelihood) || math.Abs(em.Sigma2-p.Sigma2) > 1e-4*p.Sigma2 {
		t.Errorf("EM: log likelihood %v (closed form %v), σ² %v (%v)", em.LogLikelihood, p.LogLikelihood, em.Sigma2, p.Sigma2)
	}
	if a := LargestAngle(em.W, p.W); a > 0.05 {
		t.Errorf("EM's subspace is %g degrees off", a)
	}
	// σ → 0: the posterior mean becomes the projection, linearly in σ².
	m := fit(t, X, Options{Components: k})
	proj := m.Project(X, k)
	e1, e2 := maxDiff(p.WithNoise(1e-4).Project(X), proj), maxDiff(p.WithNoise(1e-8).Project(X), proj)
	if e2 > 1e-6 || math.Abs(e1/e2-1e4) > 2e3 {
		t.Errorf("distance from the projection %g and %g", e1, e2)
	}
	// Samples of the model have its covariance.
	S, _ := Scatter(p.Sample(40000, 1))
	S.ScaleSym(1.0/40000, S)
	if e := maxDiff(S, sym); e > 0.05 {
		t.Errorf("the samples' covariance is off by %g", e)
	}
	if _, err := FitProbabilistic(t.Context(), mat.NewDense(4, 2, []float64{1, 2, 2, 4, -1, -2, -2, -4}), 1); err == nil {
		t.Error("a likelihood without a maximum was maximised")
	}
}

func TestPrincipalAngles(t *testing.T) {
	for _, deg := range []float64{0, 1e-9, 1e-3, 30, 44.9, 45.1, 89.999, 90} {
		s, c := math.Sincos(deg * math.Pi / 180)
		// The first directions are equal; the second directions differ by the angle.
		A := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 0, 0, 0, 0})
		B := mat.NewDense(4, 2, []float64{2, 5, 0, c, 0, s, 0, 0})
		got := PrincipalAngles(A, B)
		if math.Abs(got[0]) > 1e-12 || math.Abs(got[1]-deg) > 1e-12*(1+deg) {
			t.Errorf("angles %v, want 0 and %v", got, deg)
		}
	}
	// A line in a plane.
	if a := LargestAngle(mat.NewDense(3, 1, []float64{1, 1, 0}), mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 0})); a > 1e-13 {
		t.Errorf("a line in the plane is %g degrees from it", a)
	}
}

func TestLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, slope := range []float64{0.3, -2} {
		P := mat.NewDense(500, 2, nil)
		for i := range 500 {
			x := rng.NormFloat64()
			P.SetRow(i, []float64{5 + x, slope*x + 0.5*rng.NormFloat64()})
		}
		l, err := FitLines(P)
		if err != nil {
			t.Fatal(err)
		}
		if a, b, c := math.Abs(l.YonX.Slope), math.Abs(l.TLS.Slope), math.Abs(l.XonY.Slope); !(a < b && b < c) {
			t.Errorf("slopes %v %v %v", a, b, c)
		}
		m := fit(t, P, Options{})
		if q := m.Axis(0); math.Abs(l.TLS.Slope-q[1]/q[0]) > 1e-10 {
			t.Errorf("the line has slope %v, the axis %v", l.TLS.Slope, q[1]/q[0])
		}
		if want := m.Eigenvalues[1] / 500; math.Abs(l.TLS.Orthogonal-want) > 1e-12 {
			t.Errorf("mean square distance %v, λ_2/n = %v", l.TLS.Orthogonal, want)
		}
		// Each line is the best for its own residual: compare with its neighbors.
		at := func(b float64) (v, h, o float64) {
			for i := range 500 {
				r := P.At(i, 1) - l.Y - b*(P.At(i, 0)-l.X)
				v += r * r / 500
			}
			return v, v / (b * b), v / (1 + b*b)
		}
		for _, e := range []float64{-1e-3, 1e-3} {
			if v, _, _ := at(l.YonX.Slope + e); v < l.YonX.Vertical {
				t.Error("y on x is not the best")
			}
			if _, h, _ := at(l.XonY.Slope + e); h < l.XonY.Horizontal {
				t.Error("x on y is not the best")
			}
			if _, _, o := at(l.TLS.Slope + e); o < l.TLS.Orthogonal {
				t.Error("the axis is not the best")
			}
		}
	}
	if _, err := FitLines(mat.NewDense(3, 2, []float64{1, 0, 2, 0, 3, 0})); err == nil {
		t.Error("points without a slope have three lines")
	}
}
