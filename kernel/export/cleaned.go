package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	nethtml "golang.org/x/net/html"

	"overcomplete/kernel/notebook"
)

// A cleaner cleans a notebook's HTML, and records what was removed. The zero value changes nothing.
type cleaner struct {
	with    func(string) (string, []string)
	trusted func(notebook.Output) bool
	output  notebook.Output // the current output
	left    map[string]bool
	kept    bool // cleaning would have changed trusted content, which was kept
}

func newCleaner(opt HTMLOptions) cleaner {
	return cleaner{with: opt.Clean, trusted: opt.Trusted, left: map[string]bool{}}
}

// setOutput makes o the current output, before o is converted to HTML. clearOutput is called after the conversion.
func (c *cleaner) setOutput(o notebook.Output) { c.output = o }
func (c *cleaner) clearOutput()                { c.output = nil }

func (c *cleaner) isOn() bool { return c.with != nil }

// trusts reports whether the current output exists and is trusted.
func (c *cleaner) trusts() bool {
	return c.output != nil && c.trusted != nil && c.trusted(c.output)
}

// html returns s cleaned, and records the names of the removed parts. It returns s unchanged if cleaning is off or the
// current output is trusted.
func (c *cleaner) html(s string) string {
	if c.with == nil {
		return s
	}
	cleaned, left := c.with(s)
	if len(left) > 0 && c.trusts() {
		c.kept = true
		return s
	}
	for _, name := range left {
		c.left[name] = true
	}
	return cleaned
}

// runs reports whether the current output, which is a script, may run in the page. If cleaning is on, it also records
// whether the script was kept or removed.
func (c *cleaner) runs() bool {
	switch {
	case c.with == nil:
		return true
	case c.trusts():
		c.kept = true
		return true
	}
	c.left["script"] = true
	return false
}

// markdown cleans page, the HTML of Markdown in which placeholders stand for formulas. A placeholder in text is safe,
// because a formula becomes harmless HTML. A placeholder in an attribute would insert unchecked text, so it is
// replaced by the formula's source before cleaning, and removed if it is still there afterwards.
func (c *cleaner) markdown(page string, formulas []formula) string {
	if c.with == nil {
		return page
	}
	page = tag.ReplaceAllStringFunc(page, func(t string) string { return sources(t, formulas) })
	return tag.ReplaceAllStringFunc(c.html(page), func(t string) string { return mark.ReplaceAllString(t, "") })
}

// tag matches a tag up to the > that ends it, ignoring > in attributes.
var tag = regexp.MustCompile(`<[a-zA-Z/](?:"[^"]*"|'[^']*'|[^'">])*>`)

func (c *cleaner) names() []string { return slices.Sorted(maps.Keys(c.left)) }

// mostNamed is the largest number of names in the note. It is limited because the notebook's author chooses the names,
// and there could be any number.
const mostNamed = 12

// note returns HTML that tells the reader that the page was cleaned, and what was removed. It returns "" if nothing
// was removed.
func (c *cleaner) note() string {
	if len(c.left) == 0 {
		return ""
	}
	var list []string
	for _, name := range c.names() {
		list = append(list, "<code>"+html.EscapeString(name)+"</code>")
	}
	if len(list) > mostNamed {
		list = append(list[:mostNamed], "…")
	}
	return `<p class="cleaned">This page was cleaned. From the notebook's text and its untrusted outputs, it leaves out anything that could run, fetch or cover something in your browser: ` +
		strings.Join(list, ", ") + `. <code>overcomplete export --trust</code> keeps it; use this only for notebooks whose author you trust.</p>` + "\n"
}

var scriptText = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// sum returns the hash of a script, in the form in which a content security policy lists permitted scripts.
func sum(script string) string {
	s := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(s[:])
}

