package ixengine

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/cputime"
	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

func TestStackUsed(t *testing.T) {
	var deeper func(n int) uintptr
	deeper = func(n int) uintptr {
		var kilo [1024]byte
		kilo[n%1024] = byte(n)
		if n == 0 {
			return stackUsed() + uintptr(kilo[1])
		}
		return deeper(n-1) + uintptr(kilo[n%1024]) - uintptr(byte(n))
	}
	few, many := deeper(10), deeper(5000)
	if perCall := (many - few) / 4990; few < 10<<10 || few > 1<<20 || perCall < 1<<10 || perCall > 4<<10 {
		t.Errorf("%d bytes with 10 calls of a kilobyte each, %d with 5000", few, many)
	}
}

// TestEndlessDefer: an endless recursion through functions that defer runs their deferred calls and ends. An
// endless recursion through compiled code does the same. The interpreter's own way of propagating a panic
// would need gigabytes.
func TestEndlessDefer(t *testing.T) {
	patience.SkipShort(t, "it fills the stack")
	if raceEnabled {
		t.Skip("the race detector cannot follow a recursion that fills the stack")
	}
	s := fresh(t, Options{})
	run(t, s, `import "sort"
begun, ended := 0, 0
func ping() { pong() }
func pong() {
	begun++
	defer func() { ended++; if ended == 5 { panic("of a deferred call") } }()
	ping()
}
func sorts() {
	begun++
	defer func() { ended++ }()
	xs := []int{2, 1}
	sort.Slice(xs, func(i, j int) bool { sorts(); return i < j })
}`)
	for src, what := range map[string]string{"ping()": stackOverflow, "sorts()": "stack overflow: endless recursion in "} {
		patience.Try(t, func() string {
			run(t, s, "begun, ended = 0, 0")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := s.Run(t.Context(), engine.Cell{Name: "In[1]", Source: src})
			runtime.ReadMemStats(&after)
			var e *engine.Error
			if !errors.As(err, &e) || !strings.Contains(e.Message, what) {
				t.Errorf("%s ended with %v, want %q", src, err, what)
			}
			begun, ended := run(t, s, "begun")[0].Value.(int), run(t, s, "ended")[0].Value.(int)
			// Deferred calls that run out of time are stopped. On a busy machine these are most of the calls.
			if ended == 0 || ended > begun {
				return fmt.Sprintf("%s: %d deferred calls of %d were made", src, ended, begun)
			}
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 2<<10 {
				t.Errorf("%s: %d MiB were allocated", src, mib)
			}
			t.Logf("%s: %d of %d deferred calls, %d MiB", src, ended, begun, (after.TotalAlloc-before.TotalAlloc)>>20)
			return ""
		})
	}
}

// TestEndlessDeferredCalls: an endless recursion of deferred calls ends, also if the calls defer two others each. It takes
// no more memory than other recursions.
func TestEndlessDeferredCalls(t *testing.T) {
	patience.SkipShort(t, "it fills the stack")
	if raceEnabled {
		t.Skip("the race detector cannot follow a recursion that fills the stack")
	}
	s := fresh(t, Options{})
	run(t, s, `func one(n int) { defer one(n+1) }
func literal(n int) { defer func() { literal(n+1) }() }
type T struct{ n int }
func (t T) Close() { defer T{t.n+1}.Close() }
func two(n int) { defer two(n+1); defer two(n+2) }
func after(n int) { defer func() { recover(); after(n+1) }(); panic(n) }`)
	for _, src := range []string{"one(0)", "literal(0)", "T{}.Close()", "two(0)", "after(0)"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if e := fails(t, s, src); e.Message != stackOverflow {
			t.Errorf("%s: %v", src, e)
		}
		runtime.ReadMemStats(&after)
		mib := (after.TotalAlloc - before.TotalAlloc) >> 20
		if t.Logf("%s: %d MiB", src, mib); mib > 2<<10 {
			t.Errorf("%s: %d MiB were allocated", src, mib)
		}
	}
}

// TestMillionCalls: a million calls deep, as compiled Go allows, in functions with a few variables. A recursion that
// never ends is stopped without the interpreter's frames of its million calls.
func TestMillionCalls(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes a call take many times the memory")
	}
	if breathing {
		t.Skip("a browser's kernel has a lower bound")
	}
	s := fresh(t, Options{})
	run(t, s, `type node struct { next *node; v int }
func (n *node) total() int { if n == nil { return 0 }; return n.v + n.next.total() }
func sum(n int) int { if n == 0 { return 0 }; return n + sum(n-1) }
func endless(n int) int { return endless(n+1) + 1 }
var list *node
for i := range 1_000_000 { list = &node{list, i} }
sums := make(chan int)`)
	for src, want := range map[string]int{
		"list.total()":   499_999_500_000,
		"sum(1_000_000)": 500_000_500_000,
		"go func() { sums <- sum(900_000) }(); <-sums": 405_000_450_000,
	} {
		if got := run(t, s, src)[0].Value; got != want {
			t.Errorf("%s = %v", src, got)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s.Run(t.Context(), engine.Cell{Name: "In[1]", Source: "endless(0)"})
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), stackOverflow) {
		t.Errorf("it ended with %v", err)
	}
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 1<<10 {
		t.Errorf("%d MiB were allocated", mib)
	}
	// With little memory the recursion is stopped earlier, and not because the memory is full.
	s = fresh(t, Options{MemoryLimit: used() + 300<<20})
	for _, src := range []string{"func endless(n int) int { return endless(n+1) + 1 }\nendless(0)", "func later(n int) int { defer func() { n++ }(); return later(n+1) + 1 }\nlater(0)"} {
		if _, err := s.Run(t.Context(), engine.Cell{Name: "In[1]", Source: src}); err == nil || !strings.Contains(err.Error(), stackOverflow) {
			t.Errorf("with little memory, %s ended with %v", src, err)
		}
	}
}

