package ixengine

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/goplus/ixgo/pkg/errors"
	_ "github.com/goplus/ixgo/pkg/fmt"
	_ "github.com/goplus/ixgo/pkg/time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
	_ "overcomplete/kernel/internal/entrypoints"
)

// The tests of package kernel run cells that test the language itself; the tests here are about the session.

func fresh(t testing.TB, opt Options) *Session {
	t.Helper()
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t testing.TB, s *Session, src string) []engine.Value {
	t.Helper()
	v, err := s.Run(context.Background(), engine.Cell{Name: "In[1]", Source: src})
	if err != nil {
		t.Fatalf("%s\n%s", src, strings.Join(err.(*engine.Error).Traceback(), "\n"))
	}
	return v
}

func TestVarsAndSet(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, `import "time"
size := "lecture"
n := 3
rate := 0.5
on := false
var u8 uint8
pause := time.Second
list := []int{1}`)
	var names []string
	for _, v := range s.Vars() {
		names = append(names, v.Name+" "+v.Type)
	}
	if got, want := strings.Join(names, ", "), "list []int, n int, on bool, pause time.Duration, rate float64, size string, u8 uint8"; got != want {
		t.Errorf("Vars: %s, want %s", got, want)
	}
	for _, set := range []struct{ name, text, fault string }{
		{"size", "full", ""},
		{"n", "0x10", ""},
		{"rate", "1e-3", ""},
		{"on", "true", ""},
		{"pause", "2m", ""},
		{"u8", "255", ""},
		{"n", "1.5", "n has type int"},
		{"u8", "256", "u8 has type uint8"},
		{"on", "maybe", "on has type bool"},
		{"pause", "soon", "pause has type time.Duration"},
		{"list", "1", "only strings"},
		{"nothing", "1", "no variable nothing"},
	} {
		err := s.Set(set.name, set.text)
		if set.fault == "" && err != nil || set.fault != "" && (err == nil || !strings.Contains(err.Error(), set.fault)) {
			t.Errorf("Set(%s, %s): %v, want %q", set.name, set.text, err, set.fault)
		}
	}
	got := run(t, s, `import "fmt"; fmt.Sprint(size, n, rate, on, pause, u8)`)
	if want := "full16 0.001 true 2m0s 255"; got[0].Value != want {
		t.Errorf("the cell sees %v, want %s", got[0].Value, want)
	}
}

func TestBackgroundPanic(t *testing.T) {
	faults := make(chan *engine.Error, 1)
	s := fresh(t, Options{Background: func(_ string, e *engine.Error) { faults <- e }})
	run(t, s, "import \"time\"\ngo func() {\n\ttime.Sleep(200 * time.Millisecond)\n\tpanic(\"late\")\n}()")
	select {
	case e := <-faults:
		if e.Message != "late" || len(e.Frames) == 0 || e.Frames[0].Line != 4 {
			t.Errorf("%v", strings.Join(e.Traceback(), "\n"))
		}
	case <-time.After(patience.Long):
		t.Fatal("nothing was reported")
	}
	run(t, s, "1")
}

// TestManyVersions redeclares a function and a type many times, like a user who edits a cell repeatedly.
func TestManyVersions(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "import \"fmt\"\nfunc f() int { return -1 }\nold := func() int { return f() }")
	for i := range 200 {
		run(t, s, fmt.Sprintf("func f() int { return %d }\ntype T struct{ A int }\nfunc (t T) String() string { return fmt.Sprint(%d, t.A) }\nt := T{%d}", i, i, i))
		if got := run(t, s, "fmt.Sprint(old(), f(), t)")[0].Value; got != fmt.Sprintf("%d %d %d %d", i, i, i, i) {
			t.Fatalf("version %d: %v", i, got)
		}
	}
}

func TestSessionsAreApart(t *testing.T) {
	a, b := fresh(t, Options{}), fresh(t, Options{})
	run(t, a, "x := 1\ntype T struct{ A int }\nfunc f() int { return 1 }")
	run(t, b, "x := \"b\"\ntype T struct{ B string }\nfunc f() string { return x }")
	if got := run(t, a, "x + f()")[0].Value; got != 2 {
		t.Errorf("session a has %v", got)
	}
	if got := run(t, b, "T{f()}.B")[0].Value; got != "b" {
		t.Errorf("session b has %v", got)
	}
}

