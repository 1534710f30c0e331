package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Kind says whose statement a row examines. It determines whether the row's verdict counts.
type Kind string

// The kinds of rows. The scoreboard counts only rows of kind Claim, each claim once.
const (
	// Claim is a claim of the source: a number, or a sentence that says exactly what the rule tests.
	Claim Kind = "claim"
	// Reading is the project's interpretation of the source: the rule demands more than the source says, or
	// less, or only something similar. A fair author could reject the verdict.
	Reading Kind = "reading"
	// Construction is a statement that is true by the definition of the code. The row tests that code.
	Construction Kind = "construction"
	// OwnCheck is a check of the project's own, with no published value.
	OwnCheck Kind = "own"
)

var kinds = []Kind{Claim, Reading, Construction, OwnCheck}

// A Finding says what NOT REPRODUCED means for a row.
type Finding string

// The findings.
const (
	False     Finding = "false"     // the statement is false as written: there is a proof or a counterexample
	Unreached Finding = "unreached" // the source's number was not reached here, which does not refute the number
	Differs   Finding = "differs"   // another result was found, and it is open which of the two is right
)

var findings = []Finding{False, Unreached, Differs}

// A Protocol declares, for each row of a paper, the rule that judges it, the origin of the rule's tolerance,
// the random draws on which the row is measured, and when the rule was declared. Changes after a measurement
// are kept as history. A Protocol is stored in protocol.json in the paper's package.
type Protocol struct {
	Schema     string      `json:"schema"`
	Paper      string      `json:"paper"`
	Rewordings []Rewording `json:"rewordings,omitempty"`
	Rows       []Entry     `json:"rows"` // in the order of the record; withdrawn rows last
}

// A Rewording says that a commit described rows of the record in other words, and did not change what they measure. The
// histories of the rows do not list these descriptions.
type Rewording struct {
	Commit string `json:"commit,omitempty"` // empty until 'overcomplete protocol' finds the commit
	Date   string `json:"date"`             // 2006-01-02
	Why    string `json:"why"`
}

// Reworded reports whether the commit with the given name and date is one of the protocol's rewordings. A rewording
// without a commit stands for all commits since its date. Commit names may be abbreviated.
func (p *Protocol) Reworded(commit, date string) bool {
	return slices.ContainsFunc(p.Rewordings, func(r Rewording) bool {
		if r.Commit == "" {
			return date >= r.Date
		}
		return commit != "" && (strings.HasPrefix(commit, r.Commit) || strings.HasPrefix(r.Commit, commit))
	})
}

// ProtocolSchema is the version of the format of protocol.json.
const ProtocolSchema = "overcomplete/protocol/1"

// An Entry is what a protocol declares about one row: its kind, its rule and the reason for the rule, and its history.
type Entry struct {
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	// Claim names the claim that the row supports. Rows with the same claim count once. It is empty for a row that is a
	// claim of its own.
	Claim string `json:"claim,omitempty"`
	// Rule is the rule in words, as returned by Rule.String; * stands for a number that the experiment
	// computes as described in Basis. "no data" is the rule for a claim that cannot be measured.
	Rule string `json:"rule"`
	// Sizes holds rules that differ from Rule, by size.
	Sizes map[string]string `json:"sizes,omitempty"`
	Basis string            `json:"basis,omitempty"` // reason for the tolerance
	Draws string            `json:"draws,omitempty"` // seeds and number of draws
	// Declared says when the present rule was declared, and in which commit: the first commit that contains
	// the rule. The commit is empty until 'overcomplete protocol' finds it.
	Declared Declaration `json:"declared"`
	// With is set if the first measurement under this rule is in the same commit as the rule, or in an earlier commit.
	// In these cases nothing proves that the rule came first.
	With bool `json:"with,omitempty"`
	// Finding says what NOT REPRODUCED means. It is empty for other verdicts.
	Finding Finding `json:"finding,omitempty"`
	// History lists the changes after a measurement, oldest first.
	History []Change `json:"history,omitempty"`
	// Withdrawn is set for a row that is no longer in the record.
	Withdrawn *Withdrawal `json:"withdrawn,omitempty"`
}

