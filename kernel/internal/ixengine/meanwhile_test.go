package ixengine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// meanwhilePrelude is code that keeps running while later cells declare more: a goroutine that calls
// redeclared functions, and a timer.
const meanwhilePrelude = `import ("encoding/json"; "errors"; "fmt"; "sort"; "sync"; "sync/atomic"; "time")
type Shape interface{ Area() float64 }
type Square struct{ Side float64 }
func (s Square) Area() float64 { return s.Side * s.Side }
func (s Square) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(s.Area())), nil }
func step(n int64) int64 { return n + 1 }
var turns atomic.Int64
var rounds atomic.Int64
var mu sync.Mutex
var last string
func note(format string, a ...any) { mu.Lock(); defer mu.Unlock(); last = fmt.Sprintf(format, a...) }
func turn() { turns.Store(step(turns.Load())) }
func each[T any](list []T, f func(T)) { var wg sync.WaitGroup; for _, x := range list { wg.Go(func() { f(x) }) }; wg.Wait() }
go func() { for { turn(); time.Sleep(100*time.Microsecond) } }()`

// meanwhileCell returns cell number i: it redeclares types, methods and functions, starts goroutines that
// wait for each other, recovers panics in some of them, and passes functions and methods to compiled code.
func meanwhileCell(i int) string {
	return fmt.Sprintf(`type Part%[1]d struct { Square; Name string; Next *Part%[1]d }
func (p *Part%[1]d) Rename(s string) { p.Name = s }
func step(n int64) int64 { return n + %[1]d%%3 + 1 }
func work%[1]d(k int) (sum float64, err error) {
	defer func() { if r := recover(); r != nil { err = fmt.Errorf("%%v", r) } }()
	shapes := []Shape{Square{float64(k)}, Part%[1]d{Square: Square{2}}, &Part%[1]d{Name: "p"}}
	seen := map[string]Shape{}
	for n := range 300 {
		for j, s := range shapes { sum += s.Area(); seen[fmt.Sprint(n%%7, j)] = s }
	}
	sort.Slice(shapes, func(a, b int) bool { return shapes[a].Area() < shapes[b].Area() })
	if _, err := json.Marshal(shapes); err != nil { return 0, err }
	if k == 3 { var none *Part%[1]d; none.Rename("x") }
	return sum, nil
}
func all%[1]d() int {
	results, failed := make(chan float64, 1), make(chan error)
	var once sync.Once
	done := make(chan bool)
	good, bad := 0, 0
	go func() {
		for good+bad < 6 {
			select {
			case <-results: good++
			case err := <-failed: if err != nil { bad++ }
			}
			once.Do(func() { rounds.Add(1) })
		}
		close(done)
	}()
	each([]int{0, 1, 2, 3, 4, 5}, func(k int) {
		sum, err := work%[1]d(k)
		defer note("part %%d of %[1]d", k)
		if err != nil { failed <- err; return }
		results <- sum
	})
	timer := time.AfterFunc(time.Hour, func() {})
	defer timer.Stop()
	<-done
	if errors.Is(nil, errors.ErrUnsupported) { return -1 }
	return 10*good + bad
}
v%[1]d := all%[1]d()
v%[1]d`, i)
}

// TestMeanwhile makes every query of the session that other goroutines, including a debugger, may make while
// cells run. It interrupts some cells. The race detector watches.
func TestMeanwhile(t *testing.T) {
	patience.SkipShort(t, "it asks all of a session while it runs, at each level")
	skipOnOneThread(t, "nobody asks while a cell runs")
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			meanwhile(t, 12)
		})
	}
}

func meanwhile(t *testing.T, cells int) {
	s := fresh(t, Options{Grace: patience.Long})
	run(t, s, meanwhilePrelude)
	stop := make(chan bool)
	var asking sync.WaitGroup
	ask := func(f func()) {
		asking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				f()
				letRun()
			}
		})
	}
	ask(func() {
		for _, v := range s.Names().Variables {
			s.Peek(v.Name, func(p any) { _ = fmt.Sprint(p) })
			s.TypesOf(v.Name)
		}
	})
	ask(func() {
		s.Goroutines()
		if s.StopGoroutine(1<<30) == nil {
			t.Error("a goroutine was stopped that there is not")
		}
		s.Context()
		time.Sleep(time.Millisecond)
	})
	var debugged int
	ask(func() {
		debugged++
		d := s.Attach(func(engine.DebugEvent) {})
		d.SetBreakpoints(meanwhileCell(debugged%cells), []engine.Breakpoint{{Line: 6}})
		d.Pause()
		for _, g := range d.Goroutines() {
			frames, _ := d.Stack(g.ID)
			for _, fr := range frames {
				d.Locals(fr.ID)
			}
		}
		d.Continue(0, engine.NoStep)
		d.Detach()
		time.Sleep(5 * time.Millisecond)
	})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range cells {
		ctx, cancel := context.WithCancel(t.Context())
		if i%4 == 3 {
			interrupt := time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, cancel)
			defer interrupt.Stop()
		}
		v, err := s.Run(ctx, engine.Cell{Name: fmt.Sprintf("In[%d]", i), Source: meanwhileCell(i)})
		cancel()
		var e *engine.Error
		switch {
		case err == nil && v[0].Value != 51:
			t.Errorf("cell %d gives %v, want 51", i, v[0].Value)
		case err != nil && !(errors.As(err, &e) && e.Kind == engine.Interrupted && i%4 == 3):
			t.Errorf("cell %d: %v", i, err)
		}
	}
	close(stop)
	asking.Wait()
	before := run(t, s, "turns.Load()")[0].Value.(int64)
	patience.Until(t, "the goroutine going on", func() bool { return run(t, s, "turns.Load()")[0].Value.(int64) > before })
	s.StopGoroutines()
	if got := run(t, s, "1 + 1")[0].Value; got != 2 {
		t.Errorf("1 + 1 is %v", got)
	}
}
