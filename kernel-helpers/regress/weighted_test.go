package regress

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/peer"
)

// repeated returns s_i copies of each row and value, for whole numbers s_i.
func repeated(X *mat.Dense, y, s []float64) (*mat.Dense, []float64) {
	var rows []int
	for i, k := range s {
		for range int(k) {
			rows = append(rows, i)
		}
	}
	var of []float64
	for _, i := range rows {
		of = append(of, y[i])
	}
	return rowsOf(X, rows).(*mat.Dense), of
}

func someWeights(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 5))
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(rng.IntN(4)) // also 0
	}
	s[0], s[1] = 3, 1
	return s
}

// A point of weight k is like k copies of the point, by the definition of the objective. Each case takes a
// different path through the code.
func TestWeightsAreCopies(t *testing.T) {
	for name, c := range map[string]struct {
		n, d    int
		zeros   float64
		offset  float64
		unit    float64 // of the last feature
		relates float64 // tolerance, relative to the largest coefficient
	}{
		"more points":    {30, 5, 0, 0, 1, 1e-12},
		"more features":  {12, 40, 0, 0, 1, 1e-12},
		"zeros":          {40, 6, 0.9, 0, 1, 1e-12},
		"zeros, dual":    {15, 60, 0.8, 0, 1, 1e-12},
		"far from 0":     {30, 5, 0, 1e6, 1, 1e-9}, // after adding the offset, the numbers have only 10 digits left
		"different unit": {30, 5, 0, 0, 1e9, 1e-12},
	} {
		X, y := problem(c.n, c.d, c.zeros, 3)
		for i := range c.n {
			for j := range c.d {
				X.Set(i, j, X.At(i, j)+c.offset)
			}
			X.Set(i, c.d-1, X.At(i, c.d-1)*c.unit)
		}
		s := someWeights(c.n, 7)
		R, yr := repeated(X, y, s)
		compare := func(what string, w, b, want, wantB []float64, units bool) {
			t.Helper()
			top := 0.0
			for j, v := range want {
				if units && j%c.d == c.d-1 {
					v *= c.unit
				}
				top = math.Max(top, math.Abs(v))
			}
			for j, v := range want {
				e := math.Abs(w[j] - v)
				if units && j%c.d == c.d-1 {
					e *= c.unit
				}
				if e > c.relates*top {
					t.Errorf("%s: %s: w_%d is %v, %v of the copies", name, what, j, w[j], v)
				}
			}
			for k, v := range wantB {
				if math.Abs(b[k]-v) > c.relates*(math.Abs(v)+top*(1+c.offset)*float64(c.d)) {
					t.Errorf("%s: %s: b is %v, %v of the copies", name, what, b[k], v)
				}
			}
		}
		for _, M := range []mat.Matrix{X, csr.Of(X)} {
			kind := fmt.Sprintf("%T", M)
			for _, alpha := range []float64{0.1, 10} {
				Y := mat.NewDense(c.n, 1, y)
				got, err := FitRidgeTargets(t.Context(), M, Y, alpha, &RidgeOptions{SampleWeights: s})
				if err != nil {
					t.Fatal(name, err)
				}
				want, err := FitRidge(t.Context(), R, yr, alpha)
				if err != nil {
					t.Fatal(name, err)
				}
				compare(kind+" ridge", got.W.RawMatrix().Data, got.Intercept, want.W, []float64{want.Intercept}, true)
				path, err := ridgePath(t.Context(), M, y, s, []float64{alpha})
				if err != nil {
					t.Fatal(name, err)
				}
				compare(kind+" path", path[0].W, []float64{path[0].Intercept}, want.W, []float64{want.Intercept}, true)
			}
			if c.offset > 0 {
				continue // the descent's gap would be that of 1e-13 of y
			}
			for _, rho := range []float64{1, 0.5} {
				lasso := &LassoOptions{L1Ratio: rho, SampleWeights: s, Tolerance: 1e-14, Count: 5, Ratio: 0.1}
				got, err := FitLassoPath(t.Context(), M, y, nil, lasso)
				if err != nil {
					t.Fatal(name, err)
				}
				copies := *lasso
				copies.SampleWeights = nil
				want, err := FitLassoPath(t.Context(), R, yr, nil, &copies)
				if err != nil {
					t.Fatal(name, err)
				}
				for k, m := range got {
					if math.Abs(m.Alpha-want[k].Alpha) > 1e-12*m.Alpha || math.Abs(m.Objective-want[k].Objective) > 1e-12*want[0].Objective {
						t.Errorf("%s: %s: alpha %v and F %v, of copies %v and %v", name, kind, m.Alpha, m.Objective, want[k].Alpha, want[k].Objective)
					}
				}
			}
		}
	}
}

