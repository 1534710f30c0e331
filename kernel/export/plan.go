package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"overcomplete/kernel/notebook"
)

// A slideshow is the content of a cell's metadata "slideshow", which describes the cell's slide.
type slideshow struct {
	// Type is the slide type, as in nbconvert and RISE: "slide" and "subslide" start a slide, "fragment" and "-"
	// continue one, "notes" is for the presenter's notes, and a cell with "skip" is left out.
	Type string `json:"slide_type"`
	// Minutes is how long the slide is on the screen. Only this package knows this field and the fields below.
	Minutes float64 `json:"minutes"`
	// Claim is the title of the slide, in Markdown: a sentence that the rest of the slide supports.
	Claim string `json:"claim"`
	// Optional slides are left out of a shorter talk.
	Optional bool `json:"optional"`
	// Code makes the slide show the code of the cell. Lines has the numbers, counted from 1, of the first and the
	// last line to show. If Lines is empty, all lines are shown.
	Code  bool  `json:"code"`
	Lines []int `json:"lines"`
	// Show is how much of a text the slide shows: "all", only the "claim", or by default lists, tables,
	// pictures and displayed formulas, and questions with their answers.
	Show string `json:"show"`
	// Formulas lists which of the displayed formulas the slide shows, by their numbers; 1 is the first formula. An
	// empty list means all.
	Formulas []int `json:"formulas"`
}

// slideshowOf returns the slideshow metadata of a cell. If it cannot be decoded as a slideshow, it returns only the
// slide type.
func slideshowOf(cell *notebook.Cell) (s slideshow) {
	m, ok := cell.Metadata["slideshow"].(map[string]any)
	if !ok {
		return s
	}
	if b, err := json.Marshal(m); err != nil || json.Unmarshal(b, &s) != nil {
		kind, _ := m["slide_type"].(string)
		return slideshow{Type: kind}
	}
	return s
}

// slideType returns the slide type in a cell's metadata, or "" if there is none.
func slideType(cell *notebook.Cell) string { return slideshowOf(cell).Type }

func (s slideshow) starts() bool { return s.Type == "slide" || s.Type == "subslide" }

// continues reports whether the cell belongs to the slide before it.
func (s slideshow) continues() bool { return s.Type == "fragment" || s.Type == "-" }

// planned reports whether a notebook has a plan: whether some cell says how many minutes its slide takes.
func planned(nb *notebook.Notebook) bool {
	for _, cell := range nb.Cells {
		if slideshowOf(cell).Minutes > 0 {
			return true
		}
	}
	return false
}

// follow adds the slides of the notebook's plan, and returns how many minutes they take. If the plan takes longer than
// the option Minutes allows, follow leaves out the optional slides and their text. Text that is not shown on a slide
// becomes notes. Code and outputs that are not part of the plan are left out.
func (t *talk) follow(nb *notebook.Notebook) (minutes float64) {
	total := 0.0
	for _, cell := range nb.Cells {
		total += slideshowOf(cell).Minutes
	}
	short := t.opt.Minutes > 0 && total > t.opt.Minutes
	skipping := false // the slide that the last cells belong to is left out
	for _, cell := range nb.Cells {
		s := slideshowOf(cell)
		if s.starts() {
			skipping = short && s.Optional
		}
		switch {
		case neverShown(cell):
		case cell.Type == notebook.Markdown:
			t.planText(cell, s, skipping)
		case cell.Type == notebook.Code && !skipping && (s.starts() || s.continues()):
			t.planCode(cell, s)
		}
	}
	for _, s := range t.slides {
		minutes += s.plan.Minutes
		s.ends = minutes
		s.arrange()
	}
	return minutes
}

// start begins the slide that a cell's metadata describes.
func (t *talk) start(cell *notebook.Cell, s slideshow) {
	now := &slide{title: t.title, cell: cell, plan: s}
	t.slides = append(t.slides, now)
	switch claim := t.inline(s.Claim); {
	case claim == "":
	case s.Show == "claim":
		now.body.WriteString("<p>" + claim + "</p>\n")
	default:
		now.title, now.foot = claim, "<span>"+t.title+"</span>"
	}
	about := fmt.Sprintf("%g minutes", s.Minutes)
	if s.Minutes == 1 {
		about = "1 minute"
	}
	if s.Optional {
		about += ", optional"
	}
	now.notes.WriteString("<p class=\"minutes\">" + about + "</p>\n")
}

// inline returns a line of Markdown as HTML, without a paragraph around it.
func (t *talk) inline(markdown string) string {
	blocks, formulas := t.blocks(&notebook.Cell{Type: notebook.Markdown, Source: markdown})
	var b strings.Builder
	for _, one := range blocks {
		b.WriteString(one.html)
	}
	s := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), "<p>"), "</p>")
	return t.c.putBack(s, formulas)
}

