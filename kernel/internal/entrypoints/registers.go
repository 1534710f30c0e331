//go:build amd64 || arm64

package entrypoints

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goplus/reflectx/abi"

	"overcomplete/kernel/internal/rt"
)

// most is the number of stubs, and so the maximum number of methods.
const most = 8192

// stubSize is the size of a stub in bytes.
const stubSize = 16

// stubs is the code of all stubs, one after the other. Stub i passes targets[i] as the closure that runs, and jumps to
// the closure's code. A stub touches no register that holds an argument, and has no frame.
//
//lint:ignore U1000 the assembly takes its address
func stubs()

// stubsAt returns the address of the code of stubs. The func value of stubs has a different address, that of a wrapper
// that adapts the calling convention.
func stubsAt() unsafe.Pointer

// targets holds a func value for each stub. The func value's first parameter is the receiver, as it is in an interface;
// the other parameters and the results are those of the method. Stubs read targets without a lock.
var targets [most]unsafe.Pointer

// An Entry is a stub that belongs to a method.
type Entry struct {
	*abi.MethodInfo
	index int
	word  *Entry // see ofWord
}

// IsWord reports whether the stub gets the receiver itself. This is so if the receiver is a pointer, or a value that
// is a pointer in memory, such as a map. Other stubs get a pointer to the receiver.
func (e *Entry) IsWord() bool {
	if e.Pointer {
		return !e.Indirect
	}
	return e.OnePtr
}

// Set makes the stub run fn, a func value. The first parameter of fn is the receiver or a pointer to it, as IsWord
// says, and must have a pointer type. The other parameters and the results must be those of the method.
func (e *Entry) Set(fn unsafe.Pointer) { atomic.StorePointer(&targets[e.index], fn) }

// A registry assigns the stubs to methods.
type registry struct {
	mu      sync.Mutex
	entries [most]*Entry
	free    []int
	// The field by is a map from the function that implements a method to the method's entries.
	by map[unsafe.Pointer][]*Entry
}

// Insert assigns a stub to the method m and returns the stub's address and index. If too few stubs are free, it returns
// nil and -1. A method that needs a Word gets a second stub.
func (r *registry) Insert(m *abi.MethodInfo) (ifn unsafe.Pointer, index int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.insert(m)
	if e == nil {
		return nil, -1
	}
	if word := ofWord(m); word != nil {
		if e.word = r.insert(word); e.word == nil {
			r.remove(e.index)
			return nil, -1
		}
		words = append(words, Word{m.Type, e.address(), e.word.address()})
	}
	return e.address(), e.index
}

func (e *Entry) address() unsafe.Pointer { return unsafe.Add(stubsAt(), e.index*stubSize) }

// insert assigns one stub to the method m. It returns nil if all stubs are in use. The caller holds mu.
func (r *registry) insert(m *abi.MethodInfo) *Entry {
	n := len(r.free)
	if n == 0 {
		return nil
	}
	e := &Entry{MethodInfo: m, index: r.free[n-1]}
	r.free = r.free[:n-1]
	r.entries[e.index] = e
	key := keyOf(m.Call)
	r.by[key] = append(r.by[key], e)
	e.Set(reflected(m))
	return e
}

// reflected returns a func value that calls the method m through reflection, for use as the target of a stub.
func reflected(m *abi.MethodInfo) unsafe.Pointer {
	in := []reflect.Type{reflect.TypeFor[unsafe.Pointer]()}
	for i := range m.InTyp.NumField() {
		in = append(in, m.InTyp.Field(i).Type)
	}
	var out []reflect.Type
	for i := range m.OutTyp.NumField() {
		out = append(out, m.OutTyp.Field(i).Type)
	}
	f := reflect.MakeFunc(reflect.FuncOf(in, out, m.Variadic), func(args []reflect.Value) []reflect.Value {
		args[0] = receiverOf(m, args[0].UnsafePointer())
		return m.Call(args)
	})
	_, data := rt.Words(f.Interface())
	return data
}

// keyOf returns the address of the closure f, which identifies the method that f implements.
func keyOf(f func([]reflect.Value) []reflect.Value) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&f))
}

// Of returns the stubs that are assigned to a method. The parameter call is the method's implementation, that is, the
// function that was passed to reflectx when the method was declared.
func Of(call func([]reflect.Value) []reflect.Value) []*Entry {
	methods.mu.Lock()
	defer methods.mu.Unlock()
	return methods.by[keyOf(call)]
}

// Words returns a Word for each method whose entry in a method table the caller must still correct. It covers the
// types that were made since the last call to Words.
func Words() []Word {
	methods.mu.Lock()
	defer methods.mu.Unlock()
	list := words
	words = nil
	return list
}

// Remove frees the stubs with the given indices, so that other methods can use them.
func (r *registry) Remove(indices []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range indices {
		if i >= 0 && i < most && r.entries[i] != nil {
			r.remove(i)
		}
	}
}

// remove frees stub i. The caller holds mu.
func (r *registry) remove(i int) {
	e := r.entries[i]
	if e.word != nil {
		r.remove(e.word.index)
	}
	delete(r.by, keyOf(e.Call))
	r.entries[i] = nil
	atomic.StorePointer(&targets[i], nil)
	r.free = append(r.free, i)
}

func (r *registry) Available() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.free)
}

// Clear frees all stubs.
func (r *registry) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.entries[:])
	r.by = map[unsafe.Pointer][]*Entry{}
	r.free = r.free[:0]
	for i := range most {
		r.free = append(r.free, most-1-i)
	}
}
