// Package builtin implements the commands of package magic.
//
// A Runner runs cells. A cell consists of pieces, which are commands or Go code. The Runner executes the commands, and
// passes the Go code to the session, piece by piece, with each piece's position in the cell. %time and %timeit also
// pass the statement that they measure to the session. The statement runs inside a call to a function of this package,
// so that it can be stopped and its errors are shown like the errors of any cell.
//
// A cell with %fmt on its first line is formatted, not run; see format.go.
//
// runner.go splits cells and lists the commands. The other files are named for the commands that they implement.
//
// # Traps
//
// The functions of this package that cells call are variables of the session with names that end in two underscores.
// Code that lists the user's variables should leave these out.
//
// All reads of variables go through the method look, because a goroutine left running by a cell may be writing to them.
//
// A traceback quotes lines of cells. The session takes these lines from the piece that it ran, not from the whole
// cell, so the method Quote replaces them with the lines of the cell as the user wrote it.
package builtin
