// Package signs draws text in the fonts of figures (Liberation), and spells out the signs that these do not have: w⁺ as
// w^+, 10⁻⁹ as 10^−9, for which they would draw a box.
package signs

import (
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Handler draws text for plots.
var Handler text.Handler = handler{plot.DefaultTextHandler}

type handler struct{ text.Handler }

// Lines are those of the text, spelled out.
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
	// Runs in which one of the signs is missing: superscripts beside each other go together.
	superscript = regexp.MustCompile("[" + above + "]*[⁰⁹⁺⁻][" + above + "]*")
	subscript   = regexp.MustCompile("[" + below + "]*[ⱼₖₜ][" + below + "]*")
	others      = strings.NewReplacer("∇", "grad ", "⟨", "‹", "⟩", "›", "∈", " in ", "∼", "~", "∝", "~", "⊤", "ᵀ", "⊙", "·", "⊗", "×",
		"∗", "*", "⇒", "=>", "✓", "yes", "✗", "no", "ℝ", "R")
)

// Spelled is s with other signs for those that the fonts do not have.
func Spelled(s string) string {
	for _, r := range s {
		if r > 'ÿ' { // nearly no text needs more than to be looked at
			s = superscript.ReplaceAllStringFunc(s, func(run string) string { return "^" + plain(run, above, onLine) })
			s = subscript.ReplaceAllStringFunc(s, func(run string) string { return "_" + plain(run, below, onLineBelow) })
			return others.Replace(s)
		}
	}
	return s
}

// plain has the signs of a run on the line.
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
