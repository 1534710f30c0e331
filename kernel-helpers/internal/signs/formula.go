package signs

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// symbols maps commands to the characters that they stand for. The fonts have all these characters.
var symbols = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
	"iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ",
	"upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
	"cdot": "·", "times": "×", "pm": "±", "div": "÷", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠",
	"approx": "≈", "sim": "~", "infty": "∞", "partial": "∂", "sum": "∑", "prod": "∏", "int": "∫", "circ": "°", "degree": "°",
	"to": "→", "rightarrow": "→", "leftarrow": "←", "ldots": "…", "dots": "…", "prime": "′", "ell": "ℓ", "equiv": "≡",
}

// accents maps commands to the characters that are drawn over a letter.
var accents = map[string]string{"hat": "ˆ", "widehat": "ˆ", "tilde": "˜", "widetilde": "˜", "bar": "¯", "overline": "¯", "dot": "˙", "ddot": "¨"}

// low holds the letters over which accents need not be raised.
const low = "acegmnopqrsuvwxyzıγεηικμνπρστυχωαφψ"

// relations are the signs that get a blank on both sides.
const relations = "=<>≤≥≠≈~≡→←±×÷+−"

// names are the functions whose names are set upright.
var names = strings.Fields("arccos arcsin arctan cos cosh det exp lim ln log max min sin sinh sup inf tan tanh")

// parse returns the runs of a formula s, which is the text between two dollar signs. A formula may contain:
//
//	letters, which are set in italics, and digits
//	the commands in the tables symbols and names
//	^ and _ with one character or a group in braces
//	\mathrm, \text, \mathbf and \mathit
//	\hat, \bar, \tilde, \dot and \ddot over one character
//	\frac and \sqrt, which are set on the line: a/b, √x
//	spaces: \, \; \quad and others
func parse(s string) ([]run, error) {
	p := &parser{rest: s}
	if err := p.list(style{size: 1, math: true}, false); err != nil {
		return nil, err
	}
	return p.out, nil
}

type style struct {
	size, rise float64
	math, bold bool
}

type parser struct {
	rest string
	out  []run
}

// next removes and returns the next token: one character, or a command with its backslash.
func (p *parser) next() string {
	n := 0
	r, size := utf8.DecodeRuneInString(p.rest)
	n = size
	if r == '\\' && len(p.rest) > 1 {
		for n < len(p.rest) && unicode.IsLetter(rune(p.rest[n])) {
			n++
		}
		if n == 1 { // the command is a backslash and one sign
			_, size := utf8.DecodeRuneInString(p.rest[1:])
			n += size
		}
	}
	token := p.rest[:n]
	p.rest = p.rest[n:]
	return token
}

// list typesets tokens up to the end of the formula or, if braced is true, up to the closing brace.
func (p *parser) list(st style, braced bool) error {
	for p.rest != "" {
		token := p.next()
		if token == "}" {
			if braced {
				return nil
			}
			return fmt.Errorf("} without {")
		}
		if err := p.set(token, st); err != nil {
			return err
		}
	}
	if braced {
		return fmt.Errorf("{ without }")
	}
	return nil
}

// argument typesets the argument of a command: a group in braces, or one token. command is the name of this command,
// for the error if nothing follows it.
func (p *parser) argument(command string, st style) error {
	p.rest = strings.TrimLeft(p.rest, " ")
	if p.rest == "" {
		return fmt.Errorf("nothing follows %s", command)
	}
	token := p.next()
	if token == "{" {
		return p.list(st, true)
	}
	return p.set(token, st)
}

