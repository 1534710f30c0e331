package mathml

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

// command reads the arguments of the command t, which is not a simple symbol, and returns the command's atoms.
func (p *parser) command(t string) []atom {
	switch t {
	case `\frac`, `\tfrac`, `\dfrac`, `\cfrac`:
		l := p.smaller()
		switch t {
		case `\tfrac`:
			l = scripts
		case `\dfrac`, `\cfrac`:
			l = inline
		}
		num := p.atLevel(l, p.group)
		xml := "<mfrac>" + num + p.atLevel(l, p.group) + "</mfrac>"
		switch t {
		case `\tfrac`:
			xml = `<mstyle displaystyle="false" scriptlevel="0">` + xml + "</mstyle>"
		case `\dfrac`, `\cfrac`:
			xml = `<mstyle displaystyle="true" scriptlevel="0">` + xml + "</mstyle>"
		}
		return one(xml, ord)
	case `\binom`:
		l := p.smaller()
		top := p.atLevel(l, p.group)
		return one(fence("(")+`<mfrac linethickness="0">`+top+p.atLevel(l, p.group)+"</mfrac>"+fence(")"), ord)
	case `\sqrt`:
		index, ok := p.s.bracketed()
		if !ok {
			return one("<msqrt>"+p.group()+"</msqrt>", ord)
		}
		root := p.atLevel(scripts, func() string { return p.sub(index) })
		return one("<mroot>"+p.group()+element(root)+"</mroot>", ord)
	case `\text`, `\textrm`, `\textnormal`, `\mbox`, `\textbf`, `\textit`, `\texttt`, `\textsf`, `\emph`:
		return p.text(t)
	case `\operatorname`:
		star := strings.HasPrefix(p.s.src[p.s.pos:], "*")
		if star {
			p.s.pos++
		}
		text, ok := p.s.braced()
		if !ok {
			p.fail(`\operatorname without {`)
			return nil
		}
		text = html.EscapeString(strings.NewReplacer(`\,`, "\u2009", `\ `, "\u00a0", `~`, "\u00a0", `\-`, "-").Replace(strings.TrimSpace(text)))
		if strings.ContainsAny(text, `\{}$^_`) {
			p.unknown(`\operatorname{` + text + "}")
		}
		if star {
			return []atom{word(text)}
		}
		return one(name(text), op)
	case `\left`:
		return p.leftRight()
	case `\right`, `\middle`, `\end`:
		p.fail("%s without its beginning", t)
		return nil
	case `\not`:
		return p.not()
	case `\overset`, `\stackrel`, `\underset`:
		script := p.atLevel(scripts, p.group)
		base := p.scripted()
		if len(base) != 1 {
			p.fail("%s of nothing", t)
			return nil
		}
		a := base[0]
		if t == `\stackrel` {
			a.class = rel
		}
		if t == `\underset` {
			a.xml = "<munder>" + element(a.xml) + script + "</munder>"
		} else {
			a.xml = "<mover>" + element(a.xml) + script + "</mover>"
		}
		a.limits = false
		return []atom{a}
	case `\xrightarrow`, `\xleftarrow`:
		below, hasBelow := p.s.bracketed()
		arrow := `<mo stretchy="true" minsize="1.5em" style="` + wholeInk + `">` + map[string]string{`\xrightarrow`: "→", `\xleftarrow`: "←"}[t] + "</mo>"
		above := p.atLevel(scripts, p.group)
		if !hasBelow {
			return one("<mover>"+arrow+above+"</mover>", rel)
		}
		under := p.atLevel(scripts, func() string { return p.sub(below) })
		return one("<munderover>"+arrow+element(under)+above+"</munderover>", rel)
	case `\boxed`, `\fbox`:
		return one(`<mrow style="border:1px solid;padding:.4em .3em;display:inline math">`+p.group()+"</mrow>", ord)
	case `\cancel`, `\bcancel`, `\xcancel`:
		return one(`<mrow style="background:`+strokes[t]+`;print-color-adjust:exact;display:inline math">`+p.group()+"</mrow>", ord)
	case `\textcolor`, `\color`:
		text, ok := p.s.braced()
		if !ok || t == `\color` && p.s.peek() != "{" || !plainColor.MatchString(text) {
			p.unknown(t + "{" + text + "}")
			return nil
		}
		return one(`<mrow style="color:`+text+`">`+p.group()+"</mrow>", ord)
	case `\phantom`:
		return one("<mphantom>"+p.group()+"</mphantom>", ord)
	case `\mathop`:
		return []atom{{xml: p.group(), class: op, limits: true}}
	case `\mathbin`, `\mathrel`, `\mathord`, `\mathopen`, `\mathclose`, `\mathpunct`, `\mathinner`:
		return one(p.group(), map[string]class{`\mathbin`: bin, `\mathrel`: rel, `\mathord`: ord, `\mathopen`: open, `\mathclose`: shut, `\mathpunct`: punct, `\mathinner`: ord}[t])
	case `\bmod`:
		return one(name("mod"), bin)
	case `\pmod`:
		return one(blank("0.5")+operator("(")+name("mod")+blank("0.3333")+p.group()+operator(")"), ord)
	case `\substack`:
		text, ok := p.s.braced()
		if !ok {
			p.fail(`\substack without {`)
		}
		return one(p.sub(text), ord)
	case `\hspace`, `\hspace*`:
		text, _ := p.s.braced()
		number, ok := strings.CutSuffix(text, "em")
		em, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if !ok || err != nil || !(em > -20 && em < 20) {
			p.unknown(`\hspace{` + text + "}")
		}
		return one(blank(fmt.Sprintf("%.4g", em)), space)
	case `\tag`:
		if strings.HasPrefix(p.s.src[p.s.pos:], "*") {
			p.s.pos++
		}
		text, ok := p.s.braced()
		if !ok || p.tag != "" {
			p.fail(`\tag twice, or without {`)
		}
		p.tag = strings.NewReplacer("$", "", "~", "\u00a0", `\,`, "\u2009").Replace(text)
		return nil
	case `\label`:
		p.s.braced()
		return nil
	case `\nonumber`, `\notag`, `\strut`, `\limits`, `\nolimits`, `\hline`:
		return nil
	case `\begin`:
		return p.environment()
	case `\\`:
		p.fail(`a \\ where no line can end`)
		return nil
	}
	for _, size := range []string{"Bigg", "bigg", "Big", "big"} {
		rest, ok := strings.CutPrefix(t, `\`+size)
		if !ok || rest != "" && rest != "l" && rest != "r" && rest != "m" {
			continue
		}
		d, ok := p.delimiter()
		if !ok || d == "" {
			return nil
		}
		xml := fmt.Sprintf(`<mo stretchy="true" symmetric="true" minsize="%[1]sem" maxsize="%[1]sem" lspace="0" rspace="0">%[2]s</mo>`, sizes[size], d)
		return one(xml, map[string]class{"": ord, "l": open, "r": shut, "m": rel}[rest])
	}
	p.unknown(t)
	return nil
}

// sub converts to MathML an argument that has been cut out of the source.
func (p *parser) sub(text string) string {
	q := &parser{s: scanner{src: text}, level: p.level, font: p.font, depth: p.depth}
	xml := joined(q.lines(), q.level)
	if p.err == nil {
		p.err = q.err
	}
	if q.tag != "" {
		p.tag = q.tag
	}
	return xml
}

// delimiter reads the delimiter after \left, \right, \middle, or \big and its variants, and returns its character. The
// character is "" for a dot, which stands for no delimiter. If the next token is not a delimiter, the parser fails and
// the boolean is false.
func (p *parser) delimiter() (string, bool) {
	t := p.s.next()
	d, ok := delimiters[t]
	if !ok {
		p.fail("%q is no delimiter", t)
	}
	return d, ok
}

func fence(d string) string {
	if d == "" {
		return ""
	}
	return `<mo stretchy="true" symmetric="true" lspace="0" rspace="0">` + d + "</mo>"
}

func (p *parser) leftRight() []atom {
	l, _ := p.delimiter()
	var b strings.Builder
	b.WriteString(fence(l))
	for p.err == nil {
		b.WriteString(joined(p.row(func(t string) bool { return t == `\right` || t == `\middle` }), p.level))
		switch p.s.next() {
		case `\right`:
			r, _ := p.delimiter()
			b.WriteString(fence(r))
			return one(element(b.String()), ord)
		case `\middle`:
			d, _ := p.delimiter()
			b.WriteString(fence(d))
		default:
			p.fail(`no \right for a \left`)
		}
	}
	return nil
}

func (p *parser) not() []atom {
	t := p.s.next()
	s, ok := symbols[t]
	if !ok {
		p.fail(`\not before %q`, t)
		return nil
	}
	if n, ok := negated[s.text]; ok {
		return one(operator(n), rel)
	}
	return one(operator(s.text+"\u0338"), rel)
}

// text reads the argument of \text or a similar command t. In this argument, $…$ is a formula.
func (p *parser) text(t string) []atom {
	text, ok := p.s.braced()
	if !ok {
		p.fail("%s without {", t)
		return nil
	}
	style := map[string]string{`\textbf`: "font-weight:bold", `\textit`: "font-style:italic", `\emph`: "font-style:italic", `\texttt`: "font-family:monospace", `\textsf`: "font-family:sans-serif"}[t]
	if style != "" {
		style = ` style="` + style + `"`
	}
	var b strings.Builder
	const dollar = "\x00" // stands for \$, which does not start a formula
	for i, part := range strings.Split(strings.ReplaceAll(text, `\$`, dollar), "$") {
		if i%2 == 1 {
			b.WriteString(p.atLevel(inline, func() string { return p.sub(part) }))
			continue
		}
		part = strings.NewReplacer(dollar, "$", `\%`, "%", `\&`, "&", `\#`, "#", `\_`, "_", `\{`, "{", `\}`, "}", `\ `, " ", `\,`, "\u2009", "~", " ", "``", "“", "''", "”").Replace(part)
		if j := strings.IndexByte(part, '\\'); j >= 0 {
			s := scanner{src: part, pos: j}
			p.unknown(s.next() + " in " + t)
		}
		if part != "" {
			// At the ends of an element blanks would be dropped, so use no-break spaces.
			b.WriteString("<mtext" + style + ">" + html.EscapeString(strings.ReplaceAll(part, " ", "\u00a0")) + "</mtext>")
		}
	}
	return one(element(b.String()), ord)
}

// matrices maps matrix environments to their left and right fences.
var matrices = map[string][2]string{
	"matrix": {"", ""}, "pmatrix": {"(", ")"}, "bmatrix": {"[", "]"}, "Bmatrix": {"{", "}"}, "vmatrix": {"|", "|"}, "Vmatrix": {"‖", "‖"},
	"smallmatrix": {"", ""}, "array": {"", ""}, "cases": {"{", ""},
}

// equations lists the environments in which columns are sides of equations.
var equations = map[string]bool{"aligned": true, "align": true, "alignat": true, "alignedat": true, "split": true, "eqnarray": true, "gathered": true, "gather": true, "equation": true, "multline": true}

func (p *parser) environment() []atom {
	full, ok := p.s.braced()
	env := strings.TrimSuffix(full, "*")
	fences, isMatrix := matrices[env]
	if !ok || !isMatrix && !equations[env] {
		p.unknown(`\begin{` + full + "}")
		return nil
	}
	columns := ""
	switch env {
	case "array":
		columns, _ = p.s.braced()
		columns = strings.Map(func(r rune) rune {
			if strings.ContainsRune("lcr", r) {
				return r
			}
			return -1
		}, columns)
	case "alignat", "alignedat":
		p.s.braced()
	case "cases":
		columns = "ll"
	}
	outer := p.tag
	level := p.level
	if isMatrix {
		p.level = max(p.level, inline)
	}
	if env == "smallmatrix" {
		p.level = scripts
	}
	var rows strings.Builder
	for end := false; !end && p.err == nil; {
		p.tag = ""
		var cells []string
		for inRow := true; inRow && p.err == nil; {
			atoms := p.row(func(t string) bool { return t == "&" || t == `\\` || t == `\end` })
			if equations[env] && len(cells)%2 == 1 {
				atoms = append([]atom{{class: ord}}, atoms...) // so that the = gets space on its left
			}
			cells = append(cells, joined(atoms, p.level))
			switch p.s.next() {
			case "&":
			case `\\`:
				p.s.bracketed()
				inRow = false
			case `\end`:
				if got, _ := p.s.braced(); got != full {
					p.fail(`\begin{%s} ends with \end{%s}`, full, got)
				}
				inRow, end = false, true
			default:
				p.fail(`no \end{%s}`, full)
			}
		}
		if end && len(cells) == 1 && cells[0] == "" && rows.Len() > 0 {
			break // \\ after the last row
		}
		rows.WriteString("<mtr>")
		for i, c := range cells {
			align := ""
			switch {
			case columns != "" && columns[min(i, len(columns)-1)] == 'l', equations[env] && len(cells) > 1 && i%2 == 1:
				align = "text-align:left"
			case columns != "" && columns[min(i, len(columns)-1)] == 'r', equations[env] && len(cells) > 1:
				align = "text-align:right"
			}
			if equations[env] {
				// Leave no gap at the equals sign, but a gap between two equations.
				align += ";padding-left:" + map[bool]string{true: "0", false: "1em"}[i == 0 || i%2 == 1] + ";padding-right:0"
			}
			if align = strings.TrimPrefix(align, ";"); align != "" {
				align = ` style="` + align + `"`
			}
			rows.WriteString("<mtd" + align + ">" + c + "</mtd>")
		}
		if p.tag != "" {
			rows.WriteString(`<mtd style="padding-left:2em"><mtext>(` + html.EscapeString(p.tag) + ")</mtext></mtd>")
		}
		rows.WriteString("</mtr>")
	}
	p.tag = outer
	p.level = level
	xml := fence(fences[0]) + table(rows.String(), equations[env]) + fence(fences[1])
	if env == "smallmatrix" {
		xml = `<mstyle scriptlevel="1">` + xml + "</mstyle>"
	}
	return one(element(xml), ord)
}

// plainColor matches a color's name or hexadecimal number.
var plainColor = regexp.MustCompile(`^([A-Za-z]{3,20}|#[0-9A-Fa-f]{3}|#[0-9A-Fa-f]{6})$`)

// strokes lists the styles that cross something out. Browsers do not support the MathML element for this.
var strokes = map[string]string{
	`\cancel`:  stroke("bottom right"),
	`\bcancel`: stroke("bottom left"),
	`\xcancel`: stroke("bottom right") + "," + stroke("bottom left"),
}

// stroke returns the CSS gradient that draws a line along a diagonal of a box: the one that does not end in the given
// corner.
func stroke(corner string) string {
	return "linear-gradient(to " + corner + ",transparent calc(50% - .04em),currentcolor calc(50% - .04em),currentcolor calc(50% + .04em),transparent calc(50% + .04em))"
}
