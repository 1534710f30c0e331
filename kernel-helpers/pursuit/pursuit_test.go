package pursuit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	simplex "gonum.org/v1/gonum/optimize/convex/lp"
	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/internal/vector"
)

func randomDense(rng *rand.Rand, r, c int) *mat.Dense {
	return trial.Normal(rng, r, c, 1)
}

func randomVec(rng *rand.Rand, n int) []float64 { return randomDense(rng, n, 1).RawMatrix().Data }

func residual(a mat.Matrix, s, x []float64) float64 {
	var v mat.VecDense
	v.MulVec(a, mat.NewVecDense(len(s), s))
	var t float64
	for i := range x {
		t = max(t, math.Abs(v.AtVec(i)-x[i]))
	}
	return t
}

// The interior-point method agrees with gonum's simplex method.
func TestLinearProgramAgainstSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range 60 {
		m, n := 1+rng.IntN(6), 0
		n = m + 1 + rng.IntN(10)
		a := randomDense(rng, m, n)
		z := randomVec(rng, n)
		for j := range z {
			z[j] = max(z[j], 0)
		}
		b := make([]float64, m)
		mat.NewVecDense(m, b).MulVec(a, mat.NewVecDense(n, z))
		c := randomVec(rng, n)
		for j := range c {
			c[j] = math.Abs(c[j]) // bounded
		}
		r, err := LinearProgram(t.Context(), c, a, b, nil)
		if err != nil {
			t.Fatalf("problem %d: %v", k, err)
		}
		want, _, err := simplex.Simplex(c, a, b, 1e-10, nil)
		if err != nil {
			continue // the simplex code rejects some degenerate problems
		}
		if r.Status != ended.Converged || math.Abs(r.Objective-want) > 1e-7*(1+math.Abs(want)) {
			t.Errorf("problem %d (%d×%d): %v %g, simplex %g", k, m, n, r.Status, r.Objective, want)
		}
		if !r.Basic || len(r.Support) > m || residual(a, r.Z, b) > 1e-8 {
			t.Errorf("problem %d: basic %v, support %v of %d rows, residual %g", k, r.Basic, r.Support, m, residual(a, r.Z, b))
		}
		for j, v := range r.Z {
			if v < 0 || r.R[j] < -1e-8 {
				t.Errorf("problem %d: z[%d] = %g, reduced cost %g", k, j, v, r.R[j])
			}
		}
	}
}

func TestLinearProgramStatuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		c, a, b []float64
		m       int
		want    ended.Status
	}{
		{"infeasible", []float64{1, 1}, []float64{1, 1}, []float64{-1}, 1, ended.Infeasible},
		{"contradiction", []float64{1, 1}, []float64{1, 0, 1, 0}, []float64{1, 2}, 2, ended.Infeasible},
		{"unbounded", []float64{-1, 0}, []float64{1, -1}, []float64{1}, 1, ended.Unbounded},
		{"dependent rows", []float64{1, 2}, []float64{1, 1, 2, 2}, []float64{1, 2}, 2, ended.Converged},
		{"zero right-hand side", []float64{1, 2}, []float64{1, 1}, []float64{0}, 1, ended.Converged},
		{"zero cost", []float64{0, 0, 0}, []float64{1, 1, 1}, []float64{3}, 1, ended.Converged},
	} {
		r, err := LinearProgram(t.Context(), c.c, mat.NewDense(c.m, len(c.c), c.a), c.b, nil)
		if err != nil || r.Status != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, r.Status, err, c.want)
			continue
		}
		if r.Status == ended.Converged && (!r.Basic || residual(mat.NewDense(c.m, len(c.c), c.a), r.Z, c.b) > 1e-8) {
			t.Errorf("%s: basic %v, z %v", c.name, r.Basic, r.Z)
		}
	}
	// A Farkas certificate: A'y <= 0 < b'y.
	r, _ := LinearProgram(t.Context(), []float64{1, 1}, mat.NewDense(1, 2, []float64{1, 1}), []float64{-1}, nil)
	if !(r.Y[0] < 0) {
		t.Errorf("certificate %v", r.Y)
	}
}

