package ixengine

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"overcomplete/internal/ram"
	"overcomplete/kernel/engine"
)

// When the system runs out of memory it ends the process, and with it the
// session. So a cell is stopped before that: the heap is watched while it
// runs. What counts is what is in use: before a cell is stopped, the garbage is
// collected.

const (
	outOfMemory = "out of memory"
	// share of what the system has for the process, for the stopped cell's last
	// steps, and for everyone else's, take memory too.
	share = 0.8
	// room is by how much a cell may in any case grow, so that one which gives
	// memory back can run when too much is held already.
	room = 64 << 20
	// refuseFrom is the size from which one allocation is looked at.
	refuseFrom = 256 << 20
)

type memory struct {
	limit int64 // in bytes of heap
}

// newMemory watches the limit given, or if that is 0 the lowest of GOMEMLIMIT,
// and 0.8 of what the control group and the machine have.
func newMemory(limit int64) *memory {
	if limit > 0 {
		return &memory{limit}
	}
	limit = debug.SetMemoryLimit(-1)
	if total, _ := ram.Read(); total > 0 {
		limit = min(limit, int64(share*float64(total)))
	}
	return &memory{limit}
}

func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// refuse panics if make cannot have n elements of size bytes.
func (m *memory) refuse(n, size int64, typ string) {
	if free, ok := m.has(n, size); !ok {
		panic(tooLarge(fmt.Sprintf("%s: make(%s, %d) needs %s, and %s of %s are free",
			outOfMemory, typ, n, gib(float64(n)*float64(size)), gib(float64(free)), gib(float64(m.limit)))))
	}
}

// refuseAppend panics if append cannot.
func (m *memory) refuseAppend(n, size int64) {
	if free, ok := m.has(n, size); !ok {
		panic(tooLarge(fmt.Sprintf("%s: append needs %s for the longer slice beside the old one, and %s of %s are free",
			outOfMemory, gib(float64(n)*float64(size)), gib(float64(free)), gib(float64(m.limit)))))
	}
}

// has reports whether n elements of size bytes can be had, and how many bytes can.
func (m *memory) has(n, size int64) (free int64, ok bool) {
	if free = m.limit - heapBytes(); n <= free/size {
		return free, true
	}
	runtime.GC()
	free = max(0, m.limit-heapBytes())
	return free, n <= free/size
}

// tooLargeType returns an array type of the program whose values do not fit into
// memory. Of a variable of such a type the interpreter would make one at once.
func (m *memory) tooLargeType(c *checked) (pos token.Pos, text string) {
	sizes := types.SizesFor("gc", runtime.GOARCH)
	for e, tv := range c.info.Types {
		a, ok := tv.Type.(*types.Array)
		if !ok || a.Len() < 1<<20 || hasTypeParam(a) {
			continue
		}
		if elem := sizes.Sizeof(a.Elem()); elem > 0 && a.Len() > m.limit/elem {
			return e.Pos(), fmt.Sprintf("%s: a %s needs %s, and there are %s", outOfMemory,
				shortType(a), gib(float64(a.Len())*float64(elem)), gib(float64(m.limit)))
		}
	}
	return token.NoPos, ""
}

// tooLarge is what a refused allocation panics with.
type tooLarge string

func (t tooLarge) Error() string { return string(t) }

func gib(bytes float64) string {
	switch {
	case bytes >= 1<<40:
		return fmt.Sprintf("%.4g TiB", bytes/(1<<40))
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", bytes/(1<<30))
	}
	return fmt.Sprintf("%.0f MiB", bytes/(1<<20))
}

// watch stops the run when stacks grow by more than stackLimit, the heap over
// the limit, or when all stands still, until done is closed.
func (s *Session) watch(r *cellRun, done <-chan struct{}) {
	stacks, heap := stackBytes(), heapBytes()
	var collected time.Time
	var still deadlocks
	n := 0
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		// Stacks that compiled code needs, or goroutines of earlier cells that are
		// about to end, are not this cell's fault; beyond all measure they are.
		if grown := int64(stackBytes()) - int64(stacks); grown > 3*stackLimit || grown > stackLimit && s.stop.deep(r) {
			s.stop.stop(r, stackOverflow)
			<-done
			// What such a stack took is free only after a collection, and
			// would hide the growth of the next one.
			runtime.GC()
			return
		}
		if n++; n%20 == 0 && still.look(s) {
			s.stop.stop(r, deadlock)
			return
		}
		limit := max(s.memory.limit, heap+room)
		if heapBytes() <= limit {
			continue
		}
		// A collection of a large heap takes long: not one after the other, and
		// not while the cell goes on.
		if time.Since(collected) > time.Second {
			release := s.stop.hold()
			runtime.GC()
			release()
			collected = time.Now()
		}
		if held := heapBytes(); held > limit {
			s.stop.mu.Lock()
			r.held = held
			s.stop.mu.Unlock()
			s.stop.stop(r, outOfMemory)
			<-done
			debug.FreeOSMemory()
			return
		}
	}
}

// explain completes the error of a cell that was stopped.
func (s *Session) explain(r *cellRun, e *engine.Error) *engine.Error {
	s.stop.mu.Lock()
	why, cutShort := r.why, r.cutShort
	s.stop.mu.Unlock()
	if e != nil && e.Kind == engine.Panic && cutShort {
		e = s.valueError(stopSignal{why}, e.Frames)
	}
	if e == nil || e.Message != outOfMemory {
		return e
	}
	e.Message = fmt.Sprintf("%s: the cell was stopped when %s were in use, of which there may be %s",
		outOfMemory, gib(float64(r.held)), gib(float64(s.memory.limit)))
	if name, bytes := s.largest(); bytes > r.held/4 {
		e.Message += fmt.Sprintf("; %s holds %s (%s = nil gives it back)", name, gib(float64(bytes)), name)
	}
	return e
}

// largest returns the session's slice with most memory, "" if goroutines of cells
// may be changing one.
func (s *Session) largest() (name string, bytes int64) {
	release, ok := s.stop.still()
	if !ok {
		return "", 0
	}
	defer release()
	for n, v := range s.env.vars {
		if v.addr == nil {
			continue
		}
		x := reflect.ValueOf(v.addr).Elem()
		if x.Kind() != reflect.Slice {
			continue
		}
		b := int64(x.Cap()) * int64(x.Type().Elem().Size())
		// A slice of slices holds what these hold.
		if e := x.Type().Elem(); e.Kind() == reflect.Slice || e.Kind() == reflect.String {
			for i := range x.Len() {
				if e.Kind() == reflect.String {
					b += int64(x.Index(i).Len())
				} else {
					b += int64(x.Index(i).Cap()) * int64(e.Elem().Size())
				}
			}
		}
		if b > bytes {
			name, bytes = n, b
		}
	}
	return name, bytes
}
