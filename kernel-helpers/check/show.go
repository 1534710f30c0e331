package check

import (
	"fmt"
	"html"
	"strings"
)

// A sign is a mark such as ✓ that begins a verdict, with the color that it has in a notebook.
type sign struct{ mark, colour string }

var (
	right = sign{"✓", "#009E73"} // color-blind readers can tell right from wrong by these colors
	wrong = sign{"✗", "#D55E00"}
	open  = sign{"○", "#808080"}
)

// signOf returns the symbol that marks a right answer if ok is true, and otherwise the symbol that marks a wrong one.
func signOf(ok bool) sign {
	if ok {
		return right
	}
	return wrong
}

// line returns text with the mark in front, for a terminal.
func (s sign) line(text string) string { return s.mark + " " + text }

// page returns the text as HTML that suits light and dark notebooks. footer is more HTML, and may be empty. The text
// has the notebook's own color, because no green is readable on both white and black; the mark is large enough to be
// colored.
func (s sign) page(text, footer string) string {
	mark := s.mark
	if s != open {
		mark = fmt.Sprintf(`<span style="color:%s;font-size:1.25em">%s</span>`, s.colour, s.mark)
	}
	return fmt.Sprintf(`<div style="border-left:4px solid %s;padding:2px 10px"><strong>%s %s</strong>%s</div>`,
		s.colour, mark, html.EscapeString(text), footer)
}

// String returns the result as a line of text for a terminal, with the mark ✓ or ✗.
func (r Result) String() string { return signOf(r.Right).line(r.text()) }

// HTML returns the result as the green or red line that a notebook shows.
func (r Result) HTML() string { return signOf(r.Right).page(r.text(), "") }

func (v Verdict) sign() sign {
	if v.open {
		return open
	}
	return signOf(v.Right)
}

// hints returns the hints in the order in which the reader unfolds them: the smallest hint first.
func (v Verdict) hints() (list []string) {
	for _, hint := range []string{v.Nudges[0], v.Nudges[1], v.Hint} {
		if hint != "" {
			list = append(list, hint)
		}
	}
	return list
}

// hintName returns the heading of hint i, counted from 0, of n hints: "Hint" if there is only one, otherwise for
// example "Hint 2 of 3".
func hintName(i, n int) string {
	if n == 1 {
		return "Hint"
	}
	return fmt.Sprintf("Hint %d of %d", i+1, n)
}

// String returns the verdict for a terminal, which cannot fold the hints.
func (v Verdict) String() string {
	s := v.sign().line(v.Exercise + ": " + v.Text)
	if v.Mistake != "" {
		s += "\n  " + v.Mistake
	}
	list := v.hints()
	for i, hint := range list {
		s += "\n  " + hintName(i, len(list)) + ": " + hint
	}
	return s
}

// HTML returns the verdict as a notebook shows it. Several hints are folded, each inside the one before, so that
// readers see only as many hints as they ask for.
func (v Verdict) HTML() string {
	below := ""
	if v.Mistake != "" {
		below = "<br>" + html.EscapeString(v.Mistake)
	}
	list := v.hints()
	if len(list) == 1 {
		below += "<br>Hint: " + html.EscapeString(list[0])
	} else {
		for i, hint := range list {
			below += "<details><summary>" + hintName(i, len(list)) + "</summary>" + html.EscapeString(hint)
		}
		below += strings.Repeat("</details>", len(list))
	}
	return v.sign().page(v.Exercise+": "+v.Text, below)
}
