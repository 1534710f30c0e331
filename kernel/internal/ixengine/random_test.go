package ixengine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/randprog"
)

var (
	randomPrograms = flag.Int("programs", patience.Rounds(100), "how many random programs are compared with compiled Go")
	randomSeed     = flag.Uint64("seed", 1, "the first program's seed")
)

// shrinkTime is the time limit for shrinking a program that differs.
const shrinkTime = 90 * time.Second

// cellMemory is the number of bytes that a random program may use in cells. processMemory is the number of
// bytes that the test's process may get from the system, including garbage, which may be as large as the
// memory in use. Only a bug of the engine reaches this limit.
const (
	cellMemory    = 1 << 30
	processMemory = 4 << 30
)

// randomBatch is the number of programs that are compiled at once and run in one process.
const randomBatch = 100

// TestRandomPrograms compares random programs with compiled Go, at every level: a third of them as one cell,
// a third as two cells, a third statement by statement. A program that differs is shrunk.
func TestRandomPrograms(t *testing.T) {
	patience.SkipShort(t, "it compiles random programs")
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: there is nothing to compare random programs with")
	}
	n := *randomPrograms
	if testing.Short() {
		n = min(n, 20)
	}
	if n > randomBatch {
		randomProcesses(t, n)
		return
	}
	if !alone(t) {
		return
	}
	var running atomic.Uint64 // seed of the running program
	defer watchProcess(func(held uint64) {
		fmt.Fprintf(os.Stderr, "seed %d: the process holds %s, more than %s\n", running.Load(), gib(float64(held)), gib(processMemory))
		os.Exit(1)
	})()
	var programs []randprog.Program
	var sources []string
	for i := range n {
		p := randomProgram(*randomSeed + uint64(i))
		programs, sources = append(programs, p), append(sources, p.Source)
	}
	want, err := randprog.Compiled(sources)
	if e := (*randprog.ProgramError)(nil); errors.As(err, &e) {
		t.Fatalf("seed %d: %v", programs[e.Index].Seed, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for i, p := range programs {
		running.Store(p.Seed)
		layout := randprog.Layouts[p.Seed%uint64(len(randprog.Layouts))]
		if f := differs(t, p.Source, layout, want[i]); f != nil {
			t.Errorf("seed %d, %s", p.Seed, f.smaller(t, p.Source))
			if failed++; failed == 5 {
				t.Fatal("more may differ; these are enough")
			}
		}
	}
}

// randomProcesses runs each batch of programs in a process of its own: the functions in method tables are
// never freed, so the types of a session stay in memory, some megabytes per program.
func randomProcesses(t *testing.T, n int) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for from := 0; from < n; from += randomBatch {
		first, batch := *randomSeed+uint64(from), min(randomBatch, n-from)
		cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestRandomPrograms$", "-test.timeout=0",
			fmt.Sprint("-programs=", batch), fmt.Sprint("-seed=", first))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("seeds from %d: %v\n%s", first, err, out)
			if failed++; failed == 5 {
				t.Fatal("more may fail; these are enough")
			}
			continue
		}
		t.Logf("seeds %d to %d: done", first, first+uint64(batch)-1)
	}
}

// watchProcess starts a watch of the process's memory. Whenever the process has got more than processMemory
// bytes from the system, the watch calls exceeded. The function stop ends the watch.
func watchProcess(exceeded func(held uint64)) (stop func()) {
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			metrics.Read(held)
			if now := held[0].Value.Uint64() - held[1].Value.Uint64(); now > processMemory {
				exceeded(now)
			}
		}
	}()
	return func() { close(done) }
}

func randomProgram(seed uint64) randprog.Program {
	return randprog.New(seed, randprog.Options{NoFuse: runtime.GOARCH != "amd64"})
}

// A difference is a level and a layout with which a program's output differs from the expected output.
type difference struct {
	level     Level
	layout    randprog.Layout
	got, want string
}

