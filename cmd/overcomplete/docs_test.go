package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/data"
	patient "overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// notTried lists commands in the documentation that TestDocs does not run, each with the reason. Their names
// and flags are still checked.
var notTried = map[string]string{
	"./overcomplete all":                          "takes minutes; TestAll runs two notebooks so",
	"bin/overcomplete all":                        "likewise",
	"./overcomplete install":                      "the program of a test is deleted after it, which install refuses; the tests of kernel/kernelspec, make browser",
	"bin/overcomplete install --user":             "likewise",
	"bin/overcomplete install --prefix DIR":       "likewise",
	"bin/overcomplete install --sys-prefix":       "likewise",
	"bin/overcomplete data get mnist":             "needs the network; TestData has a server of its own",
	"bin/overcomplete lite -extension extensions": "compresses a kernel for minutes; the tests of kernel/live/jupyterlite",
	"bin/overcomplete export --live --out pages notebooks/lecture-pca.ipynb lesson.ipynb": "compresses a kernel for minutes; make live-browsers",
	"bin/overcomplete check -live":                "runs all notebooks under node; make live-test",
	"bin/overcomplete protocol":                   "reads the history of the repository; the tests of suite/protocol",
	"bin/overcomplete protocol bradley2008":       "likewise",
	"bin/overcomplete run --record":               "is no whole command",
	"bin/overcomplete export --clean":             "is no whole command",
	"bin/overcomplete run --export html NOTEBOOK": "is no whole command",
	"bin/overcomplete grade submitted --notebook lecture-pca --set size=smoke --out grades.csv": "runs what students hand in, for which not every machine has what it takes; TestGrade",
}

// otherPrograms lists programs of other projects, and why their commands are not tried.
var otherPrograms = map[string]string{
	"cd":      "the shell's",
	"code":    "changes VS Code; make vsix-check installs the same file",
	"docker":  "needs docker, and a network",
	"git":     "needs a network",
	"jupyter": "needs Jupyter, and somebody who looks",
	"pip":     "changes a Python environment; make wheel-check",
	"python3": "serves until it is stopped",
	"uvx":     "needs uv, and somebody who looks",
}

// A docCommand is a command shown in the documentation.
type docCommand struct {
	file, text string
	words      []string
	inline     bool // part of a sentence, and possibly incomplete
}

var (
	fenced  = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	inlined = regexp.MustCompile("`((?:bin/overcomplete|\\./overcomplete|overcomplete|make|go run|go doc|go test|docker|jupyter) [^`\n]+)`")
	comment = regexp.MustCompile(`\s+# .*$`)
	words   = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)
)

// docCommands finds the commands in the documentation for users and for maintainers: all lines of code
// blocks without a language, and inline code.
func docCommands(t *testing.T) (list []docCommand) {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, name := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md", "../../STABILITY.md", "../../paper/PROTOCOL.md", "../../paper/README.md") {
		b := testfile.Read(t, name)
		if filepath.Base(name) == "afternoon.md" { // TestAfternoonPaper runs the commands of its last section
			b, _, _ = bytes.Cut(b, []byte("\n## A paper\n"))
		}
		add := func(text string, inline bool) {
			for _, part := range strings.Split(comment.ReplaceAllString(text, ""), " && ") {
				c := docCommand{file: filepath.Base(name), text: strings.TrimSpace(part), inline: inline}
				for _, w := range words.FindAllString(part, -1) {
					c.words = append(c.words, strings.Trim(w, `"'`))
				}
				if len(c.words) > 0 {
					list = append(list, c)
				}
			}
		}
		for _, m := range fenced.FindAllStringSubmatch(string(b), -1) {
			if m[1] != "" {
				continue
			}
			for _, line := range strings.Split(m[2], "\n") {
				add(line, false)
			}
		}
		for _, m := range inlined.FindAllStringSubmatch(fenced.ReplaceAllString(string(b), ""), -1) {
			add(m[1], true)
		}
	}
	return list
}

