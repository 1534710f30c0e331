// Package rt gives register code the runtime functions that compiled code uses: for maps, strings and interface tables,
// and to allocate memory and grow slices. It also makes Go functions that run code from cells when compiled code calls
// them (see MakeFunc). It calls compiled functions with arguments from registers (see CalleeOf).
//
// Types are passed as type words (Type): the address of the runtime's type descriptor, which is also the
// first word of an any. As in compiled code, nothing checks that a type matches the memory.
//
// The linker lets any package link to the runtime functions used here, because well-known modules use them. Each of
// these functions has a comment in the runtime's source which says that its signature must not change.
//
// These functions behave like compiled Go: they panic with the same errors, end the process if they detect
// concurrent use of a map, and report races if built with the race detector.
package rt
