// Package rt gives register code the functions that compiled code has in Go's
// runtime: maps, allocation, slices that grow, strings, interface tables; Go functions for
// compiled code that run code of cells (see MakeFunc); and calls of compiled functions with arguments from
// registers (see CalleeOf).
//
// Types are passed as type words (Type): the address of the runtime's type descriptor, which is also the first
// word of an any. As in compiled code, nothing checks that a type matches the memory.
//
// The linker lets any package link to the runtime functions used here, because well-known modules use them;
// the runtime notes for each that its signature must not change.
//
// These functions behave like compiled Go: they panic with the same errors, end the process if two goroutines
// are seen using a map at once, and report races in a race build.
package rt
