// Package native compiles the functions of one cell with the Go toolchain, if the machine has one, and lets
// the session call them.
//
// # Why not a plugin
//
// A Go plugin can be loaded only into a program that shares every package with the plugin in exactly the same
// build: same toolchain, same flags, same sources, with cgo. A kernel that was built elsewhere, or without
// cgo, cannot load plugins. There are no plugins for Windows. Plugins cannot be unloaded, and a plugin that
// crashes ends the session. Besides, the types of cells are made while the session runs. A type that a plugin
// declares with the same text is a different type, so assertions and interfaces would fail, sometimes
// silently.
//
// # What is done instead
//
// The cell becomes a separate program, and its functions are called over a pipe. The session can call a
// function if its arguments and results have the same value and the same type on both sides:
//
//   - parameters and results are numbers, booleans, strings, arrays of numbers or booleans,
//     and slices of these; the last result may be an error;
//   - slices that share memory in the caller share it in the callee, the callee's writes to
//     them are visible when it returns, and a result that is part of an argument
//     in the callee is also part of the argument in the caller.
//
// Other functions, and types, constants and variables, are private to the program. The program cannot access
// the session. It imports the standard library and, if Options.Command provides versions, packages of
// modules; values of their types cannot be passed, and their variables are not shared with cells.
//
// # Traps
//
// A call costs about ten microseconds, and arguments are copied (ten to forty milliseconds for a million numbers), so a
// function should do much in one call. Calls from several goroutines take turns. A slice arrives without spare
// capacity, and an error only as its text. Package variables live until the program ends. It ends when the cell runs
// again, when a call is interrupted, or when the program crashes; a crash ends the call but not the session. On
// processors other than amd64 the compiler may compute x*y + z with one rounding, which the interpreter does not do.
package native
