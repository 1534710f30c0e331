package ixengine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
)

// TestCallbacksAreHeld: timers and goroutines of compiled code stop at breakpoints, and stop together with
// the other goroutines.
func TestCallbacksAreHeld(t *testing.T) {
	patience.Try(t, func() string { return callbackIsHeld(t) })
}

// callbackIsHeld returns a description of a fault, or "". It is also a fault if the timer fires before the
// cell has reached its wait.
func callbackIsHeld(t *testing.T) string {
	x := debugged(t)
	src := `import "time"
fired := make(chan int)
time.AfterFunc(200*time.Millisecond, func() {
	n := 3
	fired <- n
})
<-fired`
	x.breaks(src, 5)
	x.start(src)
	e, stack := x.stop("breakpoint")
	same2(t, stack, "func1:5")
	same2(t, x.locals(e.Goroutine, 0), "n int=3")
	list := x.d.Goroutines()
	if len(list) != 2 || !list[0].Held || !list[1].Held {
		t.Errorf("%+v", list)
	}
	stack = x.stack(list[0].ID)
	x.goOn(e.Goroutine, engine.StepOver)
	if stack != ":7" {
		x.d.Detach()
	}
	if v := x.end(); v[0].Value != 3 {
		t.Errorf("%v", v)
	}
	if stack != ":7" {
		return "the cell was held at " + stack
	}
	return ""
}

// TestServerIsHeld: a handler called by a compiled server stops at a breakpoint.
func TestServerIsHeld(t *testing.T) {
	x := debugged(t)
	src := `import ("fmt"; "io"; "net/http"; "net/http/httptest")
server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	fmt.Fprint(w, path)
}))
answer, _ := http.Get(server.URL + "/a")
text, _ := io.ReadAll(answer.Body)
server.Close()
string(text)`
	x.breaks(src, 4)
	x.start(src)
	e, stack := x.stop("breakpoint")
	same2(t, stack, "func1:4")
	if s := x.locals(e.Goroutine, 0); !strings.Contains(s, "path string=/a") {
		t.Error(s)
	}
	same2(t, x.eval(e.Goroutine, 0, `path + "!"`), "/a! (string)")
	x.goOn(0, engine.NoStep)
	if v := x.end(); v[0].Value != "/a" {
		t.Errorf("%v", v)
	}
}

// TestValuesAreShown: while execution is stopped, showing a value of a cell's type calls the value's String
// method.
func TestValuesAreShown(t *testing.T) {
	x := debugged(t)
	src := "import \"fmt\"\ntype T struct{ N int }\nfunc (t T) String() string {\n\ts := \"\"\n\tfor range t.N {\n\t\ts += \"x\"\n\t}\n\treturn s\n}\nv := T{3}\nfmt.Sprint(v)"
	x.breaks(src, 6, 11)
	x.start(src)
	e, _ := x.stop("breakpoint")
	list, release, err := x.d.Globals()
	if err != nil {
		t.Fatal(err)
	}
	shown := make(chan string, 1)
	go func() { shown <- fmt.Sprint(list[0].Value.Interface()) }()
	select {
	case s := <-shown:
		same2(t, s, "xxx")
	case <-time.After(patience.Long):
		t.Fatal("the String method of a value is held too")
	}
	release()
	same2(t, x.eval(e.Goroutine, 0, "fmt.Sprint(v) + \"y\""), "xxxy (string)")
	x.d.SetBreakpoints(src, nil)
	x.goOn(0, engine.NoStep)
	x.end()
}

