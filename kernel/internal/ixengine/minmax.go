package ixengine

import (
	"cmp"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/ssa"
)

// minMax implements the builtins min and max. The interpreter's versions return the first of several uintptrs,
// and handle neither NaN nor -0.
func minMax(in *ssa.Call, r *registers) instruction {
	b, ok := in.Type().Underlying().(*types.Basic)
	if !ok {
		return nil
	}
	isMax := in.Call.Value.Name() == "max"
	result, args := r.slotOf(in), make([]int, len(in.Call.Args))
	for i, v := range in.Call.Args {
		args[i] = r.slotOf(v)
	}
	switch b.Kind() {
	case types.Int:
		return extreme[int](isMax, result, args)
	case types.Int8:
		return extreme[int8](isMax, result, args)
	case types.Int16:
		return extreme[int16](isMax, result, args)
	case types.Int32:
		return extreme[int32](isMax, result, args)
	case types.Int64:
		return extreme[int64](isMax, result, args)
	case types.Uint:
		return extreme[uint](isMax, result, args)
	case types.Uint8:
		return extreme[uint8](isMax, result, args)
	case types.Uint16:
		return extreme[uint16](isMax, result, args)
	case types.Uint32:
		return extreme[uint32](isMax, result, args)
	case types.Uint64:
		return extreme[uint64](isMax, result, args)
	case types.Uintptr:
		return extreme[uintptr](isMax, result, args)
	case types.Float32:
		return extreme[float32](isMax, result, args)
	case types.Float64:
		return extreme[float64](isMax, result, args)
	case types.String:
		return extreme[string](isMax, result, args)
	}
	return nil
}

// extreme returns the instruction that computes the maximum (if isMax is set) or minimum of arguments of type T, or of
// a named type with the underlying type T.
func extreme[T cmp.Ordered](isMax bool, result int, args []int) instruction {
	basic := reflect.TypeFor[T]()
	return func(fr *frame) {
		stack := stackOf(fr)
		var best T
		for i, k := range args {
			x, ok := stack[k].(T)
			if !ok {
				x = reflect.ValueOf(stack[k]).Convert(basic).Interface().(T)
			}
			switch {
			case i == 0:
				best = x
			case isMax:
				best = max(best, x)
			default:
				best = min(best, x)
			}
		}
		stack[result] = best
		if t := reflect.TypeOf(stack[args[0]]); t != basic {
			stack[result] = reflect.ValueOf(best).Convert(t).Interface()
		}
	}
}
