package stale

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A fake is a session whose variables have the values that comments in the cells give: // x=5
type fake struct {
	values map[string]string
	types  map[string][]string
}

func (f fake) TypesOf(v string) []string { return f.types[v] }

func (f fake) Value(v string) (string, bool) {
	text, ok := f.values[v]
	return text, ok
}

var sets = regexp.MustCompile(`(\w+)=(\w+)(:(\w+))?`)

// TestStories runs the stories in testdata/stories.txt. A line "ID> source" is a cell that runs (\n is a
// newline); a cell without an id is "> source". "-ID" deletes a cell. "!ID> source" is a cell that does not
// compile. "?" asks for the stale cells, and the indented lines below it are the expected answer. A comment
// at the end of a cell gives the variables' values after its run: // x=5, or // v=:T for a variable of type
// T.
func TestStories(t *testing.T) {
	const file = "testdata/stories.txt"
	raw := testfile.Read(t, file)
	var out strings.Builder
	tracker, session, n := &Tracker{}, fake{map[string]string{}, map[string][]string{}}, 0
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "    ") {
			continue
		}
		fmt.Fprintln(&out, line)
		id, source, isCell := strings.Cut(line, "> ")
		switch {
		case strings.HasPrefix(line, "#"):
			tracker, session, n = &Tracker{}, fake{map[string]string{}, map[string][]string{}}, 0
		case line == "?":
			for _, c := range tracker.Stale() {
				for _, r := range c.Reasons {
					fmt.Fprintf(&out, "    %s: %s: %s\n", c.Name, r.Kind, r)
				}
			}
		case isCell:
			n++
			_, comment, _ := strings.Cut(source, "// ")
			for _, m := range sets.FindAllStringSubmatch(comment, -1) {
				session.values[m[1]] = m[2]
				if m[4] != "" {
					delete(session.values, m[1])
					session.types[m[1]] = []string{m[4]}
				}
			}
			id, undone := strings.CutPrefix(id, "!")
			tracker.Ran(Run{ID: id, Name: fmt.Sprintf("In[%d]", n), Source: strings.ReplaceAll(source, `\n`, "\n"),
				At: time.Date(2026, 1, 2, 10, 0, n, 0, time.UTC), Undone: undone}, session)
			before := tracker.Stale()
			tracker.anew = true
			if again := tracker.Stale(); fmt.Sprint(before) != fmt.Sprint(again) {
				t.Errorf("%s: %v, and looked at anew %v", line, before, again)
			}
		case strings.HasPrefix(line, "-"):
			tracker.Deleted([]string{line[1:]})
		}
	}
	if *update {
		testfile.Write(t, file, out.String())
		return
	}
	if out.String() != string(raw) {
		t.Errorf("not as in %s (-update writes it anew):\n%s", file, out.String())
	}
}

// TestRunAll: a notebook that has run from top to bottom one or more times has no stale cell, whatever its
// content.
func TestRunAll(t *testing.T) {
	cells := []string{"x := 1", "func f() int { return x }", "y := f()\nerr := g()", "x = 2\nx++", "for i := range y { x += i }", "x, err := h()",
		"type T struct{}\nfunc (T) M() { x = 3 }", "v := T{}\nv.M()", "if err != nil { panic(err) }", "%params x=5", "func f() int { return 2 }", "f()", "x := fmt.Sprint(x)"}
	for _, ids := range []bool{true, false} {
		tracker, n := &Tracker{}, 0
		for range 3 {
			for i, c := range cells {
				id := ""
				if n++; ids {
					id = fmt.Sprint(i)
				}
				tracker.Ran(Run{ID: id, Name: fmt.Sprintf("In[%d]", n), Source: c, At: time.Now()}, fake{types: map[string][]string{"v": {"T"}}})
			}
			if !ids {
				break // two cells without ids that declare the same names count as one cell
			}
			// After a second run, only names that earlier cells have not set again can make a cell stale.
			for _, c := range tracker.Stale() {
				t.Errorf("%s %q is stale: %v", c.Name, c.Source, c.Reasons)
			}
		}
	}
}

