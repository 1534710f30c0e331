package ixengine

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/visualfc/gid"

	"overcomplete/internal/module"
	"overcomplete/kernel/engine"
)

// A hold is a period in which goroutines are stopped for the debugger.
type hold struct {
	goOn  chan struct{} // closed when the goroutines may continue
	owner *thread       // the thread that caused the hold
	// readers counts the readers of variables; goOn is closed when no reader is left.
	readers int
	// ctx is canceled when the hold is released; this ends expressions that read variables.
	ctx context.Context
	end func()

	lastFrame engine.FrameID
	frames    map[engine.FrameID]*heldFrame
	stacks    map[int][]engine.DebugFrame // stacks by goroutine
}

func (h *hold) released() bool { return h.ctx.Err() != nil }

// A thread is a goroutine that the debugger has stopped or may stop.
type thread struct {
	id  int // id of the goroutine
	gid uint64
	g   *goroutine // nil for a goroutine of compiled code
	fr  *frame     // the innermost frame
	// panicking is set if the thread is stopped at a panic.
	panicking bool
	letGo     bool // breakpoints do not stop its run
}

// A step is a request that a goroutine execute one step.
type step struct {
	gid   uint64
	kind  engine.Step
	frame *frame // frame in which the step began; nil once that frame has returned
	depth int    // depth of that frame
	loose bool   // the frame has no places: stop at the next check of the stop flag
}

// firstStranger is greater than the id of any goroutine of a cell. Goroutines of compiled code get ids greater than
// firstStranger.
const firstStranger = 1 << 30

// ofDebugger reports whether the kernel started the calling goroutine, for example to show a value with its
// String method. The debugger must not stop such a goroutine.
func ofDebugger() bool {
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	_, by, _ := strings.Cut(string(stack), "\ncreated by ")
	return by == "" || strings.HasPrefix(by, "testing.") || strings.HasPrefix(by, module.Package("kernel")) || strings.HasPrefix(by, module.Package("cmd/"))
}

// thread returns a thread for the calling goroutine, which is in a call that fr makes. It returns nil if the
// goroutine must not be stopped.
func (d *debugger) thread(fr *frame) *thread {
	t := &thread{g: d.s.stop.self(), gid: gid.Get(), fr: fr}
	if t.g == nil {
		if ofDebugger() {
			return nil
		}
		t.id = firstStranger + int(t.gid)
		return t
	}
	d.s.stop.mu.Lock()
	defer d.s.stop.mu.Unlock()
	if t.g.why != "" || t.g.run.evaluating {
		return nil
	}
	t.id = t.g.id
	t.letGo = t.g.run.letGo && !t.g.run.ended
	if t.fr == nil {
		t.fr = innermost(t.g.root)
	}
	return t
}

// update sets the flags that running code checks to find out whether it may have to stop. The caller holds mu.
func (d *debugger) update() {
	stop := d.held != nil || d.pausing || d.step != nil && d.step.loose
	alert := int32(0)
	if stop || d.step != nil {
		alert = 1
	}
	d.s.debug.alert.Store(alert)
	if stop == d.raised {
		return
	}
	d.raised = stop
	d.s.stop.mu.Lock()
	defer d.s.stop.mu.Unlock()
	if stop {
		d.s.stop.raise(1)
	} else {
		d.s.stop.raise(-1)
	}
}

// begin begins a hold caused by t, which is the calling goroutine or a waiting goroutine. The caller holds
// mu, and there is no current hold.
func (d *debugger) begin(t *thread, e engine.DebugEvent) {
	d.held = &hold{goOn: make(chan struct{}), owner: t, frames: map[engine.FrameID]*heldFrame{}, stacks: map[int][]engine.DebugFrame{}}
	d.held.ctx, d.held.end = context.WithCancel(context.Background())
	d.step, d.pausing = nil, false
	d.update()
	e.Goroutine = t.id
	d.tell(e)
}

// release lets all goroutines continue, and sends the event "continued" with the given goroutine, or with 0 if no
// particular goroutine is meant. The caller holds mu.
func (d *debugger) release(goroutine int) {
	d.tell(engine.DebugEvent{Reason: "continued", Goroutine: goroutine})
	h := d.held
	d.held = nil
	d.pausing = false
	d.update()
	if h.end(); h.readers == 0 {
		close(h.goOn)
	}
}

// letGo makes breakpoints ignore the run that caused the current hold, until the run's cell has ended. Breakpoints of
// a later debugger ignore it too. The caller holds mu.
func (d *debugger) letGo() {
	if g := d.held.owner.g; g != nil {
		d.s.stop.mu.Lock()
		g.run.letGo = true
		d.s.stop.mu.Unlock()
	}
}

