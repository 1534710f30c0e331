// Package rt gives code of cells that is not compiled, but fast, what compiled code calls in Go's
// runtime: maps, allocation, slices that grow, strings, interface tables; Go functions for
// compiled code whose bodies are the cells' (see MakeFunc); and calls of compiled functions with arguments
// from registers (see CalleeOf).
//
// Types are given as type words (Type): the address of the runtime's description, which is also the
// first word of an any. As in compiled code nothing checks that a type is that of the memory.
//
// All of the runtime's functions here are among those that the linker lets any package have, because
// well-known modules use them; the runtime says of each that its signature must not change.
//
// Whatever compiled Go would do, these do: they panic with the same errors, end the process where two
// goroutines are seen to use a map at once, and report races in a race build.
package rt
