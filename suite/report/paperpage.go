package report

import (
	"fmt"
	"html/template"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/kernel/export/drawing"
	"overcomplete/paper/record"
)

type paperView struct {
	Up          string
	Name, Title string
	Heading     template.HTML
	tally
	Only       bool // only a run exists
	Size       string
	Makings    []making
	Run        *runLine
	RunMakings []making
	Withdrawn  []withdrawnRow
	Unexpected []claim // claims for which the run differs at the same size, seeds and data
	Links      []link
	Sheets     []sheetView
	Sections   []sectionView
	Files      []link
	Measure    *measureInput
}

// A sectionView shows the results of one section of the notebook.
type sectionView struct {
	ID     string
	Title  template.HTML
	Groups []groupView
}

type groupView struct {
	ID, Name, Doc string
	Experiment    string // name of the experiment, if readers can run it
	Code          link
	Notebooks     []link
	Claims        []claim
	Figures       []figureView
}

type figureView struct {
	ID, Name, Caption string
	Image             string        // address
	Panels            template.HTML // HTML that replaces the image
	Heading           string        // the heading that the image would show
	Links             []link
}

// A sheetView is a published table.
type sheetView struct {
	ID, Title, Corner string
	Columns           []string
	Lines             []sheetLine
	StandIn, Note     string
	tally
	Ran bool // some cells also show the last run's number, because it differs from the record's
}

type sheetLine struct {
	Name  string
	Cells []sheetCell
}

type sheetCell struct {
	Claim         *claim // nil for an empty cell
	Brief, Wanted string
	Mark          string
	StandIn       string
	Other         string // the last run's value, if it differs
}

func (w *writer) paperPage(p *paper) error {
	res := p.main()
	v := paperView{Name: p.name, Title: plainHeading(p.title()), Heading: headingHTML(p.title()), tally: count(p.protocol, res.Rows),
		Only: p.recorded == nil, Size: res.Size, Run: p.runLine(), Makings: makings(res), Withdrawn: p.withdrawnRows()}
	var err error
	if v.Measure, err = w.measureInput(p); err != nil {
		return err
	}
	byID := map[string]*claim{}
	n := 0
	for _, g := range p.groups {
		gv := w.group(p, g)
		if v.Measure != nil {
			gv.Experiment = v.Measure.names[g.experiment]
			for i := range gv.Claims {
				gv.Claims[i].Measurable = gv.Experiment != ""
			}
		}
		for i := range gv.Claims {
			c := &gv.Claims[i]
			byID[c.ID] = c
			if c.Run.Surprising() {
				v.Unexpected = append(v.Unexpected, *c)
			}
		}
		title := headingHTML(g.section)
		switch {
		case g.experiment == "":
			title = "Outside of experiments"
		case g.section == "":
			title = "Not in the notebook"
		}
		if k := len(v.Sections); k == 0 || v.Sections[k-1].Title != title {
			n++
			v.Sections = append(v.Sections, sectionView{ID: fmt.Sprintf("section-%d", n), Title: title})
		}
		s := &v.Sections[len(v.Sections)-1]
		s.Groups = append(s.Groups, gv)
	}
	sheets := res.Sheets
	if run := p.shownRun(); run != nil {
		v.RunMakings = makings(run)
		if len(sheets) == 0 { // old records have no sheets
			for _, l := range run.Sheets {
				l.StandIn = nil // the stand-ins come from the run, but the numbers come from the record
				sheets = append(sheets, l)
			}
		}
	}
	for _, l := range sheets {
		v.Sheets = append(v.Sheets, w.sheet(p, l, byID))
	}
	for _, which := range []string{"record", "run"} {
		s := "of the " + which
		if which == "run" {
			s = "of the last run"
		}
		if name := notebookPage(p.name, which); w.has[name] {
			v.Links = append(v.Links, link{"notebook " + s, name})
		}
		if l := w.file("results.json "+s, p.name, which, record.FileName); l.Href != "" {
			v.Links = append(v.Links, l)
		}
		for _, r := range []*record.Results{p.recorded, p.run} {
			if r == nil || (r == p.recorded) != (which == "record") {
				continue
			}
			for _, f := range r.Files {
				if l := w.file(f+" "+s, p.name, which, f); l.Href != "" {
					v.Files = append(v.Files, l)
				}
			}
		}
	}
	return w.page(p.name+".html", "paper.html", v)
}

