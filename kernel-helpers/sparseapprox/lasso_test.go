package sparseapprox

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

var lassoMethods = []Method{CoordinateDescent, FeatureSign, LARS, FISTA}

func TestLassoMethodsAgree(t *testing.T) {
	for _, size := range []struct{ d, n, N int }{{8, 20, 30}, {40, 100, 20}, {30, 15, 20}, {1, 5, 4}, {5, 1, 4}} {
		for _, prior := range []Prior{L1, L1NonNegative} {
			for _, lambda := range []float64{0.5, 0.1, 0.01} {
				B, X := problem(size.d, size.n, size.N, 1)
				var first *Result
				for _, m := range lassoMethods {
					name := fmt.Sprintf("%v %v %v λ=%v", size, prior, m, lambda)
					opt := Options{Prior: prior, Lambda: lambda, Method: m, Tolerance: 1e-11, MaxIterations: 200000}
					r := solve(t, B, X, opt)
					if r.Status != ended.Converged || r.Method != m {
						t.Fatalf("%s: %v by %v", name, r.Status, r.Method)
					}
					if first == nil {
						first = r
					}
					for k := range size.N {
						f := objective(B, X, r.W, k, lambda, math.Abs)
						if math.Abs(f-r.Objective[k]) > 1e-12*(1+f) {
							t.Errorf("%s: signal %d: objective %v, by hand %v", name, k, r.Objective[k], f)
						}
						if math.Abs(f-first.Objective[k]) > 1e-8*f {
							t.Errorf("%s: signal %d: objective %v, CoordinateDescent has %v", name, k, f, first.Objective[k])
						}
						if m == FISTA {
							continue // a gap of 1e-11 allows violations of about its root
						}
						if v := conditions(B, X, r.W, k, lambda, prior == L1NonNegative); v > 1e-5*lambda {
							t.Errorf("%s: signal %d violates the optimality conditions by %v", name, k, v)
						}
					}
				}
			}
		}
	}
}

// enumerate returns the minimum over all sign patterns of w. For each pattern it makes a linear solve with the signs
// fixed. The pattern counts if the solution has these signs.
func enumerate(B, X *mat.Dense, k int, lambda float64, nonneg bool) float64 {
	_, n := B.Dims()
	best := math.Inf(1)
	patterns := int(math.Pow(3, float64(n)))
	for c := range patterns {
		var p []int
		var s []float64
		for j, rest := 0, c; j < n; j, rest = j+1, rest/3 {
			if rest%3 > 0 {
				p, s = append(p, j), append(s, float64(3-2*(rest%3)))
			}
		}
		w := mat.NewDense(n, k+1, nil)
		if len(p) > 0 {
			m := len(p)
			g, b := mat.NewDense(m, m, nil), mat.NewVecDense(m, nil)
			for i := range m {
				bi := B.ColView(p[i])
				b.SetVec(i, mat.Dot(bi, X.ColView(k))-lambda*s[i])
				for j := range m {
					g.Set(i, j, mat.Dot(bi, B.ColView(p[j])))
				}
			}
			var v mat.VecDense
			if v.SolveVec(g, b) != nil {
				continue
			}
			good := true
			for i, j := range p {
				w.Set(j, k, v.AtVec(i))
				good = good && v.AtVec(i)*s[i] > 0 && !(nonneg && s[i] < 0)
			}
			if !good {
				continue
			}
		}
		best = min(best, objective(B, X, w, k, lambda, math.Abs))
	}
	return best
}

func TestLassoAgainstSignPatterns(t *testing.T) {
	B, X := problem(4, 6, 12, 3)
	for _, prior := range []Prior{L1, L1NonNegative} {
		for _, m := range lassoMethods {
			r := solve(t, B, X, Options{Prior: prior, Lambda: 0.05, Method: m, Tolerance: 1e-12, MaxIterations: 100000})
			for k, f := range r.Objective {
				if want := enumerate(B, X, k, 0.05, prior == L1NonNegative); math.Abs(f-want) > 1e-10*want {
					t.Errorf("%v %v signal %d: %v, by enumeration %v", prior, m, k, f, want)
				}
			}
		}
	}
}