// The solution equals that of rational arithmetic, with weights that are not whole numbers, with nearly dependent
// features, and for both forms of the equations. The rational problem has the rows of X and y, and applies the weights
// in its products.
func TestWeightedRidgeExactly(t *testing.T) {
	for _, c := range []struct{ n, d int }{{12, 4}, {4, 7}} {
		X, y := normal(c.n, c.d, 9)
		for i := range c.n {
			X.Set(i, 1, X.At(i, 0)+1e-6*X.At(i, 1))
		}
		s := make([]float64, c.n)
		for i := range s {
			s[i] = 0.1 + 0.7*float64(i)
		}
		const alpha = 1e-9
		want, wantB := weightedRational(X, y, s, alpha)
		for _, M := range []mat.Matrix{X, csr.Of(X)} {
			m, err := FitRidgeTargets(t.Context(), M, mat.NewDense(c.n, 1, y), alpha, &RidgeOptions{SampleWeights: s})
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range want {
				near(t, fmt.Sprintf("%d×%d %T: w_%d", c.n, c.d, M, j), m.W.At(j, 0), v, 1e-9*floats.Norm(want, math.Inf(1)))
			}
			near(t, "b", m.Intercept[0], wantB, 1e-9*floats.Norm(want, math.Inf(1)))
		}
	}
}

// weightedRational solves the equations of weighted ridge, with the intercept as an unknown, in rational numbers.
func weightedRational(X *mat.Dense, y, s []float64, alpha float64) (w []float64, b float64) {
	n, d := X.Dims()
	at := func(i, j int) *big.Rat { // the last feature is 1, and y comes after it
		switch {
		case j < d:
			return rational(X.At(i, j))
		case j == d:
			return rational(1)
		}
		return rational(y[i])
	}
	M := make([][]*big.Rat, d+1)
	for j := range M {
		M[j] = make([]*big.Rat, d+2)
		for k := range M[j] {
			M[j][k] = new(big.Rat)
			for i := range n {
				p := new(big.Rat).Mul(at(i, j), at(i, k))
				M[j][k].Add(M[j][k], p.Mul(p, rational(s[i])))
			}
		}
		if j < d {
			M[j][j].Add(M[j][j], rational(alpha))
		}
	}
	for j := range M { // elimination; the matrix is positive definite
		for k := range M {
			if k == j {
				continue
			}
			f := new(big.Rat).Quo(M[k][j], M[j][j])
			for q := j; q < d+2; q++ {
				M[k][q].Sub(M[k][q], new(big.Rat).Mul(f, M[j][q]))
			}
		}
	}
	for j := range M {
		v, _ := new(big.Rat).Quo(M[j][d+1], M[j][j]).Float64()
		w = append(w, v)
	}
	return w[:d], w[d]
}

