package nnls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

func random(r, c int, seed uint64, nonneg bool) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	M := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			v := rng.NormFloat64()
			if nonneg {
				v = max(0, v)
			}
			M.Set(i, j, v)
		}
	}
	return M
}

func solved(t *testing.T, A, B mat.Matrix, opt *Options) *Result {
	t.Helper()
	r, err := Solve(context.Background(), A, B, opt)
	if err != nil && !errors.Is(err, ended.ErrNotConverged) {
		t.Fatal(err)
	}
	if (err == nil) != (r.Status == ended.Converged) {
		t.Fatalf("%v, but error %v", r.Status, err)
	}
	return r
}

func maxDiff(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, math.Inf(1))
}

var methods = []Method{BlockPivoting, LawsonHanson, ADMM, CoordinateDescent}

// best returns the minimum by trying all sets of zeros.
func best(A *mat.Dense, b []float64) float64 {
	m, k := A.Dims()
	low := math.Inf(1)
	for bits := range 1 << k {
		var cols []int
		for j := range k {
			if bits>>j&1 == 1 {
				cols = append(cols, j)
			}
		}
		res := append([]float64{}, b...)
		if len(cols) > 0 {
			S := mat.NewDense(m, len(cols), nil)
			for q, j := range cols {
				S.SetCol(q, mat.Col(nil, j, A))
			}
			var x mat.VecDense
			if err := x.SolveVec(S, mat.NewVecDense(m, append([]float64{}, b...))); err != nil {
				continue
			}
			ok := true
			for q := range cols {
				ok = ok && x.AtVec(q) >= 0
			}
			if !ok {
				continue
			}
			var p mat.VecDense
			p.MulVec(S, &x)
			for i := range res {
				res[i] -= p.AtVec(i)
			}
		}
		f := 0.0
		for _, v := range res {
			f += v * v / 2
		}
		low = min(low, f)
	}
	return low
}

func TestAllSetsOfZeros(t *testing.T) {
	for seed := range uint64(20) {
		A, b := random(9, 6, seed, false), random(9, 1, seed+100, false)
		want := best(A, mat.Col(nil, 0, b))
		for _, m := range methods {
			r := solved(t, A, b, &Options{Method: m})
			if math.Abs(r.Objective-want) > 1e-10*want {
				t.Errorf("%v, seed %d: objective %v, the best of all sets %v", m, seed, r.Objective, want)
			}
			if r.Status != ended.Converged || r.KKT > 1e-9 {
				t.Errorf("%v: %v, KKT %g", m, r.Status, r.KKT)
			}
		}
	}
}

// If the columns are orthogonal, x_j = max(0, a_j'b)/‖a_j‖².
func TestOrthogonal(t *testing.T) {
	var qr mat.QR
	qr.Factorize(random(12, 5, 3, false))
	var Q mat.Dense
	qr.QTo(&Q)
	A := mat.DenseCopyOf(Q.Slice(0, 12, 0, 5))
	for j := range 5 {
		for i := range 12 {
			A.Set(i, j, A.At(i, j)*float64(j+1))
		}
	}
	B := random(12, 7, 4, false)
	var want mat.Dense
	want.Mul(A.T(), B)
	want.Apply(func(i, _ int, v float64) float64 { return max(0, v) / float64((i+1)*(i+1)) }, &want)
	for _, m := range methods {
		if d := maxDiff(solved(t, A, B, &Options{Method: m}).X, &want); d > 1e-9 {
			t.Errorf("%v is off by %g", m, d)
		}
	}
}

func TestMethodsAgree(t *testing.T) {
	for _, s := range []struct{ m, k, p int }{{40, 1, 3}, {60, 15, 70}, {80, 33, 300}, {30, 30, 5}} {
		A, B := random(s.m, s.k, 5, true), random(s.m, s.p, 6, false)
		oracle := solved(t, A, B, &Options{Method: LawsonHanson})
		if oracle.KKT > 1e-11 {
			t.Errorf("Lawson-Hanson: KKT %g", oracle.KKT)
		}
		if s.k > 1 && (mat.Max(oracle.X) == 0 || zeros(oracle.X) == 0) {
			t.Error("the problem has no zeros, or nothing but zeros")
		}
		for _, m := range methods {
			r := solved(t, A, B, &Options{Method: m, MaxIterations: 200000})
			if d := maxDiff(r.X, oracle.X); d > 1e-6*mat.Max(oracle.X)*float64(s.p) {
				t.Errorf("%v, %v: off by %g; KKT %g, %v", m, s, d, r.KKT, r.Status)
			}
			if r.Fallback > 0 {
				t.Errorf("%d columns fell back", r.Fallback)
			}
			if m == ADMM && (r.Primal > 1e-7 || r.Dual > 1e-6) {
				t.Errorf("ADMM's residuals are %g and %g", r.Primal, r.Dual)
			}
		}
	}
}

