package suite

import (
	"path/filepath"
	"testing"

	"overcomplete/kernel/headless"
)

// New parameters replace the parameters of the recorded run.
func TestPlanInjected(t *testing.T) {
	s := newSession(t, paramCell, openCell, "lab.Table1()", "x := 1")
	s.set = []headless.Assignment{{Name: "size", Text: "smoke"}}
	s.ran(t, "at first", "table1")
	recorded := book(paramCell, "size = \"full\"", openCell, "lab.Table1()", "x := 1")
	recorded.Cells[1].SetTags(tagInjected)
	recorded.Cells[1].ID = "injected"
	for i, id := range []string{"cb", "cc", "cd"} { // the cell ids in the session
		recorded.Cells[i+2].ID = id
	}
	p, err := openToy(s.root, s.cache).Plan(recorded, "toy", s.set, Options{})
	if err != nil || p.Steps[2].Action != Keep {
		t.Fatalf("%+v, %v", p, err)
	}
	path := filepath.Join(t.TempDir(), "toy.ipynb")
	if err := recorded.Write(path); err != nil {
		t.Fatal(err)
	}
	e, err := openToy(s.root, s.cache).Expect(path, s.set, Options{})
	// The three plain cells run, 1.5 s each.
	if err != nil || e.Kept != 1 || e.Run != 0 || e.Seconds() != 4.5 || !e.Known {
		t.Errorf("%+v, %v", e, err)
	}
}
