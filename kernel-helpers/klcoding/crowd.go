package klcoding

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/vmath"
)

// Method NewtonCG. What logNewton pays for is its Hessian, Dn² for each step of
// each signal. Conjugate gradients need products with it only, and those of many
// signals at once are products of matrices:
//
//	Z = U B'      m×n · n×D      u is a trial w, or a direction of the CG
//	G = Z B       m×D · D×n      z is f(Bw) − x, or SBu
//
// A point of the objective and an iteration of the CG both are one such round, so
// that each of the m signals (lanes) of a crowd goes its own way, at its own
// speed, and one that is done makes room for the next signal. No lane looks at
// another one.

// lanes is how many signals share a product: enough to amortise the reading of B.
const lanes = 128

// laneSteps is the most steps of a lane. A signal that needs more (with λ far below
// what the signals can tell) is handed over to logNewton.
const laneSteps = 50

// A lane is the state of one signal: a Newton step, and in it the CG for
//
//	(I + sB'SBs) y = −s∇,   s = √(c/λ),   S = diag(f) − ff'.
type lane struct {
	c   *Coder
	i   int       // which signal
	x   []float64 // D
	out []float64 // n: where ŵ goes; the adjoint's g, then a
	e   []float64 // D: where x − f goes (the adjoint: f − x)
	ba  []float64 // D, adjoint only: where Ba goes
	sba []float64 // D, adjoint only: where SBa goes

	phase   phase
	adjoint bool
	done    bool
	stuck   bool // the line search found no descent
	watch   func(gradient float64, w []float64)
	err     error
	o       outcome

	f                float64   // objective of the accepted point
	trial            float64   // of the trial
	fit              []float64 // D: f(Bw)
	fit32            []float32 // D: instead of fit, for Options.Single
	v, w, cw, g      []float64 // n
	from, dv         []float64 // n: the accepted v, and the direction
	t, slope, before float64
	tries, inner     int
	threshold, floor float64

	s, y, h, r, z, d []float64 // n: h = B'SBsy
	rz, goal         float64
	limit            int
	m                preconditioner
}

type phase int

const (
	looking   phase = iota // u is w
	solving                // u is s∘d
	returning              // u is a
)

func newLane(c *Coder, single bool) *lane {
	l := &lane{c: c}
	if single {
		l.fit32 = make([]float32, c.d)
	} else {
		l.fit = make([]float64, c.d)
	}
	for _, p := range []*[]float64{&l.v, &l.w, &l.cw, &l.g, &l.from, &l.dv, &l.s, &l.y, &l.h, &l.r, &l.z, &l.d} {
		*p = make([]float64, c.n)
	}
	return l
}

// look sends w at v to the products.
func (l *lane) look(u []float64) {
	l.c.link.at(l.w, l.cw, l.v)
	copy(u, l.w)
	l.phase = looking
}

// begin sets out from v.
func (l *lane) begin(u []float64, k *work) {
	l.threshold, l.floor = k.threshold(l.x)
	if l.fit32 != nil {
		l.floor = 1e-6 * l.c.scale(l.x)
	}
	l.o, l.tries, l.err, l.done, l.adjoint, l.stuck = outcome{}, -1, nil, false, false, false
	l.before = math.Inf(1)
	l.look(u)
}

// forward gets z = Bu (D) and leaves there what B' is to be applied to.
func (l *lane) forward(z []float64) {
	switch l.phase {
	case looking:
		if o := l.c.opt.Offset; o != nil {
			for i, b := range o {
				z[i] += b
			}
		}
		vmath.Softmax(l.fit, z)
		top := 0
		for i, v := range z {
			if v > z[top] {
				top = i
			}
		}
		// log Σ e^z − x'z
		l.trial = z[top] - math.Log(l.fit[top]) - dot(l.x, z)
		for i, f := range l.fit {
			z[i] = f - l.x[i]
		}
		if l.adjoint {
			copy(l.e, z)
		}
	case solving:
		l.jacobian(z)
	case returning:
		copy(l.ba, z)
		l.jacobian(z)
		copy(l.sba, z)
	}
}

