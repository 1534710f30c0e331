package pursuit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/vector"
)

// A walk is the state of the simplex method, which solves the scaled problem by moving from vertex to vertex.
//
// The interior-point method measures residuals relative to the largest number in the problem. So a row or a coefficient
// that is many orders of magnitude smaller may stay inaccurate. The simplex method has no such limit, because the
// coefficients of a vertex are the solution of m linear equations. Each system of equations is solved in float64. Its
// residual is then computed in twice the precision, and the solution is corrected, until all its digits are right. So
// x, the prices y (the multipliers of the rows), and the signs that decide the next step are those of exact
// arithmetic, unless a basis is singular up to rounding.
//
// Source: G. B. Dantzig, Linear Programming and Extensions, 1963; R. E. Bixby and M. J. Saltzman, Recovering an
// optimal LP basis from an interior point solution, Oper. Res. Lett. 15 (1994).
type walk struct {
	ctx  context.Context
	m, n int
	col  []float64 // column j is col[j*m:(j+1)*m]; columns n to n+m−1 are unit vectors
	b    []twofold
	c    []float64 // n
	// basis has m columns. A unit vector in it stands for a dependent row, or for a row that is not yet met;
	// its coefficient must become 0.
	basis []int
	in    []bool // n+m: whether a column is in the basis
	// tolerance is the tolerated error of the data, relative to the terms of a row or column. If a problem has a
	// solution only after changes to the data within the tolerance, it is solved with these changes.
	tolerance float64
	barred    []bool // n: columns in whose direction the cost falls forever, but by less than tolerance

	matrix *mat.Dense
	lu     mat.LU
}

// simplex solves the problem by the simplex method. The first basis has as many of the given columns as are
// independent. simplex returns nil if rounding or the context prevents a result.
func (p *lp) simplex(first []int, tolerance float64) *corner {
	m := len(p.rows)
	if m <= p.n {
		return p.newWalk(first, tolerance).run()
	}
	// At least m − n rows depend on the others. They contradict the others, or follow from them.
	kept, others := p.independentRows()
	if p.isOver() {
		return nil
	}
	q := &lp{ctx: p.ctx, n: p.n, rows: make([]float64, len(kept)), whole: make([]float64, 0, len(kept)*p.n), costs: p.costs}
	for j := range p.n {
		for _, i := range kept {
			q.whole = append(q.whole, p.whole[j*m+i])
		}
	}
	for _, i := range kept {
		q.sides = append(q.sides, p.sides[i])
	}
	c := &corner{status: ended.Infeasible, z: make([]float64, p.n), y: make([]float64, m), r: make([]float64, p.n)}
	if len(kept) > 0 { // A_kept' w = A_others'
		var w mat.Dense
		right := mat.NewDense(p.n, len(others), nil)
		for t, i := range others {
			for j := range p.n {
				right.Set(j, t, p.whole[j*m+i])
			}
		}
		var failure error
		err := parallel.Await(p.ctx, float64(p.n)*float64(len(kept))*float64(m), func() {
			failure = w.Solve(mat.NewDense(p.n, len(kept), q.whole), right)
		})
		if err != nil || failure != nil {
			return nil
		}
		for t, i := range others {
			off, terms := p.sides[i], math.Abs(p.sides[i])
			for k, b := range q.sides {
				off -= w.At(k, t) * b
				terms += math.Abs(w.At(k, t) * b)
			}
			if math.Abs(off) > tolerance*terms {
				c.y[i] = math.Copysign(1, off)
				for k, at := range kept {
					c.y[at] = -c.y[i] * w.At(k, t)
				}
				return c
			}
		}
		v := q.newWalk(first, tolerance).run()
		if v == nil {
			return nil
		}
		c.status, c.z, c.r = v.status, v.z, v.r
		for k, at := range kept {
			c.y[at] = v.y[k]
		}
		return c
	}
	return nil // A = 0, for which solve has the answer
}

