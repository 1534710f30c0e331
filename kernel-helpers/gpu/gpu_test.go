package gpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"overcomplete/internal/panics"
)

// A fake is a device without kernels.
type fake struct {
	info Info
	ran  []any
	full bool
}

func (f *fake) Info() Info { return f.info }
func (f *fake) Alloc(n int) (Buffer, error) {
	if f.full {
		return nil, ErrMemory
	}
	return make(fakeBuffer, n), nil
}
func (f *fake) Build(string, string) (Program, error)     { return f, nil }
func (f *fake) Run(_ string, _, _ int, args ...any) error { f.ran = args; return nil }

type fakeBuffer []float32

func (b fakeBuffer) Write(src []float32) error { copy(b, src); return nil }
func (b fakeBuffer) Read(dst []float32) error  { copy(dst, b); return nil }
func (b fakeBuffer) Free()                     {}

type fakeDriver struct {
	list []Device
	err  error
}

func (d fakeDriver) Devices() ([]Device, error) { return d.list, d.err }

// with runs f with these drivers alone.
func with(t *testing.T, f func(), list ...registered) {
	old := drivers
	defer func() { drivers = old }()
	drivers = nil
	for _, r := range list {
		Register(r.name, r.Driver)
	}
	f()
}

func TestChoose(t *testing.T) {
	t.Setenv(Variable, "")
	processor := &fake{info: Info{Name: "cpu-some", Driver: "z: slow", Processor: true}}
	small := &fake{info: Info{Name: "GeForce 710", Driver: "z: fast"}}
	large := &fake{info: Info{Name: "H100 PCIe", Driver: "z: fast"}}
	z := registered{"z", fakeDriver{list: []Device{processor, small, large}}}
	broken := registered{"a", fakeDriver{err: errors.New("libNone.so: not found")}}
	with(t, func() {
		for word, want := range map[string]Device{"": small, "h100": large, "710": small, "CPU": processor, "Slow": processor} {
			if d, err := Choose(word); d != want || err != nil {
				t.Errorf("%q: %v, %v", word, d, err)
			}
		}
		if d, err := Choose("radeon"); d != nil || err == nil || !strings.Contains(err.Error(), `"radeon"`) || !strings.Contains(err.Error(), "GeForce") || !strings.Contains(err.Error(), "libNone") {
			t.Errorf("%v, %v", d, err)
		}
		t.Setenv(Variable, "H100")
		if First() != large {
			t.Error("the environment does not choose")
		}
		if d, _ := Choose("710"); d != small {
			t.Error("the environment goes before the option")
		}
	}, z, broken)
	t.Setenv(Variable, "")
	for name, list := range map[string][]registered{"no driver": nil, "libNone": {broken}, "no card": {{"z", fakeDriver{list: []Device{processor}}}}} {
		with(t, func() {
			if _, err := First().Alloc(1); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := First().Build("", ""); err == nil {
				t.Errorf("%s: no error", name)
			}
			if s := fmt.Sprint(First()); !strings.HasPrefix(s, "no device: ") || !strings.Contains(s, name) { // what a cell shows
				t.Errorf("%s: %s", name, s)
			}
		}, list...)
	}
	if panics.Value(func() { with(t, func() {}, z, z) }) == nil {
		t.Error("a driver was registered twice")
	}
}

func TestLimit(t *testing.T) {
	f := &fake{info: Info{Memory: 1 << 20, Largest: 1 << 18}}
	d := Limit(f, 4000)
	if i := d.Info(); i.Memory != 4000 || i.Largest != 4000 {
		t.Errorf("%+v", i)
	}
	a, err := d.Alloc(600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(401); !errors.Is(err, ErrMemory) {
		t.Errorf("beyond the limit: %v", err)
	}
	f.full = true
	if _, err := d.Alloc(400); err != ErrMemory {
		t.Errorf("the device is full: %v", err)
	}
	f.full = false
	b, err := d.Alloc(400) // what was refused was not counted
	if err != nil {
		t.Fatal(err)
	}
	p, _ := d.Build("", "")
	p.Run("k", 1, 1, b, int32(2))
	if _, ours := f.ran[0].(fakeBuffer); !ours || f.ran[1] != int32(2) {
		t.Errorf("the driver got %T, %v", f.ran[0], f.ran[1])
	}
	a.Free()
	a.Free() // is counted once
	if _, err := d.Alloc(600); err != nil {
		t.Error(err)
	}
	if _, err := d.Alloc(1); !errors.Is(err, ErrMemory) {
		t.Error(err)
	}
}

func TestInfo(t *testing.T) {
	if d := Limit(&fake{info: Info{Name: "X", Memory: 3 << 30}}, 1<<30); fmt.Sprint(d) != "X, 1.0 GiB ()" {
		t.Error(d)
	}
	if s := (Info{Name: "X", Driver: "opencl: Y", Memory: 3 << 29}).String(); s != "X, 1.5 GiB (opencl: Y)" {
		t.Error(s)
	}
}
