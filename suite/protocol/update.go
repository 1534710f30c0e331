package protocol

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/inside"
	"overcomplete/paper/record"
)

// An Update describes what Write did to a paper's protocol.
type Update struct {
	Paper, File string
	Changed     bool     // the file was written
	Added       []string // rows that were not declared before
	Moved       []string // rows whose rule or verdict in the record changed after a measurement
	Withdrawn   []string // rows that have left the record
	Removed     []string // deleted entries: nobody had filled them in, and the last run did not measure their rows
	Lacks       []string // entries that only people can write
	Computed    []string // added rows with a * in their rule
}

// Write updates the protocol of a paper from the record, the record's history in git, and the rows of the last run
// that are not in the record. folder is the name of the paper's folder below paper/. Write keeps everything that
// people wrote.
func Write(ctx context.Context, root, paper, folder string) (*Update, error) {
	file := path.Join("paper", folder, record.ProtocolName)
	full := filepath.Join(root, filepath.FromSlash(file))
	p, err := record.ReadProtocol(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p = &record.Protocol{Schema: record.ProtocolSchema, Paper: paper}
	case err != nil:
		return nil, err
	case p.Paper != paper:
		return nil, fmt.Errorf("protocol: %s is the protocol of %s, not of %s", file, p.Paper, paper)
	}
	before, _ := os.ReadFile(full)
	versions, err := history(ctx, root, p)
	if err != nil {
		return nil, err
	}
	declared, err := declarations(ctx, root, file)
	if err != nil {
		return nil, err
	}
	recorded, err := readResults(filepath.Join(root, "figures", paper))
	if err != nil {
		return nil, err
	}
	run, err := readResults(filepath.Join(root, "figures", "run", paper))
	if err != nil {
		return nil, err
	}
	u := &Update{Paper: paper, File: file}
	findRewordings(p, versions)
	update(p, versions, declared, recorded, run, u)
	after, err := p.Bytes()
	if err != nil {
		return nil, err
	}
	if u.Changed = string(before) != string(after); u.Changed {
		if err := inside.Check(root, full); err != nil {
			return nil, fmt.Errorf("protocol: %w", err)
		}
		if err := atomicfile.Write(full, after, 0o644); err != nil {
			return nil, fmt.Errorf("protocol: %w", err)
		}
	}
	u.Lacks = p.Lacks(withNew(recorded, run, p))
	return u, nil
}

// withNew returns a copy of the record, extended by those rows of the last run that were measured and are not in the
// record. The verdicts of a run of smoke size do not count, because so small a run need not reproduce what the paper
// says: the added rows then get the verdicts that p expects.
func withNew(recorded, run *record.Results, p *record.Protocol) *record.Results {
	all := *recorded
	all.Rows = slices.Clone(recorded.Rows)
	for _, r := range run.Rows {
		if _, old := recorded.Row(r.ID); old || r.Verdict == record.Unknown {
			continue
		}
		if r.Size == record.Smoke {
			r.Verdict = record.Reproduced
			if e, _ := p.Entry(r.ID); e.Finding != "" {
				r.Verdict, r.Reason = record.NotReproduced, "as at the other sizes"
			}
		}
		all.Rows = append(all.Rows, r)
	}
	return &all
}