// TestDocs tries the commands that README.md, CONTRIBUTING.md and docs show. Commands of this program run in
// a folder with some notebooks; the command run, which would take minutes, only prints its plan. For make
// commands TestDocs checks the targets, for go commands the packages.
func TestDocs(t *testing.T) {
	const root = "../.."
	makefile := testfile.Read(t, root+"/Makefile")
	var experiments []string
	for _, p := range declaredPapers() {
		for _, e := range p.Experiments {
			experiments = append(experiments, p.Target(e))
		}
	}
	dir := docsProject(t)
	used, tried, usages := map[string]bool{}, map[string]bool{}, map[string]string{}
	var own int
	for _, c := range docCommands(t) {
		program := strings.TrimPrefix(strings.TrimPrefix(c.words[0], "bin/"), "./")
		for strings.Contains(program, "=") && len(c.words) > 1 { // skip environment variables
			c.words = c.words[1:]
			program = c.words[0]
		}
		switch {
		case program == "make":
			for _, w := range c.words[1:] {
				if !strings.Contains(w, "=") && !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(w)+`:`).Match(makefile) && !slices.Contains(experiments, w) {
					t.Errorf("%s: %s: there is no target %s", c.file, c.text, w)
				}
			}
		case program == "go":
			for _, w := range c.words[1:] {
				if path, ok := strings.CutPrefix(w, "./"); ok {
					if _, err := os.Stat(filepath.Join(root, strings.TrimSuffix(path, "..."))); err != nil {
						if _, err := os.Stat(filepath.Join(root, "kernel/internal/browser", path)); err != nil { // the folder after cd
							t.Errorf("%s: %s: %v", c.file, c.text, err)
						}
					}
				}
			}
		case program == "overcomplete":
			own++
			c.knownFlags(t, usages)
			same := strings.Join(c.words[1:], " ") // compare without the path of the program
			if c.inline && c.words[0] == "overcomplete" || tried[same] {
				continue
			}
			if notTried[c.text] != "" {
				used[c.text] = true
				continue
			}
			tried[same] = true
			if !slices.Contains(c.words, "run") || !patient.LeftOut(same) { // a plan takes a second or more
				c.try(t, dir)
			}
		case otherPrograms[program] == "":
			t.Errorf("%s: %s: it is not known how to try this (blocks that are no commands begin with ```text)", c.file, c.text)
		}
	}
	if own < 50 || len(tried) < 20 {
		t.Errorf("only %d commands of this program, %d of them tried: this looks at the wrong texts", own, len(tried))
	}
	for text := range notTried {
		if !used[text] {
			t.Errorf("no text has %q any more", text)
		}
	}
}

// knownFlags checks that the command and its flags exist.
func (c docCommand) knownFlags(t *testing.T, usages map[string]string) {
	t.Helper()
	name := c.words[1]
	if name == "help" || strings.HasPrefix(name, "-") {
		return
	}
	usage, ok := usages[name]
	if !ok {
		if !slices.ContainsFunc(commands(), func(k command) bool { return k.name == name }) {
			t.Errorf("%s: %s: there is no command %s", c.file, c.text, name)
			return
		}
		_, out, errs := output(t, t.TempDir(), name, "-h")
		usage = out + errs
		usages[name] = usage
	}
	for _, w := range c.words[2:] {
		if f := strings.TrimLeft(w, "-"); f != w && f != "" && !regexp.MustCompile(`-`+regexp.QuoteMeta(f)+`\b`).MatchString(usage) {
			t.Errorf("%s: %s: there is no flag %s", c.file, c.text, w)
		}
	}
}

