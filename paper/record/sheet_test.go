package record

import (
	"strings"
	"testing"

	"overcomplete/internal/panics"
)

func TestSheet(t *testing.T) {
	run, err := StartIn(t.TempDir(), "paper", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Row{
		{ID: "a-1", What: "first <cell>", Published: Published(2.21, "%", "table 2"), Measured: Number(2.3, "%"), Rule: Within(0.2), Data: Generated("numbers")},
		{ID: "a-2", What: "second", Published: Published(1.3, "%", "table 2"), Measured: Number(9, "%"), Rule: Within(0.2), Data: Generated("numbers")},
		{ID: "b-1", What: "third", Published: Published(7, "%", "table 2"), Rule: NoData("not to be had"), Data: Generated("numbers")},
	} {
		if err := run.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	s := Lay("Table 2", "size", []string{"1", "2"}, []string{"KL", "L1"}, [][]string{{"a-1", "a-2"}, {"b-1", ""}}, run.Rows())
	want := "Table 2\n\nsize  1             2\nKL    2.3 (2.21) ✓  9 (1.3) ✗\nL1    – (7)\n\nmeasured (published); 1 reproduced, 1 not reproduced, 1 without data\n"
	if got := s.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if panics.Value(func() { Lay("", "", []string{"1"}, []string{"KL"}, [][]string{{"none"}}, run.Rows()) }) == nil {
		t.Error("a cell without a row did not panic")
	}
	h := s.HTML()
	for _, part := range []string{"first &lt;cell&gt;", "not to be had", `<b>2.3</b>&nbsp;<span style="opacity:.75">✓</span>`, `<b>9</b>&nbsp;<span style="opacity:.75">✗</span>`, "✓ reproduced", tint[NotReproduced]} {
		if !strings.Contains(h, part) {
			t.Errorf("HTML lacks %q", part)
		}
	}
	if m := s.Markdown(); !strings.Contains(m, "| KL | 🟩 **2.3** (2.21) | 🟥 **9** (1.3) |") {
		t.Errorf("Markdown\n%s", m)
	}
}

// A stand-in is shown only where nothing was measured, and changes no verdict.
func TestStandIn(t *testing.T) {
	run, err := StartIn(t.TempDir(), "paper", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Row{
		{ID: "a", What: "measured", Published: Published(2, "%", "table 2"), Measured: Number(2.1, "%"), Rule: Within(0.2), Data: Real("digits")},
		{ID: "b", What: "not measured", Published: Published(3, "%", "table 2"), Rule: NoData("other data"), Data: Generated("digits")},
	} {
		if err := run.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	s := Lay("", "", []string{"1", "2", "3"}, []string{"KL"}, [][]string{{"a", "b", ""}}, run.Rows())
	s.Note, s.StandInOf = "a <note>", "on generated digits"
	want := "    1          2        3\nKL  2.1 (2) ✓  – (3)\n\nmeasured (published); 1 reproduced, 1 without data\na <note>\n"
	if got := s.String(); got != want {
		t.Errorf("without stand-ins: got\n%s\nwant\n%s", got, want)
	}
	before := s.rows()
	for j := range 3 {
		s.Instead(0, j, 7.5)
	}
	want = "    1          2            3\nKL  2.1 (2) ✓  [7.5] (3)\n\nmeasured (published); 1 reproduced, 1 without data\n[in brackets]: on generated digits\na <note>\n"
	if got := s.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	h, m := s.HTML(), s.Markdown()
	for part, n := range map[string]int{"<b>2.1</b>": 1, `<i style="opacity:.65">7.5</i>`: 1, "7.5": 1, "In grey: on generated digits": 1, "a &lt;note&gt;": 1} {
		if got := strings.Count(h, part); got != n {
			t.Errorf("HTML has %d of %q, want %d", got, part, n)
		}
	}
	if !strings.Contains(m, "| KL | 🟩 **2.1** (2) | ⬜ *7.5* (3) |  |") || !strings.Contains(m, "*In italics: on generated digits*") {
		t.Errorf("Markdown\n%s", m)
	}
	for i, r := range s.rows() {
		if r.Verdict != before[i].Verdict || r.Measured != before[i].Measured {
			t.Errorf("%s changed: %s, %v", r.ID, r.Verdict, r.Measured)
		}
	}
}

// In tables, a check without a published value is shown as holding or failing; the row keeps its verdict.
func TestOwnChecksInTables(t *testing.T) {
	run, err := StartIn(t.TempDir(), "paper", Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Row{
		{ID: "a", What: "an own check", Measured: Number(1, ""), Rule: AtLeast(0), Data: Generated("numbers")},
		{ID: "b", What: "another", Measured: Number(-1, ""), Rule: AtLeast(0).Partly(2), Data: Generated("numbers")},
		{ID: "c", What: "a third", Measured: Number(-3, ""), Rule: AtLeast(0).Partly(2), Data: Generated("numbers")},
		{ID: "d", What: "a fourth", Rule: NoData("nothing"), Data: Generated("numbers")},
	} {
		if err := run.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	tab := run.Table()
	for name, shown := range map[string]string{"text": tab.String(), "HTML": tab.HTML(), "Markdown": tab.Markdown()} {
		for _, want := range []string{"holds", "partly holds", "fails", "NO DATA"} {
			if !strings.Contains(shown, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, shown)
			}
		}
		if strings.Contains(shown, "REPRODUCED") || strings.Contains(shown, "PARTIAL") {
			t.Errorf("%s has a verdict on what was not published:\n%s", name, shown)
		}
	}
	if r := run.Rows()[0]; r.Verdict != Reproduced {
		t.Errorf("the row has the verdict %s", r.Verdict)
	}
}

func TestRuleInWords(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		want string
	}{
		{AtMostPublished(3.53 / 8).Partly(3.53 / 8), "at most 0.441 above the published, or below it; partly at most 0.882 above"},
		{AtMostPublished(0), "at most the published"},
		{AtLeastPublished(1).Partly(2), "at most 1 below the published, or above it; partly at most 3 below"},
		{AtLeastPublished(0).Partly(0.5), "at least the published; partly at most 0.5 below"},
		{Within(0.5).Partly(0.5), "within 0.5 of the published; partly within 1"},
		{WithinFraction(0.2).Partly(0.3), "within 20% of the published; partly within 50%"},
		{AtLeast(2).Partly(0.5), "at least 2; partly from 1.5"},
		{AtMost(20).Partly(10), "at most 20; partly up to 30"},
		{Between(-3, 3), "between -3 and 3"},
		{Holds(), "holds"},
	} {
		if got := c.rule.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
