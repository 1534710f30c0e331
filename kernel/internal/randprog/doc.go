// Package randprog generates random Go programs that end, print the same output each time, and depend on
// nothing that Go leaves to the implementation. Run as cells, they must print what the compiled programs
// print.
//
// # What keeps a program meaningful
//
//   - It type-checks: expressions are built by type, and constants are not operands where the compiler would reject
//     the result.
//   - It ends: loops count with variables that nothing else changes, recursion counts down, and the cost of a function
//     is added up while it is written (gen.spend).
//   - It stays small: strings are clipped (gen.clip), and slices grow at a cost. Compiled rejects a program that does
//     not stay small.
//   - It does not reveal an order of evaluation that Go leaves open: expressions have no side effects, calls with side
//     effects are separate statements, and at most one operation of a statement may panic.
//   - It does not reveal a capacity chosen by append: see data.go.
//   - It iterates over maps in key order, or the order does not matter.
//   - It converts floats to integers only if they fit, and treats all NaNs alike: processors differ there.
//
// # What is left out
//
// Known differences between cells and compiled code, or between ways in which the compiler compiles:
//
//   - nil pointers in interfaces, and method values of nil interfaces: their panics have other texts
//     when the compiler knows the type;
//   - products of complex numbers, for which a processor may round once for two operations.
//
// Select, unsafe, reflection, and races have tests of their own.
//
// # Files in reading order
//
//	randprog.go    a program from its seed
//	types.go, gen.go, places.go
//	               its types; its variables; where values are found
//	expr.go, composite.go
//	               expressions
//	stmt.go, data.go, loops.go, closures.go
//	               statements
//	idioms.go, embeds.go
//	               combinations that chance alone seldom produces
//	decl.go        functions, methods, global variables
//	cells.go       a program as cells
//	compiled.go    what compiled programs print
//	output.go      limits the output that is kept
//	check.go, shrink.go
//	               a smaller program that fails too
package randprog
