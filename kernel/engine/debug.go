package engine

import (
	"context"
	"errors"
	"reflect"
)

// A Debugger is a Session whose code can be held at a place and looked into. Without an attached
// Debug it runs as any Session does, at the same speed.
type Debugger interface {
	// Attach begins to debug. There is one Debug at a time; another Attach detaches the one
	// before. tell is called for each event, in order, and must neither block nor call methods of
	// the Debug.
	Attach(tell func(DebugEvent)) Debug
}

// ErrNotHeld is returned for what can be asked only while code is held: by a method of a Debug
// for a frame that is gone, or while nothing is held.
var ErrNotHeld = errors.New("nothing is stopped there (any more)")

// A Debug is a session's being debugged. Its methods may be called at any time, also while a
// cell runs or is held, and by several goroutines; none waits for a cell to end, but Eval and Assign,
// which run code.
//
// When one goroutine comes to a stop, all goroutines of cells are held: at their next loop, call or
// wait. They go on together.
type Debug interface {
	// SetBreakpoints replaces the breakpoints in code whose text is source: in all cells, run
	// already or still to be run, with that text. The results are in the order of list.
	SetBreakpoints(source string, list []Breakpoint) []SetBreakpoint
	// SetPanics says at which panics code is held.
	SetPanics(PanicFilter)

	// Goroutines lists the goroutines of cells. The ids stay the same while the goroutines live. While a cell
	// runs or is held, its own goroutine is the first.
	Goroutines() []DebugGoroutine
	// Stack returns the calls of a held goroutine, innermost first; only those in code of cells and of
	// packages that run from source have a place, a run of compiled ones is one frame without.
	Stack(goroutine int) ([]DebugFrame, error)
	// Locals returns the variables that are in scope in a frame, parameters and named results first, inner scopes
	// before outer ones. A variable that is shadowed is not among them.
	Locals(frame FrameID) ([]DebugVariable, error)
	// Globals returns the session's variables, sorted by name, and ErrNotHeld while cells or goroutines
	// of cells run that may write to them. Reading them must end before release is called, which lets cells go on.
	Globals() (list []DebugVariable, release func(), err error)

	// Eval evaluates an expression, or runs a simple statement, with the names of a frame; with those of the session if frame is 0.
	// It has as many values as the expression. Nothing stops at breakpoints meanwhile.
	// The error is an *Error. Code that goes on ends the expressions that read it.
	Eval(ctx context.Context, frame FrameID, expression string) ([]Value, error)
	// Assign assigns the value of an expression to a variable, a field, an element: to is addressable.
	Assign(ctx context.Context, frame FrameID, to reflect.Value, expression string) error

	// Continue lets all goroutines go on; one of them, if it is not 0, only for a step.
	Continue(goroutine int, step Step) error
	// Pause holds the goroutines of cells at their next loop or call. It does nothing if no code of cells runs.
	Pause()
	// Detach removes all breakpoints and lets everything go on. Further calls have no effect.
	Detach()
}

// A Breakpoint is a place at which code is to be held.
type Breakpoint struct {
	Line      int    // 1-based, in the cell
	Condition string // a bool expression; "" for none
	// Hits holds from the nth time on that the place is reached and the condition is true; 0 is like 1.
	Hits int
	// Log is text to print in place of holding; expressions in braces are replaced by their values. "" holds.
	Log string
}

// A SetBreakpoint is what became of a Breakpoint.
type SetBreakpoint struct {
	ID int // > 0, the same as long as the breakpoint stays in the list
	// Line is where code is held: that of the next statement. It is 0 if Message says why there is no
	// such place: a line behind the last statement, or a condition that does not parse.
	Line    int
	Message string
}

// A PanicFilter says at which panics code is held.
type PanicFilter int

// The filters. A panic is uncaught if no function of a cell recovers it.
const (
	NoPanics PanicFilter = iota
	UncaughtPanics
	AllPanics
)

// A Step says how far a goroutine goes.
type Step int

// The steps.
const (
	NoStep   Step = iota // as far as it goes
	StepOver             // to the next statement in this function, or in its caller
	StepIn               // to the next statement, in this or another function of a cell
	StepOut              // to the statement in the caller that called
)

// A DebugEvent tells that code is held, or goes on.
type DebugEvent struct {
	// Reason is "breakpoint", "step", "pause", "panic"; "continued" after each of these, when code goes on, by itself too:
	// because it is interrupted; "ended" when a cell comes to its end, while others are held perhaps.
	Reason    string
	Goroutine int
	// Text describes a panic, or says why the condition of a breakpoint at which code is held could not be evaluated.
	Text string
	// Breakpoints are the ids of the breakpoints at the place.
	Breakpoints []int
	// Log is what a breakpoint of that kind says; Reason is then "log", and nothing is held.
	Log string
}

// A DebugGoroutine describes a goroutine of cells.
type DebugGoroutine struct {
	ID    int
	Name  string // for people: "In[3]", or the place of its go statement
	Held  bool
	State string // for people, as Goroutine.State
}

// A FrameID names a frame as long as its goroutine is held. 0 is no frame.
type FrameID int

// A DebugFrame is a call of a held goroutine.
type DebugFrame struct {
	ID   FrameID // 0 for a frame that has no variables to show
	Func string  // as in tracebacks; "" for the statements of the cell itself
	// Cell and Source are the name and the text of the cell; for packages that run from source the
	// file's name and "". Both are "" for compiled code.
	Cell, Source string
	File         string // on this machine, for packages that run from source
	Line, Col    int    // 1-based
}

// A DebugVariable is a variable of a frame or of the session.
type DebugVariable struct {
	Name string
	Type string // as Go prints it
	// Value is addressable, so that Assign can change it; it is invalid if the variable has no value yet or none any more,
	// and Note then says why.
	Value reflect.Value
	Note  string
}
