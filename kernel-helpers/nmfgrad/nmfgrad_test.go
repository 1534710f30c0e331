package nmfgrad

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/implicit"
)

// solved returns a problem with its solution.
func solved(t testing.TB, seed uint64, n, d, k int) (A, U, W *mat.Dense) {
	t.Helper()
	A, U0, W0 := problem(seed, n, d, k)
	U, W = factorise(t, A, U0, W0)
	return A, U, W
}

func at(t testing.TB, A, U, W mat.Matrix, opt *Options) *Point {
	t.Helper()
	p, err := PointAt(A, U, W, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The four Jacobian products of (1) agree with differences of F, at any point.
func TestKKTProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	n, d, k := 4, 3, 2
	A, U, W := random(rng, n, d), random(rng, n, k), random(rng, d, k)
	c, err := NewKKT(A, U, W)
	if err != nil {
		t.Fatal(err)
	}
	S, T := c.Dims()
	if S != 2*(n+d)*k || T != n*d {
		t.Fatalf("Dims %d, %d", S, T)
	}
	x := make([]float64, S)
	u, w, ubar, wbar := parts(x, n, d, k)
	u.Copy(c.U)
	w.Copy(c.W)
	ubar.Copy(c.Ubar)
	wbar.Copy(c.Wbar)
	F := func(ds, da []float64) []float64 {
		y := append([]float64(nil), x...)
		floats.Add(y, ds)
		a, b, e, f := parts(y, n, d, k)
		moved := mat.DenseCopyOf(A)
		floats.Add(moved.RawMatrix().Data, da)
		return Map(moved, a, b, e, f)
	}
	zeroS, zeroT := make([]float64, S), make([]float64, T)
	if f := F(zeroS, zeroT); floats.Norm(f[:(n+d)*k], 2) > 1e-13 {
		t.Errorf("with its own multipliers F1 and F2 are %v", f[:(n+d)*k])
	}
	for name, product := range map[string]struct {
		forward, back func(dst, v []float64)
		in            int
		f             func(v []float64) []float64
	}{
		"solution":   {c.SolJVP, c.SolVJP, S, func(v []float64) []float64 { return F(v, zeroT) }},
		"parameters": {c.ArgsJVP, c.ArgsVJP, T, func(v []float64) []float64 { return F(zeroS, v) }},
	} {
		v, q := random(rng, product.in, 1).RawMatrix().Data, random(rng, S, 1).RawMatrix().Data
		got := make([]float64, S)
		product.forward(got, v)
		for i := range got {
			want := slope(func(e float64) float64 {
				s := append([]float64(nil), v...)
				floats.Scale(e, s)
				return product.f(s)[i]
			}, 1e-2)
			if math.Abs(got[i]-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s: element %d of J v is %v, differences give %v", name, i, got[i], want)
			}
		}
		back := make([]float64, product.in)
		product.back(back, q)
		if a, b := floats.Dot(got, q), floats.Dot(back, v); math.Abs(a-b) > 1e-11*(1+math.Abs(a)) {
			t.Errorf("%s: q'(Jv) is %v, (J'q)'v is %v", name, a, b)
		}
	}
}

// The system of the usual account (see the package comment) has k null directions and is not symmetric, and solvers
// fail on it.
func TestSingular(t *testing.T) {
	for _, v := range [][4]int{{3, 7, 6, 1}, {10, 8, 6, 2}, {7, 6, 5, 3}} {
		k := v[3]
		A, U, W := solved(t, uint64(v[0]), v[1], v[2], k)
		d, err := DiagnoseAt(context.Background(), A, U, W, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d.Nullity != k || d.SupportNullity != k {
			t.Errorf("k = %d: nullities %d and %d; the last values %.3g", k, d.Nullity, d.SupportNullity, d.Singular[len(d.Singular)-k-1:])
		}
		if s := d.Singular; s[len(s)-k-1] < 1e-5*s[0] {
			t.Errorf("k = %d: no gap: %v", k, s)
		}
		if d.Gauge > 1e-13 {
			t.Errorf("k = %d: J z is %.3g", k, d.Gauge)
		}
		if d.Asymmetry < 0.1 || d.SupportAsymmetry > 1e-13 {
			t.Errorf("k = %d: asymmetry %.3g, on the support %.3g", k, d.Asymmetry, d.SupportAsymmetry)
		}
		if d.Index1 < 1e-3 || d.Index1 > 1+1e-12 {
			t.Errorf("k = %d: left and right null space at a cosine of %v", k, d.Index1)
		}
		for _, tr := range d.Trials { // the matrices are singular, so LU has no residual to report
			if (tr.Solver == "LU") != math.IsNaN(tr.Residual) {
				t.Errorf("k = %d, %s, %v, %s: residual %v (%v)", k, tr.Of, tr.System, tr.Solver, tr.Residual, tr.Err)
			}
		}
		if k == 3 {
			t.Log("\n" + d.String())
		}
		for _, tr := range d.Trials {
			name := fmt.Sprintf("k = %d, %s, %v, %s", k, tr.Of, tr.System, tr.Solver)
			switch {
			case tr.Of == "the sum of U":
				if tr.Err == nil {
					t.Errorf("%s: solved what has no solution, residual %.3g", name, tr.Residual)
				}
			case tr.Solver == "LSMR", tr.Solver == "normal CG", tr.Solver == "CG" && tr.System == Support:
				if tr.Err != nil || tr.Error > 1e-6 {
					t.Errorf("%s: %v, error %.3g", name, tr.Err, tr.Error)
				}
			case tr.Solver == "CG" || tr.Solver == "LU":
				if tr.Err == nil {
					t.Errorf("%s: no error", name)
				}
			case tr.Err == nil && tr.Error > 1e-6: // GMRES may fail, but must not return a wrong result without an error
				t.Errorf("%s: error %.3g, and none reported", name, tr.Error)
			}
		}
	}
}

// For every system and solver, ∂l/∂A of l = ⟨C, UW'⟩ + ½‖UW'‖² and the change of UW' agree with finite
// differences of the independent solver.
func TestProductGradient(t *testing.T) {
	for _, v := range []struct {
		seed    uint64
		n, d, k int
	}{{11, 6, 5, 2}, {7, 6, 5, 3}, {3, 7, 6, 1}} {
		A, U, W := solved(t, v.seed, v.n, v.d, v.k)
		rng := rand.New(rand.NewPCG(v.seed, 9))
		C := random(rng, v.n, v.d)
		product := func(A *mat.Dense) *mat.Dense {
			u, w := factorise(t, A, U, W)
			var y mat.Dense
			y.Mul(u, w.T())
			return &y
		}
		loss := func(y *mat.Dense) float64 { return inner(C, y) + inner(y, y)/2 }
		want := differences(A, 2e-5, func(A *mat.Dense) float64 { return loss(product(A)) })
		dA := random(rng, v.n, v.d)
		dY := mat.NewDense(v.n, v.d, nil)
		for i := range v.n {
			for j := range v.d {
				dY.Set(i, j, slope(func(e float64) float64 {
					var b mat.Dense
					b.Scale(e, dA)
					b.Add(&b, A)
					return product(&b).At(i, j)
				}, 2e-5))
			}
		}
		var G mat.Dense
		G.Mul(U, W.T())
		G.Add(&G, C)
		for name, opt := range map[string]Options{
			"default":           {},
			"plain":             {Plain: true},
			"plain, LSMR":       {Plain: true, Solver: &implicit.LSMR{}},
			"normal CG":         {Solver: &implicit.NormalCG{}},
			"GMRES":             {Solver: &implicit.GMRES{}},
			"full":              {System: Full, Solver: &implicit.LSMR{MaxIterations: 20000}},
			"full, normal CG":   {System: Full, Solver: &implicit.NormalCG{MaxIterations: 20000}},
			"gauge is harmless": {Gauge: SumU},
		} {
			p := at(t, A, U, W, &opt)
			if len(p.Degenerate) != 0 || p.Residual > 1e-11 || p.Free() == 0 {
				t.Fatalf("%+v", p)
			}
			got, rep, err := p.VJPProduct(context.Background(), &G)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			near(t, name+" ∂l/∂A", got, want, 1e-6)
			if rep.Residual > 1e-8 || rep.Unknowns == 0 || rep.Seen > 1e-12 || rep.Solve.Products == 0 {
				t.Errorf("%s: %+v", name, rep)
			}
			du, dw, _, err := p.JVP(context.Background(), dA)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			y := mat.NewDense(v.n, v.d, nil)
			outer(y, du, dw, p.U, p.W)
			near(t, name+" d(UW')", y, dY, 1e-6)
		}
	}
}

// In every gauge, JVP and VJP of U and W themselves agree with finite differences of normalized solutions,
// and with the bordered system solved by LU.
func TestGauges(t *testing.T) {
	n, d, k := 6, 5, 3
	A, U0, W0 := solved(t, 7, n, d, k)
	rng := rand.New(rand.NewPCG(5, 5))
	cU, cW, dA := random(rng, n, k), random(rng, d, k), random(rng, n, d)
	for _, g := range []Gauge{UnitW, UnitU, SumW, SumU, Balanced} {
		U, W := Normalize(U0, W0, g)
		var y, y0 mat.Dense
		y.Mul(U, W.T())
		y0.Mul(U0, W0.T())
		near(t, "Normalize", &y, &y0, 1e-14)
		along := func(e float64) (*mat.Dense, *mat.Dense) {
			var b mat.Dense
			b.Scale(e, dA)
			b.Add(&b, A)
			u, w := factorise(t, &b, U, W)
			return Normalize(u, w, g)
		}
		want := differences(A, 2e-5, func(A *mat.Dense) float64 {
			u, w := factorise(t, A, U, W)
			u, w = Normalize(u, w, g)
			return inner(cU, u) + inner(cW, w)
		})
		wantU := mat.NewDense(n, k, nil)
		wantU.Apply(func(i, j int, _ float64) float64 {
			return slope(func(e float64) float64 { u, _ := along(e); return u.At(i, j) }, 2e-5)
		}, wantU)
		for _, system := range []System{Support, Full} {
			name := fmt.Sprintf("%v, %v: ", g, system)
			p := at(t, A, U, W, &Options{Gauge: g, System: system, Solver: &implicit.LSMR{MaxIterations: 20000}})
			got, rep, err := p.VJP(context.Background(), cU, cW)
			if err != nil {
				t.Fatalf("%s%v, %+v", name, err, rep)
			}
			near(t, name+"∂l/∂A", got, want, 1e-6)
			if rep.Seen < 1e-3 {
				t.Errorf("%sl sees the scales, reported %.3g", name, rep.Seen)
			}
			du, dw, _, err := p.JVP(context.Background(), dA)
			if err != nil {
				t.Fatal(err)
			}
			near(t, name+"dU", du, wantU, 1e-6)
			if a, b := inner(cU, du)+inner(cW, dw), inner(got, dA); math.Abs(a-b) > 1e-7*(1+math.Abs(a)) {
				t.Errorf("%sg'(du, dw) is %v, (∂l/∂A)'dA is %v", name, a, b)
			}
			near(t, name+"bordered", du, bordered(t, p, g, dA), 1e-7)
		}
	}
}

// bordered solves (H a; a' 0)(dx; μ) = (−J_A dA; 0) on the support: the gauge as extra
// equations.
func bordered(t *testing.T, p *Point, g Gauge, dA *mat.Dense) *mat.Dense {
	m, _ := p.sup.Dims()
	n, d, k := p.kkt.sizes()
	B := mat.NewDense(m+k, m+k, nil)
	B.Slice(0, m, 0, m).(*mat.Dense).Copy(matrixOf(m, p.sup.SolJVP))
	for j := range k {
		au, aw := mat.NewDense(n, k, nil), mat.NewDense(d, k, nil)
		for i := range n {
			au.Set(i, j, map[Gauge]float64{UnitU: p.U.At(i, j), SumU: 1, Balanced: p.U.At(i, j)}[g])
		}
		for i := range d {
			aw.Set(i, j, map[Gauge]float64{UnitW: p.W.At(i, j), SumW: 1, Balanced: -p.W.At(i, j)}[g])
		}
		a := make([]float64, m)
		p.sup.gather(a, au, aw)
		for i, v := range a {
			B.Set(i, m+j, v)
			B.Set(m+j, i, v)
		}
	}
	b := make([]float64, m+k)
	p.sup.ArgsJVP(b[:m], dA.RawMatrix().Data)
	floats.Scale(-1, b)
	var x mat.VecDense
	if err := x.SolveVec(B, mat.NewVecDense(m+k, b)); err != nil {
		t.Fatal(err)
	}
	u, _ := p.sup.spread(x.RawVector().Data[:m])
	return u
}

// Without a gauge, the derivatives of least norm are those of Balanced; both systems reject a loss that
// depends on the scales.
func TestGaugeFree(t *testing.T) {
	A, U, W := solved(t, 2, 7, 6, 2)
	rng := rand.New(rand.NewPCG(6, 6))
	dA := random(rng, 7, 6)
	free, balanced := at(t, A, U, W, &Options{}), at(t, A, U, W, &Options{Gauge: Balanced})
	a, _, _, err := free.JVP(context.Background(), dA)
	if err != nil {
		t.Fatal(err)
	}
	b, _, _, err := balanced.JVP(context.Background(), dA)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "dU", a, b, 1e-14)
	// and a least-norm solution of the plain system is the same
	x, _, err := implicit.JVP(free.Condition(), dA.RawMatrix().Data, &implicit.LSMR{})
	if err != nil {
		t.Fatal(err)
	}
	u, _ := free.sup.spread(x)
	near(t, "least norm", u, b, 1e-7)
	for _, s := range []System{Support, Full} {
		p := at(t, A, U, W, &Options{System: s})
		if _, rep, err := p.VJP(context.Background(), random(rng, 7, 2), nil); !errors.Is(err, ErrGauge) || rep.Seen < 1e-3 {
			t.Errorf("%v: %v, %+v", s, err, rep)
		}
	}
}

// Derivatives of coefficients in fixed concepts agree with differences of a solver that tries every support.
func TestRowsAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	n, d, k := 9, 6, 4
	A, W := random(rng, n, d), random(rng, d, k) // any sign
	U := bestRows(t, A, W)
	zeros := 0
	for _, v := range U.RawMatrix().Data {
		if v == 0 {
			zeros++
		}
	}
	if zeros < 5 || zeros > n*k-5 {
		t.Fatalf("%d zeros show nothing", zeros)
	}
	p, err := RowsAt(A, U, W, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	C := random(rng, n, k)
	gA, gW, residual, err := p.VJP(C)
	if err != nil || residual > 1e-12 {
		t.Fatal(err, residual)
	}
	loss := func(A, W *mat.Dense) float64 {
		u := bestRows(t, A, W)
		return inner(C, u) + inner(u, u)/2
	}
	gA2, gW2, _, err := p.VJP(U) // of ½‖U‖²
	if err != nil {
		t.Fatal(err)
	}
	gA.Add(gA, gA2)
	gW.Add(gW, gW2)
	near(t, "∂l/∂A", gA, differences(A, 2e-5, func(A *mat.Dense) float64 { return loss(A, W) }), 1e-8)
	near(t, "∂l/∂W", gW, differences(W, 1e-4, func(W *mat.Dense) float64 { return loss(A, W) }), 1e-8)

	dA, dW := random(rng, n, d), random(rng, d, k)
	dU, residual, err := p.JVP(dA, dW)
	if err != nil || residual > 1e-12 {
		t.Fatal(err, residual)
	}
	want := mat.NewDense(n, k, nil)
	want.Apply(func(i, j int, _ float64) float64 {
		return slope(func(e float64) float64 {
			var a, w mat.Dense
			a.Scale(e, dA)
			a.Add(&a, A)
			w.Scale(e, dW)
			w.Add(&w, W)
			return bestRows(t, &a, &w).At(i, j)
		}, 2e-5)
	}, want)
	near(t, "dU", dU, want, 1e-8)
	onlyA, _, _ := p.JVP(dA, nil)
	onlyW, _, _ := p.JVP(nil, dW)
	onlyA.Add(onlyA, onlyW)
	near(t, "the sum of its parts", onlyA, dU, 1e-13)

	// Linearly dependent columns make U ambiguous where both are used.
	twin := mat.NewDense(3, 2, []float64{1, 1, 2, 2, 0, 0})
	if _, err := RowsAt(mat.NewDense(1, 3, []float64{2, 4, 1}), mat.NewDense(1, 2, []float64{1, 1}), twin, &Options{}); err == nil || !strings.Contains(err.Error(), "depend") {
		t.Error(err)
	}
}

// U = max(0, A) for W = I: at A = 0 the one-sided derivatives differ.
func TestDegenerateRows(t *testing.T) {
	A, I := mat.NewDense(2, 2, []float64{1, 0, -2, 3}), mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	U := bestRows(t, A, I)
	_, err := RowsAt(A, U, I, &Options{})
	var deg *DegenerateError
	if !errors.As(err, &deg) || len(deg.Entries) != 1 || deg.Entries[0].String() != "U[0,1]" {
		t.Fatalf("%v", err)
	}
	C := mat.NewDense(2, 2, []float64{1, 1, 1, 1})
	for policy, side := range map[Policy]float64{KeepZero: -1, LetFree: 1} {
		p, err := RowsAt(A, U, I, &Options{Degenerate: policy})
		if err != nil || len(p.Degenerate) != 1 {
			t.Fatal(err, p)
		}
		g, _, _, err := p.VJP(C)
		if err != nil {
			t.Fatal(err)
		}
		moved := mat.DenseCopyOf(A)
		moved.Set(0, 1, side*1e-3)
		got := (inner(C, bestRows(t, moved, I)) - inner(C, U)) / (side * 1e-3)
		if math.Abs(g.At(0, 1)-got) > 1e-12 {
			t.Errorf("policy %d: %v, the one-sided difference is %v", policy, g.At(0, 1), got)
		}
	}
}

// All zeros of an exact product are degenerate: its residual, and so every multiplier, is zero. For a noisy
// product, A is moved until one multiplier is zero, which makes one degenerate entry. The derivatives by the
// two policies must equal the derivatives from the two sides.
func TestDegenerateFactors(t *testing.T) {
	U := mat.NewDense(4, 2, []float64{1, 0, 2, 1, 0, 1, 1, 3})
	W := mat.NewDense(3, 2, []float64{1, 0, 0, 2, 1, 1})
	var A mat.Dense
	A.Mul(U, W.T())
	_, err := PointAt(&A, U, W, &Options{})
	var deg *DegenerateError
	if !errors.As(err, &deg) || fmt.Sprint(deg.Entries[0], deg.Entries[1], deg.Entries[2], deg.Entries[3]) != "U[0,1] U[2,0] W[0,1] W[1,0]" || len(deg.Entries) != 4 {
		t.Fatalf("%v", err)
	}

	// Subtracting c w_j' from row i of A, with Ū_ij = c‖w_j‖², makes Ū_ij = 0. It leaves the support's
	// equations unchanged only if w_j is orthogonal to the other free columns of row i, so use k = 1.
	a, u, w := solved(t, 8, 7, 6, 1)
	b := mat.DenseCopyOf(a)
	i := 2
	wj := mat.Col(nil, 0, w)
	// A row orthogonal to w has coefficient and multiplier 0.
	row := append([]float64(nil), a.RawRowView(i)...)
	floats.AddScaled(row, -floats.Dot(row, wj)/floats.Dot(wj, wj), wj)
	b.SetRow(i, row)
	u, w = factorise(t, b, u, w)
	for range 30 { // w has changed with the row: repeat with the new w
		wj = mat.Col(nil, 0, w)
		row = b.RawRowView(i)
		floats.AddScaled(row, -floats.Dot(row, wj)/floats.Dot(wj, wj), wj)
		u, w = factorise(t, b, u, w)
	}
	G := random(rand.New(rand.NewPCG(8, 8)), 7, 6)
	_, err = PointAt(b, u, w, &Options{})
	if !errors.As(err, &deg) || len(deg.Entries) != 1 || deg.Entries[0].Row != i {
		t.Fatalf("%v, u %v", err, u.RawMatrix().Data)
	}
	loss := func(e float64) float64 {
		m := mat.DenseCopyOf(b)
		floats.AddScaled(m.RawRowView(i), e, mat.Col(nil, 0, w))
		var y mat.Dense
		x, z := factorise(t, m, u, w)
		y.Mul(x, z.T())
		return inner(G, &y)
	}
	var slopes []float64
	for policy, side := range map[Policy]float64{KeepZero: -1, LetFree: 1} {
		for _, system := range []System{Support, Full} {
			p := at(t, b, u, w, &Options{Degenerate: policy, System: system})
			g, _, err := p.VJPProduct(context.Background(), G)
			if err != nil {
				t.Fatal(err)
			}
			got := floats.Dot(g.RawRowView(i), mat.Col(nil, 0, w))
			h := side * 1e-3 // one-sided differences of third order
			want := (-11*loss(0) + 18*loss(h) - 9*loss(2*h) + 2*loss(3*h)) / (6 * h)
			if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("policy %d, %v: %v, differences on that side %v", policy, system, got, want)
			}
			slopes = append(slopes, want)
		}
	}
	if math.Abs(slopes[0]-slopes[3]) < 1e-3 {
		t.Error("both sides are the same: nothing was tested")
	}
}

