package nnls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// A problem is a test case of TestSuccessIsOptimal.
type problem struct {
	name string
	A, B *mat.Dense
}

// problems returns random problems with difficulties: scales of rows and columns from 1e-8 to 1e8; constant,
// equal and zero columns; a right-hand side of zeros, or one that no column reduces; more columns than rows.
func problems(count int, seed uint64) (list []problem) {
	rng := rand.New(rand.NewPCG(seed, 3))
	for i := range count {
		m, k, p := 2+rng.IntN(12), 1+rng.IntN(8), 1+rng.IntN(3)
		A, B := random(m, k, seed+uint64(7*i), i%3 == 0), random(m, p, seed+uint64(7*i+1), i%2 == 0)
		scale := func() float64 { return math.Pow(10, 16*rng.Float64()-8) }
		name := "plain"
		switch i % 8 {
		case 1:
			name = "columns scaled"
			for j := range k {
				A.SetCol(j, scaled(mat.Col(nil, j, A), scale()))
			}
		case 2:
			name = "rows scaled"
			for r := range m {
				s := scale()
				A.SetRow(r, scaled(mat.Row(nil, r, A), s))
				B.SetRow(r, scaled(mat.Row(nil, r, B), s))
			}
		case 3:
			name = "equal columns"
			A.SetCol(k-1, mat.Col(nil, 0, A))
		case 4:
			name = "a column of zeros"
			A.SetCol(rng.IntN(k), make([]float64, m))
		case 5:
			name = "a constant column, and B scaled"
			for r := range m {
				A.Set(r, 0, 1e4)
			}
			for j := range p {
				B.SetCol(j, scaled(mat.Col(nil, j, B), scale()))
			}
		case 6:
			name = "B is 0, or no column helps"
			for j := range p {
				b := make([]float64, m)
				if j > 0 {
					for c := range k {
						for r := range m {
							b[r] -= A.At(r, c)
						}
					}
				}
				B.SetCol(j, b)
			}
		case 7:
			name = "all scaled to the ends of float64"
			A.Scale(math.Pow(10, 400*rng.Float64()-200), A)
			B.Scale(math.Pow(10, 180*rng.Float64()-90), B)
		}
		list = append(list, problem{fmt.Sprintf("%d: %s, A %d×%d", i, name, m, k), A, B})
	}
	return list
}

// optimality returns the KKT residual of x for A and b, computed from the residual of the data, not from A'A:
// max |min(‖a_i‖x_i, a_i'(Ax − b)/‖a_i‖)| / ‖b‖, without the division if b is 0.
func optimality(A *mat.Dense, b, x []float64) float64 {
	m, k := A.Dims()
	r := make([]float64, m)
	size := 0.0
	for i := range m {
		for j := range k {
			r[i] += A.At(i, j) * x[j]
		}
		r[i] -= b[i]
		size = math.Hypot(size, b[i])
	}
	if size == 0 {
		size = 1
	}
	worst := 0.0
	for j := range k {
		norm := 0.0
		for i := range m {
			norm = math.Hypot(norm, A.At(i, j))
		}
		if norm == 0 {
			continue
		}
		z := 0.0
		for i := range m {
			z += A.At(i, j) / norm * r[i]
		}
		worst = max(worst, math.Abs(min(norm*x[j]/size, z/size)))
	}
	return worst
}

// For any problem and method, Converged implies that the Karush-Kuhn-Tucker conditions hold for the data
// themselves, and that X is nonnegative.
func TestSuccessIsOptimal(t *testing.T) {
	count := 800
	if testing.Short() {
		count = 100
	}
	converged, all := map[Method]int{}, 0
	for _, p := range problems(count, 1) {
		all++
		for _, m := range methods {
			r, err := Solve(context.Background(), p.A, p.B, &Options{Method: m, MaxIterations: 2000})
			if r == nil {
				t.Errorf("%s, %v: %v", p.name, m, err)
				continue
			}
			if r.Status != ended.Converged {
				continue
			}
			converged[m]++
			if mat.Min(r.X) < 0 {
				t.Errorf("%s, %v: X has %v", p.name, m, mat.Min(r.X))
			}
			_, cols := p.B.Dims()
			for j := range cols {
				if o := optimality(p.A, mat.Col(nil, j, p.B), mat.Col(nil, j, r.X)); !(o <= 2e-7) {
					t.Errorf("%s, %v: Converged with KKT residual %.2g, but it is %.2g of the data", p.name, m, r.KKT, o)
				}
			}
		}
	}
	for _, m := range methods {
		t.Logf("%v: %d of %d converged", m, converged[m], all)
		if converged[m] < all*6/10 || converged[m] < all*98/100 && (m == BlockPivoting || m == LawsonHanson) {
			t.Errorf("%v converged for %d of %d", m, converged[m], all)
		}
	}
}