func (p *parser) set(token string, st style) error {
	switch token {
	case "{":
		return p.list(st, true)
	case " ", "~", "\t":
		if !st.math || token == "~" {
			p.write(" ", st)
		}
		return nil
	case "^", "_":
		script := style{size: small * st.size, rise: st.rise + raised*st.size, math: st.math, bold: st.bold}
		if token == "_" {
			script.rise = st.rise + lowered*st.size
		}
		return p.argument(token, script)
	case "-":
		token = "−"
	case "'":
		token = "′"
	}
	if !strings.HasPrefix(token, `\`) {
		p.write(token, st)
		return nil
	}
	switch name := token[1:]; name {
	case "mathrm", "text", "textrm", "mathbf", "textbf", "mathit", "operatorname":
		st.math = name == "mathit"
		st.bold = st.bold || strings.HasSuffix(name, "bf")
		return p.argument(token, st)
	case "frac":
		if err := p.grouped(token, st); err != nil {
			return err
		}
		p.out = append(p.out, run{text: "/", size: st.size, rise: st.rise, bold: st.bold})
		return p.grouped(token, st)
	case "sqrt":
		p.write("√", st)
		return p.grouped(token, st)
	case ",", ";", ":", " ", "quad", "qquad", ">":
		p.out = append(p.out, run{text: strings.Repeat(" ", 1+3*strings.Count(name, "quad")), size: st.size, rise: st.rise})
		return nil
	case "!", "left", "right":
		return nil
	case "%", "&", "#", "_", "{", "}", "$":
		p.write(name, st)
		return nil
	default:
		for _, f := range names {
			if f == name {
				upright := st
				upright.math = false
				p.write(name, upright)
				return nil
			}
		}
		if s, ok := symbols[name]; ok {
			p.write(s, st)
			return nil
		}
		if s, ok := accents[name]; ok {
			return p.accent(token, s, st)
		}
		return fmt.Errorf("\\%s is not known here; write the character itself, such as µ or ≤, if the fonts have it", name)
	}
}

// accent typesets the argument of a command with an accent over it. The argument must be one character.
func (p *parser) accent(command, accent string, st style) error {
	before := p.out
	p.out = nil
	if err := p.argument(command, st); err != nil {
		return err
	}
	if len(p.out) != 1 || utf8.RuneCountInString(p.out[0].text) != 1 {
		return fmt.Errorf("%s goes over one character", command)
	}
	letter := p.out[0]
	over := letter
	over.text, over.over = accent, true
	if !strings.Contains(low, letter.text) {
		over.rise += high * over.size
	}
	p.out = append(before, letter, over)
	return nil
}

// high is the difference in height between capital letters and low ones, in units of the size.
const high = 0.2

// grouped is like argument, but adds parentheses if the argument has several characters.
func (p *parser) grouped(of string, st style) error {
	before := p.out
	p.out = nil
	if err := p.argument(of, st); err != nil {
		return err
	}
	inner, letters := p.out, 0
	for _, r := range inner {
		letters += utf8.RuneCountInString(r.text)
	}
	p.out = before
	if letters > 1 {
		p.out = append(p.out, run{text: "(", size: st.size, rise: st.rise})
		inner = append(inner, run{text: ")", size: st.size, rise: st.rise})
	}
	p.out = append(p.out, inner...)
	return nil
}

// write adds the text s in the style st. In formulas, letters are italic, but capital Greek letters are upright, as in
// TeX. Relations (=, <, …) get blanks around them, and so do + and − between two terms, unless they are in a
// superscript or subscript.
func (p *parser) write(s string, st style) {
	r, _ := utf8.DecodeRuneInString(s)
	italic := st.math && unicode.IsLetter(r) && !unicode.In(r, unicode.Greek) || st.math && unicode.In(r, unicode.Greek) && unicode.IsLower(r)
	if st.math && st.rise == 0 && strings.Contains(relations, s) {
		first := len(p.out) == 0
		if n := len(p.out); n > 0 {
			last, _ := utf8.DecodeLastRuneInString(p.out[n-1].text)
			first = strings.ContainsRune(relations+" (,", last)
		}
		if !first || !strings.Contains("+−±", s) {
			s = " " + s + " "
		}
	}
	next := run{text: s, italic: italic, bold: st.bold, size: st.size, rise: st.rise}
	if n := len(p.out); n > 0 {
		last := p.out[n-1]
		last.text = next.text
		if last == next {
			p.out[n-1].text += s
			return
		}
	}
	p.out = append(p.out, next)
}
