package export

import (
	_ "embed"
	"fmt"
	"html"
	"strings"

	"overcomplete/internal/figuremeta"
	"overcomplete/kernel/export/drawing"
	"overcomplete/kernel/notebook"
)

//go:embed page/style.css
var style string

//go:embed page/script.js
var script string

// A Page is a notebook as HTML.
type Page struct {
	HTML []byte
	// Unknown lists the formulas that are shown as source, and the reason for each.
	Unknown []string
	Title   string
	// Left has the names of the parts that Clean removed, without duplicates.
	Left []string
	// Minutes is the length of the talk. It is 0 unless Slides made the page from a notebook with a plan.
	Minutes float64
}

// HTMLOptions are options for HTML. The zero value is ready to use.
type HTMLOptions struct {
	// Name is the page's title if the notebook has no heading.
	Name string
	// Dir is the notebook's folder, for pictures in Markdown cells. If Dir is empty, the addresses of these
	// pictures stay unchanged.
	Dir string
	// HideCode omits the source of code cells.
	HideCode bool
	// Clean, if not nil, is called with all HTML of the notebook. It returns the harmless part, and the names
	// of the parts that it removed; package clean has such a function. Without Clean a page is as trustworthy
	// as the notebook.
	Clean func(html string) (cleaned string, left []string)
	// Trusted reports whether an output's HTML is exempt from Clean. If Trusted is nil, no output is exempt.
	Trusted func(notebook.Output) bool
	// Figure, if not nil, returns the SVG of a saved figure that an output shows, or nil if the SVG is
	// unknown. With an SVG the page shows the figure panel by panel; see package drawing. FiguresBeside
	// returns such a function.
	Figure func(figuremeta.Name) (svg []byte)
	// FigureAddress, if not nil, returns the address at which the page finds a saved figure as one picture,
	// or "" if there is no such address.
	FigureAddress func(figuremeta.Name) string
	// Sealed makes browsers refuse scripts other than the page's own, and any content from elsewhere, in case
	// Clean has missed something. Use it for pages that are not changed afterwards. It has no effect without
	// Clean, or if an output was exempt because of Trusted.
	Sealed bool
	// Minutes limits a talk: if its plan takes longer, the slides that are optional are left out. 0 keeps all.
	Minutes float64
}

type converter struct {
	page     Page
	dir      string
	figure   func(figuremeta.Name) (svg []byte)
	address  func(figuremeta.Name) string
	drawn    bool // some figure was shown panel by panel
	headings []heading
	anchors  map[string]bool
	// characters holds the characters that occur in formulas.
	characters map[rune]bool
	clean      cleaner
}

