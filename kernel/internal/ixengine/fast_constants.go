package ixengine

import (
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/rt"
)

// constants returns a replacement for old, the interpreter's form of the given instruction. It returns nil if the
// instruction uses none of the functions in the given map. The interpreter may have stored a func value of its own in
// old, as a constant. The replacement executes old, and then puts the func value from the map in place of that
// constant.
func (f *fastFunc) constants(in ssa.Instruction, values map[ssa.Value]any, old instruction) instruction {
	r := &registers{index: f.index, ok: true}
	var do instruction
	switch in := in.(type) {
	case *ssa.Store:
		if v := values[in.Val]; v != nil {
			to := r.slotOf(in.Addr)
			do = func(fr *frame) {
				old(fr) // the address may be a nil pointer
				*(*unsafe.Pointer)(dataOf(stackOf(fr)[to])) = dataOf(v)
			}
		}
	case *ssa.MapUpdate:
		if v := values[in.Value]; v != nil {
			m, key := r.slotOf(in.Map), r.slotOf(in.Key)
			do = func(fr *frame) {
				old(fr)
				to := reflect.ValueOf(stackOf(fr)[m])
				k := valueAs(stackOf(fr)[key], to.Type().Key())
				if k.Equal(k) { // NaN would be a different key
					to.SetMapIndex(k, reflect.ValueOf(v).Convert(to.Type().Elem()))
				}
			}
		}
	case *ssa.ChangeType:
		do = f.sets(r, in, values[in.X], old)
	case *ssa.MakeInterface:
		do = f.sets(r, in, values[in.X], old)
	case *ssa.Return:
		do = returns(in, values, old)
	}
	if !r.ok {
		return nil
	}
	return do
}

// sets makes an instruction that runs old, and then replaces the result of old with v, converted to the type of
// that result.
func (f *fastFunc) sets(r *registers, in ssa.Value, v any, old instruction) instruction {
	if v == nil {
		return nil
	}
	to := r.slotOf(in)
	return func(fr *frame) {
		old(fr)
		made := &stackOf(fr)[to]
		word, _ := rt.Words(*made)
		*made = rt.Any(word, dataOf(v))
	}
}

func returns(in *ssa.Return, values map[ssa.Value]any, old instruction) instruction {
	any := false
	for _, v := range in.Results {
		any = any || values[v] != nil
	}
	if !any {
		return nil
	}
	return func(fr *frame) {
		old(fr)
		for i, r := range in.Results {
			if v := values[r]; v != nil {
				stackOf(fr)[i] = v
			}
		}
	}
}
