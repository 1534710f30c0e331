package pursuit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/vector"
)

// relative is the tolerance of optimality: the largest violation of A'y <= c and of c'z = b'y, relative to
// the terms of each.
const relative = 1e-8

// settle improves a vertex z with the support sup if it is not optimal. The tolerance of the interior-point
// method is relative to the largest cost. If costs differ by many orders of magnitude, as after scaling
// columns of very different lengths, a vertex of cheap columns may cost a multiple of the best one. So settle
// checks the reduced cost of each column, and continues by the simplex method if one is negative. It returns
// the better vertex and its y. It returns nil, nil if y proves z optimal, or if rounding or the context
// prevents a better vertex.
//
// Source: G. B. Dantzig, Linear Programming and Extensions, 1963; R. E. Bixby and M. J.
// Saltzman, Recovering an optimal LP basis from an interior point solution, Oper. Res.
// Lett. 15 (1994).
func (p *lp) settle(z, y []float64, sup []int) (zBetter, yBetter []float64) {
	m := p.m
	gap, terms := 0.0, 0.0
	for j, v := range z {
		gap += p.c[j] * v
		terms += math.Abs(p.c[j] * v)
	}
	for i, v := range y {
		gap -= p.b[i] * v
		terms += math.Abs(p.b[i] * v)
	}
	if at, _ := p.cheapest(y, nil, false); at < 0 && math.Abs(gap) <= relative*terms {
		return nil, nil
	}
	basis := p.complete(sup)
	if basis == nil {
		return nil, nil
	}
	B, in := mat.NewDense(m, m, nil), make([]bool, p.n)
	for _, j := range basis {
		in[j] = true
	}
	var lu mat.LU
	x, w, price := mat.NewVecDense(m, nil), mat.NewVecDense(m, nil), mat.NewVecDense(m, nil)
	cost := mat.NewVecDense(m, nil)
	quick := 5 * (m + p.n) // after that use Bland's rule, which cannot cycle
	for it := range 4 * quick {
		for k, j := range basis {
			B.SetCol(k, p.column(j))
			cost.SetVec(k, p.c[j])
		}
		if parallel.Await(p.ctx, float64(m)*float64(m)*float64(m), func() { lu.Factorize(B) }) != nil {
			return nil, nil
		}
		if !(lu.Cond() < 1e13) || lu.SolveVecTo(x, false, mat.NewVecDense(m, p.b)) != nil || lu.SolveVecTo(price, true, cost) != nil {
			return nil, nil
		}
		if mat.Min(x) < -1e-9 {
			return nil, nil // a vertex has no negative entry
		}
		enter, _ := p.cheapest(price.RawVector().Data, in, it >= quick)
		if enter < 0 {
			z := make([]float64, p.n)
			for k, j := range basis {
				if v := x.AtVec(k); v > 1e-13 {
					z[j] = v
				}
			}
			return z, slices.Clone(price.RawVector().Data)
		}
		if lu.SolveVecTo(w, false, mat.NewVecDense(m, p.column(enter))) != nil {
			return nil, nil
		}
		leave, step := -1, math.Inf(1)
		least := 1e-11 * floats.Norm(w.RawVector().Data, math.Inf(1))
		for k, j := range basis {
			if v := w.AtVec(k); v > least {
				if t := max(0, x.AtVec(k)) / v; t < step || t == step && j < basis[leave] {
					leave, step = k, t
				}
			}
		}
		if leave < 0 {
			return nil, nil // a ray: the interior-point method would have found it
		}
		in[basis[leave]], in[enter] = false, true
		basis[leave] = enter
	}
	return nil, nil
}

// cheapest returns the column outside the basis that costs least compared with its price A_j'y, relative to
// the terms of both. If first is set, it returns the first column that costs less than its price. The result
// at is −1 if no column does.
func (p *lp) cheapest(y []float64, in []bool, first bool) (at int, by float64) {
	at, by = -1, relative
	for j, c := range p.c {
		if in != nil && in[j] {
			continue
		}
		a := p.column(j)
		below := vector.DotInOrder(a, y) - c
		if below <= 0 {
			continue
		}
		terms := math.Abs(c)
		for i, v := range a {
			terms += math.Abs(v * y[i])
		}
		if below /= terms; below > by {
			if at, by = j, below; first {
				return at, by
			}
		}
	}
	return at, by
}

// complete adds columns to the independent columns of sup until there are m columns. It returns nil if A's
// columns do not span the space.
func (p *lp) complete(sup []int) []int {
	m := p.m
	basis, q := make([]int, 0, m), make([][]float64, 0, m) // q is orthonormal
	take := func(j int, least float64) {
		if p.isOver() {
			return
		}
		v := slices.Clone(p.column(j))
		size := floats.Norm(v, 2)
		for range 2 {
			for _, u := range q {
				floats.AddScaled(v, -vector.DotInOrder(u, v), u)
			}
		}
		if rest := floats.Norm(v, 2); rest > least*size {
			floats.Scale(1/rest, v)
			basis, q = append(basis, j), append(q, v)
		}
	}
	for _, j := range sup {
		take(j, 1e-10)
	}
	if len(basis) < len(sup) {
		return nil
	}
	for _, least := range []float64{0.1, 1e-3, 1e-8} {
		for j := 0; j < p.n && len(basis) < m; j++ {
			if !slices.Contains(basis, j) {
				take(j, least)
			}
		}
	}
	if len(basis) < m {
		return nil
	}
	return basis
}
