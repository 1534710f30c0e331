package pursuit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/peer"
)

// These tests check what a status of success implies, for problems with common defects: rows and columns in
// different units, duplicates, zeros, no solution or too many.

// A program is a linear program: min c'z with A z = b, z >= 0.
type program struct {
	kind string
	c, b []float64
	a    *mat.Dense
}

var programKinds = []string{"plain", "rows", "columns", "rows and columns", "degenerate", "duplicates", "dependent rows", "zeros", "any b", "any c", "integers", "costs"}

func randomProgram(rng *rand.Rand, kind string) program {
	m := 1 + rng.IntN(6)
	n := m + rng.IntN(10)
	a, z, c := randomDense(rng, m, n), randomVec(rng, n), randomVec(rng, n)
	for j := range z {
		z[j] = max(z[j], 0)
	}
	if kind != "any c" {
		for j := range c {
			c[j] = math.Abs(c[j])
		}
	}
	switch kind {
	case "integers":
		a.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(5) - 2) }, a)
		for j := range z {
			z[j], c[j] = float64(rng.IntN(3)), float64(rng.IntN(5))
		}
	case "degenerate":
		for j := range z {
			if rng.IntN(3) > 0 {
				z[j] = 0
			}
		}
	case "duplicates":
		for j := 1; j < n; j += 2 {
			a.SetCol(j, mat.Col(nil, j-1, a))
			if rng.IntN(2) == 0 {
				c[j] = c[j-1]
			}
		}
	case "zeros":
		a.SetCol(rng.IntN(n), make([]float64, m))
		if rng.IntN(2) == 0 {
			a.SetRow(rng.IntN(m), make([]float64, n))
		}
	case "dependent rows":
		r := mat.Row(nil, 0, a)
		for j := range r {
			r[j] *= 3
		}
		a.SetRow(m-1, r)
	}
	b := make([]float64, m)
	mat.NewVecDense(m, b).MulVec(a, mat.NewVecDense(n, z))
	if kind == "any b" || (kind == "dependent rows" || kind == "zeros") && rng.IntN(3) == 0 {
		b = randomVec(rng, m)
	}
	scale := func() float64 { return math.Pow(10, float64(rng.IntN(17)-8)) }
	if strings.HasPrefix(kind, "rows") {
		for i := range m {
			s := scale()
			b[i] *= s
			for j := range n {
				a.Set(i, j, a.At(i, j)*s)
			}
		}
	}
	if strings.HasSuffix(kind, "columns") {
		for j := range n {
			s := scale()
			c[j] *= s
			for i := range m {
				a.Set(i, j, a.At(i, j)*s)
			}
		}
	}
	if kind == "costs" {
		for j := range c {
			c[j] *= scale()
		}
	}
	return program{kind, c, b, a}
}

