package export

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"overcomplete/kernel/notebook"
)

// A cleaner cleans what a notebook brings, and notes what that has cost. The zero value leaves all
// as it is.
type cleaner struct {
	with    func(string) (string, []string)
	trusted func(notebook.Output) bool
	output  notebook.Output // in hand
	left    map[string]bool
	kept    bool // something that cleaning would change, since it is trusted
}

func newCleaner(opt HTMLOptions) cleaner {
	return cleaner{with: opt.Clean, trusted: opt.Trusted, left: map[string]bool{}}
}

// begin and end say to which output the HTML between them belongs.
func (c *cleaner) begin(o notebook.Output) { c.output = o }
func (c *cleaner) end()                    { c.output = nil }

func (c *cleaner) on() bool { return c.with != nil }

// trusts reports whether the output in hand, if any, is trusted.
func (c *cleaner) trusts() bool {
	return c.output != nil && c.trusted != nil && c.trusted(c.output)
}

// html returns what of s goes into the page.
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

// runs reports whether the output in hand may be a script, and notes that it is or is left out.
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

// markdown cleans what has been made of Markdown, with marks in the places of formulas: a formula
// becomes HTML that is known to be harmless, once no mark is in an attribute, where it would bring in
// a text that has not been looked at.
func (c *cleaner) markdown(page string, formulas []formula) string {
	if c.with == nil {
		return page
	}
	page = tag.ReplaceAllStringFunc(page, func(t string) string { return sources(t, formulas) })
	return tag.ReplaceAllStringFunc(c.html(page), func(t string) string { return mark.ReplaceAllString(t, "") })
}

// tag matches a tag, to the sign that ends it and is not in an attribute.
var tag = regexp.MustCompile(`<[a-zA-Z/](?:"[^"]*"|'[^']*'|[^'">])*>`)

func (c *cleaner) names() []string { return slices.Sorted(maps.Keys(c.left)) }

// mostNamed is how many names the note has: a stranger chooses them.
const mostNamed = 12

// note tells the reader of the page that it was cleaned.
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
	return `<p class="cleaned">This page was cleaned: of the notebook's text, and of outputs that nobody vouches for, it leaves out what could run, fetch or cover something in your browser: ` +
		strings.Join(list, ", ") + `. <code>overcomplete export --trust</code> keeps it: for notebooks whose author you trust.</p>` + "\n"
}

var scriptText = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// sum is how a page names a script that may run.
func sum(script string) string {
	s := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(s[:])
}

// seal returns the element that has browsers run the page's own scripts only, and fetch nothing.
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
