package regress

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
)

// dualGap returns F and the gap by its definition: F minus the dual's value at θ = r·c/n, which is feasible if ‖X̃'θ‖_∞
// <= αρ. The ridge penalty adds rows √(nμ)I to X̃ and zeros to ỹ. F exceeds its minimum by at most the gap, no matter
// how w was found.
func dualGap(X *mat.Dense, y []float64, m *Lasso, rho float64) (F, gap float64) {
	n, d := X.Dims()
	alpha, mu := m.Alpha*rho, m.Alpha*(1-rho)
	r := residuals(&m.Linear, X, y).RawVector().Data
	mean := floats.Sum(y) / float64(n)
	w2 := floats.Dot(m.W, m.W)
	F = (floats.Dot(r, r)/float64(n)+mu*w2)/2 + alpha*floats.Norm(m.W, 1)
	top := 0.0
	for j := range d {
		col := mat.Col(nil, j, X)
		floats.AddConst(-floats.Sum(col)/float64(n), col)
		top = math.Max(top, math.Abs(floats.Dot(col, r)/float64(n)-mu*m.W[j]))
	}
	c := math.Min(1, alpha/top)
	dual := -c * c * mu * w2 / 2
	for i, v := range r {
		dual += ((y[i]-mean)*(y[i]-mean) - (y[i]-mean-c*v)*(y[i]-mean-c*v)) / (2 * float64(n))
	}
	return F, F - dual
}

// TestLassoSmallAlpha: with more features than points and a small α, and with features that depend on each other
// exactly or nearly, fits with the default options converge.
func TestLassoSmallAlpha(t *testing.T) {
	kinds := map[string]func(rng *rand.Rand, X *mat.Dense, i, j int) float64{
		"normal": func(rng *rand.Rand, _ *mat.Dense, _, _ int) float64 { return rng.NormFloat64() },
		"a chain": func(rng *rand.Rand, X *mat.Dense, i, j int) float64 {
			return 0.99*X.At(i, max(0, j-1)) + rng.NormFloat64()
		},
		"-1, 0 and 1": func(rng *rand.Rand, _ *mat.Dense, _, _ int) float64 { return float64(rng.IntN(3) - 1) },
		"0 and 1":     func(rng *rand.Rand, _ *mat.Dense, _, _ int) float64 { return float64(rng.IntN(2)) },
		"twins": func(rng *rand.Rand, X *mat.Dense, i, j int) float64 {
			if j%2 == 1 {
				return X.At(i, j-1)
			}
			return rng.NormFloat64()
		},
		"sums": func(rng *rand.Rand, X *mat.Dense, i, j int) float64 {
			if j%3 == 2 {
				return X.At(i, j-1) + X.At(i, j-2)
			}
			return rng.NormFloat64()
		},
		"units": func(rng *rand.Rand, _ *mat.Dense, _, j int) float64 {
			return rng.NormFloat64() * math.Pow(10, float64(j%17-8))
		},
		"far":    func(rng *rand.Rand, _ *mat.Dense, _, j int) float64 { return rng.NormFloat64() + 1e6*float64(j%3) },
		"counts": func(rng *rand.Rand, _ *mat.Dense, _, _ int) float64 { return float64(max(0, rng.IntN(12)-8)) },
	}
	followed := 0
	for name, f := range kinds {
		for seed := range uint64(5) {
			rng := rand.New(rand.NewPCG(seed, 19))
			n, d := 20, 50
			if seed > 0 {
				n, d = 6+rng.IntN(30), 6+rng.IntN(60)
			}
			X, y := mat.NewDense(n, d, nil), make([]float64, n)
			for i := range n {
				for j := range d {
					X.Set(i, j, f(rng, X, i, j))
				}
				y[i] = rng.NormFloat64()
				if seed%2 == 1 {
					y[i] = float64(rng.IntN(3))
				}
			}
			var A mat.Matrix = X
			if name == "counts" {
				A = csr.Of(X)
			}
			top, err := AlphaMax(A, y)
			if err != nil || top == 0 {
				t.Fatal(name, err)
			}
			zero := 0.0 // F(0, ȳ)
			for _, v := range y {
				zero += math.Pow(v-floats.Sum(y)/float64(n), 2) / (2 * float64(n))
			}
			for _, share := range []float64{1e-2, 1e-4, 1e-6} {
				for _, rho := range []float64{1, 0.5} {
					what := fmt.Sprintf("%s, %d×%d, seed %d, %g of the largest alpha, ρ %g", name, n, d, seed, share, rho)
					m, err := FitLasso(t.Context(), A, y, share*top, &LassoOptions{L1Ratio: rho})
					if err != nil {
						t.Errorf("%s: %v", what, err)
						continue
					}
					if m.Iterations > slowSweeps {
						followed++
					}
					F, gap := dualGap(X, y, m, rho)
					noise := 1e-12 * zero
					if name == "far" {
						noise = 1e-6 * zero // Predict is off by 1e-10, which is not negligible at such a small α
					}
					if gap > 1e-6*zero+noise || math.Abs(F-m.Objective) > 1e-9*F+noise {
						t.Errorf("%s: gap %g of %g, told %g and %g", what, gap, F, m.Gap, m.Objective)
					}
				}
			}
		}
	}
	if followed < 50 {
		t.Errorf("only %d fits followed the path", followed)
	}
}

