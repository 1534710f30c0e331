package check

import (
	"fmt"
	"html"
)

// A sign is the mark of a verdict in a terminal and its color in a notebook.
type sign struct{ mark, colour string }

var (
	right = sign{"✓", "#009E73"} // color-blind readers can tell right from wrong by these colors
	wrong = sign{"✗", "#D55E00"}
	open  = sign{"○", "#808080"}
)

// signOf returns the sign right if the argument is true, else the sign wrong.
func signOf(is bool) sign {
	if is {
		return right
	}
	return wrong
}

// line formats text for a terminal.
func (s sign) line(text string) string { return s.mark + " " + text }

// page formats text as HTML that suits light and dark notebooks. The argument below is a second line, which
// may be empty.
func (s sign) page(text, below string) string {
	if below != "" {
		below = "<br>" + html.EscapeString(below)
	}
	return fmt.Sprintf(`<div style="border-left:4px solid %s;padding:2px 10px"><strong style="color:%s">%s</strong>%s</div>`,
		s.colour, s.colour, html.EscapeString(s.line(text)), below)
}

// String returns the line for a terminal.
func (r Result) String() string { return signOf(r.Right).line(r.text()) }

// HTML returns the line as a notebook shows it.
func (r Result) HTML() string { return signOf(r.Right).page(r.text(), "") }

func (v Verdict) sign() sign {
	if v.open {
		return open
	}
	return signOf(v.Right)
}

// String returns the verdict for a terminal.
func (v Verdict) String() string {
	s := v.sign().line(v.Exercise + ": " + v.Text)
	if v.Hint != "" {
		s += "\n  Hint: " + v.Hint
	}
	return s
}

// HTML returns the verdict as a notebook shows it.
func (v Verdict) HTML() string {
	hint := ""
	if v.Hint != "" {
		hint = "Hint: " + v.Hint
	}
	return v.sign().page(v.Exercise+": "+v.Text, hint)
}
