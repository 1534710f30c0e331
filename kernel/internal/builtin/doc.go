// Package builtin is what the commands of package magic do.
//
// A Runner runs cells: it has the pieces of Go run by the session, each in its
// place in the cell, and does the commands between them itself. %time and
// %timeit hand their statement to the session too, with a call of a function of
// ours around it, so that it is stopped, and its errors are shown, like those
// of any cell.
//
// # Traps
//
// Functions of ours that cells call are variables of the session whose names
// end in two underscores; who lists variables should leave these out.
//
// Variables are read only by way of look: a goroutine that a cell has left running may be
// writing to them.
//
// A traceback quotes a line of the cell. The session knows only the piece that
// it ran last; Quote puts the cell's own text in its place.
package builtin
