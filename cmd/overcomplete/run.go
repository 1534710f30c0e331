package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"overcomplete/internal/positions"
	"overcomplete/kernel"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/signature"
	"overcomplete/paper/record"
	"overcomplete/suite"
	"overcomplete/suite/rerun"
)

const runUsage = `usage: overcomplete run [flags] NOTEBOOK...

Runs notebooks without Jupyter and writes them with their outputs, by default to the
folder "run" beside each notebook. Each notebook has a kernel in its own process; -j
sets how many run at once. The exit status is 1 if a cell fails or takes too long or a
kernel dies, 2 for a mistake in the command, and 130 after Ctrl-C.

Results of experiments are kept. An experiment is measured again only if the code that
it reaches, the data, the parameters or the machine has changed. The command says what
runs, and why. With --only and no notebook, experiments run without a kernel, and each
writes its own notebook, run/NAME.ipynb. 'overcomplete list' lists the names.

--check runs the notebooks afresh and writes nothing. It reports which saved outputs a
run would change, and which cells use a name that no cell above them declares; the exit
status is 1 if it finds any. --check -n runs nothing, and looks only for such names.

`

// runRun runs notebooks: the subcommand "run".
func runRun(args []string) int {
	var opt headless.Options
	var recording bool
	fs := newFlags("run", runUsage)
	size := fs.String("size", "", "set the notebook's parameter size for this run: "+sizeChoice())
	fs.Func("set", "set a parameter, `name=value`, also in the copy that is written; may be repeated", func(s string) error {
		a, err := headless.ParseAssignment(s)
		if a.Name == sizeName {
			opt.Once = append(opt.Once, a)
		} else {
			opt.Set = append(opt.Set, a)
		}
		return err
	})
	jobs := fs.Int("j", 1, "how many notebooks run at once; 0: one per processor")
	fs.Func("timeout", "the longest `duration` that a notebook may take, such as 90s or 10m", duration(&opt.Timeout))
	fs.Func("cell-timeout", "the longest `duration` that a cell may take", duration(&opt.CellTimeout))
	fs.BoolVar(&opt.GoOn, "interrupt-on-timeout", false, "let a cell that takes too long fail like any other cell, so that --allow-errors continues after it")
	fs.StringVar(&opt.Out, "out", "", "write to this `file`, or into it if it is a folder")
	fs.BoolVar(&opt.InPlace, "inplace", false, "overwrite the notebook if all cells succeed")
	fs.BoolVar(&opt.AllowErrors, "allow-errors", false, "continue after a cell that fails")
	fs.BoolVar(&recording, "record", false, "if all cells succeed, make the outputs, figures and results the committed record")
	var only []string
	fs.Func("only", "run only this `experiment` (for example bradley-table2) and what it needs; may be repeated", func(s string) error {
		only = append(only, strings.Split(s, ",")...)
		return nil
	})
	fresh := fs.Bool("fresh", false, "run everything again, without using results of earlier runs")
	dry := fs.Bool("n", false, "run nothing; say what would run, and why")
	update := fs.Bool("update", false, "use the newest versions of the modules that the notebook imports, not the recorded ones")
	locked := fs.Bool("locked", false, "fail if the notebook's modules differ from those that it records")
	checks := fs.Bool("check", false, "write nothing; report outputs that a fresh run would change, and names that no cell above declares")
	asJSON := fs.Bool("json", false, "with --check: report as JSON")
	tolerance := fs.Float64("tolerance", rerun.Tolerance, "with --check: the relative difference allowed between printed numbers")
	format := fs.String("export", "", "also export the notebook that was written, as html or markdown, beside it")
	foreign := fs.Bool("clean", false, "clean exported pages of this notebook as if it had run elsewhere; for strangers' notebooks, for example in grading")

	notebooks, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	exps, err := openExperiments(notebooks, suite.Options{Fresh: *fresh, Only: only, Committed: recording && record.Program().Committed()})
	if err != nil {
		return fail(err)
	}
	switch {
	case len(notebooks) == 0 && len(only) == 0:
		return mistake(fs, "name the notebooks, or an experiment with --only")
	case len(only) > 0 && (recording || opt.InPlace):
		return wrong(fs, "--only leaves out cells, so the result must not replace the notebook: leave out --inplace and --record")
	case opt.InPlace && opt.Out != "":
		return wrong(fs, "use either --out or --inplace, not both")
	case len(notebooks) > 1 && opt.Out != "" && !isFolder(opt.Out):
		return wrong(fs, "with several notebooks, --out must be a folder")
	case *checks && (recording || opt.InPlace || opt.Out != "" || *format != "" || len(only) > 0 || len(notebooks) == 0):
		return wrong(fs, "--check runs whole notebooks and writes nothing: leave out --record, --inplace, --out, --export and --only")
	case *foreign && (*checks || len(notebooks) == 0):
		return wrong(fs, "--clean is for notebooks that are run and written")
	case *asJSON && !*checks:
		return wrong(fs, "--json needs --check")
	case *tolerance < 0 || math.IsNaN(*tolerance):
		return wrong(fs, "--tolerance must not be negative")
	case *update && *locked:
		return wrong(fs, "use either --update or --locked, not both")
	case *jobs < 0:
		return wrong(fs, "-j must be a number of notebooks, not %d", *jobs)
	case *format != "" && *format != "html" && *format != "markdown":
		return wrong(fs, "--export must be html or markdown, not %q", *format)
	}
	if *size != "" {
		if !slices.Contains(record.Sizes(), *size) {
			return wrong(fs, "--size must be %s, not %q", sizeChoice(), *size)
		}
		opt.Once = append(sizeAssignment(*size), opt.Once...)
	}
	if *checks {
		f := freshCheck{opt: opt, static: *dry, fresh: *fresh, json: *asJSON, tolerance: *tolerance}
		return f.run(notebooks)
	}
	if len(notebooks) == 0 {
		d := directRun{exps: exps, opt: opt, fresh: *fresh, dry: *dry, format: *format}
		return d.run()
	}
	if a, b, ok := collision(notebooks, opt); ok {
		return wrong(fs, "%s and %s would be written to the same file: run them separately, or rename one", a, b)
	}
	if opt.Record = recording; recording {
		opt.Promote = promote
	}
	if *dry {
		return exps.dryRun(notebooks, opt.Assignments())
	}
	var env []string
	if len(only) > 0 {
		env = append(env, record.PartVariable+"=1")
	}
	b, err := newBatch(opt, *jobs, exps, *fresh, env...)
	if err != nil {
		return fail(err)
	}
	b.format = *format
	if *foreign {
		b.opt.Sign, b.always = nil, true
	}
	b.opt.Modules.Update, b.opt.Modules.Locked = *update, *locked
	return b.run(notebooks)
}

