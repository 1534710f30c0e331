package kernel

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/cycle"
	"overcomplete/kernel/internal/ixengine"
	"overcomplete/kernel/internal/render"
	"overcomplete/ui/display"
)

var update = flag.Bool("update", false, "rewrite what is expected in testdata/*.txtar and testdata/panics.txt")

// transcript is an Output that records a cell's output.
type transcript struct {
	mu   sync.Mutex
	b    strings.Builder
	last string // the last stream written to: consecutive pieces of one stream are joined
}

func (t *transcript) write(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.WriteString(s)
}

func (t *transcript) Stream(name, text string) {
	t.mu.Lock()
	again := t.last == name
	t.last = name
	t.mu.Unlock()
	if name == "stderr" && !again {
		text = "[stderr] " + text
	}
	t.write(text)
}

func (t *transcript) Display(d display.Data, update bool) {
	t.write(fmt.Sprintf("[display %s] %v\n", strings.Join(mimeTypes(d), " "), d.Data["text/plain"]))
}
func (t *transcript) Result(d display.Data) { t.Display(d, false) }
func (t *transcript) Clear(wait bool)       { t.write(fmt.Sprintf("[clear wait=%v]\n", wait)) }

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// runStopped is runCell for a cell that is interrupted after a while. If the function fault returns a fault,
// runStopped tries again: on a stalled machine the cell may end late, or its deferred functions may run at
// the wrong time.
func runStopped(t *testing.T, k *Kernel, cell engine.Cell, fault func(got string) string) (got string) {
	t.Helper()
	patience.Try(t, func() string {
		begin := time.Now()
		got = runCell(k, cell, 300*time.Millisecond)
		if took := time.Since(begin); took > 2*time.Second {
			return fmt.Sprintf("%s: stopping it took %v:\n%s", cell.Name, took, cell.Source)
		}
		return fault(got)
	})
	return got
}

// runCell returns a cell's output, its values with their types, and its error as a traceback. A nonzero timeout
// interrupts the cell.
func runCell(k *Kernel, cell engine.Cell, timeout time.Duration) string {
	ctx := context.Background()
	if timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() {
			patience.Sleep(timeout)
			cancel()
		}()
	}
	out := &transcript{}
	k.capture.Flush()
	k.mu.Lock()
	k.out = out
	k.mu.Unlock()
	defer k.listen(ctx, out)()
	values, err := k.session.Run(ctx, cell)
	k.capture.Flush()
	text := out.String()
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if len(values) > 0 {
		var vals, typs []string
		err = k.session.Call(context.Background(), func() { // the cells' String methods are code of cells
			for _, v := range values {
				if cycle.In(v.Value) {
					v.Value = render.Text(v.Value)
				}
				vals, typs = append(vals, fmt.Sprint(v.Value)), append(typs, v.Type)
			}
		})
		if err == nil {
			text += fmt.Sprintf("=> %s (%s)\n", strings.Join(vals, " "), strings.Join(typs, ", "))
		}
	}
	var e *engine.Error
	if errors.As(err, &e) {
		if timeout > 0 {
			e.Frames = nil // the cell is stopped at a random place
		}
		text += "ERR " + strings.Join(e.Traceback(), "\n") + "\n"
	}
	return text
}

func open(t testing.TB) *Kernel {
	t.Helper()
	k, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return k
}

// TestLevels runs the sessions of TestCells and TestFidelity once for each level of the engine, and forces
// this level. Normally it runs only a third of the sessions (see patience.LeftOut).
func TestLevels(t *testing.T) {
	if testing.Short() || *update {
		t.Skip("TestCells and TestFidelity run as users' cells do")
	}
	for _, l := range ixengine.Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			if !patience.LeftOut("fidelity " + l.Name) {
				t.Run("fidelity", TestFidelity)
			}
			t.Run("cells", func(t *testing.T) { runCells(t, l.Name) })
		})
	}
}

