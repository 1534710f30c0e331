package nmfgrad

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/nmf"
	"overcomplete/kernel-helpers/nnls"
)

// Derivatives at a solution of package nmf agree with finite differences of package nmf, started from the
// solution.
func TestOfNMF(t *testing.T) {
	for _, method := range []nmf.Method{nmf.CoordinateDescent, nmf.ADMM} {
		A, U0, W0 := problem(2, 7, 6, 2)
		fit := func(A, U, W *mat.Dense) (*mat.Dense, *mat.Dense) {
			r, err := nmf.Fit(context.Background(), A, &nmf.Options{
				Method: method, U: U, W: W, KKT: 1e-12, Tolerance: -1, MaxIterations: 20000, InnerTolerance: 1e-14, Inner: 50,
			})
			if err != nil {
				t.Fatal(err)
			}
			return r.U, r.W
		}
		U, W := fit(A, U0, W0)
		U, W = Normalize(U, W, UnitW)
		rng := rand.New(rand.NewPCG(2, 4))
		cU, cW := random(rng, 7, 2), random(rng, 6, 2)
		p, err := PointAt(A, U, W, &Options{Gauge: UnitW, Tolerance: 1e-10})
		if err != nil {
			t.Errorf("%v: %v", method, err)
			continue
		}
		got, _, err := p.VJP(context.Background(), cU, cW)
		if err != nil {
			t.Fatal(err)
		}
		want := differences(A, 1e-4, func(A *mat.Dense) float64 {
			u, w := fit(A, U, W)
			u, w = Normalize(u, w, UnitW)
			return inner(cU, u) + inner(cW, w)
		})
		near(t, method.String(), got, want, 1e-5)
	}
}

// The same test for fixed concepts and package nnls.
func TestOfNNLS(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n, d, k := 12, 9, 5
	A, W, C := random(rng, n, d), random(rng, d, k), random(rng, n, k)
	solve := func(A, W *mat.Dense) *mat.Dense {
		r, err := nnls.Solve(context.Background(), W, A.T(), nil) // U' is k×n
		if err != nil {
			t.Fatal(err)
		}
		return mat.DenseCopyOf(r.X.T())
	}
	p, err := RowsAt(A, solve(A, W), W, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	gA, gW, _, err := p.VJP(C)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "∂l/∂A", gA, differences(A, 1e-4, func(A *mat.Dense) float64 { return inner(C, solve(A, W)) }), 1e-8)
	near(t, "∂l/∂W", gW, differences(W, 1e-4, func(W *mat.Dense) float64 { return inner(C, solve(A, W)) }), 1e-8)
}
