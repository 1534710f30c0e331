//go:build amd64 || arm64

package entrypoints

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Compiled code that asks reflect.Type for a method, as net/rpc does, gets a function from the method table's other
// column: code that takes the receiver as its first argument, whatever the receiver's type. Such code must not need
// a closure's context. So a second set of stubs provides such code for closures.

// direct is the code of the second set of stubs. Stub i passes closures[i] as the closure that runs, and jumps to its
// code.
//
//lint:ignore U1000 the assembly takes its address
func direct()

// directAt returns the address of the code of direct.
func directAt() unsafe.Pointer

var closures [most]unsafe.Pointer

var given = struct {
	mu   sync.Mutex
	code map[unsafe.Pointer]unsafe.Pointer // keyed by closure
}{code: map[unsafe.Pointer]unsafe.Pointer{}}

// Code returns the address of code that runs f, the closure of a func value, with the arguments and results of f. It
// returns nil if no stub is left. The code stays valid, and f stays in memory, until the process ends.
func Code(f unsafe.Pointer) unsafe.Pointer {
	given.mu.Lock()
	defer given.mu.Unlock()
	if c := given.code[f]; c != nil {
		return c
	}
	i := len(given.code)
	if i == most {
		return nil
	}
	atomic.StorePointer(&closures[i], f)
	c := unsafe.Add(directAt(), i*stubSize)
	given.code[f] = c
	return c
}
