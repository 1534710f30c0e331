package ixengine

import (
	"context"
	"reflect"
	"time"
)

// A cellContext stands for the context of the cell that uses it. In a cell, context.Background() and
// context.TODO() return a cellContext: it ends when that cell is interrupted, and never otherwise. So
//
//	model.Fit(context.Background(), data)
//
// can be interrupted. So can a call with a nil context or with options that have a nil field Context.
//
// This is sound. Go's documentation says that Background is never canceled, so a Go program that uses it runs
// to its end. But a user who interrupts a cell wants the program to stop. A cell's normal end does not end
// its context, so background work that the cell has started continues.
//
// A cellContext itself never expires: if it is kept in a variable, it stands for the context of whatever cell
// uses it later, even after an interrupt. So a compiled function never gets the cellContext itself, but the
// context for which it stands at the time of the call (see instructions.go). A context derived from it, by
// context.WithTimeout or the like, belongs to the cell that made it. If a later cell uses the derived context
// and is interrupted, the derived context ends.
//
// A goroutine started by a cell has its own context below the cell's. That context also ends when the
// goroutine is stopped.
//
// Compiled code that is not given a context, for example a method of a paper's Lab, gets the cell's context from
// cell.Context(), which calls Session.Context.
type cellContext struct {
	s    *stopper
	name string
}

func (c *cellContext) String() string                          { return c.name }
func (c *cellContext) Deadline() (deadline time.Time, ok bool) { return c.now().Deadline() }
func (c *cellContext) Done() <-chan struct{}                   { return c.now().Done() }
func (c *cellContext) Err() error                              { return c.now().Err() }
func (c *cellContext) Value(key any) any                       { return c.now().Value(key) }
func (c *cellContext) now() context.Context                    { return c.s.context(c.s.self()) }

// Context returns the context of the cell for which the caller works; see engine.Session.
func (s *Session) Context() context.Context { return s.stop.context(s.stop.self()) }

// A runContext is the context of a run or of one of its goroutines. Printed, it looks like Go's own Background.
type runContext struct {
	context.Context
	run *cellRun
}

// runKey is the key for which a runContext returns its run.
type runKey struct{}

func (c *runContext) String() string { return "context.Background" }

func (c *runContext) Value(key any) any {
	if key == (runKey{}) {
		return c.run
	}
	return c.Context.Value(key)
}

// newRunContext returns a new context for the run r. The context ends when parent ends.
func newRunContext(parent context.Context, r *cellRun) (context.Context, context.CancelCauseFunc) {
	c, cancel := context.WithCancelCause(parent)
	return &runContext{c, r}, cancel
}

// context returns the context that compiled functions get when the goroutine g calls them. If g is nil, the caller is a
// goroutine of compiled code, which is assumed to work for the running cell. If g is nil and no cell runs, the context
// is context.Background(). In a bubble, the context is always context.Background(); see below.
func (s *stopper) context(g *goroutine) context.Context {
	if s.inBubble() {
		return context.Background()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case g == nil && s.current == nil:
		return context.Background()
	case g == nil:
		return breathes(s.runContext(s.current))
	case g.main:
		return breathes(s.runContext(g.run))
	}
	if g.ctx == nil {
		g.ctx, g.cancel = newRunContext(s.runContext(g.run), g.run)
		if g.why != "" {
			g.cancel(errStopped)
		}
	}
	return breathes(g.ctx)
}

// runContext returns the context of a run. The caller holds mu.
func (s *stopper) runContext(r *cellRun) context.Context {
	if r.ctx == nil {
		r.ctx, r.cancel = newRunContext(context.Background(), r)
		if r.why != "" {
			r.cancel(errStopped)
		}
	}
	return r.ctx
}

// contextFor returns what a compiled function gets when a cell passes it the given value. If the value is nil or a
// cellContext, the function gets the context of the calling goroutine. Any other nil pointer, and any value that is not
// a context, is returned unchanged. Any other context is passed to adopt(), and the function gets it as wrapped by
// breathes().
func (s *stopper) contextFor(given any) any {
	switch c := given.(type) {
	case nil:
		return s.context(s.self())
	case *cellContext:
		return s.context(s.self())
	case context.Context:
		if v := reflect.ValueOf(c); v.Kind() == reflect.Pointer && v.IsNil() {
			return given
		}
		s.adopt(c)
		return breathes(c)
	}
	return given
}

// adopt records that the calling goroutine's run (an execution of a cell) uses the context c, if c belongs to another
// run. Stopping the run that uses c then ends c too.
func (s *stopper) adopt(c context.Context) {
	owner, ok := c.Value(runKey{}).(*cellRun)
	if !ok {
		return
	}
	g := s.self()
	if g == nil || g.run == owner {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.run.adopted == nil {
		g.run.adopted = map[*cellRun]bool{}
	}
	g.run.adopted[owner] = true
}

// Bubbles. A test with testing/synctest runs its function in a bubble, whose clock stands still while one of the
// bubble's goroutines can continue. A channel that is made in a bubble belongs to it: if another goroutine closes it,
// or receives from it, Go ends the process. And the clock stands still as long as a goroutine of the bubble waits for a
// channel from outside the bubble. So the session cannot wake a goroutine of a bubble that must stop. This is not
// necessary: if all of them wait, the clock moves on until one of them continues, or the test fails because none can.
// The one that continues finds the flag (see host.setStop).
//
// Nor do compiled functions that are called in a bubble get the context of the cell, because its end would close
// channels of the bubble.

// bubbleClock is a time that the real clock has passed, and that the clock of a bubble, which begins at the start of
// the year 2000, does not reach.
var bubbleClock = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

// inBubble reports whether the calling goroutine is in a bubble.
func (s *stopper) inBubble() bool {
	return s.bubbles.Load() > 0 && time.Now().Unix() < bubbleClock
}
