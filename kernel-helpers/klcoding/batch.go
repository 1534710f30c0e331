package klcoding

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/kernel-helpers/vmath"
)

// This file codes many signals at a time, for the squared loss. dual spends most of its time on H, which it
// computes for each step and signal. A batch of m signals takes its steps together, and solves
//
//	H d = b,   H = I + B diag(c) B'/λ,   with a c for each signal,
//
// by conjugate gradients in float32, so nearly all the work is in two products
//
//	U = P B     m×D · D×n       and       Q = (U∘C/λ) B'     m×n · n×D
//
// with one signal per row. Rows do not affect each other, and a row of a product has the same bits however
// many rows there are.
//
// Newton's method needs little accuracy in d at first; the gradient, which the stopping rule uses, is computed in
// float64. Signals that fail in the batch (no direction, too many steps, no progress) are handed over to dual and
// adjoint.

// width is the maximum number of signals in a batch: enough to amortize reading B.
const width = 24

// fewest is the smallest number of rows in a product. With one or two rows, or a transposed matrix, BLAS may
// take a different code path and return different bits.
const fewest = 3

// patience is the number of Newton steps after which dual takes over.
const patience = 40

// Goals for adjoint's relative residual: accuracy64 at the end, accuracy32 after one run of conjugate
// gradients.
const (
	accuracy64 = 1e-11
	accuracy32 = 3e-6
)

// A spectralBasis is B in the coordinates of the eigenvectors Q of B diag(p) B'. In these coordinates, I + αB diag(p)
// B'/λ is diagonal for every number α. This diagonal matrix is a preconditioner for every H = I + B diag(c) B'/λ whose
// c is near αp.
type spectralBasis struct {
	q, qt     blas64.General // D×D: eigenvectors as columns, and as rows
	s         []float64      // D: eigenvalues
	logp      float64        // mean log p
	b, bt     blas64.General // Q'B (D×n) and its transpose
	b32, bt32 blas32.General
}

// canBatch reports whether signals can be coded in batches.
func (c *Coder) canBatch() bool { return c.opt.Loss == Squared && !c.alone && c.spectral() != nil }

// awaitBasis computes the spectral basis if canBatch needs it. If ctx is done first, it returns ctx's error.
func (c *Coder) awaitBasis(ctx context.Context) error {
	if c.opt.Loss != Squared || c.alone || c.opt.Method == NewtonCG {
		return ctx.Err()
	}
	return parallel.Await(ctx, float64(c.d)*float64(c.d)*float64(2*c.n+10*c.d), func() { c.spectral() })
}

// newSpectralBasis returns the spectral basis of c. If the coder Options.Near is given, newSpectralBasis uses that
// coder's eigenvectors. It returns nil if the eigendecomposition fails.
func newSpectralBasis(c *Coder) *spectralBasis {
	if near := c.opt.Near; near != nil && near.d == c.d {
		if s := near.spectral(); s != nil {
			return c.spectralBasisIn(s.q)
		}
	}
	d, n := c.d, c.n
	rows := blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	for j := range n {
		p := math.Sqrt(c.opt.PVec[j])
		for i, v := range c.column(j) {
			rows.Data[j*d+i] = p * v
		}
	}
	gram := mat.NewSymDense(d, nil)
	blas64.Syrk(blas.Trans, 1, rows, 0, gram.RawSymmetric()) // D×n · n×D
	var e mat.EigenSym
	if !e.Factorize(gram, true) {
		return nil
	}
	var q mat.Dense
	e.VectorsTo(&q)
	s := &spectralBasis{q: q.RawMatrix(), s: e.Values(nil), bt: rows}
	for i, v := range s.s {
		s.s[i] = max(v, 0) // rounding
	}
	s.turn(c)
	return s
}

// spectralBasisIn returns the spectral basis of c in the coordinates q, the eigenvectors of another coder's basis.
// Results are valid in any coordinates. But in these coordinates B diag(p) B' is only nearly diagonal, so its diagonal
// is a slightly worse preconditioner.
func (c *Coder) spectralBasisIn(q blas64.General) *spectralBasis {
	s := &spectralBasis{q: q, s: make([]float64, c.d), bt: blas64.General{Rows: c.n, Cols: c.d, Stride: c.d, Data: make([]float64, c.n*c.d)}}
	s.turn(c)
	for j, p := range c.opt.PVec {
		for i, v := range s.bt.Data[j*c.d : (j+1)*c.d] {
			s.s[i] += p * v * v
		}
	}
	return s
}

