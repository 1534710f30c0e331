package regress

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

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/subset"
)

func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// rationalRidge solves (X̃'X̃ + αI)w = X̃'ỹ in rational numbers by Gauss's elimination, and rounds w and b.
func rationalRidge(X *mat.Dense, y []float64, alpha float64) (w []float64, b float64) {
	n, d := X.Dims()
	op := func() *big.Rat { return new(big.Rat) }
	columns := make([][]*big.Rat, d+1) // of X̃, and ỹ
	means := make([]*big.Rat, d+1)
	for j := range columns {
		means[j] = op()
		for i := range n {
			v := y[i]
			if j < d {
				v = X.At(i, j)
			}
			columns[j] = append(columns[j], rational(v))
			means[j].Add(means[j], rational(v))
		}
		means[j].Quo(means[j], rational(float64(n)))
		for _, v := range columns[j] {
			v.Sub(v, means[j])
		}
	}
	A := make([][]*big.Rat, d)
	for j := range A {
		for k := range d + 1 {
			sum := op()
			for i := range n {
				sum.Add(sum, op().Mul(columns[j][i], columns[k][i]))
			}
			if k == j {
				sum.Add(sum, rational(alpha))
			}
			A[j] = append(A[j], sum)
		}
	}
	for j := range d { // positive definite, so no pivots are needed
		for k := range d {
			if k == j {
				continue
			}
			t := op().Quo(A[k][j], A[j][j])
			for c := j; c <= d; c++ {
				A[k][c].Sub(A[k][c], op().Mul(t, A[j][c]))
			}
		}
	}
	rest := op().Set(means[d])
	for j := range d {
		v := op().Quo(A[j][d], A[j][j])
		rest.Sub(rest, op().Mul(v, means[j]))
		f, _ := v.Float64()
		w = append(w, f)
	}
	b, _ = rest.Float64()
	return w, b
}

// normal returns n×d normal numbers and y = x_0 + 3x_3 + ½x_4 + 0.1 noise.
func normal(n, d int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 9))
	X, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			X.Set(i, j, rng.NormFloat64())
		}
		y[i] = X.At(i, 0) + 3*X.At(i, min(3, d-1)) + X.At(i, min(4, d-1))/2 + 0.1*rng.NormFloat64()
	}
	return X, y
}

// map1 returns a copy of X with f applied to the elements of column j.
func map1(X *mat.Dense, j int, f func(i int, x float64) float64) *mat.Dense {
	Z := mat.DenseCopyOf(X)
	n, _ := X.Dims()
	for i := range n {
		Z.Set(i, j, f(i, X.At(i, j)))
	}
	return Z
}

// ridgeCases are data whose X̃'X̃ has a condition number of 1e7 to 1e30.
func ridgeCases() map[string]struct {
	X *mat.Dense
	y []float64
} {
	type data = struct {
		X *mat.Dense
		y []float64
	}
	cases := map[string]data{}
	powers, sines := mat.NewDense(60, 5, nil), make([]float64, 60)
	for i := range 60 {
		for j := range 5 {
			powers.Set(i, j, math.Pow(float64(i+1), float64(j+1)))
		}
		sines[i] = math.Sin(float64(i+1) / 10)
	}
	cases["powers 1 to 5"] = data{powers, sines}
	units := mat.NewDense(8, 2, nil)
	for i := range 8 {
		units.SetRow(i, []float64{float64(i), 1e8 * float64(i*i%5)})
	}
	cases["two units"] = data{units, sines[:8]}
	X, y := normal(60, 5, 1)
	for _, s := range []float64{1e-15, 1e-8, 1e5, 1e8, 1e12, 1e20} {
		cases[fmt.Sprintf("a column times %g", s)] = data{map1(X, 1, func(_ int, x float64) float64 { return x * s }), y}
	}
	for _, s := range []float64{1e-4, 1e-7, 1e-10} {
		cases[fmt.Sprintf("columns that differ by %g", s)] = data{map1(X, 1, func(i int, x float64) float64 { return X.At(i, 0) + s*x }), y}
	}
	for _, s := range []float64{1e3, 1e8} {
		cases[fmt.Sprintf("mean %g", s)] = data{map1(map1(X, 1, func(_ int, x float64) float64 { return x + s }), 2, func(_ int, x float64) float64 { return x - s }), y}
	}
	wide, few := normal(5, 9, 2)
	cases["wide"] = data{wide, few}
	for _, s := range []float64{1e-8, 1e8, 1e10} {
		cases[fmt.Sprintf("wide, a column times %g", s)] = data{map1(wide, 1, func(_ int, x float64) float64 { return x * s }), few}
	}
	cases["wide, mean 1e8"] = data{map1(wide, 1, func(_ int, x float64) float64 { return x + 1e8 }), few}
	return cases
}

