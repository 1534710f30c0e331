package sparseapprox

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/product"
)

// Features is meant for millions of image patches, for which codes in float32 with a tolerance of 1e-3 are enough.
// Signals and codes are rows. Features works as descend does, with search and settle, but computes both dense products
// in float32, for all signals at once:
//
//	C = XB    before the first search,
//	Q = RB    with R = X − WBᵀ, after each search: the gap of each signal follows from q and r.
//
// For a signal with too large a gap, the search is repeated from its q. Signals that are unfinished after a few rounds,
// and signals that float32 cannot resolve, are left to Code.

// singleTolerance is the smallest tolerance that gaps in float32 can verify.
const singleTolerance = 1e-4

// early is used instead of the constant named entry in the searches of Features. It was tuned for time: on whitened
// patches of 108 numbers with 1600 atoms and 22 nonzeros (λ = 1, one thread of a busy machine) a signal took 50 µs with
// early = 0.8, 37 µs with 0.5 and 83 µs with 0.2.
const early = 0.5

// rounds is the maximum number of searches for a signal before it is left to Code.
const rounds = 8

// Features stores w for each of the n signals in X, one signal per ROW (n×D), in the rows of dst (n×atoms), and returns
// how many signals missed the tolerance. Features is Code in float32: with CoordinateDescent, no Ridge and a tolerance
// of 1e-4 or more, Features takes less than half the time, and gives the same w up to rounding and the tolerance. (In
// the measurement described at the constant named early, it took 37 µs for a signal, instead of 81 µs.) With other
// options it calls Code. It returns an error if a signal is not finite.
func (c *Coder) Features(ctx context.Context, dst, X []float32, n int) (missed int, err error) {
	if n < 0 || len(X) != n*c.d || len(dst) != n*c.n {
		panic(fmt.Sprintf("sparseapprox: Features: %d and %d numbers are not %d signals of %d and their codes for %d atoms", len(X), len(dst), n, c.d, c.n))
	}
	if i := finite.Index(X); i >= 0 {
		return 0, fmt.Errorf("sparseapprox: Features: X is %v in row %d, column %d", X[i], i/max(1, c.d), i%max(1, c.d))
	}
	if ctx == nil {
		ctx = context.Background()
	}
	for from := 0; from < n; from += block {
		to := min(n, from+block)
		m, err := c.features(ctx, dst[from*c.n:to*c.n], X[from*c.d:to*c.d], to-from)
		if missed += m; err != nil {
			return missed, err
		}
	}
	return missed, nil
}

// features does what Features does, for one block of m signals.
func (c *Coder) features(ctx context.Context, dst, X []float32, m int) (missed int, err error) {
	clear(dst)
	left := make([]int, m)
	for i := range left {
		left[i] = i
	}
	if c.single != nil && c.opt.Method == CoordinateDescent && c.ridge == 0 && (c.opt.Prior == L1 || c.opt.Prior == L1NonNegative) && c.opt.Tolerance >= singleTolerance {
		k := c.acquire(ctx)
		left, err = k.features(dst, X, left)
		c.release(k)
		if err != nil {
			return 0, err
		}
	}
	if len(left) == 0 {
		return 0, ctx.Err()
	}
	rest := mat.NewDense(len(left), c.d, nil)
	for a, i := range left {
		for e, v := range X[i*c.d : (i+1)*c.d] {
			rest.Set(a, e, float64(v))
		}
	}
	r, err := c.Code(ctx, rest.T())
	if r == nil || r.Status == ended.Interrupted {
		return 0, err
	}
	for a, i := range left {
		for j := range c.n {
			dst[i*c.n+j] = float32(r.W.At(j, a))
		}
		if r.Signals[a] != ended.Converged {
			missed++
		}
	}
	return missed, nil
}

// A batch32 holds the buffers of work.features for the signals of a block.
type batch32 struct {
	c, q, r []float32 // C and Q (m×n), X − WBᵀ (m×D)
	set     [][]int   // the nonzeros of each signal
	corr, w []float64 // c and w of one signal (n)
	zero    []float32 // n
}