// turn fills in the basis of c in the coordinates s.q: it sets s.b, s.bt, their float32 copies, s.qt and s.logp. s.bt
// must be allocated.
func (s *spectralBasis) turn(c *Coder) {
	d, n := c.d, c.n
	for _, p := range c.opt.PVec {
		s.logp += math.Log(p) / float64(n)
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, c.bt, s.q, 0, s.bt) // n×D · D×D
	s.b = mat.DenseCopyOf(mat.NewDense(n, d, s.bt.Data).T()).RawMatrix()
	s.qt = mat.DenseCopyOf(mat.NewDense(d, d, s.q.Data).T()).RawMatrix()
	s.b32, s.bt32 = toFloat32(s.b), toFloat32(s.bt)
}

// toFloat32 returns a copy of a in float32.
func toFloat32(a blas64.General) blas32.General {
	t := blas32.General{Rows: a.Rows, Cols: a.Cols, Stride: a.Cols, Data: make([]float32, a.Rows*a.Cols)}
	for i, v := range a.Data {
		t.Data[i] = float32(v)
	}
	return t
}

// A batch holds the buffers for several signals in the coordinates of the spectral basis, one signal per row. The
// maximum number of signals is the constant width.
type batch struct {
	c    *Coder
	s    *spectralBasis
	k    *work // for signals that the batch hands over to dual or adjoint
	line *work // for the line search; its vectors are set to rows of the batch

	rows                []row
	x, r, q, dr, z      rows64 // D
	v, w, cw, dv        rows64 // n
	y, res, p, gathered rows32 // D
	hp                  rows32 // D
	share, u            rows32 // n: c/λ, and products
	m                   rows32 // D: the preconditioner
	live                []int
}

// A row is the state of one signal of a batch.
type row struct {
	i               int // the signal's index
	steps           int
	known           bool // w and cw are up to date with v
	threshold, last float64
	scale, floor    float64
	bound           float64 // bound on the gradient (6)
	goal            float64 // CG: the relative residual to reach
	length          float64 // CG: the norm of the right-hand side
	rz              float32
	found           bool // CG: y is better than 0
}

// rows64 is a row-major matrix without gaps between rows.
type rows64 struct {
	cols int
	data []float64
}

type rows32 struct {
	cols int
	data []float32
}

func (a rows64) row(i int) []float64 { return a.data[i*a.cols : (i+1)*a.cols] }
func (a rows32) row(i int) []float32 { return a.data[i*a.cols : (i+1)*a.cols] }

// top returns the first max(m, fewest) rows of a. The content of rows beyond the first m is ignored.
func (a rows64) top(m int) blas64.General {
	return blas64.General{Rows: max(m, fewest), Cols: a.cols, Stride: a.cols, Data: a.data}
}

func (a rows32) top(m int) blas32.General {
	return blas32.General{Rows: max(m, fewest), Cols: a.cols, Stride: a.cols, Data: a.data}
}

func newBatch(k *work, most int) *batch {
	c := k.c
	b := &batch{c: c, s: c.spectral(), k: k, line: newWork(c, k.ctx)}
	most = max(most, fewest)
	b.rows, b.live = make([]row, 0, most), make([]int, 0, most)
	for _, a := range []*rows64{&b.x, &b.r, &b.q, &b.dr, &b.z} {
		*a = rows64{c.d, make([]float64, most*c.d)}
	}
	for _, a := range []*rows64{&b.v, &b.w, &b.cw, &b.dv} {
		*a = rows64{c.n, make([]float64, most*c.n)}
	}
	for _, a := range []*rows32{&b.y, &b.res, &b.p, &b.gathered, &b.hp, &b.m} {
		*a = rows32{c.d, make([]float32, most*c.d)}
	}
	for _, a := range []*rows32{&b.share, &b.u} {
		*a = rows32{c.n, make([]float32, most*c.n)}
	}
	return b
}

// multiply computes C = s A B for the first m rows of A.
func multiply(m int, s float64, a rows64, b blas64.General, c rows64) {
	blas64.Gemm(blas.NoTrans, blas.NoTrans, s, a.top(m), b, 0, c.top(m))
}

func product32(m int, a rows32, b blas32.General, c rows32) {
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, a.top(m), b, 0, c.top(m))
}

