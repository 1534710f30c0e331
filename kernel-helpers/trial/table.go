package trial

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"overcomplete/kernel-helpers/internal/latex"
)

// Higher declares for which measurements a higher mean is better. For these measurements, tables show the best mean in
// bold, and a p-value beside each of the other means. For measurements that neither Higher nor Lower names, tables show
// the means without bold and p-values.
func (t *Table) Higher(measures ...string) *Table { return t.judge(1, measures) }

// Lower declares for which measurements a lower mean is better; see Higher.
func (t *Table) Lower(measures ...string) *Table { return t.judge(-1, measures) }

func (t *Table) judge(sign int, measures []string) *Table {
	if t.better == nil {
		t.better = map[string]int{}
	}
	for _, m := range measures {
		t.index(m)
		t.better[m] = sign
	}
	return t
}

// index returns the index of a measurement in Measures. It panics if no trial has made this measurement.
func (t *Table) index(measure string) int {
	m := slices.Index(t.Measures, measure)
	if m < 0 {
		panic(fmt.Sprintf("trial: no trial measured %q; there are %q", measure, t.Measures))
	}
	return m
}

// present returns the values that are not NaN.
func present(v []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(v), math.IsNaN)
}

// Mean returns the mean of a measurement over the seeds, for each setting. Missing values are left out.
func (t *Table) Mean(measure string) []float64 {
	var out []float64
	for _, v := range t.Values[t.index(measure)] {
		out = append(out, stat.Mean(present(v), nil))
	}
	return out
}

// SD returns, for each setting, the standard deviation of a measurement over the seeds, with the divisor n − 1 for n
// values. Missing values are left out. The standard deviation is NaN if fewer than two values remain.
func (t *Table) SD(measure string) []float64 {
	var out []float64
	for _, v := range t.Values[t.index(measure)] {
		out = append(out, stat.StdDev(present(v), nil))
	}
	return out
}

// Best returns the index in t.Cases of the setting with the best mean. It returns −1 if neither Higher nor Lower named
// the measurement, or if there is no mean. Ties go to the first setting.
func (t *Table) Best(measure string) int {
	best, sign := -1, float64(t.better[measure])
	mean := t.Mean(measure)
	for i, v := range mean {
		if sign != 0 && !math.IsNaN(v) && (best < 0 || sign*v > sign*mean[best]) {
			best = i
		}
	}
	return best
}

// A Comparison compares a measurement of two settings, over the seeds with which both have been measured.
type Comparison struct {
	N        int     // seeds
	Mean, SD float64 // of the differences, the first setting's value minus the second's
	T        float64 // Mean/(SD/√N)
	// P is the two-sided p-value of Student's paired test with N − 1 degrees of freedom. T and P are NaN if N is
	// below 2 or all differences are 0.
	P float64
}

// Compare compares two settings by the values of one measurement. measure is its name, and a and b are the settings'
// indices in t.Cases.
func (t *Table) Compare(measure string, a, b int) Comparison {
	m := t.index(measure)
	if n := len(t.Cases); a < 0 || b < 0 || a >= n || b >= n {
		panic(fmt.Sprintf("trial: Compare: settings %d and %d of %d", a, b, n))
	}
	var d []float64
	for j, v := range t.Values[m][a] {
		if w := t.Values[m][b][j]; !math.IsNaN(v - w) {
			d = append(d, v-w)
		}
	}
	c := Comparison{N: len(d), Mean: stat.Mean(d, nil), SD: stat.StdDev(d, nil), T: math.NaN(), P: math.NaN()}
	if c.N >= 2 && (c.SD > 0 || c.Mean != 0) {
		c.T = c.Mean / (c.SD / math.Sqrt(float64(c.N)))
		c.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(c.N - 1)}.Survival(math.Abs(c.T))
	}
	return c
}

// Frame returns the measurements as a data frame, with a row for each setting and seed.
func (t *Table) Frame() dataframe.DataFrame {
	var settings []string
	var seeds []int
	for _, s := range t.Cases {
		for _, seed := range t.Seeds {
			settings, seeds = append(settings, fmt.Sprint(s)), append(seeds, int(seed))
		}
	}
	columns := []series.Series{series.New(settings, series.String, "setting"), series.New(seeds, series.Int, "seed")}
	for m, name := range t.Measures {
		columns = append(columns, series.New(slices.Concat(t.Values[m]...), series.Float, name))
	}
	return dataframe.New(columns...)
}

// A cellText is the text of a cell of a table.
type cellText struct {
	text string
	bold bool
}

