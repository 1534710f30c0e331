package grade

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"overcomplete/internal/exercise"
	"overcomplete/kernel/notebook"
)

// A student is one submission that is being graded.
type student struct {
	opt      *Options
	cells    []*notebook.Cell
	folder   string
	deadline time.Time
	left     []*exercise.Task // not judged yet
	without  map[int]bool     // numbers of cells that ended a process or filled its memory or disk; they are left out
	line     Line
	notes    []string // about cells
}

// grade runs a submission and returns its line, however the submission behaves. It returns an error only if
// the system fails or ctx is done.
func (o *Options) grade(ctx context.Context, s Submission, tasks []*exercise.Task) (Line, error) {
	st := &student{opt: o, left: tasks, without: map[int]bool{}, deadline: time.Now().Add(o.Time)}
	st.line.Student = s.Student
	for _, t := range tasks {
		st.line.Of += t.Worth()
	}
	if s.Fault != "" {
		st.say("%s", s.Fault)
		return st.line, nil
	}
	if fault := st.read(s.Notebook); fault != "" {
		st.say("%s", fault)
		return st.line, nil
	}
	for len(st.left) > 0 {
		again, err := st.session(ctx, s)
		if ctx.Err() != nil {
			return st.line, context.Cause(ctx)
		}
		if err != nil {
			return st.line, err
		}
		if !again {
			break
		}
	}
	st.line.Reasons = append(st.line.Reasons, st.notes...)
	return st.line, nil
}

func (st *student) say(format string, a ...any) {
	st.line.Reasons = append(st.line.Reasons, fmt.Sprintf(format, a...))
}

// largestNotebook limits the size of a notebook that the grader reads.
const largestNotebook = 64 << 20

// read reads the notebook. If that fails, it returns the reason.
func (st *student) read(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "cannot read the notebook: " + oneLine(err.Error())
	}
	if info.Size() > largestNotebook {
		return fmt.Sprintf("the notebook is larger than %d MB: clear its outputs", largestNotebook>>20)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "cannot read the notebook: " + oneLine(err.Error())
	}
	nb, err := notebook.Parse(b)
	if err != nil {
		return "it is not a notebook: " + oneLine(err.Error())
	}
	st.cells = nb.Cells
	return ""
}

// session runs the cells in a new process, and tries the functions that have not been judged yet. The result tells
// whether another session should follow. This is the case if a cell ended the process or filled its memory or disk:
// the next session leaves that cell out. It is also the case if a function ended the process before all functions
// were judged.
func (st *student) session(ctx context.Context, s Submission) (again bool, err error) {
	if st.folder, err = os.MkdirTemp("", "grade-"); err != nil {
		return false, err
	}
	defer func() {
		if err := remove(st.folder); err != nil && st.opt.Left != nil {
			st.opt.Left(st.folder, err)
		}
	}()
	if st.folder, err = filepath.EvalSymlinks(st.folder); err != nil {
		return false, err
	}
	if s.Folder != "" {
		if err := copyFolder(s.Folder, st.folder, st.opt.Disk); err != nil {
			st.giveUp(oneLine(err.Error()))
			return false, nil
		}
	}
	p, free, err := st.opt.start(st.folder)
	if err != nil {
		return false, err
	}
	defer p.close()
	defer context.AfterFunc(ctx, p.end)()
	if len(free) > 0 && !st.opt.Unconfined {
		return false, &FreeError{What: free}
	}
	st.line.Free = free
	st.notes = nil
	if again, ok := st.runCells(p); !ok {
		return again, nil
	}
	return st.tryAll(p), nil
}

// outOfMemory marks the fault of a cell that ran out of memory.
const outOfMemory = "Panic: out of memory"

// mostDeaths limits how often a student's process may die while cells run.
const mostDeaths = 3

