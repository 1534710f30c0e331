package protocol

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/paper/record"
)

// unfinished lists the papers whose protocols still lack entries that people must write. A paper with a
// complete protocol must not be listed.
var unfinished []string

// TestRecords compares every committed record with its protocol. The record names its commit, each row has an
// entry with the rule that judged the row, each NOT REPRODUCED has a finding and a reason, each change has a
// reason, and no claim counts twice.
func TestRecords(t *testing.T) {
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	protocols, err := record.Protocols(root)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "figures", "*", record.FileName))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	rows := 0
	for _, path := range paths {
		res, err := record.Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		p := protocols[res.Paper]
		if p == nil {
			t.Errorf("%s has a record and no protocol", res.Paper)
			continue
		}
		rows += len(res.Rows)
		if !res.Committed() {
			t.Errorf("the record of %s does not name the commit that it was measured at: %v", res.Paper, res.Made)
		}
		lacks := p.Lacks(res)
		switch open := slices.Contains(unfinished, res.Paper); {
		case open && len(lacks) == 0:
			t.Errorf("%s lacks nothing: take it off the list of the unfinished", res.Paper)
		case open:
			t.Logf("%s: %d things are lacking ('overcomplete protocol %s' lists them)", res.Paper, len(lacks), res.Paper)
		case len(lacks) > 0:
			t.Errorf("%s:\n%s", res.Paper, strings.Join(lacks, "\n"))
		}
	}
	if rows < 600 {
		t.Errorf("the records have %d rows only", rows)
	}
}

// TestPast compares the history in the protocols with git, so that dates cannot be invented and changes
// cannot be omitted.
func TestPast(t *testing.T) {
	patience.SkipShort(t, "it asks git about each paper")
	root, _, err := record.Project(".")
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := git(t.Context(), root, "rev-parse", "--is-shallow-repository"); err != nil || strings.TrimSpace(whole) != "false" {
		t.Skipf("git does not have the whole history here (%s, %v)", strings.TrimSpace(whole), err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "paper", "*", record.ProtocolName))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		p, err := record.ReadProtocol(path)
		if err != nil {
			t.Error(err)
			continue
		}
		wrong, err := CheckHistory(t.Context(), root, p.Paper, filepath.Base(filepath.Dir(path)))
		if err != nil || len(wrong) > 0 {
			t.Errorf("%s (%v): run 'overcomplete protocol %s'\n%s", p.Paper, err, p.Paper, strings.Join(wrong, "\n"))
		}
	}
}

// TestExpected compares the rules in the expected results with the protocols. The expected results have the sizes of
// tests and lectures.
func TestExpected(t *testing.T) {
	root, _, err := record.Project(".")
	if err != nil {
		t.Fatal(err)
	}
	protocols, err := record.Protocols(root)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "suite", "regress", "expected", "*", "*.json"))
	if err != nil || len(paths) < 2*len(protocols) {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var expected struct{ Rows []record.Row }
		if err := json.Unmarshal(b, &expected); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		paper, size := strings.TrimSuffix(filepath.Base(path), ".json"), filepath.Base(filepath.Dir(path))
		var other []string
		for _, r := range expected.Rows {
			r.Size = size
			if protocols[paper].Agrees(r) != nil {
				other = append(other, r.ID)
			}
		}
		switch {
		case len(other) == 0:
		case slices.Contains(unfinished, paper):
			t.Logf("%s at %s size: the rules of %d rows are declared anew, and were not run by them", paper, size, len(other))
		default:
			t.Errorf("%s at %s size: other rules are declared of %s; run 'overcomplete check --update --size %s' if that is meant", paper, size, strings.Join(other, ", "), size)
		}
	}
}

// A repository is a git repository with a project of one paper.
type repository struct {
	t     *testing.T
	root  string
	day   string
	words string // at the end of the descriptions of all rows
}

func newRepository(t *testing.T) *repository {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	r := &repository{t: t, root: t.TempDir(), day: "2026-01-01"}
	r.git("init", "-q")
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	c.Dir = r.root
	c.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+r.day+"T12:00:00Z", "GIT_COMMITTER_DATE="+r.day+"T12:00:00Z", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits everything, dated on the given day, and returns the commit.
func (r *repository) commit(day string) string {
	r.t.Helper()
	r.day = day
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "m")
	return r.git("rev-parse", "--short=7", "HEAD")
}

