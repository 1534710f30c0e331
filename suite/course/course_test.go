package course

import (
	"bytes"
	"html"
	"image"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
	"overcomplete/suite"
)

const root = "../.."

func TestPage(t *testing.T) {
	page, err := Page(root, "report")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	at := 0
	for _, l := range Lectures {
		for _, want := range []string{
			`id="` + l.Name + `"`, `class="thumbnail" src="data:image/`, `<dt>To run</dt><dd>` + l.Runs,
			`href="report/notebook/` + l.Name + `.html"`, `href="report/notebook/` + l.Name + `.html#cell-`, `href="slides/` + l.Name + `.html"`,
			`href="notebooks/` + l.Name + `.ipynb" download`, `href="handout/` + l.Name + `.ipynb" download`, `href="report/` + l.Name + `.html"`,
			`href="teach/` + l.Name + `.html"`,
		} {
			i := strings.Index(text[at:], want)
			if i < 0 {
				t.Fatalf("no %s in its place", want)
			}
			at += i
		}
	}
	for _, want := range []string{"Principal component analysis", "Which of 1,600 causes", "<math", "report/index.html", `href="teach/index.html"`, "Week 7", "Neural Computation</em> 12(2), 337–365, 2000"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "REPORT") || strings.Contains(text, "&lt;article") || strings.Contains(text, "{{") {
		t.Error("something of the template is left")
	}
}

// TestAll checks that each week has a lecture, and that each lecture has a notebook and a limit of its time. A notebook
// need not be a lecture.
func TestAll(t *testing.T) {
	budget, err := suite.ReadBudget(root)
	if err != nil {
		t.Fatal(err)
	}
	week := 0
	for _, l := range Lectures {
		if _, err := os.Stat(filepath.Join(root, "notebooks", l.Name+".ipynb")); err != nil {
			t.Error(err)
		}
		if budget.Multiple(record.Lecture, l.Name) == 0 {
			t.Errorf("%s has no line for %s at lecture size", suite.BudgetFile, l.Name)
		}
		if l.Week != week && l.Week != week+1 {
			t.Errorf("%s is in week %d, after week %d", l.Name, l.Week, week)
		}
		week = l.Week
	}
	if week != Weeks {
		t.Errorf("the course has %d weeks, not %d", week, Weeks)
	}
}

// TestTimes checks that the run times in Lectures are those in docs/teach.md.
func TestTimes(t *testing.T) {
	b, err := os.ReadFile(root + "/docs/teach.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Lectures {
		line := regexp.MustCompile(`(?m)^\| \[` + l.Name + `\].*\| (.*) \|$`).FindSubmatch(b)
		if line == nil || string(line[1]) != l.Runs {
			t.Errorf("%s: %q here, %q there", l.Name, l.Runs, line)
		}
	}
}

// TestData checks that the record has numbers for the data sets that the page names.
func TestData(t *testing.T) {
	for _, l := range Lectures {
		res, err := record.Read(filepath.Join(root, "figures", l.Name, record.FileName))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range l.Data {
			if !slices.ContainsFunc(res.Rows, func(r record.Row) bool { return !r.Data.Generated && strings.Contains(r.Data.Name, name) }) {
				t.Errorf("%s: no row is on %s", l.Name, name)
			}
		}
	}
}

