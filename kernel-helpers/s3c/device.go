package s3c

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"overcomplete/kernel-helpers/gpu"
)

// estepText has the kernels of Algorithm 1 in OpenCL C.
//
//go:embed estep.cl
var estepText string

// These sizes are also in estep.cl.
const (
	deviceGroup   = 128  // work items in a group
	devicePatches = 64   // PATCHES: columns of a tile
	deviceUnits   = 128  // UNITS: rows of a tile of P
	devicePart    = 1024 // PART: number of patches in one sum in float32
	deviceRows    = 8    // the maximum of ROWS; a tile of R has 16·ROWS rows
)

// These are the maximum numbers of patches in a batch. On a graphics card, a batch has enough patches to keep the card
// busy. On a processor, a batch has so few patches that it ends soon after its context is done.
const (
	mostOnCard      = 1 << 15
	mostOnProcessor = 1 << 8
)

// A deviceSystem is a model prepared for Algorithm 1 on a device, such as a graphics card (see package gpu). Several
// goroutines may call encode. While the device is working, further calls wait; the patches of waiting calls are then
// encoded together.
type deviceSystem struct {
	device     gpu.Device
	program    gpu.Program
	d, n       int       // the model's D and N
	rows       int       // ROWS in estep.cl
	D, N       int       // d and n, rounded up; the additional elements are 0
	w, wt      []float32 // w is √β W transposed (N×D), wt is √β W itself (D×N)
	root       []float32 // √β (d)
	param      []float32 // N×inRow, see vector.go
	start      []float32 // σ(b) and μ (2×N)
	etaH, etaS []float32
	rho        float32

	mu      sync.Mutex // guards waiting
	waiting []*request
	working sync.Mutex // held by the call for which the device works
	most    int        // maximum number of patches in a batch; it is lowered when the device's memory does not suffice
}

// A request holds the arguments and the result of a call to encode or pool. Only a call to pool has cells.
type request struct {
	ctx     context.Context
	h, s, x []float32
	cell    []int // cell[i] is the cell of patch i, and h has the sums of all cells (cells×N)
	n       int
	done    bool // done, err, h and s are set by the call for which the device works
	err     error
}

// wants returns what a request asks for: slabs is true if it asks for ŝ, and pooled is true if it comes from a call to
// pool. Only requests that ask for the same are served together.
func (r *request) wants() (slabs, pooled bool) { return r.s != nil, r.cell != nil }

// up rounds n up to a multiple of k.
func up(n, k int) int { return (n + k - 1) / k * k }

func newDeviceSystem(y *system, device gpu.Device) (*deviceSystem, error) {
	tiles := up(y.d, 16*deviceRows) / (16 * deviceRows)
	rows := up(y.d, 16*tiles) / (16 * tiles)
	o := &deviceSystem{device: device, d: y.d, n: y.n, rows: rows, D: 16 * rows * tiles, N: up(y.n, deviceUnits)}
	o.w, o.wt = make([]float32, o.N*o.D), make([]float32, o.D*o.N)
	o.param, o.start = make([]float32, o.N*inRow), make([]float32, 2*o.N)
	o.set(y)
	info := device.Info()
	o.most = mostOnCard
	if info.Processor {
		o.most = mostOnProcessor
	}
	// Use only half of the memory, because other programs need some, too.
	per := min(info.Memory/2/o.patchBytes(), info.Largest/int64(4*max(o.N, o.D)))
	o.most = max(devicePatches, int(min(int64(o.most), per))/devicePatches*devicePatches)
	var err error
	if o.program, err = device.Build(estepText, fmt.Sprintf("-cl-mad-enable -D ROWS=%d", rows)); err != nil {
		return nil, fmt.Errorf("s3c: %w", err)
	}
	return o, nil
}

// set copies the numbers of y, a system with the same d and n.
func (o *deviceSystem) set(y *system) {
	o.root, o.etaH, o.etaS, o.rho = y.root, y.etaH, y.etaS, y.rho
	for i := range y.n {
		for k, v := range y.w[i*y.stride : i*y.stride+y.d] {
			o.w[i*o.D+k], o.wt[k*o.N+i] = v, v
		}
	}
	copy(o.param, y.param)
	copy(o.start, y.h)
	copy(o.start[o.N:], y.s)
}

// patchBytes returns how many bytes a patch takes on the device, for X, V, R, H, S, the result and a run.
func (o *deviceSystem) patchBytes() int64 { return 4 * int64(o.d+2*o.D+2*o.N+o.n+1) }

