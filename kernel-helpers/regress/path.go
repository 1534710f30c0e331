package regress

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// slowSweeps is the number of sweeps for one α after which the method follow is called. Descent is slow if columns
// depend on each other exactly or nearly, for example if there are more features than points and α is small.
const slowSweeps = 1000

// mostFollowed is the number of nonzeros of w at which a call to follow gives up. With more, it would need too much
// memory and time.
const mostFollowed = 2000

// follow traces the solution w(λ) from the smallest λ with w = 0 down to alpha, where λ is the weight of ‖w‖₁. mu, the
// weight of ½‖w‖², stays the same. The solution is linear in λ as long as no coefficient becomes 0 or nonzero (M.
// Osborne, B. Presnell, B. Turlach, A new approach to variable selection in least squares problems, IMA J. Numerical
// Analysis 20 (2000)). follow returns the number of such linear steps, which the argument most limits. A step costs
// about as much as a sweep. If the steps do not suffice, follow leaves w unchanged. It also does so if, because of
// rounding, the objective F is not lower at the end.
func (s *descent) follow(ctx context.Context, alpha, mu float64, most int) (steps int) {
	before := s.value(s.all, alpha, mu)
	old := slices.Clone(s.w)
	clear(s.w)
	d := len(s.w)
	c := make([]float64, d)    // X̃'r/n
	sign := make([]float64, d) // the sign of w_j, or 0 if w_j is 0
	var active []int           // the nonzeros
	var R triangle             // R'R = X̃'X̃/n + μI, for the active columns
	dependent := make([]bool, d)
	lambda, enters := 0.0, -1
	for ; steps < most && len(active) < mostFollowed && ctx.Err() == nil; steps++ {
		if steps%64 == 0 { // removes the rounding of the updates
			s.restart()
			for j := range c {
				c[j] = s.X.dot(j, s.r) / s.n
			}
		}
		if steps == 0 {
			for j, v := range c {
				if math.Abs(v) > lambda {
					lambda, enters = math.Abs(v), j
				}
			}
		}
		if lambda <= alpha {
			break
		}
		if enters >= 0 {
			h, column := make([]float64, len(active)), s.combination([]int{enters}, []float64{1})
			for k, i := range active {
				h[k] = s.X.dot(i, column) / s.n
			}
			if R.push(h, s.X.square[enters]/s.n+mu) {
				active = append(active, enters)
				sign[enters] = math.Copysign(1, c[enters])
			} else {
				dependent[enters] = true // |c_j| stays equal to λ
			}
		}
		// If λ falls by t, w moves by t v, r by −t X̃v and c by −t a.
		v := make([]float64, len(active))
		for k, j := range active {
			v[k] = sign[j]
		}
		v = R.solve(v)
		move := s.combination(active, v)
		t, leaves := lambda-alpha, -1
		for k, j := range active {
			// A coefficient that has just entered is 0. It leaves again if it would get the wrong sign.
			if u := -s.w[j] / v[k]; v[k]*sign[j] < 0 && u < t {
				t, leaves = u, k
			}
		}
		a := make([]float64, d)
		next := -1
		for j := range a {
			a[j] = s.X.dot(j, move) / s.n
			if sign[j] != 0 || dependent[j] || s.X.square[j] == 0 {
				continue
			}
			for _, side := range []float64{1, -1} { // λ − t = ±(c_j − t a_j)
				if slope := 1 - side*a[j]; slope > 1e-9 {
					if u := math.Max(0, (lambda-side*c[j])/slope); u < t {
						t, leaves, next = u, -1, j
					}
				}
			}
		}
		lambda -= t
		for k, j := range active {
			s.w[j] += t * v[k]
		}
		floats.AddScaled(s.r.base, -t, move.base)
		s.r.shift -= t * move.shift
		floats.AddScaled(c, -t, a)
		if enters = next; leaves >= 0 {
			j := active[leaves]
			s.w[j], sign[j] = 0, 0
			c[j] = math.Copysign(math.Min(math.Abs(c[j]), lambda*(1-1e-9)), c[j]) // so that it does not enter again
			active = slices.Delete(active, leaves, leaves+1)
			R.remove(leaves)
			clear(dependent)
		}
	}
	for range 2 { // solve once more for w at the last λ, without the rounding errors of earlier steps
		s.restart()
		g := make([]float64, len(active))
		for k, j := range active {
			g[k] = s.X.dot(j, s.r)/s.n - mu*s.w[j] - alpha*sign[j]
		}
		for k, v := range R.solve(g) {
			if j := active[k]; (s.w[j]+v)*sign[j] > 0 {
				s.w[j] += v
			}
		}
	}
	s.restart()
	if after := s.value(s.all, alpha, mu); lambda > alpha || !(after < before) {
		copy(s.w, old)
		s.restart()
	}
	return steps
}

// restart computes the residual ỹ − X̃w from scratch, which removes the rounding errors of earlier updates.
func (s *descent) restart() {
	s.r.base, s.r.shift = append(s.r.base[:0], s.y...), 0
	for j, w := range s.w {
		if w != 0 {
			s.X.add(j, -w, s.r)
		}
	}
	s.X.settle(s.r)
}

// combination returns, as a residual, the sum over k of v[k] times the centered column j[k].
func (s *descent) combination(j []int, v []float64) *residual {
	sum := &residual{base: make([]float64, len(s.y))}
	for k, j := range j {
		s.X.add(j, v[k], sum)
	}
	return sum
}

// A triangle is an upper triangular matrix R, stored by columns. Column k has k+1 elements.
type triangle [][]float64

// half returns the z with R'z = h.
func (R triangle) half(h []float64) []float64 {
	z := slices.Clone(h)
	for k, c := range R {
		z[k] = (z[k] - floats.Dot(c[:k], z[:k])) / c[k]
	}
	return z
}

// solve returns the p with R'Rp = g.
func (R triangle) solve(g []float64) []float64 {
	z := R.half(g)
	for k := len(R) - 1; k >= 0; k-- {
		z[k] /= R[k][k]
		floats.AddScaled(z[:k], -z[k], R[k][:k])
	}
	return z
}

// push extends R so that R'R has one more row and column. The new column of R'R consists of h, followed by the given
// diagonal element. If this column depends on the others up to rounding, push returns false and leaves R unchanged.
func (R *triangle) push(h []float64, diagonal float64) bool {
	z := R.half(h)
	rest := diagonal - floats.Dot(z, z)
	if !(rest > 1e-12*diagonal) {
		return false
	}
	*R = append(*R, append(z, math.Sqrt(rest)))
	return true
}

// remove changes R so that row k and column k disappear from R'R.
func (R *triangle) remove(k int) {
	*R = slices.Delete(*R, k, k+1)
	for c := k; c < len(*R); c++ {
		// Column c has one element too many, below its diagonal. A rotation of rows c and c+1 removes it.
		col := (*R)[c]
		x, y := col[c], col[c+1]
		r := math.Hypot(x, y)
		(*R)[c] = append(col[:c], r)
		for _, later := range (*R)[c+1:] {
			later[c], later[c+1] = (x*later[c]+y*later[c+1])/r, (x*later[c+1]-y*later[c])/r
		}
	}
}