// LinearProgram agrees with HiGHS in status and objective, and at a vertex every row of A z = b holds up to
// rounding. HiGHS gets the rows and columns divided by their largest entries, because its tolerances are
// absolute.
func TestLinearProgramAgainstHiGHS(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	py := peer.Start(t, 1, `
import numpy as np, warnings
from scipy.optimize import linprog
warnings.filterwarnings("ignore")
def top(x):
    t = np.abs(x).max()
    return t if t > 0 else 1
def solve(c, a, b):
    a, b, c = np.array(a), np.array(b), np.array(c)
    r = np.abs(a).max(1); r[r == 0] = 1
    a = a / r[:, None]; b = b / r
    s = np.abs(a).max(0); s[s == 0] = 1
    a = a / s; c = c / s
    q = linprog(c / top(c), A_eq=a, b_eq=b / top(b), bounds=(0, None), method="highs",
        options=dict(primal_feasibility_tolerance=1e-9, dual_feasibility_tolerance=1e-9))
    return [q.status, q.fun * top(b) * top(c) if q.status == 0 else 0]
`, "scipy.optimize")
	rng := rand.New(rand.NewPCG(79, 1))
	seen := map[ended.Status]int{}
	for k := range 600 {
		q := randomProgram(rng, programKinds[k%len(programKinds)])
		py.Array("a", q.a)
		py.Array("bc", mat.NewDense(1, len(q.b)+len(q.c), append(append([]float64{}, q.b...), q.c...)))
		m := strconv.Itoa(len(q.b))
		highs := py.Floats("solve(bc[0," + m + ":],a,bc[0,:" + m + "])")
		want := map[float64]ended.Status{0: ended.Converged, 2: ended.Infeasible, 3: ended.Unbounded}[highs[0]]
		r, err := LinearProgram(t.Context(), q.c, q.a, q.b, nil)
		if err != nil || r.Status != want {
			t.Errorf("%d, %s: %v, %v; HiGHS %v", k, q.kind, r.Status, err, want)
			continue
		}
		seen[want]++
		if want != ended.Converged {
			if bad := certificate(q, r); bad != "" {
				t.Errorf("%d, %s: %v: %s", k, q.kind, want, bad)
			}
			continue
		}
		var size float64 // size of the terms of the objective
		for j, z := range r.Z {
			size += math.Abs(q.c[j]) * z
		}
		p := newLP(q.c, q.a, q.b)
		if q.kind == "costs" { // HiGHS also measures costs relative to the largest cost
			if off := duality(q, r); off > 1e-7 || r.Objective > highs[1]*(1+1e-9) {
				t.Errorf("%d, %s: objective %v, HiGHS %v, off by %g", k, q.kind, r.Objective, highs[1], off)
			}
			continue
		}
		if math.Abs(r.Objective-highs[1]) > 1e-6*size+1e-7*p.bs*p.cs {
			t.Errorf("%d, %s: objective %v, HiGHS %v", k, q.kind, r.Objective, highs[1])
		}
		if off := rowError(q, r.Z); r.Basic && off > 1e-10 {
			t.Errorf("%d, %s: a row is missed by %g of its terms", k, q.kind, off)
		}
		for j, v := range r.R { // reduced costs, recomputed
			var aty float64
			for i, y := range r.Y {
				aty += q.a.At(i, j) * y
			}
			if s := p.cs / p.cols[j]; v < -1e-8*s || math.Abs(q.c[j]-aty-v) > 1e-7*s {
				t.Errorf("%d, %s: reduced cost %d is %g, c − A'y is %g", k, q.kind, j, v, q.c[j]-aty)
			}
		}
	}
	t.Logf("%v", seen)
	if seen[ended.Converged] < 300 || seen[ended.Infeasible] < 30 || seen[ended.Unbounded] < 10 {
		t.Errorf("statuses %v", seen)
	}
}

// duality returns the larger of the violation of A'y <= c and the gap, each relative to the size of its
// terms.
func duality(q program, r *LPResult) (worst float64) {
	gap, size := 0.0, 0.0
	for i, y := range r.Y {
		gap -= q.b[i] * y
		size += math.Abs(q.b[i] * y)
	}
	for j, z := range r.Z {
		gap += q.c[j] * z
		size += q.c[j] * z
		v, terms := -q.c[j], q.c[j]
		for i, y := range r.Y {
			v += q.a.At(i, j) * y
			terms += math.Abs(q.a.At(i, j) * y)
		}
		worst = max(worst, v/terms)
	}
	if size > 0 {
		worst = max(worst, math.Abs(gap)/size)
	}
	return worst
}

