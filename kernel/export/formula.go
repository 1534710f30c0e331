package export

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"overcomplete/kernel/export/mathml"
)

// Formulas are taken out before Markdown is parsed, and put back into the result, because in a formula an
// underscore is not emphasis and a bar does not separate table cells. Each formula is replaced by a
// placeholder: its number between these two marks.
const (
	markOpen  = "\uE000"
	markClose = "\uE001"
)

// A formula is a formula in Markdown. Its source includes the delimiters; tex is what package mathml converts. For a
// displayed formula, block is true.
type formula struct {
	source string
	tex    string
	block  bool
}

// setAside replaces the formulas in Markdown with placeholders. It returns the resulting text and the formulas.
func setAside(source string) (rest string, list []formula) {
	source = strings.NewReplacer(markOpen, "\ufffd", markClose, "\ufffd").Replace(source)
	var b strings.Builder
	fence := ""
	blankBefore := true
	for i := 0; i < len(source); {
		// At the start of a line, check for code: dollars in code are not formulas.
		line, _, _ := strings.Cut(source[i:], "\n")
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		switch {
		case fence != "":
			if indent < 4 && strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]+" \t\r") == "" {
				fence = ""
			}
			i = copyLine(&b, source, i)
			continue
		case indent < 4 && (strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")):
			fence = text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
			i = copyLine(&b, source, i)
			continue
		case blankBefore && (indent >= 4 || strings.HasPrefix(line, "\t")) && !inList(source[:i]):
			i = copyLine(&b, source, i)
			continue
		}
		blankBefore = strings.TrimSpace(line) == ""
		// Read the rest of the line, including formulas and code spans that end on a later line.
		for i < len(source) && source[i] != '\n' {
			switch {
			case source[i] == '`':
				n := codeSpan(source[i:])
				b.WriteString(source[i : i+n])
				i += n
			case source[i] == '\\' && i+1 < len(source) && (source[i+1] == '$' || source[i+1] == '`' || source[i+1] == '\\') && !doubled(source[i:]):
				b.WriteString(source[i : i+2])
				i += 2
			default:
				f, n := formulaAt(source, i)
				if n == 0 {
					b.WriteByte(source[i])
					i++
					continue
				}
				fmt.Fprintf(&b, "%s%d%s", markOpen, len(list), markClose)
				list = append(list, f)
				i += n
			}
		}
		if i < len(source) {
			b.WriteByte('\n')
			i++
		}
	}
	return b.String(), list
}

// doubled reports whether s begins with \\( or \\[, which also open a formula in Jupyter.
func doubled(s string) bool { return strings.HasPrefix(s, `\\(`) || strings.HasPrefix(s, `\\[`) }

func copyLine(b *strings.Builder, source string, i int) int {
	end := strings.IndexByte(source[i:], '\n')
	if end < 0 {
		b.WriteString(source[i:])
		return len(source)
	}
	b.WriteString(source[i : i+end+1])
	return i + end + 1
}

var listItem = regexp.MustCompile(`^ {0,3}([-+*]|\d+[.)])\s`)

// inList reports whether an indented line continues a list item, and is therefore not code. before is the text before
// that line.
func inList(before string) bool {
	lines := strings.Split(strings.TrimRight(before, "\n "), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if listItem.MatchString(lines[i]) {
			return true
		}
		if l := lines[i]; strings.TrimSpace(l) != "" && !strings.HasPrefix(l, " ") && !strings.HasPrefix(l, "\t") {
			return false
		}
	}
	return false
}

// codeSpan returns the length of the code span at the start of s. For a span that is not closed, it returns the
// length of the opening backticks.
func codeSpan(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	end := len(s)
	if i := strings.Index(s, "\n\n"); i >= 0 {
		end = i
	}
	for i := n; i < end; {
		if s[i] != '`' {
			i++
			continue
		}
		m := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if m == n {
			return i + m
		}
		i += m
	}
	return n
}

var environment = regexp.MustCompile(`^\\begin\{((?:align|alignat|equation|eqnarray|gather|multline)\*?)\}`)

// formulaAt reads the formula at offset i. Its length n is 0 if there is no formula.
func formulaAt(source string, i int) (f formula, n int) {
	s := source[i:]
	take := func(before, after string, block bool) (formula, int) {
		end := closing(s, len(before), after)
		if end < 0 {
			return formula{}, 0
		}
		tex := s[len(before):end]
		if strings.TrimSpace(tex) == "" {
			return formula{}, 0
		}
		return formula{s[:end+len(after)], tex, block}, end + len(after)
	}
	switch {
	case strings.HasPrefix(s, "$$"):
		return take("$$", "$$", true)
	case strings.HasPrefix(s, "$"):
		// As in Pandoc, no blank may follow the opening sign or precede the closing sign, and no digit may
		// follow the closing sign, so that prices are not formulas.
		if len(s) < 2 || strings.ContainsRune(" \t\n\r", rune(s[1])) {
			return formula{}, 0
		}
		f, n := take("$", "$", false)
		if n > 0 && (strings.ContainsRune(" \t\n\r", rune(s[n-2])) || n < len(s) && s[n] >= '0' && s[n] <= '9') {
			return formula{}, 0
		}
		return f, n
	case strings.HasPrefix(s, `\\(`):
		return take(`\\(`, `\\)`, false)
	case strings.HasPrefix(s, `\\[`):
		return take(`\\[`, `\\]`, true)
	}
	if m := environment.FindStringSubmatch(s); m != nil {
		if f, n := take(m[0], `\end{`+m[1]+"}", true); n > 0 {
			f.tex = f.source
			return f, n
		}
	}
	return formula{}, 0
}