// Weights of 1 give the same bits as no weights. Points of weight 0 give the same bits as leaving these points out.
func TestWeightsOfOneAndZero(t *testing.T) {
	X, y := problem(25, 6, 0, 2)
	ones, some := make([]float64, 25), make([]float64, 25)
	for i := range ones {
		ones[i] = 1
		if i < 20 {
			some[i] = 1
		}
	}
	for _, c := range []struct {
		s []float64
		n int
	}{{ones, 25}, {some, 20}} {
		S := X.Slice(0, c.n, 0, 6)
		a, err := FitLasso(t.Context(), X, y, 0.1, &LassoOptions{SampleWeights: c.s})
		b, err2 := FitLasso(t.Context(), S, y[:c.n], 0.1, nil)
		if err != nil || err2 != nil || !floats.Equal(a.W, b.W) {
			t.Errorf("lasso: %v, %v, %v and %v", err, err2, a.W, b.W)
		}
		r, err := FitRidgeTargets(t.Context(), X, mat.NewDense(25, 1, y), 0.1, &RidgeOptions{SampleWeights: c.s})
		q, err2 := FitRidge(t.Context(), S, y[:c.n], 0.1)
		if err != nil || err2 != nil || !floats.Equal(r.W.RawMatrix().Data, q.W) {
			t.Errorf("ridge: %v, %v, %v and %v", err, err2, r.W, q.W)
		}
	}
}

