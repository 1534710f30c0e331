package ixengine

import (
	"go/types"
	"reflect"
	"runtime"

	"golang.org/x/tools/go/ssa"
)

// kindOf returns the kind of t if t is a predeclared integer, float or bool type, or an untyped bool. Otherwise it
// returns Invalid.
func kindOf(t types.Type) reflect.Kind {
	b, ok := types.Unalias(t).(*types.Basic)
	if !ok {
		return reflect.Invalid
	}
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		return reflect.Bool
	case types.Int:
		return reflect.Int
	case types.Int8:
		return reflect.Int8
	case types.Int16:
		return reflect.Int16
	case types.Int32:
		return reflect.Int32
	case types.Int64:
		return reflect.Int64
	case types.Uint:
		return reflect.Uint
	case types.Uint8:
		return reflect.Uint8
	case types.Uint16:
		return reflect.Uint16
	case types.Uint32:
		return reflect.Uint32
	case types.Uint64:
		return reflect.Uint64
	case types.Uintptr:
		return reflect.Uintptr
	case types.Float32:
		return reflect.Float32
	case types.Float64:
		return reflect.Float64
	}
	return reflect.Invalid
}

func isSigned(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Int64 }

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uintptr }

var sizes = types.SizesFor("gc", runtime.GOARCH)

func sizeOf(t types.Type) int64 { return sizes.Sizeof(t) }

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0 // true for untyped constants too
}

func phisOf(b *ssa.BasicBlock) []*ssa.Phi {
	var list []*ssa.Phi
	for _, in := range b.Instrs {
		p, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		list = append(list, p)
	}
	return list
}