// A Declaration says when and in which commit a rule was declared.
type Declaration struct {
	Date   string `json:"date"` // 2006-01-02
	Commit string `json:"commit,omitempty"`
}

// A Change records that a commit changed a row of the record: its rule, its verdict, its kind, or what is measured. It
// holds the old values.
//
// Changes to rows without data are recorded, too. In the record, the rule of such a row is "no data"; see Coded.
type Change struct {
	Commit   string  `json:"commit,omitempty"` // the commit that made the change; empty until the change is committed
	Date     string  `json:"date"`
	Rule     string  `json:"rule"` // the old rule
	Verdict  Verdict `json:"verdict"`
	Measured string  `json:"measured,omitempty"` // the value measured by the old rule
	// What holds the old description of what is measured, if the commit changed this description.
	What string `json:"what,omitempty"`
	// Coded is the rule that the program had for a row without data, if it differs from the rule that judged the row
	// later. The record does not contain this rule, because the row's rule there is "no data". Therefore a person
	// must write it here.
	Coded string `json:"coded,omitempty"`
	// Kind is the old kind, if the commit changed it.
	Kind Kind   `json:"kind,omitempty"`
	Why  string `json:"why"`
}

// A Withdrawal records that a row left the record.
type Withdrawal struct {
	Commit string `json:"commit,omitempty"`
	Date   string `json:"date"`
	Why    string `json:"why"`
}

// Entry returns the declaration of a row.
func (p *Protocol) Entry(id string) (Entry, bool) {
	if p != nil {
		for _, e := range p.Rows {
			if e.ID == id {
				return e, true
			}
		}
	}
	return Entry{}, false
}

// Agrees returns an error if a row's rule differs from the rule declared for its size. Rows without a
// declaration agree, and so do rows that were not measured.
func (p *Protocol) Agrees(r Row) error {
	e, ok := p.Entry(r.ID)
	if !ok {
		return nil
	}
	return checkDeclared(map[string]declaredRule{r.ID: {e.Rule, e.Sizes}}, r)
}

// CountedAs returns the name of the claim toward which a row counts: the claim that its entry names, or the row's own
// ID. It returns "" if the scoreboard does not count the row.
func (p *Protocol) CountedAs(r Row) string {
	e, ok := p.Entry(r.ID)
	switch {
	case r.Own(), ok && e.Kind != Claim:
		return ""
	case ok && e.Claim != "":
		return e.Claim
	}
	return r.ID
}

// VerdictChanges returns how often the row's verdict changed after its first measurement. The argument now is the row's
// present verdict.
func (e Entry) VerdictChanges(now Verdict) int {
	n := 0
	for i, c := range e.History {
		next := now
		if i+1 < len(e.History) {
			next = e.History[i+1].Verdict
		}
		if c.Verdict != Unknown && c.Verdict != next {
			n++
		}
	}
	return n
}

// RuleChanges returns how often the row's rule changed after the row entered the record. If the old rule of a Change is
// "no data", RuleChanges uses the rule in Coded instead, and skips the Change if Coded is empty. Replacing a number in
// the rule with *, which stands for a computed number, also counts as a change.
func (e Entry) RuleChanges() int {
	var rules []string
	for _, c := range e.History {
		if r := cmp.Or(c.Coded, c.Rule); r != ruleNoData {
			rules = append(rules, r)
		}
	}
	n := 0
	for i, old := range rules {
		next := e.Rule
		if i+1 < len(rules) {
			next = rules[i+1]
		}
		if !ruleMatches(next, old) || strings.Count(next, "*") > strings.Count(old, "*") {
			n++
		}
	}
	return n
}

