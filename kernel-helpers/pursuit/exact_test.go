package pursuit

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/ended"
)

// rational solves a linear program in exact arithmetic: the tableau simplex method with Bland's rule, which always
// ends. It first minimizes the sum of one artificial variable per row. c and A are converted to rational numbers
// without rounding. It returns the status, and for Converged a solution and the objective.
func rational(c []float64, a mat.Matrix, b []*big.Rat) (ended.Status, []*big.Rat, *big.Rat) {
	m, n := a.Dims()
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	// Row i of t is (A_i, I_i, b_i), with b_i >= 0; columns n.. are artificial.
	t := make([][]*big.Rat, m)
	basis := make([]int, m)
	for i := range t {
		t[i] = make([]*big.Rat, n+m+1)
		for j := range n {
			t[i][j] = rat(a.At(i, j))
		}
		t[i][n+m] = new(big.Rat).Set(b[i])
		if b[i].Sign() < 0 {
			for j, v := range t[i] {
				if v != nil {
					t[i][j].Neg(v)
				}
			}
		}
		for k := range m {
			t[i][n+k] = new(big.Rat)
		}
		t[i][n+i].SetInt64(1)
		basis[i] = n + i
	}
	pivot := func(r, j int) {
		p := new(big.Rat).Inv(t[r][j])
		for k := range t[r] {
			t[r][k].Mul(t[r][k], p)
		}
		for i := range t {
			if f := new(big.Rat).Set(t[i][j]); i != r && f.Sign() != 0 {
				for k := range t[i] {
					t[i][k].Sub(t[i][k], new(big.Rat).Mul(f, t[r][k]))
				}
			}
		}
		basis[r] = j
	}
	// run minimizes cost'x over the first `columns` columns; it returns false if there is no minimum.
	run := func(cost []*big.Rat, columns int) bool {
		for {
			enter := -1
			for j := 0; j < columns && enter < 0; j++ {
				d := new(big.Rat).Set(cost[j])
				for i, k := range basis {
					d.Sub(d, new(big.Rat).Mul(cost[k], t[i][j]))
				}
				if d.Sign() < 0 {
					enter = j
				}
			}
			if enter < 0 {
				return true
			}
			leave, least := -1, new(big.Rat)
			for i, k := range basis {
				if t[i][enter].Sign() > 0 {
					q := new(big.Rat).Quo(t[i][n+m], t[i][enter])
					if s := q.Cmp(least); leave < 0 || s < 0 || s == 0 && k < basis[leave] {
						leave, least = i, q
					}
				}
			}
			if leave < 0 {
				return false
			}
			pivot(leave, enter)
		}
	}
	cost := make([]*big.Rat, n+m)
	for j := range cost {
		cost[j] = new(big.Rat)
		if j >= n {
			cost[j].SetInt64(1)
		}
	}
	run(cost, n)
	for i, k := range basis {
		if k >= n && t[i][n+m].Sign() > 0 {
			return ended.Infeasible, nil, nil
		}
	}
	for i, k := range basis { // an artificial variable at 0 leaves the basis, unless its row is dependent
		for j := 0; k >= n && j < n; j++ {
			if t[i][j].Sign() != 0 {
				pivot(i, j)
				break
			}
		}
	}
	for j := range cost {
		cost[j].SetInt64(0)
		if j < n {
			cost[j] = rat(c[j])
		}
	}
	if !run(cost, n) {
		return ended.Unbounded, nil, nil
	}
	z, sum := make([]*big.Rat, n), new(big.Rat)
	for j := range z {
		z[j] = new(big.Rat)
	}
	for i, k := range basis {
		if k < n {
			z[k].Set(t[i][n+m])
			sum.Add(sum, new(big.Rat).Mul(cost[k], z[k]))
		}
	}
	return ended.Converged, z, sum
}

// rationals returns x as rational numbers.
func rationals(x []float64) []*big.Rat {
	out := make([]*big.Rat, len(x))
	for i, v := range x {
		out[i] = new(big.Rat).SetFloat64(v)
	}
	return out
}

