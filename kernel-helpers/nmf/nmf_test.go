package nmf

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/avogen/avogentest"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/ui/progress"
)

// lowRank returns a random n×d matrix of nonnegative rank k plus noise. zeros is the fraction of its elements that are
// 0.
func lowRank(n, d, k int, zeros, noise float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	side := func(r int) *mat.Dense {
		M := mat.NewDense(r, k, nil)
		for i := range r {
			for t := range k {
				if rng.Float64() < 0.5 {
					M.Set(i, t, rng.ExpFloat64())
				}
			}
		}
		return M
	}
	var A mat.Dense
	A.Mul(side(n), side(d).T())
	A.Apply(func(_, _ int, v float64) float64 {
		if rng.Float64() < zeros {
			return 0
		}
		return v + noise*rng.Float64()
	}, &A)
	return &A
}

func fit(t testing.TB, A mat.Matrix, o Options) *Model {
	t.Helper()
	r, err := Fit(context.Background(), A, &o)
	if missed := r != nil && r.Status == ended.IterationLimit && (o.Tolerance >= 0 || o.KKT > 0 || o.Target > 0); missed != errors.Is(err, ended.ErrNotConverged) {
		t.Fatalf("the status is %v and the error %v", r.Status, err)
	}
	err = ended.Accept(err)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func maxDiff(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	n, k := d.Dims()
	worst := 0.0
	for i := range n {
		for j := range k {
			worst = max(worst, math.Abs(d.At(i, j)))
		}
	}
	return worst
}

// objective returns the loss by its definition.
func objective(l Loss, A, U, W mat.Matrix) float64 {
	var M mat.Dense
	M.Mul(U, W.T())
	f := 0.0
	n, d := A.Dims()
	for i := range n {
		for j := range d {
			a, b := A.At(i, j), M.At(i, j)
			switch {
			case l == Frobenius:
				f += (a - b) * (a - b) / 2
			case a > 0:
				f += a*math.Log(a/b) - a + b
			default:
				f += b
			}
		}
	}
	return f
}

var combos = []Options{
	{Method: CoordinateDescent}, {Method: CoordinateDescent, Inner: 1}, {Method: CoordinateDescent, Shuffle: true},
	{Method: ADMM}, {Method: Multiplicative}, {Method: Multiplicative, Inner: 1}, {Method: Multiplicative, Loss: KL},
}

func TestObjective(t *testing.T) {
	A := lowRank(40, 30, 4, 0.3, 0.1, 1)
	for _, o := range combos {
		o.Components, o.MaxIterations, o.Tolerance, o.Init, o.Seed = 4, 100, -1, Random, 1
		r := fit(t, A, o)
		if want := objective(o.Loss, A, r.U, r.W); math.Abs(r.Objective-want) > 1e-9*want {
			t.Errorf("%v, %v: objective %v, by its definition %v", o.Method, o.Loss, r.Objective, want)
		}
		if o.Method != ADMM {
			for i, s := range r.History[1:] {
				if s.Objective > r.History[i].Objective*(1+1e-12) {
					t.Errorf("%v, %v, Inner %d: iteration %d: the objective rises from %v to %v", o.Method, o.Loss, o.Inner, s.Iteration, r.History[i].Objective, s.Objective)
				}
			}
		}
		if r.Iterations != 100 || r.Status != ended.IterationLimit || len(r.History) != 101 {
			t.Errorf("%d iterations, %v", r.Iterations, r.Status)
		}
		t.Logf("%-18v %v %8.4f  explained %.4f  KKT %.2g", o.Method, o.Loss, r.Objective, r.Explained, r.KKT)
	}
}

// All methods reach a KKT residual of 1e-8, and agree with each other if they start near the same solution.
func TestMethodsAgree(t *testing.T) {
	A := lowRank(40, 25, 3, 0, 0.2, 2)
	near := fit(t, A, Options{Components: 3, MaxIterations: 30000, Tolerance: -1, KKT: 1e-8})
	if near.Status != ended.Converged || near.KKT > 1e-8 {
		t.Fatalf("%v, KKT %g", near.Status, near.KKT)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	jolt := func(M *mat.Dense) *mat.Dense {
		J := mat.DenseCopyOf(M)
		J.Apply(func(_, _ int, v float64) float64 { return v + 0.02*rng.Float64() }, J)
		return J
	}
	U, W := jolt(near.U), jolt(near.W)
	for _, o := range []Options{{Method: CoordinateDescent}, {Shuffle: true, Inner: 1}, {Method: ADMM}, {Method: ADMM, Rho: 20, Inner: 3}} {
		o.U, o.W, o.MaxIterations, o.Tolerance, o.KKT = U, W, 20000, -1, 1e-8
		r := fit(t, A, o)
		if r.Status != ended.Converged || math.Abs(r.Objective-near.Objective) > 1e-9*near.Objective {
			t.Errorf("%v: %v, objective %v, must be %v; KKT %g", o.Method, r.Status, r.Objective, near.Objective, r.KKT)
		}
		if d := maxDiff(r.Reconstruct(), near.Reconstruct()); d > 1e-5 {
			t.Errorf("%v: UW' is off by %g", o.Method, d)
		}
		if o.Method == ADMM {
			for _, c := range []struct {
				dual       *mat.Dense
				multiplier func(mat.Matrix) (*mat.Dense, error)
			}{{r.DualU, r.MultiplierU}, {r.DualW, r.MultiplierW}} {
				Z, err := c.multiplier(A)
				if err != nil {
					t.Fatal(err)
				}
				size := mat.Norm(Z, 2)
				Z.Add(Z, c.dual)
				if d := mat.Norm(Z, 2); size < 0.01 || d > 1e-3*size {
					t.Errorf("the dual variables are no multipliers: %g of %g", d, size)
				}
			}
		}
	}
	// Multiplicative never produces a zero, so it only gets close.
	r := fit(t, A, Options{Method: Multiplicative, U: U, W: W, MaxIterations: 3000, Tolerance: -1})
	if math.Abs(r.Objective-near.Objective) > 1e-4*near.Objective {
		t.Errorf("Multiplicative: objective %v, must be %v", r.Objective, near.Objective)
	}
}

func TestMultipliers(t *testing.T) {
	A := lowRank(12, 9, 3, 0.2, 0.1, 3)
	for _, l := range []Loss{Frobenius, KL} {
		for _, a := range []mat.Matrix{A, Sparsify(A)} {
			r := fit(t, a, Options{Components: 3, Method: Multiplicative, Loss: l, Init: Random, MaxIterations: 5, Tolerance: -1})
			for i, c := range []struct {
				M          *mat.Dense
				multiplier func(mat.Matrix) (*mat.Dense, error)
			}{{r.U, r.MultiplierU}, {r.W, r.MultiplierW}} {
				Z, err := c.multiplier(a)
				if err != nil {
					t.Fatal(err)
				}
				rows, k := Z.Dims()
				for p := range rows {
					for q := range k {
						v, h := c.M.At(p, q), 1e-5
						c.M.Set(p, q, v+h)
						up := objective(l, A, r.U, r.W)
						c.M.Set(p, q, v-h)
						down := objective(l, A, r.U, r.W)
						c.M.Set(p, q, v)
						if d := (up - down) / (2 * h); math.Abs(d-Z.At(p, q)) > 1e-5*(1+math.Abs(d)) {
							t.Fatalf("%v, factor %d (%d, %d): %v, differences %v", l, i, p, q, Z.At(p, q), d)
						}
					}
				}
			}
		}
	}
}

// For rank 1 the best factors are known: the first singular pair, and for KL the product of the margins.
func TestRankOne(t *testing.T) {
	A := lowRank(30, 20, 6, 0.2, 0.1, 4)
	var svd mat.SVD
	svd.Factorize(A, mat.SVDNone)
	s := svd.Values(nil)
	rest := 0.0
	for _, v := range s[1:] {
		rest += v * v / 2
	}
	for _, m := range []Method{CoordinateDescent, ADMM, Multiplicative} {
		if r := fit(t, A, Options{Components: 1, Method: m, Init: Random, MaxIterations: 500, Tolerance: 1e-14}); math.Abs(r.Objective-rest) > 1e-9*rest {
			t.Errorf("%v: objective %v, the singular values leave %v", m, r.Objective, rest)
		}
	}
	r := fit(t, A, Options{Components: 1, Method: Multiplicative, Loss: KL, Init: Random, MaxIterations: 5, Tolerance: -1})
	var want mat.Dense
	rows, columns := (&denseData{a: A.RawMatrix()}).margins()
	want.Outer(1/mat.Sum(A), mat.NewVecDense(30, rows), mat.NewVecDense(20, columns))
	if d := maxDiff(r.Reconstruct(), &want); d > 1e-12 || math.Abs(r.Explained) > 1e-12 {
		t.Errorf("KL: off by %g; explained %g", d, r.Explained)
	}
}

// With k components, Fit reproduces a matrix of nonnegative rank k exactly.
func TestExact(t *testing.T) {
	A := lowRank(50, 35, 4, 0, 0, 5)
	for _, m := range []Method{CoordinateDescent, ADMM} {
		r := fit(t, A, Options{Components: 4, Method: m, MaxIterations: 5000, Tolerance: -1, Target: 1e-12, Seed: 2})
		if d := maxDiff(r.Reconstruct(), A); d > 1e-4 || r.Status != ended.Reached {
			t.Errorf("%v: %v, off by %g after %d iterations", m, r.Status, d, r.Iterations)
		}
	}
}

func TestTransform(t *testing.T) {
	A, B := lowRank(60, 30, 4, 0.1, 0.1, 6), lowRank(17, 30, 4, 0.1, 0.1, 7)
	r := fit(t, A, Options{Components: 4})
	U, err := r.Transform(context.Background(), B)
	if err != nil {
		t.Fatal(err)
	}
	s, err := nnls.Solve(context.Background(), r.W, B.T(), &nnls.Options{Method: nnls.LawsonHanson})
	if err != nil {
		t.Fatal(err)
	}
	if d := maxDiff(U, s.X.T()); d > 1e-7 {
		t.Errorf("Transform and nonnegative least squares differ by %g", d)
	}
	k := fit(t, A, Options{Components: 4, Method: Multiplicative, Loss: KL})
	if U, err = k.Transform(context.Background(), Sparsify(B)); err != nil {
		t.Fatal(err)
	}
	z, err := (&Model{U: U, W: k.W, Loss: KL}).MultiplierU(B)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 17 {
		for q := range 4 {
			if v := min(U.At(i, q), z.At(i, q)); math.Abs(v) > 0.02 {
				t.Errorf("(%d, %d): U is %g with the gradient %g", i, q, U.At(i, q), z.At(i, q))
			}
		}
	}
}

// The fit does not depend on whether A is a Sparse or a Dense, nor on the number of processors, and changes
// no input.
func TestSparseIsDense(t *testing.T) {
	A := lowRank(200, 150, 6, 0.93, 0.2, 8)
	S, keep := Sparsify(A), mat.DenseCopyOf(A)
	if S.NNZ() > 200*150/10 {
		t.Fatal("not sparse enough")
	}
	for _, o := range combos {
		for _, o.Init = range []Init{Random, NNDSVD, NNDSVDa} {
			o.Components, o.MaxIterations, o.Tolerance, o.Seed, o.KeepDense = 9, 8, -1, 4, false
			o.Inner = max(1, o.Inner) // the default depends on the number of nonzeros
			s := fit(t, S, o)
			auto := fit(t, A, o)
			o.KeepDense = true
			d := fit(t, A, o)
			if !mat.Equal(s.U, auto.U) || !mat.Equal(s.W, auto.W) {
				t.Errorf("%v %v %v: a Dense with few nonzeros is not taken as Sparse", o.Method, o.Loss, o.Init)
			}
			if e := max(maxDiff(s.U, d.U), maxDiff(s.W, d.W)); e > 1e-6*(mat.Max(d.U)+mat.Max(d.W)) {
				t.Errorf("%v %v %v: sparse and dense differ by %g", o.Method, o.Loss, o.Init, e)
			}
			old := runtime.GOMAXPROCS(4)
			four, fourDense := fit(t, S, o), fit(t, A, o)
			runtime.GOMAXPROCS(1)
			one, oneDense := fit(t, S, o), fit(t, A, o)
			runtime.GOMAXPROCS(old)
			if !mat.Equal(four.U, one.U) || !mat.Equal(four.W, one.W) || four.Objective != one.Objective {
				t.Errorf("%v %v %v: sparse: depends on the number of processors", o.Method, o.Loss, o.Init)
			}
			if !mat.Equal(fourDense.U, oneDense.U) || fourDense.Objective != oneDense.Objective {
				t.Errorf("%v %v %v: dense: depends on the number of processors", o.Method, o.Loss, o.Init)
			}
		}
	}
	if !mat.Equal(A, keep) || !mat.Equal(S, keep) {
		t.Error("A was changed")
	}
	// Other types of matrices are copied.
	if r := fit(t, A.T(), Options{Components: 3, MaxIterations: 3}); r.U.RawMatrix().Rows != 150 {
		t.Error("the transpose has another shape")
	}
}

func TestSingle(t *testing.T) {
	A := lowRank(80, 50, 4, 0, 0.2, 18)
	for _, o := range []Options{{}, {Method: ADMM}, {Method: Multiplicative}} {
		o.Components, o.MaxIterations, o.Tolerance, o.Init = 4, 30, -1, Random
		double := fit(t, A, o)
		o.Single = true
		r := fit(t, A, o)
		if e := math.Abs(r.Objective - objective(Frobenius, A, r.U, r.W)); e > 1e-6*mat.Norm(A, 2)*mat.Norm(A, 2) {
			t.Errorf("%v: the objective is off by %g", o.Method, e)
		}
		if d := maxDiff(r.Reconstruct(), double.Reconstruct()); d > 1e-3 || d == 0 {
			t.Errorf("%v: UW' is off by %g", o.Method, d)
		}
	}
}

func TestStarts(t *testing.T) {
	A := lowRank(50, 30, 8, 0.1, 0.3, 9)
	a, err := prepare(A, true)
	if err != nil {
		t.Fatal(err)
	}
	s, P, Q, err := findSingular(context.Background(), a, 6, 1)
	if err != nil {
		t.Fatal(err)
	}
	var svd mat.SVD
	svd.Factorize(A, mat.SVDThin)
	var V mat.Dense
	svd.VTo(&V)
	for i, want := range svd.Values(nil)[:6] {
		dot := math.Abs(mat.Dot(mat.NewVecDense(30, Q.Data[i*30:(i+1)*30]), V.ColView(i)))
		if math.Abs(s[i]-want) > 1e-6*want || math.Abs(dot-1) > 1e-6 {
			t.Errorf("singular value %d is %v, must be %v; vectors have the cosine %v", i, s[i], want, dot)
		}
	}
	// Signs of singular vectors do not matter; fill replaces the zeros.
	U, W := nndsvd(s, P, Q, 0)
	for i := range 6 {
		for j := range P.Cols {
			P.Data[i*P.Stride+j] *= -1
		}
		for j := range Q.Cols {
			Q.Data[i*Q.Stride+j] *= -1
		}
	}
	U2, W2 := nndsvd(s, P, Q, 0.25)
	zeros := 0
	for _, p := range [][2]*mat.Dense{{view(U), view(U2)}, {view(W), view(W2)}} {
		p[0].Apply(func(i, j int, v float64) float64 {
			if v == 0 {
				zeros++
				v = 0.25
			}
			if got := p[1].At(i, j); v != got {
				t.Errorf("(%d, %d): %v and %v", i, j, v, got)
			}
			return v
		}, p[0])
	}
	if zeros == 0 {
		t.Error("no zeros")
	}
	// Multiplicative keeps NNDSVD's zeros.
	begin := fit(t, A, Options{Components: 6, Init: NNDSVD, Method: Multiplicative, MaxIterations: 1})
	end := fit(t, A, Options{Components: 6, Init: NNDSVD, Method: Multiplicative, MaxIterations: 50})
	descent := fit(t, A, Options{Components: 6, Init: NNDSVD, MaxIterations: 50})
	revived := 0
	for i, v := range begin.U.RawMatrix().Data {
		if v == 0 && end.U.RawMatrix().Data[i] != 0 {
			t.Fatal("a zero came to life")
		}
		if v == 0 && descent.U.RawMatrix().Data[i] != 0 {
			revived++
		}
	}
	if revived == 0 {
		t.Error("coordinate descent leaves all zeros zero")
	}
	// A matrix of rank 2, with 4 components requested.
	low := lowRank(20, 15, 2, 0, 0, 10)
	if r := fit(t, low, Options{Components: 4, Init: NNDSVDa}); r.Explained < 0.999 {
		t.Errorf("%v explained", r.Explained)
	}
}

// Products with a Sparse equal dense products for all lengths of rows, including lengths with many blocks.
func TestProducts(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{7, 5, 1}, {100, 70, 25}, {98, 65, 33}, {97, 130, 41}, {64, 64, 57}, {40, 30, 8}, {50, 60, 49}, {30, 20, 64}, {30, 40, 65}, {20, 30, 130}, {500, 5000, 49}} {
		A := lowRank(c.n, c.d, 2, 0.8, 0, 11)
		S := Sparsify(A)
		rng := rand.New(rand.NewPCG(5, 5))
		U, W, C := factor(c.n, c.k), factor(c.d, c.k), factor(c.n, c.k)
		for _, F := range []blas64.General{U, W} {
			for i := range F.Rows {
				for j := range c.k {
					F.Data[i*F.Stride+j] = 0.1 + rng.Float64()
				}
			}
		}
		var want, R mat.Dense
		want.Mul(A, view(W))
		newSparseData(S).times(W, C)
		if d := maxDiff(view(C), &want); d > 1e-12*mat.Max(&want) {
			t.Errorf("%v: A W is off by %g", c, d)
		}
		dense := &denseData{a: A.RawMatrix()}
		CW := factor(c.d, c.k)
		dense.times(W, C)
		dense.timesT(U, CW)
		if d := maxDiff(view(C), &want); d > 1e-12*mat.Max(&want) {
			t.Errorf("%v: dense A W is off by %g", c, d)
		}
		want.Reset()
		want.Mul(A.T(), view(U))
		if d := maxDiff(view(CW), &want); d > 1e-12*mat.Max(&want) {
			t.Errorf("%v: dense A'U is off by %g", c, d)
		}
		want.Reset()
		R.Mul(view(U), view(W).T())
		logs := 0.0
		R.Apply(func(i, j int, v float64) float64 { logs += A.At(i, j) * math.Log(v); return A.At(i, j) / v }, &R)
		want.Mul(&R, view(W))
		for _, a := range []data{newSparseData(S), &denseData{a: A.RawMatrix()}} {
			clear(C.Data)
			if l := a.ratioTimes(U, W, C, true); math.Abs(l-logs) > 1e-10*math.Abs(logs) {
				t.Errorf("%v %T: Σ A log UW' is %v, must be %v", c, a, l, logs)
			}
			if d := maxDiff(view(C), &want); d > 1e-12*mat.Max(&want) {
				t.Errorf("%v %T: (A/UW')W is off by %g", c, a, d)
			}
			CW := factor(c.d, c.k)
			a.ratioTimesT(U, W, CW)
			var wt mat.Dense
			wt.Mul(R.T(), view(U))
			if d := maxDiff(view(CW), &wt); d > 1e-12*mat.Max(&wt) {
				t.Errorf("%v %T: (A/UW')'U is off by %g", c, a, d)
			}
		}
		for _, v := range C.Data {
			if v-v != 0 {
				t.Fatal("padding was read or written")
			}
		}
	}
}

func TestSparse(t *testing.T) {
	s, err := NewSparse(3, 4, []int{0, 2, 2, 4}, []int{1, 3, 0, 2}, []float64{5, 6, 7, 0})
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(3, 4, []float64{0, 5, 0, 6, 0, 0, 0, 0, 7, 0, 0, 0})
	if !mat.Equal(s, want) || !mat.Equal(s.Dense(), want) || !mat.Equal(s.T(), want.T()) || s.NNZ() != 3 {
		t.Errorf("%v", mat.Formatted(s))
	}
	if c, v := s.Row(0); !slices.Equal(c, []int{1, 3}) || !slices.Equal(v, []float64{5, 6}) {
		t.Errorf("row 0: %v %v", c, v)
	}
	f, err := FromTriplets(3, 4, []int{2, 0, 0, 0, 1, 1}, []int{0, 3, 1, 3, 2, 2}, []float64{7, 2, 5, 4, 1, -1})
	if err != nil || !mat.Equal(f, want) || f.NNZ() != 3 {
		t.Errorf("%v, %v", f, err)
	}
	for _, c := range []struct {
		n, d     int
		ptr, col []int
		val      []float64
	}{
		{0, 4, []int{0}, nil, nil},
		{3, 4, []int{0, 2, 2}, []int{1, 3}, []float64{1, 2}},
		{2, 4, []int{0, 2, 2}, []int{3, 1}, []float64{1, 2}},
		{2, 4, []int{0, 2, 2}, []int{1, 4}, []float64{1, 2}},
		{2, 4, []int{0, 3, 2}, []int{1, 2}, []float64{1, 2}},
		{2, 4, []int{0, -1, 2}, []int{1, 2}, []float64{1, 2}},
	} {
		if _, err := NewSparse(c.n, c.d, c.ptr, c.col, c.val); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	if _, err := FromTriplets(2, 2, []int{0, 2}, []int{0, 0}, []float64{1, 1}); err == nil {
		t.Error("row 2 of 2 was taken")
	}
}

// FuzzTriplets: triplets are either rejected or give the matrix of their sums.
func FuzzTriplets(f *testing.F) {
	f.Add(3, 4, []byte{0, 1, 5, 2, 3, 200, 0, 1, 9})
	f.Add(1, 1, []byte{0, 0, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, n, d int, b []byte) {
		if n > 50 || d > 50 {
			return
		}
		var row, col []int
		var val []float64
		fits := n > 0 && d > 0
		for ; len(b) >= 3; b = b[3:] {
			row, col, val = append(row, int(b[0])), append(col, int(b[1])), append(val, float64(b[2])-100)
			fits = fits && row[len(row)-1] < n && col[len(col)-1] < d
		}
		s, err := FromTriplets(n, d, row, col, val)
		if (err == nil) != fits {
			t.Fatalf("error is %v", err)
		}
		if err != nil {
			return
		}
		want := mat.NewDense(n, d, nil)
		for p, i := range row {
			want.Set(i, col[p], want.At(i, col[p])+val[p])
		}
		if !mat.Equal(s, want) || !mat.Equal(s.T(), want.T()) {
			t.Fatal("other elements")
		}
		ptr, _, values := s.Raw()
		again, err := NewSparse(n, d, ptr, columnsOf(s), values)
		if err != nil || !mat.Equal(again, want) {
			t.Fatal(err)
		}
	})
}

func columnsOf(s *Sparse) (c []int) {
	_, columns, _ := s.Raw()
	for _, j := range columns {
		c = append(c, int(j))
	}
	return c
}

func TestGauge(t *testing.T) {
	A := lowRank(40, 25, 4, 0, 0.1, 12)
	r := fit(t, A, Options{Components: 4, Init: Random})
	U, W := r.Normalized()
	if d := maxDiff((&Model{U: U, W: W}).Reconstruct(), r.Reconstruct()); d > 1e-12 {
		t.Errorf("UW' changes by %g", d)
	}
	for k := range 4 {
		if math.Abs(mat.Norm(W.ColView(k), 2)-1) > 1e-12 || k > 0 && mat.Norm(U.ColView(k), 2) > mat.Norm(U.ColView(k-1), 2) {
			t.Errorf("column %d: norms %v and %v", k, mat.Norm(W.ColView(k), 2), mat.Norm(U.ColView(k), 2))
		}
	}
	// Clusters and the residual do not depend on the scale.
	s := &Model{U: mat.DenseCopyOf(r.U), W: mat.DenseCopyOf(r.W)}
	for k := range 4 {
		f := math.Ldexp(1, 10*k-15)
		for i := range 40 {
			s.U.Set(i, k, s.U.At(i, k)*f)
		}
		for j := range 25 {
			s.W.Set(j, k, s.W.At(j, k)/f)
		}
	}
	if !slices.Equal(r.RowClusters(), s.RowClusters()) || !slices.Equal(r.ColumnClusters(), s.ColumnClusters()) {
		t.Error("clusters depend on the scale")
	}
	a := fit(t, A, Options{U: r.U, W: r.W, MaxIterations: 1, Inner: 1})
	b := fit(t, A, Options{U: s.U, W: s.W, MaxIterations: 1, Inner: 1})
	if math.Abs(a.KKT-b.KKT) > 1e-6*a.KKT || math.Abs(a.Objective-b.Objective) > 1e-10*a.Objective {
		t.Errorf("KKT residuals are %v and %v", a.KKT, b.KKT)
	}
	if top := r.Top(2, 3); len(top) != 3 || r.W.At(top[0], 2) < r.W.At(top[1], 2) || r.W.At(top[1], 2) < r.W.At(top[2], 2) || mat.Max(r.W.ColView(2)) != r.W.At(top[0], 2) {
		t.Errorf("top is %v", top)
	}
}

// Hoyer's measure for vectors with a known result. The vectors are columns of a factor.
func TestSparseness(t *testing.T) {
	F := factor(4, 4)
	copy(F.Data, []float64{1, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 1})
	copy(F.Data[16:], []float64{1, 0, 0, 1})
	copy(F.Data[24:], []float64{1, 0, 0, 0})
	// equal: 0; one: 1; zeros: 1; two of four equal: (2 − √2)/1
	if got, want := hoyer(F), (0+1+1+2-math.Sqrt2)/4; math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, must be %v", got, want)
	}
}

// For a block matrix, NMF's clusters of rows and columns are the blocks, like the clusters of K-means on the
// graph between rows and columns.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const n, d, k = 60, 45, 3
	rows, columns := make([]int, n), make([]int, d)
	for i := range rows {
		rows[i] = rng.IntN(k)
	}
	for j := range columns {
		columns[j] = rng.IntN(k)
	}
	A := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			A.Set(i, j, 0.1*rng.Float64())
			if rows[i] == columns[j] {
				A.Set(i, j, 1+0.3*rng.Float64())
			}
		}
	}
	for _, o := range combos {
		for _, o.Init = range []Init{Random, NNDSVDa} {
			o.Components, o.Seed = k, 1
			r := fit(t, A, o)
			// The same cluster names must fit both rows and columns.
			name := map[int]int{}
			for i, c := range append(r.RowClusters(), r.ColumnClusters()...) {
				truth := append(slices.Clone(rows), columns...)[i]
				if old, ok := name[truth]; ok && old != c {
					t.Errorf("%v %v %v: number %d of block %d is in %d, others in %d", o.Method, o.Loss, o.Init, i, truth, c, old)
					break
				}
				name[truth] = c
			}
			if len(name) != k || name[0] == name[1] || name[1] == name[2] || name[0] == name[2] {
				t.Errorf("%v %v %v: blocks are clusters %v", o.Method, o.Loss, o.Init, name)
			}
			// The columns of U are nearly orthogonal, although Fit does not require this.
			U, _ := r.Normalized()
			for a := range k {
				for b := range a {
					if c := mat.Dot(U.ColView(a), U.ColView(b)) / mat.Norm(U.ColView(a), 2) / mat.Norm(U.ColView(b), 2); c > 0.2 {
						t.Errorf("%v: cosine %v", o.Method, c)
					}
				}
			}
		}
	}
}

