// Package lbfgs approximates the inverse Hessian from the last steps of a descent. This is the part of L-BFGS that does
// not depend on how steps are found (J. Nocedal and S. Wright, Numerical Optimization, 2nd ed., section 7.2). The
// caller provides the line search and the stopping rule.
package lbfgs

import "gonum.org/v1/gonum/floats"

// A Memory holds pairs of a step s = x_{k+1} − x_k and the change y = g_{k+1} − g_k of the gradient.
type Memory struct {
	most  int
	inner func(a, b []float64) float64
	s, y  [][]float64 // the oldest pair first
	rho   []float64   // 1/⟨s, y⟩
	alpha []float64   // scratch of Direction
	spare [][]float64 // for Vector
}

// New returns a memory for at most the given number of pairs. The function inner computes the inner product
// that defines the gradients; if inner is nil, the inner product of a and b is a'b.
func New(most int, inner func(a, b []float64) float64) *Memory {
	if inner == nil {
		inner = floats.Dot
	}
	return &Memory{most: most, inner: inner, alpha: make([]float64, most)}
}

// Len returns the number of pairs.
func (m *Memory) Len() int { return len(m.s) }

// Vector returns a slice of n numbers, which is not cleared. If possible, it reuses a slice of a dropped pair.
func (m *Memory) Vector(n int) []float64 {
	if k := len(m.spare) - 1; k >= 0 {
		v := m.spare[k]
		m.spare = m.spare[:k]
		return v
	}
	return make([]float64, n)
}

// Keep adds the pair s, y if ⟨s, y⟩ is positive and the ratio ⟨s, y⟩/⟨y, y⟩ is above the given bound. It reports
// whether it added the pair. If the memory then has too many pairs, Keep drops the oldest. The memory owns both vectors
// afterwards, even if the pair was not added. Because ⟨s, y⟩ > 0 for every pair, the matrix H of Direction is positive
// definite.
func (m *Memory) Keep(s, y []float64, least float64) bool {
	sy := m.inner(s, y)
	if !(sy > 0) || least > 0 && !(sy > least*m.inner(y, y)) {
		m.Reuse(s, y)
		return false
	}
	m.s, m.y, m.rho = append(m.s, s), append(m.y, y), append(m.rho, 1/sy)
	if len(m.s) > m.most {
		m.Drop()
	}
	return true
}

// Drop drops the oldest pair.
func (m *Memory) Drop() {
	m.Reuse(m.s[0], m.y[0])
	m.s, m.y, m.rho = m.s[1:], m.y[1:], m.rho[1:]
}

// Reset drops all pairs, so that the matrix H of Direction is the identity.
func (m *Memory) Reset() {
	m.Reuse(m.s...)
	m.Reuse(m.y...)
	m.s, m.y, m.rho = nil, nil, nil
}

// Reuse adds vectors of equal length to the spare vectors that Vector returns.
func (m *Memory) Reuse(list ...[]float64) { m.spare = append(m.spare, list...) }

// Direction stores −Hg in p, where H approximates the inverse Hessian. It uses the two-loop recursion (algorithm 7.4).
// H starts as γI, where γ = ⟨s, y⟩/⟨y, y⟩ for the newest pair (7.20), or 1 if there are no pairs. Each pair, from the
// oldest to the newest, then updates H as in BFGS, with ρ = 1/⟨s, y⟩:
//
//	H <- (I − ρ s y')H(I − ρ y s') + ρ s s'
func (m *Memory) Direction(p, g []float64) {
	floats.ScaleTo(p, -1, g)
	for k := len(m.s) - 1; k >= 0; k-- {
		m.alpha[k] = m.rho[k] * m.inner(m.s[k], p)
		floats.AddScaled(p, -m.alpha[k], m.y[k])
	}
	if k := len(m.s) - 1; k >= 0 {
		floats.Scale(1/(m.rho[k]*m.inner(m.y[k], m.y[k])), p)
	}
	for k := range m.s {
		floats.AddScaled(p, m.alpha[k]-m.rho[k]*m.inner(m.y[k], p), m.s[k])
	}
}
