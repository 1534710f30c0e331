package sparseapprox

import (
	"math"
	"math/bits"

	"overcomplete/internal/finite"
)

// The search for the support is in float32. Then G is half as large and stays in the L2 cache. The time of a sweep over
// the few atoms of S (block32) is mostly the latency of additions that depend on each other. A search ends with settle,
// a linear solve in float64 for the support that was found. The gap, also in float64, shows whether that support is
// right. If a few searches do not finish a signal, it is left to descend, whose sweeps are in float64.

// searches is the maximum number of searches for one signal.
const searches = 30

// Constants of search, tuned for time like those of descend, on images of digits with 6 to 20 % nonzeros.
const (
	firstLevel  = 0.01 // a first search ends when violations are at most this fraction of λ
	laterLevel  = 0.1  // a later search ends at this fraction of the remaining violations,
	lowLevel    = 1e-5 // but not below this fraction of λ, which is near rounding
	firstSweeps = 100  // a first search ends after this many sweeps
	laterSweeps = 6    // a later search ends after this many sweeps: a linear solve then gets further in the same time
)

// A gram32 is G in float32.
type gram32 struct {
	g             []float32 // n×n
	diag, inverse []float32 // n: G_jj and 1/G_jj, stored separately so that rows of unchanged atoms are not read
	atoms         []float32 // Bᵀ (n×D), for Features
}

// newGram32 returns G in float32, or nil if its numbers are out of float32's range.
func (c *Coder) newGram32() *gram32 {
	s := &gram32{make([]float32, c.n*c.n), make([]float32, c.n), make([]float32, c.n), make([]float32, 0, c.n*c.d)}
	for j := range c.n {
		// The product of two atoms is at most the product of the longer atom with itself.
		v := c.g[j*c.n+j]
		if !(v < 1e15) || v > 0 && v < 1e-15 {
			return nil
		}
		s.diag[j] = float32(v)
		s.inverse[j] = float32(1 / v) // not used for zero columns
	}
	for i, v := range c.g {
		s.g[i] = float32(v)
	}
	for j := range c.n {
		for _, v := range c.atoms.RawRowView(j) {
			s.atoms = append(s.atoms, float32(v))
		}
	}
	return s
}

// search improves w by coordinate descent in float32 on a growing working set S,
//
//	w_j <- soft(q_j + G_jj w_j, λ)/G_jj,   q_S -= G_Sj Δw_j,
//
// until no atom violates the optimality conditions by more than level·λ, or the number of sweeps reaches most. At the
// start k.q must be c − Gw, and S must hold the nonzeros of w. During the search, q and w are in units of λ, and
// between rounds of sweeps q is updated for all atoms. If float32 is not precise enough, search returns false and
// leaves k.w unchanged.
func (k *work) search(level float64, most int) bool {
	c, n := k.coder, k.coder.n
	scale := 1 / c.lambda
	q, w := resize(&k.q32, n), resize(&k.w32, n)
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
	return k.hunt(level, entry, most)
}

// hunt is the main part of search; its arguments level and limit are the arguments level and most of search. The caller
// must have set the fields q32 and w32. join is a fraction: an atom enters S if its violation is at least this fraction
// of the largest violation outside S.
func (k *work) hunt(level float64, join float32, limit int) bool {
	c, n, q, w := k.coder, k.coder.n, k.q32, k.w32
	low, opposite := float32(-1), float32(-1) // the condition |q_j| <= 1, adapted for w >= 0
	if c.nonneg {
		low, opposite = float32(math.Inf(-1)), 1
	}
	bound, never := resize(&k.bound, n), float32(math.Inf(1)) // bound is never for atoms in S, so that they do not enter again
	for j := range bound {
		bound[j] = 1
	}
	for _, j := range k.set {
		bound[j] = never
	}
	inside := k.insideViolation(q, w)
	b := &k.block
	b.m = 0
	end := min(k.iterations+limit, c.opt.MaxIterations)
	for k.iterations < end && !k.isOver() {
		worst := excess(q, bound, opposite)
		left := max(worst, inside)
		if left <= float32(level) {
			break
		}
		if worst > 0 {
			found := resize(&k.found, (n+63)/64)
			above(q, bound, opposite, join*worst, found)
			for i, word := range found {
				for ; word != 0; word &= word - 1 {
					j := 64*i + bits.TrailingZeros64(word)
					k.set = append(k.set, j)
					k.in[j], bound[j] = true, never
				}
			}
		}
		b.load(c.single, n, k.set, q, w)
		for range sweeps {
			k.iterations++
			// The violations that remain in S are about as large as the changes of the last sweep.
			if inside = b.run(low); inside <= inner*left || k.iterations >= end {
				break
			}
		}
		k.unload(q, w)
	}
	for _, j := range k.set {
		if !finite.Is(w[j]) {
			return false
		}
	}
	for _, j := range k.set {
		k.w[j] = float64(w[j]) * c.lambda
	}
	return true
}