// independentRows divides the rows of A into independent rows and the others. It chooses the independent rows one after
// the other: each time the row with the largest part outside the span of the rows chosen so far. If the context is
// done, some independent rows are missing from basis, and are in others instead.
func (p *lp) independentRows() (basis, others []int) {
	m := len(p.rows)
	rest := mat.NewDense(m, p.n, nil)
	for j := range p.n {
		rest.SetCol(j, p.whole[j*m:(j+1)*m])
	}
	size := func(i int) float64 { return floats.Norm(rest.RawRowView(i), 2) }
	first := 0.0
	in := make([]bool, m)
	for range min(m, p.n) {
		if p.isOver() {
			break
		}
		at, most := -1, 0.0
		for i := range m {
			if v := size(i); !in[i] && v > most {
				at, most = i, v
			}
		}
		first = max(first, most)
		if at < 0 || most <= 1e-11*first {
			break
		}
		in[at] = true
		u := slices.Clone(rest.RawRowView(at))
		floats.Scale(1/most, u)
		for i := range m {
			if !in[i] {
				for range 2 {
					row := rest.RawRowView(i)
					floats.AddScaled(row, -vector.DotInOrder(u, row), u)
				}
			}
		}
	}
	for i := range m {
		if in[i] {
			basis = append(basis, i)
		} else {
			others = append(others, i)
		}
	}
	return basis, others
}

// newWalk returns a walk that starts at a basis with as many of the given columns as are independent.
func (p *lp) newWalk(first []int, tolerance float64) *walk {
	m, n := len(p.rows), p.n
	s := &walk{ctx: p.ctx, m: m, n: n, col: slices.Grow(slices.Clone(p.whole), m*m), b: make([]twofold, m), c: p.costs, matrix: mat.NewDense(m, m, nil),
		tolerance: tolerance, barred: make([]bool, n)}
	for i, v := range p.sides {
		s.b[i].hi = v
	}
	for i := range m {
		unit := make([]float64, m)
		unit[i] = 1
		s.col = append(s.col, unit...)
	}
	s.start(first)
	return s
}

func (s *walk) column(j int) []float64 { return s.col[j*s.m : (j+1)*s.m] }

// start chooses independent columns as the basis. It tries the given columns first, then the other columns, then unit
// vectors. If the context is done, the basis is unfinished.
func (s *walk) start(first []int) {
	s.basis, s.in = make([]int, 0, s.m), make([]bool, s.n+s.m)
	q := make([][]float64, 0, s.m) // orthonormal, with the span of the basis
	take := func(j int, least float64) {
		if len(q) == s.m || s.in[j] || s.ctx.Err() != nil {
			return
		}
		v := slices.Clone(s.column(j))
		size := floats.Norm(v, 2)
		for range 2 {
			for _, u := range q {
				floats.AddScaled(v, -vector.DotInOrder(u, v), u)
			}
		}
		if rest := floats.Norm(v, 2); rest > least*size {
			floats.Scale(1/rest, v)
			s.basis, q = append(s.basis, j), append(q, v)
			s.in[j] = true
		}
	}
	for _, j := range first {
		take(j, 1e-10)
	}
	for _, least := range []float64{0.1, 1e-3, 1e-8} {
		for j := range s.n {
			take(j, least)
		}
	}
	for j := s.n; j < s.n+s.m; j++ {
		take(j, 0.5/math.Sqrt(float64(s.m)))
	}
	for j := s.n; j < s.n+s.m; j++ {
		take(j, 1e-10)
	}
}

