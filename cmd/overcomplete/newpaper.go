package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/inside"
	"overcomplete/internal/module"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

//go:embed newpaper/*.tmpl
var paperTemplates embed.FS

const newPaperUsage = `usage: overcomplete new-paper [--notebook NAME] PACKAGE TITLE

Starts a new paper: a package under paper/ with one experiment that runs, its test, and
a notebook that calls it. PACKAGE is the name that the paper is known by, with its year,
for example olshausen1996. Places for you to fill in are marked FILL-IN.

`

// A paperPlan holds what the user has chosen for a new paper. The templates of the paper's files use it.
type paperPlan struct{ Package, Notebook, Title string }

var packageName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
var notebookName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// runNewPaper creates the files of a new paper: the subcommand "new-paper".
func runNewPaper(args []string) int {
	flags := newFlags("new-paper", newPaperUsage)
	name := flags.String("notebook", "", "the `name` of the notebook and of the folder with results; default: the package's name")
	rest, code, ok := parseMixed(flags, args)
	if !ok {
		return code
	}
	if len(rest) != 2 {
		return mistake(flags, "give the name of the paper's package, for example olshausen1996, and the paper's title in quotes")
	}
	p := paperPlan{Package: rest[0], Notebook: *name, Title: strings.Join(strings.Fields(rest[1]), " ")}
	if p.Notebook == "" {
		p.Notebook = p.Package
	}
	root, ok, err := record.Project(".")
	if err == nil && !ok {
		err = errors.New("this folder is not in the project: start a new paper in a clone of the project")
	}
	if err == nil {
		err = p.check(root)
	}
	var files map[string][]byte
	if err == nil {
		files, err = p.files()
	}
	if err == nil {
		err = writeNew(root, files)
	}
	if err == nil {
		err = p.enlist(filepath.Join(root, filepath.FromSlash(papersFile)))
	}
	for path, row := range p.tableRows() {
		if err == nil {
			err = addRow(filepath.Join(root, filepath.FromSlash(path)), row)
		}
	}
	if err != nil {
		return fail(err)
	}
	target := lab.Prefix(p.Package) + "-table1"
	fmt.Printf(`Created paper/%[1]s and notebooks/%[2]s.ipynb, with one experiment that runs. Next:

  go test ./paper/%[1]s
  %-[3]*[4]s # runs only the experiment that experiments.go declares
  grep -rn FILL-IN paper/%[1]s notebooks/%[2]s.ipynb

Before you type in the first number, read docs/check.md about rows, rules and verdicts, and
paper/PROTOCOL.md: rules are declared in protocol.json, and committed, before they judge.
When your experiment runs in place of the example:

  bin/overcomplete protocol %[1]s       # declares its rows, and lists what only you know
  make generate                 # lets cells import the package; again after each new method
  git add -A && git commit      # the record names the commit of the program that measured
  make build
  bin/overcomplete run --record notebooks/%[2]s.ipynb
  bin/overcomplete protocol %[1]s
  bin/overcomplete check --update --size smoke,lecture notebooks/%[2]s.ipynb
  bin/overcomplete report --readme

docs/afternoon.md does all this with a paper of four small data sets.
`, p.Package, p.Notebook, len("make generate                "), "make "+target)
	return 0
}

func (p paperPlan) check(root string) error {
	_, missing := os.Lstat(filepath.Join(root, "paper", p.Package))
	switch {
	case !packageName.MatchString(p.Package) || token.IsKeyword(p.Package):
		return fmt.Errorf("%q is not a valid name for a package: use lower-case letters and digits, beginning with a letter (for example olshausen1996)", p.Package)
	case p.Package == "internal": // Go would not allow other packages to import it
		return errors.New("a paper cannot be called internal: choose another name")
	case !errors.Is(missing, fs.ErrNotExist): // a shared package may have this folder
		return fmt.Errorf("paper/%s already exists; choose another name, or remove it", p.Package)
	case !notebookName.MatchString(p.Notebook) || p.Notebook == "run":
		return fmt.Errorf("%q is not a valid name for a notebook: use lower-case letters, digits and hyphens (for example sparse-coding)", p.Notebook)
	case p.Title == "":
		return errors.New("the title is empty: give the paper's title in quotes")
	}
	// Check all paths before writing any file.
	for _, path := range []string{filepath.Join("paper", p.Package), filepath.Join("notebooks", p.Notebook+".ipynb"), filepath.FromSlash(papersFile), "README.md", filepath.Join("paper", "README.md")} {
		if err := inside.Check(root, filepath.Join(root, path)); err != nil {
			return err
		}
	}
	return nil
}

// Today returns today's date. The new paper's protocol gives it as the date on which the rules for judging the results
// were declared.
func (p paperPlan) Today() string { return time.Now().UTC().Format(time.DateOnly) }

