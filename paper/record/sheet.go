package record

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Sheet shows rows in the layout of the published table. Each cell shows the measured value, the published
// value, and the verdict as a color.
type Sheet struct {
	Title   string
	Corner  string // header above the names of the lines
	Columns []string
	Lines   []string
	Cells   [][]Row // lines × columns; a zero Row is an empty cell
	// StandIn holds values measured on other data, for cells without a measured value. It has lines × columns elements,
	// with "" for cells without a stand-in; without any stand-ins it may be nil. Stand-ins are marked as such and never
	// judged. See Instead.
	StandIn [][]string
	// StandInOf describes the stand-ins: "measured on generated digits".
	StandInOf string
	// Note is printed below the sheet.
	Note string
}

// Lay returns a sheet of rows laid out by their IDs: ids[i][j] is the ID of the row for line i and column j, or "" for
// an empty cell. Lay panics if ids contains an ID that no row has.
func Lay(title, corner string, columns, lines []string, ids [][]string, rows []Row) Sheet {
	byID := map[string]Row{}
	for _, r := range rows {
		byID[r.ID] = r
	}
	s := Sheet{Title: title, Corner: corner, Columns: columns, Lines: lines}
	for i := range lines {
		cells := make([]Row, len(columns))
		for j := range columns {
			id := ids[i][j]
			r, ok := byID[id]
			if !ok && id != "" {
				panic("record: Lay: there is no row " + id)
			}
			cells[j] = r
		}
		s.Cells = append(s.Cells, cells)
	}
	return s
}

// Instead sets a stand-in for the cell in the given line and column: the value x, measured on other data. It is shown
// if the cell's row has no measured value.
func (s *Sheet) Instead(line, column int, x float64) {
	if s.StandIn == nil {
		s.StandIn = make([][]string, len(s.Lines))
		for i := range s.StandIn {
			s.StandIn[i] = make([]string, len(s.Columns))
		}
	}
	s.StandIn[line][column] = formatNumber(x)
}

// standIn returns the stand-in to show in line i and column j, or "" if the cell was measured or has no stand-in.
func (s Sheet) standIn(i, j int) string {
	if r := s.Cells[i][j]; i >= len(s.StandIn) || j >= len(s.StandIn[i]) || r.Verdict != Unknown || r.Measured.Kind != KindNone {
		return ""
	}
	return s.StandIn[i][j]
}

// standInNote returns s.StandInOf, or "" if the sheet shows no stand-ins.
func (s Sheet) standInNote() string {
	for i := range s.Cells {
		for j := range s.Cells[i] {
			if s.standIn(i, j) != "" {
				return s.StandInOf
			}
		}
	}
	return ""
}

// brief returns the row's measured value in as few characters as possible.
func (r Row) brief() string {
	switch {
	case r.Measured.Kind == KindNone:
		return "–"
	case r.Measured.Kind == KindNumber:
		return formatNumber(r.Measured.Number)
	}
	return r.Measured.String()
}

func (r Row) briefPublished() string {
	if r.Published.Kind == KindNumber {
		return formatNumber(r.Published.Number)
	}
	return r.Published.String()
}

var mark = map[Verdict]string{Reproduced: "✓", Partial: "~", NotReproduced: "✗", Unknown: " "}

// rows returns the rows in all cells that are not empty.
func (s Sheet) rows() []Row {
	var out []Row
	for _, line := range s.Cells {
		for _, r := range line {
			if r.ID != "" {
				out = append(out, r)
			}
		}
	}
	return out
}