// certificate checks the proof that q has no solution, in the scaled units of the solver: A'y <= 0 < b'y, or A z = 0, z
// >= 0 > c'z. It returns what is wrong with the proof, or "".
func certificate(q program, r *LPResult) string {
	p := newLP(q.c, q.a, q.b)
	if r.Status == ended.Infeasible {
		var by float64
		for i, y := range r.Y {
			by += q.b[i] * y / p.bs
		}
		if !(by > 0) || !math.IsInf(r.Objective, 1) || normInf(r.Z) > 0 {
			return "b'y is not positive, or there is an objective"
		}
		for j := range q.c {
			var aty float64
			for i, y := range r.Y {
				aty += q.a.At(i, j) * y * p.cols[j]
			}
			if aty > 1e-8*by {
				return "A'y is positive"
			}
		}
		return ""
	}
	var cz float64
	for j, z := range r.Z {
		cz += q.c[j] * z / p.cs
		if z < 0 {
			return "the ray is negative"
		}
	}
	if !(cz < 0) || !math.IsInf(r.Objective, -1) {
		return "the cost does not fall along the ray, or there is an objective"
	}
	for i := range q.b {
		var az float64
		for j, z := range r.Z {
			az += q.a.At(i, j) * z * p.rows[i]
		}
		if math.Abs(az) > -1e-8*cz {
			return "the ray leaves A z = b"
		}
	}
	return ""
}

// rowError returns the largest error of a row of A z = b, relative to its terms, or to the largest row if the
// terms are only rounding.
func rowError(q program, z []float64) (worst float64) {
	errs, sizes := make([]float64, len(q.b)), make([]float64, len(q.b))
	for i, v := range q.b {
		sizes[i] = math.Abs(v)
		top := 0.0
		for j, zj := range z {
			t := q.a.At(i, j) * zj
			v -= t
			sizes[i] += math.Abs(t)
			top = max(top, math.Abs(q.a.At(i, j)))
		}
		errs[i] = math.Abs(v)
		if top > 0 {
			errs[i], sizes[i] = errs[i]/top, sizes[i]/top
		}
	}
	for i, e := range errs {
		if e > 0 {
			worst = max(worst, e/max(sizes[i], 1e-6*normInf(sizes)))
		}
	}
	return worst
}

// The solution does not depend on the units of the rows.
func TestLinearProgramRowScales(t *testing.T) {
	r, err := BasisPursuit(t.Context(), mat.NewDense(2, 2, []float64{1, 0, 0, 1e-11}), []float64{1, 1}, nil)
	if err != nil || r.Status != ended.Converged || math.Abs(r.S[0]-1) > 1e-9 || math.Abs(r.S[1]/1e11-1) > 1e-9 {
		t.Fatalf("%v %v", r, err)
	}
	rng := rand.New(rand.NewPCG(5, 12))
	for k := range 40 {
		a, x := randomDense(rng, 4, 8), randomVec(rng, 4)
		want, err := BasisPursuitEnumerate(a, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range [][]float64{{1, 1e-6, 1e6, 1}, {1e-9, 1, 1, 1}, {1, 1, 1e-7, 1}, {1e-8, 1, 1, 1}, {1e150, 1, 1, 1e-150}} {
			b, y := mat.DenseCopyOf(a), make([]float64, 4)
			for i := range 4 {
				y[i] = x[i] * s[i]
				for j := range 8 {
					b.Set(i, j, a.At(i, j)*s[i])
				}
			}
			r, err := BasisPursuit(t.Context(), b, y, nil)
			if err != nil || r.Status != ended.Converged || math.Abs(r.Objective-want.Objective) > 1e-9*want.Objective {
				t.Errorf("problem %d, rows times %v: %v %v, want %v (%v)", k, s, r.Status, r.Objective, want.Objective, err)
			}
		}
	}
}

// If neither the problem nor its dual has a solution, there is a ray of falling cost, but no feasible point
// to start from.
func TestLinearProgramInfeasibleTwice(t *testing.T) {
	// z0 = −1 is impossible; z1 = z2 may grow forever.
	a := mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, -1})
	r, err := LinearProgram(t.Context(), []float64{0, -1, 0}, a, []float64{-1, 0}, nil)
	if err != nil || r.Status != ended.Infeasible {
		t.Fatalf("%v %v", r.Status, err)
	}
	if by := -r.Y[0]; !(by > 0) || r.Y[0] > 0 {
		t.Errorf("certificate %v", r.Y)
	}
	// The same problem, with only the ray.
	r, err = LinearProgram(t.Context(), []float64{0, -1, 0}, a, []float64{1, 0}, nil)
	if err != nil || r.Status != ended.Unbounded {
		t.Errorf("%v %v", r.Status, err)
	}
}

