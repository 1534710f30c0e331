package builtin

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
)

// A cost is the time and memory that some runs of a statement took.
type cost struct {
	runs   int
	time   time.Duration
	allocs uint64
	bytes  uint64
}

func (c cost) perRun() float64 { return float64(c.time) / float64(c.runs) } // perRun returns the time per run in ns.

// A clock measures the time and the memory that are used between a call to start() and a call to stop().
type clock struct {
	mem runtime.MemStats
	at  time.Time
}

func (c *clock) start() {
	runtime.ReadMemStats(&c.mem)
	c.at = time.Now()
}

func (c *clock) stop(runs int) cost {
	took := time.Since(c.at)
	before := c.mem
	runtime.ReadMemStats(&c.mem)
	return cost{runs, took, c.mem.Mallocs - before.Mallocs, c.mem.TotalAlloc - before.TotalAlloc}
}

// time implements %time, which runs the code once. The clock starts just before the first statement runs, so compile
// time is not included.
func (c *call) time(ctx context.Context) ([]engine.Value, error) {
	var k clock
	started := false
	c.runner.begun = func() { k.start(); started = true }
	// The call to b__ is not longer than the command that it replaces, so columns stay correct.
	const begin = "b__();"
	if err := c.runner.provide(ctx, "b__", "func()", func() { c.runner.begun() }); err != nil {
		return nil, err
	}
	source := c.code[:c.Start] + begin + c.code[c.Start+len(begin):]
	if strings.TrimSpace(c.code) == "" {
		return nil, c.fail("there is nothing to time")
	}
	values, err := c.runner.Session.Run(ctx, engine.Cell{Name: c.cell.Name, Source: source, Whole: c.cell.All()})
	if started {
		t := k.stop(1)
		fmt.Fprintf(c.runner.Stdout, "time: %s, %s in %s\n", duration(t.perRun()), size(t.bytes), count(t.allocs, "allocation"))
	}
	return values, err
}

// timeit implements %timeit, which runs the code many times.
func (c *call) timeit(ctx context.Context) ([]engine.Value, error) {
	runs, repeats, err := flags(c.Args)
	if err != nil {
		return nil, c.fail("%v", err)
	}
	if c.tree == nil || len(c.tree.Stmts) == 0 {
		return nil, c.fail("there is nothing to time")
	}
	// Declarations stay at the cell's top level; statements go into a loop.
	statements := []byte(c.code)
	declarations := []byte(c.code)
	for _, chunk := range cellsyntax.Split(c.code) {
		part := statements
		if chunk.Kind == cellsyntax.Stmt {
			part = declarations
		}
		for i := chunk.Start; i < chunk.End; i++ {
			if part[i] != '\n' {
				part[i] = ' '
			}
		}
	}
	if strings.TrimSpace(string(declarations)) != "" {
		if _, err := c.runner.Session.Run(ctx, engine.Cell{Name: c.cell.Name, Source: string(declarations), Whole: c.cell.All()}); err != nil {
			return nil, err
		}
	}

	var costs []cost
	var loop float64
	c.runner.sample = func(run, empty func(int)) {
		costs = measure(run, runs, repeats)
		e := measure(empty, costs[0].runs, 3) // the time of the code includes the loop around it
		loop = median(e).perRun()
	}
	if err := c.runner.provide(ctx, "bench__", "func(run, empty func(int))", func(run, empty func(int)) { c.runner.sample(run, empty) }); err != nil {
		return nil, err
	}
	open, shut := "", ""
	if leavesLoop(c.tree.Stmts) {
		open, shut = "func() { ", "\n}()"
	}
	source := func(assign string) string {
		// The code stays on its line, and a line directive restores its column.
		head := string(statements[:c.CodeStart])
		line := 1 + strings.Count(head, "\n")
		col := c.CodeStart - strings.LastIndexByte(head, '\n')
		return head + fmt.Sprintf("bench__(func(n__ int) { for ; n__ > 0; n__-- { %s%s/*line :%d:%d*/", open, assign, line, col) +
			string(statements[c.CodeStart:]) + shut + "\n}}, func(n__ int) { for ; n__ > 0; n__-- {}})"
	}
	_, err = c.runner.Session.Run(ctx, engine.Cell{Name: c.cell.Name, Source: source("")})
	if _, isExpr := c.tree.Stmts[0].(*ast.ExprStmt); isExpr && len(c.tree.Stmts) == 1 && isUnused(err) {
		_, err = c.runner.Session.Run(ctx, engine.Cell{Name: c.cell.Name, Source: source("_ = ")})
	}
	if err != nil {
		return nil, err
	}
	c.report(costs, loop)
	return nil, nil
}