// mixedProgram draws a program with small integers in A. It has a solution with entries between 1e-6 and 1e6,
// which are small integers times powers of ten if decimal is set, else times powers of two. A y with A'y <= c
// bounds the cost from below. The second result is b without rounding; with powers of two, b itself is exact.
func mixedProgram(rng *rand.Rand, decimal bool) (program, []*big.Rat) {
	m := 1 + rng.IntN(5)
	n := m + rng.IntN(7)
	a := mat.NewDense(m, n, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(9) - 4) }, a)
	y, b, c := make([]float64, m), make([]float64, m), make([]float64, n)
	exact := rationals(b)
	for _, j := range rng.Perm(n)[:1+rng.IntN(n)] {
		z := big.NewRat(int64(1+rng.IntN(3)), 1)
		unit, e := big.NewRat(2, 1), rng.IntN(41)-20
		if decimal {
			unit, e = big.NewRat(10, 1), rng.IntN(13)-6
		}
		for range max(e, -e) {
			if e > 0 {
				z.Mul(z, unit)
			} else {
				z.Quo(z, unit)
			}
		}
		for i, v := range exact {
			v.Add(v, new(big.Rat).Mul(z, new(big.Rat).SetFloat64(a.At(i, j))))
		}
	}
	for i, v := range exact {
		b[i], _ = v.Float64()
		y[i] = float64(rng.IntN(7) - 3)
	}
	mat.NewVecDense(n, c).MulVec(a.T(), mat.NewVecDense(m, y))
	for j := range c {
		c[j] += float64(rng.IntN(4))
	}
	return program{"mixed", c, b, a}, exact
}

// checkExact compares the result for q with the solution in exact arithmetic, for a b that may differ from
// q.b by rounding.
func checkExact(t *testing.T, k int, q program, exact []*big.Rat) ended.Status {
	t.Helper()
	want, z, objective := rational(q.c, q.a, exact)
	r, err := LinearProgram(t.Context(), q.c, q.a, q.b, nil)
	if err != nil || r.Status != want {
		t.Errorf("%d: %v, want %v (%v)", k, r.Status, want, err)
		return want
	}
	inner, _ := LinearProgram(t.Context(), q.c, q.a, q.b, &LPOptions{KeepInterior: true})
	if at := finite.Index(slices.Concat(inner.Z, inner.Y, inner.R)); at >= 0 {
		t.Errorf("%d: the interior point is not finite: %v", k, inner)
	}
	if want != ended.Converged {
		if bad := certificate(q, r); bad != "" {
			t.Errorf("%d: %v: %s", k, want, bad)
		}
		return want
	}
	if off := rowError(q, r.Z); !r.Basic || off > 1e-9 {
		t.Errorf("%d: basic %v; a row is missed by %g of its terms", k, r.Basic, off)
	}
	// The objective differs by y'δ for a change δ of b, and by the rounding of its terms.
	off, size := new(big.Rat).Set(objective), 0.0
	for j, v := range rationals(r.Z) {
		off.Sub(off, v.Mul(v, new(big.Rat).SetFloat64(q.c[j])))
		zj, _ := z[j].Float64()
		size += math.Abs(q.c[j]) * zj
	}
	allowed := 1e-9 * size
	for i, v := range rationals(q.b) {
		d, _ := v.Sub(v, exact[i]).Float64()
		allowed += 10 * math.Abs(r.Y[i]*d)
	}
	if d, _ := off.Float64(); math.Abs(d) > allowed {
		t.Errorf("%d: the objective is off by %g, want at most %g", k, d, allowed)
	}
	// The columns of the support determine the coefficients, each relative to itself.
	if len(r.Support) == 0 {
		return want
	}
	as, cs := mat.NewDense(len(q.b), len(r.Support), nil), make([]float64, len(r.Support))
	for s, j := range r.Support {
		as.SetCol(s, mat.Col(nil, j, q.a))
	}
	st, zs, _ := rational(cs, as, rationals(q.b))
	for s, j := range r.Support {
		if st != ended.Converged {
			break // b is rounded, and has more rows than the support has columns
		}
		if v, _ := zs[s].Float64(); math.Abs(r.Z[j]-v) > 1e-9*v {
			t.Errorf("%d: coefficient %d is %g, want %g", k, j, r.Z[j], v)
		}
	}
	return want
}

