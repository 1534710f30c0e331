package rt

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"overcomplete/internal/patience"
)

// TestCallers: each caller passes all arguments and results, for all types with the same letters.
func TestCallers(t *testing.T) {
	patience.SkipShort(t, "it calls functions of all signatures, many times")
	for _, c := range callers {
		parameters, results, _ := strings.Cut(c.signature, ":")
		for round := range 7 {
			var in, out []reflect.Type
			var n, gotN, resN []uint64
			var p, gotP, resP []unsafe.Pointer
			for i, letter := range parameters {
				v := value(letter, round+i)
				in = append(in, v.Type())
				n, p = leavesOf(v, n, p)
			}
			var want []reflect.Value
			for i, letter := range results {
				v := value(letter, round+2*i)
				want, out = append(want, v), append(out, v.Type())
				resN, resP = leavesOf(v, resN, resP)
			}
			fn := reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
				deep(100) // moves the stack
				for _, v := range args {
					gotN, gotP = leavesOf(v, gotN, gotP)
				}
				return want
			})
			callee := CalleeOf(fn)
			if callee == nil {
				t.Fatalf("%v: no caller", fn.Type())
			}
			// Use registers after those of the results for the arguments, in reverse order.
			const last = 50
			var numbers Numbers
			var pointers Pointers
			for i, v := range n {
				callee.ArgN = append(callee.ArgN, uint16(last-i))
				numbers[last-i] = v
			}
			for i, v := range p {
				callee.ArgP = append(callee.ArgP, uint16(last-i))
				pointers[last-i] = v
			}
			for i := range resN {
				callee.ResN = append(callee.ResN, uint16(i))
			}
			for i := range resP {
				callee.ResP = append(callee.ResP, uint16(i))
			}
			callee.Call(&numbers, &pointers)
			if !slices.Equal(gotN, n) || !slices.Equal(gotP, p) {
				t.Errorf("%v: the arguments are %v, %v, want %v, %v", fn.Type(), gotN, gotP, n, p)
			}
			if !slices.Equal(numbers[:len(resN)], resN) || !slices.Equal(pointers[:len(resP)], resP) {
				t.Errorf("%v: the results are %v, %v, want %v, %v", fn.Type(), numbers[:len(resN)], pointers[:len(resP)], resN, resP)
			}
		}
	}
}

func TestNoCaller(t *testing.T) {
	for _, f := range []any{func(struct{ a, b int }) {}, func(int16) {}, (func())(nil)} {
		if CalleeOf(reflect.ValueOf(f)) != nil {
			t.Errorf("%T has a caller", f)
		}
	}
}
