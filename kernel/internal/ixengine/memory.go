package ixengine

import (
	"bufio"
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"image"
	"io"
	"math/big"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"
	"gonum.org/v1/gonum/mat"

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

// chunks returns how many chunks of registers the calls of a recursion may fill before it is stopped. The chunks take at
// most an eighth of the memory limit. With everything else that the calls have allocated by then, a recursion takes at
// most about a quarter of the limit. If defers is true, the functions of the recursion have defer statements. There are then fewer
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

// refuse panics if the given number of bytes cannot be allocated. The parameter what says what needs them.
func (m *memory) refuse(what string, bytes float64) {
	if free, ok := m.has(bytes); !ok {
		panic(tooLarge(fmt.Sprintf("%s: %s needs %s, and %s of %s are free", outOfMemory, what, gib(bytes), gib(free), gib(float64(m.limit)))))
	}
}

// refuseMake panics if make cannot allocate n elements of the given size in bytes; typ is the type of the slice.
func (m *memory) refuseMake(typ string, n, size int64) {
	m.refuse(fmt.Sprintf("make(%s, %d)", typ, n), float64(n)*float64(size))
}

// beforeAppend panics if a call of append must grow a slice so that it holds n elements, but the memory for this cannot
// be allocated. The slice has the given capacity, and each element has the given size in bytes.
func (m *memory) beforeAppend(n, capacity, size int64) {
	if capacity >= 1<<20 && n > capacity && size > 0 && n > refuseFrom/size {
		m.refuse("the longer slice that append makes", float64(max(n, capacity+capacity/4))*float64(size))
	}
}

// refuseCall panics if a call cannot allocate the product of the factors in bytes.
func (m *memory) refuseCall(call string, factors ...int) {
	need := 1.0
	for _, f := range factors {
		if need *= float64(f); f <= 0 {
			return
		}
	}
	if need > refuseFrom {
		m.refuse(call, need)
	}
}

// allocations replaces functions of compiled packages that allocate as much memory as their arguments say. If this
// memory could not be had, Go's runtime would end the process, and the session with it.
func (s *Session) allocations(set func(name string, f any)) {
	m := s.memory
	set("strings.Repeat", func(t string, n int) string {
		m.refuseCall("strings.Repeat", len(t), n)
		return strings.Repeat(t, n)
	})
	set("bytes.Repeat", func(b []byte, n int) []byte {
		m.refuseCall("bytes.Repeat", len(b), n)
		return bytes.Repeat(b, n)
	})
	set("(*bytes.Buffer).Grow", func(b *bytes.Buffer, n int) { m.refuseCall("Grow", n); b.Grow(n) })
	set("(*strings.Builder).Grow", func(b *strings.Builder, n int) { m.refuseCall("Grow", n); b.Grow(n) })
	set("bufio.NewReaderSize", func(r io.Reader, n int) *bufio.Reader {
		m.refuseCall("bufio.NewReaderSize", n)
		return bufio.NewReaderSize(r, n)
	})
	set("bufio.NewWriterSize", func(w io.Writer, n int) *bufio.Writer {
		m.refuseCall("bufio.NewWriterSize", n)
		return bufio.NewWriterSize(w, n)
	})
	set("(*math/big.Int).Lsh", func(z, x *big.Int, n uint) *big.Int {
		m.refuseCall("Lsh", int(n/8))
		return z.Lsh(x, n)
	})
	set("reflect.MakeSlice", func(t reflect.Type, n, capacity int) reflect.Value {
		if t.Kind() == reflect.Slice && n >= 0 {
			m.refuseCall("reflect.MakeSlice", capacity, int(t.Elem().Size()))
		}
		return reflect.MakeSlice(t, n, capacity)
	})
	images(m, set, "NewRGBA", 4, image.NewRGBA)
	images(m, set, "NewNRGBA", 4, image.NewNRGBA)
	images(m, set, "NewRGBA64", 8, image.NewRGBA64)
	images(m, set, "NewGray", 1, image.NewGray)
	images(m, set, "NewGray16", 2, image.NewGray16)

	const gonum = "gonum.org/v1/gonum/mat."
	set(gonum+"NewVecDense", func(n int, data []float64) *mat.VecDense {
		if data == nil {
			m.refuseCall("mat.NewVecDense", n, 8)
		}
		return mat.NewVecDense(n, data)
	})
	set(gonum+"NewDense", func(r, c int, data []float64) *mat.Dense {
		if data == nil {
			m.refuseCall("mat.NewDense", r, c, 8)
		}
		return mat.NewDense(r, c, data)
	})
	set(gonum+"NewSymDense", func(n int, data []float64) *mat.SymDense {
		if data == nil {
			m.refuseCall("mat.NewSymDense", n, n, 8)
		}
		return mat.NewSymDense(n, data)
	})
	set(gonum+"NewTriDense", func(n int, kind mat.TriKind, data []float64) *mat.TriDense {
		if data == nil {
			m.refuseCall("mat.NewTriDense", n, n, 8)
		}
		return mat.NewTriDense(n, kind, data)
	})
	set("(*"+gonum+"Dense).ReuseAs", func(d *mat.Dense, r, c int) { m.refuseCall("ReuseAs", r, c, 8); d.ReuseAs(r, c) })
	set("(*"+gonum+"Dense).Mul", func(d *mat.Dense, a, b mat.Matrix) {
		if d.IsEmpty() {
			r, _ := a.Dims()
			_, c := b.Dims()
			m.refuseCall("Mul", r, c, 8)
		}
		d.Mul(a, b)
	})
	set("(*"+gonum+"Dense).Outer", func(d *mat.Dense, alpha float64, x, y mat.Vector) {
		if d.IsEmpty() {
			m.refuseCall("Outer", x.Len(), y.Len(), 8)
		}
		d.Outer(alpha, x, y)
	})
	set("(*"+gonum+"Dense).Kronecker", func(d *mat.Dense, a, b mat.Matrix) {
		if d.IsEmpty() {
			r, c := a.Dims()
			s, e := b.Dims()
			m.refuseCall("Kronecker", r, s, c, e, 8)
		}
		d.Kronecker(a, b)
	})
	set("(*"+gonum+"SymDense).SymOuterK", func(d *mat.SymDense, alpha float64, x mat.Matrix) {
		if d.IsEmpty() {
			r, _ := x.Dims()
			m.refuseCall("SymOuterK", r, r, 8)
		}
		d.SymOuterK(alpha, x)
	})
}

// images replaces a function of package image that makes an image.
func images[T any](m *memory, set func(string, any), name string, bytesPerPixel int, f func(image.Rectangle) T) {
	set("image."+name, func(r image.Rectangle) T {
		m.refuseCall("image."+name, r.Dx(), r.Dy(), bytesPerPixel)
		return f(r)
	})
}

// concat returns an instruction that concatenates two strings and panics if the result is too large. The size is
// checked here because watch() reacts only after milliseconds, and in that time strings can double many times.
func (s *Session) concat(in *ssa.BinOp, r *registers, old instruction) instruction {
	x, y := r.slotOf(in.X), r.slotOf(in.Y)
	return func(fr *frame) {
		stack := stackOf(fr)
		if n := lenOf(stack[x]) + lenOf(stack[y]); n > refuseFrom {
			s.memory.refuse("the longer string", float64(n))
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

// has reports whether the given number of bytes can be allocated, and how many are free.
func (m *memory) has(bytes float64) (free float64, ok bool) {
	if free = float64(m.limit - used()); bytes <= free {
		return free, true
	}
	runtime.GC()
	free = max(0, float64(m.limit-used()))
	return free, bytes <= free
}

// tooLargeType looks for an array type in the program that is too large for the memory. Without this check, the
// interpreter would at once allocate a value for a variable of such a type. It returns the first position of the type in
// a cell, and an error message; the message is "" if there is no such type.
func (m *memory) tooLargeType(fset *token.FileSet, info *types.Info) (pos token.Pos, text string) {
	for e, tv := range info.Types {
		a, ok := tv.Type.(*types.Array)
		if !ok || a.Len() < 1<<20 || hasTypeParam(a) {
			continue
		}
		elem := uint64(sizes.Sizeof(a.Elem())) // negative, and so a large number, for a type that is too large
		if elem == 0 || uint64(a.Len()) <= uint64(m.limit)/elem {
			continue
		}
		if at := e.Pos(); fset.Position(at).Filename != "" && (pos == token.NoPos || at < pos) {
			pos = at
		} else if text != "" {
			continue
		}
		text = fmt.Sprintf("%s: a %s needs %s, and there are %s", outOfMemory,
			shortType(a), gib(float64(a.Len())*float64(elem)), gib(float64(m.limit)))
	}
	return pos, text
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
// The parameter before is the earlier size of all stacks in bytes. If the growth seems to have this cause,
// deepElsewhere frees the stacks of ended goroutines and looks again.
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
// goroutine can continue. It returns at the latest when done is closed.
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
		deep, isMain := false, false
		if grown := stacksNow - stacks; grown > stackLimit && time.Since(looked) > 20*took {
			looked = time.Now()
			deep, isMain = s.stop.deep(r)
			deep = deep || grown > 3*stackLimit && s.deepElsewhere(stacks)
			took = time.Since(looked)
		}
		if deep {
			s.stop.stopDeep(r, isMain)
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
