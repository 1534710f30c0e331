package ixengine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goplus/ixgo"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
	"overcomplete/ui/cell"

	_ "github.com/goplus/ixgo/pkg/context"
	_ "github.com/goplus/ixgo/pkg/sync"
)

// Package slow is compiled code that takes long.
func init() {
	ixgo.RegisterPackage(&ixgo.Package{
		Name: "slow", Path: "slow", Deps: map[string]string{"context": "context", "overcomplete/kernel/internal/ixengine": "ixengine"},
		AliasTypes: map[string]reflect.Type{"Options": reflect.TypeFor[slowOptions]()},
		Funcs: map[string]reflect.Value{
			// Fit heeds its context.
			"Fit":         reflect.ValueOf(slowFit),
			"FitOptions":  reflect.ValueOf(func(x int, o *slowOptions) error { return slowFit(o.Context) }),
			"FitSettings": reflect.ValueOf(func(o slowOptions) error { return slowFit(o.Context) }),
			// Workers heeds its context in goroutines of its own.
			"Workers": reflect.ValueOf(func(ctx context.Context) error {
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				done := make(chan error)
				go func() { <-ctx.Done(); done <- context.Cause(ctx) }()
				return <-done
			}),
			// Heed takes no context, asks for the cell's context, and panics when that context ends;
			// HeedInWorker does the same in a goroutine.
			"Heed":         reflect.ValueOf(slowHeed),
			"HeedInWorker": reflect.ValueOf(func() { slowInWorker(slowHeed) }),
			// Work computes for d, and heeds no context.
			"Work": reflect.ValueOf(slowWork),
			// Later calls f after d.
			"Later": reflect.ValueOf(func(d time.Duration, f func()) { time.AfterFunc(d, f) }),
			// InWorker calls f in a goroutine and panics with the value of f's panic.
			"InWorker": reflect.ValueOf(slowInWorker),
			// Ask calls f in a goroutine and waits for its result.
			"Ask": reflect.ValueOf(func(f func() int) int {
				answer := make(chan int)
				go func() { defer close(answer); answer <- f() }()
				n, ok := <-answer
				if !ok {
					panic("no answer")
				}
				return n
			}),
			// Begin records that the cell has reached this call.
			"Begin": reflect.ValueOf(func() { slowBegun.Store(true) }),
			// Often calls f a hundred times.
			"Often": reflect.ValueOf(func(f func()) {
				for range 100 {
					f()
				}
			}),
			// Each calls f in a goroutine that does not recover panics.
			"Each": reflect.ValueOf(func(f func()) {
				done := make(chan bool)
				go func() { defer close(done); f() }()
				<-done
			}),
		},
	})
}

var slowBegun atomic.Bool

type slowOptions struct {
	N       int
	Context context.Context
}

func slowFit(ctx context.Context) error {
	if ctx == nil {
		return errors.New("nil context")
	}
	<-ctx.Done()
	return ctx.Err()
}

func slowHeed() {
	ctx := cell.Context()
	<-ctx.Done()
	panic(fmt.Errorf("slow: %w", context.Cause(ctx)))
}

func slowWork(d time.Duration) int {
	n := 0
	for end := time.Now().Add(d); time.Now().Before(end); n++ {
	}
	return n
}

// stopAfter runs a cell and interrupts it after the time d. took is the time from the interrupt to the cell's
// end.
func stopAfter(t *testing.T, s *Session, d time.Duration, src string) (e *engine.Error, took time.Duration) {
	t.Helper()
	return stopThen(t, s, d, src, nil)
}

// stopThen is like stopAfter, but also calls the function then, if it is not nil, when the cell's goroutines
// have been told of the interrupt.
func stopThen(t *testing.T, s *Session, d time.Duration, src string, then func()) (e *engine.Error, took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	interrupt := make(chan time.Time, 1)
	go func() {
		for ctx.Err() == nil && !s.stop.hasBegun() {
			time.Sleep(time.Millisecond / 4)
		}
		time.Sleep(d)
		interrupt <- time.Now()
		cancel()
		if then != nil {
			patience.Wait(func() bool { return s.stop.told.Load() > 0 })
			then()
		}
	}()
	_, err := s.Run(ctx, engine.Cell{Name: "In[1]", Source: src})
	e, ok := err.(*engine.Error)
	if !ok {
		t.Fatalf("%s\nwas not stopped: %v", src, err)
	}
	return e, time.Since(<-interrupt)
}