// LinearProgram agrees with exact arithmetic if the entries of a solution differ by twelve orders of magnitude, and for
// rows in different units. Some b are not in the units of their rows; then a solution need not exist.
func TestLinearProgramMixedSizes(t *testing.T) {
	for _, kind := range []string{"integers", "decimals", "rows in other units", "rows without b in other units"} {
		rng := rand.New(rand.NewPCG(7, 7))
		seen := map[ended.Status]int{}
		for k := range 200 {
			q, b := mixedProgram(rng, kind == "decimals")
			if strings.HasPrefix(kind, "rows") {
				for i := range q.b {
					s := math.Ldexp(1, rng.IntN(53)-26)
					for j := range q.c {
						q.a.Set(i, j, q.a.At(i, j)*s)
					}
					if kind == "rows in other units" {
						q.b[i] *= s
					}
				}
				b = rationals(q.b)
			}
			seen[checkExact(t, k, q, b)]++
		}
		t.Logf("%s: %v", kind, seen)
		if seen[ended.Converged] < 100 || kind == "rows without b in other units" && seen[ended.Infeasible] < 30 {
			t.Errorf("%s: statuses %v", kind, seen)
		}
	}
}

// Decimal numbers in decimal units are rounded in A, b and c, so the rounded program may have no solution, or be
// unbounded. LinearProgram must still find the solution of the program before rounding.
func TestLinearProgramRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(99, 3))
	scale := func() float64 { return math.Pow(10, float64(rng.IntN(17)-8)) }
	for k := range 1000 {
		q, exact := mixedProgram(rng, true)
		_, z, objective := rational(q.c, q.a, exact)
		want, _ := objective.Float64()
		size := 0.0
		for j, v := range z {
			f, _ := v.Float64()
			size += math.Abs(q.c[j] * f)
		}
		for i := range q.b {
			s := scale()
			q.b[i] *= s
			for j := range q.c {
				q.a.Set(i, j, q.a.At(i, j)*s)
			}
		}
		for j := range q.c {
			s := scale()
			q.c[j] *= s
			for i := range q.b {
				q.a.Set(i, j, q.a.At(i, j)*s)
			}
		}
		r, err := LinearProgram(t.Context(), q.c, q.a, q.b, nil)
		if err != nil || r.Status != ended.Converged || !r.Basic || rowError(q, r.Z) > 1e-9 {
			t.Errorf("%d: %v, basic %v, row error %g (%v)", k, r.Status, r.Basic, rowError(q, r.Z), err)
			continue
		}
		// A change of b by a rounding changes the objective by y'δ, and one of A by y'δz.
		allowed := 1e-9 * size
		for i, y := range r.Y {
			terms := math.Abs(q.b[i])
			for j, z := range r.Z {
				terms += math.Abs(q.a.At(i, j) * z)
			}
			allowed += 1e-13 * math.Abs(y) * terms
		}
		if math.Abs(r.Objective-want) > allowed {
			t.Errorf("%d: the objective is %v, want %v within %g", k, r.Objective, want, allowed)
		}
	}
}

// These programs have two equations for two unknowns, and so at most one feasible point.
func TestLinearProgramOnePoint(t *testing.T) {
	const tiny = 0x1p-17 // so that 2·1000 − tiny is exact
	for _, q := range []struct {
		c, a, b, z []float64
	}{
		{[]float64{2, -1}, []float64{1, 0, 2, -1}, []float64{1000, 2000 - tiny}, []float64{1000, tiny}},
		{[]float64{2, -1}, []float64{1, 0, 2, -1}, []float64{1e6, 2e6 - 1}, []float64{1e6, 1}},
		{[]float64{1, 1}, []float64{1, 0, 1, -1}, []float64{1e6, 1e6 - 0x1p-20}, []float64{1e6, 0x1p-20}},
		// Both rows hold for z_0 = z_1 = 2^34 only: A is nearly singular.
		{[]float64{1, 1}, []float64{1, -1, 1, -(1 - 0x1p-34)}, []float64{0, 1}, []float64{0x1p34, 0x1p34}},
		{[]float64{1, 1}, []float64{1, 0, 0, 1}, []float64{1e6, -1e-5}, nil},
		{[]float64{1, 1}, []float64{1, 0, 0, 0}, []float64{1e6, -1e-5}, nil},
	} {
		a := mat.NewDense(2, 2, q.a)
		r, err := LinearProgram(t.Context(), q.c, a, q.b, nil)
		if q.z == nil {
			if err != nil || r.Status != ended.Infeasible {
				t.Errorf("%v: %v %v, want infeasible (%v)", q.b, r.Status, r.Z, err)
			}
			continue
		}
		if err != nil || r.Status != ended.Converged || !r.Basic || math.Abs(r.Z[0]/q.z[0]-1) > 1e-10 || math.Abs(r.Z[1]/q.z[1]-1) > 1e-10 {
			t.Errorf("%v: %v %v, want %v (%v)", q.b, r.Status, r.Z, q.z, err)
		}
	}
}