// sizeName is the parameter that determines how much of a notebook is computed.
const sizeName = "size"

// sizeAssignment returns an assignment for one run, which gives the notebook's parameter named "size" the given value.
// The notebook file still declares its own value, which *Run all* in Jupyter uses.
func sizeAssignment(size string) []headless.Assignment {
	return []headless.Assignment{{Name: sizeName, Text: size}}
}

// sizeChoice returns the names of all sizes, joined as "a, b or c" for messages.
func sizeChoice() string {
	s := record.Sizes()
	return strings.Join(s[:len(s)-1], ", ") + " or " + s[len(s)-1]
}

// collision finds two notebooks that would write to the same output file.
func collision(notebooks []string, opt headless.Options) (a, b string, found bool) {
	to := map[string]string{}
	for _, n := range notebooks {
		key, err := filepath.Abs(n)
		if err != nil {
			continue
		}
		if opt.Out != "" {
			key = filepath.Base(n)
		}
		if old, ok := to[key]; ok {
			return old, n, true
		}
		to[key] = n
	}
	return "", "", false
}

// workerCommand is the subcommand that runs the kernel of one notebook for the run command.
const workerCommand = "run-kernel"

// worker returns a function that starts a kernel for a notebook in the given folder. Each kernel is a process of the
// given program. The process gets additional environment variables (env) and additional arguments (args).
func worker(program string, env []string, args ...string) func(folder string) (headless.Kernel, error) {
	return func(folder string) (headless.Kernel, error) {
		cmd := exec.Command(program, append([]string{workerCommand}, args...)...)
		cmd.Dir = folder
		cmd.Env = append(cmd.Environ(), env...)
		p, err := headless.Start(cmd)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
}

// runWorker serves the kernel of one notebook on its standard input and output.
func runWorker(args []string) int {
	// The parent process forwards interrupts.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	err := headless.Serve(os.Stdin, func() (headless.InProcess, error) {
		opt := kernel.Options{Modules: openModules(""), Devices: listDevices}
		giveDevices()
		if len(args) == 1 {
			var err error
			if opt.Resume, err = takeFile(args[0]); err != nil {
				return nil, err
			}
		}
		k, err := kernel.New(opt)
		if err != nil {
			return nil, err
		}
		return k, nil
	}, suite.Calls())
	if err != nil {
		fmt.Fprintln(os.Stderr, "overcomplete:", err)
		return 1
	}
	return 0
}