func zeros(X *mat.Dense) (n int) {
	for _, x := range X.RawMatrix().Data {
		if x == 0 {
			n++
		}
	}
	return n
}

func TestGradient(t *testing.T) {
	A, B := random(10, 4, 7, false), random(10, 3, 8, false)
	r := solved(t, A, B, &Options{Method: CoordinateDescent, MaxIterations: 2, Start: random(4, 3, 9, true)})
	f := func(X mat.Matrix) float64 {
		var R mat.Dense
		R.Mul(A, X)
		R.Sub(&R, B)
		return mat.Norm(&R, 2) * mat.Norm(&R, 2) / 2
	}
	for i := range 4 {
		for j := range 3 {
			const h = 1e-5
			up, down := mat.DenseCopyOf(r.X), mat.DenseCopyOf(r.X)
			up.Set(i, j, up.At(i, j)+h)
			down.Set(i, j, down.At(i, j)-h)
			if d := (f(up) - f(down)) / (2 * h); math.Abs(d-r.Gradient.At(i, j)) > 1e-8 {
				t.Errorf("(%d, %d): gradient %v, differences %v", i, j, r.Gradient.At(i, j), d)
			}
		}
	}
}

// If columns are dependent, X is not unique, but A X is.
func TestDependentColumns(t *testing.T) {
	A := random(8, 6, 10, true)
	A.SetCol(3, mat.Col(nil, 1, A))
	A.SetCol(4, make([]float64, 8))
	B := random(8, 20, 11, true)
	var first mat.Dense
	for i, m := range methods {
		r := solved(t, A, B, &Options{Method: m, MaxIterations: 200000})
		if r.KKT > 1e-9 {
			t.Errorf("%v: KKT %g", m, r.KKT)
		}
		var AX mat.Dense
		AX.Mul(A, r.X)
		if i == 0 {
			first.CloneFrom(&AX)
		} else if d := maxDiff(&AX, &first); d > 1e-6 {
			t.Errorf("%v: A X is off by %g", m, d)
		}
		if m == BlockPivoting && r.Fallback == 0 {
			t.Error("no column fell back to Lawson-Hanson")
		}
	}
}

// The scales of A's and B's columns change the solution, but not its KKT residual.
func TestScales(t *testing.T) {
	A, B := random(20, 8, 12, true), random(20, 9, 13, false)
	r := solved(t, A, B, &Options{Method: ADMM, MaxIterations: 30})
	As, Bs := mat.DenseCopyOf(A), mat.DenseCopyOf(B)
	X := mat.DenseCopyOf(r.X)
	for j := range 8 {
		s := math.Ldexp(1, 5*j-20)
		As.SetCol(j, scaled(mat.Col(nil, j, A), s))
		X.SetRow(j, scaled(mat.Row(nil, j, X), 1/s))
	}
	for j := range 9 {
		Bs.SetCol(j, scaled(mat.Col(nil, j, B), math.Ldexp(1, 3*j)))
		X.SetCol(j, scaled(mat.Col(nil, j, X), math.Ldexp(1, 3*j)))
	}
	var G, C, Z mat.Dense
	G.Mul(As.T(), As)
	C.Mul(Bs.T(), As)
	Z.CloneFrom(&C)
	U := mat.DenseCopyOf(X.T())
	rows := Rows{G: &G, C: &C, U: U}
	if got := rows.KKT(); math.Abs(got-r.KKT) > 1e-9*r.KKT {
		t.Errorf("KKT %v becomes %v", r.KKT, got)
	}
	// The solution scales with the columns, exactly.
	a, b := solved(t, A, B, nil), solved(t, As, Bs, nil)
	for j := range 8 {
		for p := range 9 {
			want := a.X.At(j, p) * math.Ldexp(1, 3*p) / math.Ldexp(1, 5*j-20)
			if math.Abs(b.X.At(j, p)-want) > 1e-9*math.Abs(want) {
				t.Fatalf("(%d, %d): %v, must be %v", j, p, b.X.At(j, p), want)
			}
		}
	}
}