func TestAssign(t *testing.T) {
	x := debugged(t)
	src := "type P struct{ X int; Name string }\nfunc f() string {\n\tp := P{1, \"a\"}\n\tlist := []float64{1, 2}\n\tvar err error\n\tm := map[string]int{}\n\tok := false\n\treturn fmt.Sprint(p, list, err, m, ok)\n}\nimport (\"fmt\"; \"errors\")\n_ = errors.New\nf()"
	x.breaks(src, 8)
	x.start(src)
	e, _ := x.stop("breakpoint")
	id := x.frames(e.Goroutine)[0].ID
	vars, err := x.d.Locals(id)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]reflect.Value{}
	for _, v := range vars {
		if !v.Value.CanSet() {
			t.Errorf("%s cannot be set", v.Name)
		}
		of[v.Name] = v.Value
	}
	for _, c := range []struct {
		to          reflect.Value
		text, fault string
	}{
		{of["p"].Field(0), "len(list) + 5", ""},
		{of["p"].Field(1), "\"b\" + p.Name", ""},
		{of["list"].Index(1), "7", ""},
		{of["err"], "errors.New(\"e\")", ""},
		{of["m"], "map[string]int{\"k\": 1}", ""},
		{of["ok"], "p.X > 3", ""},
		{of["ok"], "\"text\"", "cannot use"},
		{of["p"].Field(0), "nothing", "undefined: nothing"},
		{reflect.ValueOf(3), "4", "cannot be changed"},
		{of["list"].Index(0), "func() float64 { panic(\"no\") }()", "no"},
	} {
		err := x.d.Assign(context.Background(), id, c.to, c.text)
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, want %q", c.text, err, c.fault)
		}
	}
	if err := x.d.Assign(context.Background(), id, of["p"], "P{X: 1}"); err != nil {
		t.Error(err)
	}
	if err := x.d.Assign(context.Background(), id, of["p"].Field(0), "9"); err != nil {
		t.Error(err)
	}
	x.goOn(0, engine.NoStep)
	if v := x.end(); v[0].Value != "{9 } [1 7] e map[k:1] true" {
		t.Errorf("%v", v)
	}
	if _, err := x.d.Locals(id); !errors.Is(err, engine.ErrNotHeld) {
		t.Error(err)
	}
	if err := x.d.Assign(context.Background(), id, of["ok"], "false"); err == nil {
		t.Error("a frame that is gone has variables")
	}
}

