// Package goprogram writes a notebook as a Go program that go run and go vet accept, for notebooks that have
// grown into code to call, test and review.
//
// Declarations of types, constants and functions move from the cells to package level, in order. The statements
// of all cells become the function main, in order; text becomes comments. A cell's last value is printed where
// the kernel would show it. Commands become equivalent Go code, or a comment.
//
// # Names
//
// In a session a later cell may redeclare a name. Redeclaring a variable with the same type is an assignment,
// in the session and in the program. Every other redeclaration gets a new name: x of the first cells stays x,
// the later one becomes x2, and each cell uses the one that it used in the notebook. Names that hide a
// predeclared name change too: max becomes max2. Functions call the last version of other functions, as in a
// session after its last cell.
//
// Variables that functions use become package variables; all others are local to main. A cell that defers calls
// becomes a function of its own, so that they run when it ends; its variables that other cells use become
// package variables too.
//
// # Files in reading order
//
//	program.go    from a notebook to files
//	cells.go      a notebook as parts: text, commands, declarations, statements
//	order.go      the order of a cell's variables and init functions
//	names.go      the declaration that each name refers to
//	check.go      the types of declarations and shown values, by go/types
//	emit.go       the parts as one Go file
//	show.go       how a value is printed
//	commands.go   the translation of commands
//	comment.go    Markdown as comments
//	gomod.go      the module file
//	source.go     the location of this project, for imports of its packages
//
// # Traps
//
// A value without a text form of its own is printed by fmt, not as by the kernel: a table of structs is one
// line. Pictures are named, not shown. Background code that one cell starts and a later one waits for works.
// The behavior of a session on interrupts, or after a failed cell, is lost.
package goprogram
