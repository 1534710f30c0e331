package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/inside"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// The lines of README.md and paper/README.md between which UpdateReadme writes.
const (
	boardBegins = "<!-- scoreboard: written by 'overcomplete report --readme' -->\n"
	boardEnds   = "<!-- end of the scoreboard -->\n"
)

// boards lists the files with a scoreboard, each with the function that writes its text.
var boards = []struct {
	file string
	text func(root string) string
}{
	{"README.md", Line},
	{"paper/README.md", Table},
}

// UpdateReadme writes the scoreboard into the project's README.md, as one line, and into paper/README.md,
// with a line for each paper. It reports whether a file changed. If one of the files has no place for the
// scoreboard, neither is changed.
func UpdateReadme(root string) (changed bool, err error) {
	texts := make([]string, len(boards)) // "" if the file does not change
	for i, board := range boards {
		path := filepath.Join(root, filepath.FromSlash(board.file))
		if err := inside.Check(root, path); err != nil {
			return false, fmt.Errorf("report: %w", err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return false, fmt.Errorf("report: %w", err)
		}
		head, rest, ok := strings.Cut(string(b), boardBegins)
		_, tail, ok2 := strings.Cut(rest, boardEnds)
		if !ok || !ok2 {
			return false, fmt.Errorf("report: %s has no place for the scoreboard; it needs the lines\n%s%s", path, boardBegins, boardEnds)
		}
		if text := head + boardBegins + "\n" + board.text(root) + "\n" + boardEnds + tail; text != string(b) {
			texts[i] = text
		}
	}
	for i, text := range texts {
		if text == "" {
			continue
		}
		if err := atomicfile.Write(filepath.Join(root, filepath.FromSlash(boards[i].file)), []byte(text), 0o644); err != nil {
			return changed, fmt.Errorf("report: %w", err)
		}
		changed = true
	}
	return changed, nil
}

// Line returns the scoreboard of all papers as a line of Markdown. Its link is relative to the project's root. Like
// Table, it uses only the record.
func Line(root string) string {
	_, all, unread, err := tallies(root)
	switch {
	case err != nil:
		return unreadable(root, err)
	case all.All == 0 && unread == 0:
		return "There is no record yet.\n"
	}
	// The first number is what a skeptical reader asks for. The number of all claims also counts identities and toy
	// examples.
	c := all.Claims
	text := ""
	if n := all.Numbers; n.Total() > n.NoData {
		text = fmt.Sprintf("**%d of %d published numbers on real data are reproduced**, %d partly (%d more lack data). ", n.Reproduced, n.Total()-n.NoData, n.Partial, n.NoData)
	}
	text += fmt.Sprintf("Of %d claims, %d are reproduced, %d partly; %d are false as stated, %d do not reproduce, %d lack data",
		c.Total(), c.Reproduced, c.Partial, all.False, c.Total()-c.Reproduced-c.Partial-all.False-c.NoData, c.NoData)
	if all.Own.Total() > 0 {
		text += fmt.Sprintf(". Of our own checks, %s", all.Checks())
	}
	if unread > 0 {
		text += fmt.Sprintf("; records that cannot be read: %d", unread)
	}
	return text + ". [Paper by paper](paper/README.md#the-scoreboard).\n"
}

// A paperScore is the score of one paper in the record.
type paperScore struct {
	paper string
	size  string
	tally tally
	err   error // reading the record failed
}

// tallies returns the tallies of all papers in the record, their total, and the number of unreadable records.
func tallies(root string) (papers []paperScore, all tally, unread int, err error) {
	protocols, err := record.Protocols(root)
	if err != nil {
		return nil, tally{}, 0, err
	}
	for _, s := range record.ScoreboardIn(root).Scores {
		if s.Which != "record" {
			continue
		}
		p := paperScore{paper: s.Paper}
		res, err := record.Read(filepath.Join(root, "figures", s.Paper, record.FileName))
		if err != nil {
			p.err = err
			unread++
		} else {
			p.size, p.tally = res.Size, count(protocols[s.Paper], res.Rows)
			all = all.plus(p.tally)
		}
		papers = append(papers, p)
	}
	return papers, all, unread, nil
}

// unreadable returns an error message about unreadable protocols.
func unreadable(root string, err error) string {
	return fmt.Sprintf("Cannot read the protocols: %s\n", markdown(strings.ReplaceAll(err.Error(), root+string(filepath.Separator), "")))
}

// Table returns the scoreboard as a table in GitHub's Markdown, with a line for each paper. Its links are relative
// to the folder root/paper. It uses only the record, so the same record gives the same text on every machine.
func Table(root string) string {
	papers, all, _, err := tallies(root)
	if err != nil {
		return unreadable(root, err)
	}
	var b strings.Builder
	b.WriteString("| paper | numbers on real data | reproduced | partial | false as stated | not reached | differs | no data | not counted | own checks | size | data |\n|---|---|--:|--:|--:|--:|--:|--:|---|--:|---|---|\n")
	for _, s := range papers {
		if s.err != nil {
			fmt.Fprintf(&b, "| %s | | | | | | | | | | | the record cannot be read |\n", s.paper)
			continue
		}
		title := s.paper
		file := "notebooks/" + s.paper + ".ipynb"
		if nb, err := notebook.Read(filepath.Join(root, filepath.FromSlash(file))); err == nil {
			p := paper{name: s.paper, notebook: nb}
			title = fmt.Sprintf("[%s](../%s)", markdown(plainHeading(p.title())), file)
		} else if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err == nil {
			title = fmt.Sprintf("[%s](../%s)", s.paper, file)
		}
		tableLine(&b, title, s.size, s.tally)
	}
	if all.All == 0 {
		return b.String()
	}
	tableLine(&b, "**all**", "", all)
	var about []string
	for _, part := range []struct {
		what string
		n    record.Counts
	}{
		{"published **numbers on real data**", all.Numbers}, {"**sentences about real data**", all.Sentences},
		{"claims about **generated data, examples made by hand, or identities**", all.Others},
	} {
		if part.n.Total() > 0 {
			about = append(about, "of "+part.what+" "+share(part.n))
		}
	}
	if len(about) > 0 {
		fmt.Fprintf(&b, "\nWhat the claims are about: %s.\n", strings.Join(about, "; "))
	}
	if all.Later > 0 {
		fmt.Fprintf(&b, "\nIn %d rows, the recipe was chosen after another recipe had been evaluated on the same test data. The report marks these rows.\n", all.Later)
	}
	if s := all.Changes(); s != "" {
		fmt.Fprintf(&b, "\n%s; the report shows each with its history and the reason ([protocol](PROTOCOL.md)).\n", s)
	}
	return b.String()
}

// share says how many of the claims that could be examined are reproduced, and how many claims could not be examined.
func share(c record.Counts) string {
	s := fmt.Sprintf("%d of %d are reproduced and %d partly", c.Reproduced, c.Total()-c.NoData, c.Partial)
	if c.NoData > 0 {
		s += fmt.Sprintf(" (%d more have no data)", c.NoData)
	}
	return s
}

func tableLine(b *strings.Builder, title, size string, t tally) {
	c := t.Claims
	numbers := "none"
	if n := t.Numbers; n.Total() > n.NoData {
		numbers = fmt.Sprintf("%d of %d", n.Reproduced, n.Total()-n.NoData)
	}
	fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %d | %d | %d | %s | %s | %s | %s |\n", title, numbers, c.Reproduced, c.Partial, t.False, t.Unreached, t.Differs, c.NoData, t.Uncounted(), t.Checks(), size, t.On())
}

var markdownSigns = strings.NewReplacer(`\`, `\\`, "|", `\|`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "\\`", "$", `\$`, "\n", " ")

// markdown escapes a string for a cell of a table.
func markdown(s string) string { return markdownSigns.Replace(s) }
