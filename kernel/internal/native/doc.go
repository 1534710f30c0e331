// Package native compiles the functions of one cell with the Go toolchain, where
// the machine has one, and lets the session call them.
//
// # Why not a plugin
//
// A Go plugin is loaded only into a program of which it shares every package in
// exactly the same build: same toolchain, same flags, same sources, with cgo.
// A kernel that was built elsewhere, or without cgo, can load none; there are none for
// Windows; none can be unloaded, and one that crashes takes the session with it.
// And the types of cells are made while the session runs: a plugin that
// declares the same type has another one, so assertions and interfaces would
// fail, silently in places.
//
// # What is done instead
//
// The cell becomes a program of its own, whose functions are called over a
// pipe. A function can be called from the session if what goes through the pipe
// has the same value and the same type on both sides:
//
//   - parameters and results are numbers, booleans, strings, arrays of numbers or booleans,
//     and slices of these; the last result may be an error;
//   - slices that share memory in the caller share it in the callee, what
//     the callee writes into them is there when it returns, and a result that is
//     part of an argument is that for the caller too.
//
// Other functions, and types, constants and variables, are the program's own. It
// sees nothing of the session, and only the standard library.
//
// # Traps
//
// A call costs some ten microseconds, and arguments are copied (ten to forty
// milliseconds for a million numbers), so a function should do much in one call; calls from several goroutines take turns. A slice arrives with no
// spare capacity. Of an error only the text arrives. Package variables live until the
// program ends: when the cell is run again, a call is interrupted, or the program
// crashes, which ends the call and not the session. On processors other
// than amd64 the compiler may fuse x*y + z into one rounding, which the
// interpreter does not.
package native
