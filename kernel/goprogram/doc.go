// Package goprogram writes a notebook as a Go program that go run and go vet accept. It is meant for notebooks that
// have grown into code worth calling, testing and reviewing.
//
// Declarations of types, constants and functions move from the cells to package level, in order. The statements of all
// cells become the function main, in order; text becomes comments. A cell's last value is printed where the kernel
// would show it. Commands become equivalent Go code, or a comment. The functions of %%test cells go to a file of
// tests.
//
// # Names
//
// In a session a later cell may redeclare a name. Redeclaring a variable with the same type is an assignment, in the
// session and in the program. Every other redeclaration gets a new name: the first x stays x, the x that a later cell
// declares becomes x2, and each cell uses the same x as in the notebook. Names that shadow a predeclared name change
// too: max becomes max2. Functions call the last version of other functions, as in a session after its last cell.
// Redeclared names are common in notebooks in which somebody has tried things out; names.go and check.go are needed
// because of them.
//
// Variables that functions use become package variables; all others are local to main. Main sets the package variables,
// in the order of the cells, except errors, tables and the like, which are set where they are declared (early.go). A
// cell that defers calls becomes a function of its own, so that the calls run when the cell ends. If other cells use
// variables of such a cell, these variables become package variables too.
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
//	early.go      the variables that are set before main
//	tests.go      the file of tests
//	gomod.go      the module file
//	source.go     the source of this project: where it is, and which of its files a program needs
//
// # Traps
//
// A value without a text form of its own is printed by fmt, and looks different from the kernel's output: a table of
// structs is one line. A program that imports gonum but not this project multiplies matrices with gonum's own code, so
// the last digits may differ. For a picture the program prints only the name. With the flag -figures it also writes
// the picture to a folder. It cannot do so for a plot of gonum, which only the kernel draws. Background code works
// even if one cell starts it and a later cell waits for it. The program cannot be interrupted and continued, and it
// ends at an error, unlike a session.
package goprogram
