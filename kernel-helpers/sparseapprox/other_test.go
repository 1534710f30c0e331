package sparseapprox

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

func TestRidge(t *testing.T) {
	for _, size := range [][2]int{{10, 25}, {25, 10}} {
		B, X := problem(size[0], size[1], 7, 11)
		r := solve(t, B, X, Options{Prior: L2, Lambda: 0.3})
		// The gradient −Bᵀ(x − Bw) + 2λw by hand.
		var e, g mat.Dense
		e.Mul(B, r.W)
		e.Sub(&e, X)
		g.Mul(B.T(), &e)
		g.Apply(func(i, j int, v float64) float64 { return v + 2*0.3*r.W.At(i, j) }, &g)
		if v := mat.Norm(&g, math.Inf(1)); v > 1e-12 {
			t.Errorf("%v: gradient %v", size, v)
		}
		for k, f := range r.Objective {
			want := objective(B, X, r.W, k, 0.3, func(v float64) float64 { return v * v })
			if math.Abs(f-want) > 1e-12 || r.Gap[k] > 1e-12 {
				t.Errorf("%v signal %d: objective %v, by hand %v, gap %v", size, k, f, want, r.Gap[k])
			}
		}
	}
}

// The least squares solution of least norm is stationary and lies in the row space of B.
func TestLeastSquares(t *testing.T) {
	for _, size := range [][2]int{{10, 25}, {25, 10}} {
		B, X := problem(size[0], size[1], 7, 12)
		for i := range size[0] { // not of full rank
			B.Set(i, 3, B.At(i, 1)-2*B.At(i, 2))
		}
		for j := range size[1] {
			B.Set(5, j, B.At(6, j)+B.At(7, j))
		}
		r := solve(t, B, X, Options{Prior: None})
		var e, g mat.Dense
		e.Mul(B, r.W)
		e.Sub(&e, X)
		g.Mul(B.T(), &e)
		if v := mat.Norm(&g, math.Inf(1)); v > 1e-11 {
			t.Errorf("%v: Bᵀr is %v", size, v)
		}
		// w = Bᵀz has a solution z if and only if w has the least norm.
		var z, back mat.Dense
		var svd mat.SVD
		svd.Factorize(B.T(), mat.SVDThin)
		svd.SolveTo(&z, r.W, svd.Rank(1e-10))
		back.Mul(B.T(), &z)
		if d := largestDifference(&back, r.W); d > 1e-10 {
			t.Errorf("%v: w is outside the row space of B by %v", size, d)
		}
	}
	// A wide B of full rank reproduces X.
	B, X := problem(6, 20, 5, 13)
	for k, f := range solve(t, B, X, Options{Prior: None}).Objective {
		if f > 1e-25 {
			t.Errorf("signal %d: objective %v", k, f)
		}
	}
}

// naivePursuit runs OMP, and solves the least squares problem from scratch in every step.
func naivePursuit(B, X *mat.Dense, k, nonzeros int, maxError float64) []float64 {
	d, n := B.Dims()
	w := make([]float64, n)
	x := mat.DenseCopyOf(X.Slice(0, d, k, k+1))
	r := mat.DenseCopyOf(x)
	var p []int
	for len(p) < nonzeros && mat.Norm(r, 2) > maxError {
		at, most := 0, 0.0
		for j := range n {
			b := B.ColView(j)
			if v := math.Abs(mat.Dot(b, r.ColView(0))) / mat.Norm(b, 2); v > most {
				at, most = j, v
			}
		}
		p = append(p, at)
		sub := mat.NewDense(d, len(p), nil)
		for i, j := range p {
			sub.SetCol(i, mat.Col(nil, j, B))
		}
		var v mat.Dense
		v.Solve(sub, x)
		r.Mul(sub, &v)
		r.Sub(x, r)
		for i, j := range p {
			w[j] = v.At(i, 0)
		}
	}
	return w
}

func TestPursuit(t *testing.T) {
	B, X := problem(20, 50, 12, 14)
	rng := rand.New(rand.NewPCG(1, 2))
	for j := range 50 { // atoms with different norms, which must not affect the choice
		col := B.ColView(j).(*mat.VecDense)
		col.ScaleVec(math.Exp(rng.NormFloat64()), col)
	}
	for _, c := range []struct {
		nonzeros int
		maxError float64
	}{{1, 0}, {5, 0}, {15, 0}, {20, 0.5}, {0, 0.3}} {
		r := solve(t, B, X, Options{Prior: L0, Nonzeros: c.nonzeros, MaxError: c.maxError})
		if r.Status != ended.Greedy || !math.IsNaN(r.Gap[0]) {
			t.Errorf("%v, gap %v", r.Status, r.Gap[0])
		}
		limit := c.nonzeros
		if limit == 0 {
			limit = 20
		}
		for k := range 12 {
			want := naivePursuit(B, X, k, limit, c.maxError)
			for j, v := range want {
				if math.Abs(r.W.At(j, k)-v) > 1e-8*(1+math.Abs(v)) {
					t.Errorf("%+v signal %d atom %d: %v, naive %v", c, k, j, r.W.At(j, k), v)
				}
			}
			if c.maxError > 0 && math.Sqrt(2*r.Objective[k]) > c.maxError {
				t.Errorf("%+v signal %d: error %v", c, k, math.Sqrt(2*r.Objective[k]))
			}
		}
	}
	// Twins of an atom, and a zero signal.
	W := mat.NewDense(20, 100, nil)
	W.Slice(0, 20, 0, 50).(*mat.Dense).Copy(B)
	W.Slice(0, 20, 50, 100).(*mat.Dense).Copy(B)
	for i := range 20 {
		X.Set(i, 0, 0)
	}
	r := solve(t, W, X, Options{Prior: L0, Nonzeros: 40})
	if r.Objective[0] != 0 || mat.Norm(r.W.ColView(0), 1) != 0 {
		t.Errorf("a zero signal has objective %v", r.Objective[0])
	}
	for k, f := range r.Objective {
		if f > 1e-14 {
			t.Errorf("signal %d: 20 independent atoms leave %v", k, f)
		}
	}
}

