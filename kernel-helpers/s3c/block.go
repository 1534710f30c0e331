package s3c

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// blockPatches is the maximum number of patches that are updated together. Five N×blockPatches arrays, and W,
// should fit into the L2 cache.
const blockPatches = 32

// A system is a model prepared for the float32 updates. It is immutable and shared by all blocks.
//
// Row k of W and element k of v are multiplied by √β_k. After that the formulas hold with β = 1.
type system struct {
	d, n   int
	stride int       // d rounded up to a multiple of 16
	w      []float32 // √β W, transposed: n×stride, one unit per row, padded with zeros
	root   []float32 // √β (d)
	param  []float32 // n×inRow, see vector.go
	h, s   []float32 // σ(b) and μ (n)
	start  []float32 // √β W(σ(b)∘μ) (d): the same for all patches in the first update
	etaH   []float32
	etaS   []float32
	rho    float32
	gram   []float32 // W'βW (n×n) if n is so small that using it is faster; otherwise nil
	// These fields are used for skipping (see response), and are otherwise nil. c holds the eigenvalues of C, and g the
	// rotated g (stride numbers each). The field turn holds the eigenvectors (d×d), which rotate v and the columns of
	// W.
	c, g, turn []float32
}

func newSystem(m *Model, sch Schedule) *system {
	d, n := m.Dims()
	y := &system{d: d, n: n, stride: (d + 15) &^ 15, root: make([]float32, d),
		param: make([]float32, n*inRow), h: make([]float32, n), s: make([]float32, n),
		start: make([]float32, d), rho: float32(sch.Rho)}
	y.w = make([]float32, n*y.stride)
	w := m.weights()
	start, product := make([]float64, d), make([]float64, n)
	for i := range n {
		product[i] = sigmoid(m.Bias[i]) * m.Mu[i]
	}
	for k := range d {
		root := math.Sqrt(m.beta(k))
		y.root[k] = float32(root)
		for i, v := range m.W.RawRowView(k) {
			y.w[i*y.stride+k] = float32(root * v)
			start[k] += root * v * product[i]
		}
		y.start[k] = float32(start[k])
	}
	for i := range n {
		gamma := m.Alpha[i] + w[i]
		p := y.param[i*inRow:]
		p[pAlphaMu] = float32(m.Alpha[i] * m.Mu[i])
		p[pWide] = float32(w[i])
		p[pInverse] = float32(1 / gamma)
		p[pHalf] = float32(gamma / 2)
		p[pConstant] = float32(m.bestLogit(i, 0, 0, w[i]))
		y.h[i], y.s[i] = float32(sigmoid(m.Bias[i])), float32(m.Mu[i])
	}
	for k := range sch.H {
		y.etaH, y.etaS = append(y.etaH, float32(sch.H[k])), append(y.etaS, float32(sch.S[k]))
	}
	if n < 2*d { // then N² multiplications replace 2DN
		y.gram = make([]float32, n*n)
		blas32.Implementation().Sgemm(blas.NoTrans, blas.Trans, n, n, y.stride, 1, y.w, y.stride, y.w, y.stride, 0, y.gram, n)
	}
	return y
}

// A block holds the buffers of one goroutine: some patches and their Q. Each row of a matrix belongs to one unit (or
// dimension), and has one element for each patch. In the products Wm and W'(v − Wm), W is therefore the left factor,
// which package gemm need not pack. Also, all elements of a row share one unit's parameters.
type block struct {
	ctx   context.Context // nil if it never ends
	y     *system
	n     int       // number of patches
	width int       // n rounded up to a multiple of 16; the additional patches are 0
	v     []float32 // √β v (d×width)
	r     []float32 // √β(v − Wm) (d×width)
	p     []float32 // W'β(v − Wm) (N×width)
	h, s  []float32 // ĥ and ŝ (N×width)
	m     []float32 // ĥ∘ŝ (N×width)
	wv    []float32 // W'βv (N×width), for the Gram matrix
	skip  *skipBuffers
}

func (b *block) matrices() []*[]float32 { return []*[]float32{&b.p, &b.h, &b.s, &b.m} }

