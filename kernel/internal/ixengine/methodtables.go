package ixengine

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/goplus/reflectx"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/entrypoints"
	"overcomplete/kernel/internal/rt"
)

// The method tables of runtime types are where compiled code, reflection and other cells find the methods of
// a cell's types. Some entries that the interpreter makes are wrong. This file corrects the methods of
// pointers; promoted.go corrects promoted methods.

// A tableEntry is an entry of a type's method table. It holds four offsets: of the method's name, of its type, of its
// function for calls through interfaces, and of its function for other calls.
type tableEntry [4]int32

// The indices, in a tableEntry, of the functions for calls through an interface and for other calls.
const (
	byInterface = 2
	direct      = 3
)

//go:linkname tableOf github.com/goplus/reflectx.rtypeMethods
func tableOf(t unsafe.Pointer) []tableEntry

//go:linkname textOffset github.com/goplus/reflectx.resolveReflectText
func textOffset(function unsafe.Pointer) int32

//go:linkname functionAt github.com/goplus/reflectx.rtype_textOff
func functionAt(t unsafe.Pointer, offset int32) unsafe.Pointer

// methodTable returns the method table of t, a type that the interpreter made with methods. It is not a copy: changes
// affect the type itself.
func methodTable(t reflect.Type) []tableEntry { return tableOf(dataOf(t)) }

// mendDirect corrects the method tables of t and *t, in the column for calls that do not go through an interface. Go
// expects addresses of code in this column, but the interpreter stores closures there. With these closures, compiled
// code that gets a method from reflect.Type and calls it, as net/rpc does, would end the process. So mendDirect
// replaces them by functions that compiled code can call. It leaves a table as it is if no code address is left for one
// of the methods, or if the table is still being filled.
func mendDirect(t reflect.Type) {
	for _, t := range []reflect.Type{t, reflectx.PtrTo(t)} {
		if !isMarked(t) {
			continue
		}
		table := methodTable(t)
		codes := make([]int32, len(table))
		for i, e := range table {
			if e[direct] == 0 {
				return // the table is still being filled
			}
			code := entrypoints.Code(functionAt(dataOf(t), e[direct]))
			if code == nil {
				return
			}
			codes[i] = textOffset(code)
		}
		mendedDirect.Store(t, true)
		for i := range table {
			table[i][direct] = codes[i]
		}
		*markOf(t) &^= mark
	}
}

// mark is the bit of a type's flags that says that the type's methods are closures.
const mark = 1 << 7

// markOf returns the address of the flags of t, which follow two words and a hash of four bytes.
func markOf(t reflect.Type) *uint8 {
	return (*uint8)(unsafe.Add(dataOf(t), 2*unsafe.Sizeof(uintptr(0))+4))
}

// mendedDirect is the set of types whose methods mendDirect has changed.
var mendedDirect sync.Map

// isMarked reports whether the interpreter made t with methods that mendDirect has not changed.
//
//go:linkname isMarked github.com/goplus/reflectx.isMethod
func isMarked(t reflect.Type) bool

// madeWithMethods reports whether a type was made at run time, with methods.
func madeWithMethods(t reflect.Type) bool {
	if isMarked(t) {
		return true
	}
	_, mended := mendedDirect.Load(t)
	return mended
}

// setFunction makes f the method for calls that do not go through an interface.
func (e *tableEntry) setFunction(f reflect.Value) {
	e[direct] = textOffset((*[2]unsafe.Pointer)(unsafe.Pointer(&f))[1])
}

// words maps each function in a method table that takes a pointer to the receiver to the function that takes the
// receiver itself.
var words = struct {
	mu  sync.Mutex
	all map[int32]int32
}{all: map[int32]int32{}}

// mendWords corrects the method tables of types whose values an interface stores directly. Such a value is a single
// pointer, for example a struct with one map as its only field. Through an interface, the methods of such a type get
// the value itself as the receiver, not its address. Each call of mendWords corrects the types made since its last
// call.
func mendWords() {
	for _, w := range entrypoints.Words() {
		words.mu.Lock()
		words.all[textOffset(w.Through)] = textOffset(w.Word)
		words.mu.Unlock()
		mendWordsOf(w.Type)
	}
}