// A batch is a run of several notebooks.
type batch struct {
	opt    headless.Options
	jobs   int    // how many notebooks run at once
	format string // export format for each notebook, or ""
	htmlFilter
	exps *experiments
	// reference measures the reference product (see suite.Reference), once for each notebook.
	reference func() float64
	// forecast estimates the remaining time. If it is nil, the remaining time is not shown.
	forecast *forecast
	// ended is called after a notebook has been written, and returns a message to print. It may be nil.
	ended func(path string) (string, error)

	board   *headless.Board
	shorter func(string) string
}

// newBatch returns a batch that starts kernels in processes of this program, with additional environment
// variables. If jobs is 0, as many notebooks run at once as there are processors.
func newBatch(opt headless.Options, jobs int, exps *experiments, fresh bool, env ...string) (*batch, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if fresh {
		env = append(env, record.FreshVariable+"=1")
	}
	if jobs == 0 {
		jobs = runtime.NumCPU()
	}
	if _, set := os.LookupEnv(positions.Variable); !set {
		env = append(env, fmt.Sprintf("%s=%d", positions.Variable, positions.Usual))
	}
	opt.New = worker(binary, env)
	opt.Modules = notebookModules(binary, env)
	store := signature.ForUser()
	opt.Sign = func(outputs ...notebook.Output) {
		if err := store.Sign(outputs...); err != nil {
			fmt.Fprintf(os.Stderr, "overcomplete run: %v: pages of this notebook will have no scripts\n", err)
		}
	}
	return &batch{opt: opt, jobs: jobs, exps: exps, reference: measureReference(binary)}, nil
}

