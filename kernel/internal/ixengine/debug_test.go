package ixengine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"

	_ "github.com/goplus/ixgo/pkg/sort"
	_ "github.com/goplus/ixgo/pkg/strings"
	_ "github.com/goplus/ixgo/pkg/sync"
)

// A debugTest is a session with a debugger.
type debugTest struct {
	t      *testing.T
	s      *Session
	d      engine.Debug
	events chan engine.DebugEvent
	done   chan error
	values *[]engine.Value // values of the last started cell, set when it has ended
	n      int
}

func debugged(t *testing.T) *debugTest {
	t.Helper()
	x := &debugTest{t: t, s: fresh(t, Options{}), events: make(chan engine.DebugEvent, 100000)}
	x.d = x.s.Attach(func(e engine.DebugEvent) { x.events <- e })
	t.Cleanup(x.d.Detach)
	return x
}

// run runs a cell and waits until it has ended.
func (x *debugTest) run(src string) []engine.Value {
	x.t.Helper()
	x.start(src)
	return x.end()
}

// start runs a cell in another goroutine.
func (x *debugTest) start(src string) context.CancelFunc {
	x.n++
	ctx, cancel := context.WithCancel(context.Background())
	done, values := make(chan error, 1), new([]engine.Value)
	x.done, x.values = done, values
	cell := engine.Cell{Name: fmt.Sprintf("In[%d]", x.n), Source: src}
	go func() {
		v, err := x.s.Run(ctx, cell)
		*values = v
		done <- err
	}()
	return cancel
}

// end waits for the end of the cell.
func (x *debugTest) end() []engine.Value {
	x.t.Helper()
	select {
	case err := <-x.done:
		if err != nil {
			x.t.Fatal(strings.Join(err.(*engine.Error).Traceback(), "\n"))
		}
	case <-time.After(patience.Long):
		x.t.Fatalf("the cell does not end: %+v", x.d.Goroutines())
	}
	return *x.values
}

// next returns the next event, skipping "continued" and "ended".
func (x *debugTest) next() engine.DebugEvent {
	x.t.Helper()
	for {
		select {
		case e := <-x.events:
			if e.Reason != "continued" && e.Reason != "ended" {
				return e
			}
		case <-time.After(patience.Long):
			x.t.Fatalf("no event: %+v", x.d.Goroutines())
		}
	}
}

// stop waits for a stop with the given reason. It returns the event and the innermost frames in the form
// In[1] f:3.
func (x *debugTest) stop(reason string) (engine.DebugEvent, string) {
	x.t.Helper()
	e := x.next()
	if e.Reason != reason {
		x.t.Fatalf("%+v, want %s", e, reason)
	}
	return e, x.stack(e.Goroutine)
}

func (x *debugTest) frames(id int) []engine.DebugFrame {
	x.t.Helper()
	list, err := x.d.Stack(id)
	if err != nil {
		x.t.Fatal(err)
	}
	return list
}

func (x *debugTest) stack(id int) string {
	x.t.Helper()
	var out []string
	for _, f := range x.frames(id) {
		out = append(out, fmt.Sprintf("%s:%d", f.Func, f.Line))
	}
	return strings.Join(out, " ")
}

// locals returns the variables of the nth frame as text.
func (x *debugTest) locals(id, n int) string {
	x.t.Helper()
	list, err := x.d.Locals(x.frames(id)[n].ID)
	if err != nil {
		x.t.Fatal(err)
	}
	var out []string
	for _, v := range list {
		if v.Value.IsValid() {
			out = append(out, fmt.Sprintf("%s %s=%v", v.Name, v.Type, v.Value))
		} else {
			out = append(out, v.Name+": "+v.Note)
		}
	}
	return strings.Join(out, ", ")
}

func (x *debugTest) eval(id, n int, text string) string {
	x.t.Helper()
	values, err := x.d.Eval(context.Background(), x.frames(id)[n].ID, text)
	if err != nil {
		return "ERR " + err.Error()
	}
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf("%v (%s)", v.Value, v.Type))
	}
	return strings.Join(out, ", ")
}

