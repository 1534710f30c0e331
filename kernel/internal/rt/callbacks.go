package rt

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

//go:generate go run ./gen

// A Target executes the calls of a func value that MakeFunc has made. Compiled code can call this func value like any
// other.
type Target struct {
	// Run executes a call. The leaves of the arguments are in the first registers of n and p, as in package regcode.
	// Run must put the leaves of the results into the first registers. The slices n and p are on the caller's stack, so
	// Run must not retain them. Each has room for the leaves of the arguments, and for the leaves of the results, which
	// replace them. A slice that would have no elements is nil.
	Run func(t *Target, n []uint64, p []unsafe.Pointer)
	// Result is the type of the function's result, if the result is an interface with methods. MakeFunc sets
	// Result.
	Result Type
}

// call is a second name for the function named run. Under this name the compiler cannot see the function's body, so it
// accepts the directive noescape, which says that n and p do not escape. Otherwise each call would allocate them on the
// heap.
//
//go:linkname call overcomplete/kernel/internal/rt.run
//go:noescape
func call(t *Target, n []uint64, p []unsafe.Pointer)

//lint:ignore U1000 it is called as call
func run(t *Target, n []uint64, p []unsafe.Pointer) { t.Run(t, n, p) }

// A Wrapper is a function that makes func values of one signature. The Target t executes the calls of these func
// values. MakeFunc sets t.Result before it calls a Wrapper.
type Wrapper func(t *Target) (fn unsafe.Pointer)

// MakeFunc makes a func value of type t. A func value consists of one pointer; MakeFunc returns this pointer. Calls of
// the func value are executed by the target. If the signature of t has no wrapper, ok is false.
func MakeFunc(t reflect.Type, target *Target) (fn unsafe.Pointer, ok bool) {
	wrap := WrapperOf(t)
	if wrap == nil {
		return nil, false
	}
	for out := range t.Outs() {
		if letter(out) == 'm' {
			target.Result = TypeWord(out)
		}
	}
	return wrap(target), true
}

// WrapperOf returns the wrapper for functions of type t, or nil if their signature has no wrapper.
func WrapperOf(t reflect.Type) Wrapper { return lookup(wrappers[:], t) }

// An entry is a row of the table of wrappers or of the table of callers. Both tables are sorted by signature.
type entry[F any] struct {
	signature string
	f         F
}

// lookup returns the function in the table for the signature of t, or nil if there is none.
func lookup[F any](table []entry[F], t reflect.Type) (f F) {
	sig, ok := signature(t)
	if !ok {
		return f
	}
	i, ok := slices.BinarySearchFunc(table, sig, func(e entry[F], sig string) int { return strings.Compare(e.signature, sig) })
	if !ok {
		return f
	}
	return table[i].f
}

// signature returns a letter for each parameter of t, a colon, and a letter for each result. ok is false if
// one of these types has no letter.
func signature(t reflect.Type) (sig string, ok bool) {
	if t.Kind() != reflect.Func || t.NumIn() > most || t.NumOut() > most {
		return "", false
	}
	var b []byte
	for in := range t.Ins() {
		b = append(b, letter(in))
	}
	b = append(b, ':')
	for out := range t.Outs() {
		b = append(b, letter(out))
	}
	return string(b), !slices.Contains(b, 0)
}

// most is the maximum number of parameters, and of results, of a function with a wrapper.
const most = 6

// letter returns the letter that stands for t in signatures, or 0 if no wrapper supports t. Types with the same letter
// are passed in the same way, and their values have the same leaves.
func letter(t reflect.Type) byte {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64, reflect.Uintptr:
		if t.Size() == 8 {
			return 'i'
		}
	case reflect.Int32:
		return 'r'
	case reflect.Uint8:
		return 'y'
	case reflect.Float64:
		return 'f'
	case reflect.Float32:
		return 'g'
	case reflect.Complex128:
		return 'c'
	case reflect.Bool:
		return 'b'
	case reflect.String:
		return 's'
	case reflect.Slice:
		return 'l'
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return 'p'
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return 'e'
		}
		return 'm'
	}
	return 0
}

// closure is the memory layout of a func value made by a wrapper: its code and captured value.
type closure struct {
	code   uintptr
	target *Target
}

// TargetOf returns the target of a func value made by a wrapper, or nil for other func values.
func TargetOf(fn unsafe.Pointer) *Target {
	if fn == nil {
		return nil
	}
	if !IsWrapper(*(*uintptr)(fn)) {
		return nil
	}
	return (*closure)(fn).target
}

// TargetAt is the offset of the address of the Target in a func value made by a wrapper.
const TargetAt = int32(unsafe.Offsetof(closure{}.target))

// IsWrapper reports whether a func value was made by a wrapper. The parameter code is the first word of the func value.
func IsWrapper(code uintptr) bool {
	for i := slot(code); codes[i] != 0; i = (i + 1) % len(codes) {
		if codes[i] == code {
			return true
		}
	}
	return false
}

// codes is a hash table, at most a quarter full, of the code addresses of the wrappers' functions.
var codes [1 << codeBits]uintptr

const codeBits = 11

func slot(code uintptr) int {
	const golden = 0x9e3779b97f4a7c15 // spreads differences in any bits over the upper bits
	return int(uint64(code) * golden >> (64 - codeBits))
}

func init() {
	for _, w := range wrappers {
		code := *(*uintptr)(w.f(nil))
		i := slot(code)
		for codes[i] != 0 {
			i = (i + 1) % len(codes)
		}
		codes[i] = code
	}
}
