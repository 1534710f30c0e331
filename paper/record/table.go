package record

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"
)

// A Table shows rows: String for a terminal, HTML for a notebook, Markdown for
// a repository's web page.
type Table struct {
	Title string
	Rows  []Row
	// Width is the width in characters of the text that String returns; 0 means 110.
	Width int
}

// Tabulate returns a table of rows.
func Tabulate(rows []Row) Table { return Table{Rows: rows} }

// Counts holds the number of rows for each verdict.
type Counts struct {
	Reproduced, Partial, NotReproduced, NoData int
}

// Total returns the number of rows.
func (c Counts) Total() int { return c.Reproduced + c.Partial + c.NotReproduced + c.NoData }

// hold returns how many of the measured checks hold, such as "3 of 5".
func (c Counts) hold() string { return fmt.Sprintf("%d of %d", c.Reproduced, c.Total()-c.NoData) }

// split separates the rows that examine a source's claims from the project's own checks, which say nothing
// about the source.
func split(rows []Row) (published, own []Row) {
	for _, r := range rows {
		if r.Published.Kind == KindNone {
			own = append(own, r)
		} else {
			published = append(published, r)
		}
	}
	return published, own
}

// summary describes the counts of verdicts, separately for published claims and for the project's own checks.
func summary(rows []Row) string {
	published, own := split(rows)
	if len(own) == 0 {
		return Count(published).String()
	}
	checks := "own checks: " + Count(own).hold() + " hold"
	if n := Count(own).NoData; n > 0 {
		checks += fmt.Sprintf(", %d without data", n)
	}
	if len(published) == 0 {
		return checks
	}
	return Count(published).String() + "; " + checks
}

// Count counts the verdicts of rows.
func Count(rows []Row) Counts {
	var c Counts
	for _, r := range rows {
		c.add(r.Verdict)
	}
	return c
}

func (c *Counts) add(v Verdict) {
	switch v {
	case Reproduced:
		c.Reproduced++
	case Partial:
		c.Partial++
	case NotReproduced:
		c.NotReproduced++
	default:
		c.NoData++
	}
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Reproduced + d.Reproduced, c.Partial + d.Partial, c.NotReproduced + d.NotReproduced, c.NoData + d.NoData}
}

