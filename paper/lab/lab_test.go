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

// An experiment belongs to the cell that calls it, and to the context that was set before
// that of any cell.
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