// TestStopOneOfTwo interrupts one session while another runs.
func TestStopOneOfTwo(t *testing.T) {
	a, b := fresh(t, Options{}), fresh(t, Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := a.Run(ctx, engine.Cell{Name: "a", Source: "for { }"})
		done <- err
	}()
	run(t, b, "n := 0\nfor n < 200000 { n++ }")
	if e, ok := (<-done).(*engine.Error); !ok || e.Kind != engine.Interrupted {
		t.Errorf("session a ended with %v", e)
	}
	if got := run(t, b, "n")[0].Value; got != 200000 {
		t.Errorf("session b has %v", got)
	}
}

func TestStopGoroutines(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "n := 0\ngo func() { for { n++ } }()")
	s.StopGoroutines()
	patience.Until(t, "stopped", func() bool { return len(s.Goroutines()) == 0 })
	was := run(t, s, "n")[0].Value
	time.Sleep(20 * time.Millisecond)
	if now := run(t, s, "n")[0].Value; now != was {
		t.Errorf("the goroutine goes on: %v, then %v", was, now)
	}
}

// TestStopStarting: a goroutine that was asked to stop starts another goroutine in a deferred function. That
// goroutine ends too, and so does the one that it starts.
func TestStopStarting(t *testing.T) {
	for _, level := range Levels {
		t.Run(level.Name, func(t *testing.T) {
			defer level.Force()()
			s := fresh(t, Options{})
			run(t, s, `begun, block := make(chan bool), make(chan bool)
func wait(depth int) {
	if depth > 0 {
		defer func() { go wait(depth - 1) }()
	}
	if depth == 3 {
		close(begun)
	}
	<-block
}
go wait(3)
<-begun`)
			s.StopGoroutines()
			patience.Until(t, "stopped", func() bool { return len(s.Goroutines()) == 0 })
		})
	}
}

// TestStopWaitingForLock stops goroutines in Cond.Wait that can no longer get the lock, because its holder
// was stopped before unlocking it. They end without unlocking a lock that they do not hold.
func TestStopWaitingForLock(t *testing.T) {
	var mu sync.Mutex
	var late []string
	s := fresh(t, Options{Background: func(_ string, e *engine.Error) {
		mu.Lock()
		defer mu.Unlock()
		late = append(late, e.Error())
	}})
	run(t, s, `import "sync"
var mu sync.Mutex
cond := sync.NewCond(&mu)
waiting, keeps := make(chan bool), make(chan bool)
for range 3 {
	go func() { mu.Lock(); defer mu.Unlock(); waiting <- true; cond.Wait() }()
	<-waiting
}
go func() { mu.Lock(); close(keeps); for {} }()
<-keeps`)
	s.StopGoroutines()
	patience.Until(t, "stopped", func() bool { return len(s.Goroutines()) == 0 })
	if got := run(t, s, "mu.TryLock()")[0].Value; got != false {
		t.Error("who did not have the lock has unlocked it")
	}
	mu.Lock()
	defer mu.Unlock()
	if len(late) > 0 {
		t.Errorf("%q", late)
	}
}

// TestBusyGoroutines runs cells while goroutines of an earlier cell call functions, defer, start goroutines
// and print.
func TestBusyGoroutines(t *testing.T) {
	s := fresh(t, Options{Stdout: io.Discard, Stderr: io.Discard})
	t.Cleanup(s.StopGoroutines) // stop them even if a cell fails: they would slow down all other tests
	run(t, s, `import ("fmt"; "errors"; "sync/atomic"; "time")
type T struct{ A int }
func (t T) String() string { return fmt.Sprint(t.A) }
var n atomic.Int64
work := func() {
	for {
		func() {
			defer time.Now()
			defer func() { recover() }()
			go fmt.Sprint(T{1})
			println(T{2}.String(), 3.5)
			errors.As(fmt.Errorf("x %w", errors.New("y")), new(error))
			n.Add(1)
			panic("recovered")
		}()
	}
}
go work()
go work()`)
	for i := range 150 {
		run(t, s, fmt.Sprintf("type S%d struct{ B int }\nfunc (s S%d) String() string { return fmt.Sprint(s.B) }\nv%d := S%d{%d}\nfmt.Sprint(v%d, T{3})", i, i, i, i, i, i))
	}
	s.StopGoroutines()
	if got := run(t, s, "n.Load() > 100")[0].Value; got != true {
		t.Error("the goroutines did not run")
	}
}