// The solution is no worse than scipy's.
func TestScipy(t *testing.T) {
	py := peer.Start(t, 1, "import numpy as np\nfrom scipy.optimize import nnls", "numpy", "scipy")
	compared := 0
	for _, p := range problems(160, 5) {
		_, cols := p.B.Dims()
		py.Array("A", p.A)
		py.Array("B", p.B)
		for _, m := range []Method{BlockPivoting, LawsonHanson} {
			r, err := Solve(context.Background(), p.A, p.B, &Options{Method: m})
			if err != nil && !errors.Is(err, ended.ErrNotConverged) {
				t.Fatalf("%s: %v", p.name, err)
			}
			for j := range cols {
				size, mine := 0.0, 0.0
				var R mat.VecDense
				R.MulVec(p.A, r.X.ColView(j))
				for i := range R.Len() {
					size = math.Hypot(size, p.B.At(i, j))
					mine = math.Hypot(mine, R.AtVec(i)-p.B.At(i, j))
				}
				theirs := py.Float(fmt.Sprintf("float(np.linalg.norm(A @ nnls(A, B[:, %d])[0] - B[:, %d]))", j, j))
				compared++
				if !(mine <= theirs+1e-8*size) {
					t.Errorf("%s, column %d, %v: ‖Ax − b‖ is %v, scipy has %v, ‖b‖ is %v", p.name, j, m, mine, theirs, size)
				}
			}
		}
	}
	t.Logf("%d solutions compared", compared)
}

// The units of A's columns do not matter to ADMM: it agrees with Lawson and Hanson's method, and takes the same
// steps for all units that are powers of two, if they differ so much that ADMM scales the columns one by one.
func TestADMMColumnScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 5))
	for i := range uint64(20) {
		A, B := random(20, 5, 100+i, false), random(20, 3, 200+i, false)
		for _, s := range [][]float64{{1, 1e8, 1e-8, 1, 1}, {1, 30, 1, 1, 0.01}, {1e100, 1, 1, 1e-100, 1}} {
			S := mat.DenseCopyOf(A)
			for j := range s {
				S.SetCol(j, scaled(mat.Col(nil, j, A), s[j]))
			}
			r, err := Solve(t.Context(), S, B, &Options{Method: ADMM})
			exact, err2 := Solve(t.Context(), S, B, &Options{Method: LawsonHanson})
			if err != nil || err2 != nil || r.KKT > 1e-10 {
				t.Fatalf("columns times %v: KKT %g, %v, %v", s, r.KKT, err, err2)
			}
			if math.Abs(r.Objective/exact.Objective-1) > 1e-12 {
				t.Errorf("columns times %v: objective %v, Lawson and Hanson %v", s, r.Objective, exact.Objective)
			}
		}
		var first *Result
		for range 3 {
			S, e := mat.DenseCopyOf(A), []int{-40, rng.IntN(80) - 40, rng.IntN(80) - 40, rng.IntN(80) - 40, 40}
			for j := range e {
				S.SetCol(j, scaled(mat.Col(nil, j, A), math.Ldexp(1, e[j])))
			}
			r, err := Solve(t.Context(), S, B, &Options{Method: ADMM})
			if err != nil {
				t.Fatal(err)
			}
			for j := range e {
				r.X.SetRow(j, scaled(mat.Row(nil, j, r.X), math.Ldexp(1, e[j])))
			}
			if first == nil {
				first = r
			}
			if r.Iterations != first.Iterations || !mat.Equal(r.X, first.X) {
				t.Errorf("columns times 2^%v: another solution, or %d iterations instead of %d", e, r.Iterations, first.Iterations)
			}
		}
	}
	// A column of B that is 1e-250 times another.
	A := random(20, 5, 9, false)
	B := random(20, 2, 10, false)
	B.SetCol(1, scaled(mat.Col(nil, 0, B), 0x1p-850))
	r, err := Solve(t.Context(), A, B, &Options{Method: ADMM})
	if err != nil || mat.Max(r.X.ColView(1)) == 0 {
		t.Fatal(err, mat.Formatted(r.X))
	}
	for i := range 5 {
		if r.X.At(i, 1) != 0x1p-850*r.X.At(i, 0) {
			t.Errorf("X(%d) is %g, want 2^-850 times %g", i, r.X.At(i, 1), r.X.At(i, 0))
		}
	}
}
