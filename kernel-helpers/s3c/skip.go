package s3c

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
)

// SkipOptions make an E step skip units that hardly matter. In each field zero means the default.
//
// The field First is the number of full updates before each patch's units are divided into passive and active units. A
// unit becomes passive if its spike is unlikely for the patch: if its ĥ and its h* are both at most Threshold, where h*
// is the value of ĥ before damping. The other units, a few dozen of 1600, are active: they continue as in Algorithm 1,
// using only their columns of W.
//
// A single passive unit does not matter, but all together do. Most passive units have ĥ near σ(b), its value under the
// prior, and their slabs follow the residual r. Let u = Σ W_i ĥ_i ŝ_i be the passive units' part of the
// reconstruction, and κ their mean ĥ. An update of ŝ then changes u by
//
//	u <- (1−η) u + η κ (g + C r),   C = W diag(1/γ) W'β,  g = W diag(1/γ) αμ
//
// An update of ĥ multiplies u by the new κ divided by the old κ. (As each ĥ approaches its h*, κ approaches the mean
// of h*.) An update of u takes D² multiplications instead of 2DN.
//
// The field Again is the number of such updates after which the passive units catch up; they also do so at the end. For
// this, the product of W' and the residual is computed once, and the ŝ and ĥ of the passive units are each updated
// once, with the combined damping of all missed updates. Then the active units are chosen again. A block with too many
// active units continues with full updates, so the E step with skipping is never much slower than without it.
type SkipOptions struct {
	First     int     // 0 means 2
	Again     int     // 0 means 5
	Threshold float64 // 0 means 0.06
}

func (o SkipOptions) complete() (SkipOptions, error) {
	if o.First < 0 || o.Again < 0 || !(o.Threshold >= 0 && o.Threshold < 1) {
		return o, fmt.Errorf("s3c: skipping with First %d, Again %d, Threshold %v", o.First, o.Again, o.Threshold)
	}
	if o.First == 0 {
		o.First = 2
	}
	if o.Again == 0 {
		o.Again = 5
	}
	if o.Threshold == 0 {
		o.Threshold = 0.06
	}
	return o, nil
}

// response computes C and g (see SkipOptions), and rotates the space of v so that C is diagonal. C r then costs only D
// multiplications, and the rotation changes nothing else. When ctx is done, response returns ctx's error.
func (y *system) response(ctx context.Context) error {
	c := mat.NewSymDense(y.d, nil)
	scaled, w := mat.NewDense(y.n, y.d, nil), mat.NewDense(y.n, y.d, nil)
	g := make([]float64, y.d)
	for i := range y.n {
		p := y.param[i*inRow:]
		for k := range y.d {
			v := float64(y.w[i*y.stride+k])
			w.Set(i, k, v)
			scaled.Set(i, k, v*math.Sqrt(float64(p[pInverse])))
			g[k] += v * float64(p[pInverse]*p[pAlphaMu])
		}
	}
	var e mat.EigenSym
	var U, turned mat.Dense
	found := false
	err := parallel.Await(ctx, float64(y.d)*float64(y.d)*float64(2*y.n+10*y.d), func() {
		c.SymOuterK(1, scaled.T())
		if found = e.Factorize(c, true); found {
			e.VectorsTo(&U)
			turned.Mul(w, &U) // (N×D)(D×D)
		}
	})
	if err != nil {
		return err
	}
	if !found {
		return errors.New("s3c: the response of the passive units has no eigenvectors")
	}
	y.gram = nil // skipping needs the residuals
	y.turn = make([]float32, y.d*y.d)
	y.c, y.g = make([]float32, y.stride), make([]float32, y.stride)
	start := append([]float32(nil), y.start...)
	for k, v := range e.Values(nil) {
		y.c[k] = float32(v)
		var gk, sk float64
		for i := range y.d {
			u := U.At(i, k)
			y.turn[i*y.d+k] = float32(u)
			gk += u * g[i]
			sk += u * float64(start[i])
		}
		y.g[k], y.start[k] = float32(gk), float32(sk)
		for i := range y.n {
			y.w[i*y.stride+k] = float32(turned.At(i, k))
		}
	}
	return nil
}

