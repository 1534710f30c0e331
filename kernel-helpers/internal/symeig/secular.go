package symeig

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// A root of the secular equation is stored as its distance from the nearest pole, so
// that its distance from every pole is known to full relative accuracy.
type root struct {
	origin int
	tau    float64
}

// secular finds the roots λ_0 < λ_1 < .. of
//
//	f(λ) = 1/ρ + Σ_j z_j² / (d_j − λ),    d_i < λ_i < d_{i+1},
//
// the last one below d_k + ρ‖z‖². The poles are distinct and in ascending order,
// and no z is zero.
func secular(poles []pole, rho float64) ([]root, error) {
	k := len(poles)
	roots := make([]root, k)
	zz := 0.0
	for _, p := range poles {
		zz += p.z * p.z
	}
	delta := make([]float64, k)
	for i := range roots {
		r, ok := secularRoot(poles, i, rho, zz, delta)
		if !ok {
			return nil, fmt.Errorf("symeig: root %d of %d of the secular equation did not converge", i, k)
		}
		roots[i] = r
	}
	return roots, nil
}

// secularRoot finds root i by the 'middle way' of R.-C. Li (1993): the poles on
// the left and the poles on the right are each replaced by one pole with the same
// value and slope, and the remaining quadratic is solved. A bracket that shrinks
// at each step safeguards it.
func secularRoot(poles []pole, i int, rho, zz float64, delta []float64) (root, bool) {
	k := len(poles)
	last := i == k-1
	var width float64 // of the interval in which the root lies
	if last {
		width = rho * zz
	} else {
		width = poles[i+1].d - poles[i].d
	}
	// delta becomes d_j − λ for all poles.
	at := func(origin int, tau float64) {
		o := poles[origin].d
		for j := range poles {
			delta[j] = (poles[j].d - o) - tau
		}
	}
	split := i // poles 0..split are on the left
	if last && k > 1 {
		split = k - 2
	}
	// eval is f, the slopes of its two parts, and the size of its terms.
	eval := func() (f, dpsi, dphi, size float64) {
		var psi, phi float64
		for j := 0; j <= split; j++ {
			t := poles[j].z / delta[j]
			psi += poles[j].z * t
			dpsi += t * t
		}
		for j := split + 1; j < k; j++ {
			t := poles[j].z / delta[j]
			phi += poles[j].z * t
			dphi += t * t
		}
		return 1/rho + psi + phi, dpsi, dphi, 1/rho + math.Abs(psi) + math.Abs(phi)
	}
	// f at the middle tells which half has the root.
	at(i, width/2)
	f, dpsi, dphi, size := eval()
	r := root{i, width / 2}
	lo, hi := 0.0, width
	switch {
	case !last && f < 0: // f rises between poles: the root is on the right
		r = root{i + 1, -width / 2}
		at(i+1, r.tau)
		lo, hi = -width/2, 0
	case f < 0:
		lo = width / 2
	default:
		hi = width / 2
	}
	for range 100 {
		if math.Abs(f) <= eps*float64(k)*size {
			return r, true
		}
		if f < 0 {
			lo = max(lo, r.tau)
		} else {
			hi = min(hi, r.tau)
		}
		if hi-lo <= 2*eps*max(math.Abs(lo), math.Abs(hi)) {
			return r, true
		}
		var step float64
		switch {
		case k == 1: // 1/ρ + z²/(−τ) = 0
			step = rho*zz - r.tau
		case last:
			// Both of the last poles are on the left.
			a1, a2 := delta[k-2], delta[k-1]
			c := math.Abs(f - a1*dpsi - a2*dphi)
			a := (a1+a2)*f - a1*a2*(dpsi+dphi)
			b := a1 * a2 * f
			step = quadratic(c, a, b, false)
		default:
			a1, a2 := delta[i], delta[i+1]
			c := f - a1*dpsi - a2*dphi
			a := (a1+a2)*f - a1*a2*(dpsi+dphi)
			b := a1 * a2 * f
			step = quadratic(c, a, b, true)
		}
		tau := r.tau + step
		if f*step > 0 || !(tau > lo && tau < hi) { // uphill, outside or NaN
			tau = lo + (hi-lo)/2
			if lo > 0 && hi > 4*lo {
				tau = math.Sqrt(lo) * math.Sqrt(hi) // the root may be many powers of ten below the middle
			} else if hi < 0 && lo < 4*hi {
				tau = -math.Sqrt(-lo) * math.Sqrt(-hi)
			}
		}
		if tau == r.tau {
			return r, true
		}
		r.tau = tau
		at(r.origin, tau)
		f, dpsi, dphi, size = eval()
	}
	return r, false
}

// quadratic returns the root of cη² − aη + b = 0 that the interpolation needs: the
// root between the two poles, or the root to the right of both.
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

// updateVectors returns the eigenvectors of D + ρ z zᵀ as columns (k×k). z is
// recomputed as the vector for which the roots found are exact (Löwner's
// formula), which makes the vectors orthogonal however close the roots are (Gu
// and Eisenstat 1995).
func updateVectors(poles []pole, roots []root, rho float64) blas64.General {
	k := len(poles)
	U := general(k, k)
	// diff is d_j − λ_i.
	diff := func(j, i int) float64 {
		return (poles[j].d - poles[roots[i].origin].d) - roots[i].tau
	}
	for i := range k {
		for j := range k {
			U.Data[j*k+i] = diff(j, i)
		}
	}
	z := make([]float64, k)
	for j := range k {
		// ẑ_j² ρ = Π_i (λ_i − d_j) / Π_{i≠j} (d_i − d_j)
		p := -U.Data[j*k+j]
		for i := range k {
			if i != j {
				p *= U.Data[j*k+i] / (poles[j].d - poles[i].d)
			}
		}
		z[j] = math.Copysign(math.Sqrt(math.Abs(p/rho)), poles[j].z)
	}
	norm := make([]float64, k)
	for j := range k {
		for i := range k {
			v := z[j] / U.Data[j*k+i]
			U.Data[j*k+i] = v
			norm[i] += v * v
		}
	}
	for i, s := range norm {
		norm[i] = 1 / math.Sqrt(s)
	}
	for j := range k {
		r := U.Data[j*k : (j+1)*k]
		for i := range r {
			r[i] *= norm[i]
		}
	}
	return U
}
