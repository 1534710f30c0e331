package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"

	"overcomplete/paper/record"
)

var tableHead = []string{"paper", "id", "claim", "verdict", "own_check",
	"published", "published_number", "published_unit", "published_at",
	"measured", "measured_number", "measured_unit", "spread", "spread_of", "rule", "reason",
	"size", "data", "generated", "seeds", "results", "date", "commit", "processor", "go",
	"experiment", "function", "file", "line",
	"run_measured", "run_measured_number", "run_verdict", "run_size",
	"kind", "counted_as", "finding", "basis", "draws", "declared", "declared_commit", "changed"}

// table returns all claims as comma-separated values, one claim per line. The columns named function, file and line say
// where the code of the claim's experiment is now.
func (w *writer) table() []byte {
	var b bytes.Buffer
	t := csv.NewWriter(&b)
	t.Write(tableHead) // writing to a buffer cannot fail
	for _, p := range w.papers {
		for _, g := range p.groups {
			for _, r := range g.rows {
				t.Write(w.tableLine(p, r))
			}
		}
	}
	t.Flush()
	return b.Bytes()
}

func (w *writer) tableLine(p *paper, r record.Row) []string {
	which, res := p.which(), p.main()
	if _, ok := res.Row(r.ID); !ok {
		which, res = "run", p.run
	}
	value := func(v record.Value) string {
		if v.Kind != record.KindNumber {
			return ""
		}
		return strconv.FormatFloat(v.Number, 'g', -1, 64)
	}
	spread := ""
	if r.Spread > 0 {
		spread = strconv.FormatFloat(r.Spread, 'g', -1, 64)
	}
	at, line := w.sources.place(r.Origin), ""
	if at.Line > 0 {
		line = strconv.Itoa(at.Line)
	}
	made := madeOf(res, r.Made)
	commit := ""
	if r.Made < len(res.Made) {
		commit = res.Made[r.Made].Commit
	}
	f := []string{p.name, r.ID, r.What, string(r.Verdict), strconv.FormatBool(isOwn(r)),
		r.Published.String(), value(r.Published), r.Published.Unit, r.Published.Source,
		r.Measured.String(), value(r.Measured), r.Measured.Unit, spread, r.SpreadOf, r.Rule.String(), r.Reason,
		r.Size, r.Data.Name, strconv.FormatBool(r.Data.Generated), fmt.Sprint(r.Seeds), which, made.Date, commit, made.Processor, made.Go,
		r.Origin.Experiment, at.Func, at.File, line}
	last := []string{"", "", "", ""}
	if run := p.shownRun(); run != nil && which == "record" {
		if n, ok := run.Row(r.ID); ok {
			last = []string{n.Measured.String(), value(n.Measured), string(n.Verdict), n.Size}
		}
	}
	e, _ := p.protocol.Entry(r.ID)
	d := p.declaration(r)
	return append(append(f, last...), d.Kind, p.protocol.CountedAs(r), d.Finding, e.Basis, e.Draws, e.Declared.Date, e.Declared.Commit, strconv.FormatBool(d.Changed))
}