func TestShrinkLpAgainstGrid(t *testing.T) {
	for _, p := range []float64{0.1, 0.5, 0.9} {
		for _, lambda := range []float64{0.05, 0.5, 3} {
			f := func(v, x float64) float64 { return 0.5*(v-x)*(v-x) + lambda*math.Pow(math.Abs(v), p) }
			kept := 0
			for x := -6.0; x <= 6; x += 0.05 {
				got := shrinkLp(x, lambda, p)
				if got != 0 {
					kept++
				}
				best := f(0, x)
				for g := -600.0; g <= 600; g++ {
					best = min(best, f(g/100, x))
				}
				if f(got, x) > best+1e-12 {
					t.Fatalf("p=%v λ=%v t=%v: %v gives %v, the grid has %v", p, lambda, x, got, f(got, x), best)
				}
			}
			if kept == 0 {
				t.Errorf("p=%v λ=%v: 0 everywhere", p, lambda)
			}
		}
	}
}

func TestLp(t *testing.T) {
	B, X := problem(20, 50, 10, 15)
	for _, p := range []float64{0.3, 0.7} {
		abs := func(v float64) float64 { return math.Pow(math.Abs(v), p) }
		const lambda = 0.1
		r := solve(t, B, X, Options{Prior: Lp, P: p, Lambda: lambda, Tolerance: 1e-12})
		l1 := solve(t, B, X, Options{Lambda: lambda})
		rng := rand.New(rand.NewPCG(3, 3))
		for k := range 10 {
			f := objective(B, X, r.W, k, lambda, abs)
			if math.Abs(f-r.Objective[k]) > 1e-12 || r.Signals[k] != ended.LocalMinimum || !math.IsNaN(r.Gap[k]) {
				t.Errorf("signal %d: objective %v, by hand %v, %v, gap %v", k, r.Objective[k], f, r.Signals[k], r.Gap[k])
			}
			if start := objective(B, X, l1.W, k, lambda, abs); f > start {
				t.Errorf("signal %d: %v is above its start %v", k, f, start)
			}
			// No change to one coefficient lowers the objective: small, large, or to 0.
			for j := range 50 {
				old := r.W.At(j, k)
				for i := range 20 {
					v := old + rng.NormFloat64()*math.Pow(10, -float64(i%6))
					if i == 0 {
						v = 0
					}
					r.W.Set(j, k, v)
					if g := objective(B, X, r.W, k, lambda, abs); g < f-1e-10 {
						t.Fatalf("p=%v signal %d: w_%d = %v instead of %v improves %v to %v", p, k, j, v, old, f, g)
					}
				}
				r.W.Set(j, k, old)
			}
		}
	}
}

// build gives the same factor as adding the atoms one by one, for any number of atoms, and rejects dependent atoms.
func TestBuild(t *testing.T) {
	B, _ := problem(40, 30, 1, 17)
	C := mat.NewDense(40, 31, nil)
	C.Slice(0, 40, 0, 30).(*mat.Dense).Copy(B)
	for i := range 40 {
		C.Set(i, 30, B.At(i, 3)-2*B.At(i, 8))
	}
	c, err := NewCoder(C, &Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	order := rand.New(rand.NewPCG(7, 7)).Perm(30)
	for k := range 31 {
		var s support
		for _, j := range order[:k] {
			if !s.add(c, j, 1) {
				t.Fatal("an independent atom was refused")
			}
		}
		var f factor
		if !f.build(c, order[:k], func() bool { return false }) || f.k != k {
			t.Fatalf("%d independent atoms were refused", k)
		}
		for i := range k {
			for j, v := range s.f.row(i) {
				if !(math.Abs(f.row(i)[j]-v) <= 1e-12) {
					t.Fatalf("%d atoms, R_%d,%d is %v, want %v", k, i, i+j, f.row(i)[j], v)
				}
			}
		}
		if f.build(c, append(append([]int{}, order...), 30), func() bool { return false }) || f.k != 0 {
			t.Fatal("a dependent atom was taken")
		}
	}
}

func TestFactor(t *testing.T) {
	B, _ := problem(40, 30, 1, 16)
	c, err := NewCoder(B, &Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	var s support
	in := map[int]bool{}
	for range 400 {
		if len(s.p) > 0 && rng.IntN(5) < 2 {
			i := rng.IntN(len(s.p))
			in[s.p[i]] = false
			s.remove(i)
		} else if j := rng.IntN(30); !in[j] {
			if !s.add(c, j, 1) {
				t.Fatal("an independent atom was refused")
			}
			in[j] = true
		}
		for i := range s.p {
			for j := range i + 1 {
				got := 0.0
				for l := range j + 1 {
					got += s.f.row(l)[i-l] * s.f.row(l)[j-l]
				}
				if want := c.gram(s.p[i])[s.p[j]]; math.Abs(got-want) > 1e-12 {
					t.Fatalf("RᵀR is %v at %d, %d; G is %v", got, i, j, want)
				}
			}
		}
	}
}