func TestCellNames(t *testing.T) {
	s := fresh(t, Options{})
	for _, name := range []string{"", "In[1]", "a b", "x*/y", "two\nlines", "c:\\dir\\nb.ipynb:3"} {
		_, err := s.Run(context.Background(), engine.Cell{Name: name, Source: "\n  undefined"})
		e, ok := err.(*engine.Error)
		if !ok || len(e.Frames) != 1 || e.Frames[0].Line != 2 || e.Frames[0].Col != 3 || e.Frames[0].Source != "  undefined" {
			t.Errorf("cell %q: %#v", name, err)
		}
	}
}

// TestGenericOfPackage: a variable of a generic type from a package run from source keeps its value, though
// each program makes the type anew.
func TestGenericOfPackage(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "import \"sync/atomic\"\nvar p atomic.Pointer[string]\na := \"a\"\np.Store(&a)\nvar any1 any = &p\nlist := []*atomic.Pointer[string]{&p}")
	run(t, s, "b := *p.Load() + \"b\"\np.Store(&b)")
	if got := run(t, s, "_, same := any1.(*atomic.Pointer[string])\nif !same { panic(\"another type\") }\n*list[0].Load() + *p.Load()")[0].Value; got != "abab" {
		t.Errorf("p has %v", got)
	}
}

// BenchmarkCell measures whole cells: an expression, a tight loop (per
// iteration), recursive calls (per run of fib(20), 21,891 calls).
func BenchmarkCell(b *testing.B) {
	run := func(b *testing.B, s *Session, src string) {
		b.Helper()
		if _, err := s.Run(context.Background(), engine.Cell{Name: "bench", Source: src}); err != nil {
			b.Fatal(err)
		}
	}
	fresh := func(b *testing.B) *Session {
		s, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	b.Run("expression", func(b *testing.B) {
		s := fresh(b)
		run(b, s, "x := 3")
		for b.Loop() {
			run(b, s, "x*x")
		}
	})
	b.Run("loop1e6", func(b *testing.B) {
		s := fresh(b)
		for b.Loop() {
			run(b, s, "s := 0.0\nfor i := 0; i < 1000000; i++ { s += float64(i) * 0.5 }")
		}
	})
	b.Run("localloop1e6", func(b *testing.B) {
		s := fresh(b)
		run(b, s, "func loop() float64 { s := 0.0; for i := 0; i < 1000000; i++ { s += float64(i) * 0.5 }; return s }")
		for b.Loop() {
			run(b, s, "loop()")
		}
	})
	b.Run("fib20", func(b *testing.B) {
		s := fresh(b)
		run(b, s, "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }")
		for b.Loop() {
			run(b, s, "fib(20)")
		}
	})
}

// TestSameTextAgain: a function that is declared again with the same text, after a variable that it uses has got another
// type, also becomes the function that variables, method values and compiled code hold.
func TestSameTextAgain(t *testing.T) {
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			const f, m = "func f() string { return fmt.Sprint(x, g()) }", "func (S) M() string { return fmt.Sprint(x) }"
			run(t, s, "import \"fmt\"\ntype S struct{}\nx := 1\nfunc g() any { return x }\n"+f+"\n"+m+`
held, inMap, method := f, map[string]func() string{"f": f}, S{}.M
all := func() string { return fmt.Sprint(f(), held(), inMap["f"](), S{}.M(), method()) }
""`)
			for _, c := range []struct{ src, want string }{
				{"all()", "1 11 11 111"},
				{f + "\n" + m + "\nall()", "1 11 11 111"},
				{"x := \"s\"\n\"\"", ""},
				{f + "\n" + m + "\nf() + held() + inMap[\"f\"]() + S{}.M() + method()", "ssssssss"},
				{"func g() any { return 2 }\nf() + held()", "s2s2"},
			} {
				if got := run(t, s, c.src)[0].Value; got != c.want {
					t.Errorf("%s gives %v, want %s", c.src, got, c.want)
				}
			}
		})
	}
}