// With two components (or few zeros) the best matrix of rank k is often positive. Then the constraints do not
// bind, U and W can be mixed by matrices near I, and UW' is the truncated SVD. The product has a derivative,
// but its factors do not.
func TestFreeRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	n, d, k := 7, 6, 2
	A := mat.NewDense(n, d, nil)
	A.Apply(func(i, j int, _ float64) float64 { return 1 + 0.3*rng.Float64() + 0.5*float64(i*j)/float64(n*d) }, A)
	truncated := func(A *mat.Dense) *mat.Dense {
		var svd mat.SVD
		if !svd.Factorize(A, mat.SVDThin) {
			t.Fatal("svd")
		}
		var u, v, y mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		y.Mul(u.Slice(0, n, 0, k), mat.NewDiagDense(k, svd.Values(nil)[:k]))
		var out mat.Dense
		out.Mul(&y, v.Slice(0, d, 0, k).T())
		return &out
	}
	_, U0, W0 := problem(2, n, d, k)
	U, W := factorise(t, A, U0, W0)
	var y mat.Dense
	y.Mul(U, W.T())
	near(t, "UW'", &y, truncated(A), 1e-12)
	G := random(rng, n, d)
	want := differences(A, 1e-4, func(A *mat.Dense) float64 { return inner(G, truncated(A)) })
	for _, policy := range []Policy{KeepZero, LetFree} { // coordinate descent may stop at a border
		p := at(t, A, U, W, &Options{Degenerate: policy, Gauge: UnitW})
		got, _, err := p.VJPProduct(context.Background(), G)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "∂l/∂A", got, want, 1e-7)
		if ok, err := p.Unique(context.Background()); err != nil || ok != (policy == KeepZero && p.Free() == (n+d)*k-2) {
			t.Errorf("%d of %d entries free, unique: %v, %v", p.Free(), (n+d)*k, ok, err)
		}
		if policy == LetFree {
			if _, _, _, err := p.JVP(context.Background(), G); !errors.Is(err, ErrNotUnique) {
				t.Errorf("JVP: %v", err)
			}
			if _, _, err := p.VJP(context.Background(), random(rng, n, k), nil); !errors.Is(err, ErrNotUnique) {
				t.Errorf("VJP: %v", err)
			}
		}
	}
	A, U, W = solved(t, 2, 7, 6, 2)
	if ok, err := at(t, A, U, W, &Options{}).Unique(context.Background()); err != nil || !ok {
		t.Errorf("a unique one: %v, %v", ok, err)
	}
}

