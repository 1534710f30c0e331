package export

import (
	"bytes"
	"encoding/base64"
	"maps"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	nethtml "golang.org/x/net/html"

	"overcomplete/kernel/notebook"
)

// Markdown holds HTML, and makes more of it. What a text of a stranger does is therefore asked of
// the HTML that is made of it; where that does something, the text is replaced by what is harmless
// of this HTML, in one block. To change the Markdown itself would leave open what a program that
// reads it a little differently makes of it.

// text returns Markdown that a notebook brings, as it may be handed on.
func (w *writer) text(source string, cell *notebook.Cell) string {
	c := &w.page
	if !c.clean.on() {
		return source
	}
	rest, formulas := setAside(source)
	var block string
	harmless := c.clean.leaves(func() {
		// Not every program knows formulas: to others what stands in them is Markdown.
		c.clean.strictly(c.rendered(source, cell))
		page := c.rendered(rest, cell)
		c.clean.strictly(page)
		block = sources(c.clean.markdown(page, formulas), formulas)
	})
	if harmless {
		return source
	}
	return oneBlock(block)
}

// html returns HTML that an output brings, as it may stand in Markdown.
func (w *writer) html(source string) string {
	c := &w.page
	if !c.clean.on() {
		return source
	}
	var block string
	harmless := c.clean.leaves(func() {
		block = c.clean.strictly(source)
		c.clean.strictly(c.rendered(source, nil)) // after an empty line it is Markdown again
	})
	if harmless {
		return source
	}
	return oneBlock(block)
}

// drawing reports whether a picture of an output may be handed on: SVG may have scripts, and what is
// no base64 may end the address that it is part of.
func (w *writer) drawing(kind, content string) bool {
	c := &w.page.clean
	if !c.on() {
		return true
	}
	if kind == "image/svg+xml" {
		return c.leaves(func() { c.html(content) })
	}
	_, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(content), ""))
	return err == nil
}

// rendered returns the HTML that a text is, with pictures that lie beside the notebook in it.
func (c *converter) rendered(source string, cell *notebook.Cell) string {
	src := []byte(source)
	doc := parser.Parser().Parse(text.NewReader(src))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if i, ok := n.(*ast.Image); ok && entering {
			i.Destination = []byte(c.picture(string(i.Destination), cell))
		}
		return ast.WalkContinue, nil
	})
	var b bytes.Buffer
	if err := parser.Renderer().Render(&b, src, doc); err != nil {
		return "<plaintext>" // which is never harmless
	}
	return b.String()
}

// strictly is html, for what is to stay as it is if nothing was left out: tags that the cleaned HTML has not
// are noted even if they mean nothing where they stand, for something else will stand around them.
func (c *cleaner) strictly(s string) string {
	cleaned := c.html(s)
	if c.trusts() {
		c.kept = true
		return cleaned
	}
	after := startTags(cleaned)
	for name, n := range startTags(s) {
		if n > after[name] {
			c.left[name] = true
		}
	}
	return cleaned
}

// startTags counts the tags that begin elements, by their names.
func startTags(s string) map[string]int {
	n := map[string]int{}
	for z := nethtml.NewTokenizer(strings.NewReader(s)); z.Next() != nethtml.ErrorToken; {
		if t := z.Token(); t.Type == nethtml.StartTagToken || t.Type == nethtml.SelfClosingTagToken {
			n[t.Data]++
		}
	}
	return n
}

// leaves reports whether all that f has cleaned is as it was, or trusted.
func (c *cleaner) leaves(f func()) bool {
	before := c.left
	c.left = map[string]bool{}
	f()
	found := len(c.left) > 0
	maps.Copy(before, c.left)
	c.left = before
	return !found
}

var (
	anyScript    = regexp.MustCompile(`(?s)<script\b.*?</script>`)
	preformatted = regexp.MustCompile(`(?s)<pre\b.*?</pre>`)
)

// oneBlock makes cleaned HTML one block of Markdown: an empty line in it would end the block. The
// scripts that cleaning keeps do not survive that, and nobody who shows Markdown runs them.
func oneBlock(s string) string {
	s = anyScript.ReplaceAllString(s, "")
	s = preformatted.ReplaceAllStringFunc(s, func(p string) string { return strings.ReplaceAll(p, "\n", "&#10;") })
	return "<div>" + strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ") + "</div>"
}

// markdownNote tells the reader of Markdown that it was cleaned.
func (c *cleaner) markdownNote() string {
	if len(c.left) == 0 {
		return ""
	}
	var list []string
	for _, name := range c.names() {
		list = append(list, "`"+plainName.ReplaceAllString(name, "?")+"`")
	}
	if len(list) > mostNamed {
		list = append(list[:mostNamed], "…")
	}
	return "> This text was cleaned: of the notebook's text, and of outputs that nobody vouches for, it leaves out what could run, fetch or cover something where it is shown: " +
		strings.Join(list, ", ") + ". `overcomplete export --trust` keeps it: for notebooks whose author you trust."
}

// plainName matches what a name may not have between backticks.
var plainName = regexp.MustCompile(`[^\w: -]`)
