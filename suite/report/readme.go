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

// What stands between these lines of README.md is written by UpdateReadme.
const (
	boardBegins = "<!-- scoreboard: written by 'overcomplete report --readme' -->\n"
	boardEnds   = "<!-- end of the scoreboard -->\n"
)

// UpdateReadme writes the scoreboard into README.md of the project, and reports
// whether that changed the file.
func UpdateReadme(root string) (changed bool, err error) {
	path := filepath.Join(root, "README.md")
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
		return false, fmt.Errorf("report: %s has no place for the scoreboard, between the lines\n%s%s", path, boardBegins, boardEnds)
	}
	text := head + boardBegins + "\n" + Readme(root) + "\n" + boardEnds + tail
	if text == string(b) {
		return false, nil
	}
	if err := atomicfile.Write(path, []byte(text), 0o644); err != nil {
		return false, fmt.Errorf("report: %w", err)
	}
	return true, nil
}

// Readme returns the scoreboard in GitHub's Markdown for a file in root, a line for each
// paper. It uses the record alone, so the text is the same wherever the same record is
// committed.
func Readme(root string) string {
	var b strings.Builder
	b.WriteString("| paper | reproduced | partial | false as stated | not reached | differs | no data | not counted | own checks | size | data |\n|---|--:|--:|--:|--:|--:|--:|---|--:|---|---|\n")
	protocols, err := record.Protocols(root)
	if err != nil {
		return fmt.Sprintf("The protocols cannot be read: %s\n", markdown(strings.ReplaceAll(err.Error(), root+string(filepath.Separator), "")))
	}
	var all tally
	for _, s := range record.ScoreboardIn(root).Scores {
		if s.Which != "record" {
			continue
		}
		res, err := record.Read(filepath.Join(root, "figures", s.Paper, record.FileName))
		if err != nil {
			fmt.Fprintf(&b, "| %s | | | | | | | | | | the record cannot be read |\n", s.Paper)
			continue
		}
		t := count(protocols[s.Paper], res.Rows)
		all = all.plus(t)
		title := s.Paper
		file := "notebooks/" + s.Paper + ".ipynb"
		if nb, err := notebook.Read(filepath.Join(root, filepath.FromSlash(file))); err == nil {
			p := paper{name: s.Paper, notebook: nb}
			title = fmt.Sprintf("[%s](%s)", markdown(plainHeading(p.title())), file)
		} else if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err == nil {
			title = fmt.Sprintf("[%s](%s)", s.Paper, file)
		}
		readmeLine(&b, title, res.Size, t)
	}
	if all.All == 0 {
		return b.String()
	}
	readmeLine(&b, "**all**", "", all)
	if s := all.Changes(); s != "" {
		fmt.Fprintf(&b, "\n%s; the report shows each with its history and the reason ([protocol](paper/PROTOCOL.md)).\n", s)
	}
	return b.String()
}

func readmeLine(b *strings.Builder, title, size string, t tally) {
	c := t.Claims
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d | %s | %s | %s | %s |\n", title, c.Reproduced, c.Partial, t.False, t.Unreached, t.Differs, c.NoData, t.Uncounted(), t.Checks(), size, t.On())
}

var markdownSigns = strings.NewReplacer(`\`, `\\`, "|", `\|`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "\\`", "$", `\$`, "\n", " ")

// markdown escapes a text for a cell of a table.
func markdown(s string) string { return markdownSigns.Replace(s) }
