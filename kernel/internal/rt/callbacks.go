package rt

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

//go:generate go run ./gen

// A Target is what a func value for compiled code runs.
type Target struct {
	// Run does a call. The leaves of the arguments are in the first registers of n and p, as package
	// regcode has them; Run leaves those of the result in the first ones. n and p lie on the caller's
	// stack: Run must not keep them. They are as long as arguments or result need, if none, nil.
	Run func(t *Target, n []uint64, p []unsafe.Pointer)
	// Result is the type of the result that is an interface with methods, if there is one; MakeFunc
	// sets it.
	Result Type
	// Host is what the host keeps with it.
	Host unsafe.Pointer
}

// call is run. The compiler cannot look into it, and believes that the registers do not escape: else
// each call would allocate them.
//
//go:linkname call overcomplete/kernel/internal/rt.run
//go:noescape
func call(t *Target, n []uint64, p []unsafe.Pointer)

//lint:ignore U1000 it is called as call
func run(t *Target, n []uint64, p []unsafe.Pointer) { t.Run(t, n, p) }

// A Wrapper makes func values of one signature, whose calls t runs. MakeFunc sets t's Result before.
type Wrapper func(t *Target) (fn unsafe.Pointer)

// MakeFunc returns a func value of type t, as the pointer that it is, whose calls target runs. ok is
// false for signatures without a wrapper.
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

// WrapperOf returns the wrapper for functions of type t, nil if there is none.
func WrapperOf(t reflect.Type) Wrapper {
	sig, ok := signature(t)
	if !ok {
		return nil
	}
	i, ok := slices.BinarySearchFunc(wrappers[:], sig, func(w wrapperFor, sig string) int {
		return strings.Compare(w.signature, sig)
	})
	if !ok {
		return nil
	}
	return wrappers[i].wrap
}

// wrapperFor is a line in the table of wrappers, which is in the order of the signatures.
type wrapperFor struct {
	signature string
	wrap      Wrapper
}

// signature returns a letter for each parameter of t, a colon, and one for each result; ok is false if
// one has none.
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

// most is how many parameters or results a function with a wrapper can have.
const most = 6

// letter returns what stands for t in signatures, 0 for types that no wrapper knows. Types with the same
// letter are passed in the same way, and their values have the same leaves.
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

// closure is how a func value that a wrapper has made lies in memory: its code and what it captures.
type closure struct {
	code   uintptr
	target *Target
}

// TargetOf returns the target of a func value that a wrapper has made, nil for others.
func TargetOf(fn unsafe.Pointer) *Target {
	if fn == nil {
		return nil
	}
	code := *(*uintptr)(fn)
	for i := slot(code); codes[i] != 0; i = (i + 1) % len(codes) {
		if codes[i] == code {
			return (*closure)(fn).target
		}
	}
	return nil
}

// codes is a hash table, at most a quarter full, of the code of the wrappers' functions.
var codes [1 << codeBits]uintptr

const codeBits = 10

func slot(code uintptr) int {
	const golden = 0x9e3779b97f4a7c15 // spreads what differs in any bits over the upper ones
	return int(uint64(code) * golden >> (64 - codeBits))
}

func init() {
	for _, w := range wrappers {
		code := *(*uintptr)(w.wrap(nil))
		i := slot(code)
		for codes[i] != 0 {
			i = (i + 1) % len(codes)
		}
		codes[i] = code
	}
}
