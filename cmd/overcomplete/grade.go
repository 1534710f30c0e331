package main

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel/headless"
	"overcomplete/suite/grade"
)

const gradeUsage = `usage: overcomplete grade [flags] DIR --out grades.csv

Runs students' notebooks, DIR/NAME.ipynb or DIR/NAME/*.ipynb, and writes a line for each: name,
points, out of, reasons. Saved outputs do not count, nor does anything that a notebook says about
its own results. The cells of each notebook run in a separate process. Then the grader calls the
student's functions with cases that nobody has seen, and compares the answers in its own process.

Each student's process is limited in time, memory and disk space. It sees a copy of its own
folder, but no other files, no network and no other processes. If the system cannot enforce all
these limits, the command says which are missing and stops. With --unconfined it goes on, and
each line says which limits were missing.

The exit status is 1 if the grading did not finish, 2 for a mistake in the command, and 130 after
Ctrl-C. It does not depend on the points.

`

// gradeKernelCommand is the subcommand that the grader starts as the process for one student.
const gradeKernelCommand = "grade-kernel"

// runGradeKernel is the subcommand that the grader starts as the process for one student. It serves the grader's
// requests, which arrive on standard input.
func runGradeKernel([]string) int {
	if err := grade.Serve(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "overcomplete:", err)
		return 1
	}
	return 0
}

// runGrade grades a folder of notebooks: the subcommand "grade".
func runGrade(args []string) int {
	o := grade.Options{Time: 5 * time.Minute, CellTime: time.Minute}
	fs := newFlags("grade", gradeUsage)
	out := fs.String("out", "", "write the lines to this `file`, as CSV")
	fs.StringVar(&o.Notebook, "notebook", "", "the `name` of the notebook whose exercises count: "+strings.Join(grade.Notebooks(), ", ")+"; default: the name of the files in the students' folders")
	fs.Func("set", "set a parameter, `name=value`, after the cell with the parameters; may be repeated", func(s string) error {
		a, err := headless.ParseAssignment(s)
		o.Set = append(o.Set, [2]string{a.Name, a.Text})
		return err
	})
	fs.IntVar(&o.Jobs, "j", 1, "how many students' notebooks run at once")
	fs.Func("timeout", "the longest `duration` for one student; default 5m", duration(&o.Time))
	fs.Func("cell-timeout", "the longest `duration` for one cell; default 1m", duration(&o.CellTime))
	memory := fs.Int64("memory", 2048, "the most memory for one student, in `MB`")
	disk := fs.Int64("disk", 256, "the most disk space for one student, in `MB`; where Linux allows it, this disk is in memory and adds to --memory")
	seed := fs.Uint64("seed", 0, "the `number` that determines the cases; default: a random number, which is printed")
	fs.BoolVar(&o.Unconfined, "unconfined", false, "grade even if the system cannot enforce all limits on what notebooks do")
	folders, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	switch {
	case len(folders) != 1:
		return mistake(fs, "name the folder with the students' notebooks")
	case *out == "":
		return wrong(fs, "name the file to write, for example --out grades.csv")
	case o.Jobs < 1:
		return wrong(fs, "-j must be a number of notebooks, not %d", o.Jobs)
	case *memory < 256 || *memory > 1<<20:
		return wrong(fs, "--memory must be from 256 to %d MB: the kernel itself takes about 200 MB", 1<<20)
	case *disk < 1 || *disk > 1<<20:
		return wrong(fs, "--disk must be from 1 to %d MB", 1<<20)
	}
	o.Memory, o.Disk, o.Seed = *memory<<20, *disk<<20, *seed
	var err error
	if o.Notebook == "" {
		if o.Notebook, err = grade.FindNotebook(folders[0]); err != nil {
			return wrong(fs, "%v", err)
		}
	}
	binary, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	o.Program = []string{binary, gradeKernelCommand}
	if o.Seed == 0 {
		o.Seed = randomSeed()
	}
	list, err := grade.Find(folders[0], o.Notebook)
	if err != nil {
		return fail(err)
	}
	fmt.Fprintf(os.Stderr, "%d notebooks, exercises of %s; --seed %d chooses the same cases again\n", len(list), o.Notebook, o.Seed)
	done := 0
	o.Done = func(l grade.Line) {
		done++
		fmt.Fprintf(os.Stderr, "%d of %d: %s: %s of %s\n", done, len(list), strconv.Quote(l.Student), number(l.Points), number(l.Of))
	}
	o.Left = func(folder string, err error) {
		fmt.Fprintf(os.Stderr, "overcomplete grade: remove %s yourself; a notebook has written files there: %v\n", folder, err)
	}
	ctx, stopped, cancel := untilStopped()
	defer cancel()
	lines, err := grade.Run(ctx, list, o)
	if ctx.Err() != nil {
		fmt.Fprintln(os.Stderr, "overcomplete grade: stopped; nothing was written")
		return <-stopped
	}
	var free *grade.FreeError
	if errors.As(err, &free) {
		return fail(free)
	}
	if err != nil {
		return fail(err)
	}
	if err := grade.Write(*out, lines); err != nil {
		return fail(err)
	}
	fmt.Fprintf(os.Stderr, "written to %s\n", shortPath(*out))
	return 0
}

// randomSeed returns a random seed that is not 0.
func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:]) // cannot fail
	return binary.BigEndian.Uint64(b[:])>>1 | 1
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
