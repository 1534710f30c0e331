package ixengine

import (
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"github.com/goplus/ixgo"
	"github.com/visualfc/gid"
)

// This file ends a goroutine of compiled code (a stranger) that has called a function of a cell. A panic
// would end the process unless the code is known to recover it, so runtime.Goexit is used. But an interpreter
// function with deferred calls mistakes a Goexit for a panic with nil, and continues. A Goexit passes through
// a function that has no deferred calls left, so the deferred calls are run before the Goexit reaches the
// function. goexit runs the deferred calls of the frames up to the first call of compiled code. The deferred
// calls below compiled code (for example of a cell's function that has called sort.Slice with another
// function) run when the Goexit leaves the compiled code; see Session.call.
//
// A panic that stops a cell is treated the same way if the stack is deep. For each function that defers, the
// interpreter recovers the panic, records all calls above the function, and panics anew on top of the stack.
// So memory and time grow with the square of the depth, to gigabytes in an endless recursion.

//go:linkname runDefers github.com/goplus/ixgo.(*frame).runDefers
func runDefers(fr *frame)

// deferred is the offset of a frame's pointer to its deferred calls.
var deferred = func() uintptr {
	f, ok := reflect.TypeFor[ixgo.Frame]().FieldByName("_defer")
	if !ok || f.Type.Kind() != reflect.Pointer {
		panic("ixengine: this ixgo has no Frame._defer that is a pointer")
	}
	return f.Offset
}()

// An ending says why a goroutine ends without a panic.
type ending int

const (
	// stopped: the kernel stops the goroutine. A deferred call that was running runs again, from its beginning, because
	// it may have been stopped before it did anything.
	stopped ending = iota
	// exited: the goroutine has called runtime.Goexit, perhaps through (*testing.T).FailNow, or recurses endlessly. A
	// deferred call that was running is the cause, and does not run again.
	exited
	// hopeless: the deferred calls of a goroutine that ends do not end themselves. No more of them run.
	hopeless
)

// goexit ends the calling goroutine as runtime.Goexit does. The goroutine is in a call made by fr.
func (s *stopper) goexit(fr *frame, why ending) {
	s.makeDeferredOnce(fr, why)
	runtime.Goexit()
}

// deepForPanic is a stack size in bytes. If the stack is larger, deferred calls are run before the panic that stops a
// cell.
const deepForPanic = 256 << 10

// isDeep reports whether fr has many callers. The size of the stack does not show this, because calls of register code
// use little of the stack.
func isDeep(fr *frame) bool {
	const many = 1000
	for range many {
		if fr == nil {
			return false
		}
		fr = callerOf(fr)
	}
	return true
}

// panicWith ends the calling goroutine with a panic that has the given reason. The goroutine is in a call made by fr.
// If the stack is deep, panicWith runs the deferred calls before the panic.
func (s *stopper) panicWith(reason string, fr *frame) {
	if stackUsed() > deepForPanic || isDeep(fr) {
		why := stopped
		if reason == stackOverflow {
			why = exited
		}
		s.makeDeferredOnce(fr, why)
	}
	panic(stopSignal{reason})
}

// makeDeferredOnce runs the deferred calls of fr and its callers, and records for callAborted that the calling
// goroutine is ending. It does nothing if the end is already recorded.
func (s *stopper) makeDeferredOnce(fr *frame, why ending) {
	s.exits.Store(true)
	if _, again := s.ending.LoadOrStore(gid.Get(), why); !again {
		s.makeDeferred(fr, why)
	}
}

// callAborted is called when a call of compiled code made by fr does not return. If the goroutine is ending,
// callAborted runs the deferred calls of fr and its callers.
func (s *stopper) callAborted(fr *frame) {
	if !s.exits.Load() {
		return
	}
	if why, isEnding := s.ending.Load(gid.Get()); isEnding {
		s.makeDeferred(fr, why.(ending))
	}
}

// giveUp keeps the calling goroutine, which is ending, from running more deferred calls.
func (s *stopper) giveUp() {
	s.exits.Store(true)
	s.ending.Store(gid.Get(), hopeless)
}

// hasGivenUp reports whether the calling goroutine is ending and must run no more deferred calls.
func (s *stopper) hasGivenUp() bool {
	if !s.exits.Load() {
		return false
	}
	why, _ := s.ending.Load(gid.Get())
	return why == hopeless
}

// makeDeferred runs the deferred calls of fr and its callers.
func (s *stopper) makeDeferred(fr *frame, why ending) {
	for ; fr != nil && !s.hasGivenUp(); fr = field[*frame](unsafe.Pointer(fr), layout.caller) {
		handOver(fr, why == stopped)
		if why == exited {
			setField[currentPanic](unsafe.Pointer(fr), layout.panicked, nil) // a Goexit aborts a panic
		}
		if field[unsafe.Pointer](unsafe.Pointer(fr), deferred) != nil {
			runAllDeferred(fr)
		}
	}
}

// runAllDeferred runs the deferred calls of fr. If one of them panics, for example because the time for deferred calls
// has run out, runAllDeferred recovers the panic, because the deferred calls of fr's callers must still run.
func runAllDeferred(fr *frame) {
	defer func() { _ = recover() }()
	runDefers(fr)
}

// pollStranger ends the calling goroutine, which was started by compiled code, if the running cell is being
// stopped.
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
	if _, isEnding := s.ending.Load(gid.Get()); isEnding {
		return // the goroutine is ending, and runs a deferred call
	}
	if slices.Contains(callStack(), serverLoop) { // the HTTP server recovers the panic
		panic(stopSignal{why})
	}
	s.goexit(fr, stopped)
}
