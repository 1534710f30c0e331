// Package secular solves the secular equations of divide and conquer methods: for the eigenvalues of symmetric
// tridiagonal matrices (package symeig), and for the singular values of bidiagonal matrices (package lapack).
package secular

import (
	"fmt"
	"math"
	"sync/atomic"

	"overcomplete/kernel-helpers/internal/parallel"
)

// eps is half the distance from 1 to the next larger number: the relative error of one rounding.
const eps = 1.0 / (1 << 53)

// An Equation holds the secular equation
//
//	f(λ) = 1/ρ + Σ_j z_j² / (d_j − λ) = 0
//
// and, after Solve, its roots λ_i. D holds the poles d_j, which must be distinct and in ascending order; Z holds the
// z_j, none of which may be 0; Rho is ρ > 0. There is one root between neighboring poles, d_i < λ_i < d_{i+1}, and the
// last root is between the last pole d and d + ρ‖z‖². The roots are the eigenvalues of diag(d) + ρzzᵀ.
//
// If Squares is set, D holds d_j >= 0, the poles are d_j², and the roots are written σ_i². For ρ = 1 and d_0 = 0, the
// σ_i are the singular values of the matrix diag(d) with its first row replaced by z.
type Equation struct {
	D, Z    []float64
	Rho     float64
	Squares bool
	roots   []root
}

// A root is stored as tau, its distance from a nearby pole, and origin, the index of this pole. So the root's distance
// from every pole has full relative accuracy.
type root struct {
	origin int
	tau    float64
}

// between returns pole j minus pole i.
func (s *Equation) between(j, i int) float64 {
	if s.Squares {
		return (s.D[j] - s.D[i]) * (s.D[j] + s.D[i])
	}
	return s.D[j] - s.D[i]
}

// Root returns the root λ_i or, if Squares is set, σ_i. Call Solve first.
func (s *Equation) Root(i int) float64 {
	d, tau := s.D[s.roots[i].origin], s.roots[i].tau
	if s.Squares { // √(d² + τ) without cancellation
		return d + tau/(d+math.Sqrt(max(0, d*d+tau)))
	}
	return d + tau
}

// Distance returns d_j − λ_i or, if Squares is set, d_j² − σ_i². Call Solve first.
func (s *Equation) Distance(j, i int) float64 { return s.distance(j, s.roots[i]) }

func (s *Equation) distance(j int, r root) float64 { return s.between(j, r.origin) - r.tau }

// Solve finds the roots λ_0 < λ_1 < ... It returns an error if the iteration for a root does not converge.
func (s *Equation) Solve() error {
	zz := 0.0
	for _, z := range s.Z {
		zz += z * z
	}
	s.roots = make([]root, len(s.D))
	var failed atomic.Bool
	InChunks(len(s.D), func(from, to int) {
		shifted := make([]float64, len(s.D))
		for i := from; i < to; i++ {
			r, ok := s.root(i, zz, shifted)
			if !ok {
				failed.Store(true)
			}
			s.roots[i] = r
		}
	})
	if failed.Load() {
		return fmt.Errorf("a root of a secular equation of %d terms did not converge", len(s.D))
	}
	return nil
}

// InChunks divides [0, n) into chunks [from, to) and calls do(from, to) for each chunk, in parallel. Each chunk has
// enough work to be worth a goroutine, assuming that each index takes n steps.
func InChunks(n int, do func(from, to int)) {
	const steps = 1 << 14
	chunks := max(1, min(n, n*n/steps))
	parallel.Do(chunks, 0, func(c int) { do(c*n/chunks, (c+1)*n/chunks) })
}

// A point holds f(λ) and related values for one λ.
type point struct {
	f          float64
	dpsi, dphi float64 // slopes of f's two parts: the sum over the poles up to split, and the sum over the poles after it
	size       float64 // 1/ρ plus the absolute values of f's two parts
}

// pointAt evaluates f at distance tau from one of the poles, the origin. shifted holds the distances of all poles from
// the origin. The poles 0..split belong to the first of f's two parts.
func (s *Equation) pointAt(shifted []float64, tau float64, split int) point {
	var psi, phi float64
	var p point
	sum := func(d, z []float64) (f, slope float64) {
		d = d[:len(z)]
		for j, x := range z {
			t := x / (d[j] - tau)
			f += x * t
			slope += t * t
		}
		return f, slope
	}
	psi, p.dpsi = sum(shifted[:split+1], s.Z[:split+1])
	phi, p.dphi = sum(shifted[split+1:], s.Z[split+1:])
	p.f, p.size = 1/s.Rho+psi+phi, 1/s.Rho+math.Abs(psi)+math.Abs(phi)
	return p
}

