package export

import (
	_ "embed"
	"fmt"
	"html"
	"maps"
	"regexp"
	"strings"

	"overcomplete/kernel/export/drawing"
	"overcomplete/kernel/notebook"
)

//go:embed page/slides.css
var slidesStyle string

//go:embed page/slides.js
var slidesScript string

// A slide is one slide of a talk, with the presenter's notes.
type slide struct {
	title string // in HTML
	class string
	body  strings.Builder
	notes strings.Builder
	// foot is shown at the bottom of the slide. On a planned slide it is the title of the section. On other slides
	// it is the code that makes a picture, or "" if the code has several lines.
	foot string
	cell *notebook.Cell // cell at the start of the slide
	plan slideshow
	// shown holds the figures of a planned slide, and ends is the minute of the talk at which the slide should end.
	shown strings.Builder
	ends  float64
}

// A talk collects the slides that are made from a notebook. If the notebook has no plan, each heading starts a slide,
// each output gets a slide, and the surrounding text goes into the notes.
type talk struct {
	c      *converter
	opt    HTMLOptions
	isGo   bool
	slides []*slide
	title  string // title of the section
}

// Slides converts a notebook to slides, in one HTML file.
//
// If cells say how many minutes their slides take, the notebook has a plan, and only the cells with a slide type get
// slides (plan.go). Otherwise each heading starts a slide, and each output gets a slide that also shows its code. The
// slides show the lists, tables, formulas and pictures in the text. A slide without any of these shows the beginning
// of the prose. Slideshow metadata of cells takes precedence.
//
// The prose is in the presenter's notes, except paragraphs that a planned slide shows whole. Solutions are left out.
func Slides(nb *notebook.Notebook, opt HTMLOptions) Page {
	c := &converter{dir: opt.Dir, figure: opt.Figure, address: opt.FigureAddress, anchors: map[string]bool{}, characters: map[rune]bool{}, clean: newCleaner(opt)}
	t := &talk{c: c, opt: opt, isGo: goNotebook(nb)}
	if planned(nb) {
		c.page.Minutes = t.follow(nb)
	} else {
		for _, cell := range nb.Cells {
			t.add(cell)
		}
	}
	var main strings.Builder
	main.WriteString(c.clean.note())
	for i, s := range t.slides {
		fmt.Fprintf(&main, "<section class=\"slide %s\" id=\"s%d\"%s><div class=\"in\">\n", s.class, i+1, s.until())
		if s.title != "" {
			level := 2
			if i == 0 {
				level = 1
			}
			fmt.Fprintf(&main, "<h%d>%s</h%d>\n", level, s.title, level)
		}
		// A formula that is wider than the slide can be scrolled, also with the keyboard.
		body := strings.ReplaceAll(s.body.String(), formulaStart, strings.TrimSuffix(formulaStart, ">")+` tabindex="0">`)
		fmt.Fprintf(&main, "<div class=\"body\" tabindex=\"0\">%s</div>\n<footer>%s<span>%d</span></footer></div></section>\n", body, s.foot, i+1)
		fmt.Fprintf(&main, "<aside class=\"notes\">%s</aside>\n", s.notes.String())
	}
	c.page.Title = opt.Name
	if len(t.slides) > 0 && t.slides[0].title != "" {
		c.page.Title = plainHTML(t.slides[0].title)
	}
	if c.page.Title == "" {
		c.page.Title = "Slides"
	}
	c.page.Left = c.clean.names()
	text := main.String()
	style, slidesScript := style, slidesScript
	if c.drawn {
		style, slidesScript = style+drawing.Style, slidesScript+drawing.Script
	}
	c.page.HTML = fmt.Appendf(nil, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
%s<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>
%s</style>
</head>
<body>
<main>
%s</main>
<div id="desk"><time></time> <span></span></div>
<script>
%s</script>
</body>
</html>
`, c.clean.seal(opt, "\n"+slidesScript, text), html.EscapeString(c.page.Title), fontFace(c.characters)+style+slidesStyle, text, slidesScript)
	return c.page
}

// begin starts a slide. It reuses the last slide if that slide has the same heading and no content.
func (t *talk) begin(cell *notebook.Cell, class string) *slide {
	if n := len(t.slides); n > 0 {
		if s := t.slides[n-1]; s.class == "text" && s.body.Len() == 0 && s.title == t.title {
			s.class = class
			return s
		}
	}
	s := &slide{title: t.title, class: class, cell: cell}
	t.slides = append(t.slides, s)
	return s
}

// now returns the current slide. If there is none, it starts one.
func (t *talk) now(cell *notebook.Cell) *slide {
	if len(t.slides) == 0 {
		return t.begin(cell, "text")
	}
	return t.slides[len(t.slides)-1]
}

// neverShown reports whether a cell appears neither on slides nor in notes.
func neverShown(cell *notebook.Cell) bool {
	return solution(cell) || isExerciseCheck(cell) || slideType(cell) == "skip" || cell.Tagged("remove-cell") || cell.Tagged("remove_cell")
}

func (t *talk) add(cell *notebook.Cell) {
	kind := slideType(cell)
	if neverShown(cell) {
		return
	}
	switch cell.Type {
	case notebook.Markdown:
		t.text(cell, kind)
	case notebook.Code:
		t.code(cell, kind)
	}
}

// The largest numbers of lines of code on a slide: below a picture, together with another output, and together
// with a verdict.
const (
	footLines = 1
	bothLines = 20
	mostLines = 40
)

// verdict reports whether an output is one line that says right, wrong or not started.
func verdict(output string) bool {
	text := strings.TrimSpace(plainHTML(output))
	return (strings.HasPrefix(text, "✓") || strings.HasPrefix(text, "✗") || strings.HasPrefix(text, "○")) && !strings.Contains(text, "\n") && !strings.HasPrefix(output, "<figure")
}

// code adds slides with the outputs and the code of a code cell. kind is the cell's slide type.
func (t *talk) code(cell *notebook.Cell, kind string) {
	var outputs []string
	for _, o := range cell.Outputs {
		if s := t.c.output(o); s != "" {
			outputs = append(outputs, s)
		}
	}
	source := strings.TrimSpace(cell.Source)
	hide := t.opt.HideCode || cell.Tagged("hide-input") || cell.Tagged("remove-input") || cell.Tagged(tagPlumbing) || sourceHidden(cell)
	if len(outputs) == 0 && kind == "" && !cell.Tagged("exercise") || hide && len(outputs) == 0 {
		return // the cell only prepares something
	}
	lines := strings.Count(source, "\n") + 1
	listing := t.listing(source)
	code := codeBlock(listing)
	if hide || source == "" {
		code, lines = "", 0
	}
	if kind == "fragment" || kind == "-" {
		t.now(cell).body.WriteString(code + strings.Join(outputs, ""))
		return
	}
	if len(outputs) == 1 && lines <= mostLines && verdict(outputs[0]) {
		t.begin(cell, "output").body.WriteString(code + `<div class="output">` + outputs[0] + "</div>\n")
		return
	}
	for i, o := range outputs {
		if figure := strings.HasPrefix(o, "<figure"); figure || i == 0 && lines+strings.Count(o, "\n") > bothLines {
			if code != "" && lines > footLines {
				t.begin(cell, "listing").body.WriteString(code)
				code = ""
			}
			if figure {
				s := t.begin(cell, "picture")
				s.body.WriteString(o)
				if code != "" {
					s.foot, code = "<code>"+listing+"</code>", ""
				}
				continue
			}
		}
		s := t.now(cell)
		if i == 0 || s.class != "output" {
			s = t.begin(cell, "output")
		}
		s.body.WriteString(code + `<div class="output">` + o + "</div>\n")
		code = ""
	}
	if code != "" {
		t.begin(cell, "listing").body.WriteString(code)
	}
}

// listing returns code as HTML, with syntax highlighting if it is Go.
func (t *talk) listing(source string) string {
	if t.isGo {
		return codeHTML(source)
	}
	return html.EscapeString(source)
}

func codeBlock(listing string) string {
	return `<pre class="code"><code>` + listing + "</code></pre>\n"
}

// isExerciseCheck reports whether a cell checks the answer to an exercise. Talks leave out such cells, because their
// saved output only says that the empty answer is wrong.
func isExerciseCheck(c *notebook.Cell) bool {
	return c.Type == notebook.Code && c.Tagged("exercise") && strings.HasPrefix(strings.TrimSpace(c.Source), "check.Exercise(")
}

var headingLine = regexp.MustCompile(`^#{1,6} `)

// SlideTypes returns a copy of a notebook with slideshow metadata in its cells, from which nbconvert and RISE make
// slides. It follows the rules of Slides, except that these tools cannot split cells. Cells that start with a heading
// or have outputs become slides, and so do exercises. Other text becomes notes. Solutions, and code without outputs,
// are skipped. If the notebook has a plan, only the cells of the plan become slides. Existing slide types stay
// unchanged. SlideTypes does not change the argument nb.
func SlideTypes(nb *notebook.Notebook) *notebook.Notebook {
	out, plan := *nb, planned(nb)
	out.Cells = make([]*notebook.Cell, len(nb.Cells))
	for i, c := range nb.Cells {
		cell := *c
		if slideType(c) == "" {
			show := map[string]any{}
			if m, ok := c.Metadata["slideshow"].(map[string]any); ok {
				show = maps.Clone(m)
			}
			show["slide_type"] = typeOf(c, plan)
			if cell.Metadata = maps.Clone(c.Metadata); cell.Metadata == nil {
				cell.Metadata = map[string]any{}
			}
			cell.Metadata["slideshow"] = show
		}
		out.Cells[i] = &cell
	}
	return &out
}

func typeOf(c *notebook.Cell, plan bool) string {
	text := strings.TrimSpace(c.Source)
	switch {
	case solution(c) || isExerciseCheck(c) || text == "" && len(c.Outputs) == 0 || c.Type == notebook.Raw:
		return "skip"
	case plan && c.Type == notebook.Markdown:
		return "notes"
	case plan:
		return "skip"
	case c.Type == notebook.Markdown && headingLine.MatchString(text):
		return "slide"
	case c.Type == notebook.Markdown && c.Tagged("exercise"):
		return "subslide"
	case c.Type == notebook.Markdown:
		return "notes"
	case len(c.Outputs) > 0 || c.Tagged("exercise"):
		return "subslide"
	}
	return "skip"
}
