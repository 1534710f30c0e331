package native

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"overcomplete/internal/patience"
)

// resident returns the resident memory of the process in MB, or 0 if unknown.
func resident() int {
	b, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			kb, _ := strconv.Atoi(f[1])
			return kb >> 10
		}
	}
	return 0
}

// TestMemory: memory does not grow with the number of loops. Five hundred more loops take no memory.
func TestMemory(t *testing.T) {
	if testing.Short() || resident() == 0 {
		t.Skip("takes seconds, and needs /proc")
	}
	c := compiler(t)
	compile := func(n int) int {
		for i := range n {
			code := product()
			if _, err := c.Compile(code, code.Loops[0]); err != nil {
				t.Fatal(err)
			}
			if i%50 == 0 {
				runtime.GC()
			}
		}
		return resident()
	}
	before := compile(100)
	patience.Try(t, func() string { // the runtime returns memory with a delay
		after := compile(500)
		t.Logf("%d MB before five hundred loops, %d MB after", before, after)
		grown := after - before
		before = after
		if grown > 50 {
			return fmt.Sprintf("five hundred loops take %d MB", grown)
		}
		return ""
	})
}

func BenchmarkCompile(b *testing.B) {
	c := compiler(b)
	code := product()
	b.Run("emit", func(b *testing.B) {
		for b.Loop() {
			if _, err := Emit(code, code.Loops[0].At, c.engine.target()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.Compile(code, code.Loops[0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
