package l2svm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A column describes the problem that one machine solves: to separate one class from the others, on some of the
// points.
//
//	f(w, b) = ½‖w‖² + weight Σ_i s_i max(0, 1 − y_i z_i)²,   z = X̂w + b,   weight = C/n
type column struct {
	y      []int8 // +1, −1, or 0: unused; one for each point
	n      int    // number of points used
	weight float64
	// s holds the weights of the points (s_i of the objective); nil means that all are 1.
	s []float64
}

// loss returns the second term of f at the scores z, and stores its derivative in r: r_i = −2 weight s_i y_i
// max(0, 1 − y_i z_i).
func (c *column) loss(r, z []float64) float64 {
	var f float64
	for i, yi := range c.y {
		y := float64(yi)
		m := 1 - y*z[i]
		if yi == 0 || m <= 0 {
			r[i] = 0
			continue
		}
		if c.s == nil {
			f += m * m
			r[i] = -2 * c.weight * y * m
		} else {
			f += c.s[i] * m * m
			r[i] = -2 * c.weight * c.s[i] * y * m
		}
	}
	return c.weight * f
}

// step returns the t that minimizes f at (w, b) plus t times the direction p. It needs no product with X̂: z holds the
// scores at (w, b), v holds the scores of the direction, wp is w'p, and pp is p'p. The derivative
//
//	φ'(t) = w'p + t p'p − 2 weight Σ_{m_i > 0} y_i v_i m_i,   m_i = 1 − y_i(z_i + t v_i)
//
// is piecewise linear and rises, so bracketed Newton steps find its zero quickly. (The terms are weighted by s_i, if
// given.) If no t > 0 lowers f, ok is false.
func (c *column) step(z, v []float64, wp, pp float64) (t float64, ok bool) {
	phi := func(t float64) (first, second float64) {
		var s1, s2 float64
		for i, yi := range c.y {
			u := float64(yi) * v[i]
			if m := 1 - float64(yi)*z[i] - t*u; yi != 0 && m > 0 {
				if c.s == nil {
					s1 += u * m
					s2 += u * u
				} else {
					s1 += c.s[i] * u * m
					s2 += c.s[i] * u * u
				}
			}
		}
		return wp + t*pp - 2*c.weight*s1, pp + 2*c.weight*s2
	}
	slope, bend := phi(0)
	if !(slope < 0) || !(bend > 0) {
		return 0, false
	}
	lo, hi := 0.0, 0.0 // hi 0: unknown
	first := slope
	for range 60 {
		next := t - first/bend
		switch {
		case hi > 0 && !(next > lo && next < hi):
			next = (lo + hi) / 2
		case hi == 0 && !(next > lo):
			next = 2*lo + 1
		}
		if next == t {
			break
		}
		t = next
		if first, bend = phi(t); first <= 0 {
			lo = t
		} else {
			hi = t
		}
		if first <= -1e-8*slope && first >= 1e-8*slope {
			break
		}
	}
	return t, t > 0 && t*0 == 0
}

// Objective returns the objective of each class at the weights of a model, and its gradient, with all points weighted
// equally. It computes them in an independent pass over the points, in float32 (sparse points: float64):
//
//	f_k = ½‖w_k‖² + C/n Σ_i max(0, 1 − y_ik (w_k'x̂_i + b_k))²
//
// y_ik is 1 if point i has label k, otherwise −1, and x̂_i is point i, standardized by m.Scale. dW is K×d, db has K
// numbers.
func Objective(ctx context.Context, m *Model, X Points, y []int, C float64) (f []float64, dW *mat.Dense, db []float64, err error) {
	if m == nil || m.W == nil || m.Scale == nil {
		panic("l2svm: Objective: no model")
	}
	n, d := pointsOf("Objective", X)
	K, md := m.W.Dims()
	if md != d || len(y) != n {
		panic(fmt.Sprintf("l2svm: Objective: %d points of %d features with %d labels, the model has %d features", n, d, len(y), md))
	}
	for i, l := range y {
		if l < 0 || l >= K {
			return nil, nil, nil, fmt.Errorf("l2svm: Objective: point %d has label %d, the model has %d classes", i, l, K)
		}
	}
	if !(C > 0) || math.IsInf(C, 0) {
		return nil, nil, nil, fmt.Errorf("l2svm: Objective: C is %v, must be positive and finite", C)
	}
	a := newDesign(ctx, X, m.Scale)
	P, G := m.vectors(), make([][]float64, K)
	V, R := make([][]float64, K), make([][]float64, K)
	for k := range K {
		G[k], V[k], R[k] = make([]float64, d+1), make([]float64, n), make([]float64, n)
	}
	if err := a.times(V, P); err != nil {
		return nil, nil, nil, fmt.Errorf("l2svm: Objective: %w", err)
	}
	f, dW, db = make([]float64, K), mat.NewDense(K, d, nil), make([]float64, K)
	if err := checkFinite(&a, V); err != nil {
		return nil, nil, nil, fmt.Errorf("l2svm: Objective: %w", err)
	}
	for k := range K {
		c := oneAgainstRest(y, k, nil, C)
		w := m.W.RawRowView(k)
		f[k] = c.loss(R[k], V[k])
		for _, v := range w {
			f[k] += v * v / 2
		}
	}
	if err := a.transposedTimes(G, R); err != nil {
		return nil, nil, nil, fmt.Errorf("l2svm: Objective: %w", err)
	}
	for k := range K {
		row := dW.RawRowView(k)
		for j, w := range m.W.RawRowView(k) {
			row[j] = w + G[k][j]
		}
		db[k] = G[k][d]
	}
	return f, dW, db, nil
}

// oneAgainstRest returns the column of class k against the others, on the points i for which held[i] is false. If held
// is nil, the column uses all points.
func oneAgainstRest(y []int, k int, held []bool, C float64) *column {
	c := &column{y: make([]int8, len(y))}
	for i, l := range y {
		if held != nil && held[i] {
			continue
		}
		c.n++
		c.y[i] = -1
		if l == k {
			c.y[i] = 1
		}
	}
	c.weight = C / float64(c.n)
	return c
}