// forward32 is forward for Options.Single.
func (l *lane) forward32(z []float32) {
	switch l.phase {
	case looking:
		if o := l.c.opt.Offset; o != nil {
			for i, b := range o {
				z[i] += float32(b)
			}
		}
		vmath.Softmax32(l.fit32, z)
		top, xz := 0, 0.0
		for i, v := range z {
			if v > z[top] {
				top = i
			}
			if x := l.x[i]; x != 0 {
				xz += x * float64(v)
			}
		}
		l.trial = float64(z[top]) - math.Log(float64(l.fit32[top])) - xz
		for i, f := range l.fit32 {
			z[i] = f - float32(l.x[i])
		}
		if l.adjoint {
			widen(l.e, z)
		}
	case solving:
		l.jacobian32(z)
	case returning:
		widen(l.ba, z)
		l.jacobian32(z)
		widen(l.sba, z)
	}
}

func (l *lane) jacobian32(z []float32) {
	f := l.fit32[:len(z)]
	// Not blas32.Dot: its last bit depends on where z is in memory.
	var sum [4]float64
	i := 0
	for ; i+4 <= len(z); i += 4 {
		sum[0] += float64(f[i]) * float64(z[i])
		sum[1] += float64(f[i+1]) * float64(z[i+1])
		sum[2] += float64(f[i+2]) * float64(z[i+2])
		sum[3] += float64(f[i+3]) * float64(z[i+3])
	}
	for ; i < len(z); i++ {
		sum[0] += float64(f[i]) * float64(z[i])
	}
	mean := float32(sum[0] + sum[1] + sum[2] + sum[3])
	for i, u := range z {
		z[i] = f[i] * (u - mean)
	}
}

// narrow copies from to to, which it makes if it is nil.
func narrow(to []float32, from []float64) []float32 {
	if to == nil {
		to = make([]float32, len(from))
	}
	for i, v := range from {
		to[i] = float32(v)
	}
	return to
}

func widen(to []float64, from []float32) {
	for i, v := range from {
		to[i] = float64(v)
	}
}

// jacobian replaces z by Sz.
func (l *lane) jacobian(z []float64) {
	mean := dot(l.fit, z)
	for i, f := range l.fit {
		z[i] = f * (z[i] - mean)
	}
}

// backward gets g = B'z (n) and leaves in u (n) the next u.
func (l *lane) backward(g, u []float64) {
	switch {
	case l.phase == returning:
		l.done = true
	case l.phase == solving:
		if l.cg(g) {
			for j, s := range l.s {
				u[j] = s * l.d[j]
			}
			return
		}
		if l.adjoint {
			for j, s := range l.s {
				l.out[j] = s * l.y[j]
			}
			if math.IsNaN(largest(l.out)) {
				l.done, l.err = true, errSingular
				return
			}
			copy(u, l.out)
			l.phase = returning
			return
		}
		l.direction()
		l.step(u)
	case l.adjoint: // the right-hand side is s dl/dw
		for j, c := range l.cw {
			l.s[j] = math.Sqrt(c / l.c.opt.Lambda)
			l.r[j] = l.s[j] * l.out[j]
		}
		l.start(u, max(1e-13, l.c.opt.Tolerance))
	default:
		l.judge(g, u)
	}
}

// judge accepts a point or goes back half the way.
func (l *lane) judge(g, u []float64) {
	lambda := l.c.opt.Lambda
	l.trial += lambda * l.c.link.value(l.w, l.cw, l.v)
	if l.tries >= 0 {
		gain := -l.t * l.slope
		// Below that, the objective says nothing but rounding.
		noise := 1e-11
		if l.fit32 != nil {
			noise = 1e-6
		}
		sure := gain <= noise*(1+math.Abs(l.f))
		if !sure && !(l.trial <= l.f-1e-4*gain) {
			if l.tries++; l.tries > 60 {
				// No descent is left.
				copy(l.v, l.from)
				l.c.link.at(l.w, l.cw, l.v)
				l.end(ended.NoProgress)
				l.stuck = true
				return
			}
			l.t /= 2
			l.path()
			l.look(u)
			return
		}
		l.o.steps++
	}
	l.f = l.trial
	copy(l.from, l.v)
	for j, v := range l.v {
		l.g[j] = g[j] + lambda*v
	}
	last := largest(l.g)
	l.o.gradient = last
	if l.watch != nil {
		l.watch(last, l.w)
	}
	switch {
	case last <= l.threshold:
		l.end(ended.Converged)
		return
	case last <= l.floor && last >= l.before/2:
		l.end(ended.NoProgress)
		return
	case l.o.steps >= min(laneSteps, l.c.opt.MaxIterations) || math.IsNaN(last):
		l.end(ended.IterationLimit)
		return
	}
	l.before = last
	for j, c := range l.cw {
		l.s[j] = math.Sqrt(c / lambda)
		l.r[j] = -l.s[j] * l.g[j]
	}
	// Far off, where Newton's direction is only a guess, a tenth is enough of the
	// CG. Near, it squares the error, which in v is last/λ. What is below the
	// threshold is of no use.
	off := last / lambda
	share := min(0.1, max(1e-3, off)) * min(1, 10*off)
	l.start(u, max(share, 0.1*l.threshold/last, 1e-12))
}

