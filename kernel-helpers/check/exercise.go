package check

import (
	"fmt"
	"strings"

	"overcomplete/internal/exercise"
	"overcomplete/ui/cell"
)

// A Task is one exercise: a function to be written by the student. A Task has a name, the function's type, a
// generator of cases from a seed, the reference solution, the tolerance and a hint.
type Task = exercise.Task

// A Mistake is a typical wrong answer to an exercise, with a sentence for the student who gives it.
type Mistake = exercise.Mistake

// A Case is one input of an exercise.
type Case = exercise.Case

// Register adds an exercise; call it in an init function of the package that the notebook is about. It panics
// if a field of the task is missing or if the name is already registered.
func Register(t Task) { exercise.Register(t) }

// A Verdict says whether a function solves an exercise. A cell shows it as a green or a red line, or as a gray line if
// the exercise has not been started.
type Verdict struct {
	Exercise string
	Right    bool
	// Text says what Exercise found. Mistake names a typical mistake that explains all results. Hint tells the
	// student what to think about, after the two smaller hints in Nudges. Each may be empty.
	Text, Mistake string
	Nudges        [2]string
	Hint          string

	open bool // the exercise has not been started
}

// NotStarted returns the verdict for an exercise that has not been started: neither right nor wrong.
func NotStarted(name string) Verdict {
	return Verdict{Exercise: name, Text: "not started: write the function, run its cell, and then this one", open: true}
}

// Must returns the verdict if the answer is right. Otherwise it panics with the verdict's text, so that the
// cell fails: nbgrader gives points to cells that do not fail.
func (v Verdict) Must() Verdict {
	if !v.Right {
		panic(v.String())
	}
	return v
}

// Exercise tries a function on cases of a registered exercise. The verdict identifies a failing case by its size and
// seed, and never contains the answer. A function that still does what the notebook's empty function does counts as not
// started. If the cell is interrupted, Exercise panics, which ends the cell.
func Exercise(name string, f any) Verdict {
	t := exercise.Find(name)
	if t == nil {
		return Verdict{Exercise: name, Text: "there is no such exercise" + exerciseNames()}
	}
	if why := t.Unfit(f); why != "" {
		return Verdict{Exercise: name, Text: why}
	}
	e, err := t.Examine(cell.Context(), cell.Start, f)
	if err != nil {
		panic(err) // the kernel recognizes this panic as the end of an interrupted cell
	}
	if e.NotStarted {
		return NotStarted(name)
	}
	for i, seed := range exercise.Seeds(name, 0) {
		if i == len(e.Faults) || e.Faults[i] == "" {
			continue
		}
		text := t.DescribeCase(i+1, seed) + ": " + e.Faults[i]
		if n := e.Right(); n > 0 {
			text += fmt.Sprintf("; %d of %d cases are right", n, len(e.Faults))
		}
		return Verdict{Exercise: name, Text: text, Mistake: e.Mistake, Nudges: t.Nudges, Hint: t.Hint(t.Draw(seed))}
	}
	return Verdict{Exercise: name, Right: true, Text: fmt.Sprintf("right, on %d cases", exercise.Tries)}
}

// exerciseNames returns the end of the message about an unknown exercise: it lists the names of the registered
// exercises.
func exerciseNames() string {
	var names []string
	for _, t := range exercise.TasksOf("") {
		names = append(names, t.Name)
	}
	if names == nil {
		return ": none is registered"
	}
	return "; there are " + strings.Join(names, ", ")
}
