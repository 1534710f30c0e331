package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
	Check(nil)
}

// An experiment uses the context of the cell that calls it, unless SetContext has set another context.
func TestContext(t *testing.T) {
	heeds := func(l Lab) (err error) {
		defer func() { err, _ = recover().(error) }()
		l.Heed()
		return nil
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