// TestEvalFails: an evaluated expression may be invalid, panic, or not end.
func TestEvalFails(t *testing.T) {
	x := debugged(t)
	src := "n := 1\nfor i := range 2 {\n\tn += i\n}\nn"
	x.breaks(src, 3)
	x.start(src)
	e, _ := x.stop("breakpoint")
	for text, want := range map[string]string{
		"1 +":                       "expected operand",
		"nothing":                   "undefined: nothing",
		"x := 1":                    "assign with =",
		"func f() {}":               "declare in a cell",
		"i; n":                      "one expression",
		"for {}":                    "an expression or a simple statement",
		"[]int{}[i]":                "index out of range",
		"func() { panic(\"p\") }()": "p",
		"import \"os\"":             "declare in a cell",
		"":                          "one expression",
	} {
		if got := x.eval(e.Goroutine, 0, text); !strings.HasPrefix(got, "ERR") || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	patience.Try(t, func() string {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		begin := time.Now()
		_, err := x.d.Eval(ctx, x.frames(e.Goroutine)[0].ID, "func() int { for { } }()")
		if err == nil {
			t.Error("what does not end has a value")
		}
		if took := time.Since(begin); took > time.Second {
			return fmt.Sprintf("%v after %v", err, took)
		}
		return ""
	})
	if got := x.eval(e.Goroutine, 0, "n + i"); got != "1 (int)" {
		t.Error(got)
	}
	// Meanwhile other requests are answered.
	patience.Try(t, func() string {
		begin := time.Now()
		if v := x.s.Vars(); len(v) != 1 || len(x.s.Names().Variables) != 1 {
			t.Errorf("%v", v)
		}
		if took := time.Since(begin); took > 100*time.Millisecond {
			return fmt.Sprintf("Vars took %v", took)
		}
		return ""
	})
	x.d.SetBreakpoints(src, nil)
	x.goOn(0, engine.NoStep)
	x.end()
}

// TestStepsAcross steps over a recovered panic, into a deferred function, and out of a goroutine.
func TestStepsAcross(t *testing.T) {
	x := debugged(t)
	src := `func risky() (n int) {
	defer func() {
		recover()
		n = 7
	}()
	n = 1
	panic("x")
}
m := risky()
m++
m`
	x.breaks(src, 6)
	x.start(src)
	e, _ := x.stop("breakpoint")
	for _, step := range []struct {
		kind engine.Step
		want string
	}{
		{engine.StepOver, "risky:7 :9"},
		{engine.StepIn, "risky.func1:3 risky:7 :9"},
		{engine.StepOver, "risky.func1:4 risky:7 :9"},
		{engine.StepOver, ":10"},
	} {
		x.goOn(e.Goroutine, step.kind)
		_, stack := x.stop("step")
		same2(t, stack, step.want)
	}
	x.goOn(0, engine.NoStep)
	if v := x.end(); v[0].Value != 8 {
		t.Errorf("%v", v)
	}
	x.start(src)
	x.stop("breakpoint")
	x.goOn(e.Goroutine+1000, engine.NoStep) // without a step the goroutine's id does not matter
	x.end()
	if err := x.d.Continue(1, engine.StepIn); err != engine.ErrNotHeld {
		t.Error(err)
	}
}

// TestDeclaredAgain: a function is redeclared, and its cell runs again, while it has a breakpoint.
func TestDeclaredAgain(t *testing.T) {
	x := debugged(t)
	one := "func f() int {\n\tn := 1\n\treturn n\n}"
	two := "func f() int {\n\tn := 2\n\treturn n\n}"
	x.run(one)
	x.run("old := f")
	x.breaks(one, 3)
	x.run(one)
	x.start("old()")
	e, _ := x.stop("breakpoint")
	same2(t, x.locals(e.Goroutine, 0), "n int=1")
	x.goOn(0, engine.NoStep)
	x.end()
	x.run(two)
	if v := x.run("old() + f()"); v[0].Value != 4 {
		t.Errorf("%v", v)
	}
	x.breaks(two, 3)
	x.start("old()")
	e, _ = x.stop("breakpoint")
	same2(t, x.locals(e.Goroutine, 0), "n int=2")
	x.d.Detach()
	x.end()
	if v := x.run("old() + f()"); v[0].Value != 4 {
		t.Errorf("%v", v)
	}
	x.run(one)
	if v := x.run("old() + f()"); v[0].Value != 2 {
		t.Errorf("%v", v)
	}
}

// TestContinueEndsEval: an expression that reads variables of stopped code ends before that code continues.
func TestContinueEndsEval(t *testing.T) {
	x := debugged(t)
	x.run("import \"sync/atomic\"\nvar turns atomic.Int64\nfunc spin(n *int) int { for { *n++; turns.Add(1) } }")
	src := "n := 0\nn = 1\nn"
	x.breaks(src, 2)
	x.start(src)
	e, _ := x.stop("breakpoint")
	list, err := x.d.Stack(e.Goroutine)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() {
		_, err := x.d.Eval(context.Background(), list[0].ID, "spin(&n)")
		failed <- err
	}()
	for x.eval(e.Goroutine, 0, "turns.Load() > 0") != "true (bool)" {
		time.Sleep(time.Millisecond)
	}
	x.goOn(0, engine.NoStep)
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "went on") {
		t.Errorf("the expression ends with %v", err)
	}
	if v := x.end(); v[0].Value != 1 {
		t.Errorf("the cell has seen %v", v[0].Value)
	}
}

// TestHostile calls a debugger's methods from several goroutines while cells run, stop and are interrupted.
func TestHostile(t *testing.T) {
	x := debugged(t)
	x.run(lib)
	src := "n := 0\nfor i := range 20 {\n\tn += sum(i % 5)\n}\nn"
	for round := range 4 {
		cancel := x.start(src)
		var callers sync.WaitGroup
		for k := range 4 {
			callers.Go(func() {
				for i := range 40 {
					x.hostile(i+k, src)
					time.Sleep(time.Millisecond)
				}
			})
		}
		callers.Wait()
		if round == 2 {
			cancel()
		}
		x.d.SetPanics(engine.NoPanics)
		x.d.SetBreakpoints(lib, nil)
		x.d.SetBreakpoints(src, nil)
		deadline := time.After(patience.Long)
		for ended := false; !ended; {
			x.d.Continue(0, engine.NoStep)
			select {
			case err := <-x.done:
				if ended = true; err != nil && round != 2 {
					t.Errorf("round %d: %v", round, err)
				}
			case <-time.After(2 * time.Millisecond):
			case <-deadline:
				t.Fatalf("round %d does not end: %+v", round, x.d.Goroutines())
			}
		}
		cancel()
	}
	x.d.Detach()
	if v := x.run(src); v[0].Value != 80 {
		t.Errorf("%v", v[0].Value)
	}
}

