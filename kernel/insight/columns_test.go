package insight_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestColumns: Tab in a string completes the columns of the data frames that the statement mentions, and Shift-Tab on a
// frame shows its rows and columns.
func TestColumns(t *testing.T) {
	in, _ := start(t, []string{`import ("strings"; "github.com/go-gota/gota/dataframe")
df := dataframe.ReadCSV(strings.NewReader("no2,site,nox\n1,a,3\n2,b,4\n"))
bad := dataframe.ReadCSV(strings.NewReader(""))
word := "x"`})
	for code, want := range map[string]string{
		`df.Col("|`:                                      "no2 nox site",
		`df.Col("n|")`:                                   "no2 nox",
		`x := df.Select([]string{"no2", "s|`:             "site",
		`df.Filter(dataframe.F{Colname: "no|"})`:         "no2 nox",
		`bad.Col("|`:                                     "",
		`word + "n|`:                                     "",
		"df.Col(\"no2\")\nprintln(\"n|":                  "",
		"frame.By(df, \"site\").\n\tAgg(frame.Mean(\"n|": "no2 nox",
		"f := func() {\n\tdf.Names()\n\tprintln(\"n|\")": "",
	} {
		c, src := complete(t, in, code)
		if got := strings.Join(c.Matches, " "); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
		if want != "" {
			r := []rune(src)
			if whole := string(r[:c.Start]) + c.Matches[0] + string(r[c.End:]); strings.Count(whole, c.Matches[0]) < 1 || !utf8.ValidString(whole) {
				t.Errorf("%s becomes %s", code, whole)
			}
		}
	}
	d, ok, err := in.Inspect(context.Background(), "df", 2, 0)
	if text := fmt.Sprint(d.Data["text/plain"]); err != nil || !ok || !strings.Contains(text, "2 rows: no2 int, site string, nox int") {
		t.Errorf("%s %v", text, err)
	}
}