// TestFollow: with unlimited steps, follow alone finds the same solution as descent, and its w meets the optimality
// conditions: X̃'r/n = α sign(w) at nonzeros, and |X̃'r|/n <= α elsewhere.
func TestFollow(t *testing.T) {
	X, y := problem(30, 20, 0, 4)
	s := newDescent(X, y, nil)
	alpha := s.alphaMax() / 50
	if steps := s.follow(t.Context(), alpha, 0, 1000); steps < 10 {
		t.Errorf("%d steps", steps)
	}
	for j, w := range s.w {
		c := s.X.dot(j, s.r) / s.n
		if w != 0 && math.Abs(c-math.Copysign(alpha, w)) > 1e-12*alpha || math.Abs(c) > alpha*(1+1e-12) {
			t.Errorf("w[%d] = %g with gradient %g, α %g", j, w, c, alpha)
		}
	}
	w := append([]float64{}, s.w...)
	if steps := s.follow(t.Context(), alpha/2, 0, 3); steps != 3 || !floats.Equal(s.w, w) {
		t.Errorf("after %d of many steps, w has changed", steps)
	}
	m, err := FitLasso(t.Context(), X, y, alpha, &LassoOptions{Tolerance: 1e-14})
	if err != nil || !floats.EqualApprox(m.W, w, 1e-6) {
		t.Errorf("%v: descent %v, follow %v", err, m.W, w)
	}
	wide, yw := problem(20, 50, 0, 4)
	top, err := AlphaMax(wide, yw)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := FitLasso(ctx, wide, yw, 1e-4*top, nil); !errors.Is(err, context.Canceled) || m.Status != ended.Interrupted {
		t.Error(err)
	}
}

// TestTriangle: after any pushes and removals, R'R is the matrix of the columns that are left.
func TestTriangle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	B := mat.NewDense(12, 9, nil)
	B.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, B)
	B.SetCol(8, mat.Col(nil, 2, B)) // a copy of column 2
	var G mat.Dense
	G.Mul(B.T(), B)
	var R triangle
	var kept []int
	for range 300 {
		if j := rng.IntN(9); len(kept) < 7 && rng.IntN(2) == 0 {
			h, double := make([]float64, len(kept)), false
			for k, i := range kept {
				h[k] = G.At(i, j)
				double = double || i == j || i+j == 10 && (i == 8 || j == 8)
			}
			if R.push(h, G.At(j, j)) == double {
				t.Fatalf("column %d after %v: dependent is %v", j, kept, !double)
			}
			if !double {
				kept = append(kept, j)
			}
		} else if len(kept) > 0 {
			k := rng.IntN(len(kept))
			R.remove(k)
			kept = append(kept[:k], kept[k+1:]...)
		}
		p := make([]float64, len(kept))
		for k := range p {
			p[k] = rng.NormFloat64()
		}
		g := make([]float64, len(kept))
		for k, i := range kept {
			for q, j := range kept {
				g[k] += G.At(i, j) * p[q]
			}
		}
		if got := R.solve(g); !floats.EqualApprox(got, p, 1e-8) {
			t.Fatalf("of %v: %v, want %v", kept, got, p)
		}
	}
}

