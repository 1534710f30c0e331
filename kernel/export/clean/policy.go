package clean

import (
	"net/url"
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// policy lists the allowed elements, attributes and styles. It allows no element that runs, fetches, sends or
// embeds anything, no style that places an element over another, and only classes that describe text. It is made when
// it is first needed, so that the start of a kernel does not have to wait for it.
var policy = sync.OnceValue(newPolicy)

// elements lists the allowed elements: those for text, tables and pictures, and the controls that work
// without a form or a script. header, nav and the like are excluded, because the page's style positions its
// own header and nav.
var elements = []string{
	"a", "abbr", "address", "article", "b", "bdi", "bdo", "big", "blockquote", "br", "caption", "center",
	"cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption",
	"figure", "font", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "input", "ins",
	"kbd", "label", "legend", "li", "mark", "meter", "ol", "optgroup", "option", "output", "p",
	"pre", "progress", "q", "rp", "rt", "ruby", "s", "samp", "section", "select", "small", "span", "strike",
	"strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u",
	"ul", "var", "wbr", "button",
}

func newPolicy() *bluemonday.Policy {
	var (
		// A picture must be embedded: fetching one would tell its server who reads the page, and when. SVG in an
		// img element runs no scripts.
		picture = regexp.MustCompile(`^data:image/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=\s]*$`)
		// A link leads to the web, to a place in this page, or to a file next to it.
		link = regexp.MustCompile(`^(?:https?://[^\s\\]+|mailto:[^\s\\]+|#\S*|[\pL\pN_.][^:\\\s]*)$`)

		id      = regexp.MustCompile(`^[\pL\pN_][\pL\pN_.:-]*$`)
		class   = regexp.MustCompile(`^(?:(?:dataframe|language-[\w+-]+|overcomplete-paged|tex2jax_ignore|mathjax_ignore|flame-graph)\s*)+$`)
		number  = regexp.MustCompile(`^-?[0-9]{1,9}(?:\.[0-9]{1,17})?%?$`)
		word    = regexp.MustCompile(`^[a-zA-Z]{1,12}$`)
		control = regexp.MustCompile(`^(?:checkbox|range)$`)

		// Allowed values of styles: numbers, lengths, words, colors, font names; no url() or other functions.
		// Negative values would be useful only for margins, and are not allowed.
		styleValue = regexp.MustCompile(`^(?:[0-9]*\.?[0-9]+(?:px|em|rem|ex|ch|pt|pc|cm|mm|in|vw|vh|fr|deg)?%?|[a-z][a-z-]*|#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([0-9.,%/\s]*\)|'[\w -]*'|"[\w -]*"|[\s,/])+$`)
	)

	p := bluemonday.NewPolicy()
	p.AllowElements(elements...)
	p.AllowNoAttrs().OnElements(elements...)

	p.AllowAttrs("id").Matching(id).Globally()
	p.AllowAttrs("class").Matching(class).Globally()
	p.AllowAttrs("title", "lang", "aria-label", "aria-hidden", "role").Globally()
	p.AllowAttrs("dir", "align", "valign").Matching(word).Globally()
	p.AllowDataAttributes() // only the project's own scripts read these

	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowURLSchemeWithCustomPolicy("data", func(*url.URL) bool { return true }) // the pattern picture restricts data URLs to pictures
	p.AllowAttrs("href").Matching(link).OnElements("a")
	p.AllowAttrs("src").Matching(picture).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")

	p.AllowAttrs("width", "height", "border", "cellpadding", "cellspacing", "colspan", "rowspan", "span", "start").Matching(number).
		OnElements("img", "table", "td", "th", "tr", "col", "colgroup", "ol", "hr")
	p.AllowAttrs("scope").Matching(word).OnElements("th")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^[1aAiI]$`)).OnElements("ol")
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("color").Matching(regexp.MustCompile(`^#?\w{1,20}$`)).OnElements("font")
	p.AllowAttrs("datetime").OnElements("time", "del", "ins")

	p.AllowAttrs("type").Matching(control).OnElements("input")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^button$`)).OnElements("button")
	p.AllowAttrs("min", "max", "step", "value").OnElements("input", "progress", "meter", "option")
	p.AllowAttrs("checked", "disabled", "selected").OnElements("input", "select", "option", "button")
	p.AllowAttrs("for").Matching(id).OnElements("label", "output")

	p.AllowStyles("color", "background", "background-color", "opacity",
		"border", "border-top", "border-right", "border-bottom", "border-left", "border-color", "border-style", "border-width",
		"border-radius", "border-collapse", "border-spacing",
		"margin", "margin-top", "margin-right", "margin-bottom", "margin-left",
		"padding", "padding-top", "padding-right", "padding-bottom", "padding-left",
		"width", "min-width", "max-width", "height", "min-height", "max-height",
		"display", "overflow", "overflow-x", "overflow-y", "flex-direction", "flex-wrap", "flex", "gap", "align-items", "align-self", "justify-content",
		"font", "font-family", "font-size", "font-style", "font-variant", "font-variant-numeric", "font-weight", "line-height", "letter-spacing",
		"text-align", "text-decoration", "text-transform", "vertical-align", "white-space", "word-break", "overflow-wrap",
		"caption-side", "table-layout", "list-style-type", "image-rendering").Matching(styleValue).Globally()
	return p
}
