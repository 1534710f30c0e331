package suite

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Budget limits the processor time of each notebook, as a multiple of the time of the reference product, a fixed
// product of two matrices (see Reference). A slow or busy machine slows down both the notebook and the reference
// product.
type Budget struct{ lines []budgetLine }

type budgetLine struct {
	size, paper string
	multiple    float64
}

// Slack is the largest multiple of its budget that a notebook may use without an error.
const Slack = 1.5

// WholeRun limits the processor time of 'overcomplete all', in reference products, if no earlier results are kept. This
// time includes kernels, site and report, but not the build. It is the cost of a newcomer's first make. CI checks the
// limit. A commit that raises the limit must give the reason. Measured: 29,500, with AVX2 on two cores; the same code
// took up to an eighth more when other programs were running.
const WholeRun = 37000

// BudgetFile is the path of the budget file in a project.
const BudgetFile = "notebooks/budget.txt"

// ReadBudget reads the budget of the project at root.
func ReadBudget(root string) (*Budget, error) {
	path := filepath.Join(root, filepath.FromSlash(BudgetFile))
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b, err := ParseBudget(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", BudgetFile, err)
	}
	return b, nil
}

// ParseBudget parses a budget. Each line has a size, the name of a notebook and a multiple. Text after a # is
// a comment.
func ParseBudget(text []byte) (*Budget, error) {
	b := &Budget{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) != 3 {
			return nil, fmt.Errorf("line %d: must be a size, a notebook and a number: %q", n, line)
		}
		x, err := strconv.ParseFloat(f[2], 64)
		if err != nil || !(x > 0) {
			return nil, fmt.Errorf("line %d: %q is not a positive number", n, f[2])
		}
		if b.Multiple(f[0], f[1]) > 0 {
			return nil, fmt.Errorf("line %d: %s at %s size has two budgets", n, f[1], f[0])
		}
		b.lines = append(b.lines, budgetLine{f[0], f[1], x})
	}
	return b, lines.Err()
}

// Multiple returns the multiple for a notebook at a size, or 0 if the notebook has no budget.
func (b *Budget) Multiple(size, paper string) float64 {
	if b == nil {
		return 0
	}
	for _, l := range b.lines {
		if l.size == size && l.paper == paper {
			return l.multiple
		}
	}
	return 0
}

// Papers returns the notebooks that have a budget at a size.
func (b *Budget) Papers(size string) []string {
	var list []string
	for _, l := range b.lines {
		if l.size == size {
			list = append(list, l.paper)
		}
	}
	return list
}

// A Spending compares the cost of a notebook with its budget.
type Spending struct {
	Paper            string
	Multiple, Budget float64 // in reference products
	// Unknown is the reason why the notebook cannot be judged; empty if it can be judged.
	Unknown string
}

// Over reports whether the notebook costs more than Slack times its budget. It returns false if the cost is unknown.
func (s Spending) Over() bool { return s.Unknown == "" && s.Multiple > Slack*s.Budget }

// Judge compares the costs of notebooks at a size with the budget. It returns one Spending for each notebook that has
// a budget or times. A notebook cannot be judged if it was not run at this size, if its last run measured only a part
// of it, if the reference product was not measured, or if it has no budget.
func (b *Budget) Judge(size string, times []*Times) []Spending {
	var list []Spending
	for _, paper := range b.Papers(size) {
		s := Spending{Paper: paper, Budget: b.Multiple(size, paper)}
		i := slices.IndexFunc(times, func(t *Times) bool { return t.Paper == paper })
		switch {
		case i < 0:
			s.Unknown = "the notebook has not run at this size"
		case times[i].Earlier() > 0:
			s.Unknown = fmt.Sprintf("%d of its cells kept earlier results in the last run ('make budget' measures everything)", times[i].Earlier())
		default:
			if _, _, s.Multiple = times[i].Sum(); s.Multiple == 0 {
				s.Unknown = "the reference product was not measured in the same run"
			}
		}
		list = append(list, s)
	}
	for _, t := range times {
		if b.Multiple(size, t.Paper) == 0 {
			list = append(list, Spending{Paper: t.Paper, Unknown: "the notebook has no budget: add one in " + BudgetFile})
		}
	}
	return list
}