// Interior point, enumeration and (for m = 2) sectors agree on the objective, and on the coefficients if the
// solution is unique.
func TestPursuitThreeWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for k := range 300 {
		m := 1 + rng.IntN(4)
		if k%2 == 0 {
			m = 2
		}
		n := m + rng.IntN(5)
		a, x := randomDense(rng, m, n), randomVec(rng, m)
		set := &PursuitOptions{NonNegative: k%3 == 0}
		if k%5 == 0 {
			set.Weights = make([]float64, n)
			for j := range n {
				set.Weights[j] = 0.2 + rng.Float64()
			}
		}
		e, err := BasisPursuitEnumerate(a, x, set)
		if err != nil {
			t.Fatal(err)
		}
		r, err := BasisPursuit(t.Context(), a, x, set)
		if err != nil {
			t.Fatalf("%d: %v", k, err)
		}
		if r.Status != e.Status {
			t.Fatalf("%d: interior point %v, enumeration %v", k, r.Status, e.Status)
		}
		b, err := BasisPursuitBatch(t.Context(), a, mat.NewDense(m, 1, x), set)
		if err != nil || b.Status[0] != e.Status {
			t.Fatalf("%d: batch %v %v, enumeration %v", k, b.Status[0], err, e.Status)
		}
		if e.Status != ended.Converged {
			continue
		}
		if math.Abs(r.Objective-e.Objective) > 1e-7*e.Objective || r.Gap > 1e-6*(1+e.Objective) {
			t.Errorf("%d: interior point %g (gap %g), enumeration %g", k, r.Objective, r.Gap, e.Objective)
		}
		if !r.Basic || residual(a, r.S, x) > 1e-8 {
			t.Errorf("%d: basic %v, residual %g", k, r.Basic, residual(a, r.S, x))
		}
		sb := mat.Col(nil, 0, b.S)
		if math.Abs(b.Objective[0]-e.Objective) > 1e-7*e.Objective {
			t.Errorf("%d: batch %g, enumeration %g", k, b.Objective[0], e.Objective)
		}
		for j := range n {
			if math.Abs(r.S[j]-e.S[j]) > 1e-6 || math.Abs(sb[j]-e.S[j]) > 1e-6 {
				t.Errorf("%d: s[%d]: interior point %g, batch %g, enumeration %g", k, j, r.S[j], sb[j], e.S[j])
			}
			// The dual is feasible.
			y := vector.DotInOrder(mat.Col(nil, j, a), mat.Col(nil, 0, b.Dual))
			w := 1.0
			if set.Weights != nil {
				w = set.Weights[j]
			}
			if !set.NonNegative {
				y = math.Abs(y)
			}
			if y > w*(1+1e-6) {
				t.Errorf("%d: dual constraint %d: %g > %g", k, j, y, w)
			}
		}
	}
}

func TestSectorsDegenerate(t *testing.T) {
	h := math.Sqrt(0.5)
	for name, a := range map[string]*mat.Dense{
		"three on an edge": mat.NewDense(2, 3, []float64{1, 0.5, 0, 0, 0.5, 1}),
		"duplicate":        mat.NewDense(2, 3, []float64{1, 1, 0, 0, 0, 1}),
		"opposite":         mat.NewDense(2, 3, []float64{1, -1, 0, 0, 0, 1}),
		"parallel, longer": mat.NewDense(2, 3, []float64{1, 2, 0, 0, 0, 1}),
		"inside the hull":  mat.NewDense(2, 3, []float64{1, 0.1, 0, 0, 0.1, 1}),
		"zero column":      mat.NewDense(2, 3, []float64{1, 0, h, 0, 0, h}),
		"square":           mat.NewDense(2, 4, []float64{1, 0, h, h, 0, 1, h, -h}),
		"unit circle":      mat.NewDense(2, 2, []float64{1, h, 0, h}),
	} {
		for _, nn := range []bool{false, true} {
			set := &PursuitOptions{NonNegative: nn}
			for k := range 48 {
				s, c := math.Sincos(2 * math.Pi * float64(k) / 48)
				x := []float64{c, s}
				e, err := BasisPursuitEnumerate(a, x, set)
				if err != nil {
					t.Fatal(err)
				}
				b, err := BasisPursuitBatch(t.Context(), a, mat.NewDense(2, 1, x), set)
				if err != nil {
					t.Fatal(name, err)
				}
				r, err := BasisPursuit(t.Context(), a, x, set)
				if err != nil {
					t.Fatal(name, nn, k, err)
				}
				if b.Status[0] != e.Status || r.Status != e.Status {
					t.Errorf("%s nonneg=%v angle %d: batch %v, interior %v, enumeration %v", name, nn, k, b.Status[0], r.Status, e.Status)
					continue
				}
				if e.Status != ended.Converged {
					continue
				}
				sb := mat.Col(nil, 0, b.S)
				if math.Abs(b.Objective[0]-e.Objective) > 1e-9 || residual(a, sb, x) > 1e-9 || math.Abs(r.Objective-e.Objective) > 1e-7 {
					t.Errorf("%s nonneg=%v angle %d: batch %g, interior %g, enumeration %g", name, nn, k, b.Objective[0], r.Objective, e.Objective)
				}
				for j, v := range sb {
					if nn && v < -1e-12 {
						t.Errorf("%s: s[%d] = %g", name, j, v)
					}
				}
			}
		}
	}
	if _, err := NewSectors(mat.NewDense(2, 2, []float64{1, 2, 1, 2}), nil, false); err == nil {
		t.Error("parallel columns: no error")
	}
}

