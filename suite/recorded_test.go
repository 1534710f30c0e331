package suite

import (
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/lecturepca"
	"overcomplete/paper/record"
)

// A run of everything shows the recorded result of a slow experiment as if it had been measured. All other
// runs measure the experiment.
func TestRecorded(t *testing.T) {
	patience.SkipShort(t, "it runs experiments")
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	paper := lecturepca.Experiments()
	paper.Experiments = slices.Clone(paper.Experiments)
	const target = "lecturepca-identities"
	for i, e := range paper.Experiments {
		paper.Experiments[i].Slow = paper.Target(e) == target
	}
	s := OpenIn(root, t.TempDir(), paper)
	nb, err := notebook.Read(root + "/notebooks/" + paper.Notebook + ".ipynb")
	if err != nil {
		t.Fatal(err)
	}
	step := func(size string, opt Options) (*Plan, *Step) {
		t.Helper()
		p, err := s.Plan(nb, paper.Notebook, []headless.Assignment{{Name: "size", Text: size}}, opt)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(p.Steps, func(st Step) bool { return st.Target == target })
		return p, &p.Steps[i]
	}
	for _, c := range []struct {
		size string
		opt  Options
		want Action
	}{
		{record.Lecture, Options{}, Run},
		{record.Lecture, Options{Recorded: true}, Show},
		{record.Lecture, Options{Recorded: true, Fresh: true}, Run},
		{record.Smoke, Options{Recorded: true}, Run},
	} {
		if _, st := step(c.size, c.opt); st.Action != c.want {
			t.Errorf("%s, %+v: %s, want %s", c.size, c.opt, st.Action, c.want)
		}
	}

	p, st := step(record.Lecture, Options{Recorded: true})
	if text := p.Summary(); !strings.Contains(text, target+": shown from the record") {
		t.Error(text)
	}
	recorded, err := record.Read(root + "/figures/" + paper.Notebook + "/" + record.FileName)
	if err != nil {
		t.Fatal(err)
	}
	calls := Calls()
	run, err := record.StartIn(t.TempDir(), paper.Notebook, record.Lecture, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := &Memory{suite: s, plan: p, say: func(text string) { t.Error(text) }}
	past := m.show(process{calls: calls}, st)
	if i := slices.IndexFunc(nb.Cells, func(c *notebook.Cell) bool { return c.ID == st.Cell }); !past.Skip || len(past.Outputs) != 1+len(nb.Cells[i].Outputs) {
		t.Errorf("%d outputs", len(past.Outputs))
	}
	if text := past.Outputs[0].Text(); !strings.Contains(text, "From the record (lecture size, ") || !strings.Contains(text, "make "+target) {
		t.Errorf("%q", text)
	}
	got := run.Results()
	if len(got.Rows) == 0 || len(got.Rows) == len(recorded.Rows) {
		t.Fatalf("%d rows", len(got.Rows))
	}
	for _, r := range got.Rows {
		want, ok := recorded.Row(r.ID)
		if !ok || r.Size != want.Size || r.Measured != want.Measured || got.Made[r.Made] != recorded.Made[want.Made] || !strings.HasSuffix(r.Origin.Experiment, ".Identities") {
			t.Errorf("%+v", r)
		}
	}
	for _, f := range recorded.Figures {
		if strings.HasSuffix(f.Origin.Experiment, ".Identities") != slices.ContainsFunc(got.Figures, func(g record.FigureFile) bool { return g.Name == f.Name && slices.Equal(g.Files, f.Files) }) {
			t.Errorf("the figure %s", f.Name)
		}
	}

	// If a cell differs from the committed cell, the recorded result cannot be shown.
	c := nb.Cells[slices.IndexFunc(nb.Cells, func(c *notebook.Cell) bool { return c.ID == st.Cell })]
	c.Source += " // mine"
	if _, st := step(record.Lecture, Options{Recorded: true}); st.Action != Run {
		t.Error("a changed cell shows what the record has")
	}
}

// Cells that measure times run alone.
func TestAlone(t *testing.T) {
	root, _, err := record.Project(".")
	if err != nil {
		t.Fatal(err)
	}
	s := OpenIn(root, t.TempDir(), lecturepca.Experiments())
	cells := read(book(paramCell, `lab, err := lecturepca.New(size, uint64(seed))`))
	if s.runsAlone(cells[1]) {
		t.Error("a cell that opens a lab runs alone")
	}
	nb, err := notebook.Read(root + "/notebooks/lecture-pca.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	alone := map[string]bool{}
	for _, c := range read(nb) {
		for _, m := range c.methods {
			alone[m] = s.runsAlone(c)
		}
	}
	if !alone["SpeedUp"] || alone["Identities"] {
		t.Errorf("%v", alone)
	}
}
