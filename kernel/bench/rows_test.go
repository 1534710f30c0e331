package main

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"testing"

	patient "overcomplete/internal/patience"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/bench/programs"
	"overcomplete/ui/display"
)

// small returns a size at which a program takes a few milliseconds in a cell.
func small(p program) int {
	if p.n < 50 { // the size is a depth: decreasing it by 1 halves the work
		return max(p.quick-8, 4)
	}
	return p.quick/10 + 10
}

// printed collects the text that a cell prints.
type printed struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *printed) Stream(_, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.WriteString(text)
}
func (p *printed) Display(display.Data, bool) {}
func (p *printed) Result(display.Data)        {}
func (p *printed) Clear(bool)                 {}

// TestCells: each program prints the same text in a cell as in compiled Go, in the first turn and in later
// turns.
func TestCells(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all programs in cells")
	}
	for _, p := range rows {
		t.Run(p.name, func(t *testing.T) {
			n := small(p)
			text, err := programs.Go(p.source, n, p.atCell)
			if err != nil {
				t.Fatal(err)
			}
			k, err := kernel.New(kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer k.Close()
			want := programs.Compiled[p.source](n) + "\n"
			for i, src := range []string{"import \"fmt\"\n" + text.Declare + "\n" + text.Run, text.Run} {
				var out printed
				if err := k.Execute(context.Background(), engine.Cell{Name: p.name, Source: src}, &out); err != nil {
					t.Fatalf("cell %d: %v\n%s", i, err, src)
				}
				if got := out.text.String(); got != want {
					t.Errorf("cell %d prints %q, compiled Go %q", i, got, want)
				}
			}
		})
	}
}

// TestPython: each program prints the same text in CPython as in compiled Go.
func TestPython(t *testing.T) {
	patient.SkipShort(t, "it runs each program in CPython")
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	for _, p := range rows {
		if !p.pythonPeer() || patient.LeftOut(p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			n := small(p)
			c, err := newPython(interpreter, p, n)
			if err != nil {
				t.Fatal(err)
			}
			defer c.close()
			for range 2 {
				got, ms, err := c.turn()
				if err != nil {
					t.Fatal(err)
				}
				if want := programs.Compiled[p.source](n); !close9(got, want) {
					t.Errorf("CPython shows %s, compiled Go %s", got, want)
				}
				if ms < 0 {
					t.Errorf("it took %g ms", ms)
				}
			}
		})
	}
}

// TestRows: names are unique, and the size with -quick is smaller.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range rows {
		if seen[p.name] {
			t.Errorf("two rows are called %q", p.name)
		}
		seen[p.name] = true
		if p.quick >= p.n {
			t.Errorf("%s: the quick size %d is not below %d", p.name, p.quick, p.n)
		}
	}
	for name := range programs.Compiled {
		used := false
		for _, p := range rows {
			used = used || p.source == name
		}
		if !used {
			t.Errorf("no row runs %s", name)
		}
	}
}
