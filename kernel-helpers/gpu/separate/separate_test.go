package separate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/gpu"
	"overcomplete/ui/cell"
)

// TestMain makes the test program the driver's program too, with a device that does as it is told.
func TestMain(m *testing.M) {
	if Serving() {
		gpu.Register("fake", fake{})
		Serve()
	}
	os.Exit(m.Run())
}

type fake struct{}

var fakeInfo = gpu.Info{Name: "fake", Driver: "fake: 1", Memory: 1 << 20, Largest: 1 << 19}

func (fake) Devices() ([]gpu.Device, error) {
	fmt.Println("drivers print what they like")
	if os.Getenv("FAKE") == "none" {
		return nil, errors.New("libFake.so: not found")
	}
	return []gpu.Device{fake{}, fake{}}, nil
}
func (fake) Info() gpu.Info { return fakeInfo }
func (fake) Alloc(n int) (gpu.Buffer, error) {
	if n > 1<<40 {
		return nil, fmt.Errorf("fakeAlloc: %w", gpu.ErrMemory)
	}
	return fakeBuffer(make([]float32, n)), nil
}
func (fake) Build(source, options string) (gpu.Program, error) {
	if source == "mistake" {
		return nil, errors.New("fakeBuild: line 1: unknown name, " + options)
	}
	return fake{}, nil
}

// Run knows kernels: add adds a[1] and the bits of a[2] to a[0].
func (fake) Run(kernel string, groups, size int, a ...any) error {
	switch kernel {
	case "add":
		for i := range a[0].(fakeBuffer) {
			a[0].(fakeBuffer)[i] += a[1].(fakeBuffer)[i] * float32(groups*size)
		}
		a[0].(fakeBuffer)[0] = a[2].(float32)
		a[0].(fakeBuffer)[1] = float32(a[3].(int32))
	case "hang":
		fmt.Fprintln(os.Stderr, "hangs")
		select {}
	case "exit":
		fmt.Fprint(os.Stderr, "fatal error: lost\nmore\n")
		os.Exit(3)
	case "panic":
		panic("fake: so wide a group")
	}
	return nil
}

type fakeBuffer []float32

func (b fakeBuffer) Write(x []float32) error { copy(b, x); return nil }
func (b fakeBuffer) Read(x []float32) error  { copy(x, b); return nil }
func (b fakeBuffer) Free()                   {}

// open returns a device and its driver, whose process ends with the test.
func open(t *testing.T, pipe bool) (gpu.Device, *driver) {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("starts programs")
	}
	d := newDriver(func(context.Context) (string, error) { return os.Executable() })
	d.pipe = pipe
	t.Cleanup(func() {
		if d.now != nil {
			d.now.end()
		}
	})
	list, err := d.Devices()
	if err != nil || len(list) != 2 || list[1].Info() != fakeInfo {
		t.Fatal(list, err)
	}
	return list[1], d
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Numbers come back with their bits, through both ways, also when the shared memory must grow.
func TestNumbers(t *testing.T) {
	for _, pipe := range []bool{false, true} {
		g, d := open(t, pipe)
		if shares := d.now.memory != nil; shares != (runtime.GOOS == "linux" && !pipe) {
			t.Errorf("pipe %v, shared memory %v", pipe, shares)
		}
		if s := fmt.Sprint(g); s != fakeInfo.String() {
			t.Errorf("a cell shows the device as %s", s)
		}
		p := must[gpu.Program](t)(g.Build("", ""))
		for _, n := range []int{2, 3, 100_000, 17} {
			x, y := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i], y[i] = math.Float32frombits(uint32(i)*2654435761), float32(i)
			}
			a, b := must[gpu.Buffer](t)(g.Alloc(n)), must[gpu.Buffer](t)(g.Alloc(n))
			if err := errors.Join(a.Write(x), b.Write(y), b.Write(nil)); err != nil {
				t.Fatal(err)
			}
			got := make([]float32, n)
			if err := a.Read(got); err != nil || !slices.EqualFunc(got, x, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Fatalf("%d numbers come back as others, %v", n, err)
			}
			if err := errors.Join(b.Write(y), p.Run("add", 2, 3, b, b, float32(math.Inf(-1)), int32(-7)), b.Read(got)); err != nil {
				t.Fatal(err)
			}
			if !math.IsInf(float64(got[0]), -1) || got[1] != -7 || n > 2 && got[n-1] != 7*float32(n-1) {
				t.Errorf("the kernel made %v … %v", got[:2], got[n-1])
			}
			a.Free()
			b.Free()
			b.Free()
			for what, f := range map[string]func(){"freed, read": func() { a.Read(got) }, "freed, run": func() { p.Run("add", 1, 1, a) }, "an int": func() { p.Run("add", 1, 1, 3) }} {
				if s := fmt.Sprint(panics.Value(f)); !strings.HasPrefix(s, "gpu: ") {
					t.Errorf("%s: panics with %q", what, s)
				}
			}
		}
	}
}

