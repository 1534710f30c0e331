package sparseapprox

import (
	"math"

	"overcomplete/kernel-helpers/ended"
)

// patience is the maximum number of rounds without a smaller gap.
const patience = 30

// Constants of descend and search, tuned on images of digits with 6 to 18 % nonzeros. Other values change the time by
// up to a factor of two, and the result only within the tolerance.
const (
	sweeps  = 4   // maximum number of sweeps over S in one round
	inner   = 0.4 // sweeps end when the change is at most this fraction of the violation
	entry   = 0.8 // atoms enter S if their violation is at least this fraction of the worst
	settled = 0.3 // gaps and linear solves begin when the worst violation is at most this fraction of λ
)

// descend minimizes ½‖x − Bw‖² + λ‖w‖₁ by coordinate descent on a working set S of atoms. Before its rounds in
// float64, descend calls search, which usually finds the support in float32. One round:
//
//	1  compute the residual correlations q = c − Gw (n) of all atoms, and from them
//	   the gap; stop if it is within the tolerance
//	2  add to S the atoms that violate |q_j| <= λ nearly as much as the worst one
//	3  sweep over S with w_j <- soft(q_j + G_jj w_j, λ)/G_jj, and q_S -= G_Sj Δw_j,
//	   until a sweep changes little compared with the violation found in 2
//	4  near the end, solve a linear system for the nonzeros of w; see settle
//
// Step 3 uses only the |S|×|S| part of G, packed so that it stays in the L1 cache. This makes sweeps fast: changing
// w_j costs |S| operations instead of n.
//
// Sources: for coordinate descent with a Gram matrix, Friedman, Hastie and Tibshirani, J. Stat. Softw. 33 (2010); for
// working sets with a stopping rule based on the gap, Massias, Gramfort and Salmon, Celer, ICML 2018.
func (k *work) descend() ended.Status {
	k.sup.reset()
	clear(k.held)
	k.setWorkingSet()
	if k.coder.single != nil {
		for s := range searches {
			k.correlate()
			if s > 0 || len(k.set) > 0 {
				obj, gap := k.gap()
				if gap <= k.coder.opt.Tolerance*obj {
					return ended.Converged
				}
			}
			if k.isOver() {
				return ended.Interrupted
			}
			if k.iterations >= k.coder.opt.MaxIterations {
				return ended.IterationLimit
			}
			level, most := firstLevel, firstSweeps
			if s > 0 {
				worst := max(k.outsideViolation(), k.violation())
				level, most = min(level, max(lowLevel, laterLevel*worst/k.coder.lambda)), laterSweeps
			}
			if !k.search(level, most) {
				break
			}
			k.settle()
			k.prune()
		}
	}
	k.pack(0)
	best, since := math.Inf(1), 0
	for {
		k.correlate()
		worst := k.outsideViolation()
		// Computing the gap costs about as much as a sweep, and the gap is never small before this point.
		if worst <= settled*k.coder.lambda {
			obj, gap := k.gap()
			if gap <= k.coder.opt.Tolerance*obj {
				return ended.Converged
			}
			if since++; gap < best {
				best, since = gap, 0
			}
			if since > patience {
				return ended.NoProgress
			}
		}
		if k.isOver() {
			return ended.Interrupted
		}
		if k.iterations >= k.coder.opt.MaxIterations {
			return ended.IterationLimit
		}
		if !k.enter(worst) {
			worst = 0
		}
		k.sweep(inner * max(worst, k.violation()))
		if worst < settled*k.coder.lambda {
			k.settle()
		}
	}
}

// setWorkingSet sets S to the nonzeros of w.
func (k *work) setWorkingSet() {
	k.set = k.set[:0]
	for j, v := range k.w {
		k.in[j] = v != 0
		if k.in[j] {
			k.set = append(k.set, j)
		}
	}
}

