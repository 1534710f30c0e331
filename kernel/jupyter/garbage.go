package jupyter

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// heapRoom is what may be allocated between two garbage collections, however little is held.
//
// A session holds some 15 MB. Go would collect at twice that, which cells that
// are interpreted fill in milliseconds: a third of the time of a loop went there.
const heapRoom = 64 << 20

// A gcPacer keeps the collection's percentage such that there is heapRoom while
// little is held, and Go's usual 100 above that.
type gcPacer struct {
	mu      sync.Mutex
	percent int // that we have set
	before  int // that was there before us
	off     bool
}

// collectLess begins with it; the function that it returns ends it. Who has set GOGC is
// left with what they want.
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

// watch has adjust called after the next collection.
func (c *gcPacer) watch() {
	type sentinel struct{ c *gcPacer }
	runtime.SetFinalizer(&sentinel{c}, func(s *sentinel) {
		if s.c.adjust() {
			s.c.watch()
		}
	})
}

// adjust sets the percentage for what is held now. It gives up, and reports false, when
// a cell has set another one.
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

// percentFor returns the percentage at which live bytes leave heapRoom until the next collection.
func percentFor(live uint64) int {
	const most = 1600 // before the first collection little is known
	return int(min(max(100*uint64(heapRoom)/max(live, 1), 100), most))
}

// live returns what the last collection has found to be in use.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
