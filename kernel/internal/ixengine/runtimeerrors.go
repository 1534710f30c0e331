package ixengine

import (
	"fmt"
	"go/types"
	"reflect"
	"regexp"
	"runtime"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/rt"
)

// nilPointer is Go's message about the use of a nil pointer, without the prefix that all Go runtime errors have.
const nilPointer = ixgo.RuntimeError("invalid memory address or nil pointer dereference")

// assign returns an instruction for an assignment through a pointer. If the pointer is nil, the instruction panics as
// in Go. The interpreter's own instruction panics with a message from package reflect, and a cell that recovers this
// panic does not get a runtime error. assign returns nil if the pointer cannot be nil.
func assign(in *ssa.Store, r *registers, old instruction) instruction {
	switch in.Addr.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.FreeVar:
		return nil // the address cannot be nil
	}
	to := r.slotOf(in.Addr)
	return func(fr *frame) {
		if isNilPointer(&stackOf(fr)[to]) {
			panic(nilPointer)
		}
		old(fr)
	}
}

// sliceArray returns an instruction for a slice expression. If the operand is a nil pointer to an array, the
// instruction panics as in Go. mended is an instruction that already replaces old for another reason, or nil.
// sliceArray returns mended if the operand cannot be such a pointer.
func sliceArray(in *ssa.Slice, r *registers, mended, old instruction) instruction {
	if _, ok := in.X.Type().Underlying().(*types.Pointer); !ok {
		return mended
	}
	if _, ok := in.X.(*ssa.Alloc); ok {
		return mended // the address cannot be nil
	}
	if mended == nil {
		mended = old
	}
	of := r.slotOf(in.X)
	return func(fr *frame) {
		if isNilPointer(&stackOf(fr)[of]) {
			panic(nilPointer)
		}
		mended(fr)
	}
}

// isNilPointer reports whether the pointer in v is nil. The second word of v is the pointer itself.
func isNilPointer(v *any) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(v))[1] == nil }

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
			// length is the value of a missing upper bound; most is the maximum of a bound.
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

// assertType returns an instruction that executes old, the interpreter's form of x.(T), and raises Go's own error if x
// is not a T. The instruction may also be the nil check that the SSA builder adds to a method value of an interface, such
// as x.M; the result of such an instruction is not used.
func assertType(interp *ixgo.Interp, in *ssa.TypeAssert, r *registers, old instruction) instruction {
	x := r.slotOf(in.X)
	isCheck := len(*in.Referrers()) == 0 && types.Identical(in.X.Type(), in.AssertedType)
	return func(fr *frame) {
		v := stackOf(fr)[x]
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if _, ok := p.(ixgo.RuntimeError); !ok && v != nil {
				panic(p)
			}
			if v == nil && isCheck {
				panic(nilPointer)
			}
			to := toType(interp, in.AssertedType)
			e := assertionError{asserted: rt.TypeWord(to), concrete: rt.TypeWord(reflect.TypeOf(v))}
			if to.Kind() != reflect.Interface {
				e.of = rt.TypeWord(toType(interp, in.X.Type()))
			} else if v != nil {
				for m := range to.Methods() {
					if _, ok := reflect.TypeOf(v).MethodByName(m.Name); !ok {
						e.missingMethod = m.Name
						break
					}
				}
			}
			panic((*runtime.TypeAssertionError)(unsafe.Pointer(&e)))
		}()
		old(fr)
	}
}

// An assertionError has the layout of a runtime.TypeAssertionError.
type assertionError struct {
	of, concrete, asserted rt.Type
	missingMethod          string
}