// TestRidgeExactly: all methods of computing the ridge solution agree with the solution in rational numbers, for dense
// and sparse X, as far as float64 can hold w.
func TestRidgeExactly(t *testing.T) {
	ctx := t.Context()
	for name, c := range ridgeCases() {
		n, d := c.X.Dims()
		alphas := []float64{1, 1e-3, 1e-8}
		if n > d {
			alphas = append(alphas, 0)
		}
		models := map[string]*Linear{}
		add := func(what string, m *Linear, err error) {
			if err != nil {
				t.Errorf("%s, %s: %v", name, what, err)
				return
			}
			models[fmt.Sprintf("%s, alpha %g", what, m.Alpha)] = m
		}
		for kind, X := range map[string]mat.Matrix{"dense": c.X, "sparse": csr.Of(c.X)} {
			path, err := FitRidgePath(ctx, X, c.y, alphas[:3])
			if err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
			for _, m := range path {
				add("path of "+kind, m, nil)
			}
			for _, a := range alphas {
				m, err := FitRidge(ctx, X, c.y, a)
				add(kind, m, err)
			}
		}
		type solution struct {
			w []float64
			b float64
		}
		right := map[float64]solution{}
		for _, a := range alphas {
			w, b := rationalRidge(c.X, c.y, a)
			right[a] = solution{w, b}
		}
		for what, m := range models {
			w, b := right[m.Alpha].w, right[m.Alpha].b
			// Up to the condition number illConditioned, about seven digits must be right; above it, all digits.
			for j := range w {
				if math.Abs(m.W[j]-w[j]) > 2e-7*math.Abs(w[j])+1e-9*mat.Norm(mat.NewVecDense(d, w), 2)/norm(c.X, j) {
					t.Errorf("%s, %s: w[%d] is %v, want %v", name, what, j, m.W[j], w[j])
				}
			}
			if size := math.Abs(b) + math.Abs(m.W[1])*math.Abs(c.X.At(0, 1)); math.Abs(m.Intercept-b) > 1e-7*size+1e-12 {
				t.Errorf("%s, %s: b is %v, want %v", name, what, m.Intercept, b)
			}
		}
	}
}

// norm returns the length of column j minus its mean.
func norm(X *mat.Dense, j int) float64 {
	n, _ := X.Dims()
	col := mat.Col(nil, j, X)
	m, v := 0.0, 0.0
	for _, x := range col {
		m += x / float64(n)
	}
	for _, x := range col {
		v += (x - m) * (x - m)
	}
	return math.Sqrt(v)
}

// TestRidgeCVExactly: changing a column's unit does not change which α are good. The expected R² comes from predictions
// in rational arithmetic.
func TestRidgeCVExactly(t *testing.T) {
	X, y := normal(60, 5, 3)
	X = map1(X, 1, func(_ int, x float64) float64 { return x * 1e8 })
	alphas := []float64{1e-3, 0.1, 1}
	cv, err := RidgeCV(t.Context(), X, y, &CVOptions{Alphas: alphas})
	if err != nil {
		t.Fatal(err)
	}
	for k, a := range alphas {
		predicted := make([]float64, len(y))
		for f, fold := range cv.Folds {
			rest := subset.Others(cv.Folds, f)
			m := &Linear{}
			m.W, m.Intercept = rationalRidge(subset.Rows(X, rest), subset.Values(y, rest), a)
			for r, p := range m.Predict(subset.Rows(X, fold)) {
				predicted[fold[r]] = p
			}
		}
		near(t, fmt.Sprintf("R² of alpha %g", a), cv.R2[k], PredictiveR2(y, predicted), 1e-9)
	}
	if cv.PR2 < 0.99 {
		t.Errorf("R² %v", cv.R2)
	}
}

// TestRidgeDependent: if columns depend on each other up to rounding, least squares has no unique solution; with a
// penalty it has one. Constant columns get no weight from any penalty.
// TestRidgeFarFromZero: the slope over times around 1.7e9 seconds that spread over milliseconds is that over the times
// from 1.7e9 on. (The differences are exact.)
func TestRidgeFarFromZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for _, n := range []int{20, 5000} {
		far, near, y, weights := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), make([]float64, n), make([]float64, n)
		for i := range n {
			x := 1.7e9 + 1e-3*rng.NormFloat64()
			far.Set(i, 0, x)
			near.Set(i, 0, x-1.7e9)
			y[i], weights[i] = 3e3*(x-1.7e9)+rng.NormFloat64(), rng.Float64()
		}
		for _, s := range [][]float64{nil, weights} {
			of := func(X *mat.Dense) float64 {
				m, err := FitRidgeTargets(t.Context(), X, mat.NewDense(n, 1, y), 0, &RidgeOptions{SampleWeights: s})
				if err != nil {
					t.Fatal(err)
				}
				return m.W.At(0, 0)
			}
			if got, want := of(far), of(near); math.Abs(got-want) > 1e-9*want {
				t.Errorf("%d points: slope %v, want %v", n, got, want)
			}
		}
	}
}

