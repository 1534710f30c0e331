package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A view is a matrix in memory that may be transposed: element (i, j) is data[i*rs+j*cs], where rs or cs is 1.
type view[T number] struct {
	data   []T
	rs, cs int
}

// t returns the transpose.
func (v view[T]) t() view[T] { return view[T]{v.data, v.cs, v.rs} }

// rowsFrom returns the view of the rows from i on.
func (v view[T]) rowsFrom(i int) view[T] { return view[T]{v.data[i*v.rs:], v.rs, v.cs} }

// These are the block sizes. No size depends on the number of threads or on the instruction set. The products that make
// up an element of C are added in the order of p within blocks of k, independently of the other sizes.
const (
	// blockBytes bounds the bytes per row of A in a block of k, so that 12 rows of a block stay in the L1 cache.
	blockBytes = 1024
	// panelBytes bounds the panels of packed B that one sliver of A is multiplied by, so that the panels stay
	// in the L2 cache.
	panelBytes = 512 << 10
	// packedBytes bounds the part of B that is packed at a time, so that it stays in the L3 cache.
	packedBytes = 8 << 20
	// blockColumns is the minimum number of columns of C in a block, if C has that many.
	blockColumns = 512
	// narrowBytes bounds the packed part of B that is read again for each group of rows, so that it is in the L2 cache
	// most of the time. groupBytes bounds the part of C in these rows.
	narrowBytes = 3 << 19
	groupBytes  = 256 << 10
	// worthThread is the number of multiply-adds that justifies waking a thread.
	worthThread = 1 << 20
)

// product computes C = alpha A B + beta C for C m×n, A m×k and B k×n, with m, n, k >= 1, on at most the given
// number of threads.
func (q *kernels[T]) product(threads, m, n, k int, alpha T, a, b view[T], beta T, c []T, ldc int) {
	if n == 1 && a.cs == 1 && b.rs == 1 {
		q.dotRows(m, k, alpha, a.data, a.rs, b.data, beta, c, ldc)
		return
	}
	if m == 1 && b.rs == 1 && a.cs == 1 {
		q.dotRows(n, k, alpha, b.data, b.cs, a.data, beta, c, 1)
		return
	}
	if q.whole != nil {
		w := q.workspace(q.workSize)
		defer q.release(w)
		q.whole(m, n, k, alpha, a, b, beta, c, ldc, &w.x[0])
		return
	}
	// B is packed unless only few rows of A use it. A transposed B is always packed.
	packB := b.cs != 1 || m > 2*q.rows
	packA := n > 4*q.lanes
	if !packA && !packB {
		q.direct(m, n, k, alpha, a, b, beta, c, ldc)
		return
	}
	j := q.job()
	j.m, j.n, j.k, j.alpha, j.a, j.b, j.beta, j.c, j.ldc = m, n, k, alpha, a, b, beta, c, ldc
	j.packA, j.packB, j.part = packA, packB, whole
	j.run(max(1, min(threads, m*n/64*k/(worthThread/64))))
	q.giveBack(j)
}

// job returns a job to fill in and run; giveBack returns the job to the pool.
func (q *kernels[T]) job() *job[T] {
	j, _ := q.jobs.Get().(*job[T])
	if j == nil {
		j = &job[T]{q: q}
		j.fn = j.help
	}
	return j
}

func (q *kernels[T]) giveBack(j *job[T]) {
	j.a, j.b, j.c = view[T]{}, view[T]{}, nil
	q.jobs.Put(j)
}

// blocks returns the number of blocks into which the inner dimension k is divided. It depends only on k.
func (q *kernels[T]) blocks(k int) int { return ceil(k, blockBytes/q.size()) }

// direct computes the product without packing, for small matrices.
func (q *kernels[T]) direct(m, n, k int, alpha T, a, b view[T], beta T, c []T, ldc int) {
	size := q.size()
	for s, blocks := 0, q.blocks(k); s < blocks; s++ {
		p0, p1 := part(k, s, blocks), part(k, s+1, blocks)
		for i, slivers := 0, ceil(m, q.rows); i < slivers; i++ {
			i0, i1 := part(m, i, slivers), part(m, i+1, slivers)
			for j0 := 0; j0 < n; j0 += 2 * q.lanes {
				q.tile(i1-i0, p1-p0, min(2*q.lanes, n-j0),
					&a.data[i0*a.rs+p0*a.cs], a.rs*size, a.cs*size,
					&b.data[p0*b.rs+j0], b.rs*size, &c[i0*ldc+j0], ldc*size, alpha, beta)
			}
		}
		beta = 1
	}
}

