package record

import (
	"strings"
	"testing"
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
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a cell without a row did not panic")
			}
		}()
		Lay("", "", []string{"1"}, []string{"KL"}, [][]string{{"none"}}, run.Rows())
	}()
	h := s.HTML()
	for _, part := range []string{"first &lt;cell&gt;", "not to be had", "<b>2.3</b>", tint[NotReproduced]} {
		if !strings.Contains(h, part) {
			t.Errorf("HTML lacks %q", part)
		}
	}
	if m := s.Markdown(); !strings.Contains(m, "| KL | 🟩 **2.3** (2.21) | 🟥 **9** (1.3) |") {
		t.Errorf("Markdown\n%s", m)
	}
}