// A stationary point that is not a minimum is detected by the curvature.
func TestSaddle(t *testing.T) {
	A := mat.NewDense(3, 3, []float64{3, 1, 1, 1, 2, 1, 1, 1, 2})
	u0, w0 := mat.NewDense(3, 1, []float64{1, 1, 1}), mat.NewDense(3, 1, []float64{1, 1, 1})
	u, w := factorise(t, A, u0, w0)
	U, W := mat.NewDense(3, 2, nil), mat.NewDense(3, 2, nil)
	for j := range 2 { // the best single component, split into two halves
		U.SetCol(j, mat.Col(nil, 0, u))
		W.SetCol(j, mat.Col(nil, 0, w))
	}
	U.Scale(0.5, U)
	p := at(t, A, U, W, &Options{Gauge: Balanced})
	// For a function of UW' the gradient is the same for both components, and orthogonal to the directions
	// that separate them. So use another function.
	_, _, err := p.VJP(context.Background(), random(rand.New(rand.NewPCG(1, 2)), 3, 2), nil)
	if !errors.Is(err, ErrNotUnique) || !strings.Contains(err.Error(), "curvature") {
		t.Errorf("%v", err)
	}
}

func TestRefusals(t *testing.T) {
	A, U, W := solved(t, 11, 6, 5, 2)
	nan := mat.DenseCopyOf(A)
	nan.Set(2, 3, math.NaN())
	off, negative, zero := mat.DenseCopyOf(U), mat.DenseCopyOf(U), mat.DenseCopyOf(U)
	off.Set(0, 0, off.At(0, 0)+0.1)
	negative.Set(1, 1, -0.5)
	zero.SetCol(1, make([]float64, 6))
	for name, f := range map[string]struct {
		err  func() error
		want string
	}{
		"NaN":      {func() error { _, err := PointAt(nan, U, W, &Options{}); return err }, "element 2,3 of A"},
		"off":      {func() error { _, err := PointAt(A, off, W, &Options{}); return err }, "not a solution"},
		"negative": {func() error { _, err := PointAt(A, negative, W, &Options{}); return err }, "not a solution"},
		"zero": {func() error {
			_, err := PointAt(A, zero, W, &Options{Tolerance: 10})
			return err
		}, "component 1 is zero"},
		"NaN in gU": {func() error {
			_, _, err := at(t, A, U, W, &Options{}).VJP(context.Background(), mat.NewDense(6, 2, append(make([]float64, 11), math.Inf(1))), nil)
			return err
		}, "element 5,1 of gU"},
		"fixed": {func() error { _, err := RowsAt(A, off, W, &Options{}); return err }, "not a solution"},
		"fixed, zero": {func() error {
			_, err := RowsAt(A, U, mat.NewDense(5, 2, nil), &Options{})
			return err
		}, "column 0 of W is zero"},
		"KKT":    {func() error { _, err := NewKKT(nan, U, W); return err }, "element 2,3"},
		"unroll": {func() error { _, err := Unroll(context.Background(), A, negative, W, 1, HALS); return err }, "negative"},
		"few": {func() error {
			_, _, err := at(t, A, U, W, &Options{Plain: true, Solver: &implicit.CG{MaxIterations: 1}}).VJPProduct(context.Background(), A)
			return err
		}, "residual"},
	} {
		if err := f.err(); err == nil || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, f := range map[string]func(){
		"shape":      func() { PointAt(A, W, U, &Options{}) },
		"nil":        func() { PointAt(nil, U, W, &Options{}) },
		"gU":         func() { at(t, A, U, W, &Options{}).VJP(context.Background(), A, nil) },
		"both":       func() { at(t, A, U, W, &Options{}).VJP(context.Background(), nil, nil) },
		"dA":         func() { at(t, A, U, W, &Options{}).JVP(context.Background(), U) },
		"options":    func() { PointAt(A, U, W, &Options{Gauge: 17}) },
		"nil *Dense": func() { PointAt((*mat.Dense)(nil), U, W, &Options{}) },
		"Map":        func() { Map(A, U, W, nil, W) },
		"Normalize":  func() { Normalize(U, nil, UnitW) },
		"gauge":      func() { Normalize(U, W, 17) },
		"fixed":      func() { RowsAt(A, W, U, &Options{}) },
		"block":      func() { (&Block{}).Factors(nil, nil) },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "nmfgrad: ") {
			t.Errorf("%s: panic %q", name, s)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range []System{Support, Full} {
		if _, _, err := at(t, A, U, W, &Options{System: s}).VJPProduct(ctx, A); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// Inputs are not modified, bits do not depend on the number of processors, and results do not depend on the
// units of A.
func TestInvariants(t *testing.T) {
	A, U, W := solved(t, 12, 9, 8, 3)
	a, u, w := mat.DenseCopyOf(A), mat.DenseCopyOf(U), mat.DenseCopyOf(W)
	g, _, err := at(t, A, U, W, &Options{}).VJPProduct(context.Background(), A)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(a, A) || !mat.Equal(u, U) || !mat.Equal(w, W) {
		t.Error("an input was modified")
	}
	old := runtime.GOMAXPROCS(3)
	h, _, err := at(t, A, U, W, &Options{}).VJPProduct(context.Background(), A)
	runtime.GOMAXPROCS(old)
	if err != nil || !mat.Equal(g, h) {
		t.Error("other bits with other processors", err)
	}
	shared := at(t, A, U, W, &Options{Gauge: UnitW})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, _, _, err := shared.JVP(context.Background(), A); err != nil {
				t.Error(err)
			}
			if h, _, err := shared.VJPProduct(context.Background(), A); err != nil || !mat.Equal(g, h) {
				t.Error("other bits in parallel", err)
			}
		})
	}
	wg.Wait()
	var big, uBig mat.Dense
	big.Scale(1e6, A)
	uBig.Scale(1e6, U)
	p := at(t, &big, &uBig, W, &Options{})
	q := at(t, A, U, W, &Options{})
	if math.Abs(p.Residual-q.Residual) > 1e-14 || p.Free() != q.Free() {
		t.Errorf("residual %v in other units, %v before", p.Residual, q.Residual)
	}
	h, _, err = p.VJPProduct(context.Background(), A)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "other units", h, g, 1e-7) // UW' is of degree 1 in A, so its derivative is of degree 0
}

// In the three cases, the range is the orthogonal complement of the null space, equals the null space, or is at 45
// degrees to it.
func TestNullCosine(t *testing.T) {
	for _, c := range []struct {
		m    []float64
		want float64
	}{{[]float64{2, 0, 0, 0}, 1}, {[]float64{0, 1, 0, 0}, 0}, {[]float64{1, 1, 0, 0}, math.Sqrt(0.5)}} {
		got, err := nullCosine(mat.NewDense(2, 2, c.m), 1)
		if err != nil || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%v: cosine %v, want %v (%v)", c.m, got, c.want, err)
		}
	}
}
