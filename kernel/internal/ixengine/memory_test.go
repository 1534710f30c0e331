package ixengine

import (
	"context"
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
	run(t, s, "kept := 41\nvar all [][]float64\nvar xs []int\nvar text string\nm := map[int][]byte{}")
	for _, c := range []struct{ src, want, reset string }{
		{"for { all = append(all, make([]float64, 1<<16)) }", "; all holds ", "all = nil"},
		{"for i := 0; ; i++ { m[i] = make([]byte, 1<<16) }", "out of memory", "clear(m)"},
		{"text = \"ab\"\nfor { text += text }", "out of memory", "text = \"\""},
		{"xs = make([]int, 1<<40)", "make([]int, 1099511627776) needs 8 TiB", ""},
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
