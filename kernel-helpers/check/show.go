package check

import (
	"fmt"
	"html"
)

// line is a line for a terminal: the sign says what the colour says in a notebook.
func line(right bool, text string) string {
	if right {
		return "✓ " + text
	}
	return "✗ " + text
}

// page is the line for a notebook, light or dark, with more below it.
func page(right bool, text, below string) string {
	colour := "#D55E00" // these two differ for the colour-blind too
	if right {
		colour = "#009E73"
	}
	if below != "" {
		below = "<br>" + html.EscapeString(below)
	}
	return fmt.Sprintf(`<div style="border-left:4px solid %s;padding:2px 10px"><strong style="color:%s">%s</strong>%s</div>`,
		colour, colour, html.EscapeString(line(right, text)), below)
}

// String returns the line for a terminal.
func (r Result) String() string { return line(r.Right, r.text()) }

// HTML returns the line as a notebook shows it.
func (r Result) HTML() string { return page(r.Right, r.text(), "") }

// String returns the verdict for a terminal.
func (v Verdict) String() string {
	s := line(v.Right, v.Exercise+": "+v.Text)
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
	return page(v.Right, v.Exercise+": "+v.Text, hint)
}
