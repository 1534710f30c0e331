// Package insight answers what a front end asks while somebody types: which
// names can stand at the cursor (Complete, the Tab key), and what the name at the
// cursor is (Inspect, Shift-Tab).
//
// # How an answer is found
//
// A cell at the cursor is mostly not Go yet. So what follows the cursor in
// the same statement is left out, what is open is closed (repair.go), and an
// identifier is put at the cursor if there is none. The result parses, and is
// put together with the session's declarations, without the bodies of its
// functions, into one file (program.go), which go/types checks as far as it
// goes. Then the cursor is an identifier in a typed syntax tree, and its
// surroundings say what can stand there: a selector's type, a struct
// literal's fields, or the scopes around it (complete.go).
//
// Arguments of commands, lines for the shell and strings that are plainly paths
// are completed with files, environment variables or variables, and nothing else (files.go).
//
// In reading order: insight.go, lex.go, repair.go, session.go, program.go, complete.go,
// members.go, files.go, match.go, inspect.go, describe.go, preview.go.
//
// # Invariants
//
//   - Nothing of the interpreter is asked but engine.Introspector, whose answers do
//     not change under our hands; the types of compiled packages are those of
//     package apidoc, which nobody else uses. So a running cell
//     neither waits for an answer nor is waited for.
//   - The statements of a cell are the body of one function, as in the engine.
//     The function that the cursor is in becomes a function literal among
//     them, so that it sees the cell's variables, as it does when it runs.
//   - Offsets are bytes inside this package, and runes in its exported functions.
//   - No input makes an answer panic: what fails for an odd syntax tree is an
//     empty answer.
package insight
