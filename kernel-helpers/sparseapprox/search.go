package sparseapprox

import "math"

// The search for the support is in float32: G is then half as large, and stays in
// the second-level cache. A search ends with settle, a linear solve in float64 for
// the support it found, and the gap, in float64, says if that was the right one.
// What a few searches do not finish, descend does with the sweeps in float64.

// searches is the most searches for one signal.
const searches = 30

// Constants of search, chosen as those of descend, for time alone, on digits at 6 to
// 20 % nonzeros.
const (
	firstLevel  = 0.05 // a first search ends at violations of this part of λ
	laterLevel  = 0.1  // and a later one at this part of those that are left,
	lowLevel    = 1e-5 // but not below this part of λ, which is near rounding,
	firstSweeps = 30   // or after so many sweeps: beyond, a linear
	laterSweeps = 6    // solve gets further in the same time
)

// A single is G in float32.
type single struct {
	g             []float32 // n×n
	diag, inverse []float32 // n: G_jj and 1/G_jj, not to touch a row that does not change
}

// newSingle gives nil if float32 does not reach.
func (c *Coder) newSingle() *single {
	s := &single{make([]float32, c.n*c.n), make([]float32, c.n), make([]float32, c.n)}
	for i, v := range c.g {
		if !(math.Abs(v) < 1e15) {
			return nil
		}
		s.g[i] = float32(v)
	}
	for j := range c.n {
		v := c.g[j*c.n+j]
		if v > 0 && v < 1e-15 {
			return nil
		}
		s.diag[j] = float32(v)
		s.inverse[j] = float32(1 / v) // of a zero column it is never used
	}
	return s
}

// search improves w by coordinate descent in float32,
//
//	w_j <- soft(q_j + G_jj w_j, λ)/G_jj,   q -= G_j Δw_j,
//
// until no atom violates the optimality conditions by more than level·λ, or the
// sweeps run out. All is in units of λ. q (n) is c − Gw for the w at the start,
// and S its nonzeros. A
// change costs n, but no atom's q is ever out of date, so that nothing needs to be
// packed. It is false, and w is as before, if float32 does not reach.
func (k *work) search(level float64, most int) bool {
	c, n := k.coder, k.coder.n
	scale := 1 / c.lambda
	q, w := resize32(&k.q32, n), resize32(&k.w32, n)
	for j, v := range k.q {
		v *= scale
		q[j] = float32(v)
		if !(v < 1e5 && v > -1e5) { // λ would be near the rounding errors of q
			return false
		}
	}
	clear(w)
	for _, j := range k.set {
		w[j] = float32(k.w[j] * scale)
	}
	end := min(k.iterations+most, c.opt.MaxIterations)
	for k.iterations < end {
		worst := k.outside(q)
		left := max(worst, k.inside(q, w))
		if left <= float32(level) {
			break
		}
		for _, j := range k.violators {
			if k.reach32(q[j])-1 >= entry*worst {
				k.set = append(k.set, j)
				k.in[j] = true
			}
		}
		for range sweeps {
			k.iterations++
			if k.sweep32(q, w) <= inner*left || k.iterations >= end {
				break
			}
		}
	}
	for _, j := range k.set {
		if v := float64(w[j]); v-v != 0 {
			return false
		}
	}
	for _, j := range k.set {
		k.w[j] = float64(w[j]) * c.lambda
	}
	return true
}

// sweep32 runs over the working set once and gives the largest change of a q_j.
func (k *work) sweep32(q, w []float32) (change float32) {
	s, n, nonneg := k.coder.single, k.coder.n, k.coder.nonneg
	for _, j := range k.set {
		old, v := w[j], float32(0)
		switch t := q[j] + s.diag[j]*old; {
		case t > 1:
			v = (t - 1) * s.inverse[j]
		case t < -1 && !nonneg:
			v = (t + 1) * s.inverse[j]
		}
		if d := v - old; d != 0 {
			w[j] = v
			axpy32(-d, s.g[j*n:(j+1)*n], q)
			if d *= s.diag[j]; d < 0 {
				d = -d
			}
			if d > change { // max has to think of NaN, and takes longer
				change = d
			}
		}
	}
	return change
}

// outside is the largest violation of |q_j| <= 1 outside the working set, and
// finds all violators.
func (k *work) outside(q []float32) (worst float32) {
	k.violators = k.violators[:0]
	for j, v := range q {
		if v <= 1 && v >= -1 { // nearly all
			continue
		}
		if v = k.reach32(v) - 1; v > 0 && !k.in[j] {
			k.violators = append(k.violators, j)
			worst = max(worst, v)
		}
	}
	return worst
}

// inside is the largest violation of the optimality conditions in the working set.
func (k *work) inside(q, w []float32) (worst float32) {
	for _, j := range k.set {
		v := k.reach32(q[j]) - 1
		switch {
		case w[j] > 0:
			v = q[j] - 1
		case w[j] < 0:
			v = q[j] + 1
		}
		if w[j] != 0 && v < 0 {
			v = -v
		}
		worst = max(worst, v)
	}
	return worst
}

func (k *work) reach32(q float32) float32 {
	if q < 0 && !k.coder.nonneg {
		return -q
	}
	return q
}

func resize32(s *[]float32, n int) []float32 {
	if cap(*s) < n {
		*s = make([]float32, n)
	}
	*s = (*s)[:n]
	return *s
}
