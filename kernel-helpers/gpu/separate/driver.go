package separate

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"overcomplete/kernel-helpers/gpu"
	"overcomplete/ui/cell"
)

// Register registers a driver that uses devices through a separate program, such as overcomplete-gpu. lookup returns
// the path of this program; it is called when a device is needed and the program is not running.
func Register(lookup func(ctx context.Context) (program string, err error)) {
	gpu.Register("separate", newDriver(lookup))
}

type driver struct {
	find func(context.Context) (string, error)
	turn chan struct{} // has one element while somebody uses now
	now  *process      // nil if none was started
	pipe bool          // no shared memory, for tests
}

func newDriver(find func(context.Context) (string, error)) *driver {
	return &driver{find: find, turn: make(chan struct{}, 1)}
}

// with passes a running process to f, and starts one if necessary. Nothing else uses the process during the call to f.
// The context passed to f is the context of the notebook cell that is running.
func (d *driver) with(f func(ctx context.Context, p *process) error) error {
	ctx := cell.Context()
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-d.turn }()
	if d.now == nil || d.now.ended {
		program, err := d.find(ctx)
		if err != nil {
			return err
		}
		if d.now, err = start(ctx, program, !d.pipe); err != nil {
			return err
		}
	}
	return f(ctx, d.now)
}

// still is like d.with, but it also works if the notebook cell was interrupted. It calls f only if the process p has
// not ended.
func (d *driver) still(p *process, f func()) {
	d.turn <- struct{}{}
	defer func() { <-d.turn }()
	if !p.ended {
		f()
	}
}

// Devices returns the devices of the separate program. If the program has no devices, Devices ends it. The next call
// then starts the program again, and the program may find devices.
func (d *driver) Devices() (list []gpu.Device, err error) {
	err = d.with(func(_ context.Context, p *process) error {
		for i, info := range p.infos {
			list = append(list, &device{d: d, index: i, info: info})
		}
		if len(list) == 0 {
			p.end() // another time there may be some
		}
		return p.without
	})
	return list, err
}

type device struct {
	d     *driver
	index int
	info  gpu.Info
}

func (g *device) Info() gpu.Info { return g.info }

func (g *device) String() string { return g.info.String() }

// with is like driver.with, but returns an error if the process does not have the device g. This may happen if the
// process was started again.
func (g *device) with(f func(ctx context.Context, p *process) error) error {
	return g.d.with(func(ctx context.Context, p *process) error {
		if g.index >= len(p.infos) || p.infos[g.index] != g.info {
			return fmt.Errorf("gpu: %s is no longer here", g.info.Name)
		}
		return f(ctx, p)
	})
}

func (g *device) Alloc(n int) (gpu.Buffer, error) {
	b := &buffer{g: g}
	err := g.with(func(ctx context.Context, p *process) error {
		a, err := p.call(ctx, fmt.Sprintf("Alloc(%d)", n), &request{Do: alloc, Device: g.index, N: n})
		if err == nil {
			b.p, b.id = p, a.ID
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (g *device) Build(source, options string) (gpu.Program, error) {
	q := &program{g: g, source: source, options: options}
	if err := g.with(q.build); err != nil {
		return nil, err
	}
	return q, nil
}

type buffer struct {
	g  *device
	p  *process
	id uint64
}

// in returns an error unless the process p holds the buffer's content. op is the name of the call, for the error.
func (b *buffer) in(p *process, op string) error {
	if b.p != p {
		return fmt.Errorf("gpu: %s: the content of the buffer was lost when the driver's program ended", op)
	}
	return nil
}

// copy passes a call to Write or Read on to the process. The argument do is one of the constants write and read. The
// argument what describes the call, for errors.
func (b *buffer) copy(do, what string, x []float32) error {
	if len(x) == 0 {
		return nil
	}
	return b.g.with(func(ctx context.Context, p *process) error {
		if err := b.in(p, what); err != nil {
			return err
		}
		r := &request{Do: do, ID: b.id, N: len(x)}
		if p.memory == nil {
			r.numbers = x
			_, err := p.call(ctx, what, r)
			return err
		}
		shared, err := p.share(r, len(x))
		if err != nil {
			return fmt.Errorf("gpu: %s: %w", what, err)
		}
		if do == write {
			copy(shared, x)
		}
		_, err = p.call(ctx, what, r)
		if err == nil && do == read {
			copy(x, shared)
		}
		return err
	})
}

func (b *buffer) Write(x []float32) error { return b.copy(write, fmt.Sprintf("Write(%d)", len(x)), x) }
func (b *buffer) Read(x []float32) error  { return b.copy(read, fmt.Sprintf("Read(%d)", len(x)), x) }

func (b *buffer) Free() {
	b.g.d.still(b.p, func() { b.p.call(context.Background(), "Free", &request{Do: free, ID: b.id}) })
}

type program struct {
	g               *device
	source, options string
	p               *process // for which it was built
	id              uint64
}

// build asks the process p to build the program, and stores in q the program's ID in that process.
func (q *program) build(ctx context.Context, p *process) error {
	a, err := p.call(ctx, "Build", &request{Do: build, Device: q.g.index, Source: q.source, Options: q.options})
	if err != nil {
		return err
	}
	q.p, q.id = p, a.ID
	d := q.g.d
	runtime.AddCleanup(q, func(id uint64) {
		go d.still(p, func() { p.call(context.Background(), "release", &request{Do: release, ID: id}) })
	}, a.ID)
	return nil
}

func (q *program) Run(kernel string, groups, size int, args ...any) error {
	what := fmt.Sprintf("Run(%s, %d, %d)", kernel, groups, size)
	r := &request{Do: run, Kernel: kernel, Groups: groups, Size: size, Args: make([]argument, len(args))}
	for i, a := range args {
		switch a := a.(type) {
		case *buffer:
			if a.g.d != q.g.d || a.g.index != q.g.index {
				panic(fmt.Sprintf("gpu: %s: argument %d is a buffer of another device", what, i))
			}
			r.Args[i] = argument{bufferKind, a.id}
		case int32:
			r.Args[i] = argument{int32Kind, uint64(uint32(a))}
		case float32:
			r.Args[i] = argument{float32Kind, uint64(math.Float32bits(a))}
		default:
			panic(fmt.Sprintf("gpu: %s: argument %d is a %T", what, i, a))
		}
	}
	return q.g.with(func(ctx context.Context, p *process) error {
		for _, a := range args {
			if b, ok := a.(*buffer); ok {
				if err := b.in(p, what); err != nil {
					return err
				}
			}
		}
		if q.p != p {
			if err := q.build(ctx, p); err != nil {
				return err
			}
		}
		r.ID = q.id
		_, err := p.call(ctx, what, r)
		return err
	})
}
