package ixengine

import (
	"context"
	"runtime"
	"syscall/js"
	"time"
	"unsafe"
)

// Where there is one thread, see breathe.go.
const (
	breathing = true
	// watchEvery is the time between two looks at the memory. While a timer is due, no event
	// of the page is handled, so a shorter time would keep interrupts out.
	watchEvery = 50 * time.Millisecond
	// deepest bounds the stack that a goroutine may use when it calls compiled code, and well above it
	// deepestOwn that of functions of cells that call each other. A stack that grows is
	// copied to one of twice the size, addresses have 32 bits, and the time that a panic takes
	// through functions that defer grows with the square of the depth. A String method that calls
	// fmt.Sprint takes 4.6 KB for itself, Sprint and what is between them: a thousand of them fit.
	deepest    = 5 << 20
	deepestOwn = 8 << 20
	// mostDeep is how many machines may be full of calls: 10,000 calls each.
	mostDeep = 8
	// refuseFrom is the size from which a single allocation is checked: there is no swap, and
	// the watch comes milliseconds later.
	refuseFrom = 2 << 20
	// mostMemory bounds the memory in use. Addresses have 32 bits; what the garbage collector
	// has not found yet, and gaps, need the rest.
	mostMemory = 3 << 30
)

const (
	// turnEvery is how long cells compute between two turns of the event loop. In a turn
	// messages of the page arrive; and since each function is entered anew after it, the
	// browser goes over to the optimised code of one that is in the middle of a loop.
	turnEvery = 40 * time.Millisecond
	// yieldEvery is how long a goroutine computes before others may go on.
	yieldEvery = 10 * time.Millisecond
	// clockEvery is the time that should pass between two looks at the clock, and
	// mostLooks how many looks at the flag there are in between at most. Few, because the
	// next loop may be one whose every round takes long.
	clockEvery = 2 * time.Millisecond
	mostLooks  = 128
)

// breath is the state of breathing, of all goroutines together.
var breath struct {
	looks int32 // at the flag, until the clock is read
	most  int32
	read  time.Duration // when the clock was read last,
	yield time.Duration // when other goroutines could go on last,
	turn  time.Duration // and when the event loop had its last turn

	next    js.Value      // calls its argument in the next turn
	came    js.Func       // that argument
	waiting chan struct{} // closed in the turn that goroutines wait for, nil if there are none
}

var breathBegan = time.Now()

// breatheNowAndThen is called wherever a cell looks at the flag to stop.
func breatheNowAndThen() {
	if breath.looks--; breath.looks < 0 {
		breatheIfDue()
	}
	keepShallow()
}

// breatheIfDue lets others have their turn if the last one was long ago.
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

// awaitTurn waits for the next turn of the event loop. All goroutines that compute wait for the
// same one: it comes when none is left.
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

// nextTurn returns a JavaScript function that calls its argument in the next turn of the event
// loop: the one that the worker has defined, that of node, or one that is slower.
func nextTurn() js.Value {
	for _, name := range []string{"overcompleteTurn", "setImmediate"} {
		if f := js.Global().Get(name); f.Type() == js.TypeFunction {
			return f
		}
	}
	return js.Global().Get("setTimeout")
}

// shallowest is how much the Go stack of a goroutine may grow before keepShallow acts.
const shallowest = 32 << 10

// shallow says how much stack the goroutine that ran last used when it last began on an empty
// stack of the browser.
var shallow struct {
	goroutine unsafe.Pointer
	used      uintptr
}

// keepShallow is called by code that may be deep in a recursion. Browsers give WebAssembly a
// stack of about 1 MB, apart from Go's stack which is in the memory, and end the program where
// it does not do. When a goroutine has let others run, it goes on with that stack empty:
// functions that it returns to are entered anew, with what Go's stack has of them. So one that
// lets others run now and then while its stack grows can go as deep as memory allows.
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

// breathes returns c in a form that lets others have their turn when compiled code asks
// whether it has ended. Without that it could not have ended.
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
