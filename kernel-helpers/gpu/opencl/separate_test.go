//go:build (linux || darwin || windows) && (amd64 || arm64) && !android

package opencl

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/cputime"
	"overcomplete/kernel-helpers/gpu"
	"overcomplete/kernel-helpers/gpu/separate"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/ui/cell"
)

// TestMain makes the test program the driver's program of package separate, too.
func TestMain(m *testing.M) {
	if separate.Serving() {
		separate.Serve()
	}
	os.Exit(m.Run())
}

var registerSeparate = sync.OnceFunc(func() {
	separate.Register(func(context.Context) (string, error) { return os.Executable() })
})

// bothWays returns a device of this process, and the same of another process.
func bothWays(t testing.TB) (here, there gpu.Device) {
	here = aDevice(t)
	registerSeparate()
	for _, d := range must[[]gpu.Device](t)(gpu.Devices()) {
		if d.Info() == here.Info() && d != here {
			return here, d
		}
	}
	t.Fatal("the other process has not this device")
	return nil, nil
}

// S3C's codes and models have the same bits, whichever process the driver is in.
func TestSeparate(t *testing.T) {
	here, there := bothWays(t)
	m := aModel(t, 21, 45, 91)
	V := gaussian(700, 21, 0.7, 92)
	src := must[*s3c.RowSource](t)(s3c.Rows(V, 1))
	var codes []*mat.Dense
	var fits []*s3c.Result
	for _, d := range []gpu.Device{here, there} {
		codes = append(codes, must[*mat.Dense](t)(m.Transform(t.Context(), V, &s3c.EncodeOptions{EncoderOptions: s3c.EncoderOptions{Device: d}})))
		fits = append(fits, must[*s3c.Result](t)(s3c.Fit(t.Context(), src, &s3c.Options{Init: m, Batch: 300, Steps: 3, Device: d})))
	}
	a, b := fits[0].Model, fits[1].Model
	if !mat.Equal(codes[0], codes[1]) || !mat.Equal(a.W, b.W) || !slices.Equal(a.Alpha, b.Alpha) || fits[0].State.Energy() != fits[1].State.Energy() {
		t.Error("in another process the bits are others")
	}
	if mat.Equal(a.W, m.W) || codes[0].At(0, 0) == codes[0].At(1, 0) {
		t.Error("nothing was computed")
	}
	if _, err := there.Alloc(math.MaxInt32 << 20); !errors.Is(err, gpu.ErrMemory) || !strings.Contains(err.Error(), "clCreateBuffer") {
		t.Error("a buffer of petabytes: ", err)
	}
	if _, err := there.Build("__kernel void f(__global float* x) { x[0] = unknownName; }", ""); err == nil || !strings.Contains(err.Error(), "unknownName") {
		t.Error("a mistake in a kernel: ", err)
	}
}

const spin = `
__kernel void spin(volatile __global float* x, int n) {
	for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) x[0] = x[0] + 1;
}`

// A kernel that does not end, ends with its cell or its process, and the next call works: an encoder too, whose program
// was built before.
func TestSeparateEnds(t *testing.T) {
	_, there := bothWays(t)
	m := aModel(t, 6, 10, 3)
	X := single(gaussian(5, 6, 1, 4))
	e := must[*s3c.Encoder](t)(m.NewEncoder(&s3c.EncoderOptions{Device: there}))
	want := make([]float32, 50)
	e.Encode(want, X, 5)
	p := must[gpu.Program](t)(there.Build(spin, ""))
	for name, end := range map[string]func(cancel func()){
		"interrupted": func(cancel func()) { cancel() },
		"killed":      func(func()) { killChildren(t) },
	} {
		if name == "killed" && runtime.GOOS != "linux" {
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		old := cell.SetContext(func() context.Context { return ctx })
		b := must[gpu.Buffer](t)(there.Alloc(1))
		if err := errors.Join(b.Write([]float32{0}), p.Run("spin", 1, 1, b, int32(1))); err != nil { // compiles it
			t.Fatal(name, err)
		}
		time.AfterFunc(100*time.Millisecond, func() { end(cancel) })
		err := p.Run("spin", 1, 1, b, int32(math.MaxInt32))
		if err == nil || !strings.Contains(err.Error(), "Run(spin, 1, 1)") || errors.Is(err, context.Canceled) != (name == "interrupted") {
			t.Errorf("%s: %v", name, err)
		}
		cell.SetContext(old)
		cancel()
		got := make([]float32, 50)
		if err := e.EncodeContext(t.Context(), got, nil, X, 5); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: the next codes are others, or %v", name, err)
		}
	}
}

// children returns the processes that this one has started, on Linux.
func children(t testing.TB) (list []int) {
	files, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, _ := os.ReadFile(f) // its thread may have ended
		for _, word := range strings.Fields(string(text)) {
			pid, _ := strconv.Atoi(word)
			list = append(list, pid)
		}
	}
	return list
}

func killChildren(t *testing.T) {
	for _, pid := range children(t) {
		if c, err := os.FindProcess(pid); err != nil || c.Kill() != nil {
			t.Error("cannot kill ", pid)
		}
	}
}

// used returns the processor time of this process and of those that it has started, in seconds.
func used(b *testing.B) float64 {
	sum := cputime.Used().Seconds()
	for _, pid := range children(b) {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			b.Fatal(err)
		}
		for _, word := range strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))[11:13] { // utime and stime
			ticks, _ := strconv.Atoi(word)
			sum += float64(ticks) / 100
		}
	}
	return sum
}

// BenchmarkSeparate compares batches in another process with batches in this one: the ratio of the medians of the
// processor time that both processes take together. One model is small, so that what passes between the processes
// counts most. Linux says the time of another process in hundredths of a second, so each time is that of many batches.
//
//	go test -run '^$' -bench Separate -benchtime 9x ./kernel-helpers/gpu/opencl
func BenchmarkSeparate(b *testing.B) {
	here, there := bothWays(b)
	for _, size := range []struct {
		name             string
		d, N, n, batches int
	}{{"small", 36, 64, 64, 50}, {"medium", 108, 400, 256, 2}, {"large", 108, 1600, 256, 1}} {
		b.Run(size.name, func(b *testing.B) {
			m := aModel(b, size.d, size.N, 1)
			X, h := single(gaussian(size.n, size.d, 0.7, 2)), make([]float32, size.n*size.N)
			times := map[gpu.Device][]float64{}
			encoders := map[gpu.Device]*s3c.Encoder{}
			for _, d := range []gpu.Device{here, there} {
				encoders[d] = must[*s3c.Encoder](b)(m.NewEncoder(&s3c.EncoderOptions{Device: d}))
				encoders[d].Encode(h, X, size.n) // compiles
			}
			for b.Loop() {
				for d, e := range encoders {
					begin := used(b)
					for range size.batches {
						e.Encode(h, X, size.n)
					}
					times[d] = append(times[d], (used(b)-begin)/float64(size.batches))
				}
			}
			median := func(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }
			b.ReportMetric(median(times[here])*1e3, "ms-here")
			b.ReportMetric(median(times[there])*1e3, "ms-there")
			b.ReportMetric(median(times[there])/median(times[here]), "there/here")
		})
	}
}