func TestLassoTwoMethods(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, d := range [][2]int{{2, 3}, {2, 5}, {10, 25}, {8, 4}} {
		for _, nn := range []bool{false, true} {
			a, x := randomDense(rng, d[0], d[1]), randomDense(rng, d[0], 40)
			set := &LassoOptions{NonNegative: nn, Tolerance: 1e-8, MaxIterations: 200000}
			c, err := Lasso(t.Context(), a, x, 0.1, set)
			if err != nil {
				t.Fatal(err)
			}
			f, err := FISTA(t.Context(), a, x, 0.1, set)
			if err != nil {
				t.Fatal(err)
			}
			g, err := GradientDescent(t.Context(), a, x, 0.1, &GradientOptions{ReLU: nn, Steps: 3000})
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range c.Objective {
				if math.Abs(v-f.Objective[k]) > c.Gap[k]+f.Gap[k]+1e-12 {
					t.Errorf("%v %v signal %d: %g and %g, gaps %g %g", d, nn, k, v, f.Objective[k], c.Gap[k], f.Gap[k])
				}
				if g.Objective[k] < v-c.Gap[k]-1e-12 || g.Objective[k] > v*1.05+0.02 {
					t.Errorf("%v %v signal %d: gradient %g, optimum %g", d, nn, k, g.Objective[k], v)
				}
			}
			for k, v := range LassoObjective(a, x, c.S, 0.1) {
				if math.Abs(v-c.Objective[k]) > 1e-12*(1+v) {
					t.Errorf("objective of signal %d: %g reported, %g computed", k, c.Objective[k], v)
				}
			}
			// One goroutine gives the same bits as many.
			set.Workers = 1
			one, _ := Lasso(t.Context(), a, x, 0.1, set)
			if !mat.Equal(one.S, c.S) {
				t.Error("result depends on the number of goroutines")
			}
			// Another start gives the same objective.
			set.Start = randomDense(rng, d[1], 40)
			st, err := Lasso(t.Context(), a, x, 0.1, set)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(st.MeanObjective()-c.MeanObjective()) > 1e-8 {
				t.Errorf("start: %g, %g", st.MeanObjective(), c.MeanObjective())
			}
		}
	}
}

// For A = I the solution is soft thresholding.
func TestLassoIdentity(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{2, -2, 0.3, -0.3, -1, 1})
	r, err := Lasso(t.Context(), mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), x, 0.5, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(3, 2, []float64{1.5, -1.5, 0, 0, -0.5, 0.5})
	if !mat.EqualApprox(r.S, want, 1e-12) {
		t.Errorf("%v", mat.Formatted(r.S))
	}
}