// CheckHistory compares the history in a protocol with git: when and in which commit each rule was declared,
// whether the first measurement came in the same commit, and how the row changed later. It returns the
// differences. Uncommitted entries are not compared.
func CheckHistory(ctx context.Context, root, paper, folder string) ([]string, error) {
	file := path.Join("paper", folder, record.ProtocolName)
	p, err := record.ReadProtocol(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	versions, err := history(ctx, root, p)
	if err != nil {
		return nil, err
	}
	declared, err := declarations(ctx, root, file)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range p.Rows {
		g := e
		g.History = nil
		follow(&g, versions, declared[e.ID])
		declare(&g, versions, declared)
		if e.Declared.Commit != "" && (e.Declared != g.Declared || e.With != g.With) {
			list = append(list, fmt.Sprintf("%s: the protocol says: declared %s in %q, first measured at the same time: %t; git says: %s, %q, %t", e.ID,
				e.Declared.Date, e.Declared.Commit, e.With, g.Declared.Date, g.Declared.Commit, g.With))
		}
		for _, c := range g.History {
			if c.Commit != "" && !slices.ContainsFunc(e.History, func(h record.Change) bool {
				return (h.Commit == c.Commit || h.Commit == "") && h.Rule == c.Rule && h.Verdict == c.Verdict && h.What == c.What && h.Kind == c.Kind
			}) {
				list = append(list, fmt.Sprintf("%s: commit %s changed this row, which was %s by the rule %q, but its history does not mention the change", e.ID, c.Commit, c.Verdict, c.Rule))
			}
		}
	}
	for _, id := range lostRows(versions, p.Rows) {
		list = append(list, fmt.Sprintf("%s: this row was in the record, but the protocol does not mention it", id))
	}
	return list, nil
}

// findRewordings sets the commit of each rewording that has none: the first commit since its date that describes a row
// in different words, and that no other rewording names.
func findRewordings(p *record.Protocol, versions []version) {
	for i := range p.Rewordings {
		r := &p.Rewordings[i]
		for k := 1; k < len(versions) && r.Commit == ""; k++ {
			v := versions[k]
			taken := slices.ContainsFunc(p.Rewordings, func(other record.Rewording) bool { return other.Commit == v.Commit })
			if v.Date >= r.Date && v.describes(versions[k-1]) && !taken {
				r.Commit = v.Commit
			}
		}
	}
}

// describes reports whether v describes a row in different words than an earlier version.
func (v version) describes(before version) bool {
	for id, s := range v.rows {
		if old, ok := before.rows[id]; ok && old.What != s.What {
			return true
		}
	}
	return false
}

// readResults reads the results in a folder. It returns empty results if there is no file.
func readResults(folder string) (*record.Results, error) {
	r, err := record.Read(filepath.Join(folder, record.FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return &record.Results{}, nil
	}
	return r, err
}

func update(p *record.Protocol, versions []version, declared map[string]declaredRow, recorded, run *record.Results, u *Update) {
	var rows []record.Entry
	have := func(id string) bool {
		return slices.ContainsFunc(rows, func(e record.Entry) bool { return e.ID == id })
	}
	claims := claimNames(withNew(recorded, run, p).Rows, p)
	for _, r := range recorded.Rows {
		e, ok := p.Entry(r.ID)
		if !ok {
			e = guess(r, claims)
			u.Added = append(u.Added, r.ID)
		}
		if e.Withdrawn != nil {
			e.Withdrawn = nil // the row is in the record again
		}
		rows = append(rows, e)
	}
	for _, e := range p.Rows { // declared rows that are not measured yet, in their places
		if have(e.ID) || e.Withdrawn != nil {
			continue
		}
		if _, measured := run.Row(e.ID); len(run.Rows) > 0 && !measured && strings.Contains(e.Basis, record.FillIn) {
			u.Removed = append(u.Removed, e.ID) // an entry of the template, or of a row that was renamed
			continue
		}
		rows = insert(rows, e, p.Rows)
	}
	for _, r := range run.Rows {
		if !have(r.ID) && r.Rule.Kind != record.NoData("").Kind {
			if _, gone := p.Entry(r.ID); !gone {
				e := guess(r, claims)
				rows = append(rows, e)
				if u.Added = append(u.Added, r.ID); strings.Contains(e.Rule, "*") {
					u.Computed = append(u.Computed, r.ID)
				}
			}
		}
	}
	for i := range rows {
		moved := follow(&rows[i], versions, declared[rows[i].ID])
		declare(&rows[i], versions, declared)
		switch {
		case rows[i].Withdrawn != nil:
			u.Withdrawn = append(u.Withdrawn, rows[i].ID)
		case moved:
			u.Moved = append(u.Moved, rows[i].ID)
		}
	}
	for _, e := range p.Rows { // rows withdrawn earlier
		if !have(e.ID) && e.Withdrawn != nil {
			follow(&e, versions, declared[e.ID])
			rows = append(rows, e)
		}
	}
	// Withdrawn rows come last, because the record does not order them.
	slices.SortStableFunc(rows, func(a, b record.Entry) int {
		switch {
		case a.Withdrawn == nil && b.Withdrawn != nil:
			return -1
		case a.Withdrawn != nil && b.Withdrawn == nil:
			return 1
		}
		return 0
	})
	for _, id := range lostRows(versions, rows) {
		rows = append(rows, ghost(id, versions))
		u.Withdrawn = append(u.Withdrawn, id)
	}
	p.Rows = rows
}

// insert inserts e into rows and returns the result. The place follows from the list oldRows, which contains e: e comes
// after the entry of rows that most closely precedes e in oldRows. If no entry of rows precedes e in oldRows, e comes
// last.
func insert(rows []record.Entry, e record.Entry, oldRows []record.Entry) []record.Entry {
	i := slices.IndexFunc(oldRows, func(o record.Entry) bool { return o.ID == e.ID })
	for i--; i >= 0; i-- {
		if k := slices.IndexFunc(rows, func(r record.Entry) bool { return r.ID == oldRows[i].ID }); k >= 0 {
			return slices.Insert(rows, k+1, e)
		}
	}
	return append(rows, e)
}

// claimNames returns the names of the claims that several rows state. Rows state the same claim if they have the same
// published text and the same source of this text. The claim's name is the ID of the first of these rows, unless that
// row's entry in the protocol declares another name. The keys of the result are the text and the source, separated by
// a line break.
func claimNames(rows []record.Row, p *record.Protocol) map[string]string {
	count, name := map[string]int{}, map[string]string{}
	for _, r := range rows {
		if r.Published.Kind != record.KindText {
			continue
		}
		if e, ok := p.Entry(r.ID); ok && e.Kind != record.Claim {
			continue
		}
		q := r.Published.Text + "\n" + r.Published.Source
		if count[q]++; count[q] == 1 {
			name[q] = r.ID
			if e, _ := p.Entry(r.ID); e.Claim != "" {
				name[q] = e.Claim
			}
		}
	}
	for q := range name {
		if count[q] < 2 {
			delete(name, q)
		}
	}
	return name
}

// guess returns a new protocol entry for r. It fills in the fields that follow from the row itself, and leaves the
// others to people. claims is the result of claimNames.
func guess(r record.Row, claims map[string]string) record.Entry {
	e := record.Entry{ID: r.ID, Kind: record.Claim, Rule: ruleOf(r.Rule), Declared: record.Declaration{Date: today()}}
	switch n := len(r.Seeds); {
	case r.Verdict == record.Unknown || n == 0:
	case n == 1:
		e.Draws = fmt.Sprintf("seed %d", r.Seeds[0])
	case n <= 4:
		e.Draws = "seeds " + strings.Trim(fmt.Sprint(r.Seeds), "[]")
	default:
		e.Draws = fmt.Sprintf("%d seeds from %d", n, r.Seeds[0])
	}
	if r.Own() {
		e.Kind = record.OwnCheck
		return e
	}
	e.Claim = claims[r.Published.Text+"\n"+r.Published.Source]
	switch r.Rule.Kind {
	case record.Holds().Kind, record.Same().Kind:
		e.Basis = "the statement is true or false"
	default:
		if r.Verdict != record.Unknown {
			e.Basis = record.FillIn + ": where the tolerance comes from"
		}
	}
	return e
}

var aNumber = regexp.MustCompile(`-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?`)

// ruleOf returns a rule in words, with * in place of the numbers that code has computed, because these differ between
// runs of different sizes. A number with more than six digits counts as computed: nobody would type it.
func ruleOf(r record.Rule) string {
	other := r
	for _, x := range []*float64{&other.Tolerance, &other.Slack, &other.Bound, &other.Upper} {
		digits, _, _ := strings.Cut(strconv.FormatFloat(*x, 'e', -1, 64), "e")
		if len(strings.Trim(digits, "-")) > 1+len(".12345") {
			*x *= 1.5 // this changes the words where the number is in them
		}
	}
	words, changed := r.String(), aNumber.FindAllString(other.String(), -1)
	i := -1
	return aNumber.ReplaceAllStringFunc(words, func(s string) string {
		if i++; s != changed[i] {
			return "*"
		}
		return s
	})
}

// follow adds to e.History the changes to the row in the given versions, and the changes to the row's kind in d. It
// sets e.Withdrawn if the row has left the record. It reports whether e has a history.
//
// Rows without data are followed, too: their rule and their description may change before there is a number, and the
// change must leave a trace.
func follow(e *record.Entry, versions []version, d declaredRow) bool {
	var last state
	recorded, there := false, false
	var gone version
	at := map[string]state{} // by commit of the protocol that changed the kind: the row's state then
	for _, v := range versions {
		s, ok := v.rows[e.ID]
		if !ok {
			if there {
				gone, there = v, false
			}
			continue
		}
		there = true
		described := s.What != last.What && !v.reworded
		if recorded && (s.Rule != last.Rule || s.Verdict != last.Verdict || s.Kind != last.Kind || described) {
			c := record.Change{Commit: v.Commit, Date: v.Date, Rule: last.Rule, Verdict: last.Verdict, Measured: last.Measured}
			if s.Kind != last.Kind {
				c.Kind = last.Kind
			}
			if described {
				c.What = last.What
			}
			note(e, c)
		}
		last, recorded = s, true
		for _, k := range d.kinds {
			if v.Commit != "" && v.seconds <= k.seconds && v.Commit != k.Commit {
				at[k.Commit] = s
			}
		}
	}
	for _, k := range d.kinds {
		// If the same commit changed the row in the record, that change has already been noted.
		if s, ok := at[k.Commit]; ok && !slices.ContainsFunc(e.History, func(c record.Change) bool { return c.Commit == k.Commit }) {
			note(e, record.Change{Commit: k.Commit, Date: k.Date, Rule: s.Rule, Verdict: s.Verdict, Measured: s.Measured, Kind: k.was})
		}
	}
	if recorded && !there && e.Withdrawn == nil {
		e.Withdrawn = &record.Withdrawal{Commit: gone.Commit, Date: gone.Date}
	}
	if w := e.Withdrawn; w != nil && w.Commit == "" && gone.Commit != "" {
		w.Commit, w.Date = gone.Commit, gone.Date
	}
	return len(e.History) > 0
}

// note adds the change c to an entry's history. If the history already has this change, note replaces it with c, but
// keeps what people wrote (Why and Coded). The change in the history may lack a commit, if it was noted before it was
// committed.
func note(e *record.Entry, c record.Change) {
	for i := range e.History {
		h := &e.History[i]
		if h.Commit == c.Commit || h.Commit == "" && h.Rule == c.Rule && h.Verdict == c.Verdict {
			c.Why, c.Coded = h.Why, h.Coded
			*h = c
			return
		}
	}
	at := len(e.History)
	for at > 0 && e.History[at-1].Date > c.Date {
		at--
	}
	e.History = slices.Insert(e.History, at, c)
}

// declare sets e.Declared to the earlier of two commits. One is the commit in which the entry's present rule first
// appeared in the protocol. The other is the commit in which the row was first measured by this rule. If neither is
// committed, e.Declared has only a date. declare sets e.With if the row has been measured by this rule, and no commit
// before the first measurement has the rule.
func declare(e *record.Entry, versions []version, declared map[string]declaredRow) {
	var first version
	measured := false
	for _, v := range versions {
		switch s, ok := v.rows[e.ID]; {
		case !ok || s.Verdict == record.Unknown:
		case !record.SameRule(e.Rule, s.Rule):
			measured = false
		case !measured:
			first, measured = v, true
		}
	}
	d, ok := declared[e.ID]
	ok = ok && d.rule == e.Rule
	switch {
	case ok && (!measured || first.Commit == "" || d.seconds <= first.seconds):
		e.Declared = record.Declaration{Date: d.Date, Commit: d.Commit}
		e.With = measured && first.Commit == d.Commit
	case measured && first.Commit != "":
		e.Declared = record.Declaration{Date: first.Date, Commit: first.Commit}
		e.With = true
	default: // neither is committed
		if e.Declared.Commit != "" {
			e.Declared = record.Declaration{Date: today()}
		}
		e.With = measured
	}
}

// lostRows returns the IDs of the rows that are in some version of the record but not among the protocol's entries.
func lostRows(versions []version, rows []record.Entry) []string {
	var ids []string
	for _, v := range versions {
		for _, id := range v.order {
			if !slices.Contains(ids, id) && !slices.ContainsFunc(rows, func(e record.Entry) bool { return e.ID == id }) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// ghost returns the entry of a row that left the record before the protocol declared it.
func ghost(id string, versions []version) record.Entry {
	e := record.Entry{ID: id, Kind: record.Claim, Declared: record.Declaration{Date: today()}}
	for _, v := range versions {
		if s, ok := v.rows[id]; ok {
			e.Rule = s.Rule
		}
	}
	follow(&e, versions, declaredRow{})
	declare(&e, versions, nil)
	return e
}
