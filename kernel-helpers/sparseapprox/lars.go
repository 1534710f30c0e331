package sparseapprox

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
)

// lars follows the lasso path from λ_0 = max_j |c_j|, where w = 0, down to the requested λ.
func (k *work) lars() ended.Status {
	clear(k.w)
	status := k.homotopy(k.coder.lambda, nil)
	k.recorrelate(k.q)
	if obj, gap := k.gap(); status == ended.Converged && !(gap <= k.coder.opt.Tolerance*obj) {
		return ended.NoProgress
	}
	return status
}

// homotopy follows the path down to lambda. If knot is not nil, homotopy calls knot(λ) at every knot of the path; at
// that time w is the solution for this λ. At the start w must be 0.
//
// With the active set P and its signs θ, w_P(λ) = G_PP⁻¹(c_P − λθ) is linear in λ. Let λ fall by γ. With u = G_PP⁻¹θ
// and a = G_·P u (n),
//
//	w_P grows by γu,  q falls by γa,  and |q_j| = λ − γ still holds on P.
//
// The next knot is at λ − γ for the smallest γ >= 0 at which
//
//	an atom joins:   q_j − γa_j = ±(λ − γ)  for a j outside P, or
//	an atom leaves:  w_i + γu_i = 0         for an i in P.
//
// An atom in the span of P cannot join, because G_PP would become singular; it is set aside until an atom leaves. At
// each knot w_P is recomputed, so that errors do not accumulate.
//
// Sources: Osborne, Presnell and Turlach, A new approach to variable selection in least squares problems, IMA J.
// Numer. Anal. 20 (2000); Efron, Hastie, Johnstone and Tibshirani, Least angle regression, Ann. Stat. 32 (2004),
// section 3.1.
func (k *work) homotopy(lambda float64, knot func(lambda float64)) ended.Status {
	c, s := k.coder, &k.sup
	s.reset()
	for j := range k.in {
		k.in[j] = false // true if the atom is in P, or is set aside
	}
	copy(k.q, k.c)
	at, first := 0.0, -1 // at is the current λ
	for j, v := range k.c {
		if r := c.reach(v); r > at {
			at, first = r, j
		}
	}
	if first < 0 {
		return ended.Converged // w = 0 for every λ, because c = 0, or because all c <= 0 and w >= 0 is required
	}
	if knot != nil {
		knot(at)
	}
	if at <= lambda {
		return ended.Converged
	}
	if !s.add(c, first, sign(k.c[first])) {
		return ended.NoProgress
	}
	k.in[first] = true
	u, a := k.v1, k.v2
	// After an atom leaves at a knot, its |q| becomes smaller than λ. The atom may rejoin with the opposite sign, but
	// not with the sign that it had.
	left, leftSign := -1, 0.0
	for {
		k.iterations++
		m := len(s.p)
		copy(u[:m], s.sign)
		s.f.solve(u[:m])
		clear(a)
		for i, j := range s.p {
			axpy(u[i], c.gram(j), a)
		}
		gamma, join, joinSign, leave := at-lambda, -1, 0.0, -1
		for j, q := range k.q {
			if k.in[j] {
				continue
			}
			// λ can reach |q_j| only if λ falls faster than |q_j|.
			const slower = 1 - 1e-10
			if a[j] < slower && !(j == left && leftSign > 0) {
				if t := max(0, (at-q)/(1-a[j])); t < gamma {
					gamma, join, joinSign = t, j, 1
				}
			}
			if a[j] > -slower && !c.nonneg && !(j == left && leftSign < 0) {
				if t := max(0, (at+q)/(1+a[j])); t < gamma {
					gamma, join, joinSign = t, j, -1
				}
			}
		}
		for i, j := range s.p {
			if u[i]*s.sign[i] < 0 {
				if t := max(0, -k.w[j]/u[i]); t < gamma {
					gamma, leave = t, i
				}
			}
		}
		if at -= gamma; leave < 0 && join < 0 {
			at = lambda // without rounding
		}
		for i, v := range s.target(k.c, at) {
			if v*s.sign[i] < 0 { // rounding near 0
				v = 0
			}
			k.w[s.p[i]] = v
		}
		axpy(-gamma, a, k.q)
		left = -1
		switch {
		case leave >= 0:
			left, leftSign = s.p[leave], s.sign[leave]
			k.w[left] = 0
			s.remove(leave)
			clear(k.in)
			for _, j := range s.p {
				k.in[j] = true
			}
		case join >= 0:
			k.in[join] = true
			s.add(c, join, joinSign) // or set the atom aside
		}
		if knot != nil {
			knot(at)
		}
		if leave < 0 && join < 0 {
			return ended.Converged // λ is reached
		}
		if len(s.p) == 0 {
			// P can be empty only because of rounding errors: some q_j = ±λ > 0 means that an atom is active.
			return ended.NoProgress
		}
		if k.isOver() {
			return ended.Interrupted
		}
		if k.iterations >= c.opt.MaxIterations {
			return ended.IterationLimit
		}
		if math.IsNaN(at) {
			return ended.NoProgress
		}
	}
}