// hasBegun reports whether a cell is running.
func (s *stopper) hasBegun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for g := range s.all {
		if g.main && g.run == s.current && g.gid != 0 {
			return true
		}
	}
	return false
}

const stopPrelude = `import ("context"; "slow"; "sync"; "time")
kept := 41
background := context.Background()
derived, _ := context.WithTimeout(context.Background(), time.Hour)
ch := make(chan int)
var mu sync.Mutex
var rw sync.RWMutex
var wg sync.WaitGroup
cond := sync.NewCond(&mu)
_ = slow.Work
var err error`

// TestStopKeepsState interrupts cells of every kind. Each must end soon, by itself, and the session must be
// unchanged.
func TestStopKeepsState(t *testing.T) {
	cells := []string{
		"for { }",
		"for { kept++; kept-- }",
		"time.Sleep(time.Hour)",
		"for { time.Sleep(time.Millisecond) }",
		"select {}",
		"<-ch",
		"ch <- 1",
		"for range ch { }",
		"var none chan int; <-none",
		"select { case <-ch: case ch <- 2: case <-time.After(time.Hour): }",
		"mu.Lock(); defer mu.Unlock(); mu.Lock()",
		"rw.Lock(); defer rw.Unlock(); rw.RLock()",
		"rw.RLock(); defer rw.RUnlock(); rw.Lock()",
		"wg.Add(1); defer wg.Done(); wg.Wait()",
		"mu.Lock(); defer mu.Unlock(); cond.Wait()",
		"err = slow.Fit(context.Background())",
		"err = slow.Fit(context.TODO())",
		"err = slow.Fit(nil)",
		"err = slow.Fit(background)",
		"err = slow.Fit(derived)",
		"derived, _ = context.WithTimeout(background, time.Hour); err = slow.Workers(derived)",
		"err = slow.Workers(background)",
		"c, stop := context.WithCancel(context.WithValue(background, 1, 2)); defer stop(); err = slow.Workers(c)",
		"err = slow.FitOptions(1, nil)",
		"err = slow.FitOptions(1, &slow.Options{N: 3})",
		"err = slow.FitOptions(1, &slow.Options{Context: background})",
		"err = slow.FitSettings(slow.Options{})",
		"slow.Heed()",
		"slow.HeedInWorker()",
		"go slow.Heed(); for { }",
		"go slow.Heed(); slow.Heed()",
		"slow.Each(func() { <-background.Done() }); slow.Heed()",
		"go slow.FitOptions(1, nil); for { }",
		"<-context.Background().Done()",
		"for background.Err() == nil { time.Sleep(time.Millisecond) }; select {}",
		"f := slow.Fit; err = f(background)",
		"go func() { for { } }(); for { }",
		"for range 10 { go func() { <-ch }() }; wg.Wait(); <-ch",
		"for range 10 { wg.Go(func() { <-ch }) }; wg.Wait()",
		"for range 10 { go slow.Fit(background) }; for { }",
		"defer func() { <-ch }(); for { }",
		"defer func() { recover(); <-ch }(); <-ch",
		"for { func() { defer func() { recover() }(); <-ch }() }",
		"slow.Each(func() { for { } })",
		"func guarded() { defer func() { recover() }(); for { } }\nguarded(); kept = 0",
		"import \"fmt\"\ntype slowText int\nfunc (t slowText) String() string { for t > 0 { }; return \"\" }\nfunc show(t slowText) string { for range 2000 { _ = fmt.Sprint(slowText(0)) }; return fmt.Sprint(t) }\nshow(0); show(1)",
		"func deep(n int) { if n > 0 { deep(n - 1) }; <-ch }\ndeep(100)",
	}
	s := fresh(t, Options{})
	run(t, s, stopPrelude)
	previous := cell.SetContext(s.Context)
	defer func() { cell.SetContext(previous) }()
	before := runtime.NumGoroutine()
	for _, src := range cells {
		// A cell must end within 200 ms, plus time for deferred functions that wait. A busy machine may be
		// late now and then, but not each time.
		patience.Try(t, func() string {
			fault := stopsCleanly(t, s, src)
			if fault == "" {
				return ""
			}
			s.StopGoroutines()
			run(t, s, "err = nil")
			return src + "\n" + fault
		})
	}
	ebb(t, before+5)
}

