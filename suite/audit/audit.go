// Package audit checks the records independently of the programs that made them. It reads the files in the working
// tree, or in any commit of git, and recomputes everything on which the scoreboard is based: the verdict of each row,
// the counts of claims, and the history that each row must have.
//
// It shares no code with package record, which judges rows, nor with package protocol, which writes histories. It has
// its own types for the files, and compares exact fractions (math/big) where record compares floats. It reads each rule
// from its wording in the protocol, and follows each row through all commits of the record, of the protocol and of the
// expected results. So a mistake in record or in protocol becomes a finding of the audit.
//
// It also looks for errors that no count can show: a rule whose numbers are not in the unit that its basis states,
// a tolerance that is smaller than the uncertainty that its basis states, and a row whose rule was replaced while
// the row had no data.
//
// In reading order: tree.go (files of the working tree or of a commit), files.go (what the audit reads from them),
// verdict.go (judging), count.go (counting, and comparing the scoreboard with the counts), history.go (what git says),
// audit.go (the whole audit; rules and their bases).
package audit

import (
	"context"
	"fmt"
	"math/big"
	"regexp"
	"sort"
	"strings"
)

// A finding is something that the audit found wrong in one row, or in a paper as a whole.
type finding struct {
	Paper, Row string
	Check      string // verdict, rule, count, history, basis
	Text       string
}

func (f finding) String() string {
	return strings.Join(strings.Fields(f.Paper+" "+f.Row), "/") + ": " + f.Check + ": " + f.Text
}

// A Report is what an audit found.
type Report struct {
	Papers   map[string]*Counts
	All      Counts
	Rows     int      // number of rows whose verdict was computed again
	Commits  int      // number of versions of records, protocols and expected results that were read
	Findings []string // what disagrees, in the order of papers and rows
}

// Run audits the project in root at the commit rev, or in the working tree if rev is empty. It needs the whole
// git history.
func Run(ctx context.Context, root, rev string) (*Report, error) {
	t := &tree{root, rev, ctx}
	out := &Report{Papers: map[string]*Counts{}}
	var wrong []finding
	folders, err := t.folders("paper")
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		text, err := t.read("paper/" + folder + "/protocol.json")
		if err != nil {
			continue // not the folder of a paper
		}
		pr, err := parseProtocol(text)
		if err != nil {
			return nil, fmt.Errorf("audit: the protocol in %s: %w", folder, err)
		}
		paper, list := pr.Paper, pr.Rows
		text, err = t.read("figures/" + paper + "/results.json")
		if err != nil {
			wrong = append(wrong, finding{Paper: paper, Check: "count", Text: "it has a protocol and no record"})
			continue
		}
		rs, err := rows(text)
		if err != nil {
			return nil, fmt.Errorf("audit: the record of %s: %w", paper, err)
		}
		byID := map[string]*entry{}
		for i := range list {
			byID[list[i].ID] = &list[i]
		}
		found := check(rs, byID)
		c := count(rs, byID)
		out.Papers[paper] = &c
		out.All.add(c)
		out.Rows += len(rs)
		p, err := t.past(paper, folder)
		if err != nil {
			return nil, err
		}
		out.Commits += len(p.record) + len(p.protocol) + len(p.expected["smoke"]) + len(p.expected["lecture"])
		untold, err := p.follow(pr)
		if err != nil {
			return nil, err
		}
		found = append(found, untold...)
		for i := range found {
			found[i].Paper = paper
		}
		sort.SliceStable(found, func(i, j int) bool { return found[i].Row < found[j].Row })
		wrong = append(wrong, found...)
	}
	page, err := t.read("paper/README.md")
	if err != nil {
		return nil, err
	}
	wrong = append(wrong, board(string(page), out.Papers, &out.All)...)
	for _, f := range wrong {
		out.Findings = append(out.Findings, f.String())
	}
	return out, nil
}

