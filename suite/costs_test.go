package suite

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/headless"
)

// The costs of cells are kept with their results and in the list of times. If a run uses kept results or
// leaves out cells, their costs remain in the list.
func TestTimes(t *testing.T) {
	s := newSession(t, paramCell, openCell, "lab.Table1()", "lab.Table2()", "x := 1")
	s.opt.Reference = 0.5
	s.ran(t, "at first", "table1", "table2")
	times := func() *Times {
		t.Helper()
		x, err := OpenIn(s.root, s.cache).Times("toy", "lecture")
		if err != nil || x == nil {
			t.Fatalf("%v, %v", x, err)
		}
		return x
	}
	x := times()
	// Five cells with an elapsed time of 1.5 s each, and a processor time of 2 s each, which is 4 products.
	if seconds, processor, multiple := x.Sum(); len(x.Cells) != 5 || seconds != 7.5 || processor != 10 || multiple != 20 || x.Earlier() != 0 {
		t.Errorf("%+v", x)
	}
	if c, ok := x.Cell("cc"); !ok || c.Target != "toy-table1" || c.Earlier || c.Processor != 2 {
		t.Errorf("%+v, %v", c, ok)
	}

	s.opt.Reference = 0.25
	s.ran(t, "again")
	x = times()
	if _, processor, multiple := x.Sum(); len(x.Cells) != 5 || processor != 10 || multiple != 3*8+2*4 || x.Earlier() != 2 {
		t.Errorf("the kept ones: %+v", x)
	}

	s.opt.Only, s.opt.Fresh = []string{"toy-table1"}, true
	s.ran(t, "one alone", "table1")
	if x = times(); len(x.Cells) != 5 || x.Earlier() != 1 {
		t.Errorf("one alone: %+v", x)
	}

	// If the reference product was not measured, there is no multiple.
	s.opt.Reference = 0
	s.ran(t, "one alone, unmeasured", "table1")
	if _, _, multiple := times().Sum(); multiple != 0 {
		t.Errorf("multiple %v of what was not measured", multiple)
	}

	// Another seed may take a different time. Each size has its own times.
	s.opt = Options{}
	s.set = []headless.Assignment{{Name: "size", Text: "smoke"}, {Name: "seed", Text: "2"}}
	s.ran(t, "another seed", "table1", "table2")
	if x, err := OpenIn(s.root, s.cache).Times("toy", "smoke"); x != nil || err != nil {
		t.Errorf("%+v, %v", x, err)
	}
	s.set = s.set[:1]
	s.ran(t, "smoke", "table1", "table2")
	if x, err := OpenIn(s.root, s.cache).Times("toy", "smoke"); x == nil || x.Size != "smoke" || err != nil {
		t.Errorf("%+v, %v", x, err)
	}

	file := OpenIn(s.root, s.cache).store.times("toy", "smoke")
	if err := os.WriteFile(file, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenIn(s.root, s.cache).Times("toy", "smoke"); err == nil || !strings.Contains(err.Error(), "remove the file") {
		t.Errorf("%v", err)
	}
	s.ran(t, "over what is damaged")
	if x, err := OpenIn(s.root, s.cache).Times("toy", "smoke"); err != nil || len(x.Cells) != 5 {
		t.Errorf("%+v, %v", x, err)
	}
}

// A run that is stopped or fails keeps the costs of the cells that ended before.
func TestTimesOfStopped(t *testing.T) {
	s := newSession(t, paramCell, openCell, "lab.Table1()", "lab.Table2()")
	s.fail = map[string]bool{"lab.Table2()": true}
	s.run(t)
	x, err := OpenIn(s.root, s.cache).Times("toy", "lecture")
	if err != nil || x == nil {
		t.Fatal(x, err)
	}
	var cells []string
	for _, c := range x.Cells {
		cells = append(cells, c.Cell)
	}
	if !slices.Equal(cells, []string{"ca", "cb", "cc"}) {
		t.Errorf("%q", cells)
	}
}

func TestReference(t *testing.T) {
	a, b := Reference(), Reference()
	if a == 0 {
		t.Skip("this system does not tell the processor time of a process")
	}
	// The product has 0.27 billion multiplications. No processor computes them in a microsecond, and any processor
	// that can run the notebooks needs less than a minute.
	if a < 1e-6 || a > 60 {
		t.Errorf("%v s", a)
	}
	if r := a / b; math.Abs(math.Log2(r)) > 1 {
		t.Logf("two measurements differ by a factor of %.2f: something else uses the processor", r)
	}
}

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