// end leaves the result.
func (l *lane) end(s ended.Status) {
	l.o.status, l.done = s, true
	copy(l.out, l.w)
	for i, f := range l.fit32 {
		l.e[i] = l.x[i] - float64(f)
	}
	for i, f := range l.fit {
		l.e[i] = l.x[i] - f
	}
}

// start begins the CG with the right-hand side in r, down to a share of it.
func (l *lane) start(u []float64, share float64) {
	clear(l.y)
	clear(l.h)
	l.m.factor(l.c, l.s)
	copy(l.z, l.r)
	l.m.solve(l.z)
	copy(l.d, l.z)
	l.rz = dot(l.r, l.z)
	l.goal = share * share * l.rz
	l.inner, l.limit = 0, 10*l.c.n+100
	for j, s := range l.s {
		u[j] = s * l.d[j]
	}
	l.phase = solving
}

// cg is one iteration with g = B'SB(s∘d); false if it is the last.
func (l *lane) cg(g []float64) bool {
	for j, s := range l.s {
		l.z[j] = l.d[j] + s*g[j]
	}
	curvature := dot(l.d, l.z)
	if !(curvature > 0) {
		return false
	}
	alpha := l.rz / curvature
	for j := range l.y {
		l.y[j] += alpha * l.d[j]
		l.h[j] += alpha * g[j]
		l.r[j] -= alpha * l.z[j]
	}
	copy(l.z, l.r)
	l.m.solve(l.z)
	rz := dot(l.r, l.z)
	if l.inner++; !(rz > l.goal) || l.inner >= l.limit {
		return false
	}
	beta := rz / l.rz
	l.rz = rz
	for j, z := range l.z {
		l.d[j] = z + beta*l.d[j]
	}
	return true
}

// direction is Δv = Δw/c = y/sλ, for columns of little weight −(∇ + B'SBΔw)/λ as
// in logNewton. With y short of the solution the two differ by the residual, which
// the CG has made small in the units of the heavy columns: there it would be
// multiplied by s², elsewhere 1/s is too much for it.
func (l *lane) direction() {
	lambda := l.c.opt.Lambda
	for j := range l.dv {
		l.dv[j] = -(l.g[j] + l.h[j]) / lambda
	}
	for _, j := range l.m.at {
		l.dv[j] = l.y[j] / (l.s[j] * lambda)
	}
	l.slope = 0
	for j := range l.dv {
		l.slope += l.g[j] * l.cw[j] * l.dv[j]
	}
	if !(l.slope < 0) {
		l.slope = 0
		for j, g := range l.g {
			l.dv[j] = -g / l.c.opt.Lambda
			l.slope += g * l.cw[j] * l.dv[j]
		}
	}
	l.t, l.tries = 1, 0
}

// step sends the first trial.
func (l *lane) step(u []float64) {
	l.path()
	l.look(u)
}