// runCells runs the cells. It leaves out cells that ended an earlier process, or filled its memory or disk. If another
// cell does so, or if the time is up, runCells stops there, and ok is false. In that case, the result again tells
// whether the cells should run once more, in a new process.
func (st *student) runCells(p *process) (again, ok bool) {
	set := st.opt.Set
	for i, c := range st.cells {
		number := i + 1
		if c.Type != notebook.Code || c.Tagged("skip-execution") || strings.TrimSpace(c.Source) == "" {
			continue
		}
		if st.without[number] {
			st.note("cell %d was then left out", number)
			continue
		}
		r := request{Op: "run", Number: number, ID: c.ID, Source: c.Source, CellSeconds: st.opt.CellTime.Seconds()}
		if c.Tagged("parameters") {
			r.Set, set = set, nil
		}
		a, err := p.ask(r, st.deadline)
		if err != nil {
			if st.isLate() {
				st.giveUp(fmt.Sprintf("the time limit of %v was reached in cell %d", st.opt.Time, number))
				return false, false
			}
			if len(st.without) == mostDeaths {
				st.giveUp(fmt.Sprintf("the kernel ended in cell %d: %s", number, p.describeEnd()))
				return false, false
			}
			st.say("cell %d ended the kernel: %s", number, p.describeEnd())
			st.without[number] = true
			return true, false
		}
		if (strings.Contains(a.Fault, outOfMemory) || strings.Contains(a.Fault, wroteTooMuch)) && len(st.without) < mostDeaths {
			// Later cells would lack the memory or disk space that the cell still uses.
			st.say("cell %d %s", number, oneLine(a.Fault))
			st.without[number] = true
			return true, false
		}
		if a.Fault != "" {
			st.note("cell %d %s", number, a.Fault)
		}
	}
	return false, true
}

// mostNotes limits the number of failed cells that are reported.
const mostNotes = 3

func (st *student) note(format string, a ...any) {
	if len(st.notes) < mostNotes {
		st.notes = append(st.notes, oneLine(fmt.Sprintf(format, a...)))
	}
}

// tryAll judges the remaining tasks. The result tells whether the process ended before the last task was judged.
func (st *student) tryAll(p *process) (again bool) {
	for len(st.left) > 0 {
		t := st.left[0]
		fault, died := st.try(p, t)
		if died && st.isLate() {
			st.giveUp(fmt.Sprintf("the time limit of %v was reached in %s", st.opt.Time, t.Name))
			return false
		}
		st.left = st.left[1:]
		if fault == "" {
			st.line.Points += t.Worth()
		} else {
			st.say("%s: %s", t.Name, fault)
		}
		if died {
			return len(st.left) > 0
		}
	}
	return false
}

// try runs the student's function on the grader's cases of a task. It returns the fault that it finds, or ""; died
// reports whether the function has ended the process.
func (st *student) try(p *process, t *exercise.Task) (fault string, died bool) {
	seeds := exercise.Seeds(t.Name, st.opt.Seed)
	var results []any // results of the cases before the first wrong result
	for i, seed := range seeds {
		got, a, err := st.call(p, t, seed)
		if err != nil {
			return "it ended the kernel: " + p.describeEnd(), true
		}
		results = append(results, got)
		switch {
		case a.Fault == "" && t.Judge(seed, got) == "":
		case a.Fault == "":
			// Ask for the other cases only if the function may still be the empty one from the notebook.
			for len(results) < len(seeds) && t.NotStarted(seeds, results) {
				next, b, err := st.call(p, t, seeds[len(results)])
				if err != nil {
					return "it ended the kernel: " + p.describeEnd(), true
				}
				if b.Fault != "" {
					break
				}
				results = append(results, next)
			}
			if len(results) == len(seeds) && t.NotStarted(seeds, results) {
				return "it returns what the empty function returns: not attempted, or without effect", false
			}
			return t.DescribeCase(i+1, seed) + ": " + t.Judge(seed, got), false
		case strings.HasPrefix(a.Fault, "there is no function"), strings.HasPrefix(a.Fault, t.Function+": "):
			return a.Fault, false
		default:
			return t.DescribeCase(i+1, seed) + ": " + a.Fault, false
		}
	}
	return "", false
}

// call returns what the student's function returns for the case that belongs to the seed. If the student's function
// fails, or its result cannot be decoded, a.Fault says so. err is not nil if the process has ended.
func (st *student) call(p *process, t *exercise.Task, seed uint64) (got any, a answer, err error) {
	if a, err = p.ask(request{Op: "try", Task: t.Name, Seed: seed}, st.deadline); err != nil || a.Fault != "" {
		return nil, a, err
	}
	got, wrong := t.Decode(a.Result)
	if wrong != nil {
		a.Fault = wrong.Error()
	}
	return got, a, nil
}

func (st *student) isLate() bool { return !time.Now().Before(st.deadline) }

// giveUp awards no points for the remaining tasks, and reports why as the reason.
func (st *student) giveUp(why string) {
	var names []string
	for _, t := range st.left {
		names = append(names, t.Name)
	}
	st.say("%s; not tried: %s", why, strings.Join(names, " "))
	st.left = nil
}
