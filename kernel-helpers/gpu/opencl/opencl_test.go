//go:build (linux || darwin || windows) && (amd64 || arm64) && !android

package opencl

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/gpu"
)

// aDevice returns the device of $OVERCOMPLETE_GPU, otherwise the first of all, PoCL's processor too.
func aDevice(t testing.TB) gpu.Device {
	d, err := gpu.Choose("")
	if err != nil {
		var list []gpu.Device
		if list, err = gpu.Devices(); len(list) == 0 {
			t.Skip("no device; on Debian, apt-get install pocl-opencl-icd makes one of the processor: ", err)
		}
		d = list[0]
	}
	t.Log(d.Info())
	return d
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

const axpy = `
__kernel void axpy(__global const float* x, __global float* y, float a, int n) {
	int i = get_global_id(0);
	if (i < n) y[i] = a*x[i] + y[i];
}`

// TestRun uses numbers that float32 adds and multiplies without rounding.
func TestRun(t *testing.T) {
	d := aDevice(t)
	p := must[gpu.Program](t)(d.Build(axpy, ""))
	const n = 1000
	var wait sync.WaitGroup
	for g := range 4 { // the arguments of concurrent runs are not mixed up
		wait.Go(func() {
			x, y := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i], y[i] = float32(i), float32(10000*g)
			}
			bx, by := must[gpu.Buffer](t)(d.Alloc(n)), must[gpu.Buffer](t)(d.Alloc(n))
			defer bx.Free()
			defer by.Free()
			if err := errors.Join(bx.Write(x), by.Write(y)); err != nil {
				t.Error(err)
			}
			for range 20 {
				if err := p.Run("axpy", (n+63)/64, 64, bx, by, float32(g), int32(n-1)); err != nil {
					t.Error(err)
				}
			}
			if err := by.Read(y); err != nil {
				t.Error(err)
			}
			for i, v := range y {
				want := float32(10000*g + 20*g*i)
				if i == n-1 {
					want = float32(10000 * g)
				}
				if v != want {
					t.Errorf("y[%d] is %v, must be %v", i, v, want)
					break
				}
			}
		})
	}
	wait.Wait()
}

// Errors name the call, and the compiler's messages the place.
func TestErrors(t *testing.T) {
	d := aDevice(t)
	refused := func(what string, err error, words ...string) {
		t.Helper()
		for _, w := range words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: no %q in: %v", what, w, err)
			}
		}
	}
	_, err := d.Build("__kernel void f(__global float* x) { x[0] = unknownName; }", "-D SIZE=3")
	refused("a mistake in a kernel", err, "clBuildProgram", "unknownName", "-D SIZE=3")
	if errors.Is(err, gpu.ErrMemory) {
		t.Error("that is no lack of memory")
	}
	_, err = d.Build("", "")
	refused("no text", err, "empty")
	p := must[gpu.Program](t)(d.Build(axpy, ""))
	refused("no such kernel", p.Run("nothing", 1, 1), "clCreateKernel", "CL_INVALID_KERNEL_NAME", "nothing")
	refused("arguments missing", p.Run("axpy", 1, 1, float32(1)), "clSetKernelArg", "argument 0")
	b := must[gpu.Buffer](t)(d.Alloc(4))
	refused("a group too large", p.Run("axpy", 1, 1<<24, b, b, float32(1), int32(0)), "clEnqueueNDRangeKernel", "axpy")
	if _, err = d.Alloc(math.MaxInt32 << 20); !errors.Is(err, gpu.ErrMemory) {
		t.Error("a buffer of petabytes: ", err)
	}
	refused("a buffer of petabytes", err, "clCreateBuffer", "bytes")
	other := must[gpu.Buffer](t)(d.Alloc(4))
	other.Free()
	other.Free()
	for name, f := range map[string]func(){
		"no numbers":        func() { d.Alloc(0) },
		"too long":          func() { b.Read(make([]float32, 5)) },
		"freed, read":       func() { other.Read(make([]float32, 1)) },
		"freed, run":        func() { p.Run("axpy", 1, 1, other) },
		"an int":            func() { p.Run("axpy", 1, 1, 3) },
		"no groups":         func() { p.Run("axpy", 0, 1) },
		"registered before": func() { gpu.Register("opencl", driver{}) },
	} {
		if panics.Value(f) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

func TestCodes(t *testing.T) {
	for _, c := range []struct {
		call   string
		code   int32
		memory bool
	}{{"clCreateBuffer", -4, true}, {"clCreateBuffer", -5, true}, {"clCreateBuffer", -61, true}, {"clFinish", -4, true},
		{"clFinish", -5, false}, {"clFinish", -6, true}, {"clFinish", -9999, false}} {
		err := fmt.Errorf("somewhere: %w", check(c.call, c.code))
		if errors.Is(err, gpu.ErrMemory) != c.memory || !strings.Contains(err.Error(), c.call) || !strings.Contains(err.Error(), fmt.Sprint(c.code)) {
			t.Errorf("%s, %d: %v", c.call, c.code, err)
		}
	}
	if check("clFinish", 0) != nil {
		t.Error("0 is success")
	}
}
