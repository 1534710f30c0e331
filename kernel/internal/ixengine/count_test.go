package ixengine

import (
	"testing"

	_ "github.com/goplus/ixgo/pkg/runtime"
)

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
