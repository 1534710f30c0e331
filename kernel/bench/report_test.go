package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMet(t *testing.T) {
	for _, c := range []struct {
		goal goal
		r    Result
		want string
	}{
		{goal{}, Result{Cell: 1}, ""},
		{numeric, Result{Cell: 4, Go: 1}, "yes"},
		{numeric, Result{Cell: 9, Go: 1}, "no, ≤ 10 ×"},
		{numeric, Result{Cell: 11, Go: 1}, "**no**"},
		{numeric, Result{Go: 1}, "**no**"}, // the cell failed
		{likePython, Result{Cell: 2, Python: 2}, "yes"},
		{likePython, Result{Cell: 2.1, Python: 2}, "**no**"},
		{likePython, Result{Cell: 2.1, Python: 2, Go: 2.1}, "**no**, nor does compiled Go"},
		{likePython, Result{Cell: 2}, "not measured"},
		{twicePython, Result{Cell: 4, Python: 2}, "yes"},
		{twicePython, Result{Cell: 4.1, Python: 2, Go: 2.1}, "**no**"},
		{twicePython, Result{Cell: 4.1, Python: 2, Go: 4.1}, "**no**, nor does compiled Go"},
		{goal{most: 30}, Result{Cell: 29}, "yes"},
		{goal{most: 30}, Result{Cell: 31}, "**no**"},
		{noWorse, Result{Cell: 1.1, Before: 1}, "yes"},
		{noWorse, Result{Cell: 1.3, Before: 1}, "**no**"},
		{noWorse, Result{Cell: 1}, "not measured"},
	} {
		if got := c.goal.met(c.r); got != c.want {
			t.Errorf("%v with %+v: %q, should be %q", c.goal, c.r, got, c.want)
		}
	}
}

// TestRemember: times of an earlier run are scaled by a peer that both runs have. Memory is not scaled, and
// figures of another size are ignored.
func TestRemember(t *testing.T) {
	now := []Result{
		{Name: "go", Unit: "ms", Cell: 1, Go: 4, Python: 9},
		{Name: "python", Unit: "ms", Cell: 1, Python: 1},
		{Name: "memory", Unit: "MB", Cell: 1, Python: 7},
		{Name: "measured", Unit: "ms", Before: 5, Go: 1},
		{Name: "size", Unit: "ms", Size: 2, Go: 1},
		{Name: "new", Unit: "ms", Go: 1},
		{Name: "interrupt", Unit: "ms", Cell: 26, goal: goal{most: 30}},
	}
	remember(now, []Result{
		{Name: "go", Cell: 10, Go: 2, Python: 1},
		{Name: "python", Cell: 10, Python: 2},
		{Name: "memory", Cell: 30, Python: 1},
		{Name: "measured", Cell: 10, Go: 1},
		{Name: "size", Size: 1, Cell: 10, Go: 1},
		{Name: "interrupt", Cell: 25},
	})
	for i, want := range []float64{20, 5, 30, 5, 0, 0, 25} {
		if now[i].Before != want {
			t.Errorf("%s: before %v, should be %v", now[i].Name, now[i].Before, want)
		}
	}
}

// TestReport: the tables contain the figures, or an empty field for a missing figure, and the faults are
// listed.
func TestReport(t *testing.T) {
	r := &Results{Command: "bench", Before: "a file", Quick: true, Missing: []string{"GoNB: not here"},
		Programs: []Result{
			{Name: "sum", Unit: "ms", Size: 10, Cell: 8, CellFirst: 10, Python: 16, Go: 2, goal: numeric},
			{Name: "fib", Unit: "ms", Python: 16, Go: 2, goal: likePython, Fault: "the cell shows 1, compiled Go 2"},
		},
		Others: []Result{{Name: "an empty cell", Unit: "ms", Cell: 0.5, Before: 0.25, goal: noWorse}},
	}
	var b strings.Builder
	r.report(&b)
	for _, want := range []string{
		"| sum | 10 | 8.00 (10.0) | 16.0 | 2.00 |  | 4 | 2 |  |  | ≤ 4 × Go | yes |",
		"| fib | 0 |  | 16.0 | 2.00 |  |  |  |  |  | ≤ CPython | **no** |",
		"| an empty cell | ms | 0.500 |  |  |  |  | 0.250 | 0.5 | no worse | **no** |",
		"* fib: the cell shows 1, compiled Go 2",
		"* left out: GoNB: not here",
		"1 of 1 numeric rows take at most 4 times", "Quick",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if r.fault() == nil {
		t.Error("a wrong answer is no error")
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "", 0.1234: "0.123", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 12345: "12345"} {
		if got := number(x); got != want {
			t.Errorf("number(%v) = %q, should be %q", x, got, want)
		}
	}
}

// TestBaseline: baseline.json can be read and has all programs, in their current sizes.
func TestBaseline(t *testing.T) {
	then, err := readResults("baseline.json")
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, r := range then.Programs {
		sizes[r.Name] = r.Size
	}
	for _, p := range rows {
		if sizes[p.name] != p.n {
			t.Errorf("baseline.json has %q at size %d, should be %d: measure it again with -kernel and -json", p.name, sizes[p.name], p.n)
		}
	}
}

// TestFindNothing: without a kernel nothing can be measured, and the message says what to do. Missing peers are
// listed.
func TestFindNothing(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	if _, err := findKinds(missing, "", missing); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("without a kernel: %v", err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	k, err := findKinds(program, "", missing)
	if err != nil {
		t.Fatal(err)
	}
	if k.python != "" || k.gonb != nil || len(k.missing) != 2 {
		t.Errorf("without peers: %+v", k)
	}
}
