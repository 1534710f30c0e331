package lineage

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

func TestNeeds(t *testing.T) {
	for _, test := range []struct {
		name  string
		cells []string // the last one is run
		want  []int
	}{
		{"nothing", []string{"a := 1", "2"}, []int{}},
		{"a chain", []string{"a := 1", "b := a", "c := 2", "b"}, []int{0, 1}},
		{"the last declaration", []string{"a := 1", "a := 2", "a"}, []int{1}},
		{"assignments", []string{"a := 1", "a = 2", "b := 3", "b = a", "a"}, []int{0, 1}},
		{"what an assignment uses", []string{"a := 1", "b := 2", "a[b] = 2", "a"}, []int{0, 1, 2}},
		{"a package", []string{`import "fmt"`, `import "math"`, "fmt.Println()"}, []int{0}},
		{"a package whose names are unknown", []string{`import . "fmt"`, `import _ "math"`, "x := 1", "Println()"}, []int{0, 1}},
		{"what a function reads when it is called", []string{"n := 1", "func f() int { return n }", "n = 2", "f()"}, []int{0, 1, 2}},
		{"methods", []string{"type T int", "func g() {}", "func (t T) M() { g() }", "T(1).M()"}, []int{0, 1, 2}},
		{"below", []string{"a", "a := 1"}, []int{}},
		{"its own name", []string{"a := 1", "a := 2\na"}, []int{}},
		{"no Go", []string{"a := 1", "((", "a"}, []int{0}},
	} {
		if got := needs(test.cells, len(test.cells)-1); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// needs calls Needs with the cells of the given sources. It passes nil for a source that is not Go.
func needs(sources []string, at int) []int {
	cells := make([]*Cell, len(sources))
	for i, s := range sources {
		cells[i], _ = Read(s)
	}
	return Needs(cells, at)
}

// The first check of each notebook needs at most fifteen cells, so an exercise class does not wait for the
// experiments of the lecture. These cells declare every name that they use.
func TestNeedsOfChecks(t *testing.T) {
	const most = 15
	paths, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatal("no notebooks", err)
	}
	for _, path := range paths {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		var cells []*Cell
		checks := 0
		for _, c := range nb.Cells {
			if c.Type != notebook.Code || c.Tagged("solution") {
				continue
			}
			cell, err := Read(c.Source)
			if err != nil {
				t.Fatalf("%s: %s: %v", path, c.ID, err)
			}
			cells = append(cells, cell)
			if !strings.HasPrefix(c.Source, "check.Exercise(") {
				continue
			}
			list := Needs(cells, len(cells)-1)
			checks++
			t.Logf("%s: %s: %d of %d cells", filepath.Base(path), c.ID, len(list)+1, len(cells))
			if checks == 1 && len(list)+1 > most {
				t.Errorf("%s: %s needs %d cells, want at most %d", path, c.ID, len(list)+1, most)
			}
			var alone []*Cell
			for _, i := range append(list, len(cells)-1) {
				alone = append(alone, cells[i])
			}
			for _, m := range Check(alone, "display", "Display") {
				t.Errorf("%s: %s: without the other cells, %s is undefined", path, c.ID, m.Name)
			}
		}
		if checks == 0 {
			t.Errorf("%s has no check", path)
		}
	}
}