// TestEndlessToldBefore: an endless recursion that was told to stop ends, even if it never sees the flag
// raised.
func TestEndlessToldBefore(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector cannot follow a recursion that fills the stack")
	}
	s := fresh(t, Options{})
	run(t, s, "var tell func()\nvar f func(int) int\nf = func(n int) int { if n == 1000 { tell() }; return f(n+1) + 1 }")
	*s.env.vars["tell"].addr.(*func()) = func() {
		g := s.stop.self()
		s.stop.stop(g.run, interrupted)
		s.stop.mu.Lock()
		defer s.stop.mu.Unlock()
		s.stop.raise(-1)
		g.until = time.Now().Add(20 * time.Millisecond) // otherwise g would be stopped as soon as this function returns
	}
	_, err := s.Run(t.Context(), engine.Cell{Name: "In[1]", Source: "f(0)"})
	if err == nil {
		t.Error("it ended without an error")
	}
	s.stop.mu.Lock()
	s.stop.raise(1) // the end of the cell lowers the flag again
	s.stop.mu.Unlock()
	run(t, s, "1")
}

// TestEndlessMethod: a method that prints its own receiver ends its goroutine, even if an earlier cell left
// the goroutine running. The kernel's own goroutines continue.
func TestEndlessMethod(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector cannot follow a recursion that fills the stack")
	}
	late := make(chan *engine.Error, 1)
	s := fresh(t, Options{Background: func(_ string, e *engine.Error) { late <- e }})
	run(t, s, `import ("fmt"; "time")
type T struct{}
func (T) String() string { return fmt.Sprint(T{}) }
go func() { time.Sleep(20*time.Millisecond); fmt.Sprint(T{}) }()`)
	select {
	case e := <-late:
		if !strings.HasSuffix(e.Message, "endless recursion in T.String") {
			t.Error(e)
		}
	case <-time.After(patience.Long):
		t.Fatal("nothing has been reported")
	}
	v := run(t, s, "T{}")[0].Value.(interface{ String() string })
	if text := v.String(); !strings.Contains(text, "endless recursion in T.String") {
		t.Errorf("%.100s", text)
	}
	run(t, s, "1")
}

// TestChainOfGoroutines: the stacks of a hundred thousand goroutines are larger than stackLimit, so the memory watch
// looks at all goroutines. It must leave them the processor: the chain takes about as long per goroutine as a chain
// that is not looked at.
func TestChainOfGoroutines(t *testing.T) {
	patience.SkipShort(t, "it begins very many goroutines")
	if raceEnabled {
		t.Skip("the race detector bounds the number of goroutines")
	}
	if !alone(t) {
		return
	}
	s := fresh(t, Options{})
	run(t, s, `func chain(length int) (sum int) {
	first := make(chan int)
	last := first
	for range length {
		in, out := last, make(chan int)
		go func() { for v := range in { out <- v + 1 }; close(out) }()
		last = out
	}
	go func() { for i := range 5 { first <- i }; close(first) }()
	for v := range last { sum += v }
	return sum
}`)
	per := func(length int) float64 {
		begin := cputime.Used()
		if got := run(t, s, fmt.Sprintf("chain(%d)", length))[0].Value; got != 5*length+10 {
			t.Errorf("chain(%d) is %v", length, got)
		}
		return float64(cputime.Used()-begin) / float64(length)
	}
	if short, long := per(20_000), per(100_000); long > 6*short {
		t.Errorf("a goroutine of the long chain took %.1f times as long", long/short)
	}
}

// TestPanicDeep: a panic takes time proportional to the number of calls that it ends, with and without deferred calls.
func TestPanicDeep(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `func plain(n int) { if n == 0 { panic("x") }; plain(n - 1) }
func deferring(n int) { defer func() { n++ }(); if n == 0 { panic("x") }; deferring(n - 1) }
func try(f func(int), n int) { defer func() { recover() }(); f(n) }`)
	for _, f := range []string{"plain", "deferring"} {
		per := func(depth int) float64 {
			begin := cputime.Used()
			run(t, s, fmt.Sprintf("for range %d { try(%s, %d) }", 40_000/depth, f, depth))
			return float64(cputime.Used() - begin)
		}
		patience.Try(t, func() string {
			if low, high := per(2000), per(40_000); high > 6*low {
				return fmt.Sprintf("%s: a call of 40,000 took %.1f times as long as one of 2,000", f, high/low)
			}
			return ""
		})
	}
}