// closing searches s from offset i for the closing delimiter named after, and returns the delimiter's offset in s. The
// delimiter must be outside braces and in the same paragraph. If there is none, closing returns -1.
func closing(s string, i int, after string) int {
	depth := 0
	for ; i < len(s); i++ {
		switch {
		case depth <= 0 && strings.HasPrefix(s[i:], after):
			return i
		case s[i] == '\\':
			i++
		case s[i] == '{':
			depth++
		case s[i] == '}':
			depth--
		case s[i] == '\n' && blankLine(s[i+1:]):
			return -1
		}
	}
	return -1
}

func blankLine(s string) bool {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line) == ""
}

var tagOrMark = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)[^>]*>|` + markOpen + `\d+` + markClose)

var mark = regexp.MustCompile(markOpen + `(\d+)` + markClose)

// punctuationBefore and punctuationAfter match the punctuation next to a formula. The punctuation must stay on the
// formula's line. Browsers would allow a line break between the two, as they do next to a picture.
var (
	punctuationBefore = regexp.MustCompile(`(?:[(\[“‘]|&quot;|&#34;)+$`)
	punctuationAfter  = regexp.MustCompile(`^(?:[.,;:!?…)\]”’]|&quot;|&#34;|&#39;)+`)
)

// putBack replaces the placeholders in HTML with formulas. In text it writes MathML; in attributes and code it
// writes the source of the formula.
func (c *converter) putBack(page string, list []formula) string {
	if len(list) == 0 {
		return page
	}
	var b strings.Builder
	done, inCode := 0, 0
	for _, m := range tagOrMark.FindAllStringSubmatchIndex(page, -1) {
		before := page[done:m[0]]
		done = m[1]
		text := page[m[0]:m[1]]
		if strings.HasPrefix(text, "<") {
			b.WriteString(before)
			if name := page[m[4]:m[5]]; name == "code" || name == "pre" || name == "script" || name == "style" {
				if m[2] == m[3] {
					inCode++
				} else {
					inCode = max(inCode-1, 0)
				}
			}
			b.WriteString(sources(text, list))
			continue
		}
		if inCode > 0 {
			b.WriteString(before)
			b.WriteString(sources(text, list))
			continue
		}
		n := number(text)
		if n >= len(list) {
			b.WriteString(before)
			continue
		}
		formula := c.formula(list[n])
		if !list[n].block {
			opens, closes := punctuationBefore.FindString(before), punctuationAfter.FindString(page[done:])
			if opens+closes != "" {
				before, done = strings.TrimSuffix(before, opens), done+len(closes)
				formula = `<span class="kept">` + opens + formula + closes + "</span>"
			}
		}
		b.WriteString(before)
		b.WriteString(formula)
	}
	b.WriteString(page[done:])
	return b.String()
}

func number(text string) int {
	n, _ := strconv.Atoi(mark.FindStringSubmatch(text)[1])
	return n
}

// sources replaces the placeholders with the formulas' sources, escaped for HTML.
func sources(text string, list []formula) string {
	return mark.ReplaceAllStringFunc(text, func(m string) string {
		if n := number(m); n < len(list) {
			return html.EscapeString(list[n].source)
		}
		return m
	})
}

// longFormula is the length of a formula's source up to which the formula certainly fits the width of a phone.
// Browsers do not break formulas.
const longFormula = 22

// formulaStart is what a displayed formula begins with.
const formulaStart = `<span class="equation"><span class="formula">`

// formula returns the HTML of one formula. If the formula cannot be converted to MathML, it returns the formula's
// source, and records the formula and the error in the page.
func (c *converter) formula(f formula) string {
	m, err := mathml.Convert(f.tex, f.block)
	if err != nil {
		c.page.Unknown = append(c.page.Unknown, fmt.Sprintf("%s: %v", strings.TrimSpace(f.source), err))
		code := `<code class="tex" title="` + html.EscapeString(err.Error()) + `">` + html.EscapeString(strings.TrimSpace(f.source)) + "</code>"
		if f.block {
			return `<span class="equation">` + code + "</span>"
		}
		return code
	}
	addCharacters(c.characters, m.MathML)
	if !f.block {
		if len(f.tex) > longFormula {
			return `<span class="long">` + m.MathML + "</span>"
		}
		return m.MathML
	}
	s := formulaStart + m.MathML + "</span>"
	if m.Tag != "" {
		s += `<span class="tag">(` + html.EscapeString(m.Tag) + ")</span>"
	}
	return s + "</span>"
}