// skipBuffers holds the buffers for skipping.
type skipBuffers struct {
	opt  SkipOptions
	bits []uint64  // one bit per unit and patch: whether the unit is active
	sums []float32 // sums of s², h s² and h* s² over the passive units (3×width)

	list  []int32 // the active units, patch after patch
	begin []int   // where each patch's part of list begins (n+1)
	h, s  []float32
	x, u  []float32 // x holds v; for u see split and updateAlone; x and u have one patch per row (width×stride)

	w       []float32 // u and the active columns of one patch, (1+units) × stride
	param   []float32 // pConstant+1 arrays, each with an element for each active unit
	p, m, r []float32
	h1, s1  []float32
	sweep   sweep

	// Statistics: the numbers of patches, full updates, screenings, and active units found. Full updates and screenings
	// are counted per patch.
	patches, whole, screened, active int
}

// inferSkipping performs all updates, or fewer if the context is done.
func (b *block) inferSkipping() {
	k, o, updates := b.skip, b.skip.opt, len(b.y.etaH)
	k.patches += b.n
	k.x, k.u = resize(k.x, b.width*b.y.stride), resize(k.u, b.width*b.y.stride)
	clear(k.x)
	clear(k.u)
	b.turn(k.x, b.v)
	chosen := false // whether p holds h*
	for at := 0; at < updates && !b.isOver(); {
		// Skipping is not worthwhile for a single update.
		if at < o.First || at == updates-1 || !chosen || !b.screen() {
			b.update(at, at+1 >= o.First)
			at++
			chosen = at >= o.First
			k.whole += b.n
			continue
		}
		to := min(updates, at+o.Again)
		b.split()
		for j := range b.n {
			b.updateAlone(j, at, to)
		}
		b.catchUp(at, to)
		at = to
	}
}

func resize[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n+n/2)[:n]
	}
	return x[:n]
}

// screen lists the active units of each patch, and sets their m (the product of h and s) to 0. If too many units are
// active, it restores m and returns false.
func (b *block) screen() bool {
	k, y := b.skip, b.y
	words := (y.n*b.width + 63) / 64
	k.bits, k.sums = resize(k.bits, words), resize(k.sums, 3*b.width)
	k.bits[words-1] = 0
	clear(k.sums)
	c := b.sweep(float32(k.opt.Threshold))
	c.param, c.bits = &k.sums[0], (*byte)(unsafe.Pointer(&k.bits[0]))
	screenRows(c)
	// Count the active units of each patch first; then fill the list.
	count := make([]int, b.width)
	for at, set := range k.bits {
		for ; set != 0; set &= set - 1 {
			count[(64*at+bits.TrailingZeros64(set))%b.width]++
		}
	}
	k.begin = resize(k.begin, b.n+1)
	total := 0
	for j := range b.n {
		k.begin[j] = total
		total += count[j]
		count[j] = k.begin[j]
	}
	k.begin[b.n] = total
	if total > b.n*y.n/4 {
		for i, h := range b.h { // m includes all units again
			b.m[i] = h * b.s[i]
		}
		return false
	}
	k.screened += b.n
	k.active += total
	k.list, k.h, k.s = resize(k.list, total), resize(k.h, total), resize(k.s, total)
	for at, set := range k.bits {
		for ; set != 0; set &= set - 1 {
			from := 64*at + bits.TrailingZeros64(set)
			i, j := from/b.width, from%b.width
			if j >= b.n {
				continue // a padding patch
			}
			to := count[j]
			count[j]++
			k.list[to] = int32(i)
			k.h[to], k.s[to] = b.h[from], b.s[from]
		}
	}
	return true
}

// split stores v minus the passive units' part of the reconstruction in b.skip.u, one patch per row.
func (b *block) split() {
	b.residual() // m is 0 for the active units
	b.turn(b.skip.u, b.r)
}

// turn stores the transpose of x (d×width) in dst (width×stride), one patch per row.
func (b *block) turn(dst, x []float32) {
	for i := range b.y.d {
		row := x[i*b.width : (i+1)*b.width]
		for j, v := range row {
			dst[j*b.y.stride+i] = v
		}
	}
}

// turnBack stores the transpose of x (width×stride, one patch per row) in dst (d×width).
func (b *block) turnBack(dst, x []float32) {
	for i := range b.y.d {
		row := dst[i*b.width : (i+1)*b.width]
		for j := range row {
			row[j] = x[j*b.y.stride+i]
		}
	}
}