// A LassoPath holds w(λ) for one signal and for all λ down to the last knot. Between knots w is linear in λ; above the
// first knot w is 0.
type LassoPath struct {
	// Knots holds the values of λ at which an atom joins or leaves the support, in descending order. The path ends at
	// the last knot.
	Knots []float64
	// W is n×len(Knots), the solution at each knot.
	W *mat.Dense
	// Nonzeros is the number of nonzeros at each knot.
	Nonzeros []int
}

// At returns w(lambda) (n). It panics if lambda is below the last knot.
func (p *LassoPath) At(lambda float64) []float64 {
	n, m := p.W.Dims()
	if !(lambda >= p.Knots[m-1]) {
		panic(fmt.Sprintf("sparseapprox: At: lambda %v is below the end of the path, %v", lambda, p.Knots[m-1]))
	}
	w := make([]float64, n)
	// The first knot at or below λ.
	i := sort.Search(m, func(i int) bool { return p.Knots[i] <= lambda })
	if i == 0 {
		return w // λ is at or above the first knot
	}
	share := (p.Knots[i-1] - lambda) / (p.Knots[i-1] - p.Knots[i])
	for j := range w {
		w[j] = (1-share)*p.W.At(j, i-1) + share*p.W.At(j, i)
	}
	return w
}

// Path follows the solutions of the lasso for one signal x (D), from the λ above which w = 0 (the first knot) down to λ
// = smallest. If smallest is 0, Path ends at 1e-6 times the first knot. The Coder's prior must be L1 or L1NonNegative;
// its Lambda and Method are not used.
func (c *Coder) Path(x []float64, smallest float64) (*LassoPath, error) {
	if c.opt.Prior != L1 && c.opt.Prior != L1NonNegative {
		return nil, fmt.Errorf("sparseapprox: Path: there is no path for the prior %v", c.opt.Prior)
	}
	if len(x) != c.d {
		panic(fmt.Sprintf("sparseapprox: Path: B is %d×%d and x has %d entries", c.d, c.n, len(x)))
	}
	if !(smallest >= 0) || math.IsInf(smallest, 0) {
		return nil, fmt.Errorf("sparseapprox: Path: the smallest lambda is %v, must be 0 or more", smallest)
	}
	if err := checkFinite("Path: x", mat.NewDense(1, c.d, x)); err != nil {
		return nil, err
	}
	k := c.acquire(context.Background())
	defer c.release(k)
	corr := make([]float64, c.n)
	mat.NewVecDense(c.n, corr).MulVec(c.atoms, mat.NewVecDense(c.d, x)) // (n×D)(D)
	if smallest == 0 {
		for _, v := range corr {
			smallest = max(smallest, 1e-6*c.reach(v))
		}
	}
	k.load(corr, make([]float64, c.n), dot(x, x))
	p := &LassoPath{}
	var rows []float64
	status := k.homotopy(smallest, func(lambda float64) {
		if m := len(p.Knots); m > 0 && lambda == p.Knots[m-1] {
			// For two events at the same λ, w is the same, but the support may differ.
			rows = rows[:len(rows)-c.n]
			p.Knots, p.Nonzeros = p.Knots[:m-1], p.Nonzeros[:m-1]
		}
		count := 0
		for _, v := range k.w {
			if v != 0 {
				count++
			}
		}
		p.Knots, p.Nonzeros = append(p.Knots, lambda), append(p.Nonzeros, count)
		rows = append(rows, k.w...)
	})
	if len(p.Knots) == 0 {
		p.Knots, p.Nonzeros, rows = []float64{0}, []int{0}, make([]float64, c.n)
	}
	p.W = mat.DenseCopyOf(mat.NewDense(len(p.Knots), c.n, rows).T())
	switch status {
	case ended.IterationLimit:
		return p, fmt.Errorf("sparseapprox: Path: stopped at lambda %v after %d knots", p.Knots[len(p.Knots)-1], k.iterations)
	case ended.NoProgress:
		return p, errors.New("sparseapprox: Path: rounding ended the path early")
	}
	return p, nil
}
