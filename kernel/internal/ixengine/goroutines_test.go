package ixengine

import (
	"testing"
	"time"

	_ "github.com/goplus/ixgo/pkg/runtime"

	"overcomplete/internal/patience"
)

// TestStart lets compiled code start functions of cells, during a cell and between cells, and stops functions
// that do not end by themselves.
func TestStart(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "done := 0")
	f := run(t, s, "func() { done++ }")[0].Value.(func())
	endless := run(t, s, "func() { for { } }")[0].Value.(func())
	waiting := run(t, s, "func() { select { } }")[0].Value.(func())

	ended := make(chan bool)
	s.Start(func() { defer close(ended); f() })
	<-ended
	if got := run(t, s, "done")[0].Value; got != 1 {
		t.Errorf("done is %v", got)
	}
	for i, f := range []func(){endless, waiting} {
		begun, gone := make(chan bool), make(chan bool)
		stop := s.Start(func() { close(begun); defer close(gone); f() })
		<-begun // a function that is stopped before this point does not begin
		if n := len(s.Goroutines()); n != 1 {
			t.Errorf("%d goroutines run", n)
		}
		stop()
		select {
		case <-gone:
		case <-time.After(patience.Long):
			t.Fatal("it goes on: function", i)
		}
		stop() // a second call has no effect
	}
	patience.Until(t, "all ended", func() bool { return len(s.Goroutines()) == 0 })
}

// TestGoroutinesCounted: a cell can count goroutines to see whether its own have ended. While a cell runs, the
// session starts no goroutines of its own that stay, so the number does not grow for long.
func TestGoroutinesCounted(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import ("runtime"; "time")`)
	for i := range 500 {
		got := run(t, s, `before := runtime.NumGoroutine()
time.Sleep(100*time.Microsecond)
for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before && time.Now().Before(end); { runtime.Gosched() }
runtime.NumGoroutine() - before`)[0].Value.(int)
		if got > 0 {
			t.Fatalf("cell %d: %d goroutines more than at its start", i, got)
		}
	}
}
