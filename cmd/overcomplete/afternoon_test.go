package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	patient "overcomplete/internal/patience"
	"overcomplete/kernel/notebook"
)

// TestAfternoon runs the notebooks of docs/afternoon.md as written, and checks what their cells show. The first
// notebook must stay short, because pandas, scikit-learn and seaborn do the same in few lines.
func TestAfternoon(t *testing.T) {
	patient.SkipShort(t, "it runs two notebooks")
	text, err := os.ReadFile("../../docs/afternoon.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../docs/afternoon/air.csv")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "\n## ")
	if len(sections) != 3 {
		t.Fatalf("%d sections", len(sections))
	}
	for k, want := range []struct {
		lines int      // at most
		shows []string // the beginnings of what the cells show, as text
		files []string
	}{
		{60, []string{"column", "site", "date_month", "[figure] Correlations", "[figures] Air", "[figure] PM2.5", "[figure] Air: Points: scores", "[figure] k-means", "[figure] Components", "[figure] Air", "[figure] Ozone", "ridge"},
			[]string{"box.pdf"}},
		{140, []string{"", "PASS", "", "setting", "[figure] Held-out"}, []string{"r2.pdf", "trials.jsonl"}},
	} {
		nb := &notebook.Notebook{Metadata: goMetadata()}
		lines := 0
		for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(sections[k+1], -1) {
			nb.Cells = append(nb.Cells, notebook.NewCode(block[1]))
			for line := range strings.Lines(block[1]) {
				if strings.TrimSpace(line) != "" {
					lines++
				}
			}
		}
		if lines > want.lines {
			t.Errorf("notebook %d has %d lines, at most %d", k+1, lines, want.lines)
		}
		t.Logf("notebook %d: %d cells, %d lines", k+1, len(nb.Cells), lines)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "air.csv"), data, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := nb.Write(filepath.Join(dir, "afternoon.ipynb")); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := output(t, dir, "run", "--inplace", "afternoon.ipynb"); code != 0 {
			t.Fatal(out, errs)
		}
		ran, err := notebook.Read(filepath.Join(dir, "afternoon.ipynb"))
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, c := range ran.Cells {
			s := ""
			for _, o := range c.Outputs {
				s += o.Text()
			}
			shown = append(shown, strings.TrimSpace(s))
		}
		if !slices.EqualFunc(shown, want.shows, func(s, w string) bool { return strings.Contains(s, w) }) {
			t.Errorf("notebook %d shows\n%s\nnot\n%s", k+1, strings.Join(shown, "\n----\n"), fmt.Sprint(strings.Join(want.shows, "\n")))
		}
		for _, f := range want.files {
			if b, err := os.ReadFile(filepath.Join(dir, f)); err != nil || len(b) < 500 {
				t.Errorf("%s: %d bytes, %v", f, len(b), err)
			}
		}
	}
}
