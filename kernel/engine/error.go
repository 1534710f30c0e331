package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Kind is the kind of failure that ended a cell.
type Kind string

// The kinds of error. Front ends show the text of a kind as the name of the error (ename).
const (
	Syntax      Kind = "SyntaxError"  // the cell is not Go
	Type        Kind = "TypeError"    // the cell does not type-check
	Panic       Kind = "Panic"        // the cell, or a goroutine that it started, panicked
	Interrupted Kind = "Interrupted"  // the user, or a time-out, stopped the cell
	Exit        Kind = "Exit"         // the cell called os.Exit or log.Fatal
	Command     Kind = "CommandError" // a command such as %get failed
	Test        Kind = "TestFailure"  // a test of %%test failed
	Internal    Kind = "InternalError"
)

// Stopped is the default message of an Interrupted error.
const Stopped = "the cell was stopped; all variables are kept"

// A Frame is one line of a traceback.
type Frame struct {
	Cell   string // the Name of the Cell given to Run
	Func   string // the function, or "" for the statements of the cell itself
	Line   int    // 1-based
	Col    int    // 1-based, or 0 if unknown
	Source string // the text of the line
}

// An Error says why a cell failed.
type Error struct {
	Kind    Kind
	Message string
	// Frames are positions in cells. For Panic they are the stack, innermost first. For Syntax and Type each
	// frame is the position of a fault, and Faults has the messages.
	Frames []Frame
	// Faults has one message for each element of Frames if Kind is Syntax or Type.
	Faults []string
	// Hints has advice for each element of Frames if Kind is Syntax or Type; an empty string means no advice.
	// For Panic the first element is advice about the message.
	Hints []string
	// Earlier has the messages of the panics, latest first, during which deferred functions have panicked.
	Earlier []string
	// Ran is set if Kind is Type, the faults are in the cell's last expression, and the code above it has run.
	Ran bool
	// ExitCode is the argument with which the cell called os.Exit.
	ExitCode int
}

// Error returns the message, preceded by the first position and the kind of error. The result is one line if the
// message is one line.
func (e *Error) Error() string {
	if len(e.Frames) == 0 {
		return fmt.Sprintf("%s: %s", e.Kind, e.Message)
	}
	f := e.Frames[0]
	return fmt.Sprintf("%s line %d: %s: %s", f.Cell, f.Line, e.Kind, e.Message)
}

// Traceback returns the lines that a front end shows under a failed cell.
func (e *Error) Traceback() []string { return e.lines(func(_ colour, s string) string { return s }) }

// ANSI is like Traceback, with ANSI color codes, which notebooks show too.
func (e *Error) ANSI() []string {
	return e.lines(func(c colour, s string) string { return "\x1b[" + string(c) + "m" + s + "\x1b[0m" })
}

// A colour is the ANSI code for one part of a traceback. The colors are readable on light and dark pages.
type colour string

const (
	nameColour  colour = "1;31" // bold red: the kind of error
	placeColour colour = "32"   // green: line numbers, and the marks that point to an error
	hintColour  colour = "36"   // cyan
)

type painter func(colour, string) string

func (e *Error) lines(paint painter) []string {
	if len(e.Frames) > 0 && (e.Kind == Syntax || e.Kind == Type) {
		return e.faults(paint)
	}
	lines := []string{fmt.Sprintf("%s: %s", paint(nameColour, string(e.Kind)), e.Message)}
	if e.Kind == Syntax || e.Kind == Type {
		return lines
	}
	for _, message := range e.Earlier {
		lines = append(lines, "  (in a deferred function, after the panic: "+message+")")
	}
	const show = 3 // number of frames shown of a recursive function
	for i := 0; i < len(e.Frames); {
		same := run(e.Frames[i:])
		f := e.Frames[i]
		for k := range min(same, show) {
			where := fmt.Sprintf("  %s %s", f.Cell, paint(placeColour, fmt.Sprintf("line %d", f.Line)))
			if f.Func != "" {
				where += ", in " + f.Func
			}
			lines = append(lines, where)
			mark := "    "
			if i+k == 0 {
				mark = paint(placeColour, "-->") + " "
			}
			if src := strings.TrimSpace(f.Source); src != "" {
				src, _ = window(src, 0)
				lines = append(lines, mark+src)
			}
		}
		if same > show {
			lines = append(lines, fmt.Sprintf("  ... and %d more of these", same-show))
		}
		i += same
	}
	if len(e.Hints) > 0 && e.Hints[0] != "" {
		lines = append(lines, "  "+paint(hintColour, "hint:")+" "+e.Hints[0])
	}
	return lines
}

