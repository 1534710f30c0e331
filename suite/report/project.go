package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// A project holds all inputs of a site.
type project struct {
	root     string
	papers   []*paper // by name
	sources  *sources
	problems []string
}

// A paper holds the results of one paper: those in the record and those of the last run. At least one of recorded and
// run is not nil.
type paper struct {
	name          string
	recorded, run *record.Results
	protocol      *record.Protocol // nil if there is none
	// notebook is the committed notebook, ranNotebook the notebook of the last run. Each is nil if it does
	// not exist.
	notebook, ranNotebook *notebook.Notebook
	differences           map[string][]record.Difference // between the run and the record, by the row's ID
	groups                []group
}

// main returns the results that pages show first: those of the record or, if there is no record, those of the run. To
// find out which of the two it returns, call p.which.
func (p *paper) main() *record.Results {
	if p.recorded != nil {
		return p.recorded
	}
	return p.run
}

func (p *paper) which() string {
	if p.recorded != nil {
		return "record"
	}
	return "run"
}

// shownRun returns the run if pages show it next to the record, otherwise nil.
func (p *paper) shownRun() *record.Results {
	if p.recorded == nil {
		return nil
	}
	return p.run
}

// readProject reads the results, notebooks and source files below root. If recordOnly is set, it ignores the
// last run.
func readProject(root string, recordOnly bool) (*project, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	defer r.Close()
	pr := &project{root: root, sources: readSources(r)}
	protocols, err := record.Protocols(root)
	if err != nil {
		pr.problem("%v", err)
	}
	for _, name := range paperNames(root) {
		p := &paper{name: name, protocol: protocols[name]}
		p.recorded = pr.results(name, filepath.Join(root, "figures", name))
		if !recordOnly {
			p.run = pr.results(name, filepath.Join(root, "figures", "run", name))
		}
		if p.main() == nil {
			continue
		}
		p.notebook = pr.notebook(filepath.Join(root, "notebooks", name+".ipynb"))
		p.ranNotebook = pr.notebook(filepath.Join(root, "notebooks", "run", name+".ipynb"))
		if p.run == nil {
			p.ranNotebook = nil // it comes from an older or failed run
		}
		if p.shownRun() != nil {
			p.differences = map[string][]record.Difference{}
			for _, d := range record.Compare(p.run, p.recorded) {
				p.differences[d.ID] = append(p.differences[d.ID], d)
			}
		}
		pr.papers = append(pr.papers, p)
	}
	for _, p := range pr.papers {
		for _, res := range []*record.Results{p.recorded, p.run} {
			if res == nil {
				continue
			}
			for _, f := range res.Figures {
				pr.sources.addFolder(r, path.Dir(maker(f.Caption).File))
				pr.sources.addFolder(r, path.Dir(f.Origin.File))
			}
			for _, row := range res.Rows {
				pr.sources.addFolder(r, path.Dir(row.Origin.File))
			}
		}
	}
	for _, p := range pr.papers {
		pr.sortExperiments(p)
	}
	return pr, nil
}

// paperNames returns the names of the papers that have a folder with results, of a record or of a run.
func paperNames(root string) []string {
	var names []string
	for _, s := range record.ScoreboardIn(root).Scores {
		names = append(names, s.Paper)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// results reads the results in the given folder, which should be those of the paper called name. It returns nil if
// there are none. It also returns nil if the site cannot use them, and adds the reason to the list of problems.
func (pr *project) results(name, folder string) *record.Results {
	res, err := record.Read(filepath.Join(folder, record.FileName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		pr.problem("%v", err)
		return nil
	case res.Paper != name:
		pr.problem("%s has the results of %q", pr.relative(folder), res.Paper)
		return nil
	case name == "index" || name == "claims":
		pr.problem("a paper cannot be named %q, because a page of the site has that name", name)
		return nil
	}
	return res
}

func (pr *project) notebook(file string) *notebook.Notebook {
	nb, err := notebook.Read(file)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			pr.problem("%v", err)
		}
		return nil
	}
	return nb
}

// problem adds an error to the list of problems. It removes the path of the root, which differs between machines.
func (pr *project) problem(format string, args ...any) {
	s := strings.ReplaceAll(fmt.Sprintf(format, args...), pr.root+string(filepath.Separator), "")
	if !slices.Contains(pr.problems, s) {
		pr.problems = append(pr.problems, s)
	}
}

// relative returns a path relative to the project's root.
func (pr *project) relative(file string) string {
	if rel, err := filepath.Rel(pr.root, file); err == nil {
		return filepath.ToSlash(rel)
	}
	return file
}

// title returns the notebook's first heading, or the paper's name.
func (p *paper) title() string {
	for _, nb := range []*notebook.Notebook{p.notebook, p.ranNotebook} {
		if nb == nil {
			continue
		}
		for _, c := range nb.Cells {
			if c.Type != notebook.Markdown {
				continue
			}
			for _, h := range headings(c.Source) {
				return h
			}
		}
	}
	return p.name
}
