package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"overcomplete/kernel-helpers/internal/given"
)

// ErrMemory means that a call failed because the device has too little memory; the call's error wraps it. The call may
// succeed with smaller buffers.
var ErrMemory = errors.New("out of the device's memory")

// A Device runs kernels written in OpenCL C. It may be used by several goroutines, but runs one kernel at a time. An
// error names the driver call that has failed.
type Device interface {
	Info() Info
	// Alloc returns a buffer of n float32 numbers, n > 0, with arbitrary content.
	Alloc(n int) (Buffer, error)
	// Build compiles source text in OpenCL C with the given compiler options, for example -D NAME=VALUE. An error
	// contains the compiler's messages.
	Build(source, options string) (Program, error)
}

// Info describes a device.
type Info struct {
	Name string // as its maker calls it
	// Driver is the driver's name, and what the driver says about itself.
	Driver string
	// Processor is true if the device is a processor and not a card.
	Processor bool
	// Memory is the size of the device's memory in bytes. Largest is the size of the largest possible buffer in
	// bytes. Other programs may have taken parts of the memory.
	Memory, Largest int64
}

// String returns the name, the memory and the driver in one line.
func (i Info) String() string {
	return fmt.Sprintf("%s, %.1f GiB (%s)", i.Name, float64(i.Memory)/(1<<30), i.Driver)
}

// A Buffer holds float32 numbers in the memory of a device.
type Buffer interface {
	// Write copies src to the start of the buffer. Read copies the start of the buffer to dst. Both first wait
	// until all kernels that write the buffer have ended, and panic if the buffer is shorter than the slice.
	Write(src []float32) error
	Read(dst []float32) error
	// Free gives the memory back. After that, the buffer must not be used.
	Free()
}

// A Program holds compiled kernels.
type Program interface {
	// Run runs a kernel in one dimension, and waits until it ends. The argument groups is the number of work groups,
	// and size is the number of work items in each group. The kernel's arguments args are buffers of the same device,
	// and numbers of type int32 or float32.
	Run(kernel string, groups, size int, args ...any) error
}

// A Driver finds devices.
type Driver interface {
	// Devices returns the devices in order of preference, the best first. It returns an error if the library that finds
	// the devices is missing or does not answer. It is not an error if the computer has no devices.
	Devices() ([]Device, error)
}

var (
	mu      sync.Mutex
	drivers []registered
)

type registered struct {
	name string
	Driver
}

// Register makes a driver known. Drivers call it when they are imported. Register panics if another driver already has
// the name.
func Register(name string, d Driver) {
	given.Args("gpu: Register", "d", d)
	mu.Lock()
	defer mu.Unlock()
	if slices.ContainsFunc(drivers, func(r registered) bool { return r.name == name }) {
		panic("gpu: Register: there is a driver " + name)
	}
	drivers = append(drivers, registered{name, d})
	slices.SortFunc(drivers, func(a, b registered) int { return cmp.Compare(a.name, b.name) })
}

// Devices returns the devices of all drivers, sorted by the names of the drivers. The error says which drivers failed.
// Even with an error, the devices of the other drivers are returned.
func Devices() ([]Device, error) {
	mu.Lock()
	list := slices.Clone(drivers)
	mu.Unlock()
	if len(list) == 0 {
		return nil, errors.New("gpu: the program has no driver: it must import gpu/opencl")
	}
	var found []Device
	var errs []error
	for _, r := range list {
		d, err := r.Devices()
		if err != nil {
			errs = append(errs, fmt.Errorf("gpu: %s: %w", r.name, err))
		}
		found = append(found, d...)
	}
	return found, errors.Join(errs...)
}

// Variable is the environment variable that says which device Choose("") takes.
const Variable = "OVERCOMPLETE_GPU"

// Choose returns the first device that has the word in its name or in its driver's name; case does not matter. If the
// word is empty, Choose uses the value of $OVERCOMPLETE_GPU. If that is empty too, Choose returns the first device that
// is not a processor.
func Choose(word string) (Device, error) {
	if word == "" {
		word = os.Getenv(Variable)
	}
	list, err := Devices()
	for _, d := range list {
		i := d.Info()
		if word == "" && !i.Processor || word != "" && strings.Contains(strings.ToLower(i.Name+"\n"+i.Driver), strings.ToLower(word)) {
			return d, nil
		}
	}
	if len(list) == 0 && err != nil {
		return nil, err
	}
	what := fmt.Sprintf("device with %q in its name", word)
	if word == "" {
		what = "card"
	}
	names := "none"
	for k, d := range list {
		if k == 0 {
			names = ""
		} else {
			names += "; "
		}
		names += d.Info().String()
	}
	return nil, errors.Join(fmt.Errorf("gpu: no %s; the devices are: %s", what, names), err)
}

// First returns the device that Choose("") returns. It returns no error, so that it can be used inside an expression,
// for example as an option. If Choose fails, the methods Alloc and Build of the returned Device return the error.
func First() Device {
	d, err := Choose("")
	if err != nil {
		return missing{err}
	}
	return d
}

type missing struct{ err error }

func (m missing) Info() Info                            { return Info{Name: "no device"} }
func (m missing) String() string                        { return "no device: " + m.err.Error() }
func (m missing) Alloc(int) (Buffer, error)             { return nil, m.err }
func (m missing) Build(string, string) (Program, error) { return nil, m.err }

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
