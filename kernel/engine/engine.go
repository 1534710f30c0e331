// Package engine is the boundary between the interpreter and the rest of the
// kernel. A Session runs cells one after the other and keeps their
// declarations; an *Error says which cell and line went wrong.
//
// The one implementation is in package ixengine. No other package of the
// project may import the interpreter.
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
	// ID is the cell's id in its notebook, by which a cell that runs again is known; "" if the front end gives none.
	ID string
	// Source is Go: imports, declarations and statements in any order.
	Source string
	// Whole is the text of the cell as the front end has it, if Source is only a part of it, in its
	// place: a debugger knows cells by their text. "" means Source.
	Whole string
	// Text is the scanned Source, and Tree the result of Parse, if these have been computed
	// already: Run does not compute them again.
	Text *magic.Text
	Tree *cellsyntax.Tree
}

// Read returns the cell's Text. It scans the source if that has not been done
// yet.
func (c Cell) Read() *magic.Text {
	if c.Text != nil {
		return c.Text
	}
	return magic.Read(c.Source)
}

// All returns the text of the cell as the front end has it.
func (c Cell) All() string { return cmp.Or(c.Whole, c.Source) }

// A Value is one result of a cell's last expression.
type Value struct {
	// Value is nil for a nil interface and for untyped nil.
	Value any
	// Type is the static type as Go prints it, for example "*mat.Dense".
	Type string
}

// A Session holds the declarations and variables of the cells run so far.
// Run must not be called by two goroutines at once.
type Session interface {
	// Run runs a cell to its end. It returns the values of the cell's last
	// expression, none if the cell does not end with one. The error, if any, is
	// an *Error; the session can be used after it, and keeps everything that
	// earlier cells declared. When ctx ends, the cell is stopped with an error
	// of kind Interrupted.
	Run(ctx context.Context, cell Cell) ([]Value, error)

	// Parse parses a cell. The error is a scanner.ErrorList. The tree can be run only once,
	// because Run changes it.
	Parse(cell Cell) (*cellsyntax.Tree, error)

	// Call calls f, which may call functions of cells, and treats it as Run
	// treats a cell: f is stopped when ctx ends, and a panic of f is returned
	// as an *Error.
	Call(ctx context.Context, f func()) error

	// Context returns the context of the cell that the calling goroutine works for. It
	// ends when that cell is stopped. A goroutine of compiled code works for the
	// running cell; while no cell runs, Context returns context.Background().
	Context() context.Context

	// StopGoroutines ends the goroutines that earlier cells have left behind,
	// each at its next loop, call or wait, and cancels the contexts that they
	// were given. It does nothing while a cell runs: the context of that cell
	// stops it with all that it started.
	StopGoroutines()

	// StopGoroutine is like StopGoroutines for a single goroutine. The error
	// says that there is no goroutine with this id, or that it is in compiled
	// code and continues until that code returns, and then stops.
	StopGoroutine(id int) error

	// Start runs f, which may call functions of cells, in a goroutine of the cell that
	// the caller works for, as a go statement of the cell does. stop asks it to end, as
	// StopGoroutine does, and waits a moment for that.
	Start(f func()) (stop func())

	// Goroutines lists the goroutines that cells have started and that have not
	// ended, and the cells that were interrupted inside compiled code and left
	// behind, in the order in which they were started. It may be called while a
	// cell runs.
	Goroutines() []Goroutine

	// Vars returns the session's variables, sorted by name.
	Vars() []Variable

	// Set assigns to a variable that a cell has declared. It converts text to
	// the variable's type: a number, a string without quotes, true or false, or
	// a duration such as 2s.
	Set(name, text string) error
}

// A Goroutine is a goroutine that a cell has started, or a cell that was left
// behind.
type Goroutine struct {
	// ID identifies the goroutine for StopGoroutine. IDs count from 1 in each
	// session.
	ID int
	// Cell, Line and Source are the place of the go statement. For a cell that
	// was left behind they are the place where the cell begins, and Line is 0.
	Cell   string
	Line   int
	Source string
	// Since is the time at which it was started.
	Since time.Time
	// State describes for people what it does at this moment, for example
	// "running", "waits in chan receive" or "runs
	// gonum.org/v1/gonum/mat.(*Dense).Mul".
	State string
	// Stopping is set when it has been asked to stop and has not ended yet: it
	// is in compiled code that does not return.
	Stopping bool
}

// A Variable describes one variable of a session.
type Variable struct {
	Name string
	Type string
	// Addr is a pointer to the variable.
	Addr any
}
