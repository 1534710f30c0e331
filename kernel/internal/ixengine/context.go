package ixengine

import (
	"context"
	"reflect"
	"time"
)

// The contexts of cells. context.Background() and context.TODO() in a cell give
// a cellContext, which stands for the context of the cell that uses it: it ends
// when that cell is interrupted, and never otherwise. So
//
//	model.Fit(context.Background(), data)
//
// can be interrupted, and so can a call whose context is nil, or whose options
// have a field Context that is nil.
//
// Why this is sound: Go says that Background is never cancelled, so a program
// can rely on that only by not ending when it is; and who interrupts a cell
// wants just that. A cell's normal end does not end its context, so that
// what it has started in the background goes on.
//
// A cellContext is a name, not a context that could be used up: kept in a
// variable, it means the context of whatever cell uses it later, also after
// an interrupt. That is why a compiled function is never given the name itself but
// what it stands for when it is called (see instructions.go). A context that is derived
// from it, by context.WithTimeout or the like, belongs to the cell that made it;
// when a later cell uses it and is interrupted, it ends.
//
// A goroutine that a cell has started has a context of its own below the cell's,
// which ends as well when that goroutine is stopped.
//
// Compiled code that is given no context, a method of a paper's laboratory, asks for
// it: cell.Context() is Session.Context.
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

// Context returns the context of the cell that the caller works for, see engine.Session.
func (s *Session) Context() context.Context { return s.stop.context(s.stop.self()) }

// runKey is the key under which a context knows the run that it belongs to.
type runKey struct{}

// context returns what calls of g are given; g is nil for a goroutine of compiled
// code, which is taken to work for the running cell.
func (s *stopper) context(g *goroutine) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case g == nil && s.current == nil:
		return context.Background()
	case g == nil:
		return s.runContext(s.current)
	case g.main:
		return s.runContext(g.run)
	}
	if g.ctx == nil {
		g.ctx, g.cancel = context.WithCancelCause(s.runContext(g.run))
		if g.why != "" {
			g.cancel(errStopped)
		}
	}
	return g.ctx
}

// runContext returns the context of a run. The caller holds mu.
func (s *stopper) runContext(r *cellRun) context.Context {
	if r.ctx == nil {
		r.ctx, r.cancel = context.WithCancelCause(context.WithValue(context.Background(), runKey{}, r))
		if r.why != "" {
			r.cancel(errStopped)
		}
	}
	return r.ctx
}

// contextFor returns what a compiled function gets when a cell passes it the context
// given, which may be nil.
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
	}
	return given
}

// adopt notes that the calling goroutine's run uses c, if c belongs to another run.
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
