package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"sync"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

// patience is how long the lane (the queue of requests) waits for an evaluation before it answers other
// requests.
const patience = 20 * time.Millisecond

// letGo is the time limit for requests that let code continue, such as continue or next. Such a request interrupts
// running evaluations, and waits at most this long for them to end.
const letGo = time.Second

// openTime is how long a request waits for the interpreter to start.
const openTime = 30 * time.Second

// Options are the options of an Adapter. The field Send is required.
type Options struct {
	// Send publishes an event. Calls do not overlap.
	Send func(event any)
	// Bundle returns the data and metadata to send to a front end for a shown value. If it is nil, the
	// value's Data and Metadata are sent unchanged.
	Bundle func(display.Data) (data, metadata any)
	// Log receives internal errors of this package. If it is nil, they are dropped.
	Log *log.Logger
}

// An Adapter answers the debug requests of a kernel's front ends. Before the first request it does nothing
// and runs no goroutine.
type Adapter struct {
	opt    Options
	ctx    context.Context // canceled by Close
	cancel context.CancelFunc
	begin  sync.Once
	ready  chan struct{} // closed when session is set

	lane, outgoing queue // queues of requests and of outgoing messages

	// attaching is locked while a method checks whether a debugger is attached and, if none is, attaches one.
	attaching sync.Mutex

	mu      sync.Mutex
	session engine.Debugger // nil if the session cannot be debugged
	debug   engine.Debug    // nil while no front end is debugging
	open    int             // number of requests without a reply
	round   int             // number of attachments, to recognize events of earlier attachments
	client  string          // the front end's clientID
	cells   *library
	files   map[string]bool // files of packages run from source that stacks have shown
	set     map[string][]object
	held    []stop // current stops, the latest last
	table   table
	frames  frames
	globals []object // result of the last inspectVariables

	stops map[*evaluation]bool // evaluations in progress
	last  chan struct{}        // closed when the last evaluation in stops has ended
}

// New returns an Adapter. It has no session to debug until Serve is called.
func New(opt Options) *Adapter {
	if opt.Log == nil {
		opt.Log = log.New(io.Discard, "", 0)
	}
	if opt.Bundle == nil {
		opt.Bundle = func(d display.Data) (any, any) { return d.Data, d.Metadata }
	}
	a := &Adapter{opt: opt, ready: make(chan struct{}), files: map[string]bool{}, set: map[string][]object{}, stops: map[*evaluation]bool{}}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.cells = newLibrary(pathPrefix())
	a.lane.init()
	a.outgoing.init()
	return a
}

// Serve tells the Adapter which session to debug. The parameter session is nil if the session cannot be debugged. Serve
// is called once.
func (a *Adapter) Serve(session engine.Debugger) {
	a.mu.Lock()
	a.session = session
	a.mu.Unlock()
	close(a.ready)
}

// Busy reports whether a front end is debugging or waiting for a reply.
func (a *Adapter) Busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.debug != nil || a.open > 0
}

// Interrupt tells the evaluations in progress to end. It returns true if execution is stopped and at least one
// evaluation had not yet been told to end. Then the user was waiting for an evaluation, and the caller should not
// interrupt the cell as well.
func (a *Adapter) Interrupt() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := false
	for e := range a.stops {
		found = found || e.ctx.Err() == nil
		e.cancel()
	}
	return found && len(a.held) > 0
}

// Close detaches the debugger. Unanswered and later requests get no reply.
func (a *Adapter) Close() {
	a.cancel()
	a.lane.close()
	a.outgoing.close()
	a.mu.Lock()
	d := a.debug
	a.debug = nil
	a.round++
	a.mu.Unlock()
	if d != nil {
		d.Detach()
	}
}

// Handle answers a request, the content of a debug_request, by calling reply(response) exactly once, from another
// goroutine.
func (a *Adapter) Handle(content json.RawMessage, reply func(response any)) {
	a.begin.Do(func() {
		go a.lane.run()
		go a.outgoing.run()
	})
	r, err := parse(content)
	if err == nil && releases[r.Command] {
		a.Interrupt() // interrupt now, because the lane may be waiting for the evaluation
	}
	a.count(1)
	a.lane.add(func() {
		send := func(body object, err error) {
			m := response(r, body, err)
			a.outgoing.add(func() {
				reply(a.numbered(m))
				a.count(-1)
			})
		}
		switch {
		case err != nil:
			send(nil, err)
		case evaluations[r.Command] != nil:
			a.evaluateAsync(r, send)
		default:
			send(a.answer(r))
		}
	})
}