// tile computes a tile of C, alpha A B + beta C, with the micro-kernel. The tile has the size rows × cols and is at
// most two vectors wide, and k is the inner dimension. The strides rs and cs of a, bs of b, and ldc of c are in bytes.
func (q *kernels[T]) tile(rows, k, cols int, a *T, rs, cs int, b *T, bs int, c *T, ldc int, alpha, beta T) {
	if cols > q.lanes {
		q.tile2(rows, k, a, rs, cs, b, bs, c, ldc, cols-q.lanes, alpha, beta)
	} else {
		q.tile1(rows, k, a, rs, cs, b, bs, c, ldc, cols, alpha, beta)
	}
}

// A job is a running product with its buffers.
//
// All goroutines of a job go through the same phases. For each block of columns of C and each group of blocks of the
// inner index p, there is a packing phase for that part of B, and then a multiplication phase. Most products have one
// pair of phases. A counter hands out the tasks of a phase. A goroutine enters the next phase when all tasks of the
// current phase are done. The job never waits for a goroutine to start: a goroutine that starts late finds the early
// phases done, and if no other goroutine starts, the first goroutine does all the work. The result does not depend on
// which goroutine does which task.
type job[T number] struct {
	q            *kernels[T]
	m, n, k      int
	alpha, beta  T
	a, b         view[T]
	c            []T
	ldc          int
	packA, packB bool
	part         cPart

	threads int
	// slivers is the number of groups of at most q.rows rows; rowTasks is the number of tasks into which the
	// slivers are divided.
	slivers, rowTasks int
	// blockN is the number of columns of C in a block. The inner index p is divided into blocks: their number is in
	// blocks, and the number that are packed at a time is in group.
	blockN, blocks, group int

	phases []phase
	packed []T   // the packed part of B: block after block, panel after panel
	sliver [][]T // a sliver of A for each goroutine
	corner [][]T // a tile on the diagonal for each goroutine

	fn      func() // the method help as a value, created once so that a go statement does not allocate
	arrived atomic.Int32
	wait    sync.WaitGroup
}

// A cPart is the part of C that a job calculates.
type cPart int

const (
	whole cPart = iota
	upperPart
	lowerPart
)

// A phase counts the tasks that were handed out and the tasks that are done.
type phase struct{ next, done atomic.Int32 }

func (j *job[T]) run(threads int) {
	q, size := j.q, j.q.size()
	j.threads = threads
	j.blocks = q.blocks(j.k)
	kc := ceil(j.k, j.blocks)
	width := 2 * q.lanes
	// Pack all of k if enough columns still fit, because with fewer phases goroutines wait for each other
	// less often.
	j.blockN, j.group = roundUp(j.n, width), j.blocks
	if most := packedBytes / size; j.packB && j.blockN*j.k > most {
		j.blockN = min(j.blockN, max(blockColumns, most/j.k/width*width))
		j.group = max(1, min(j.blocks, most/(j.blockN*kc)))
	}
	narrow := j.blockN*j.k*size <= narrowBytes
	if j.packB && threads == 1 && !narrow {
		// A single thread does not wait for others, so it can use what it has packed at once, while it is still
		// in the L2 cache.
		j.group = max(1, min(j.group, panelBytes/(j.blockN*kc*size)))
	}
	j.slivers = ceil(j.m, q.rows)
	j.rowTasks = 1
	if j.blocks > 1 && narrow {
		// Finish groups of rows one after the other. Going through all rows of A for each block of k would read
		// many short pieces of memory, far apart.
		j.rowTasks = max(1, min(j.slivers, j.m*j.blockN*size/groupBytes))
	}
	if threads > 1 {
		// Use several tasks per goroutine, because goroutines run at different speeds. But a task should
		// contain several slivers.
		j.rowTasks = min(j.slivers, max(threads, min(8*threads, ceil(j.slivers, 4))))
	}
	if j.packB {
		j.packed = grow(j.packed, j.blockN*min(j.k, j.group*kc))
	}
	for len(j.sliver) < threads {
		j.sliver, j.corner = append(j.sliver, nil), append(j.corner, nil)
	}
	if j.part != whole {
		for i := range threads {
			j.corner[i] = grow(j.corner[i], q.rows*width)
		}
	}
	if j.packA {
		for i := range threads {
			j.sliver[i] = grow(j.sliver[i], q.rows*(kc+cacheLine/size))
		}
	}
	if n := 2 * ceil(j.blocks, j.group) * ceil(j.n, j.blockN); cap(j.phases) < n {
		j.phases = make([]phase, n)
	} else {
		j.phases = j.phases[:n]
		for i := range j.phases {
			j.phases[i].next.Store(0)
			j.phases[i].done.Store(0)
		}
	}
	j.arrived.Store(0)
	j.wait.Add(threads - 1)
	for range threads - 1 {
		go j.fn()
	}
	j.work()
	j.wait.Wait()
}

