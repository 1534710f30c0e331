package gpu

import (
	"fmt"
	"sync"

	"overcomplete/kernel-helpers/internal/given"
)

// Limit returns a Device that is like d, but has less memory: the buffers allocated through it take at most the given
// number of bytes in total. Beyond that, Alloc returns an error that wraps ErrMemory. If Limit is called twice for the
// same device, each limit counts only its own buffers.
func Limit(d Device, bytes int64) Device {
	given.Args("gpu: Limit", "d", d)
	if bytes <= 0 {
		panic(fmt.Sprintf("gpu: Limit: %d bytes", bytes))
	}
	i := d.Info()
	i.Memory = min(i.Memory, bytes)
	i.Largest = min(i.Largest, bytes)
	return &limited{Device: d, info: i, left: bytes}
}

type limited struct {
	Device
	info Info

	mu   sync.Mutex
	left int64
}

func (l *limited) Info() Info { return l.info }

func (l *limited) String() string { return l.info.String() }

// take subtracts the given number of bytes from the memory that is left. It returns an error if fewer bytes are left. A
// negative number gives bytes back.
func (l *limited) take(bytes int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes > l.left {
		return fmt.Errorf("gpu: Alloc: %w: %d bytes, of which the limit leaves %d", ErrMemory, bytes, l.left)
	}
	l.left -= bytes
	return nil
}

func (l *limited) Alloc(n int) (Buffer, error) {
	bytes := 4 * int64(n)
	if err := l.take(bytes); err != nil {
		return nil, err
	}
	b, err := l.Device.Alloc(n)
	if err != nil {
		l.take(-bytes)
		return nil, err
	}
	return &limitedBuffer{b, l, bytes}, nil
}

func (l *limited) Build(source, options string) (Program, error) {
	p, err := l.Device.Build(source, options)
	if err != nil {
		return nil, err
	}
	return limitedProgram{p}, nil
}

type limitedBuffer struct {
	Buffer
	of    *limited
	bytes int64
}

func (b *limitedBuffer) Free() {
	b.Buffer.Free()
	b.of.take(-b.bytes)
	b.bytes = 0
}

// A limitedProgram is a Program of a limited device. In the arguments of a kernel, it replaces the limited buffers by
// the driver's own buffers.
type limitedProgram struct{ Program }

func (p limitedProgram) Run(kernel string, groups, size int, args ...any) error {
	own := make([]any, len(args))
	for k, a := range args {
		if b, ok := a.(*limitedBuffer); ok {
			a = b.Buffer
		}
		own[k] = a
	}
	return p.Program.Run(kernel, groups, size, own...)
}
