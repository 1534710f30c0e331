// Package entrypoints contains the code that compiled Go enters when it calls a method of a cell's type
// through an interface. Nothing but the code address says which method is meant, so each method needs code of
// its own: there is a fixed number of functions that differ only in a number. Importing the package registers
// them with reflectx, which makes the types.
//
// Where arguments are passed in registers, package icall8192 of reflectx does this. For wasm, where all
// arguments are on the stack, that package has two faults that end the program, rarely and anywhere. First,
// its functions declare a pointer where the first argument lies; that may be a number, or with no arguments a
// leftover of an earlier call, so the collector finds an address that has been freed. Second, it keeps the
// arguments in memory that the collector does not scan. So here the arguments are copied to memory of their
// type before anything can run the collector.
//
// There are 1,024 functions; each makes the kernel for the browser 600 bytes larger. Most types need one per
// method. A type that embeds a *mat.Dense needs 52, and so does each new version of it; declaring the same
// text again needs none. If too few are left, the session refuses a declaration and says why.
package entrypoints

//go:generate go run ./gen