func (j *job[T]) help() {
	defer j.wait.Done()
	j.work()
}

// work performs the calling goroutine's share of the job: it goes through all phases, and returns when the last phase
// is done.
func (j *job[T]) work() {
	me := int(j.arrived.Add(1)) - 1
	ph := 0
	for n0 := 0; n0 < j.n; n0 += j.blockN {
		n1 := min(j.n, n0+j.blockN)
		panels := ceil(n1-n0, 2*j.q.lanes)
		// If there are few rows, the columns are divided into tasks as well.
		packs, colTasks := 1, 1
		if j.threads > 1 {
			packs = min(panels, 4*j.threads)
			colTasks = min(panels, ceil(4*j.threads, j.rowTasks))
		}
		for s0 := 0; s0 < j.blocks; s0 += j.group {
			s1 := min(j.blocks, s0+j.group)
			if j.packB {
				j.share(&j.phases[ph], (s1-s0)*packs, func(t int) {
					t, s := t%packs, s0+t/packs
					j.pack(part(panels, t, packs), part(panels, t+1, packs), n0, n1, s0, s)
				})
			}
			ph++
			j.share(&j.phases[ph], j.rowTasks*colTasks, func(t int) {
				r, c := t/colTasks, t%colTasks
				for s := s0; s < s1; s++ {
					j.multiply(me, part(j.slivers, r, j.rowTasks), part(j.slivers, r+1, j.rowTasks),
						part(panels, c, colTasks), part(panels, c+1, colTasks), n0, n1, s0, s)
				}
			})
			ph++
		}
	}
}

// panel returns the memory for panel p of block s in the packed part of B. This part consists of the columns n0 to
// n1−1, and begins with block s0.
func (j *job[T]) panel(p, n0, n1, s0, s int) []T {
	width := 2 * j.q.lanes
	before := part(j.k, s, j.blocks) - part(j.k, s0, j.blocks)
	kc := part(j.k, s+1, j.blocks) - part(j.k, s, j.blocks)
	return j.packed[before*roundUp(n1-n0, width)+p*width*kc:]
}

// share performs tasks of a phase until no task is left, and then waits until the other goroutines have finished their
// tasks.
func (j *job[T]) share(ph *phase, tasks int, do func(task int)) {
	if j.threads == 1 {
		for t := range tasks {
			do(t)
		}
		return
	}
	for t := int(ph.next.Add(1)) - 1; t < tasks; t = int(ph.next.Add(1)) - 1 {
		do(t)
		ph.done.Add(1)
	}
	for spin := 0; int(ph.done.Load()) < tasks; spin++ {
		switch {
		case spin > 1000:
			// The operating system has probably suspended a thread with an unfinished task, and may need this
			// processor to resume that thread.
			time.Sleep(10 * time.Microsecond)
		case spin > 100:
			runtime.Gosched()
		}
	}
}

// pack packs columns n0 to n1−1 of block s of B into panels, each two vectors wide. The last panel is one vector wide
// if that is enough. Of these panels, pack fills only those whose number p satisfies from <= p < to. Block s0 is the
// first one in the packed memory.
func (j *job[T]) pack(from, to, n0, n1, s0, s int) {
	q, size, b := j.q, j.q.size(), j.b
	p0, p1 := part(j.k, s, j.blocks), part(j.k, s+1, j.blocks)
	kc := p1 - p0
	for p := from; p < to; p++ {
		j0 := n0 + p*2*q.lanes
		cols := min(2*q.lanes, n1-j0)
		dst, stride := j.panel(p, n0, n1, s0, s), q.stride(cols)
		if b.cs == 1 {
			q.copy(&dst[0], stride, &b.data[p0*b.rs+j0], b.rs*size, kc, cols)
			continue
		}
		for v := 0; v < cols; v += q.lanes {
			q.transpose(&dst[v], stride, &b.data[p0+(j0+v)*b.cs], b.cs*size, min(q.lanes, cols-v), kc)
		}
	}
}