// mendWordsOf corrects the method table of t if an interface stores values of t directly, not a pointer to a copy (see
// rt.IsDirect and mendWords). The functions that it puts into the table come from the map called words.
func mendWordsOf(t reflect.Type) {
	if !rt.IsDirect(t) {
		return
	}
	words.mu.Lock()
	defer words.mu.Unlock()
	table := methodTable(t)
	for i := range table {
		if word, ok := words.all[table[i][byInterface]]; ok {
			table[i][byInterface] = word
		}
	}
}

// entryOf returns the entry of a method in the table of t, or nil if there is none yet.
func entryOf(t reflect.Type, name string) *tableEntry {
	table := methodTable(t)
	for i := range table {
		if table[i][direct] == 0 {
			return nil // the table is still being filled
		}
		if reflectx.MethodByIndex(t, i).Name == name {
			return &table[i]
		}
	}
	return nil
}

// watchTables installs a hook that the interpreter calls for each method while it fills a type's method table. The hook
// records the methods, and corrects the entries that the interpreter gets wrong.
func (s *Session) watchTables() {
	checker := s.ctx.MethodChecker
	s.ctx.MethodChecker = func(ctx *ixgo.Context, prog *ssa.Program) func(reflect.Type, reflectx.Method) bool {
		check := checker(ctx, prog)
		// The hook runs when the pointer's entry is complete except for the function for calls through
		// interfaces.
		return func(t reflect.Type, m reflectx.Method) bool {
			if m.FuncId == 0 {
				s.madeMethods.add(t, m)
			}
			p := reflectx.PtrTo(t)
			hidden := !m.Pointer && !token.IsExported(m.Name)
			if !hidden && m.FuncId <= 0 {
				return check(t, m)
			}
			if e := entryOf(p, m.Name); e != nil {
				if hidden {
					e.setFunction(throughPointer(p, m))
				}
				if m.FuncId > 0 {
					promotions.add(e[direct], promotion{of: t})
				}
			}
			return check(t, m)
		}
	}
}

// throughPointer returns a function whose receiver has the pointer type p. The function calls m, a method of p's
// element type, with the value to which the receiver points. It replaces the interpreter's own function if m is
// unexported, because that function looks for m only among the exported methods.
func throughPointer(p reflect.Type, m reflectx.Method) reflect.Value {
	in, out := append([]reflect.Type{p}, slices.Collect(m.Type.Ins())...), slices.Collect(m.Type.Outs())
	return reflect.MakeFunc(reflect.FuncOf(in, out, m.Type.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		switch {
		case args[0].IsNil() && m.FuncId > 0: // a promoted method
			panic(nilPointer)
		case args[0].IsNil():
			panic(nilReceiver(p.Elem(), m.Name))
		}
		args[0] = args[0].Elem()
		return m.Func(args)
	})
}

// nilReceiver returns the error with which Go panics if a method of t with a value receiver is called through a nil
// pointer.
func nilReceiver(t reflect.Type, method string) error {
	return ixgo.PlainError(fmt.Sprintf("value method %s.%s called using nil *%s pointer", t, method, t.Name()))
}

// addMethods makes the interpreter prepare the methods of types from patches (see nameAdded) that are converted to
// interfaces. The interpreter takes these types for compiled ones, and would not prepare their methods. So pkg gets
// the methods as functions, which the interpreter prepares in any case.
func (s *Session) addMethods(pkg *ssa.Package) {
	for t := range insidesOf(pkg.Prog).interfaced() {
		of := types.Unalias(t)
		if p, ok := of.(*types.Pointer); ok {
			of = types.Unalias(p.Elem())
		}
		if n, ok := of.(*types.Named); !ok || s.host.added[n.Obj().Parent()] == nil {
			continue
		}
		for m := range pkg.Prog.MethodSets.MethodSet(t).Methods() {
			if f := pkg.Prog.MethodValue(m); f != nil {
				pkg.Members[f.String()] = f
			}
		}
	}
}