// A problem that leaves the range of float64 is an error.
func TestLinearProgramRange(t *testing.T) {
	for _, q := range []program{
		{c: []float64{1}, a: mat.NewDense(1, 1, []float64{1e-10}), b: []float64{1e308}},
		{c: []float64{1e308, 1}, a: mat.NewDense(1, 2, []float64{1e-10, 1}), b: []float64{1}},
	} {
		if _, err := LinearProgram(t.Context(), q.c, q.a, q.b, nil); err == nil || !strings.Contains(err.Error(), "scale") {
			t.Errorf("%v: %v", q.b, err)
		}
	}
}

// A twofold has about twice the digits of a float64. The test compares sums of products with exact arithmetic.
func TestTwofold(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 100 {
		var sum twofold
		exact, size := new(big.Rat), new(big.Rat)
		for range 50 {
			a, v := rng.NormFloat64(), twofold{rng.NormFloat64(), 0x1p-55 * rng.NormFloat64()}
			sum = sum.plusProduct(a, v)
			p := new(big.Rat).Add(new(big.Rat).SetFloat64(v.hi), new(big.Rat).SetFloat64(v.lo))
			p.Mul(p, new(big.Rat).SetFloat64(a))
			exact.Add(exact, p)
			size.Add(size, p.Abs(p))
		}
		exact.Sub(exact, new(big.Rat).SetFloat64(sum.hi))
		exact.Sub(exact, new(big.Rat).SetFloat64(sum.lo))
		if off, _ := exact.Quo(exact, size).Float64(); math.Abs(off) > 0x1p-98 {
			t.Errorf("off by %g", off)
		}
	}
}

// There are more rows than columns: a row that depends on others either follows from them or contradicts them.
func TestLinearProgramManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for k := range 40 {
		n := 1 + rng.IntN(8)
		m := n + 1 + rng.IntN(40)
		a, z, c, b := randomDense(rng, m, n), make([]float64, n), randomVec(rng, n), make([]float64, m)
		for j := range z {
			z[j] = math.Pow(10, float64(rng.IntN(13)-6))
		}
		mat.NewVecDense(m, b).MulVec(a, mat.NewVecDense(n, z))
		q := program{"many rows", c, b, a}
		r, err := LinearProgram(t.Context(), c, a, b, nil)
		if err != nil || r.Status != ended.Converged || rowError(q, r.Z) > 1e-9 {
			t.Errorf("%d: %v, row error %g (%v)", k, r.Status, rowError(q, r.Z), err)
			continue
		}
		// b is rounded relative to the largest entry, and no entry has more digits than that.
		for j, v := range z {
			if math.Abs(r.Z[j]-v) > 1e-9*v+1e-12*normInf(z) {
				t.Errorf("%d: coefficient %d is %g, want %g", k, j, r.Z[j], v)
			}
		}
		b[rng.IntN(m)] += 1e-3 * normInf(z)
		if r, err = LinearProgram(t.Context(), c, a, b, nil); err != nil || r.Status != ended.Infeasible {
			t.Errorf("%d: %v, want infeasible (%v)", k, r.Status, err)
		} else if bad := certificate(q, r); bad != "" {
			t.Errorf("%d: %s", k, bad)
		}
	}
}
