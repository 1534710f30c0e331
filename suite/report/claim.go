package report

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"overcomplete/paper/record"
)

// A link is text with an address, or plain text if Href is empty.
type link struct{ Text, Href string }

// A claim is a row of the record, or a row that only the last run has, formatted for a page.
type claim struct {
	Paper, ID       string
	Anchor          string // anchor of the claim on the paper's page
	Page            string // address of that page
	What, Reason    string
	Verdict, Class  string // as shown; reproduced, partial, failed or nodata
	Own             bool   // the row is a check of the project's own, without a published value
	Declared        declaration
	Published       string
	Source          string // the place of the published value
	Measured        string // with its spread
	Remark          string // about the measurement
	Spread, Rule    string // meaning of the spread; rule in words
	Size, Data      string
	Generated, Real bool
	Seeds           string
	Look            string // which look at the test data gave the number, and what was evaluated before
	Made            making
	Code            link    // link to the line of code that measured it
	New             bool    // only the last run has the row
	Measurable      bool    // readers can measure it in the browser
	Run             *runRow // the last run's row, if the page shows it next to the record's
}

// runRow describes the last run's row for a claim in the record.
type runRow struct {
	Missing        bool // the run has no row for the claim
	Empty          bool // nothing was measured, for example because data were missing
	Measured       string
	Remark         string
	Verdict, Class string
	Same           bool
	Expected       bool     // differences are expected: another size, other seeds or other data
	Why            string   // expected reasons for differences
	Differences    []string // in words
}

// Line returns the differences and, if they are expected, their reasons as one line.
func (r *runRow) Line() string {
	return joinNonEmpty("; ", strings.Join(r.Differences, "; "), r.Why)
}

// Surprising reports whether the run's row differs from the record although no difference is expected. It returns false
// if the run has no such row, or if that row has no measurement.
func (r *runRow) Surprising() bool {
	return r != nil && !r.Same && !r.Missing && !r.Empty && !r.Expected
}

// A making describes in words how and when rows were measured (see record.Making).
type making struct{ Date, Commit, Processor, Go string }

// Line returns the description as one line.
func (m making) Line() string { return joinNonEmpty(" · ", m.Date, m.Commit, m.Processor, m.Go) }

func madeOf(res *record.Results, index int) making {
	if index < 0 || index >= len(res.Made) {
		return making{}
	}
	m := res.Made[index]
	w := making{Date: m.Started, Go: joinNonEmpty(", ", m.Go, m.Arch)}
	if t, err := time.Parse(time.RFC3339, m.Started); err == nil {
		w.Date = t.UTC().Format("2006-01-02 15:04 UTC")
	}
	if m.Commit != "" {
		w.Commit = "commit " + m.Commit[:min(12, len(m.Commit))]
		if m.Modified {
			w.Commit += " with changes"
		}
	}
	if m.CPUs > 0 {
		w.Processor = fmt.Sprintf("%d × processor", m.CPUs)
		if m.Processor != "" {
			w.Processor = fmt.Sprintf("%d × %s", m.CPUs, m.Processor)
		}
	}
	return w
}

// joinNonEmpty joins the non-empty strings in list, with the separator sep.
func joinNonEmpty(sep string, list ...string) string {
	var b strings.Builder
	for _, s := range list {
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(sep)
		}
		b.WriteString(s)
	}
	return b.String()
}

func isOwn(r record.Row) bool { return r.Own() }

// isReal reports whether the row was measured on real data.
func isReal(r record.Row) bool {
	return r.Data.IsReal() && r.Verdict != record.Unknown
}

// number formats a number as package record does.
func number(x float64) string { return record.Number(x, "").String() }

// measuredText returns the measured value with its spread, and a separate remark about the measurement.
func measuredText(r record.Row) (value, remark string) {
	v := r.Measured
	switch v.Kind {
	case record.KindNumber, record.KindBool:
		v.Text, remark = "", v.Text
	case record.KindNone:
		return "–", ""
	}
	value = v.String()
	if r.Spread > 0 && v.Kind == record.KindNumber {
		value += " ± " + number(r.Spread)
	}
	return value, remark
}

func seeds(list []uint64) string {
	switch n := len(list); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("seed %d", list[0])
	case n <= 4:
		return "seeds " + strings.Trim(fmt.Sprint(list), "[]")
	default:
		return fmt.Sprintf("%d seeds from %d", n, list[0])
	}
}

// rule returns the row's rule in words. It returns "" for the rule "no data", because the verdict says the same.
func rule(r record.Row) string {
	switch s := r.Rule.String(); s {
	case record.Holds().String():
		return "must hold"
	case record.Same().String():
		return "the same text"
	case record.NoData("").String():
		return ""
	default:
		return s
	}
}

// claim converts a row of p to a claim for a page. up is the path from the page to the site's root.
func (pr *project) claim(p *paper, r record.Row, up string) claim {
	res, isNew := p.main(), false
	if _, ok := res.Row(r.ID); !ok {
		res, isNew = p.run, true
	}
	c := claim{Paper: p.name, ID: r.ID, Anchor: "claim-" + r.ID, What: r.What, Reason: r.Reason, Declared: p.declaration(r),
		Verdict: r.Called(), Class: r.Verdict.Class(), Own: isOwn(r),
		Published: r.Published.String(), Source: r.Published.Source, Rule: rule(r),
		Size: r.Size, Data: r.Data.Name, Generated: r.Data.Generated, Real: isReal(r), Seeds: seeds(r.Seeds),
		Made: madeOf(res, r.Made), New: isNew}
	c.Measured, c.Remark = measuredText(r)
	c.Look = look(res.Rows, r)
	c.Page = up + p.name + ".html#" + c.Anchor
	if r.SpreadOf != "" {
		c.Spread = "± is the " + r.SpreadOf
	}
	at := pr.sources.place(r.Origin)
	c.Code = link{placeName(at), at.address(up)}
	if run := p.shownRun(); run != nil && !isNew {
		c.Run = p.runRow(r)
	}
	return c
}

