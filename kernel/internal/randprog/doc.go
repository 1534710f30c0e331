// Package randprog generates random Go programs that end, print the same output each time, and do not depend on
// implementation-defined behavior. As cells, they must print what the compiled programs print.
//
// # What keeps a program meaningful
//
//   - It type-checks: expressions are built by type, and constants are not operands where the compiler would
//     reject the result.
//   - It ends: loops count with variables that no other code changes, recursion counts down, and the cost of
//     a function is added up while the function is generated (gen.spend).
//   - It stays small: strings are clipped (gen.clip), and slices grow at a cost. Compiled rejects a program that
//     becomes too large.
//   - It does not reveal an order of evaluation that Go leaves open: expressions have no side effects, calls
//     with side effects are separate statements, and at most one operation of a statement may panic.
//   - It does not reveal a capacity chosen by append: see data.go.
//   - It iterates over maps in key order, unless the order does not matter.
//   - It converts floats to integers only if they fit, and treats all NaNs alike, because processors differ
//     in both.
//
// # What is left out
//
// Known differences between cells and compiled code, or between different compilations of the same code:
//
//   - nil pointers in interfaces, and method values of nil interfaces: the texts of their panics differ
//     if the compiler knows the type;
//   - products of complex numbers, for which a processor may round once for two operations.
//
// There are separate tests for select, unsafe, reflection, and races.
//
// # Files in reading order
//
//	randprog.go    a program from its seed
//	types.go, gen.go, places.go
//	               types; variables; places that hold values
//	expr.go, composite.go
//	               expressions
//	stmt.go, data.go, loops.go, closures.go
//	               statements
//	idioms.go, embeds.go
//	               combinations that chance alone seldom produces
//	decl.go        functions, methods, global variables
//	cells.go       a program as cells
//	compiled.go    what compiled programs print, up to a limit
//	check.go, shrink.go
//	               shrinking a program that fails
package randprog
