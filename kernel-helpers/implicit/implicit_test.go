//lint:file-ignore SA1012 a nil context is allowed, and tested here

package implicit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/klcoding"
)

// A dense is a Condition with both Jacobians written out.
type dense struct{ s, t *mat.Dense } // S×S, S×T

func (d dense) Dims() (int, int)         { return d.t.Dims() }
func (d dense) SolJVP(dst, v []float64)  { times(dst, d.s, v) }
func (d dense) SolVJP(dst, v []float64)  { times(dst, d.s.T(), v) }
func (d dense) ArgsJVP(dst, v []float64) { times(dst, d.t, v) }
func (d dense) ArgsVJP(dst, v []float64) { times(dst, d.t.T(), v) }

func times(dst []float64, a mat.Matrix, v []float64) {
	mat.NewVecDense(len(dst), dst).MulVec(a, mat.NewVecDense(len(v), v))
}

func normal(rng *rand.Rand, r, c int) *mat.Dense {
	return trial.Normal(rng, r, c, 1)
}

func vector(rng *rand.Rand, n int) []float64 {
	return normal(rng, n, 1).RawMatrix().Data
}

func dot(a, b []float64) float64 {
	return mat.Dot(mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b))
}

var general = []Solver{&LU{}, &NormalCG{}, &LSMR{}, &GMRES{}, &GMRES{Restart: 4, MaxIterations: 5000}}
var definite = append([]Solver{&Cholesky{}, &CG{}}, general...)

// agree compares finite differences in each element of θ with VJP, and VJP with JVP.
func agree(t *testing.T, c Condition, solvers []Solver, theta []float64, solve func(theta []float64) []float64, tol float64) {
	t.Helper()
	s, n := c.Dims()
	rng := rand.New(rand.NewPCG(99, 0))
	gs := vector(rng, s)
	const h = 1e-4
	want := make([]float64, n)
	for i := range theta {
		at := func(e float64) float64 {
			moved := append([]float64(nil), theta...)
			moved[i] += e
			return dot(gs, solve(moved))
		}
		want[i] = (8*(at(h)-at(-h)) - at(2*h) + at(-2*h)) / (12 * h)
	}
	for _, solver := range solvers {
		got, rep, err := VJP(c, gs, solver)
		if err != nil {
			t.Errorf("%T: %v", solver, err)
			continue
		}
		if rep.Residual > 1e-6 || rep.Products == 0 || rep.Method == "" {
			t.Errorf("%T: report %+v", solver, rep)
		}
		for i, v := range want {
			if math.Abs(got[i]-v) > tol*(1+math.Abs(v)) {
				t.Errorf("%T: dl/dθ[%d] is %v, differences give %v", solver, i, got[i], v)
			}
		}
		d := vector(rng, n)
		ds, _, err := JVP(c, d, solver)
		if err != nil {
			t.Errorf("%T: %v", solver, err)
		} else if a, b := dot(gs, ds), dot(got, d); math.Abs(a-b) > 1e-7*(1+math.Abs(a)) {
			t.Errorf("%T: gs'ds is %v, (dl/dθ)'dθ is %v", solver, a, b)
		}
	}
}

// Ridge: s = (A'A + θI)⁻¹A'b with θ = (b, ρ); F = A'(As − b) + ρs.
func TestRidge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	m, n := 9, 6
	A := normal(rng, m, n)
	solve := func(theta []float64) []float64 {
		var h, g, s mat.Dense
		h.Mul(A.T(), A)
		for i := range n {
			h.Set(i, i, h.At(i, i)+theta[m])
		}
		g.Mul(A.T(), mat.NewDense(m, 1, theta[:m]))
		if err := s.Solve(&h, &g); err != nil {
			t.Fatal(err)
		}
		return s.RawMatrix().Data
	}
	theta := append(vector(rng, m), 0.7)
	s := solve(theta)
	c := dense{mat.NewDense(n, n, nil), mat.NewDense(n, m+1, nil)}
	c.s.Mul(A.T(), A)
	for i := range n {
		c.s.Set(i, i, c.s.At(i, i)+theta[m])
		c.t.Set(i, m, s[i])
		for j := range m {
			c.t.Set(i, j, -A.At(j, i))
		}
	}
	agree(t, c, definite, theta, solve, 1e-8)
}

