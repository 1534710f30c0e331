package mathml

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Formula is the result of Convert.
type Formula struct {
	// MathML is one math element, or several consecutive math elements for a long inline formula. A browser can
	// break the line between them.
	MathML string
	// Tag is the argument of \tag, without parentheses, as plain text.
	Tag string
}

// An UnknownError reports a command or environment that the package does not know.
type UnknownError struct{ Command string }

func (e *UnknownError) Error() string { return "mathml: unknown command " + e.Command }

// A SyntaxError reports a formula that TeX would reject too.
type SyntaxError struct {
	Message string
	Offset  int // approximate position in the source
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("mathml: %s (byte %d)", e.Message, e.Offset) }

// Convert converts a formula, without its dollar signs, to MathML. block is true for a displayed formula, and false for
// an inline formula. The error is an *UnknownError or a *SyntaxError.
func Convert(tex string, block bool) (Formula, error) {
	p := &parser{s: scanner{src: tex}, level: inline}
	if i := strings.IndexFunc(tex, unshowable); i >= 0 || !utf8.ValidString(tex) {
		return Formula{}, &SyntaxError{"a character that cannot be shown", max(i, 0)}
	}
	if block {
		p.level = display
	}
	atoms := p.lines()
	if p.err != nil {
		return Formula{}, p.err
	}
	f := Formula{Tag: p.tag}
	if block {
		f.MathML = `<math display="block">` + joined(atoms, display) + `</math>`
		return f, nil
	}
	list := []string{""}
	if len(tex) < breakable {
		list[0] = joined(atoms, inline)
	} else {
		list = pieces(atoms, inline)
	}
	for i, piece := range list {
		list[i] = "<math>" + piece + "</math>"
	}
	f.MathML = strings.Join(list, "")
	return f, nil
}

// unshowable reports whether r is a character that XML or HTML does not allow.
func unshowable(r rune) bool {
	return r != '\t' && r != '\n' && r != '\r' && unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF
}

// breakable is the minimum source length of an inline formula that may be broken.
const breakable = 30

// An atom is one piece of a formula, such as a symbol or a fraction, with its class.
type atom struct {
	xml    string // any number of MathML elements
	class  class
	limits bool // scripts go above and below
}

type parser struct {
	s     scanner
	level level
	font  string // command that selects the alphabet, or ""
	tag   string
	depth int
	err   error
}

// maxDepth bounds the nesting of groups.
const maxDepth = 200

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &SyntaxError{fmt.Sprintf(format, args...), p.s.pos}
	}
}

func (p *parser) unknown(command string) {
	if p.err == nil {
		p.err = &UnknownError{command}
	}
}

// atLevel calls f at the level l, restores the previous level, and returns the result of f.
func (p *parser) atLevel(l level, f func() string) string {
	old := p.level
	p.level = l
	s := f()
	p.level = old
	return s
}

// smaller returns the level of the numerator and denominator of a fraction.
func (p *parser) smaller() level { return min(p.level+1, scripts) }

// element combines any number of MathML elements into one.
func element(xml string) string { return "<mrow>" + xml + "</mrow>" }

// lines parses the rest of the source. Outside tables, \\ breaks lines.
func (p *parser) lines() []atom {
	var rows [][]atom
	for {
		rows = append(rows, p.row(func(t string) bool { return t == `\\` }))
		if p.err != nil || p.s.next() == "" {
			break
		}
		p.s.bracketed()
	}
	if len(rows) == 1 {
		return rows[0]
	}
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(`<mtr><mtd style="text-align:left">` + joined(r, p.level) + "</mtd></mtr>")
	}
	return []atom{{xml: table(b.String(), p.level == display), class: ord}}
}

func table(rows string, displayed bool) string {
	style := ""
	if displayed {
		style = ` displaystyle="true"`
	}
	return "<mtable" + style + ">" + rows + "</mtable>"
}

// row reads atoms up to the end of the source or up to a token for which the function isEnd returns true. It does not
// consume that token.
func (p *parser) row(isEnd func(string) bool) []atom {
	var atoms []atom
	for p.err == nil {
		t := p.s.peek()
		if t == "" || isEnd(t) {
			break
		}
		if style, ok := styles[t]; ok {
			p.s.next()
			l := scripts
			switch t {
			case `\displaystyle`:
				l = display
			case `\textstyle`:
				l = inline
			}
			xml := p.atLevel(l, func() string { return joined(p.row(isEnd), p.level) })
			atoms = append(atoms, atom{xml: fmt.Sprintf(`<mstyle displaystyle="%s" scriptlevel="%s">%s</mstyle>`, style[0], style[1], xml), class: ord})
			break
		}
		atoms = append(atoms, p.scripted()...)
	}
	return atoms
}