// Two rows, and columns that are all parallel: there is no sector, but a solution.
func TestBatchParallelColumns(t *testing.T) {
	a := mat.NewDense(2, 3, []float64{1, -2, 0, 1, -2, 0})
	x := mat.NewDense(2, 3, []float64{1, -3, 1, 1, -3, 2})
	for _, nonneg := range []bool{true, false} {
		r, err := BasisPursuitBatch(t.Context(), a, x, &PursuitOptions{NonNegative: nonneg})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status[0] != ended.Converged || r.Status[1] != ended.Converged || r.Status[2] != ended.Infeasible ||
			math.Abs(r.Objective[1]-1.5) > 1e-9 || math.Abs(r.S.At(1, 1)-1.5) > 1e-9 {
			t.Errorf("non-negative %v: %v %v\n%v", nonneg, r.Status, r.Objective, mat.Formatted(r.S))
		}
	}
	one := mat.NewDense(2, 1, []float64{1, 1})
	r, err := BasisPursuitBatch(t.Context(), one, one, &PursuitOptions{NonNegative: true})
	if err != nil || r.Status[0] != ended.Converged || math.Abs(r.S.At(0, 0)-1) > 1e-9 {
		t.Errorf("%v %v", r, err)
	}
	// A row in a small unit does not make columns parallel.
	flat := mat.NewDense(2, 3, []float64{1, 0, 1, 0, 1e-20, 1e-20})
	r, err = BasisPursuitBatch(t.Context(), flat, mat.NewDense(2, 1, []float64{1, 2e-20}), nil)
	if err != nil || r.Status[0] != ended.Converged || math.Abs(r.Objective[0]-2) > 1e-12 {
		t.Errorf("%v %v", r, err)
	}
}

// randomLasso returns a random problem of the given kind.
func randomLasso(rng *rand.Rand, kind string) (a, x *mat.Dense, alpha float64) {
	m, n, p := 2+rng.IntN(8), 1+rng.IntN(16), 1+rng.IntN(4)
	a, x = randomDense(rng, m, n), randomDense(rng, m, p)
	scale := func(e int) float64 { return math.Pow(10, float64(rng.IntN(2*e+1)-e)) }
	switch kind {
	case "duplicates":
		for j := 1; j < n; j += 2 {
			a.SetCol(j, mat.Col(nil, j-1, a))
		}
	case "zeros":
		a.SetCol(rng.IntN(n), make([]float64, m))
		x.SetCol(0, make([]float64, m))
	case "constant":
		c := make([]float64, m)
		for i := range c {
			c[i] = 1e4
		}
		a.SetCol(0, c)
	case "columns":
		for j := range n {
			s := scale(8)
			for i := range m {
				a.Set(i, j, a.At(i, j)*s)
			}
		}
	case "rows":
		for i := range m {
			s := scale(8)
			for j := range n {
				a.Set(i, j, a.At(i, j)*s)
			}
			for k := range p {
				x.Set(i, k, x.At(i, k)*s)
			}
		}
	case "small":
		a.Scale(1e-8, a)
		x.Scale(1e-8, x)
	case "large":
		a.Scale(1e8, a)
		x.Scale(1e8, x)
	}
	var c mat.Dense
	c.Mul(a.T(), x)
	top := 0.0
	for _, v := range c.RawMatrix().Data {
		top = max(top, math.Abs(v))
	}
	if top == 0 {
		top = 1
	}
	return a, x, top * math.Pow(10, -0.1-4*rng.Float64())
}

var lassoKinds = []string{"plain", "duplicates", "zeros", "constant", "columns", "rows", "small", "large"}

