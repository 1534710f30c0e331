package regress

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// run makes a run with one number, one time, and a figure for each.
func run(t *testing.T, x, seconds float64, points []float64) string {
	t.Helper()
	r, err := record.StartIn(t.TempDir(), "toy", record.Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	index := make([]float64, len(points))
	for i := range index {
		index[i] = float64(i)
	}
	for _, name := range []string{"curve", "cost"} {
		y := points
		if name == "cost" {
			y = []float64{seconds, 2 * seconds}
		}
		f := figure.New("A figure", "x", "y").Lines("series", index[:len(y)], y)
		if err := f.Save(r.Figure(name, name)); err != nil {
			t.Fatal(err)
		}
	}
	r.Timed("cost")
	for _, row := range []record.Row{
		{ID: "number", What: "a number", Published: record.Published(1, "", "table 1"), Measured: record.Number(x, ""), Rule: record.Within(0.5), Repeat: 0.01,
			Data: record.Generated("x"), Figure: "curve", Reason: "why"},
		{ID: "seconds", What: "a time", Measured: record.Number(seconds, "s"), Rule: record.AtMost(1), Data: record.Times(record.Data{}), Figure: "cost"},
		{ID: "nothing", What: "a claim", Published: record.Text("so", "section 1"), Rule: record.NoData("the data is not public")},
	} {
		if err := r.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	return r.Dir()
}

func collect(t *testing.T, folder string) *Snapshot {
	t.Helper()
	e, err := Collect(folder)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestCompare(t *testing.T) {
	points := []float64{1, 2, 1, 3}
	first := run(t, 1, 0.1, points)
	want := collect(t, first)
	path := Path(t.TempDir(), "smoke", "toy")
	if err := want.Write(path); err != nil {
		t.Fatal(err)
	}
	back, err := Read(path)
	if err != nil || len(Compare(want, back)) > 0 || !reflect.DeepEqual(back.Figures, want.Figures) {
		t.Fatalf("%v\n%+v\n%+v", err, back, want)
	}
	if _, err := Read(Path(t.TempDir(), "smoke", "toy")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for _, c := range []struct {
		x, seconds float64
		points     []float64
		bad        []string // beginnings of the messages
		same       []string
	}{
		{1, 0.1, points, nil, nil},
		{1, 5, points, nil, nil}, // a changed time, with another verdict
		{1.005, 0.1, points, nil, []string{"row number is 1 in the first run, and 1.005"}},
		{1.2, 0.1, points, []string{"number: measured was 1, is 1.2 (tolerance 0.01)"}, []string{"row number"}},
		{3, 0.1, points, []string{"number: measured was 1, is 3", "number: verdict was REPRODUCED, is NOT REPRODUCED"}, []string{"row number"}},
		{1, 0.1, []float64{1, 2 * (1 + 1e-12), 1, 3}, nil, nil},
		{1, 0.1, []float64{1, 2, 3, 1}, []string{"figure curve: "}, []string{"curve."}},
	} {
		folder := run(t, c.x, c.seconds, c.points)
		checkBegins(t, c.x, Compare(collect(t, folder), back), c.bad)
		bad, err := Same(first, folder)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.same) > 0 || math.Abs(c.points[1]-2) == 0 {
			checkBegins(t, c.x, bad[:min(len(bad), len(c.same))], c.same)
			if len(c.same) == 0 && len(bad) > 0 {
				t.Errorf("%v: not the same: %q", c.x, bad)
			}
		}
	}
	moved := collect(t, run(t, 1, 0.1, []float64{1, 2, 3, 1}))
	for i := range moved.Results.Figures {
		moved.Results.Figures[i].Rounded = moved.Results.Figures[i].Name == "curve"
	}
	checkBegins(t, "a figure that rounding decides", Compare(moved, back), nil)
	less := collect(t, first)
	less.Results.Rows = less.Results.Rows[1:]
	less.Figures = nil
	checkBegins(t, 0, Compare(less, want), []string{"number: row was", "figure curve is missing"})
	checkBegins(t, 0, Compare(want, less), []string{"number: row was (none)", "figure curve is new"})
	other := collect(t, first)
	other.Results.Seed = 2
	checkBegins(t, 0, Compare(other, want), []string{"the run has smoke size and seed 2"})
}

func checkBegins(t *testing.T, what any, got, want []string) {
	t.Helper()
	ok := len(got) == len(want)
	for i := range want {
		ok = ok && strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		t.Errorf("%v: got %q, want beginnings %q", what, got, want)
	}
}

// Files that only one of two runs has are named, and do not cause an error.
func TestSameMissing(t *testing.T) {
	points := []float64{1, 2, 1, 3}
	first, second := run(t, 1, 0.1, points), run(t, 1, 0.1, points)
	if err := os.Remove(filepath.Join(second, "curve.svg")); err != nil {
		t.Fatal(err)
	}
	bad, err := Same(first, second)
	if err != nil {
		t.Fatal(err)
	}
	checkBegins(t, "second", bad, []string{"curve.svg is missing the second time"})
	if bad, err = Same(second, first); err != nil {
		t.Fatal(err)
	}
	checkBegins(t, "first", bad, []string{"curve.svg is missing the first time"})
}

func TestDrift(t *testing.T) {
	nb := &notebook.Notebook{Metadata: map[string]any{}}
	if got := Drift(nb); len(got) != 1 || !strings.Contains(got[0], "never recorded") {
		t.Errorf("%q", got)
	}
	ran := map[string]any{}
	for _, s := range []string{"a := 1", "b := 2", "c := 3", "", "solution", "text", "injected"} {
		c := notebook.NewCode(s)
		c.ID = "cell-" + s[:min(1, len(s))]
		switch s {
		case "solution":
			c.SetTags("solution")
		case "text":
			c.Type = notebook.Markdown
		case "injected":
			c.SetTags("injected-parameters")
		case "a := 1", "b := 2":
			ran[c.ID] = headless.SourceSum(s)
		}
		nb.Cells = append(nb.Cells, c)
	}
	nb.Metadata["overcomplete"] = map[string]any{"ran": ran}
	nb.Cells[1].Source = "b := 3"
	checkBegins(t, "", Drift(nb), []string{"cell 2 (cell-b) was changed", "cell 3 (cell-c) has not run", "cell 7 (cell-i) sets parameters for one run"})
}

// *Run all* in Jupyter, on a committed notebook, uses lecture size. The record, and so the notebook's outputs, may
// have another size; then the metadata say so.
func TestCommittedParameters(t *testing.T) {
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	books, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil || len(books) == 0 {
		t.Fatal("no notebooks", err)
	}
	for _, b := range books {
		paper := strings.TrimSuffix(filepath.Base(b), ".ipynb")
		nb, err := notebook.Read(b)
		if err != nil {
			t.Error(err)
			continue
		}
		if i := slices.IndexFunc(nb.Cells, headless.Injected); i >= 0 {
			t.Errorf("%s: cell %d sets parameters for one run: %s", paper, i+1, nb.Cells[i].Source)
		}
		parameters := headless.ParametersCell(nb)
		if parameters < 0 || !strings.HasPrefix(nb.Cells[parameters].Source, "size := \"lecture\"") {
			t.Errorf("%s: its parameters do not begin with size := \"lecture\"", paper)
			continue
		}
		recorded, err := record.Read(filepath.Join(root, "figures", paper, record.FileName))
		if err != nil {
			t.Error(err)
			continue
		}
		size := `"lecture"`
		if c := nb.Changed(); c != nil && c.Values["size"] != "" {
			size = c.Values["size"]
			if c.Cell != nb.Cells[parameters].ID {
				t.Errorf("%s: what was changed is said of the cell %s, which does not have the parameters", paper, c.Cell)
			}
		}
		if want := strconv.Quote(recorded.Size); size != want {
			t.Errorf("%s: outputs of size %s beside a record of size %s", paper, size, want)
		}
	}
}

// The expected results of every notebook can be read at both sizes.
func TestExpected(t *testing.T) {
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	books, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil || len(books) == 0 {
		t.Fatal("no notebooks", err)
	}
	for _, b := range books {
		paper := strings.TrimSuffix(filepath.Base(b), ".ipynb")
		for _, size := range []string{record.Smoke, record.Lecture} {
			e, err := Read(Path(root, size, paper))
			if err != nil {
				t.Error(err)
				continue
			}
			if e.Results.Paper != paper || e.Results.Size != size || len(e.Figures) == 0 {
				t.Errorf("%s at %s size: %s, %s, %d figures", paper, size, e.Results.Paper, e.Results.Size, len(e.Figures))
			}
			if same := Compare(e, e); len(same) > 0 {
				t.Errorf("%s is not what it is: %q", paper, same)
			}
		}
	}
	stray, err := filepath.Glob(Path(root, "*", "*"))
	if err != nil || len(stray) != 2*len(books) {
		t.Errorf("%d files of what is expected for %d notebooks: %v", len(stray), len(books), err)
	}
}