// In a weighted cross-validation, the folds are the same as without weights, each model is fitted to the weighted
// points outside its fold, and R² weights the errors.
func TestWeightedCV(t *testing.T) {
	X, y := problem(40, 4, 0, 5)
	s := someWeights(40, 1)
	alphas := []float64{0.01, 1, 100}
	ridge, err := RidgeCV(t.Context(), X, y, &CVOptions{Alphas: alphas, SampleWeights: s, Folds: 4})
	if err != nil {
		t.Fatal(err)
	}
	lasso, err := LassoCV(t.Context(), X, y, &CVOptions{SampleWeights: s, Folds: 4, Nested: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, cv := range []*CV{ridge, lasso} {
		_, p := repeated(X, cv.Predictions, s)
		_, yr := repeated(X, y, s)
		near(t, "PR2", cv.PR2, PredictiveR2(yr, p), 1e-12)
	}
	for f, fold := range ridge.Folds {
		var rest []int
		for g, other := range ridge.Folds {
			if g != f {
				rest = append(rest, other...)
			}
		}
		var yr, sr []float64
		for _, i := range rest {
			yr, sr = append(yr, y[i]), append(sr, s[i])
		}
		R, yr := repeated(rowsOf(X, rest).(*mat.Dense), yr, sr)
		m, err := FitRidge(t.Context(), R, yr, ridge.Alphas[ridge.Best])
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range m.Predict(rowsOf(X, fold)) {
			near(t, "a prediction", ridge.Predictions[fold[k]], p, 1e-10)
		}
	}
	for name, opt := range map[string]*LassoOptions{"CVOptions": {SampleWeights: s}} {
		if _, err := LassoCV(t.Context(), X, y, nil, opt); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWeightsRefused(t *testing.T) {
	X, y := problem(3, 2, 0, 5)
	for want, s := range map[string][]float64{
		"SampleWeights has 2 weights for 3 points": {1, 1},
		"SampleWeights[1] is -1":                   {1, -1, 1},
		"SampleWeights[2] is NaN":                  {1, 1, math.NaN()},
		"the sum of SampleWeights is 0":            {0, 0, 0},
		"the sum of SampleWeights is +Inf":         {1e308, 1e308, 1},
	} {
		for name, err := range map[string]error{
			"FitLasso":        second(FitLasso(t.Context(), X, y, 1, &LassoOptions{SampleWeights: s})),
			"FitRidgeTargets": second(FitRidgeTargets(t.Context(), X, mat.NewDense(3, 1, y), 1, &RidgeOptions{SampleWeights: s})),
			"FitLeastSquares": second(FitLeastSquares(t.Context(), X, mat.NewDense(3, 1, y), &LeastSquaresOptions{SampleWeights: s})),
			"RidgeCV":         second(RidgeCV(t.Context(), X, y, &CVOptions{Folds: 3, SampleWeights: s})),
		} {
			if err == nil || !strings.HasPrefix(err.Error(), "regress: "+name+": ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}

// Each of several targets has the model that FitRidge finds for it alone, to the bit, because the targets share
// only the factor.
func TestRidgeTargets(t *testing.T) {
	for _, c := range []struct {
		n, d  int
		alpha float64
	}{{30, 5, 2}, {8, 20, 2}, {30, 5, 0}, {30, 5, 1e-12}} {
		X, _ := normal(c.n, c.d, 1)
		if c.alpha == 1e-12 { // nearly dependent features
			for i := range c.n {
				X.Set(i, 0, X.At(i, 1)+1e-7*X.At(i, 0))
			}
		}
		Y, _ := normal(c.n, 3, 2)
		for _, M := range []mat.Matrix{X, csr.Of(X)} {
			m, err := FitRidgeTargets(t.Context(), M, Y, c.alpha, nil)
			if err != nil {
				t.Fatal(err)
			}
			P := m.Predict(M)
			for k := range 3 {
				l, err := FitRidge(t.Context(), M, mat.Col(nil, k, Y), c.alpha)
				if err != nil {
					t.Fatal(err)
				}
				if one := m.Target(k); !floats.Equal(one.W, l.W) || one.Intercept != l.Intercept || !floats.Equal(mat.Col(nil, k, P), l.Predict(M)) {
					t.Errorf("%d×%d, alpha %v: target %d differs from FitRidge", c.n, c.d, c.alpha, k)
				}
			}
		}
	}
}

// The solution of least norm is the only one whose gradient is 0 and that has no component in the null space of
// X̃. If X̃ is the product of B and C, both of full rank, I − C'(CC')⁻¹C projects onto this null space.
func TestLeastSquaresOfLeastNorm(t *testing.T) {
	for _, c := range []struct{ n, d, rank int }{{20, 6, 6}, {20, 6, 3}, {6, 20, 5}, {6, 20, 2}, {5, 5, 4}} {
		B, _ := normal(c.n, c.rank, 1)
		C, _ := normal(c.rank, c.d, 2)
		var X mat.Dense
		X.Mul(B, C)
		Y, _ := normal(c.n, 2, 3)
		s := make([]float64, c.n)
		for i := range s {
			s[i] = 0.5 + float64(i%3)
		}
		for _, opt := range []*LeastSquaresOptions{nil, {SampleWeights: s}, {NoIntercept: true}} {
			m, err := FitLeastSquares(t.Context(), &X, Y, opt)
			if err != nil {
				t.Fatal(err)
			}
			want := c.rank
			if opt == nil || !opt.NoIntercept {
				want = min(want, c.n-1)
			}
			if m.Rank != want {
				t.Errorf("%v: rank %d, want %d", c, m.Rank, want)
			}
			R := m.Predict(&X)
			R.Sub(Y, R)
			if opt != nil && opt.SampleWeights != nil {
				R.Mul(mat.NewDiagDense(c.n, s), R)
			}
			var G mat.Dense
			G.Mul(X.T(), R)
			if g := mat.Norm(&G, math.Inf(1)); g > 1e-11*mat.Norm(&X, math.Inf(1))*mat.Norm(Y, math.Inf(1)) {
				t.Errorf("%v: gradient %v", c, g)
			}
			var CC, CW, P mat.Dense
			CC.Mul(C, C.T())
			CW.Mul(C, m.W)
			if err := P.Solve(&CC, &CW); err != nil {
				t.Fatal(err)
			}
			var rest mat.Dense
			rest.Mul(C.T(), &P)
			rest.Sub(&rest, m.W)
			if e := mat.Norm(&rest, math.Inf(1)); want == c.rank && e > 1e-10*mat.Norm(m.W, math.Inf(1)) {
				t.Errorf("%v: a part of W of size %v is orthogonal to all points", c, e)
			}
		}
	}
	// By hand: two equal features share the slope 2 of y = 1 + 2x, and a constant feature gets nothing.
	X := mat.NewDense(3, 3, []float64{0, 0, 0.1, 1, 1, 0.1, 2, 2, 0.1})
	m, err := FitLeastSquares(t.Context(), X, mat.NewDense(3, 1, []float64{1, 3, 5}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, w := range []float64{1, 1, 0} {
		near(t, "w", m.W.At(j, 0), w, 1e-14)
	}
	near(t, "b", m.Intercept[0], 1, 1e-14)
	// All features constant: only the mean is left.
	if m, err = FitLeastSquares(t.Context(), mat.NewDense(3, 1, []float64{7, 7, 7}), mat.NewDense(3, 1, []float64{1, 3, 5}), nil); err != nil || m.Rank != 0 || m.Intercept[0] != 3 {
		t.Errorf("%v, %v", m, err)
	}
	if m, err := FitLeastSquares(t.Context(), mat.NewDense(2, 1, []float64{1e308, -1e308}), mat.NewDense(2, 1, []float64{1, 3}), nil); err == nil {
		t.Errorf("%v of features whose sums overflow", m)
	}
}

// TestWeightsAgainstSklearn compares least squares with numpy, and weighted fits with scikit-learn.
func TestWeightsAgainstSklearn(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom sklearn.linear_model import Ridge, Lasso, ElasticNet, LinearRegression", "numpy", "sklearn")
	X, y := problem(12, 30, 0, 4)
	for i := range 12 {
		X.Set(i, 3, X.At(i, 4)) // dependent
	}
	Y, _ := normal(12, 3, 6)
	s := []float64{1, 2, 0.5, 3, 0, 1, 1, 0.1, 4, 1, 2, 1.5}
	py.Array("X", X)
	py.Array("Y", Y)
	py.Array("y", mat.NewDense(12, 1, y))
	py.Array("s", mat.NewDense(12, 1, append([]float64{}, s...)))
	py.Do("y = y.ravel(); s = s.ravel()")
	same := func(what, expr string, got []float64, tolerance float64) {
		t.Helper()
		want := py.Floats("np.asarray(" + expr + ").ravel()")
		if len(want) != len(got) || !floats.EqualApprox(got, want, tolerance*(1+floats.Norm(want, math.Inf(1)))) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	data := func(m *LeastSquares, err error) []float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return append(append([]float64{}, m.W.RawMatrix().Data...), m.Intercept...)
	}
	same("lstsq", "list(np.linalg.lstsq(X, Y, rcond=None)[0].ravel()) + [0, 0, 0]", data(FitLeastSquares(t.Context(), X, Y, &LeastSquaresOptions{NoIntercept: true})), 1e-10)
	same("lstsq of centered data", "list(np.linalg.lstsq(X - X.mean(0), Y - Y.mean(0), rcond=None)[0].ravel()) + list(Y.mean(0) - X.mean(0) @ np.linalg.lstsq(X - X.mean(0), Y - Y.mean(0), rcond=None)[0])", data(FitLeastSquares(t.Context(), X, Y, nil)), 1e-10)
	same("LinearRegression", "(lambda m: list(m.coef_.T.ravel()) + list(m.intercept_))(LinearRegression().fit(X, Y, s))", data(FitLeastSquares(t.Context(), X, Y, &LeastSquaresOptions{SampleWeights: s})), 1e-9)
	r, err := FitRidgeTargets(t.Context(), X, Y, 0.7, &RidgeOptions{SampleWeights: s})
	if err != nil {
		t.Fatal(err)
	}
	same("Ridge", "Ridge(0.7).fit(X, Y, s).coef_.T", r.W.RawMatrix().Data, 1e-10)
	for _, rho := range []float64{1, 0.4} {
		l, err := FitLasso(t.Context(), X, y, 0.3, &LassoOptions{SampleWeights: s, L1Ratio: rho, Tolerance: 1e-13})
		if err != nil {
			t.Fatal(err)
		}
		same("ElasticNet", fmt.Sprintf("X @ ElasticNet(alpha=0.3, l1_ratio=%v, tol=1e-13, max_iter=1000000).fit(X, y, s).coef_", rho), withoutIntercept(l, X), 1e-5)
	}
}

func withoutIntercept(m *Lasso, X *mat.Dense) []float64 {
	p := m.Predict(X)
	floats.AddConst(-m.Intercept, p)
	return p
}
