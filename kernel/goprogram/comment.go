package goprogram

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// item matches the start of a list item or quotation. When such an item is wrapped, its further lines are
// indented.
var item = regexp.MustCompile(`^\s*([-*+]|[0-9]+[.)])\s+|^\s*>\s+`)

// verbatim matches lines that are not wrapped: tables, headings, HTML, formulas.
var verbatim = regexp.MustCompile(`^\s*(\||#|<|\$\$)|\$\$\s*$`)

// clean removes characters that Go comments cannot contain.
var clean = strings.NewReplacer("\r", "", "\x00", "", "\ufeff", "", "\t", "    ")

// comment returns Markdown as a comment. Its lines have at most the given width, in characters. Lines without blanks,
// and lines that must not be wrapped, may be longer. Each line ends with a newline.
func comment(text string, width int) string {
	var out strings.Builder
	write := func(l string) {
		if strings.HasPrefix(strings.TrimLeft(l, " "), "+build") {
			l = `\` + l // Markdown escapes this character too; the go command would read the line as a build constraint
		}
		out.WriteString(strings.TrimRight("// "+l, " \t") + "\n")
	}
	fenced := false
	text = strings.TrimSpace(clean.Replace(text))
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimRight(l, " ")
		fence := strings.HasPrefix(strings.TrimSpace(l), "```")
		if fence {
			fenced = !fenced
		}
		if fence || fenced || verbatim.MatchString(l) || strings.HasPrefix(l, "    ") {
			write(l)
			continue
		}
		indent := ""
		if m := item.FindString(l); m != "" {
			indent = strings.Repeat(" ", utf8.RuneCountInString(m))
		}
		for _, w := range wrap(l, width-3, indent) {
			write(w)
		}
	}
	return out.String()
}

// wrap breaks a line at blanks into lines of at most the given width, in characters. All lines but the first begin with
// the given indent.
func wrap(l string, width int, indent string) (lines []string) {
	start := l[:len(l)-len(strings.TrimLeft(l, " "))]
	line, n := "", 0
	for _, word := range strings.Fields(l) {
		w := utf8.RuneCountInString(word)
		switch {
		case line == "" && len(lines) == 0:
			line = start + word
		case line == "":
			line = indent + word
		case n+1+w > width:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
		n = utf8.RuneCountInString(line)
	}
	return append(lines, line)
}
