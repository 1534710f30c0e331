// Package randprog makes random Go programs that end, print the same each time, and depend on
// nothing that Go leaves to the implementation. Cells that run them must print what the compiled
// programs print.
//
// # What keeps a program meaningful
//
//   - It type-checks: expressions are built by type, constants are no operands where the compiler
//     would refuse the result.
//   - It ends: loops count with variables that nothing else changes, recursion counts down, and
//     what a function costs is added up while it is written (gen.spend).
//   - It stays small: texts are clipped (gen.clip), slices grow by what statements cost. Compiled refuses
//     a program that does not.
//   - No order of evaluation shows that Go leaves open: expressions change nothing, calls that
//     do are statements of their own, and at most one operation of a statement may panic.
//   - No capacity shows that append chooses: see data.go.
//   - Maps are gone through in the order of their keys, or the order does not matter.
//   - Floats become integers only if these hold them, and NaNs are all alike: processors differ there.
//
// # What is left out
//
// What cells are known to do otherwise, or the compiler does one way and another:
//
//   - nil pointers in interfaces, and method values of nil interfaces: their panics have other texts
//     when the compiler knows the type;
//   - products of complex numbers, in which a processor may round once for two operations.
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
//	               what chance alone seldom puts together
//	decl.go        functions, methods, global variables
//	cells.go       a program as cells
//	compiled.go    what compiled programs print
//	output.go      keeps no more than can be meant
//	check.go, shrink.go
//	               a smaller program that fails too
package randprog
