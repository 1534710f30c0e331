package ixengine

import (
	"context"
	"testing"

	"overcomplete/kernel/engine"
)

// BenchmarkCell measures whole cells: an expression, a tight loop (per
// iteration), recursive calls (per run of fib(20), 21,891 calls).
func BenchmarkCell(b *testing.B) {
	run := func(b *testing.B, s *Session, src string) {
		b.Helper()
		if _, err := s.Run(context.Background(), engine.Cell{Name: "bench", Source: src}); err != nil {
			b.Fatal(err)
		}
	}
	fresh := func(b *testing.B) *Session {
		s, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	b.Run("expression", func(b *testing.B) {
		s := fresh(b)
		run(b, s, "x := 3")
		for b.Loop() {
			run(b, s, "x*x")
		}
	})
	b.Run("loop1e6", func(b *testing.B) {
		s := fresh(b)
		for b.Loop() {
			run(b, s, "s := 0.0\nfor i := 0; i < 1000000; i++ { s += float64(i) * 0.5 }")
		}
	})
	b.Run("localloop1e6", func(b *testing.B) {
		s := fresh(b)
		run(b, s, "func loop() float64 { s := 0.0; for i := 0; i < 1000000; i++ { s += float64(i) * 0.5 }; return s }")
		for b.Loop() {
			run(b, s, "loop()")
		}
	})
	b.Run("fib20", func(b *testing.B) {
		s := fresh(b)
		run(b, s, "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }")
		for b.Loop() {
			run(b, s, "fib(20)")
		}
	})
}