// gapOf returns the objective and the duality gap of s for column k of X, by the definition: the dual point
// is the best multiple of the residual with correlations of at most alpha.
func gapOf(a, x, s *mat.Dense, alpha float64, k int, nonneg bool) (obj, gap float64) {
	_, n := a.Dims()
	var r, q mat.VecDense
	r.MulVec(a, s.ColView(k))
	r.SubVec(x.ColView(k), &r)
	q.MulVec(a.T(), &r)
	top := 0.0
	for j := range n {
		if v := q.AtVec(j); nonneg {
			top = max(top, v)
		} else {
			top = max(top, math.Abs(v))
		}
		obj += alpha * math.Abs(s.At(j, k))
	}
	rr := mat.Dot(&r, &r)
	obj += rr / 2
	xr := mat.Dot(x.ColView(k), &r)
	tau := 0.0 // the best multiple is x'r/r'r, limited by the correlations
	if rr > 0 {
		tau = min(max(0, xr/rr), alpha/top)
	}
	return obj, obj - tau*xr + tau*tau*rr/2
}

// Converged implies a small gap, computed here only from A, x and s.
func TestLassoConvergedImpliesGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 2))
	missed := map[string]int{}
	const rounds = 50
	for k := range rounds * len(lassoKinds) {
		kind := lassoKinds[k%len(lassoKinds)]
		a, x, alpha := randomLasso(rng, kind)
		nonneg := rng.IntN(3) == 0
		for name, f := range map[string]func(ctx context.Context, a, x mat.Matrix, alpha float64, opt *LassoOptions) (*LassoResult, error){"Lasso": Lasso, "FISTA": FISTA} {
			r, err := f(t.Context(), a, x, alpha, &LassoOptions{NonNegative: nonneg, MaxIterations: 3000})
			if err != nil {
				if !errors.Is(err, ended.ErrNotConverged) || r == nil || r.Status != ended.IterationLimit {
					t.Fatalf("%d, %s, %s: %v", k, kind, name, err)
				}
				missed[name+", "+kind]++
				continue
			}
			if r.Status != ended.Converged {
				t.Errorf("%d, %s, %s: %v without an error", k, kind, name, r.Status)
			}
			_, p := x.Dims()
			for i := range p {
				obj, gap := gapOf(a, x, r.S, alpha, i, nonneg)
				if !(gap <= 1.001e-6*obj+2e-15*mat.Dot(x.ColView(i), x.ColView(i))) {
					t.Errorf("%d, %s, %s: gap %g of objective %g", k, kind, name, gap, obj)
				}
			}
		}
	}
	t.Logf("of %d problems each, the gap was missed, and said so: %v", rounds, missed)
	for _, kind := range lassoKinds {
		// With rows of sizes from 1e-8 to 1e8, A'A has lost the small rows.
		if missed["Lasso, "+kind] > 0 && kind != "rows" {
			t.Errorf("coordinate descent missed %d of %d problems of the kind %s", missed["Lasso, "+kind], rounds, kind)
		}
	}
}

