package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"overcomplete/kernel/headless"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
	"overcomplete/paper/report"
	"overcomplete/paper/suite"
)

const allUsage = `usage: overcomplete all [flags]

Does what make does, without make: runs all notebooks of the project on the data
that are here, writes figures and a report, and prints the scoreboard. In the
project's folder 'go run ./cmd/overcomplete all' builds the program, too.

The notebook that takes least comes first, and the report is written again as each
one ends. After Ctrl-C the same command goes on: what is finished is kept.

`

// runEverything is the subcommand that runs all notebooks.
func runEverything(args []string) int {
	flags := flag.NewFlagSet("overcomplete all", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), allUsage)
		flags.PrintDefaults()
	}
	size := flags.String("size", record.Lecture, "the size of the run: "+sizeChoice())
	jobs := flags.Int("j", 1, "how many notebooks run at once; 0: as many as there are processors. Some measure times, which one at a time is better for")
	fresh := flags.Bool("fresh", false, "measure all anew, whatever is kept of earlier runs")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	switch {
	case flags.NArg() > 0:
		fmt.Fprintf(os.Stderr, "overcomplete all: %q: it takes no arguments; 'overcomplete run' runs single notebooks\n", flags.Arg(0))
		return 2
	case !slices.Contains(record.Sizes(), *size):
		fmt.Fprintf(os.Stderr, "overcomplete all: --size is %s, not %q\n", sizeChoice(), *size)
		return 2
	case *jobs < 0:
		fmt.Fprintf(os.Stderr, "overcomplete all: -j is a number of notebooks, not %d\n", *jobs)
		return 2
	case *jobs == 0:
		*jobs = runtime.NumCPU()
	}
	root, ok, err := record.Project(".")
	if err != nil {
		return fail(err)
	}
	if !ok {
		fmt.Fprintln(os.Stderr, "overcomplete all: this folder is not in the project. Go to where it was cloned, the folder with go.mod and notebooks, and give the command there.")
		return 1
	}
	notebooks, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil {
		return fail(err)
	}
	if len(notebooks) == 0 {
		fmt.Fprintf(os.Stderr, "overcomplete all: there is no notebook in %s\n", filepath.Join(root, "notebooks"))
		return 1
	}
	budget, err := suite.ReadBudget(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(err)
	}
	exps, err := openExperiments(notebooks, suite.Options{Fresh: *fresh})
	if err != nil {
		return fail(err)
	}
	binary, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	var env []string
	if *fresh {
		env = append(env, lab.FreshVariable+"=1")
	}
	b := &batch{jobs: *jobs, exps: exps, reference: measureReference(binary), opt: headless.Options{
		New: worker(binary, env...), Set: []headless.Assignment{{Name: "size", Text: *size}},
	}}
	forecast, order, err := plan(notebooks, b.opt.Set, exps, *jobs, budget, *size, b.reference())
	if err != nil {
		return fail(err)
	}
	b.forecast, b.ended = forecast, siteAfterEach(root, len(notebooks))
	fmt.Println(forecast)
	status := b.run(order)
	if status > 1 { // stopped
		fmt.Println("The same command goes on from here.")
		return status
	}
	board := record.ScoreboardIn(root)
	for _, paper := range papers(board) {
		if _, err := reportPaper(root, paper, true); err != nil {
			status = fail(err)
		}
	}
	fmt.Println(board)
	fmt.Printf("All of this to read in a browser, with figures, notebooks and code: %s\n", shortPath(filepath.Join(siteFolder(root), "index.html")))
	return status
}

// siteAfterEach writes the site whenever one of n notebooks has ended, and says where that
// notebook is to be read.
func siteAfterEach(root string, n int) func(path string) (string, error) {
	var one sync.Mutex
	var done int
	return func(path string) (string, error) {
		one.Lock()
		defer one.Unlock()
		s, err := report.Write(root, siteFolder(root), report.Options{})
		if err != nil {
			return "", err
		}
		done++
		page := filepath.Join(s.Dir, "notebook", "run", suite.PaperOf(path)+".html")
		if _, err := os.Stat(page); err != nil {
			page = s.Index
		}
		return fmt.Sprintf("%d of %d notebooks can be read: %s (report: %s)\n", done, n, shortPath(page), shortPath(s.Index)), nil
	}
}