// stopsCleanly stops a cell and returns a description of what goes wrong, or "". The cell must soon end as a
// stopped cell does, leave no goroutine running, and leave variables and locks unchanged.
func stopsCleanly(t *testing.T, s *Session, src string) string {
	t.Helper()
	e, took := stopAfter(t, s, 30*time.Millisecond, src)
	if e.Kind != engine.Interrupted || e.Message != engine.Stopped {
		return fmt.Sprintf("ended with %v", e)
	}
	if took > 400*time.Millisecond {
		return fmt.Sprintf("took %v to stop", took)
	}
	if got := run(t, s, "kept + 1")[0].Value; got != 42 {
		t.Errorf("%s\nkept + 1 is %v afterwards", src, got)
	}
	run(t, s, "err = nil\nmu.Lock(); mu.Unlock(); rw.Lock(); rw.Unlock(); wg.Wait()")
	if !patience.Wait(func() bool { return len(s.Goroutines()) == 0 }) { // reap may have to stop some goroutines
		return fmt.Sprintf("left %v", s.Goroutines())
	}
	return ""
}

// TestStopStrangers interrupts cells with functions that run in goroutines of compiled code: the goroutines
// end without a panic, and their deferred calls run.
func TestStopStrangers(t *testing.T) {
	s := fresh(t, Options{Grace: patience.Long})
	run(t, s, stopPrelude+"\nended := 0")
	for _, c := range []struct {
		src   string
		ended int
	}{
		{"slow.Each(func() { defer func() { ended++ }(); for { } })", 1},
		{"slow.InWorker(func() { defer func() { ended++ }(); for { } })", 1},
		{"slow.Ask(func() int { for { } })", 0},
		{"slow.Ask(func() int { defer func() { ended++ }(); for { } })", 1},
		{"slow.Each(func() { defer func() { ended++ }(); func() { defer func() { recover(); ended++ }(); for { } }() })", 2},
		{"slow.Each(func() { defer func() { for range 5 { ended++ } }(); <-ch })", 5},
		// Deferred calls, with calls of compiled code in between.
		{"slow.Each(func() { defer func() { ended++ }(); slow.Often(func() { defer func() { ended++ }(); for { } }) })", 2},
		{"slow.Each(func() { defer func() { ended++ }(); slow.Often(func() { slow.Often(func() { for { } }) }) })", 1},
	} {
		patience.Try(t, func() string { // a stalled machine may use up the time for deferred calls
			run(t, s, "ended = 0; ch = make(chan int)")
			var then func()
			if strings.Contains(c.src, "<-ch") { // the stop does not end this wait in a goroutine of compiled code, so close the channel
				then = func() { close(*s.env.vars["ch"].addr.(*chan int)) }
			}
			e, _ := stopThen(t, s, 30*time.Millisecond, c.src, then)
			if e.Kind != engine.Interrupted || e.Message != engine.Stopped {
				return fmt.Sprintf("%s\nended with %v", c.src, e)
			}
			if got := run(t, s, "ended")[0].Value; got != c.ended {
				return fmt.Sprintf("%s\n%v deferred calls, want %d", c.src, got, c.ended)
			}
			return ""
		})
	}
}

