//go:build (linux || darwin || windows) && (amd64 || arm64) && !android

package opencl

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"overcomplete/kernel-helpers/gpu"
)

func init() { gpu.Register("opencl", driver{}) }

type driver struct{}

// Devices returns all OpenCL devices, graphics cards before processors. It looks for them only once: later calls
// return the same devices or the same error.
func (driver) Devices() ([]gpu.Device, error) { return devices() }

var devices = sync.OnceValues(func() ([]gpu.Device, error) {
	if err := load(); err != nil {
		return nil, err
	}
	var n uint32
	switch code := clGetPlatformIDs(0, nil, &n); {
	case code == -1001 || code == 0 && n == 0:
		return nil, errors.New("OpenCL is here, but no driver of a device (on Linux, see /etc/OpenCL/vendors)")
	case code != 0:
		return nil, check("clGetPlatformIDs", code)
	}
	platforms := make([]uintptr, n)
	if err := check("clGetPlatformIDs", clGetPlatformIDs(n, &platforms[0], nil)); err != nil {
		return nil, err
	}
	var list []gpu.Device
	var errs []error
	for _, p := range platforms {
		d, err := devicesOf(p)
		list, errs = append(list, d...), append(errs, err)
	}
	slices.SortStableFunc(list, func(a, b gpu.Device) int { // cards first
		switch p, q := a.Info().Processor, b.Info().Processor; {
		case p == q:
			return 0
		case q:
			return -1
		}
		return 1
	})
	return list, errors.Join(errs...)
})

func devicesOf(platform uintptr) ([]gpu.Device, error) {
	const all, version = 0xFFFFFFFF, 0x0901 // CL_DEVICE_TYPE_ALL, CL_PLATFORM_VERSION
	var n uint32
	if code := clGetDeviceIDs(platform, all, 0, nil, &n); code == -1 || n == 0 {
		return nil, nil
	} else if code != 0 {
		return nil, check("clGetDeviceIDs", code)
	}
	ids := make([]uintptr, n)
	if err := check("clGetDeviceIDs", clGetDeviceIDs(platform, all, n, &ids[0], nil)); err != nil {
		return nil, err
	}
	text := make([]byte, 256)
	clGetPlatformInfo(platform, version, uint64(len(text)), unsafe.Pointer(&text[0]), nil)
	var list []gpu.Device
	for _, id := range ids {
		d := &device{id: id}
		name := make([]byte, 256)
		var kind, memory, largest uint64
		for _, q := range []struct {
			what uint32
			size int
			to   unsafe.Pointer
		}{
			{0x102B, len(name), unsafe.Pointer(&name[0])}, // CL_DEVICE_NAME
			{0x1000, 8, unsafe.Pointer(&kind)},            // CL_DEVICE_TYPE
			{0x101F, 8, unsafe.Pointer(&memory)},          // CL_DEVICE_GLOBAL_MEM_SIZE
			{0x1010, 8, unsafe.Pointer(&largest)},         // CL_DEVICE_MAX_MEM_ALLOC_SIZE
		} {
			if err := check("clGetDeviceInfo", clGetDeviceInfo(id, q.what, uint64(q.size), q.to, nil)); err != nil {
				return list, err
			}
		}
		const processor = 2 // CL_DEVICE_TYPE_CPU
		d.info = gpu.Info{Name: zeroEnded(name), Driver: "opencl: " + zeroEnded(text), Processor: kind&processor != 0,
			Memory: int64(min(memory, math.MaxInt64)), Largest: int64(min(largest, math.MaxInt64))}
		list = append(list, d)
	}
	return list, nil
}

func zeroEnded(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return strings.TrimSpace(s)
}

// A device is an OpenCL device. Its context and its queue are created when it is first used.
type device struct {
	id   uintptr
	info gpu.Info

	begin          sync.Once
	err            error
	context, queue uintptr
	mu             sync.Mutex // held while a kernel gets its arguments and runs
}

func (d *device) Info() gpu.Info { return d.info }

func (d *device) String() string { return d.info.String() }

func (d *device) ready() error {
	d.begin.Do(func() {
		var code int32
		d.context = clCreateContext(0, 1, &d.id, 0, 0, &code)
		if d.err = check("clCreateContext", code); d.err != nil {
			return
		}
		d.queue = clCreateCommandQueue(d.context, d.id, 0, &code)
		d.err = check("clCreateCommandQueue", code)
	})
	return d.err
}

func (d *device) Alloc(n int) (gpu.Buffer, error) {
	if n <= 0 {
		panic(fmt.Sprintf("opencl: Alloc: %d numbers", n))
	}
	if err := d.ready(); err != nil {
		return nil, err
	}
	const readWrite = 1
	var code int32
	id := clCreateBuffer(d.context, readWrite, 4*uint64(n), nil, &code)
	if code != 0 {
		return nil, fmt.Errorf("%w, for %d bytes", check("clCreateBuffer", code), 4*n)
	}
	return &buffer{d, id, n}, nil
}

