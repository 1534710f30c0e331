package implicit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// withValues returns a matrix with random singular vectors and the given singular values.
func withValues(rng *rand.Rand, values []float64) *mat.Dense {
	n := len(values)
	orthogonal := func() *mat.Dense {
		var qr mat.QR
		qr.Factorize(normal(rng, n, n))
		var q mat.Dense
		qr.QTo(&q)
		return &q
	}
	var a mat.Dense
	a.Mul(orthogonal(), mat.NewDiagDense(n, values))
	a.Mul(&a, orthogonal())
	return &a
}

// LSMR agrees with the pseudo-inverse by the SVD: for full and deficient ranks, for a wide range of singular
// values, and for systems with and without a solution.
func TestLSMR(t *testing.T) {
	for i, v := range []struct {
		values []float64
		rank   int
		tol    float64
	}{
		{[]float64{3, 2.5, 2, 1.5, 1, 0.5}, 6, 1e-9},
		{[]float64{3, 2.5, 2, 0, 0, 0}, 3, 1e-9},
		{[]float64{1, 0, 0, 0, 0, 0}, 1, 1e-9},
		{[]float64{2, 2, 2, 2, 2, 0}, 5, 1e-9},
		{[]float64{100, 10, 1, 0.1, 0.01, 0}, 5, 1e-5},
	} {
		rng := rand.New(rand.NewPCG(11, uint64(i)))
		a := withValues(rng, v.values)
		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDFull) {
			t.Fatal("svd")
		}
		n := len(v.values)
		op := jacobian{dense{a, mat.NewDense(n, 1, nil)}, n, false}
		inside := make([]float64, n)
		times(inside, a, vector(rng, n))
		for name, b := range map[string][]float64{"in the range": inside, "not in the range": vector(rng, n)} {
			t.Run(fmt.Sprint(i, " ", name), func(t *testing.T) {
				var want mat.Dense
				svd.SolveTo(&want, mat.NewDense(n, 1, b), v.rank)
				solvable := name == "in the range" || v.rank == n
				x, rep, err := (&LSMR{MaxIterations: 200, LeastSquares: true}).Solve(op, b)
				if err != nil {
					t.Fatal(err)
				}
				if d := floats.Distance(x, want.RawMatrix().Data, 2); d > v.tol*(1+norm(x)) {
					t.Errorf("off the least-norm solution by %.3g", d)
				}
				// The report matches the residual of x itself.
				r := make([]float64, n)
				times(r, a, x)
				floats.Sub(r, b)
				if got := norm(r) / norm(b); math.Abs(got-rep.Residual) > 1e-12 {
					t.Errorf("residual %v, reported %v", got, rep.Residual)
				}
				if rep.Normal > 1e-10 || rep.Products < 3 || rep.Method != "LSMR" {
					t.Errorf("%+v", rep)
				}
				_, rep, err = (&LSMR{MaxIterations: 200}).Solve(op, b)
				if solvable && (err != nil || rep.Residual > 1e-10) {
					t.Errorf("consistent: %v, %+v", err, rep)
				}
				if !solvable && (!errors.Is(err, ErrResidual) || rep.Residual < 0.01) {
					t.Errorf("inconsistent: %v, %+v", err, rep)
				}
			})
		}
	}
}

// ‖A'r‖ never rises, which is the defining property of LSMR. On the same matrix it does rise with NormalCG.
func TestLSMRMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 0))
	values := make([]float64, 40)
	for i := range values {
		values[i] = math.Pow(10, -3*float64(i)/39)
	}
	a, b := withValues(rng, values), vector(rng, 40)
	op := jacobian{dense{a, mat.NewDense(40, 1, nil)}, 40, false}
	history := func(s func(k int) Solver) (rises int) {
		last := math.Inf(1)
		for k := 1; k < 35; k++ {
			_, rep, _ := s(k).Solve(op, b)
			if rep.Normal > last*(1+1e-9) {
				rises++
			}
			last = rep.Normal
		}
		return rises
	}
	if n := history(func(k int) Solver { return &LSMR{MaxIterations: k} }); n != 0 {
		t.Errorf("LSMR: ‖A'r‖ rose %d times", n)
	}
	if n := history(func(k int) Solver { return &NormalCG{MaxIterations: k} }); n == 0 {
		t.Error("NormalCG did not rise: the matrix shows nothing")
	}
}

// The scale of A does not matter as long as A'b is in range.
func TestLSMRScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 0))
	a, want := normal(rng, 8, 8), vector(rng, 8)
	b := make([]float64, 8)
	times(b, a, want)
	for _, scale := range []float64{1e200, 1e160, 1, 1e-160, 1e-200} {
		var far mat.Dense
		far.Scale(scale, a)
		op := jacobian{dense{&far, mat.NewDense(8, 1, nil)}, 8, false}
		for _, leastSquares := range []bool{false, true} {
			x, rep, err := (&LSMR{LeastSquares: leastSquares}).Solve(op, b)
			if err != nil {
				t.Errorf("A·%g, least squares %v: %v", scale, leastSquares, err)
				continue
			}
			floats.Scale(scale, x)
			if d := floats.Distance(x, want, 2); d > 1e-8 || rep.Products > 40 {
				t.Errorf("A·%g, least squares %v: off by %g, %d products", scale, leastSquares, d, rep.Products)
			}
		}
	}
}

// A NaN product is an error, also with LeastSquares.
func TestNaN(t *testing.T) {
	op := jacobian{dense{mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 4}), mat.NewDense(2, 1, nil)}, 2, false}
	for _, s := range []Solver{&Cholesky{}, &LU{}, &CG{}, &GMRES{}, &NormalCG{}, &LSMR{}, &NormalCG{LeastSquares: true}, &LSMR{LeastSquares: true}} {
		if x, rep, err := s.Solve(op, []float64{1, 2}); err == nil {
			t.Errorf("%T: %v, %+v", s, x, rep)
		}
	}
}

func TestLSMRBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 0))
	op := jacobian{dense{normal(rng, 30, 30), mat.NewDense(30, 1, nil)}, 30, false}
	_, rep, err := (&LSMR{MaxIterations: 3}).Solve(op, vector(rng, 30))
	if !errors.Is(err, ErrResidual) || rep.Products > 12 {
		t.Errorf("%v, %+v", err, rep)
	}
}