// TestLeftBehind stops a cell in compiled code that heeds no context.
func TestLeftBehind(t *testing.T) {
	if raceEnabled {
		t.Skip("reads the frames of a goroutine that stands still in compiled code")
	}
	skipOnOneThread(t, "compiled code that does not look at its context keeps even the interrupt out until it returns")
	patience.Try(t, func() string { // a stalled machine may resume only when the work is done
		s := fresh(t, Options{Grace: 50 * time.Millisecond})
		run(t, s, stopPrelude+"\nx := 1")
		e, took := stopAfter(t, s, 30*time.Millisecond, "kept = 1\nx = slow.Work(1500 * time.Millisecond)\nx = 2\nkept = 2")
		if e.Kind != engine.Interrupted || !strings.Contains(e.Message, "cannot be stopped") || took > time.Second {
			return fmt.Sprintf("after %v: %v", took, e)
		}
		if len(e.Frames) != 1 || e.Frames[0].Line != 2 {
			return fmt.Sprintf("frames %v", e.Frames)
		}
		list := s.Goroutines()
		if len(list) != 1 || !list[0].Stopping || !strings.HasPrefix(list[0].State, "runs overcomplete/kernel/internal/ixengine.slowWork") {
			return fmt.Sprintf("listed: %+v", list)
		}
		run(t, s, "kept = 7")
		patience.Until(t, "ended", func() bool { return len(s.Goroutines()) == 0 })
		if got := run(t, s, "kept*10 + x")[0].Value; got != 71 {
			t.Errorf("the cell that was left behind went on: %v", got)
		}
		return ""
	})
}

func TestGoroutines(t *testing.T) {
	begin := time.Now()
	s := fresh(t, Options{Grace: patience.Long})
	run(t, s, stopPrelude+`
n := 0
go func() { for { n++ } }()
go func() {
	<-ch }()
go slow.Fit(background)
go time.Sleep(time.Hour)
wg.Go(func() { mu.Lock(); mu.Lock() })
func worker(id int) { for { time.Sleep(time.Millisecond) } }
go worker(3)`)
	want := []string{
		"2 In[1]:13 go func() { for { n++ } }() | running",
		"3 In[1]:14 go func() { | waits in chan receive, In[1] line 15",
		"4 In[1]:16 go slow.Fit(background) | waits in overcomplete/kernel/internal/ixengine.slowFit (chan receive)",
		"5 In[1]:17 go time.Sleep(time.Hour) | waits in time.Sleep",
		"6 In[1]:18 wg.Go(func() { mu.Lock(); mu.Lock() }) | waits in sync.Mutex.Lock",
		"7 In[1]:20 go worker(3) | waits in time.Sleep",
	}
	var got []string
	patience.Wait(func() bool { // until all goroutines wait
		time.Sleep(20 * time.Millisecond)
		got = nil
		for _, g := range s.Goroutines() {
			got = append(got, fmt.Sprintf("%d %s:%d %s | %s", g.ID, g.Cell, g.Line, g.Source, g.State))
			if since := time.Since(g.Since); since < 10*time.Millisecond || since > time.Since(begin) {
				t.Errorf("goroutine %d is %v old", g.ID, since)
			}
		}
		return slices.Equal(got, want)
	})
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// The interrupt of a later cell does not end the goroutines.
	stopAfter(t, s, 30*time.Millisecond, "for { }")
	if left := s.Goroutines(); len(left) != len(want) {
		t.Errorf("after an interrupt: %+v", left)
	}
	for _, g := range s.Goroutines() {
		if g.ID%2 == 0 {
			if err := s.StopGoroutine(g.ID); err != nil {
				t.Errorf("goroutine %d: %v", g.ID, err)
			}
		}
	}
	if left := s.Goroutines(); len(left) != 3 {
		t.Errorf("after stopping every second: %+v", left)
	}
	if err := s.StopGoroutine(2); err == nil {
		t.Error("a goroutine that has ended was stopped")
	}
	s.StopGoroutines()
	patience.Until(t, "stopped all", func() bool { return len(s.Goroutines()) == 0 })
	if e, _ := stopAfter(t, s, 30*time.Millisecond, "slow.Fit(background)"); e.Message != interrupted {
		t.Errorf("the context does not work any more: %v", e)
	}
}