// Validate returns the first error in the protocol itself, or nil. It does not compare the protocol with a
// record; Lacks does.
func (p *Protocol) Validate() error {
	if p == nil {
		return errors.New("record: no protocol")
	}
	if p.Schema != ProtocolSchema {
		return fmt.Errorf("record: the protocol's schema is %q, not %q", p.Schema, ProtocolSchema)
	}
	if err := checkPaper(p.Paper); err != nil {
		return err
	}
	for _, r := range p.Rewordings {
		if !day(r.Date) || strings.TrimSpace(r.Why) == "" {
			return fmt.Errorf("record: the protocol of %s: a rewording needs a date like 2006-01-02 and a reason: %+v", p.Paper, r)
		}
	}
	seen := map[string]bool{}
	for _, e := range p.Rows {
		if err := e.validate(); err != nil {
			return fmt.Errorf("record: the protocol of %s, row %q: %w", p.Paper, e.ID, err)
		}
		if seen[e.ID] {
			return fmt.Errorf("record: the protocol of %s declares %q twice", p.Paper, e.ID)
		}
		seen[e.ID] = true
	}
	return nil
}

func (e Entry) validate() error {
	switch {
	case !slug.MatchString(e.ID):
		return errors.New("the ID is not made of lower-case letters, digits and hyphens")
	case !slices.Contains(kinds, e.Kind):
		return fmt.Errorf("the kind %q is not one of %q", e.Kind, kinds)
	case e.Claim != "" && !slug.MatchString(e.Claim):
		return fmt.Errorf("the claim %q is not made of lower-case letters, digits and hyphens", e.Claim)
	case e.Claim != "" && e.Kind != Claim:
		return fmt.Errorf("it is no claim (its kind is %q) and is counted as the claim %q", e.Kind, e.Claim)
	case strings.TrimSpace(e.Rule) == "":
		return errors.New("there is no rule")
	case e.Finding != "" && !slices.Contains(findings, e.Finding):
		return fmt.Errorf("the finding %q is not one of %q", e.Finding, findings)
	case !day(e.Declared.Date):
		return fmt.Errorf("it was declared on %q, which is not a date like 2006-01-02", e.Declared.Date)
	}
	for size := range e.Sizes {
		if sizeRank(size) < 0 {
			return fmt.Errorf("a rule is declared for the size %q; it must be one of %v", size, sizes)
		}
	}
	for _, c := range e.History {
		if c.Kind != "" && !slices.Contains(kinds, c.Kind) {
			return fmt.Errorf("the change of %s has the kind %q, which is not one of %q", c.Date, c.Kind, kinds)
		}
		if !isKnown(c.Verdict) || c.Rule == "" || !day(c.Date) {
			return fmt.Errorf("the change of %q, commit %q, lacks its date, its old rule or a known old verdict", c.Date, c.Commit)
		}
	}
	if w := e.Withdrawn; w != nil && !day(w.Date) {
		return fmt.Errorf("it was withdrawn on %q, which is not a date like 2006-01-02", w.Date)
	}
	return nil
}

