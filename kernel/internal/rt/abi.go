package rt

import (
	"reflect"
	"unsafe"
)

// Calls of compiled functions of any signature. Where all arguments and results fit into the processor's
// registers, they are placed as Go's calling convention says (cmd/compile/abi-internal.md). All other calls go
// through package reflect.

// A convention describes how to call functions with one particular list of parameters and results.
type convention struct {
	args, results []leaf
	inRegisters   bool
	// For calls in registers:
	returns uint16 // a bit for each integer register that returns a pointer
	isFloat bool   // there are floats
	// For other calls:
	in, out []value
}

// A leaf is a part of an argument or result that occupies one register; see package regcode.
type leaf struct {
	isP, isFloat bool
	kind         reflect.Kind // of a number
	iface        Type         // if the leaf is the itab of an interface with methods: the interface type
	offset       uintptr      // in memory
	at           int          // register of its kind
}

// A value is an argument or a result.
type value struct {
	t      reflect.Type
	leaves []leaf
}

// conventionOf returns the convention of functions with these parameters and results.
func conventionOf(in, out []reflect.Type) *convention {
	c := &convention{inRegisters: knowsRegisters}
	place := func(types []reflect.Type) (leaves []leaf, values []value) {
		ints, floats := 0, 0
		for _, t := range types {
			list, simple := leavesOf(t, 0, nil)
			c.inRegisters = c.inRegisters && simple
			for i := range list {
				to := &ints
				if list[i].isFloat {
					to = &floats
					c.isFloat = true
				}
				list[i].at = *to
				*to++
			}
			leaves, values = append(leaves, list...), append(values, value{t, list})
		}
		c.inRegisters = c.inRegisters && ints <= intRegisters && floats <= floatRegisters
		return leaves, values
	}
	c.args, c.in = place(in)
	c.results, c.out = place(out)
	for _, l := range c.results {
		if l.isP && c.inRegisters {
			c.returns |= 1 << l.at
		}
	}
	return c
}

const word = unsafe.Sizeof(uintptr(0))

// leavesOf appends the leaves of a value of type t to list. The leaves are the parts of the value that occupy one
// register each. The value lies at the given offset within an argument or a result. The result simple is false if Go
// never passes such a value in registers, because it contains an array with more than one element.
func leavesOf(t reflect.Type, at uintptr, list []leaf) (_ []leaf, simple bool) {
	pointer := func(at uintptr) leaf { return leaf{isP: true, offset: at} }
	integer := func(at uintptr, k reflect.Kind) leaf { return leaf{kind: k, offset: at} }
	float := func(at uintptr, k reflect.Kind) leaf { return leaf{isFloat: true, kind: k, offset: at} }
	simple = true
	switch t.Kind() {
	case reflect.Float64, reflect.Float32:
		list = append(list, float(at, t.Kind()))
	case reflect.Complex128:
		list = append(list, float(at, reflect.Float64), float(at+8, reflect.Float64))
	case reflect.Complex64:
		list = append(list, float(at, reflect.Float32), float(at+4, reflect.Float32))
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		list = append(list, pointer(at))
	case reflect.String:
		list = append(list, pointer(at), integer(at+word, reflect.Int))
	case reflect.Slice:
		list = append(list, pointer(at), integer(at+word, reflect.Int), integer(at+2*word, reflect.Int))
	case reflect.Interface:
		first := pointer(at)
		if t.NumMethod() > 0 {
			first.iface = TypeWord(t)
		}
		list = append(list, first, pointer(at+word))
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			var ok bool
			list, ok = leavesOf(f.Type, at+f.Offset, list)
			simple = simple && ok
		}
	case reflect.Array:
		for i := range t.Len() {
			var ok bool
			list, ok = leavesOf(t.Elem(), at+uintptr(i)*t.Elem().Size(), list)
			simple = simple && ok && t.Len() == 1
		}
	default:
		list = append(list, integer(at, t.Kind()))
	}
	return list, simple
}

// LeavesOf splits values of type t into leaves, the parts that occupy one register each (see package regcode), and
// reports for each leaf whether it is a pointer.
func LeavesOf(t reflect.Type) (isP []bool) {
	leaves, _ := leavesOf(t, 0, nil)
	for _, l := range leaves {
		isP = append(isP, l.isP)
	}
	return isP
}

// callByReflection calls a function through package reflect. The Callee lists the registers in n and p that hold the
// arguments, and those that receive the results. The argument named call is the method Call of the function's
// reflect.Value, or CallSlice if the function is variadic.
func callByReflection(of *Callee, call func(args []reflect.Value) []reflect.Value, n *Numbers, p *Pointers) {
	c := of.convention
	args := make([]reflect.Value, len(c.in))
	iN, iP := 0, 0
	for i, x := range c.in {
		v := reflect.New(x.t)
		at := v.UnsafePointer()
		for _, l := range x.leaves {
			to := unsafe.Add(at, l.offset)
			if !l.isP {
				StoreNumber(to, n[of.ArgN[iN]], l.kind)
				iN++
				continue
			}
			w := p[of.ArgP[iP]]
			if l.iface != nil {
				w, _ = Itab(l.iface, w)
			}
			*(*unsafe.Pointer)(to) = w
			iP++
		}
		args[i] = v.Elem()
	}
	iN, iP = 0, 0
	for i, result := range call(args) {
		v := reflect.New(c.out[i].t)
		v.Elem().Set(result)
		at := v.UnsafePointer()
		for _, l := range c.out[i].leaves {
			from := unsafe.Add(at, l.offset)
			if !l.isP {
				n[of.ResN[iN]] = LoadNumber(from, l.kind)
				iN++
				continue
			}
			w := *(*unsafe.Pointer)(from)
			if l.iface != nil {
				w = ItabType(w)
			}
			p[of.ResP[iP]] = w
			iP++
		}
	}
}