// TestReferences checks that each reference is used and complete, and that the references in CITATION.cff are among
// them.
func TestReferences(t *testing.T) {
	all, err := references()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, l := range Lectures {
		if len(l.Source) == 0 || len(l.Further) == 0 {
			t.Errorf("%s has nothing to read", l.Name)
		}
		for _, id := range append(slices.Clone(l.Source), l.Further...) {
			used[id] = true
		}
	}
	for id, r := range all {
		if !used[id] {
			t.Errorf("nobody is to read %s", id)
		}
		if r.Title == "" || r.Note == "" && (len(r.Authors) == 0 || r.Container == "" || len(r.Issued.Parts) == 0) {
			t.Errorf("%s is not complete: %s", id, r.Markdown())
		}
	}
	b, err := os.ReadFile(root + "/CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	titles := regexp.MustCompile(`(?m)^    title: "?(.*?)"?$`).FindAllSubmatch(b, -1)
	if len(titles) == 0 {
		t.Error("no titles in CITATION.cff")
	}
	for _, m := range titles {
		found := false
		for _, r := range all {
			found = found || r.Title == string(m[1])
		}
		if !found {
			t.Errorf("CITATION.cff has %q, references.json has not", m[1])
		}
	}
	if got, want := all["boyd2011"].Markdown(), "S. Boyd, N. Parikh, E. Chu, B. Peleato and J. Eckstein. Distributed optimization and statistical learning via the alternating direction method of multipliers. *Foundations and Trends in Machine Learning* 3(1), 1–122, 2011. [doi:10.1561/2200000016](https://doi.org/10.1561/2200000016)"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if _, err := lookUp([]string{"nobody"}); err == nil {
		t.Error("a reference that is not there")
	}
}

var addresses = regexp.MustCompile(` (?:href|src|url)="?([^"\s]+)"`)

// TestWrite checks that the targets of the pages' links exist in the course or in the report.
func TestWrite(t *testing.T) {
	patience.SkipShort(t, "it renders the slides of all lectures")
	site := t.TempDir()
	if err := Write(root, site, "report"); err != nil {
		t.Fatal(err)
	}
	pages := []string{"index.html", "scoreboard.html", "teach/index.html", "teach/guide.html"}
	for _, l := range Lectures {
		pages = append(pages, "teach/"+l.Name+".html")
	}
	for _, name := range pages {
		b, err := os.ReadFile(filepath.Join(site, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range addresses.FindAllSubmatch(b, -1) {
			to, fragment, _ := strings.Cut(html.UnescapeString(string(m[1])), "#")
			if to == "" || strings.Contains(to, ":") {
				continue
			}
			to = path.Join(path.Dir(name), to)
			if strings.HasPrefix(to, "report/") || to == Numpy { // the command writes these
				continue
			}
			target, err := os.ReadFile(filepath.Join(site, to))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if fragment != "" && !bytes.Contains(target, []byte(`id="`+fragment+`"`)) {
				t.Errorf("%s: %s has no %s", name, to, fragment)
			}
		}
	}
	for _, l := range Lectures {
		kit, err := os.ReadFile(filepath.Join(site, kitFolder, l.Name+".html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"../index.html", "index.html", "../report/notebook/" + l.Name + ".html", "../slides/" + l.Name + ".html", "../handout/" + l.Name + ".ipynb"} {
			if !strings.Contains(string(kit), `href="`+want+`"`) {
				t.Errorf("the page for lecturers of %s has no link to %s", l.Name, want)
			}
		}
		slides, err := os.ReadFile(filepath.Join(site, slidesFolder, l.Name+".html"))
		if err != nil {
			t.Fatal(err)
		}
		figures := regexp.MustCompile(`src="\.\./report/files/record/`+l.Name+`/([^"]+)"`).FindAllSubmatch(slides, -1)
		if len(figures) == 0 || len(slides) > 2_000_000 {
			t.Errorf("the slides of %s have %d figures of the record, and %d bytes", l.Name, len(figures), len(slides))
		}
		for _, m := range figures {
			if _, err := os.Stat(filepath.Join(root, "figures", l.Name, string(m[1]))); err != nil {
				t.Errorf("%s: %v", l.Name, err)
			}
		}
		for folder, want := range map[string]bool{notebooksFolder: true, handoutFolder: false} {
			nb, err := notebook.Read(filepath.Join(site, folder, l.Name+".ipynb"))
			if err != nil {
				t.Fatal(err)
			}
			solved := slices.ContainsFunc(nb.Cells, func(c *notebook.Cell) bool { return c.Tagged("solution") })
			if solved != want || nb.Changed() != nil {
				t.Errorf("%s/%s: solutions %v, changed %v", folder, l.Name, solved, nb.Changed())
			}
		}
	}
	if Write(t.TempDir(), t.TempDir(), "report") == nil {
		t.Error("no error without notebooks")
	}
}

func TestFacts(t *testing.T) {
	code := notebook.NewCode("x")
	code.Outputs = []notebook.Output{{"data": map[string]any{"image/png": "", "image/svg+xml": ""}}, {"data": map[string]any{"text/plain": ""}}}
	text := &notebook.Cell{Type: notebook.Markdown, Source: strings.Repeat("word ", 1480) + "\n\n**1. One.** And\n\n**2. Two.**"}
	text.SetTags("exercise")
	solution := &notebook.Cell{Type: notebook.Markdown, Source: strings.Repeat("word ", 5000)}
	solution.SetTags("solution")
	report := &notebook.Cell{Type: notebook.Markdown, Source: "## Report", Metadata: map[string]any{"jp-MarkdownHeadingCollapsed": true}}
	hidden := &notebook.Cell{Type: notebook.Markdown, Source: strings.Repeat("word ", 5000)}
	if got, want := factsOf(&notebook.Notebook{Cells: []*notebook.Cell{text, code, solution, report, hidden}}), (facts{Words: 1500, Minutes: 10, Pictures: 1, Exercises: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestThumbnail(t *testing.T) {
	l := Lectures[0]
	nb, err := notebook.Read(filepath.Join(root, "notebooks", l.Name+".ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := pictureOf(nb, l.Name+"/"+l.Figure)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pictureOf(nb, "none"); err == nil || !strings.Contains(err.Error(), "choose another") {
		t.Errorf("a figure that is not shown: %v", err)
	}
	if _, err := thumbnail(picture, image.Rect(0, 0, 99999, 10)); err == nil || !strings.Contains(err.Error(), "choose another") {
		t.Errorf("a part outside of the figure: %v", err)
	}
	for _, l := range Lectures {
		if 4*l.Part.Dy() < 3*l.Part.Dx()-3 || 4*l.Part.Dy() > 3*l.Part.Dx()+3 {
			t.Errorf("%s: %v is not four to three", l.Name, l.Part)
		}
	}
}

func TestOpening(t *testing.T) {
	nb := &notebook.Notebook{Cells: []*notebook.Cell{{Type: notebook.Markdown, Source: "# A\n\n**B**\n\nC c.\n\nD"}}}
	title, lead, ask, err := opening(nb)
	if title != "A" || lead != "B" || ask != "C c." || err != nil {
		t.Errorf("%q %q %q %v", title, lead, ask, err)
	}
	nb.Cells[0].Source = "text"
	if _, _, _, err := opening(nb); err == nil {
		t.Error("no error without a title")
	}
}

var (
	dois    = regexp.MustCompile(`\[doi:([^\]]+)\]\(https://doi\.org/([^)]+)\)`)
	doiForm = regexp.MustCompile(`^10\.[0-9]{4,9}/[-._;()/:A-Za-z0-9]+$`)
	entry   = regexp.MustCompile(`(?m)^\s*[-*0-9.]+\s+([^.]*[A-Z]\..*)$`)
)

// TestDOIs checks each DOI in a notebook: it is well-formed, its link leads to it, and it occurs once in a list of
// references. If the course has a reference with the same title, it has the same DOI.
func TestDOIs(t *testing.T) {
	all, err := references()
	if err != nil {
		t.Fatal(err)
	}
	for id, r := range all {
		if r.DOI != "" && !doiForm.MatchString(r.DOI) {
			t.Errorf("%s: %q is no DOI", id, r.DOI)
		}
	}
	titles := map[string]string{} // by DOI, as the first notebook writes the reference
	n := 0
	for _, l := range Lectures {
		nb, err := notebook.Read(root + "/notebooks/" + l.Name + ".ipynb")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, c := range nb.Cells {
			if c.Type != notebook.Markdown {
				continue
			}
			for _, line := range entry.FindAllString(c.Source, -1) {
				found := dois.FindAllStringSubmatch(line, -1)
				for _, m := range found {
					n++
					to, err := url.PathUnescape(m[2])
					if err != nil || to != m[1] || !doiForm.MatchString(m[1]) {
						t.Errorf("%s: %s", l.Name, m[0])
					}
					if seen[m[1]] {
						t.Errorf("%s has %s twice", l.Name, m[1])
					}
					seen[m[1]] = true
					bare, _, _ := strings.Cut(strings.TrimLeft(line, "\n -*"), " [doi:")
					if was, ok := titles[m[1]]; ok && was != bare {
						t.Errorf("two references for %s:\n%s\n%s", m[1], was, bare)
					}
					titles[m[1]] = bare
				}
				for id, r := range all {
					if r.DOI != "" && strings.Contains(strings.ToLower(line), strings.ToLower(r.Title)) && len(found) > 0 && !seen[r.DOI] {
						t.Errorf("%s: %s has another DOI in references.json: %s", l.Name, id, r.DOI)
					}
				}
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d DOIs in the notebooks", n)
	}
}

func TestSiteLinks(t *testing.T) {
	const text = "[a](lecture-pca.md) [b](course.md) [c](../teach.md#grading) [d](../../notebooks/s3c.ipynb) [e](../numpy.ipynb) [f](../commands.md#stale) [g](https://go.dev/tour/) [h](#ask)"
	const want = "[a](lecture-pca.html) [b](index.html) [c](guide.html#grading) [d](../report/notebook/s3c.html) [e](../numpy.html) f [g](https://go.dev/tour/) [h](#ask)"
	if got := siteLinks(text, "docs/teach", "report"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
