package report

import (
	"encoding/csv"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/live"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/lab"
	"overcomplete/paper/lecturepca"
	"overcomplete/paper/record"
	"overcomplete/suite/regress"
)

// writeSite writes the site of root to a new folder.
func writeSite(t testing.TB, root string) (*Site, map[string]string) {
	t.Helper()
	s, err := Write(root, filepath.Join(t.TempDir(), "site"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, read(t, s.Dir)
}

// read returns the files of a folder, by path.
func read(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		name, _ := filepath.Rel(dir, p)
		files[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWrite(t *testing.T) {
	root := madeUp(t)
	s, files := writeSite(t, root)
	if !slices.Equal(s.Papers, []string{"alpha", "beta"}) || s.Claims != 8 || s.Files != len(files) {
		t.Errorf("%+v with %d files", s, len(files))
	}
	if want := []string{"figures/alpha/gone.svg is missing, although the results name it"}; !slices.Equal(s.Problems, want) {
		t.Errorf("problems %q", s.Problems)
	}
	for page, parts := range map[string][]string{
		"index.html": {
			`<a href="alpha.html">Alpha of <math`, `the last run: there is no record`, "figures/alpha/gone.svg is missing, although the results name it",
			`<p id="claims"><a href="claims.html">All 8 claims`, "2026-01-02 03:04 UTC", "commit 0123456789ab with changes",
			`<a class="differs" href="alpha.html">1 differ at the same size, seeds and data</a>; `,
		},
		"claims.html": {
			`href="code/paper/alpha/alpha.go.html#L11"`,                                                   // at its own line
			`href="code/paper/alpha/alpha.go.html#L12"`,                                                   // at its own line
			`href="code/paper/alpha/alpha.go.html#L16"`,                                                   // the line no longer exists, so the link leads to the function
			`href="code/kernel-helpers/tools/tools.go.html#L4" title="the code: tools.go:4">&#43;Inf</a>`, // from the caption of its figure
			`<a class="claim" href="alpha.html#claim-first">`, `2.5 dB ± 0.25`, `within 0.1 of the published; partly within 1.1`,
		},
		"alpha.html": {
			`<tr id="claim-first">`, `<a href="#table-table-1">`, `files/record/alpha/one.svg`, `>data (CSV)</a>`, `>PNG</a>`, `>the last run&#39;s</a>`,
			`notebook/alpha.html#cell-`, `notebook/run/alpha.html#cell-`, `≠ 4`, `≠ 2.05`, `not run`, "= ", `not in the record`, `at the same size, seeds and data: 1`, `expected for a different size, seed or data: 1`, `not run: 1`, `not in the record: 1`,
			`files/record/alpha/odd%20%231%2520%20%C3%A4%27.csv`, `First measures the first thing.`, `files/run/alpha/results.json`,
		},
		"beta.html":                      {"there is no record of this paper", "Outside of experiments", "Not in the notebook"},
		"notebook/alpha.html":            {`href="../alpha.html#experiment-alpha.Lab.First"`, `href="../code/paper/alpha/alpha.go.html"`, `<a title="secret.go is not a part of these pages">`, `href="../notebook/alpha.html#the-second"`, `href="https://example.org/"`, `href="run/alpha.html"`},
		"code/paper/alpha/alpha.go.html": {`id="L12"`, `<span class="k">func</span> (l *Lab) <span class="f">First</span>`, `Package alpha tests sites.`, `href="../../../alpha.html#experiment-alpha.Lab.First"`},
	} {
		for _, want := range parts {
			if want == `href="run/alpha.html"` {
				want = `href="../notebook/run/alpha.html"`
			}
			if !strings.Contains(files[page], want) {
				t.Errorf("%s lacks %s", page, want)
			}
		}
	}
	for name := range files {
		if strings.Contains(name, "_test.go") || strings.Contains(name, "secret") || strings.Contains(name, "passwd") {
			t.Errorf("%s is there", name)
		}
	}
	// Experiments are in the notebook's order, which differs from the order of the rows.
	first, second := strings.Index(files["alpha.html"], `id="experiment-alpha.Lab.First"`), strings.Index(files["alpha.html"], `id="experiment-alpha.Lab.Second"`)
	if second < 0 || first < second {
		t.Errorf("First at %d, Second at %d", first, second)
	}
	if n := strings.Count(files["index.html"], `<a href="alpha.html">`); n != 1 {
		t.Errorf("the scoreboard has %d lines for a paper with a run", n)
	}
	checkLinks(t, files)
	checkHostile(t, files)
}

// filters reports whether a fragment filters the claims of a page by existing fields and values.
func filters(page, fragment string) bool {
	choice, err := url.ParseQuery(fragment)
	if err != nil || !strings.Contains(fragment, "=") {
		return false
	}
	for field, chosen := range choice {
		_, list, ok := strings.Cut(page, `<select name="`+field+`">`)
		list, _, _ = strings.Cut(list, "</select>")
		if !ok || !strings.Contains(list, `value="`+chosen[0]+`"`) {
			return false
		}
	}
	return true
}

// checkHostile fails if text has become markup.
func checkHostile(t *testing.T, files map[string]string) {
	t.Helper()
	for name, s := range files {
		if strings.HasPrefix(name, "files/") || !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, bad := range []string{"<script>alert", "<img src=x", "onerror=alert(2)>", `"'>`} {
			if strings.Contains(s, bad) {
				t.Errorf("%s has %s", name, bad)
			}
		}
	}
}

var fetched = regexp.MustCompile(`(?i)(src|srcset)="(https?:)?//|<link[^>]*href="(https?:)?//|url\(['"]?(https?:)?//|@import`)

// values returns the values of an attribute. It finds none in text, because quotes in text are escaped.
func values(s, name string) []string {
	var list []string
	for {
		var found bool
		var v string
		if _, s, found = strings.Cut(s, " "+name+`="`); !found {
			return list
		}
		v, s, _ = strings.Cut(s, `"`)
		list = append(list, html.UnescapeString(v))
	}
}

// withoutPictures removes embedded pictures, which are most of a notebook's page.
func withoutPictures(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, `"data:`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(rest, `"`)
		b.WriteString(`"data:"`)
	}
}

// checkLinks fails for broken links within the site, duplicate ids, and anything that a page would
// fetch from the network.
func checkLinks(t *testing.T, files map[string]string) {
	t.Helper()
	anchors := map[string]map[string]bool{}
	for name, s := range files {
		files[name] = withoutPictures(s)
	}
	for name, s := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		anchors[name] = map[string]bool{}
		for _, id := range values(s, "id") {
			if anchors[name][id] {
				t.Errorf("%s has the id %q twice", name, id)
			}
			anchors[name][id] = true
		}
		if m := fetched.FindString(s); m != "" {
			t.Errorf("%s asks the network: %s", name, m)
		}
	}
	n := 0
	for name, s := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, address := range append(values(s, "href"), values(s, "src")...) {
			if strings.HasPrefix(address, "data:") || strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
				continue
			}
			n++
			u, err := url.Parse(address)
			if err != nil || u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/") {
				t.Errorf("%s has the address %s (%v)", name, address, err)
				continue
			}
			target := name
			if u.Path != "" {
				target = path.Join(path.Dir(name), u.Path)
			}
			if _, ok := files[target]; !ok {
				t.Errorf("%s leads to %s, which is not there", name, address)
			} else if u.Fragment != "" && !anchors[target][u.Fragment] && !filters(files[target], u.Fragment) {
				t.Errorf("%s leads to %s, which has no such place", name, address)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d links were found", n)
	}
	t.Logf("%d links", n)
}

// TestThisProject writes the site of the project itself.
func TestThisProject(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(record.ScoreboardIn(root).Scores) == 0 {
		t.Skip("no record")
	}
	s, files := writeSite(t, root)
	t.Logf("%d papers, %d claims, %d files, %d MiB; %q", len(s.Papers), s.Claims, s.Files, s.Bytes>>20, s.Problems)
	checkLinks(t, files)
	// Print how many numbers have links to code. Results have none if they were measured before origins were
	// recorded.
	pr, err := readProject(root, false)
	if err != nil {
		t.Fatal(err)
	}
	all, known, found := 0, 0, 0
	for _, p := range pr.papers {
		for _, g := range p.groups {
			for _, r := range g.rows {
				all++
				if r.Origin.File != "" {
					known++
				}
				if pr.sources.place(r.Origin).Line > 0 {
					found++
				}
			}
		}
	}
	t.Logf("of %d rows %d have an origin, %d lead to a line", all, known, found)
}

func TestSameBytes(t *testing.T) {
	root := madeUp(t)
	_, a := writeSite(t, root)
	_, b := writeSite(t, root)
	if !maps.Equal(a, b) {
		for name := range a {
			if a[name] != b[name] {
				t.Errorf("%s differs", name)
			}
		}
	}
	// The same project in another folder must give the same site.
	other := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.CopyFS(other, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	_, c := writeSite(t, other)
	if !maps.Equal(a, c) {
		t.Error("another place gives another site")
	}
}

func TestBadResults(t *testing.T) {
	root := madeUp(t)
	put(t, root, "figures/broken/results.json", "{")
	put(t, root, "figures/run/alpha/results.json", `{"schema":"overcomplete/results/1"}`)
	put(t, root, "notebooks/alpha.ipynb", "no notebook")
	putResults(t, root, "figures/other", &record.Results{Paper: "another", Rows: []record.Row{}})
	putResults(t, root, "figures/index", &record.Results{Paper: "index", Rows: []record.Row{}})
	s, files := writeSite(t, root)
	if !slices.Equal(s.Papers, []string{"alpha", "beta"}) || len(s.Problems) != 6 {
		t.Errorf("%q, %q", s.Papers, s.Problems)
	}
	for _, want := range []string{"figures/broken/results.json", "notebooks/alpha.ipynb", "figures/run/alpha/results.json", "has the results of &#34;another&#34;", "cannot be named"} {
		if !strings.Contains(files["index.html"], want) {
			t.Errorf("index.html lacks %s", want)
		}
	}
	for _, p := range s.Problems {
		if strings.Contains(p, root) {
			t.Errorf("a problem has this machine's path: %s", p)
		}
	}
	checkLinks(t, files)

	none := t.TempDir()
	if s, files := writeSite(t, none); len(s.Papers) != 0 || !strings.Contains(files["index.html"], "No results yet") {
		t.Errorf("%+v", s)
	}
	if _, err := Write(filepath.Join(none, "missing"), filepath.Join(none, "site"), Options{}); err == nil {
		t.Error("a project that is not there")
	}
}

func TestNoNotebooks(t *testing.T) {
	s, err := Write(madeUp(t), filepath.Join(t.TempDir(), "site"), Options{NoNotebooks: true})
	if err != nil {
		t.Fatal(err)
	}
	files := read(t, s.Dir)
	if _, ok := files["notebook/alpha.html"]; ok {
		t.Error("there is a notebook")
	}
	checkLinks(t, files)
}

// TestPlace checks that origins lead to their present places.
func TestPlace(t *testing.T) {
	root := madeUp(t)
	put(t, root, "paper/alpha/moved.go", "package alpha\n\nfunc (l *Lab) Moved() {\n}\n\nfunc Generic[T any](x T) {}\n\nfunc (l *List[T]) Len() int {\n\treturn 0\n}\n")
	if err := os.Symlink("/etc", filepath.Join(root, "paper", "outside")); err != nil {
		t.Log(err)
	}
	pr, err := readProject(root, false)
	if err != nil {
		t.Fatal(err)
	}
	const file = "paper/alpha/alpha.go"
	for _, c := range []struct {
		o    record.Origin
		want string
	}{
		{record.Origin{File: file, Line: 11, Func: "Lab.First"}, "alpha.go:11 Lab.First"},
		{record.Origin{File: file, Line: 99, Func: "Lab.First"}, "alpha.go:10 Lab.First"}, // no longer in the function
		{record.Origin{File: file, Line: 3, Func: "Lab.Moved"}, "moved.go:3 Lab.Moved"},   // now in another file
		{record.Origin{File: "paper/alpha/old.go", Line: 3, Func: "Lab.Moved"}, "moved.go:3 Lab.Moved"},
		{record.Origin{File: "paper/alpha/moved.go", Line: 6, Func: "Generic"}, "moved.go:6 Generic"},
		{record.Origin{File: "paper/alpha/moved.go", Line: 9, Func: "List.Len"}, "moved.go:9 List.Len"},
		{record.Origin{File: file, Line: 5, Func: "Lab.Gone"}, "alpha.go Lab.Gone"}, // only the file remains
		{record.Origin{File: "paper/alpha/old.go", Line: 5, Func: "Lab.Gone"}, " "},
		{record.Origin{}, " "},
		{record.Origin{File: "../secret.go", Func: "x"}, " "},
		{record.Origin{File: "secret.go"}, " "},
		{record.Origin{File: "paper/alpha/alpha_test.go"}, " "},
	} {
		p := pr.sources.place(c.o)
		if got := placeName(p) + " " + p.Func; got != c.want {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
	for name := range pr.sources.files {
		if strings.HasPrefix(name, "paper/outside") {
			t.Errorf("%s was read by way of a link", name)
		}
	}
}

func TestMaker(t *testing.T) {
	for caption, want := range map[string]record.Origin{
		"A figure. Made by paper/x, Lab.Y in z.go.":          {Experiment: "paper/x.Lab.Y", File: "paper/x/z.go", Func: "Lab.Y"},
		"Made by paper/a. Made by paper/x, Draw in z_1.go. ": {File: "paper/x/z_1.go", Func: "Draw"},
		"It. Made by kernel-helpers/pca.(*Model).Scree.":     {File: "kernel-helpers/pca/doc.go", Func: "Model.Scree"},
		"Made by paper/x.(*Lab).Y.":                          {Experiment: "paper/x.Lab.Y", File: "paper/x/doc.go", Func: "Lab.Y"},
		"Made by hand.":                                      {},
		"Made by notebooks/x.ipynb, E1.":                     {},
		"":                                                   {},
	} {
		if got := maker(caption); got != want {
			t.Errorf("%q: %+v", caption, got)
		}
	}
}

func TestHeadings(t *testing.T) {
	got := headings("# One $x$ #\ntext # no\n```\n# code\n```\n##no\n\n###  Three  ##\n#\n####### seven\r\n## Two\r\n")
	if want := []string{"One $x$", "Three", "Two"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for in, want := range map[string]string{
		"Why $L_1$ *jumps*":   "Why L_1 jumps",
		"`a` costs 5 $ & <b>": "a costs 5  & <b>",
	} {
		if got := plainHeading(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := string(headingHTML("a <b> $\\nonsense{$ *c*")); got != `a &lt;b&gt; <code>\nonsense{</code> c` {
		t.Error(got)
	}
}

func TestCalls(t *testing.T) {
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		text("# Title"), notebook.NewCode("m.Scale(2)\nlabs.Scale()"), text("## A\n\n### B"), notebook.NewCode("x := lab.Scale()"), notebook.NewCode("l.Other(1)"),
	}}
	for method, want := range map[string]int{"Scale": 3, "Other": 4, "Oth": -1, "": -1, "Scale(": -1} {
		if cell, section := calls(nb, method); cell != want || cell >= 0 && section != "B" {
			t.Errorf("%q: %d, %q", method, cell, section)
		}
	}
}

func TestClaimsTable(t *testing.T) {
	_, files := writeSite(t, madeUp(t))
	lines, err := csv.NewReader(strings.NewReader(files["claims.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 9 {
		t.Fatalf("%d lines", len(lines))
	}
	column := func(line []string, name string) string { return line[slices.Index(lines[0], name)] }
	byID := map[string][]string{}
	for _, l := range lines[1:] {
		byID[column(l, "id")] = l
	}
	for _, c := range [][3]string{
		{"second-a", "measured_number", "2.5"}, {"second-a", "spread", "0.25"}, {"second-a", "verdict", "PARTIAL"}, {"second-a", "line", "16"},
		{"second-a", "run_verdict", "REPRODUCED"}, {"second-a", "run_size", "smoke"}, {"second-a", "commit", "0123456789abcdef"},
		{"first", "claim", "the first thing " + hostile}, {"first", "generated", "false"}, {"first", "run_measured", ""}, {"first", "line", "11"},
		{"check", "measured_number", "+Inf"}, {"check", "own_check", "true"}, {"new", "results", "run"}, {"unknown", "reason", "lost"}, {"escapes", "file", ""},
	} {
		if got := column(byID[c[0]], c[1]); got != c[2] {
			t.Errorf("%s of %s is %q, want %q", c[1], c[0], got, c[2])
		}
	}
}

// README.md and paper/README.md have the scoreboard of the record.
func TestReadmeIsCurrent(t *testing.T) {
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	for _, board := range boards {
		before, err := os.ReadFile(filepath.Join(root, board.file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(before), boardBegins+"\n"+board.text(root)+"\n"+boardEnds) {
			t.Errorf("%s has another scoreboard than the record: run 'overcomplete report --readme'", board.file)
		}
	}
}

func TestUpdateReadme(t *testing.T) {
	root := t.TempDir()
	line := "a\n" + boardBegins + "\n" + Line(root) + "\n" + boardEnds + "b\n"
	table := "c\n" + boardBegins + "\n" + Table(root) + "\n" + boardEnds + "d\n"
	old := boardBegins + "old\n" + boardEnds
	for _, c := range []struct {
		readme, papers string
		changed        bool
		err            string
	}{
		{"a\n" + old + "b\n", "c\n" + old + "d\n", true, ""},
		{line, "c\n" + old + "d\n", true, ""},
		{"a\n" + old + "b\n", table, true, ""},
		{line, table, false, ""},
		{"no place\n" + boardEnds, table, false, "has no place"},
		{"a\n" + old + "b\n", "no place\n" + boardBegins, false, "has no place"},
	} {
		put(t, root, "README.md", c.readme)
		put(t, root, "paper/README.md", c.papers)
		changed, err := UpdateReadme(root)
		wants := []string{line, table}
		if c.err != "" {
			wants = []string{c.readme, c.papers} // neither file is changed
		}
		for i, board := range boards {
			if got, _ := os.ReadFile(filepath.Join(root, board.file)); string(got) != wants[i] {
				t.Errorf("%q, %q: %s is %q", c.readme, c.papers, board.file, got)
			}
		}
		if changed != c.changed || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q, %q: %v, %v", c.readme, c.papers, changed, err)
		}
	}
}

func TestTable(t *testing.T) {
	root := madeUp(t)
	put(t, root, "figures/broken/results.json", "{")
	putResults(t, root, "figures/gamma", &record.Results{Paper: "gamma", Size: record.Full, Rows: []record.Row{
		judge(t, record.Row{ID: "g", What: "w", Published: record.Text("so", "p"), Measured: record.Bool(true, ""), Rule: record.Holds(), Data: record.Real("d")}),
		judge(t, record.Row{ID: "h", What: "w", Published: record.Published(1, "", "p"), Measured: record.Number(1, ""), Rule: record.Within(0), Data: record.Real("d")}),
		judge(t, record.Row{ID: "i", What: "w", Published: record.Published(2, "", "p"), Measured: record.Number(1, ""), Rule: record.Within(0), Data: record.Example("d")})}})
	putNotebook(t, root, "notebooks/gamma.ipynb", text("# A | b [c](d) <e>"))
	head := "| paper | numbers on real data | reproduced | partial | false as stated | not reached | differs | no data | not counted | own checks | size | data |\n" +
		"|---|---|--:|--:|--:|--:|--:|--:|---|--:|---|---|\n"
	want := head +
		"| [Alpha of x\\_1 and more](../notebooks/alpha.ipynb) | none | 2 | 1 | 0 | 0 | 0 | 1 | none | 0 of 1 hold | lecture | 1 of 5 real |\n" +
		"| broken | | | | | | | | | | | the record cannot be read |\n" +
		"| [A \\| b \\[c\\](d) &lt;e&gt;](../notebooks/gamma.ipynb) | 1 of 1 | 2 | 0 | 0 | 0 | 1 | 0 | none | none | full | 2 of 3 real |\n" +
		"| **all** | 1 of 1 | 4 | 1 | 0 | 0 | 1 | 1 | none | 0 of 1 hold |  | 3 of 8 real |\n"
	const about = "\nWhat the claims are about: of published **numbers on real data** 1 of 1 are reproduced and 0 partly (1 more have no data); of **sentences about real data** 2 of 2 are reproduced and 0 partly; of claims about **generated data, examples made by hand, or identities** 1 of 3 are reproduced and 1 partly.\n"
	want += about
	if got := Table(root); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := Line(root), "**1 of 1 published numbers on real data are reproduced**, 0 partly (1 more lack data). Of 7 claims, 4 are reproduced, 1 partly; 0 are false as stated, 1 do not reproduce, 1 lack data. Of our own checks, 0 of 1 hold; records that cannot be read: 1. [Paper by paper](paper/README.md#the-scoreboard).\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	// The paper's protocol says which rows count, and toward which claim.
	declare := func(id string, kind record.Kind, claim, rule string, more func(*record.Entry)) record.Entry {
		e := record.Entry{ID: id, Kind: kind, Claim: claim, Rule: rule, Basis: "b", Declared: record.Declaration{Date: "2026-01-02", Commit: "abc1234"}}
		if more != nil {
			more(&e)
		}
		return e
	}
	p := &record.Protocol{Schema: record.ProtocolSchema, Paper: "alpha", Rows: []record.Entry{
		declare("second-a", record.Claim, "both", "within 0.1 of the published; partly within 1.1", func(e *record.Entry) {
			e.History = []record.Change{{Commit: "def5678", Date: "2026-01-03", Rule: "within 9 of the published", Verdict: record.Reproduced, Measured: "7 dB", Why: hostile}}
		}),
		declare("first", record.Reading, "", "holds", nil),
		declare("again", record.Claim, "both", "within 0.5 of the published", nil),
	}}
	b, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "paper/alpha/"+record.ProtocolName, string(b))
	declared := strings.NewReplacer("| 2 | 1 | 0 | 0 | 0 | 1 | none | 0 of 1 hold |", "| 0 | 1 | 0 | 0 | 0 | 1 | 1 readings | 0 of 1 hold |",
		"| 4 | 1 | 0 | 0 | 1 | 1 | none | 0 of 1 hold |", "| 2 | 1 | 0 | 0 | 1 | 1 | 1 readings | 0 of 1 hold |",
		"** 2 of 2 are", "** 1 of 1 are", "** 1 of 3 are", "** 0 of 2 are").Replace(want) +
		"\n1 verdict and 1 rule changed after measuring; the report shows each with its history and the reason ([protocol](PROTOCOL.md)).\n"
	if got := Table(root); got != declared {
		t.Errorf("with a protocol\n%s\nwant\n%s", got, declared)
	}
	want = declared
	// The run does not affect the scoreboard.
	if err := os.RemoveAll(filepath.Join(root, "figures", "run")); err != nil {
		t.Fatal(err)
	}
	if got := Table(root); got != want {
		t.Errorf("without a run:\n%s", got)
	}
}

// For any source, the listing is complete and has the lines of the file.
func TestListing(t *testing.T) {
	sources, err := filepath.Glob("../*/*.go")
	if err != nil || len(sources) < 20 {
		t.Fatal(sources, err)
	}
	all := map[string][]byte{"one line": []byte("x := f(1, nil) // <c>"), "cr": []byte("`a\rb`\r\n//c\r\nx")}
	for _, name := range sources {
		if all[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	number := regexp.MustCompile(`<a class="ln"[^>]*>\d+</a>`)
	tag := regexp.MustCompile(`<[^>]*>`)
	for name, text := range all {
		page := string(listing(text))
		if n := readSource(name, text).lines; len(number.FindAllString(page, -1)) != n {
			t.Errorf("%s: %d lines of %d", name, len(number.FindAllString(page, -1)), n)
		}
		got := html.UnescapeString(tag.ReplaceAllString(number.ReplaceAllString(page, ""), ""))
		want := strings.ReplaceAll(string(text), "\r\n", "\n")
		if squeeze := strings.NewReplacer("\n", "").Replace; squeeze(got) != squeeze(want) {
			t.Errorf("%s is not what it was", name)
		}
	}
}

func ExampleLine() {
	fmt.Print(Line("testdata/none"))
	// Output:
	// There is no record yet.
}

func ExampleTable() {
	fmt.Print(Table("testdata/none"))
	// Output:
	// | paper | numbers on real data | reproduced | partial | false as stated | not reached | differs | no data | not counted | own checks | size | data |
	// |---|---|--:|--:|--:|--:|--:|--:|---|--:|---|---|
}

// TestLive checks that the record's notebook runs in the reader's browser, and that later runs and
// large or duplicate files are omitted.
func TestLive(t *testing.T) {
	root := madeUp(t)
	put(t, root, "figures/alpha/one.csv", strings.Repeat("1,2,3\n", mostData/6+1))
	f := &live.Files{Kernel: "live/kernel-1.wasm", Script: "live/live-1.js", Worker: "live/worker-1.js", Brotli: "live/brotli-1.js", Measure: "live/measure-1.js", SW: "sw.js", BrotliSum: "1 a"}
	results, err := record.Read(filepath.Join(root, "figures", "alpha", record.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := (&regress.Snapshot{Results: results}).Write(regress.Path(root, record.Smoke, "alpha")); err != nil {
		t.Fatal(err)
	}
	papers := []lab.Paper{lecturepca.Experiments(), {Notebook: "alpha", New: lecturepca.New}}
	opt := Options{RecordOnly: true, Small: true, Live: &Live{Files: f, Root: "../", Home: "../index.html", Papers: papers}}
	s, err := Write(root, filepath.Join(t.TempDir(), "site"), opt)
	if err != nil {
		t.Fatal(err)
	}
	files := read(t, s.Dir)
	for name, want := range map[string]bool{"notebook/alpha.html": true, "notebook/run/alpha.html": false, "files/run/alpha/one.svg": false,
		"files/record/alpha/one.svg": true, "files/record/alpha/one.png": false, "files/record/alpha/one.csv": false, "expected/alpha.json": true} {
		if _, ok := files[name]; ok != want {
			t.Errorf("%s is there: %v", name, ok)
		}
	}
	for _, want := range []string{`src="../../live/live-1.js"`, `data-sw="../../sw.js"`, `href="../../index.html">Course`} {
		if !strings.Contains(files["notebook/alpha.html"], want) {
			t.Errorf("the notebook's page lacks %s", want)
		}
	}
	page := files["alpha.html"]
	for _, want := range []string{`<script src="../live/measure-1.js" defer>`, `"expected":"expected/alpha.json"`, `"kernel":"../live/kernel-1.wasm"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the paper's page lacks %s", want)
		}
	}
	if strings.Contains(files["beta.html"], "overcomplete-measure") {
		t.Error("a paper that nobody has run at this size can be measured")
	}
	if _, files := writeSite(t, root); strings.Contains(files["alpha.html"], "overcomplete-measure") || strings.Contains(files["notebook/alpha.html"], "overcomplete-live") {
		t.Error("a site that is not live has what belongs to one that is")
	}
}

// TestMeasurable checks that the project's own claims can be measured, each by its own experiment.
func TestMeasurable(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	f := &live.Files{Kernel: "live/k", Script: "live/s", Worker: "live/w", Brotli: "live/b", Measure: "live/m", SW: "sw.js"}
	s, err := Write("../..", filepath.Join(t.TempDir(), "site"), Options{NoNotebooks: true, RecordOnly: true, Small: true,
		Live: &Live{Files: f, Root: "../", Papers: []lab.Paper{lecturepca.Experiments()}}})
	if err != nil {
		t.Fatal(err)
	}
	files := read(t, s.Dir)
	page := files["lecture-pca.html"]
	for _, e := range lecturepca.Experiments().Experiments {
		if !strings.Contains(page, "lecturepca.Lab."+e.Func()+`" data-experiment="`+e.Name+`"`) && strings.Contains(page, `id="experiment-lecturepca.Lab.`+e.Func()+`"`) {
			t.Errorf("%s cannot be measured", e.Name)
		}
	}
	if n := strings.Count(page, `class="measure"`); n < 30 || n != strings.Count(page, `<tr id="claim-`) {
		t.Errorf("%d of %d claims can be measured", n, strings.Count(page, `<tr id="claim-`))
	}
	if strings.Contains(files["s3c.html"], "overcomplete-measure") || files["expected/lecture-pca.json"] == "" {
		t.Error("the wrong papers can be measured")
	}
}