// The condition is not symmetric: s solves s_i + sin(Cs)_i − θ_i = 0, by fixed-point iteration.
func TestFixedPoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	n := 6
	C := normal(rng, n, n)
	C.Scale(0.15, C)
	solve := func(theta []float64) []float64 {
		s, z := make([]float64, n), make([]float64, n)
		for range 300 {
			times(z, C, s)
			for i := range s {
				s[i] = theta[i] - math.Sin(z[i])
			}
		}
		return s
	}
	theta := vector(rng, n)
	z := make([]float64, n)
	times(z, C, solve(theta))
	c := dense{mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)}
	for i := range n {
		for j := range n {
			c.s.Set(i, j, math.Cos(z[i])*C.At(i, j))
		}
		c.s.Set(i, i, c.s.At(i, i)+1)
		c.t.Set(i, i, -1)
	}
	agree(t, c, general, theta, solve, 1e-8)
}

// A klCode is the Condition of a KL code: F = B'(Bw − x) + λ log(w/p), θ = (x, B row by row).
type klCode struct {
	B      *mat.Dense
	w, x   []float64
	lambda float64
}

func (k klCode) Dims() (int, int) { d, n := k.B.Dims(); return n, d + d*n }

func (k klCode) SolJVP(dst, v []float64) {
	d, _ := k.B.Dims()
	z := make([]float64, d)
	times(z, k.B, v)
	times(dst, k.B.T(), z)
	for j, w := range k.w {
		dst[j] += k.lambda / w * v[j]
	}
}

func (k klCode) SolVJP(dst, v []float64) { k.SolJVP(dst, v) }

// dF = dB'(Bw − x) + B'(dB w − dx).
func (k klCode) ArgsJVP(dst, v []float64) {
	d, n := k.B.Dims()
	e, z := k.residual(), make([]float64, d)
	dB := mat.NewDense(d, n, append([]float64(nil), v[d:]...))
	times(z, dB, k.w)
	for i := range z {
		z[i] -= v[i]
	}
	times(dst, k.B.T(), z)
	y := make([]float64, n)
	times(y, dB.T(), e)
	for j := range dst {
		dst[j] += y[j]
	}
}

func (k klCode) ArgsVJP(dst, v []float64) {
	d, n := k.B.Dims()
	e, z := k.residual(), make([]float64, d)
	times(z, k.B, v)
	for i := range d {
		dst[i] = -z[i]
		for j := range n {
			dst[d+i*n+j] = e[i]*v[j] + z[i]*k.w[j]
		}
	}
}

func (k klCode) residual() []float64 {
	e := make([]float64, len(k.x))
	times(e, k.B, k.w)
	for i := range e {
		e[i] -= k.x[i]
	}
	return e
}