// Numbers with squares out of float64's range, and invalid options, are errors.
func TestLassoRefusals(t *testing.T) {
	one, three := mat.NewDense(1, 1, []float64{1}), mat.NewDense(1, 1, []float64{3})
	solvers := map[string]func(ctx context.Context, a, x mat.Matrix, alpha float64, opt *LassoOptions) (*LassoResult, error){"Lasso": Lasso, "FISTA": FISTA}
	for name, f := range solvers {
		if r, err := f(t.Context(), one, three, 1, nil); err != nil || math.Abs(r.S.At(0, 0)-2) > 1e-6 {
			t.Errorf("%s: %v %v", name, r, err)
		}
		for _, c := range []struct {
			a, x float64
			opt  LassoOptions
			want string
		}{
			{1, 3, LassoOptions{Tolerance: math.NaN()}, "Tolerance is NaN"},
			{1, 3, LassoOptions{Tolerance: -1}, "Tolerance is -1"},
			{1, 3, LassoOptions{MaxIterations: -5}, "MaxIterations is -5"},
			{1, 3, LassoOptions{Workers: -1}, "Workers is -1"},
			{1, 1e200, LassoOptions{}, "column 0 of X"},
			{1, 1e-170, LassoOptions{}, "column 0 of X"},
			{1e200, 1, LassoOptions{}, "column 0 of A"},
			{math.NaN(), 1, LassoOptions{}, "A[0,0] is NaN"},
		} {
			_, err := f(t.Context(), mat.NewDense(1, 1, []float64{c.a}), mat.NewDense(1, 1, []float64{c.x}), 1, &c.opt)
			if err == nil || !strings.HasPrefix(err.Error(), "pursuit: "+name+": ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, A = %v, x = %v, %+v: %v", name, c.a, c.x, c.opt, err)
			}
		}
		if _, err := f(t.Context(), one, &mat.Dense{}, 1, nil); err == nil {
			t.Errorf("%s: no signals", name)
		}
	}
	for _, c := range []struct {
		opt  LPOptions
		want string
	}{{LPOptions{Tolerance: math.NaN()}, "Tolerance is NaN"}, {LPOptions{MaxIterations: -1}, "MaxIterations is -1"}} {
		if _, err := LinearProgram(t.Context(), []float64{1}, one, []float64{1}, &c.opt); err == nil || !strings.HasPrefix(err.Error(), "pursuit: LinearProgram: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.opt, err)
		}
	}
	for _, c := range []struct {
		opt  GradientOptions
		want string
	}{{GradientOptions{Step: math.NaN()}, "Step is NaN"}, {GradientOptions{Step: -1}, "Step is -1"}, {GradientOptions{Steps: -1}, "Steps is -1"}} {
		if _, err := GradientDescent(t.Context(), one, one, 1, &c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.opt, err)
		}
	}
}

// Sectors agrees with the interior-point method: with integers, so that columns are parallel, equal and
// opposite, with rows and columns of very different sizes, and with signals on the edges of sectors.
func TestSectorsAgainstLinearProgram(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 6))
	kinds := []string{"plain", "integers", "integers on columns", "rows", "columns"}
	infeasible, count := 0, 0
	for k := range 400 {
		kind := kinds[k%len(kinds)]
		n := 1 + rng.IntN(6)
		a, x := randomDense(rng, 2, n), randomDense(rng, 2, 3)
		if strings.HasPrefix(kind, "integers") {
			a.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(5) - 2) }, a)
			x.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(7) - 3) }, x)
			if kind != "integers" {
				x.SetCol(0, mat.Col(nil, rng.IntN(n), a))
			}
		}
		scale := func() float64 { return math.Pow(10, float64(rng.IntN(17)-8)) }
		switch kind {
		case "rows":
			for i := range 2 {
				s := scale()
				for j := range n {
					a.Set(i, j, a.At(i, j)*s)
				}
				for j := range 3 {
					x.Set(i, j, x.At(i, j)*s)
				}
			}
		case "columns":
			for j := range n {
				s := scale()
				a.Set(0, j, a.At(0, j)*s)
				a.Set(1, j, a.At(1, j)*s)
			}
		}
		opt := &PursuitOptions{NonNegative: k%2 == 0}
		r, err := BasisPursuitBatch(t.Context(), a, x, opt)
		if err != nil {
			t.Fatalf("%d, %s: %v", k, kind, err)
		}
		for i := range 3 {
			want, err := BasisPursuit(t.Context(), a, mat.Col(nil, i, x), opt)
			if err != nil {
				t.Fatalf("%d, %s: %v", k, kind, err)
			}
			count++
			if want.Status == ended.Infeasible {
				infeasible++
			}
			if r.Status[i] != want.Status || want.Status == ended.Converged && math.Abs(r.Objective[i]-want.Objective) > 1e-8*want.Objective+1e-12 {
				t.Errorf("%d, %s, non-negative %v, signal %d: %v %v, interior point %v %v; x %v, y %v", k, kind, opt.NonNegative, i, r.Status[i], r.Objective[i], want.Status, want.Objective, mat.Col(nil, i, x), want.Dual)
			}
		}
	}
	t.Logf("%d signals, %d infeasible", count, infeasible)
	if infeasible < 100 || infeasible > count-500 {
		t.Errorf("%d of %d infeasible", infeasible, count)
	}
}