// TestContextOutlivesCell: a cell's end does not end its context.
func TestContextOutlivesCell(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, stopPrelude+"\nresult := make(chan error, 1)\ngo func() { result <- slow.Fit(context.Background()) }()")
	if got := run(t, s, "time.Sleep(20*time.Millisecond); len(result)")[0].Value; got != 0 {
		t.Fatal("the context ended with the cell")
	}
	for i := range 3 {
		if got := run(t, s, "background == context.Background() && background != context.TODO() && background.Err() == nil && derived.Err() == nil")[0].Value; got != true {
			t.Errorf("cell %d: the contexts are not what they were", i)
		}
	}
}

func TestPanicsOfGoroutines(t *testing.T) {
	for src, line := range map[string]int{
		"wg.Go(func() {\n\tvar m map[string]int\n\tm[\"a\"] = 1 })\nwg.Wait()":                  3,
		"func f() {\n\tpanic(\"f\") }\ngo f()\nselect {}":                                       2,
		"func f(p *int) int {\n\treturn *p }\ngo f(nil)\nselect {}":                             2,
		"done := make(chan int)\ngo close(done)\n<-done\ngo close(done)\ntime.Sleep(time.Hour)": 0,
		"time.AfterFunc(time.Millisecond, func() { panic(\"late\") })\ntime.Sleep(time.Hour)":   1,
		"mu.Unlock()":  1,
		"rw.RUnlock()": 1,
		"rw.Unlock()":  1,
	} {
		s := fresh(t, Options{})
		run(t, s, stopPrelude)
		_, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: src})
		e, ok := err.(*engine.Error)
		if !ok || e.Kind != engine.Panic {
			t.Errorf("%s\nended with %v", src, err)
			continue
		}
		if line > 0 && (len(e.Frames) == 0 || e.Frames[0].Line != line) {
			t.Errorf("%s\nwant line %d: %s", src, line, strings.Join(e.Traceback(), "\n"))
		}
	}
}

func TestDeadlock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		src  string
		line int
	}{
		{"done := make(chan bool)\ndone <- true", 2},
		{"xs := make(chan int)\ngo func() { for i := range 3 { xs <- i } }()\nfor x := range xs { _ = x }", 3},
		{"var wg sync.WaitGroup\nwg.Add(2)\ngo func() { wg.Done() }()\nwg.Wait()", 4},
		{"var mu sync.Mutex\nmu.Lock()\nmu.Lock()", 3},
		{"a, b := make(chan int), make(chan int)\ngo func() { <-a; b <- 1 }()\n<-b\na <- 1", 3},
		{"next, _ := iter.Pull(func(yield func(int) bool) { yield(1) })\n_ = next\nselect {}", 3}, // the iterator has not begun
		// Stopped timers will not fire, so these cells are deadlocked.
		{"t := time.AfterFunc(time.Hour, func() {})\nt.Stop()\nselect {}", 3},
		{"func() { defer time.AfterFunc(time.Hour, func() {}).Stop() }()\nselect {}", 2},
		{"t := time.AfterFunc(time.Hour, func() {})\nt.Stop()\nt.Reset(time.Millisecond)\nselect {}", 4},
	} {
		s := fresh(t, Options{})
		s.standstill = 300 * time.Millisecond
		_, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: "import (\"iter\"; \"sync\"; \"time\"); _, _, _ = iter.Pull[int], sync.NewCond, time.Now; " + c.src})
		e, ok := err.(*engine.Error)
		if !ok || e.Kind != engine.Panic || e.Message != deadlock || len(e.Frames) == 0 || e.Frames[0].Line != c.line {
			t.Errorf("%s\nended with %v", c.src, err)
		}
	}
	// These cells are not deadlocked: an event will wake them.
	for _, src := range []string{
		"c := make(chan int)\ntime.AfterFunc(700*time.Millisecond, func() { c <- 1 })\n<-c",
		"c := make(chan int)\nt := time.AfterFunc(time.Millisecond, func() { c <- 1 })\n<-c; t.Reset(700*time.Millisecond)\n<-c",
		"c := make(chan int)\nt := time.AfterFunc(time.Hour, func() { c <- 1 }); t.Stop(); t.Reset(700*time.Millisecond)\n<-c",
		"c := make(chan int)\ngo func() { time.Sleep(700*time.Millisecond); c <- 1 }()\n<-c",
		"c := make(chan int)\ngo func() { slow.Work(700*time.Millisecond); c <- 1 }()\n<-c",
		"<-time.After(700*time.Millisecond)",
		"c := make(chan int)\nslow.Later(700*time.Millisecond, func() { c <- 1 })\n<-c",
	} {
		s := fresh(t, Options{})
		s.standstill = 300 * time.Millisecond
		if _, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: "import (\"time\"; \"slow\"); _ = slow.Work; " + src}); err != nil {
			t.Errorf("%s\nended with %v", src, err)
		}
	}
}

