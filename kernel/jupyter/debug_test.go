package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/wire"
)

// A holder is an Executor and its Debugger. The cell "hold" stops until it is continued or interrupted.
type holder struct {
	fake
	mu       sync.Mutex
	tell     func(engine.DebugEvent)
	goOn     chan struct{} // channel of the held cell, or nil
	detached bool
	endless  chan bool // receives a value when the endless evaluation begins
}

func newHolder() *holder {
	h := &holder{fake: standard(), endless: make(chan bool, 10)}
	h.fake["hold"] = func(ctx context.Context, out kernel.Output) error {
		goOn := make(chan struct{})
		h.mu.Lock()
		h.goOn = goOn
		tell := h.tell
		h.mu.Unlock()
		if tell == nil {
			return nil
		}
		tell(engine.DebugEvent{Reason: "breakpoint", Goroutine: 1, Breakpoints: []int{1}})
		defer tell(engine.DebugEvent{Reason: "ended", Goroutine: 1})
		defer tell(engine.DebugEvent{Reason: "continued", Goroutine: 1})
		select {
		case <-goOn:
			out.Stream("stdout", "went on")
			return nil
		case <-ctx.Done():
			return &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
		}
	}
	return h
}

func (h *holder) Debugger() engine.Debugger { return h }

func (h *holder) Attach(tell func(engine.DebugEvent)) engine.Debug {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell, h.detached = tell, false
	return h
}

func (h *holder) SetBreakpoints(_ string, list []engine.Breakpoint) []engine.SetBreakpoint {
	var set []engine.SetBreakpoint
	for i, b := range list {
		set = append(set, engine.SetBreakpoint{ID: i + 1, Line: b.Line})
	}
	return set
}

func (h *holder) SetPanics(engine.PanicFilter) {}
func (h *holder) Goroutines() []engine.DebugGoroutine {
	return []engine.DebugGoroutine{{ID: 1, Name: "In[1]"}}
}
func (h *holder) Stack(int) ([]engine.DebugFrame, error) { return nil, engine.ErrNotHeld }
func (h *holder) Locals(engine.FrameID) ([]engine.DebugVariable, error) {
	return nil, engine.ErrNotHeld
}
func (h *holder) Globals() ([]engine.DebugVariable, func(), error)                    { return nil, func() {}, nil }
func (h *holder) Assign(context.Context, engine.FrameID, reflect.Value, string) error { return nil }
func (h *holder) Pause()                                                              {}

func (h *holder) Eval(ctx context.Context, _ engine.FrameID, expression string) ([]engine.Value, error) {
	if expression == "endless" {
		h.endless <- true
		<-ctx.Done()
		return nil, &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
	}
	return []engine.Value{{Value: 42, Type: "int"}}, nil
}

func (h *holder) Continue(int, engine.Step) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.goOn == nil {
		return engine.ErrNotHeld
	}
	close(h.goOn)
	h.goOn = nil
	return nil
}

func (h *holder) Detach() {
	h.mu.Lock()
	h.detached, h.tell = true, nil
	h.mu.Unlock()
	h.Continue(0, engine.NoStep)
}

// startDebug starts a server. The server ends before the next test begins.
func startDebug(t *testing.T, exec Executor) *session {
	t.Helper()
	s := start(t, exec, Options{Debugger: true})
	t.Cleanup(func() {
		s.server.stop(false)
		<-s.ended
	})
	return s
}

// debug sends a debug request and returns the reply.
func (s *session) debug(ch wire.Channel, command string, arguments any) map[string]any {
	s.t.Helper()
	id := s.send(ch, "debug_request", map[string]any{"type": "request", "seq": 1, "command": command, "arguments": arguments})
	return s.reply(ch, id, "debug_reply")
}

// stopped waits for a debug event.
func (s *session) stopped(name string) {
	s.t.Helper()
	for {
		m, c := s.recv(wire.IOPub)
		if m.Header.MsgType == "debug_event" && c["event"] == name {
			if m.Parent().MsgType != "debug_request" {
				s.t.Errorf("the parent of %s is %q", name, m.Parent().MsgType)
			}
			return
		}
	}
}

