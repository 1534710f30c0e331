package nnls

import "math"

// pivot solves the problem for c by block principal pivoting, and stores the solution in x. F is the current guess
// of the set of positive variables, and
//
//	x_F = G_FF⁻¹ c_F, x = 0 elsewhere;  z = G x − c, 0 on F
//
// In each exchange, all i with x_i < 0 leave F, and all i with z_i < 0 enter F. If the number of such i has not fallen
// for three exchanges, only the last such i is exchanged. This is Murty's rule, which cannot cycle. pivot reports
// whether it succeeded. It returns false if columns of F are dependent, if the context is done, or after 5k + 20
// exchanges.
//
// Source: J. Kim and H. Park, Fast nonnegative matrix factorization: an active-set-like method and comparisons, SIAM
// J. Sci. Comput. 33 (2011), algorithm 2, for one right-hand side.
func (s *set) pivot(c, x []float64) bool {
	k := len(c)
	unit := make([]float64, k) // √G_ii: to compare x_i and z_i with 0 in the same unit
	tol := 0.0
	for i := range k {
		s.in[i] = false
		unit[i] = math.Sqrt(s.G.Data[i*s.G.Stride+i])
		if unit[i] > 0 {
			tol = max(tol, math.Abs(c[i])/unit[i])
		}
	}
	tol *= 1e-13 * float64(k)
	bad := make([]int, 0, k)
	alpha, beta := 3, k+1
	for range 5*k + 20 {
		if !s.leastSquares(c) {
			return false
		}
		s.gradient(c, s.s)
		bad = bad[:0]
		for i := range k {
			if unit[i] == 0 {
				continue
			}
			if s.in[i] && s.s[i]*unit[i] < -tol || !s.in[i] && s.z[i]/unit[i] < -tol {
				bad = append(bad, i)
			}
		}
		switch {
		case len(bad) == 0:
			for i, v := range s.s {
				x[i] = max(v, 0) // v may be slightly negative, within the tolerance
			}
			return true
		case len(bad) < beta:
			alpha, beta = 3, len(bad)
		case alpha >= 1:
			alpha--
		default:
			bad = bad[len(bad)-1:]
		}
		for _, i := range bad {
			s.in[i] = !s.in[i]
		}
	}
	return false
}