// Errors and panics of the driver are those of the call.
func TestErrors(t *testing.T) {
	g, _ := open(t, false)
	if _, err := g.Alloc(1<<40 + 1); !errors.Is(err, gpu.ErrMemory) || !strings.Contains(err.Error(), "fakeAlloc") {
		t.Error("too large a buffer: ", err)
	}
	if _, err := g.Build("mistake", "-D X"); err == nil || errors.Is(err, gpu.ErrMemory) || err.Error() != "fakeBuild: line 1: unknown name, -D X" {
		t.Error("a mistake in a kernel: ", err)
	}
	p := must[gpu.Program](t)(g.Build("", ""))
	if s := panics.Value(func() { p.Run("panic", 1, 1) }); s != "fake: so wide a group" {
		t.Error(s)
	}
	if err := p.Run("nothing", 1, 1); err != nil {
		t.Error("after a panic: ", err)
	}
}

// After a crash, an end from outside and an interrupt the call has an error that names it, and the next works.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name, kernel string
		during       func(p *process, cancel func())
		is           error
		words        []string
	}{
		{"exit", "exit", nil, nil, []string{"Run(exit, 1, 2)", "exit status 3", "fatal error: lost"}},
		{"killed", "hang", func(p *process, _ func()) { p.cmd.Process.Kill() }, nil, []string{"Run(hang, 1, 2)", "killed", "hangs"}},
		{"late", "hang", func(*process, func()) {}, nil, []string{"Run(hang, 1, 2)", "no answer for 300ms"}},
		{"interrupted", "hang", func(_ *process, cancel func()) { cancel() }, context.Canceled, []string{"Run(hang, 1, 2)", "was ended"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, d := open(t, false)
			p, b := must[gpu.Program](t)(g.Build("", "")), must[gpu.Buffer](t)(g.Alloc(2))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			old := cell.SetContext(func() context.Context { return ctx })
			defer func() { cell.SetContext(old) }()
			var wait sync.WaitGroup
			if first := d.now; c.during != nil {
				wait.Go(func() {
					for first.said.text() == "" {
						time.Sleep(time.Millisecond)
					}
					c.during(first, cancel)
				})
			}
			if c.name == "late" {
				defer func(d time.Duration) { patience = d }(patience)
				patience = 300 * time.Millisecond
			}
			err := p.Run(c.kernel, 1, 2)
			wait.Wait()
			for _, w := range c.words {
				if err == nil || !strings.Contains(err.Error(), w) || c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("no %q, or not %v: %v", w, c.is, err)
				}
			}
			if c.is != nil {
				if err := p.Run("nothing", 1, 1); !errors.Is(err, c.is) {
					t.Error("in a cell that was interrupted: ", err)
				}
			}
			cell.SetContext(t.Context)
			if err := p.Run("nothing", 1, 1); err != nil {
				t.Error("the next call: ", err)
			}
			if err := b.Write([]float32{1}); err == nil || !strings.Contains(err.Error(), "lost") {
				t.Error("a buffer from before: ", err)
			}
			b.Free()
			must[gpu.Buffer](t)(g.Alloc(2)).Free()
		})
	}
}

// What is missing is said, and looked for again.
func TestNone(t *testing.T) {
	t.Setenv("FAKE", "none")
	if runtime.GOOS == "js" {
		t.Skip("starts programs")
	}
	file, missing := must[string](t)(os.Executable()), errors.New("there is no go command")
	d := newDriver(func(context.Context) (string, error) { return file, missing })
	if _, err := d.Devices(); err != missing {
		t.Error(err)
	}
	missing = nil
	if list, err := d.Devices(); len(list) > 0 || err == nil || err.Error() != "fake: libFake.so: not found" {
		t.Error(list, err)
	}
	t.Setenv("FAKE", "")
	if list, err := d.Devices(); len(list) != 2 || err != nil {
		t.Error(list, err)
	}
	d.now.end()
	file = t.TempDir() + "/none"
	if _, err := d.Devices(); err == nil || !strings.Contains(err.Error(), "does not start") {
		t.Error(err)
	}
}