// TestDebug: debug requests are answered on both channels while a cell is held. The cell is continued,
// interrupted, or released by a disconnect, and the session is usable afterwards.
func TestDebug(t *testing.T) {
	h := newHolder()
	s := startDebug(t, h)
	info := s.send(wire.Shell, "kernel_info_request", nil)
	c := s.reply(wire.Shell, info, "kernel_info_reply")
	want(t, "info", []any{c["debugger"], c["supported_features"]}, "[true [debugger]]")
	want(t, "busy and idle", s.published(s.send(wire.Control, "debug_request", map[string]any{"type": "request", "seq": 0, "command": "debugInfo"})), "[busy idle]")
	s.recv(wire.Control)
	want(t, "initialize", s.debug(wire.Control, "initialize", nil)["success"], true)
	want(t, "attach", s.debug(wire.Control, "attach", nil)["success"], true)
	for _, end := range []string{"continue", "disconnect", "interrupt"} {
		want(t, "attach", s.debug(wire.Control, "attach", nil)["success"], true)
		run := s.send(wire.Shell, "execute_request", code("hold"))
		s.stopped("stopped")
		want(t, "threads", s.debug(wire.Control, "threads", nil)["success"], true)
		want(t, "on shell", s.debug(wire.Shell, "threads", nil)["success"], true)
		want(t, "unknown", s.debug(wire.Control, "fly", nil)["success"], false)
		patience.Try(t, func() string {
			start := time.Now()
			s.reply(wire.Control, s.send(wire.Control, "kernel_info_request", nil), "kernel_info_reply")
			if d := time.Since(start); d > 100*time.Millisecond {
				return fmt.Sprintf("kernel_info took %v", d)
			}
			return ""
		})
		status := "ok"
		switch end {
		case "interrupt":
			// The first interrupt ends an evaluation, the second ends the cell.
			id := s.send(wire.Control, "debug_request", map[string]any{"type": "request", "seq": 1, "command": "evaluate", "arguments": map[string]any{"expression": "endless"}})
			patience.Receive(t, "evaluation", h.endless)
			first := s.send(wire.Control, "interrupt_request", nil)
			replies := map[string]map[string]any{} // in either order
			for range 2 {
				m, content := s.recv(wire.Control)
				replies[m.Header.MsgType+" to "+m.Parent().MsgID] = content
			}
			want(t, "interrupt", replies["interrupt_reply to "+first] != nil, true)
			want(t, "evaluate", replies["debug_reply to "+id]["success"], false)
			want(t, "still held", h.goOn != nil, true)
			second := s.send(wire.Control, "interrupt_request", nil)
			s.reply(wire.Control, second, "interrupt_reply")
			status = "error"
		default:
			want(t, end, s.debug(wire.Control, end, nil)["success"], true)
		}
		want(t, end, s.reply(wire.Shell, run, "execute_reply")["status"], status)
		h.mu.Lock()
		h.goOn = nil
		h.mu.Unlock()
		id := s.send(wire.Shell, "execute_request", code("silence"))
		want(t, "afterwards", s.reply(wire.Shell, id, "execute_reply")["status"], "ok")
	}
}

// TestShutdownWhileHeld: a shutdown at once ends a kernel with a cell that is held at a breakpoint.
func TestShutdownWhileHeld(t *testing.T) {
	patience.Try(t, func() string {
		h := newHolder()
		s := start(t, h, Options{Debugger: true})
		s.debug(wire.Control, "attach", nil)
		s.send(wire.Shell, "execute_request", code("hold"))
		s.stopped("stopped")
		begin := time.Now()
		s.send(wire.Control, "shutdown_request", map[string]any{"restart": true})
		patience.Receive(t, "end", s.ended)
		took := time.Since(begin)
		h.mu.Lock()
		defer h.mu.Unlock()
		want(t, "detached", h.detached, true)
		if took > time.Second {
			return fmt.Sprintf("it took %v", took)
		}
		return ""
	})
}

// TestNoHandOverWhileDebugging: the program is not replaced while a front end debugs, and the cell receives the
// reason.
func TestNoHandOverWhileDebugging(t *testing.T) {
	h := newHolder()
	s := startDebug(t, h)
	s.debug(wire.Control, "attach", nil)
	_, err := s.server.handedQueue()
	if err == nil || !strings.Contains(err.Error(), "debugger") {
		t.Errorf("handed over: %v", err)
	}
	s.debug(wire.Control, "disconnect", nil)
	if !patience.Wait(func() bool { // the reply arrives before the request has ended
		_, err = s.server.handedQueue()
		return err == nil
	}) {
		t.Error(err)
	}
}

// TestWithoutDebugger: an Executor without a debugger reports that.
func TestWithoutDebugger(t *testing.T) {
	s := startDebug(t, standard())
	r := s.debug(wire.Control, "initialize", nil)
	raw, _ := json.Marshal(r)
	if r["success"] != false || !strings.Contains(string(raw), "no debugger") {
		t.Errorf("%s", raw)
	}
}