func TestOrthonormal(t *testing.T) {
	A, X := problem(12, 9, 10, 4)
	var qr mat.QR
	qr.Factorize(A)
	var q mat.Dense
	qr.QTo(&q)
	B := mat.DenseCopyOf(q.Slice(0, 12, 0, 9))
	var corr mat.Dense
	corr.Mul(B.T(), X)
	for _, prior := range []Prior{L1, L1NonNegative} {
		want := mat.NewDense(9, 10, nil)
		want.Apply(func(_, _ int, v float64) float64 {
			if v < 0 && prior == L1NonNegative {
				return 0
			}
			return math.Copysign(max(0, math.Abs(v)-0.2), v)
		}, &corr)
		for _, m := range append(lassoMethods, Auto, SoftThreshold) {
			r := solve(t, B, X, Options{Prior: prior, Lambda: 0.2, Method: m, Tolerance: 1e-13})
			if d := largestDifference(r.W, want); d > 1e-9 {
				t.Errorf("%v %v is off the soft threshold by %v", prior, m, d)
			}
			if m == Auto && r.Method != SoftThreshold {
				t.Errorf("Auto took %v for an orthonormal B", r.Method)
			}
		}
	}
	if _, err := Solve(t.Context(), A, X, &Options{Lambda: 1, Method: SoftThreshold}); err == nil {
		t.Error("SoftThreshold took a B that is not orthonormal")
	}
}

// The gap bounds how far the objective is above its minimum, wherever the solver is stopped.
func TestGapIsABound(t *testing.T) {
	B, X := problem(20, 60, 15, 5)
	for _, prior := range []Prior{L1, L1NonNegative} {
		best := solve(t, B, X, Options{Prior: prior, Lambda: 0.05, Tolerance: 1e-13})
		for _, m := range []Method{CoordinateDescent, FISTA, FeatureSign} {
			loose := 0
			for _, it := range []int{1, 3, 10, 30} {
				r, _ := Solve(t.Context(), B, X, &Options{Prior: prior, Lambda: 0.05, Method: m, MaxIterations: it, Tolerance: 1e-13})
				for k, f := range r.Objective {
					excess := f - best.Objective[k]
					if excess < -1e-12 || excess > r.Gap[k]+1e-12 {
						t.Errorf("%v %v, %d iterations, signal %d: excess %v, gap %v", prior, m, it, k, excess, r.Gap[k])
					}
					if excess > 1e-3*f {
						loose++
					}
				}
			}
			if loose == 0 {
				t.Errorf("%v %v: no run was stopped early, so nothing was tested", prior, m)
			}
		}
	}
}

func TestRepeatedAtoms(t *testing.T) {
	A, X := problem(10, 14, 12, 6)
	// Twins, opposites, a zero column, and an atom in the span of two others.
	B := mat.NewDense(10, 32, nil)
	B.Slice(0, 10, 0, 14).(*mat.Dense).Copy(A)
	B.Slice(0, 10, 14, 28).(*mat.Dense).Copy(A)
	for i := range 10 {
		B.Set(i, 28, -A.At(i, 0))
		B.Set(i, 30, (A.At(i, 1)+A.At(i, 2))/2)
		B.Set(i, 31, A.At(i, 3)+A.At(i, 4))
	}
	for _, prior := range []Prior{L1, L1NonNegative} {
		for _, lambda := range []float64{0.3, 0.01, 1e-4} {
			base := solve(t, B, X, Options{Prior: prior, Lambda: lambda, Method: LARS, Tolerance: 1e-9})
			for _, m := range []Method{CoordinateDescent, FeatureSign, FISTA} {
				r := solve(t, B, X, Options{Prior: prior, Lambda: lambda, Method: m, Tolerance: 1e-9, MaxIterations: 1000000})
				for k, f := range r.Objective {
					if math.Abs(f-base.Objective[k]) > 1e-8*f {
						t.Errorf("%v %v λ=%v signal %d: %v, LARS %v", prior, m, lambda, k, f, base.Objective[k])
					}
				}
			}
		}
	}
}

