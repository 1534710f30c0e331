package render

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"overcomplete/ui/display"
)

const (
	maxRows  = 10  // maximum number of rows; a longer table shows its first and last maxRows/2 rows
	maxCols  = 10  // maximum number of columns; see maxRows
	maxCell  = 80  // maximum length of a cell's text in runes
	ellipsis = "…" // in place of omitted rows or columns
)

// A table is text in rows and columns.
type table struct {
	caption string   // text below the table, "" for none
	header  []string // nil for none
	types   []string // types below the header, nil for none
	rows    [][]string
	labels  []string // labels before the rows, nil for none
	left    []bool   // columns of words, which are left-aligned; nil for none

	pale func(i, j int) bool // reports whether an entry is missing; nil if none is missing; only used in HTML
}

// picks returns the indices of the rows or columns that are shown, out of n: all of them if n is at most max, otherwise
// the first max/2 and the last max/2, with -1 in between.
func picks(n, max int) []int {
	var p []int
	for i := range n {
		if n > max && i >= max/2 && i < n-max/2 {
			if i == max/2 {
				p = append(p, -1)
			}
			continue
		}
		p = append(p, i)
	}
	return p
}

// cell returns s as one line of bounded length.
func cell(s string) string {
	s = strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎", "\t", " ").Replace(s)
	if utf8.RuneCountInString(s) <= maxCell {
		return s
	}
	r := []rune(s)
	return string(r[:maxCell-1]) + ellipsis
}

func (t *table) data() display.Data {
	return display.Data{Data: map[string]any{
		display.MIMETypeText: t.text(),
		display.MIMETypeHTML: t.html(),
	}}
}

// html returns the table as HTML. Apart from the alignment and the paleness of missing entries, it sets no styles: the
// front end's own style for tables applies, light or dark.
func (t *table) html() string {
	var b strings.Builder
	line := func(tag, label string, cells []string, pale func(j int) bool) {
		b.WriteString("<tr>")
		if t.labels != nil {
			fmt.Fprintf(&b, "<th>%s</th>", html.EscapeString(label))
		}
		for j, c := range cells {
			style := ""
			if j < len(t.left) && t.left[j] {
				style = "text-align: left"
			}
			if pale != nil && pale(j) {
				style = strings.TrimPrefix(style+"; opacity: .7", "; ")
			}
			if style != "" {
				style = ` style="` + style + `"`
			}
			fmt.Fprintf(&b, "<%s%s>%s</%s>", tag, style, html.EscapeString(c), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<table class=\"dataframe\">\n")
	if t.header != nil {
		b.WriteString("<thead>\n")
		line("th", "", t.header, nil)
		if t.types != nil {
			small := make([]string, len(t.types))
			copy(small, t.types)
			line("td", "", small, nil)
		}
		b.WriteString("</thead>\n")
	}
	b.WriteString("<tbody>\n")
	for i, row := range t.rows {
		label := ""
		if t.labels != nil {
			label = t.labels[i]
		}
		var pale func(j int) bool
		if t.pale != nil {
			pale = func(j int) bool { return t.pale(i, j) }
		}
		line("td", label, row, pale)
	}
	b.WriteString("</tbody>\n</table>\n")
	if t.caption != "" {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(t.caption))
	}
	return b.String()
}

// text returns the table as text with aligned columns: columns of words are left-aligned, all others right-aligned.
func (t *table) text() string {
	var lines [][]string
	add := func(label string, cells []string) {
		if t.labels != nil {
			cells = append([]string{label}, cells...)
		}
		lines = append(lines, cells)
	}
	if t.header != nil {
		add("", t.header)
	}
	if t.types != nil {
		add("", t.types)
	}
	for i, row := range t.rows {
		label := ""
		if t.labels != nil {
			label = t.labels[i]
		}
		add(label, row)
	}
	var width []int
	for _, l := range lines {
		for j, c := range l {
			if j == len(width) {
				width = append(width, 0)
			}
			width[j] = max(width[j], utf8.RuneCountInString(c))
		}
	}
	first := 0
	if t.labels != nil {
		first = 1
	}
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		var row strings.Builder
		for j, c := range l {
			if j > 0 {
				row.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(c))
			if k := j - first; k < 0 || k < len(t.left) && t.left[k] {
				row.WriteString(c + pad)
			} else {
				row.WriteString(pad + c)
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " "))
	}
	if t.caption != "" {
		b.WriteString("\n" + t.caption)
	}
	return b.String()
}
