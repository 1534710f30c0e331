package entrypoints

import (
	"reflect"
	"unsafe"

	"github.com/goplus/reflectx/abi"

	"overcomplete/kernel/internal/rt"
)

// most is the number of functions, and so the maximum number of methods.
const most = 1024

// An entryPoint is a method to which one of this package's functions is assigned. It also holds what that function
// needs to call the method.
type entryPoint struct {
	*abi.MethodInfo
	word int     // index of the method's second function (see ofWord), or -1 if it has none
	in   rt.Type // struct type of the arguments after the receiver
	// spare is memory for the arguments of the next call. It is allocated in advance, because an allocation
	// might run the garbage collector.
	spare unsafe.Pointer
}

// A registry assigns the functions of this package to methods. It needs no lock, because there is only one thread.
type registry struct {
	points [most]*entryPoint
	free   []int
}

// noMemory is a bit that is zero in all memory addresses. address() sets it, because a function's address looks
// like a memory address: stored as a pointer, it must not keep alive an object there. Calls shift the bit out.
const noMemory = 1 << 48

// Insert assigns a function to the method m and returns the function's address and index. If too few functions are
// free, it returns nil and -1. A method that needs a Word gets a second function.
func (r *registry) Insert(m *abi.MethodInfo) (ifn unsafe.Pointer, index int) {
	if index = r.insert(m); index < 0 {
		return nil, -1
	}
	if word := ofWord(m); word != nil {
		i := r.insert(word)
		if i < 0 {
			r.remove(index)
			return nil, -1
		}
		r.points[index].word = i
		words = append(words, Word{m.Type, address(index), address(i)})
	}
	return address(index), index
}

func address(index int) unsafe.Pointer {
	return unsafe.Add(reflect.ValueOf(functions[index]).UnsafePointer(), noMemory)
}

// insert assigns one function to the method m and returns its index, or -1 if all functions are in use.
func (r *registry) insert(m *abi.MethodInfo) int {
	n := len(r.free)
	if n == 0 {
		return -1
	}
	index := r.free[n-1]
	r.free = r.free[:n-1]
	p := &entryPoint{MethodInfo: m, word: -1}
	if m.InTyp.Size() > 0 {
		p.in = rt.TypeWord(m.InTyp)
		p.spare = rt.New(p.in)
	}
	r.points[index] = p
	return index
}

// Words returns a Word for each method whose entry in a method table the caller must still correct. It covers the
// types that were made since the last call to Words.
func Words() []Word {
	list := words
	words = nil
	return list
}

// Remove frees the functions with the given indices, so that other methods can use them.
func (r *registry) Remove(indices []int) {
	for _, i := range indices {
		if i >= 0 && i < most && r.points[i] != nil {
			r.remove(i)
		}
	}
}

func (r *registry) remove(i int) {
	if word := r.points[i].word; word >= 0 {
		r.remove(word)
	}
	r.points[i] = nil
	r.free = append(r.free, i)
}

func (r *registry) Available() int { return len(r.free) }

// Clear frees all functions.
func (r *registry) Clear() {
	clear(r.points[:])
	r.free = r.free[:0]
	for i := range most {
		r.free = append(r.free, i)
	}
}

// word is the type of the stack slot after the receiver. Depending on the signature of the method, the slot holds an
// argument, a part of one, or room for the results.
type word uintptr

type pointer = unsafe.Pointer

// enter calls method i with the arguments on the stack, and writes the results to the stack. The parameter first points
// to the slot after the receiver. The method's arguments begin there, and its results follow them.
func enter(i int, receiver pointer, first *word) {
	p := methods.points[i]
	stack := unsafe.Pointer(first)
	args := p.spare
	if p.in != nil {
		if args == nil {
			args = rt.New(p.in) // another goroutine is making the new spare
		}
		rt.Move(p.in, args, stack)
		p.spare = nil
		p.spare = rt.New(p.in)
	}
	results := p.Call(p.arguments(receiver, args))
	if len(results) != p.OutTyp.NumField() {
		panic("entrypoints: a method has returned another number of results than it declares")
	}
	if len(results) == 0 {
		return
	}
	out := reflect.New(p.OutTyp)
	for i, v := range results {
		out.Elem().Field(i).Set(v)
	}
	copy(unsafe.Slice((*byte)(unsafe.Add(stack, p.InSize)), p.OutSize), unsafe.Slice((*byte)(out.UnsafePointer()), p.OutSize))
}

// arguments returns the receiver followed by the arguments, which are the fields of the struct at args. If args is
// nil, all arguments have size zero.
func (p *entryPoint) arguments(receiver, args unsafe.Pointer) []reflect.Value {
	list := make([]reflect.Value, 1, 1+p.InTyp.NumField())
	list[0] = receiverOf(p.MethodInfo, receiver)
	if args == nil {
		for i := range p.InTyp.NumField() { // zero-size fields
			list = append(list, reflect.Zero(p.InTyp.Field(i).Type))
		}
		return list
	}
	in := reflect.NewAt(p.InTyp, args).Elem()
	for i := range in.NumField() {
		list = append(list, in.Field(i))
	}
	return list
}