// As alpha -> 0 the lasso tends to basis pursuit.
func TestLassoLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	a, x := randomDense(rng, 2, 4), randomDense(rng, 2, 30)
	b, err := BasisPursuitBatch(t.Context(), a, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Lasso(t.Context(), a, x, 1e-4, &LassoOptions{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(r.S, b.S, 0.002) {
		t.Errorf("lasso\n%v\nbasis pursuit\n%v", mat.Formatted(r.S), mat.Formatted(b.S))
	}
}

func TestBadInput(t *testing.T) {
	nan := mat.NewDense(2, 2, []float64{1, math.NaN(), 0, 1})
	ok := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	for name, err := range map[string]error{
		"A[0,1]":   second(Lasso(t.Context(), nan, ok, 1, nil)),
		"X[0,1]":   second(FISTA(t.Context(), ok, nan, 1, nil)),
		"alpha":    second(Lasso(t.Context(), ok, ok, 0, nil)),
		"b[1]":     second(LinearProgram(t.Context(), []float64{1, 1}, ok, []float64{0, math.Inf(1)}, nil)),
		"x[0]":     second(BasisPursuitEnumerate(ok, []float64{math.NaN(), 0}, nil)),
		"weight 1": second(BasisPursuit(t.Context(), ok, []float64{1, 0}, &PursuitOptions{Weights: []float64{1, -1}})),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, f := range map[string]func(){
		"empty":  func() { Lasso(t.Context(), &mat.Dense{}, ok, 1, nil) },
		"nil":    func() { Lasso(t.Context(), nil, ok, 1, nil) },
		"shapes": func() { BasisPursuit(t.Context(), ok, []float64{1}, nil) },
		"start":  func() { GradientDescent(t.Context(), ok, ok, 1, &GradientOptions{Start: mat.NewDense(3, 3, nil)}) },
	} {
		if r := panics.Value(f); r == nil || !strings.HasPrefix(fmt.Sprint(r), "pursuit: ") {
			t.Errorf("%s: recovered %v", name, r)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Lasso(ctx, ok, ok, 0.1, &LassoOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestGradientDiverges(t *testing.T) {
	a := mat.NewDense(1, 1, []float64{1})
	r, err := GradientDescent(t.Context(), a, a, 0.1, &GradientOptions{Step: 5, Steps: 5000})
	if err != nil || r.Status != ended.Diverged {
		t.Errorf("%v %v", r.Status, err)
	}
}

func second[T any](_ T, err error) error { return err }

func FuzzSectors(f *testing.F) {
	f.Add(1.0, 0.0, 0.3, 0.9, -0.5, 0.7, 0.2, 0.4)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, x, y float64) {
		for _, v := range []float64{a, b, c, d, e, g, x, y} {
			if !(math.Abs(v) < 1e3) || v != 0 && math.Abs(v) < 1e-3 {
				t.Skip()
			}
		}
		m := mat.NewDense(2, 3, []float64{a, c, e, b, d, g})
		for _, pair := range [][4]float64{{a, b, c, d}, {a, b, e, g}, {c, d, e, g}} {
			if math.Abs(pair[0]*pair[3]-pair[1]*pair[2]) < 1e-3 {
				t.Skip()
			}
		}
		en, err := BasisPursuitEnumerate(m, []float64{x, y}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ba, err := BasisPursuitBatch(t.Context(), m, mat.NewDense(2, 1, []float64{x, y}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(en.Objective-ba.Objective[0]) > 1e-6*(1+en.Objective) {
			t.Fatalf("%g and %g", en.Objective, ba.Objective[0])
		}
	})
}

func ExampleBasisPursuit() {
	a := mat.NewDense(2, 3, []float64{
		1, 0, 0.6,
		0, 1, 0.8,
	})
	r, _ := BasisPursuit(context.Background(), a, []float64{0.6, 1.8}, nil)
	fmt.Println(r.Status, r.Support)
	fmt.Printf("s = %.3f, |s|_1 = %.3f\n", r.S, r.Objective)
	// Output:
	// converged [1 2]
	// s = [0.000 1.000 1.000], |s|_1 = 2.000
}

func ExampleLasso() {
	a := mat.NewDense(2, 3, []float64{
		1, 0, 0.6,
		0, 1, 0.8,
	})
	x := mat.NewDense(2, 1, []float64{0.6, 1.8})
	r, _ := Lasso(context.Background(), a, x, 0.1, nil)
	fmt.Printf("%v %.3f\n", r.Status, mat.Col(nil, 0, r.S))
	// Output: converged [0.000 0.944 0.944]
}

func BenchmarkSectors(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 5))
	a, x := randomDense(rng, 2, 4), randomDense(rng, 2, 1000)
	for b.Loop() {
		if _, err := BasisPursuitBatch(b.Context(), a, x, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLasso(b *testing.B) {
	rng := rand.New(rand.NewPCG(6, 6))
	a, x := randomDense(rng, 180, 512), randomDense(rng, 180, 100)
	for b.Loop() {
		if _, err := Lasso(b.Context(), a, x, 20, &LassoOptions{Tolerance: 1e-4}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBasisPursuit(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	a, x := randomDense(rng, 20, 40), randomVec(rng, 20)
	for b.Loop() {
		if _, err := BasisPursuit(b.Context(), a, x, nil); err != nil {
			b.Fatal(err)
		}
	}
}
