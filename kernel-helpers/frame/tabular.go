package frame

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/kernel-helpers/internal/latex"
)

// Tabular returns df as a LaTeX tabular environment, with the rules of the booktabs package, and with a dash where a
// value is missing. digits is the number of significant digits of floats; 0 means 4. To convert a slice of structs to
// a frame, use dataframe.LoadStructs.
func Tabular(df dataframe.DataFrame, digits int) (string, error) {
	columns, err := read("Tabular", df, nil, anyType)
	if err != nil {
		return "", err
	}
	switch {
	case digits < 0:
		return "", fmt.Errorf("frame: Tabular: digits is %d", digits)
	case digits == 0:
		digits = 4
	}
	align, head, rows := "", []string(nil), make([][]string, df.Nrow())
	for _, c := range columns {
		head = append(head, latex.Escape(c.name))
		if c.text != nil {
			align += "l"
		} else {
			align += "r"
		}
		for i := range rows {
			cell := "--"
			switch {
			case c.missing[i]:
			case c.text != nil:
				cell = latex.Escape(c.text[i])
			case c.series.Type() == series.Float:
				cell = number(c.x[i], digits)
			default:
				cell = strings.Replace(c.series.Elem(i).String(), "-", "$-$", 1)
			}
			rows[i] = append(rows[i], cell)
		}
	}
	return latex.Tabular(align, head, rows), nil
}

// number returns x with the given number of significant digits, as LaTeX source.
func number(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'g', digits, 64)
	digitsOf, exponent, scientific := strings.Cut(s, "e")
	if e, err := strconv.Atoi(exponent); scientific && err == nil {
		if e >= 0 && e < 15 { // 123457 rather than 1.235e+05
			return strings.Replace(strconv.FormatFloat(x, 'f', 0, 64), "-", "$-$", 1)
		}
		return "$" + digitsOf + `\cdot 10^{` + strconv.Itoa(e) + "}$"
	}
	switch s {
	case "+Inf":
		return `$\infty$`
	case "-Inf":
		return `$-\infty$`
	}
	return strings.Replace(s, "-", "$-$", 1)
}