// unload copies the block's coefficients to the argument w, and subtracts G Δw from q (n).
func (k *work) unload(q, w []float32) {
	g, n := k.coder.single.g, k.coder.n
	var f [4]float32
	var a [4][]float32
	m := 0
	for i, j := range k.set {
		v := k.block.w[i]
		if v == w[j] {
			continue
		}
		f[m], a[m] = w[j]-v, g[j*n:(j+1)*n]
		w[j] = v
		if m++; m == 4 {
			axpy4x32(&f, a[0], a[1], a[2], a[3], q)
			m = 0
		}
	}
	for i := range m {
		axpy32(f[i], a[i], q)
	}
}

// insideViolation returns the largest violation of the optimality conditions in the working set.
func (k *work) insideViolation(q, w []float32) (worst float32) {
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

// A block32 holds the data of coordinate descent for m atoms, in float32 and in units of λ. Rows and vectors are padded
// to a length of stride, which exceeds m and is a multiple of 16. The padding is finite but meaningless.
type block32 struct {
	m, stride  int
	a          []float32 // G for these atoms, m rows
	w, q       []float32
	g, inverse []float32 // G_jj and 1/G_jj
}

// load fills b with the given atoms. The first b.m of them must be those that b already holds. q and w have one element
// for each of the n atoms of the Coder.
func (b *block32) load(s *gram32, n int, atoms []int, q, w []float32) {
	m := len(atoms)
	if m >= b.stride {
		b.stride = max(64, 2*b.stride, (m+16)&^15)
		b.a = make([]float32, b.stride*b.stride)
		v := make([]float32, 4*b.stride)
		for _, part := range []*[]float32{&b.w, &b.q, &b.g, &b.inverse} {
			*part, v = v[:b.stride:b.stride], v[b.stride:]
		}
		b.m = 0
	}
	for i := b.m; i < m; i++ {
		// Because G is symmetric, reading the contiguous rows of the new atoms is enough.
		g, row := s.g[atoms[i]*n:(atoms[i]+1)*n], b.a[i*b.stride:(i+1)*b.stride]
		for t, j := range atoms[:i+1] {
			row[t] = g[j]
			b.a[t*b.stride+i] = g[j]
		}
		b.g[i], b.inverse[i] = s.diag[atoms[i]], s.inverse[atoms[i]]
	}
	b.m = m
	for i, j := range atoms {
		b.w[i], b.q[i] = w[j], q[j]
	}
}

// sweepPortable goes through the atoms once and computes, for each atom i,
//
//	v = (t − clamp(t, low, 1))/g_i with t = q_i + g_i w_i,  q -= a_i (v − w_i),  w_i <- v
//
// It returns the largest change of a q_i that was caused by the change of its own w_i. low is −1, or −∞ if the prior
// demands w >= 0.
func (b *block32) sweepPortable(low float32) (change float32) {
	for i := range b.m {
		old := b.w[i]
		t := b.q[i] + b.g[i]*old
		v := (t - min(max(t, low), 1)) * b.inverse[i]
		b.w[i] = v
		if d := old - v; d != 0 {
			axpy32(d, b.a[i*b.stride:i*b.stride+b.m], b.q[:b.m])
			if d *= b.g[i]; d < 0 {
				d = -d
			}
			if d > change { // faster than max, which has to check for NaN
				change = d
			}
		}
	}
	return change
}