// leavesLoop reports whether the statements may leave the body of a loop around them: with return, or with a break or
// continue that is not inside a loop, switch or select among them. %timeit then puts them into a function, so that they
// end only this function and not the loop.
func leavesLoop(stmts []ast.Stmt) (leaves bool) {
	var visit func(n ast.Node, inside bool)
	visit = func(n ast.Node, inside bool) {
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				leaves = true
			case *ast.BranchStmt:
				leaves = leaves || !inside && x.Label == nil
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if !inside {
					visit(x, true)
					return false
				}
			}
			return !leaves
		})
	}
	for _, s := range stmts {
		visit(s, false)
	}
	return leaves
}

// isUnused reports whether err is the type error for an expression whose value is not used.
func isUnused(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Kind == engine.Type && len(e.Faults) == 1 && strings.HasSuffix(e.Message, "is not used")
}

// report prints the result of %timeit. costs holds the samples, and loop is the time in nanoseconds that one run of an
// empty loop takes.
func (c *call) report(costs []cost, loop float64) {
	m := median(costs)
	lo, hi := math.Inf(1), 0.0
	for _, t := range costs {
		lo, hi = min(lo, t.perRun()), max(hi, t.perRun())
	}
	w := c.runner.Stdout
	fmt.Fprintf(w, "%s per run (median of %d × %d; %s to %s), %d B/op, %d allocs/op\n",
		duration(m.perRun()), len(costs), m.runs, duration(lo), duration(hi),
		uint64(math.Round(float64(m.bytes)/float64(m.runs))), uint64(math.Round(float64(m.allocs)/float64(m.runs))))
	if loop > m.perRun()/20 {
		fmt.Fprintf(w, "%s of this is the loop around the code\n", duration(min(loop, m.perRun())))
	}
}

// flags parses -n RUNS and -r REPEATS; a result of 0 means that the flag is missing.
func flags(args string) (runs, repeats int, err error) {
	for _, m := range flagText.FindAllStringSubmatch(args, -1) {
		n, e := strconv.Atoi(m[2])
		if e != nil || n < 1 {
			return 0, 0, fmt.Errorf("-%s %s: must be an integer, 1 or larger", m[1], m[2])
		}
		switch m[1] {
		case "n":
			runs = n
		case "r":
			repeats = n
		default:
			return 0, 0, fmt.Errorf("unknown flag -%s: the flags are -n RUNS and -r REPEATS", m[1])
		}
	}
	if rest := strings.TrimSpace(flagText.ReplaceAllString(args, "")); rest != "" {
		return 0, 0, fmt.Errorf("%q is not a flag: the flags are -n RUNS and -r REPEATS", rest)
	}
	return runs, repeats, nil
}

var flagText = regexp.MustCompile(`-([a-z])[ \t]*([0-9]+)`)

const (
	batch      = 70 * time.Millisecond // duration of one sample, approximately
	allSamples = 2 * time.Second       // limit for all samples together
	maxRuns    = 1_000_000_000
)

// measure returns samples of the time of f, where f(n) runs the code n times. If runs is positive, each sample is one
// call f(runs). If runs is 0, measure increases n, as package testing does, until f(n) takes long enough to be timed;
// each sample is then one call with this n. The number of samples is repeats; if repeats is 0, measure chooses the
// number.
func measure(f func(int), runs, repeats int) []cost {
	var k clock
	sample := func(n int) cost {
		k.start()
		f(n)
		return k.stop(n)
	}
	runtime.GC()
	given := runs > 0
	n := max(1, runs)
	c := sample(n)
	for !given && c.time < batch/2 && n < maxRuns {
		// Aim for the number of runs that takes as long as a batch, but at most a hundred times the previous
		// number, because the first runs are slow.
		want := float64(batch) / max(1, c.perRun())
		n = max(n+1, int(min(want, 100*float64(n), maxRuns)))
		c = sample(n)
	}
	if repeats == 0 {
		repeats = 7
		if c.time > 0 {
			repeats = int(min(max(1, float64(allSamples)/float64(c.time)), 7))
		}
	}
	costs := []cost{c}
	for len(costs) < repeats {
		costs = append(costs, sample(n))
	}
	return costs
}

// median returns the sample with the median time. For an even number of samples, this is the faster of the two in the
// middle.
func median(costs []cost) cost {
	s := slices.Clone(costs)
	slices.SortFunc(s, func(a, b cost) int { return int(a.time - b.time) })
	return s[(len(s)-1)/2]
}

// duration formats nanoseconds with three significant digits.
func duration(ns float64) string {
	for _, u := range []struct {
		unit string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= 0.9995*u.ns {
			return strconv.FormatFloat(ns/u.ns, 'f', digits(ns/u.ns), 64) + " " + u.unit
		}
	}
	return strconv.FormatFloat(ns, 'f', digits(ns), 64) + " ns"
}

// digits returns the number of decimals that gives three significant digits.
func digits(x float64) int {
	switch {
	case x >= 99.95:
		return 0
	case x >= 9.995:
		return 1
	}
	return 2
}

// size formats a number of bytes.
func size(n uint64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}

func count(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