// transform takes the rows of A (m×D) from the slice a, and changes them to the coordinates of the spectral basis. It
// stores the result, AQ, in dst.
func (b *batch) transform(m int, a []float64, dst rows64) {
	copy(b.z.data, a[:m*b.c.d])
	multiply(m, 1, b.z, b.s.q, dst)
}

// transformBack is the inverse of transform. It takes the rows of A (m×D) from a, changes them back, and stores the
// result, AQ', in the slice to.
func (b *batch) transformBack(m int, a rows64, to []float64) {
	multiply(m, 1, a, b.s.qt, b.z)
	copy(to, b.z.data[:m*b.c.d])
}

// code solves the dual for the signals in the rows of x (m×D), starting from the rows of r (m×D), which it overwrites
// with the solutions. It stores the codes in w (m×n) and the outcomes in out (m).
func (b *batch) code(x, r, w []float64, out []outcome) {
	c, lambda := b.c, b.c.opt.Lambda
	m := len(out)
	b.transform(m, x, b.x)
	b.transform(m, r, b.r)
	final := make([]float64, max(m, fewest)*c.d)
	handed := []row{}
	b.rows = b.rows[:m]
	for i := range b.rows {
		t, f := b.k.threshold(b.x.row(i))
		b.rows[i] = row{i: i, threshold: t, floor: f, last: math.Inf(1), scale: c.scale(b.x.row(i))}
	}
	multiply(m, 1/lambda, b.r, b.s.b, b.v) // m×D · D×n
	for i := range m {
		if !(largest(b.v.row(i)) < c.link.vmax) { // a start where w overflows
			clear(b.r.row(i))
			clear(b.v.row(i))
		}
	}
	// leave stores the results of row i and removes it from the batch.
	leave := func(i int) {
		copy(final[b.rows[i].i*c.d:], b.r.row(i))
		end := len(b.rows) - 1
		b.rows[i] = b.rows[end]
		for _, a := range []rows64{b.x, b.r, b.q, b.v, b.w, b.cw, b.dr, b.dv} {
			copy(a.row(i), a.row(end))
		}
		b.rows = b.rows[:end]
	}
	hand := func(i int) {
		handed = append(handed, b.rows[i])
		leave(i)
	}
	for len(b.rows) > 0 && b.k.ctx.Err() == nil {
		for i := range b.rows {
			if !b.rows[i].known {
				c.link.evaluate(b.w.row(i), b.cw.row(i), b.v.row(i))
			}
		}
		multiply(len(b.rows), 1, b.w, b.s.bt, b.z) // Bw, m×n · n×D
		check := b.live[:0]
		for i := range b.rows {
			q, r, x, z := b.q.row(i), b.r.row(i), b.x.row(i), b.z.row(i)
			for j, v := range z {
				q[j] = r[j] - x[j] + v // ∇g
			}
			t := &b.rows[i]
			t.bound = c.longest * norm(q)
			if t.bound <= 100*t.threshold {
				copy(b.dr.row(len(check)), q)
				check = append(check, i)
			}
		}
		// Near the threshold, the exact gradient (6), B'q, is worth the cost of a product.
		if len(check) > 0 {
			multiply(len(check), 1, b.dr, b.s.b, b.dv) // m×D · D×n
		}
		for at := len(check) - 1; at >= 0; at-- {
			i := check[at]
			t := &b.rows[i]
			if t.bound = largest(b.dv.row(at)); t.bound <= t.threshold {
				out[t.i] = outcome{ended.Converged, t.steps, t.bound}
				copy(w[t.i*c.n:(t.i+1)*c.n], b.w.row(i))
				leave(i)
			}
		}
		for i := len(b.rows) - 1; i >= 0; i-- {
			t := &b.rows[i]
			if !(t.bound > t.floor || t.bound < t.last/2) || t.steps == min(patience, c.opt.MaxIterations) || math.IsInf(t.bound, 1) {
				hand(i)
				continue
			}
			// A Newton step squares the error, so CG need not be more accurate than the square, nor than the
			// threshold.
			t.last = t.bound
			t.goal = max(min(0.2, 2*t.bound/t.scale), t.threshold/t.bound, 1e-4)
		}
		b.solve(b.q)
		for i := range b.rows {
			scale := -b.rows[i].length
			for j, v := range b.y.row(i) {
				b.dr.row(i)[j] = scale * float64(v) // Δr = −H⁻¹∇g, D
			}
		}
		multiply(len(b.rows), 1/lambda, b.dr, b.s.b, b.dv) // Δv = B'Δr/λ, m×D · D×n
		for i := len(b.rows) - 1; i >= 0; i-- {
			step := 0.0
			if b.rows[i].found {
				step = b.length(i)
			}
			if step == 0 {
				hand(i)
				continue
			}
			b.rows[i].steps++
			blas64.Axpy(step, vector.Of(b.dr.row(i)), vector.Of(b.r.row(i)))
			blas64.Axpy(step, vector.Of(b.dv.row(i)), vector.Of(b.v.row(i)))
		}
	}
	b.transformBack(m, rows64{c.d, final}, r)
	for _, t := range handed {
		i := t.i
		out[i] = b.k.dual(x[i*c.d:(i+1)*c.d], r[i*c.d:(i+1)*c.d], w[i*c.n:(i+1)*c.n], t.steps)
	}
}