func TestRidgeDependent(t *testing.T) {
	ctx := t.Context()
	X, y := normal(60, 5, 4)
	for name, c := range map[string]*mat.Dense{
		"a double column":      map1(X, 1, func(i int, _ float64) float64 { return X.At(i, 0) }),
		"a sum":                map1(X, 1, func(i int, _ float64) float64 { return X.At(i, 0) + X.At(i, 2) }),
		"three times a column": map1(X, 1, func(i int, _ float64) float64 { return 0.1 * X.At(i, 0) }),
		"a sum far from 0": map1(map1(X, 0, func(_ int, x float64) float64 { return x + 1e6 }), 1,
			func(i int, _ float64) float64 { return X.At(i, 0) + 1e6 + X.At(i, 2) }),
		"a constant":             map1(X, 1, func(int, float64) float64 { return 0.1 }),
		"a large constant":       map1(X, 1, func(int, float64) float64 { return 1e8 + 0.1 }),
		"a constant in rounding": map1(X, 1, func(i int, _ float64) float64 { return []float64{0.3, 0.1 + 0.2}[i%2] }),
		"zeros":                  map1(X, 1, func(int, float64) float64 { return 0 }),
	} {
		for kind, Z := range map[string]mat.Matrix{"dense": c, "sparse": csr.Of(c)} {
			if m, err := FitRidge(ctx, Z, y, 0); err == nil || !strings.Contains(err.Error(), "no unique solution with alpha 0 for 60 points and 5 features") {
				t.Errorf("%s, %s: %v, %v", name, kind, m, err)
			}
			for _, a := range []float64{1e-6, 1} {
				m, err := FitRidge(ctx, Z, y, a)
				path, err2 := FitRidgePath(ctx, Z, y, []float64{a})
				if err != nil || err2 != nil {
					t.Errorf("%s, %s: %v, %v", name, kind, err, err2)
					continue
				}
				w, _ := rationalRidge(c, y, a)
				for j := range w {
					if strings.Contains(name, "rounding") && j == 1 {
						w[1] = 0
					}
					if e := max(math.Abs(m.W[j]-w[j]), math.Abs(path[0].W[j]-w[j])); e > 1e-7 {
						t.Errorf("%s, %s, alpha %g: w[%d] is %v and %v, want %v", name, kind, a, j, m.W[j], path[0].W[j], w[j])
					}
				}
			}
		}
	}
	double := map1(X, 1, func(i int, _ float64) float64 { return X.At(i, 0) })
	if _, err := FitRidge(ctx, double, y, 1e-40); err == nil || !strings.Contains(err.Error(), "scale the features, or raise alpha") {
		t.Error(err)
	}
	all := mat.NewDense(1000, 2, nil)
	for i := range 1000 {
		all.SetRow(i, []float64{0.1, 1.0 / 3})
	}
	_, values := normal(1000, 1, 5)
	for _, Z := range []mat.Matrix{all, csr.Of(all)} {
		if _, err := RidgeCV(ctx, Z, values, nil); err == nil || !strings.Contains(err.Error(), "all features are constant") {
			t.Error(err)
		}
		if m, err := FitLasso(ctx, Z, values, 1e-12, nil); err != nil || m.Active != 0 {
			t.Error(m, err)
		}
		if top, err := AlphaMax(Z, values); err != nil || top != 0 {
			t.Error(top, err)
		}
	}
	Z, _ := normal(1000, 3, 6)
	for _, c := range []float64{0, 0.1, 1e8 + 0.1} {
		same := make([]float64, 1000)
		floats.AddConst(c, same)
		if top, err := AlphaMax(Z, same); err != nil || top != 0 {
			t.Errorf("all y are %v: the largest alpha is %v, %v", c, top, err)
		}
		if _, err := LassoCV(ctx, Z, same, nil, nil); err == nil || !strings.Contains(err.Error(), "all y are equal") {
			t.Error(err)
		}
		if r := panics.Value(func() { PredictiveR2(same, mat.Col(nil, 0, Z)) }); r != "regress: PredictiveR2: all y are equal" {
			t.Errorf("all y are %v: %v", c, r)
		}
	}
}

// TestRidgeStops: the slow factorization ends when its context is done.
func TestRidgeStops(t *testing.T) {
	X, y := normal(60, 5, 4)
	X = map1(X, 1, func(i int, x float64) float64 { return X.At(i, 0) + 1e-7*x })
	c := newCenteredData(X, [][]float64{y}, nil)
	G, err := c.gram(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.solveFactored(ctx, G, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
