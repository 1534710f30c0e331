package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/module"
)

func entry(id string, kind Kind, rule string) Entry {
	return Entry{ID: id, Kind: kind, Rule: rule, Basis: "standard error", Declared: Declaration{Date: "2026-11-01", Commit: "abc1234"}}
}

// declare makes a project with a protocol for paper x.
func declare(t *testing.T, rows ...Entry) (root string) {
	t.Helper()
	root = t.TempDir()
	b, err := (&Protocol{Schema: ProtocolSchema, Paper: "x", Rows: rows}).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module " + module.Path + "\n", "paper/x2026/" + ProtocolName: string(b)} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func measuredRow(id string, x float64, rule Rule) Row {
	return Row{ID: id, What: "w", Published: Published(1, "", "p. 1"), Measured: Number(x, ""), Rule: rule, Data: Generated("d"), Reason: "because"}
}

// A rule other than the declared one is refused.
func TestDeclaredRule(t *testing.T) {
	e := entry("a", Claim, "within 0.1 of the published")
	e.Sizes = map[string]string{Lecture: "within 0.5 of the published"}
	free := entry("b", Claim, "at least *")
	root := declare(t, e, free)
	smoke, err := StartIn(root, "x", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		row  Row
		good bool
	}{
		{measuredRow("a", 1, Within(0.1)), true},
		{measuredRow("a", 9, Within(0.1)), true}, // an unfavorable verdict
		{measuredRow("a", 9, Within(10)), false},
		{measuredRow("a", 9, Within(0.1).Partly(10)), false},
		{measuredRow("a", 9, AtLeast(1)), false},
		{measuredRow("a", 9, ByHand(Reproduced, "it looks right")), false},
		{Row{ID: "a", What: "w", Published: Published(1, "", "p. 1"), Rule: NoData("lost")}, true},
		{measuredRow("b", 9, AtLeast(3)), true},
		{measuredRow("b", 9, AtLeast(-2.5e-7)), true},
		{measuredRow("b", 9, AtMost(3)), false},
		{measuredRow("b", 9, AtLeast(3).Partly(1)), false},
		{measuredRow("of-which-nothing-is-declared", 9, AtLeast(3)), true},
	} {
		err := smoke.Add(c.row)
		if (err == nil) != c.good {
			t.Errorf("%s by %q: %v", c.row.ID, c.row.Rule, err)
		}
		if err != nil && !strings.Contains(err.Error(), "paper/PROTOCOL.md") {
			t.Errorf("it does not say what to do: %v", err)
		}
	}
	lecture, err := StartIn(root, "x", Lecture, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := lecture.Add(measuredRow("a", 1.4, Within(0.5))); err != nil {
		t.Error(err)
	}
	if err := lecture.Add(measuredRow("a", 1.4, Within(0.1))); err == nil {
		t.Error("the rule of another size was taken")
	}
	// A row that was measured before the rule changed is also refused.
	row := measuredRow("a", 9, Within(10))
	row.Verdict, row.Size, row.Seeds = Reproduced, Smoke, []uint64{1}
	if err := smoke.Replay([]Event{{Row: &row}}, t.TempDir(), Making{}); err == nil {
		t.Error("a kept row with another rule was taken")
	}
	// Another paper's protocol does not apply.
	other, err := StartIn(root, "y", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Add(measuredRow("a", 9, Within(10))); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(root, "paper", "x2026", ProtocolName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := StartIn(root, "x", Smoke, 1); err == nil {
		t.Error("a run began with a protocol that cannot be read")
	}
}

// Rows without a declaration cannot enter a record.
func TestPromoteDeclared(t *testing.T) {
	root := declare(t, entry("a", Claim, "at least 1"))
	for _, c := range []struct {
		id   string
		good bool
	}{{"b", false}, {"a", true}} {
		r, err := StartIn(root, "x", Smoke, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Add(measuredRow(c.id, 2, AtLeast(1))); err != nil {
			t.Fatal(err)
		}
		if err := r.Finish(); err != nil {
			t.Fatal(err)
		}
		if _, err := PromoteIn(root, "x", false); (err == nil) != c.good {
			t.Errorf("%s: %v", c.id, err)
		}
	}
}

// A paper with a place that is not filled in cannot enter the record, whether the place is in its protocol, its code or
// its notebook.
func TestPromoteUnfilled(t *testing.T) {
	root := declare(t, entry("a", Claim, "at least 1"))
	r, err := StartIn(root, "x", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Add(measuredRow("a", 2, AtLeast(1))); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "notebooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"paper/x2026/doc.go", "notebooks/x.ipynb"} {
		path := filepath.Join(root, filepath.FromSlash(place))
		if err := os.WriteFile(path, []byte("// FILL-IN: the authors\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := PromoteIn(root, "x", false); err == nil || !strings.Contains(err.Error(), place+" still says FILL-IN") {
			t.Errorf("%s: %v", place, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := PromoteIn(root, "x", false); err != nil {
		t.Fatal(err)
	}
	if rules := (map[string]declaredRule{"a": {Rule: "within 0.1"}}); !strings.Contains(fmt.Sprint(checkDeclared(rules, measuredRow("a", 2, AtLeast(1)))), "declare * in its place") {
		t.Error(checkDeclared(rules, measuredRow("a", 2, AtLeast(1))))
	}
}

func TestTally(t *testing.T) {
	claim := func(id, name string, f Finding) Entry {
		e := entry(id, Claim, "at least 1")
		e.Claim, e.Finding = name, f
		return e
	}
	row := func(id string, v Verdict) Row {
		return Row{ID: id, Published: Published(1, "", "p. 1"), Verdict: v, Rule: AtLeast(1), Size: Smoke, Data: Generated("d")}
	}
	on := func(r Row, d Data) Row { r.Data = d; return r }
	sentence := func(r Row) Row { r.Published = Text("so", "p. 1"); return r }
	for _, c := range []struct {
		name    string
		entries []Entry
		rows    []Row
		want    Tally
	}{
		{"without a protocol", nil, []Row{row("a", Reproduced), row("b", NotReproduced), {ID: "c", Verdict: Reproduced}},
			Tally{Claims: Counts{Reproduced: 1, NotReproduced: 1}, Differs: 1, Own: Counts{Reproduced: 1}}},
		{"all of them hold", []Entry{claim("a", "one", ""), claim("b", "one", "")}, []Row{row("a", Reproduced), row("b", Reproduced)}, Tally{Claims: Counts{Reproduced: 1}}},
		{"one is partial", []Entry{claim("a", "one", ""), claim("b", "one", "")}, []Row{row("a", Reproduced), row("b", Partial)}, Tally{Claims: Counts{Partial: 1}}},
		{"one has no data", []Entry{claim("a", "one", ""), claim("b", "one", "")}, []Row{row("a", Reproduced), row("b", Unknown)}, Tally{Claims: Counts{Partial: 1}}},
		{"none has data", []Entry{claim("a", "one", ""), claim("b", "one", "")}, []Row{row("a", Unknown), row("b", Unknown)}, Tally{Claims: Counts{NoData: 1}}},
		{"one fails", []Entry{claim("a", "one", ""), claim("b", "one", Unreached)}, []Row{row("a", Reproduced), row("b", NotReproduced)}, Tally{Claims: Counts{NotReproduced: 1}, Unreached: 1}},
		{"a counterexample", []Entry{claim("a", "one", False), claim("b", "one", Unreached)}, []Row{row("a", NotReproduced), row("b", NotReproduced)}, Tally{Claims: Counts{NotReproduced: 1}, False: 1}},
		{"two that fail", []Entry{claim("a", "one", Differs), claim("b", "one", Unreached)}, []Row{row("a", NotReproduced), row("b", NotReproduced)}, Tally{Claims: Counts{NotReproduced: 1}, Differs: 1}},
		{"a copy by the first one's name", []Entry{claim("a", "", ""), claim("b", "a", "")}, []Row{row("a", Reproduced), row("b", Reproduced)}, Tally{Claims: Counts{Reproduced: 1}}},
		{"not counted", []Entry{entry("a", Reading, "holds"), entry("b", Construction, "holds")}, []Row{row("a", NotReproduced), row("b", Reproduced)},
			Tally{Readings: Counts{NotReproduced: 1}, Construction: Counts{Reproduced: 1}}},
		{"a number on real data", []Entry{claim("a", "", "")}, []Row{on(row("a", Reproduced), Real("d"))}, Tally{Claims: Counts{Reproduced: 1}, Numbers: Counts{Reproduced: 1}}},
		{"a number without data", []Entry{claim("a", "", "")}, []Row{on(row("a", Unknown), Data{})}, Tally{Claims: Counts{NoData: 1}, Numbers: Counts{NoData: 1}}},
		{"a sentence on real data", []Entry{claim("a", "", "")}, []Row{sentence(on(row("a", Partial), Real("d")))}, Tally{Claims: Counts{Partial: 1}, Sentences: Counts{Partial: 1}}},
		{"an example is no real data", []Entry{claim("a", "", "")}, []Row{on(row("a", Reproduced), Example("d"))}, Tally{Claims: Counts{Reproduced: 1}}},
		{"one of the rows is a number on real data", []Entry{claim("a", "one", ""), claim("b", "one", "")}, []Row{sentence(row("a", Reproduced)), on(row("b", Reproduced), Real("d"))},
			Tally{Claims: Counts{Reproduced: 1}, Numbers: Counts{Reproduced: 1}}},
	} {
		if c.want.Numbers == (Counts{}) && c.want.Sentences == (Counts{}) {
			c.want.Others = c.want.Claims
		}
		for i := range c.entries {
			c.entries[i].Rule = "at least 1"
		}
		var p *Protocol
		if c.entries != nil {
			p = &Protocol{Rows: c.entries}
		}
		for _, r := range c.rows {
			if r.Verdict != Unknown {
				c.want.Measured++
				if c.entries != nil { // declared in a commit without a measurement
					c.want.Before++
				}
			}
		}
		if got := p.Tally(c.rows); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if got := p.Tally(c.rows).Plus(Tally{}); got != c.want {
			t.Errorf("%s: with nothing more it is %+v", c.name, got)
		}
	}
}

// A rule counts as older than its measurement only if it was declared in an earlier commit, and no
// other rule judged the row before.
func TestBefore(t *testing.T) {
	row := Row{ID: "a", Published: Published(1, "", "p. 1"), Verdict: Reproduced, Rule: AtLeast(1), Size: Smoke}
	for name, c := range map[string]struct {
		want   int
		change func(*Entry)
	}{
		"declared alone":        {1, func(e *Entry) {}},
		"with its measurement":  {0, func(e *Entry) { e.With = true }},
		"not committed":         {0, func(e *Entry) { e.Declared.Commit = "" }},
		"not yet measured by":   {0, func(e *Entry) { e.Rule = "at least 2" }},
		"in place of another":   {0, func(e *Entry) { e.History = []Change{{Rule: "at least 2", Verdict: Reproduced}} }},
		"computed from now on":  {0, func(e *Entry) { e.Rule, e.History = "at least *", []Change{{Rule: "at least 1", Verdict: Reproduced}} }},
		"another verdict since": {1, func(e *Entry) { e.History = []Change{{Rule: "at least 1", Verdict: Partial}} }},
	} {
		e := entry("a", Claim, "at least 1")
		c.change(&e)
		if got := (&Protocol{Rows: []Entry{e}}).Tally([]Row{row}); got.Before != c.want || got.Measured != 1 {
			t.Errorf("%s: %d of %d", name, got.Before, got.Measured)
		}
	}
}

func TestChanges(t *testing.T) {
	e := entry("a", Claim, "at least 2")
	if e.VerdictChanges(Reproduced)+e.RuleChanges() != 0 {
		t.Error("no history, and changes")
	}
	// The rule was first made weaker, and then the row satisfied it. Later the row was measured on more draws, and no
	// longer satisfied it.
	e.History = []Change{{Rule: "at least 3", Verdict: NotReproduced}, {Rule: "at least 2", Verdict: Reproduced}}
	if v, r := e.VerdictChanges(NotReproduced), e.RuleChanges(); v != 2 || r != 1 {
		t.Errorf("%d and %d", v, r)
	}
	if v := e.VerdictChanges(Reproduced); v != 1 {
		t.Errorf("%d", v)
	}
}

// Each possible omission of a protocol is reported separately.
func TestLacks(t *testing.T) {
	good := func() (Entry, Row) {
		r := measuredRow("a", 0, AtLeast(1))
		r.Verdict, r.Size = NotReproduced, Smoke
		e := entry("a", Claim, "at least 1")
		e.Finding = Unreached
		e.History = []Change{{Date: "2026-11-02", Rule: "at least 1", Verdict: Reproduced, Why: "more draws"}}
		return e, r
	}
	lacks := func(rows []Row, entries ...Entry) []string {
		return (&Protocol{Schema: ProtocolSchema, Paper: "x", Rows: entries}).Lacks(&Results{Rows: rows})
	}
	e, r := good()
	if got := lacks([]Row{r}, e); len(got) != 0 {
		t.Fatalf("%q", got)
	}
	for want, change := range map[string]func(*Entry, *Row){
		"nothing is declared":   func(e *Entry, r *Row) { e.ID = "b" },
		"has the rule":          func(e *Entry, r *Row) { e.Rule = "at least 2" },
		"withdrawn, and":        func(e *Entry, r *Row) { e.Withdrawn = &Withdrawal{Date: "2026-11-02", Why: "w"} },
		"its kind is":           func(e *Entry, r *Row) { r.Published, e.Finding = Value{}, "" },
		"(basis)":               func(e *Entry, r *Row) { e.Basis = "" },
		"still says FILL-IN":    func(e *Entry, r *Row) { e.Basis = "FILL-IN: four standard errors" },
		"without a finding":     func(e *Entry, r *Row) { e.Finding = "" },
		"it has the finding":    func(e *Entry, r *Row) { r.Verdict = Reproduced },
		"without a reason":      func(e *Entry, r *Row) { r.Reason = " " },
		"why it was changed on": func(e *Entry, r *Row) { e.History[0].Why = "" },
	} {
		e, r := good()
		change(&e, &r)
		if got := lacks([]Row{r}, e); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s: %q", want, got)
		}
	}
	e, r = good()
	gone := entry("gone", Claim, "holds")
	gone.Withdrawn = &Withdrawal{Date: "2026-11-02"}
	if got := lacks([]Row{r}, e, gone); len(got) != 1 || !strings.Contains(got[0], "no reason for its withdrawal") {
		t.Errorf("%q", got)
	}
	// The same number in the source may not count twice without a declaration.
	e2, r2 := e, r
	e2.ID, r2.ID = "b", "b"
	if got := lacks([]Row{r, r2}, e, e2); len(got) != 1 || !strings.Contains(got[0], "both must name the claim") {
		t.Errorf("%q", got)
	}
	e.Claim, e2.Claim = "one", "one"
	if got := lacks([]Row{r, r2}, e, e2); len(got) != 0 {
		t.Errorf("%q", got)
	}
	e.Claim, e2.Claim, e2.Kind = "", "", Reading
	if got := lacks([]Row{r, r2}, e, e2); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestProtocolValidate(t *testing.T) {
	good := Protocol{Schema: ProtocolSchema, Paper: "x", Rows: []Entry{entry("a", Claim, "holds")}}
	if b, err := good.Bytes(); err != nil {
		t.Fatal(err)
	} else if p, err := ParseProtocol(b); err != nil || len(p.Rows) != 1 {
		t.Fatal(p, err)
	} else if _, err := ParseProtocol(append(b, '{')); err == nil {
		t.Error("text after the end was read")
	}
	for name, change := range map[string]func(*Protocol, *Entry){
		"schema":    func(p *Protocol, e *Entry) { p.Schema = "2" },
		"paper":     func(p *Protocol, e *Entry) { p.Paper = "X" },
		"twice":     func(p *Protocol, e *Entry) { p.Rows = append(p.Rows, *e) },
		"id":        func(p *Protocol, e *Entry) { e.ID = "A b" },
		"kind":      func(p *Protocol, e *Entry) { e.Kind = "guess" },
		"claim":     func(p *Protocol, e *Entry) { e.Claim = "A b" },
		"uncounted": func(p *Protocol, e *Entry) { e.Kind, e.Claim = Reading, "one" },
		"rule":      func(p *Protocol, e *Entry) { e.Rule = " " },
		"finding":   func(p *Protocol, e *Entry) { e.Finding = "bad" },
		"date":      func(p *Protocol, e *Entry) { e.Declared.Date = "yesterday" },
		"size":      func(p *Protocol, e *Entry) { e.Sizes = map[string]string{"huge": "holds"} },
		"history": func(p *Protocol, e *Entry) {
			e.History = []Change{{Date: "2026-11-02", Rule: "holds", Verdict: "GOOD"}}
		},
		"withdrawn": func(p *Protocol, e *Entry) { e.Withdrawn = &Withdrawal{} },
	} {
		p := good
		p.Rows = slices.Clone(good.Rows)
		change(&p, &p.Rows[0])
		if err := p.Validate(); err == nil {
			t.Errorf("%s: it passes", name)
		}
	}
}

// Looks are counted in the order of the rows. Rows with the same recipe are one look; rows without data are no look.
func TestLooks(t *testing.T) {
	at := func(data, recipe string, v Verdict) Row {
		return Row{Look: Look{At: data, Recipe: recipe}, Verdict: v}
	}
	rows := []Row{at("test", "first", Reproduced), at("other", "x", Reproduced), at("test", "not run", Unknown), at("test", "first", Partial), {}, at("test", "second", NotReproduced), at("test", "third", Reproduced)}
	for i, want := range [][]string{nil, nil, nil, nil, nil, {"first"}, {"first", "second"}} {
		if got := Looks(rows, rows[i]); !slices.Equal(got, want) {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
	var p *Protocol
	if n := p.Tally(rows).Later; n != 2 {
		t.Errorf("%d rows with a later look", n)
	}
	r := measuredRow("a", 1, AtLeast(1))
	r.Size, r.Verdict, r.Look = Full, Reproduced, Look{At: "test"}
	if r.Validate() == nil {
		t.Error("a look without a recipe is valid")
	}
}
