package lab

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/record"
	"overcomplete/ui/cell"
)

func TestLab(t *testing.T) {
	root := t.TempDir()
	run, err := record.StartIn(root, "test-paper", record.Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := Lab{Run: run}
	f := figure.New("A line", "x", "y").Lines("it", []float64{0, 1}, []float64{0, 1}).By("paper/lab, TestLab")
	l.Save("line", "A caption.", f)
	l.Row(record.Row{ID: "a", What: "a row", Measured: record.Number(1, ""), Rule: record.AtLeast(1), Data: record.Generated("one"), Figure: "line"})
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "figures", "run", "test-paper")
	b, err := os.ReadFile(filepath.Join(dir, record.FileName))
	if err != nil || !strings.Contains(string(b), "A caption. Made by paper/lab, TestLab.") {
		t.Errorf("%v\n%s", err, b)
	}
	if _, err := os.Stat(filepath.Join(dir, "line.png")); err != nil {
		t.Error(err)
	}

	bad := errors.New("bad")
	for name, call := range map[string]func(){
		"Check": func() { Check(bad) },
		"Row":   func() { l.Row(record.Row{}) },
	} {
		if panics.Value(call) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
	Check(nil)
}

// An experiment uses the context of the cell that calls it, unless SetContext has set another context.
func TestContext(t *testing.T) {
	heeds := func(l Lab) error {
		err, _ := panics.Value(l.Heed).(error)
		return err
	}
	var l Lab
	if l.Context() != context.Background() || heeds(l) != nil {
		t.Error("outside a notebook the context is not Background")
	}
	first, interrupt := context.WithCancel(context.Background())
	running := first
	previous := cell.SetContext(func() context.Context { return running })
	defer func() { cell.SetContext(previous) }()
	interrupt()
	if err := heeds(l); !errors.Is(err, context.Canceled) {
		t.Errorf("in a cell that was interrupted: %v", err)
	}
	running = context.Background() // the next cell
	if err := heeds(l); err != nil {
		t.Errorf("in the next cell: %v", err)
	}
	own, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	l.SetContext(own)
	if err := heeds(l); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the end of the context that was set: %v", err)
	}
	//lint:ignore SA1012 nil stands for the context of the cell
	if l.SetContext(nil); l.Context() != running {
		t.Error("SetContext(nil) does not give the cell's back")
	}
}

// On generated data a claim of the paper is not examined, but the measurement is kept.
func TestClaim(t *testing.T) {
	run, err := record.StartIn(t.TempDir(), "test-paper", record.Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	photographs := Lab{Run: run, About: "photographs", Instead: "drawings"}
	said, seven := record.Text("it is so", "page 1"), record.Number(7, "dB")
	for _, c := range []struct {
		lab       Lab
		data      record.Data
		published record.Value
		measured  record.Value
		verdict   record.Verdict
		reason    string
	}{
		{Lab{Run: run}, record.Real("all"), said, seven, record.Reproduced, "because"},
		{Lab{Run: run}, record.Generated("some"), record.Value{}, seven, record.Reproduced, "because"}, // a check of ours
		{Lab{Run: run}, record.Generated("some"), said, seven, record.Unknown, "the claim is about real data; on generated data: 7 dB"},
		{photographs, record.Generated("some"), said, seven, record.Unknown, "the claim is about photographs; on drawings: 7 dB"},
		{photographs, record.Generated("some"), said, record.Value{}, record.Unknown, "the claim is about photographs"},
	} {
		c.lab.Claim(record.Row{ID: "a", What: "a row", Published: c.published, Measured: c.measured, Rule: record.AtLeast(1), Reason: "because", Data: c.data})
		row, _ := run.Results().Row("a")
		if row.Verdict != c.verdict || row.Reason != c.reason || row.Measured.IsZero() != (c.verdict == record.Unknown) {
			t.Errorf("%+v: %s because %q, measured %v", c, row.Verdict, row.Reason, row.Measured)
		}
	}
}

func TestSource(t *testing.T) {
	slides := Source("the slide '%s'")
	if got := slides.Quote("a sentence", "100 %"); got != record.Text("a sentence", "the slide '100 %'") {
		t.Errorf("%+v", got)
	}
	if got := slides.Number(7, "dB", "Noise"); got != record.Published(7, "dB", "the slide 'Noise'") {
		t.Errorf("%+v", got)
	}
}

func TestPictures(t *testing.T) {
	X := mat.NewDense(2, 8, []float64{1, 3, 5, 7, 1, 3, 5, 7, 0, 0, 0, 4, 0, 0, 4, 0}) // 2 × 4
	if got := Shrink(X, 2, 4, 2); !mat.Equal(got, mat.NewDense(2, 2, []float64{2, 6, 0, 2})) {
		t.Errorf("got %v", mat.Formatted(got))
	}
	one := First(X, 1)
	if !mat.Equal(one, X.Slice(0, 1, 0, 8)) || !mat.Equal(First(X, 3), X) {
		t.Errorf("got %v", mat.Formatted(one))
	}
	one.Set(0, 0, 9)
	if X.At(0, 0) != 1 {
		t.Error("First is no copy")
	}
	if panics.Value(func() { Shrink(X, 2, 4, 3) }) == nil {
		t.Error("no panic for blocks that do not fit")
	}
}

func TestParallel(t *testing.T) {
	var calls atomic.Int64
	five := errors.New("five")
	got := catchPanic(func() {
		Parallel(t.Context(), 20, func(i int) {
			calls.Add(1)
			if i == 5 {
				Check(five)
			}
			if i > 5 {
				panic(i)
			}
		})
	})
	if got != five || calls.Load() != 20 {
		t.Errorf("%v after %d calls", got, calls.Load())
	}
	if got := catchPanic(func() { Parallel(t.Context(), 0, nil) }); got != nil {
		t.Error(got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	calls.Store(0)
	err, _ := catchPanic(func() {
		Parallel(ctx, 1000, func(i int) {
			calls.Add(1)
			cancel()
		})
	}).(error)
	if !errors.Is(err, context.Canceled) || calls.Load() == 1000 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}

// Clocks of browsers move in steps of 5 µs to 100 ms. The time of a short call must not become 0, which has no
// logarithm.
func TestSecondsOfCoarseClocks(t *testing.T) {
	for _, step := range []time.Duration{time.Nanosecond, 5 * time.Microsecond, time.Millisecond, 100 * time.Millisecond} {
		for _, call := range []time.Duration{time.Microsecond, 70 * time.Microsecond, 3 * time.Millisecond, 250 * time.Millisecond} {
			var passed time.Duration
			now := func() time.Time { return time.Unix(0, 0).Add(passed.Truncate(step)) }
			got := seconds(func() { passed += call }, now)
			// A series that lasts s is measured as s − step to s + step.
			slack := float64(max(step, 1)) / float64(max(step, time.Millisecond))
			if got <= 0 || math.Abs(got-call.Seconds()) > slack*max(got, call.Seconds()) {
				t.Errorf("a call of %v by a clock with steps of %v: %g s", call, step, got)
			}
		}
	}
}
