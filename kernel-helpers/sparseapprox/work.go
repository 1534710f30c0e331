package sparseapprox

import (
	"context"
	"math"

	"overcomplete/kernel-helpers/ended"
)

// A work holds one signal's problem in terms of G. With c = Bᵀx and q = c − Gw,
//
//	½‖x − Bw‖² = ½(x'x − w'c − w'q),
//
// so solvers need neither B nor x. The same work is used for many signals, one after another.
type work struct {
	coder      *Coder
	ctx        context.Context
	c          []float64 // Bᵀx (n)
	xx         float64   // x'x
	w          []float64 // n, the result
	q          []float64 // n
	iterations int

	sup support // the nonzeros

	// descend
	set        []int // the working set S
	in         []bool
	held       []bool    // the atoms in sup
	a          []float64 // G_SS, row i begins at a[i*stride]
	stride     int
	sw, sq, sg []float64 // w, q and 1/G_jj on S

	q32, w32 []float32 // search: q and w in units of λ (n)
	bound    []float32 // search: 1 for each atom, or +Inf if it is in S (n)
	found    []uint64  // bit set of the atoms that enter S
	block    block32
	batch    batch32 // features

	// fista, lars, lp: scratch
	v1, v2, v3 []float64 // n
}

func (c *Coder) acquire(ctx context.Context) *work {
	w, ok := c.idle.Get().(*work)
	if !ok {
		f := func() []float64 { return make([]float64, c.n) }
		w = &work{coder: c, q: f(), v1: f(), v2: f(), v3: f(), in: make([]bool, c.n), held: make([]bool, c.n)}
	}
	w.ctx = ctx
	return w
}

func (c *Coder) release(w *work) {
	w.ctx, w.c, w.w = nil, nil, nil
	c.idle.Put(w)
}

// load sets the problem of one signal: c = Bᵀx (n), xx = x'x, and w (n). The method solve starts at this w and
// overwrites it with the result.
func (k *work) load(c, w []float64, xx float64) {
	k.c, k.w, k.xx, k.iterations = c, w, xx, 0
}

// isOver reports whether the context is done.
func (k *work) isOver() bool { return k.ctx.Err() != nil }

// solve finds w with the Coder's method. If the context is done, w is unfinished and the status is Interrupted.
func (k *work) solve() ended.Status {
	switch k.coder.opt.Method {
	case CoordinateDescent:
		if k.coder.opt.Prior == Lp {
			return k.descendLp()
		}
		return k.descend()
	case FeatureSign:
		return k.featureSign()
	case LARS:
		return k.lars()
	case FISTA:
		return k.fista()
	case SoftThreshold:
		for j, v := range k.c {
			k.w[j] = k.coder.shrink(v, k.coder.lambda)
		}
		return ended.Converged
	case OMP:
		return k.pursue()
	}
	panic("sparseapprox: no solver for " + k.coder.opt.Method.String())
}

// recorrelate sets q to c − Gw. Unlike correlate, it looks for nonzeros in all of w and does not need S.
func (k *work) recorrelate(q []float64) {
	copy(q, k.c)
	sum := rows{y: q}
	for j, v := range k.w {
		if v != 0 {
			sum.add(-v, k.coder.gram(j))
		}
	}
	sum.addRest()
}

// gap returns the L1 objective and the duality gap for w and q = c − Gw.
func (k *work) gap() (obj, gap float64) {
	rr := max(0, k.xx-dot(k.w, k.c)-dot(k.w, k.q))
	return 0.5*rr + k.coder.penalty(k.w), k.coder.dualityGap(rr, k.w, k.q)
}

// largest returns the atom that violates the L1 optimality conditions most, among those with w_j = 0. It returns −1 if
// none of those atoms violates them.
func (k *work) largest() (at int) {
	at = -1
	worst := k.coder.lambda
	for j, q := range k.q {
		if k.w[j] == 0 {
			if v := k.coder.reach(q); v > worst {
				at, worst = j, v
			}
		}
	}
	return at
}

func sign(v float64) float64 { return math.Copysign(1, v) }
