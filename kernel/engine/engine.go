// Package engine is all that the rest of the kernel knows of the interpreter:
// a Session runs cells one after the other and keeps their declarations,
// and an *Error says which cell and line went wrong.
//
// The one implementation is in package ixengine. Nothing else in the project
// may import the interpreter.
package engine

import "context"

// A Cell is one piece of source to run.
type Cell struct {
	// Name is what tracebacks and errors call the cell, for example "In[3]".
	Name string
	// Source is Go: imports, declarations and statements in any order.
	Source string
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

	// StopGoroutines ends the goroutines that earlier cells have left behind,
	// each at its next loop or call. It does nothing while a cell runs, whose
	// context stops it with all that it started.
	StopGoroutines()

	// Vars lists the session's variables by name.
	Vars() []Variable

	// Set assigns to a variable that a cell has declared. text is converted
	// to the variable's type (a number, a string without quotes, true or
	// false, a duration such as 2s).
	Set(name, text string) error
}

// A Variable describes one variable of a session.
type Variable struct {
	Name string
	Type string
	// Addr is a pointer to the variable.
	Addr any
}
