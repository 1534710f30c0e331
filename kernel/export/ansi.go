package export

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// A pen is the text style that escape sequences of a terminal have set: colors, bold and the like.
type pen struct {
	fg, bg                               string // a class such as "ansi-1", or a color such as "#ff0000"
	bold, faint, italic, under, inverted bool
	struck                               bool
}

// ansiHTML converts a program's terminal output to HTML. Colors and other styles become spans. A line that was
// overwritten (with \r, as progress bars do) is shown in its final state. Other escape sequences are dropped.
func ansiHTML(text string) string {
	var b strings.Builder
	var p pen
	write := func(s string) {
		if s == "" {
			return
		}
		if p == (pen{}) {
			b.WriteString(html.EscapeString(s))
			return
		}
		b.WriteString(p.open())
		b.WriteString(html.EscapeString(s))
		b.WriteString("</span>")
	}
	for _, part := range escapes(overwritten(text)) {
		if part.sgr == nil {
			write(part.text)
		} else {
			p.apply(part.sgr)
		}
	}
	return b.String()
}

// plainText returns the given text without the escape sequences of terminals, with overwritten lines in their final
// state.
func plainText(text string) string {
	var b strings.Builder
	for _, part := range escapes(overwritten(text)) {
		b.WriteString(part.text)
	}
	return b.String()
}

// A part is a piece of terminal output: either text, or the parameters of an escape sequence that sets the style (sgr
// is then not nil).
type part struct {
	text string
	sgr  []int
}

// escapes splits s at the escape sequences that set the style. It drops other escape sequences, and control
// characters.
func escapes(s string) []part {
	var parts []part
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			parts = append(parts, part{text: plain.String()})
			plain.Reset()
		}
	}
	for i := 0; i < len(s); {
		if s[i] != 0x1b {
			if s[i] >= 0x20 && s[i] != 0x7f || s[i] == '\n' || s[i] == '\t' {
				plain.WriteByte(s[i])
			}
			i++
			continue
		}
		n, body, final := sequence(s[i:])
		if final == 'm' {
			flush()
			parts = append(parts, part{sgr: numbers(body)})
		}
		i += n
	}
	flush()
	return parts
}

// sequence parses the escape sequence at the start of s, and returns its length n. If the sequence begins with ESC [
// and is complete, final is the byte that ends it, and body is the text between ESC [ and that byte. For other
// sequences body is "" and final is 0.
func sequence(s string) (n int, body string, final byte) {
	if len(s) < 2 {
		return len(s), "", 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if c := s[i]; c >= 0x40 && c <= 0x7e {
				return i + 1, s[2:i], c
			} else if c < 0x20 || c > 0x3f {
				return i, "", 0 // incomplete
			}
		}
		return len(s), "", 0
	case ']', 'P', '_', '^': // these end with BEL or ESC \
		for i := 2; i < len(s); i++ {
			if s[i] == 7 {
				return i + 1, "", 0
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2, "", 0
			}
		}
		return len(s), "", 0
	}
	if s[1] >= 0x80 {
		return 1, "", 0
	}
	return 2, "", 0
}

func numbers(body string) []int {
	list := []int{}
	for _, f := range strings.FieldsFunc(body+";", func(r rune) bool { return r == ';' || r == ':' }) {
		n, err := strconv.Atoi(f)
		if err != nil || n < 0 {
			return []int{}
		}
		list = append(list, n)
	}
	if len(list) == 0 {
		list = append(list, 0)
	}
	return list
}

// apply changes the style according to codes, the parameters of an escape sequence.
func (p *pen) apply(codes []int) {
	for i := 0; i < len(codes); i++ {
		switch c := codes[i]; {
		case c == 0:
			*p = pen{}
		case c == 1:
			p.bold = true
		case c == 2:
			p.faint = true
		case c == 3:
			p.italic = true
		case c == 4:
			p.under = true
		case c == 7:
			p.inverted = true
		case c == 9:
			p.struck = true
		case c == 22:
			p.bold, p.faint = false, false
		case c == 23:
			p.italic = false
		case c == 24:
			p.under = false
		case c == 27:
			p.inverted = false
		case c == 29:
			p.struck = false
		case c >= 30 && c <= 37:
			p.fg = fmt.Sprintf("ansi-%d", c-30)
		case c >= 90 && c <= 97:
			p.fg = fmt.Sprintf("ansi-%d", c-90+8)
		case c >= 40 && c <= 47:
			p.bg = fmt.Sprintf("ansi-%d", c-40)
		case c >= 100 && c <= 107:
			p.bg = fmt.Sprintf("ansi-%d", c-100+8)
		case c == 39:
			p.fg = ""
		case c == 49:
			p.bg = ""
		case c == 38 || c == 48:
			colour, used := extended(codes[i+1:])
			i += used
			if c == 38 {
				p.fg = colour
			} else {
				p.bg = colour
			}
		}
	}
}

