// Package entrypoints contains the code that compiled Go enters when it calls a method of a cell's type through an
// interface. Only the address of the called code says which method is meant, so each method needs code of its own. The
// package has a fixed number of functions for this purpose, which differ only in a number. Importing the package
// registers them with reflectx, the module that makes the types of cells.
//
// On amd64 and arm64 the functions are 8,192 stubs of 16 bytes, in assembly. A stub does not need to know the method's
// signature: it leaves the arguments where the caller has put them, and jumps to a closure that has this signature. At
// first, this is a closure that calls the method through reflection, which takes about a microsecond. Entry.Set
// replaces it with a closure that package ixengine makes for the signature, which takes a tenth of that time. On
// other systems that pass arguments in registers, package icall8192 of reflectx does the work, through reflection.
//
// A second set of stubs is for compiled code that gets a method from reflect.Type; see Code.
//
// On wasm, all arguments are on the stack. Package icall8192 has two bugs there. They rarely have an effect, but may
// end the program at any time. First, its functions declare the first argument as a pointer. In fact that argument may
// be a number or, if there are no arguments, a value left over from an earlier call. So the garbage collector may find
// an address that has been freed. Second, that package keeps the arguments in memory that the collector does not scan.
// So, before the collector can run, package entrypoints copies the arguments to memory that has their types.
//
// On wasm there are 1,024 functions; each makes the browser kernel 600 bytes larger. Most types need one function per
// method. A type that embeds a *mat.Dense needs 52, and each new version of the type needs 52 more. Declaring the same
// text again needs no new functions. If too few functions are left, the session refuses a declaration and says why.
package entrypoints

//go:generate go run ./gen