// TestFidelity runs cells that broke other engines, in one session. The first line of each cell gives text that
// the cell's output must contain.
func TestFidelity(t *testing.T) {
	k := open(t)
	data := testfile.Read(t, "testdata/fidelity.txt")
	cells := regexp.MustCompile(`(?m)^---\n`).Split(string(data), -1)
	for i, cell := range cells[1:] {
		want, src, _ := strings.Cut(cell, "\n")
		want = strings.TrimSpace(strings.TrimPrefix(want, "//="))
		stop := strings.Contains(cell, "//TIMEOUT") || strings.Contains(src, "func spin()")
		want = strings.TrimSpace(strings.TrimSuffix(want, "//TIMEOUT"))
		if patience.RaceDetector && stop {
			continue // see TestCells
		}
		c := engine.Cell{Name: fmt.Sprintf("In[%d]", i+1), Source: src}
		fault := func(got string) string {
			if !strings.Contains(got, want) {
				return fmt.Sprintf("%s\nwant %q, got:\n%s", src, want, got)
			}
			return ""
		}
		if stop {
			runStopped(t, k, c, fault)
		} else if text := fault(runCell(k, c, 0)); text != "" {
			t.Errorf("cell %d:\n%s", i+1, text)
		}
	}
}

// TestPanicLines runs programs that panic at every level: the traceback must lead through the same lines as that of
// compiled Go. With -update it compiles the programs, and writes down the lines.
func TestPanicLines(t *testing.T) {
	const file = "testdata/panics.txt"
	a, err := txtar.ParseFile(file)
	if err != nil || len(a.Files) == 0 {
		t.Fatal("no programs: ", err)
	}
	if *update {
		for i, f := range a.Files {
			_, code, _ := strings.Cut(string(f.Data), "\n")
			a.Files[i].Data = fmt.Appendf(nil, "// lines %v\n%s", compiledLines(t, code), code)
		}
		testfile.Write(t, file, txtar.Format(a))
	}
	for _, l := range ixengine.Levels {
		if patience.LeftOut("panics " + l.Name) {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			k := open(t)
			for _, f := range a.Files {
				name := "In[" + f.Name + "]"
				_, err := k.session.Run(context.Background(), engine.Cell{Name: name, Source: string(f.Data)})
				if err == nil {
					_, err = k.session.Run(context.Background(), engine.Cell{Name: "In[main]", Source: "main()"})
				}
				var lines []int
				if e := (*engine.Error)(nil); errors.As(err, &e) {
					for _, fr := range e.Frames {
						if fr.Cell == name {
							lines = append(lines, fr.Line)
						}
					}
				}
				want, _, _ := strings.Cut(string(f.Data), "\n")
				if got := fmt.Sprint("// lines ", lines); got != want {
					t.Errorf("%s: %s, want %s: %v", f.Name, got, want, err)
				}
			}
		})
	}
}

// compiledLines returns the lines of the program in the traceback with which it ends as compiled Go. It is compiled
// without inlining, which moves some of the lines.
func compiledLines(t *testing.T, program string) (lines []int) {
	t.Helper()
	main := filepath.Join(t.TempDir(), "main.go")
	testfile.Write(t, main, "package main; "+program)
	out, err := exec.Command("go", "run", "-gcflags=-l", main).CombinedOutput()
	if err == nil {
		t.Fatalf("it does not panic:\n%s", program)
	}
	trace, _, _ := strings.Cut(string(out), "\ncreated by ")
	for _, m := range regexp.MustCompile(`(?m)^\t.*/main\.go:(\d+)`).FindAllStringSubmatch(trace, -1) {
		n, _ := strconv.Atoi(m[1])
		lines = append(lines, n+1) // the first line of the program in the file says the lines
	}
	return lines
}

// TestCells runs the sessions in testdata/*.txtar: each archive is a sequence of cells (in), each followed by
// its expected output (out). A cell with the comment //stop is interrupted after 300 ms.
func TestCells(t *testing.T) { runCells(t, "") }