// HTML converts a notebook to one HTML file. For each cell, an element or anchor has the id "cell-" followed by the
// cell's id.
func HTML(nb *notebook.Notebook, opt HTMLOptions) Page {
	c := &converter{dir: opt.Dir, figure: opt.Figure, address: opt.FigureAddress, anchors: map[string]bool{"contents": true, "theme": true, "page": true, "main": true}, characters: map[rune]bool{}, clean: newCleaner(opt)}
	for _, cell := range nb.Cells {
		c.anchors[cellID(cell)] = true // reserve the id, so that no heading uses it
	}
	isGo := goNotebook(nb)
	made, madeIn := madeWith(nb)
	var main body
	folded := nb.Folded()
	for i, cell := range nb.Cells {
		inner, class := "", "cell"
		switch cell.Type {
		case notebook.Markdown:
			inner, class = c.markdown(cell.Source, cell, true), "text"
			if cell.Tagged("exercise") {
				class += " exercise"
			}
		case notebook.Code:
			inner = c.code(cell, isGo, opt.HideCode)
			if made != "" && cell.ID == madeIn {
				inner += "<p class=\"made\">" + madeBefore + "<code>" + html.EscapeString(made) + "</code>.</p>\n"
			}
		case notebook.Raw:
			if format, _ := cell.Metadata["raw_mimetype"].(string); format == "text/html" {
				// Do not wrap raw HTML in an element: an element of the notebook may begin in one cell and end
				// in another.
				main.add(cell, folded[i], place(cell)+c.clean.html(cell.Source)+"\n", false)
				continue
			}
			if strings.TrimSpace(cell.Source) != "" {
				inner = fmt.Sprintf("<pre tabindex=\"0\">%s</pre>\n", html.EscapeString(cell.Source))
			}
		}
		if inner == "" {
			main.add(cell, folded[i], place(cell), true)
			continue
		}
		main.add(cell, folded[i], fmt.Sprintf("<section class=\"%s\"%s>\n%s</section>\n", class, idAttribute(cell), inner), false)
	}
	c.page.Title = opt.Name
	for _, h := range c.headings {
		if h.level == 1 {
			c.page.Title = plainHTML(h.html)
			break
		}
	}
	if c.page.Title == "" {
		c.page.Title = "Notebook"
	}
	c.page.Left = c.clean.names()
	text := main.String()
	style, script := style, script
	if c.drawn {
		style, script = style+drawing.Style, script+drawing.Script
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
%s<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>
%s</style>
<script>
%s</script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header><button id="theme" type="button" title="light or dark" aria-label="switch between light and dark">◐</button></header>
<div id="page">
%s<main id="main">
%s</main>
</div>
</body>
</html>
`, c.clean.seal(opt, "\n"+script, text), html.EscapeString(c.page.Title), fontFace(c.characters)+style, script, c.contents(), c.clean.note()+text)
	c.page.HTML = []byte(b.String())
	return c.page
}

// goNotebook reports whether the code cells are Go, which is the default language.
func goNotebook(nb *notebook.Notebook) bool {
	for _, key := range []string{"language_info", "kernelspec"} {
		m, _ := nb.Metadata[key].(map[string]any)
		for _, field := range []string{"name", "language"} {
			if s, _ := m[field].(string); s != "" && (key == "language_info" || field == "language") {
				return strings.EqualFold(s, "go")
			}
		}
	}
	return true
}

func cellID(cell *notebook.Cell) string { return "cell-" + cell.ID }

// idAttribute returns the id attribute for the HTML element of a cell, or "" if the cell has no id.
func idAttribute(cell *notebook.Cell) string {
	if cell.ID == "" {
		return ""
	}
	return ` id="` + html.EscapeString(cellID(cell)) + `"`
}

// place returns an anchor with the cell's id, for a cell that has no HTML element of its own.
func place(cell *notebook.Cell) string {
	if cell.ID == "" {
		return ""
	}
	return "<a" + idAttribute(cell) + "></a>\n"
}

// tagPlumbing is the tag of cells whose code only serves their figure. This code is folded, so that a control and what
// the control moves are in one window.
const tagPlumbing = "plumbing"

// code returns the HTML of a code cell and its outputs, or "" if nothing is visible.
func (c *converter) code(cell *notebook.Cell, isGo, hide bool) string {
	var b strings.Builder
	hide = hide || cell.Tagged("hide-input") || cell.Tagged("remove-input") || cell.Tagged("hide_input")
	if cell.Tagged("remove-cell") || cell.Tagged("remove_cell") {
		return ""
	}
	if !hide && strings.TrimSpace(cell.Source) != "" {
		source := strings.Trim(cell.Source, "\n")
		if isGo {
			source = codeHTML(source)
		} else {
			source = html.EscapeString(source)
		}
		count := " "
		if cell.ExecutionCount > 0 {
			count = fmt.Sprint(cell.ExecutionCount)
		}
		source = fmt.Sprintf("<pre class=\"code\" data-count=\"[%s]\" tabindex=\"0\"><code>%s</code></pre>\n", count, source)
		if cell.Tagged(tagPlumbing) {
			source = "<details class=\"plumbing\"><summary>Code of the figure</summary>\n" + source + "</details>\n"
		} else if sourceHidden(cell) && !solution(cell) {
			source = "<details><summary>Code</summary>\n" + source + "</details>\n"
		}
		b.WriteString(source)
	}
	for _, o := range cell.Outputs {
		if s := c.output(o); s != "" {
			b.WriteString("<div class=\"output\">" + s + "</div>\n")
		}
	}
	return b.String()
}

// contents returns the HTML of the table of contents, which lists the two highest levels of headings below the title.
// It returns "" if it would list fewer than two headings.
func (c *converter) contents() string {
	list := c.headings
	if len(list) > 0 && list[0].level == 1 && !anyAfter(list, 1) {
		list = list[1:]
	}
	top, n := 7, 0
	for _, h := range list {
		top = min(top, h.level)
		if h.level <= top+1 {
			n++
		}
	}
	if n < 2 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<nav aria-label=\"contents\"><details open id=\"contents\"><summary>Contents</summary>\n<ul>\n")
	for _, h := range list {
		if h.level > top+1 {
			continue
		}
		fmt.Fprintf(&b, "<li class=\"level%d\"><a href=\"#%s\">%s</a></li>\n", h.level-top+1, html.EscapeString(h.id), h.html)
	}
	b.WriteString("</ul></details></nav>\n")
	return b.String()
}

// anyAfter reports whether a heading other than the first has the given level.
func anyAfter(list []heading, level int) bool {
	for _, h := range list[1:] {
		if h.level == level {
			return true
		}
	}
	return false
}

// sourceHidden reports whether Jupyter collapses the source of the cell.
func sourceHidden(cell *notebook.Cell) bool {
	m, _ := cell.Metadata["jupyter"].(map[string]any)
	hidden, _ := m["source_hidden"].(bool)
	return hidden
}