// A deviceBatch holds the buffers for a batch.
type deviceBatch struct {
	w, wt, root, param, start gpu.Buffer
	x, v, r, h, s, out, runs  gpu.Buffer
	all                       []gpu.Buffer
}

func (b *deviceBatch) free() {
	for _, x := range b.all {
		x.Free()
	}
}

// allocate returns buffers for the given number of patches.
func (o *deviceSystem) allocate(patches int) (*deviceBatch, error) {
	b := &deviceBatch{}
	for _, a := range []struct {
		to   *gpu.Buffer
		n    int
		from []float32
	}{
		{&b.w, len(o.w), o.w}, {&b.wt, len(o.wt), o.wt}, {&b.root, len(o.root), o.root}, {&b.param, len(o.param), o.param},
		{&b.start, len(o.start), o.start}, {&b.x, patches * o.d, nil}, {&b.v, patches * o.D, nil}, {&b.r, patches * o.D, nil},
		{&b.h, patches * o.N, nil}, {&b.s, patches * o.N, nil}, {&b.out, patches * o.n, nil}, {&b.runs, patches + 1, nil},
	} {
		x, err := o.device.Alloc(a.n)
		if err == nil {
			*a.to = x
			b.all = append(b.all, x)
			err = x.Write(a.from)
		}
		if err != nil {
			b.free()
			return nil, err
		}
	}
	return b, nil
}

// encode stores ĥ in h and, unless s is nil, ŝ in s (n×N each) for the patches X (n×d).
func (o *deviceSystem) encode(ctx context.Context, h, s, X []float32, n int) error {
	return o.ask(&request{ctx: ctx, h: h, s: s, x: X, n: n})
}

// pool adds ĥ of each of the n patches X (n×d) to the sums of the patch's cell; sums is cells×N. Only sums of adjacent
// patches in one cell leave the device.
func (o *deviceSystem) pool(ctx context.Context, sums []float32, cell []int, X []float32, n int) error {
	if n == 0 {
		return nil
	}
	return o.ask(&request{ctx: ctx, h: sums, x: X, cell: cell, n: n})
}

// ask waits until r is served.
func (o *deviceSystem) ask(r *request) error {
	o.mu.Lock()
	o.waiting = append(o.waiting, r)
	o.mu.Unlock()
	o.working.Lock()
	defer o.working.Unlock()
	for !r.done {
		o.serve(o.next()) // the requests that are served may not include r yet
	}
	return r.err
}

// next removes requests from the front of the queue and returns them. It takes the first request, and then more
// requests as long as all fit into one batch. It stops before a request that asks for something other than the first.
func (o *deviceSystem) next() []*request {
	o.mu.Lock()
	defer o.mu.Unlock()
	k, n := 1, o.waiting[0].n
	slabs, pooled := o.waiting[0].wants()
	for k < len(o.waiting) && n+o.waiting[k].n <= o.most {
		if s, p := o.waiting[k].wants(); s != slabs || p != pooled {
			break
		}
		n += o.waiting[k].n
		k++
	}
	list := o.waiting[:k:k]
	o.waiting = o.waiting[k:]
	return list
}

// serve serves all requests together. If that fails, it serves each request alone, so that each request gets its own
// error.
func (o *deviceSystem) serve(list []*request) {
	answer := o.answer
	if list[0].cell != nil {
		answer = o.addUp
	}
	if len(list) > 1 && answer(list) == nil {
		for _, r := range list {
			r.done = true
		}
		return
	}
	for _, r := range list {
		r.done, r.err = true, answer([]*request{r})
	}
}

// patchesOf returns the patches of all requests, and their number.
func patchesOf(list []*request) (x []float32, n int) {
	if len(list) == 1 {
		return list[0].x, list[0].n
	}
	for _, r := range list {
		x = append(x, r.x...)
		n += r.n
	}
	return x, n
}

// answer stores ĥ of each request's patches in the request's h and, unless its s is nil, ŝ in its s.
func (o *deviceSystem) answer(list []*request) error {
	x, n := patchesOf(list)
	if len(list) == 1 {
		r := list[0]
		return o.batches(r.ctx, x, n, o.storeIn(r.h, r.s))
	}
	h := make([]float32, n*o.n)
	var s []float32
	if list[0].s != nil {
		s = make([]float32, n*o.n)
	}
	if err := o.batches(list[0].ctx, x, n, o.storeIn(h, s)); err != nil {
		return err
	}
	for _, r := range list {
		h = h[copy(r.h, h):]
		s = s[copy(r.s, s):]
	}
	return nil
}