// extended reads the color that follows code 38 or 48: 5;n for one of 256 colors, or 2;r;g;b. It returns the color and
// how many codes it has read.
func extended(codes []int) (colour string, used int) {
	switch {
	case len(codes) >= 2 && codes[0] == 5:
		return palette(codes[1]), 2
	case len(codes) >= 4 && codes[0] == 2:
		return fmt.Sprintf("#%02x%02x%02x", codes[1]&255, codes[2]&255, codes[3]&255), 4
	}
	return "", len(codes)
}

// palette returns color n of the 256 colors of xterm, or "" if n is too large.
func palette(n int) string {
	switch {
	case n < 16:
		return fmt.Sprintf("ansi-%d", n)
	case n < 232:
		level := func(k int) int {
			if k == 0 {
				return 0
			}
			return 55 + 40*k
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	case n < 256:
		g := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", g, g, g)
	}
	return ""
}

// open returns the opening tag of a span with the pen's style.
func (p pen) open() string {
	var classes, styles []string
	fg, bg := p.fg, p.bg
	if p.inverted {
		fg, bg = bg, fg
		if fg == "" {
			classes = append(classes, "ansi-paper")
		}
		if bg == "" {
			classes = append(classes, "ansi-ink")
		}
	}
	if strings.HasPrefix(fg, "#") {
		styles = append(styles, "color:"+fg)
	} else if fg != "" {
		classes = append(classes, fg)
	}
	if strings.HasPrefix(bg, "#") {
		styles = append(styles, "background:"+bg)
	} else if bg != "" {
		classes = append(classes, bg+"-bg")
	}
	for _, x := range []struct {
		on    bool
		style string
	}{{p.bold, "font-weight:bold"}, {p.faint, "opacity:.7"}, {p.italic, "font-style:italic"}} {
		if x.on {
			styles = append(styles, x.style)
		}
	}
	switch {
	case p.under && p.struck:
		styles = append(styles, "text-decoration:underline line-through")
	case p.under:
		styles = append(styles, "text-decoration:underline")
	case p.struck:
		styles = append(styles, "text-decoration:line-through")
	}
	s := "<span"
	if len(classes) > 0 {
		s += ` class="` + strings.Join(classes, " ") + `"`
	}
	if len(styles) > 0 {
		s += ` style="` + strings.Join(styles, ";") + `"`
	}
	return s + ">"
}

// overwritten returns the lines of a string in their final state. Text after a carriage return overwrites the line from
// its start; if the line was longer, its end remains. ESC [ K erases this end, and ESC [ 2 K the whole line. A
// backspace moves back by one character.
func overwritten(text string) string {
	if !strings.ContainsAny(text, "\r\b") {
		return text
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		if strings.ContainsAny(l, "\r\b") {
			lines[i] = lastState(l)
		}
	}
	return strings.Join(lines, "\n")
}

// A glyph is a character together with the escape sequences before it.
type glyph struct {
	before string
	char   rune
}

func lastState(line string) string {
	var glyphs []glyph
	at := 0
	pending := ""
	for i := 0; i < len(line); {
		switch c := line[i]; c {
		case '\r':
			at = 0
			i++
		case '\b':
			at = max(at-1, 0)
			i++
		case 0x1b:
			n, body, final := sequence(line[i:])
			switch {
			case final == 'K' && (body == "" || body == "0"):
				glyphs = glyphs[:min(at, len(glyphs))]
			case final == 'K':
				for j := range min(at, len(glyphs)) {
					glyphs[j].char = ' '
				}
				glyphs = glyphs[:min(at, len(glyphs))]
			default:
				pending += line[i : i+n]
			}
			i += n
		default:
			r, n := decode(line[i:])
			g := glyph{pending, r}
			pending = ""
			if at < len(glyphs) {
				glyphs[at] = g
			} else {
				glyphs = append(glyphs, g)
			}
			at++
			i += n
		}
	}
	var b strings.Builder
	for _, g := range glyphs {
		b.WriteString(g.before)
		b.WriteRune(g.char)
	}
	return b.String() + pending
}