// prune removes from S the atoms with w_j = 0.
func (k *work) prune() {
	kept := k.set[:0]
	for _, j := range k.set {
		if k.in[j] = k.w[j] != 0; k.in[j] {
			kept = append(kept, j)
		}
	}
	k.set = kept
}

// correlate sets k.q to c − Gw. It reads only the rows of G for atoms in S, because w is 0 outside S.
func (k *work) correlate() {
	copy(k.q, k.c)
	sum := rows{y: k.q}
	for _, j := range k.set {
		if k.w[j] != 0 {
			sum.add(-k.w[j], k.coder.gram(j))
		}
	}
	sum.addRest()
}

// outsideViolation returns the largest violation of the optimality conditions outside the working set.
func (k *work) outsideViolation() (worst float64) {
	for j, q := range k.q {
		if v := k.coder.reach(q) - k.coder.lambda; v > worst && !k.in[j] {
			worst = v
		}
	}
	return worst
}

// violation returns the largest violation, in the working set, of the optimality conditions: q_j = λ sign(w_j) where
// w_j is not 0, and |q_j| <= λ elsewhere.
func (k *work) violation() (worst float64) {
	lambda := k.coder.lambda
	for _, j := range k.set {
		if w := k.w[j]; w != 0 {
			worst = max(worst, math.Abs(k.q[j]-math.Copysign(lambda, w)))
		} else {
			worst = max(worst, k.coder.reach(k.q[j])-lambda)
		}
	}
	return worst
}

// enter adds atoms to the working set: all atoms outside it whose violation is at least entry·worst. Here entry is a
// constant, and worst must be the largest violation outside the working set. If worst is 0, enter adds no atom and
// returns false.
func (k *work) enter(worst float64) bool {
	if worst <= 0 {
		return false
	}
	old := len(k.set)
	for j, q := range k.q {
		if !k.in[j] && k.coder.reach(q)-k.coder.lambda >= entry*worst {
			k.set = append(k.set, j)
			k.in[j] = true
		}
	}
	k.pack(old)
	return true
}

// pack updates the |S|×|S| part of G after S has grown. old is the number of atoms that S had before.
func (k *work) pack(old int) {
	m := len(k.set)
	if m > k.stride {
		k.stride = max(64, 2*k.stride, m)
		k.a = make([]float64, k.stride*k.stride)
		old = 0
	}
	// Because G is symmetric, reading the contiguous rows of the new atoms is enough.
	for i := old; i < m; i++ {
		g := k.coder.gram(k.set[i])
		row := k.a[i*k.stride:]
		for t, j := range k.set {
			row[t] = g[j]
			k.a[t*k.stride+i] = g[j]
		}
	}
}

// sweep makes sweeps over the working set. A step that changes w_j changes the same atom's q_j by G_jj |Δw_j|. sweep
// ends when the largest such change in a sweep does not exceed the given bound. It also ends when the number of sweeps
// reaches its limit, or the context is done.
func (k *work) sweep(small float64) {
	m := len(k.set)
	lambda := k.coder.lambda
	w, q, g := resize(&k.sw, m), resize(&k.sq, m), resize(&k.sg, m)
	for i, j := range k.set {
		w[i], q[i], g[i] = k.w[j], k.q[j], 1/k.coder.gram(j)[j]
	}
	for range sweeps {
		k.iterations++
		change := 0.0
		for i := range m {
			row := k.a[i*k.stride : i*k.stride+m]
			d := k.coder.shrink(w[i]*row[i]+q[i], lambda)*g[i] - w[i]
			if d == 0 {
				continue
			}
			w[i] += d
			axpy(-d, row, q)
			change = max(change, math.Abs(d)*row[i])
		}
		if change <= small || k.iterations >= k.coder.opt.MaxIterations || k.isOver() {
			break
		}
	}
	for i, j := range k.set {
		k.w[j] = w[i]
	}
}

func resize[T float32 | float64 | uint64](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n, 2*n)
	}
	*s = (*s)[:n]
	return *s
}
