package pca

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
)

// times returns s·X.
func times(s float64, X mat.Matrix) *mat.Dense {
	var Y mat.Dense
	Y.Scale(s, X)
	return &Y
}

func near(got, want, tol float64) bool { return math.Abs(got-want) <= tol*math.Abs(want) }

var scales = []float64{1e-150, 1e-120, 1e-100, 1e-50, 1e-8, 1e8, 1e16, 1e50, 1e80, 1e100, 1e120, 1e150}

func TestEMOfAnyScale(t *testing.T) {
	X := cloud(120, 6, 0.7, 2)
	one, err := FitProbabilistic(t.Context(), X, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scales {
		Y := times(s, X)
		p, err := FitProbabilistic(t.Context(), Y, 2)
		if err != nil {
			t.Errorf("%g: %v", s, err)
			continue
		}
		// The density of sx is that of x divided by s^d.
		shift := -120 * 6 * math.Log(s)
		if !near(p.Sigma2/s/s, one.Sigma2, 1e-9) || !near(p.LogLikelihood-shift, one.LogLikelihood, 1e-9) {
			t.Errorf("%g: closed form: σ² = %v s² (%v), log likelihood %v (%v)", s, p.Sigma2/s/s, one.Sigma2, p.LogLikelihood-shift, one.LogLikelihood)
		}
		em, err := FitProbabilisticEM(t.Context(), Y, 2, nil)
		if err != nil {
			t.Errorf("%g: %v", s, err)
			continue
		}
		if em.Status != ended.Converged || !near(em.Sigma2, p.Sigma2, 1e-3) || !near(em.LogLikelihood-shift, one.LogLikelihood, 1e-5) {
			t.Errorf("%g: EM: σ² = %v s², closed form %v s²; log likelihood %v, %v at scale 1", s, em.Sigma2/s/s, p.Sigma2/s/s, em.LogLikelihood-shift, one.LogLikelihood)
		}
		if l := em.LogDensity(Y); !near(l-shift, em.LogLikelihood-shift, 1e-9) || em.History[len(em.History)-1] != em.LogLikelihood {
			t.Errorf("%g: EM says a log likelihood of %v, LogDensity %v", s, em.LogLikelihood, l)
		}
		if e := maxDiff(p.Posterior(Y), one.Posterior(X)); !(e < 1e-9) {
			t.Errorf("%g: posterior means differ by %g", s, e)
		}
	}
	// With almost no noise, the result is the projection.
	m := fit(t, X, Options{Components: 2})
	if e := maxDiff(one.WithNoise(1e-320).Project(X), m.Project(X, 2)); !(e < 1e-9) {
		t.Errorf("without noise: %g from the projection", e)
	}
	for s, want := range map[float64]string{1e-170: "underflow", 1e170: "overflow"} {
		if _, err := FitProbabilisticEM(t.Context(), times(s, X), 2, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%g: %v", s, err)
		}
	}
}

// One column in a unit of its own makes the first variance up to 1e14 times as large as the others. A fit that says
// Converged has the likelihood of the closed form. If the other variances are lost in rounding, both fits return
// errors.
func TestEMOfUnequalVariances(t *testing.T) {
	for _, c := range []struct{ factor, tol float64 }{{1, 1e-7}, {10, 1e-7}, {3e3, 1e-6}, {1e4, 1e-6}, {1e5, 1e-5}, {1e6, 1e-4}, {1e7, 3e-3}, {1e8, 0}, {1e10, 0}} {
		for seed := range uint64(4) {
			X := gaussian(50, 5, seed+1)
			X.Apply(func(_, j int, x float64) float64 { return x * []float64{1, c.factor, 3, 1, 1}[j] }, X)
			for k := 1; k <= 3; k++ {
				p, err := FitProbabilistic(t.Context(), X, k)
				if (err != nil) != (c.tol == 0) {
					t.Errorf("%g, k = %d: closed form: %v", c.factor, k, err)
				}
				for name, Y := range map[string]mat.Matrix{"dense": X, "sparse": csr.Of(X)} {
					em, err := FitProbabilisticEM(t.Context(), Y, k, &EMOptions{Seed: seed})
					switch {
					case c.tol == 0:
						if err == nil || !strings.Contains(err.Error(), "the data lie in a plane") {
							t.Errorf("%g, k = %d, %s: %v, %v", c.factor, k, name, em, err)
						}
					case errors.Is(err, ended.ErrNotConverged): // says so
					case err != nil:
						t.Errorf("%g, k = %d, %s: %v", c.factor, k, name, err)
					case !near(em.LogLikelihood, p.LogLikelihood, c.tol):
						t.Errorf("%g, k = %d, %s: %v, closed form: log likelihood %v", c.factor, k, name, em, p.LogLikelihood)
					}
				}
			}
		}
	}
}

func TestFitOfAnyScale(t *testing.T) {
	X := cloud(130, 110, 0.5, 3)
	for _, how := range []Method{ByCovariance, ByDual, BySVD, ByRandom} {
		for _, k := range []int{4, 40} {
			one := fit(t, X, Options{Method: how, Components: k})
			for _, s := range []float64{1e-150, 1e-100, 1e100, 1e150} {
				m := fit(t, times(s, X), Options{Method: how, Components: k})
				if !(m.Residual <= 1e-12) || !near(m.Total/s/s, one.Total, 1e-9) {
					t.Errorf("%v, %g: residual %g, total %v s² (%v)", how, s, m.Residual, m.Total/s/s, one.Total)
				}
				for i, l := range m.Eigenvalues {
					if !near(l/s/s, one.Eigenvalues[i], 1e-9) || !near(m.Singular[i]/s, one.Singular[i], 1e-9) {
						t.Errorf("%v, %g: λ_%d is %v s², at scale 1 %v", how, s, i, l/s/s, one.Eigenvalues[i])
						break
					}
				}
				if e := maxDiff(m.Components, one.Components); !(e < 1e-7) {
					t.Errorf("%v, %g: axes differ by %g", how, s, e)
				}
			}
			for s, want := range map[float64]string{1e-170: "underflow", 1e-200: "underflow", 1e-310: "underflow", 1e160: "overflow"} {
				if m, err := Fit(t.Context(), times(s, X), &Options{Method: how, Components: k}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "scale X") {
					t.Errorf("%v, %g: %v, %v", how, s, m, err)
				}
			}
		}
	}
	// Singular values need no squares.
	M := gaussian(5, 3, 1)
	one, _ := ThinSVD(M)
	for _, s := range []float64{1e-200, 1e200} {
		f, err := ThinSVD(times(s, M))
		if err != nil || !near(f.S[2]/s, one.S[2], 1e-12) {
			t.Errorf("%g: %v, %v", s, f, err)
		}
	}
	if _, err := ThinSVD(mat.NewDense(2, 2, []float64{1.7e308, 1.7e308, 1.7e308, 1.7e308})); err == nil || !strings.Contains(err.Error(), "overflow") {
		t.Error(err)
	}
}

// Equal points have no variance, although the sum of 60 equal numbers is rounded.
func TestConstantData(t *testing.T) {
	X := mat.NewDense(60, 7, nil)
	X.Apply(func(_, j int, _ float64) float64 { return 0.1 + float64(j)*1e8/3 }, X)
	for _, how := range []Method{Auto, ByCovariance, ByDual, BySVD, ByRandom} {
		m := fit(t, X, Options{Method: how})
		if m.Total != 0 || m.Eigenvalues[0] != 0 || m.Explained(7) != 0 {
			t.Errorf("%v: %v, λ_1 = %g, total %g", how, m, m.Eigenvalues[0], m.Total)
		}
		for j, mu := range m.Mean {
			if mu != X.At(0, j) {
				t.Errorf("%v: mean %d is off by %g", how, j, mu-X.At(0, j))
			}
		}
		_, err := m.Whiten(0)
		if err == nil || err.Error() != "pca: Whiten: the data have no variance: all points are equal; use ε > 0" {
			t.Error(err)
		}
	}
	inc := NewIncremental(2)
	for _, b := range [][2]int{{0, 13}, {13, 40}, {40, 60}} {
		if err := inc.PartialFit(t.Context(), X.Slice(b[0], b[1], 0, 7)); err != nil {
			t.Fatal(err)
		}
	}
	if m, _ := inc.Model(); m.Total != 0 || m.Eigenvalues[0] != 0 {
		t.Errorf("in blocks: %v, total %g", m, m.Total)
	}
	// One column that varies in its last digits is not constant.
	X.Set(3, 1, math.Nextafter(X.At(3, 1), 0))
	if m := fit(t, X, Options{}); !(m.Total > 0) || !near(m.Explained(1), 1, 1e-12) {
		t.Errorf("one digit: %v, total %g", m, m.Total)
	}
	X.Set(4, 0, 0.1+1e-10)
	if m := fit(t, X.Slice(0, 60, 0, 1), Options{}); !near(m.Total, 1e-20*59/60, 1e-5) {
		t.Errorf("a step of 1e-10: total %g", m.Total)
	}
}

// Whether an axis has variance is judged by a ratio of two variances, so the unit of the data does not matter. The
// variances of the first cloud are 1 : 0.25 : 1e-4; the second cloud lies in a plane.
func TestWhitenOfAnyScale(t *testing.T) {
	X := gaussian(20, 3, 4)
	X.Apply(func(_, j int, x float64) float64 { return x * []float64{1, 0.5, 0.01}[j] }, X)
	flat := mat.DenseCopyOf(X)
	for i := range 20 {
		flat.Set(i, 2, flat.At(i, 0)+flat.At(i, 1))
	}
	for _, s := range append([]float64{1e-12, 1e-4, 1, 1e4, 1e12}, scales...) {
		for _, how := range []Method{ByCovariance, ByDual, BySVD} {
			m, none := fit(t, times(s, X), Options{Method: how}), fit(t, times(s, flat), Options{Method: how})
			for name, whiten := range map[string]func(*Model) (*Whitener, error){
				"Whiten": func(m *Model) (*Whitener, error) { return m.Whiten(0) },
				"ZCA":    func(m *Model) (*Whitener, error) { return m.ZCA(0) },
			} {
				w, err := whiten(m)
				if err != nil {
					t.Errorf("%g, %v: %v", s, how, err)
					continue
				}
				S, _ := Scatter(w.Transform(times(s, X)))
				S.ScaleSym(1.0/19, S)
				if e := maxDiff(S, eye(3)); !(e < 1e-9) {
					t.Errorf("%g, %v, %s: the covariance is off the identity by %g", s, how, name, e)
				}
				if _, err := whiten(none); err == nil || !strings.Contains(err.Error(), "axis 2 has variance") {
					t.Errorf("%g, %v, %s of points in a plane: %v", s, how, name, err)
				}
			}
		}
	}
}

// Functions with an error result return an error for invalid arguments.
func TestArgumentsAreErrors(t *testing.T) {
	X, none := gaussian(10, 3, 1), (*mat.Dense)(nil)
	C, m := mat.NewSymDense(3, []float64{2, 0, 0, 0, 3, 0, 0, 0, 4}), fit(t, X, Options{})
	point := fit(t, X.Slice(0, 1, 0, 3), Options{})
	partial := func(k int, M mat.Matrix) error { return NewIncremental(k).PartialFit(t.Context(), M) }
	for i, c := range []struct {
		err  func() error
		want string
	}{
		{second(func() (any, error) { return Fit(t.Context(), X, &Options{Components: 4}) }), "pca: Fit: X is 10×3: Components is 4, must be from 0 to 3"},
		{second(func() (any, error) { return Fit(t.Context(), X, &Options{Components: -1}) }), "pca: Fit: X is 10×3: Components is -1, must be from 0 to 3"},
		{second(func() (any, error) { return FitProbabilistic(t.Context(), X, 3) }), "pca: FitProbabilistic: k is 3, must be from 1 to 2"},
		{second(func() (any, error) { return FitProbabilistic(t.Context(), X, 0) }), "pca: FitProbabilistic: k is 0, must be from 1 to 2"},
		{second(func() (any, error) { return FitProbabilisticEM(t.Context(), X, 3, nil) }), "pca: FitProbabilisticEM: k is 3, must be from 1 to 2"},
		{second(func() (any, error) { return FitProbabilisticEM(t.Context(), X, -1, nil) }), "pca: FitProbabilisticEM: k is -1, must be from 1 to 2"},
		{second(func() (any, error) { return FitProbabilistic(t.Context(), gaussian(9, 1, 1), 1) }), "pca: FitProbabilistic: the data have one dimension, and k must be below that"},
		{second(func() (any, error) { return FitProbabilisticEM(t.Context(), X, 1, &EMOptions{MaxIterations: -1}) }), "pca: FitProbabilisticEM: -1 steps and a tolerance of 1e-10: must not be negative"},
		{second(func() (any, error) { return TruncatedSVD(X, 0) }), "pca: TruncatedSVD: t is 0, must be from 1 to 3"},
		{second(func() (any, error) { return TruncatedSVD(X, 4) }), "pca: TruncatedSVD: t is 4, must be from 1 to 3"},
		{second(func() (any, error) { return CompactSVD(X, 2) }), "pca: CompactSVD: tolerance is 2, must be at least 0 and below 1"},
		{second(func() (any, error) { return CompactSVD(X, -1) }), "pca: CompactSVD: tolerance is -1, must be at least 0 and below 1"},
		{second(func() (any, error) { return CompactSVD(mat.NewDense(2, 2, nil), 0) }), "pca: CompactSVD: the matrix is zero"},
		{second(func() (any, error) { return Eigen(C, 4) }), "pca: Eigen: k is 4, must be from 0 to 3"},
		{second(func() (any, error) { return Eigen(C, -1) }), "pca: Eigen: k is -1, must be from 0 to 3"},
		{second(func() (any, error) { return m.Choose(1.5) }), "pca: Choose: share is 1.5, must be above 0 and at most 1"},
		{second(func() (any, error) { return m.Choose(math.NaN()) }), "pca: Choose: share is NaN, must be above 0 and at most 1"},
		{second(func() (any, error) { return m.ZCA(-1) }), "pca: ZCA: ε is -1, must be finite and at least 0"},
		{second(func() (any, error) { return point.Whiten(1) }), "pca: Whiten: one point has no sample variance"},
		{second(func() (any, error) { return FitLines(X) }), "pca: FitLines: P is 10×3, not n×2"},
		{func() error { return partial(4, X) }, "pca: PartialFit: k is 4, must be from 1 to 3"},
		// nil, and a nil pointer.
		{second(func() (any, error) { return Fit(t.Context(), nil, nil) }), "pca: Fit: X is nil"},
		{second(func() (any, error) { return Fit(t.Context(), none, nil) }), "pca: Fit: X is nil"},
		{second(func() (any, error) { return FitProbabilistic(t.Context(), none, 1) }), "pca: FitProbabilistic: X is nil"},
		{second(func() (any, error) { return FitProbabilisticEM(t.Context(), nil, 1, nil) }), "pca: FitProbabilisticEM: X is nil"},
		{second(func() (any, error) { return FullSVD(nil) }), "pca: FullSVD: the matrix is nil"},
		{second(func() (any, error) { return TruncatedSVD(none, 1) }), "pca: TruncatedSVD: the matrix is nil"},
		{second(func() (any, error) { return Eigen(nil, 1) }), "pca: Eigen: the matrix is nil"},
		{second(func() (any, error) { return Eigenvalues((*mat.SymDense)(nil)) }), "pca: Eigenvalues: the matrix is nil"},
		{second(func() (any, error) { return Scatter(none) }), "pca: Scatter: X is nil"},
		{second(func() (any, error) { return FitLines(nil) }), "pca: FitLines: P is nil"},
		{func() error { return partial(1, nil) }, "pca: PartialFit: the block is nil"},
		// Functions without an error result panic.
		{message(func() { m.Scores(nil) }), "pca: Scores: X is nil"},
		{message(func() { m.Project(none, 1) }), "pca: Project: X is nil"},
		{message(func() { m.Loss(nil, 1) }), "pca: Loss: X is nil"},
		{message(func() { m.Reconstruct(nil) }), "pca: Reconstruct: Z is nil"},
		{message(func() { m.Explained(4) }), "pca: Explained: 4 axes, the model has 3 axes"},
		{message(func() { PrincipalAngles(X, nil) }), "pca: PrincipalAngles: B is nil"},
		{message(func() { AutoencoderLoss(nil, X, X) }), "pca: AutoencoderLoss: a matrix is nil"},
		{message(func() { NewIncremental(0) }), "pca: NewIncremental: 0 axes"},
	} {
		var err error
		if r := panics.Value(func() { err = c.err() }); r != nil {
			t.Errorf("case %d: panic %v, want the error %q", i, r, c.want)
		} else if err == nil || err.Error() != c.want {
			t.Errorf("case %d: %v, want %q", i, err, c.want)
		}
	}
}

// second returns the error of a function with two results.
func second(f func() (any, error)) func() error {
	return func() error { _, err := f(); return err }
}

// message returns the message of a panic as an error.
func message(f func()) func() error {
	return func() error {
		s, _ := panics.Value(f).(string)
		return errors.New(s)
	}
}

func TestPartialFitFails(t *testing.T) {
	X := cloud(40, 5, 0.5, 4)
	bad := times(1, X.Slice(0, 10, 0, 5))
	bad.Set(2, 3, math.NaN())
	inc, plain := NewIncremental(3), NewIncremental(3)
	for from := 0; from < 40; from += 10 {
		block := X.Slice(from, from+10, 0, 5)
		if err := plain.PartialFit(t.Context(), block); err != nil {
			t.Fatal(err)
		}
		if err := inc.PartialFit(t.Context(), block); err != nil {
			t.Fatal(err)
		}
		for _, b := range []mat.Matrix{nil, bad, gaussian(4, 6, 1), gaussian(4, 2, 1), times(1e170, block), times(1e-170, block)} {
			if inc.PartialFit(t.Context(), b) == nil {
				t.Errorf("a bad block was taken: %v", b)
			}
		}
	}
	a, _ := inc.Model()
	b, _ := plain.Model()
	if a.N != 40 || !mat.Equal(a.Components, b.Components) || a.Total != b.Total {
		t.Errorf("bad blocks changed the model: %v, %v", a, b)
	}
}

func TestEigenOverflow(t *testing.T) {
	one := mat.NewSymDense(3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	var C mat.SymDense
	C.ScaleSym(1e308, one) // its eigenvalue is 3e308
	if _, err := Eigen(&C, 0); err == nil || !strings.Contains(err.Error(), "eigenvalues overflow") {
		t.Error(err)
	}
	if _, err := Eigenvalues(&C); err == nil || !strings.Contains(err.Error(), "eigenvalues overflow") {
		t.Error(err)
	}
	for _, s := range []float64{1e307, 1e-300, 1e-320} {
		C.ScaleSym(s, one)
		e, err := Eigen(&C, 0)
		tol := max(1e-14, 5e-324/s)
		if err != nil || !near(e.Values[0]/s, 3, tol*4) || !near(e.Vectors.At(1, 0), 1/math.Sqrt(3), 1e-14) {
			t.Errorf("%g: %v, %v", s, e, err)
		}
	}
}

// String returns one line, without the numbers of the matrices.
func TestStrings(t *testing.T) {
	X := cloud(50, 4, 0.5, 5)
	m := fit(t, X, Options{Components: 2})
	p, err := FitProbabilistic(t.Context(), X, 2)
	if err != nil {
		t.Fatal(err)
	}
	em, err := FitProbabilisticEM(t.Context(), X, 2, &EMOptions{MaxIterations: 3})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	w, _ := m.Whiten(0.25)
	z, _ := m.ZCA(0)
	for _, c := range []struct {
		v    fmt.Stringer
		want string
	}{
		{p, fmt.Sprintf("probabilistic PCA of 50 points in 4 dimensions: 2 axes, σ² = %.4g, log likelihood %.6g (closed form)", p.Sigma2, p.LogLikelihood)},
		{em, fmt.Sprintf("probabilistic PCA of 50 points in 4 dimensions: 2 axes, σ² = %.4g, log likelihood %.6g (EM, 3 steps, not converged)", em.Sigma2, em.LogLikelihood)},
		{p.WithNoise(1), "probabilistic PCA of 50 points in 4 dimensions: 2 axes, σ² = 1, log likelihood NaN (σ² was set)"},
		{w, "PCA whitening of points in 4 dimensions: 2 axes, ε = 0.25"},
		{z, "ZCA whitening of points in 4 dimensions: 2 axes, ε = 0"},
	} {
		if got := fmt.Sprint(c.v); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A few steps are not enough: the error says so, and the partial result is usable.
func TestNotConverged(t *testing.T) {
	X := gaussian(60, 5, 8)
	closed, err := FitProbabilistic(t.Context(), X, 2)
	if err != nil {
		t.Fatal(err)
	}
	em, err := FitProbabilisticEM(t.Context(), X, 2, &EMOptions{MaxIterations: 3})
	if !errors.Is(err, ended.ErrNotConverged) || em == nil || em.Status != ended.IterationLimit || len(em.History) != 4 {
		t.Fatal(em, err)
	}
	if got := em.LogDensity(X); math.Abs(got-em.LogLikelihood) > 1e-9*math.Abs(got) || got > closed.LogLikelihood || got < em.History[0] {
		t.Errorf("log likelihood %v, %v of the model, %v at best, %v at first", em.LogLikelihood, got, closed.LogLikelihood, em.History[0])
	}
}