// solve returns the x with B x = r, or with B'x = r if transposed is set, where the columns of B are those of the
// basis. It returns false if B is singular up to rounding.
func (s *walk) solve(r []twofold, transposed bool) ([]twofold, bool) {
	x, d := make([]twofold, s.m), mat.NewVecDense(s.m, nil)
	rest, last := slices.Clone(r), math.Inf(1)
	for range 30 {
		for i, v := range rest {
			d.SetVec(i, v.hi)
		}
		if err := s.lu.SolveVecTo(d, transposed, d); err != nil {
			return nil, false
		}
		moved := 0.0
		for k := range x {
			x[k] = x[k].plus(d.AtVec(k))
			moved = max(moved, math.Abs(d.AtVec(k)))
		}
		size := highest(x)
		if moved <= 0x1p-95*size {
			return x, true
		}
		if !(moved < last/2) { // either all digits are right, or B has too few
			return x, moved <= 0x1p-80*size
		}
		last = moved
		copy(rest, r)
		for k, j := range s.basis {
			for i, v := range s.column(j) {
				switch {
				case v == 0:
				case transposed:
					rest[k] = rest[k].plusProduct(-v, x[i])
				default:
					rest[i] = rest[i].plusProduct(-v, x[k])
				}
			}
		}
	}
	return nil, false
}

// missed returns a cost for each of the coefficients x: −1 if the coefficient is negative, its sign if it belongs to a
// unit vector (and so must be 0), and 0 otherwise. With these costs, the total cost of x is its infeasibility. missed
// returns nil if x is feasible. A coefficient counts as 0 if its absolute value does not exceed the given noise level.
func (s *walk) missed(x []twofold, noise float64) []twofold {
	cost, feasible := make([]twofold, s.m), true
	for k, j := range s.basis {
		if v := x[k].hi; v < -noise || j >= s.n && v > noise {
			cost[k].hi, feasible = math.Copysign(1, v), false
		}
	}
	if feasible {
		return nil
	}
	return cost
}

// reduced returns the reduced cost r = cost − A_j'y of column j, and the sum of the absolute values of its terms.
func (s *walk) reduced(j int, cost float64, y []twofold) (r, terms float64) {
	d := twofold{hi: cost}
	terms = math.Abs(cost)
	for i, v := range s.column(j) {
		if v != 0 {
			d = d.plusProduct(-v, y[i])
			terms += math.Abs(v * y[i].hi)
		}
	}
	return d.hi, terms
}

// enter returns the index of a column outside the basis whose reduced cost is negative, and this reduced cost r. If
// first is set, it chooses the first such column. Otherwise it chooses the one whose r is most negative relative to the
// terms of r (see reduced). If there is no such column, the index is −1. If costs is nil, all costs are 0.
func (s *walk) enter(costs []float64, y []twofold, first bool) (at int, r float64) {
	at, r = -1, 0
	least := -0x1p-50
	for j := range s.n {
		if s.in[j] || s.barred[j] {
			continue
		}
		cost := 0.0
		if costs != nil {
			cost = costs[j]
		}
		if d, terms := s.reduced(j, cost, y); d < least*terms {
			if at, r, least = j, d, d/terms; first {
				break
			}
		}
	}
	return at, r
}

// A crossing is the point at which a coefficient of the basis becomes 0 as the coefficient of the new column grows.
type crossing struct {
	k     int     // place in the basis
	at    twofold // coefficient of the new column
	w     float64 // how fast the k-th coefficient falls
	slope float64 // how much faster the cost grows from there on
}

