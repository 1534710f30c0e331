package ixengine

import (
	"fmt"
	"go/types"
	"reflect"
	"regexp"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
)

// asUnsigned returns an instruction that executes the old one, which implements an index or slice expression, and
// corrects the message of its panic: the old instruction reports large unsigned numbers as negative. asUnsigned returns
// nil if neither the index nor a bound is a 64-bit unsigned number.
func asUnsigned(in ssa.Instruction, r *registers, old instruction) instruction {
	var x ssa.Value
	var bounds [3]ssa.Value // the index of an index expression is in bounds[0]
	switch in := in.(type) {
	case *ssa.IndexAddr:
		x, bounds[0] = in.X, in.Index
	case *ssa.Index:
		x, bounds[0] = in.X, in.Index
	case *ssa.Slice:
		x, bounds = in.X, [3]ssa.Value{in.Low, in.High, in.Max}
	}
	var unsigned [3]bool
	var at [3]int
	for i, b := range bounds {
		if b == nil {
			continue
		}
		t, _ := b.Type().Underlying().(*types.Basic)
		unsigned[i] = t != nil && (t.Kind() == types.Uint || t.Kind() == types.Uint64 || t.Kind() == types.Uintptr)
		at[i] = r.slotOf(b)
	}
	if unsigned == [3]bool{} {
		return nil
	}
	of := r.slotOf(x)
	return func(fr *frame) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			e, _ := p.(ixgo.RuntimeError)
			m := negative.FindStringSubmatch(string(e))
			if m == nil || !unsigned[len(m[2])] { // the number of colons before the number tells which bound it is
				panic(p)
			}
			stack := stackOf(fr)
			n := fmt.Sprint(stack[at[len(m[2])]])
			v := reflect.ValueOf(stack[of])
			if v.Kind() == reflect.Pointer {
				v = v.Elem()
			}
			// length is the value of a missing upper bound, most is the maximum of a bound.
			length, most, word := v.Len(), v.Len(), "length"
			if v.Kind() == reflect.Slice {
				most, word = v.Cap(), "capacity"
			}
			bound := func(i int) any {
				if bounds[i] == nil {
					return length
				}
				return stack[at[i]]
			}
			switch m[2] + "-" + m[3] {
			case "-":
				n = fmt.Sprintf("[%s] with length %d", n, length)
			case ":-", "::-":
				n = fmt.Sprintf("[%s%s] with %s %d", m[2], n, word, most)
			case ":-:":
				n = fmt.Sprintf("[:%s:%v]", n, bound(2))
			default:
				n = fmt.Sprintf("[%s:%v%s]", n, bound(1), m[3][1:])
			}
			panic(ixgo.RuntimeError(m[1] + n))
		}()
		old(fr)
	}
}

// negative matches the interpreter's messages about a negative bound.
var negative = regexp.MustCompile(`^(index out of range |slice bounds out of range )\[(:*)-\d+(:*)\]$`)
