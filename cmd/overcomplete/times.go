package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"overcomplete/suite"
)

// An experimentCost is the cost of one experiment, or of all cells of a notebook that belong to no experiment.
type experimentCost struct {
	name, paper        string
	processor, seconds float64
	earlier            bool
}

// sortedCosts adds up the costs of the cells of each experiment, and for each notebook the costs of the cells that
// belong to no experiment. It returns these sums, sorted by processor time, highest first, and the total processor
// time.
func sortedCosts(all []*suite.Times) (list []experimentCost, total float64) {
	for _, t := range all {
		for _, c := range t.Cells {
			name := cmp.Or(c.Target, t.Paper+", other cells")
			i := slices.IndexFunc(list, func(d experimentCost) bool { return d.name == name && d.paper == t.Paper })
			if i < 0 {
				i = len(list)
				list = append(list, experimentCost{name: name, paper: t.Paper})
			}
			d := &list[i]
			d.processor += c.Processor
			d.seconds += c.Seconds
			d.earlier = d.earlier || c.Earlier && c.Target != ""
			total += c.Processor
		}
	}
	slices.SortStableFunc(list, func(a, b experimentCost) int { return cmp.Compare(b.processor, a.processor) })
	return list, total
}

// listTimes prints how long experiments took in the last runs at the given size. It prints only lines that contain all
// of the words.
func listTimes(w io.Writer, all []*suite.Times, size string, words []string) {
	list, total := sortedCosts(all)
	if len(list) == 0 {
		fmt.Fprintf(w, "No notebook has run here at %s size yet: 'overcomplete all --size %s' (or make) runs them all.\n", size, size)
		return
	}
	width, earlier := 0, false
	for _, d := range list {
		width = max(width, len(d.name))
	}
	fmt.Fprintf(w, "processor time   share    by the clock   (%s size)\n", size)
	for _, d := range list {
		mark := ""
		if d.earlier {
			mark, earlier = "  *", true
		}
		line := fmt.Sprintf("%12.1f s %6.1f %% %13.1f s   %-*s  notebooks/%s.ipynb%s", d.processor, 100*d.processor/max(total, 1e-9), d.seconds, width, d.name, d.paper, mark)
		if !slices.ContainsFunc(words, func(x string) bool { return !strings.Contains(strings.ToLower(line), strings.ToLower(x)) }) {
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprintf(w, "%12.1f s in all, of %d notebooks\n", total, len(all))
	if earlier {
		fmt.Fprintln(w, "* measured in an earlier run; the notebook's last run kept the result")
	}
}

// listBudget prints the cost of notebooks next to their budgets, and reports whether one is over
// its budget.
func listBudget(w io.Writer, list []suite.Spending, size string) (over bool) {
	width := 0
	for _, s := range list {
		width = max(width, len(s.Paper))
	}
	fmt.Fprintf(w, "Processor time in reference products, compared with %s, at %s size; %g times the budget is too much.\n", suite.BudgetFile, size, suite.Slack)
	for _, s := range list {
		switch {
		case s.Unknown != "":
			fmt.Fprintf(w, "  %-*s  not judged: %s\n", width, s.Paper, s.Unknown)
			continue
		case s.Over():
			over = true
			fmt.Fprintf(w, "  %-*s  %8.0f of %8.0f, %.2f times: TOO MUCH\n", width, s.Paper, s.Multiple, s.Budget, s.Multiple/s.Budget)
			continue
		}
		fmt.Fprintf(w, "  %-*s  %8.0f of %8.0f, %.2f times\n", width, s.Paper, s.Multiple, s.Budget, s.Multiple/s.Budget)
	}
	if over {
		fmt.Fprintf(w, "Find out what became more expensive (overcomplete list --time, or a profile). If the cost is justified, say so in the commit and raise the number in %s.\n", suite.BudgetFile)
	}
	return over
}

// runTimes runs the subcommand "list" and returns the exit status. times and judge are the values of --time and
// --budget.
func runTimes(root, size string, words []string, times, judge bool) int {
	s, err := suite.Open(root, declaredPapers()...)
	if err != nil {
		return fail(err)
	}
	all, err := s.AllTimes(size)
	if err != nil {
		return fail(err)
	}
	if times {
		listTimes(os.Stdout, all, size, words)
	}
	if !judge {
		return 0
	}
	b, err := suite.ReadBudget(root)
	if err != nil {
		return fail(err)
	}
	if len(b.Papers(size)) == 0 {
		return fail(fmt.Errorf("%s has no budgets at size %s; 'overcomplete all --budget' checks the budget of a whole run", suite.BudgetFile, size))
	}
	if listBudget(os.Stdout, b.Judge(size, all), size) {
		return 1
	}
	return 0
}
