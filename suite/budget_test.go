package suite

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/paper/record"
)

func TestParseBudget(t *testing.T) {
	b, err := ParseBudget([]byte("# what\n\nlecture  a  100 # why\nsmoke a 1.5\nlecture b 20\n"))
	if err != nil {
		t.Fatal(err)
	}
	if b.Multiple("lecture", "a") != 100 || b.Multiple("smoke", "a") != 1.5 || b.Multiple("smoke", "b") != 0 || !slices.Equal(b.Papers("lecture"), []string{"a", "b"}) {
		t.Errorf("%+v", b)
	}
	if (*Budget)(nil).Multiple("lecture", "a") != 0 {
		t.Error("none has one")
	}
	for text, want := range map[string]string{
		"lecture a":                   "line 1: must be a size",
		"\nlecture a b":               "line 2: \"b\" is not a positive number",
		"lecture a 0":                 "not a positive number",
		"lecture a NaN":               "not a positive number",
		"lecture a 1\nlecture a 2":    "line 2: a at lecture size has two budgets",
		"lecture a 1 2":               "must be a size",
		"lecture a -1 # a comment":    "not a positive number",
		"smoke a 1\nlecture a 1\n1 #": "line 3",
	} {
		if _, err := ParseBudget([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestJudge(t *testing.T) {
	b, err := ParseBudget([]byte("lecture in 10\nlecture slow 10\nlecture kept 10\nlecture absent 10\nlecture unmeasured 10\nsmoke in 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	times := func(paper string, cells ...CellCost) *Times {
		return &Times{Paper: paper, Size: "lecture", Cells: cells}
	}
	cell := func(processor, reference float64) CellCost {
		return CellCost{Target: "x", Processor: processor, Reference: reference}
	}
	earlier := cell(1, 1)
	earlier.Earlier = true
	list := b.Judge("lecture", []*Times{
		times("in", cell(2, 0.5), cell(11, 1), CellCost{Processor: 0.001}), // 15 products: the maximum
		times("slow", cell(8, 0.5)),                                        // 16
		times("kept", cell(100, 1), earlier),
		times("unmeasured", cell(100, 0)),
		times("new", cell(1, 1)),
	})
	got := map[string]string{}
	for _, s := range list {
		switch {
		case s.Unknown != "":
			got[s.Paper] = s.Unknown
		case s.Over():
			got[s.Paper] = "over"
		default:
			got[s.Paper] = "within"
		}
	}
	for paper, want := range map[string]string{"in": "within", "slow": "over", "kept": "1 of its cells", "absent": "has not run", "unmeasured": "reference product", "new": "has no budget"} {
		if !strings.Contains(got[paper], want) || got[paper] == "" {
			t.Errorf("%s: %q, want %q", paper, got[paper], want)
		}
	}
}

// The project's budget names only notebooks. Each lecture has a line, which a test of package course checks.
func TestBudgetFile(t *testing.T) {
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	b, err := ReadBudget(root)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, paper := range b.Papers(record.Lecture) {
		if !slices.ContainsFunc(paths, func(path string) bool { return PaperOf(path) == paper }) {
			t.Errorf("%s has a line for %s, which is no notebook", BudgetFile, paper)
		}
	}
}
