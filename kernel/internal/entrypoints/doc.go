// Package entrypoints contains the code that compiled Go enters when it calls a method of a cell's type
// through an interface. Only the code address says which method is called, so each method needs code of its
// own. There is a fixed number of functions, which differ only in a number. Importing the package registers
// them with reflectx, which makes the types.
//
// On amd64 and arm64 there are 8,192 stubs of 16 bytes, in assembly. A stub does not need to know the method's
// signature: it jumps to a closure of that signature, with the arguments where the caller has put them. At
// first the closure calls the method through reflection, in about a microsecond; Entry.Set replaces it by one
// that package ixengine makes for the signature, which takes a tenth of that. On other systems that pass arguments
// in registers, package icall8192 of reflectx does the work, through reflection.
//
// On wasm, all arguments are on the stack. Package icall8192 has two bugs there that rarely, but in any place, end
// the program. First, its functions declare the first argument as a pointer. It may be a number or, if there are no
// arguments, a leftover of an earlier call, so the garbage collector may find an address that has been freed.
// Second, the package keeps the arguments in memory that the collector does not scan. So this package copies
// the arguments to memory of their types before the collector can run.
//
// On wasm there are 1,024 functions; each makes the browser kernel 600 bytes larger. Most types need one function per
// method. A type that embeds a *mat.Dense needs 52, and each new version of the type needs 52 more. Declaring
// the same text again needs no new functions. If too few functions are left, the session refuses a
// declaration and says why.
package entrypoints

//go:generate go run ./gen
