// Package signs draws text in the fonts of figures (Liberation). Superscripts and subscripts for which these fonts
// have no good glyph (10⁻⁹, w⁺, x₁, qᵢⱼ) are drawn as smaller normal characters, raised or lowered. Formulas between
// dollar signs are typeset ($\mu$g m$^{-3}$). Other characters that the fonts lack, which would otherwise be drawn as a
// box, are replaced, for example ∇ by "grad".
package signs

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Handler is the text handler for plots. If it cannot typeset a formula, it panics with a message that begins with
// "figure: ".
var Handler text.Handler = handler{plot.DefaultTextHandler}

type handler struct{ text.Handler }

// A run is a part of a line that is drawn in one size and at one height.
type run struct {
	text         string
	italic, bold bool    // in addition to the font of the text
	size, rise   float64 // the size, and the height above the line, in units of the size of the text
	over         bool    // an accent: drawn over the middle of the run before, without taking space
}

// face returns the font face of a run, where f is the font of the text.
func (r run) face(h text.Handler, f font.Font) font.Face {
	if r.italic {
		f.Style = xfont.StyleItalic
	}
	if r.bold {
		f.Weight = xfont.WeightBold
	}
	f.Size *= vg.Length(r.size)
	return h.Cache().Lookup(f, f.Size)
}

// Box returns the size of a line. Raised parts stay within the height of the font, so only the width differs from that
// of plain text.
func (h handler) Box(s string, f font.Font) (width, height, depth vg.Length) {
	runs := runs(s)
	if len(runs) == 1 && runs[0] == plain(runs[0].text) {
		return h.Handler.Box(runs[0].text, f)
	}
	_, height, depth = h.Handler.Box("", f)
	for _, r := range runs {
		if face := r.face(h, f); !r.over {
			width += face.Width(r.text)
		}
	}
	return width, height, depth
}

// Draw draws the text s, which may have several lines, at the given point.
func (h handler) Draw(c vg.Canvas, s string, sty text.Style, pt vg.Point) {
	s = strings.TrimRight(s, "\n")
	if !isRich(s) {
		h.Handler.Draw(c, others.Replace(s), sty, pt)
		return
	}
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(sty.Rotation)
	}
	sin, cos := math.Sincos(sty.Rotation)
	pt.X, pt.Y = pt.Y*vg.Length(sin)+pt.X*vg.Length(cos), pt.Y*vg.Length(cos)-pt.X*vg.Length(sin)
	lines := h.Lines(s)
	pt.Y += sty.Height(s)*vg.Length(sty.YAlign) - h.Extents(sty.Font).Ascent
	for i, line := range lines {
		width, _, _ := h.Box(line, sty.Font)
		at := pt.Add(vg.Point{X: vg.Length(sty.XAlign) * width, Y: vg.Length(len(lines)-i) * sty.Font.Size})
		var last vg.Length // the width of the run before
		for _, r := range runs(line) {
			face := r.face(h, sty.Font)
			w, y := face.Width(r.text), at.Y+vg.Length(r.rise)*sty.Font.Size
			if r.over {
				c.FillString(face, vg.Point{X: at.X - (last+w)/2, Y: y}, r.text)
				continue
			}
			c.FillString(face, vg.Point{X: at.X, Y: y}, r.text)
			at.X, last = at.X+w, w
		}
	}
}

const (
	above, onLine      = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ⁼⁽⁾ⁱ", "0123456789+−n=()i"
	below, onLineBelow = "₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₜ₊₋₌₍₎ₐₑₒₓₕₗₘₙₚₛᵣᵤᵥ", "0123456789ijkt+−=()aeoxhlmnpsruv"

	small           = 0.7         // size of raised and lowered parts
	raised, lowered = 0.34, -0.14 // their height, in units of the size

	// The fonts have no glyphs for these characters, or glyphs as wide as those of normal size (₀ to ₉).
	missingAbove, missingBelow = "⁰⁹⁺⁻⁼⁽⁾ⁱ", "₀₁₂₃₄₅₆₇₈₉ⱼₖₜ₊₋₌₍₎ₕₗₘₙₚₛ"
)