// VJP of a klCode and klcoding.VJP agree, although they use different derivations and linear systems.
func TestKLCode(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	d, n := 4, 7
	B, x := normal(rng, d, n), vector(rng, d)
	opt := klcoding.Options{Lambda: 0.2, P: 0.1, Tolerance: -1}
	code := func(theta []float64) []float64 {
		b := mat.NewDense(d, n, append([]float64(nil), theta[d:]...))
		c, err := klcoding.New(b, &opt)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Code(nil, mat.NewDense(d, 1, append([]float64(nil), theta[:d]...)))
		if err != nil {
			t.Fatal(err)
		}
		return mat.Col(nil, 0, res.W)
	}
	theta := append(append([]float64(nil), x...), B.RawMatrix().Data...)
	w := code(theta)
	cond := klCode{B, w, x, opt.Lambda}
	agree(t, cond, definite, theta, code, 1e-6)

	g := vector(rng, n)
	c, err := klcoding.New(B, &opt)
	if err != nil {
		t.Fatal(err)
	}
	want, err := c.VJP(nil, mat.NewDense(d, 1, x), mat.NewDense(n, 1, w), mat.NewDense(n, 1, g))
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := VJP(cond, g, &Cholesky{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range append(mat.Col(nil, 0, want.X), want.B.RawMatrix().Data...) {
		if math.Abs(got[i]-v) > 1e-9*(1+math.Abs(v)) {
			t.Errorf("element %d: %v here, %v by klcoding", i, got[i], v)
		}
	}
}

// lasso minimizes ½|x − Bw|² + λ|w|₁ by coordinate descent, to rounding accuracy.
func lasso(B *mat.Dense, x []float64, lambda float64) []float64 {
	d, n := B.Dims()
	w, r := make([]float64, n), append([]float64(nil), x...)
	for range 20000 {
		var most float64
		for j := range n {
			var c, q float64
			for i := range d {
				c += B.At(i, j) * r[i]
				q += B.At(i, j) * B.At(i, j)
			}
			c += q * w[j]
			v := math.Copysign(max(0, math.Abs(c)-lambda), c) / q
			for i := range d {
				r[i] -= B.At(i, j) * (v - w[j])
			}
			most = max(most, math.Abs(v-w[j]))
			w[j] = v
		}
		if most < 1e-16 {
			break
		}
	}
	return w
}

// The condition is that of the lasso restricted to its support J: F = B_J'(B_J w_J − x) + λ sign(w_J), θ = x. The
// full Jacobian B'B is singular; the result of CG on it is not the derivative and must be rejected.
func TestLassoSupport(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	d, n, lambda := 6, 14, 0.3
	B, x := normal(rng, d, n), vector(rng, d)
	w := lasso(B, x, lambda)
	var support []int
	for j, v := range w {
		if v != 0 {
			support = append(support, j)
		}
	}
	if len(support) < 2 || len(support) > d {
		t.Fatalf("support %v", support)
	}
	bj := mat.NewDense(d, len(support), nil)
	for k, j := range support {
		bj.SetCol(k, mat.Col(nil, j, B))
	}
	c := dense{mat.NewDense(len(support), len(support), nil), mat.NewDense(len(support), d, nil)}
	c.s.Mul(bj.T(), bj)
	c.t.Scale(-1, bj.T())
	agree(t, c, definite, x, func(theta []float64) []float64 {
		full := lasso(B, theta, lambda)
		out := make([]float64, len(support))
		for k, j := range support {
			out[k] = full[j]
		}
		return out
	}, 1e-7)

	trap := dense{mat.NewDense(n, n, nil), mat.NewDense(n, d, nil)}
	trap.s.Mul(B.T(), B)
	trap.t.Scale(-1, B.T())
	g := vector(rng, n)
	for _, s := range append(definite, &CG{MaxIterations: 1000}, &GMRES{MaxIterations: 1000}) {
		if v, rep, err := VJP(trap, g, s); err == nil {
			t.Errorf("%T: passed the singular system as solved: %v, %+v", s, v, rep)
		}
	}
}

// For a singular system the result is the least-squares solution of least norm, which the test finds by the
// SVD.
func TestLeastNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	var a mat.Dense
	a.Mul(normal(rng, 8, 3), normal(rng, 3, 8))
	var svd mat.SVD
	if !svd.Factorize(&a, mat.SVDFull) {
		t.Fatal("svd")
	}
	op := jacobian{dense{&a, mat.NewDense(8, 1, nil)}, 8, false}
	b := vector(rng, 8)
	var want mat.Dense
	svd.SolveTo(&want, mat.NewDense(8, 1, b), 3)
	got, rep, err := (&NormalCG{LeastSquares: true}).Solve(op, b)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if math.Abs(v-want.At(i, 0)) > 1e-9 {
			t.Errorf("x[%d] = %v, want %v", i, v, want.At(i, 0))
		}
	}
	if rep.Residual < 0.1 || rep.Normal > 1e-10 {
		t.Errorf("%+v", rep)
	}
	if _, rep, err := (&NormalCG{}).Solve(op, b); !errors.Is(err, ErrResidual) || rep.Residual < 0.1 {
		t.Errorf("without LeastSquares: %v, %+v", err, rep)
	}
}