// check judges each row of a record again, and compares the row with its entry in the protocol. It returns what is
// wrong.
func check(rs []row, byID map[string]*entry) (wrong []finding) {
	for i := range rs {
		r := &rs[i]
		add := func(check, format string, args ...any) {
			wrong = append(wrong, finding{Row: r.ID, Check: check, Text: fmt.Sprintf(format, args...)})
		}
		switch v, err := judge(r); {
		case err != nil:
			add("verdict", "%v", err)
		case v != r.Verdict:
			add("verdict", "the record says %s, its rule and its numbers give %s", r.Verdict, v)
		}
		e := byID[r.ID]
		if e == nil {
			add("rule", "nothing is declared of it")
			continue
		}
		if e.Withdrawn != nil {
			add("rule", "it is withdrawn, and in the record")
		}
		if r.measured() {
			if err := words(e.declared(r.Size), r.Rule); err != nil {
				add("rule", "declared is “%s”: %v", e.declared(r.Size), err)
			}
		}
		if r.own() != (e.Kind == "own") {
			add("rule", "its kind is %s, and a published value is there: %t", e.Kind, !r.own())
		}
		if (r.Verdict == not && !r.own()) != (e.Finding != "") {
			add("verdict", "%s with the finding “%s”", r.Verdict, e.Finding)
		}
		if (r.Verdict == not || r.Verdict == noData) && strings.TrimSpace(r.Reason) == "" {
			add("verdict", "%s without a reason", r.Verdict)
		}
		wrong = append(wrong, basis(r, e)...)
	}
	return wrong
}

var (
	share       = regexp.MustCompile(`([0-9.]+) is ([0-9.]+) ?%`)
	uncertainty = regexp.MustCompile(`uncertain by ([0-9.]+) to ([0-9.]+) points`)
)

// basis compares a row's rule with its basis: the reason for the rule's tolerance, as stated in the protocol's entry
// e. It recognizes two kinds of phrases with numbers, "20 is 4 %" and "uncertain by 1 to 2 points", and ignores all
// other text.
func basis(r *row, e *entry) (wrong []finding) {
	add := func(format string, args ...any) {
		wrong = append(wrong, finding{Row: r.ID, Check: "basis", Text: fmt.Sprintf(format, args...)})
	}
	limits := []string{string(r.Rule.Bound), string(r.Rule.Upper), string(r.Rule.Tolerance)}
	// "20 is 4 % of them" means that the bound is a count, and that the percentage is another number. So the measured
	// number must be a count.
	for _, m := range share.FindAllStringSubmatch(e.Basis, -1) {
		if m[1] != m[2] && strings.HasPrefix(r.Measured.Unit, "%") && near([]string{m[1]}, []string{pick(limits, m[1])}) == nil {
			add("the rule's %s is compared with %s%s, but by its basis (“%s”) it is a count, and %s %% of the whole: rule and basis are in different units", m[1], r.Measured.Number, r.Measured.Unit, m[0], m[2])
		}
	}
	// Suppose that the basis says how uncertain the number is. If the tolerance is smaller than that and the verdict
	// is against the source, the verdict depends on chance.
	for _, m := range uncertainty.FindAllStringSubmatch(e.Basis, -1) {
		least, err := fraction(m[1])
		tol, err2 := fraction(string(r.Rule.Tolerance))
		if err == nil && err2 == nil && e.Kind == "claim" && r.Verdict == not && tol.Cmp(least) < 0 && tol.Cmp(new(big.Rat)) > 0 {
			add("it is NOT REPRODUCED by a tolerance of %s points, and its basis says that the number is uncertain by %s to %s: the row cannot be decided", string(r.Rule.Tolerance), m[1], m[2])
		}
	}
	return wrong
}

// pick returns the element of list that is equal to x as a number, even if it is written differently. If no element is
// equal to x, pick returns "0".
func pick(list []string, x string) string {
	a, err := fraction(x)
	if err != nil {
		return "0"
	}
	for _, s := range list {
		if b, err := fraction(s); err == nil && s != "" && a.Cmp(b) == 0 {
			return s
		}
	}
	return "0"
}