var (
	// These match sequences of superscripts (or of subscripts) with at least one character that the fonts lack,
	// or draw too wide.
	superscript = regexp.MustCompile("[" + above + "]*[" + missingAbove + "][" + above + "]*")
	subscript   = regexp.MustCompile("[" + below + "]*[" + missingBelow + "][" + below + "]*")
	others      = strings.NewReplacer("∇", "grad ", "⟨", "‹", "⟩", "›", "∈", " in ", "∼", "~", "∝", "~", "⊤", "ᵀ", "⊙", "·", "⊗", "×",
		"∗", "*", "⇒", "=>", "✓", "yes", "✗", "no", "ℝ", "R")
)

// isRich reports whether a string has formulas, escaped dollar signs, or characters that must be drawn as raised or
// lowered ones.
func isRich(s string) bool {
	return strings.ContainsAny(s, missingAbove+missingBelow) || strings.Contains(s, `\$`) || hasFormula(s)
}

// hasFormula reports whether a line of the text has two dollar signs that are not escaped.
func hasFormula(s string) bool {
	if !strings.Contains(s, "$") {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.Count(strings.ReplaceAll(line, `\$`, ""), "$") > 1 {
			return true
		}
	}
	return false
}

func plain(s string) run { return run{text: s, size: 1} }

// runs divides a line into runs. It panics if a formula cannot be typeset.
func runs(line string) []run {
	if !isRich(line) {
		return []run{plain(others.Replace(line))}
	}
	var out []run
	const dollar = "\x00" // stands for an escaped dollar sign
	parts := strings.Split(strings.ReplaceAll(line, `\$`, dollar), "$")
	for i, part := range parts {
		part = strings.ReplaceAll(part, dollar, "$")
		switch {
		case i%2 == 0:
			out = append(out, scripts(part)...)
		case i == len(parts)-1: // a dollar sign without a partner does not begin a formula
			out = append(out, scripts("$"+part)...)
		default:
			f, err := parse(part)
			if err != nil {
				panic(fmt.Sprintf("figure: the formula $%s$: %v", part, err))
			}
			out = append(out, f...)
		}
	}
	return out
}

// scripts divides a string without formulas into runs. A sequence of superscripts or subscripts becomes a run of its
// own if one of its characters is missing in the fonts or too wide.
func scripts(s string) []run {
	var out []run
	for s != "" {
		up, down := superscript.FindStringIndex(s), subscript.FindStringIndex(s)
		at, rise, from, to := up, raised, above, onLine
		if up == nil || down != nil && down[0] < up[0] {
			at, rise, from, to = down, lowered, below, onLineBelow
		}
		if at == nil {
			return append(out, plain(others.Replace(s)))
		}
		if at[0] > 0 {
			out = append(out, plain(others.Replace(s[:at[0]])))
		}
		out = append(out, run{text: mapped(s[at[0]:at[1]], from, to), size: small, rise: rise})
		s = s[at[1]:]
	}
	return out
}

// mapped replaces each character of s that is in the string from by the one at the same place in the string to. Other
// characters stay the same.
func mapped(s, from, to string) string {
	source, target := []rune(from), []rune(to)
	return strings.Map(func(r rune) rune {
		for i, f := range source {
			if f == r {
				return target[i]
			}
		}
		return r
	}, s)
}

// Words divides a paragraph at its blanks, but not at blanks inside formulas.
func Words(s string) []string {
	if !hasFormula(s) {
		return strings.FieldsFunc(s, isBlank)
	}
	inside := false
	var last rune
	joined := strings.Map(func(r rune) rune {
		if r == '$' && last != '\\' {
			inside = !inside
		}
		last = r
		if inside && isBlank(r) {
			return '\x00'
		}
		return r
	}, s)
	words := strings.FieldsFunc(joined, isBlank)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "\x00", " ")
	}
	return words
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' }
