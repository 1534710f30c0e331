package rt

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// Numbers and Pointers are register files as in package regcode.
type (
	Numbers  [1 << 16]uint64
	Pointers [1 << 16]unsafe.Pointer
)

// A Callee is a compiled Go function with the registers of its arguments and results.
type Callee struct {
	// The registers of the leaves of the arguments and of the results.
	ArgN, ArgP, ResN, ResP []uint16

	fn     unsafe.Pointer
	call   caller
	ifaces []Type // types of the parameters that are interfaces with methods
}

// A caller is a function that calls functions of one signature.
type caller func(c *Callee, n *Numbers, p *Pointers)

// CalleeOf returns the Callee for the Go function fn. The caller must still set its registers. CalleeOf
// returns nil if fn's signature has no caller.
func CalleeOf(fn reflect.Value) *Callee {
	t := fn.Type()
	sig, ok := signature(t)
	if !ok || fn.IsNil() {
		return nil
	}
	i, ok := slices.BinarySearchFunc(callers[:], sig, func(c callerFor, sig string) int {
		return strings.Compare(c.signature, sig)
	})
	if !ok {
		return nil
	}
	c := &Callee{call: callers[i].call, fn: dataWord(fn.Interface())}
	for in := range t.Ins() {
		if letter(in) == 'm' {
			c.ifaces = append(c.ifaces, TypeWord(in))
		}
	}
	return c
}

// Call calls the function with its arguments in registers, and leaves its results in registers.
func (c *Callee) Call(n *Numbers, p *Pointers) { c.call(c, n, p) }

// callerFor is an entry in the table of callers, which is sorted by signature.
type callerFor struct {
	signature string
	call      caller
}
