package record

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/module"
)

func TestJudge(t *testing.T) {
	n := func(x float64) Value { return Published(x, "", "here") }
	for _, c := range []struct {
		rule      Rule
		pub, meas Value
		want      Verdict // "" for an error
	}{
		{Within(0.1), n(0.2), n(0.3), Reproduced}, // although 0.3-0.2 > 0.1 in binary
		{Within(0.1), n(0.2), n(0.30001), NotReproduced},
		{Within(0.1).Partly(0.1), n(0.2), n(0.35), Partial},
		{Within(0.1), n(math.Inf(1)), n(math.Inf(1)), Reproduced},
		{Within(0.1), n(1), n(math.Inf(1)), NotReproduced},
		{WithinFraction(0.05), n(100), n(104), Reproduced},
		{WithinFraction(0.05), n(-100), n(-106), NotReproduced},
		{WithinFraction(0.05), n(0), n(1), NotReproduced},
		{WithinFraction(0.05), n(0), n(0), Reproduced},
		{AtLeast(95), Text("always", "p. 1"), n(95), Reproduced},
		{AtLeast(95).Partly(5), Value{}, n(91), Partial},
		{AtLeast(95), Value{}, n(94.9), NotReproduced},
		{AtMost(5), Value{}, n(math.Inf(1)), NotReproduced},
		{AtMost(5), Value{}, n(math.Inf(-1)), Reproduced},
		{AtLeastPublished(1), n(10), n(9), Reproduced},
		{AtMostPublished(1), n(10), n(11.5), NotReproduced},
		{Between(1, 2), Value{}, n(2), Reproduced},
		{Between(1, 2).Partly(1), Value{}, n(0.5), Partial},
		{Holds(), Text("it diverges", "E3"), Bool(true, "12 of 12"), Reproduced},
		{Holds(), Text("it diverges", "E3"), Bool(false, ""), NotReproduced},
		{Same(), Text("Laplacian", "p"), Text(" laplacian", ""), Reproduced},
		{NoData("the recordings are not public"), n(1), Value{}, Unknown},
		{ByHand(Partial, "the figure has no numbers"), n(1), Value{}, Partial},
		{Rule{}, n(1), n(1), ""},
		{Rule{Kind: "roughly"}, n(1), n(1), ""},
		{Within(1), Text("many", "p"), n(1), ""},
		{Within(1), n(1), Bool(true, ""), ""},
		{Within(-1), n(1), n(1), ""},
		{Within(math.NaN()), n(1), n(1), ""},
		{AtLeast(math.Inf(-1)), n(1), n(1), ""},
		{AtLeast(1), n(1), n(math.NaN()), ""},
		{Between(2, 1), n(1), n(1), ""},
		{Holds(), n(1), n(1), ""},
		{NoData(" "), n(1), n(1), ""},
		{ByHand(Partial, ""), n(1), n(1), ""},
		{ByHand("FINE", "because"), n(1), n(1), ""},
		{Rule{Kind: "within", Tolerance: 9, Hand: Reproduced}, n(1), n(1), ""},
	} {
		v, err := c.rule.Judge(c.pub, c.meas)
		if v != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v of %v and %v: %q, %v; want %q", c.rule, c.pub, c.meas, v, err, c.want)
		}
	}
}

