package ixengine

import (
	"context"
	"runtime"
	"syscall/js"
	"time"
	"unsafe"
)

// Constants for systems with one thread; see breathe.go.
const (
	breathing = true
	// watchEvery is the interval at which the memory is checked. While a timer is due, no event of the page is
	// handled, so a shorter interval would keep interrupts out.
	watchEvery = 50 * time.Millisecond
	// deepest bounds the stack of a goroutine that calls compiled code. deepestOwn, well above it, bounds the stack of
	// a goroutine in which functions of cells call each other. The bounds are low for three reasons: a stack that grows
	// is copied to a stack of twice the size, addresses have 32 bits, and the time that a panic takes to pass through
	// functions with deferred calls grows with the square of the depth. A String method that calls fmt.Sprint takes 4.6
	// KB, including Sprint and the frames in between: a thousand of these calls fit.
	deepest    = 5 << 20
	deepestOwn = 8 << 20
	// refuseFrom is the size from which a single allocation is checked: there is no swap, and the memory
	// watch runs only milliseconds later.
	refuseFrom = 2 << 20
	// mostMemory bounds the memory in use. Addresses have 32 bits; uncollected garbage and gaps need the rest.
	mostMemory = 3 << 30
)

const (
	// turnEvery is the time for which cells compute between two turns of the event loop. Messages of the page
	// arrive in a turn. Functions are also entered anew after a turn, so the browser can switch a running
	// loop to optimized code.
	turnEvery = 40 * time.Millisecond
	// yieldEvery is the time for which a goroutine computes before other goroutines may run.
	yieldEvery = 10 * time.Millisecond
	// clockEvery is the desired time between two readings of the clock; mostLooks is the maximum number of
	// checks of the stop flag between them. mostLooks is small because a single iteration of the next loop
	// may take long.
	clockEvery = 2 * time.Millisecond
	mostLooks  = 128
)

// breath is the breathing state, shared by all goroutines.
var breath struct {
	looks int32 // checks of the stop flag until the clock is read
	most  int32
	read  time.Duration // when the clock was last read
	yield time.Duration // when other goroutines last ran
	turn  time.Duration // when the event loop last had a turn

	next    js.Value      // calls its argument in the next turn
	came    js.Func       // the callback given to next
	waiting chan struct{} // closed in the turn for which goroutines wait; nil if no goroutine waits
}

var breathBegan = time.Now()

// breatheNowAndThen is called wherever a cell checks the stop flag. It yields to other goroutines if that is due, and
// calls keepShallow.
func breatheNowAndThen() {
	if breath.looks--; breath.looks < 0 {
		breatheIfDue()
	}
	keepShallow()
}

// breatheIfDue yields to other goroutines if the last yield was long ago.
func breatheIfDue() {
	now := time.Since(breathBegan)
	switch took := now - breath.read; {
	case took > clockEvery:
		breath.most = max(1, breath.most/2)
	case took < clockEvery/2:
		breath.most = min(mostLooks, 2*breath.most+1)
	}
	if clocked != nil {
		clocked.tick(now - breath.read)
	}
	breath.read = now
	breath.looks = breath.most
	switch {
	case now-breath.turn > turnEvery:
		awaitTurn()
	case now-breath.yield > yieldEvery:
		runtime.Gosched()
	default:
		return
	}
	breath.read = time.Since(breathBegan)
	breath.yield = breath.read
}

// awaitTurn waits for the next turn of the event loop. All computing goroutines wait for the same turn. That turn comes
// when no goroutine is still running.
func awaitTurn() {
	if breath.waiting == nil {
		if breath.came.IsUndefined() {
			breath.came = js.FuncOf(func(js.Value, []js.Value) any {
				breath.turn = time.Since(breathBegan)
				close(breath.waiting)
				breath.waiting = nil
				return nil
			})
			breath.next = nextTurn()
		}
		breath.waiting = make(chan struct{})
		breath.next.Invoke(breath.came)
	}
	<-breath.waiting
}

// nextTurn returns a JavaScript function that calls its argument in the next turn of the event loop. The result is the
// first of these functions that exists: overcompleteTurn, which the page's worker defines; setImmediate, which node
// has; setTimeout, which is slower.
func nextTurn() js.Value {
	for _, name := range []string{"overcompleteTurn", "setImmediate"} {
		if f := js.Global().Get(name); f.Type() == js.TypeFunction {
			return f
		}
	}
	return js.Global().Get("setTimeout")
}

// shallowest is the number of bytes by which a goroutine's Go stack may grow before keepShallow acts.
const shallowest = 32 << 10

// shallow records which goroutine ran last, and how much Go stack that goroutine was using when it last resumed on an
// empty browser stack.
var shallow struct {
	goroutine unsafe.Pointer
	used      uintptr
}

// keepShallow yields if the calling goroutine's Go stack has grown by more than shallowest bytes since the goroutine
// last resumed. It is called by code that may be deep in a recursion.
//
// Browsers give WebAssembly a stack of about 1 MB, separate from Go's stack in memory, and end the program when that
// stack overflows. A goroutine that has yielded resumes with an empty browser stack: the functions to which it returns
// are entered anew, from their frames on Go's stack. So a goroutine that yields now and then while its stack grows can
// recurse as deep as memory allows.
func keepShallow() {
	g, used := getg(), stackUsed()
	if g != shallow.goroutine || used < shallow.used {
		shallow.goroutine, shallow.used = g, used
		return
	}
	if used-shallow.used > shallowest {
		runtime.Gosched()
		shallow.goroutine, shallow.used = g, used
	}
}

// breathes wraps c so that compiled code lets other goroutines run whenever it asks whether c has ended. Without this,
// compiled code that asks in a loop would keep c from ever ending.
func breathes(c context.Context) context.Context {
	if _, done := c.(breathingContext); done {
		return c
	}
	return breathingContext{c}
}

type breathingContext struct{ context.Context }

func (c breathingContext) Err() error {
	breatheIfDue()
	return c.Context.Err()
}

func (c breathingContext) Done() <-chan struct{} {
	breatheIfDue()
	return c.Context.Done()
}

// abandonment is the value with which an HTTP handler panics to abort its response deliberately. It is nil
// here: a browser has no such handlers, and importing net/http would make the binary much larger.
var abandonment any
