package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	patient "overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// TestAfternoon runs the notebooks of docs/afternoon, and checks what their cells show. The first notebook must stay
// short, because pandas, scikit-learn and seaborn do the same in few lines.
func TestAfternoon(t *testing.T) {
	patient.SkipShort(t, "it runs two notebooks")
	for name, want := range map[string]struct {
		lines int      // at most
		shows []string // parts of what the cells show, as text
		files []string
	}{
		"table": {60, []string{"column", "site", "date_month", "[figure] Correlations", "[figures] Air", "[figure] PM2.5", "[figure] Air: Points: scores", "[figure] k-means", "[figure] Components", "[figure] Air", "[figure] Ozone", "ridge"},
			[]string{"box.pdf"}},
		"method": {140, []string{"", "PASS", "", "setting", "[figure] Held-out"}, []string{"r2.pdf", "trials.jsonl"}},
	} {
		nb, err := notebook.Read(filepath.Join("../../docs/afternoon", name+".ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		var cells []string
		for _, c := range nb.Cells {
			if c.Type == notebook.Code {
				cells = append(cells, c.Source)
			}
		}
		lines := 0
		for line := range strings.Lines(strings.Join(cells, "\n")) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		if lines > want.lines {
			t.Errorf("%s has %d lines, at most %d", name, lines, want.lines)
		}
		t.Logf("%s: %d cells, %d lines", name, len(cells), lines)
		dir, shown := runGuide(t, cells)
		if !slices.EqualFunc(shown, want.shows, strings.Contains) {
			t.Errorf("%s shows\n%s\nnot\n%s", name, strings.Join(shown, "\n----\n"), strings.Join(want.shows, "\n"))
		}
		recorded := textsOf(nb)
		if !slices.EqualFunc(shown, recorded, func(a, b string) bool { return times.ReplaceAllString(a, "") == times.ReplaceAllString(b, "") }) {
			t.Errorf("%s shows\n%s\nand was saved with\n%s", name, strings.Join(shown, "\n----\n"), strings.Join(recorded, "\n----\n"))
		}
		for _, f := range want.files {
			if b, err := os.ReadFile(filepath.Join(dir, f)); err != nil || len(b) < 500 {
				t.Errorf("%s: %d bytes, %v", f, len(b), err)
			}
		}
	}
}

// times matches what depends on the machine's speed in the outputs of these notebooks.
var times = regexp.MustCompile(`(, [0-9.]+/s)?(, in )?\b[0-9.]+[mµ]?s`)

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// runGuide runs a notebook with the given cells, beside air.csv. It returns the folder, and what each cell shows, as
// text.
func runGuide(t *testing.T, cells []string) (dir string, shown []string) {
	t.Helper()
	nb := &notebook.Notebook{Metadata: goMetadata()}
	for _, c := range cells {
		nb.Cells = append(nb.Cells, notebook.NewCode(c))
	}
	dir = t.TempDir()
	if err := copyFile(filepath.Join(dir, "air.csv"), "../../docs/afternoon/air.csv"); err != nil {
		t.Fatal(err)
	}
	if err := nb.Write(filepath.Join(dir, "guide.ipynb")); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := output(t, dir, "run", "--inplace", "guide.ipynb"); code != 0 {
		t.Fatal(out, errs)
	}
	ran, err := notebook.Read(filepath.Join(dir, "guide.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, textsOf(ran)
}

// textsOf returns what each code cell of a notebook shows, as text.
func textsOf(nb *notebook.Notebook) (texts []string) {
	for _, c := range nb.Cells {
		if c.Type == notebook.Code {
			texts = append(texts, strings.TrimSpace(textOf(c)))
		}
	}
	return texts
}

// textOf returns what a cell shows, as text.
func textOf(c *notebook.Cell) (text string) {
	for _, o := range c.Outputs {
		text += o.Text()
	}
	return text
}

// TestTwelveFigures runs the blocks of docs/figures.md: each shows a figure.
func TestTwelveFigures(t *testing.T) {
	patient.SkipShort(t, "it runs a notebook")
	text := testfile.Read(t, "../../docs/figures.md")
	var cells []string
	for _, block := range goBlock.FindAllStringSubmatch(string(text), -1) {
		cells = append(cells, block[1])
	}
	_, shown := runGuide(t, cells)
	if len(shown) != 1+12 {
		t.Fatalf("%d blocks", len(shown))
	}
	for i, s := range shown[1:] {
		if !strings.HasPrefix(s, "[figure") {
			t.Errorf("figure %d is %q", i+1, s)
		}
	}
}

// TestAfternoonPaper follows the ten steps of docs/afternoon.md in a copy of the project: from nothing to a claim in the
// scoreboard.
func TestAfternoonPaper(t *testing.T) {
	patient.SkipShort(t, "it builds the program twice, with a new paper")
	if !patient.All() {
		t.Skipf("it takes a minute of processor time; %s=1 runs it", patient.Full)
	}
	for _, program := range []string{"git", "make", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the steps need %s: %v", program, err)
		}
	}
	text := testfile.Read(t, "../../docs/afternoon.md")
	_, text, ok := bytes.Cut(text, []byte("\n## A paper\n"))
	if !ok {
		t.Fatal("no paper")
	}
	c := copied(t)
	c.sh("git init -q && git add -A && git commit -qm before")
	steps := regexp.MustCompile(`(?m)^\d+\. `).Split(string(text), -1)[1:]
	if len(steps) != 10 {
		t.Errorf("%d steps, not ten", len(steps))
	}
	var last string
	for k, step := range steps {
		blocks := fenced.FindAllStringSubmatch(step, -1)
		head, _, _ := strings.Cut(step, "```")
		file := ""
		if m := regexp.MustCompile("`(paper/[^`]*)`").FindStringSubmatch(head); m != nil {
			file = filepath.Join(c.dir, filepath.FromSlash(m[1]))
		}
		if k+1 == 8 { // the texts of doc.go and of the notebook are the reader's own
			for _, f := range []string{"paper/anscombe1973/doc.go", "notebooks/anscombe1973.ipynb"} {
				c.edit(filepath.Join(c.dir, f), regexp.MustCompile(`FILL-IN:[^"\n]*`), "F. J. Anscombe, The American Statistician 27, 1973.")
			}
		}
		for _, b := range blocks {
			switch {
			case b[1] == "go" && strings.HasPrefix(b[2], "package "):
				testfile.Write(t, file, b[2])
			case b[1] == "go": // in place of the call that begins in the same way
				first, _, _ := strings.Cut(b[2], "\n")
				c.edit(file, regexp.MustCompile(`(?s)`+regexp.QuoteMeta(first)+`.*?\n\t}\)\n`), b[2])
			case b[1] == "json":
				c.fill(file, b[2])
				if last = c.sh("bin/overcomplete protocol anscombe1973"); strings.Contains(last, "lacking") {
					t.Errorf("after step 7: %s", last)
				}
			default:
				for line := range strings.Lines(b[2]) {
					switch {
					case strings.HasPrefix(line, "grep"):
						if out, _ := c.run(line); out != "" { // 1 if it finds nothing
							t.Errorf("%s finds %s", line, out)
						}
					case k+1 == 6: // it exits with 1, because something is missing
						var err error
						if last, err = c.run(line); err == nil || !strings.Contains(last, "removed, since nobody had filled them in and the last run did not measure them: table1-distance, table1-share") ||
							!strings.Contains(last, "r2-1: its basis still says FILL-IN") || !strings.Contains(last, "r2-2: it quotes what r2-1 quotes") || !strings.Contains(last, "r2-3: NOT REPRODUCED without a finding") {
							t.Errorf("step 6: %v\n%s", err, last)
						}
					default:
						if k+1 == 9 && strings.HasPrefix(line, "git add") {
							// A record before the commit is not to be committed, and what is kept of it is measured again below.
							if early := c.sh("make build && bin/overcomplete run --record notebooks/anscombe1973.ipynb"); !strings.Contains(early, "not to be committed") {
								t.Errorf("a record before the commit: %s", early)
							}
							c.sh("rm -r figures/anscombe1973")
						}
						c.sh(line)
					}
				}
			}
		}
	}
	if status := c.sh("git status --porcelain"); status != "" {
		t.Errorf("uncommitted: %s", status)
	}
	res, err := record.Read(filepath.Join(c.dir, "figures", "anscombe1973", record.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if !res.Committed() || len(res.Rows) != 4 || res.Rows[0].Verdict != record.Reproduced || res.Rows[1].Verdict != record.NotReproduced {
		t.Errorf("%+v", res)
	}
	p, err := record.ReadProtocol(filepath.Join(c.dir, "paper", "anscombe1973", record.ProtocolName))
	if err != nil {
		t.Fatal(err)
	}
	if lacks := p.Lacks(res); len(lacks) != 0 || p.Rows[0].With || p.Rows[0].Declared.Commit == "" {
		t.Errorf("%q, %+v", lacks, p.Rows[0])
	}
	for file, want := range map[string]string{
		"README.md":       "| [anscombe1973](notebooks/anscombe1973.ipynb) | Graphs in statistical analysis |",
		"paper/README.md": "| [Graphs in statistical analysis](../notebooks/anscombe1973.ipynb) | none | 0 | 0 | 1 | 0 | 0 |",
	} {
		if b, err := os.ReadFile(filepath.Join(c.dir, file)); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s does not have %s (%v)", file, want, err)
		}
	}
	// What looks at all notebooks and records accepts the new ones.
	c.sh("go test -short -run 'TestRecords|TestExpected|TestAll|TestPredictions|TestRecordedVerdicts|TestNothingAboutSolutions' ./suite/protocol ./suite/course ./suite/handout")
}

// A projectCopy is a copy of the project's files, without its history.
type projectCopy struct {
	t   *testing.T
	dir string
	env []string
}

func copied(t *testing.T) *projectCopy {
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	list, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skipf("this is no checkout: %v", err)
	}
	c := &projectCopy{t: t, dir: t.TempDir()}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(c.dir, name), filepath.Join(root, name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	c.env = append(os.Environ(), "GOCACHE="+strings.TrimSpace(string(cache)), "XDG_CACHE_HOME="+t.TempDir(), "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	return c
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// run runs a line of a shell, and returns its output and errors together.
func (c *projectCopy) run(line string) (string, error) {
	cmd := exec.CommandContext(c.t.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = c.dir, c.env
	began := time.Now()
	out, err := cmd.CombinedOutput()
	c.t.Logf("%.1f s: %s", time.Since(began).Seconds(), strings.TrimSpace(line))
	return string(out), err
}

// sh runs a line that must succeed.
func (c *projectCopy) sh(line string) string {
	c.t.Helper()
	out, err := c.run(line)
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return out
}

// edit replaces every occurrence, of which there must be at least one.
func (c *projectCopy) edit(file string, old *regexp.Regexp, with string) {
	c.t.Helper()
	b, err := os.ReadFile(file)
	if err == nil && !old.Match(b) {
		err = fmt.Errorf("no %v", old)
	}
	if err == nil {
		err = os.WriteFile(file, old.ReplaceAllLiteral(b, []byte(with)), 0o666)
	}
	if err != nil {
		c.t.Fatal(file, err)
	}
}

// fill writes what an entry of the guide says into all entries of a protocol. Only rows 2 and 3 have a finding.
func (c *projectCopy) fill(file, entry string) {
	c.t.Helper()
	p, err := record.ReadProtocol(file)
	if err != nil {
		c.t.Fatal(err)
	}
	for i := range p.Rows {
		e := &p.Rows[i]
		if err := json.Unmarshal([]byte(entry), e); err != nil {
			c.t.Fatal(err)
		}
		if e.ID != "r2-2" && e.ID != "r2-3" {
			e.Finding = ""
		}
	}
	b, err := p.Bytes()
	if err == nil {
		err = os.WriteFile(file, b, 0o666)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}
