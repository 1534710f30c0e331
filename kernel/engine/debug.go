package engine

import (
	"context"
	"errors"
	"reflect"
)

// A Debugger can pause and inspect running code, by means of the Debug that Attach returns. While no Debug is
// attached, it does not slow cells down. In this file "held" means paused by the debugger.
type Debugger interface {
	// Attach starts debugging. At most one Debug is attached; Attach detaches the previous one. The function
	// tell is called for each event, in order. It must neither block nor call methods of the Debug.
	Attach(tell func(DebugEvent)) Debug
}

// ErrNotHeld is returned by methods of a Debug that need paused code, if nothing is paused or the frame no
// longer exists.
var ErrNotHeld = errors.New("nothing is stopped there (or no longer)")

// A Debug controls the debugging of a session. Its methods may be called at any time, even while a cell runs or is
// held, and by several goroutines. Only Eval and Assign, which run code, may wait for a cell to end.
//
// When one goroutine stops, all goroutines of cells are held, at their next loop, call or wait. They continue
// together.
type Debug interface {
	// SetBreakpoints replaces the breakpoints of all cells whose text is source, whether the cells have run
	// or not. The results are in the order of the list.
	SetBreakpoints(source string, list []Breakpoint) []SetBreakpoint
	// SetPanics sets which panics pause execution.
	SetPanics(PanicFilter)

	// Goroutines lists the goroutines of cells. The ID of a goroutine never changes. While a cell runs or is
	// held, the goroutine of the cell itself is first.
	Goroutines() []DebugGoroutine
	// Stack returns the calls of a held goroutine, innermost first. Only frames in cells and in packages
	// that run from source have a position. Consecutive calls in compiled code are one frame without a
	// position.
	Stack(goroutine int) ([]DebugFrame, error)
	// Locals returns the variables in scope in a frame: parameters and named results first, inner scopes before
	// outer ones. Shadowed variables are left out.
	Locals(frame FrameID) ([]DebugVariable, error)
	// Globals returns the session's variables, sorted by name. It returns ErrNotHeld while cells or their
	// goroutines run, because running code may write to the variables. Call the function release after
	// reading the variables; until then no cell continues.
	Globals() (list []DebugVariable, release func(), err error)

	// Eval evaluates an expression, or runs a simple statement. It uses the names in scope in a frame, or the names of
	// the session if frame is 0. It returns all values of the expression. Breakpoints are off during Eval. The error is
	// an *Error. A Continue during Eval aborts the Eval.
	Eval(ctx context.Context, frame FrameID, expression string) ([]Value, error)
	// Assign assigns the value of an expression to a variable, field or element. The argument to is this variable,
	// field or element; it must be addressable.
	Assign(ctx context.Context, frame FrameID, to reflect.Value, expression string) error

	// Continue lets all goroutines continue. The given goroutine, unless it is 0, continues only for one step.
	Continue(goroutine int, step Step) error
	// Pause holds the goroutines of cells at their next loop or call. It does nothing if no cell code runs.
	Pause()
	// Detach removes all breakpoints and lets everything continue. Further calls have no effect.
	Detach()
}

// A Breakpoint is a line of a cell at which execution pauses, or at which text is printed.
type Breakpoint struct {
	Line      int    // 1-based, in the cell
	Condition string // a bool expression; "" for none
	// Hits makes the breakpoint pause only when it has been reached this many times with a true condition, and
	// every time after that. 0 means 1.
	Hits int
	// Log is text to print instead of pausing; expressions in braces are replaced by their values. With "" the
	// breakpoint pauses.
	Log string
}

// A SetBreakpoint is the result of Debug.SetBreakpoints for one Breakpoint.
type SetBreakpoint struct {
	ID int // > 0, constant as long as the breakpoint stays in the list
	// Line is where execution pauses: the line of the next statement. It is 0 if the breakpoint cannot be set;
	// Message then says why. Possible reasons are that the line is after the last statement, or that the
	// condition does not parse.
	Line    int
	Message string
}

// A PanicFilter selects the panics that pause execution.
type PanicFilter int

// The filters for panics. A panic is uncaught if no function of a cell recovers it.
const (
	NoPanics PanicFilter = iota
	UncaughtPanics
	AllPanics
)

// A Step says how far a goroutine runs before it pauses again.
type Step int

// The steps of Continue.
const (
	NoStep   Step = iota // no limit
	StepOver             // to the next statement in this function, or in its caller
	StepIn               // to the next statement, in this or another function of a cell
	StepOut              // to the calling statement in the caller
)

// A DebugEvent reports that execution has paused or continues, that a cell has ended, or that a breakpoint has printed
// text.
type DebugEvent struct {
	// Reason is "breakpoint", "step", "pause" or "panic" when execution pauses; "continued" when it continues,
	// including after an interrupt; "ended" when a cell ends, possibly while other goroutines are held.
	Reason    string
	Goroutine int
	// Text describes the panic. For a breakpoint with a condition that could not be evaluated, Text says why.
	Text string
	// Breakpoints has the IDs of the breakpoints at this place.
	Breakpoints []int
	// Log is the text that a breakpoint has printed (see Breakpoint.Log). Reason is then "log", and execution does not
	// pause.
	Log string
}

// A DebugGoroutine describes a goroutine of cells.
type DebugGoroutine struct {
	ID    int
	Name  string // display name: "In[3]", or the position of the go statement
	Held  bool
	State string // display text, as in Goroutine.State
}

// A FrameID identifies a frame while the frame's goroutine is held. 0 identifies no frame.
type FrameID int

// A DebugFrame is one call on the stack of a held goroutine.
type DebugFrame struct {
	ID   FrameID // 0 for a frame without variables to show
	Func string  // as in tracebacks; "" for the statements of the cell itself
	// Cell and Source are the name and text of the cell. For packages that run from source, Cell is the name of
	// the file and Source is "". For compiled code, Cell and Source are "".
	Cell, Source string
	File         string // path on this machine, for packages that run from source
	Line, Col    int    // 1-based
}

// A DebugVariable is a variable of a frame or of the session.
type DebugVariable struct {
	Name string
	Type string // as Go prints it
	// Value is addressable, for Assign. If the variable has no value, Value is the zero reflect.Value, and Note
	// says why.
	Value reflect.Value
	Note  string
}
