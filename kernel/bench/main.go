package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"overcomplete/internal/pyenv"
)

func main() {
	if err := bench(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// defaultPython returns the Python of package pyenv, which make bench installs, or else the system's Python.
func defaultPython() string {
	if p := pyenv.Peers.Find(); p != "" {
		return p
	}
	return "/usr/bin/python3"
}

const folder = "kernel/bench" // the command runs in the module's root

func bench() error {
	only := flag.String("run", "", "run the rows whose names match this `regexp` alone, and do not write RESULTS.md")
	limit := flag.Duration("limit", 5*time.Minute, "about how long it may take: what runs long takes fewer turns, at least 3")
	quick := flag.Bool("quick", false, "sizes a tenth, few rounds; do not write RESULTS.md")
	rounds := flag.Int("rounds", 5, "turns of each peer after its first")
	program := flag.String("kernel", "bin/overcomplete", "the program whose kernel is measured")
	before := flag.String("before", "", "an earlier kernel in the same run: its program, or a `commit` to build it from")
	python := flag.String("python", defaultPython(), "the Python to compare with")
	out := flag.String("o", "", "write the tables to this file; a full run writes "+folder+"/RESULTS.md unless this is set")
	figures := flag.String("json", "", "write the figures to this file too; "+folder+"/baseline.json is read for those of before")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if *out == "" && *only == "" && !*quick {
		*out = filepath.Join(folder, "RESULTS.md")
	}
	if *quick {
		*rounds = min(*rounds, 2)
	}

	begin := time.Now()
	r := &Results{Date: begin.Format(time.DateOnly), Machine: machine(), Load: load(), Quick: *quick,
		Command: strings.Join(append([]string{"go run ./" + folder}, os.Args[1:]...), " ")}
	if *program, err = filepath.Abs(*program); err != nil {
		return err
	}
	old := ""
	if *before != "" {
		fmt.Fprintf(os.Stderr, "the kernel of before: %s\n", *before)
		var tidy func()
		if old, tidy, err = earlierKernel(*before); err != nil {
			return err
		}
		defer tidy()
	}
	k, err := findKinds(*program, old, *python)
	if err != nil {
		return err
	}
	r.Versions, r.Missing = k.versions(), k.missing
	for _, m := range k.missing {
		fmt.Fprintln(os.Stderr, "left out:", m)
	}
	// Ctrl-C also reaches the kernels and ends their cells, so the row ends soon.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.measureAll(ctx, r, pattern, *quick, *rounds, begin.Add(*limit))
	if ctx.Err() != nil {
		return errors.New("stopped: nothing is written")
	}
	if len(r.Programs)+len(r.Others) == 0 {
		return fmt.Errorf("no row is called like %q", *only)
	}
	r.recall(k.before != nil, *before)
	r.Took = time.Since(begin).Round(time.Second).String()

	r.report(os.Stdout)
	return errors.Join(r.save(*out, *figures), r.fault())
}

// oneOther is the approximate duration of a row of the second table. These rows always take all their turns.
const oneOther = 6 * time.Second

// measureAll measures the rows whose names match pattern, and prints each row's name as it starts.
func (k kinds) measureAll(ctx context.Context, r *Results, pattern *regexp.Regexp, quick bool, rounds int, end time.Time) {
	programs := slices.DeleteFunc(slices.Clone(rows), func(p program) bool { return !pattern.MatchString(p.name) })
	others := slices.DeleteFunc(others(quick), func(o otherRow) bool { return !pattern.MatchString(o.name) })
	end = end.Add(-time.Duration(len(others)) * oneOther)
	for i, p := range programs {
		if ctx.Err() != nil {
			return
		}
		fmt.Fprintln(os.Stderr, p.name)
		budget := max(time.Until(end), 0) / time.Duration(len(programs)-i)
		r.Programs = append(r.Programs, k.measure(p, quick, rounds, budget))
	}
	r.Others = perCall(r.Programs)
	for _, o := range others {
		if ctx.Err() != nil {
			return
		}
		fmt.Fprintln(os.Stderr, o.name)
		r.Others = append(r.Others, k.measureOther(o))
	}
}

// recall sets r.Before, the text that says what the results are compared with. If ran is true, the results are compared
// with the earlier kernel of the given name, which took part in the same run. Otherwise recall takes the earlier times
// from baseline.json.
func (r *Results) recall(ran bool, name string) {
	if ran {
		r.Before = name + ", in the same run"
		return
	}
	then, err := readResults(filepath.Join(folder, "baseline.json"))
	if err != nil {
		r.Before = "nothing to compare with: " + err.Error()
		return
	}
	r.Before = fmt.Sprintf("baseline.json of %s (%s); each of these earlier times is multiplied by the factor by which the peer (Go, or CPython if Go was not measured) is slower now", then.Date, then.Versions[0])
	remember(r.Programs, then.Programs)
	remember(r.Others, then.Others)
}

func (r *Results) save(tables, figures string) error {
	var errs []error
	if tables != "" {
		var b strings.Builder
		r.report(&b)
		errs = append(errs, os.WriteFile(tables, []byte(b.String()), 0o666))
	}
	if figures != "" {
		errs = append(errs, r.write(figures))
	}
	return errors.Join(errs...)
}

// fault returns an error if any row failed or printed a wrong checksum.
func (r *Results) fault() error {
	if faults := r.faults(); len(faults) > 0 {
		return fmt.Errorf("%d rows are wrong:\n%s", len(faults), strings.Join(faults, "\n"))
	}
	return nil
}

// machine describes the machine on which the measurements are made.
func machine() string {
	return fmt.Sprintf("%s, %d cores, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

// processor returns the name of the processor, if the system provides it.
func processor() string {
	name := os.Getenv("PROCESSOR_IDENTIFIER") // Windows
	switch runtime.GOOS {
	case "linux":
		text, _ := os.ReadFile("/proc/cpuinfo")
		for line := range strings.Lines(string(text)) {
			if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	case "darwin":
		out, _ := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
		name = strings.TrimSpace(string(out))
	}
	return cmp.Or(name, "a processor that does not say its name")
}

// load returns the load average of the last minute, or "" if it is unknown.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