// path goes along a curve with tangent Δv in v. A weight that shrinks goes
// straight in v, and never reaches 0. One that grows does so only while it is too
// light to matter, c A_jj <= λ; from there on it goes straight in w, because
// e^(tΔv) would overshoot: after s in v, v + s + log(1 + tΔv − s).
func (l *lane) path() {
	c, lambda := l.c, l.c.opt.Lambda
	for j, e := range l.dv {
		v, e := l.from[j], l.t*e
		switch light := lambda / (c.opt.PVec[j] * c.typical[j*c.n+j]); {
		case !c.opt.Doubled && e > 0:
			s := min(e, max(0, math.Log(light)-v))
			v += s + math.Log1p(e-s)
		case c.opt.Doubled && v*e >= 0:
			a, b := math.Abs(v), math.Abs(e)
			s := min(b, max(0, math.Acosh(max(1, light/2))-a))
			if a += s; a < 300 {
				a = math.Asinh(math.Sinh(a) + math.Cosh(a)*(b-s))
			} else {
				a += math.Log1p(b - s)
			}
			v = math.Copysign(a, v+e)
		default:
			v += e
		}
		v = min(c.link.vmax, v)
		if c.opt.Doubled {
			v = max(-c.link.vmax, v)
		}
		l.v[j] = v
	}
}

// alone codes one signal without a crowd, in float64.
func (k *work) alone(x, r, w []float64) outcome {
	start := append([]float64(nil), r...)
	c := k.c
	l := newLane(c, false)
	l.x, l.out, l.e, l.watch = x, w, r, k.watch
	l.enter(r)
	u, g := make([]float64, c.n), make([]float64, c.n)
	for l.begin(u, k); !l.done && k.ctx.Err() == nil; {
		c.mul(k.z, u)
		l.forward(k.z)
		c.mulT(g, 1, k.z)
		l.backward(g, u)
	}
	return l.handOver(k, x, start, r, w)
}

// handOver takes a lane's outcome, or codes the signal again by logNewton if the
// lane ran out of steps or got stuck.
func (l *lane) handOver(k *work, x, start, r, w []float64) outcome {
	if !l.stuck && (l.o.status != ended.IterationLimit || l.o.steps < laneSteps || l.o.steps >= l.c.opt.MaxIterations) {
		return l.o
	}
	copy(r, start)
	return k.logNewton(x, r, w)
}

// enter takes v = B'r/λ as the start.
func (l *lane) enter(r []float64) {
	l.c.mulT(l.v, 1/l.c.opt.Lambda, r)
	if !(largest(l.v) < l.c.link.vmax) {
		clear(l.v)
	}
}

// A preconditioner is I + sAs with A = B'S⁰B at a fixed f⁰ instead of the
// signal's f, and with only the columns that count: for the others s²A_jj is small.
type preconditioner struct {
	at  []int // the columns that count
	t   blas64.Triangular
	a   []float64
	b   []float64
	use bool
}

const counts = 0.05

func (m *preconditioner) factor(c *Coder, s []float64) {
	m.at = m.at[:0]
	for j, v := range s {
		if v*v*c.typical[j*c.n+j] > counts {
			m.at = append(m.at, j)
		}
	}
	k := len(m.at)
	m.use = false
	if k == 0 {
		return
	}
	if cap(m.a) < k*k {
		m.a, m.b = make([]float64, k*k), make([]float64, c.n)
	}
	a := m.a[:k*k]
	for p, i := range m.at {
		row := c.typical[i*c.n : (i+1)*c.n]
		for q := p; q < k; q++ {
			a[p*k+q] = s[i] * s[m.at[q]] * row[m.at[q]]
		}
		a[p*k+p]++
	}
	m.t, m.use = lapack64.Potrf(blas64.Symmetric{N: k, Stride: k, Data: a, Uplo: blas.Upper})
}

func (m *preconditioner) solve(x []float64) {
	if !m.use {
		return
	}
	b := m.b[:len(m.at)]
	for p, j := range m.at {
		b[p] = x[j]
	}
	blas64.Trsv(blas.Trans, m.t, vec(b))
	blas64.Trsv(blas.NoTrans, m.t, vec(b))
	for p, j := range m.at {
		x[j] = b[p]
	}
}

// newTypical is A = B'S⁰B (n×n) with S⁰ at f⁰ (D).
func newTypical(c *Coder) []float64 {
	n, d := c.n, c.d
	f := c.opt.Typical
	if f == nil {
		k := newWork(c, nil)
		c.mul(k.z, c.opt.PVec)
		if c.opt.Doubled {
			clear(k.z)
		}
		k.transfer()
		f = k.f
	}
	rows := make([]float64, n*d)
	for j := range n {
		b := c.column(j)
		mean := dot(b, f)
		for i, v := range b {
			rows[j*d+i] = math.Sqrt(f[i]) * (v - mean)
		}
	}
	a := make([]float64, n*n)
	blas64.Syrk(blas.NoTrans, 1, blas64.General{Rows: n, Cols: d, Stride: d, Data: rows}, 0,
		blas64.Symmetric{N: n, Stride: n, Data: a, Uplo: blas.Upper})
	return a
}