// updateAlone performs the updates [from, to) for the active units of patch j. It stores the final residual in the
// patch's row of b.skip.u, in place of the one from the method split.
func (b *block) updateAlone(j, from, to int) {
	k, y := b.skip, b.y
	list := k.list[k.begin[j]:k.begin[j+1]]
	units := (len(list) + 15) &^ 15
	k.w, k.param = resize(k.w, (units+1)*y.stride), resize(k.param, (pConstant+1)*units)
	k.p, k.m = resize(k.p, units), resize(k.m, units+1)
	k.h1, k.s1 = resize(k.h1, units), resize(k.s1, units)
	k.r = resize(k.r, y.stride)
	h, s := k.h[k.begin[j]:k.begin[j+1]], k.s[k.begin[j]:k.begin[j+1]]
	// u is treated as a column of W with the coefficient 1. Padding units have columns of 0, and stay 0.
	x, u, w, m := k.x[j*y.stride:(j+1)*y.stride], k.w[:y.stride], k.w[y.stride:], k.m[1:]
	rest := k.u[j*y.stride : (j+1)*y.stride]
	for i, v := range x {
		u[i] = v - rest[i]
	}
	k.m[0] = 1
	clear(w[len(list)*y.stride:])
	clear(k.param)
	clear(k.h1)
	clear(k.s1)
	copy(k.h1, h)
	copy(k.s1, s)
	for a, i := range list {
		copy(w[a*y.stride:(a+1)*y.stride], y.w[int(i)*y.stride:])
		for q, v := range y.param[int(i)*inRow : int(i)*inRow+pConstant+1] {
			k.param[q*units+a] = v
		}
		m[a] = h[a] * s[a]
	}
	c := &k.sweep
	if units > 0 {
		*c = sweep{p: &k.p[0], h: &k.h1[0], s: &k.s1[0], m: &m[0], param: &k.param[0],
			stride: 4 * units, units: 1, width: 4 * units, rho: y.rho}
	}
	residual := func() {
		copy(k.r, x)
		sums(k.w, k.m[:1+len(list)], k.r)
	}
	// now is κ, the mean of ĥ over the passive units, weighted by ŝ² as in C r.
	now, limit := float32(0), float32(0)
	if square := k.sums[j]; square > 0 {
		now, limit = k.sums[b.width+j]/square, k.sums[2*b.width+j]/square
	}
	for at := from; at < to; at++ {
		residual()
		if units > 0 {
			dots(units, w, k.r, k.p)
			c.eta, c.keep = y.etaS[at], 1-y.etaS[at]
			slabList(c)
		}
		// The current value of u is k.m[0] times the array u, so that a change of κ takes only one multiplication.
		respond(1-y.etaS[at], y.etaS[at]*now/k.m[0], y.g, y.c, k.r, u)
		residual()
		if units > 0 {
			dots(units, w, k.r, k.p)
			c.eta, c.keep = y.etaH[at], 1-y.etaH[at]
			spikeList(c)
		}
		if next := now + y.etaH[at]*(limit-now); next != now {
			k.m[0] *= next / now
			now = next
		}
	}
	residual()
	copy(rest, k.r)
	copy(h, k.h1)
	copy(s, k.s1)
}

// catchUp performs all the updates [from, to) of the passive units at once. It also copies the ĥ and ŝ of the active
// units, which updateAlone computed, back to the block.
func (b *block) catchUp(from, to int) {
	k, y := b.skip, b.y
	keepH, keepS := float32(1), float32(1)
	for at := from; at < to; at++ {
		keepH *= 1 - y.etaH[at]
		keepS *= 1 - y.etaS[at]
	}
	b.turnBack(b.r, k.u)
	b.project()
	// Both updates use the same projection, because the passive units hardly change the residual.
	c := b.sweep(1 - keepS)
	slabRows(c)
	// If several similar units became likely in this one update, each would explain what only one of them should
	// explain. So their ĥ is limited to the threshold; above it, units are active.
	c = b.sweep(1 - keepH)
	c.most = float32(k.opt.Threshold)
	spikeStoreRows(c)
	for j := range b.n {
		for a := k.begin[j]; a < k.begin[j+1]; a++ {
			at := int(k.list[a])*b.width + j
			b.h[at], b.s[at] = k.h[a], k.s[a]
			b.m[at] = k.h[a] * k.s[a]
			b.p[at] = k.h[a] // so that only ĥ decides whether the unit stays active
		}
	}
}
