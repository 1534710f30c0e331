package export

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"overcomplete/kernel/notebook"
)

// A paragraph of at most mostLead characters is shown whole. Of a longer paragraph at least leastLead
// characters are shown.
const (
	mostLead  = 160
	leastLead = 40
)

// A block is a top-level part of a Markdown cell, such as a paragraph, heading or list.
type block struct {
	html  string // HTML with placeholders for formulas; for a heading, without the heading's own tags
	level int    // level of a heading, or 0
	whole bool   // a list, table, code or HTML: slides show it as it is
}

// blocks returns the blocks of a Markdown cell, and the formulas in them.
func (t *talk) blocks(cell *notebook.Cell) (list []block, formulas []formula) {
	rest, formulas := setAside(cell.Source)
	src := []byte(rest)
	doc := parser.Parser().Parse(text.NewReader(src))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && entering {
			image.Destination = []byte(t.c.picture(string(image.Destination), cell))
		}
		return ast.WalkContinue, nil
	})
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		var b bytes.Buffer
		if heading, ok := n.(*ast.Heading); ok {
			for child := n.FirstChild(); child != nil; child = child.NextSibling() {
				if err := parser.Renderer().Render(&b, src, child); err != nil {
					continue
				}
			}
			list = append(list, block{html: links.ReplaceAllString(t.c.clean.markdown(b.String(), formulas), ""), level: heading.Level})
			continue
		}
		if err := parser.Renderer().Render(&b, src, n); err != nil {
			continue
		}
		one := block{html: t.c.clean.markdown(b.String(), formulas)}
		if strings.TrimSpace(one.html) == "" {
			continue
		}
		switch n.(type) {
		case *ast.List, *east.Table, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			one.whole = true
		}
		list = append(list, one)
	}
	return list, formulas
}

// text adds a Markdown cell to the slides and the notes. kind is the cell's slide type.
func (t *talk) text(cell *notebook.Cell, kind string) {
	blocks, formulas := t.blocks(cell)
	put := func(s string) string { return t.c.putBack(s, formulas) }
	fresh := kind == "slide" || kind == "subslide" || cell.Tagged("exercise")
	all := fresh || kind == "fragment" // also show prose
	started := false                   // this cell has started a slide
	before := ""                       // the previous paragraph
	show := func(s string) {
		if !started && (fresh || t.now(cell).class != "text" || t.now(cell).body.Len() > 0 && kind != "fragment" && !t.hasOnlyLead()) {
			t.begin(cell, "text")
		}
		started = true
		t.now(cell).body.WriteString(s)
	}
	for _, b := range blocks {
		if b.level > 0 {
			title := put(b.html)
			if kind == "notes" {
				t.now(cell).notes.WriteString("<h3>" + title + "</h3>\n")
				continue
			}
			t.title = title
			class := "text"
			if b.level == 1 {
				class = "text first"
			}
			t.begin(cell, class)
			started = true
			continue
		}
		if b.whole {
			if kind != "notes" {
				if s := t.now(cell); s.class == "text first" && strings.Contains(s.body.String(), "<li>") {
					t.begin(cell, "text") // the title slide already has content
				}
				if !started && !all && strings.HasPrefix(b.html, "<details") {
					show(put(before)) // the question, whose answers these are
					before = ""
				}
				show(put(b.html))
				if !all {
					continue
				}
			} else {
				t.now(cell).notes.WriteString(put(b.html))
			}
			continue
		}
		if kind != "notes" {
			switch words, own := displayed(b.html, formulas); {
			case all || strings.Contains(b.html, "<img"):
				show(put(b.html))
			case own != "":
				if words == "" && (!started || t.now(cell).body.Len() == 0) {
					words = lastSentence(before)
				}
				if words != "" {
					words = "<p>" + words + "</p>\n"
				}
				show(put(words + own))
			case started && t.now(cell).body.Len() == 0:
				t.now(cell).body.WriteString(put(lead(b.html)))
			}
		}
		t.now(cell).notes.WriteString(put(b.html))
		before = b.html
	}
}

// hasOnlyLead reports whether the last slide shows only the beginning of a paragraph.
func (t *talk) hasOnlyLead() bool {
	s := t.slides[len(t.slides)-1]
	return strings.HasPrefix(s.class, "text") && strings.HasPrefix(s.body.String(), "<p class=\"lead\"")
}

// displayed splits a paragraph with displayed formulas. The result own holds the placeholders of these formulas, and
// words holds the last sentence before the first of them.
func displayed(block string, formulas []formula) (words, own string) {
	for _, m := range mark.FindAllStringIndex(block, -1) {
		if n := number(block[m[0]:m[1]]); n < len(formulas) && formulas[n].block {
			if own == "" {
				words = lastSentence(block[:m[0]])
			}
			own += block[m[0]:m[1]]
		}
	}
	return words, own
}

// lastSentence returns the last sentence in HTML, without tags. A sentence in parentheses counts as part of the
// sentence around it.
func lastSentence(s string) string {
	s = strings.TrimSpace(anyTag.ReplaceAllString(s, ""))
	for _, end := range slices.Backward(sentences.FindAllStringIndex(s, -1)) {
		if last := s[end[1]:]; strings.Count(last, ")") <= strings.Count(last, "(") {
			return last
		}
	}
	return s
}

var sentences = regexp.MustCompile(`[.!?][)"”]?\s+`)

var sentenceEnd = regexp.MustCompile(`[.!?][)"”]?$`)

// lead returns the beginning of a paragraph, as a paragraph of the class lead: all of a short paragraph, and the first
// sentence or sentences of a longer one. Any other block stays unchanged.
func lead(block string) string {
	inner, ok := strings.CutPrefix(strings.TrimSpace(block), "<p>")
	inner, ok2 := strings.CutSuffix(inner, "</p>")
	if !ok || !ok2 {
		return block
	}
	if len([]rune(plainHTML(inner))) > mostLead {
		depth, words := 0, strings.SplitAfter(inner, " ")
		for i, w := range words {
			depth += strings.Count(w, "<") - 2*strings.Count(w, "</") - strings.Count(w, "<br")
			so := strings.TrimSpace(anyTag.ReplaceAllString(w, ""))
			if depth == 0 && i+1 < len(words) && sentenceEnd.MatchString(so) && len(so) > 3 {
				begun := strings.TrimSpace(strings.Join(words[:i+1], ""))
				if len([]rune(plainHTML(begun))) > leastLead {
					inner = begun
					break
				}
			}
		}
	}
	return `<p class="lead">` + inner + "</p>\n"
}