func scaled(x []float64, s float64) []float64 {
	for i := range x {
		x[i] *= s
	}
	return x
}

func TestGramForm(t *testing.T) {
	A, B := random(20, 6, 14, false), random(20, 5, 15, false)
	var G, C mat.Dense
	G.Mul(A.T(), A)
	C.Mul(A.T(), B)
	a := solved(t, A, B, nil)
	g, err := SolveGram(context.Background(), &G, &C, nil)
	if err != nil {
		t.Fatal(err)
	}
	half := mat.Norm(B, 2) * mat.Norm(B, 2) / 2
	if d := maxDiff(a.X, g.X); d > 1e-12 || math.Abs(a.Objective-half-g.Objective) > 1e-10 {
		t.Errorf("X is off by %g, the objectives are %v and %v + %v", d, a.Objective, g.Objective, half)
	}
	G.Set(0, 1, G.At(0, 1)+0.1)
	if _, err := SolveGram(context.Background(), &G, &C, nil); err == nil {
		t.Error("G is not symmetric and was taken")
	}
}

// The sweep in assembly equals the sweep in Go for every k, and rows do not affect each other. AVX-512 and AVX2
// have the same bits.
func TestSweep(t *testing.T) {
	for _, k := range []int{1, 2, 3, 7, 16, 49} {
		G, c := make([]float64, k*k), random(k, lanes, 17, false).RawMatrix().Data
		var gram mat.Dense
		W := random(k+4, k, 18, true)
		gram.Mul(W.T(), W)
		copy(G, gram.RawMatrix().Data)
		inv := make([]float64, k)
		order := rand.New(rand.NewPCG(1, 1)).Perm(k)
		for i := range inv {
			if i != 1 { // as if G_11 were 0: u_1 does not change
				inv[i] = 1 / G[i*k+i]
			}
		}
		u := random(k, lanes, 19, true).RawMatrix().Data
		want := slices.Clone(u)
		sweepPortable(k, order, G, inv, c, want)
		var wide []float64 // with AVX-512
		simd.Each(func(name string) {
			u := slices.Clone(u)
			sweep(k, order, G, inv, c, u)
			for i := range u {
				if math.Abs(u[i]-want[i]) > 1e-12 {
					t.Fatalf("%s, k = %d: %v and %v at %d", name, k, u[i], want[i], i)
				}
			}
			switch name {
			case "AVX-512":
				wide = u
			case "AVX2":
				if wide != nil && !slices.Equal(u, wide) {
					t.Errorf("k = %d: AVX2 and AVX-512 have different bits", k)
				}
			}
		})
	}
}

// ADMM's multipliers satisfy Ū <= 0 and Ū∘U = 0, and at the end Ū = −Z.
func TestDualVariable(t *testing.T) {
	W, A := random(30, 7, 20, true), random(50, 30, 21, false)
	var G, C mat.Dense
	G.Mul(W.T(), W)
	C.Mul(A, W)
	rows := Rows{G: &G, C: &C, U: mat.NewDense(50, 7, nil), Dual: mat.NewDense(50, 7, nil)}
	rep := rows.ADMM(5000, 1e-13)
	if rep.Iterations == 5000 || rep.Primal > 1e-13 {
		t.Errorf("%+v", rep)
	}
	Z := mat.NewDense(50, 7, nil)
	rows.Gradient(Z)
	Z.Add(Z, rows.Dual)
	if d := mat.Norm(Z, 2); d > 1e-9 {
		t.Errorf("Ū + Z is %g", d)
	}
	for i, y := range rows.Dual.RawMatrix().Data {
		if y > 0 || y*rows.U.RawMatrix().Data[i] != 0 {
			t.Fatalf("Ū = %v where U = %v", y, rows.U.RawMatrix().Data[i])
		}
	}
}