// run executes the given notebooks, even after one has failed, and returns the exit status.
func (b *batch) run(notebooks []string) int {
	ctx, stopped, cancel := untilStopped()
	defer cancel()
	b.board = headless.NewBoard(os.Stdout)
	b.opt.Progress = b.board
	if b.forecast != nil {
		b.board.Overall(b.forecast.String)
	}
	if p := b.opt.Promote; p != nil {
		var one sync.Mutex // an exporter changes the working directory of this process
		b.opt.Promote = func(path string) error {
			one.Lock()
			defer one.Unlock()
			return p(path)
		}
	}
	paths := make(chan string)
	go func() {
		defer close(paths)
		for _, n := range notebooks {
			path, err := filepath.Abs(n)
			if err != nil {
				path = n
			}
			select {
			case paths <- path:
			case <-ctx.Done():
				return
			}
		}
	}()
	if b.opt.Out != "" {
		out, err := filepath.Abs(b.opt.Out)
		if err != nil {
			return fail(err)
		}
		if isFolder(b.opt.Out) {
			out += string(filepath.Separator)
		}
		b.opt.Out = out
	}
	b.shorter = shortener()
	var code atomic.Int64
	var all sync.WaitGroup
	for range min(b.jobs, len(notebooks)) {
		all.Go(func() {
			for path := range paths {
				if !b.runOne(ctx, path) {
					code.Store(1)
				}
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return <-stopped
	}
	return int(code.Load())
}

// untilStopped returns a context that ends on Ctrl-C or SIGTERM, and a channel that then delivers the exit
// status. cancel ends the context and stops catching these signals.
func untilStopped() (ctx context.Context, stopped <-chan int, cancel func()) {
	ctx, end := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	status := make(chan int, 1)
	go func() {
		select {
		case s := <-signals:
			// A second Ctrl-C ends the process and its kernels at once.
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			if s == syscall.SIGTERM {
				status <- 143
			} else {
				status <- 130
			}
			end()
		case <-ctx.Done():
		}
	}()
	return ctx, status, func() { signal.Stop(signals); end() }
}

// runOne runs one notebook and shows the outcome on the batch's board, which also shows the running cells. It reports
// whether the run succeeded.
func (b *batch) runOne(ctx context.Context, path string) bool {
	opt, board, shorter, exps := b.opt, b.board, b.shorter, b.exps
	m := exps.memory(path, b.reference, func(text string) { board.To(os.Stdout, text) })
	if m != nil {
		opt.Memory = m
	}
	if b.forecast != nil {
		b.forecast.start(path)
		if m != nil {
			opt.Memory = b.forecast.watch(path, m)
		}
	}
	res, err := headless.Run(ctx, path, opt)
	if ctx.Err() != nil {
		kept := ""
		if m != nil {
			kept = ", but the results of its finished experiments are kept"
		}
		fmt.Fprintf(board, "overcomplete run: stopped; nothing was written for %s%s\n", shorter(path), kept)
		return false
	}
	if b.forecast != nil {
		b.forecast.finish(path)
	}
	if m, ok := m.(*suite.Memory); ok && err == nil && res.Failed == 0 && res.Written != "" {
		if err := m.NoteRun(path, res.Written, opt.Assignments()); err != nil { // on an error, the next run only repeats the notebook
			board.To(os.Stderr, fmt.Sprintf("%s: cannot save what the notebook depends on: %v\n", filepath.Base(path), err))
		}
	}
	var text strings.Builder
	if err != nil {
		board.To(os.Stderr, describe(err))
	}
	if res.Written != "" {
		failed := ""
		if res.Failed > 0 {
			failed = fmt.Sprintf(", %d of them failed", res.Failed)
		}
		kept := ""
		if res.Kept > 0 {
			kept = fmt.Sprintf(" and %d kept", res.Kept)
		}
		fmt.Fprintf(&text, "%s: %d cells run%s in %v%s, written to %s\n", filepath.Base(path), res.Cells, kept, res.Elapsed.Round(100*time.Millisecond), failed, shorter(res.Written))
		if b.format != "" {
			written, e := exporter{format: b.format, htmlFilter: b.htmlFilter}.export(res.Written, "")
			if e != nil {
				err = errors.Join(err, e)
				board.To(os.Stderr, describe(e))
			} else {
				fmt.Fprintf(&text, "%s: exported to %s\n", filepath.Base(path), shorter(written))
			}
		}
	}
	if err == nil {
		text.WriteString(exps.results(path))
	}
	if res.Written != "" && b.ended != nil {
		say, e := b.ended(path)
		if text.WriteString(say); e != nil {
			err = errors.Join(err, e)
			board.To(os.Stderr, describe(e))
		}
	}
	board.To(os.Stdout, text.String())
	return err == nil
}

// describe formats an error, with the traceback if a cell failed.
func describe(err error) string {
	var b strings.Builder
	fmt.Fprintln(&b, "overcomplete run:", err)
	var cell *headless.CellError
	if errors.As(err, &cell) && cell.Limit == 0 {
		for _, line := range cell.Err.Traceback() {
			fmt.Fprintln(&b, "  "+line)
		}
	}
	return b.String()
}

// duration returns a function that parses the value of a flag (90s, 10m, or a number of seconds) and stores the result
// in *to.
func duration(to *time.Duration) func(string) error {
	return func(s string) error {
		d, err := time.ParseDuration(s)
		if n, e := strconv.ParseFloat(s, 64); e == nil {
			d, err = time.Duration(n*float64(time.Second)), nil
		}
		if err == nil && d <= 0 {
			err = errors.New("must be more than 0")
		}
		*to = d
		return err
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || strings.HasSuffix(path, string(filepath.Separator))
}

// shortPath returns a path relative to the working directory if that is shorter.
func shortPath(path string) string { return shortener()(path) }

// shortener returns a function that shortens paths as shortPath does. It looks up the working directory once.
func shortener() func(string) string {
	wd, err := os.Getwd()
	return func(path string) string {
		if err != nil {
			return path
		}
		if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
			return rel
		}
		return path
	}
}

// promote copies the results of a notebook's last run to the record, which is what later runs are compared with. The
// record is in the notebook's project, in a folder with the notebook's name.
func promote(path string) (err error) {
	old, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir(filepath.Dir(path)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Chdir(old)) }()
	root, err := record.Root()
	if err != nil {
		return err
	}
	paper := suite.PaperOf(path)
	if _, err := os.Stat(filepath.Join(root, "figures", "run", paper)); errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("%s: recorded; the run left no results in figures/run/%s\n", filepath.Base(path), paper)
		return nil
	}
	p, err := record.Promote(paper, false)
	if err != nil {
		return err
	}
	fmt.Println(p)
	return nil
}
