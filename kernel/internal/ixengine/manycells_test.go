package ixengine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// manyCell returns the i-th of many small cells like those in notebooks.
func manyCell(i int) string {
	switch i % 8 {
	case 0:
		return fmt.Sprintf("total += %d", i%7)
	case 1:
		return fmt.Sprintf("func f(x float64) float64 { return x * %d }", i)
	case 2:
		return "f(total) + keep()"
	case 3:
		return fmt.Sprintf("type Q struct{ A int }\nq := Q{%d}", i)
	case 4:
		return "xs := []float64{}\nfor i := range 10 { xs = append(xs, float64(i)*total) }\nlen(xs)"
	case 5:
		return "fmt.Sprint(P{1, total}.Norm(), q)"
	case 6:
		return "keep = func() float64 { return total + 1 }"
	}
	return "m := map[string][]int{\"a\": {1, 2}}\nfor k, v := range m { total += float64(len(k) + len(v)) }"
}

const manyPrelude = `import "fmt"
type P struct{ X, Y float64 }
func (p P) Norm() float64 { return p.X*p.X + p.Y*p.Y }
total := 0.0
keep := func() float64 { return total }`

// TestManyCells runs 500 cells (or as many as CELLS says) and checks what the session holds and how long a
// cell takes, early and late.
func TestManyCells(t *testing.T) {
	patience.SkipShort(t, "it runs hundreds of cells")
	if !alone(t) {
		return
	}
	n := 500
	if c, err := strconv.Atoi(os.Getenv("CELLS")); err == nil {
		n = c
	}
	patience.Try(t, func() string { return manyCells(t, n) })
}

// manyCells returns a description of the fault if a cell uses much memory, or if later cells are slower.
// Cells may also be slower because the machine is busy.
func manyCells(t *testing.T, n int) string {
	s := fresh(t, Options{})
	run(t, s, manyPrelude)
	step := n / 5
	var times []time.Duration
	var medians []time.Duration
	var heaps []float64
	for i := range n {
		begin := time.Now()
		_, err := s.Run(context.Background(), engine.Cell{Name: fmt.Sprintf("In[%d]", i), Source: manyCell(i)})
		if err != nil {
			t.Fatalf("cell %d: %s", i, strings.Join(err.(*engine.Error).Traceback(), "\n"))
		}
		times = append(times, time.Since(begin))
		if (i+1)%step > 0 {
			continue
		}
		slices.Sort(times)
		medians = append(medians, times[len(times)/2])
		times = nil
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heaps = append(heaps, float64(m.HeapAlloc)/1e3)
		t.Logf("%6d cells: median %v, %.0f kB live", i+1, medians[len(medians)-1], heaps[len(heaps)-1])
	}
	runtime.KeepAlive(s)
	// Measured: 0.4 kB per cell, for its text, positions and hook.
	if perCell := (heaps[4] - heaps[0]) / float64(4*step); perCell > 1.5 {
		return fmt.Sprintf("each cell holds %.2f kB", perCell)
	}
	// Measured: no growth. On a busy machine the medians vary by themselves.
	if slices.Min(medians[2:]) > 2*slices.Max(medians[:2]) {
		return fmt.Sprintf("cells get slower: %v", medians)
	}
	return ""
}