// look says how many other recipes had been evaluated on the row's test data before the row's own recipe, and which
// (see record.Look). It returns "" if the row has no Look.
func look(rows []record.Row, r record.Row) string {
	if r.Look.At == "" {
		return ""
	}
	earlier := record.Looks(rows, r)
	s := fmt.Sprintf("look %d (%s), at %s", len(earlier)+1, r.Look.Recipe, r.Look.At)
	if len(earlier) == 0 {
		return s + "; nothing was chosen after an earlier look"
	}
	return s + "; chosen after the looks with: " + strings.Join(earlier, "; ")
}

// placeName formats a source location: "table2.go:131".
func placeName(p place) string {
	if p.File == "" {
		return ""
	}
	s := path.Base(p.File)
	if p.Line > 0 {
		s += fmt.Sprintf(":%d", p.Line)
	}
	return s
}

// runRow finds the row of the last run that has the same ID as r, a row of the record. It describes the run's row, and
// how it differs from r.
func (p *paper) runRow(r record.Row) *runRow {
	n, ok := p.run.Row(r.ID)
	if !ok {
		return &runRow{Missing: true}
	}
	v := &runRow{Verdict: n.Called(), Class: n.Verdict.Class()}
	v.Measured, v.Remark = measuredText(n)
	ds := p.differences[r.ID]
	v.Same = len(ds) == 0
	v.Empty = n.Measured.Kind == record.KindNone && r.Measured.Kind != record.KindNone
	for _, d := range ds {
		v.Expected, v.Why = d.Expected, d.Why
		d.Expected = false // the page reports this once for all rows
		v.Differences = append(v.Differences, strings.TrimPrefix(d.String(), d.ID+": "))
	}
	return v
}

// escapePath escapes each part of a path for a URL.
func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i, s := range parts {
		parts[i] = url.PathEscape(s)
	}
	return strings.Join(parts, "/")
}

// A tally counts the rows of a paper. The paper's protocol says which count each row goes into (see
// record.Tally).
type tally struct {
	record.Tally
	Real, All int // number of rows measured on real data; number of all rows
}

// count counts rows. If p is nil, each published row counts as a claim.
func count(p *record.Protocol, rows []record.Row) tally {
	t := tally{Tally: p.Tally(rows), All: len(rows)}
	for _, r := range rows {
		if isReal(r) {
			t.Real++
		}
	}
	return t
}

// plus returns the sum of the tallies of two papers.
func (t tally) plus(u tally) tally {
	return tally{t.Tally.Plus(u.Tally), t.Real + u.Real, t.All + u.All}
}

// Uncounted says how many published rows are shown but not counted, and why. It returns "none" if all are counted.
func (t tally) Uncounted() string {
	var list []string
	if n := t.Readings.Total(); n > 0 {
		list = append(list, fmt.Sprintf("%d readings", n))
	}
	if n := t.Construction.Total(); n > 0 {
		list = append(list, fmt.Sprintf("%d by construction", n))
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

// Changes says how many rows have changed their verdict, rule or kind since their first measurement. It returns "" if
// no row has changed.
func (t tally) Changes() string {
	var list []string
	for _, x := range []struct {
		n    int
		what string
	}{{t.Verdicts, "verdict"}, {t.Rules, "rule"}, {t.Kinds, "kind"}} {
		switch {
		case x.n == 1:
			list = append(list, "1 "+x.what)
		case x.n > 1:
			list = append(list, fmt.Sprintf("%d %ss", x.n, x.what))
		}
	}
	if len(list) == 0 {
		return ""
	}
	s := list[len(list)-1]
	if len(list) > 1 {
		s = strings.Join(list[:len(list)-1], ", ") + " and " + s
	}
	return s + " changed after measuring"
}

// Checks says how many of the project's own checks hold, of those that could be made. It returns "none" if there are
// no checks.
func (t tally) Checks() string {
	n := t.Own.Total() - t.Own.NoData
	if t.Own.Total() == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d hold", t.Own.Reproduced, n)
}

// On says how many of all rows were measured on real data: "real", "generated", or for example "3 of 5 real".
func (t tally) On() string {
	switch t.Real {
	case 0:
		return "generated"
	case t.All:
		return "real"
	}
	return fmt.Sprintf("%d of %d real", t.Real, t.All)
}

// A segment is one part of a bar chart of verdicts.
type segment struct {
	Class, Name string
	N           int
}

// Bar returns the counts of claims as segments of a bar, without empty segments. Each claim counts once.
func (t tally) Bar() []segment {
	var list []segment
	for _, s := range []segment{
		{"reproduced", "reproduced", t.Claims.Reproduced}, {"partial", "partial", t.Claims.Partial},
		{"failed untrue", "false as stated", t.False}, {"failed", "not reached here", t.Unreached}, {"failed otherwise", "came out differently", t.Differs},
		{"nodata", "without data", t.Claims.NoData},
	} {
		if s.N > 0 {
			list = append(list, s)
		}
	}
	return list
}

// Words returns the counts of Bar as text, such as "5 reproduced, 1 partial".
func (t tally) Words() string {
	if t.Claims.Total() == 0 {
		return "nothing published"
	}
	var list []string
	for _, s := range t.Bar() {
		list = append(list, fmt.Sprintf("%d %s", s.N, s.Name))
	}
	return strings.Join(list, ", ")
}