// hostile makes the i-th of many calls that are inappropriate at the moment.
func (x *debugTest) hostile(i int, src string) {
	switch i % 9 {
	case 0:
		x.d.SetBreakpoints(lib, []engine.Breakpoint{{Line: 3, Condition: "n == 3"}, {Line: -5}, {Line: 1 << 30}})
	case 1:
		x.d.SetBreakpoints(src, []engine.Breakpoint{{Line: 3, Hits: 7}})
	case 2:
		for _, g := range x.d.Goroutines() {
			list, _ := x.d.Stack(g.ID)
			for _, f := range list {
				x.d.Locals(f.ID)
				x.d.Eval(context.Background(), f.ID, "n")
			}
		}
	case 3:
		x.d.Continue(1, engine.StepIn)
	case 4:
		x.d.Pause()
	case 5:
		x.d.SetPanics(engine.PanicFilter(i % 3))
	case 6:
		if _, release, err := x.d.Globals(); err == nil {
			release()
		}
	default:
		x.d.Continue(0, engine.NoStep)
	}
}

// TestPlainAgain: code that was built in debug form calls plain functions when no breakpoint is left.
func TestPlainAgain(t *testing.T) {
	x := debugged(t)
	x.run(lib)
	x.breaks(lib, 6)
	x.start("type T struct{ n int }\nfunc (t T) total() int {\n\treturn sum(t.n)\n}\nvar v interface{ total() int } = T{4}\nv.total()")
	x.stop("breakpoint")
	x.d.SetBreakpoints(lib, nil)
	x.goOn(0, engine.NoStep)
	x.end()
	x.breaks(lib, 6)
	x.start("v.total()")
	x.stop("breakpoint")
	x.d.SetBreakpoints(lib, nil)
	x.goOn(0, engine.NoStep)
	x.end()
	// No statement runs in debug form any more.
	var visited []string
	x.s.debug.places.mu.Lock()
	for _, p := range x.s.debug.places.list {
		p.armed.Store(true)
	}
	x.s.debug.places.mu.Unlock()
	x.s.visited = func(st *site) { visited = append(visited, fmt.Sprint(st.line)) }
	if v := x.run("v.total() + sum(2)"); v[0].Value != 15 {
		t.Errorf("%v", v)
	}
	if len(visited) > 0 {
		t.Errorf("lines %v were visited in debug form", visited)
	}
}

// TestPackageFrames: the frames of a package that is run from source show their file and no variables.
func TestPackageFrames(t *testing.T) {
	x := debugged(t)
	dir := t.TempDir()
	text := "package a\n\nfunc Each(n int, f func(int)) {\n\tfor i := range n {\n\t\tf(i)\n\t}\n}\n"
	testfile.Write(t, filepath.Join(dir, "a.go"), text)
	if err := x.s.Load(context.Background(), []engine.Source{{Path: "example.com/a", Name: "a", Dir: dir, Files: []string{"a.go"}}}); err != nil {
		t.Fatal(err)
	}
	src := "import \"example.com/a\"\na.Each(2, func(k int) {\n\tm := k\n\t_ = m\n})"
	x.breaks(src, 4)
	x.start(src)
	e, stack := x.stop("breakpoint")
	same2(t, stack, "func1:4 a.Each:5 :2")
	if f := x.frames(e.Goroutine)[1]; f.ID != 0 || f.File != filepath.Join(dir, "a.go") || f.Source != "" {
		t.Errorf("%+v", f)
	}
	x.d.SetBreakpoints(src, nil)
	x.goOn(e.Goroutine, engine.StepOut)
	_, stack = x.stop("step")
	same2(t, stack, ":2")
	x.goOn(0, engine.NoStep)
	x.end()
}