// String returns the counts in words: "7 reproduced, 1 partial".
func (c Counts) String() string {
	var s []string
	for _, x := range []struct {
		n    int
		what string
	}{{c.Reproduced, "reproduced"}, {c.Partial, "partial"}, {c.NotReproduced, "not reproduced"}, {c.NoData, "without data"}} {
		if x.n > 0 {
			s = append(s, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	if len(s) == 0 {
		return "no rows"
	}
	return strings.Join(s, ", ")
}

// called returns the verdict in the form that tables show. For the project's own checks, which do not examine a
// source, this is "holds", "partly holds" or "fails", or NO DATA without a measurement.
func (r Row) called() string {
	if r.Published.Kind == KindNone {
		switch r.Verdict {
		case Reproduced:
			return "holds"
		case Partial:
			return "partly holds"
		case NotReproduced:
			return "fails"
		}
	}
	return string(r.Verdict)
}

func (r Row) published() string {
	s := r.Published.String()
	if s == "" {
		s = "(no value)"
	}
	return s
}

func (r Row) measured() string {
	s := r.Measured.String()
	if s == "" {
		return "(nothing)"
	}
	if r.Spread > 0 && r.Measured.Kind == KindNumber {
		s += " ± " + formatNumber(r.Spread)
	}
	return s
}

// sizeAndData returns the size and, if the row has data, a short description of the data.
func (r Row) sizeAndData() string {
	if r.Data.Name == "" {
		return r.Size
	}
	return r.Size + "; " + r.Data.String()
}

func (r Row) seeds() string {
	switch n := len(r.Seeds); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("seed %d", r.Seeds[0])
	case n <= 4:
		return "seeds " + strings.Trim(fmt.Sprint(r.Seeds), "[]")
	default:
		return fmt.Sprintf("%d seeds from %d", n, r.Seeds[0])
	}
}

// String returns the table as aligned text.
func (t Table) String() string { return t.text(false) }

// ANSI returns the text of String with the verdicts colored for a terminal.
func (t Table) ANSI() string { return t.text(true) }

func (t Table) text(colour bool) string {
	width := t.Width
	if width <= 0 {
		width = 110
	}
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "%s\n\n", t.Title)
	}
	// Columns: verdict, ID and what, published, measured. The last three columns divide the remaining width in the
	// ratio 2:1:1.
	const verdictWidth, gap = 14, 2
	rest := max(width-verdictWidth-3*gap, 40)
	w := []int{verdictWidth, rest / 2, rest / 4, rest - rest/2 - rest/4}
	line := func(cells [4][]string, verdict Verdict) {
		n := 0
		for _, c := range cells {
			n = max(n, len(c))
		}
		for i := range n {
			var l strings.Builder
			for j, c := range cells {
				s := ""
				if i < len(c) {
					s = c[i]
				}
				pad := strings.Repeat(" ", max(0, w[j]-utf8.RuneCountInString(s)))
				if j == 0 && colour && s != "" && verdict != "" {
					s = ansi[verdict] + s + "\x1b[0m"
				}
				l.WriteString(s + pad)
				if j < 3 {
					l.WriteString(strings.Repeat(" ", gap))
				}
			}
			b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
		}
	}
	line([4][]string{{"VERDICT"}, {"CLAIM"}, {"PUBLISHED"}, {"MEASURED"}}, "")
	b.WriteString(strings.Repeat("─", verdictWidth+rest+3*gap) + "\n")
	for _, r := range t.Rows {
		what := wrap(r.What, w[1])
		what = append(what, wrap(r.ID+" ("+strings.Join(nonEmpty(r.sizeAndData(), r.seeds()), "; ")+")", w[1])...)
		pub := wrap(r.published(), w[2])
		if r.Published.Source != "" {
			pub = append(pub, wrap("["+r.Published.Source+"]", w[2])...)
		}
		meas := wrap(r.measured(), w[3])
		if r.Rule.Kind != ruleHand && r.Rule.Kind != ruleNoData && r.Rule.Kind != ruleHolds {
			meas = append(meas, wrap("asked: "+r.Rule.String(), w[3])...)
		}
		line([4][]string{{r.called()}, what, pub, meas}, r.Verdict)
		if r.Reason != "" {
			for _, s := range wrap(r.Reason, rest+2*gap-2) {
				b.WriteString(strings.Repeat(" ", verdictWidth+gap) + "  " + s + "\n")
			}
		}
	}
	b.WriteString(strings.Repeat("─", verdictWidth+rest+3*gap) + "\n")
	fmt.Fprintf(&b, "%s\n", summary(t.Rows))
	return b.String()
}

func nonEmpty(s ...string) []string {
	var out []string
	for _, x := range s {
		if x != "" {
			out = append(out, x)
		}
	}
	return out
}

// wrap breaks s at spaces into lines of at most the given width, in runes. It cuts words that are longer than a line.
func wrap(s string, width int) []string {
	var lines []string
	cur, n := "", 0
	for _, word := range strings.Fields(s) {
		for {
			k := utf8.RuneCountInString(word)
			if n > 0 && n+1+k <= width {
				cur, n = cur+" "+word, n+1+k
				break
			}
			if n > 0 {
				lines, cur, n = append(lines, cur), "", 0
			}
			if k <= width {
				cur, n = word, k
				break
			}
			r := []rune(word)
			lines, word = append(lines, string(r[:width])), string(r[width:])
		}
	}
	if n > 0 {
		lines = append(lines, cur)
	}
	return lines
}

var ansi = map[Verdict]string{
	Reproduced: "\x1b[32m", Partial: "\x1b[33m", NotReproduced: "\x1b[31m", Unknown: "\x1b[2m",
}

// White text on each of these colors has a contrast of at least 4.5, so the badge is readable on
// any page.
var badge = map[Verdict]string{
	Reproduced: "#1a7f37", Partial: "#9a6700", NotReproduced: "#cf222e", Unknown: "#57606a",
}

func (r Row) badge() string {
	c, ok := badge[r.Verdict]
	if !ok {
		c = badge[Unknown]
	}
	return `<b style="background:` + c + `;color:#fff;padding:2px 6px;white-space:nowrap">` + html.EscapeString(r.called()) + `</b>`
}

const (
	tableOpen = `<table cellpadding="6" style="border-collapse:collapse;text-align:left;font-size:90%">`
	// Text and background have the page's own colors. The lines are a translucent gray that works on white and on
	// black. The style is in the cells themselves, because only that overrides the styles of front ends.
	rowOpen   = `<tr style="border-bottom:1px solid rgba(128,128,128,.4)">`
	cellStyle = ` style="text-align:left;vertical-align:top"`
	small     = `<br><small>`
)