func day(s string) bool {
	if len(s) != len("2006-01-02") {
		return false
	}
	for i, c := range s {
		if (i == 4 || i == 7) != (c == '-') || c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Lacks lists what the protocol p still lacks for the rows of the results res, and where p and res contradict each
// other. The list is empty if the protocol is complete.
func (p *Protocol) Lacks(res *Results) []string {
	var list []string
	add := func(id, format string, args ...any) {
		list = append(list, fmt.Sprintf("%s: %s", id, fmt.Sprintf(format, args...)))
	}
	quotes := map[string]Entry{}
	for _, r := range res.Rows {
		e, ok := p.Entry(r.ID)
		if !ok {
			add(r.ID, "nothing is declared of it: 'overcomplete protocol' adds an entry")
			continue
		}
		if p.Agrees(r) != nil {
			add(r.ID, "the record has the rule %q, declared is %q", r.Rule, declaredRule{e.Rule, e.Sizes}.forSize(r.Size))
		}
		if e.Withdrawn != nil {
			add(r.ID, "it is withdrawn, and in the record")
		}
		if (e.Kind == OwnCheck) != r.Own() {
			add(r.ID, "its kind is %q, and it has a published value: %t", e.Kind, !r.Own())
		}
		if e.Kind != OwnCheck && e.Basis == "" && r.Verdict != Unknown {
			add(r.ID, "its entry does not say where its tolerance comes from (basis)")
		}
		switch failed := r.Verdict == NotReproduced && !r.Own(); {
		case failed && e.Finding == "":
			add(r.ID, "NOT REPRODUCED without a finding: write \"finding\" with one of %q into its entry", findings)
		case !failed && e.Finding != "":
			add(r.ID, "it has the finding %q and the verdict %s", e.Finding, r.Verdict)
		}
		if (r.Verdict == NotReproduced || r.Verdict == Unknown) && strings.TrimSpace(r.Reason) == "" {
			add(r.ID, "%s without a reason in its row: the code says it (Reason)", r.Verdict)
		}
		for _, c := range e.History {
			if strings.TrimSpace(c.Why) == "" {
				add(r.ID, "why it was changed on %s is not said", c.Date)
			}
		}
		// A published sentence or number counts once, unless each row that quotes it names, as its claim, the part
		// that the row examines.
		if e.Kind == Claim {
			q := r.Published.String() + "\n" + r.Published.Source
			first, again := quotes[q]
			if !again {
				quotes[q] = e
			} else if first.Claim == "" || e.Claim == "" {
				add(r.ID, "it quotes what %s quotes: both must name the claim that they are counted as (\"claim\": \"...\" in both entries), or, if they are different claims, their places in the source", first.ID)
			}
		}
	}
	for _, e := range p.Rows {
		if strings.Contains(e.Basis, FillIn) {
			add(e.ID, "its basis still says %s", FillIn)
		}
		if e.Withdrawn != nil && strings.TrimSpace(e.Withdrawn.Why) == "" {
			add(e.ID, "no reason for its withdrawal")
		}
	}
	return list
}

// A Tally counts the rows of a paper according to its protocol.
type Tally struct {
	// Claims counts each claim of the source once. A claim with several rows is REPRODUCED if all rows are,
	// NOT REPRODUCED if one row is, NO DATA if no row was measured, and PARTIAL in all other cases.
	Claims Counts
	// False, Unreached and Differs split Claims.NotReproduced. A claim with several rows counts as False if at least
	// one row does. Otherwise it counts as Differs if at least one row does. A row without a finding counts as Differs.
	False, Unreached, Differs int
	// Readings, Construction and Own count rows.
	Readings, Construction, Own Counts
	// Verdicts counts the rows whose verdict has changed since their first measurement. Rules counts the rows whose
	// rule has changed. A row counts even if the change was undone.
	Verdicts, Rules int
	// Measured counts the measured rows. The field Before counts the measured rows that have only ever had one rule,
	// which was declared in an earlier commit than the first measurement.
	Before, Measured int
	// Kinds counts the rows whose kind changed after their measurement.
	Kinds int
	// Later counts the rows, of any kind, whose recipe was chosen after another recipe had been evaluated on the same
	// test data.
	Later int
	// Numbers, Sentences and Others split Claims: published numbers about real data, sentences about real data, and
	// claims about generated data, about examples made by hand, or about no data at all. A claim with several rows
	// belongs to the first of these three groups in which it has a row.
	Numbers, Sentences, Others Counts
}

// Tally counts rows. A nil protocol is treated like an empty one: every row with a published value is a claim of its
// own.
func (p *Protocol) Tally(rows []Row) Tally {
	var t Tally
	var order []string
	told := map[string][]Row{}
	sorted := map[Kind][]Row{}
	for _, r := range rows {
		e, _ := p.Entry(r.ID)
		if e.VerdictChanges(r.Verdict) > 0 {
			t.Verdicts++
		}
		if e.RuleChanges() > 0 {
			t.Rules++
		}
		if slices.ContainsFunc(e.History, func(c Change) bool { return c.Kind != "" }) {
			t.Kinds++
		}
		if len(Looks(rows, r)) > 0 {
			t.Later++
		}
		if r.Verdict != Unknown {
			t.Measured++
			if e.Declared.Commit != "" && !e.With && e.RuleChanges() == 0 && p.Agrees(r) == nil {
				t.Before++
			}
		}
		name := p.CountedAs(r)
		switch {
		case r.Own():
			sorted[OwnCheck] = append(sorted[OwnCheck], r)
		case name == "":
			sorted[e.Kind] = append(sorted[e.Kind], r)
		default:
			if told[name] == nil {
				order = append(order, name)
			}
			told[name] = append(told[name], r)
		}
	}
	for _, name := range order {
		v, f := p.combine(told[name])
		t.Claims.add(v)
		t.partFor(told[name]).add(v)
		if v == NotReproduced {
			switch f {
			case False:
				t.False++
			case Unreached:
				t.Unreached++
			default:
				t.Differs++
			}
		}
	}
	t.Readings, t.Construction, t.Own = Count(sorted[Reading]), Count(sorted[Construction]), Count(sorted[OwnCheck])
	return t
}

// partFor returns the field of t (Numbers, Sentences or Others) that counts a claim with these rows.
func (t *Tally) partFor(rows []Row) *Counts {
	part := &t.Others
	for _, r := range rows {
		// A row with the verdict NO DATA need not name its data. It has this verdict because real data is missing, so
		// it counts as real.
		switch real := r.Data.IsReal() || r.Data == (Data{}) && r.Verdict == Unknown; {
		case real && r.Published.Kind == KindNumber:
			return &t.Numbers
		case real:
			part = &t.Sentences
		}
	}
	return part
}

// combine returns the verdict and the finding for a claim with several rows.
func (p *Protocol) combine(rows []Row) (Verdict, Finding) {
	c := Count(rows)
	switch n := c.Total(); {
	case c.NotReproduced > 0:
		f := Unreached
		for _, r := range rows {
			if r.Verdict != NotReproduced {
				continue
			}
			switch e, _ := p.Entry(r.ID); e.Finding {
			case False:
				return NotReproduced, False
			case Unreached:
			default:
				f = Differs
			}
		}
		return NotReproduced, f
	case c.Reproduced == n:
		return Reproduced, ""
	case c.NoData == n:
		return Unknown, ""
	}
	return Partial, ""
}

// Plus returns the sum of the tallies of two different papers.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.Claims.plus(u.Claims), t.False + u.False, t.Unreached + u.Unreached, t.Differs + u.Differs,
		t.Readings.plus(u.Readings), t.Construction.plus(u.Construction), t.Own.plus(u.Own), t.Verdicts + u.Verdicts, t.Rules + u.Rules, t.Before + u.Before, t.Measured + u.Measured, t.Kinds + u.Kinds, t.Later + u.Later, t.Numbers.plus(u.Numbers), t.Sentences.plus(u.Sentences), t.Others.plus(u.Others)}
}