func TestRefusals(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	skew := dense{mat.NewDense(2, 2, []float64{0, 1, -1, 0}), normal(rng, 2, 3)}
	g := []float64{1, 2}
	for _, v := range []struct {
		s    Solver
		want string
	}{
		{&CG{}, "curvature"}, {&Cholesky{}, "not symmetric"},
	} {
		if _, _, err := VJP(skew, g, v.s); err == nil || !strings.Contains(err.Error(), v.want) {
			t.Errorf("%T on a skew matrix: %v", v.s, err)
		}
	}
	negative := dense{mat.NewDense(2, 2, []float64{1, 2, 2, 1}), skew.t}
	if _, _, err := VJP(negative, g, &Cholesky{}); err == nil || !strings.Contains(err.Error(), "definite") {
		t.Error(err)
	}
	zero := dense{mat.NewDense(2, 2, nil), skew.t}
	nan := dense{mat.NewDense(2, 2, []float64{math.NaN(), 0, 0, 1}), skew.t}
	for _, s := range definite {
		if _, _, err := VJP(skew, []float64{1, math.NaN()}, s); err == nil || !strings.Contains(err.Error(), "element 1 of gs") {
			t.Errorf("%T: NaN in gs: %v", s, err)
		}
		for _, c := range []Condition{zero, nan} {
			if v, _, err := VJP(c, g, s); err == nil {
				t.Errorf("%T: no error, %v", s, v)
			}
		}
		out, rep, err := VJP(dense{mat.NewDense(2, 2, []float64{2, 1, 1, 2}), skew.t}, []float64{0, 0}, s)
		if err != nil || out[0] != 0 || rep.Residual != 0 {
			t.Errorf("%T: gs = 0: %v, %+v, %v", s, out, rep, err)
		}
	}
	if _, _, err := JVP(skew, []float64{1, 2, math.Inf(1)}, &LU{}); err == nil {
		t.Error("Inf in dθ")
	}
	if _, rep, err := VJP(dense{mat.NewDense(2, 2, []float64{1, 0, 0, 1e6}), skew.t}, g, &CG{MaxIterations: 1}); !errors.Is(err, ErrResidual) || rep.Residual == 0 {
		t.Errorf("too few iterations: %v, %+v", err, rep)
	}
	if g[0] != 1 || g[1] != 2 {
		t.Error("gs was modified")
	}
	for name, f := range map[string]func(){
		"VJP": func() { VJP(skew, []float64{1}, &LU{}) },
		"JVP": func() { JVP(skew, g, &LU{}) },
		"nil": func() { VJP(nil, g, &LU{}) },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "implicit: ") {
			t.Errorf("%s: panic %q", name, s)
		}
	}
}

// An empty support has no unknowns: the derivative is 0 for any solver.
func TestNoUnknowns(t *testing.T) {
	c := none3{}
	for _, s := range []Solver{&Cholesky{}, &LU{}, &CG{}, &NormalCG{}, &GMRES{}, &LSMR{}} {
		g, rep, err := VJP(c, nil, s)
		if err != nil || len(g) != 3 || g[0] != 0 || g[1] != 0 || g[2] != 0 || rep.Products != 0 {
			t.Errorf("%T: VJP %v %+v %v", s, g, rep, err)
		}
		ds, _, err := JVP(c, []float64{1, 2, 3}, s)
		if err != nil || len(ds) != 0 {
			t.Errorf("%T: JVP %v %v", s, ds, err)
		}
	}
	if _, _, err := JVP(c, []float64{1, math.NaN(), 3}, &CG{}); err == nil {
		t.Error("a NaN passes where nothing is solved")
	}
}

// none3 is a Condition with three parameters and no unknowns.
type none3 struct{}

func (none3) Dims() (int, int)         { return 0, 3 }
func (none3) SolJVP(dst, v []float64)  {}
func (none3) SolVJP(dst, v []float64)  {}
func (none3) ArgsJVP(dst, v []float64) {}
func (none3) ArgsVJP(dst, v []float64) {}

