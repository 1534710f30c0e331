package grade

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what made-up submissions are worth to "+table)

// table is the documentation page that shows lecturers the results of made-up submissions.
const table = "../../docs/grading.md"

const begin, finish = "<!-- submissions -->\n", "<!-- /submissions -->\n"

// amounts matches amounts of memory, which differ between machines.
var amounts = regexp.MustCompile(`[0-9.]+ [KMG]iB`)

// row returns a line of the page's table.
func row(what string, l Line) string {
	text := amounts.ReplaceAllString(l.Text(), "... MiB")
	missing := 0
	for _, r := range l.Reasons {
		if strings.Contains(r, "there is no function") {
			missing++
		}
	}
	if missing > 2 {
		var rest []string
		for _, r := range l.Reasons {
			if !strings.Contains(r, "there is no function") {
				rest = append(rest, r)
			}
		}
		text = strings.Join(append([]string{fmt.Sprintf("%d times “there is no function ...”", missing)}, rest...), "; ")
	}
	if r := []rune(text); len(r) > 260 {
		text = string(r[:260]) + " ..."
	}
	return fmt.Sprintf("| %s | %g | %s |\n", what, l.Points, strings.ReplaceAll(text, "|", "\\|"))
}

// compareTable compares rows with the page's table, or updates the page. For the submissions in varies, whose rows
// differ between runs, it compares only the name. The page has leftOut rows more than rows.
func compareTable(t *testing.T, rows []string, leftOut int, varies ...string) {
	t.Helper()
	b, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(b), begin)
	old, tail, ok2 := strings.Cut(rest, finish)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the table", table)
	}
	var list strings.Builder
	list.WriteString("\n| what is handed in | points of 10 | what the lecturer reads |\n|---|---|---|\n")
	for _, r := range rows {
		list.WriteString(r)
	}
	list.WriteString("\n")
	if *update {
		if err := os.WriteFile(table, []byte(head+begin+list.String()+finish+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	is, was := strings.Split(list.String(), "\n"), strings.Split(old, "\n")
	for _, r := range is {
		loose := slices.ContainsFunc(varies, func(what string) bool { return strings.HasPrefix(r, "| "+what+" |") })
		if !slices.ContainsFunc(was, func(o string) bool {
			return o == r || loose && strings.HasPrefix(o, strings.Join(strings.SplitAfterN(r, "|", 4)[:2], ""))
		}) {
			t.Errorf("%s does not have this row (go test ./suite/grade -run TestGrade -update writes it):\n%s", table, r)
		}
	}
	if len(is)+leftOut != len(was) {
		t.Errorf("%s has %d lines of made-up submissions, there are %d", table, len(was), len(is)+leftOut)
	}
}