func (x *debugTest) breaks(src string, lines ...int) {
	x.t.Helper()
	var list []engine.Breakpoint
	for _, l := range lines {
		list = append(list, engine.Breakpoint{Line: l})
	}
	for _, b := range x.d.SetBreakpoints(src, list) {
		if b.Line == 0 || b.ID == 0 {
			x.t.Fatalf("%+v", b)
		}
	}
}

func (x *debugTest) goOn(id int, step engine.Step) {
	x.t.Helper()
	if err := x.d.Continue(id, step); err != nil {
		x.t.Fatal(err)
	}
}

func same2(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBreakpointInCell(t *testing.T) {
	x := debugged(t)
	src := "total := 0\nfor i := range 3 {\n\tsquare := i * i\n\ttotal += square\n}\ntotal"
	x.breaks(src, 4)
	x.start(src)
	for i := range 3 {
		e, stack := x.stop("breakpoint")
		same2(t, stack, ":4")
		same2(t, x.locals(e.Goroutine, 0), fmt.Sprintf("square int=%d, i int=%d", i*i, i))
		if i == 1 {
			same2(t, x.eval(e.Goroutine, 0, "square + total"), "1 (int)")
			same2(t, x.eval(e.Goroutine, 0, "square = 100"), "")
			same2(t, x.eval(e.Goroutine, 0, "square"), "100 (int)")
		}
		x.goOn(0, engine.NoStep)
	}
	if v := x.end(); v[0].Value != 104 {
		t.Errorf("%v", v)
	}
}

const lib = `func square(n int) int {
	m := n * n
	return m
}
func sum(n int) (total int) {
	for i := range n {
		total += square(i)
	}
	return total
}`

// TestBreakpointInEarlierCell: a breakpoint is set in a function that is already declared, and functions and
// closures of earlier cells call it.
func TestBreakpointInEarlierCell(t *testing.T) {
	x := debugged(t)
	x.run(lib)
	x.run("old := func() int { return sum(3) }")
	x.breaks(lib, 3)
	x.start("old()")
	for i := range 3 {
		e, stack := x.stop("breakpoint")
		same2(t, stack, "square:3 sum:7 func1:1 :1")
		same2(t, x.locals(e.Goroutine, 0), fmt.Sprintf("n int=%d, m int=%d", i, i*i))
		if i == 2 {
			same2(t, x.locals(e.Goroutine, 1), "n int=3, total int=1, i int=2")
		}
		x.goOn(0, engine.NoStep)
	}
	if v := x.end(); v[0].Value != 5 {
		t.Errorf("%v", v)
	}
	x.d.SetBreakpoints(lib, nil)
	if v := x.run("old() + sum(3)"); v[0].Value != 10 {
		t.Errorf("%v", v)
	}
	if n := len(x.s.debug.armed); n != 0 {
		t.Errorf("%d functions are still armed", n)
	}
}

func TestSteps(t *testing.T) {
	x := debugged(t)
	x.run(lib)
	src := "a := sum(2)\nb := a + 1\nb"
	x.breaks(src, 1)
	x.start(src)
	e, stack := x.stop("breakpoint")
	same2(t, stack, ":1")
	for _, step := range []struct {
		kind engine.Step
		want string
	}{
		{engine.StepIn, "sum:6 :1"},
		{engine.StepOver, "sum:7 :1"},
		{engine.StepIn, "square:2 sum:7 :1"},
		{engine.StepOver, "square:3 sum:7 :1"},
		{engine.StepOver, "sum:7 :1"},
		{engine.StepIn, "square:2 sum:7 :1"},
		{engine.StepOut, "sum:7 :1"},
		{engine.StepOver, "sum:9 :1"},
		{engine.StepOut, ":1"},
		{engine.StepOver, ":2"},
		{engine.StepOver, ":3"},
	} {
		x.goOn(e.Goroutine, step.kind)
		_, stack := x.stop("step")
		if stack != step.want {
			t.Fatalf("step %d: %s, want %s", step.kind, stack, step.want)
		}
	}
	x.goOn(e.Goroutine, engine.StepOver)
	if v := x.end(); v[0].Value != 2 {
		t.Errorf("%v", v)
	}
}

func TestConditions(t *testing.T) {
	x := debugged(t)
	x.run(lib + "\nlimit := 4")
	src := "n := 0\nfor i := range 10 {\n\tn += i\n}\nn"
	set := x.d.SetBreakpoints(src, []engine.Breakpoint{
		{Line: 3, Condition: "i%2 == 0 && square(i) > limit"},
		{Line: 5, Log: "n is {n}, twice {2*n}!"},
		{Line: 2, Hits: 2},
		{Line: 9},
		{Line: 1, Condition: "1 +"},
	})
	for i, want := range []int{3, 5, 2, 0, 0} {
		if set[i].Line != want || (want == 0) != (set[i].Message != "") {
			t.Errorf("%d: %+v", i, set[i])
		}
	}
	x.start(src)
	for _, i := range []int{4, 6, 8} {
		e, _ := x.stop("breakpoint")
		same2(t, x.locals(e.Goroutine, 0), fmt.Sprintf("i int=%d", i))
		x.goOn(0, engine.NoStep)
	}
	if e := x.next(); e.Reason != "log" || e.Log != "n is 45, twice 90!" {
		t.Errorf("%+v", e)
	}
	x.end()

	again := x.d.SetBreakpoints(src, []engine.Breakpoint{{Line: 3, Condition: "i == nothing"}, {Line: 2, Hits: 2}})
	if again[1].ID != set[2].ID {
		t.Errorf("the id changed: %+v, %+v", again[1], set[2])
	}
	x.start(src)
	e, _ := x.stop("breakpoint") // the second hit
	if len(e.Breakpoints) != 1 || e.Breakpoints[0] != again[1].ID {
		t.Errorf("%+v", e)
	}
	x.goOn(0, engine.NoStep)
	if e, _ := x.stop("breakpoint"); !strings.Contains(e.Text, "undefined: nothing") {
		t.Errorf("%+v", e)
	}
	x.d.Detach()
	x.end()
}

func TestPanics(t *testing.T) {
	x := debugged(t)
	x.run(`import "errors"
func inner(n int) int { list := []int{1}; return list[n] }
func caught(n int) (err error) {
	defer func() {
		if p := recover(); p != nil { err = errors.New("recovered") }
	}()
	inner(n)
	return nil
}`)
	x.d.SetPanics(engine.UncaughtPanics)
	if v := x.run("caught(3)"); fmt.Sprint(v[0].Value) != "recovered" {
		t.Errorf("%v", v)
	}
	x.start("inner(5)")
	e, stack := x.stop("panic")
	same2(t, stack, "inner:2 :1")
	same2(t, x.locals(e.Goroutine, 0), "n int=5, list []int=[1]")
	if !strings.Contains(e.Text, "index out of range [5]") {
		t.Errorf("%+v", e)
	}
	x.goOn(0, engine.NoStep)
	if err := <-x.done; err == nil || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("%v", err)
	}
	x.d.SetPanics(engine.AllPanics)
	x.start("caught(3)")
	_, stack = x.stop("panic")
	same2(t, stack, "inner:2 caught:7 :1")
	x.goOn(0, engine.NoStep)
	if v := x.end(); fmt.Sprint(v[0].Value) != "recovered" {
		t.Errorf("%v", v)
	}
	x.start("func() { panic(errors.New(\"mine\")) }()")
	if e, _ = x.stop("panic"); e.Text != "mine" {
		t.Errorf("%+v", e)
	}
	x.goOn(0, engine.NoStep)
	<-x.done
	x.d.SetPanics(engine.NoPanics)
	x.run("caught(3)")
}