// differs returns the first difference from the output of compiled Go, or nil.
func differs(t *testing.T, src string, layout randprog.Layout, want string) *difference {
	cells := randprog.Cells(src, layout)
	for _, l := range Levels {
		if got := printedBy(t, l, cells); got != want {
			return &difference{l, layout, got, want}
		}
	}
	return nil
}

// printedBy runs cells in a new session up to the first cell that fails, and returns their output.
func printedBy(t *testing.T, l Level, cells []string) string {
	return printedWithin(t, l, cells, cellMemory)
}

// printedWithin is like printedBy, with another memory limit.
func printedWithin(t *testing.T, l Level, cells []string, limit int64) string {
	var out randprog.Output
	defer l.Force()()
	s := fresh(t, Options{Stdout: &out, Stderr: &out, MemoryLimit: limit})
	ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
	defer cancel()
	for _, src := range cells {
		_, err := s.Run(ctx, engine.Cell{Name: "c", Source: src})
		var e *engine.Error
		switch {
		case errors.As(err, &e):
			fmt.Fprintf(&out, "panics: %s\n", e.Message)
		case err != nil:
			fmt.Fprintf(&out, "fails: %v\n", err)
		}
		if err != nil {
			break
		}
	}
	return out.String()
}

// smaller describes the difference by the smallest program that shows it.
func (d *difference) smaller(t *testing.T, src string) string {
	check := randprog.NewChecker()
	why := firstDifference(d.want, d.got)
	oracle := func(src string) (string, bool) {
		out, err := randprog.Compiled([]string{src})
		if err != nil {
			return "", false
		}
		return out[0], true
	}
	tries := 30 // each try compiles the program, which takes a second
	for _, layout := range randprog.Layouts {
		// The interpreter with the other layout is a faster reference, if its output is right.
		if printedBy(t, Levels[0], randprog.Cells(src, layout)) == d.want {
			tries = 2000
			oracle = func(src string) (string, bool) { return printedBy(t, Levels[0], randprog.Cells(src, layout)), true }
			break
		}
	}
	from := time.Now()
	small := check.Shrink(src, tries, func(src string) bool {
		if !strings.Contains(src, "func Run()") || time.Since(from) > shrinkTime {
			return false
		}
		want, ok := oracle(src)
		return ok && printedBy(t, d.level, randprog.Cells(src, d.layout)) != want
	})
	if want, ok := oracle(small); ok {
		why = firstDifference(want, printedBy(t, d.level, randprog.Cells(small, d.layout)))
	}
	return d.level.Name + ", " + d.layout.String() + ":\n" + why + "\nby\n" + small
}

// firstDifference returns the first lines that differ.
func firstDifference(want, got string) string {
	ws, gs := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	for i, w := range ws {
		if i == len(gs) || gs[i] != w {
			g := "nothing\n"
			if i < len(gs) {
				g = gs[i]
			}
			return "compiled: " + w + "cells:    " + g
		}
	}
	return "cells print more: " + gs[len(ws)-1]
}

// TestRandomExplodes: a program that grows without limit is stopped with a message, at every level.
func TestRandomExplodes(t *testing.T) {
	patience.SkipShort(t, "it fills the memory that cells may have")
	if !alone(t) {
		return
	}
	for _, l := range Levels {
		for _, c := range []struct{ body, want string }{
			{`s := "x"; for { s += s }`, "the longer string needs 512 MiB"},
			{`s := "x"; s += "y"; kept := []string{}; for { kept = append(kept, s[:1] + strings.Repeat("y", 1<<16)) }`, outOfMemory},
			{"var kept [][]byte; for { kept = append(kept, make([]byte, 1<<16)) }", outOfMemory},
		} {
			runtime.GC()
			limit := used() + 500<<20
			src := "package main\nimport \"strings\"\nvar _ = strings.Repeat\nfunc Run() { " + c.body + " }"
			if got := printedWithin(t, l, randprog.Cells(src, randprog.TwoCells), limit); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s prints %q", l.Name, c.body, got)
			}
		}
	}
}