// TestGram: descent on the Gram matrix finds the minimum that descent on the data finds, and its objective and gap are
// those of the definition, whatever the units and origins of the features, with equal, nearly equal and constant
// features, a far point, and weights. Where the Gram matrix has enough digits, the descent on the data is not needed.
func TestGram(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(rng *rand.Rand, X *mat.Dense, i, j int) float64
		easy bool // the Gram matrix has enough digits
	}{
		"normal": {func(rng *rand.Rand, _ *mat.Dense, _, _ int) float64 { return rng.NormFloat64() }, true},
		"units": {func(rng *rand.Rand, _ *mat.Dense, _, j int) float64 {
			return rng.NormFloat64() * math.Pow(10, float64(3*(j%6)-8))
		}, true},
		"far":      {func(rng *rand.Rand, _ *mat.Dense, _, j int) float64 { return rng.NormFloat64() + 1e3*float64(j%3) }, true},
		"very far": {func(rng *rand.Rand, _ *mat.Dense, _, j int) float64 { return rng.NormFloat64() + 1e7*float64(j%3) }, true},
		"twins": {func(rng *rand.Rand, X *mat.Dense, i, j int) float64 {
			if j%2 == 1 {
				return X.At(i, j-1)
			}
			return rng.NormFloat64()
		}, true},
		"constants": {func(rng *rand.Rand, _ *mat.Dense, _, j int) float64 {
			if j%3 == 1 {
				return 0.1 * float64(j)
			}
			return rng.NormFloat64()
		}, true},
		"near twins": {func(rng *rand.Rand, X *mat.Dense, i, j int) float64 {
			if j%2 == 1 {
				return X.At(i, j-1) + 1e-7*rng.NormFloat64()
			}
			return rng.NormFloat64()
		}, false},
		"sums": {func(rng *rand.Rand, X *mat.Dense, i, j int) float64 {
			if j%3 == 2 {
				return X.At(i, j-1) + X.At(i, j-2)
			}
			return rng.NormFloat64()
		}, false},
		"a far point": {func(rng *rand.Rand, _ *mat.Dense, i, _ int) float64 {
			if i == 3 {
				return 1e6 * rng.NormFloat64()
			}
			return rng.NormFloat64()
		}, false},
	} {
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 23))
			n, d := 40+rng.IntN(400), 4+rng.IntN(15)
			X, y := mat.NewDense(n, d, nil), make([]float64, n)
			for i := range n {
				for j := range d {
					X.Set(i, j, c.f(rng, X, i, j))
				}
				y[i] = rng.NormFloat64() + 0.3*math.Atan(X.At(i, 0))
			}
			copied, yc := X, y // with weights: copies of the points
			var s []float64
			if seed%2 == 1 {
				s = someWeights(n, seed)
				copied, yc = repeated(X, y, s)
			}
			top, err := AlphaMax(copied, yc)
			if err != nil {
				t.Fatal(err)
			}
			A, ys, s, err := weigh("", X, [][]float64{y}, s)
			if err != nil {
				t.Fatal(err)
			}
			zero := 0.0 // F(0, ȳ)
			for _, v := range yc {
				zero += math.Pow(v-floats.Sum(yc)/float64(len(yc)), 2) / (2 * float64(len(yc)))
			}
			for _, rho := range []float64{1, 0.5} {
				alphas := []float64{1.001 * top / rho, top / 3, top / 10, top / 100, top / 1000}
				for _, tolerance := range []float64{1e-4, 1e-6, 1e-12} {
					o := LassoOptions{Tolerance: tolerance, L1Ratio: rho}
					o.setDefaults()
					p, err := newLassoProblem(t.Context(), A, ys[0], s, len(alphas))
					if err != nil || p.gram == nil {
						t.Fatalf("%s, seed %d: %d×%d has no Gram matrix (%v)", name, seed, n, d, err)
					}
					right, err := (&lassoProblem{X: copied, y: yc}).path(t.Context(), "data", alphas, o, true)
					path, err2 := p.path(t.Context(), "Gram", alphas, o, true)
					what := fmt.Sprintf("%s, %d×%d, seed %d, ρ %g, tolerance %g", name, n, d, seed, rho, tolerance)
					if (err == nil) != (err2 == nil) {
						t.Errorf("%s: %v; on the data: %v", what, err2, err)
						continue
					}
					if c.easy && tolerance > 1e-10 && p.data != nil {
						t.Errorf("%s: the descent needed the data", what)
					}
					for k, m := range path {
						noise := 1e-12 * zero
						if name == "very far" {
							noise = 1e-8 * zero // of Predict
						}
						if name == "a far point" {
							noise = 1e-9 * zero
						}
						if math.Abs(m.Objective-right[k].Objective) > max(m.Gap, right[k].Gap)+1e-14*zero {
							t.Errorf("%s: objective %v with gap %g; on the data %v with gap %g", what, m.Objective, m.Gap, right[k].Objective, right[k].Gap)
						}
						F, gap := dualGap(copied, yc, m, rho)
						if math.Abs(F-m.Objective) > 1e-11*F+noise || gap > m.Gap+noise {
							t.Errorf("%s, alpha %d: objective %v, gap %g, by definition %v and %g", what, k, m.Objective, m.Gap, F, gap)
						}
						if k == 0 && m.Active != 0 {
							t.Errorf("%s: %d nonzeros above AlphaMax", what, m.Active)
						}
					}
				}
			}
		}
	}
}

