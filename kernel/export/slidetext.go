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

// text adds a Markdown cell.
func (t *talk) text(cell *notebook.Cell, kind string) {
	rest, formulas := setAside(cell.Source)
	src := []byte(rest)
	doc := parser.Parser().Parse(text.NewReader(src))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && entering {
			image.Destination = []byte(t.c.picture(string(image.Destination), cell))
		}
		return ast.WalkContinue, nil
	})
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
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		var b bytes.Buffer
		if heading, ok := n.(*ast.Heading); ok {
			for child := n.FirstChild(); child != nil; child = child.NextSibling() {
				if err := parser.Renderer().Render(&b, src, child); err != nil {
					continue
				}
			}
			title := put(links.ReplaceAllString(t.c.clean.markdown(b.String(), formulas), ""))
			if kind == "notes" {
				t.now(cell).notes.WriteString("<h3>" + title + "</h3>\n")
				continue
			}
			t.title = title
			class := "text"
			if heading.Level == 1 {
				class = "text first"
			}
			t.begin(cell, class)
			started = true
			continue
		}
		if err := parser.Renderer().Render(&b, src, n); err != nil {
			continue
		}
		block := t.c.clean.markdown(b.String(), formulas)
		if strings.TrimSpace(block) == "" {
			continue
		}
		switch n.(type) {
		case *ast.List, *east.Table, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			if kind != "notes" {
				if s := t.now(cell); s.class == "text first" && strings.Contains(s.body.String(), "<li>") {
					t.begin(cell, "text") // the title slide already has content
				}
				if !started && !all && strings.HasPrefix(block, "<details") {
					show(put(before)) // the question, whose answers these are
					before = ""
				}
				show(put(block))
				if !all {
					continue
				}
			} else {
				t.now(cell).notes.WriteString(put(block))
			}
			continue
		}
		if kind != "notes" {
			switch words, blocks := displayed(block, formulas); {
			case all || strings.Contains(block, "<img"):
				show(put(block))
			case blocks != "":
				if words == "" && (!started || t.now(cell).body.Len() == 0) {
					words = lastSentence(before)
				}
				if words != "" {
					words = "<p>" + words + "</p>\n"
				}
				show(put(words + blocks))
			case started && t.now(cell).body.Len() == 0:
				t.now(cell).body.WriteString(put(lead(block)))
			}
		}
		t.now(cell).notes.WriteString(put(block))
		before = block
	}
}

// hasOnlyLead reports whether the last slide shows only the beginning of its text.
func (t *talk) hasOnlyLead() bool {
	s := t.slides[len(t.slides)-1]
	return strings.HasPrefix(s.class, "text") && strings.HasPrefix(s.body.String(), "<p class=\"lead\"")
}

// displayed returns the display formulas of a paragraph, and the words before the first formula.
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

// lastSentence returns the last sentence of HTML without its tags. Sentences in parentheses belong to the
// sentence around them.
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

// lead returns a short paragraph unchanged, and the first sentence of a longer one.
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
