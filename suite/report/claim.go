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

// A link is a text with an address, or plain text if Href is empty.
type link struct{ Text, Href string }

// A claim is a row as pages show it.
type claim struct {
	Paper, ID       string
	Anchor          string // anchor of the row on the paper's page
	Page            string // address of that page
	What, Reason    string
	Verdict, Class  string // as shown; reproduced, partial, failed or nodata
	Own             bool   // a check of the project's own, for which nothing was published
	Declared        declared
	Published       string
	Source          string // the place of the published value
	Measured        string // with its spread
	Remark          string // on what was measured
	Spread, Rule    string // what the spread is; the rule in words
	Size, Data      string
	Generated, Real bool
	Seeds           string
	Made            making
	Code            link // link to the line that it comes from
	New             bool // only the run has the row
	Measurable      bool // readers can measure it in the browser
	Run             *ran // the last run's row, if there is one in addition to the record's
}

// ran is the last run's row for a claim of the record.
type ran struct {
	Missing        bool // the run has no such row
	Empty          bool // nothing was measured, for example for want of data
	Measured       string
	Remark         string
	Verdict, Class string
	Same           bool
	Expected       bool     // another size, other seeds or data
	Why            string   // expected reasons for differences
	Differences    []string // in words
}

// Line returns the differences in one line.
func (r *ran) Line() string {
	return joined("; ", strings.Join(r.Differences, "; "), r.Why)
}

// Surprising reports whether the run differs and nothing explains it.
func (r *ran) Surprising() bool {
	return r != nil && !r.Same && !r.Missing && !r.Empty && !r.Expected
}

// A making is a record.Making in words.
type making struct{ Date, Commit, Processor, Go string }

// Line returns the making in one line.
func (m making) Line() string { return joined(" · ", m.Date, m.Commit, m.Processor, m.Go) }

func madeOf(res *record.Results, index int) making {
	if index < 0 || index >= len(res.Made) {
		return making{}
	}
	m := res.Made[index]
	w := making{Date: m.Started, Go: joined(", ", m.Go, m.Arch)}
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

// joined joins the parts that are not empty.
func joined(by string, list ...string) string {
	var b strings.Builder
	for _, s := range list {
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(by)
		}
		b.WriteString(s)
	}
	return b.String()
}

func own(r record.Row) bool { return r.Own() }

// real reports whether something was measured on real data.
func real(r record.Row) bool {
	return r.Data.Name != "" && !r.Data.Generated && r.Verdict != record.Unknown
}

// number formats a number as package record does.
func number(x float64) string { return record.Number(x, "").String() }

// measured returns the measured value with its spread, and separately a remark on it.
func measured(r record.Row) (value, remark string) {
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

// rule returns the rule in words, or "" for rules that are described elsewhere on the page.
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

// claim returns a row of p for a page; up leads from the page to the site's root.
func (pr *project) claim(p *paper, r record.Row, up string) claim {
	res, isNew := p.main(), false
	if _, ok := res.Row(r.ID); !ok {
		res, isNew = p.run, true
	}
	c := claim{Paper: p.name, ID: r.ID, Anchor: "claim-" + r.ID, What: r.What, Reason: r.Reason, Declared: p.declared(r),
		Verdict: r.Called(), Class: r.Verdict.Class(), Own: own(r),
		Published: r.Published.String(), Source: r.Published.Source, Rule: rule(r),
		Size: r.Size, Data: r.Data.Name, Generated: r.Data.Generated, Real: real(r), Seeds: seeds(r.Seeds),
		Made: madeOf(res, r.Made), New: isNew}
	c.Measured, c.Remark = measured(r)
	c.Page = up + p.name + ".html#" + c.Anchor
	if r.SpreadOf != "" {
		c.Spread = "± is the " + r.SpreadOf
	}
	at := pr.sources.place(r.Origin)
	c.Code = link{placeName(at), at.address(up)}
	if run := p.beside(); run != nil && !isNew {
		c.Run = p.ran(r)
	}
	return c
}

// placeName formats a place: "table2.go:131".
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

// ran returns the last run's row for a row of the record.
func (p *paper) ran(r record.Row) *ran {
	n, ok := p.run.Row(r.ID)
	if !ok {
		return &ran{Missing: true}
	}
	v := &ran{Verdict: n.Called(), Class: n.Verdict.Class()}
	v.Measured, v.Remark = measured(n)
	ds := p.differences[r.ID]
	v.Same = len(ds) == 0
	v.Empty = n.Measured.Kind == record.KindNone && r.Measured.Kind != record.KindNone
	for _, d := range ds {
		v.Expected, v.Why = d.Expected, d.Why
		d.Expected = false // reported once for all of them
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

// A tally counts rows by their paper's protocol.
type tally struct {
	record.Tally
	Real, All int // measured on real data; all rows
}

// count counts rows; if p is nil, each published row is a claim.
func count(p *record.Protocol, rows []record.Row) tally {
	t := tally{Tally: p.Tally(rows), All: len(rows)}
	for _, r := range rows {
		if real(r) {
			t.Real++
		}
	}
	return t
}

// plus returns the sum of the tallies of two papers.
func (t tally) plus(u tally) tally {
	return tally{t.Tally.Plus(u.Tally), t.Real + u.Real, t.All + u.All}
}

// Uncounted says how many published rows are shown but not counted, and why; "none" if there are
// none.
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

// Changes says how many rows have changed their verdict, rule or kind since they were first
// measured; "" if none.
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

// Checks says how many of the paper's own checks hold, of those that could be made, or "none" if
// there are no checks.
func (t tally) Checks() string {
	n := t.Own.Total() - t.Own.NoData
	if t.Own.Total() == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d hold", t.Own.Reproduced, n)
}

// On returns the data on which the claims were measured.
func (t tally) On() string {
	switch t.Real {
	case 0:
		return "generated"
	case t.All:
		return "real"
	}
	return fmt.Sprintf("%d of %d real", t.Real, t.All)
}

// A segment is a part of a bar of verdicts.
type segment struct {
	Class, Name string
	N           int
}

// Bar returns the counts of the claims, each once, as segments of a bar, without
// counts of 0.
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

// Words returns the bar in words.
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
