package engine

import (
	"fmt"
	"strings"
)

// Kind tells what stopped a cell.
type Kind string

// The kinds of error. Their texts are the ename that a front end shows.
const (
	Syntax      Kind = "SyntaxError" // the cell is not Go
	Type        Kind = "TypeError"   // the cell does not type-check
	Panic       Kind = "Panic"       // the cell, or a goroutine that it started, panicked
	Interrupted Kind = "Interrupted" // the user, or a time-out, stopped the cell
	Exit        Kind = "Exit"        // the cell called os.Exit or log.Fatal
	Internal    Kind = "InternalError"
)

// A Frame is one line of a traceback.
type Frame struct {
	Cell   string // Cell.Name, as given to Run
	Func   string // the function, "" for the statements of the cell itself
	Line   int    // 1-based
	Col    int    // 1-based, 0 if not known
	Source string // the text of the line
}

// An Error is why a cell failed.
type Error struct {
	Kind    Kind
	Message string
	// Frames are the places in cells, innermost first. For Syntax and Type
	// each is one fault (its message in Faults), for Panic they are the stack.
	Frames []Frame
	// Faults has one message for each of Frames when Kind is Syntax or Type.
	Faults []string
	// Hints has what to do about each of Frames when Kind is Syntax or Type, ""
	// where nothing is known; for Panic its first is for the message.
	Hints []string
	// ExitCode is what the cell gave to os.Exit.
	ExitCode int
}

// Error gives the first place and the message, on one line where the message is one.
func (e *Error) Error() string {
	if len(e.Frames) == 0 {
		return fmt.Sprintf("%s: %s", e.Kind, e.Message)
	}
	f := e.Frames[0]
	return fmt.Sprintf("%s line %d: %s: %s", f.Cell, f.Line, e.Kind, e.Message)
}

// Traceback gives the lines that a front end shows under a failed cell.
func (e *Error) Traceback() []string {
	if e.Kind == Syntax || e.Kind == Type {
		return e.faults()
	}
	lines := []string{fmt.Sprintf("%s: %s", e.Kind, e.Message)}
	const show = 3 // of a function that calls itself
	for i := 0; i < len(e.Frames); {
		same := run(e.Frames[i:])
		f := e.Frames[i]
		for k := range min(same, show) {
			where := fmt.Sprintf("  %s line %d", f.Cell, f.Line)
			if f.Func != "" {
				where += ", in " + f.Func
			}
			lines = append(lines, where)
			mark := "    "
			if i+k == 0 {
				mark = "--> "
			}
			if src := strings.TrimSpace(f.Source); src != "" {
				lines = append(lines, mark+src)
			}
		}
		if same > show {
			lines = append(lines, fmt.Sprintf("  ... and %d more of these", same-show))
		}
		i += same
	}
	if len(e.Hints) > 0 && e.Hints[0] != "" {
		lines = append(lines, "  hint: "+e.Hints[0])
	}
	return lines
}

// run is how many of the first frames are the same.
func run(frames []Frame) int {
	n := 1
	for n < len(frames) && frames[n] == frames[0] {
		n++
	}
	return n
}

func (e *Error) faults() []string {
	if len(e.Frames) == 0 {
		return []string{fmt.Sprintf("%s: %s", e.Kind, e.Message)}
	}
	var lines []string
	for i, f := range e.Frames {
		msg := e.Message
		if i < len(e.Faults) {
			msg = e.Faults[i]
		}
		lines = append(lines, fmt.Sprintf("%s: %s line %d: %s", e.Kind, f.Cell, f.Line, msg))
		if strings.TrimSpace(f.Source) != "" {
			lines = append(lines, "    "+f.Source)
			if f.Col > 0 && f.Col <= len(f.Source)+1 {
				lines = append(lines, "    "+indent(f.Source[:f.Col-1])+"^")
			}
		}
		if i < len(e.Hints) && e.Hints[i] != "" {
			lines = append(lines, "  hint: "+e.Hints[i])
		}
	}
	return lines
}

// indent is as wide as s: tabs stay, every other rune becomes a blank.
func indent(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}