// seal returns a meta element with a content security policy. The policy makes browsers load nothing, and run only the
// page's own scripts: first, and the scripts in text, the page's HTML. seal returns "" unless opt.Sealed is set,
// cleaning is on, and nothing was kept that cleaning would have changed.
func (c *cleaner) seal(opt HTMLOptions, first, text string) string {
	if !opt.Sealed || c.with == nil || c.kept {
		return ""
	}
	sums := map[string]bool{}
	add := func(s string) { sums["'"+sum(s)+"'"] = true }
	add(first)
	for _, m := range scriptText.FindAllStringSubmatch(text, -1) {
		add(m[1])
	}
	return `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ` + strings.Join(slices.Sorted(maps.Keys(sums)), " ") +
		`; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'">` + "\n"
}

// Markdown contains HTML and becomes HTML. So untrusted text is judged by the HTML that it becomes. If this
// HTML has active content, the text is replaced by the harmless part of the HTML, in one block. Editing the
// Markdown itself would be unsafe, because another program may parse it a little differently.

// text returns a notebook's Markdown unchanged if it contains nothing active. Otherwise it returns the harmless part of
// its HTML as one block.
func (w *writer) text(source string, cell *notebook.Cell) string {
	c := &w.page
	if !c.clean.isOn() {
		return source
	}
	rest, formulas := setAside(source)
	var block string
	harmless := c.clean.removesNothing(func() {
		// Programs without support for formulas parse the content of formulas as Markdown.
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

// html returns the HTML of an output unchanged if it contains nothing active. Otherwise it returns the harmless part as
// one block. A Markdown parser may treat a part of the HTML as Markdown, such as text after an empty line. So html also
// checks the HTML that such a parser would make of source.
func (w *writer) html(source string) string {
	c := &w.page
	if !c.clean.isOn() {
		return source
	}
	var block string
	harmless := c.clean.removesNothing(func() {
		block = c.clean.strictly(source)
		c.clean.strictly(c.rendered(source, nil)) // text after an empty line in HTML is parsed as Markdown
	})
	if harmless {
		return source
	}
	return oneBlock(block)
}

// drawing reports whether a picture in an output is safe to pass on. kind is its media type. SVG may contain scripts,
// and invalid base64 might end the address (the data URI) in which it is written.
func (w *writer) drawing(kind, content string) bool {
	c := &w.page.clean
	if !c.isOn() {
		return true
	}
	if kind == "image/svg+xml" {
		return c.removesNothing(func() { c.html(content) })
	}
	_, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(content), ""))
	return err == nil
}

// rendered returns the HTML of source, which is Markdown. The HTML includes pictures from files next to the notebook.
// If source cannot be rendered, the result is an element that cleaning always removes and records.
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
		return "<plaintext>" // an element that cleaning always reports
	}
	return b.String()
}

// strictly cleans s like the method html, but also records tags that html drops silently because they have no effect in
// an HTML page. These tags might have an effect in another program, which gets s itself if nothing is recorded.
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

// startTags counts the start tags in s by name.
func startTags(s string) map[string]int {
	n := map[string]int{}
	for z := nethtml.NewTokenizer(strings.NewReader(s)); z.Next() != nethtml.ErrorToken; {
		if t := z.Token(); t.Type == nethtml.StartTagToken || t.Type == nethtml.SelfClosingTagToken {
			n[t.Data]++
		}
	}
	return n
}

// removesNothing calls f, which cleans text with c, and reports whether f removed nothing. Trusted content is never
// removed.
func (c *cleaner) removesNothing(f func()) bool {
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

// oneBlock turns cleaned HTML into one block of Markdown. It joins the lines, because an empty line would end the
// block. It drops the scripts that cleaning keeps, because programs that show Markdown do not run them.
func oneBlock(s string) string {
	s = anyScript.ReplaceAllString(s, "")
	s = preformatted.ReplaceAllStringFunc(s, func(p string) string { return strings.ReplaceAll(p, "\n", "&#10;") })
	return "<div>" + strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ") + "</div>"
}

// markdownNote returns Markdown that tells the reader that the text was cleaned, or "" if nothing was removed.
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
	return "> This text was cleaned. From the notebook's text and its untrusted outputs, it leaves out anything that could run, fetch or cover something where it is shown: " +
		strings.Join(list, ", ") + ". `overcomplete export --trust` keeps it; use this only for notebooks whose author you trust."
}

// plainName matches the characters that are not allowed in a name between backticks.
var plainName = regexp.MustCompile(`[^\w: -]`)
