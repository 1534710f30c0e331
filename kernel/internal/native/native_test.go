package native

import (
	"bytes"
	"context"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"math"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/patience"
)

// exchange calls f through the codec, without a process.
func exchange(t *testing.T, f any, args ...any) []any {
	t.Helper()
	in, out := types(reflect.TypeOf(f))
	var vals []reflect.Value
	for i, a := range args {
		v := reflect.New(in[i]).Elem()
		if a != nil {
			v.Set(reflect.ValueOf(a))
		}
		vals = append(vals, v)
	}
	regions := merge(nil, vals)
	w := newWriter(regions)
	w.text("f")
	w.newRegions(regions, in)
	w.values(regions, vals)
	request, err := readFrame(bytes.NewReader(w.frame()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := readFrame(bytes.NewReader(serve(map[string]any{"f": f}, request, func() int { return 7 })))
	if err != nil {
		t.Fatal(err)
	}
	if !r.bool() {
		return []any{r.text(), r.int()}
	}
	r.changed(regions)
	regions, _ = r.newRegions(regions, out)
	var results []any
	for _, v := range r.values(regions, out) {
		results = append(results, v.Interface())
	}
	if len(r.b) > 0 {
		t.Errorf("%d bytes are left over", len(r.b))
	}
	return results
}

func TestCodec(t *testing.T) {
	nan := math.Float64frombits(0x7ff8000000000001)
	got := exchange(t, func(a []float64, b []float64, c []string, d [2]int8, e float32, s string) ([]float64, []float64, []string, [2]int8, float32, string, error) {
		return a, b, c, d, e, s, errors.New("an error")
	}, []float64{nan, 2}, []float64{}, nil, [2]int8{-1, 2}, float32(1.5), "ü")
	a := got[0].([]float64)
	if math.Float64bits(a[0]) != 0x7ff8000000000001 || len(a) != 2 {
		t.Error(a)
	}
	if b := got[1].([]float64); b == nil || len(b) != 0 {
		t.Errorf("an empty slice became %#v", b)
	}
	if c := got[2].([]string); c != nil {
		t.Errorf("a nil slice became %#v", c)
	}
	if got[3] != [2]int8{-1, 2} || got[4] != float32(1.5) || got[5] != "ü" || got[6].(error).Error() != "an error" {
		t.Error(got[3:])
	}
	if got := exchange(t, func(x []int) int { return x[3] }, []int{1}); got[0] != "runtime error: index out of range [3] with length 1" || got[1] != 7 {
		t.Error(got)
	}
}

// TestCodecShares compares a call through the codec with a plain call, for arguments that share memory in
// every way.
func TestCodecShares(t *testing.T) {
	f := func(x, y, z []int) ([]int, []int) {
		for i := range x {
			x[i] += 10
		}
		copy(y, z)
		if len(z) > 1 {
			z[0] = -1
			return z[1:], append(y[:len(y):len(y)], 5)
		}
		return x, []int{8}
	}
	base := func() []int { return []int{1, 2, 3, 4, 5, 6, 7, 8} }
	cuts := [][2]int{{0, 3}, {2, 5}, {3, 6}, {0, 8}, {6, 8}, {4, 4}, {7, 8}}
	n := 0
	for _, a := range cuts {
		for _, b := range cuts {
			for _, c := range cuts {
				here, there := base(), base()
				hr, hs := f(here[a[0]:a[1]:a[1]], here[b[0]:b[1]:b[1]], here[c[0]:c[1]:c[1]])
				got := exchange(t, f, there[a[0]:a[1]], there[b[0]:b[1]], there[c[0]:c[1]])
				tr, ts := got[0].([]int), got[1].([]int)
				if !slices.Equal(here, there) || !slices.Equal(hr, tr) || !slices.Equal(hs, ts) {
					t.Fatalf("%v %v %v: memory %v, want %v; results %v %v, want %v %v", a, b, c, there, here, tr, ts, hr, hs)
				}
				// If a result is part of an argument in the plain call, it must also be part of the argument in
				// the call through the codec.
				if len(hr) > 0 {
					hr[0], tr[0] = 99, 99
				}
				if !slices.Equal(here, there) {
					t.Fatalf("%v %v %v: a result is not the argument's memory", a, b, c)
				}
				n++
			}
		}
	}
	t.Logf("%d ways to share", n)
}

func TestCallable(t *testing.T) {
	for src, want := range map[string]string{
		"func f(a, b []float64, n int) (float64, error)": "f(p0 []float64, p1 []float64, p2 int) (float64, error)",
		"func f()":                           "f() ()",
		"func f(a [3]float64, b [][2]int8)":  "f(p0 [3]float64, p1 [][2]int8) ()",
		"func f(s []string, b byte, r rune)": "f(p0 []string, p1 uint8, p2 int32) ()",
		"func f(m map[string]int)":           "a type that cannot be passed",
		"func f(x [][]int)":                  "a type that cannot be passed",
		"func f(x ...int)":                   "a type that cannot be passed",
		"func f(p *int)":                     "a type that cannot be passed",
		"func f(e error)":                    "a type that cannot be passed",
		"func f() (error, int)":              "an error that is not the last result",
		"func f[T int](x T)":                 "generic",
		"type int string\nfunc f(x int)":     "a type that cannot be passed",
		"func f(x [1000000000]float64)":      "a type that cannot be passed",
	} {
		if strings.Contains(src, "func") {
			src += " { panic(0) }"
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		p := &Program{}
		err = p.list(file)
		if len(p.Funcs) == 1 {
			if got := "f" + p.Funcs[0].Signature; got != want {
				t.Errorf("%s: got %s, want %s", src, got, want)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", src, err, want)
		}
	}
}

// TestBuild compiles a program and calls it, also after it was closed.
func TestBuild(t *testing.T) {
	patience.SkipShort(t, "it builds a program")
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "windows" {
		t.Skip("this needs the Go toolchain on a Unix system")
	}
	p, err := Build(context.Background(), "In[1]", "        \nfunc add(a, b int) int { return a + b }", Options{Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	add := p.Make(p.Funcs[0], context.Background).(func(int, int) int)
	if got := add(2, 3); got != 5 {
		t.Errorf("2 + 3 is %d", got)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(error).Error(), "has been run again") {
			t.Errorf("a call after Close: %v", r)
		}
	}()
	add(1, 1)
}
