package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"overcomplete/internal/cputime"
	"overcomplete/kernel/headless"
	"overcomplete/paper/record"
	"overcomplete/suite"
	"overcomplete/suite/report"
)

const allUsage = `usage: overcomplete all [flags]

Does what make does, without make: runs all notebooks of the project on the data that
this machine has, writes figures and a report, and prints the scoreboard. In the
project's folder, 'go run ./cmd/overcomplete all' also builds the program.

The shortest notebook runs first, and the report is rewritten after each notebook.
Long experiments show the recorded results, and say so; --fresh measures them too, and
'overcomplete run --only NAME' (or make NAME) measures one of them. A notebook is left
as it is if nothing has changed since it last ran. If you press Ctrl-C, finished
results are kept, and the same command continues from there.

`

// runEverything runs all notebooks: the subcommand "all".
func runEverything(args []string) int {
	flags := newFlags("all", allUsage)
	size := flags.String("size", record.Lecture, "the size of the run: "+sizeChoice())
	jobs := flags.Int("j", 2, "how many notebooks run at once; 0: one per processor. Cells that measure times run alone")
	fresh := flags.Bool("fresh", false, "measure everything again, without using results of earlier runs")
	judge := flags.Bool("budget", false, fmt.Sprintf("exit 1 if the whole run takes more than %d times the processor time of the reference product", suite.WholeRun))
	if code, ok := parseFlags(flags, args); !ok {
		return code
	}
	switch {
	case flags.NArg() > 0:
		return wrong(flags, "unexpected argument %q: this command takes none; 'overcomplete run' runs single notebooks", flags.Arg(0))
	case !slices.Contains(record.Sizes(), *size):
		return wrong(flags, "--size must be %s, not %q", sizeChoice(), *size)
	case *jobs < 0:
		return wrong(flags, "-j must be a number of notebooks, not %d", *jobs)
	}
	root, err := projectHere()
	if err != nil {
		return fail(err)
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
	exps, err := openExperiments(notebooks, suite.Options{Fresh: *fresh, Recorded: true})
	if err != nil {
		return fail(err)
	}
	b, err := newBatch(headless.Options{Once: sizeAssignment(*size)}, *jobs, exps, *fresh)
	if err != nil {
		return fail(err)
	}
	changed := exps.changedNotebooks(notebooks, b.opt.Assignments())
	begin, reference := time.Now(), b.reference()
	forecast, order, err := plan(changed, b.opt.Assignments(), exps, b.jobs, budget, *size, reference)
	if err != nil {
		return fail(err)
	}
	site := &growingSite{root: root, all: len(notebooks), done: len(notebooks) - len(changed), last: notebooks[0], waits: true, now: time.Now}
	b.forecast, b.ended = forecast, site.noteEnd
	status := 0
	if len(order) > 0 {
		fmt.Println(forecast)
		status = b.run(order)
	}
	say, err := site.finish()
	if fmt.Print(say); err != nil {
		return fail(err)
	}
	if status > 1 { // the user stopped the run
		fmt.Println("Run the same command to continue.")
		return status
	}
	board := record.ScoreboardIn(root)
	for _, paper := range papers(board) {
		if _, err := reportPaper(root, paper, true); err != nil {
			status = fail(err)
		}
	}
	fmt.Println(board)
	text, over := describeCost(time.Since(begin), cputime.Used(), (reference+b.reference())/2)
	fmt.Println(text)
	if over && *judge {
		fmt.Printf("That is over the budget of %d (WholeRun in suite/budget.go). 'overcomplete list --time' shows what takes the time.\n", suite.WholeRun)
		status = max(status, 1)
	}
	fmt.Printf("Read all of this in a browser, with figures, notebooks and code: %s\n", shortPath(filepath.Join(siteFolder(root), "index.html")))
	return status
}

// describeCost describes the cost of a run of all notebooks, and reports whether it exceeds suite.WholeRun. The unit of
// cost is the reference product, a fixed matrix product (see suite.Reference). reference is the processor time of this
// product in seconds, or 0 if unknown.
func describeCost(wall, processor time.Duration, reference float64) (text string, over bool) {
	text = "This took " + wall.Round(time.Second).String()
	if processor > 0 {
		text += fmt.Sprintf(", and %v of processor time", processor.Round(time.Second))
	}
	if processor <= 0 || reference <= 0 {
		return text + ".", false
	}
	products := processor.Seconds() / reference
	return text + fmt.Sprintf(" (%.0f reference products).", products), products > suite.WholeRun
}

// A growingSite is the site with the report. During a run, it is written anew as notebooks finish.
type growingSite struct {
	root string
	all  int // number of notebooks
	now  func() time.Time

	mu      sync.Mutex
	done    int
	last    string    // the notebook that finished last
	waits   bool      // the site does not show that notebook yet
	written time.Time // time of the site's last write
	took    time.Duration
}

// patience is the minimum time between two writes of the site, as a multiple of the time that a write takes.
// If most results are kept from earlier runs, notebooks finish faster than the site can be written.
const patience = 4

// noteEnd records that the notebook at path has finished. It writes the site, unless the last write was too recent,
// and returns a message to print, or "" if it did not write.
func (g *growingSite) noteEnd(path string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done++
	g.last, g.waits = path, true
	if g.now().Sub(g.written) < patience*g.took {
		return "", nil
	}
	return g.write()
}

// finish writes the site once more if a notebook has finished since the last write. It returns a message to print, or
// "" if it did not write.
func (g *growingSite) finish() (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.waits {
		return "", nil
	}
	return g.write()
}

// write writes the site. It returns a message that says where to read the notebook that finished last. The caller must
// hold g.mu.
func (g *growingSite) write() (string, error) {
	begin := g.now()
	s, err := report.Write(g.root, siteFolder(g.root), report.Options{})
	if err != nil {
		return "", err
	}
	g.written, g.waits = g.now(), false
	g.took = g.written.Sub(begin)
	page := filepath.Join(s.Dir, "notebook", "run", suite.PaperOf(g.last)+".html")
	if _, err := os.Stat(page); err != nil {
		page = s.Index
	}
	return fmt.Sprintf("%d of %d notebooks can be read: %s (report: %s)\n", g.done, g.all, shortPath(page), shortPath(s.Index)), nil
}