// TestFoldGrams: the Gram matrix of the points outside a fold, a sum of those of the other folds, is that of these
// points. A feature that is constant outside the fold counts as 0. If the means outside a fold are far from those of
// all points, there is no sum.
func TestFoldGrams(t *testing.T) {
	const n, d = 120, 5
	X, y := problem(n, d, 0, 8)
	folds := KFold(n, 4, 1)
	for i := range n {
		X.Set(i, 2, 0.1)
		X.Set(i, 3, 0.1)
	}
	for k, i := range folds[1] {
		X.Set(i, 3, float64(k)) // constant outside fold 1
	}
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(1 + i%3)
	}
	for _, s := range [][]float64{nil, s} {
		shared := grams(t.Context(), X, y, s, folds, 20)
		if shared == nil {
			t.Fatal("no Gram matrices")
		}
		for f := range folds {
			A, ys, weights := outside(X, y, s, folds, f)
			got, want := shared(f), newGram(t.Context(), A.(*mat.Dense), ys, weights)
			if got == nil || want == nil {
				t.Fatalf("fold %d: %v, %v", f, got, want)
			}
			for _, p := range [][2]float64{{got.n, want.n}, {got.yy, want.yy}, {got.my, want.my}} {
				near(t, "a number of the points", p[0], p[1], 1e-13)
			}
			for j := range d {
				if j == 2 || j == 3 && f == 1 {
					if floats.Norm(got.row(j), 1) != 0 || got.c[j] != 0 {
						t.Errorf("fold %d: the constant feature %d has products %v and %v", f, j, got.row(j), got.c[j])
					}
				}
				if !floats.EqualApprox(got.row(j), want.row(j), 1e-12) || math.Abs(got.c[j]-want.c[j]) > 1e-11 || math.Abs(got.mean[j]-want.mean[j]) > 1e-13 {
					t.Errorf("fold %d, feature %d: %v, want %v", f, j, got.row(j), want.row(j))
				}
			}
		}
	}
	X.Set(folds[2][0], 0, 1e6)
	shared := grams(t.Context(), X, y, nil, folds, 20)
	for f := range folds {
		if far := f == 2; (shared(f) == nil) != far {
			t.Errorf("fold %d: a Gram matrix is %v", f, shared(f))
		}
	}
	if s[5] = 0; grams(t.Context(), X, y, s, folds, 20) != nil {
		t.Error("points of weight 0 are not left out")
	}
}

// TestLassoCVOnGrams: cross-validation from sums of Gram matrices makes the predictions of fits to the training points,
// for any units and origins, with a far point, and with weights. The number of threads does not change a bit.
func TestLassoCVOnGrams(t *testing.T) {
	for name, f := range map[string]func(i, j int, x float64) float64{
		"as it is": func(_, _ int, x float64) float64 { return x },
		"units":    func(_, j int, x float64) float64 { return x * math.Pow(10, float64(4*j-8)) },
		"far":      func(_, j int, x float64) float64 { return x + 1e6*float64(j) },
		"a far point": func(i, _ int, x float64) float64 {
			if i == 3 {
				return 1e6 * x
			}
			return x
		},
	} {
		for _, weighted := range []bool{false, true} {
			X, y := problem(400, 6, 0, 9)
			X.Apply(f, X)
			o := &CVOptions{Seed: 3, L1Ratios: []float64{0.5, 1}}
			if weighted {
				o.SampleWeights = someWeights(400, 7)
				floats.AddConst(0.5, o.SampleWeights)
			}
			cv, err := LassoCV(t.Context(), X, y, o, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			for f, fold := range cv.Folds {
				A, ys, s := outside(X, y, o.SampleWeights, cv.Folds, f)
				m, err := FitLasso(t.Context(), A, ys, cv.Alphas[cv.Best], &LassoOptions{L1Ratio: cv.L1Ratios[cv.Best], SampleWeights: s, Tolerance: 1e-9})
				if err != nil {
					t.Fatal(name, err)
				}
				for r, p := range m.Predict(rowsOf(X, fold)) {
					if fold[r] == 3 && name == "a far point" {
						continue // where small differences become large
					}
					near(t, name+": prediction", cv.Predictions[fold[r]], p, 2e-3)
				}
			}
			old := runtime.GOMAXPROCS(1)
			again, err := LassoCV(t.Context(), X, y, o, nil)
			runtime.GOMAXPROCS(old)
			if err != nil || !floats.Equal(again.Predictions, cv.Predictions) || !floats.Equal(again.Model.W, cv.Model.W) {
				t.Errorf("%s: another result with one thread (%v)", name, err)
			}
		}
	}
}