type buffer struct {
	d  *device
	id uintptr
	n  int
}

func (b *buffer) copy(call string, x []float32, f func(queue, buffer uintptr, blocking uint32, offset, size uint64, host unsafe.Pointer, waits uint32, wait, event uintptr) int32) error {
	if b.id == 0 || len(x) > b.n {
		panic(fmt.Sprintf("%s: %d numbers, the buffer has %d (0 if it was freed)", call, len(x), b.n))
	}
	if len(x) == 0 {
		return nil
	}
	const wait = 1
	return check(call, f(b.d.queue, b.id, wait, 0, 4*uint64(len(x)), unsafe.Pointer(&x[0]), 0, 0, 0))
}

func (b *buffer) Write(x []float32) error {
	return b.copy("clEnqueueWriteBuffer", x, clEnqueueWriteBuffer)
}
func (b *buffer) Read(x []float32) error {
	return b.copy("clEnqueueReadBuffer", x, clEnqueueReadBuffer)
}

func (b *buffer) Free() {
	if b.id != 0 {
		clReleaseMemObject(b.id)
		b.id, b.n = 0, 0
	}
}

func (d *device) Build(source, options string) (gpu.Program, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	if source == "" {
		return nil, errors.New("opencl: Build: the text is empty")
	}
	text, length := unsafe.StringData(source), uint64(len(source))
	var code int32
	id := clCreateProgramWithSource(d.context, 1, &text, &length, &code)
	if err := check("clCreateProgramWithSource", code); err != nil {
		return nil, err
	}
	if err := check("clBuildProgram", clBuildProgram(id, 1, &d.id, options, 0, 0)); err != nil {
		defer clReleaseProgram(id)
		return nil, fmt.Errorf("%w on %s, options %q:\n%s", err, d.info.Name, options, d.log(id))
	}
	p := &program{d: d, id: id, kernels: map[string]uintptr{}}
	runtime.AddCleanup(p, func(id uintptr) { clReleaseProgram(id) }, id)
	return p, nil
}

// log returns the compiler's messages about a program.
func (d *device) log(program uintptr) string {
	const buildLog = 0x1183
	var n uint64
	if err := check("clGetProgramBuildInfo", clGetProgramBuildInfo(program, d.id, buildLog, 0, nil, &n)); err != nil || n == 0 {
		return "(no messages)"
	}
	text := make([]byte, n)
	clGetProgramBuildInfo(program, d.id, buildLog, n, unsafe.Pointer(&text[0]), nil)
	return zeroEnded(text)
}

type program struct {
	d       *device
	id      uintptr
	kernels map[string]uintptr
}

// kernel returns the kernel with the given name, and creates it if this is the first call with that name. The caller
// must hold p.d.mu.
func (p *program) kernel(name string) (uintptr, error) {
	if k, ok := p.kernels[name]; ok {
		return k, nil
	}
	var code int32
	k := clCreateKernel(p.id, name, &code)
	if err := check("clCreateKernel", code); err != nil {
		return 0, err
	}
	p.kernels[name] = k
	runtime.AddCleanup(p, func(k uintptr) { clReleaseKernel(k) }, k)
	return k, nil
}

func (p *program) Run(kernel string, groups, size int, args ...any) error {
	if groups <= 0 || size <= 0 {
		panic(fmt.Sprintf("opencl: Run: %s with %d groups of %d", kernel, groups, size))
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	k, err := p.kernel(kernel)
	for i, a := range args {
		if err != nil {
			break
		}
		set := func(size uint64, value unsafe.Pointer) {
			err = check(fmt.Sprintf("clSetKernelArg, argument %d", i), clSetKernelArg(k, uint32(i), size, value))
		}
		switch a := a.(type) {
		case *buffer:
			if a.d != p.d || a.id == 0 {
				panic(fmt.Sprintf("opencl: Run: %s: argument %d is a buffer of another device, or was freed", kernel, i))
			}
			set(8, unsafe.Pointer(&a.id))
		case int32:
			set(4, unsafe.Pointer(&a))
		case float32:
			set(4, unsafe.Pointer(&a))
		default:
			panic(fmt.Sprintf("opencl: Run: %s: argument %d is a %T", kernel, i, a))
		}
	}
	if err == nil {
		total, local := uint64(groups)*uint64(size), uint64(size)
		err = check("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(p.d.queue, k, 1, nil, &total, &local, 0, 0, 0))
	}
	if err == nil {
		err = check("clFinish", clFinish(p.d.queue))
	}
	if err != nil {
		return fmt.Errorf("%w, for kernel %s with %d groups of %d", err, kernel, groups, size)
	}
	runtime.KeepAlive(p)
	return nil
}