func TestRatio(t *testing.T) {
	for _, c := range [][3]float64{{0, 0, 0}, {0, 4, 0}, {9, 4, 1.5}, {9, 0, 1}} {
		if got := ratio(c[0], c[1]); got != c[2] {
			t.Errorf("√(%v/%v) is %v, want %v", c[0], c[1], got, c[2])
		}
	}
	if got := ratio(1, 5e-324); math.IsInf(got, 0) {
		t.Errorf("overflow: %v", got)
	}
}

func TestProcessors(t *testing.T) {
	A, B := random(30, 11, 22, true), random(30, 700, 23, false)
	for _, m := range methods {
		old := runtime.GOMAXPROCS(1)
		one := solved(t, A, B, &Options{Method: m, MaxIterations: 50})
		runtime.GOMAXPROCS(5)
		five := solved(t, A, B, &Options{Method: m, MaxIterations: 50})
		runtime.GOMAXPROCS(old)
		if !mat.Equal(one.X, five.X) || one.KKT != five.KKT || one.Iterations != five.Iterations {
			t.Errorf("%v depends on the number of processors", m)
		}
	}
}

func TestRefused(t *testing.T) {
	A, B := random(4, 2, 1, true), random(4, 3, 2, true)
	bad := mat.DenseCopyOf(B)
	bad.Set(2, 1, math.NaN())
	negative := mat.NewDense(2, 3, []float64{0, 0, 0, 0, -1, 0})
	for _, c := range []struct {
		a, b mat.Matrix
		opt  *Options
		says string
	}{
		{A, bad, nil, "B(2, 1) is NaN"},
		{bad, B, nil, "A(2, 1) is NaN"},
		{A, B, &Options{Method: 9}, "unknown method"},
		{A, B, &Options{Tolerance: math.NaN()}, "Tolerance"},
		{A, B, &Options{Start: negative}, "Start(1, 1) is -1"},
		{mat.NewDense(1, 1, []float64{1e-200}), mat.NewDense(1, 1, []float64{1e200}), nil, "X(0, 0) is beyond"},
		{mat.NewDense(1, 1, []float64{1e200}), mat.NewDense(1, 1, []float64{-1e200}), nil, "the gradient at (0, 0) is beyond"},
	} {
		if _, err := Solve(context.Background(), c.a, c.b, c.opt); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error is %v, must say %q", err, c.says)
		}
	}
	for _, f := range []func(){
		func() { Solve(context.Background(), A, random(5, 1, 1, true), nil) },
		func() { Solve(context.Background(), A, B, &Options{Start: B}) },
		func() { (&Rows{G: B, C: B, U: B}).KKT() },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "nnls: ") {
			t.Errorf("panic is %v", s)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range methods {
		if r, err := Solve(ctx, A, B, &Options{Method: m}); !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted {
			t.Errorf("%v: error is %v", m, err)
		}
	}
	if r := solved(t, A, B, &Options{Method: ADMM, MaxIterations: 1}); r.Status != ended.IterationLimit || r.Iterations != 1 {
		t.Errorf("%v after %d iterations", r.Status, r.Iterations)
	}
}

func ExampleSolve() {
	A := mat.NewDense(3, 2, []float64{
		1, 0,
		0, 1,
		1, 1,
	})
	b := mat.NewVecDense(3, []float64{2, -3, 1})
	r, err := Solve(context.Background(), A, b, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("x = %.1f\n", mat.Col(nil, 0, r.X))
	fmt.Printf("multiplier of x_2: %.1f; solved: %v\n", r.Gradient.At(1, 0), r.KKT < 1e-12)
	// Output:
	// x = [1.5 0.0]
	// multiplier of x_2: 3.5; solved: true
}

// TestRowsData: if a penalty makes C nearly 0, KKT is relative to A W. By hand: the gradient at U = 0 is −C = −1e-9,
// and A W is 1.
func TestRowsData(t *testing.T) {
	one := func(x float64) *mat.Dense { return mat.NewDense(1, 1, []float64{x}) }
	r := Rows{G: one(1), C: one(1e-9), U: one(0)}
	if got := r.KKT(); got != 1 {
		t.Errorf("KKT is %v, want 1", got)
	}
	r.Data = one(1)
	if got := r.KKT(); got != 1e-9 {
		t.Errorf("relative to A W, KKT is %v, want 1e-9", got)
	}
}

// The package's arm64 assembly equals the generator's output.
func TestGenerated(t *testing.T) { avogentest.NEON(t, "nnls") }
