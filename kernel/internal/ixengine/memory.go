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

	"golang.org/x/tools/go/ssa"

	"overcomplete/internal/ram"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/regcode"
)

// When the system runs out of memory, it ends the process, and the session with it. So a cell is stopped before
// that: the heap is watched while the cell runs. Only memory in use counts, so the garbage is collected before
// a cell is stopped.

const (
	outOfMemory = "out of memory"
	// share is the part of the available memory that the process may use. The rest is for what a stopped cell
	// still does before it ends, and for other programs.
	share = 0.8
	// room is the number of bytes by which memory may always grow during a cell. So a cell that frees memory
	// can run even when the session already uses too much.
	room = 64 << 20
	// lookForDeadlock is the number of memory checks between two checks for a deadlock.
	lookForDeadlock = int(100 * time.Millisecond / watchEvery)
)

type memory struct {
	limit int64 // limit in bytes of heap and stacks
}

// newMemory returns a memory with the given limit. If the limit is 0, it is set to the lowest of GOMEMLIMIT,
// 0.8 of the control group's memory and 0.8 of the machine's memory.
func newMemory(limit int64) *memory {
	if limit > 0 {
		return &memory{limit}
	}
	limit = debug.SetMemoryLimit(-1)
	if limit > mostMemory { // without a memory limit, garbage could grow beyond mostMemory
		limit = mostMemory
		debug.SetMemoryLimit(limit)
	}
	if total, _ := ram.Read(); total > 0 {
		limit = min(limit, int64(share*float64(total)))
	}
	return &memory{limit}
}

// chunks returns how many chunks of registers the calls of a recursion may fill: at most an eighth of the memory limit.
// Together with the other memory that the calls take when the recursion is stopped, a recursion takes at most about a
// quarter of the limit. If defers is true, the functions of the recursion have defer statements. There are then fewer
// chunks, because such functions also need the interpreter's frames.
func (m *memory) chunks(defers bool) int16 {
	n := min(m.limit/(8*regcode.ChunkSize), int64(regcode.MostChunks))
	if defers {
		n /= 4
	}
	return int16(max(n, 8))
}

// used returns the bytes that count against the limit.
func used() int64 {
	heap, stacks := usedBytes()
	return heap + stacks
}

// usedBytes returns the bytes in use by heap objects, including garbage, and by stacks.
func usedBytes() (heap, stacks int64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()), int64(sample[1].Value.Uint64())
}

// startingStackSize returns the stack size of new goroutines in bytes.
func startingStackSize() uintptr {
	sample := []metrics.Sample{{Name: "/gc/stack/starting-size:bytes"}}
	metrics.Read(sample)
	return uintptr(sample[0].Value.Uint64())
}

// refuse panics if a call of make cannot allocate n elements of the given size in bytes.
func (m *memory) refuse(n, size int64, typ string) {
	if free, ok := m.has(n, size); !ok {
		panic(tooLarge(fmt.Sprintf("%s: make(%s, %d) needs %s, and %s of %s are free",
			outOfMemory, typ, n, gib(float64(n)*float64(size)), gib(float64(free)), gib(float64(m.limit)))))
	}
}

// beforeAppend panics if a call of append must grow a slice so that it holds n elements, but the memory for this cannot
// be allocated. The slice has the given capacity, and each element has the given size in bytes.
func (m *memory) beforeAppend(n, capacity, size int64) {
	if capacity >= 1<<20 && n > capacity && size > 0 && n > refuseFrom/size {
		m.refuseAppend(max(n, capacity+capacity/4), size)
	}
}

// refuseAppend panics if a call of append cannot allocate n elements of the given size in bytes.
func (m *memory) refuseAppend(n, size int64) {
	if free, ok := m.has(n, size); !ok {
		panic(tooLarge(fmt.Sprintf("%s: append needs %s for the longer slice beside the old one, and %s of %s are free",
			outOfMemory, gib(float64(n)*float64(size)), gib(float64(free)), gib(float64(m.limit)))))
	}
}

// refuseText panics if a string of n bytes cannot be allocated.
func (m *memory) refuseText(n int64) {
	if free, ok := m.has(n, 1); !ok {
		panic(tooLarge(fmt.Sprintf("%s: a text of %s is to be made, and %s of %s are free",
			outOfMemory, gib(float64(n)), gib(float64(free)), gib(float64(m.limit)))))
	}
}

// concat returns an instruction that concatenates two strings and panics if the result is too large. The size is
// checked here because watch() reacts only after milliseconds, and in that time strings can double many times.
func (s *Session) concat(in *ssa.BinOp, r *registers, old instruction) instruction {
	x, y := r.slotOf(in.X), r.slotOf(in.Y)
	return func(fr *frame) {
		stack := stackOf(fr)
		if n := lenOf(stack[x]) + lenOf(stack[y]); n > refuseFrom {
			s.memory.refuseText(n)
			breatheIfDue() // in a browser, where copying megabytes takes as long as many statements
		}
		old(fr)
	}
}