// count adds n to the number of requests that wait for their replies.
func (a *Adapter) count(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open += n
}

// numbered sets the sequence number of the message m and returns m. It may only be called by functions that are in the
// adapter's queue (a.outgoing), so that messages are numbered in the order in which they are sent.
func (a *Adapter) numbered(m object) object {
	a.outgoing.count++
	m["seq"] = a.outgoing.count
	return m
}

// tell sends an event, after all replies and events that are already in the queue a.outgoing.
func (a *Adapter) tell(name string, body object) {
	m := event(name, body)
	a.outgoing.add(func() { a.opt.Send(a.numbered(m)) })
}

// protect calls f, which answers the given command. If f panics, protect logs the panic and returns it as an error.
func (a *Adapter) protect(command string, f func() (object, error)) (body object, err error) {
	defer func() {
		if r := recover(); r != nil {
			a.opt.Log.Printf("debug request %s: panic: %v\n%s", command, r, debug.Stack())
			body, err = nil, fmt.Errorf("%s: a fault of the kernel: %v", command, r)
		}
	}()
	return f()
}

// answer answers a request that runs no code.
func (a *Adapter) answer(r request) (object, error) {
	f := commands[r.Command]
	if f == nil {
		return nil, fmt.Errorf("this kernel's debugger does not support %.60q", r.Command)
	}
	if releases[r.Command] {
		a.quiet()
	}
	return a.protect(r.Command, func() (object, error) { return f(a, r) })
}

var (
	errNoDebugger  = errors.New("this kernel has no debugger")
	errNotAttached = errors.New("the debugger is off: send an attach request first")
)

// attachable waits until Serve has set the session, and returns the session. It returns an error if the session cannot
// be debugged or is not set in time.
func (a *Adapter) attachable() (engine.Debugger, error) {
	select {
	case <-a.ready:
	case <-a.ctx.Done():
		return nil, errNoDebugger
	case <-time.After(openTime):
		return nil, errors.New("the interpreter has not started yet: try again")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session == nil {
		return nil, errNoDebugger
	}
	return a.session, nil
}

// attached returns the engine.Debug of the attached debugger, or an error if the debugger is off.
func (a *Adapter) attached() (engine.Debug, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.debug == nil {
		return nil, errNotAttached
	}
	return a.debug, nil
}

// withDebug calls f with the engine.Debug of the attached debugger. While the debugger is off, it attaches one for the
// duration of f.
func (a *Adapter) withDebug(f func(engine.Debug) error) error {
	s, err := a.attachable()
	if err != nil {
		return err
	}
	a.attaching.Lock()
	d, err := a.attached()
	if err != nil {
		d = s.Attach(func(engine.DebugEvent) {})
		defer d.Detach()
	}
	a.attaching.Unlock()
	return f(d)
}

// A queue calls functions one after the other. It is unbounded: a front end limits itself by waiting for the
// replies to its requests.
type queue struct {
	mu     sync.Mutex
	cond   sync.Cond
	list   []func()
	closed bool
	count  int // number of messages sent; only used by the goroutine of run
}

func (q *queue) init() { q.cond.L = &q.mu }

func (q *queue) add(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.list = append(q.list, f)
		q.cond.Signal()
	}
}

// run calls the functions in the order in which they were added. It returns when the queue is closed.
func (q *queue) run() {
	for {
		q.mu.Lock()
		for len(q.list) == 0 && !q.closed {
			q.cond.Wait()
		}
		if q.closed {
			q.mu.Unlock()
			return
		}
		f := q.list[0]
		q.list = q.list[1:]
		q.mu.Unlock()
		f()
	}
}

// close makes q.run() end, and drops the functions that have not been called yet.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.list = true, nil
	q.cond.Broadcast()
}