// group reads {…} or one token, and returns it as one element.
func (p *parser) group() string {
	if d, ok := p.s.oneDigit(); ok {
		return element(p.number(d))
	}
	switch t := p.s.peek(); t {
	case "":
		p.fail("something is missing at the end")
		return ""
	case "}", "&", `\\`, `\right`, `\end`, "^", "_":
		p.fail("%s where an argument should be", t)
		return ""
	}
	return element(joined(p.nucleus(), p.level))
}

// scripted reads an atom with its scripts and primes.
func (p *parser) scripted() []atom {
	var base []atom
	if t := p.s.peek(); t == "^" || t == "_" || t == "'" {
		base = []atom{{xml: "<mrow></mrow>", class: ord}}
	} else {
		base = p.nucleus()
	}
	if len(base) != 1 || base[0].class == space {
		return base
	}
	a := base[0]
	var sub, sup, primes string
	for p.err == nil {
		switch p.s.peek() {
		case `\limits`:
			p.s.next()
			a.limits = true
		case `\nolimits`:
			p.s.next()
			a.limits = false
		case "'":
			p.s.next()
			primes += "′"
		case "^":
			p.s.next()
			if sup != "" {
				p.fail("two superscripts")
			}
			sup = p.atLevel(scripts, p.group)
			if sup == element(name("′")) || sup == element(element(name("′"))) {
				primes, sup = primes+"′", "" // ^\prime means the same as '
			}
		case "_":
			p.s.next()
			if sub != "" {
				p.fail("two subscripts")
			}
			sub = p.atLevel(scripts, p.group)
		default:
			return []atom{a.withScripts(sub, sup, primes)}
		}
	}
	return nil
}

// withScripts returns the atom with a subscript, a superscript and primes added. Each of these may be "".
func (a atom) withScripts(sub, sup, primes string) atom {
	// The Unicode prime is already raised, so it would be tiny as a script.
	if primes != "" {
		a.xml = element(a.xml + operator(primes))
		a.limits = false
	}
	if sub == "" && sup == "" {
		return a
	}
	base := element(a.xml)
	name := [2]string{"msub", "msup"}
	both := "msubsup"
	if a.limits {
		name, both = [2]string{"munder", "mover"}, "munderover"
		base = a.xml // in an mrow its limits would not move to the side in inline formulas
	}
	switch {
	case sup == "":
		a.xml = "<" + name[0] + ">" + base + sub + "</" + name[0] + ">"
	case sub == "":
		a.xml = "<" + name[1] + ">" + base + sup + "</" + name[1] + ">"
	default:
		a.xml = "<" + both + ">" + base + sub + sup + "</" + both + ">"
	}
	return a
}

func one(xml string, c class) []atom { return []atom{{xml: xml, class: c}} }

// operator returns an operator element that neither stretches nor adds space.
func operator(text string) string {
	return `<mo stretchy="false" lspace="0" rspace="0">` + text + "</mo>"
}

const (
	// MathML Core puts the ink of an accent directly on the ink of its base. The padding adds TeX's gap of
	// 0.08em to 0.16em.
	gapBelow = "padding-bottom:.1em"
	gapAbove = "padding-top:.1em"
	// The bar over a letter is 0.03em thick, which on most screens is less than a pixel and gray. The stroke
	// makes the bar as thick as a fraction bar, and the padding adds the space that a thicker bar needs.
	bar = "padding-bottom:.15em;-webkit-text-stroke:.02em"
	// Chromium ignores the extra width of a horizontally stretched character, and does not paint the parts that
	// lie in other tiles of the screen. It does not ignore the width of a shadow, even of an invisible one.
	wholeInk = "box-shadow:0 0 0 30em transparent"
)

// stretched returns a character stretched to the width of the element below or above it.
func stretched(text string, style ...string) string {
	return `<mo stretchy="true" lspace="0" rspace="0" style="` + strings.Join(append(style, wholeInk), ";") + `">` + text + "</mo>"
}

// name returns a function's name as an element.
func name(text string) string { return `<mi mathvariant="normal">` + text + "</mi>" }

// word returns an atom for a function's name that may have limits, such as max. The name is written as a MathML
// operator. In an inline formula the limits must be beside the name, and browsers move them there only for operators.
func word(text string) atom {
	return atom{xml: `<mo form="prefix" movablelimits="true" lspace="0" rspace="0">` + text + "</mo>", class: op, limits: true}
}

