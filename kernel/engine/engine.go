// Package engine is all that the rest of the kernel knows of the interpreter:
// a Session runs cells one after the other and keeps their declarations,
// and an *Error says which cell and line went wrong.
//
// The one implementation is in package ixengine. Nothing else in the project
// may import the interpreter.
package engine

import (
	"context"
	"time"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
)

// A Cell is one piece of source to run.
type Cell struct {
	// Name is what tracebacks and errors call the cell, for example "In[3]".
	Name string
	// Source is Go: imports, declarations and statements in any order.
	Source string
	// Text is Source scanned, and Tree what Parse made of it, if that has been done: Run does
	// not do it again.
	Text *magic.Text
	Tree *cellsyntax.Tree
}

// Read returns the cell's Text, scanned if it has not been yet.
func (c Cell) Read() *magic.Text {
	if c.Text != nil {
		return c.Text
	}
	return magic.Read(c.Source)
}

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
	// Run runs a cell to its end. The values are those of the cell's last
	// expression, none if the cell does not end with one. The error, if any,
	// is an *Error; the session can be used after it, and keeps everything
	// that earlier cells declared. When ctx ends, the cell is stopped with
	// an error of kind Interrupted.
	Run(ctx context.Context, cell Cell) ([]Value, error)

	// Parse parses a cell. The error is a scanner.ErrorList. The tree serves for one Run, which
	// changes it.
	Parse(cell Cell) (*cellsyntax.Tree, error)

	// Call calls f, which may call functions of cells, as Run runs a cell: when
	// ctx ends it is stopped, and its panic is the error, an *Error.
	Call(ctx context.Context, f func()) error

	// Context is the context of the cell that the calling goroutine works for: it ends
	// when that cell is stopped. A goroutine of compiled code works for the
	// running cell; while none runs it is context.Background().
	Context() context.Context

	// StopGoroutines ends the goroutines that earlier cells have left behind,
	// each at its next loop, call or wait, and cancels the contexts that they
	// were given. It does nothing while a cell runs, whose context stops it
	// with all that it started.
	StopGoroutines()

	// StopGoroutine does the same for one of them. The error says that there is
	// no such goroutine, or that it is in compiled code and goes on until
	// that returns; it is then stopped.
	StopGoroutine(id int) error

	// Goroutines lists the goroutines that cells have started and that have not
	// ended, and cells that were interrupted inside compiled code and left
	// behind, in the order in which they were started. It may be called
	// while a cell runs.
	Goroutines() []Goroutine

	// Vars lists the session's variables by name.
	Vars() []Variable

	// Set assigns to a variable that a cell has declared. text is converted
	// to the variable's type (a number, a string without quotes, true or
	// false, a duration such as 2s).
	Set(name, text string) error
}

// A Goroutine is one that a cell has started, or a cell that was left behind.
type Goroutine struct {
	// ID is what StopGoroutine takes; it counts from 1 in each session.
	ID int
	// Cell, Line and Source are where the go statement is; of a cell that was
	// left behind, where the cell begins, with Line 0.
	Cell   string
	Line   int
	Source string
	// Since is when it was started.
	Since time.Time
	// State is what it does at this moment, for people, for example "running",
	// "waits in chan receive" or "runs gonum.org/v1/gonum/mat.(*Dense).Mul".
	State string
	// Stopping is set when it has been told to stop and has not ended yet:
	// it is in compiled code that does not return.
	Stopping bool
}

// A Variable describes one variable of a session.
type Variable struct {
	Name string
	Type string
	// Addr is a pointer to the variable.
	Addr any
}
