//go:build js && livesimd

package wasmhost_test

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"overcomplete/internal/wasm"
	"overcomplete/internal/wasmhost"
)

type addArgs struct {
	x    *float64
	n    int
	by   float64
	sum  float64
	fill [2]float64
}

// adder returns a module that adds a number to each element of a slice and sums the slice.
func adder(t *testing.T) []byte {
	m := wasm.New()
	m.ImportMemory("env", "mem", 1)
	f := m.Func("add", []wasm.Type{wasm.I32}, nil)
	p := f.Param(0)
	x, n := f.Let(wasm.I32.Load(p, 0)), f.Let(wasm.I32.Load(p, 8))
	by, s, i := f.Let(wasm.F64.Load(p, 16)), f.Local(wasm.F64), f.Local(wasm.I32)
	f.For(i, wasm.Int(0), n, 1, func() {
		at := f.Let(wasm.I32.Add(x, wasm.I32.Shl(i, wasm.Int(3))))
		f.Store(wasm.F64, at, 0, wasm.F64.Add(wasm.F64.Load(at, 0), by))
		f.Set(s, wasm.F64.Add(s, wasm.F64.Load(at, 0)))
	})
	f.Store(wasm.F64, p, 24, s)
	f.Export("add")
	g := m.Func("nothing", []wasm.Type{wasm.I32}, nil)
	g.Export("nothing")
	code, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// A module built at run time works on Go's memory, even after the memory has grown.
func TestCompile(t *testing.T) {
	code := adder(t)
	for range 3 {
		fs, err := wasmhost.Compile(code)
		if err != nil {
			t.Fatal(err)
		}
		if len(fs) != 2 {
			t.Fatalf("functions %v", fs)
		}
		x := []float64{1, 2, 3}
		a := addArgs{x: &x[0], n: len(x), by: 0.5}
		fs["add"].Call(unsafe.Pointer(&a))
		if a.sum != 7.5 || x[2] != 3.5 {
			t.Errorf("sum %v of %v", a.sum, x)
		}
		big := make([]float64, 20<<20) // the memory grows, and its JavaScript buffer is replaced
		a = addArgs{x: &big[0], n: len(big), by: 1}
		fs["add"].Call(unsafe.Pointer(&a))
		if a.sum != 20<<20 {
			t.Errorf("sum %v", a.sum)
		}
		runtime.KeepAlive(big)
		fs["nothing"].Call(nil)
		wasmhost.Release(fs)
	}
}

// An invalid module is refused with the engine's reason.
func TestRefused(t *testing.T) {
	for _, code := range [][]byte{nil, []byte("no module"), adder(t)[:60]} {
		if fs, err := wasmhost.Compile(code); err == nil || fs != nil || !strings.Contains(err.Error(), "wasmhost: ") {
			t.Errorf("%d bytes: %v, %v", len(code), fs, err)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	m := wasm.New()
	m.ImportMemory("env", "mem", 1)
	g := m.Func("nothing", []wasm.Type{wasm.I32}, nil)
	g.Export("nothing")
	code, err := m.Encode()
	if err != nil {
		b.Fatal(err)
	}
	fs, err := wasmhost.Compile(code)
	if err != nil {
		b.Fatal(err)
	}
	f := fs["nothing"]
	for b.Loop() {
		var a addArgs
		f.Call(unsafe.Pointer(&a))
	}
}