// A run is a sequence of adjacent patches of one cell. sums has the cell's N sums.
type run struct {
	from, to int
	sums     []float32
}

// addUp adds ĥ of the patches of all requests to the sums of their cells. If it fails, it adds nothing.
func (o *deviceSystem) addUp(list []*request) error {
	x, n := patchesOf(list)
	var runs []run
	at := 0
	for _, r := range list {
		for i, c := range r.cell {
			if i == 0 || c != r.cell[i-1] {
				runs = append(runs, run{from: at, sums: r.h[c*o.n : (c+1)*o.n]})
			}
			at++
			runs[len(runs)-1].to = at
		}
	}
	sums := make([]float32, len(runs)*o.n)
	first := 0 // of the runs that have patches in the batch
	err := o.batches(list[0].ctx, x, n, func(b *deviceBatch, from, to int) error {
		for runs[first].to <= from {
			first++
		}
		var start []float32
		for k := first; k < len(runs) && runs[k].from < to; k++ {
			start = append(start, float32(max(runs[k].from-from, 0)))
		}
		count := len(start)
		out := make([]float32, count*o.n)
		r := o.on(b, to-from)
		r.err = b.runs.Write(append(start, float32(to-from)))
		r.run("pool", up(len(out), deviceGroup)/deviceGroup, b.h, b.runs, b.out, int32(count), int32(o.n), int32(r.B))
		if r.err == nil {
			r.err = b.out.Read(out)
		}
		if r.err == nil {
			add(sums[first*o.n:][:len(out)], out)
		}
		return r.err
	})
	if err != nil {
		return err
	}
	for k, r := range runs {
		add(r.sums, sums[k*o.n:(k+1)*o.n])
	}
	return nil
}

// add adds x to sum.
func add(sum, x []float32) {
	for i, v := range x {
		sum[i] += v
	}
}

// batches performs Algorithm 1 for the n patches in X, in batches. After each batch it calls after(b, from, to), where
// b holds Q of the patches [from, to). If the device's memory does not suffice, batches makes the batches half as
// large.
func (o *deviceSystem) batches(ctx context.Context, X []float32, n int, after func(b *deviceBatch, from, to int) error) error {
	var b *deviceBatch
	release := func() {
		if b != nil {
			b.free()
			b = nil
		}
	}
	defer release()
	for from := 0; from < n; {
		to := min(n, from+o.most)
		var err error
		if b == nil {
			b, err = o.allocate(up(to-from, devicePatches))
		}
		if err == nil {
			err = o.infer(ctx, b, X[from*o.d:to*o.d], to-from)
		}
		if err == nil {
			err = after(b, from, to)
		}
		switch {
		case err == nil:
			from = to
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, gpu.ErrMemory):
			return fmt.Errorf("patches %d to %d on %s: %w", from, to-1, o.device.Info().Name, err)
		case to-from <= devicePatches:
			return fmt.Errorf("%d patches of %d numbers and %d units need %d bytes on %s: %w", devicePatches, o.d, o.n,
				devicePatches*o.patchBytes()+4*int64(len(o.w)+len(o.wt)+len(o.param)+len(o.start)+len(o.root)), o.device.Info().Name, err)
		default:
			release()
			o.most = up((to-from)/2, devicePatches)
		}
	}
	return nil
}

// A deviceRun runs kernels on a batch. After a kernel has failed, it runs no further kernels.
type deviceRun struct {
	o   *deviceSystem
	b   *deviceBatch
	B   int // number of columns: n, rounded up
	err error
}

func (o *deviceSystem) on(b *deviceBatch, n int) *deviceRun {
	return &deviceRun{o: o, b: b, B: up(n, devicePatches)}
}

// run runs a kernel, unless an earlier kernel failed.
func (r *deviceRun) run(kernel string, groups int, args ...any) {
	if r.err == nil {
		r.err = r.o.program.Run(kernel, groups, deviceGroup, args...)
	}
}

// residual computes R = V − W(H∘S).
func (r *deviceRun) residual() {
	o, b := r.o, r.b
	r.run("residual", o.D/(16*o.rows)*(r.B/devicePatches), b.v, b.w, b.h, b.s, b.r, int32(o.N), int32(o.D), int32(r.B))
}

