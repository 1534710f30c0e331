//go:build !js

package ixengine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/insight"
	"overcomplete/kernel/internal/randprog"
)

var concurrentPrograms = flag.Int("concurrent", patience.Rounds(100), "how many random programs with goroutines are compared with compiled Go")

// concurrentBatch is the number of programs compiled at once and run in one process.
const concurrentBatch = 25

// TestRandomConcurrent compares the results of random programs, whose goroutines cooperate, with the results of
// compiled Go. Each program runs in one layout and at one level, several times in its session. Half of the
// programs are interrupted. Meanwhile other goroutines query the session. The programs run in separate
// processes, because some faults end the process.
func TestRandomConcurrent(t *testing.T) {
	patience.SkipShort(t, "it compiles random programs")
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: there is nothing to compare random programs with")
	}
	if os.Getenv(aloneVariable) != "" {
		concurrentOnes(t, *randomSeed, *concurrentPrograms)
		return
	}
	n := *concurrentPrograms
	if testing.Short() || raceEnabled {
		n = min(n, 20)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for from := 0; from < n; from += concurrentBatch {
		first, batch := *randomSeed+uint64(from), min(concurrentBatch, n-from)
		cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestRandomConcurrent$", "-test.timeout=0",
			fmt.Sprint("-concurrent=", batch), fmt.Sprint("-seed=", first))
		cmd.Env = append(os.Environ(), aloneVariable+"=1", "GOGC=400")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("seeds from %d, of which the last that is named here is the one: %v\n%s", first, err, out)
			if failed++; failed == 5 {
				t.Fatal("more may fail; these are enough")
			}
			continue
		}
		t.Logf("seeds %d to %d: done", first, first+uint64(batch)-1)
	}
}

// concurrentOnes compares n programs in this process. It prints each program's seed before running the
// program.
func concurrentOnes(t *testing.T, first uint64, n int) {
	var sources []string
	for i := range n {
		sources = append(sources, randprog.NewConcurrent(first+uint64(i)).Source)
	}
	want, err := randprog.Compiled(sources)
	if e := (*randprog.ProgramError)(nil); errors.As(err, &e) {
		t.Fatalf("seed %d: %v", first+uint64(e.Index), err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, src := range sources {
		seed := first + uint64(i)
		layouts, levels := uint64(len(randprog.Layouts)), uint64(len(Levels))
		c := concurrentRun{source: src, want: want[i], seed: seed, layout: randprog.Layouts[seed%layouts], level: Levels[seed/layouts%levels]}
		fmt.Fprintf(os.Stderr, "seed %d, %s, %s\n", seed, c.level.Name, c.layout)
		if fault := c.fault(t); fault != "" {
			t.Errorf("seed %d, %s, %s: %s", seed, c.level.Name, c.layout, c.smaller(t, fault))
		}
	}
}

// A concurrentRun is a program that runs repeatedly in one session.
type concurrentRun struct {
	source, want string
	seed         uint64
	level        Level
	layout       randprog.Layout

	s   *Session
	out *turnedOutput
}

// A turnedOutput holds the output since the last call of take.
type turnedOutput struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *turnedOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *turnedOutput) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.text.Reset()
	return o.text.String()
}

// fault returns a description of what goes wrong, or "".
func (c *concurrentRun) fault(t *testing.T) string {
	defer c.level.Force()()
	c.out = &turnedOutput{}
	var late []string
	var mu sync.Mutex
	c.s = fresh(t, Options{Stdout: c.out, Stderr: c.out, MemoryLimit: cellMemory, Background: func(_ string, e *engine.Error) {
		mu.Lock()
		defer mu.Unlock()
		late = append(late, e.Error())
	}})
	defer lookOn(c.s)()
	r := rand.New(rand.NewPCG(c.seed, 22))
	cells := randprog.Cells(c.source, c.layout)
	var took time.Duration
	for time_ := range 3 {
		from := time.Now()
		for _, src := range cells {
			if err := c.run(patience.Long, src); err != nil {
				return fmt.Sprintf("the %d. time: %v", time_+1, err)
			}
		}
		took = time.Since(from)
		if got := c.out.take(); got != c.want {
			return fmt.Sprintf("the %d. time:\n%s", time_+1, firstDifference(c.want, got))
		}
		if c.layout != randprog.Statements && time_ == 0 {
			cells = []string{"Run()"}
		}
	}
	if c.seed%2 == 0 {
		for range 3 {
			if fault := c.interrupt(cells, time.Duration(r.Int64N(int64(took)+1))); fault != "" {
				return fault
			}
		}
	}
	c.s.StopGoroutines()
	if !patience.Wait(func() bool { return len(c.s.Goroutines()) == 0 }) {
		return fmt.Sprintf("goroutines are left: %+v", c.s.Goroutines())
	}
	mu.Lock()
	defer mu.Unlock()
	return strings.Join(late, "\n")
}