// load fills the block with n patches, the rows of X (n×d), and sets Q to the prior.
func (b *block) load(y *system, X []float32, n int) {
	b.y, b.n, b.width = y, n, (n+15)&^15
	grow := func(x []float32, n int) []float32 {
		if cap(x) < n {
			return make([]float32, n)
		}
		return x[:n]
	}
	b.v, b.r = grow(b.v, y.d*b.width), grow(b.r, y.d*b.width)
	for _, x := range b.matrices() {
		*x = grow(*x, y.n*b.width)
	}
	for k := range y.d {
		row := b.v[k*b.width : (k+1)*b.width]
		root := y.root[k]
		for j := range n {
			row[j] = root * X[j*y.d+k]
		}
		clear(row[n:])
	}
	if y.turn != nil {
		blas32.Implementation().Sgemm(blas.Trans, blas.NoTrans, y.d, b.width, y.d, 1, y.turn, y.d, b.v, b.width, 0, b.r, b.width)
		b.v, b.r = b.r, b.v
	}
	for i := range y.n {
		fill(b.h[i*b.width:(i+1)*b.width], y.h[i])
		fill(b.s[i*b.width:(i+1)*b.width], y.s[i])
	}
	if y.gram != nil {
		b.wv = grow(b.wv, y.n*b.width)
		copy(b.r, b.v)
		b.project()
		b.p, b.wv = b.wv, b.p
		for i := range y.n {
			fill(b.m[i*b.width:(i+1)*b.width], y.h[i]*y.s[i])
		}
	}
}

func fill(x []float32, v float32) {
	for i := range x {
		x[i] = v
	}
}

// residual computes r = v − Wm (d×width), with √β multiplied into v and W.
func (b *block) residual() {
	y := b.y
	copy(b.r, b.v)
	blas32.Implementation().Sgemm(blas.Trans, blas.NoTrans, y.d, b.width, y.n, -1, y.w, y.stride, b.m, b.width, 1, b.r, b.width)
}

// project computes p = W'r (N×width).
func (b *block) project() {
	y := b.y
	blas32.Implementation().Sgemm(blas.NoTrans, blas.NoTrans, y.n, b.width, y.d, 1, y.w, y.stride, b.r, b.width, 0, b.p, b.width)
}

// correlate computes p = W'(v − Wm) (N×width), by two products with W or one product with W'W.
func (b *block) correlate() {
	y := b.y
	if y.gram == nil {
		b.residual()
		b.project()
		return
	}
	copy(b.p, b.wv)
	blas32.Implementation().Sgemm(blas.NoTrans, blas.NoTrans, y.n, b.width, y.n, -1, y.gram, y.n, b.m, b.width, 1, b.p, b.width)
}

// sweep returns the arguments for one elementwise update of all units with damping eta.
func (b *block) sweep(eta float32) *sweep {
	return &sweep{p: &b.p[0], h: &b.h[0], s: &b.s[0], m: &b.m[0], param: &b.y.param[0],
		units: b.y.n, width: 4 * b.width, eta: eta, keep: 1 - eta, rho: b.y.rho, most: 1}
}

// update performs update k of Algorithm 1, first of ŝ and then of ĥ. If store is set, it also stores h*, the new ĥ
// before damping, in p.
func (b *block) update(k int, store bool) {
	y := b.y
	if k == 0 && y.gram == nil { // m is the same for all patches, so the first product is known: y.start
		for i, u := range y.start {
			row := b.r[i*b.width : (i+1)*b.width]
			for j, v := range b.v[i*b.width : (i+1)*b.width] {
				row[j] = v - u
			}
		}
		b.project()
	} else {
		b.correlate()
	}
	slabRows(b.sweep(y.etaS[k]))
	b.correlate()
	if store {
		spikeStoreRows(b.sweep(y.etaH[k]))
	} else {
		spikeRows(b.sweep(y.etaH[k]))
	}
}

// isOver reports whether the context is done.
func (b *block) isOver() bool { return b.ctx != nil && b.ctx.Err() != nil }

// infer performs all updates, or fewer if the context is done.
func (b *block) infer() {
	if b.skip != nil {
		b.inferSkipping()
		return
	}
	for k := range b.y.etaH {
		if b.isOver() {
			return
		}
		b.update(k, false)
	}
}

// store copies the transpose of x (N×width) to dst (n×N), without the additional patches.
func (b *block) store(dst, x []float32) {
	N := b.y.n
	const tile = 128 // number of rows that stay in the L1 cache until all patches are copied
	for i := 0; i < N; i += tile {
		rows := min(tile, N-i)
		for j := range b.n {
			column(dst[j*N+i:j*N+i+rows], x[i*b.width+j:], b.width)
		}
	}
}
