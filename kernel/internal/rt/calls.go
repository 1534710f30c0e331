package rt

import (
	"reflect"
	"slices"
	"unsafe"
)

// Numbers and Pointers are the two kinds of registers of register code (see package regcode): for numbers and for pointers.
type (
	Numbers  [1 << 16]uint64
	Pointers [1 << 16]unsafe.Pointer
)

// A Callee is a compiled Go function, together with the indices of the registers for its arguments and results.
type Callee struct {
	// The registers of the leaves of the arguments and of the results.
	ArgN, ArgP, ResN, ResP []uint16

	fn         unsafe.Pointer
	call       caller
	ifaces     []Type      // types of the parameters that are interfaces with methods; for a generated caller
	convention *convention // for signatures without a generated caller
}

// A caller is a function that calls functions of one signature.
type caller func(c *Callee, n *Numbers, p *Pointers)

// CalleeOf returns a Callee for the Go function fn, or nil if fn is nil. Before the first call, ArgN, ArgP, ResN and
// ResP of the Callee must be set.
func CalleeOf(fn reflect.Value) *Callee {
	if fn.IsNil() {
		return nil
	}
	t := fn.Type()
	c := &Callee{fn: dataWord(fn.Interface())}
	if c.call = lookup(callers[:], t); c.call != nil {
		for in := range t.Ins() {
			if letter(in) == 'm' {
				c.ifaces = append(c.ifaces, TypeWord(in))
			}
		}
		return c
	}
	c.convention = conventionOf(slices.Collect(t.Ins()), slices.Collect(t.Outs()))
	c.call = inRegisters
	if !c.convention.inRegisters {
		call := fn.Call
		if t.IsVariadic() {
			call = fn.CallSlice
		}
		c.call = func(c *Callee, n *Numbers, p *Pointers) { callByReflection(c, call, n, p) }
	}
	return c
}

func inRegisters(c *Callee, n *Numbers, p *Pointers) { callInRegisters(c, c.fn, n, p) }

// Call calls the function. It takes the arguments from registers in n and p, and stores the results in registers in n
// and p; the fields of c say which.
func (c *Callee) Call(n *Numbers, p *Pointers) { c.call(c, n, p) }

// A Method is a method of an interface type. It can be called for any dynamic type that implements the interface.
type Method struct {
	Callee // the first argument is the data word of the interface
	iface  Type
	offset uintptr // of the method's code in an itab
}

// MethodOf returns method i of the interface type iface, or nil if the arguments or results of the method do not fit
// into the processor's registers. Before the first call, ArgN, ArgP, ResN and ResP of the Method must be set.
func MethodOf(iface reflect.Type, i int) *Method {
	t := iface.Method(i).Type
	in := append([]reflect.Type{reflect.TypeFor[unsafe.Pointer]()}, slices.Collect(t.Ins())...)
	c := conventionOf(in, slices.Collect(t.Outs()))
	if !c.inRegisters {
		return nil
	}
	return &Method{Callee{convention: c}, TypeWord(iface), unsafe.Offsetof(itabHead{}.code) + uintptr(i)*word}
}

// Call calls the method for the dynamic type t, which must implement the interface.
func (m *Method) Call(t Type, n *Numbers, p *Pointers) {
	itab, ok := Itab(m.iface, t)
	if !ok {
		panic("rt: " + TypeOf(t).String() + " has not the methods of " + TypeOf(m.iface).String())
	}
	// The address of the method's entry in the itab serves as a func value.
	callInRegisters(&m.Callee, unsafe.Add(itab, m.offset), n, p)
}