// planText adds a Markdown cell of a notebook with a plan. If the cell starts a slide, the slide begins at the cell's
// first heading, or at the start of a cell without headings. Text above that heading still belongs to the previous
// slide. If skipping is set, the cell's text is left out, but its headings still give the titles of later slides.
func (t *talk) planText(cell *notebook.Cell, s slideshow, skipping bool) {
	blocks, formulas := t.blocks(cell)
	put := func(s string) string { return t.c.putBack(s, formulas) }
	first := slices.IndexFunc(blocks, func(b block) bool { return b.level > 0 })
	if s.starts() && first < 0 && !skipping {
		t.start(cell, s)
		if strings.Contains(cell.Source, "<details") { // a question: its answers are not blocks of their own
			t.now(cell).body.WriteString(t.c.markdown(cell.Source, cell, false))
			return
		}
	}
	nth := 0 // of the displayed formulas
	for i, b := range blocks {
		if b.level > 0 {
			t.title = put(b.html)
			if s.starts() && i == first && !skipping {
				t.start(cell, s)
				if b.level == 1 {
					t.now(cell).class = "text first"
				}
			}
			continue
		}
		if skipping {
			continue
		}
		now := t.now(cell)
		shown := (s.starts() && i > first || s.continues()) && s.Show != "claim"
		switch {
		case shown && (s.Show == "all" || b.whole || strings.Contains(b.html, "<img")):
			now.body.WriteString(put(b.html))
			continue
		case shown:
			for _, m := range mark.FindAllString(b.html, -1) {
				if n := number(m); n < len(formulas) && formulas[n].block {
					if nth++; s.wants(nth) {
						now.body.WriteString(put(m))
					}
				}
			}
		}
		now.notes.WriteString(put(b.html))
	}
}

// wants reports whether the slide shows the nth displayed formula, counted from 1.
func (s slideshow) wants(nth int) bool {
	return len(s.Formulas) == 0 || slices.Contains(s.Formulas, nth)
}

// excerpt returns the lines of a cell's code that the slide shows.
func (s slideshow) excerpt(code string) string {
	lines := strings.Split(code, "\n")
	if len(s.Lines) != 2 || s.Lines[0] < 1 || s.Lines[0] > s.Lines[1] || s.Lines[1] > len(lines) {
		return code
	}
	return strings.Join(lines[s.Lines[0]-1:s.Lines[1]], "\n")
}

// planCode adds the outputs of a code cell of the plan and, if the cell's metadata asks for it, the code. If the slide
// does not show the code, outputs that only say whether a result is right are left out. If the slide shows figures
// without the code, the other outputs become notes.
func (t *talk) planCode(cell *notebook.Cell, s slideshow) {
	if s.starts() {
		t.start(cell, s)
	}
	now := t.now(cell)
	code := s.Code && !t.opt.HideCode
	if code {
		now.body.WriteString(codeBlock(t.listing(s.excerpt(strings.TrimSpace(cell.Source)))))
	}
	var figures, others strings.Builder
	for _, o := range cell.Outputs {
		switch text := t.c.output(o); {
		case strings.HasPrefix(text, "<figure"):
			figures.WriteString(text)
		case text != "" && (code || !verdict(text)):
			others.WriteString(`<div class="output">` + text + "</div>\n")
		}
	}
	now.shown.WriteString(figures.String())
	if figures.Len() > 0 && !code {
		now.notes.WriteString(others.String())
		return
	}
	now.body.WriteString(others.String())
}

// arrange sets the layout of a planned slide: its figures are beside its text, or fill the slide if there is no text.
func (s *slide) arrange() {
	switch {
	case s.class != "":
	case s.shown.Len() == 0 && strings.Contains(s.body.String(), "<pre class=\"code\""):
		s.class = "listing"
	case s.shown.Len() == 0 && strings.Contains(s.body.String(), `<div class="output">`):
		s.class = "output"
	case s.shown.Len() == 0:
		s.class = "text"
	case s.body.Len() == 0:
		s.class = "picture"
	default:
		s.class = "both"
		told := s.body.String()
		s.body.Reset()
		s.body.WriteString("<div class=\"told\" tabindex=\"0\">" + told + "</div>\n")
	}
	s.body.WriteString(s.shown.String())
	s.shown.Reset()
	switch {
	case s.plan.Show == "claim":
		s.class += " alone"
	case s.plan.Claim != "":
		s.class += " claim"
	}
}

// until returns an HTML attribute from which the script knows when the slide should end, or "" if no time is known.
func (s *slide) until() string {
	if s.ends == 0 {
		return ""
	}
	return fmt.Sprintf(" data-until=\"%g\"", s.ends)
}