// leave returns the place in the basis of the column that makes room for a new column. x holds the coefficients of the
// basis, which change by −w per unit of the new coefficient.
//
// If x is feasible, the column is the one whose coefficient becomes 0 first. Otherwise the choice makes the total
// infeasibility, which changes by r < 0 per unit, as small as possible. On the way, the coefficients of other columns
// may become 0; these columns stay in the basis, and may become infeasible. Several coefficients may become 0 together.
// Of their columns, the one with the smallest number is chosen if first is set, otherwise the one with the largest |w|.
// The result is −1 if the new coefficient may grow without bound.
func (s *walk) leave(x, w []twofold, noise, r float64, feasible, first bool) int {
	least := 0x1p-46 * highest(w) // less may be the rounding of columns that depend on each other
	var list []crossing
	for k, j := range s.basis {
		v, fall := x[k], w[k].hi
		unit := j >= s.n
		switch {
		case math.Abs(fall) <= least:
			continue
		case math.Abs(v.hi) <= noise: // at 0: a unit vector must stay there
			if fall > 0 || unit {
				list = append(list, crossing{k: k, w: math.Abs(fall), slope: math.Abs(fall)})
			}
		case (v.hi > 0) == (fall > 0):
			at := v.hi / fall
			rest := v.plusProduct(-at, w[k])
			c := crossing{k, twofold{at, 0}.plus(rest.hi / fall), math.Abs(fall), math.Abs(fall)}
			if unit {
				c.slope *= 2
			}
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b crossing) int {
		d := a.at.plus(-b.at.hi).plus(-b.at.lo).hi
		switch {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	end, slope := 0, r
	for ; !feasible && end < len(list); end++ {
		if slope += list[end].slope; slope >= 0x1p-40*r { // r < 0: a sum that should be 0 may be rounded down
			break
		}
	}
	if end >= len(list) {
		return -1
	}
	// Of columns whose coefficients become 0 together, the one with the largest w makes the best basis;
	// choosing the one with the smallest number never leads to a cycle.
	best := end
	for i, c := range list {
		away := c.at.plus(-list[end].at.hi).plus(-list[end].at.lo).hi
		if math.Abs(away)*c.w > noise {
			continue
		}
		if first && s.basis[c.k] < s.basis[list[best].k] || !first && c.w > list[best].w {
			best = i
		}
	}
	return list[best].k
}

// A corner is the result of the simplex method: an optimal vertex, or a certificate that the problem is infeasible or
// unbounded (see LPResult).
type corner struct {
	status  ended.Status // Converged, Infeasible or Unbounded
	z, y, r []float64    // as in LPResult, scaled
}

// run performs the simplex method and returns its result. It returns nil if rounding, the number of steps or the
// context prevents a result.
func (s *walk) run() *corner {
	quick := 5 * (s.m + s.n) // after that use Bland's rule, which cannot cycle
	relaxed := 0.0           // sum of the changes to b, relative to the terms of each row
	for it := range 10 * quick {
		if s.ctx.Err() != nil {
			return nil
		}
		for k, j := range s.basis {
			s.matrix.SetCol(k, s.column(j))
		}
		if parallel.Await(s.ctx, float64(s.m)*float64(s.m)*float64(s.m), func() { s.lu.Factorize(s.matrix) }) != nil {
			return nil
		}
		x, ok := s.solve(s.b, false)
		if !ok {
			return nil
		}
		noise := 0x1p-70 * highest(x)
		cost, costs := s.missed(x, noise), []float64(nil)
		feasible := cost == nil
		if feasible {
			cost, costs = make([]twofold, s.m), s.c
			for k, j := range s.basis {
				if j < s.n {
					cost[k].hi = s.c[j]
				}
			}
		}
		y, ok := s.solve(cost, true)
		if !ok {
			return nil
		}
		enter, r := s.enter(costs, y, it >= quick)
		if enter < 0 && feasible {
			return s.corner(ended.Converged, x, y, noise)
		}
		if enter < 0 {
			excess, step := s.excess(x, y)
			if excess > s.tolerance {
				return s.corner(ended.Infeasible, nil, y, 0)
			}
			// The point may be infeasible only because the data are rounded.
			if b, most := s.shifted(x); relaxed+most <= s.tolerance {
				s.b, relaxed = b, relaxed+most
			} else if relaxed += s.relax(x, y, step); !(relaxed <= s.tolerance) {
				return nil
			}
			continue
		}
		entering := make([]twofold, s.m)
		for i, v := range s.column(enter) {
			entering[i].hi = v
		}
		w, ok := s.solve(entering, false)
		if !ok {
			return nil
		}
		k := s.leave(x, w, noise, r, feasible, it >= quick)
		if k < 0 {
			if !feasible {
				return nil // what is missed cannot fall for ever: w is rounding
			}
			if _, terms := s.reduced(enter, s.c[enter], y); -r <= s.tolerance*terms {
				s.barred[enter] = true
				continue
			}
			for k := range w {
				w[k].hi = -w[k].hi
			}
			c := s.corner(ended.Unbounded, w, nil, 0x1p-46*highest(w))
			c.z[enter] = 1
			return c
		}
		s.in[s.basis[k]], s.in[enter] = false, true
		s.basis[k] = enter
	}
	return nil
}

// corner returns a result with the given status. x holds the coefficients of the basis, and y holds the prices. Either
// may be nil. A coefficient counts as 0 if it does not exceed the given noise level.
func (s *walk) corner(status ended.Status, x, y []twofold, noise float64) *corner {
	c := &corner{status: status, z: make([]float64, s.n), y: make([]float64, s.m), r: make([]float64, s.n)}
	for k, v := range x {
		if j := s.basis[k]; j < s.n && v.hi > noise {
			c.z[j] = v.hi
		}
	}
	if y == nil {
		return c
	}
	for i, v := range y {
		c.y[i] = v.hi
	}
	for j := range c.r {
		switch {
		case status == ended.Infeasible:
			c.r[j], _ = s.reduced(j, 0, y)
		case !s.in[j]:
			c.r[j], _ = s.reduced(j, s.c[j], y)
		}
	}
	return c
}

// terms returns |b_i| + Σ |a_ij| x_j for each row i. The sum is over the basic columns j of A with x_j > 0.
func (s *walk) terms(x []twofold) []float64 {
	t := make([]float64, s.m)
	for i, v := range s.b {
		t[i] = math.Abs(v.hi)
	}
	for k, j := range s.basis {
		if v := x[k].hi; v > 0 && j < s.n {
			for i, a := range s.column(j) {
				t[i] += math.Abs(a) * v
			}
		}
	}
	return t
}

// excess returns b'y divided by the size of its terms, for a y with A'y <= 0. If this quotient is positive, there is no
// solution.
//
// It also returns the step for which b'y becomes 0 if each b_i changes by −step·t_i² y_i, where t = terms(x). Of all
// changes to b with this effect, this change is the smallest, measured in units of t.
func (s *walk) excess(x, y []twofold) (relative, step float64) {
	by, size, square := twofold{}, 0.0, 0.0
	for i, t := range s.terms(x) {
		by = by.plusProduct(s.b[i].hi, y[i]).plus(s.b[i].lo * y[i].hi)
		size += t * math.Abs(y[i].hi)
		square += t * t * y[i].hi * y[i].hi
	}
	return by.hi / size, by.hi / square
}

// shifted returns the right-hand side b that the positive coefficients in x satisfy exactly, if all other coefficients
// are 0. It also returns the largest change of an element from s.b, relative to the terms of its row.
func (s *walk) shifted(x []twofold) (b []twofold, most float64) {
	b = make([]twofold, s.m)
	for k, j := range s.basis {
		if j < s.n && x[k].hi > 0 {
			for i, a := range s.column(j) {
				b[i] = b[i].plusProduct(a, x[k])
			}
		}
	}
	for i, t := range s.terms(x) {
		if d := math.Abs(b[i].plus(-s.b[i].hi).plus(-s.b[i].lo).hi); d > 0 {
			most = max(most, d/t)
		}
	}
	return b, most
}

// relax changes s.b so that y no longer proves that there is no solution. It goes 1.5 times as far as the step that
// excess returned. It returns the largest change to an element, relative to the terms of its row.
//
// Afterwards another y may prove that there is no solution, so several calls may be needed. Each is a projection of b
// onto a half-space, and a sequence of such projections converges (S. Agmon, The relaxation method for linear
// inequalities, Canad. J. Math. 6, 1954).
func (s *walk) relax(x, y []twofold, step float64) (most float64) {
	for i, t := range s.terms(x) {
		if v := 1.5 * step * t * y[i].hi; v != 0 {
			s.b[i] = s.b[i].plus(-v * t)
			most = max(most, math.Abs(v))
		}
	}
	return most
}