// files returns the content of each file of the new paper, by the file's path in the project.
func (p paperPlan) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	list, err := fs.Glob(paperTemplates, "newpaper/*.tmpl")
	if err != nil {
		return nil, err
	}
	for _, path := range list {
		t, err := template.ParseFS(paperTemplates, path)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, p); err != nil {
			return nil, err
		}
		text := b.Bytes()
		if strings.HasSuffix(path, ".go.tmpl") {
			if text, err = format.Source(text); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		files[filepath.Join("paper", p.Package, strings.TrimSuffix(filepath.Base(path), ".tmpl"))] = text
	}
	nb, err := p.notebook().Bytes()
	if err != nil {
		return nil, err
	}
	files[filepath.Join("notebooks", p.Notebook+".ipynb")] = nb
	return files, nil
}

// notebook returns the paper's notebook, with cells for the parameters, the experiment and the final table.
func (p paperPlan) notebook() *notebook.Notebook {
	nb := &notebook.Notebook{Metadata: goMetadata()}
	text := func(id, s string) {
		c := notebook.NewCode(s)
		c.ID, c.Type = id, notebook.Markdown
		nb.Cells = append(nb.Cells, c)
	}
	code := func(id, s string) *notebook.Cell {
		c := notebook.NewCode(s)
		c.ID = id
		nb.Cells = append(nb.Cells, c)
		return c
	}
	text("00-title", "# "+p.Title+"\n\nFILL-IN: authors, where it appeared. What this notebook shows, in three sentences.")
	code("01-parameters", "size := \"lecture\" // smoke (seconds), lecture, full (the paper's own size)\nseed := 1").SetTags("parameters")
	code("02-lab", openSource(module.Package("paper/"+p.Package)))
	text("03-table1", "## Table 1\n\nFILL-IN: what is measured, and what the paper says of it.")
	code("04-table1", "table1 := lab.Table1()\ntable1")
	code("05-table1-figure", "table1.Figure")
	text("06-all", "## All claims")
	code("07-finish", "if err := lab.Finish(); err != nil {\n\tpanic(err)\n}\nlab.Table()")
	return nb
}

// papersFile is the file with the list of papers.
const papersFile = "cmd/overcomplete/papers.go"

// enlist adds the paper to the list in papersFile; path is this file's full path.
func (p paperPlan) enlist(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(b)
	const imports, list = "import (\n", "[]lab.Paper{\n"
	if strings.Count(text, imports) != 1 || strings.Count(text, list) != 1 {
		return fmt.Errorf("%s does not have its usual form: add %s.Experiments() to its list by hand", papersFile, p.Package)
	}
	text = strings.Replace(text, imports, fmt.Sprintf("%s\t%q\n", imports, module.Package("paper/"+p.Package)), 1)
	at := strings.Index(text, list)
	end := at + strings.Index(text[at:], "\t}\n")
	text = text[:end] + "\t\t" + p.Package + ".Experiments(),\n" + text[end:]
	if b, err = format.Source([]byte(text)); err != nil { // Source also sorts the imports
		return fmt.Errorf("%s: %w", papersFile, err)
	}
	return atomicfile.Write(path, b, 0o644)
}

// tableRows returns the table rows about the new paper for README.md and paper/README.md, by the name of the file.
func (p paperPlan) tableRows() map[string]string {
	title := strings.ReplaceAll(p.Title, "|", "\\|")
	return map[string]string{
		"README.md":       fmt.Sprintf("| [%[1]s](notebooks/%[1]s.ipynb) | %[2]s |\n", p.Notebook, title),
		"paper/README.md": fmt.Sprintf("| [%[1]s](../notebooks/%[1]s.ipynb), [%[2]s](%[2]s) | %[3]s |\n", p.Notebook, p.Package, title),
	}
}

// addRow adds a row at the end of the first table of notebooks in the file at path.
func addRow(path, row string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(b)
	table := tableOfNotebooks.FindStringIndex(text)
	if table == nil {
		return fmt.Errorf("%s has no table of notebooks: add to it by hand: %s", path, row)
	}
	return atomicfile.Write(path, []byte(text[:table[1]]+row+text[table[1]:]), 0o644)
}

var tableOfNotebooks = regexp.MustCompile(`(?m)(^\| \[[^]]*\]\([./]*notebooks/.*\n)+`)

// goMetadata returns the metadata for notebooks of this kernel.
func goMetadata() map[string]any {
	return map[string]any{
		"kernelspec":    notebook.Kernelspec(),
		"language_info": notebook.LanguageInfo(),
	}
}

// writeNew writes files below root. If one of them already exists, it returns an error and writes none.
func writeNew(root string, files map[string][]byte) error {
	for path := range files {
		full := filepath.Join(root, path)
		if _, err := os.Lstat(full); err == nil {
			return fmt.Errorf("%s already exists; choose another name, or remove it", path)
		}
	}
	for path, b := range files {
		full := filepath.Join(root, path)
		if err := inside.MkdirAll(root, filepath.Dir(full), 0o777); err != nil {
			return err
		}
		if err := atomicfile.Write(full, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// openSource returns the source of a cell that imports a paper's package and creates its lab, the value whose methods
// run the experiments.
func openSource(pkg string) string {
	return fmt.Sprintf("import %q\n\nlab, err := %s.New(size, uint64(seed))\nif err != nil {\n\tpanic(err)\n}", pkg, filepath.Base(pkg))
}
