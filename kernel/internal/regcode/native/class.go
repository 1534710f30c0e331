package native

import (
	"overcomplete/internal/wasm"
	rc "overcomplete/kernel/internal/regcode"
)

// classes assigns a class to each N register of a region: the type in which the module keeps the register. Registers
// that are connected by moves have the same class: the one in which most ops use these registers. Ops that use a
// register in another class convert its bits.
type classes struct {
	group map[uint16]uint16 // for each register another register of its class, in a chain whose last one maps to itself
	votes map[uint16]*[pointer]int
}

// findClasses finds the classes of the registers that the given ops of c use. If one of the ops calls a function f,
// called(f) returns the classes of f.
func findClasses(c *rc.Code, ops []int32, called func(f *rc.Func) *classes) *classes {
	k := &classes{map[uint16]uint16{}, map[uint16]*[pointer]int{}}
	for _, i := range ops {
		op := &c.Ops[i]
		if op.Code == rc.OpMove && !isConstN(c, op.A) {
			k.join(op.D, op.A)
		}
	}
	for _, i := range ops {
		op := &c.Ops[i]
		for _, o := range append(reads(c, op), writes(c, op)...) {
			if !o.pointer {
				k.vote(o.number, o.class)
			}
		}
		if op.Code == rc.OpCallOf {
			k.voteCall(&c.Calls[op.Or], called(c.Calls[op.Or].Func))
		}
	}
	return k
}

func (k *classes) find(n uint16) uint16 {
	for {
		g, ok := k.group[n]
		if !ok || g == n {
			return n
		}
		n = g
	}
}

func (k *classes) join(a, b uint16) {
	if a, b = k.find(a), k.find(b); a != b {
		k.group[a] = b
	}
}

func (k *classes) vote(n uint16, c class) {
	n = k.find(n)
	v := k.votes[n]
	if v == nil {
		v = new([pointer]int)
		k.votes[n] = v
	}
	v[c]++
}

// voteCall votes for the classes of the registers that the given call uses for its arguments and results. Each register
// gets a vote for the class that the callee has for this argument or result. f holds the callee's classes.
func (k *classes) voteCall(call *rc.Call, f *classes) {
	if f == nil {
		return // the callee is the function being compiled
	}
	for i, n := range call.ArgN {
		k.vote(n, f.get(uint16(i)))
	}
	for i, n := range call.ResN {
		k.vote(n, f.get(uint16(i)))
	}
}

// get returns the class of a register: whole, double or single.
func (k *classes) get(n uint16) class {
	v := k.votes[k.find(n)]
	switch {
	case v == nil:
		return whole
	case v[double] > v[whole] && v[double] >= v[single]:
		return double
	case v[single] > v[whole]:
		return single
	}
	return whole
}

// types maps classes to WebAssembly types.
var types = [...]wasm.Type{whole: wasm.I64, double: wasm.F64, single: wasm.F32}

// convert returns v converted from one class to another, with the same bits.
func convert(v wasm.Value, from, to class) wasm.Value {
	switch {
	case from == to:
		return v
	case from == single:
		return convert(wasm.Op("i64.extend_i32_u", wasm.Op("i32.reinterpret_f32", v)), whole, to)
	case to == single:
		return wasm.Op("f32.reinterpret_i32", wasm.Op("i32.wrap_i64", convert(v, from, whole)))
	case to == double:
		return wasm.Op("f64.reinterpret_i64", v)
	}
	return wasm.Op("i64.reinterpret_f64", v)
}

func isConstN(c *rc.Code, n uint16) bool {
	return int(n) >= c.AtConstN && int(n) < c.AtConstN+len(c.ConstN)
}

func isConstP(c *rc.Code, n uint16) bool {
	return int(n) >= c.AtConstP && int(n) < c.AtConstP+len(c.ConstP)
}