func lenOf(text any) int64 {
	if s, ok := text.(string); ok {
		return int64(len(s))
	}
	return int64(reflect.ValueOf(text).Len()) // a named string type
}

// has reports whether n elements of the given size in bytes can be allocated, and how many bytes are free.
func (m *memory) has(n, size int64) (free int64, ok bool) {
	if free = m.limit - used(); n <= free/size {
		return free, true
	}
	runtime.GC()
	free = max(0, m.limit-used())
	return free, n <= free/size
}

// tooLargeType looks for an array type in the program that is too large for the memory. Without this check, the
// interpreter would at once allocate a value for a variable of such a type. It returns the type's position and an error
// message; the message is "" if there is no such type.
func (m *memory) tooLargeType(c *checkedProgram) (pos token.Pos, text string) {
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

// A tooLarge is the panic value of a refused allocation.
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

// deepElsewhere reports whether stack memory has grown because goroutines that compiled code started have deep stacks.
// Its argument is the earlier size of all stacks in bytes. If the growth seems to have this cause, deepElsewhere frees
// the stacks of ended goroutines and looks again.
func (s *Session) deepElsewhere(before int64) bool {
	_, now := usedBytes()
	startingSize := startingStackSize()
	if !s.stop.deepElsewhere(now-before, startingSize) {
		return false
	}
	release := s.stop.hold()
	defer release()
	runtime.GC()
	_, now = usedBytes()
	return s.stop.deepElsewhere(now-before, startingSize)
}

// watch stops the run r when stacks grow by more than stackLimit, when heap and stacks exceed the limit, or when no
// goroutine can continue. It returns at the latest when the channel is closed.
func (s *Session) watch(r *cellRun, done <-chan struct{}) {
	heap, stacks := usedBytes()
	var collected, looked time.Time
	var took time.Duration // by the last look for deep stacks, which began at looked
	var still deadlocks
	n := 0
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		heapNow, stacksNow := usedBytes()
		// The cell is not stopped for stacks that compiled code needs, or for stacks of earlier cells'
		// goroutines that are about to end, unless they are extremely large. With many goroutines this check
		// takes longer than a tick, so it is not repeated at once.
		deep := false
		if grown := stacksNow - stacks; grown > stackLimit && time.Since(looked) > 20*took {
			looked = time.Now()
			deep = s.stop.deep(r) || grown > 3*stackLimit && s.deepElsewhere(stacks)
			took = time.Since(looked)
		}
		if deep {
			s.stop.stop(r, stackOverflow)
			<-done
			// The memory of such a stack is freed only by a garbage collection; until then it would hide the
			// growth of the next stack.
			runtime.GC()
			return
		}
		if n++; n%lookForDeadlock == 0 && still.look(s) {
			s.stop.stop(r, deadlock)
			return
		}
		limit := max(s.memory.limit, heap+stacks+room)
		if heapNow+stacksNow <= limit {
			continue
		}
		// Collecting a large heap takes a long time: leave time between collections for the cell to continue.
		if time.Since(collected) > time.Second {
			release := s.stop.hold()
			runtime.GC()
			release()
			collected = time.Now()
		}
		if heapNow, stacksNow = usedBytes(); heapNow+stacksNow > limit {
			s.stop.mu.Lock()
			r.held, r.goroutines = heapNow+stacksNow, runtime.NumGoroutine()
			s.stop.mu.Unlock()
			s.stop.stop(r, outOfMemory)
			<-done
			debug.FreeOSMemory()
			return
		}
	}
}

// explain returns the error to report for the run r. e is the error with which r ended, or nil. If r was stopped
// because memory ran out, the message also says how much memory was in use, and which slice holds much of it. If
// compiled code panicked only because the run was stopped, the result is the error of the stop.
func (s *Session) explain(r *cellRun, e *engine.Error) *engine.Error {
	s.stop.mu.Lock()
	why, cutShort, goroutines := r.why, r.cutShort, r.goroutines
	s.stop.mu.Unlock()
	if e != nil && e.Kind == engine.Panic && cutShort {
		e = s.valueError(stopSignal{why}, e.Frames)
	}
	if e == nil || e.Message != outOfMemory {
		return e
	}
	e.Message = fmt.Sprintf("%s: the cell was stopped when %s were in use, of which there may be %s",
		outOfMemory, gib(float64(r.held)), gib(float64(s.memory.limit)))
	if goroutines > 1000 {
		e.Message += fmt.Sprintf(", with %d goroutines", goroutines)
	}
	if name, bytes := s.largest(); bytes > r.held/4 {
		e.Message += fmt.Sprintf("; %s holds %s (%s = nil gives it back)", name, gib(float64(bytes)), name)
	}
	return e
}

// largest returns the name and the size in bytes of the session's slice that uses the most memory. The name is "" if
// there is no slice, or if goroutines of cells may be changing slices.
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
		// A slice of slices also holds the memory of its elements.
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
