package report

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// hostile combines markup, a script, quotes and a path escape.
const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;{{.}}../`

// alphaSource has functions at lines that the tests name.
const alphaSource = `// Package alpha tests sites. A second sentence.
package alpha

import "overcomplete/paper/record"

// A Lab is a laboratory.
type Lab struct{ rows []record.Row }

// First measures the first thing. And more.
func (l *Lab) First() {
	l.rows = append(l.rows, record.Row{ID: "first"}) // line 11
	l.rows = append(l.rows, record.Row{ID: "again"}) // line 12
}

// Second measures the second.
func (l *Lab) Second() {
	for _, id := range []string{"a", "b"} {
		l.rows = append(l.rows, record.Row{ID: "second-" + id}) // line 18
	}
}
`

func put(t testing.TB, root, name, text string) {
	t.Helper()
	p := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func putNotebook(t testing.TB, root, name string, cells ...*notebook.Cell) {
	t.Helper()
	b, err := (&notebook.Notebook{Cells: cells}).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, name, string(b))
}

func text(s string) *notebook.Cell {
	return &notebook.Cell{Type: notebook.Markdown, Source: s, Metadata: map[string]any{}}
}

// judge fills in the verdict and the required fields of a row.
func judge(t testing.TB, r record.Row) record.Row {
	t.Helper()
	if r.Size == "" {
		r.Size = record.Lecture
	}
	if r.Data.Name == "" && r.Rule.Kind != record.NoData("").Kind {
		r.Data = record.Generated("points")
	}
	r.Seeds = []uint64{1}
	v, err := r.Rule.Judge(r.Published, r.Measured)
	if err != nil {
		t.Fatal(err)
	}
	r.Verdict = v
	return r
}

func putResults(t testing.TB, root, folder string, res *record.Results) {
	t.Helper()
	res.Schema = record.Schema
	if res.Size == "" {
		res.Size = record.Lecture
	}
	if res.Made == nil {
		res.Made = []record.Making{{Started: "2026-01-02T03:04:05Z", Seconds: 1, Commit: "0123456789abcdef", Modified: true, Go: "go1.26", Arch: "linux/amd64", Processor: "A " + hostile, CPUs: 2}}
	}
	b, err := res.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, folder+"/"+record.FileName, string(b))
}

func firstRows(t testing.TB, measured float64) []record.Row {
	first := record.Origin{Experiment: "paper/alpha.Lab.First", File: "paper/alpha/alpha.go", Line: 11, Func: "Lab.First"}
	again := first
	again.Line = 12
	second := record.Origin{Experiment: "paper/alpha.Lab.Second", File: "paper/alpha/alpha.go", Line: 23, Func: "Lab.Second"} // this line no longer exists
	return []record.Row{
		judge(t, record.Row{ID: "second-a", What: "the second thing", Published: record.Published(2, "dB", "table 1"), Measured: record.Number(2.5, "dB"), Spread: 0.25, SpreadOf: "standard deviation",
			Rule: record.Within(0.1).Partly(1), Origin: second, Reason: "because"}),
		judge(t, record.Row{ID: "first", What: "the first thing " + hostile, Published: record.Text("it holds "+hostile, "section 1 "+hostile), Measured: record.Bool(true, "seen "+hostile),
			Rule: record.Holds(), Origin: first, Figure: "one", Data: record.Real("world " + hostile), Reason: hostile}),
		judge(t, record.Row{ID: "again", What: "once more", Published: record.Published(1, "", "table 1"), Measured: record.Number(measured, ""), Rule: record.Within(0.5), Origin: again}),
		judge(t, record.Row{ID: "check", What: "a check", Measured: record.Number(math.Inf(1), ""), Rule: record.AtMost(3), Figure: "two"}),
		judge(t, record.Row{ID: "unknown", What: "nobody has the data", Published: record.Published(7, "%", "table 2"), Rule: record.NoData("lost"), Reason: "lost"}),
	}
}

// madeUp makes a project of two papers: alpha with record, run and notebooks, beta with only a run.
func madeUp(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	put(t, root, "go.mod", "module "+module.Path+"\n")
	put(t, root, "paper/alpha/alpha.go", alphaSource)
	put(t, root, "paper/alpha/alpha_test.go", "package alpha\n")
	put(t, root, "paper/beta/beta.go", "package beta\n\nfunc New( {\r\n\tx := `a\r\nb` // "+hostile+"\n")
	put(t, root, "kernel-helpers/tools/tools.go", "package tools\n\n// Draw draws.\nfunc Draw() {}\n")
	put(t, root, "secret.go", "package secret\n")

	figures := []record.FigureFile{
		{Name: "one", Caption: "One. " + hostile + " Made by paper/alpha, Lab.First in alpha.go.", Files: []string{"one.csv", "one.png", "one.svg"}},
		{Name: "two", Caption: "Two. Made by kernel-helpers/tools.Draw.", Files: []string{"two.svg"}},
		{Name: "gone", Caption: "Its file is missing.", Files: []string{"gone.svg"}},
	}
	odd := "odd #1%20 ä'.csv"
	layout := record.Layout{Name: "table-1", Title: "Table 1 " + hostile, Corner: "line", Columns: []string{"first " + hostile, "second"}, Lines: []string{"it " + hostile, "more"},
		IDs: [][]string{{"again", "second-a"}, {"unknown", ""}}, StandIn: [][]string{{"", ""}, {"6.5 " + hostile, ""}}, StandInOf: "elsewhere " + hostile, Note: "a note " + hostile}
	putResults(t, root, "figures/alpha", &record.Results{Paper: "alpha", Rows: firstRows(t, 1.25), Figures: figures, Files: []string{odd}, Sheets: []record.Layout{layout, {Name: "empty", Columns: []string{"x"}, Lines: []string{"y"}}}})
	for name, s := range map[string]string{"one.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>", "one.png": "png", "one.csv": "x\n", "two.svg": "<svg/>", odd: "a,b\n"} {
		put(t, root, "figures/alpha/"+name, s)
	}

	run := firstRows(t, 4)
	run = append(run[:1], run[2:]...) // without the row first
	run[1].Verdict = record.NotReproduced
	run[0].Size = record.Smoke
	run[0].Measured.Number = 2.05
	run[0] = judge(t, run[0])
	run = append(run, judge(t, record.Row{ID: "new", What: "a new one", Measured: record.Number(1, ""), Rule: record.AtLeast(1), Origin: record.Origin{Experiment: "paper/alpha.Lab.Second", File: "paper/alpha/alpha.go", Line: 18, Func: "Lab.Second"}}))
	figures[0].Files = []string{"one.png", "one.svg"}
	putResults(t, root, "figures/run/alpha", &record.Results{Paper: "alpha", Rows: run, Figures: figures[:2]})
	for name, s := range map[string]string{"one.svg": "<svg xmlns='http://www.w3.org/2000/svg'><g/></svg>", "one.png": "other", "two.svg": "<svg/>"} {
		put(t, root, "figures/run/alpha/"+name, s)
	}
	cells := []*notebook.Cell{
		text("# Alpha of $x_1$ *and* `more`\n\nSee [the source](../paper/alpha/alpha.go), [nothing](../secret.go), [itself](alpha.ipynb#the-second), [the web](https://example.org/) and [below](#the-second)."),
		text("## The second"), notebook.NewCode("second := lab.Second()"),
		text("## The first"), notebook.NewCode("lab.First()"),
	}
	putNotebook(t, root, "notebooks/alpha.ipynb", cells...)
	putNotebook(t, root, "notebooks/run/alpha.ipynb", cells...)

	putResults(t, root, "figures/run/beta", &record.Results{Paper: "beta", Rows: []record.Row{
		judge(t, record.Row{ID: "only", What: "without any origin", Published: record.Text("so", "page 1"), Measured: record.Text("so", ""), Rule: record.Same()}),
		judge(t, record.Row{ID: "escapes", What: "an origin outside of the project", Measured: record.Number(1, ""), Rule: record.AtLeast(1),
			Origin: record.Origin{Experiment: hostile, File: "../../etc/passwd", Line: -3, Func: hostile}}),
	}})
	return root
}
