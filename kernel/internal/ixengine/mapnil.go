package ixengine

import (
	"reflect"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
)

// Instructions on maps. The interpreter executes instructions on maps by reflection. A nil interface in a
// register has no type, and in reflection a value without a type means a missing element. So the interpreter
// deletes elements that are set to nil, and refuses nil as a key. The instructions are replaced here.

// valueAs returns the register value v as a reflect.Value. For nil it returns the zero value of type t.
func valueAs(v any, t reflect.Type) reflect.Value {
	if v == nil {
		return reflect.Zero(t)
	}
	return reflect.ValueOf(v)
}

// setElement implements m[k] = v.
func setElement(in *ssa.MapUpdate, r *registers) instruction {
	m, k, v := r.slotOf(in.Map), r.slotOf(in.Key), r.slotOf(in.Value)
	return func(fr *frame) {
		stack := stackOf(fr)
		m := reflect.ValueOf(stack[m])
		m.SetMapIndex(valueAs(stack[k], m.Type().Key()), valueAs(stack[v], m.Type().Elem()))
	}
}

// lookUp implements m[k].
func lookUp(in *ssa.Lookup, r *registers) instruction {
	m, k, result := r.slotOf(in.X), r.slotOf(in.Index), r.slotOf(in)
	return func(fr *frame) {
		stack := stackOf(fr)
		m := reflect.ValueOf(stack[m])
		e := m.MapIndex(valueAs(stack[k], m.Type().Key()))
		ok := e.IsValid()
		if !ok {
			e = reflect.Zero(m.Type().Elem())
		}
		if in.CommaOk {
			stack[result] = ixgo.Tuple{e.Interface(), ok}
		} else {
			stack[result] = e.Interface()
		}
	}
}

// deleteKey implements delete(m, k).
func deleteKey(in *ssa.Call, r *registers) instruction {
	m, k := r.slotOf(in.Call.Args[0]), r.slotOf(in.Call.Args[1])
	return func(fr *frame) {
		stack := stackOf(fr)
		deleteFrom(stack[m], stack[k])
	}
}

func deleteFrom(m, k any) {
	v := reflect.ValueOf(m)
	v.SetMapIndex(valueAs(k, v.Type().Key()), reflect.Value{})
}