// BenchmarkRan: with a million names and ten thousand cells, the time of Ran depends on the cell, not on the
// size of the session.
func BenchmarkRan(b *testing.B) {
	tracker := &Tracker{}
	for i := range b.N {
		tracker.Ran(Run{ID: fmt.Sprint(i), Name: "In[1]", Source: fmt.Sprintf("x%d := x%d + 1", i, max(0, i-1)), At: time.Time{}}, fake{})
		tracker.Stale()
	}
	if n := len(tracker.Stale()); n > 0 {
		b.Error(n, "stale cells")
	}
}

func TestTitle(t *testing.T) {
	for source, want := range map[string]string{"": "In[1]", "// a\n\n x := 1\ny": "In[1] x := 1", strings.Repeat("é", 50): "In[1] " + strings.Repeat("é", 40) + "…"} {
		if got := (Cell{Name: "In[1]", Source: source}).Title(); got != want {
			t.Errorf("%q: %q", source, got)
		}
	}
}

// FuzzTracker: no sequence of runs, edits and deletions of cells makes a Tracker panic or lose the order of
// cells.
func FuzzTracker(f *testing.F) {
	texts := []string{"x := 1", "x = 2", "y := x", "func f() { x++ }", "f()", "type T int", "func (t T) M() { f() }", "var t T\nt.M()", "fmt.Println(x, y, t)", "import \"fmt\"", "(", ""}
	f.Add([]byte("abcabdefgk"))
	f.Fuzz(func(t *testing.T, steps []byte) {
		tracker := &Tracker{}
		for n, s := range steps {
			id := fmt.Sprint(s >> 5)
			if id == "7" {
				id = ""
			}
			if s%31 == 30 {
				tracker.Deleted([]string{id, "?"})
				continue
			}
			tracker.Ran(Run{ID: id, Name: fmt.Sprintf("In[%d]", n), Source: texts[int(s&31)%len(texts)], Undone: s%29 == 0}, fake{types: map[string][]string{"t": {"T"}}})
			list := tracker.Stale()
			if !slices.IsSortedFunc(list, func(a, b Cell) int { return a.at - b.at }) {
				t.Error("not in order")
			}
			tracker.anew = true
			if again := tracker.Stale(); fmt.Sprint(again) != fmt.Sprint(list) {
				t.Errorf("%v, and looked at anew %v", list, again)
			}
			for _, c := range list {
				if len(c.Reasons) == 0 {
					t.Error("stale without a reason")
				}
			}
		}
	})
}

// TestNotebooks: after one or more runs from top to bottom, the project's notebooks have no stale cells.
// Running a cell that only shows a value makes no cell stale.
func TestNotebooks(t *testing.T) {
	files, err := filepath.Glob("../../../notebooks/*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		nb, err := notebook.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		tracker, n := &Tracker{}, 0
		run := func(c *notebook.Cell) {
			n++
			tracker.Ran(Run{ID: c.ID, Name: fmt.Sprintf("In[%d]", n), Source: c.Source, At: time.Now()}, fake{})
		}
		for range 2 {
			for _, c := range nb.Cells {
				if c.Type == notebook.Code {
					run(c)
				}
			}
			for _, c := range tracker.Stale() {
				t.Errorf("%s: %s is stale: %v", filepath.Base(file), c.Title(), c.Reasons)
			}
		}
		for _, c := range nb.Cells {
			if c.Type != notebook.Code || len(tracker.byID[c.ID].writes) > 0 {
				continue
			}
			run(c)
			for _, s := range tracker.Stale() {
				t.Errorf("%s: after %q alone %s is stale: %v", filepath.Base(file), c.Source, s.Title(), s.Reasons)
			}
		}
	}
}
