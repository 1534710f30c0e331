package ixengine

import (
	"context"
	"fmt"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// TestPullStops: a wait in the iterator of iter.Pull ends when the caller must stop.
func TestPullStops(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "import (\"iter\"; \"slow\"; \"sync\"; \"time\")\nvar wg sync.WaitGroup\nvar mu sync.Mutex\nkept := 41\nvar ended bool\n_ = time.Hour")
	for _, body := range []string{
		"<-make(chan int)",
		"for { }",
		"select {}",
		"time.Sleep(time.Hour)",
		"wg.Add(1); wg.Wait()",
		"mu.Lock(); mu.Lock()",
		"inner, _ := iter.Pull(func(yield func(int) bool) { <-make(chan int) }); inner()",
	} {
		for _, call := range []string{"next()", "next(); next()", "done := make(chan int); go func() { next(); close(done) }(); <-done"} {
			src := "ended = false\nnext, stop := iter.Pull(func(yield func(int) bool) { defer func() { ended = true }(); slow.Begin(); " + body + "; yield(1) })\ndefer stop()\n" + call
			slowBegun.Store(false)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { // the goroutine of an iterator that has not begun stays, because it has nothing to end
				patience.Wait(slowBegun.Load)
				time.Sleep(30 * time.Millisecond)
				cancel()
			}()
			_, err := s.Run(ctx, engine.Cell{Name: "In[1]", Source: src})
			if e, ok := err.(*engine.Error); !ok || e.Message != interrupted {
				t.Errorf("%s\nended with %v", src, err)
			}
			if left := s.Goroutines(); len(left) > 0 && !patience.Wait(func() bool { return len(s.Goroutines()) == 0 }) {
				t.Fatalf("%s\nleaves %+v", src, left)
			}
			if got := run(t, s, "[]any{kept + 1, ended}")[0].Value.([]any); got[0] != 42 || got[1] != true {
				t.Errorf("%s\nthen kept + 1 and ended are %v", src, got)
			}
		}
	}
}

// TestPullByTwo: two goroutines in next at once are a panic of the cell; in Go they would end the process.
func TestPullByTwo(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import ("fmt"; "iter")
inside, goOn := make(chan bool), make(chan bool)
next, stop := iter.Pull(func(yield func(int) bool) { close(inside); <-goOn; yield(1) })
first := make(chan int)
go func() { v, _ := next(); first <- v }()
<-inside
said := func(f func()) (s string) { defer func() { s = fmt.Sprint(recover()) }(); f(); return }`)
	got := run(t, s, `a, b := said(func() { next() }), said(stop)
close(goOn)
[]any{a, b, <-first}`)[0].Value
	if want := "[iter.Pull: next called again before yield iter.Pull: stop called before yield 1]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	run(t, s, "stop()")
}

// TestWaitGroupAgain: a cell that declares a WaitGroup runs again while goroutines of its first run continue. Each
// run has a WaitGroup of its own. A counter that becomes negative makes a goroutine panic, but does not end the
// process.
func TestWaitGroupAgain(t *testing.T) {
	faults := make(chan *engine.Error, 10)
	s := fresh(t, Options{Background: func(_ string, e *engine.Error) { faults <- e }})
	run(t, s, "import \"sync\"\nopen := make(chan int)")
	for range 2 {
		run(t, s, "var wg sync.WaitGroup\nwg.Go(func() { <-open })")
	}
	run(t, s, "close(open)\nwg.Wait()")
	if !patience.Wait(func() bool { return len(s.Goroutines()) == 0 }) {
		t.Errorf("goroutines are left: %v", s.Goroutines())
	}
	run(t, s, "start := make(chan int)\ngo func() { <-start; wg.Done() }()")
	run(t, s, "close(start)")
	e := patience.Receive(t, "panic", faults)
	if e.Kind != engine.Panic || e.Message != "sync: negative WaitGroup counter" {
		t.Errorf("the goroutine ends with %v", e)
	}
	if len(faults) > 0 {
		t.Errorf("another goroutine ends with %v", <-faults)
	}
	run(t, s, "1")
}

// TestPanicsWhileWaiting: a panic in an engine goroutine that waits on behalf of a cell is the cell's panic.
func TestPanicsWhileWaiting(t *testing.T) {
	s := fresh(t, Options{})
	got := run(t, s, `import ("fmt"; "sync")
var mu sync.Mutex
c := sync.NewCond(&mu)
c.Signal()
copied := *c
mu.Lock()
func() (text string) {
	defer func() { text = fmt.Sprint(recover(), " ", mu.TryLock()) }()
	copied.Wait()
	return "it waited"
}()`)[0].Value
	if got != "sync.Cond is copied false" {
		t.Errorf("the copy: %v", got)
	}
}

// TestContextAfterFuncPanics: a panic in a function of context.AfterFunc is the cell's panic.
func TestContextAfterFuncPanics(t *testing.T) {
	faults := make(chan *engine.Error, 1)
	s := fresh(t, Options{Background: func(_ string, e *engine.Error) { faults <- e }})
	run(t, s, "import \"context\"\nctx, cancel := context.WithCancel(context.Background())\ncontext.AfterFunc(ctx, func() {\n\tpanic(\"late\")\n})")
	run(t, s, "stop := context.AfterFunc(ctx, func() { panic(\"stopped\") })\nif !stop() { panic(\"it has run\") }")
	run(t, s, "cancel()")
	if e := patience.Receive(t, "panic", faults); e.Message != "late" || len(e.Frames) == 0 || e.Frames[0].Line != 4 {
		t.Errorf("the function ends with %v", e)
	}
}
