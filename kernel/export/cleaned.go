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

// mostNamed is the largest number of names in the note. It is limited because the notebook's author chooses the
// names.
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
// page's own scripts: the given script, and those in the page's HTML. seal returns "" unless opt.Sealed is set,
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
