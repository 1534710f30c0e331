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
	// ID is the cell's id in its notebook, which stays the same when the cell runs again; "" if the front end
	// gives none.
	ID string
	// Source is Go: imports, declarations and statements in any order.
	Source string
	// Whole is the full text of the cell in the front end if Source is only a part of it, at the same position:
	// a debugger identifies cells by their text. "" means Source.
	Whole string
	// Text is the scanned Source, and Tree the result of Parse, if already computed; Run then reuses them.
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

// All returns the full text of the cell in the front end.
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
	// Run runs a cell to its end. It returns the values of the cell's last expression, or none if the cell does
	// not end with one. The error, if any, is an *Error. After an error the session remains usable and keeps
	// everything that earlier cells declared. When ctx ends, the cell is stopped with an error of kind
	// Interrupted.
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

	// StopGoroutines ends the goroutines left behind by earlier cells, each at its next loop, call or wait, and
	// cancels their contexts. It does nothing while a cell runs: that cell's context stops the cell and
	// everything it started.
	StopGoroutines()

	// StopGoroutine is like StopGoroutines for a single goroutine. It fails if there is no goroutine with this
	// id, or if the goroutine is in compiled code; then it stops once that code returns.
	StopGoroutine(id int) error

	// Start runs f, which may call functions of cells, in a goroutine of the cell that the caller works for, as
	// a go statement of the cell does. stop asks it to end, as StopGoroutine does, and waits briefly for that.
	Start(f func()) (stop func())

	// Goroutines lists the running goroutines that cells have started, and the cells that were interrupted
	// inside compiled code and left behind, in the order in which they started. It may be called while a cell
	// runs.
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
	// Since is when it started.
	Since time.Time
	// State describes in words what the goroutine is doing, for example "running", "waits in chan receive" or
	// "runs gonum.org/v1/gonum/mat.(*Dense).Mul".
	State string
	// Stopping reports that it has been asked to stop but is in compiled code that has not returned.
	Stopping bool
}

// A Variable describes one variable of a session.
type Variable struct {
	Name string
	Type string
	// Addr is a pointer to the variable.
	Addr any
}
