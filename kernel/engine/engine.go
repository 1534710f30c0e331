// Package engine is the boundary between the interpreter and the rest of the kernel. A Session runs cells one
// after the other and keeps their declarations; an *Error gives the cell and line that failed.
//
// The only implementation is in package ixengine. No other package of the project may import the interpreter.
package engine

import (
	"cmp"
	"context"
	"time"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
)

// A Cell is one piece of source to run.
type Cell struct {
	// Name is the cell's name in tracebacks and errors, for example "In[3]".
	Name string
	// ID is the cell's id in its notebook, which stays the same when the cell runs again. It is "" if the front
	// end provides no id.
	ID string
	// Source is Go: imports, declarations and statements in any order.
	Source string
	// Whole is the full text of the cell in the front end, if Source is only a part of the cell. A debugger
	// identifies cells by their full text. Lines and columns in Source equal those in Whole. An empty Whole
	// means that Source is the full text.
	Whole string
	// Text is the scanned Source, and Tree the result of Parse. Run computes them if they are nil.
	Text *magic.Text
	Tree *cellsyntax.Tree
}

// Read returns the cell's Text. It scans the source if Text is nil.
func (c Cell) Read() *magic.Text {
	if c.Text != nil {
		return c.Text
	}
	return magic.Read(c.Source)
}

// All returns the full text of the cell in the front end. Source may be only a part of this text.
func (c Cell) All() string { return cmp.Or(c.Whole, c.Source) }

// A Value is a value of a cell's last expression. A call has one Value for each of its results.
type Value struct {
	// Value is nil for a nil interface and for untyped nil.
	Value any
	// Type is the static type as Go prints it, for example "*mat.Dense".
	Type string
}

// A Session holds the declarations and variables of the cells run so far.
// Run must not be called by two goroutines at once.
type Session interface {
	// Run runs a cell to its end. It returns the values of the cell's last expression, or none if the cell does not end
	// with an expression. The error is nil or an *Error. After an error the session remains usable and keeps everything
	// that earlier cells declared. The imports of a cell with a type error are kept. If the error is in the cell's last
	// expression, the code above it still runs. When ctx is done, the cell is stopped with an error of kind
	// Interrupted.
	Run(ctx context.Context, cell Cell) ([]Value, error)

	// Parse parses a cell. The error is a scanner.ErrorList. The tree can be run only once,
	// because Run changes it.
	Parse(cell Cell) (*cellsyntax.Tree, error)

	// Call calls f, which may call functions of cells, under the same rules as Run: f is stopped when ctx is done,
	// and a panic of f is returned as an *Error.
	Call(ctx context.Context, f func()) error

	// Context returns the context of the cell to which the calling goroutine belongs. The context ends when
	// that cell is stopped. A goroutine of compiled code belongs to the running cell; while no cell runs,
	// Context returns context.Background().
	Context() context.Context

	// StopGoroutines stops the goroutines that earlier cells have left running, each at its next loop, call or
	// wait, and cancels their contexts. It does nothing while a cell runs: the running cell's context stops the
	// cell and all goroutines.
	StopGoroutines()

	// StopGoroutine is like StopGoroutines for a single goroutine. It returns an error if no goroutine has this
	// ID, or if the goroutine is in compiled code. A goroutine in compiled code stops when that code returns.
	StopGoroutine(id int) error

	// Start runs f, which may call functions of cells, in a new goroutine that belongs to the same cell as the
	// caller, as if started by a go statement in that cell. The function stop asks the goroutine to end, as
	// StopGoroutine does, and waits briefly for its end.
	Start(f func()) (stop func())

	// Exit ends the cell that calls it through compiled code, as os.Exit does in a cell. If the calling goroutine
	// was started by compiled code, Exit writes a line to the session's stderr and ends this goroutine. Exit does not
	// return.
	Exit(code int)

	// Panicked reports a panic that arose in a function of a cell and ended a goroutine of compiled code. The panic
	// is reported as the error of the running cell. It returns false if no function of a cell has panicked with this
	// value in this goroutine.
	Panicked(value any) bool

	// Calls returns the calls of cells on the calling goroutine's stack, innermost first, as program counters that
	// package callers understands.
	Calls() []uintptr

	// Goroutines lists the running goroutines that cells have started, in the order in which they started. It
	// also lists cells that were interrupted inside compiled code and abandoned there. It may be called while a
	// cell runs.
	Goroutines() []Goroutine

	// Vars returns the session's variables, sorted by name.
	Vars() []Variable

	// Set assigns a value to a variable that a cell has declared. It converts the argument text to the variable's type:
	// a number, a string without quotes, true or false, or a duration such as 2s.
	Set(name, text string) error

	// Forget removes the named variables, functions and imports, and types and constants that hide a name that Go
	// predeclares. If one of the names belongs to none of these, Forget returns an error and changes nothing. It must
	// not be called while a cell runs.
	Forget(names ...string) error

	Introspector
	Checker
	Tracer
	Keeper
	Tester
	Profiler
	Debugger
	Loader
}

// A Keeper finds out what a cell uses, and declares the cell's names, without running the cell.
type Keeper interface {
	// Uses returns what a cell uses. It changes nothing in the session.
	Uses(cell Cell) (Uses, error)
	// Declare declares the names of a cell without running its statements. A variable keeps its value if the session
	// already has it with the same type; otherwise the variable is zero.
	Declare(cell Cell) error
}

// Uses are the declarations, packages and variables that a cell uses.
type Uses struct {
	// Code has the sources of the declarations that the cell uses, directly or through other declarations. It
	// includes the cell's own declarations.
	Code []string
	// Imports are the sorted paths of the packages that the declarations in Code mention.
	Imports []string
	// Reads are the variables of earlier cells that the cell and the declarations in Code mention. Declares are the
	// variables that the cell declares. Both are sorted by name.
	Reads, Declares []string
}

// A Goroutine is a goroutine that a cell has started, or a cell that was interrupted inside compiled code and
// abandoned there.
type Goroutine struct {
	// ID identifies the goroutine for StopGoroutine. IDs count from 1 in each
	// session.
	ID int
	// Cell, Line and Source are the position of the go statement. For an abandoned cell they are the position
	// where the cell begins, and Line is 0.
	Cell   string
	Line   int
	Source string
	// Since is the start time.
	Since time.Time
	// State describes in words what the goroutine is doing, for example "running", "waits in chan receive" or
	// "runs gonum.org/v1/gonum/mat.(*Dense).Mul".
	State string
	// Stopping reports that the goroutine has been asked to stop but is in compiled code that has not returned.
	Stopping bool
}

// A Variable describes one variable of a session.
type Variable struct {
	Name string
	Type string
	// Addr is a pointer to the variable.
	Addr any
}