func TestInterruptWhileHeld(t *testing.T) {
	x := debugged(t)
	src := "k := 1\nk++\nk"
	patience.Try(t, func() string {
		x.breaks(src, 2)
		cancel := x.start(src)
		x.stop("breakpoint")
		begin := time.Now()
		cancel()
		err := patience.Receive(t, "end", x.done)
		took := time.Since(begin)
		if e, ok := err.(*engine.Error); !ok || e.Kind != engine.Interrupted {
			t.Error(err)
		}
		if err := x.d.Continue(0, engine.NoStep); err != engine.ErrNotHeld {
			t.Errorf("%v", err)
		}
		x.d.SetBreakpoints(src, nil)
		if v := x.run(src); v[0].Value != 2 {
			t.Errorf("%v", v)
		}
		if took > 250*time.Millisecond {
			return fmt.Sprintf("%v after %v", err, took)
		}
		return ""
	})
}

// begun starts a cell, and returns a short time after the cell's code has begun to run.
func (x *debugTest) begun(src string) context.CancelFunc {
	x.t.Helper()
	cancel := x.start(src)
	patience.Until(x.t, "begun", x.s.stop.hasBegun)
	time.Sleep(50 * time.Millisecond)
	return cancel
}

func TestPause(t *testing.T) {
	x := debugged(t)
	x.d.Pause() // no code runs now
	src := "i := 0\nfor i >= 0 {\n\ti++\n}\ni"
	x.begun(src)
	x.d.Pause()
	e, stack := x.stop("pause")
	for end := time.Now().Add(patience.Long); stack != ":2" && time.Now().Before(end); e, stack = x.stop("pause") {
		x.goOn(0, engine.NoStep) // the cell had not reached the loop
		time.Sleep(50 * time.Millisecond)
		x.d.Pause()
	}
	same2(t, stack, ":2")
	list, release, err := x.d.Globals()
	if err != nil || len(list) != 1 || list[0].Name != "i" || list[0].Value.Int() == 0 {
		t.Errorf("%v %v", list, err)
	}
	release()
	x.goOn(e.Goroutine, engine.StepOver)
	x.stop("step")
	if _, err := x.d.Eval(context.Background(), 0, "i = -10"); err != nil {
		t.Error(err)
	}
	x.goOn(0, engine.NoStep)
	x.end()

	x.run("import \"time\"")
	patience.Try(t, func() string { // the sleep may have ended before the pause
		begin := time.Now()
		x.begun("time.Sleep(300*time.Millisecond)\n1")
		x.d.Pause()
		select {
		case err := <-x.done:
			x.done <- err
			x.end()
			return "the cell ended before it was held"
		case e := <-x.events:
			if e.Reason != "pause" {
				return fmt.Sprintf("%+v", e)
			}
			same2(t, x.stack(e.Goroutine), ":1")
		}
		time.Sleep(time.Until(begin.Add(600 * time.Millisecond)))
		select {
		case <-x.done:
			t.Error("the cell ended while it was held")
		default:
		}
		x.goOn(0, engine.NoStep)
		x.end()
		return ""
	})
}