// Bytes returns the protocol in its file format.
func (p *Protocol) Bytes() ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(p); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return b.Bytes(), nil
}

// ParseProtocol parses the output of Protocol.Bytes. Unknown fields, trailing data and protocols that are not valid
// are errors.
func ParseProtocol(b []byte) (*Protocol, error) {
	var p Protocol
	if err := unmarshalStrict(b, &p); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return &p, nil
}

// ReadProtocol reads a protocol from a file.
func ReadProtocol(path string) (*Protocol, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return parseAt(path, b)
}

// parseAt is like ParseProtocol, but adds the path to errors.
func parseAt(path string, b []byte) (*Protocol, error) {
	p, err := ParseProtocol(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Protocols reads the protocols of all papers of the project in root and returns them by paper. If protocols
// are unreadable, the error joins their errors, and the readable protocols are still returned.
func Protocols(root string) (map[string]*Protocol, error) {
	all := map[string]*Protocol{}
	var errs []error
	protocolFiles(root, func(path string, b []byte, err error) bool {
		var p *Protocol
		if err == nil {
			p, err = parseAt(path, b)
		}
		if err == nil && all[p.Paper] != nil {
			err = fmt.Errorf("record: %s: there is another protocol of %s", path, p.Paper)
		}
		if err != nil {
			errs = append(errs, err)
		} else {
			all[p.Paper] = p
		}
		return true
	})
	return all, errors.Join(errs...)
}
