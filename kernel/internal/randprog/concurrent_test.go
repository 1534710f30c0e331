package randprog

import (
	"strings"
	"testing"

	"overcomplete/internal/patience"
)

// TestConcurrent type-checks programs with goroutines.
func TestConcurrent(t *testing.T) {
	patience.SkipShort(t, "it type-checks hundreds of random programs")
	c := NewChecker()
	var all strings.Builder
	for seed := range uint64(200) {
		p := NewConcurrent(seed)
		if q := NewConcurrent(seed); q != p {
			t.Fatalf("seed %d gives two programs", seed)
		}
		if err := c.Check(p.Source); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Source)
		}
		all.WriteString(p.Source)
	}
	for _, what := range []string{
		"sync.WaitGroup", ".Go(func", "go F", "select {", "default:", "time.After(", "sync.Mutex", "sync.RWMutex", "sync.Cond", "sync.Pool", "sync.Map",
		"sync.OnceValue(", "atomic.Pointer[", "atomic.Add", "context.AfterFunc(", "context.WithTimeout(", "iter.Pull(", "runtime.Goexit()", "recover()",
	} {
		if !strings.Contains(all.String(), what) {
			t.Errorf("no program has %s", what)
		}
	}
}
