// Package entrypoints has the code that compiled Go enters when it calls a method of a cell's type by
// an interface. Each method needs code of its own, as nothing else says which method is meant, so there
// is a fixed number of functions that differ in a number alone. Importing the package registers them
// with reflectx, which makes the types.
//
// Where there are registers for arguments, package icall8192 of reflectx does it. For wasm, where all
// arguments are on the stack, it has two faults that end the program, rarely and anywhere: its functions
// declare a pointer where the first argument lies, which may be a number, or no argument at all but what
// an earlier call has left, and the collector finds an address that has been freed; and it keeps the
// arguments in memory that the collector does not look at. So here the arguments are copied to memory of
// their type before anything can run the collector.
//
// There are 1,024 of them, and each makes the kernel for the browser 600 bytes larger. Most types take one for each
// method; one that embeds a *mat.Dense takes 52, and so does each new version of it. The same text again takes none. When
// too few are left the session refuses a declaration and says why.
package entrypoints

//go:generate go run ./gen
