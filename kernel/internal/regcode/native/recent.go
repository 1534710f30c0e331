package native

import (
	"maps"

	rc "overcomplete/kernel/internal/regcode"
)

// Ops use results of earlier ops of the same block. A field is accessed relative to the pointer to its struct, so that
// the engine checks one address for all fields. A number is not loaded twice if nothing was stored in between.

// recent holds the results of those ops of a block that have been emitted so far. It holds only results that are still
// valid.
type recent struct {
	fields  map[uint16]field  // pointers that were computed from others
	reached map[uint16]int    // distance from each pointer within which addresses have been checked
	loads   map[access]uint16 // registers that hold loaded numbers
}

// A field is an address: the number of a P register that holds a pointer, and the distance from this pointer.
type field struct {
	p        uint16
	distance int
}

// An access identifies the number that an op loads: loads with equal accesses load the same number, unless
// something was stored in between.
type access struct {
	code rc.Opcode
	at   field
	b, c uint16 // fields B and C of the op, if it loads an element
}

func newRecent() *recent {
	return &recent{map[uint16]field{}, map[uint16]int{}, map[access]uint16{}}
}

// at returns the address at the given distance from the pointer p. If p was itself computed from
// another pointer, the address is relative to that pointer.
func (r *recent) at(p uint16, distance int) field {
	if f, ok := r.fields[p]; ok && f.distance+distance >= 0 {
		return field{f.p, f.distance + distance}
	}
	return field{p, distance}
}

// accessOf returns the access of op if op loads a number. For other ops, ok is false.
func (r *recent) accessOf(op *rc.Op) (a access, ok bool) {
	s := shapes[op.Code]
	if _, ok := memories[op.Code]; !ok || s.stores || s.d == pointer {
		return access{}, false
	}
	if indexes(op.Code) {
		return access{op.Code, field{op.A, 0}, op.B, op.C}, true
	}
	return access{code: op.Code, at: r.at(op.A, int(op.Imm))}, true
}

// pass updates r for an op that succeeds.
func (r *recent) pass(c *rc.Code, op *rc.Op) {
	a, loads := r.accessOf(op)
	_, again := r.loads[a]
	from := r.at(op.A, int(op.Imm))
	for _, w := range writes(c, op) {
		r.forget(w.register)
	}
	switch {
	case op.Code == rc.OpField && op.D != from.p:
		r.fields[op.D] = from
	case loads && !again && !a.reads(register{false, op.D}):
		r.loads[a] = op.D
	case shapes[op.Code].stores, isCall(op.Code):
		clear(r.loads)
	}
}

// forget removes everything that depends on the register o, because an op writes o.
func (r *recent) forget(o register) {
	if o.pointer {
		delete(r.reached, o.number)
		delete(r.fields, o.number)
		maps.DeleteFunc(r.fields, func(_ uint16, f field) bool { return f.p == o.number })
	}
	maps.DeleteFunc(r.loads, func(a access, d uint16) bool { return a.reads(o) || !o.pointer && d == o.number })
}

func (a access) reads(o register) bool {
	if o.pointer {
		return a.at.p == o.number
	}
	return indexes(a.code) && (a.b == o.number || a.c == o.number)
}
