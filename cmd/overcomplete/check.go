package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"overcomplete/data"
	"overcomplete/internal/inside"
	"overcomplete/internal/terminal"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/live"
	"overcomplete/kernel/live/node"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
	"overcomplete/suite"
	"overcomplete/suite/regress"
)

const checkUsage = `usage: overcomplete check [flags] [NOTEBOOK...]

Runs notebooks again on generated data, outside the project's folder, and compares
their results with the expected ones (suite/regress/expected): numbers within each
row's own tolerance, figures by structure and by rendered difference. A notebook whose
code was changed after its outputs were recorded also fails. The exit status is 1 if
anything differs.

`

// runCheck runs notebooks and finds what has changed: the subcommand "check".
func runCheck(args []string) int {
	fs := newFlags("check", checkUsage)
	size := fs.String("size", record.Smoke, "smoke, lecture, or both separated by a comma")
	update := fs.Bool("update", false, "make this run's results the expected ones (after you have looked at them)")
	twice := fs.Bool("twice", false, "run each notebook twice, and require the same bytes both times")
	inBrowser := fs.Bool("live", false, "run in the kernel for browsers, under node (must be installed): numbers must agree, figures need only exist")
	notebooks, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	root, err := projectHere()
	if err != nil {
		return fail(err)
	}
	sizes := strings.Split(*size, ",")
	for _, size := range sizes {
		if size != record.Smoke && size != record.Lecture {
			return wrong(fs, "no results are expected at size %q, only at smoke and lecture", size)
		}
	}
	if len(notebooks) == 0 {
		if notebooks, err = filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb")); err != nil {
			return fail(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := checker{root: root, update: *update, twice: *twice}
	if c.binary, err = os.Executable(); err != nil {
		return fail(err)
	}
	if *inBrowser {
		if *update {
			return wrong(fs, "--update takes expected results from this machine's kernel: leave out -live")
		}
		var done func()
		c.live, done, err = liveProgram(ctx)
		defer done()
		if err != nil {
			return fail(err)
		}
	}
	code = 0
	for _, path := range notebooks {
		if err := c.drift(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	for _, size := range sizes {
		for _, path := range notebooks {
			text, err := c.checkOne(ctx, path, size)
			if ctx.Err() != nil {
				fmt.Fprintln(os.Stderr, "overcomplete check: stopped")
				return 130
			}
			fmt.Print(text)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	return code
}

// A checker runs copies of notebooks in temporary projects, and compares their results with the expected ones.
type checker struct {
	root, binary  string
	update, twice bool
	live          *node.Program // runs the notebooks, if not nil
}

// drift returns an error if a notebook's outputs do not come from its present code.
func (c *checker) drift(path string) error {
	nb, err := notebook.Read(path)
	if err != nil {
		return err
	}
	bad := regress.Drift(nb)
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%s: the recorded outputs come from different code; look at the notebook, and record it again (overcomplete run --record):\n  %s",
		shortPath(path), strings.Join(bad, "\n  "))
}

// checkOne runs the notebook at path and compares the results with the expected ones. It returns a line to print, or
// an error that lists the differences. If c.update is set and there are differences, checkOne stores the new results
// as the expected ones, and returns the differences as text to print.
func (c *checker) checkOne(ctx context.Context, path, size string) (string, error) {
	paper := suite.PaperOf(path)
	name := paper + ", " + size
	begin := time.Now()
	folder, done, err := c.run(ctx, path, size)
	defer done()
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	collect := regress.Collect
	if c.live != nil {
		collect = regress.CollectNumbers
	}
	now, err := collect(filepath.Join(folder, "figures", "run", paper))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	what := fmt.Sprintf("%d rows, %d figures, %.1f s", len(now.Results.Rows), len(now.Figures), time.Since(begin).Seconds())
	var bad []string
	if c.twice {
		again, done, err := c.run(ctx, path, size)
		defer done()
		if err != nil {
			return "", fmt.Errorf("%s, second run: %w", name, err)
		}
		if bad, err = regress.Same(filepath.Join(folder, "figures", "run", paper), filepath.Join(again, "figures", "run", paper)); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		what += ", twice"
		if len(bad) > 0 && c.update { // results that vary at random must not become expected results
			return "", fmt.Errorf("%s: not updated, because two runs differ (%s):\n  %s", name, what, strings.Join(bad, "\n  "))
		}
	}
	file := regress.Path(c.root, size, paper)
	want, err := regress.Read(file)
	switch {
	case err != nil && (!errors.Is(err, fs.ErrNotExist) || !c.update):
		return "", fmt.Errorf("%s: %w (if this paper is new: overcomplete check --update)", name, err)
	case err != nil:
		bad = append(bad, "no results were expected so far")
	case c.live != nil:
		bad = append(bad, compareLive(now, want)...)
	default:
		bad = append(bad, regress.Compare(now, want)...)
	}
	if len(bad) == 0 {
		return fmt.Sprintf("%s: as expected (%s)\n", name, what), nil
	}
	list := "\n  " + strings.Join(bad, "\n  ")
	if !c.update {
		return "", fmt.Errorf("%s: not as expected (%s):%s", name, what, list)
	}
	if err := inside.Check(c.root, file); err != nil {
		return "", err
	}
	if err := now.Write(file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: updated (%s):%s\n", name, what, list), nil
}

// run executes a copy of a notebook in a temporary project, without real data, and with the exercises' solutions. It
// returns the root of that project, and a function that removes the project.
func (c *checker) run(ctx context.Context, path, size string) (root string, done func(), err error) {
	root, err = os.MkdirTemp("", "overcomplete-check-")
	done = func() { os.RemoveAll(root) }
	if err != nil {
		return root, done, err
	}
	if err := c.copyProject(root, path); err != nil {
		return root, done, err
	}
	if c.live != nil {
		return root, done, c.runLive(ctx, root, path, size)
	}
	return root, done, c.runHere(ctx, root, path, size)
}

// runHere runs the copy of the notebook at path in the project at root.
func (c *checker) runHere(ctx context.Context, root, path, size string) error {
	copied := filepath.Join(root, "notebooks", filepath.Base(path))
	opt := headless.Options{Progress: io.Discard, Once: sizeAssignment(size)}
	nb, err := notebook.Read(copied)
	if err != nil {
		return err
	}
	if slices.Contains(headless.Parameters(nb), "solutions") {
		opt.Set = append(opt.Set, headless.Assignment{Name: "solutions", Text: "true"})
	}
	if terminal.Is(os.Stdout) {
		opt.Progress = os.Stdout
	}
	env := []string{data.Variable + "="}
	opt.New, opt.Modules = worker(c.binary, env), notebookModules(c.binary, env)
	_, err = headless.Run(ctx, copied, opt)
	if err != nil {
		err = errors.New(strings.TrimSpace(strings.TrimPrefix(describe(err), "overcomplete run: ")))
	}
	return err
}

// copyProject makes a project at root. The project contains the notebook at path, and the intermediate results that
// the papers keep in their folders named trained.
func (c *checker) copyProject(root, path string) error {
	files := map[string]string{"go.mod": filepath.Join(c.root, "go.mod"), filepath.Join("notebooks", filepath.Base(path)): path}
	kept, err := filepath.Glob(filepath.Join(c.root, "paper", "*", "trained", "*"))
	if err != nil {
		return err
	}
	for _, f := range kept {
		rel, err := filepath.Rel(c.root, f)
		if err != nil {
			return err
		}
		files[rel] = f
	}
	for to, from := range files {
		b, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		to = filepath.Join(root, to)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, b, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// liveProgram builds the kernel for browsers. It returns the files with which node can run that kernel, and a function
// that removes these files.
func liveProgram(ctx context.Context) (p *node.Program, done func(), err error) {
	site, err := os.MkdirTemp("", "overcomplete-check-live-")
	done = func() { os.RemoveAll(site) }
	if err != nil {
		return nil, done, err
	}
	b := live.Builder{Version: releaseVersion(), Quality: live.Fast, Say: func(s string) { fmt.Fprintln(os.Stderr, s+" …") }}
	set, err := live.Named("full")
	if err != nil {
		return nil, done, err
	}
	k, err := b.Kernel(ctx, set)
	if err != nil {
		return nil, done, err
	}
	f, err := live.Write(ctx, site, k, live.Options{BrotliOnly: true})
	if err != nil {
		return nil, done, err
	}
	return &node.Program{Kernel: filepath.Join(site, f.Kernel+".br"), Worker: filepath.Join(site, f.Worker)}, done, nil
}

// runLive is like runHere, but the notebook runs in the kernel for browsers, under node.
func (c *checker) runLive(ctx context.Context, root, path, size string) error {
	nb, err := notebook.Read(path)
	if err != nil {
		return err
	}
	text, set, err := live.ForBrowser(nb, size)
	if err != nil {
		return err
	}
	if set != size {
		return fmt.Errorf("%s has no parameter named size", shortPath(path))
	}
	if nb, err = notebook.Parse(text); err != nil {
		return err
	}
	var cells []*notebook.Cell
	for _, cell := range nb.Cells {
		if cell.Type == notebook.Code && !cell.Tagged("skip-execution") {
			cells = append(cells, cell)
		}
	}
	_, err = node.Run(ctx, *c.live, root, cells)
	return err
}

// compareLive is like regress.Compare, but does not compare the content of figures, which only have to exist. It is
// for results from the kernel for browsers, whose floating-point arithmetic differs from this machine's. It overwrites
// the figures in the argument now.
func compareLive(now, want *regress.Snapshot) []string {
	for name, figure := range want.Figures {
		if _, ok := now.Figures[name]; ok {
			now.Figures[name] = figure
		}
	}
	return regress.Compare(now, want)
}