func root(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("// mine\nmodule "+module.Path+" // yes\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func sample(t testing.TB, dir, size string, angle float64) *Run {
	t.Helper()
	r, err := StartIn(dir, "lewicki", size, 7)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(r.Add(Row{ID: "angle", What: "worst angle of the columns found", Published: Text("recovered", "fig. 2"),
		Measured: Number(angle, "°"), Spread: 0.5, SpreadOf: "standard deviation over 50 seeds", Rule: AtMost(5).Partly(5), Repeat: 0.1,
		Data: Generated("mixtures"), Figure: "angles"}))
	must(r.Add(Row{ID: "runaway", What: "the post's rule runs away <always> | often", Published: Text("exploding losses", "E3"),
		Measured: Number(math.Inf(1), ""), Rule: AtLeast(1e6), Data: Generated("mixtures")}))
	must(r.Add(Row{ID: "speech", What: "bits per sample on speech", Published: Published(2.5, "bits", "table 1"),
		Rule: NoData("the recordings cannot be had")}))
	must(os.WriteFile(r.Figure("angles", "Angles. & more")+".svg", []byte("<svg/>"), 0o644))
	must(os.WriteFile(r.File("angles.csv"), []byte("1,2\n"), 0o644))
	must(r.Finish())
	return r
}

func TestRoundTrip(t *testing.T) {
	dir := root(t)
	r := sample(t, dir, Lecture, 0.5)
	path := filepath.Join(r.Dir(), FileName)
	b1, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	b2, err := res.Bytes()
	if err != nil || !bytes.Equal(b1, b2) {
		t.Errorf("not the same bytes again: %v\n%s\n%s", err, b1, b2)
	}
	if !reflect.DeepEqual(res.Rows, r.Rows()) {
		t.Errorf("rows differ:\n%+v\n%+v", res.Rows, r.Rows())
	}
	if got := res.Rows[2].Reason; got != "the recordings cannot be had" {
		t.Errorf("reason %q", got)
	}
	// A second run gives the same bytes except for the timing.
	res2 := sample(t, dir, Lecture, 0.5).Results()
	res2.Made = res.Made
	if b3, _ := res2.Bytes(); !bytes.Equal(b1, b3) {
		t.Errorf("another run gives other bytes:\n%s\n%s", b1, b3)
	}
	if fi, _ := os.Stat(path); fi.Mode().Perm() != 0o644 {
		t.Errorf("mode %v", fi.Mode())
	}
}

func TestRejected(t *testing.T) {
	r, err := StartIn(root(t), "lewicki", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	good := Row{ID: "a", What: "one", Measured: Number(1, ""), Rule: AtLeast(0), Data: Generated("d")}
	change := func(f func(*Row)) Row { x := good; f(&x); return x }
	for want, row := range map[string]Row{
		"lower-case":              change(func(r *Row) { r.ID = "A b" }),
		"one line":                change(func(r *Row) { r.What = "two\nlines" }),
		"is NaN":                  change(func(r *Row) { r.Measured = Number(math.NaN(), ""); r.Rule = ByHand(Partial, "x") }),
		"where it stands":         change(func(r *Row) { r.Published = Number(3, "") }),
		"which data":              change(func(r *Row) { r.Data = Data{} }),
		"size is":                 change(func(r *Row) { r.Size = "huge" }),
		"spread is":               change(func(r *Row) { r.Spread = -1 }),
		"no rule":                 change(func(r *Row) { r.Rule = Rule{} }),
		"content but no kind":     change(func(r *Row) { r.Published = Value{Number: 4} }),
		"the unknown kind":        change(func(r *Row) { r.Published = Value{Kind: "guess"} }),
		"the figure":              change(func(r *Row) { r.Figure = "../x" }),
		"needs a measured number": change(func(r *Row) { r.Measured = Text("x", "") }),
	} {
		if err := r.Add(row); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	if err := r.Finish(); err == nil {
		t.Error("Finish with rejected rows")
	}
	if _, err := os.Stat(filepath.Join(r.Dir(), FileName)); err == nil {
		t.Error("results were written all the same")
	}

	// A corrected row withdraws its earlier error.
	r, _ = StartIn(r.Root, "lewicki", Smoke, 1)
	if err := r.Finish(); err == nil || !strings.Contains(err.Error(), "no rows") {
		t.Error(err)
	}
	r.Add(change(func(r *Row) { r.Spread = -1 }))
	r.Add(good)
	r.Add(change(func(r *Row) { r.Measured = Number(-1, "") }))
	if err := r.Finish(); err != nil {
		t.Error(err)
	}
	if rows := r.Rows(); len(rows) != 1 || rows[0].Verdict != NotReproduced {
		t.Errorf("%+v", rows)
	}
	r.Figure("never", "")
	if err := r.Finish(); err == nil || !strings.Contains(err.Error(), "never written") {
		t.Error(err)
	}
	for _, paper := range []string{"", "run", "../x", "A"} {
		if _, err := StartIn(r.Root, paper, Smoke, 1); err == nil {
			t.Errorf("paper %q is accepted", paper)
		}
	}
	if _, err := StartIn(r.Root, "x", "", 1); err == nil {
		t.Error("no size is accepted")
	}
}

func TestRoot(t *testing.T) {
	dir := root(t)
	deep := filepath.Join(dir, "notebooks", "x")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := rootFrom(deep); got != dir {
		t.Errorf("%s, not %s", got, dir)
	}
	if err := os.WriteFile(filepath.Join(deep, "go.mod"), []byte("module "+module.Path+"/other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := rootFrom(deep); got != dir {
		t.Errorf("stopped at another module: %s", got)
	}
	other := t.TempDir()
	if got := rootFrom(other); got != other {
		t.Errorf("outside the project: %s", got)
	}
}

func TestCompare(t *testing.T) {
	dir := root(t)
	old := sample(t, dir, Lecture, 0.5).Results()
	if ds := Compare(sample(t, dir, Lecture, 0.59).Results(), old); len(ds) != 0 {
		t.Errorf("within Repeat: %v", ds)
	}
	ds := Compare(sample(t, dir, Lecture, 7).Results(), old)
	if len(ds) != 2 || ds[0].Field != "measured" || ds[0].Old != "0.5°" || ds[0].New != "7°" || ds[0].Tolerance != 0.1 ||
		ds[1].Field != "verdict" || ds[1].New != string(Partial) || ds[0].Expected {
		t.Errorf("%+v", ds)
	}
	ds = Compare(sample(t, dir, Smoke, 7).Results(), old)
	if len(ds) != 2 || !ds[0].Expected || ds[0].Why != "size smoke, record lecture" {
		t.Errorf("%+v", ds)
	}
	fewer := *old
	fewer.Rows = old.Rows[1:]
	if ds := Compare(&fewer, old); len(ds) != 1 || ds[0].ID != "angle" || ds[0].New != "" {
		t.Errorf("%+v", ds)
	}
	if ds := Compare(old, &fewer); len(ds) != 1 || ds[0].Old != "" {
		t.Errorf("%+v", ds)
	}
}

// TestTimedFigures checks that a figure is marked as showing times if a row of measured times names it, whether the
// row or the figure is added first.
func TestTimedFigures(t *testing.T) {
	r, err := StartIn(root(t), "lewicki", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	row := func(id, figure string, data Data) {
		t.Helper()
		if err := r.Add(Row{ID: id, What: "w", Measured: Number(1, "s"), Rule: AtLeast(0), Data: data, Figure: figure, Reason: "because"}); err != nil {
			t.Fatal(err)
		}
	}
	r.Figure("before", "")
	row("a", "before", Times(Generated("d")))
	row("b", "after", Times(Generated("d")))
	row("c", "accuracy", Generated("d"))
	for _, name := range []string{"after", "accuracy", "marked"} {
		r.Figure(name, "")
	}
	r.Timed("marked")
	want := map[string]bool{"before": true, "after": true, "accuracy": false, "marked": true}
	for _, f := range r.Results().Figures {
		if timed, ok := want[f.Name]; !ok || f.Timed != timed {
			t.Errorf("%s: timed: %v", f.Name, f.Timed)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Error("missing:", want)
	}
}

// TestPromoteFigure checks that the record keeps only the SVG of a figure if the SVG contains the data, and
// keeps no data that are too large.
func TestPromoteFigure(t *testing.T) {
	for size, kept := range map[int]bool{100: true, mostData + 1: false} {
		dir := root(t)
		r := sample(t, dir, Lecture, 0.5)
		csv := bytes.Repeat([]byte("1"), size)
		about := &figuremeta.Figure{Version: figuremeta.Version}
		about.SetData(csv)
		svg := figuremeta.Write([]byte("<svg>\n</svg>\n"), about)
		r.Figure("cloud", "A cloud.")
		for name, b := range map[string][]byte{"cloud.svg": svg, "cloud.png": nil, "cloud.csv": csv} {
			if err := os.WriteFile(filepath.Join(r.Dir(), name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Finish(); err != nil {
			t.Fatal(err)
		}
		p, err := PromoteIn(dir, "lewicki", false)
		if err != nil || (len(p.Large) == 0) != kept {
			t.Fatal(p, err)
		}
		res, err := Read(filepath.Join(r.RecordDir(), FileName))
		if err != nil || len(res.Figures) != 2 || len(res.Figures[1].Files) != 1 || res.Figures[1].Files[0] != "cloud.svg" {
			t.Fatal(res.Figures, err)
		}
		b, err := os.ReadFile(filepath.Join(r.RecordDir(), "cloud.svg"))
		if err != nil || figuremeta.Sum(b) != figuremeta.Sum(svg) {
			t.Errorf("%d bytes of data: %s %v", size, b, err)
		}
		if f, err := figuremeta.Read(b); err != nil {
			t.Error(err)
		} else if data, err := f.Data(); err != nil || kept && string(data) != string(csv)+"\n" || !kept && data != nil {
			t.Errorf("%d bytes of data have become %d, %v", size, len(data), err)
		}
		for _, name := range []string{"cloud.png", "cloud.csv"} {
			if _, err := os.Stat(filepath.Join(r.RecordDir(), name)); err == nil {
				t.Errorf("the record has %s", name)
			}
		}
	}
}

func TestPromote(t *testing.T) {
	dir := root(t)
	if _, err := PromoteIn(dir, "lewicki", false); err == nil {
		t.Error("nothing was run and it is promoted")
	}
	sample(t, dir, Lecture, 0.5)
	p, err := PromoteIn(dir, "lewicki", false)
	if err != nil || !p.New || len(p.Added) != 3 {
		t.Fatal(err, p)
	}
	// A test's program has no commit.
	if !p.Uncommitted || !strings.Contains(p.String(), "not to be committed") {
		t.Errorf("nothing is said of the commit:\n%s", p)
	}
	if p, err = PromoteIn(dir, "lewicki", false); err != nil || !p.Unchanged {
		t.Error(err, p)
	}
	// The same results at another time do not change the file.
	before, _ := os.ReadFile(filepath.Join(dir, "figures", "lewicki", FileName))
	r := sample(t, dir, Lecture, 0.5)
	res := r.Results()
	res.Made[0].Seconds += 5
	b, _ := res.Bytes()
	os.WriteFile(filepath.Join(r.Dir(), FileName), b, 0o644)
	if p, err = PromoteIn(dir, "lewicki", false); err != nil || !p.Unchanged {
		t.Error(err, p)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "figures", "lewicki", FileName)); !bytes.Equal(before, after) {
		t.Error("the record was rewritten")
	}
	if ds, err := r.Compare(); err != nil || len(ds) != 0 {
		t.Error(ds, err)
	}
	// There is one exception: if only the new results name their commit, the file gets the new results.
	for _, made := range []Making{{Commit: "11ce773"}, {Commit: "57ebad0"}, {Commit: "57ebad0", Modified: true}, {}} {
		res.Made[0].Commit, res.Made[0].Modified = made.Commit, made.Modified
		b, _ := res.Bytes()
		os.WriteFile(filepath.Join(r.Dir(), FileName), b, 0o644)
		if p, err = PromoteIn(dir, "lewicki", false); err != nil || p.Uncommitted {
			t.Error(err, p)
		}
		if now, err := Read(filepath.Join(dir, "figures", "lewicki", FileName)); err != nil || now.Made[0].Commit != "11ce773" || now.Made[0].Modified {
			t.Errorf("after a run by %+v: %v %+v", made, err, now.Made)
		}
	}
	// A smaller size is refused, and then accepted with force.
	sample(t, dir, Smoke, 1)
	if _, err = PromoteIn(dir, "lewicki", false); err == nil || !strings.Contains(err.Error(), "smoke size") {
		t.Error(err)
	}
	if p, err = PromoteIn(dir, "lewicki", true); err != nil || len(p.Changed) != 1 || len(p.Differences) == 0 {
		t.Error(err, p)
	}
	// Generated data do not replace real data, and no row is dropped.
	real, _ := StartIn(dir, "lewicki", Full, 1)
	real.Add(Row{ID: "angle", What: "x", Measured: Number(1, ""), Rule: AtLeast(0), Data: Real("recordings")})
	real.Finish()
	if _, err = PromoteIn(dir, "lewicki", false); err == nil || !strings.Contains(err.Error(), `row "runaway" is missing`) {
		t.Error(err)
	}
	// There is one exception: a row may be dropped if it is withdrawn with a reason.
	for why, refused := range map[string]bool{"": true, "it told another row's sentence": false} {
		q := Protocol{Schema: ProtocolSchema, Paper: "lewicki", Rows: []Entry{
			{ID: "angle", Kind: OwnCheck, Rule: "at least 0", Declared: Declaration{Date: "2026-01-01"}},
			{ID: "runaway", Kind: OwnCheck, Rule: "holds", Declared: Declaration{Date: "2026-01-01"}, Withdrawn: &Withdrawal{Date: "2026-01-02", Why: why}},
		}}
		b, err := q.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(dir, "paper", "lewicki")
		os.MkdirAll(folder, 0o755)
		if err := os.WriteFile(filepath.Join(folder, ProtocolName), b, 0o644); err != nil {
			t.Fatal(err)
		}
		rows := worseReasons(real.Results(), &Results{Size: Full, Rows: []Row{{ID: "angle"}, {ID: "runaway"}}}, must(withdrawnRows(dir, "lewicki")))
		if len(rows) > 0 != refused {
			t.Errorf("a row withdrawn because of %q: %q", why, rows)
		}
		os.RemoveAll(filepath.Join(dir, "paper"))
	}
	if p, err = PromoteIn(dir, "lewicki", true); err != nil || len(p.Removed) != 2 {
		t.Error(err, p)
	}
	sample(t, dir, Full, 1)
	if _, err = PromoteIn(dir, "lewicki", false); err == nil || !strings.Contains(err.Error(), "real data") {
		t.Error(err)
	}
	// Promote was interrupted: the old record is only a backup, and the new record does not exist yet.
	rec := filepath.Join(dir, "figures", "lewicki")
	if err := os.Rename(rec, asideDir(dir, "lewicki")); err != nil {
		t.Fatal(err)
	}
	if _, err = PromoteIn(dir, "lewicki", false); err == nil {
		t.Error("the record put aside was not found again")
	}
	if _, err := Read(filepath.Join(rec, FileName)); err != nil {
		t.Error(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "figures", ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestShown(t *testing.T) {
	dir := root(t)
	r := sample(t, dir, Lecture, 7)
	if _, err := PromoteIn(dir, "lewicki", false); err != nil {
		t.Fatal(err)
	}
	tab := r.Table()
	for _, line := range strings.Split(tab.String(), "\n") {
		if len([]rune(line)) > 110 {
			t.Errorf("a line of %d: %s", len([]rune(line)), line)
		}
	}
	t.Logf("\n%s", tab)
	for want, s := range map[string]string{
		"7° ± 0.5":                     tab.String(),
		"&lt;always&gt;":               tab.HTML(),
		"#9a6700":                      tab.HTML(),
		"🟨 PARTIAL":                    tab.Markdown(),
		`&lt;always&gt; \| often`:      tab.Markdown(),
		"\x1b[33mPARTIAL":              tab.ANSI(),
		"1 reproduced, 1 partial":      tab.String(),
		"generated: mixtures":          tab.HTML(),
		"the recordings cannot be had": tab.Markdown(),
	} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
	os.MkdirAll(filepath.Join(dir, "figures", "broken"), 0o755)
	os.WriteFile(filepath.Join(dir, "figures", "broken", FileName), []byte("{"), 0o644)
	b := ScoreboardIn(dir)
	t.Logf("\n%s", b)
	if len(b.Scores) != 3 || b.Scores[0].Err == "" || b.Scores[1].Which != "record" || b.Scores[2].Which != "this run" || b.Scores[1].Claims.Partial != 1 {
		t.Errorf("%+v", b)
	}
	if !strings.Contains(b.HTML(), "lewicki") || !strings.Contains(b.Markdown(), "| lewicki | record |") {
		t.Error(b.HTML(), b.Markdown())
	}
	if got := ScoreboardIn(t.TempDir()).String(); got != "no results yet\n" {
		t.Errorf("%q", got)
	}
}

func TestConcurrentAdd(t *testing.T) {
	r, _ := StartIn(root(t), "x", Smoke, 1)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			r.Add(Row{ID: fmt.Sprintf("r-%d", i), What: "w", Measured: Number(1, ""), Rule: AtLeast(0), Data: Generated("d")})
			r.Table()
		})
	}
	wg.Wait()
	if len(r.Rows()) != 20 {
		t.Error(len(r.Rows()))
	}
}

func FuzzParse(f *testing.F) {
	dir := root(f)
	res := sample(f, dir, Lecture, 0.5).Results()
	res.Made = []Making{{}} // seeds must be the same in every process
	b, _ := res.Bytes()
	f.Add(b)
	f.Add(bytes.Replace(b, []byte(`"verdict": "REPRODUCED"`), []byte(`"verdict": "PARTIAL"`), 1))
	f.Add(bytes.Replace(b, []byte(`"number": 0.5`), []byte(`"number": null`), 1))
	f.Add(append(bytes.Clone(b), '{'))
	f.Add([]byte(`{"schema":"overcomplete/results/2","paper":"x","size":"smoke","rows":[{}]}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Parse(b)
		if err != nil {
			return
		}
		// Parsed results can be written, parsed again and shown.
		c, err := r.Bytes()
		if err != nil {
			t.Fatalf("read and not written: %v", err)
		}
		s, err := Parse(c)
		if err != nil {
			t.Fatalf("written and not read: %v\n%s", err, c)
		}
		if ds := Compare(s, r); len(ds) > 0 {
			t.Errorf("read again it differs: %v", ds)
		}
		tab := Tabulate(r.Rows)
		_, _, _ = tab.String(), tab.HTML(), tab.Markdown()
	})
}

func TestParseErrors(t *testing.T) {
	b, _ := sample(t, root(t), Lecture, 0.5).Results().Bytes()
	for _, c := range [][3]string{
		{`"verdict":"REPRODUCED"`, `"verdict":"PARTIAL"`, `gives "REPRODUCED"`},
		{`"id":"runaway"`, `"id":"angle"`, "the same ID"},
		{`"paper":"lewicki"`, `"papers":"lewicki"`, "unknown field"},
		{Schema, "other/1", "schema"},
		{`"number":0.5`, `"number":"NaN"`, "not a number"},
		{`"angles.csv"`, `"../angles.csv"`, "not a valid name for a file"},
	} {
		x := bytes.Replace(b, []byte(c[0]), []byte(c[1]), 1)
		if bytes.Equal(x, b) {
			t.Fatalf("%q does not occur", c[0])
		}
		if _, err := Parse(x); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%v, not %q", err, c[2])
		}
	}
}

func ExampleTabulate() {
	row := Row{ID: "a", What: "two of two found", Published: Text("both", "p. 3"), Measured: Number(2, ""), Rule: AtLeast(2),
		Size: Smoke, Data: Generated("mixtures")}
	row.Verdict, _ = row.Rule.Judge(row.Published, row.Measured)
	t := Tabulate([]Row{row})
	t.Width = 70
	fmt.Println(t)
	// Output:
	// VERDICT         CLAIM                      PUBLISHED     MEASURED
	// ──────────────────────────────────────────────────────────────────────
	// REPRODUCED      two of two found           both          2
	//                 a (smoke; generated:       [p. 3]        asked: at
	//                 mixtures)                                least 2
	// ──────────────────────────────────────────────────────────────────────
	// 1 reproduced
}

// A check that could not be made does not count as failed.
func TestChecksWithoutData(t *testing.T) {
	rows := []Row{{Verdict: Reproduced}, {Verdict: Unknown}, {Verdict: NotReproduced}}
	if got, want := summary(rows), "own checks: 1 of 2 hold, 1 without data"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := (Score{Tally: Tally{Own: Count(rows)}}).cells(); got[9] != "1 of 2" {
		t.Errorf("the board says %q", got[9])
	}
}

func must(gone map[string]bool, err error) map[string]bool {
	if err != nil {
		panic(err)
	}
	return gone
}

// Lines are broken between rows, and never within a text.
func TestInLines(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"rows":[{"x":"},\"{\\","y":[1,2]},{}],"none":[],"o":{"p":{"q":1}}}` + "\n": `{
 "a":1,
 "rows":[
  {"x":"},\"{\\","y":[1,2]},
  {}
 ],
 "none":[],
 "o":{
  "p":{"q":1}
 }
}
`,
		"{}\n": "{}\n",
	} {
		if got := string(inLines([]byte(text))); got != want {
			t.Errorf("%s", got)
		}
	}
}