func TestWarmStart(t *testing.T) {
	B, X := problem(30, 80, 20, 7)
	_, other := problem(30, 80, 20, 8)
	for _, prior := range []Prior{L1, L1NonNegative} {
		for _, m := range []Method{CoordinateDescent, FeatureSign, FISTA} {
			opt := Options{Prior: prior, Lambda: 0.05, Method: m, Tolerance: 1e-12, MaxIterations: 100000}
			cold := solve(t, B, X, opt)
			opt.Warm = solve(t, B, other, Options{Lambda: 0.02}).W // signs and support of another signal
			warm := solve(t, B, X, opt)
			if d := largestDifference(cold.W, warm.W); d > 1e-5 {
				t.Errorf("%v %v: a warm start changes w by %v", prior, m, d)
			}
			opt.Warm = cold.W
			again := solve(t, B, X, opt)
			for k, it := range again.Iterations {
				if it > cold.Iterations[k]/2 {
					t.Errorf("%v %v signal %d: %d iterations from the solution, %d from 0", prior, m, k, it, cold.Iterations[k])
				}
			}
		}
	}
}

func TestPath(t *testing.T) {
	B, X := problem(25, 60, 6, 9)
	for _, prior := range []Prior{L1, L1NonNegative} {
		c, err := NewCoder(B, &Options{Prior: prior, Lambda: 1})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 6 {
			p, err := c.Path(mat.Col(nil, k, X), 0)
			if err != nil {
				t.Fatal(err)
			}
			m := len(p.Knots)
			if m < 10 || p.Nonzeros[0] != 0 {
				t.Fatalf("%d knots, the first with %d nonzeros", m, p.Nonzeros[0])
			}
			for i := 1; i < m; i++ {
				if p.Knots[i] >= p.Knots[i-1] {
					t.Fatalf("knot %d: %v after %v", i, p.Knots[i], p.Knots[i-1])
				}
			}
			// The path ends exactly at the smallest λ.
			for _, share := range []float64{0.9, 0.3, 1. / 7, 1e-3} {
				smallest := share * p.Knots[0]
				short, err := c.Path(mat.Col(nil, k, X), smallest)
				if err != nil || short.Knots[len(short.Knots)-1] != smallest {
					t.Fatalf("λ = %v: %v, %v", smallest, short.Knots, err)
				}
				short.At(smallest)
			}
			x := mat.DenseCopyOf(X.Slice(0, 25, k, k+1))
			for _, lambda := range []float64{2 * p.Knots[0], p.Knots[0], p.Knots[3], 0.5 * p.Knots[0], 0.1 * p.Knots[0], 0.01 * p.Knots[0], 1.0001 * p.Knots[m-1]} {
				w := p.At(lambda)
				// Check the conditions at the path's own λ, not only the objective.
				if v := conditions(B, x, mat.NewDense(60, 1, w), 0, lambda, prior == L1NonNegative); v > 1e-9 {
					t.Errorf("%v signal %d λ=%v: conditions violated by %v", prior, k, lambda, v)
				}
				tol := 1e-12
				if lambda < 1e-3 {
					tol = 1e-8 // relative to an objective of about λ‖w‖₁; rounding errors allow no smaller tolerance
				}
				r := solve(t, B, x, Options{Prior: prior, Lambda: lambda, Method: CoordinateDescent, Tolerance: tol})
				if d := largestDifference(r.W, mat.NewDense(60, 1, w)); d > 1e-6 {
					t.Errorf("%v signal %d λ=%v: descent differs by %v", prior, k, lambda, d)
				}
			}
		}
	}
}

// For two atoms with product ρ the knots are known: with c_1 > c_2 > 0 the second
// joins when λ − c_2 = ρ(λ − c_1), at λ = (c_2 − ρc_1)/(1 − ρ).
func TestPathOfTwoAtoms(t *testing.T) {
	const rho = 0.6
	B := mat.NewDense(2, 2, []float64{1, rho, 0, math.Sqrt(1 - rho*rho)})
	x := []float64{1, 0.3}
	c1, c2 := 1.0, rho+0.3*math.Sqrt(1-rho*rho)
	c, err := NewCoder(B, &Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Path(x, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{c1, (c2 - rho*c1) / (1 - rho), 1e-6 * c1}
	if len(p.Knots) != 3 {
		t.Fatalf("knots %v, want %v", p.Knots, want)
	}
	for i, v := range want {
		if math.Abs(p.Knots[i]-v) > 1e-14 {
			t.Errorf("knot %d: %v, want %v", i, p.Knots[i], v)
		}
	}
}