// run returns how many frames at the beginning of the slice are equal to the first one.
func run(frames []Frame) int {
	n := 1
	for n < len(frames) && frames[n] == frames[0] {
		n++
	}
	return n
}

// faults returns the lines that show the faults. Each distinct fault is shown once, at its first position, followed by
// the line numbers of its other positions.
func (e *Error) faults(paint painter) []string {
	type fault struct{ cell, msg string }
	first := func(i int) fault {
		if i < len(e.Faults) {
			return fault{e.Frames[i].Cell, e.Faults[i]}
		}
		return fault{e.Frames[i].Cell, e.Message}
	}
	places := map[fault][]int{}
	for i := range e.Frames {
		places[first(i)] = append(places[first(i)], i)
	}
	var lines []string
	for i, f := range e.Frames {
		again := places[first(i)]
		if again[0] != i {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s %s: %s", paint(nameColour, string(e.Kind)), f.Cell, paint(placeColour, fmt.Sprintf("line %d", f.Line)), first(i).msg))
		if strings.TrimSpace(f.Source) != "" {
			src, col := window(f.Source, f.Col)
			lines = append(lines, "    "+src)
			if col > 0 && col <= len(src)+1 {
				lines = append(lines, "    "+indent(src[:col-1])+paint(placeColour, "^"))
			}
		}
		if len(again) > 1 {
			lines = append(lines, "  and "+e.more(again[1:]))
		}
		if i < len(e.Hints) && e.Hints[i] != "" {
			lines = append(lines, "  "+paint(hintColour, "hint:")+" "+e.Hints[i])
		}
	}
	if e.Ran {
		lines = append(lines, "  what stands above it has run")
	}
	return lines
}

// more says how often, and on which lines, a fault occurs again. The slice called faults holds the indices, in
// e.Frames, of the fault's other positions.
func (e *Error) more(faults []int) string {
	var lines []string
	for _, i := range faults {
		if n := fmt.Sprint(e.Frames[i].Line); len(lines) == 0 || lines[len(lines)-1] != n {
			lines = append(lines, n)
		}
	}
	if len(lines) == 1 {
		return fmt.Sprintf("%d more on line %s", len(faults), lines[0])
	}
	return fmt.Sprintf("%d more on lines %s and %s", len(faults), strings.Join(lines[:len(lines)-1], ", "), lines[len(lines)-1])
}

// A source line is cut to lineWidth characters. If its start is cut off, beforeCaret characters remain before the
// marked column.
const (
	lineWidth   = 100
	beforeCaret = 60
)

// window returns the part of line that contains the column col, and the column within that part. It returns a short
// line unchanged. Columns count bytes from 1; column 0 means no column.
func window(line string, col int) (string, int) {
	if utf8.RuneCountInString(line) <= lineWidth {
		return line, col
	}
	const cut = "…"
	from := 0
	if col > 0 && col <= len(line)+1 {
		if ahead := []rune(line[:col-1]); len(ahead) > lineWidth-20 {
			from = len(string(ahead[:len(ahead)-beforeCaret]))
		}
	}
	to := len(line)
	if rest := []rune(line[from:]); len(rest) > lineWidth {
		to = from + len(string(rest[:lineWidth]))
	}
	text := line[from:to]
	if from > 0 {
		text = cut + text
		col += len(cut) - from
	}
	if to < len(line) {
		text += cut
	}
	return text, col
}

// indent returns blank text as wide as s: tabs stay, and every other rune becomes a space.
func indent(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}
