package kernel

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

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
	d := k.session.(engine.Debugger).Attach(func(e engine.DebugEvent) { events <- e })
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
