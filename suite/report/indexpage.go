package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

type indexView struct {
	Up       string
	Title    string
	All      tally
	Papers   []indexPaper
	Claims   []claim
	Sizes    []string
	Problems []string
	Code     []link // folders of source
	Home     string // the first page of the site, if that is not this page
}

// An indexPaper is a line of the scoreboard.
type indexPaper struct {
	Name  string
	Title template.HTML
	tally
	Size     string
	Made     making
	Notebook link
	Only     bool // only a run exists: the line shows the run
	Run      *runLine
}

// A runLine compares a paper's last run with its record, for the scoreboard.
type runLine struct {
	tally
	Size                 string
	Made                 making
	Unexpected, Expected int // claims that differ
	Missing, Empty, New  int // claims not run; claims run without a measurement; claims only in the run
}

// indexPage writes the scoreboard, and the page with all claims.
func (w *writer) indexPage() error {
	v := indexView{Title: "overcomplete", Problems: w.problems}
	if l := w.options.Live; l != nil {
		v.Home = l.Home
	}
	for _, p := range w.papers {
		res := p.main()
		v.All = v.All.plus(count(p.protocol, res.Rows))
		line := indexPaper{Name: p.name, Title: headingHTML(p.title()), tally: count(p.protocol, res.Rows), Size: res.Size,
			Made: madeOf(res, 0), Only: p.recorded == nil, Run: p.runLine()}
		if name := notebookPage(p.name, p.which()); w.has[name] {
			line.Notebook = link{"notebook", name}
		}
		v.Papers = append(v.Papers, line)
		for _, g := range p.groups {
			for _, r := range g.rows {
				c := w.claim(p, r, "")
				v.Claims = append(v.Claims, c)
				if !slices.Contains(v.Sizes, c.Size) {
					v.Sizes = append(v.Sizes, c.Size)
				}
			}
		}
	}
	slices.Sort(v.Sizes)
	w.claims = len(v.Claims)
	if len(v.Claims) > 0 {
		claims := v
		claims.Title = "All claims"
		if err := w.page("claims.html", "claims.html", claims); err != nil {
			return err
		}
	}
	return w.page("index.html", "index.html", v)
}

// Differs says how many claims differ between the run and the record, for each known reason. It leaves out the
// unexpected differences, which the page shows separately. It returns "as recorded" if there are no differences at
// all.
func (l *runLine) Differs() string {
	var list []string
	add := func(n int, what string) {
		if n > 0 {
			list = append(list, fmt.Sprintf("%s: %d", what, n))
		}
	}
	add(l.Expected, "expected for a different size, seed or data")
	add(l.Empty, "without data in the run")
	add(l.Missing, "not run")
	add(l.New, "not in the record")
	if len(list) == 0 && l.Unexpected == 0 {
		return "as recorded"
	}
	return strings.Join(list, "; ")
}

// runLine counts the differences between the run and the record. It returns nil unless both exist.
func (p *paper) runLine() *runLine {
	run := p.shownRun()
	if run == nil {
		return nil
	}
	l := &runLine{tally: count(p.protocol, run.Rows), Size: run.Size, Made: madeOf(run, 0)}
	for id, ds := range p.differences {
		d := ds[0]
		old, _ := p.recorded.Row(id)
		switch {
		case d.Field != "row" && p.runRow(old).Empty:
			l.Empty++
		case d.Field == "row" && d.New == "":
			l.Missing++
		case d.Field == "row":
			l.New++
		case d.Expected:
			l.Expected++
		default:
			l.Unexpected++
		}
	}
	return l
}