// record writes a record with one row for each ID, with the given number, judged by the rule.
func (r *repository) record(rule record.Rule, numbers map[string]float64) {
	r.t.Helper()
	res := &record.Results{Schema: record.Schema, Paper: "x", Size: record.Full, Made: []record.Making{{}}, Rows: []record.Row{}}
	for _, id := range []string{"a", "b", "c"} {
		x, ok := numbers[id]
		if !ok {
			continue
		}
		row := record.Row{ID: id, What: "w" + r.words, Published: record.Published(1, "", "table 1, "+id), Measured: record.Number(x, ""), Rule: rule,
			Data: record.Real("d"), Size: record.Full, Seeds: []uint64{1, 2}, Reason: "because"}
		v, err := rule.Judge(row.Published, row.Measured)
		if err != nil {
			r.t.Fatal(err)
		}
		row.Verdict = v
		res.Rows = append(res.Rows, row)
	}
	b, err := res.Bytes()
	if err != nil {
		r.t.Fatal(err)
	}
	folder := filepath.Join(r.root, "figures", "x")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, record.FileName), b, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repository) write() (*Update, *record.Protocol) {
	r.t.Helper()
	folder := filepath.Join(r.root, "paper", "x2026")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		r.t.Fatal(err)
	}
	u, err := Write(context.Background(), r.root, "x", "x2026")
	if err != nil {
		r.t.Fatal(err)
	}
	p, err := record.ReadProtocol(filepath.Join(folder, record.ProtocolName))
	if err != nil {
		r.t.Fatal(err)
	}
	return u, p
}

