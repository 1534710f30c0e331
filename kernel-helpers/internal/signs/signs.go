// Package signs draws text in the fonts of figures (Liberation). It spells out characters that these fonts
// lack and would draw as a box: w⁺ as w^+, 10⁻⁹ as 10^−9.
package signs

import (
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Handler is the text handler for plots.
var Handler text.Handler = handler{plot.DefaultTextHandler}

type handler struct{ text.Handler }

// Lines returns the lines of the text, spelled out.
func (h handler) Lines(s string) []string { return h.Handler.Lines(Spelled(s)) }

// Draw draws the text, spelled out.
func (h handler) Draw(c vg.Canvas, s string, sty text.Style, pt vg.Point) {
	h.Handler.Draw(c, Spelled(s), sty, pt)
}

const (
	above, onLine      = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+−n"
	below, onLineBelow = "₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₜ", "0123456789ijkt"
)

var (
	// Runs of superscripts, or of subscripts, with a character that the fonts lack.
	superscript = regexp.MustCompile("[" + above + "]*[⁰⁹⁺⁻][" + above + "]*")
	subscript   = regexp.MustCompile("[" + below + "]*[ⱼₖₜ][" + below + "]*")
	others      = strings.NewReplacer("∇", "grad ", "⟨", "‹", "⟩", "›", "∈", " in ", "∼", "~", "∝", "~", "⊤", "ᵀ", "⊙", "·", "⊗", "×",
		"∗", "*", "⇒", "=>", "✓", "yes", "✗", "no", "ℝ", "R")
)

// Spelled returns s with characters that the fonts lack replaced.
func Spelled(s string) string {
	for _, r := range s {
		if r > 'ÿ' { // fast path: nearly all text has only characters up to ÿ
			s = superscript.ReplaceAllStringFunc(s, func(run string) string { return "^" + plain(run, above, onLine) })
			s = subscript.ReplaceAllStringFunc(s, func(run string) string { return "_" + plain(run, below, onLineBelow) })
			return others.Replace(s)
		}
	}
	return s
}

// plain returns a run with its raised characters replaced by those on the line.
func plain(run, raised, onLine string) string {
	from, to := []rune(raised), []rune(onLine)
	return strings.Map(func(r rune) rune {
		for i, f := range from {
			if f == r {
				return to[i]
			}
		}
		return r
	}, run)
}