// wait blocks the calling goroutine until h ends. It panics if the goroutine is asked to stop.
func (d *debugger) wait(h *hold, t *thread) {
	d.mu.Lock()
	if h.released() && h.readers == 0 {
		delete(d.parked, t)
		d.mu.Unlock()
		return
	}
	d.parked[t] = true
	d.mu.Unlock()
	stopped := false
	if t.g != nil {
		select {
		case <-h.goOn:
		case <-t.g.wake:
			stopped = true
		}
	} else {
		stopped = d.waitStranger(h)
	}
	d.mu.Lock()
	delete(d.parked, t)
	if stopped && d.held == h && h.owner == t {
		d.release(t.id)
	}
	d.mu.Unlock()
	if !stopped {
		return
	}
	if t.g != nil {
		d.s.stop.heed(t.g)
	} else {
		d.s.stop.pollStranger(t.fr)
	}
}

// waitStranger blocks a goroutine that compiled code has started (a stranger) until the hold h ends or the running cell
// is asked to stop. It returns true in the second case.
func (d *debugger) waitStranger(h *hold) (stopped bool) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-h.goOn:
			return false
		case <-tick.C:
		}
		d.s.stop.mu.Lock()
		c := d.s.stop.current
		stopped := c != nil && c.why != ""
		d.s.stop.mu.Unlock()
		if stopped {
			return true
		}
	}
}

// waitAny waits until there is no current hold.
func (d *debugger) waitAny(t *thread) {
	for {
		d.mu.Lock()
		h := d.held
		d.mu.Unlock()
		if h == nil {
			return
		}
		d.wait(h, t)
	}
}

// visit is called by code in debug form before each statement that has a breakpoint. While the field alert of
// debugState is set, as during a step, it is called before every statement.
func (s *Session) visit(fr *frame, st *site) {
	if s.visited != nil {
		s.visited(st)
	}
	d := s.debug.now.Load()
	if d == nil {
		return
	}
	t := d.thread(fr)
	if t == nil {
		return
	}
	d.waitAny(t)
	var ids []int
	var text string
	if !t.letGo {
		ids, text = d.hits(t, st)
	}
	d.stop(t, func() (engine.DebugEvent, bool) {
		switch {
		case d.busy[t.gid] > 0:
			return engine.DebugEvent{}, false
		case len(ids) > 0:
			return engine.DebugEvent{Reason: "breakpoint", Breakpoints: ids, Text: text}, true
		case d.steps(t):
			return engine.DebugEvent{Reason: "step"}, true
		case d.pausing:
			return engine.DebugEvent{Reason: "pause"}, true
		}
		return engine.DebugEvent{}, false
	})
}

// stop calls why() with mu held. If the second result of that call is true, the calling goroutine and all others are
// stopped, and the first result, an event, is sent. If goroutines are already stopped, stop first waits until they
// continue.
func (d *debugger) stop(t *thread, why func() (engine.DebugEvent, bool)) {
	for {
		d.mu.Lock()
		if h := d.held; h != nil {
			d.mu.Unlock()
			d.wait(h, t)
			continue
		}
		if d.detached {
			d.mu.Unlock()
			return
		}
		e, ok := why()
		if !ok {
			d.mu.Unlock()
			return
		}
		d.parked[t] = true // wait does this too, but a listener of the event may ask before that
		d.begin(t, e)
		h := d.held
		d.mu.Unlock()
		d.wait(h, t)
		return
	}
}

// steps reports whether the current step ends at the statement that t has reached. The caller holds mu.
func (d *debugger) steps(t *thread) bool {
	p := d.step
	if p == nil || p.gid != t.gid {
		return false
	}
	if p.kind == engine.StepIn || p.loose {
		return true
	}
	depth := len(d.s.calls(t))
	if p.kind == engine.StepOver && depth == p.depth && t.fr == p.frame {
		return true
	}
	return depth < p.depth
}

// entered is called at the beginning of each function in debug form while there is an alert. Frames are reused: if the
// current step began in the frame fr, the call that had the frame at that time has returned. In this case, entered
// removes the frame from the step.
func (s *Session) entered(fr *frame) {
	d := s.debug.now.Load()
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.step != nil && d.step.frame == fr {
		d.step.frame = nil // that frame has returned, and this call reuses its memory
	}
}

// returned is called by functions in debug form after each call that they make, while there is an alert. It stops the
// goroutine if that call was the one that the current step (a step out) was to leave.
func (s *Session) returned(fr *frame) {
	d := s.debug.now.Load()
	if d == nil {
		return
	}
	d.mu.Lock()
	p := d.step
	mine := p != nil && p.kind == engine.StepOut && p.gid == gid.Get()
	d.mu.Unlock()
	if !mine {
		return
	}
	t := d.thread(fr)
	if t == nil {
		return
	}
	d.stop(t, func() (engine.DebugEvent, bool) {
		return engine.DebugEvent{Reason: "step"}, d.busy[t.gid] == 0 && d.step == p && len(d.s.calls(t)) < p.depth
	})
}