// stride returns the width in bytes of a packed panel with the given number of columns. The width is a whole number of
// vectors.
func (q *kernels[T]) stride(cols int) int { return roundUp(cols, q.lanes) * q.size() }

// multiply adds to C a part of the product of block s of A and block s of B: the slivers of A with numbers i0 to i1−1,
// times the panels p of B, where from <= p < to. A sliver has as many rows as a tile. The panels are counted from
// column n0, and the last one ends before column n1. If s is 0, multiply also scales C by beta. The packed
// memory begins with block s0. The argument me is the number of the calling goroutine.
//
// A sliver of A is multiplied by several panels of B in turn. If A is packed, the sliver is first copied, so that rows
// at a distance of a power of two do not evict each other from the cache. The copy has the order of A in memory: row
// by row, or column by column if A is transposed. The micro-kernel accepts both orders.
func (j *job[T]) multiply(me, i0, i1, from, to, n0, n1, s0, s int) {
	q, size := j.q, j.q.size()
	p0, p1 := part(j.k, s, j.blocks), part(j.k, s+1, j.blocks)
	kc, width := p1-p0, 2*q.lanes
	beta := j.beta
	if s > 0 {
		beta = 1
	}
	most := max(1, panelBytes/(kc*width*size))
	for ; from < to; from += most {
		until := min(to, from+most)
		for i := i0; i < i1; i++ {
			r0, r1 := part(j.m, i, j.slivers), part(j.m, i+1, j.slivers)
			first, end := j.panels(r0, r1, from, until, n0)
			if first >= end {
				continue
			}
			a, rs, cs := j.sliverOf(me, r0, r1, p0, p1)
			b, bs, next := j.panelsOf(first, n0, n1, s0, s, p0, kc)
			at := 0
			for p := first; p < end; p++ {
				j0 := n0 + p*width
				cols := min(width, n1-j0)
				if cols < width && j.packB {
					bs = q.stride(cols)
				}
				if j.part != whole && j.crosses(r0, r1, j0, cols) {
					t := j.corner[me]
					q.tile(r1-r0, kc, cols, a, rs, cs, &b[at], bs, &t[0], width*size, j.alpha, 0)
					j.addCorner(r0, r1, j0, cols, beta, t, width)
				} else {
					q.tile(r1-r0, kc, cols, a, rs, cs, &b[at], bs, &j.c[r0*j.ldc+j0], j.ldc*size, j.alpha, beta)
				}
				at += next
			}
		}
	}
}

// panelsOf returns the part b of B that begins with panel p of block s. stride is the distance in bytes from one row of
// a panel to the next, and step is the distance in elements from one panel to the next. Block s begins at row p0 of B
// and has kc rows. Call panelsOf once for several panels: its divisions take a tenth of the time of a tile.
func (j *job[T]) panelsOf(p, n0, n1, s0, s, p0, kc int) (b []T, stride, step int) {
	width, size := 2*j.q.lanes, j.q.size()
	if j.packB {
		return j.panel(p, n0, n1, s0, s), width * size, width * kc
	}
	return j.b.data[p0*j.b.rs+n0+p*width:], j.b.rs * size, width
}

// sliverOf returns rows r0 to r1−1 and columns p0 to p1−1 of A, with the strides rs and cs in bytes. If A is packed,
// it returns a copy, which is valid until goroutine number me calls sliverOf again.
func (j *job[T]) sliverOf(me, r0, r1, p0, p1 int) (a *T, rs, cs int) {
	q, size := j.q, j.q.size()
	a, rs, cs = &j.a.data[r0*j.a.rs+p0*j.a.cs], j.a.rs*size, j.a.cs*size
	if !j.packA {
		return a, rs, cs
	}
	to := &j.sliver[me][0]
	if j.a.cs == 1 {
		stride := (p1-p0)*size + cacheLine
		q.copy(to, stride, a, rs, r1-r0, p1-p0)
		return to, stride, size
	}
	stride := q.rows * size
	q.copy(to, stride, a, cs, p1-p0, r1-r0)
	return to, size, stride
}

// part returns the start of part i if a range of the given length is divided into n nearly equal parts.
func part(length, i, n int) int { return length * i / n }

func ceil(a, b int) int { return (a + b - 1) / b }

func roundUp(a, b int) int { return ceil(a, b) * b }
