package ixengine

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"

	_ "github.com/goplus/ixgo/pkg/sort"
)

// lines returns the lines of a traceback.
func lines(err error) string {
	e, ok := err.(*engine.Error)
	if !ok {
		return fmt.Sprint(err)
	}
	var list []int
	for _, f := range e.Frames {
		list = append(list, f.Line)
	}
	return fmt.Sprint(list)
}

// TestCallbackPanics: a panic in a function that compiled code calls is reported at its own place in the
// cell, whatever its cause, and not at the place of an earlier, recovered panic.
func TestCallbackPanics(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"runtime error", "sort.Slice(xs, func(i, j int) bool {\n\treturn xs[i+5] < 2\n})", "[3 2]"},
		{"explicit", "sort.Slice(xs, func(i, j int) bool {\n\tpanic(1)\n})", "[3 2]"},
		{"one in another", "sort.Slice(xs, func(i, j int) bool {\n\tsort.Slice(xs, func(i, j int) bool {\n\t\treturn xs[i+5] < 2\n\t})\n\treturn true\n})", "[4 3 2]"},
		{"explicit in another", "sort.Slice(xs, func(i, j int) bool {\n\tsort.Slice(xs, func(i, j int) bool {\n\t\tpanic(1)\n\t})\n\treturn true\n})", "[4 3 2]"},
		{"by way of a function", "g := func() int { return xs[7] }\nsort.Slice(xs, func(i, j int) bool {\n\treturn g() < 2\n})", "[2 4 3]"},
		{"with a deferred function", "sort.Slice(xs, func(i, j int) bool {\n\tdefer func() {}()\n\treturn xs[i+5] < 2\n})", "[4 2]"},
		{"after one that was recovered", "func() {\n\tdefer func() { recover() }()\n\tsort.Slice(xs, func(i, j int) bool { var p *int; return *p == 2 })\n}()\nvar p *int\n*p", "[7]"},
		{"after one that fmt recovered", "fmt.Sprint(T{})\nvar p *int\n*p", "[4]"},
		{"in a worker", "slow.InWorker(func() {\n\t_ = xs[9]\n})", "[3 2]"},
	} {
		s := fresh(t, Options{})
		run(t, s, stopPrelude+"; import (\"fmt\"; \"sort\")\nxs := []int{1, 2, 3}\ntype T struct{}\nfunc (T) String() string { var p *int; return fmt.Sprint(*p) }\n_, _ = fmt.Sprint, sort.Slice")
		_, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: "_ = xs\n" + c.src})
		if got := lines(err); got != c.want {
			t.Errorf("%s: lines %s, want %s: %v", c.name, got, c.want, err)
		}
	}
}