// cells returns the cells of the table: the column headings, and a row for each setting.
func (t *Table) cells() (head []string, rows [][]cellText) {
	head = []string{"setting"}
	rows = make([][]cellText, len(t.Cases))
	for i, s := range t.Cases {
		rows[i] = []cellText{{text: fmt.Sprint(s)}}
	}
	for _, name := range t.Measures {
		mean, sd, best := t.Mean(name), t.SD(name), t.Best(name)
		digits := decimals(mean, sd)
		head = append(head, name)
		if best >= 0 {
			head = append(head, "p")
		}
		for i := range rows {
			text := fmt.Sprintf("%.*f ± %.*f", digits, mean[i], digits, sd[i])
			if math.IsNaN(sd[i]) {
				text = fmt.Sprintf("%.*f", digits, mean[i])
			}
			rows[i] = append(rows[i], cellText{strings.ReplaceAll(text, "-", "−"), i == best})
			if best < 0 {
				continue
			}
			p := ""
			if i != best {
				switch c := t.Compare(name, i, best); {
				case math.IsNaN(c.P):
					p = "–"
				case c.P < 1e-4:
					p = "< 0.0001"
				default:
					p = fmt.Sprintf("%.2g", c.P)
				}
			}
			rows[i] = append(rows[i], cellText{text: p})
		}
	}
	return head, rows
}

// decimals returns the number of decimal places that a table uses for the means and standard deviations of a
// measurement: enough for two significant digits of the smallest standard deviation above 0, or, if there is none, for
// three significant digits of the smallest mean, but at most six.
func decimals(mean, sd []float64) int {
	least := math.Inf(1)
	for _, s := range sd {
		if s > 0 {
			least = math.Min(least, s/10)
		}
	}
	if math.IsInf(least, 1) {
		for _, m := range mean {
			if m = math.Abs(m); m > 0 && !math.IsInf(m, 0) {
				least = math.Min(least, m/100)
			}
		}
	}
	if math.IsInf(least, 1) {
		return 2
	}
	return int(math.Max(0, math.Min(6, -math.Floor(math.Log10(least)))))
}

// note returns the text below the table, which says how to read it.
func (t *Table) note() string {
	s := fmt.Sprintf("Mean ± standard deviation over %d seeds", len(t.Seeds))
	if len(t.better) > 0 {
		s += "; p of Student's paired test against the best, in bold"
	}
	return s + "."
}

// String returns the table as aligned text.
func (t *Table) String() string {
	head, rows := t.cells()
	width := make([]int, len(head))
	lines := [][]string{head}
	for _, row := range rows {
		var line []string
		for _, c := range row {
			s := c.text
			if c.bold {
				s += " *"
			}
			line = append(line, s)
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		for k, s := range line {
			width[k] = max(width[k], len([]rune(s)))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		for k, s := range line {
			if k > 0 {
				b.WriteString("  ")
			}
			b.WriteString(s)
			if k < len(line)-1 {
				b.WriteString(strings.Repeat(" ", width[k]-len([]rune(s))))
			}
		}
		b.WriteByte('\n')
	}
	return b.String() + strings.Replace(t.note(), "in bold", "with *", 1)
}

// Markdown returns the table as Markdown.
func (t *Table) Markdown() string {
	head, rows := t.cells()
	escape := strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "\n", " ")
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	for k := range head {
		head[k] = escape.Replace(head[k])
	}
	line(head)
	line(append([]string{"---"}, slices.Repeat([]string{"---:"}, len(head)-1)...))
	for _, row := range rows {
		var cells []string
		for _, c := range row {
			s := escape.Replace(c.text)
			if c.bold {
				s = "**" + s + "**"
			}
			cells = append(cells, s)
		}
		line(cells)
	}
	return b.String() + "\n" + t.note() + "\n"
}

// HTML returns the table as HTML.
func (t *Table) HTML() string {
	head, rows := t.cells()
	var b strings.Builder
	b.WriteString("<table>\n<thead><tr>")
	for _, s := range head {
		b.WriteString("<th>" + html.EscapeString(s) + "</th>")
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range rows {
		b.WriteString("<tr>")
		for _, c := range row {
			s := html.EscapeString(c.text)
			if c.bold {
				s = "<b>" + s + "</b>"
			}
			b.WriteString("<td>" + s + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	return b.String() + "</tbody>\n<caption style=\"caption-side:bottom\">" + html.EscapeString(t.note()) + "</caption>\n</table>"
}

// Tabular returns the table as a tabular environment of LaTeX, with the lines of package booktabs.
func (t *Table) Tabular() string {
	head, rows := t.cells()
	for k := range head {
		head[k] = latex.Escape(head[k])
	}
	body := make([][]string, len(rows))
	for i, row := range rows {
		for _, c := range row {
			s := latex.Escape(c.text)
			if c.bold {
				s = `\textbf{` + s + "}"
			}
			body[i] = append(body[i], s)
		}
	}
	return latex.Tabular("l"+strings.Repeat("r", len(head)-1), head, body)
}