// edit changes an entry as a person would.
func (r *repository) edit(id string, change func(*record.Entry)) {
	r.t.Helper()
	path := filepath.Join(r.root, "paper", "x2026", record.ProtocolName)
	p, err := record.ReadProtocol(path)
	if err != nil {
		r.t.Fatal(err)
	}
	i := slices.IndexFunc(p.Rows, func(e record.Entry) bool { return e.ID == id })
	if i < 0 {
		e := record.Entry{ID: id, Kind: record.Claim, Declared: record.Declaration{Date: today()}}
		i, p.Rows = len(p.Rows), append(p.Rows, e)
	}
	change(&p.Rows[i])
	b, err := p.Bytes()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func find(t *testing.T, p *record.Protocol, id string) record.Entry {
	t.Helper()
	e, ok := p.Entry(id)
	if !ok {
		t.Fatalf("nothing is declared of %s", id)
	}
	return e
}

// TestRewording: a commit that the protocol calls a rewording leaves no trace in the histories; any other change to
// descriptions does.
func TestRewording(t *testing.T) {
	r := newRepository(t)
	again := func(words, day string) string {
		r.words = words
		r.record(record.AtLeast(1), map[string]float64{"a": 2, "b": 2})
		return r.commit(day)
	}
	r.record(record.AtLeast(1), map[string]float64{"a": 2, "b": 2})
	r.commit("2026-01-02")
	r.write()
	r.commit("2026-01-02")
	path := filepath.Join(r.root, "paper", "x2026", record.ProtocolName)
	p, err := record.ReadProtocol(path)
	if err != nil {
		t.Fatal(err)
	}
	p.Rewordings = []record.Rewording{{Date: "2026-01-04", Why: "English"}, {Date: "2026-01-04", Why: "again"}}
	b, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	for i, state := range []struct{ words, day, changed string }{
		{", in other words", "2026-01-04", ""}, {", once more", "2026-01-05", ""}, {", and something else", "2026-01-06", "w, once more"},
	} {
		commit := again(state.words, state.day)
		_, p := r.write()
		if state.changed == "" && p.Rewordings[i].Commit != commit {
			t.Errorf("the rewording is in commit %s; the protocol says %+v", commit, p.Rewordings)
		}
		for _, e := range p.Rows {
			if state.changed == "" && len(e.History) > 0 || state.changed != "" && (len(e.History) != 1 || e.History[0].What != state.changed) {
				t.Errorf("%q: the history of %s is %+v", state.words, e.ID, e.History)
			}
		}
		if list, err := CheckHistory(t.Context(), r.root, "x", "x2026"); err != nil || len(list) > 0 {
			t.Errorf("%q: %q, %v", state.words, list, err)
		}
		r.commit(state.day)
	}
	p.Rewordings[0].Why = " "
	if _, err := p.Bytes(); err == nil {
		t.Error("a rewording needs no reason")
	}
}

// TestHistory covers what may happen to a row: it is measured in the commit that added its code, measured again with
// another verdict, judged by another rule, withdrawn, or declared before its measurement.
func TestHistory(t *testing.T) {
	r := newRepository(t)
	r.record(record.AtLeast(1), map[string]float64{"a": 0.5, "b": 2})
	first := r.commit("2026-01-01")
	r.record(record.AtLeast(1), map[string]float64{"a": 1.5, "b": 2})
	second := r.commit("2026-01-02")
	u, p := r.write()
	if !u.Changed || !slices.Equal(u.Added, []string{"a", "b"}) || !slices.Equal(u.Moved, []string{"a"}) {
		t.Errorf("%+v", u)
	}
	a := find(t, p, "a")
	if a.Declared != (record.Declaration{Date: "2026-01-01", Commit: first}) || !a.With || a.Kind != record.Claim || a.Draws != "seeds 1 2" ||
		len(a.History) != 1 || a.History[0] != (record.Change{Commit: second, Date: "2026-01-02", Rule: "at least 1", Verdict: record.NotReproduced, Measured: "0.5"}) {
		t.Errorf("%+v", a)
	}
	if b := find(t, p, "b"); len(b.History) != 0 || !b.With {
		t.Errorf("%+v", b)
	}
	if !slices.ContainsFunc(u.Lacks, func(s string) bool { return strings.HasPrefix(s, "a: why it was changed") }) {
		t.Errorf("%q", u.Lacks)
	}
	r.edit("a", func(e *record.Entry) {
		e.History[0].Why, e.Basis, e.Claim = "ten draws in place of three", "published rounding", "table-1"
	})
	r.commit("2026-01-03")

	// An update keeps everything that people wrote, and a second update changes nothing.
	u, p = r.write()
	if u.Changed || find(t, p, "a").History[0].Why != "ten draws in place of three" {
		t.Errorf("%+v, %+v", u, find(t, p, "a"))
	}

	// A rule is declared first, then measured.
	r.edit("c", func(e *record.Entry) { e.Rule = "at least 2" })
	declared := r.commit("2026-01-04")
	// Row b is now judged by another rule, in the same commit as its measurement. Before that is committed,
	// the change has no commit.
	r.edit("b", func(e *record.Entry) { e.Rule = "at least 2" })
	r.record(record.AtLeast(2), map[string]float64{"b": 1.5, "c": 3})
	u, p = r.write()
	if !slices.Contains(u.Withdrawn, "a") {
		t.Errorf("%+v", u)
	}
	b := find(t, p, "b")
	if len(b.History) != 1 || b.History[0].Commit != "" || b.History[0].Rule != "at least 1" || b.History[0].Verdict != record.Reproduced || b.Declared.Commit != "" || !b.With {
		t.Errorf("%+v", b)
	}
	r.edit("b", func(e *record.Entry) { e.History[0].Why = "1 was chance" })
	third := r.commit("2026-01-05")
	u, p = r.write()
	b = find(t, p, "b")
	if len(b.History) != 1 || b.History[0].Commit != third || b.History[0].Why != "1 was chance" || b.Declared.Commit != third || !b.With || b.RuleChanges() != 1 {
		t.Errorf("%+v", b)
	}
	if c := find(t, p, "c"); c.Declared != (record.Declaration{Date: "2026-01-04", Commit: declared}) || c.With || len(c.History) != 0 {
		t.Errorf("declared first: %+v", c)
	}
	// Row a has left the record: its entry remains, at the end, and needs a reason.
	a = find(t, p, "a")
	if a.Withdrawn == nil || a.Withdrawn.Commit != third || p.Rows[len(p.Rows)-1].ID != "a" {
		t.Errorf("%+v, %+v", a, a.Withdrawn)
	}
	if !slices.ContainsFunc(u.Lacks, func(s string) bool { return strings.HasPrefix(s, "a: no reason for its withdrawal") }) {
		t.Errorf("%q", u.Lacks)
	}
	// Row a no longer has a published value.
	path := filepath.Join(r.root, "figures", "x", record.FileName)
	r.record(record.AtLeast(2), map[string]float64{"a": 3, "b": 1.5, "c": 3})
	r.commit("2026-01-06")
	r.write()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := record.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	res.Rows[0].Published = record.Value{}
	if text, err = res.Bytes(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	fourth := r.commit("2026-01-07")
	_, p = r.write()
	if a = find(t, p, "a"); len(a.History) != 2+1 || a.History[2].Kind != record.Claim || a.History[2].Commit != fourth {
		t.Errorf("%+v", a)
	}
	against := func() []string {
		t.Helper()
		list, err := CheckHistory(t.Context(), r.root, "x", "x2026")
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := against(); len(got) != 0 {
		t.Errorf("%q", got)
	}
	// Invented entries and omissions are found.
	r.edit("c", func(e *record.Entry) { e.Declared.Date = "2025-12-31" })
	r.edit("b", func(e *record.Entry) { e.With = false })
	r.edit("a", func(e *record.Entry) { e.History = e.History[1:] })
	if got := against(); len(got) != 3 {
		t.Errorf("%q", got)
	}
	// Row a is in the record again.
	r.record(record.AtLeast(2), map[string]float64{"a": 3, "b": 1.5, "c": 3})
	r.commit("2026-01-08")
	if _, p = r.write(); find(t, p, "a").Withdrawn != nil || p.Rows[0].ID != "a" {
		t.Errorf("%+v", p.Rows)
	}
}

// TestNew covers a new paper, before its first record: an entry of the template goes when the run has other rows, a number
// that code computes is *, and what the rows of the last run lack is listed.
func TestNew(t *testing.T) {
	r := newRepository(t)
	r.git("commit", "-q", "--allow-empty", "-m", "m")
	r.write() // an empty protocol
	r.edit("template", func(e *record.Entry) { e.Rule, e.Basis = "holds", record.FillIn+": the basis" })
	r.edit("later", func(e *record.Entry) { e.Rule, e.Basis = "holds", "an identity" })
	if u, p := r.write(); len(u.Removed) != 0 || len(p.Rows) != 2 {
		t.Errorf("without a run: %+v, %+v", u, p.Rows)
	}
	r.record(record.Within(1.0/30), map[string]float64{"a": 1.01, "b": 3})
	run := filepath.Join(r.root, "figures", "run")
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.root, "figures", "x"), filepath.Join(run, "x")); err != nil {
		t.Fatal(err)
	}
	u, p := r.write()
	if !slices.Equal(u.Removed, []string{"template"}) || !slices.Equal(u.Added, []string{"a", "b"}) || !slices.Equal(u.Computed, u.Added) || len(p.Rows) != 3 {
		t.Errorf("%+v, %+v", u, p.Rows)
	}
	if e := find(t, p, "a"); e.Rule != "within * of the published" {
		t.Errorf("%+v", e)
	}
	want := []string{"b: NOT REPRODUCED without a finding", "a: its basis still says FILL-IN", "b: its basis still says FILL-IN"}
	if !slices.EqualFunc(u.Lacks, want, strings.HasPrefix) {
		t.Errorf("%q", u.Lacks)
	}
	// What a person has written is right, also beside the verdicts of a run of smoke size.
	r.edit("a", func(e *record.Entry) { e.Basis = "rounding" })
	r.edit("b", func(e *record.Entry) { e.Basis, e.Finding = "rounding", record.Unreached })
	path := filepath.Join(run, "x", record.FileName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size, number := range map[string]float64{record.Full: 3, record.Smoke: 1} {
		res, err := record.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range res.Rows {
			row := &res.Rows[i]
			row.Size = size
			if row.ID == "b" {
				row.Measured = record.Number(number, "")
				if row.Verdict, err = row.Rule.Judge(row.Published, row.Measured); err != nil {
					t.Fatal(err)
				}
			}
		}
		text, err := res.Bytes()
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if u, _ := r.write(); len(u.Lacks) != 0 {
			t.Errorf("%s: %q", size, u.Lacks)
		}
	}
}

func TestRuleOf(t *testing.T) {
	for want, rule := range map[string]record.Rule{
		"within 0.05 of the published":                                       record.Within(0.05),
		"within * of the published":                                          record.Within(4 * 0.0125 / math.Sqrt(200)),
		"within 7% of the published":                                         record.WithinFraction(0.07),
		"within 0.05 of the published; partly within *":                      record.Within(0.05).Partly(1.0 / 3),
		"at most * below the published, or above it; partly at most * below": record.AtLeastPublished(1.0 / 3).Partly(0.1),
		"between 1 and *":                                                    record.Between(1, math.Pi),
		"at least 1; partly from *":                                          record.AtLeast(1).Partly(math.Pi - 3),
		"at most 123456":                                                     record.AtMost(123456),
		"holds":                                                              record.Holds(),
	} {
		if got := ruleOf(rule); got != want || !record.SameRule(got, rule.String()) {
			t.Errorf("%q: %q, not %q", rule, got, want)
		}
	}
}

// The protocol also lists a row that left the record before there was a protocol. A row that had no data at first has
// a history, because its rule and what it measures may have been exchanged in that time. This does not count as a
// change to a verdict or to a rule unless a person says which rule the program had.
func TestLost(t *testing.T) {
	r := newRepository(t)
	r.record(record.NoData("lost"), map[string]float64{"a": 1, "b": 1})
	r.commit("2026-01-01")
	r.record(record.AtLeast(2), map[string]float64{"a": 1})
	second := r.commit("2026-01-02")
	u, p := r.write()
	a := find(t, p, "a")
	if len(a.History) != 1 || a.History[0].Verdict != record.Unknown || a.History[0].Rule != "no data" || a.History[0].Commit != second || a.Declared.Commit != second {
		t.Errorf("%+v", a)
	}
	if a.RuleChanges() != 0 || a.VerdictChanges(record.NotReproduced) != 0 {
		t.Errorf("%d rules and %d verdicts changed", a.RuleChanges(), a.VerdictChanges(record.NotReproduced))
	}
	if a.History[0].Coded = "holds"; a.RuleChanges() != 1 {
		t.Errorf("%d rules changed", a.RuleChanges())
	}
	if b := find(t, p, "b"); b.Withdrawn == nil || !slices.Contains(u.Withdrawn, "b") {
		t.Errorf("%+v", b)
	}
}
