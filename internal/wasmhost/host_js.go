//go:build livesimd

package wasmhost

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// compile instantiates a module and puts its exported functions into the page's function table. code and length are the
// module's address and length. compile returns the index of the first function in that table, or −1 after an error. To
// the buffer whose address is text, it writes either the functions' names, each followed by a 0 byte, or the error
// message. Before the call, *size is the size of the buffer; on return, it is the required size.
//
//go:wasmimport oc compile
func compile(code unsafe.Pointer, length uint32, text unsafe.Pointer, size unsafe.Pointer) int32

//go:wasmimport oc call
//go:noescape
func call(f int32, args unsafe.Pointer)

// release clears entries of the page's function table. The arguments are the index of the first entry and the number of
// entries.
//
//go:wasmimport oc release
func release(first, count int32)

// Compile compiles a module and returns its functions by name.
func Compile(code []byte) (map[string]Func, error) {
	if len(code) == 0 {
		return nil, errors.New("wasmhost: the module is empty")
	}
	text := make([]byte, max(1024, len(code)))
	size := uint32(len(text))
	first := compile(unsafe.Pointer(&code[0]), uint32(len(code)), unsafe.Pointer(&text[0]), unsafe.Pointer(&size))
	runtime.KeepAlive(code)
	text = text[:min(size, uint32(len(text)))]
	if first < 0 {
		return nil, fmt.Errorf("wasmhost: %s", text)
	}
	funcs := map[string]Func{}
	for i, name := range bytes.Split(bytes.TrimSuffix(text, []byte{0}), []byte{0}) {
		if len(name) > 0 {
			funcs[string(name)] = Func(first + int32(i))
		}
	}
	return funcs, nil
}

// Call runs the function with the arguments at address args.
func (f Func) Call(args unsafe.Pointer) { call(int32(f), args) }

// Release releases the functions of a module, which must not be called afterwards.
func Release(funcs map[string]Func) {
	for _, f := range funcs {
		release(int32(f), 1)
	}
}