// HTML returns the table for a notebook or a web page, in the page's colors,
// light or dark.
func (t Table) HTML() string {
	esc := html.EscapeString
	var b strings.Builder
	b.WriteString(tableOpen)
	if t.Title != "" {
		fmt.Fprintf(&b, `<caption style="text-align:left;font-weight:600;padding:4px 10px">%s</caption>`, esc(t.Title))
	}
	b.WriteString("<thead>" + rowOpen)
	for _, h := range []struct{ name, width string }{{"Verdict", "13%"}, {"Claim", "45%"}, {"Published", "24%"}, {"Measured", "18%"}} {
		fmt.Fprintf(&b, "<th%s width=\"%s\">%s</th>", cellStyle, h.width, h.name)
	}
	b.WriteString("</tr></thead><tbody>\n")
	for _, r := range t.Rows {
		fmt.Fprintf(&b, "%s<td%s>%s</td>", rowOpen, cellStyle, r.badge())
		fmt.Fprintf(&b, "<td%s>%s%s<code>%s</code> · %s</small>", cellStyle, esc(r.What), small, esc(r.ID),
			esc(strings.Join(nonEmpty(r.sizeAndData(), r.seeds()), " · ")))
		if r.Reason != "" {
			fmt.Fprintf(&b, "<br><em>%s</em>", esc(r.Reason))
		}
		fmt.Fprintf(&b, "</td><td%s>%s", cellStyle, esc(r.published()))
		if r.Published.Source != "" {
			fmt.Fprintf(&b, "%s%s</small>", small, esc(r.Published.Source))
		}
		fmt.Fprintf(&b, "</td><td%s>", cellStyle)
		if r.SpreadOf != "" {
			fmt.Fprintf(&b, `<span title="%s">%s</span>`, esc("± is the "+r.SpreadOf), esc(r.measured()))
		} else {
			b.WriteString(esc(r.measured()))
		}
		fmt.Fprintf(&b, "%s%s</small></td></tr>\n", small, esc(r.Rule.String()))
	}
	fmt.Fprintf(&b, "</tbody></table>\n<p>%s</p>\n", esc(summary(t.Rows)))
	return b.String()
}

var square = map[Verdict]string{Reproduced: "🟩", Partial: "🟨", NotReproduced: "🟥", Unknown: "⬜"}

// Markdown returns the table in GitHub Flavored Markdown.
func (t Table) Markdown() string {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", md(t.Title))
	}
	b.WriteString("| Verdict | Claim | Published | Measured | On |\n|---|---|---|---|---|\n")
	for _, r := range t.Rows {
		claim := md(r.What)
		if r.Reason != "" {
			claim += "<br>*" + md(r.Reason) + "*"
		}
		pub := md(r.published())
		if r.Published.Source != "" {
			pub += "<br>(" + md(r.Published.Source) + ")"
		}
		fmt.Fprintf(&b, "| %s %s | %s | %s | %s<br>(%s) | %s |\n", square[r.Verdict], r.called(), claim, pub,
			md(r.measured()), md(r.Rule.String()), md(r.sizeAndData()))
	}
	fmt.Fprintf(&b, "\n%s\n", summary(t.Rows))
	return b.String()
}

var mdEscape = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\r", " ", "\n", " ", "<", "&lt;", ">", "&gt;",
	"*", `\*`, "_", `\_`, "`", "\\`", "$", `\$`)

func md(s string) string { return mdEscape.Replace(s) }

// A Score summarizes the results of one paper, either of its record or of its last run.
type Score struct {
	Paper string
	Which string // "record" or "this run"
	Size  string
	Tally        // according to the paper's protocol
	Real  int    // number of rows measured on real data
	All   int    // number of rows
	Err   string // why the results could not be read; otherwise empty
}

// A Board holds the scores of all papers, sorted by paper. For each paper, the record comes before the last run.
type Board struct{ Scores []Score }

// Scoreboard reads the record and the last run of every paper in the project that contains the working
// directory. For an unreadable file it returns a score with Err, so that one bad file does not hide the other
// papers.
func Scoreboard() (Board, error) {
	root, err := Root()
	if err != nil {
		return Board{}, err
	}
	return ScoreboardIn(root), nil
}

