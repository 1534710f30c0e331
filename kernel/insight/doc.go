// Package insight answers the questions of a front end while the user types:
// which names can stand at the cursor (Complete, the Tab key), and what the name
// at the cursor is (Inspect, Shift-Tab).
//
// # How an answer is found
//
// While the user types, a cell is usually not valid Go. So the part of the
// statement that follows the cursor is left out, open brackets and the like are
// closed (repair.go), and an identifier is put at the cursor if there is none.
// The result parses. It is combined with the session's declarations, without
// the bodies of its functions, into one file (program.go), which go/types
// checks as far as it can. Then the cursor is an identifier in a typed syntax
// tree, whose surroundings determine what can stand there: a selector's type, a
// struct literal's fields, or the scopes around it (complete.go).
//
// Arguments of commands, lines for the shell and strings that are plainly paths are
// completed only with files, environment variables or variables (files.go).
//
// # Packages
//
// A library (library.go) has the packages: what is compiled in is described by package
// apidoc; what the session runs from source, and what a cell could import of other modules
// that are on this machine (outside.go), is type-checked here from its files without the bodies
// of functions, when it is first asked for: up to 0.5 s for a large package, and after 1.2 s
// the answer is given with what is there.
//
// In reading order: insight.go, lex.go, repair.go, session.go, library.go, outside.go, program.go,
// complete.go, members.go, files.go, get.go, match.go, inspect.go, describe.go, source.go, preview.go.
//
// # Invariants
//
//   - The package uses the interpreter only through engine.Introspector and
//     engine.Loader.Loaded, whose answers do not change after they are given. The types of
//     packages come from package apidoc or are made here, and nobody else uses them. So a running cell
//     neither waits for an answer nor delays one.
//   - No answer runs a command, uses the network or writes a file.
//   - The statements of a cell are the body of one function, as in the engine.
//     The function that the cursor is in becomes a function literal among
//     them, so that it sees the cell's variables, as it does when it runs.
//   - Offsets are bytes inside this package, and runes in its exported functions.
//   - No input makes an answer panic: what fails for an odd syntax tree is an
//     empty answer.
package insight
