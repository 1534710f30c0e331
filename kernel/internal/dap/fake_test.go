package dap

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"encoding/json"

	waiting "overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// A fake is an engine with a single goroutine, which a test stops and releases.
type fake struct {
	mu       sync.Mutex
	tell     func(engine.DebugEvent)
	attached int // number of attachments
	held     bool
	running  bool // a cell is running and not stopped
	panics   engine.PanicFilter
	set      map[string][]engine.Breakpoint
	locals   []engine.DebugVariable
	globals  []engine.DebugVariable
	stack    []engine.DebugFrame
	steps    []engine.Step
	evals    []string
	readers  int
	endless  chan struct{} // closed when an endless evaluation has begun
}

func (f *fake) Attach(tell func(engine.DebugEvent)) engine.Debug {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tell = tell
	f.attached++
	f.set = map[string][]engine.Breakpoint{}
	return f
}

// hold simulates a stop in the cell.
func (f *fake) hold(reason, text string, breakpoints ...int) {
	f.mu.Lock()
	f.held, f.running = true, false
	tell := f.tell
	f.mu.Unlock()
	tell(engine.DebugEvent{Reason: reason, Goroutine: 7, Text: text, Breakpoints: breakpoints})
}

func (f *fake) SetBreakpoints(source string, list []engine.Breakpoint) []engine.SetBreakpoint {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set[source] = list
	lines := strings.Count(source, "\n") + 1
	set := []engine.SetBreakpoint{}
	for i, b := range list {
		switch {
		case b.Line > lines:
			set = append(set, engine.SetBreakpoint{ID: i + 1, Message: "no statement there"})
		case b.Condition == "(":
			set = append(set, engine.SetBreakpoint{ID: i + 1, Message: "the condition does not parse"})
		default:
			set = append(set, engine.SetBreakpoint{ID: i + 1, Line: b.Line})
		}
	}
	return set
}

func (f *fake) SetPanics(p engine.PanicFilter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.panics = p
}

func (f *fake) Goroutines() []engine.DebugGoroutine {
	f.mu.Lock()
	defer f.mu.Unlock()
	return []engine.DebugGoroutine{{ID: 7, Name: "In[3]", Held: f.held, State: "running"}}
}

func (f *fake) Stack(goroutine int) ([]engine.DebugFrame, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.held || goroutine != 7 {
		return nil, engine.ErrNotHeld
	}
	return f.stack, nil
}

func (f *fake) Locals(frame engine.FrameID) ([]engine.DebugVariable, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.held || frame != 1 {
		return nil, engine.ErrNotHeld
	}
	return f.locals, nil
}

func (f *fake) Globals() ([]engine.DebugVariable, func(), error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running {
		return nil, nil, engine.ErrNotHeld
	}
	f.readers++
	return f.globals, func() {
		f.mu.Lock()
		f.readers--
		f.mu.Unlock()
	}, nil
}

func (f *fake) variable(name string) (reflect.Value, bool) {
	for _, v := range slices.Concat(f.locals, f.globals) {
		if v.Name == name {
			return v.Value, true
		}
	}
	return reflect.Value{}, false
}

// Eval evaluates names of variables, numbers with and without float64() around them, assignments of numbers,
// "endless" and "bad".
func (f *fake) Eval(ctx context.Context, frame engine.FrameID, expression string) ([]engine.Value, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.evals = append(f.evals, expression)
	switch {
	case expression == "endless":
		if f.endless != nil {
			close(f.endless)
			f.endless = nil
		}
		f.mu.Unlock()
		<-ctx.Done()
		f.mu.Lock()
		return nil, &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
	case expression == "panic":
		panic("inside")
	case expression == "none()":
		return nil, nil
	case expression == "two()":
		return []engine.Value{{Value: 1, Type: "int"}, {Value: "x", Type: "string"}}, nil
	}
	if to, value, ok := strings.Cut(expression, " = "); ok {
		v, known := f.variable(to)
		if !known {
			return nil, nil
		}
		var n int64
		fmt.Sscan(value, &n)
		v.SetInt(n)
		return nil, nil
	}
	if v, ok := f.variable(expression); ok {
		return []engine.Value{{Value: v.Interface(), Type: v.Type().String()}}, nil
	}
	var x float64
	if _, err := fmt.Sscan(strings.TrimSuffix(strings.TrimPrefix(expression, "float64("), ")"), &x); err == nil {
		return []engine.Value{{Value: x, Type: "float64"}}, nil
	}
	return nil, &engine.Error{Kind: engine.Type, Message: "undefined: " + expression}
}

