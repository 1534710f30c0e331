package sparseapprox

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

var oddKinds = []string{"plain", "duplicates", "zeros", "constant", "columns", "small", "large", "few columns"}

// odd is a problem of a kind that users have by accident.
func odd(rng *rand.Rand, kind string) (B, X *mat.Dense) {
	d, n := 2+rng.IntN(10), 1+rng.IntN(24)
	if kind == "few columns" {
		d, n = 12, 1+rng.IntN(4)
	}
	B, X = problem(d, n, 1+rng.IntN(3), rng.Uint64())
	each := func(M *mat.Dense, f func() float64) {
		_, n := M.Dims()
		for j := range n {
			c := M.ColView(j).(*mat.VecDense)
			c.ScaleVec(f(), c)
		}
	}
	switch kind {
	case "duplicates":
		for j := 1; j < n; j += 2 {
			B.SetCol(j, mat.Col(nil, j-1, B))
		}
	case "zeros":
		B.SetCol(rng.IntN(n), make([]float64, d))
		X.SetCol(0, make([]float64, d))
	case "constant":
		c := make([]float64, d)
		for i := range c {
			c[i] = 1e4
		}
		B.SetCol(0, c)
	case "columns":
		each(B, func() float64 { return math.Pow(10, float64(rng.IntN(17)-8)) })
		each(X, func() float64 { return math.Pow(10, float64(rng.IntN(7)-3)) })
	case "small":
		B.Scale(1e-8, B)
		X.Scale(1e-8, X)
	case "large":
		B.Scale(1e8, B)
		X.Scale(1e8, X)
	}
	return B, X
}

// Converged implies the gap of the definition, from B, X and w alone, for every method of
// the lasso and the elastic net; and where a method misses it, it says so.
func TestConvergedImpliesGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 3))
	missed, solved := map[string]int{}, 0
	for k := range 40 * len(oddKinds) {
		kind := oddKinds[k%len(oddKinds)]
		B, X := odd(rng, kind)
		var c mat.Dense
		c.Mul(B.T(), X)
		lambda := max(mat.Max(&c), -mat.Min(&c)) * math.Pow(10, -0.1-4*rng.Float64())
		if lambda == 0 {
			lambda = 1
		}
		opt := Options{Prior: []Prior{L1, L1NonNegative}[rng.IntN(2)], Lambda: lambda, MaxIterations: 3000}
		if rng.IntN(3) == 0 {
			opt.Ridge = math.Pow(mat.Norm(B, 2), 2) * math.Pow(10, -4*rng.Float64())
		}
		B2, X2 := longer(B, X, opt.Ridge)
		for _, opt.Method = range []Method{CoordinateDescent, FeatureSign, LARS, FISTA} {
			r, err := Solve(t.Context(), B, X, &opt)
			if r == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
				t.Fatalf("%d, %s, %v: %v", k, kind, opt.Method, err)
			}
			for i, st := range r.Signals {
				if st != ended.Converged {
					if err == nil {
						t.Errorf("%d, %s, %v: %v, and no error", k, kind, opt.Method, st)
					}
					missed[opt.Method.String()+", "+kind]++
					continue
				}
				solved++
				obj, gap := definedGap(B2, X2, r.W, i, &opt)
				if !(gap <= 2.01e-6*obj) || math.Abs(obj-r.Objective[i]) > 1e-9*obj {
					t.Errorf("%d, %s, %v: gap %g of objective %g, says %g of %g", k, kind, opt.Method, gap, obj, r.Gap[i], r.Objective[i])
				}
			}
		}
	}
	t.Logf("%d signals converged; the others: %v", solved, missed)
	if solved < 2000 {
		t.Errorf("%d signals converged", solved)
	}
	for name, n := range missed {
		if len(name) > 5 && name[:5] != "FISTA" {
			t.Errorf("%s: %d signals missed", name, n)
		}
	}
}

// definedGap is objective and duality gap of column k: the dual point is r = x − Bw, shrunk
// until no correlation is above λ.
func definedGap(B, X, W *mat.Dense, k int, opt *Options) (obj, gap float64) {
	var r, q mat.VecDense
	r.MulVec(B, W.ColView(k))
	r.SubVec(X.ColView(k), &r)
	q.MulVec(B.T(), &r)
	top, l1, qw := 0.0, 0.0, 0.0
	for j, n := 0, q.Len(); j < n; j++ {
		v := q.AtVec(j)
		if opt.Prior == L1 {
			v = math.Abs(v)
		}
		top = max(top, v)
		l1 += math.Abs(W.At(j, k))
		qw += q.AtVec(j) * W.At(j, k)
	}
	tau := min(1, opt.Lambda/top)
	rr := mat.Dot(&r, &r)
	return rr/2 + opt.Lambda*l1, (1-tau)*(1-tau)*rr/2 + opt.Lambda*l1 - tau*qw
}
