package regress

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
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
