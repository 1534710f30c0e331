package audit

import (
	"fmt"
	"strings"
)

// settled is the first day from which the audit counts changes to a row's kind. Before that day, the kinds were still
// being assigned.
const settled = "2026-11-25"

// past holds all versions of a paper's record, protocol and expected results, oldest first.
type past struct {
	record   []version
	protocol []version
	expected map[string][]version // by size
}

func (t *tree) past(paper, folder string) (*past, error) {
	p := &past{expected: map[string][]version{}}
	var err error
	if p.record, err = t.versions("figures/" + paper + "/results.json"); err != nil {
		return nil, err
	}
	if p.protocol, err = t.versions("paper/" + folder + "/protocol.json"); err != nil {
		return nil, err
	}
	for _, size := range []string{"smoke", "lecture"} {
		if p.expected[size], err = t.versions("suite/regress/expected/" + size + "/" + paper + ".json"); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// follow checks the histories in the protocol's entries, and returns what is missing. Once a row has appeared in the
// record or in the expected results, the history of its entry must mention certain later changes. In the record, these
// are changes to the row's rule, verdict, kind or description (but not if the protocol calls the commit a rewording).
// In the expected results, they are changes to its rule, and in the protocol, to its rule or kind. Each element of a
// history must give a reason. A row of the record must have an entry.
func (p *past) follow(protocol *protocol) (untold []finding, err error) {
	list := protocol.Rows
	byID := map[string]*entry{}
	for i := range list {
		byID[list[i].ID] = &list[i]
	}
	seen := map[string]int64{} // when a row was first in a record
	var order []string
	last := map[string]row{}
	for _, v := range p.record {
		rs, err := rows(v.text)
		if err != nil {
			return nil, fmt.Errorf("audit: the record in commit %s: %w", v.commit, err)
		}
		for _, r := range rs {
			old, ok := last[r.ID]
			last[r.ID] = r
			if !ok {
				if seen[r.ID] == 0 {
					seen[r.ID] = v.at
					order = append(order, r.ID)
				}
				continue
			}
			what := changes(&old, &r)
			if old.What != r.What && !protocol.reworded(v) {
				what = append(what, "what it measures")
			}
			if e := byID[r.ID]; len(what) > 0 && e != nil && !e.tells(v.commit, old.Verdict) {
				untold = append(untold, finding{Row: r.ID, Check: "history", Text: fmt.Sprintf("commit %s changed %s; before, it was %s: “%s”. The history does not say so", short(v.commit), strings.Join(what, " and "), old.Verdict, old.What)})
			}
		}
	}
	for _, id := range order {
		if byID[id] == nil {
			untold = append(untold, finding{Row: id, Check: "history", Text: "it was in the record, and the protocol does not mention it"})
		}
	}
	for size, list := range p.expected {
		lines := map[string]row{}
		for _, v := range list {
			rs, err := rows(v.text)
			if err != nil {
				return nil, fmt.Errorf("audit: the expected results of size %s in commit %s: %w", size, v.commit, err)
			}
			for _, r := range rs {
				if seen[r.ID] == 0 || v.at < seen[r.ID] {
					seen[r.ID] = v.at
				}
				old, ok := lines[r.ID]
				if e := byID[r.ID]; ok && e != nil && old.measured() && r.measured() && !sameRule(&old.Rule, &r.Rule) && !e.knows(&old.Rule) {
					untold = append(untold, finding{Row: r.ID, Check: "history", Text: fmt.Sprintf("commit %s changed its rule at %s size, and its history does not have the old one (%s)", short(v.commit), size, old.Rule.Kind)})
				}
				lines[r.ID] = r
			}
		}
	}
	declared := map[string]entry{}
	for _, v := range p.protocol {
		earlier, err := parseProtocol(v.text)
		if err != nil {
			return nil, fmt.Errorf("audit: the protocol in commit %s: %w", v.commit, err)
		}
		for _, now := range earlier.Rows {
			old, ok := declared[now.ID]
			declared[now.ID] = now
			e := byID[now.ID]
			if !ok || e == nil || seen[now.ID] == 0 || seen[now.ID] >= v.at {
				continue
			}
			if old.Rule != "no data" && now.Rule != "no data" && !alike(old.Rule, now.Rule) && !e.had(old.Rule) {
				untold = append(untold, finding{Row: now.ID, Check: "history", Text: fmt.Sprintf("commit %s declares “%s” in place of “%s”, and the history does not have the old rule", short(v.commit), now.Rule, old.Rule)})
			}
			if old.Kind != now.Kind && v.day >= settled && !e.was(old.Kind) {
				untold = append(untold, finding{Row: now.ID, Check: "history", Text: fmt.Sprintf("commit %s makes it a %s, and the history does not say that it was a %s", short(v.commit), now.Kind, old.Kind)})
			}
		}
	}
	for _, r := range protocol.Rewordings {
		if strings.TrimSpace(r.Why) == "" {
			untold = append(untold, finding{Check: "history", Text: "a rewording without a reason"})
		}
	}
	for i := range list {
		for _, h := range list[i].History {
			if strings.TrimSpace(h.Why) == "" {
				untold = append(untold, finding{Row: list[i].ID, Check: "history", Text: "a change without a reason"})
			}
		}
	}
	return untold, nil
}

// changes describes what differs between two states of a row in the record, except for the row's description.
func changes(old, now *row) (what []string) {
	if !sameRule(&old.Rule, &now.Rule) {
		what = append(what, "its rule")
	}
	if old.Verdict != now.Verdict {
		what = append(what, "its verdict")
	}
	if old.own() != now.own() {
		what = append(what, "whose statement it is")
	}
	return what
}

// sameRule reports whether two rules are the same. It ignores digits that are lost when the rules are written in
// words.
func sameRule(a, b *rule) bool {
	if a.Kind != b.Kind || a.Hand != b.Hand {
		return false
	}
	x := []string{string(a.Bound), string(a.Upper), string(a.Tolerance), string(a.Slack)}
	y := []string{string(b.Bound), string(b.Upper), string(b.Tolerance), string(b.Slack)}
	return near(x, y) == nil
}

// tells returns true if the history says that the given commit changed the row, and that the row had the given verdict
// before. An entry of the history that names no commit matches every commit.
func (e *entry) tells(commit, verdict string) bool {
	for _, h := range e.History {
		if (h.Commit == "" || commit != "" && strings.HasPrefix(commit, h.Commit)) && h.Verdict == verdict {
			return true
		}
	}
	return false
}

// had reports whether the history contains the rule with the given wording.
func (e *entry) had(words string) bool {
	for _, h := range e.History {
		if alike(h.Rule, words) || h.Coded != "" && alike(h.Coded, words) {
			return true
		}
	}
	return false
}

// knows reports whether r, a rule of the expected results, is in the history or is declared for some size.
func (e *entry) knows(r *rule) bool {
	if words(e.Rule, *r) == nil {
		return true
	}
	for _, s := range e.Sizes {
		if words(s, *r) == nil {
			return true
		}
	}
	for _, h := range e.History {
		if words(h.Rule, *r) == nil {
			return true
		}
	}
	return false
}

// was returns true if the history says that the row once had this kind.
func (e *entry) was(kind string) bool {
	for _, h := range e.History {
		if h.Kind == kind {
			return true
		}
	}
	return false
}

// alike reports whether two rules in words are the same. In either, * stands for any number.
func alike(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && !star(x[i], y[i]) && !star(y[i], x[i]) {
			return false
		}
	}
	return true
}

// star reports whether a word matches the pattern called with. The first * in the pattern stands for a number. If the
// pattern has no *, star returns false.
func star(with, word string) bool {
	before, after, ok := strings.Cut(with, "*")
	number, ok1 := strings.CutPrefix(word, before)
	number, ok2 := strings.CutSuffix(number, after)
	if !ok || !ok1 || !ok2 {
		return false
	}
	_, err := fraction(number)
	return err == nil && number != ""
}

// short returns the first digits of a commit's name.
func short(commit string) string {
	if commit == "" {
		return "(not yet committed)"
	}
	return commit[:min(7, len(commit))]
}
