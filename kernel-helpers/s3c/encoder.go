package s3c

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/gpu"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// EncoderOptions are the options of Model.NewEncoder. The zero value is Algorithm 1 as published.
type EncoderOptions struct {
	// Schedule is the schedule of the updates. If it is empty, DefaultSchedule is used.
	Schedule Schedule
	// Skip makes the E step skip units that hardly matter. nil means that no unit is skipped.
	Skip *SkipOptions
	// Device performs the E step; Skip must then be nil. If Device is nil, the processor performs it. See "On a device"
	// in the package's comment.
	Device gpu.Device
}

// An Encoder performs the E step in float32 for any number of patches, in blocks that stay in the cache. It
// is not safe for concurrent use; Fork returns encoders for other goroutines.
type Encoder struct {
	y     *system
	skip  *SkipOptions
	on    *deviceSystem // nil for the processor
	block block
	bad   []int
	clean []float32
	codes []float32 // of AddContext
}

// NewEncoder prepares the model for encoding. Later changes to the model have no effect. options may be nil.
func (m *Model) NewEncoder(options *EncoderOptions) (*Encoder, error) {
	var opt EncoderOptions
	if options != nil {
		opt = *options
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	sch, err := opt.Schedule.check()
	if err != nil {
		return nil, err
	}
	e := &Encoder{y: newSystem(m, sch)}
	for _, p := range [][]float32{e.y.w, e.y.root, e.y.param, e.y.s} {
		if finite.Index(p) >= 0 {
			return nil, fmt.Errorf("s3c: the model has numbers beyond the range of float32")
		}
	}
	if opt.Device != nil {
		if opt.Skip != nil {
			return nil, errors.New("s3c: Skip and Device exclude each other")
		}
		e.on, err = newDeviceSystem(e.y, opt.Device)
		return e, err
	}
	if opt.Skip != nil {
		o, err := opt.Skip.complete()
		if err != nil {
			return nil, err
		}
		e.skip = &o
		if err := e.y.response(context.Background()); err != nil {
			return nil, err
		}
		e.block.skip = &skipBuffers{opt: o}
	}
	return e, nil
}

// Fork returns an encoder of the same model for another goroutine. The new encoder allocates no memory until it is
// used.
func (e *Encoder) Fork() *Encoder {
	f := &Encoder{y: e.y, skip: e.skip, on: e.on}
	if f.skip != nil {
		f.block.skip = &skipBuffers{opt: *f.skip}
	}
	return f
}

// Dims returns D, the size of a patch, and N, the size of a code.
func (e *Encoder) Dims() (d, n int) { return e.y.d, e.y.n }

// Encode stores E_Q[h] of the n patches X (n×D, one in each row) in dst (n×N). A patch's code does not depend on other
// patches, except through rounding. With EncoderOptions.Skip, however, it depends on the other patches in its block of
// 32. The code of a patch with NaN or Inf is a row of NaN. If a device fails, Encode panics with the error that
// EncodeContext would return.
func (e *Encoder) Encode(dst, X []float32, n int) { e.mustEncode(dst, nil, X, n) }

// EncodeBoth is like Encode, but also stores ŝ (n×N).
func (e *Encoder) EncodeBoth(h, s, X []float32, n int) {
	if len(s) != n*e.y.n {
		panic(fmt.Sprintf("s3c: EncodeBoth: s has %d numbers, must be %d×%d", len(s), n, e.y.n))
	}
	e.mustEncode(h, s, X, n)
}

func (e *Encoder) mustEncode(h, s, X []float32, n int) {
	if err := e.EncodeContext(context.Background(), h, s, X, n); err != nil {
		panic(err)
	}
}

// EncodeContext is like EncodeBoth, but s may be nil. If ctx is done, or a device fails, EncodeContext stops after the
// current update and returns the error; h and s are then incomplete.
func (e *Encoder) EncodeContext(ctx context.Context, h, s, X []float32, n int) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := e.encode(ctx, h, s, X, n); err != nil {
		return fmt.Errorf("s3c: Encode: %w", err)
	}
	return nil
}

// AddContext adds E_Q[h] of each of the n patches X (n×D) to the sums of the patch's cell, as pooling does: patch i
// belongs to cell number cell[i], and sums is cells×N. On a device, this takes less time than EncodeContext, because the
// codes themselves stay there. If ctx is done, or a device fails, AddContext returns the error; sums are then
// incomplete.
func (e *Encoder) AddContext(ctx context.Context, sums []float32, cell []int, X []float32, n int) error {
	if ctx == nil {
		ctx = context.Background()
	}
	N := e.y.n
	if n < 0 || len(X) != n*e.y.d || len(cell) != n || len(sums)%N != 0 {
		panic(fmt.Sprintf("s3c: AddContext: X has %d numbers, must be %d×%d; there are %d cells, and %d sums, which must be a multiple of %d", len(X), n, e.y.d, len(cell), len(sums), N))
	}
	var err error
	if e.on != nil {
		err = e.on.pool(ctx, sums, cell, e.replaceNonFinite(X, n), n)
		for _, j := range e.bad {
			fill(sums[cell[j]*N:(cell[j]+1)*N], float32(math.NaN()))
		}
	} else {
		e.codes = slices.Grow(e.codes[:0], n*N)[:n*N]
		err = e.encode(ctx, e.codes, nil, X, n)
		for i, c := range cell {
			add(sums[c*N:(c+1)*N], e.codes[i*N:(i+1)*N])
		}
	}
	if err != nil {
		return fmt.Errorf("s3c: AddContext: %w", err)
	}
	return nil
}