// runCells runs the sessions of TestCells. If a level is given, it forces the level and skips the sessions that
// are left out.
func runCells(t *testing.T, level string) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if level != "" {
		files = slices.DeleteFunc(files, func(file string) bool { return patience.LeftOut(level + file) })
	}
	n := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k := open(t)
		out := &txtar.Archive{Comment: a.Comment}
		for i := 0; i < len(a.Files); i++ {
			if a.Files[i].Name != "in" {
				t.Fatalf("%s: %q is not in", file, a.Files[i].Name)
			}
			n++
			src := strings.TrimSuffix(string(a.Files[i].Data), "\n")
			want := ""
			number := len(out.Files)/2 + 1
			out.Files = append(out.Files, a.Files[i])
			if i+1 < len(a.Files) && a.Files[i+1].Name == "out" {
				i++
				want = string(a.Files[i].Data)
			}
			if patience.RaceDetector && strings.Contains(src, "//deep") {
				// The race detector cannot handle a recursion that fills the stack.
				out.Files = append(out.Files, txtar.File{Name: "out", Data: []byte(want)})
				continue
			}
			begin := time.Now()
			var got string
			if c := (engine.Cell{Name: fmt.Sprintf("In[%d]", number), Source: src}); strings.Contains(src, "//stop") {
				got = runStopped(t, k, c, func(got string) string {
					if got != want && !*update {
						return fmt.Sprintf("it shows\n%s", got)
					}
					return ""
				})
			} else {
				got = runCell(k, c, 0)
			}
			if took := time.Since(begin); took > 700*time.Millisecond {
				t.Logf("%s: In[%d] took %v", file, number, took)
			}
			out.Files = append(out.Files, txtar.File{Name: "out", Data: []byte(got)})
			if got != want && !*update {
				t.Errorf("%s: In[%d]\n%s\n--- want\n%s--- got\n%s", file, number, src, want, got)
			}
		}
		k.Close()
		if *update {
			testfile.Write(t, file, txtar.Format(out))
		}
	}
	t.Logf("%d cells in %d sessions", n, len(files))
}

func mimeTypes(d display.Data) []string {
	var list []string
	for m := range d.Data {
		if m != "text/plain" {
			list = append(list, m)
		}
	}
	return list
}

// TestCellsDebugged runs the sessions of TestCells with a breakpoint on every line. At each breakpoint it reads
// the stack and all variables, and then continues. The cells' output must not change.
func TestCellsDebugged(t *testing.T) {
	patience.SkipShort(t, "it runs all cells of TestCells once more, in the debugger")
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if patience.LeftOut(file) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			debugArchive(t, file)
		})
	}
}

func debugArchive(t *testing.T, file string) {
	if patience.RaceDetector && strings.HasSuffix(file, "stop.txtar") {
		t.Skip("the stop flag is read without a lock on purpose")
	}
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	k := open(t)
	defer k.Close()
	events := make(chan engine.DebugEvent, 1<<20)
	d := k.session.Attach(func(e engine.DebugEvent) { events <- e })
	defer close(events)
	defer d.Detach()
	var stops, inCell atomic.Int64
	const enough = 200
	var mu sync.Mutex
	var before []string
	sources := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(before)
	}
	go func() {
		for e := range events {
			if e.Reason == "continued" || e.Reason == "ended" {
				continue
			}
			if stops.Add(1); inCell.Add(1) == enough { // the cell may be an endless recursion, for example
				for _, src := range sources() {
					d.SetBreakpoints(src, nil)
				}
			}
			frames, err := d.Stack(e.Goroutine)
			if err == nil {
				for _, f := range frames[:min(len(frames), 3)] {
					if f.ID != 0 {
						d.Locals(f.ID)
					}
				}
			}
			d.Continue(0, engine.NoStep)
		}
	}()
	number := 0
	for i, f := range a.Files {
		if f.Name != "in" {
			continue
		}
		number++
		src := strings.TrimSuffix(string(f.Data), "\n")
		want := ""
		if i+1 < len(a.Files) && a.Files[i+1].Name == "out" {
			want = string(a.Files[i+1].Data)
		}
		var timeout time.Duration
		isDeadlock := strings.Contains(want, "deadlock") // this test's own goroutine might resolve the deadlock
		if isDeadlock || strings.Contains(src, "//stop") {
			timeout = 300 * time.Millisecond
		}
		if patience.RaceDetector && strings.Contains(src, "//deep") {
			continue
		}
		var list []engine.Breakpoint
		for line := range strings.Count(src, "\n") + 1 {
			list = append(list, engine.Breakpoint{Line: line + 1})
		}
		mu.Lock()
		before = append(before, src)
		mu.Unlock()
		c := engine.Cell{Name: fmt.Sprintf("In[%d]", number), Source: src}
		fault := func(got string) string {
			if got != want && !isDeadlock {
				return fmt.Sprintf("%s: In[%d]\n%s\n--- want\n%s--- got\n%s", file, number, src, want, got)
			}
			return ""
		}
		try := func() string {
			inCell.Store(0)
			d.SetBreakpoints(src, list)
			return fault(runCell(k, c, timeout))
		}
		if timeout > 0 {
			patience.Try(t, try) // on a stalled machine the cell may end late; see runStopped
		} else if text := try(); text != "" {
			t.Error(text)
		}
	}
	t.Logf("%d cells, %d stops", number, stops.Load())
}