func TestTwoGoroutines(t *testing.T) {
	x := debugged(t)
	src := `import "sync"
var wg sync.WaitGroup
out := make([]int, 2)
for i := range 2 {
	wg.Add(1)
	go func() {
		defer wg.Done()
		v := i + 1
		out[i] = v
	}()
}
wg.Wait()
out`
	x.breaks(src, 9)
	x.start(src)
	seen := map[int]bool{}
	for range 2 {
		e, stack := x.stop("breakpoint")
		if seen[e.Goroutine] || !strings.HasSuffix(stack, ":9") {
			t.Errorf("%+v %s", e, stack)
		}
		seen[e.Goroutine] = true
		held := func() bool {
			list := x.d.Goroutines()
			return len(list) >= 2 && list[0].Name == "In[1]" && list[0].Held
		}
		// The other goroutines stop at their next statement, which may take a moment.
		if !patience.Wait(held) {
			t.Fatalf("%+v", x.d.Goroutines())
		}
		x.goOn(0, engine.NoStep)
	}
	if v := x.end(); fmt.Sprint(v[0].Value) != "[1 2]" {
		t.Errorf("%v", v)
	}
}

func TestDetachWhileHeld(t *testing.T) {
	x := debugged(t)
	src := "n := 0\nfor range 3 {\n\tn++\n}\nn"
	x.breaks(src, 3)
	x.start(src)
	x.stop("breakpoint")
	x.d.Detach()
	if v := x.end(); v[0].Value != 3 {
		t.Errorf("%v", v)
	}
	if _, err := x.d.Stack(1); err != engine.ErrNotHeld {
		t.Error(err)
	}
	x.d = x.s.Attach(func(e engine.DebugEvent) { x.events <- e })
	x.run(src)
	x.breaks(src, 3)
	x.start(src)
	x.stop("breakpoint")
	d := x.d
	x.d = x.s.Attach(func(e engine.DebugEvent) { x.events <- e })
	x.end()
	d.Detach()
	x.d.Detach()
}

