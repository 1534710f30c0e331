// Package entrypoints contains the code that compiled Go enters when it calls a method of a cell's type
// through an interface. Only the code address says which method is called, so each method needs code of its
// own. There is a fixed number of functions, which differ only in a number. Importing the package registers
// them with reflectx, which makes the types.
//
// On systems that pass arguments in registers, package icall8192 of reflectx does this. On wasm, all
// arguments are on the stack, and that package has two bugs that rarely, but in any place, end the program.
// First, its functions declare the first argument as a pointer. It may be a number or, if there are no
// arguments, a leftover of an earlier call, so the garbage collector may find an address that has been freed.
// Second, the package keeps the arguments in memory that the collector does not scan. So this package copies
// the arguments to memory of their types before the collector can run.
//
// There are 1,024 functions; each makes the browser kernel 600 bytes larger. Most types need one function per
// method. A type that embeds a *mat.Dense needs 52, and each new version of the type needs 52 more. Declaring
// the same text again needs no new functions. If too few functions are left, the session refuses a
// declaration and says why.
package entrypoints

//go:generate go run ./gen