// crowd takes all N signals through: begin sets a lane up for signal i and fills
// its first u, finish takes its result.
func (c *Coder) crowd(ctx context.Context, what string, N int, begin func(k *work, l *lane, i int, u []float64), finish func(k *work, l *lane) error) error {
	workers := c.workers()
	most := min(lanes, (N+workers-1)/workers)
	return c.share(ctx, what, N, 1, func(k *work, q *queue) {
		// At least two rows: a product with one row sums in another order.
		r := newRound(c, max(2, most))
		u := r.u
		var busy, spare []*lane
		for {
			for len(busy) < most {
				i, end := q.take(1)
				if i == end {
					break
				}
				if len(spare) == 0 {
					spare = append(spare, newLane(c, c.opt.Single))
				}
				l := spare[len(spare)-1]
				spare = spare[:len(spare)-1]
				l.i = i
				begin(k, l, i, u.Data[len(busy)*c.n:(len(busy)+1)*c.n])
				busy = append(busy, l)
			}
			if len(busy) == 0 {
				return
			}
			m := max(2, len(busy))
			clear(u.Data[len(busy)*c.n : m*c.n])
			r.do(busy, m)
			for i := len(busy) - 1; i >= 0; i-- {
				l := busy[i]
				if !l.done {
					continue
				}
				end := len(busy) - 1
				copy(u.Data[i*c.n:(i+1)*c.n], u.Data[end*c.n:(end+1)*c.n])
				busy[i] = busy[end]
				busy = busy[:end]
				spare = append(spare, l)
				q.note(1, finish(k, l))
			}
			if !q.note(0, q.ctx.Err()) {
				return
			}
		}
	})
}

// A round has the matrices of the two products.
type round struct {
	c             *Coder
	u, z, g       blas64.General // m×n, m×D, m×n
	u32, z32, g32 blas32.General
}

func newRound(c *Coder, m int) *round {
	r := &round{c: c}
	r.u = blas64.General{Rows: m, Cols: c.n, Stride: c.n, Data: make([]float64, m*c.n)}
	r.g = blas64.General{Rows: m, Cols: c.n, Stride: c.n, Data: make([]float64, m*c.n)}
	if !c.opt.Single {
		r.z = blas64.General{Rows: m, Cols: c.d, Stride: c.d, Data: make([]float64, m*c.d)}
		return r
	}
	r.u32 = blas32.General{Rows: m, Cols: c.n, Stride: c.n, Data: make([]float32, m*c.n)}
	r.z32 = blas32.General{Rows: m, Cols: c.d, Stride: c.d, Data: make([]float32, m*c.d)}
	r.g32 = blas32.General{Rows: m, Cols: c.n, Stride: c.n, Data: make([]float32, m*c.n)}
	return r
}

// do takes the lanes through one round with products of m rows.
func (r *round) do(busy []*lane, m int) {
	n, d := r.c.n, r.c.d
	if r.c.opt.Single {
		r.u32.Rows, r.z32.Rows, r.g32.Rows = m, m, m
		narrow(r.u32.Data[:m*n], r.u.Data[:m*n])
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, r.u32, r.c.single, 0, r.z32)
		for i, l := range busy {
			l.forward32(r.z32.Data[i*d : (i+1)*d])
		}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, r.z32, r.c.single, 0, r.g32)
		widen(r.g.Data[:m*n], r.g32.Data[:m*n])
	} else {
		r.u.Rows, r.z.Rows, r.g.Rows = m, m, m
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, r.u, r.c.bt, 0, r.z)
		for i, l := range busy {
			l.forward(r.z.Data[i*d : (i+1)*d])
		}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, r.z, r.c.bt, 0, r.g)
	}
	for i, l := range busy {
		l.backward(r.g.Data[i*n:(i+1)*n], r.u.Data[i*n:(i+1)*n])
	}
}
