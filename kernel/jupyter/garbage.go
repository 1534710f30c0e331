package jupyter

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// heapRoom is the minimum allocation between two garbage collections, however small the heap is.
//
// A session uses about 15 MB. By default Go would collect garbage after another 15 MB, which interpreted cells allocate
// within milliseconds. With this default, a loop spent a third of its time in garbage collections.
const heapRoom = 64 << 20

// freeAfter is the time without a running cell after which the kernel returns free memory to the system. Because of
// heapRoom, there may be much free memory. By itself, Go would return this memory only some minutes later.
var freeAfter = 5 * time.Second

// A gcPacer sets the garbage collector's percentage (GOGC) so that even a small heap grows by heapRoom before the next
// collection. For larger heaps it sets Go's default of 100.
type gcPacer struct {
	mu      sync.Mutex
	percent int // the percentage set by this pacer
	before  int // the percentage before the pacer set one
	off     bool
}

// collectLess starts a gcPacer and returns a function that stops it. It does nothing if the environment
// variable GOGC is set.
func collectLess() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	c := &gcPacer{}
	c.percent = percentFor(0)
	c.before = debug.SetGCPercent(c.percent)
	c.watch()
	return c.end
}

// watch arranges for c.adjust to be called after the next garbage collection.
func (c *gcPacer) watch() {
	type sentinel struct{ c *gcPacer }
	runtime.SetFinalizer(&sentinel{c}, func(s *sentinel) {
		if s.c.adjust() {
			s.c.watch()
		}
	})
}

// adjust sets the percentage for the current heap. If a cell has set another percentage, adjust changes nothing
// and returns false.
func (c *gcPacer) adjust() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off {
		return false
	}
	want := percentFor(live())
	was := debug.SetGCPercent(want)
	if was != c.percent {
		debug.SetGCPercent(was)
		c.off = true
		return false
	}
	c.percent = want
	return true
}

func (c *gcPacer) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.off {
		c.off = true
		if was := debug.SetGCPercent(c.before); was != c.percent {
			debug.SetGCPercent(was)
		}
	}
}

// percentFor returns the GOGC percentage at which a heap grows by heapRoom before the next collection. The parameter
// live is the number of bytes in use. The result is between 100 and 1600.
func percentFor(live uint64) int {
	const most = 1600 // limits the percentage before the first collection, when live is 0
	return int(min(max(100*uint64(heapRoom)/max(live, 1), 100), most))
}

// live returns the number of bytes that the last garbage collection found in use.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