// TestStopComesLate: a cell that ends while the memory watch decides to stop it is not stopped, because no
// caller would lower the flag again.
func TestStopComesLate(t *testing.T) {
	s := fresh(t, Options{})
	r := s.stop.begin("c")
	s.stop.end(r)
	s.stop.stop(r, outOfMemory)
	if s.host.stop || r.why != "" {
		t.Errorf("flag %v, run %+v", s.host.stop, r)
	}
}

// TestWorkersPanic: a library function panics with the value with which its worker panicked, and the error
// has the place of the worker's panic.
func TestWorkersPanic(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, stopPrelude+"\nwhere := 0")
	_, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: "where = 1\nslow.InWorker(func() {\n\tpanic(\"in the callback\")\n})"})
	e, ok := err.(*engine.Error)
	if !ok || e.Kind != engine.Panic || e.Message != "in the callback" {
		t.Fatalf("%v", err)
	}
	var lines []int
	for _, f := range e.Frames {
		lines = append(lines, f.Line)
	}
	if !slices.Equal(lines, []int{3, 2}) {
		t.Errorf("lines %v of\n%s", lines, strings.Join(e.Traceback(), "\n"))
	}
}

// workerPanic is like the type of package parallel, which only kernel-helpers can import.
type workerPanic struct{ value any }

func (p *workerPanic) Recovered() any { return p.value }

func slowInWorker(f func()) {
	failed := make(chan any)
	go func() {
		defer func() { failed <- recover() }()
		f()
	}()
	if p := <-failed; p != nil {
		panic(&workerPanic{p})
	}
}

// TestServersStop: when a cell or a goroutine that serves the network is stopped, the server's address is free again.
func TestServersStop(t *testing.T) {
	skipOnOneThread(t, "there are no servers in a browser")
	if !alone(t) {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no local network: ", err)
	}
	addr := l.Addr().String()
	l.Close()
	s := fresh(t, Options{})
	run(t, s, `import ("net"; "net/http"; "fmt")`)
	listens := func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	}
	for _, serve := range []string{
		`http.ListenAndServe(%q, nil)`,
		`srv := &http.Server{Addr: %q}; srv.ListenAndServe()`,
		`l, err := net.Listen("tcp", %q); if err != nil { panic(err) }; func() { defer l.Close(); for { c, err := l.Accept(); if err != nil { panic(err) }; c.Close() } }()`,
		`l, err := net.Listen("tcp", %q); if err != nil { panic(err) }; http.Serve(l, nil)`,
	} {
		serve := fmt.Sprintf(serve, addr)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			_, err := s.Run(ctx, engine.Cell{Name: "In[2]", Source: serve})
			ended <- err
		}()
		patience.Until(t, "the server listens", listens)
		cancel()
		if err := <-ended; err == nil || err.(*engine.Error).Kind != engine.Interrupted {
			t.Errorf("%s: %v", serve, err)
		}
		patience.Until(t, "the address of "+serve+" is free", func() bool { return !listens() })
		if list := s.Goroutines(); len(list) > 0 {
			t.Errorf("%s has left %v", serve, list)
		}

		run(t, s, "go func() { "+serve+" }()")
		patience.Until(t, "the server in a goroutine listens", listens)
		s.StopGoroutines()
		patience.Until(t, "the address of the goroutine is free", func() bool { return !listens() })
	}
}