// docsProject makes a folder in which the commands of the documentation can run: a project with some
// notebooks, and the reader's own notebooks, lesson.ipynb and notes.ipynb.
func docsProject(t *testing.T) (dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	dir = t.TempDir()
	for _, name := range []string{"notebooks/lecture-pca.ipynb", "notebooks/i-con.ipynb", "figures/lecture-pca/ppca.svg", "cmd/overcomplete/papers.go", "go.mod",
		"figures/lecture-pca/results.json", "paper/lecturepca/protocol.json", "README.md", "paper/README.md"} {
		testfile.Write(t, filepath.Join(dir, name), testfile.Read(t, filepath.Join("../..", name)))
	}
	nb := &notebook.Notebook{Metadata: goMetadata()}
	for _, code := range []string{
		"n := 2\nn * n",
		"import (\n\t\"overcomplete/kernel-helpers/check\"\n\t_ \"overcomplete/paper/lectureattention\"\n)\nfunc parameters(V, d, m, L int) int { return 0 }",
		"check.Exercise(\"attention-4\", parameters)",
	} {
		nb.Cells = append(nb.Cells, notebook.NewCode(code))
	}
	for _, name := range []string{"lesson.ipynb", "notes.ipynb"} {
		if err := nb.Write(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := output(t, dir, "run", "--inplace", "lesson.ipynb"); code != 0 { // the reference for run --check
		t.Fatal(out, errs)
	}
	home := filepath.Join(t.TempDir(), "home")
	for _, name := range []string{"HOME", "JUPYTER_DATA_DIR", "XDG_DATA_HOME", "LOCALAPPDATA", "APPDATA"} {
		t.Setenv(name, home)
	}
	t.Setenv(data.Variable, "")
	return dir
}

// try runs a command.
func (c docCommand) try(t *testing.T, dir string) {
	t.Helper()
	args, status := slices.Clone(c.words[1:]), 0
	switch {
	case args[0] == "run" && !slices.Contains(args, "lesson.ipynb"):
		args = append(args, "-n")
		if !slices.Contains(args, "--check") {
			dir = "../.." // the folder with the code that the experiments reach; with -n the command writes nothing
		}
	case args[0] == "doctor":
		status = 1 // the status if this machine lacks a prerequisite
	}
	for i := 0; i < len(args); i++ {
		if strings.Contains(args[i], "*") {
			list, err := filepath.Glob(filepath.Join(dir, args[i]))
			if err != nil || len(list) == 0 {
				t.Fatalf("%s: %v", args[i], err)
			}
			for k := range list {
				list[k], _ = filepath.Rel(dir, list[k])
			}
			args = slices.Replace(args, i, i+1, list...)
		}
	}
	code, out, errs := output(t, dir, args...)
	if code > status {
		t.Errorf("%s: %s: status %d\n%s%s", c.file, c.text, code, out, errs)
	}
}

// TestTour runs the cells of README.md's tour, which ends with a cell that contains a mistake, and the cells
// of docs/vscode.md and docs/kernel.md.
func TestTour(t *testing.T) {
	nb := &notebook.Notebook{Metadata: goMetadata()}
	for _, name := range []string{"docs/vscode.md", "docs/kernel.md", "README.md"} {
		b := testfile.Read(t, filepath.Join("../..", name))
		for _, m := range fenced.FindAllStringSubmatch(string(b), -1) {
			if m[1] == "go" {
				nb.Cells = append(nb.Cells, notebook.NewCode(m[2]))
			}
		}
	}
	if len(nb.Cells) < 5 {
		t.Fatalf("%d cells", len(nb.Cells))
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "tour.ipynb")
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := output(t, dir, "run", "--allow-errors", "--out", "run.ipynb", "tour.ipynb"); code != 0 {
		t.Errorf("status %d\n%s%s", code, out, errs)
	}
	nb, err := notebook.Read(filepath.Join(dir, "run.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range nb.Cells {
		failed := slices.ContainsFunc(c.Outputs, func(o notebook.Output) bool { return o["output_type"] == "error" })
		if last := i == len(nb.Cells)-1; failed != last || len(c.Outputs) == 0 {
			t.Errorf("cell %d: %v\n%v", i+1, c.Source, c.Outputs)
		}
	}
}

// TestReadmeIsOnePage checks that README.md is short and lists every notebook, like
// paper/README.md.
func TestReadmeIsOnePage(t *testing.T) {
	list, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(list) == 0 {
		t.Fatal("no notebooks", err)
	}
	for name, most := range map[string]int{"README.md": 800, "paper/README.md": 440} {
		b := testfile.Read(t, filepath.Join("../..", name))
		// Each paper has its rows in the tables, however many papers there are.
		if n := len(strings.Fields(regexp.MustCompile(`(?m)^\| \[.*notebooks/.*$`).ReplaceAllString(string(b), ""))); n > most {
			t.Errorf("%s has %d words without the rows of notebooks, of which there may be %d: the rest belongs into docs", name, n, most)
		}
		for _, path := range list {
			if !strings.Contains(string(b), "notebooks/"+filepath.Base(path)+") |") {
				t.Errorf("%s has no line for %s", name, filepath.Base(path))
			}
		}
	}
}