// String returns the sheet as aligned text. A cell shows the measured value, the published value in round brackets,
// and a mark for the verdict. A stand-in for the measured value is in square brackets.
func (s Sheet) String() string {
	table := [][]string{append([]string{s.Corner}, s.Columns...)}
	for i, name := range s.Lines {
		line := []string{name}
		for j, r := range s.Cells[i] {
			cell := ""
			if r.ID != "" {
				cell = r.brief()
				if other := s.standIn(i, j); other != "" {
					cell = "[" + other + "]"
				}
				if p := r.briefPublished(); p != "" {
					cell += " (" + p + ")"
				}
				cell += " " + mark[r.Verdict]
			}
			line = append(line, cell)
		}
		table = append(table, line)
	}
	width := make([]int, len(s.Columns)+1)
	for _, line := range table {
		for j, c := range line {
			width[j] = max(width[j], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	if s.Title != "" {
		fmt.Fprintf(&b, "%s\n\n", s.Title)
	}
	for _, line := range table {
		var l strings.Builder
		for j, c := range line {
			l.WriteString(c + strings.Repeat(" ", width[j]-utf8.RuneCountInString(c)+2))
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	fmt.Fprintf(&b, "\nmeasured (published); %s\n", summary(s.rows()))
	if note := s.standInNote(); note != "" {
		fmt.Fprintf(&b, "[in brackets]: %s\n", note)
	}
	if s.Note != "" {
		b.WriteString(s.Note + "\n")
	}
	return b.String()
}

// The tints work on white and on black backgrounds, and leave the text enough contrast.
var tint = map[Verdict]string{
	Reproduced: "rgba(46,160,67,.22)", Partial: "rgba(210,153,34,.26)", NotReproduced: "rgba(248,81,73,.24)", Unknown: "rgba(128,128,128,.12)",
}

// HTML returns the sheet for a notebook or a web page. Hovering over a cell shows its details.
func (s Sheet) HTML() string {
	esc := html.EscapeString
	var b strings.Builder
	b.WriteString(tableOpen)
	if s.Title != "" {
		fmt.Fprintf(&b, `<caption style="text-align:left;font-weight:600;padding:4px 10px">%s</caption>`, esc(s.Title))
	}
	fmt.Fprintf(&b, "<thead>%s<th%s>%s</th>", rowOpen, cellStyle, esc(s.Corner))
	for _, c := range s.Columns {
		fmt.Fprintf(&b, "<th%s>%s</th>", cellStyle, esc(c))
	}
	b.WriteString("</tr></thead><tbody>\n")
	for i, name := range s.Lines {
		fmt.Fprintf(&b, "%s<th%s>%s</th>", rowOpen, cellStyle, esc(name))
		for j, r := range s.Cells[i] {
			if r.ID == "" {
				fmt.Fprintf(&b, "<td%s></td>", cellStyle)
				continue
			}
			style := strings.TrimSuffix(cellStyle, `"`) + ";background:" + tint[r.Verdict] + `"`
			value := "<b>" + esc(r.brief()) + "</b>"
			if other := s.standIn(i, j); other != "" {
				value = `<i style="opacity:.65">` + esc(other) + "</i>"
			}
			if sign := strings.TrimSpace(mark[r.Verdict]); sign != "" { // for readers who cannot tell the tints apart
				value += `&nbsp;<span style="opacity:.75">` + sign + `</span>`
			}
			fmt.Fprintf(&b, `<td%s title="%s">%s`, style, esc(r.hover()), value)
			if p := r.briefPublished(); p != "" {
				fmt.Fprintf(&b, "%s%s</small>", small, esc(p))
			}
			b.WriteString("</td>")
		}
		b.WriteString("</tr>\n")
	}
	fmt.Fprintf(&b, `</tbody></table>
<p style="font-size:85%%">In each cell: measured above, published below. %s %s %s %s &nbsp;%s</p>
`, legend(Reproduced), legend(Partial), legend(NotReproduced), legend(Unknown), esc(summary(s.rows())))
	if note := s.standInNote(); note != "" {
		fmt.Fprintf(&b, "<p style=\"font-size:85%%\"><i style=\"opacity:.65\">In grey: %s</i></p>\n", esc(note))
	}
	if s.Note != "" {
		fmt.Fprintf(&b, "<p style=\"font-size:85%%\">%s</p>\n", esc(s.Note))
	}
	return b.String()
}

func legend(v Verdict) string {
	return `<span style="background:` + tint[v] + `;padding:1px 6px">` + strings.TrimSpace(mark[v]+" "+strings.ToLower(string(v))) + `</span>`
}

// hover returns the details that do not fit into a cell.
func (r Row) hover() string {
	s := []string{r.What, r.called(), "measured " + r.measured(), r.Rule.String(), r.SpreadOf, r.Reason, r.sizeAndData(), r.seeds()}
	if r.Published.Kind != KindNone {
		s = append(s, "published: "+r.published()+", "+r.Published.Source)
	}
	return strings.Join(nonEmpty(s...), " · ")
}

// Markdown returns the sheet as a table in GitHub Flavored Markdown.
func (s Sheet) Markdown() string {
	var b strings.Builder
	if s.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", md(s.Title))
	}
	fmt.Fprintf(&b, "| %s |", md(s.Corner))
	for _, c := range s.Columns {
		fmt.Fprintf(&b, " %s |", md(c))
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(s.Columns)+1) + "\n")
	for i, name := range s.Lines {
		fmt.Fprintf(&b, "| %s |", md(name))
		for j, r := range s.Cells[i] {
			if r.ID == "" {
				b.WriteString("  |")
				continue
			}
			value := "**" + md(r.brief()) + "**"
			if other := s.standIn(i, j); other != "" {
				value = "*" + md(other) + "*"
			}
			cell := square[r.Verdict] + " " + value
			if p := r.briefPublished(); p != "" {
				cell += " (" + md(p) + ")"
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nMeasured (published). %s\n", summary(s.rows()))
	if note := s.standInNote(); note != "" {
		fmt.Fprintf(&b, "\n*In italics: %s*\n", md(note))
	}
	if s.Note != "" {
		fmt.Fprintf(&b, "\n%s\n", md(s.Note))
	}
	return b.String()
}

// A Layout is a Sheet with row IDs in place of rows, as stored in results.json.
type Layout struct {
	Name      string     `json:"name"` // lower-case letters, digits, hyphens: "table2"
	Title     string     `json:"title,omitempty"`
	Corner    string     `json:"corner,omitempty"`
	Columns   []string   `json:"columns"`
	Lines     []string   `json:"lines"`
	IDs       [][]string `json:"ids"` // lines × columns, "" for an empty cell
	StandIn   [][]string `json:"stand_in,omitempty"`
	StandInOf string     `json:"stand_in_of,omitempty"`
	Note      string     `json:"note,omitempty"`
}

// Sheet adds a sheet to the results under a name, so that reports show the rows as the published table does. Rows that
// do not exist when the run ends become empty cells. Sheet panics if the name contains characters other than
// lower-case letters, digits and hyphens, or if the cells do not match the sheet's lines and columns.
func (r *Run) Sheet(name string, s Sheet) {
	l := Layout{Name: name, Title: s.Title, Corner: s.Corner, Columns: slices.Clone(s.Columns), Lines: slices.Clone(s.Lines),
		StandIn: s.StandIn, StandInOf: s.standInNote(), Note: s.Note}
	for _, line := range s.Cells {
		ids := make([]string, len(line))
		for j, row := range line {
			ids[j] = row.ID
		}
		l.IDs = append(l.IDs, ids)
	}
	if err := l.shape(); err != nil {
		panic(err.Error())
	}
	r.putSheet(l)
	tell(Event{Sheet: &l})
}

func (r *Run) putSheet(l Layout) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sheets = place(r.sheets, l, func(old Layout) bool { return old.Name == l.Name })
}

// shape returns an error if the layout's name is invalid or its cells do not match its lines and columns. It does not
// check whether the rows exist.
func (l Layout) shape() error {
	if !slug.MatchString(l.Name) {
		return fmt.Errorf("record: the sheet's name %q is not made of lower-case letters, digits and hyphens", l.Name)
	}
	for _, cells := range [][][]string{l.IDs, l.StandIn} {
		if cells == nil {
			continue
		}
		if len(cells) != len(l.Lines) {
			return fmt.Errorf("record: sheet %q has %d lines of cells for %d names", l.Name, len(cells), len(l.Lines))
		}
		for _, line := range cells {
			if len(line) != len(l.Columns) {
				return fmt.Errorf("record: sheet %q has a line of %d cells for %d columns", l.Name, len(line), len(l.Columns))
			}
		}
	}
	return nil
}

func (l Layout) validate(rows map[string]int) error {
	if err := l.shape(); err != nil {
		return err
	}
	for _, line := range l.IDs {
		for _, id := range line {
			if _, ok := rows[id]; id != "" && !ok {
				return fmt.Errorf("record: sheet %q has the row %q, which does not exist", l.Name, id)
			}
		}
	}
	return nil
}

// Sheet returns the rows of the results, arranged as in l.
func (r *Results) Sheet(l Layout) Sheet {
	s := Lay(l.Title, l.Corner, l.Columns, l.Lines, l.IDs, r.Rows)
	s.StandIn, s.StandInOf, s.Note = l.StandIn, l.StandInOf, l.Note
	return s
}