// infer performs Algorithm 1 for one batch of n patches. It checks ctx before each update.
func (o *deviceSystem) infer(ctx context.Context, b *deviceBatch, X []float32, n int) error {
	r := o.on(b, n)
	B, N, D := int32(r.B), int32(o.N), int32(o.D)
	tiles := o.N / deviceUnits * (r.B / devicePatches)
	r.err = b.x.Write(X)
	r.run("load", o.D*r.B/deviceGroup, b.x, b.root, b.v, int32(n), int32(o.d), B)
	r.run("begin", o.N*r.B/deviceGroup, b.start, b.h, b.s, N, B)
	for k := range o.etaH {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.residual()
		r.run("slab", tiles, b.wt, b.r, b.param, b.h, b.s, o.etaS[k], o.rho, N, D, B)
		r.residual()
		r.run("spike", tiles, b.wt, b.r, b.param, b.h, b.s, o.etaH[k], N, D, B)
	}
	return r.err
}

// storeIn returns a function that is meant as the argument after of the method batches. For each batch, this function
// copies ĥ to the batch's place in h and, unless s is nil, ŝ to its place in s. h and s are n×N.
func (o *deviceSystem) storeIn(h, s []float32) func(b *deviceBatch, from, to int) error {
	return func(b *deviceBatch, from, to int) error {
		r, n := o.on(b, to-from), to-from
		store := func(dst []float32, x gpu.Buffer) {
			r.run("store", up(n*o.n, deviceGroup)/deviceGroup, x, b.out, int32(n), int32(o.n), int32(r.B))
			if r.err == nil {
				r.err = b.out.Read(dst[from*o.n : to*o.n])
			}
		}
		store(h, b.h)
		if s != nil {
			store(s, b.s)
		}
		return r.err
	}
}

// moments performs the E step for n patches X (n×d), and returns the moments and the sum of the energies, as
// block.moments does. On the device, sums over at most 1024 patches are computed in float32.
func (o *deviceSystem) moments(ctx context.Context, y *system, m *Model, X []float32, n int) (*Moments, float64, error) {
	out := newMoments(o.d, o.n)
	out.Patches = n
	units := make([]float64, 5*o.n)
	err := o.batches(ctx, X, n, func(b *deviceBatch, from, to int) error {
		r, n := o.on(b, to-from), int32(to-from)
		B, N, D := int32(r.B), int32(o.N), int32(o.D)
		parts := up(to-from, devicePart) / devicePart
		// read calls run, which must run a kernel that writes parts×rows×cols numbers to result, and returns these
		// numbers.
		read := func(rows, cols int, run func(result gpu.Buffer)) []float32 {
			result, err := o.device.Alloc(parts * rows * cols)
			if err != nil {
				r.err = err
				return nil
			}
			defer result.Free()
			run(result)
			x := make([]float32, parts*rows*cols)
			if r.err == nil {
				r.err = result.Read(x)
			}
			return x
		}
		r.residual()
		products := read(o.D, o.N, func(x gpu.Buffer) {
			r.run("outer", parts*(o.D/(16*o.rows))*(o.N/64), b.r, b.h, b.s, x, n, N, D, B)
		})
		sums := read(5, o.N, func(x gpu.Buffer) { r.run("sums", parts*o.N, b.h, b.s, x, n, N, B) })
		squares := read(1, o.D, func(x gpu.Buffer) { r.run("squares", parts*o.D, b.r, x, n, D, B) })
		if r.err != nil {
			return r.err
		}
		for p := range parts {
			for k := range o.d {
				row := out.RM.RawRowView(k)
				for i, v := range products[(p*o.D+k)*o.N:][:o.n] {
					row[i] += float64(v)
				}
				out.RR[k] += float64(squares[p*o.D+k])
			}
			for q := range 5 {
				for i, v := range sums[(p*5+q)*o.N:][:o.n] {
					units[q*o.n+i] += float64(v)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	F := 0.0
	for k := range o.d {
		for i := range out.RM.RawRowView(k) {
			out.RM.RawRowView(k)[i] /= float64(o.root[k])
		}
		F = out.dimension(F, m, k)
	}
	for i, variance := range m.slabVariances() {
		F += out.unit(y, m, i, variance, units[i], units[o.n+i], units[2*o.n+i], units[3*o.n+i], units[4*o.n+i])
	}
	return out, F, nil
}