func (f *fake) Assign(_ context.Context, _ engine.FrameID, to reflect.Value, expression string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v, ok := f.variable(expression); ok {
		to.Set(v)
		return nil
	}
	p := reflect.New(to.Type())
	if _, err := fmt.Sscan(expression, p.Interface()); err != nil {
		return &engine.Error{Kind: engine.Type, Message: fmt.Sprintf("cannot use %s as %s", expression, to.Type())}
	}
	to.Set(p.Elem())
	return nil
}

func (f *fake) Continue(goroutine int, step engine.Step) error {
	f.mu.Lock()
	if !f.held {
		f.mu.Unlock()
		return engine.ErrNotHeld
	}
	f.held = false
	f.steps = append(f.steps, step)
	tell := f.tell
	f.mu.Unlock()
	tell(engine.DebugEvent{Reason: "continued", Goroutine: goroutine})
	return nil
}

func (f *fake) Pause() {}

func (f *fake) Detach() {
	f.mu.Lock()
	was := f.held
	f.held = false
	tell := f.tell
	f.set = map[string][]engine.Breakpoint{}
	f.mu.Unlock()
	if was {
		tell(engine.DebugEvent{Reason: "continued"})
	}
}

// variables makes variables from pointers.
func variables(named map[string]any) []engine.DebugVariable {
	var list []engine.DebugVariable
	for _, name := range sortedNames(named) {
		v := reflect.ValueOf(named[name]).Elem()
		list = append(list, engine.DebugVariable{Name: name, Type: typeName(v.Type()), Value: v})
	}
	return list
}

// A client is a front end that sends requests to an Adapter.
type client struct {
	t      testing.TB
	a      *Adapter
	engine *fake
	seq    int
	events chan object
}

func newClient(t testing.TB, f *fake) *client {
	c := &client{t: t, engine: f, events: make(chan object, 100)}
	c.a = New(Options{Send: func(e any) { c.events <- asJSON(t, e) }})
	if f != nil {
		c.a.Serve(f)
	} else {
		c.a.Serve(nil)
	}
	t.Cleanup(c.a.Close)
	return c
}

// asJSON converts v to the object that a front end receives.
func asJSON(t testing.TB, v any) object {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Errorf("%v: %v", v, err)
	}
	var m object
	json.Unmarshal(raw, &m)
	return m
}

// raw sends a request and returns the reply.
func (c *client) raw(content string) object {
	c.t.Helper()
	got := make(chan object, 1)
	c.a.Handle(json.RawMessage(content), func(m any) { got <- asJSON(c.t, m) })
	select {
	case m := <-got:
		return m
	case <-time.After(waiting.Long):
		c.t.Fatalf("no reply to %s", content)
		return nil
	}
}

func (c *client) ask(command, arguments string) object {
	c.t.Helper()
	c.seq++
	if arguments == "" {
		arguments = "{}"
	}
	return c.raw(fmt.Sprintf(`{"type":"request","seq":%d,"command":%q,"arguments":%s}`, c.seq, command, arguments))
}

// body sends a request that must succeed, and returns the body of the reply.
func (c *client) body(command, arguments string) object {
	c.t.Helper()
	m := c.ask(command, arguments)
	if m["success"] != true {
		c.t.Fatalf("%s %s: %v", command, arguments, m["message"])
	}
	b, _ := m["body"].(object)
	return b
}

// refused sends a request that must fail, and returns the error message.
func (c *client) refused(command, arguments string) string {
	c.t.Helper()
	m := c.ask(command, arguments)
	if m["success"] != false {
		c.t.Fatalf("%s %s: %v", command, arguments, m)
	}
	return m["message"].(string)
}

// event returns the next event with the given name.
func (c *client) event(name string) object {
	c.t.Helper()
	for {
		select {
		case e := <-c.events:
			if e["event"] == name {
				b, _ := e["body"].(object)
				return b
			}
		case <-time.After(waiting.Long):
			c.t.Fatalf("no event %s", name)
		}
	}
}

func (c *client) attach() {
	c.t.Helper()
	c.body("initialize", `{"clientID":"test"}`)
	c.body("attach", "")
	c.event("initialized")
}

// lines returns the list of objects with the given name in a body.
func lines(m object, name string) []object {
	var list []object
	for _, x := range m[name].([]any) {
		list = append(list, x.(object))
	}
	return list
}