// root finds root i by the 'middle way' of R.-C. Li (1993). Each step replaces f's terms for the poles on the left by
// one term with the same value and slope, does the same for the poles on the right, and solves the quadratic equation
// that results. A bracket that shrinks at each step keeps the iteration safe. zz is ‖z‖², and shifted is workspace.
// root returns false if the iteration does not converge.
func (s *Equation) root(i int, zz float64, shifted []float64) (root, bool) {
	k := len(s.D)
	last := i == k-1
	var width float64 // width of the interval that contains the root
	if last {
		width = s.Rho * zz
	} else {
		width = s.between(i+1, i)
	}
	split := i
	if last && k > 1 {
		split = k - 2
	}
	shift := func(origin int) {
		for j := range shifted {
			shifted[j] = s.between(j, origin)
		}
	}
	// The sign of f at the middle tells which half contains the root.
	shift(i)
	p := s.pointAt(shifted, width/2, split)
	r := root{i, width / 2}
	lo, hi := 0.0, width
	switch {
	case !last && p.f < 0: // f rises between poles: the root is on the right
		r = root{i + 1, -width / 2}
		shift(i + 1)
		p = s.pointAt(shifted, r.tau, split)
		lo, hi = -width/2, 0
	case p.f < 0:
		lo = width / 2
	default:
		hi = width / 2
	}
	for range 100 {
		if math.Abs(p.f) <= eps*float64(k)*p.size {
			return r, true
		}
		if p.f < 0 {
			lo = max(lo, r.tau)
		} else {
			hi = min(hi, r.tau)
		}
		if hi-lo <= 2*eps*max(math.Abs(lo), math.Abs(hi)) {
			return r, true
		}
		step := s.step(i, r, p, zz)
		tau := r.tau + step
		if p.f*step > 0 || !(tau > lo && tau < hi) { // uphill, outside or NaN
			tau = lo + (hi-lo)/2
			if lo > 0 && hi > 4*lo {
				tau = math.Sqrt(lo) * math.Sqrt(hi) // the root may be many orders of magnitude below the middle
			} else if hi < 0 && lo < 4*hi {
				tau = -math.Sqrt(-lo) * math.Sqrt(-hi)
			}
		}
		if tau == r.tau {
			return r, true
		}
		r.tau = tau
		p = s.pointAt(shifted, tau, split)
	}
	return r, false
}

// step returns an estimate, by interpolation, of the distance from r to root i. p is the point at r, and zz is ‖z‖².
func (s *Equation) step(i int, r root, p point, zz float64) float64 {
	k := len(s.D)
	if k == 1 { // 1/ρ + z²/(−τ) = 0
		return s.Rho*zz - r.tau
	}
	// Use the poles on both sides of the root or, for the last root, the last two poles.
	left, last := i, i == k-1
	if last {
		left = k - 2
	}
	a1, a2 := s.distance(left, r), s.distance(left+1, r)
	a := (a1+a2)*p.f - a1*a2*(p.dpsi+p.dphi)
	b := a1 * a2 * p.f
	c := p.f - a1*p.dpsi - a2*p.dphi
	if last {
		c = math.Abs(c)
	}
	return quadratic(c, a, b, !last)
}

// quadratic returns the root η of cη² − aη + b = 0 that the interpolation in step needs: if the argument between is
// true, the root between the two poles of the interpolation; otherwise, the root to the right of both poles.
func quadratic(c, a, b float64, between bool) float64 {
	q := math.Sqrt(math.Abs(a*a - 4*b*c))
	if between {
		if a <= 0 {
			return (a - q) / (2 * c)
		}
		return 2 * b / (a + q)
	}
	if a >= 0 {
		return (a + q) / (2 * c)
	}
	return 2 * b / (a - q)
}

// Exact returns the vector ẑ, with the signs of z, for which the computed roots are exact (Löwner's formula):
//
//	ẑ_j² ρ = Π_i (λ_i − d_j) / Π_{i≠j} (d_i − d_j)
//
// Vectors made from ẑ are orthogonal even if roots are very close (Gu and Eisenstat 1995).
func (s *Equation) Exact() []float64 {
	k := len(s.D)
	z := make([]float64, k)
	InChunks(k, func(from, to int) {
		for j := from; j < to; j++ {
			p := -s.distance(j, s.roots[j])
			for i, r := range s.roots {
				if i != j {
					p *= s.distance(j, r) / s.between(j, i)
				}
			}
			z[j] = math.Copysign(math.Sqrt(math.Abs(p/s.Rho)), s.Z[j])
		}
	})
	return z
}
