package rt

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// Numbers and Pointers are registers as package regcode has them.
type (
	Numbers  [1 << 16]uint64
	Pointers [1 << 16]unsafe.Pointer
)

// A Callee is a Go function, and where register code has its arguments and wants its results.
type Callee struct {
	// The registers of the arguments and of the results, leaf by leaf.
	ArgN, ArgP, ResN, ResP []uint16

	fn     unsafe.Pointer
	call   caller
	ifaces []Type // the types of the parameters that are interfaces with methods
}

// A caller calls functions of one signature.
type caller func(c *Callee, n *Numbers, p *Pointers)

// CalleeOf returns the callee for fn, a Go function, whose registers are still to be set; nil if there is no caller for
// its signature.
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

// Call calls the function with its arguments in registers, where it leaves the results, too.
func (c *Callee) Call(n *Numbers, p *Pointers) { c.call(c, n, p) }

// callerFor is a line in the table of callers, which is in the order of the signatures.
type callerFor struct {
	signature string
	call      caller
}