// poll is called by each goroutine at its stop checks. The goroutine is in a call that a function made; fr is that
// function's frame. poll stops the goroutine if a pause or a step asks for this, or while other goroutines are
// stopped.
func (d *debugger) poll(fr *frame) {
	t := d.thread(fr)
	if t == nil {
		return
	}
	d.stop(t, func() (engine.DebugEvent, bool) {
		switch {
		case d.busy[t.gid] > 0:
			return engine.DebugEvent{}, false
		case d.step != nil && d.step.loose && d.step.gid == t.gid:
			return engine.DebugEvent{Reason: "step"}, true
		case d.pausing:
			return engine.DebugEvent{Reason: "pause"}, true
		}
		return engine.DebugEvent{}, false
	})
}

// afterWait is called by the goroutine g when the event that it waited for has occurred. It blocks while other
// goroutines are stopped, and then marks g as no longer waiting.
func (s *stopper) afterWait(g *goroutine) {
	defer func() {
		if s.pausing.Load() {
			s.awaitRelease(g)
		}
	}()
	for {
		d := s.debug.now.Load()
		if d != nil {
			d.mu.Lock()
			h := d.held
			s.mu.Lock()
			exempt := g.why != "" || g.run.evaluating
			s.mu.Unlock()
			if h != nil && !exempt {
				d.mu.Unlock()
				select {
				case <-h.goOn:
				case <-g.wake:
				}
				continue
			}
			if h != nil && h.owner.g == g { // g was stopped while it waited; see Pause
				d.release(g.id)
			}
		}
		w := g.wait.Swap(nil)
		if d != nil {
			d.mu.Unlock()
		}
		if s.debug.now.Load() == d {
			return // a debugger that attaches from now on sees that g does not wait
		}
		g.wait.Store(w) // a debugger has attached, and may have seen g waiting
	}
}

// goroutineEnded is called when g has ended. It cancels a step of g that is still under way, and a pause if no
// goroutine is left. If g caused the current hold, it also lets the other goroutines continue.
func (d *debugger) goroutineEnded(g *goroutine) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.step != nil && d.step.gid == g.gid {
		d.step = nil
	}
	if d.alive() == 0 {
		d.pausing = false
	}
	if d.held != nil && d.held.owner.g == g {
		d.release(g.id)
	}
	delete(d.seen, g.gid)
	d.update()
}

// Continue lets all goroutines continue; see engine.Debug.
func (d *debugger) Continue(goroutine int, kind engine.Step) error {
	d.mu.Lock()
	if d.held == nil {
		d.mu.Unlock()
		return engine.ErrNotHeld
	}
	var t *thread
	if goroutine != 0 && kind != engine.NoStep {
		if t = d.heldThread(goroutine); t == nil {
			d.mu.Unlock()
			return engine.ErrNotHeld
		}
	}
	h := d.held
	d.mu.Unlock()

	if t == nil {
		d.mu.Lock()
		d.stepIn = map[string]bool{}
		d.mu.Unlock()
		d.s.rearm(d)
	} else if kind == engine.StepIn {
		d.intoCalls(t)
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held != h {
		return engine.ErrNotHeld
	}
	d.step = nil
	if t != nil {
		calls := d.s.calls(t)
		d.step = &step{gid: t.gid, kind: kind, frame: t.fr, depth: len(calls), loose: siteOf(t.fr) == nil}
		if kind == engine.StepOut {
			// A step cannot end in a frame without places; it ends in the next frame that has some.
			d.step.loose = !slices.ContainsFunc(calls[min(1, len(calls)):], func(fr *frame) bool { return siteOf(fr) != nil })
		}
	}
	d.release(goroutine)
	return nil
}

// heldThread returns the thread of the goroutine with the given id if the goroutine is stopped, or if it waits for
// something and so cannot continue during the hold. Otherwise it returns nil. The caller holds mu, and there is a
// current hold.
func (d *debugger) heldThread(id int) *thread {
	for t := range d.parked {
		if t.id == id {
			return t
		}
	}
	d.s.stop.mu.Lock()
	defer d.s.stop.mu.Unlock()
	for g := range d.s.stop.all {
		if g.id == id && g.wait.Load() != nil && g.gid != 0 && !g.run.evaluating {
			return &thread{id: id, gid: g.gid, g: g, fr: innermost(g.root)}
		}
	}
	return nil
}

// Pause stops the goroutines of cells; see engine.Debug.
func (d *debugger) Pause() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.detached || d.held != nil {
		return
	}
	var waiting []*goroutine
	any := false
	d.s.stop.mu.Lock()
	for g := range d.s.stop.all {
		if g.run.evaluating || g.why != "" {
			continue
		}
		any = true
		if g.wait.Load() != nil && g.gid != 0 {
			waiting = append(waiting, g)
		}
	}
	d.s.stop.mu.Unlock()
	if !any {
		return
	}
	// The cell itself may wait for other goroutines, and these may wait for a timer: each stops where it is.
	for _, g := range waiting {
		if g.main && !g.run.ended || len(waiting) == d.alive() {
			d.begin(&thread{id: g.id, gid: g.gid, g: g, fr: innermost(g.root)}, engine.DebugEvent{Reason: "pause"})
			return
		}
	}
	d.pausing = true
	d.update()
}

// alive returns the number of live goroutines of cells.
func (d *debugger) alive() int { return int(d.s.stop.alive.Load()) }