// length runs dual's line search for row i and returns the step length t. The search leaves in b.w and b.cw the values
// at the last t that it tried, which may differ from the returned t. If no element of v would change by more than the
// constant near, length returns 1 without a search.
func (b *batch) length(i int) float64 {
	b.rows[i].known = false
	if largest(b.dv.row(i)) <= near {
		return 1
	}
	l := b.line
	l.q, l.dr, l.v, l.dv, l.tw, l.tc = b.q.row(i), b.dr.row(i), b.v.row(i), b.dv.row(i), b.w.row(i), b.cw.row(i)
	t, tried := l.search(b.x.row(i), b.r.row(i))
	b.rows[i].known = t == tried
	return t
}

// solve solves Hy = rhs/length for each row of rhs (m×D), by preconditioned conjugate gradients. H is the row's own
// matrix, and length is the Euclidean norm of the row of rhs. The iterations for a row end when the norm of the
// residual is at most the norm of the right-hand side times goal, a field in the row's state. These two norms are with
// respect to the preconditioner. solve stores y in b.y, and length in the row's state.
func (b *batch) solve(rhs rows64) {
	lambda := b.c.opt.Lambda
	b.live = b.live[:0]
	for i := range b.rows {
		t := &b.rows[i]
		t.found = false
		y, res, p, m := b.y.row(i), b.res.row(i), b.p.row(i), b.m.row(i)
		clear(y)
		a := b.level(b.cw.row(i)) / lambda
		for j, s := range b.s.s {
			m[j] = float32(1 / (1 + a*s))
		}
		share := b.share.row(i)
		for j, c := range b.cw.row(i) {
			share[j] = float32(c / lambda)
		}
		if t.length = norm(rhs.row(i)); t.length == 0 {
			continue
		}
		for j, v := range rhs.row(i) {
			res[j] = float32(v / t.length)
			p[j] = m[j] * res[j]
		}
		t.rz = dot32(res, p)
		t.goal *= t.goal * float64(t.rz)
		b.live = append(b.live, i)
	}
	limit := 2*b.c.d + 20
	for range limit {
		if len(b.live) == 0 {
			return
		}
		for at, i := range b.live {
			copy(b.gathered.row(at), b.p.row(i))
		}
		product32(len(b.live), b.gathered, b.s.b32, b.u) // m×D · D×n
		for at, i := range b.live {
			u := b.u.row(at)
			for j, c := range b.share.row(i)[:len(u)] {
				u[j] *= c
			}
		}
		product32(len(b.live), b.u, b.s.bt32, b.hp) // m×n · n×D
		keep := b.live[:0]
		for at, i := range b.live {
			if b.iterate(&b.rows[i], i, b.hp.row(at)) {
				keep = append(keep, i)
			}
		}
		b.live = keep
	}
}

// iterate performs one conjugate-gradient step for row i, with hp = (H − I)p. It returns false after the last
// step.
func (b *batch) iterate(t *row, i int, hp []float32) bool {
	y, res, p, m := b.y.row(i), b.res.row(i), b.p.row(i), b.m.row(i)
	for j, v := range p {
		hp[j] += v
	}
	alpha := t.rz / dot32(p, hp)
	if !(alpha > 0) || math.IsInf(float64(alpha), 1) {
		return false
	}
	axpy32(alpha, p, y)
	axpy32(-alpha, hp, res)
	t.found = true
	for j, v := range res {
		hp[j] = m[j] * v
	}
	rz := dot32(res, hp)
	if !(float64(rz) > t.goal) {
		return false
	}
	beta := rz / t.rz
	t.rz = rz
	for j, v := range hp {
		p[j] = v + beta*p[j]
	}
	return true
}