// Errors for invalid options contain the option's name. The panic for a nil solver contains the function's
// name.
func TestRefusesOptions(t *testing.T) {
	c := dense{mat.NewDense(1, 1, []float64{2}), mat.NewDense(1, 1, []float64{1})}
	nan := math.NaN()
	for _, s := range []Solver{&Cholesky{Tolerance: nan}, &LU{Tolerance: nan}, &CG{Tolerance: nan}, &NormalCG{Tolerance: nan}, &GMRES{Tolerance: nan}, &LSMR{Tolerance: nan}} {
		if _, _, err := VJP(c, []float64{1}, s); err == nil || !strings.HasPrefix(err.Error(), "implicit: VJP: ") || !strings.Contains(err.Error(), "Tolerance is NaN") {
			t.Errorf("%T: %v", s, err)
		}
	}
	for _, s := range []Solver{&CG{MaxIterations: -1}, &NormalCG{MaxIterations: -1}, &GMRES{MaxIterations: -1}, &LSMR{MaxIterations: -1}} {
		if _, _, err := JVP(c, []float64{1}, s); err == nil || !strings.Contains(err.Error(), "MaxIterations is -1") {
			t.Errorf("%T: %v", s, err)
		}
	}
	for _, s := range []Solver{nil, (*CG)(nil)} {
		if r := panics.Value(func() { VJP(c, []float64{1}, s) }); r != "implicit: VJP: the Solver is nil" {
			t.Errorf("%T: recovered %v", s, r)
		}
	}
}

// If a solver returns no error, its result solves the system. Tested on random systems with rows and columns
// of very different sizes, equal rows, and rows of zeros, some without a solution. The residual is computed
// from the result with an explicit Jacobian.
func TestNoErrorImpliesResidual(t *testing.T) {
	rng := rand.New(rand.NewPCG(84, 5))
	solved, refused := map[string]int{}, map[string]int{}
	for k := range 400 {
		n := 1 + rng.IntN(6)
		J := mat.NewDense(n, n, nil)
		J.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, J)
		if k%2 == 0 { // symmetric and positive definite, or singular
			var s mat.Dense
			s.Mul(J.T(), J)
			J = &s
		}
		switch k % 5 {
		case 1, 2:
			for i := range n {
				r, c := math.Pow(10, float64(rng.IntN(9)-4)), math.Pow(10, float64(rng.IntN(9)-4))
				for j := range n {
					J.Set(i, j, J.At(i, j)*r)
				}
				for j := range n {
					J.Set(j, i, J.At(j, i)*c)
				}
			}
		case 3:
			J.SetRow(n-1, J.RawRowView(0))
		case 4:
			J.SetRow(rng.IntN(n), make([]float64, n))
		}
		gs, one := make([]float64, n), mat.NewDense(n, n, nil)
		for i := range n {
			gs[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-4))
			one.Set(i, i, 1)
		}
		for _, s := range []Solver{&Cholesky{}, &LU{}, &CG{}, &NormalCG{}, &GMRES{}, &LSMR{}} {
			name := fmt.Sprintf("%T", s)
			out, _, err := VJP(dense{J, one}, gs, s)
			if err != nil {
				refused[name]++
				continue
			}
			solved[name]++
			tol := 1e-10
			if name == "*implicit.Cholesky" || name == "*implicit.LU" {
				tol = 1e-6
			}
			var r mat.VecDense // J'u − gs with u = −out
			r.MulVec(J.T(), mat.NewVecDense(n, out))
			r.AddVec(&r, mat.NewVecDense(n, gs))
			if off := mat.Norm(&r, 2) / mat.Norm(mat.NewVecDense(n, gs), 2); !(off <= 1.01*tol+1e-15) {
				t.Errorf("%d, %s: residual %g", k, name, off)
			}
		}
	}
	t.Logf("solved %v, refused %v", solved, refused)
	for _, name := range []string{"*implicit.Cholesky", "*implicit.LU", "*implicit.CG", "*implicit.NormalCG", "*implicit.GMRES", "*implicit.LSMR"} {
		if solved[name] < 50 || refused[name] < 20 {
			t.Errorf("%s: solved %d, refused %d", name, solved[name], refused[name])
		}
	}
}