// ScoreboardIn is like Scoreboard, but takes the project's root as an argument.
func ScoreboardIn(root string) Board {
	var board Board
	protocols, unread := Protocols(root)
	add := func(which, pattern string) {
		paths, _ := filepath.Glob(filepath.Join(root, "figures", pattern, FileName)) // a constant pattern is never malformed
		for _, p := range paths {
			paper := filepath.Base(filepath.Dir(p))
			if checkPaper(paper) != nil {
				continue
			}
			s := Score{Paper: paper, Which: which}
			if res, err := Read(p); err != nil {
				s.Err = err.Error()
			} else {
				s.Size, s.Tally = res.Size, protocols[paper].Tally(res.Rows)
				if unread != nil && protocols[paper] == nil { // the unreadable protocol may be this paper's
					s.Err = unread.Error()
				}
				s.All = len(res.Rows)
				for _, r := range res.Rows {
					if r.Data.IsReal() && r.Verdict != Unknown {
						s.Real++
					}
				}
			}
			board.Scores = append(board.Scores, s)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "figures")); err != nil {
		return board
	}
	add("record", "*")
	add("this run", filepath.Join("run", "*"))
	sort.SliceStable(board.Scores, func(i, j int) bool {
		a, b := board.Scores[i], board.Scores[j]
		if a.Paper != b.Paper {
			return a.Paper < b.Paper
		}
		return a.Which < b.Which // "record" < "this run"
	})
	return board
}

var boardHead = []string{"Paper", "Results", "Size", "Reproduced", "Partial", "False as stated", "Not reached", "Differs", "No data", "Own checks hold", "Changed", "On real data"}

func (s Score) cells() []string {
	if s.Err != "" {
		return []string{s.Paper, s.Which, s.Err}
	}
	c := s.Claims
	out := []string{s.Paper, s.Which, s.Size}
	for _, n := range []int{c.Reproduced, c.Partial, s.False, s.Unreached, s.Differs, c.NoData} {
		out = append(out, fmt.Sprint(n))
	}
	return append(out, s.Own.hold(), fmt.Sprint(s.Verdicts), fmt.Sprintf("%d of %d", s.Real, s.All))
}

// String returns the board as aligned text.
func (b Board) String() string {
	if len(b.Scores) == 0 {
		return "no results yet\n"
	}
	rows := [][]string{boardHead}
	for _, s := range b.Scores {
		rows = append(rows, s.cells())
	}
	w := make([]int, len(boardHead))
	for _, r := range rows {
		for i, c := range r {
			if len(r) == len(boardHead) || i < 2 {
				w[i] = max(w[i], utf8.RuneCountInString(c))
			}
		}
	}
	var out strings.Builder
	for k, r := range rows {
		var l strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", max(0, w[i]-utf8.RuneCountInString(c)))
			if i >= 3 {
				l.WriteString(pad + c + "  ")
			} else {
				l.WriteString(c + pad + "  ")
			}
		}
		out.WriteString(strings.TrimRight(l.String(), " ") + "\n")
		if k == 0 {
			n := 0
			for _, x := range w {
				n += x + 2
			}
			out.WriteString(strings.Repeat("─", n-2) + "\n")
		}
	}
	return out.String()
}

// HTML returns the board for a notebook or a web page.
func (b Board) HTML() string {
	var out strings.Builder
	out.WriteString(tableOpen + "<thead><tr>")
	for _, h := range boardHead {
		fmt.Fprintf(&out, "<th%s>%s</th>", cellStyle, h)
	}
	out.WriteString("</tr></thead><tbody>\n")
	for _, s := range b.Scores {
		out.WriteString("<tr>")
		for i, c := range s.cells() {
			if s.Err != "" && i == 2 {
				fmt.Fprintf(&out, `<td%s colspan="%d">%s</td>`, cellStyle, len(boardHead)-2, html.EscapeString(c))
				continue
			}
			fmt.Fprintf(&out, "<td%s>%s</td>", cellStyle, html.EscapeString(c))
		}
		out.WriteString("</tr>\n")
	}
	out.WriteString("</tbody></table>\n")
	return out.String()
}

// Markdown returns the board as a table in GitHub Flavored Markdown.
func (b Board) Markdown() string {
	var out strings.Builder
	out.WriteString("| " + strings.Join(boardHead, " | ") + " |\n|---|---|---" + strings.Repeat("|--:", len(boardHead)-3) + "|\n")
	for _, s := range b.Scores {
		cells := s.cells()
		for i := range cells {
			cells[i] = md(cells[i])
		}
		for len(cells) < len(boardHead) {
			cells = append(cells, "")
		}
		out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return out.String()
}
