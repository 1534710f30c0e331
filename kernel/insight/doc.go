// Package insight answers the requests of a front end while the user types. Complete (the Tab key) lists the names
// that could be inserted at the cursor. Inspect (Shift-Tab) describes the name at the cursor. Check finds mistakes in
// a cell before it runs, and Names finds the places in a notebook where a name occurs.
//
// # Method
//
// While the user types, a cell is usually not valid Go. So the statement is cut off at the cursor, open brackets and
// the like are closed (repair.go), and an identifier is inserted at the cursor if there is none. The result parses. It
// is combined with the session's declarations, without function bodies, into one file (program.go), which go/types
// checks despite errors. Then the cursor is at an identifier in a typed syntax tree, and the nodes around the
// identifier determine the candidates: a selector's type, a struct literal's fields, or the scopes around it
// (complete.go).
//
// Some text is not completed with Go names. The arguments of commands and shell lines are completed with files,
// environment variables, session variables or modules (files.go, available.go). String literals are completed only if
// they are clearly paths (files.go) or may be column names of a data frame (columns.go).
//
// # Packages
//
// A library (library.go) holds the packages. Package apidoc describes the compiled packages. This package itself
// type-checks packages that the session runs from source, and packages of other modules on this machine that a cell
// could import (available.go). It does so on first use, without function bodies. That takes up to 0.5 s for a large
// package; after 1.2 s the answer uses the packages checked so far.
//
// In reading order: insight.go, lex.go, repair.go, session.go, library.go, available.go, program.go, complete.go,
// members.go, files.go, match.go, inspect.go, describe.go, source.go, preview.go.
//
// # Invariants
//
//   - Apart from Check, the package uses the interpreter only through engine.Introspector and
//     engine.Loader.Loaded, whose answers do not change after they are given. The types of
//     packages come from package apidoc or are made in this package, and are not shared. So a running cell
//     neither waits for an answer nor delays an answer.
//   - No answer runs a command, uses the network or writes a file.
//   - The statements of a cell are the body of one function, as in the engine.
//     The function that contains the cursor becomes a function literal among
//     the statements, so that it sees the cell's variables, as it does when it runs.
//   - Offsets are bytes inside this package, and runes in its exported functions.
//   - No input makes an answer panic: if an odd syntax tree causes a failure, the
//     answer is empty.
package insight