func (e *Encoder) encode(ctx context.Context, h, s, X []float32, n int) error {
	d, N := e.y.d, e.y.n
	if n < 0 || len(X) != n*d || len(h) != n*N || s != nil && len(s) != n*N {
		panic(fmt.Sprintf("s3c: Encode: X has %d numbers, must be %d×%d; h %d and s %d, must be %d×%d", len(X), n, d, len(h), len(s), n, N))
	}
	if e.on != nil {
		err := e.on.encode(ctx, h, s, e.replaceNonFinite(X, n), n)
		e.markBad(h, s, 0)
		return err
	}
	e.block.ctx = ctx
	blocks := (n + blockPatches - 1) / blockPatches
	for k := range blocks {
		from, to := part(n, k, blocks), part(n, k+1, blocks)
		b := &e.block
		b.load(e.y, e.replaceNonFinite(X[from*d:to*d], to-from), to-from)
		b.infer()
		b.store(h[from*N:to*N], b.h)
		if s != nil {
			b.store(s[from*N:to*N], b.s)
		}
		e.markBad(h, s, from)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// markBad sets the codes of the patches listed in e.bad to NaN. For a number j in e.bad, the patch's index
// in h and s is from+j. s may be nil.
func (e *Encoder) markBad(h, s []float32, from int) {
	N := e.y.n
	for _, j := range e.bad {
		fill(h[(from+j)*N:(from+j+1)*N], float32(math.NaN()))
		if s != nil {
			fill(s[(from+j)*N:(from+j+1)*N], float32(math.NaN()))
		}
	}
}

// part returns the index at which piece k starts if n items are divided into the given number of pieces.
func part(n, k, pieces int) int { return n * k / pieces }

// replaceNonFinite returns X with zeros in place of each patch that has NaN or Inf. It lists these patches in e.bad.
func (e *Encoder) replaceNonFinite(X []float32, n int) []float32 {
	e.bad = e.bad[:0]
	d := e.y.d
	for j := range n {
		var sum float32 // 0, unless an element is NaN or Inf
		for _, v := range X[j*d : (j+1)*d] {
			sum += v - v
		}
		if sum == 0 {
			continue
		}
		if len(e.bad) == 0 {
			e.clean = append(e.clean[:0], X...)
			X = e.clean
		}
		e.bad = append(e.bad, j)
		clear(X[j*d : (j+1)*d])
	}
	return X
}

// EncodeOptions are the options of Model.Transform. The zero value is Algorithm 1 on all processors.
type EncodeOptions struct {
	EncoderOptions
	// Workers is the number of goroutines. 0 means runtime.GOMAXPROCS(0). Results do not depend on Workers.
	Workers int
	// Recorder receives the number of finished patches. May be nil.
	Recorder progress.Recorder
}

// Transform returns E_Q[h] (n×N) for the rows of V (n×D), computed in float32 on all processors. opt may be nil.
//
// The largest float32 is 3e38, so squares of V overflow above about 1e19. If a code is not finite, Transform
// returns an error that names the patch.
func (m *Model) Transform(ctx context.Context, V mat.Matrix, opt *EncodeOptions) (*mat.Dense, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	x, err := m.patches("Transform", V)
	if err != nil {
		return nil, err
	}
	var o EncodeOptions
	if opt != nil {
		o = *opt
	}
	first, err := m.NewEncoder(&o.EncoderOptions)
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	_, N := m.Dims()
	dst := mat.NewDense(n, N, nil)
	group, workers := 4*blockPatches, o.Workers
	if first.on != nil {
		group, workers = first.on.most, 2 // one goroutine converts numbers while the device works for the other
	}
	groups := (n + group - 1) / group
	pool := make(chan *Encoder, groups) // the encoders not in use
	var mu sync.Mutex
	done := 0
	over, end := context.WithCancelCause(ctx) // when ctx is done or a device fails
	defer end(nil)
	parallel.Do(groups, workers, func(k int) {
		if over.Err() != nil {
			return
		}
		var e *Encoder
		select {
		case e = <-pool:
		default:
			e = first.Fork()
		}
		from, to := k*group, min(n, (k+1)*group)
		X, H := make([]float32, (to-from)*d), make([]float32, (to-from)*N)
		for j := from; j < to; j++ {
			for i, v := range x.RawRowView(j) {
				X[(j-from)*d+i] = float32(v)
			}
		}
		if err := e.encode(over, H, nil, X, to-from); err != nil {
			end(err)
			return
		}
		for j := from; j < to; j++ {
			row := dst.RawRowView(j)
			for i, v := range H[(j-from)*N : (j-from+1)*N] {
				row[i] = float64(v)
			}
		}
		pool <- e
		mu.Lock()
		defer mu.Unlock() // the Recorder may panic
		done += to - from
		progress.Report(o.Recorder, progress.Event{What: "s3c encode", Step: done, Total: n, Objective: math.NaN()})
	})
	if err := cmp.Or(ctx.Err(), context.Cause(over)); err != nil {
		return nil, fmt.Errorf("s3c: Transform: %w", err)
	}
	if j, _ := finite.Find(dst); j >= 0 {
		return nil, fmt.Errorf("s3c: Transform: the numbers of V in row %d are too large for float32 (the largest is %.3g): scale V and the model, or use Infer", j, mat.Norm(x.RowView(j), math.Inf(1)))
	}
	return dst, nil
}
