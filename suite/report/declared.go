package report

import (
	"cmp"
	"fmt"
	"slices"

	"overcomplete/paper/record"
)

// A declaration describes in words what the protocol says about a row.
type declaration struct {
	Kind    string // claim, reading, construction or own
	Finding string // false, unreached or differs
	Found   string // the finding in words
	Counts  string // the claim that the row counts toward, or why it does not count
	Rule    string // the declared rule, if another rule judged the row
	Basis   string
	Draws   string
	When    string // when the rule was declared, with the evidence
	Changes []change
	Changed bool // the verdict or the rule changed after the row was measured
}

// A change describes one change to a row after its measurement: when the row changed, what it was before, and why it
// changed.
type change struct{ When, Was, Why string }

var foundWords = map[record.Finding]string{
	record.False: "false as stated", record.Unreached: "not reached here", record.Differs: "came out differently",
}

// declaration describes what the paper's protocol says about the row r. If the protocol does not mention r, only Kind
// is set.
func (p *paper) declaration(r record.Row) declaration {
	e, ok := p.protocol.Entry(r.ID)
	if !ok {
		d := declaration{Kind: string(record.Claim)}
		if isOwn(r) {
			d.Kind = string(record.OwnCheck)
		}
		return d
	}
	d := declaration{Kind: string(e.Kind), Basis: e.Basis, Draws: e.Draws, Changed: len(e.History) > 0}
	if r.Verdict == record.NotReproduced {
		d.Finding, d.Found = string(e.Finding), foundWords[e.Finding]
	}
	if !record.SameRule(e.Rule, r.Rule.String()) {
		d.Rule = e.Rule
	}
	switch e.Kind {
	case record.Reading:
		d.Counts = "a reading of the source by this project: shown, not counted"
	case record.Construction:
		d.Counts = "true by construction: shown, not counted"
	case record.Claim:
		if n := p.tellers(e.Claim); n > 1 {
			d.Counts = fmt.Sprintf("one of %d rows that count as one claim, %s", n, e.Claim)
		}
	}
	d.When = joinNonEmpty(", ", e.Declared.Date, commit(e.Declared.Commit))
	if e.With {
		d.When += "; first measured at the same time"
	}
	for _, c := range e.History {
		by := " by the rule “" + c.Rule + "”"
		if c.Coded != "" {
			by += ", in the program “" + c.Coded + "”"
		}
		d.Changes = append(d.Changes, change{When: joinNonEmpty(", ", c.Date, commit(c.Commit)),
			Was: joinNonEmpty("; ", string(c.Verdict)+by, cmp.Or(c.Measured, "nothing")+" measured", said(c.What), wasKind[c.Kind]), Why: c.Why})
	}
	return d
}

var wasKind = map[record.Kind]string{record.Claim: "counted as a published claim", record.OwnCheck: "was an own check",
	record.Reading: "was a reading of the source", record.Construction: "was said to be true by construction"}

// said returns a clause with a row's earlier description. It returns "" if the argument what is empty, which means that
// the description has not changed.
func said(what string) string {
	if what == "" {
		return ""
	}
	return "it was about “" + what + "”"
}

// tellers returns the number of rows that count toward the claim called name. It returns 1 if name is "", because such
// a row is a claim by itself.
func (p *paper) tellers(name string) int {
	if name == "" {
		return 1
	}
	n := 0
	for _, r := range p.main().Rows {
		if e, ok := p.protocol.Entry(r.ID); ok && e.Kind == record.Claim && e.Claim == name {
			n++
		}
	}
	return n
}

// A withdrawnRow is a row that has left the record.
type withdrawnRow struct{ ID, When, Was, Why string }

// withdrawnRows lists the rows that have left the record.
func (p *paper) withdrawnRows() []withdrawnRow {
	var list []withdrawnRow
	if p.protocol == nil {
		return nil
	}
	for _, e := range p.protocol.Rows {
		if e.Withdrawn != nil {
			list = append(list, withdrawnRow{e.ID, joinNonEmpty(", ", e.Withdrawn.Date, commit(e.Withdrawn.Commit)), e.Rule, e.Withdrawn.Why})
		}
	}
	return slices.Clip(list)
}

func commit(hash string) string {
	if hash == "" {
		return ""
	}
	return "commit " + hash
}
