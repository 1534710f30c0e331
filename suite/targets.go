package suite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"overcomplete/internal/module"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// A Target is an experiment that can be run by its name: an experiment that a paper declares, or a
// cell of a notebook.
type Target struct {
	Name     string // "bradley-table2"
	Notebook string // path
	Paper    string // the notebook's name
	Cell     string // the cell's ID
	Heading  string // the last heading above the cell in the notebook
	Method   string // "paper/bradley2008.Lab.Table2"
	// Seconds is the time that the experiment took when its notebook was recorded, at the size in the field Size; 0
	// if unknown.
	Seconds float64
	Size    string
}

// Targets returns the experiments that the papers declare. If a paper's notebook can be read, it provides the heading
// above each experiment and how long the experiment took.
func Targets(root string, papers []lab.Paper) []Target {
	var all []Target
	for _, p := range papers {
		path := filepath.Join(root, "notebooks", p.Notebook+".ipynb")
		cells, _ := TargetsOf(root, path)
		for _, e := range p.Experiments {
			t := Target{Name: p.Target(e), Notebook: path, Paper: p.Notebook, Method: methodName(p.Package(), e.Func())}
			if i := slices.IndexFunc(cells, func(c Target) bool { return c.Name == t.Name }); i >= 0 {
				t = cells[i]
			}
			all = append(all, t)
		}
	}
	return all
}

// methodName returns the name of a Lab's method in the form that record.Origin uses: "paper/bradley2008.Lab.Table2".
func methodName(pkg, name string) string {
	return strings.TrimPrefix(pkg, module.Package("")) + ".Lab." + name
}

// TargetsOf returns the experiments of one notebook.
func TargetsOf(root, path string) ([]Target, error) {
	nb, err := notebook.Read(path)
	if err != nil {
		return nil, err
	}
	paper := PaperOf(path)
	size := ""
	if r, err := record.Read(filepath.Join(root, "figures", paper, record.FileName)); err == nil {
		size = r.Size
	}
	var list []Target
	cells := read(nb)
	names := nameAll(cells)
	heading, at := "", 0
	for i, c := range cells {
		for ; at < c.place; at++ {
			heading = lastHeading(nb.Cells[at], heading)
		}
		if names[i] == "" || len(c.methods) == 0 {
			continue
		}
		t := Target{Name: names[i], Notebook: path, Paper: paper, Cell: c.ID, Heading: heading,
			Method: methodName(c.lab.pkg, c.methods[0])}
		if s, ok := recordedSeconds(nb, c.ID); ok && size != "" {
			t.Seconds, t.Size = s, size
		}
		list = append(list, t)
	}
	return list, nil
}

// nameAll returns the name of the experiment in each cell, "" for a cell that is not an experiment. A cell that only
// shows the result of an earlier cell gets the same name as that cell.
func nameAll(cells []*cell) []string {
	names := make([]string, len(cells))
	count := map[string]int{}
	for i, c := range cells {
		if !c.isExperiment() {
			continue
		}
		if len(c.methods) == 0 {
			for j := i - 1; j >= 0; j-- {
				if cells[j].isExperiment() && intersect(cells[j].declares, c.mentions) {
					names[i] = names[j]
					break
				}
			}
			continue
		}
		name := lab.Prefix(c.lab.pkg) + "-" + kebab(c.methods[0])
		if count[name]++; count[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, count[name])
		}
		names[i] = name
	}
	return names
}

func intersect(a, b map[string]bool) bool {
	for x := range a {
		if b[x] {
			return true
		}
	}
	return false
}

// kebab converts LetterSearch to letter-search.
func kebab(s string) string {
	var b strings.Builder
	r := []rune(s)
	for i, c := range r {
		if unicode.IsUpper(c) && i > 0 && (!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// lastHeading returns the last heading of a Markdown cell, or the argument heading if the cell has none.
func lastHeading(c *notebook.Cell, heading string) string {
	if c.Type != notebook.Markdown {
		return heading
	}
	fenced := false
	for line := range strings.Lines(c.Source) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if text := strings.TrimLeft(line, "#"); !fenced && text != line && strings.HasPrefix(text, " ") {
			heading = strings.TrimSpace(text)
		}
	}
	return heading
}

// recordedSeconds returns how long the cell with the given id took in the run that produced the notebook's saved
// outputs. It returns false if the notebook does not say.
func recordedSeconds(nb *notebook.Notebook, id string) (float64, bool) {
	own, _ := nb.Metadata["overcomplete"].(map[string]any)
	timing, _ := own["timing"].(map[string]any)
	took, _ := timing["cells"].(map[string]any)
	s, ok := number(took[id])
	return s, ok
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case interface{ Float64() (float64, error) }: // json.Number
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

// Find returns the target with the given name. If there is no such target, the error suggests similar names.
func Find(targets []Target, name string) (Target, error) {
	for _, t := range targets {
		if t.Name == name {
			return t, nil
		}
	}
	var near []string
	head, _, _ := strings.Cut(name, "-")
	for _, t := range targets {
		if strings.Contains(t.Name, name) || head != "" && strings.HasPrefix(t.Name, head+"-") {
			near = append(near, t.Name)
		}
	}
	if len(near) == 0 {
		for _, t := range targets {
			if p, _, _ := strings.Cut(t.Name, "-"); !slices.Contains(near, p+"-…") {
				near = append(near, p+"-…")
			}
		}
	}
	return Target{}, fmt.Errorf("unknown experiment %q; similar: %s ('overcomplete list' lists all experiments)", name, strings.Join(near, ", "))
}