// run runs a cell, which must end within the given time.
func (c *concurrentRun) run(within time.Duration, src string) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	_, err := c.s.Run(ctx, engine.Cell{Name: "c", Source: src})
	return err
}

// interrupt runs cells and interrupts them after the given time. What they have printed must be a prefix of
// the expected output, except for the last line, and the session must still answer.
func (c *concurrentRun) interrupt(cells []string, after time.Duration) string {
	ctx, cancel := context.WithCancel(context.Background())
	defer time.AfterFunc(after, cancel).Stop()
	defer cancel()
	for _, src := range cells {
		_, err := c.s.Run(ctx, engine.Cell{Name: "c", Source: src})
		if e := (*engine.Error)(nil); errors.As(err, &e) && e.Kind == engine.Interrupted {
			break
		} else if err != nil {
			return fmt.Sprintf("interrupted after %v: %v", after, err)
		}
	}
	// The last line may come from deferred functions of goroutines that were stopped earlier.
	got := c.out.take()
	if most := strings.LastIndexByte(strings.TrimSuffix(got, "\n"), '\n') + 1; !strings.HasPrefix(c.want, got[:most]) {
		return fmt.Sprintf("interrupted after %v:\n%s", after, firstDifference(c.want, got))
	}
	if err := c.run(patience.Long, `fmt.Println("answer", 1+1)`); err != nil {
		return fmt.Sprintf("after an interrupt after %v: %v", after, err)
	}
	if got = c.out.take(); got != "answer 2\n" {
		return fmt.Sprintf("after an interrupt after %v 1+1 is %q", after, got)
	}
	return ""
}

// lookOn starts a goroutine that keeps asking the session about names and activity, as front ends do while
// cells run. The function stop ends the goroutine.
func lookOn(s *Session) (stop func()) {
	in := insight.New()
	in.Attach(s)
	done := make(chan struct{})
	var askers sync.WaitGroup
	ask := func(what func()) {
		askers.Go(func() {
			for {
				what()
				select {
				case <-done:
					return
				case <-time.After(5 * time.Millisecond):
				}
			}
		})
	}
	ask(func() {
		for _, v := range s.Names().Variables {
			s.Peek(v.Name, func(pointer any) { _ = fmt.Sprintf("%T", pointer) })
			s.TypesOf(v.Name)
		}
	})
	ask(func() { s.Goroutines(); s.Context(); s.Loaded() })
	ask(func() {
		_, _ = in.Complete(context.Background(), "x := F", 6)
		_, _, _ = in.Inspect(context.Background(), "F1(3)", 2, 1)
	})
	return func() { close(done); askers.Wait() }
}

// smaller describes the fault, with the smallest program found that shows a fault.
func (c concurrentRun) smaller(t *testing.T, fault string) string {
	from := time.Now()
	small := randprog.NewChecker().Shrink(c.source, 200, func(src string) bool {
		if !strings.Contains(src, "func Run()") || time.Since(from) > shrinkTime {
			return false
		}
		want, err := randprog.Compiled([]string{src})
		if err != nil {
			return false
		}
		d := c
		d.source, d.want = src, want[0]
		f := d.fault(t)
		if f != "" {
			fault = f
		}
		return f != ""
	})
	return fault + "\nby\n" + small
}