// TestFormsOfCode stops in code of all kinds, and inspects its variables.
func TestFormsOfCode(t *testing.T) {
	for _, c := range []struct {
		name, lib, src string
		line           int // line in lib if lib is not empty, else in src
		stack, locals  string
		eval, value    string
		result         string
	}{
		{"method", "type point struct{ X, Y int }\nfunc (p *point) add(d int) int {\n\tp.X += d\n\treturn p.X\n}", "p := &point{1, 2}\np.add(3)",
			4, "(*point).add:4 :2", "p *point=&{4 2}, d int=3", "p.Y + p.add(10)", "16 (int)", "14"},
		{"interface", "type animal interface{ name() string }\ntype dog struct{ n string }\nfunc (d dog) name() string {\n\treturn d.n\n}", "var a animal = dog{\"rex\"}\na.name()",
			4, "dog.name:4 :2", "d dog={rex}", "d.name() + \"!\"", "rex! (string)", "rex"},
		{"generic", "func biggest[T int | float64](xs []T) (m T) {\n\tfor _, x := range xs {\n\t\tif x > m {\n\t\t\tm = x\n\t\t}\n\t}\n\treturn m\n}", "biggest([]float64{1, 3, 2})",
			7, "biggest[float64]:7 :1", "xs []float64=[1 3 2], m float64=3", "m / 2", "1.5 (float64)", "3"},
		{"closure", "", "base := 10\nadd := func(n int) int {\n\treturn base + n\n}\nadd(5)",
			3, "func1:3 :5", "n int=5", "base + n", "15 (int)", "15"},
		{"capture", "func counter() func() int {\n\tcount := 0\n\treturn func() int {\n\t\tcount++\n\t\treturn count\n\t}\n}", "next := counter()\nnext()",
			5, "counter.func1:5 :2", "count int=1", "count * 7", "7 (int)", "1"},
		{"defer", "func f() (err string) {\n\tdefer func() {\n\t\terr += \"!\"\n\t}()\n\treturn \"done\"\n}", "f()",
			3, "f.func1:3 f:5 :1", "err string=done", "len(err)", "4 (int)", "done!"},
		{"sort", "import \"sort\"\nfunc order(xs []int) []int {\n\tsort.Slice(xs, func(i, j int) bool {\n\t\treturn xs[i] < xs[j]\n\t})\n\treturn xs\n}", "order([]int{2, 1})",
			4, "order.func1:4 sort.Slice:0 order:3 :1", "i int=1, j int=0, xs []int=[2 1]", "xs[i] + xs[j]", "3 (int)", "[1 2]"},
		{"iterator", "func up(yield func(int) bool) {\n\t_ = yield(1) && yield(2)\n}\nfunc total() (t int) {\n\tfor x := range up {\n\t\tt += x\n\t}\n\treturn t\n}", "total()",
			6, "total.func1:6 up:2 total:5 :1", "t int=0, x int=1", "x + t", "1 (int)", "3"},
		{"switch", "", "var v any = 3.5\nout := 0.0\nswitch x := v.(type) {\ncase float64:\n\tout = x * 2\ncase string:\n\tout = 1\n}\nout",
			5, ":5", "x float64=3.5", "x + 1", "4.5 (float64)", "7"},
		{"select", "", "ch := make(chan int, 1)\nch <- 4\ngot := 0\nselect {\ncase n := <-ch:\n\tgot = n\ndefault:\n}\ngot",
			6, ":6", "n int=4", "n == 4", "true (bool)", "4"},
		{"goto", "", "n := 0\nfunc() {\n\ti := 0\nagain:\n\ti++\n\tif i < 3 {\n\t\tgoto again\n\t}\n\tn = i\n}()\nn",
			9, "func1:9 :2", "i int=3", "i", "3 (int)", "3"},
		{"local type", "func pairs() int {\n\ttype pair struct{ a, b int }\n\tlist := []pair{{1, 2}, {3, 4}}\n\tp := list[1]\n\treturn p.a + p.b\n}", "pairs()",
			5, "pairs:5 :1", "list []pair=[{1 2} {3 4}], p pair={3 4}", "list[0].b + p.a + pair{5, 6}.a", "10 (int)", "7"},
		{"shadow", "", "func() int {\n\tx := 1\n\t{\n\t\tx := \"inner\"\n\t\t_ = x\n\t}\n\treturn x\n}()",
			5, "func1:5 :1", "x string=inner", "x + x", "innerinner (string)", "1"},
		{"else if", "func sign(n int) string {\n\tif n < 0 {\n\t\treturn \"-\"\n\t} else if m := n * 2; m > 0 {\n\t\treturn \"+\"\n\t}\n\treturn \"0\"\n}", "sign(2)",
			5, "sign:5 :1", "n int=2, m int=4", "m - n", "2 (int)", "+"},
		{"variadic", "func last(sep string, xs ...int) int {\n\tn := len(xs)\n\treturn xs[n-1]\n}", "last(\",\", 1, 2, 3)",
			3, "last:3 :1", "sep string=,, xs []int=[1 2 3], n int=3", "append(xs, 9)", "[1 2 3 9] ([]int)", "3"},
	} {
		for _, after := range []bool{false, true} { // set the breakpoint before or after the library is declared
			if c.lib == "" && after {
				continue
			}
			t.Run(fmt.Sprintf("%s %v", c.name, after), func(t *testing.T) {
				x := debugged(t)
				at := c.src
				if c.lib != "" {
					at = c.lib
				}
				if c.lib != "" && after {
					x.run(c.lib)
				}
				x.breaks(at, c.line)
				if c.lib != "" && !after {
					x.run(c.lib)
				}
				x.start(c.src)
				e, stack := x.stop("breakpoint")
				same2(t, stack, c.stack)
				same2(t, x.locals(e.Goroutine, 0), c.locals)
				x.d.SetBreakpoints(at, nil)
				same2(t, x.eval(e.Goroutine, 0, c.eval), c.value)
				x.goOn(0, engine.NoStep)
				if v := x.end(); fmt.Sprint(v[0].Value) != c.result {
					t.Errorf("%v, want %s", v[0].Value, c.result)
				}
			})
		}
	}
}

