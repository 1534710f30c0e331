// Package latex writes tables for LaTeX.
package latex

import "strings"

var escape = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "<", "$<$", ">", "$>$", "^", `\textasciicircum{}`,
	"±", `$\pm$`, "²", "$^2$", "−", "$-$", "–", "--", "\n", " ")

// Escape returns text as LaTeX source.
func Escape(text string) string { return escape.Replace(text) }

// Tabular returns a LaTeX tabular environment with the rules of the LaTeX package booktabs. columns gives the
// alignment of each column, such as "lrr". All cells are given as LaTeX source.
func Tabular(columns string, head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + ` \\` + "\n") }
	b.WriteString(`\begin{tabular}{` + columns + "}\n\\toprule\n")
	line(head)
	b.WriteString("\\midrule\n")
	for _, row := range rows {
		line(row)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.String()
}
