package engine

import (
	"context"
	"errors"
	"reflect"
)

// A Debugger is a Session with a debugger: its code can be held (paused) and inspected. Without an attached
// Debug it runs at the same speed as any Session.
type Debugger interface {
	// Attach starts debugging. There is one Debug at a time; Attach detaches the previous one. tell is called
	// for each event, in order, and must neither block nor call methods of the Debug.
	Attach(tell func(DebugEvent)) Debug
}

// ErrNotHeld is returned by methods of a Debug that need held code, if the frame is gone or nothing is held.
var ErrNotHeld = errors.New("nothing is stopped there (any more)")

// A Debug is the debugging of a session. Its methods may be called at any time, also while a cell runs or is
// held, and by several goroutines. None waits for a cell to end except Eval and Assign, which run code.
//
// When one goroutine stops, all goroutines of cells are held, at their next loop, call or wait. They continue
// together.
type Debug interface {
	// SetBreakpoints replaces the breakpoints of all cells with the text source, whether they have run or not.
	// The results are in the order of list.
	SetBreakpoints(source string, list []Breakpoint) []SetBreakpoint
	// SetPanics sets which panics hold code.
	SetPanics(PanicFilter)

	// Goroutines lists the goroutines of cells. An id stays the same while its goroutine lives. While a cell
	// runs or is held, its own goroutine is the first.
	Goroutines() []DebugGoroutine
	// Stack returns the calls of a held goroutine, innermost first. Only frames in cells and in packages that
	// run from source have a place; a run of compiled calls is one frame without a place.
	Stack(goroutine int) ([]DebugFrame, error)
	// Locals returns the variables in scope in a frame: parameters and named results first, inner scopes before
	// outer ones. Shadowed variables are left out.
	Locals(frame FrameID) ([]DebugVariable, error)
	// Globals returns the session's variables, sorted by name. It returns ErrNotHeld while cells or their
	// goroutines run, because these may write to the variables. Call release when you have read them; until
	// then no cell continues.
	Globals() (list []DebugVariable, release func(), err error)

	// Eval evaluates an expression, or runs a simple statement, with the names of a frame, or of the session if
	// frame is 0. It returns as many values as the expression has. Breakpoints are off meanwhile. The error is
	// an *Error. Code that continues ends a running Eval.
	Eval(ctx context.Context, frame FrameID, expression string) ([]Value, error)
	// Assign assigns the value of an expression to a variable, field or element. to must be addressable.
	Assign(ctx context.Context, frame FrameID, to reflect.Value, expression string) error

	// Continue lets all goroutines continue. The given goroutine, if not 0, makes only the step.
	Continue(goroutine int, step Step) error
	// Pause holds the goroutines of cells at their next loop or call. It does nothing if no cell code runs.
	Pause()
	// Detach removes all breakpoints and lets everything continue. Further calls have no effect.
	Detach()
}

// A Breakpoint is a place that holds code.
type Breakpoint struct {
	Line      int    // 1-based, in the cell
	Condition string // a bool expression; "" for none
	// Hits n holds from the nth time that the place is reached with the condition true; 0 is like 1.
	Hits int
	// Log is text to print instead of holding; expressions in braces are replaced by their values. "" holds.
	Log string
}

// A SetBreakpoint is the result of setting a Breakpoint.
type SetBreakpoint struct {
	ID int // > 0, constant while the breakpoint stays in the list
	// Line is where code is held: the line of the next statement. It is 0 if the breakpoint cannot be set, and
	// Message says why: the line is after the last statement, or the condition does not parse.
	Line    int
	Message string
}

// A PanicFilter selects the panics that hold code.
type PanicFilter int

// The filters. A panic is uncaught if no function of a cell recovers it.
const (
	NoPanics PanicFilter = iota
	UncaughtPanics
	AllPanics
)

// A Step is how far a goroutine continues.
type Step int

// The steps of Continue.
const (
	NoStep   Step = iota // no limit
	StepOver             // to the next statement in this function, or in its caller
	StepIn               // to the next statement, in this or another function of a cell
	StepOut              // to the statement in the caller that called
)

// A DebugEvent reports that code is held or continues.
type DebugEvent struct {
	// Reason is "breakpoint", "step", "pause" or "panic" when code is held; "continued" when it continues, also
	// because it was interrupted; "ended" when a cell ends, possibly while others are held.
	Reason    string
	Goroutine int
	// Text describes a panic, or says why the condition of a breakpoint at which code is held could not be evaluated.
	Text string
	// Breakpoints holds the ids of the breakpoints at the place.
	Breakpoints []int
	// Log is the text of a Breakpoint with Log; Reason is then "log", and nothing is held.
	Log string
}

// A DebugGoroutine describes a goroutine of cells.
type DebugGoroutine struct {
	ID    int
	Name  string // for people: "In[3]", or the place of its go statement
	Held  bool
	State string // for people, as Goroutine.State
}

// A FrameID names a frame while its goroutine is held. 0 is no frame.
type FrameID int

// A DebugFrame is a call of a held goroutine.
type DebugFrame struct {
	ID   FrameID // 0 for a frame that has no variables to show
	Func string  // as in tracebacks; "" for the statements of the cell itself
	// Cell and Source are the name and text of the cell. For packages that run from source, Cell is the file's
	// name and Source is "". Both are "" for compiled code.
	Cell, Source string
	File         string // on this machine, for packages that run from source
	Line, Col    int    // 1-based
}

// A DebugVariable is a variable of a frame or of the session.
type DebugVariable struct {
	Name string
	Type string // as Go prints it
	// Value is addressable, for Assign. It is invalid if the variable has no value, and Note says why.
	Value reflect.Value
	Note  string
}
