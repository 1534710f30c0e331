// Package goprogram writes a notebook as a Go program that go run and go vet accept, for a notebook that has
// grown into something that others shall call, test and review.
//
// Declarations of types, constants and functions move out of the cells to the level of the package, in their
// order. The statements of all cells become the function main, in their order; text becomes comments. A cell's last value
// is printed where the kernel would show it. Commands become the Go that does the same, or a comment.
//
// # Names
//
// A session knows one thing by each name at a time, and a later cell may declare another one. Declaring a variable
// again with the same type assigns to it, there as here. Everything else that is declared again gets a name of its own:
// x of the first cells stays x, the later one becomes x2, and each cell uses the one that it used in the notebook. So
// does what hides a predeclared name: max becomes max2.
// Functions see the last version of the functions that they call, as in a session after its last cell.
//
// Variables that functions use become variables of the package; all others are local to main. A cell that defers
// calls becomes a function of its own, so that they are made when it ends; what other cells use of it are variables
// of the package, too.
//
// # Files in reading order
//
//	program.go    from a notebook to files
//	cells.go      a notebook as parts: text, commands, declarations, statements
//	order.go      the order of a cell's variables and init functions
//	names.go      which declaration each name in them means
//	check.go      the types of what is declared and shown, by go/types
//	emit.go       the parts as one Go file
//	show.go       how a value is printed
//	commands.go   what becomes of commands
//	comment.go    Markdown as comments
//	gomod.go      the module file
//	source.go     where this project is, whose packages the program imports
//
// # Traps
//
// The text of a value is fmt's, not the kernel's, where the value has no text of its own: a table of structs is
// printed in one line. Pictures are named, not shown. Code that is started in the background by one cell and awaited by a later
// one works; what a session does when it is interrupted, or when a cell fails and the next one runs anyway, is lost.
package goprogram
