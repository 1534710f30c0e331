package rt

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
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
			var args, want []reflect.Value
			for i, letter := range parameters {
				args = append(args, sample(letter, round+i))
			}
			for i, letter := range results {
				want = append(want, sample(letter, round+2*i))
			}
			checkCall(t, args, want, CalleeOf)
		}
	}
}

var checkedCalls int

// checkCall calls a function made by package reflect, with the given arguments and results.
func checkCall(t *testing.T, args, want []reflect.Value, calleeOf func(fn reflect.Value) *Callee) {
	t.Helper()
	var in, out []reflect.Type
	var n, gotN, resN []uint64
	var p, gotP, resP []unsafe.Pointer
	for _, v := range args {
		in = append(in, v.Type())
		n, p = leavesOfValue(v, n, p)
	}
	for _, v := range want {
		out = append(out, v.Type())
		resN, resP = leavesOfValue(v, resN, resP)
	}
	fn := reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
		deep(100) // moves the stack
		if checkedCalls++; checkedCalls%50 == 0 {
			runtime.GC()
		}
		for _, v := range args {
			gotN, gotP = leavesOfValue(v, gotN, gotP)
		}
		return want
	})
	callee := calleeOf(fn)
	if callee == nil {
		t.Fatalf("%v: no caller", fn.Type())
	}
	// For the arguments, use the registers after those of the results, in reverse order.
	const last = 500
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

// TestConventions: functions with random signatures receive all arguments and return all results. The oracle is
// package reflect, which has its own implementation of the calling convention.
func TestConventions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	signatures, inRegisters := 1000, 0
	if testing.Short() {
		signatures = 50
	}
	for range signatures {
		list := func(most int) (values []reflect.Value) {
			for range r.IntN(most) {
				values = append(values, randomValue(r, 2))
			}
			return values
		}
		checkCall(t, list(9), list(6), func(fn reflect.Value) *Callee {
			c := CalleeOf(fn)
			if c.convention != nil && c.convention.inRegisters {
				inRegisters++
			}
			return c
		})
	}
	if knowsRegisters && inRegisters == 0 || inRegisters > signatures*9/10 {
		t.Errorf("%d of %d calls were in registers", inRegisters, signatures)
	}
}

// randomValue returns a value of a random type: a basic type or, down to the given depth, a struct or array.
func randomValue(r *rand.Rand, depth int) reflect.Value {
	if depth > 0 && r.IntN(3) == 0 {
		if r.IntN(2) == 0 {
			e := randomValue(r, depth-1)
			v := reflect.New(reflect.ArrayOf(r.IntN(4), e.Type())).Elem()
			for i := range v.Len() {
				v.Index(i).Set(e)
			}
			return v
		}
		var fields []reflect.StructField
		var values []reflect.Value
		for i := range r.IntN(5) {
			values = append(values, randomValue(r, depth-1))
			fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: values[i].Type()})
		}
		v := reflect.New(reflect.StructOf(fields)).Elem()
		for i, f := range values {
			v.Field(i).Set(f)
		}
		return v
	}
	if r.IntN(3) == 0 {
		numbers := []any{int8(-r.IntN(100)), int16(-r.IntN(9999)), uint16(r.IntN(1 << 16)), uint32(r.Uint32()), complex(float32(r.Float64()), 2), float32(r.Float64()), r.IntN(2) == 0}
		return reflect.ValueOf(numbers[r.IntN(len(numbers))])
	}
	letters := "iryfgcbslpem"
	return sample(rune(letters[r.IntN(len(letters))]), r.IntN(7))
}

// TestMethods calls methods through interfaces.
func TestMethods(t *testing.T) {
	if !knowsRegisters {
		t.Skip("this processor's registers are not known")
	}
	iface := reflect.TypeFor[error]()
	m := MethodOf(iface, 0)
	m.ArgP, m.ResN, m.ResP = []uint16{3}, []uint16{0}, []uint16{0}
	for _, err := range []error{errors.New("one"), valueError{5, "two"}, wordError(nil)} {
		var n Numbers
		var p Pointers
		var t2 Type
		t2, p[3] = Words(err)
		m.Call(t2, &n, &p)
		if got := String(p[0], n[0]); got != err.Error() {
			t.Errorf("%T: %q, want %q", err, got, err.Error())
		}
	}
}

type valueError struct {
	n    int
	text string
}

func (e valueError) Error() string { return fmt.Sprint(e.n, e.text) }

type wordError map[string]int

func (e wordError) Error() string { return fmt.Sprint("word", len(e)) }

func TestNoCaller(t *testing.T) {
	if CalleeOf(reflect.ValueOf((func())(nil))) != nil {
		t.Error("a nil function has a caller")
	}
}