// features codes the m = len(left) signals in the rows of X. left must hold 0, 1, ..., m−1, and is overwritten. The m
// rows of dst, n numbers each, must be 0. features returns the indices of the signals that it could not finish; their
// rows of dst are undefined. It returns an error if the context is done.
func (k *work) features(dst, X []float32, left []int) ([]int, error) {
	c, n, d, m := k.coder, k.coder.n, k.coder.d, len(left)
	b := &k.batch
	rows := max(2, m) // because a product with one row is rounded differently
	resize(&b.c, rows*n)
	resize(&b.q, rows*n)
	resize(&b.r, rows*d)
	resize(&b.corr, n)
	resize(&b.zero, n)
	for len(b.set) < m {
		b.set = append(b.set, nil)
	}
	resize(&b.w, n)
	clear(b.w)
	clear(k.in)
	clear(k.held)
	k.c, k.w = b.corr, b.w
	k.iterations = 0
	copy(b.r, X)
	if err := c.correlations(k.ctx, b.c, b.r, rows); err != nil {
		return nil, err
	}
	fresh := b.c // row a is q of signal left[a]
	level, most := firstLevel, firstSweeps
	var failed []int
	for round := range rounds {
		kept := left[:0]
		for a, i := range left {
			if round == 0 {
				b.set[i] = b.set[i][:0]
			} else {
				level, most = 0, laterSweeps // arguments of resume
			}
			if err := k.ctx.Err(); err != nil {
				return nil, err
			}
			if k.resume(dst[i*n:(i+1)*n], b.c[i*n:(i+1)*n], fresh[a*n:(a+1)*n], &b.set[i], level, most) {
				kept = append(kept, i)
			} else {
				failed = append(failed, i)
			}
		}
		left = kept
		if len(left) == 0 {
			break
		}
		for a, i := range left { // row a becomes r = x − Bw of signal left[a]
			r := b.r[a*d : (a+1)*d]
			copy(r, X[i*d:(i+1)*d])
			for _, j := range b.set[i] {
				axpy32(-dst[i*n+j], c.single.atoms[j*d:(j+1)*d], r)
			}
		}
		if err := c.correlations(k.ctx, b.q, b.r, max(2, len(left))); err != nil {
			return nil, err
		}
		fresh, kept = b.q, left[:0]
		place := 0
		for a, i := range left {
			q := b.q[a*n : (a+1)*n]
			if k.isWithinTolerance(dst[i*n:(i+1)*n], q, b.r[a*d:(a+1)*d], b.set[i]) {
				continue
			}
			copy(b.q[place*n:], q)
			place++
			kept = append(kept, i)
		}
		if left = kept; len(left) == 0 {
			break
		}
	}
	return append(failed, left...), nil
}

// correlations stores RB (m×n) in q, where the argument r holds R (m×D).
func (c *Coder) correlations(ctx context.Context, q, r []float32, m int) error {
	return product.Gemm32(ctx, blas.NoTrans, blas.Trans, 1,
		blas32.General{Rows: m, Cols: c.d, Stride: c.d, Data: r}, blas32.General{Rows: c.n, Cols: c.d, Stride: c.d, Data: c.single.atoms},
		0, blas32.General{Rows: m, Cols: c.n, Stride: c.n, Data: q}) // (m×D)(D×n)
}

// resume continues the search for one signal, given its w, corr = B'x and q = B'(x − Bw). The slice named set holds the
// atoms with nonzero w; resume updates this slice and w. level and most mean the same as in search. If level is 0,
// resume computes the level from the largest violation that remains, as descend does for its later searches. resume
// returns false if float32 is not precise enough.
func (k *work) resume(w, corr, q []float32, set *[]int, level float64, most int) bool {
	c := k.coder
	scale := float32(1 / c.lambda)
	q32, w32 := resize(&k.q32, c.n), resize(&k.w32, c.n)
	for j, v := range q {
		q32[j] = v * scale
	}
	clear(w32)
	k.set = append(k.set[:0], *set...)
	for _, j := range k.set {
		w32[j], k.in[j] = w[j]*scale, true
	}
	if top := excess(q32, k.batch.zero, c.opposite()); !(top < 1e5) {
		for _, j := range k.set {
			k.in[j] = false
		}
		return false
	}
	k.iterations = 0
	if level == 0 {
		for j := range k.batch.zero { // atoms in S cannot violate the conditions outside S
			k.batch.zero[j] = 1
		}
		for _, j := range k.set {
			k.batch.zero[j] = float32(math.Inf(1))
		}
		worst := max(excess(q32, k.batch.zero, c.opposite()), k.insideViolation(q32, w32))
		clear(k.batch.zero)
		level = min(firstLevel, max(lowLevel, laterLevel*float64(worst)))
	}
	ok := k.hunt(level, early, most)
	if ok {
		for _, j := range k.set {
			k.c[j] = float64(corr[j])
		}
		k.sup.reset()
		k.settle()
	}
	for _, j := range *set {
		w[j] = 0
	}
	*set = (*set)[:0]
	for _, j := range k.set {
		if k.w[j] != 0 {
			w[j] = float32(k.w[j])
			*set = append(*set, j)
		}
		k.w[j], k.in[j], k.held[j] = 0, false, false
	}
	return ok
}

// isWithinTolerance reports whether the duality gap of w (n) is within the tolerance, given q = B'r, r = x − Bw, and
// the list of the atoms with nonzero w.
func (k *work) isWithinTolerance(w, q, r []float32, set []int) bool {
	c := k.coder
	var rr, qw, l1 float64
	for _, v := range r {
		rr += float64(v) * float64(v)
	}
	for _, j := range set {
		qw += float64(q[j]) * float64(w[j])
		l1 += math.Abs(float64(w[j]))
	}
	tau := 1.0
	if top := float64(excess(q, k.batch.zero, c.opposite())); top > c.lambda {
		tau = c.lambda / top
	}
	gap := 0.5*(1-tau)*(1-tau)*rr + max(0, c.lambda*l1-tau*qw)
	return gap <= c.opt.Tolerance*(0.5*rr+c.lambda*l1)
}

// opposite returns the value of sign for calls to excess, which takes max(q_j, sign·q_j) for each atom. The value is −1
// for L1, where |q_j| counts, and 1 for L1NonNegative, where q_j itself counts.
func (c *Coder) opposite() float32 {
	if c.nonneg {
		return 1
	}
	return -1
}
