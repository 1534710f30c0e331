package ixengine

import (
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/gid"
)

// How to end a goroutine of compiled code, a stranger, that has called a function
// of a cell. A panic would end the process, unless the code is known to recover
// it, so runtime.Goexit is used. But a function of the interpreter that has
// deferred calls mistakes a Goexit for a panic with nil, and continues. So the
// deferred calls are made before the Goexit reaches such a function: a function
// with none left lets a Goexit pass. goexit does this for the functions that it
// finds. For functions behind compiled code (a cell's function that has called
// sort.Slice with another) it is done when the Goexit leaves that code; see
// Session.call.

//go:linkname runDefers github.com/goplus/ixgo.(*frame).runDefers
func runDefers(fr *frame)

// deferred is the offset of the pointer to a frame's deferred calls.
var deferred = func() uintptr {
	f, ok := reflect.TypeFor[ixgo.Frame]().FieldByName("_defer")
	if !ok || f.Type.Kind() != reflect.Pointer {
		panic("ixengine: this ixgo has no Frame._defer that is a pointer")
	}
	return f.Offset
}()

// goexit ends the calling goroutine, which is in a call that fr makes, as
// runtime.Goexit does.
func (s *stopper) goexit(fr *frame) {
	s.exits.Store(true)
	if _, again := s.ending.LoadOrStore(gid.Get(), true); !again {
		makeDeferred(fr)
	}
	runtime.Goexit()
}

// left is called when a call of compiled code that fr makes does not return.
func (s *stopper) left(fr *frame) {
	if !s.exits.Load() {
		return
	}
	if _, ending := s.ending.Load(gid.Get()); ending {
		makeDeferred(fr)
	}
}

// makeDeferred runs the deferred calls of fr and its callers.
func makeDeferred(fr *frame) {
	for ; fr != nil; fr = field[*frame](unsafe.Pointer(fr), layout.caller) {
		if field[unsafe.Pointer](unsafe.Pointer(fr), deferred) != nil {
			runDefers(fr)
		}
	}
}

// pollStranger ends the calling goroutine, which compiled code has started, if
// the running cell is being stopped.
func (s *stopper) pollStranger(fr *frame) {
	s.mu.Lock()
	why := ""
	if s.current != nil {
		why = s.current.why
		s.current.cutShort = why != ""
	}
	s.mu.Unlock()
	if why == "" {
		return
	}
	if _, ending := s.ending.Load(gid.Get()); ending {
		return // this is a deferred call
	}
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	if strings.Contains(string(stack), "net/http.(*conn).serve") { // which recovers
		panic(stopSignal{why})
	}
	s.goexit(fr)
}