// TestCalledLater: the kernel or a server calls functions of cells after their cell has ended.
func TestCalledLater(t *testing.T) {
	faults := make(chan *engine.Error, 1)
	s := fresh(t, Options{Background: func(event string, e *engine.Error) {
		if !strings.HasPrefix(event, "a handler panicked") {
			t.Errorf("told: %s", event)
		}
		faults <- e
	}})
	f := run(t, s, "func(i int) int {\n\txs := []int{1}\n\treturn xs[i]\n}")[0].Value.(func(int) int)
	if err := s.Call(context.Background(), func() { f(1) }); lines(err) != "[3]" {
		t.Errorf("called by the kernel: lines %s of %v", lines(err), err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(2) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	defer server.Close()
	http.Get(server.URL) // the handler panics, so the server closes the connection
	select {
	case e := <-faults:
		if lines(e) != "[3]" || !strings.Contains(e.Message, "index out of range [2]") {
			t.Errorf("served: lines %s of %v", lines(e), e)
		}
	case <-time.After(patience.Long):
		t.Error("nothing was reported of the handler")
	}
}

// TestPanicked: a panic of a cell's function in a goroutine of compiled code is the error of the cell that runs, as it
// ends a Go program. If no cell runs, it is told as one of the background.
func TestPanicked(t *testing.T) {
	events := make(chan string, 1)
	s := fresh(t, Options{Background: func(event string, e *engine.Error) { events <- event + lines(e) }})
	f := run(t, s, "func() {\n\tvar m map[string]int\n\tm[\"a\"] = 1\n}")[0].Value.(func())
	call := func(f func()) (told bool) { // in a goroutine, as a guarded module does
		done := make(chan bool)
		go func() {
			defer func() { done <- s.Panicked(recover()) }()
			f()
		}()
		return <-done
	}
	if told := call(f); !told || <-events != "a function that was called in a goroutine of compiled code panicked[3]" {
		t.Error("not told as a panic of the background")
	}
	if call(func() { panic("of the module") }) {
		t.Error("the session takes a panic of a module for one of a cell")
	}
	*run(t, s, "var call func(func()) bool\n&call")[0].Value.(*func(func()) bool) = call
	_, err := s.Run(context.Background(), engine.Cell{Name: "In[3]", Source: "call(func() {\n\tpanic(1)\n})\nselect {}"})
	if lines(err) != "[2]" {
		t.Errorf("lines %s of %v", lines(err), err)
	}
}

// TestStrangersPanic: a panic of a cell's function in a goroutine that a compiled package has started is the running
// cell's error, and the session goes on.
func TestStrangersPanic(t *testing.T) {
	skipOnOneThread(t, "these packages are not built in")
	if !alone(t) { // compiled code waits forever for goroutines that have ended
		return
	}
	s := fresh(t, Options{})
	run(t, s, `import ("fmt"; "os"; "net/http"; "sort"; "testing"; "gonum.org/v1/gonum/optimize"; "gonum.org/v1/gonum/integrate/quad")
kept := 41
data := []float64{3, 1, 2}
type R struct{}
func (R) Read(b []byte) (int, error) { panic("in Read") }
func minimize(f func(x []float64) float64) string {
	r, err := optimize.Minimize(optimize.Problem{Func: f}, []float64{0}, nil, &optimize.NelderMead{})
	if err != nil { return err.Error() }
	return fmt.Sprintf("%.2f", r.X)
}`)
	for _, c := range []struct{ src, want, lines string }{
		{"minimize(func(x []float64) float64 {\n\treturn data[3]\n})", "runtime error: index out of range [3] with length 3", "[2]"},
		{"minimize(func(x []float64) float64 {\n\tsort.Slice(data, func(i, j int) bool {\n\t\tpanic(\"deep\") })\n\treturn 0\n})", "deep", "[3 2]"},
		{"minimize(func(x []float64) float64 { os.Exit(3); return 0 })", "the cell asked to exit with code 3; the session goes on", "[1]"},
		{"quad.Fixed(func(x float64) float64 { panic(fmt.Sprint(\"at \", x > 0)) }, 0, 1, 10, nil, 4)", "at true", "[1]"},
		{"http.Post(\"http://127.0.0.1:1\", \"text/plain\", R{})", "", ""},
		{"testing.Benchmark(func(b *testing.B) { panic(\"in a benchmark\") })", "in a benchmark", "[1]"},
	} {
		_, err := s.Run(t.Context(), engine.Cell{Name: "c", Source: c.src})
		if e, ok := err.(*engine.Error); c.want != "" && (!ok || e.Message != c.want || lines(err) != c.lines) {
			t.Errorf("%s\nended with %v %s, want %s %s", c.src, err, lines(err), c.want, c.lines)
		}
		if got := run(t, s, "kept + 1")[0].Value; got != 42 {
			t.Errorf("%s\nkept + 1 is %v afterwards", c.src, got)
		}
	}
	// A function of the cell may recover.
	got := run(t, s, `minimize(func(x []float64) (f float64) {
	defer func() { recover(); f = (x[0] - 2) * (x[0] - 2) }()
	sort.Slice(data, func(i, j int) bool { panic("x") })
	return 0
})`)[0].Value
	if got != "[2.00]" {
		t.Errorf("the minimum is at %v", got)
	}
}

// TestServedPanics: a panic of a cell's handler is reported with its place, and the server adds nothing to
// the report. A deliberate abort is not reported, nor is a handler that the user stops.
func TestServedPanics(t *testing.T) {
	skipOnOneThread(t, "there are no servers in a browser")
	for _, l := range append(Levels[:len(Levels):len(Levels)], warm) {
		undo := l.Force()
		faults := make(chan *engine.Error, 9)
		s := fresh(t, Options{Background: func(_ string, e *engine.Error) { faults <- e }})
		handlers := run(t, s, `import "net/http"
type page struct{ xs []int }
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = p.xs[len(r.URL.Path)]
}
func serve(w http.ResponseWriter, r *http.Request) {
	panic(r.URL.Path)
}
func giveUp(w http.ResponseWriter, r *http.Request) {
	panic(http.ErrAbortHandler)
}
mux := http.NewServeMux()
mux.Handle("/a", &page{})
mux.HandleFunc("/b", serve)
mux.HandleFunc("/c", giveUp)
begun := make(chan bool, 1)
mux.HandleFunc("/d", func(w http.ResponseWriter, r *http.Request) {
	n := 0
	for begun <- true; ; { n++ }
})
mux`)[0].Value.(http.Handler)
		begun := run(t, s, "begun")[0].Value.(chan bool)
		for range 4 {
			var logged strings.Builder
			server := httptest.NewUnstartedServer(handlers)
			server.Config.ErrorLog = log.New(&logged, "", 0)
			server.Start()
			for _, path := range []string{"/a", "/b", "/c"} {
				http.Get(server.URL + path) // the handler panics, so the server closes the connection
			}
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				<-begun
				cancel()
			}()
			if _, err := s.Run(ctx, engine.Cell{Name: "get", Source: fmt.Sprintf("http.Get(%q)", server.URL+"/d")}); err == nil {
				t.Errorf("%s: a cell that waits for an endless handler ends", l.Name)
			}
			server.Close()
			if logged.Len() > 0 {
				t.Errorf("%s: the server logs %s", l.Name, logged.String())
			}
			for _, want := range []string{"[4]", "[7]"} {
				if got := lines(<-faults); got != want {
					t.Errorf("%s: lines %s, want %s", l.Name, got, want)
				}
			}
		}
		if len(faults) > 0 {
			t.Errorf("%s: also told: %v", l.Name, <-faults)
		}
		undo()
	}
}
