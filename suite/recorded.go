package suite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// A recordedResult is the result of a slow experiment, taken from the record. A run of all experiments shows this
// result instead of measuring it again.
type recordedResult struct {
	entry *entry // this entry is not in the store
	cell  *notebook.Cell
	from  string // the folder of the figures
	size  string // of the record
}

// A paperRecord is the record of one paper, with the committed notebook.
type paperRecord struct {
	paper, folder string
	results       *record.Results
	notebook      *notebook.Notebook
	ran           map[string]string // see headless.Ran
}

// readRecord reads the record of a paper and its committed notebook. It returns an error if the record and the notebook
// come from runs of different sizes.
func (s *Suite) readRecord(paper string) (*paperRecord, error) {
	r := &paperRecord{paper: paper, folder: filepath.Join(s.root, "figures", paper)}
	var err error
	if r.results, err = record.Read(filepath.Join(r.folder, record.FileName)); err != nil {
		return nil, err
	}
	if r.notebook, err = notebook.Read(filepath.Join(s.root, "notebooks", paper+".ipynb")); err != nil {
		return nil, err
	}
	if size := sizeOf(r.notebook); size != r.results.Size {
		return nil, fmt.Errorf("the committed notebook was run at %s size, but its results are from %s size", size, r.results.Size)
	}
	r.ran = headless.Ran(r.notebook)
	return r, nil
}

// experiment returns the recorded result of the declared experiment that the cell c shows, with the recorded outputs
// of c. The error explains why the result cannot be shown.
func (r *paperRecord) experiment(v *view, c *notebook.Cell) (*recordedResult, error) {
	if r.paper != v.notebook {
		return nil, fmt.Errorf("the record belongs to the notebook %s", v.notebook)
	}
	sh, err := r.cell(v.target, c)
	if err != nil {
		return nil, err
	}
	sh.entry.Events, sh.entry.Made = eventsOf(r.results, methodName(v.pkg, v.fun))
	sh.cell.Outputs = slices.Insert(sh.cell.Outputs, 0, sh.note())
	return sh, nil
}

// cell returns the outputs of the cell c in the committed notebook as a recorded result of the given experiment. The
// result has no rows or figures. cell returns an error if the committed notebook has no outputs that the present code
// of c made.
func (r *paperRecord) cell(target string, c *notebook.Cell) (*recordedResult, error) {
	i := slices.IndexFunc(r.notebook.Cells, func(o *notebook.Cell) bool { return o.ID == c.ID })
	if i < 0 || r.notebook.Cells[i].Source != c.Source || r.ran[c.ID] != headless.SourceSum(c.Source) || len(r.notebook.Cells[i].Outputs) == 0 {
		return nil, errors.New("the committed notebook does not contain this cell's output")
	}
	e := &entry{Target: target, Inputs: Inputs{Source: c.Source}, Made: r.results.Made[0]}
	return &recordedResult{entry: e, cell: r.notebook.Cells[i], from: r.folder, size: r.results.Size}, nil
}

// note returns an output that tells readers that the outputs below it come from the record, and how to measure the
// experiment.
func (sh *recordedResult) note() notebook.Output {
	target, when := sh.entry.Target, sh.entry.Made.Started
	if t, err := time.Parse(time.RFC3339, when); err == nil {
		when = t.Format("2 January 2006")
	}
	text := fmt.Sprintf("From the record (%s size, %s), because it takes long. To measure it here: make %s", sh.size, when, target)
	return notebook.Output{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{
		"text/plain":    text,
		"text/markdown": fmt.Sprintf("*From the record (%s size, %s), because it takes long. To measure it here:* `make %s`", sh.size, when, target),
	}}
}

// sizeOf returns the size at which a notebook last ran: lecture size, unless the notebook notes another value of the
// parameter size.
func sizeOf(nb *notebook.Notebook) string {
	if c := nb.Changed(); c != nil {
		if size, err := strconv.Unquote(c.Values["size"]); err == nil {
			return size
		}
	}
	return record.Lecture
}

// eventsOf returns the rows, figures and sheets of one experiment in res as events, and how its rows were measured.
// The experiment is named as in record.Origin.
func eventsOf(res *record.Results, experiment string) ([]record.Event, record.Making) {
	made := res.Made[0]
	var events []record.Event
	own := map[string]bool{}
	for _, r := range res.Rows {
		if r.Origin.Experiment == experiment {
			own[r.ID], made = true, res.Made[r.Made]
			events = append(events, record.Event{Row: &r})
		}
	}
	for _, f := range res.Figures {
		if f.Origin.Experiment == experiment {
			events = append(events, record.Event{Figure: &f})
		}
	}
	for _, l := range res.Sheets {
		if slices.ContainsFunc(l.IDs, func(line []string) bool {
			return slices.ContainsFunc(line, func(id string) bool { return own[id] })
		}) {
			events = append(events, record.Event{Sheet: &l})
		}
	}
	return events, made
}

// show shows a recorded result in place of running the cell: it adds the rows and figures to the run, and returns the
// recorded outputs. If that fails, show says why, and the cell runs.
func (m *Memory) show(k headless.Kernel, st *Step) headless.RecalledCell {
	err := func() error {
		place, err := os.MkdirTemp("", "overcomplete-recorded-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(place)
		if err := m.suite.store.write(place, st.shown.entry, st.shown.cell, st.shown.from, marks{}); err != nil {
			return err
		}
		entries := m.suite.store.entries(place)
		if k, ok := k.(caller); ok && len(entries) == 1 {
			_, err = k.Call(callReplay, st.run+"\n"+entries[0].folder)
		}
		return err
	}()
	if err != nil {
		m.say(fmt.Sprintf("%s runs, because its recorded result cannot be used: %v\n", st.Target, err))
		return headless.RecalledCell{}
	}
	return headless.RecalledCell{Skip: true, Outputs: st.shown.cell.Outputs}
}

// showRecorded changes the plan so that recorded results are shown for slow experiments for which no result is kept.
// It does the same for later cells that show other parts of such a recorded result. If a recorded result cannot be
// shown, the cell runs and the step's Why says so.
func (s *Suite) showRecorded(p *Plan, paper string, cells []*cell) {
	recorded := sync.OnceValues(func() (*paperRecord, error) { return s.readRecord(paper) })
	shows := map[string]bool{} // targets
	for i := range cells {
		st := &p.Steps[i]
		if st.Action != Run || st.Target == "" {
			continue
		}
		v := st.view
		slow := v != nil && !v.more && v.slow && v.size == record.Lecture
		if !slow && !shows[st.Target] {
			continue
		}
		var sh *recordedResult
		r, err := recorded()
		switch {
		case err != nil:
		case slow:
			sh, err = r.experiment(v, cells[i].Cell)
		default: // the cell shows other parts of a result that an earlier cell has shown
			sh, err = r.cell(st.Target, cells[i].Cell)
		}
		if err != nil {
			st.Why = append(st.Why, "the recorded result cannot be shown instead: "+err.Error())
			continue
		}
		st.Action, st.Why, st.shown, st.run = Show, nil, sh, r.paper
		shows[st.Target] = true
	}
}
