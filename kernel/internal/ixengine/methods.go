package ixengine

import (
	"maps"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/goplus/reflectx"
	"golang.org/x/tools/go/ssa"
)

// Calls of interface methods. The interpreter that runs a cell knows the methods of the types of its own
// program. It takes all other types for compiled types, and calls the methods of another cell's type at a
// wrong address, which ends the process. It also finds a compiled method through variables shared by all
// goroutines that execute the same instruction, so one goroutine may call the method that another goroutine
// has found. So methods that do not belong to the interpreter's own program are found and called here.

// A method is the target of a method call for one dynamic type.
type method struct {
	t  *byte         // the type word of the interface
	of reflect.Value // the function, with the receiver as the first parameter; invalid if the interpreter must call it
}

// resolver returns a function that finds the method for a value. Several goroutines may call the returned
// function at the same time.
func resolver(interp *ixgo.Interp, call *ssa.CallCommon) func(v any) *method {
	name := call.Method.Name()
	var last atomic.Pointer[method]
	return func(v any) *method {
		t := *(**byte)(unsafe.Pointer(&v))
		if m := last.Load(); m != nil && m.t == t {
			return m
		}
		m := &method{t: t, of: otherMethod(interp, reflect.TypeOf(v), name)}
		last.Store(m)
		return m
	}
}

// otherMethod returns the method of t with the given name. It returns an invalid value if there is no such method, or
// if the method is a function of interp's own program.
func otherMethod(interp *ixgo.Interp, t reflect.Type, name string) reflect.Value {
	if t == nil {
		return reflect.Value{} // the interpreter panics
	}
	if own(interp, t)[name] != nil {
		return reflect.Value{}
	}
	return tableMethod(t, name)
}

// tableMethod returns the method in a type's table, as a function with the receiver as the first parameter.
// It returns an invalid value if the type has no such method.
func tableMethod(t reflect.Type, name string) reflect.Value {
	var m reflect.Method
	if madeWithMethods(t) {
		m, _ = reflectx.MethodByName(t, name)
	} else {
		m, _ = t.MethodByName(name)
	}
	return m.Func
}

// own returns the methods of t that are functions of interp's program.
func own(interp *ixgo.Interp, t reflect.Type) map[string]*ssa.Function {
	return setsOf(interp)[t]
}

// methodSets holds the methods of the types of an interpreter's program.
type methodSets = map[reflect.Type]map[string]*ssa.Function

// callMethod implements the call of an interface method.
func (s *Session) callMethod(interp *ixgo.Interp, in *ssa.Call, r *registers, old instruction) instruction {
	versions, iface := &s.loader.versions, in.Call.Value.Type()
	value := register(r.slotOf(in.Call.Value))
	args := append([]register{value}, r.list(in.Call.Args)...)
	result := register(r.index[in] & 0xffffff) // unused if there is no result
	resolve := resolver(interp, &in.Call)
	return func(fr *frame) {
		v := stackOf(fr)[value]
		if v == nil {
			panic(nilPointer) // the interpreter's message says "runtime error" twice
		}
		if versions.some != 0 {
			v = fit(v, toType(interp, iface))
			stackOf(fr)[value] = v
		}
		if m := resolve(v); m.of.IsValid() {
			callExternalByStack(interp, fr, m.of, result, args)
		} else {
			old(fr)
		}
	}
}

// introduce adds the type of v, with an empty method set, to the types that interp knows, if another interpreter made
// the type. When interp executes a defer statement, it looks for the deferred method among these types. For a type
// with an empty set, it then asks the interpreter that made the type.
func (s *Session) introduce(interp *ixgo.Interp, v any) {
	t := reflect.TypeOf(v)
	if t == nil || !madeWithMethods(t) {
		return
	}
	s.introducing.Lock()
	defer s.introducing.Unlock()
	// Goroutines read the map without a lock, so it is replaced, never written to.
	sets := setsOf(interp)
	if _, known := sets[t]; !known {
		sets = maps.Clone(sets)
		sets[t] = nil
		atomic.StorePointer(setsAt(interp), *(*unsafe.Pointer)(unsafe.Pointer(&sets)))
	}
}

// setsOf returns the methods of the types of interp's program. It reads the map of these methods atomically, because
// introduce may replace the map at the same time.
func setsOf(interp *ixgo.Interp) methodSets {
	sets := atomic.LoadPointer(setsAt(interp))
	return *(*methodSets)(unsafe.Pointer(&sets))
}

// setsAt returns the address of the field of interp that holds the method sets. The field's value is a map, which is a
// pointer in memory.
func setsAt(interp *ixgo.Interp) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(interp), layout.msets))
}
