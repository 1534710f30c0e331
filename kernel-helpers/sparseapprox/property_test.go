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

// odd returns a random problem with the defect that kind names.
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

// For every method of the lasso and the elastic net, the status Converged implies a small gap, computed by its
// definition from B, X and w alone. If a method misses the tolerance, its status says so.
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

// definedGap returns the objective and the duality gap of column k. The dual point is r = x − Bw, shrunk
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

// The closed forms return Converged if their gap, computed from the gradient at w, is small compared with ½‖x‖². If
// columns of very different sizes leave no correct digit in the gap, the status says so.
func TestClosedFormConvergedImpliesGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 3))
	missed, solved := map[string]int{}, 0
	for k := range 40 * len(oddKinds) {
		kind := oddKinds[k%len(oddKinds)]
		B, X := odd(rng, kind)
		size := mat.Norm(B, 2)
		if size == 0 {
			continue
		}
		for _, prior := range []Prior{None, L2} {
			lambda := size * size * math.Pow(10, -8*rng.Float64())
			r, err := Solve(t.Context(), B, X, &Options{Prior: prior, Lambda: lambda})
			if r == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
				t.Fatalf("%d, %s, %v: %v", k, kind, prior, err)
			}
			if prior == None {
				lambda = 0
			}
			var e, g mat.Dense // g = B'(Bw − x) + 2λw
			e.Mul(B, r.W)
			e.Sub(&e, X)
			g.Mul(B.T(), &e)
			g.Apply(func(i, j int, v float64) float64 { return v + 2*lambda*r.W.At(i, j) }, &g)
			for i, st := range r.Signals {
				if st != ended.Converged {
					missed[kind+", "+prior.String()]++
					continue
				}
				solved++
				// A step along the gradient g lowers the objective by at least ‖g‖²/2L.
				L, x := size*size+2*lambda, mat.Norm(X.ColView(i), 2)
				if fall := math.Pow(mat.Norm(g.ColView(i), 2), 2) / (2 * L); fall > 1e-6*x*x/2 {
					t.Errorf("%d, %s, %v: a step lowers the objective by %g, ‖x‖ is %g", k, kind, prior, fall, x)
				}
			}
		}
	}
	t.Logf("%d signals converged; the others: %v", solved, missed)
	for name := range missed {
		if name != "columns, None" {
			t.Errorf("%s: missed", name)
		}
	}
	if solved < 500 || missed["columns, None"] == 0 {
		t.Errorf("%d converged, %v missed", solved, missed)
	}
}

// If Path returns no error, the gaps at and between the knots are within the default Tolerance. With a column
// 1e4 times as long as the others, the gaps reach 1e-7.
func TestPathImpliesConditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(87, 8))
	missed, knots := map[string]int{}, 0
	for k := range 25 * len(oddKinds) {
		kind := oddKinds[k%len(oddKinds)]
		B, X := odd(rng, kind)
		opt := Options{Prior: []Prior{L1, L1NonNegative}[rng.IntN(2)], Lambda: 1}
		if rng.IntN(3) == 0 {
			opt.Ridge = math.Pow(mat.Norm(B, 2), 2) * math.Pow(10, -4*rng.Float64())
		}
		c, err := NewCoder(B, &opt)
		if err != nil {
			t.Fatal(err)
		}
		_, N := X.Dims()
		x := mat.Col(nil, N-1, X)
		p, err := c.Path(x, 0)
		if err != nil {
			missed[kind]++
			continue
		}
		B2, X2 := longer(B, X, opt.Ridge)
		_, n := B.Dims()
		for i, lambda := range p.Knots {
			if lambda == 0 {
				continue // nothing correlates with x
			}
			if i > 0 {
				lambda = (lambda + p.Knots[i-1]) / 2
			}
			knots++
			W := mat.NewDense(n, N, nil)
			W.SetCol(N-1, p.At(lambda))
			obj, gap := definedGap(B2, X2, W, N-1, &Options{Prior: opt.Prior, Lambda: lambda})
			if !(gap <= 1e-6*obj) {
				t.Errorf("%d, %s, %v, ridge %g, knot %d of %d, λ %g: gap %g of %g", k, kind, opt.Prior, opt.Ridge, i, len(p.Knots), lambda, gap, obj)
			}
		}
	}
	t.Logf("%d knots; missed %v", knots, missed)
	if knots < 500 || len(missed) > 0 {
		t.Errorf("%d knots; missed %v", knots, missed)
	}
}
