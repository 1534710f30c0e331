package symeig

import (
	"fmt"
	"math"
	"sync/atomic"

	"overcomplete/kernel-helpers/internal/parallel"
)

// A root of the secular equation is stored as its distance from the nearest pole, so its distance from every
// pole has full relative accuracy.
type root struct {
	origin int
	tau    float64
}

// A secular equation is
//
//	f(λ) = 1/ρ + Σ_j z_j² / (d_j − λ) = 0,    d_i < λ_i < d_{i+1},
//
// where the last root is below d_k + ρ‖z‖². The poles d are distinct and in ascending order, and no z is
// zero.
type secular struct {
	poles []pole
	d, z  []float64 // of the poles, one after the other
	rho   float64
	roots []root
}

func newSecular(poles []pole, rho float64) *secular {
	k := len(poles)
	s := &secular{poles, make([]float64, k), make([]float64, k), rho, make([]root, k)}
	for i, p := range poles {
		s.d[i], s.z[i] = p.d, p.z
	}
	return s
}

// value returns the root λ_i.
func (s *secular) value(i int) float64 { return s.d[s.roots[i].origin] + s.roots[i].tau }

// solve finds the roots λ_0 < λ_1 < ...
func (s *secular) solve() error {
	zz := 0.0
	for _, z := range s.z {
		zz += z * z
	}
	var failed atomic.Bool
	inChunks(len(s.roots), func(from, to int) {
		for i := from; i < to; i++ {
			r, ok := s.root(i, zz)
			if !ok {
				failed.Store(true)
			}
			s.roots[i] = r
		}
	})
	if failed.Load() {
		return fmt.Errorf("symeig: a root of a secular equation of %d terms did not converge", len(s.roots))
	}
	return nil
}

// inChunks divides [0, n) into chunks large enough for a goroutine, given that each index takes n steps, and
// calls the function do for each chunk.
func inChunks(n int, do func(from, to int)) {
	const steps = 1 << 14
	chunks := max(1, min(n, n*n/steps))
	parallel.Do(chunks, 0, func(c int) { do(c*n/chunks, (c+1)*n/chunks) })
}

// A point is a point of the curve f.
type point struct {
	f          float64
	dpsi, dphi float64 // slopes of its parts: over the poles up to a split, and after it
	size       float64 // size of the terms of f
}

// pointAt returns the point at d_origin + tau. The poles 0..split are on the left.
func (s *secular) pointAt(origin int, tau float64, split int) point {
	var psi, phi float64
	var p point
	o := s.d[origin]
	sum := func(d, z []float64) (f, slope float64) {
		for j, x := range z {
			t := x / ((d[j] - o) - tau)
			f += x * t
			slope += t * t
		}
		return f, slope
	}
	psi, p.dpsi = sum(s.d[:split+1], s.z[:split+1])
	phi, p.dphi = sum(s.d[split+1:], s.z[split+1:])
	p.f, p.size = 1/s.rho+psi+phi, 1/s.rho+math.Abs(psi)+math.Abs(phi)
	return p
}

// root finds root i by the 'middle way' of R.-C. Li (1993): the poles on
// the left and the poles on the right are each replaced by one pole with the same
// value and slope, and the remaining quadratic is solved. A bracket that shrinks
// at each step safeguards it.
func (s *secular) root(i int, zz float64) (root, bool) {
	k := len(s.d)
	last := i == k-1
	var width float64 // width of the interval with the root
	if last {
		width = s.rho * zz
	} else {
		width = s.d[i+1] - s.d[i]
	}
	split := i
	if last && k > 1 {
		split = k - 2
	}
	// The sign of f at the middle tells which half has the root.
	p := s.pointAt(i, width/2, split)
	r := root{i, width / 2}
	lo, hi := 0.0, width
	switch {
	case !last && p.f < 0: // f rises between poles: the root is on the right
		r = root{i + 1, -width / 2}
		p = s.pointAt(i+1, r.tau, split)
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
		p = s.pointAt(r.origin, tau, split)
	}
	return r, false
}

// step returns the distance from r to root i as the interpolation estimates it, given the point p at r.
func (s *secular) step(i int, r root, p point, zz float64) float64 {
	k := len(s.d)
	if k == 1 { // 1/ρ + z²/(−τ) = 0
		return s.rho*zz - r.tau
	}
	// The poles on both sides of the root, or for the last root the last two poles.
	left, last := i, i == k-1
	if last {
		left = k - 2
	}
	a1, a2 := s.poleDistance(left, r), s.poleDistance(left+1, r)
	a := (a1+a2)*p.f - a1*a2*(p.dpsi+p.dphi)
	b := a1 * a2 * p.f
	c := p.f - a1*p.dpsi - a2*p.dphi
	if last {
		c = math.Abs(c)
	}
	return quadratic(c, a, b, !last)
}

// poleDistance returns d_j − λ for the root λ.
func (s *secular) poleDistance(j int, r root) float64 { return (s.d[j] - s.d[r.origin]) - r.tau }

// quadratic returns the root of cη² − aη + b = 0 for the interpolation: the root between the two poles, or
// the root to the right of both poles.
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
