// Package builtin implements the commands of package magic.
//
// A Runner runs cells. It passes the pieces of Go to the session, each at its position in the cell, and
// executes the commands in between itself. %time and %timeit pass their statement to the session too, inside
// a call of a function of this package, so that the statement can be stopped and its errors are shown like
// the errors of any cell.
//
// A cell with %fmt on its first line is formatted, not run; see format.go.
//
// runner.go splits cells and lists the commands. The other files are named for the commands that they
// implement.
//
// # Traps
//
// The functions of this package that cells call are variables of the session with names that end in two
// underscores. Code that lists variables should omit these variables.
//
// Variables are read only through the method look, because a goroutine left running by a cell may be writing
// to them.
//
// A traceback quotes a line of the cell. The session knows only the piece that it ran last; Quote replaces
// the quoted text by the cell's own line.
package builtin
