package lewicki

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// A Tableau is a plain table that a cell of the notebook shows. Its method HTML returns it for a notebook, String for
// a terminal, and Markdown for a web page of the repository.
type Tableau struct {
	Title string
	Head  []string
	Cells [][]string // rows of len(Head) strings
	Note  string     // a sentence or two below the table; may be empty
}

// HTML returns the table for a notebook.
func (t Tableau) HTML() string {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "<p><b>%s</b></p>\n", html.EscapeString(t.Title))
	}
	b.WriteString("<table>\n<thead><tr>")
	for i, h := range t.Head {
		fmt.Fprintf(&b, "<th style=\"text-align:%s\">%s</th>", alignment(i), html.EscapeString(h))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range t.Cells {
		b.WriteString("<tr>")
		for i, c := range row {
			fmt.Fprintf(&b, "<td style=\"text-align:%s\">%s</td>", alignment(i), html.EscapeString(c))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>\n")
	if t.Note != "" {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(t.Note))
	}
	return b.String()
}

func alignment(column int) string {
	if column == 0 {
		return "left"
	}
	return "right"
}

// Markdown returns the table in GitHub-flavored Markdown.
func (t Tableau) Markdown() string {
	esc := func(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", t.Title)
	}
	for _, h := range t.Head {
		fmt.Fprintf(&b, "| %s ", esc(h))
	}
	b.WriteString("|\n")
	for i := range t.Head {
		if i == 0 {
			b.WriteString("|:---")
		} else {
			b.WriteString("|---:")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.Cells {
		for _, c := range row {
			fmt.Fprintf(&b, "| %s ", esc(c))
		}
		b.WriteString("|\n")
	}
	if t.Note != "" {
		fmt.Fprintf(&b, "\n%s\n", t.Note)
	}
	return b.String()
}

// String returns the table as aligned text.
func (t Tableau) String() string {
	width := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Cells...) {
		for i, c := range row {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(t.Title + "\n")
	}
	line := func(row []string) {
		var l strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if i == 0 {
				l.WriteString(c + pad)
			} else {
				l.WriteString("  " + pad + c)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	line(t.Head)
	total := 2 * (len(width) - 1)
	for _, w := range width {
		total += w
	}
	b.WriteString(strings.Repeat("-", total) + "\n")
	for _, row := range t.Cells {
		line(row)
	}
	if t.Note != "" {
		b.WriteString(t.Note + "\n")
	}
	return b.String()
}
