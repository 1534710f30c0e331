// Package lineage says, from its text alone, which names a cell declares, which it reads and which
// variables it assigns to, and so which cells of a notebook depend on which others. Nothing runs.
//
// Read reads one cell. Check finds what cells use that no cell above them declares: a notebook with
// such names does not run from top to bottom, though it may seem to in the session in which it was
// written.
//
// # What counts
//
// A declaration is an import, a function, a method, a type, a group of constants, or a variable that a
// statement at the top level of the cell declares. Names of a function's own scopes are not looked at. What
// a function mentions belongs to the function, not to the cell that it stands in: it counts for whoever uses the
// function (see Decl).
//
// An assignment is x = e, x op= e, x++, and also x.f = e, x[i] = e, *x = e and the builtins copy, delete and clear,
// which change a part of x or what it points to. A statement reads what it mentions, unless a statement before
// it, of the same cell and not in a branch or loop, has declared or assigned it.
//
// # Files in reading order
//
//	cell.go     what is known of a cell
//	read.go     a reader of names, with its scopes
//	stmt.go     statements
//	expr.go     expressions and types
//	imports.go  the names of packages
//	command.go  commands that set variables, and %%native
//	check.go    what no cell above declares
//
// # Traps
//
// What happens through pointers and in methods of compiled packages is not seen: C.Mul(A, B)
// does not count as an assignment to C, nor does f(&x) to x.
//
// The keys in T{name: value} are taken for fields, if T is a name and not a type such as map[string]int.
//
// The name of a package is guessed from its path where the import gives none.
package lineage
