package ixengine

import (
	"context"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// TestFastDynamicStops: endless calls of func values, methods and callbacks end when the cell is stopped.
func TestFastDynamicStops(t *testing.T) {
	for name, src := range map[string]string{
		"closure":        "k := 0\nf := func() { k++ }\nfunc() { for { f() } }()",
		"closure itself": "var f func()\nf = func() { for { } }\nfor range 5 { f() }",
		"method":         "type T struct{ k int }\nfunc (t *T) m() { t.k++ }\nvar i interface{ m() } = &T{}\nfunc g() { for { i.m() } }\ng()",
		"callback":       "import \"sort\"\nxs := make([]int, 10)\nfunc g() { for { sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] }) } }\ng()",
		"in a callback":  "import \"sort\"\nxs := make([]int, 10)\nsort.Slice(xs, func(i, j int) bool { for { } })",
		"iterator":       "func all(yield func(int) bool) { for i := 0; yield(i); i++ { } }\ns := 0\nfor i := range all { s += i }",
		"recursion":      "var f func(int) int\nf = func(n int) int { return f(n+1) + 1 }\nf(0)",
	} {
		t.Run(name, func(t *testing.T) {
			s := fresh(t, Options{Grace: patience.Long})
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := s.Run(ctx, engine.Cell{Name: "cell", Source: src})
				done <- err
			}()
			select {
			case err := <-done:
				if e, ok := err.(*engine.Error); !ok || e.Kind != engine.Interrupted && name != "recursion" {
					t.Errorf("it ended with %v", err)
				}
			case <-time.After(patience.Long):
				t.Fatal("it goes on")
			}
			if v := run(t, s, "1 + 1"); len(v) != 1 {
				t.Errorf("afterwards: %v", v)
			}
		})
	}
}