// makings describes how and when the rows of results were measured, without repetitions.
func makings(res *record.Results) []making {
	var list []making
	used := map[int]bool{0: true}
	for _, r := range res.Rows {
		used[r.Made] = true
	}
	for i := range res.Made {
		if m := madeOf(res, i); used[i] && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

func (w *writer) group(p *paper, g group) groupView {
	at := w.sources.experiment(g.experiment)
	v := groupView{ID: g.id(), Name: g.method(), Doc: w.sources.synopsis(g.experiment), Code: link{placeName(at), at.address("")}}
	if g.experiment == "" {
		v.Name = "Other claims"
		if len(g.rows) == 0 {
			v.Name = "Other figures"
		}
	}
	v.Notebooks = w.cellLinks(p, g.cell)
	for _, r := range g.rows {
		v.Claims = append(v.Claims, w.claim(p, r, ""))
	}
	for _, f := range g.figures {
		if fv, ok := w.figure(p, f, g.cell); ok {
			v.Figures = append(v.Figures, fv)
		}
	}
	return v
}

// cellLinks returns links to a cell in the record's and the run's notebooks.
func (w *writer) cellLinks(p *paper, cell string) []link {
	if cell == "" {
		return nil
	}
	var list []link
	for _, which := range []string{"record", "run"} {
		name := notebookPage(p.name, which)
		if !w.has[name] || !p.hasCell(which, cell) {
			continue
		}
		text := "in the notebook"
		if which == "run" && len(list) > 0 {
			text = "as it last ran"
		}
		list = append(list, link{text, name + "#" + cellAnchor(cell)})
	}
	return list
}

// figure returns what the paper's page shows for the figure f. cell is the ID of the notebook cell that makes the
// figure. The bool is false if the site has neither an SVG nor a PNG of f.
func (w *writer) figure(p *paper, f record.FigureFile, cell string) (figureView, bool) {
	which := p.which()
	if !hasFigure(p.main(), f.Name) {
		which = "run"
	}
	v := figureView{ID: "figure-" + f.Name, Name: f.Name, Caption: strings.TrimSpace(madeBy.ReplaceAllString(madeIn.ReplaceAllString(f.Caption, ""), ""))}
	svg := w.file("", p.name, which, f.Name+".svg")
	png := w.file("PNG", p.name, which, f.Name+".png")
	csv := w.file("data (CSV)", p.name, which, f.Name+".csv")
	if v.Image = svg.Href; v.Image == "" {
		v.Image = png.Href
	}
	if v.Image == "" {
		return v, false
	}
	if svg.Href != "" {
		v.Heading, v.Panels = readPanels(filepath.Join(w.resultFolder(p.name, which), f.Name+".svg"))
	}
	at := w.sources.place(f.Origin)
	links := []link{csv, {"code: " + placeName(at), at.address("")}, png}
	links = append(links, w.cellLinks(p, cell)...)
	if p.shownRun() != nil && which == "record" {
		of := func(which string) string { return filepath.Join(w.resultFolder(p.name, which), f.Name+".svg") }
		if l := w.file("the last run's", p.name, "run", f.Name+".svg"); l.Href != "" && !sameFigure(of("record"), of("run")) {
			links = append(links, l, w.file("its data", p.name, "run", f.Name+".csv"))
		}
	}
	for _, l := range links {
		if l.Href != "" {
			v.Links = append(v.Links, l)
		}
	}
	return v, true
}

// readPanels returns the heading of the figure in an SVG file, and its panels as HTML. Both are "" if the SVG does not
// describe its panels.
func readPanels(file string) (heading string, html template.HTML) {
	svg, err := os.ReadFile(file) // the file was copied, so it is not a link
	if err != nil {
		return "", ""
	}
	d, err := drawing.Parse(svg)
	if err != nil {
		return "", ""
	}
	return d.Title, template.HTML(d.Panels()) // generated from numbers, colors and escaped words
}

var marks = map[string]string{"reproduced": "✓", "partial": "~", "failed": "✗"}

func (w *writer) sheet(p *paper, l record.Layout, byID map[string]*claim) sheetView {
	v := sheetView{ID: "table-" + l.Name, Title: l.Title, Corner: l.Corner, Columns: l.Columns, Note: l.Note}
	if v.Title == "" {
		v.Title = l.Name
	}
	var rows []record.Row
	for i, name := range l.Lines {
		line := sheetLine{Name: name}
		for j := range l.Columns {
			c := sheetCell{}
			if l.IDs != nil {
				c.Claim = byID[l.IDs[i][j]]
			}
			if c.Claim != nil {
				r, ok := p.main().Row(c.Claim.ID)
				if !ok {
					r, _ = p.run.Row(c.Claim.ID)
				}
				rows = append(rows, r)
				c.Brief, c.Wanted, c.Mark = brief(r.Measured), brief(r.Published), marks[c.Claim.Class]
				if l.StandIn != nil && r.Verdict == record.Unknown && r.Measured.Kind == record.KindNone {
					c.StandIn = l.StandIn[i][j]
					if c.StandIn != "" {
						v.StandIn = l.StandInOf
					}
				}
				if other := c.Claim.Run; other != nil && !other.Same && !other.Missing && !other.Empty {
					if n, _ := p.run.Row(c.Claim.ID); n.Measured.Kind != record.KindNone {
						c.Other, v.Ran = brief(n.Measured), true
					}
				}
			}
			line.Cells = append(line.Cells, c)
		}
		v.Lines = append(v.Lines, line)
	}
	v.tally = count(nil, rows) // rows of the table, not claims
	return v
}

// brief formats a value as briefly as possible: only the number, without its unit.
func brief(v record.Value) string {
	switch v.Kind {
	case record.KindNone:
		return "–"
	case record.KindNumber:
		return number(v.Number)
	}
	return v.String()
}

// fragment escapes an id for a URL.
func fragment(id string) string { return url.PathEscape(id) }
