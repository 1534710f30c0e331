// Package lineage determines how the cells of a notebook depend on each other. From a cell's text alone it
// finds the names that the cell declares and reads, and the variables that the cell assigns to. It runs no
// code.
//
// Read reads one cell. Check finds the names that a cell uses and no cell above declares. A notebook with such
// names does not run from top to bottom, even if it worked in the session in which it was written.
//
// # What counts
//
// A declaration is an import, a function, a method, a type, a group of constants, or a variable that a
// statement at the top level of the cell declares. Names in a function's own scopes are ignored. Names that a
// function mentions are attributed to the function, not to its cell: the cells that use the function depend on
// these names (see Decl).
//
// An assignment is x = e, x op= e, x++, and also x.f = e, x[i] = e, *x = e and the builtins copy, delete and
// clear, which change a part of x or the value that x points to. A statement reads the names that it mentions,
// except those that an earlier statement of the same cell, outside branches and loops, has declared or
// assigned.
//
// # Files in reading order
//
//	cell.go    the description of a cell; the names of packages; commands that set variables, and %%native
//	read.go    a reader of names, with its scopes
//	syntax.go  statements, expressions and types
//	check.go   names that no cell above declares
//	needs.go   the cells that must run before a cell
//
// # Traps
//
// Effects through pointers and in methods of compiled packages are not detected: C.Mul(A, B) does not count as
// an assignment to C, and f(&x) does not count as an assignment to x.
//
// The keys in T{name: value} are treated as fields if T is a name and not a type such as map[string]int.
//
// If an import does not name the package, the name is guessed from the path.
package lineage