// TestStrangersOverflow: an endless recursion in a goroutine that a compiled package has started, or in another goroutine
// of the cell, is the running cell's error, with the place of the recursion.
func TestStrangersOverflow(t *testing.T) {
	patience.SkipShort(t, "it fills the stack")
	if raceEnabled {
		t.Skip("the race detector cannot follow a recursion that fills the stack")
	}
	skipOnOneThread(t, "gonum's package optimize is not built in")
	if !alone(t) {
		return
	}
	s := fresh(t, Options{})
	run(t, s, `import ("fmt"; "gonum.org/v1/gonum/optimize")
func endless(n int) int {
	return endless(n+1) + 1
}
type ring struct{ next *ring }
func (r *ring) String() string { return r.next.String() }`)
	for src, line := range map[string]int{
		"optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { return float64(endless(0)) }}, []float64{0}, nil, nil)": 3,
		"done := make(chan int)\ngo func() { done <- endless(0) }()\n<-done":                                                          3,
		"r := &ring{}\nr.next = r\nfmt.Sprint(r)":                                                                                     6,
	} {
		_, err := s.Run(t.Context(), engine.Cell{Name: "c", Source: src})
		var e *engine.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Message, "stack overflow") || len(e.Frames) == 0 || e.Frames[0].Line != line {
			t.Errorf("%s\nended with %v", src, err)
		}
	}
	run(t, s, "1")
}

// TestManyGoroutines: many goroutines with ordinary stacks are not a recursion; they count as memory in use.
func TestManyGoroutines(t *testing.T) {
	patience.SkipShort(t, "it begins very many goroutines")
	if raceEnabled {
		t.Skip("the race detector bounds the number of goroutines")
	}
	if !alone(t) {
		return
	}
	s := fresh(t, Options{})
	t.Cleanup(s.StopGoroutines)
	_, before := usedBytes()
	var grown int64
	run(t, s, `import "sort"
var look func()
begun, end := make(chan bool), make(chan bool)
func down(n int) { // each level has some 2 KiB of stack
	if n == 0 { begun <- true; <-end; return }
	sort.Slice([]int{2, 1}, func(i, j int) bool { down(n-1); return false })
}`)
	*s.env.vars["look"].addr.(*func()) = func() {
		_, now := usedBytes()
		grown = now - before
	}
	run(t, s, `const many = 3000
for range many { go down(20) }
for range many { <-begun }
look()
close(end)`)
	if grown < stackLimit {
		t.Errorf("the stacks grew by %d MiB only", grown>>20)
	}
	s.StopGoroutines()
	runtime.GC()
	heap, stacks := usedBytes()
	s = fresh(t, Options{MemoryLimit: heap + stacks + 100<<20})
	t.Cleanup(s.StopGoroutines)
	_, err := s.Run(t.Context(), engine.Cell{Name: "In[1]", Source: "end := make(chan bool)\nfor { go func() { <-end }() }"})
	var e *engine.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Message, outOfMemory) || !strings.Contains(e.Message, " goroutines") {
		t.Errorf("it ended with %v", err)
	}
	run(t, s, "1")
}

// TestGoroutinesAfterDeep: after a collection that has seen a deep stack, Go gives large stacks to new goroutines
// that replace ended ones. They are not a recursion.
func TestGoroutinesAfterDeep(t *testing.T) {
	patience.SkipShort(t, "its goroutines take a gigabyte of addresses")
	if runtime.GOOS == "js" {
		t.Skip("a browser allows no stack as deep as this one")
	}
	if raceEnabled {
		t.Skip("the race detector cannot follow so deep a recursion")
	}
	s := fresh(t, Options{})
	t.Cleanup(s.StopGoroutines)
	run(t, s, `import ("runtime"; "sort"; "sync"; "time")
many := func() {
	var begun, ended sync.WaitGroup
	end := make(chan bool)
	for range 2000 { begun.Add(1); ended.Go(func() { begun.Done(); <-end }) }
	begun.Wait()
	time.Sleep(50*time.Millisecond) // the memory is looked at meanwhile
	close(end)
	ended.Wait()
}
many()
var down func(n int) // each level has some 4 KiB of stack
down = func(n int) {
	if n == 0 { runtime.GC(); return }
	sort.Slice([]int{2, 1}, func(i, j int) bool { down(n-1); return false })
}
down(3000)`)
	if size := startingStackSize(); size < 32<<10 {
		t.Skipf("new goroutines have stacks of %d bytes: the garbage was collected once more", size)
	}
	run(t, s, "many()")
}