// BenchmarkDebugged measures the cells of BenchmarkCell with a debugger attached: without a breakpoint, with
// a breakpoint in another function, and with a breakpoint in the running function that has a false condition
// or is never reached.
func BenchmarkDebugged(b *testing.B) {
	const loop = "func loop() float64 {\n\ts := 0.0\n\tfor i := 0; i < 1000000; i++ {\n\t\ts += float64(i) * 0.5\n\t}\n\tif s < 0 {\n\t\ts = 0\n\t}\n\treturn s\n}"
	const fib = "func fib(n int) int {\n\tif n < 2 {\n\t\tif n < 0 {\n\t\t\tn = 0\n\t\t}\n\t\treturn n\n\t}\n\treturn fib(n-1) + fib(n-2)\n}"
	const other = "func other() int {\n\tn := 1\n\treturn n\n}"
	for _, c := range []struct {
		name, lib, call string
		line            int
	}{
		{"loop1e6", loop, "loop()", 7},
		{"fib20", fib, "fib(20)", 4},
	} {
		for _, at := range []string{"detached", "attached", "other", "never"} {
			b.Run(c.name+"/"+at, func(b *testing.B) {
				s := fresh(b, Options{})
				run(b, s, other)
				run(b, s, c.lib)
				if at != "detached" {
					d := s.Attach(func(engine.DebugEvent) {})
					defer d.Detach()
					switch at {
					case "other":
						d.SetBreakpoints(other, []engine.Breakpoint{{Line: 2}})
					case "never":
						d.SetBreakpoints(c.lib, []engine.Breakpoint{{Line: c.line}})
					}
				}
				for b.Loop() {
					run(b, s, c.call)
				}
			})
		}
	}
	b.Run("condition", func(b *testing.B) {
		s := fresh(b, Options{})
		run(b, s, loop)
		d := s.Attach(func(engine.DebugEvent) {})
		defer d.Detach()
		d.SetBreakpoints(loop, []engine.Breakpoint{{Line: 4, Condition: "i == -1"}})
		for b.Loop() {
			run(b, s, "loop()")
		}
	})
}