// TestPauseInInitialisation: a package that is being imported is paused, inspected and released.
func TestPauseInInitialisation(t *testing.T) {
	x := debugged(t)
	x.run("n := 3")
	dir := t.TempDir()
	text := "package slow\n\nvar N = count()\n\nfunc count() (n int) {\n\tfor range 1 << 40 { // until it is stopped\n\t\tn++\n\t}\n\treturn n\n}\n"
	testfile.Write(t, filepath.Join(dir, "slow.go"), text)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	loaded := make(chan error, 1)
	go func() {
		loaded <- x.s.Load(ctx, []engine.Source{{Path: "example.com/slow", Name: "slow", Dir: dir, Files: []string{"slow.go"}}})
	}()
	for len(x.d.Goroutines()) == 0 {
		time.Sleep(time.Millisecond)
	}
	x.d.Pause()
	x.next()
	done := make(chan struct{})
	go func() {
		defer close(done)
		x.breaks("n := 3", 1)
		v, err := x.d.Eval(context.Background(), 0, "n+1")
		if err != nil || v[0].Value != 4 {
			t.Errorf("%v %v", v, err)
		}
		x.goOn(0, engine.NoStep)
	}()
	select {
	case <-done:
	case <-time.After(patience.Long):
		t.Fatal("the debugger waits for what it holds")
	}
	cancel()
	<-loaded
}

// TestEventsOfAnOuterGoroutine: a goroutine is stopped while its cell ends. The event that it continues is
// sent even if no client asked for it to continue.
func TestEventsOfAnOuterGoroutine(t *testing.T) {
	x := debugged(t)
	// The cell has no statement left at which it would be held when the goroutine reaches its breakpoint.
	src := "last := make(chan bool)\ngo func() {\n\t<-last\n\tn := 1\n\tn++\n}()\nclose(last)"
	x.breaks(src, 5)
	reasons := func(n int) (list []string) {
		for range n {
			select {
			case e := <-x.events:
				list = append(list, e.Reason)
			case <-time.After(patience.Long):
				t.Fatalf("after %v nothing is told", list)
			}
		}
		return list
	}
	cancel := x.begun("import \"time\"\ntime.Sleep(time.Hour)")
	x.d.Pause()
	same2(t, fmt.Sprint(reasons(1)), "[pause]")
	cancel()
	<-x.done
	same2(t, fmt.Sprint(reasons(2)), "[continued ended]")

	x.start(src)
	got := reasons(2) // the two events come in either order
	x.end()
	slices.Sort(got)
	same2(t, fmt.Sprint(got), "[breakpoint ended]")
	x.s.StopGoroutines()
	same2(t, fmt.Sprint(reasons(1)), "[continued]")
	if err := x.d.Continue(0, engine.NoStep); err != engine.ErrNotHeld {
		t.Error(err)
	}
}

// TestConditionsAreForgotten: a breakpoint with a condition does not keep a program for each run of its cell.
func TestConditionsAreForgotten(t *testing.T) {
	x := debugged(t)
	src := "n := 0\nn++"
	x.d.SetBreakpoints(src, []engine.Breakpoint{{Line: 2, Condition: "n > 5"}})
	for range maxSites + 5 {
		x.run(src)
	}
	b := x.d.(*debugger).points[src][0]
	if n := len(b.code); n == 0 || n > maxSites {
		t.Errorf("%d programs are kept", n)
	}
	if b.hits != 0 {
		t.Errorf("the condition was true %d times", b.hits)
	}
}

// TestLetGo: JupyterLab's Stop button detaches, attaches again and sets the same breakpoints. A cell that was
// stopped at a breakpoint then runs to its end, and can be paused on its way. The next cell stops at the
// breakpoints again.
func TestLetGo(t *testing.T) {
	x := debugged(t)
	src := `n := 0
for i := 0; i < most; i++ {
	n += i
	time.Sleep(time.Millisecond)
}
n`
	x.run("import \"time\"\nmost := 1 << 40")
	x.breaks(src, 3)
	x.start(src)
	x.stop("breakpoint")
	x.d.Detach()
	x.d = x.s.Attach(func(e engine.DebugEvent) { x.events <- e })
	t.Cleanup(x.d.Detach)
	x.breaks(src, 3)
	time.Sleep(50 * time.Millisecond)
	x.d.Pause()
	x.stop("pause")
	if _, err := x.d.Eval(context.Background(), 0, "most = 10"); err != nil {
		t.Error(err)
	}
	x.goOn(0, engine.NoStep)
	x.end()

	x.start(src)
	x.stop("breakpoint")
	x.breaks(src)
	x.goOn(0, engine.NoStep)
	x.end()
}