// adjoint computes (9) for the rows of w (m×n). It overwrites x (m×D) with e = Bw − x, replaces g (m×n) by the
// solution a, and fills ba (m×D) with Ba. As in the adjoint of one signal,
//
//	a = (c/λ)(g − B'u),   Hu = B(c/λ)g,   and so Ba = Hu − (H − I)u = u.
//
// The equation for u is solved by b.solve, in float32, and then again with the residual (computed in float64) as the
// right-hand side, until the residual is small. adjoint returns false if there is no solution.
func (b *batch) adjoint(w, g, x, ba []float64) bool {
	c, lambda := b.c, b.c.opt.Lambda
	m := len(x) / c.d
	copy(b.w.data, w)
	multiply(m, 1, b.w, c.bt, b.z) // Bw, m×n · n×D
	for i, z := range b.z.data[:m*c.d] {
		x[i] = z - x[i]
	}
	rhs, u := b.r, b.x
	b.rows = b.rows[:m]
	for i := range b.rows {
		b.rows[i] = row{i: i}
		cw, to := b.cw.row(i), b.w.row(i)
		c.link.curvature(cw, b.w.row(i))
		for j, v := range g[i*c.n : (i+1)*c.n] {
			to[j] = cw[j] / lambda * v
		}
	}
	multiply(m, 1, b.w, b.s.bt, rhs) // m×n · n×D
	copy(b.q.data, rhs.data[:m*c.d])
	clear(u.data)
	clear(b.v.data)
	handed := make([]bool, m)
	for again := true; again && b.k.ctx.Err() == nil; {
		for i := range b.rows {
			b.rows[i].goal = accuracy32
		}
		b.solve(b.q)
		for i, t := range b.rows {
			if t.found {
				for j, y := range b.y.row(i) {
					u.row(i)[j] += t.length * float64(y)
				}
			}
		}
		multiply(m, 1, u, b.s.b, b.v) // B'u, m×D · D×n
		for i := range b.w.data[:m*c.n] {
			b.w.data[i] = b.cw.data[i] / lambda * b.v.data[i]
		}
		multiply(m, 1, b.w, b.s.bt, b.z) // (H − I)u, m×n · n×D
		again = false
		for i := range b.rows {
			t, q := &b.rows[i], b.q.row(i)
			for j, v := range rhs.row(i) {
				q[j] = v - u.row(i)[j] - b.z.row(i)[j]
			}
			left := norm(q)
			switch {
			case left <= accuracy64*norm(rhs.row(i)):
				clear(q) // nothing left to do
			case !(left < t.length/2):
				handed[i] = true
				clear(q)
			default:
				again = true
			}
		}
	}
	b.transformBack(m, u, ba)
	for i := range m {
		a := g[i*c.n : (i+1)*c.n]
		if handed[i] {
			if !b.k.adjoint(w[i*c.n:(i+1)*c.n], a) {
				return false
			}
			c.mul(ba[i*c.d:(i+1)*c.d], a)
			continue
		}
		for j, v := range b.v.row(i) {
			a[j] = b.cw.row(i)[j] / lambda * (a[j] - v)
		}
	}
	return true
}

// level returns the geometric mean of c/p.
func (b *batch) level(c []float64) float64 {
	vmath.Log(b.line.tv, c)
	var t float64
	for _, v := range b.line.tv {
		t += v
	}
	return math.Exp(t/float64(len(c)) - b.s.logp)
}

func vec32(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Inc: 1, Data: x} }

// dot32 returns a'b. The order of summation of blas32.Dot depends on where the slices are in memory; the
// order here does not.
func dot32(a, b []float32) float32 {
	var t [8]float32
	b = b[:len(a)]
	for len(a) >= 8 && len(b) >= 8 {
		t[0] += a[0] * b[0]
		t[1] += a[1] * b[1]
		t[2] += a[2] * b[2]
		t[3] += a[3] * b[3]
		t[4] += a[4] * b[4]
		t[5] += a[5] * b[5]
		t[6] += a[6] * b[6]
		t[7] += a[7] * b[7]
		a, b = a[8:], b[8:]
	}
	for i, v := range a {
		t[i] += v * b[i]
	}
	return (t[0] + t[4]) + (t[1] + t[5]) + (t[2] + t[6]) + (t[3] + t[7])
}

func axpy32(s float32, x, y []float32) { blas32.Axpy(s, vec32(x), vec32(y)) }