// nucleus reads an atom without its scripts. It consumes at least one token.
func (p *parser) nucleus() []atom {
	t := p.s.next()
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deep")
	}
	defer func() { p.depth-- }()
	if p.err != nil || t == "" {
		return nil
	}
	if s, ok := symbols[t]; ok {
		return one(operator(s.text), s.class)
	}
	if l, ok := letters[t]; ok {
		return one(p.variable(l), ord)
	}
	if u, ok := upright[t]; ok {
		return one(p.constant(u), ord)
	}
	if w, ok := spaces[t]; ok {
		return one(blank(w), space)
	}
	if l, ok := large[t]; ok {
		return []atom{{xml: `<mo lspace="0" rspace="0">` + l + "</mo>", class: op, limits: true}}
	}
	if i, ok := integrals[t]; ok {
		return one(`<mo lspace="0" rspace="0">`+i+"</mo>", op)
	}
	if f, ok := functions[t]; ok {
		return one(name(f), op)
	}
	if l, ok := limits[t]; ok {
		return []atom{word(l)}
	}
	if a, ok := accents[t]; ok {
		style := gapBelow
		if t == `\bar` {
			style = bar
		}
		return one(`<mover accent="true">`+p.group()+`<mo stretchy="false" lspace="0" rspace="0" style="`+style+`">`+a+"</mo></mover>", ord)
	}
	if a, ok := wideAccents[t]; ok {
		return one(`<mover accent="true">`+p.group()+stretched(a, gapBelow)+"</mover>", ord)
	}
	switch t {
	case `\underline`:
		return one(`<munder accentunder="true">`+p.group()+stretched(underline, gapAbove)+"</munder>", ord)
	case `\overbrace`:
		return []atom{{xml: `<mover>` + p.group() + stretched(overbrace) + "</mover>", class: ord, limits: true}}
	case `\underbrace`:
		return []atom{{xml: `<munder>` + p.group() + stretched(underbrace) + "</munder>", class: ord, limits: true}}
	}
	if _, ok := alphabets[t]; ok || t == `\mathrm` || t == `\mathit` || t == `\rm` || t == `\mathnormal` {
		return p.inFont(t)
	}
	if strings.HasPrefix(t, `\`) {
		return p.command(t)
	}
	return p.character(t)
}

// character reads a token that is not a command and not in the table of symbols: a number, a letter, a group in braces
// or another character.
func (p *parser) character(t string) []atom {
	if isDigit(t[0]) {
		return one(p.number(t), ord)
	}
	switch t {
	case "{":
		atoms := p.row(func(t string) bool { return t == "}" })
		if p.s.next() != "}" {
			p.fail("no } for a {")
		}
		if len(atoms) == 1 && atoms[0].class == punct {
			atoms[0].class = ord // 1{,}000
		}
		return one(element(joined(atoms, p.level)), ord)
	case "}":
		p.fail("a } without a {")
		return nil
	case "&":
		p.fail("a & outside a table")
		return nil
	case "'":
		return one("<mo>′</mo>", ord)
	case "|", "/", ".":
		return one(operator(t), ord)
	}
	r, _ := utf8.DecodeRuneInString(t)
	if c, ok := characters[t]; ok {
		return one(operator(html.EscapeString(t)), c)
	}
	switch {
	case unicode.IsLetter(r) && (r < 0x80 || unicode.IsLower(r)):
		return one(p.variable(t), ord)
	case unicode.IsLetter(r):
		return one(p.constant(t), ord)
	case unicode.IsNumber(r):
		return one("<mn>"+t+"</mn>", ord)
	}
	return one(operator(html.EscapeString(t)), ord)
}

// characters lists the symbols that a source may contain as characters instead of commands.
var characters = func() map[string]class {
	m := map[string]class{}
	for _, s := range symbols {
		if _, n := utf8.DecodeRuneInString(s.text); n > 1 && n == len(s.text) {
			m[s.text] = s.class
		}
	}
	return m
}()

func (p *parser) mapped(text string) string {
	a, ok := alphabets[p.font]
	if !ok {
		return text
	}
	return strings.Map(a.char, text)
}

func (p *parser) variable(text string) string {
	if p.font == `\mathrm` || p.font != "" && p.mapped(text) != text {
		return name(html.EscapeString(p.mapped(text)))
	}
	return "<mi>" + html.EscapeString(text) + "</mi>"
}

func (p *parser) constant(text string) string { return name(html.EscapeString(p.mapped(text))) }

func (p *parser) number(text string) string { return "<mn>" + p.mapped(text) + "</mn>" }

// inFont reads the argument of the command t, which selects an alphabet, such as \mathbb.
func (p *parser) inFont(t string) []atom {
	old := p.font
	switch t {
	case `\rm`:
		t = `\mathrm`
	case `\mathit`, `\mathnormal`:
		t = ""
	}
	defer func() { p.font = old }()
	// A word becomes one element, so that its letters are spaced as in text.
	if t == `\mathrm` {
		start := p.s.pos
		if text, ok := p.s.braced(); ok {
			if len(text) > 1 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
				return one(name(text), ord)
			}
			p.s.pos = start
		}
	}
	p.font = t
	return one(p.group(), ord)
}