func TestRanks(t *testing.T) {
	A := lowRank(60, 50, 3, 0, 0, 13)
	rng := rand.New(rand.NewPCG(9, 9))
	A.Apply(func(_, _ int, v float64) float64 { return max(0, v+0.5*rng.NormFloat64()) }, A)
	ranks := []int{1, 2, 3, 4, 6}
	for _, a := range []mat.Matrix{A, Sparsify(A)} {
		cv, err := CrossValidate(context.Background(), a, &CVOptions{Ranks: ranks, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if cv.Best != 3 || cv.Simplest > 3 {
			t.Errorf("best %d, simplest %d; errors %v", cv.Best, cv.Simplest, cv.Error)
		}
	}
	s, err := Consensus(context.Background(), blockMatrix(), &ConsensusOptions{Ranks: []int{2, 3, 4}, Runs: 8})
	if err != nil {
		t.Fatal(err)
	}
	if s.Cophenetic[1] != 1 || math.Abs(s.Dispersion[1]-1) > 1e-12 || s.Cophenetic[0] >= 0.999 || s.Dispersion[0] > 0.9 {
		t.Errorf("cophenetic %v, dispersion %v", s.Cophenetic, s.Dispersion)
	}
	for _, o := range []*CVOptions{nil, {Ranks: []int{0}}, {Ranks: ranks, RowFolds: 1}, {Ranks: []int{45}, Fit: Options{Init: NNDSVD}}} {
		if _, err := CrossValidate(context.Background(), A, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	if _, err := Consensus(context.Background(), A, &ConsensusOptions{Ranks: []int{1}}); err == nil {
		t.Error("rank 1 was taken")
	}
}

// blockMatrix returns a matrix with three blocks of 8 rows and 6 columns.
func blockMatrix() *mat.Dense {
	rng := rand.New(rand.NewPCG(7, 7))
	A := mat.NewDense(24, 18, nil)
	for i := range 24 {
		for j := range 18 {
			A.Set(i, j, 0.05*rng.Float64())
			if i%3 == j%3 {
				A.Set(i, j, 1+0.2*rng.Float64())
			}
		}
	}
	return A
}

// Following chains of neighbors builds the same tree as the definition, which compares all pairs.
func TestAverageLinkage(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const n = 25
	D := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i {
			D.SetSym(i, j, rng.Float64())
		}
	}
	H, order, err := averageLinkage(t.Context(), D)
	if err != nil {
		t.Fatal(err)
	}
	clusters := make([][]int, n)
	for i := range clusters {
		clusters[i] = []int{i}
	}
	for len(clusters) > 1 {
		a, b, least := 0, 0, math.Inf(1)
		for p := range clusters {
			for q := range p {
				mean := 0.0
				for _, i := range clusters[p] {
					for _, j := range clusters[q] {
						mean += D.At(i, j) / float64(len(clusters[p])*len(clusters[q]))
					}
				}
				if mean < least {
					a, b, least = p, q, mean
				}
			}
		}
		for _, i := range clusters[a] {
			for _, j := range clusters[b] {
				if math.Abs(H.At(i, j)-least) > 1e-12 {
					t.Fatalf("%d and %d join at %v, must be %v", i, j, H.At(i, j), least)
				}
			}
		}
		clusters[b] = append(clusters[b], clusters[a]...)
		clusters = slices.Delete(clusters, a, a+1)
	}
	slices.Sort(order)
	for i, v := range order {
		if i != v {
			t.Fatalf("leaves are %v", order)
		}
	}
}

func TestRefused(t *testing.T) {
	A := lowRank(6, 5, 2, 0, 0.1, 1)
	with := func(v float64) *mat.Dense { B := mat.DenseCopyOf(A); B.Set(3, 2, v); return B }
	S := Sparsify(with(-1))
	for _, c := range []struct {
		a    mat.Matrix
		o    *Options
		says string
	}{
		{A, nil, "Components is 0"},
		{with(math.NaN()), &Options{Components: 2}, "A(3, 2) is NaN"},
		{with(-1), &Options{Components: 2}, "A(3, 2) is -1"},
		{S, &Options{Components: 2}, "A(3, 2) is -1"},
		{with(math.Inf(1)), &Options{Components: 2}, "A(3, 2) is +Inf"},
		{mat.NewDense(3, 3, nil), &Options{Components: 2}, "all elements of A are 0"},
		{mat.NewDense(1, 1, []float64{1e200}), &Options{Components: 1}, "scale A"},
		{A, &Options{Components: 9, Init: NNDSVD}, "at most 5 components"},
		{A, &Options{Components: 2, Loss: KL}, "Multiplicative"},
		{A, &Options{Components: 2, Method: 7}, "unknown method"},
		{A, &Options{Components: 2, U: A}, "or neither"},
		{A, &Options{Components: 2, Init: Given}, "Given"},
		{A, &Options{U: with(-2), W: mat.NewDense(5, 5, nil)}, "U(3, 2) is -2"},
		{A, &Options{Components: 2, Rho: math.NaN()}, "Rho is NaN"},
		{A, &Options{Components: 2, Loss: ItakuraSaito}, "for ItakuraSaito use Multiplicative"},
		{A, &Options{Components: 2, Loss: 4}, "unknown loss"},
		{A, &Options{Components: 2, Beta: 0.5}, "Beta is 0.5, but the loss is Frobenius"},
		{A, &Options{Components: 2, Method: Multiplicative, Loss: BetaDivergence, Beta: math.Inf(1)}, "Beta is +Inf"},
		{with(0), &Options{Components: 2, Method: Multiplicative, Loss: ItakuraSaito}, "A(3, 2) is 0"},
		{Sparsify(with(0)), &Options{Components: 2, Method: Multiplicative, Loss: BetaDivergence, Beta: -1}, "A(3, 2) is 0"},
		{with(-1), &Options{Components: 2, Method: Multiplicative, Loss: ItakuraSaito}, "A(3, 2) is -1"},
		{mat.NewDense(3, 3, nil), &Options{Components: 2, Method: Multiplicative, Loss: BetaDivergence, Beta: 1}, "all elements of A are 0"},
		{A, &Options{Components: 2, PenaltyW: Penalty{L2: -1}}, "PenaltyW.L2 is -1"},
		{A, &Options{Components: 2, PenaltyU: Penalty{L1: math.Inf(1)}}, "PenaltyU.L1 is +Inf"},
		{A, &Options{Components: 2, Method: ADMM, PenaltyU: Penalty{L1: 1}}, "ADMM does not take PenaltyU"},
		{A, &Options{Components: 2, Method: ADMM, PenaltyW: Penalty{L2: 1}}, "ADMM does not take PenaltyW"},
		{&mat.Dense{}, &Options{Components: 2, Init: Random}, "empty"},
	} {
		if _, err := Fit(context.Background(), c.a, c.o); err == nil || !strings.HasPrefix(err.Error(), "nmf: ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error is %v, must say %q", err, c.says)
		}
	}
	r := fit(t, A, Options{Components: 2})
	for _, f := range []func(){
		func() { Fit(context.Background(), A, &Options{U: A, W: A}) },
		func() { r.Transform(context.Background(), A.T()) },
		func() { r.MultiplierU(A.T()) },
		func() { r.Top(2, 1) },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "nmf: ") {
			t.Errorf("panic is %v", s)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Components: 2, Tolerance: -1, MaxIterations: 1000, Recorder: progress.Func(func(e progress.Event) {
		if e.Step == 5 {
			cancel()
		}
	})}
	if r, err := Fit(ctx, A, &o); !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted || r.Iterations != 5 || r.U == nil {
		t.Errorf("%v, %v", r, err)
	}
}

// A row and a column of zeros cause no error, nor do more components than rows.
func TestZeros(t *testing.T) {
	A := lowRank(10, 8, 2, 0, 0.1, 14)
	for j := range 8 {
		A.Set(4, j, 0)
	}
	for i := range 10 {
		A.Set(i, 3, 0)
	}
	for _, o := range combos {
		for _, k := range []int{2, 12} {
			o.Components, o.MaxIterations, o.Tolerance = k, 300, -1
			r := fit(t, A, o)
			if r.Explained < 0.7 || r.KKT-r.KKT != 0 {
				t.Errorf("%v %v: %v explained", o.Method, o.Loss, r.Explained)
			}
			if mat.Max(r.Reconstruct().RowView(4)) > 1e-2 {
				t.Errorf("%v %v: the row of zeros is %v", o.Method, o.Loss, mat.Max(r.Reconstruct().RowView(4)))
			}
		}
	}
}

// A batch of only zero rows gets codes of zeros, as do zero rows among nonzero rows.
func TestTransformZeros(t *testing.T) {
	A := lowRank(20, 8, 2, 0, 0.1, 3)
	for _, o := range []Options{{}, {Method: Multiplicative, Loss: KL}} {
		o.Components = 2
		r := fit(t, A, o)
		for _, Z := range []mat.Matrix{mat.NewDense(1, 8, nil), mat.NewDense(3, 8, nil), Sparsify(mat.NewDense(2, 8, nil))} {
			U, err := r.Transform(context.Background(), Z)
			n, _ := Z.Dims()
			if err != nil || !mat.Equal(U, mat.NewDense(n, 2, nil)) {
				t.Errorf("%v: %v, %v", o.Loss, U, err)
			}
		}
		both := mat.NewDense(2, 8, nil)
		both.SetRow(1, A.RawRowView(0))
		U, err := r.Transform(context.Background(), both)
		if err != nil || U.At(0, 0) != 0 || U.At(0, 1) != 0 || mat.Max(U) == 0 {
			t.Errorf("%v: %v, %v", o.Loss, U, err)
		}
	}
}

// The products in float32 adapt to A's scale: scaling A by a power of four scales the factors exactly by a
// power of two.
func TestSingleScale(t *testing.T) {
	A := lowRank(60, 40, 3, 0, 0.2, 8)
	o := Options{Components: 3, MaxIterations: 50, Tolerance: -1, Single: true, KeepDense: true, Init: Random, Seed: 1}
	r := fit(t, A, o)
	for _, e := range []int{-200, -100, 100, 200} {
		var S mat.Dense
		S.Scale(math.Ldexp(1, 2*e), A)
		s := fit(t, &S, o)
		var U mat.Dense
		U.Scale(math.Ldexp(1, e), r.U)
		if !mat.Equal(&U, s.U) {
			t.Errorf("2^%d: U differs by %g of %g", 2*e, maxDiff(&U, s.U), mat.Max(&U))
		}
	}
}

// TestCopheneticConstant: if all distances are equal, whatever their value, they have no correlation with other
// numbers. Deviations from the mean cannot show that numbers are equal, because the computed mean of n numbers 0.1 is
// not exactly 0.1.
func TestCopheneticConstant(t *testing.T) {
	const n = 60
	for _, c := range []float64{0, 0.1, 1.0 / 3, 1} {
		D, H := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
		for a := range n {
			for b := range a {
				D.SetSym(a, b, c)
				H.SetSym(a, b, float64(a*b%7))
			}
		}
		if got := cophenetic(D, H); got != 0 {
			t.Errorf("all distances %v: %v", c, got)
		}
		if got := cophenetic(D, D); got != 1 {
			t.Errorf("all distances and heights %v: %v", c, got)
		}
	}
}

// An iteration reads a dense A once, in groups of rows, and a sparse A twice. The iterates are the same, for any
// number of rows and with or without the KKT residual of each step.
func TestOnePass(t *testing.T) {
	for _, n := range []int{100, 129, 300, 700, 2300} {
		A := lowRank(n, 30, 3, 0.2, 0.1, uint64(n))
		for _, m := range []Method{CoordinateDescent, Multiplicative} {
			for _, kkt := range []float64{0, 1e-12} {
				o := Options{Components: 3, Method: m, Init: Random, MaxIterations: 6, Tolerance: -1, KKT: kkt, Inner: 2, KeepDense: true}
				dense, _ := Fit(t.Context(), A, &o)
				sparse, _ := Fit(t.Context(), Sparsify(A), &o)
				if d := max(maxDiff(dense.U, sparse.U), maxDiff(dense.W, sparse.W)); d > 1e-10 {
					t.Errorf("%d rows, %v, KKT %v: the factors differ by %g", n, m, kkt, d)
				}
				for i, s := range dense.History {
					if want := sparse.History[i]; math.Abs(s.Objective-want.Objective) > 1e-10*want.Objective || math.Abs(s.KKT-want.KKT) > 1e-10 {
						t.Errorf("%d rows, %v, iteration %d: objective %v and KKT %v, want %v and %v", n, m, i, s.Objective, s.KKT, want.Objective, want.KKT)
					}
				}
			}
		}
	}
}

// TestInverse checks that Inverse undoes Transform, and reconstructs A from U.
func TestInverse(t *testing.T) {
	A := mat.NewDense(3, 2, []float64{1, 2, 3, 1, 5, 7})
	r, err := Fit(t.Context(), A, &Options{Components: 2})
	if ended.Accept(err) != nil {
		t.Fatal(err)
	}
	Z, err := r.Transform(t.Context(), A)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(r.Inverse(Z), A, 1e-2) || !mat.Equal(r.Inverse(r.U), r.Reconstruct()) {
		t.Errorf("the inverse is %v for %v", r.Inverse(Z), A)
	}
}

// The package's arm64 assembly equals the generator's output.
func TestGenerated(t *testing.T) { avogentest.NEON(t, "nmf") }
