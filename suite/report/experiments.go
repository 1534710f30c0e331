package report

import (
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"

	"overcomplete/kernel/export/mathml"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// A group holds the results of one experiment.
type group struct {
	experiment string // "paper/bradley2008.Lab.Table2"; "" for rows without an experiment
	section    string // the notebook's heading above the cell that calls the experiment
	cell       string // id of that cell in the notebook, "" if no cell calls the experiment
	rows       []record.Row
	figures    []record.FigureFile
}

// method returns the name of the experiment's method: "Table2".
func (g group) method() string { return g.experiment[strings.LastIndex(g.experiment, ".")+1:] }

// id returns the anchor of the group on the paper's page.
func (g group) id() string {
	if g.experiment == "" {
		return "other-claims"
	}
	return "experiment-" + path.Base(g.experiment)
}

// origins returns the rows and figures of res. A figure without an origin gets the one that its caption names, and a
// row without an origin gets that of its figure.
func origins(res *record.Results) (rows []record.Row, figures []record.FigureFile) {
	byName := map[string]record.Origin{}
	for _, f := range res.Figures {
		if f.Origin.File == "" {
			f.Origin = maker(f.Caption)
		}
		byName[f.Name] = f.Origin
		figures = append(figures, f)
	}
	for _, r := range res.Rows {
		if r.Origin.File == "" {
			r.Origin = byName[r.Figure]
		}
		rows = append(rows, r)
	}
	return rows, figures
}

// sortExperiments groups the paper's rows and figures by experiment, in the order of the notebook's cells.
// The groups include rows and figures that exist only in the run.
func (pr *project) sortExperiments(p *paper) {
	rows, figures := origins(p.main())
	if run := p.shownRun(); run != nil {
		// The run may have origins that are missing in the record.
		more, moreFigures := origins(run)
		known := map[string]record.Origin{}
		for _, r := range more {
			known[r.ID] = r.Origin
			if _, ok := p.recorded.Row(r.ID); !ok {
				rows = append(rows, r)
			}
		}
		for i, r := range rows {
			if r.Origin.File == "" {
				rows[i].Origin = known[r.ID]
			}
		}
		for _, f := range moreFigures {
			if !slices.ContainsFunc(figures, func(g record.FigureFile) bool { return g.Name == f.Name }) {
				figures = append(figures, f)
			}
		}
	}
	at := map[string]int{}
	find := func(experiment string) *group {
		i, ok := at[experiment]
		if !ok {
			i = len(p.groups)
			at[experiment] = i
			p.groups = append(p.groups, group{experiment: experiment})
		}
		return &p.groups[i]
	}
	for _, r := range rows {
		g := find(r.Origin.Experiment)
		g.rows = append(g.rows, r)
	}
	for _, f := range figures {
		g := find(f.Origin.Experiment)
		g.figures = append(g.figures, f)
	}
	nb := p.notebook
	if nb == nil {
		nb = p.ranNotebook
	}
	order := map[string]int{}
	for i := range p.groups {
		g := &p.groups[i]
		order[g.experiment] = 1 << 30
		if g.experiment == "" {
			order[""]++
			continue
		}
		if k, section := calls(nb, g.method()); k >= 0 {
			g.cell, g.section = nb.Cells[k].ID, section
			order[g.experiment] = k
		}
	}
	slices.SortStableFunc(p.groups, func(a, b group) int { return order[a.experiment] - order[b.experiment] })
}

// calls finds the first code cell that calls a method. It returns the cell's index, or -1 if there is no such cell, and
// the heading above the cell. Other values may have a method of the same name, so calls on the variable lab take
// precedence.
func calls(nb *notebook.Notebook, method string) (cell int, section string) {
	if nb == nil || method == "" {
		return -1, ""
	}
	for _, receiver := range []string{`\blab\.`, `\.`} {
		call := regexp.MustCompile(receiver + regexp.QuoteMeta(method) + `\(`)
		section = ""
		for i, c := range nb.Cells {
			switch c.Type {
			case notebook.Markdown:
				if h := headings(c.Source); len(h) > 0 {
					section = h[len(h)-1]
				}
			case notebook.Code:
				if call.MatchString(c.Source) {
					return i, section
				}
			}
		}
	}
	return -1, ""
}

// headings returns the texts of the headings in a Markdown text, still as Markdown, but without the # signs. It
// ignores headings that are underlined instead of marked by #.
func headings(source string) []string {
	var list []string
	fence := false
	for line := range strings.Lines(source) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fence = !fence
		}
		text := strings.TrimLeft(line, "#")
		if n := len(line) - len(text); fence || n == 0 || n > 6 || !strings.HasPrefix(text, " ") {
			continue
		}
		text = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), "#"))
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

var inlineMath = regexp.MustCompile(`\$([^$]+)\$`)

// stripMarks removes the marks for emphasis and code from Markdown.
func stripMarks(s string) string { return strings.NewReplacer("**", "", "*", "", "`", "").Replace(s) }

// plainHeading returns a heading as plain text.
func plainHeading(s string) string {
	return strings.TrimSpace(strings.NewReplacer("$", "", `\`, "").Replace(stripMarks(s)))
}

// headingHTML converts a heading from Markdown to HTML, with its formulas in MathML.
func headingHTML(s string) template.HTML {
	var b strings.Builder
	done := 0
	for _, m := range inlineMath.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(template.HTMLEscapeString(stripMarks(s[done:m[0]])))
		done = m[1]
		tex := s[m[2]:m[3]]
		if f, err := mathml.Convert(tex, false); err == nil {
			b.WriteString(f.MathML)
		} else {
			b.WriteString("<code>" + template.HTMLEscapeString(tex) + "</code>")
		}
	}
	b.WriteString(template.HTMLEscapeString(stripMarks(s[done:])))
	return template.HTML(strings.TrimSpace(b.String()))
}
