package check

import (
	"fmt"
	"html"
	"math"
	"strings"

	"overcomplete/internal/alike"
	"overcomplete/internal/exercise"
	"overcomplete/ui/cell"
)

// A Task is one exercise: a function to be written by the student. A Task has a name, the function's type, a
// generator that makes cases from a seed, the reference solution, the tolerance and a hint.
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

// A Result says whether two values are close. A cell shows it as a green or a red line.
type Result struct {
	// Right reports whether the values are close.
	Right bool
	// Difference is the largest difference of two numbers, relative to the largest number in want; it is NaN
	// if either value contains a NaN, and 0 if the shapes differ.
	Difference float64
	// Where is the position of the largest difference, such as "[2][3]"; Got and Want are the values there.
	Where, Got, Want string
	// Shape says how the shapes differ; it is "" if they are equal.
	Shape string
}

// Close compares got with want. Both may be numbers, slices, slices of slices, matrices or vectors of package mat, or
// structs of these types; all numbers may be complex. Two numbers are close if they differ by at most tolerance
// (default 1e-9) times the largest number in want. NaN is never close.
func Close(got, want any, tolerance ...float64) Result {
	within := alike.Tolerance
	switch {
	case len(tolerance) > 1:
		panic(fmt.Sprintf("check: Close: one tolerance, not %d", len(tolerance)))
	case len(tolerance) == 1 && !(tolerance[0] > 0):
		panic(fmt.Sprintf("check: Close: the tolerance must be more than 0, not %v", tolerance[0]))
	case len(tolerance) == 1:
		within = tolerance[0]
	}
	d := alike.Compare(got, want, within)
	return Result{Right: d.Right, Difference: d.Largest, Where: d.Where, Got: d.Got, Want: d.Want, Shape: d.Reason}
}

// text returns what the line for r says, without the mark ✓ or ✗.
func (r Result) text() string {
	at := ""
	if r.Where != "" {
		at = " at " + r.Where
	}
	switch {
	case r.Shape != "":
		return r.Shape
	case r.Right && r.Difference == 0:
		return "right: no difference"
	case r.Right:
		return fmt.Sprintf("right: the largest difference is %.1e of the largest number%s", r.Difference, at)
	case math.IsNaN(r.Difference):
		return fmt.Sprintf("a NaN%s: got %s, want %s", at, r.Got, r.Want)
	}
	return fmt.Sprintf("not close%s: got %s, want %s", at, r.Got, r.Want)
}

// A sign is a mark such as ✓ that begins a verdict, with the color that it has in a notebook.
type sign struct{ mark, colour string }

var (
	right = sign{"✓", "#009E73"} // color-blind readers can tell right from wrong by these colors
	wrong = sign{"✗", "#D55E00"}
	open  = sign{"○", "#808080"}
)

// signOf returns the symbol that marks a right answer if ok is true, and otherwise the symbol that marks a wrong one.
func signOf(ok bool) sign {
	if ok {
		return right
	}
	return wrong
}

// line returns text with the mark in front, for a terminal.
func (s sign) line(text string) string { return s.mark + " " + text }

// page returns the text as HTML that suits light and dark notebooks. footer is more HTML, and may be empty. The text
// has the notebook's own color, because no green is readable on both white and black; the mark is large enough to be
// colored.
func (s sign) page(text, footer string) string {
	mark := s.mark
	if s != open {
		mark = fmt.Sprintf(`<span style="color:%s;font-size:1.25em">%s</span>`, s.colour, s.mark)
	}
	return fmt.Sprintf(`<div style="border-left:4px solid %s;padding:2px 10px"><strong>%s %s</strong>%s</div>`,
		s.colour, mark, html.EscapeString(text), footer)
}

// String returns the result as a line of text for a terminal, with the mark ✓ or ✗.
func (r Result) String() string { return signOf(r.Right).line(r.text()) }

// HTML returns the result as the green or red line that a notebook shows.
func (r Result) HTML() string { return signOf(r.Right).page(r.text(), "") }

func (v Verdict) sign() sign {
	if v.open {
		return open
	}
	return signOf(v.Right)
}

// hints returns the hints in the order in which the reader unfolds them: the smallest hint first.
func (v Verdict) hints() (list []string) {
	for _, hint := range []string{v.Nudges[0], v.Nudges[1], v.Hint} {
		if hint != "" {
			list = append(list, hint)
		}
	}
	return list
}

// hintName returns the heading of hint i of n, counted from 0: "Hint" if there is only one, otherwise for
// example "Hint 2 of 3".
func hintName(i, n int) string {
	if n == 1 {
		return "Hint"
	}
	return fmt.Sprintf("Hint %d of %d", i+1, n)
}

// String returns the verdict for a terminal. A terminal cannot fold the hints, so all of them are printed.
func (v Verdict) String() string {
	s := v.sign().line(v.Exercise + ": " + v.Text)
	if v.Mistake != "" {
		s += "\n  " + v.Mistake
	}
	list := v.hints()
	for i, hint := range list {
		s += "\n  " + hintName(i, len(list)) + ": " + hint
	}
	return s
}

// HTML returns the verdict as a notebook shows it. Several hints are folded, each inside the one before, so that
// readers see only as many hints as they ask for.
func (v Verdict) HTML() string {
	below := ""
	if v.Mistake != "" {
		below = "<br>" + html.EscapeString(v.Mistake)
	}
	list := v.hints()
	if len(list) == 1 {
		below += "<br>Hint: " + html.EscapeString(list[0])
	} else {
		for i, hint := range list {
			below += "<details><summary>" + hintName(i, len(list)) + "</summary>" + html.EscapeString(hint)
		}
		below += strings.Repeat("</details>", len(list))
	}
	return v.sign().page(v.Exercise+": "+v.Text, below)
}
