package ixengine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// TestOutOfMemory makes cells allocate without end, with a low limit.
func TestOutOfMemory(t *testing.T) {
	if !alone(t) {
		return
	}
	s := fresh(t, Options{MemoryLimit: used() + 150<<20})
	run(t, s, "import (\"bufio\"; \"bytes\"; \"math/big\"; \"image\"; \"reflect\"; \"strings\"; \"gonum.org/v1/gonum/mat\")")
	run(t, s, "kept := 41\nvar all [][]float64\nvar xs []int\nvar text string\nm := map[int][]byte{}")
	for _, c := range []struct{ src, want, reset string }{
		{"for { all = append(all, make([]float64, 1<<16)) }", "; all holds ", "all = nil"},
		{"for i := 0; ; i++ { m[i] = make([]byte, 1<<16) }", "out of memory", "clear(m)"},
		{"text = \"ab\"\nfor { text += text }", "out of memory", "text = \"\""},
		{"xs = make([]int, 1<<40)", "make([]int, 1099511627776) needs 8 TiB", ""},
		{"_ = strings.Repeat(\"ab\", 1<<39)", "strings.Repeat needs 1 TiB", ""},
		{"_ = bytes.Repeat([]byte{1}, 1<<40)", "bytes.Repeat needs 1 TiB", ""},
		{"new(strings.Builder).Grow(1 << 40)", "Grow needs 1 TiB", ""},
		{"new(bytes.Buffer).Grow(1 << 40)", "Grow needs 1 TiB", ""},
		{"reflect.MakeSlice(reflect.TypeFor[[]int](), 0, 1<<37)", "reflect.MakeSlice needs 1 TiB", ""},
		{"image.NewGray16(image.Rect(0, 0, 1<<20, 1<<19))", "image.NewGray16 needs 1 TiB", ""},
		{"bufio.NewReaderSize(nil, 1<<40)", "bufio.NewReaderSize needs 1 TiB", ""},
		{"new(big.Int).Lsh(big.NewInt(1), 1<<43)", "Lsh needs 1 TiB", ""},
		{"mat.NewDense(1<<20, 1<<17, nil)", "mat.NewDense needs 1 TiB", ""},
		{"mat.NewSymDense(1<<20, nil)", "mat.NewSymDense needs 8 TiB", ""},
		{"mat.NewVecDense(1<<37, nil)", "mat.NewVecDense needs 1 TiB", ""},
		{"x := mat.NewVecDense(1<<20, nil)\nnew(mat.Dense).Outer(1, x, x)", "Outer needs 8 TiB", ""},
		{"new(mat.Dense).Mul(x, x.T())", "Mul needs 8 TiB", ""},
		{"new(mat.SymDense).SymOuterK(1, x)", "SymOuterK needs 8 TiB", ""},
		{"x = mat.NewVecDense(1<<10, nil)\nvar a, b mat.Dense\na.Outer(1, x, x)\nb.Kronecker(&a, &a)", "Kronecker needs 8 TiB", ""},
		{"n := 1 << 30\ng := make([]float64, 0, n)", "make([]float64, 1073741824) needs 8.0 GiB", ""},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
		_, err := s.Run(ctx, engine.Cell{Name: "c", Source: c.src})
		cancel()
		e, ok := err.(*engine.Error)
		if !ok || e.Kind != engine.Panic || !strings.HasPrefix(e.Message, "out of memory") || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s\nended with %v", c.src, err)
		}
		// When the engine finds a doubling string too large, the previous string was within the limit and the
		// next string is being made. Small allocations continue between two checks, and a busy machine delays
		// the checks.
		if held := used(); held > s.memory.limit+2<<30 {
			t.Errorf("%s\n%s were in use", c.src, gib(float64(held)))
		}
		if got := run(t, s, "kept + 1")[0].Value; got != 42 {
			t.Errorf("%s\nkept + 1 is %v afterwards", c.src, got)
		}
		run(t, s, c.reset)
	}
	// Garbage does not count against a cell.
	run(t, s, "for range 200 { _ = make([]byte, 1<<20) }")
}

// TestTooLargeType: the message about a type that is larger than the memory names the place of the type.
func TestTooLargeType(t *testing.T) {
	s := fresh(t, Options{})
	for _, src := range []string{"x := 1\np := new([1<<50]byte)", "type T struct{ a int }\nvar a [1 << 40]T", "x := 1\nfunc f() { var a [1 << 59]int; a[0] = 1 }"} {
		_, err := s.Run(t.Context(), engine.Cell{Name: "c", Source: src})
		var e *engine.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Message, outOfMemory) || len(e.Frames) != 1 || e.Frames[0].Cell != "c" || e.Frames[0].Line != 2 {
			t.Errorf("%s\nended with %v", src, err)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	if n := newMemory(0).limit; n < 64<<20 {
		t.Errorf("limit %s", gib(float64(n)))
	}
	if n := newMemory(5).limit; n != 5 {
		t.Errorf("limit %d, want 5", n)
	}
	for n, want := range map[float64]string{5 << 20: "5 MiB", 3 << 29: "1.5 GiB", 1 << 41: "2 TiB"} {
		if got := gib(n); got != want {
			t.Errorf("gib(%v) = %s, want %s", n, got, want)
		}
	}
}
