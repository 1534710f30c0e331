package ixengine

import (
	"context"
	"errors"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goplus/ixgo"
	"github.com/visualfc/gid"

	"overcomplete/kernel/engine"
)

// How a cell is stopped. Each loop and each function begins with
//
//	if oc__.Stop { oc__.Poll() }
//
// Stop is false unless something has to be stopped. Poll then looks whether
// that is the calling goroutine, and panics if so. Deferred functions then run,
// for which the goroutine has a moment in which Poll lets it be; one that
// recovers and goes on is stopped again, with half the moment.
// The flag is read without a lock, for it is read in every loop: it is a byte
// that changes a few times in a session, and a loop that sees the change a
// moment later stops a moment later.
//
// Whatever waits in a cell (for a channel, a lock, a time) waits for the
// goroutine's wake channel as well, see wait.go. So only compiled code cannot
// be stopped. Most of what takes long takes a context, and is given one that
// ends with the stop, see context.go. What does not is left behind: it goes on
// until it returns, and its goroutine ends there and then, before it could do
// anything with the result.

// stopSignal is what Poll panics with.
type stopSignal struct{ why string }

func (s stopSignal) Error() string { return s.why }

// exitSignal is what os.Exit and its like panic with in a cell.
type exitSignal struct{ code int }

// A cellRun is one run of a cell with all that it started.
type cellRun struct {
	cell    string
	crashes chan crash // the panics of its goroutines, while it runs

	// guarded by stopper.mu
	why     string          // "" unless it is being stopped
	ended   bool            // the cell's own statements have come to their end
	ctx     context.Context // of its calls, nil until one is made
	cancel  context.CancelCauseFunc
	adopted map[*cellRun]bool // earlier runs whose contexts this one uses
	held    int64             // bytes of heap when it was stopped for that
	// cutShort is set when goroutines of compiled code were ended with it: what that
	// code makes of their disappearance, a panic perhaps, is not the cell's fault.
	cutShort bool
}

// A goroutine is one that runs code of cells: a cell itself, or one that it
// has started.
type goroutine struct {
	id     int
	gid    uint64 // of the runtime, 0 until it runs; guarded by stopper.mu
	run    *cellRun
	main   bool   // the cell's own
	cell   string // where it was started
	line   int
	source string
	since  time.Time
	wake   chan struct{} // closed when it is told to stop
	done   chan struct{} // closed when it has ended
	wait   atomic.Pointer[waiting]
	waits  atomic.Uint64 // how often it has waited
	root   *ixgo.Frame   // whose calls are the goroutine's
	stack  *[2]uintptr   // the bounds of its stack, which the runtime changes; guarded by stopper.mu
	// overflowed is why it has ended by runtime.Goexit, see recursion.go.
	overflowed *engine.Error

	// guarded by stopper.mu
	why    string // "" unless it has been told to stop
	until  time.Time
	moment time.Duration
	ctx    context.Context
	cancel context.CancelCauseFunc
}

type stopper struct {
	host  *host
	told  atomic.Int32 // how many goroutines have been told to stop and have not ended
	alive atomic.Int32 // how many goroutines there are in all

	mu      sync.Mutex
	all     map[*goroutine]bool
	byGID   map[uint64]*goroutine
	lastID  int
	current *cellRun
	recent  []*cellRun      // that have ended and whose contexts are still valid
	raised  int             // who wants the flag up
	pause   chan struct{}   // closed when cells may go on, nil if they may anyway
	holders map[uint64]bool // the goroutines that hold cells up
	reaping bool

	exits  atomic.Bool // there has been a goexit
	ending sync.Map    // the ids of goroutines that have come to one; they are not used again
}

const firstMoment = 50 * time.Millisecond

// linger is how long a stop goes on after the cell's own goroutine has ended,
// for those it has started to be scheduled and to see the flag.
const linger = 20 * time.Millisecond

// errStopped is why contexts of cells end.
var errStopped error = stoppedError{}

// A stoppedError is a context.Canceled, for those who look at the cause of an end.
type stoppedError struct{}

func (stoppedError) Error() string        { return "the cell was interrupted" }
func (stoppedError) Is(target error) bool { return target == context.Canceled }

// heeded reports whether the calling goroutine has been told to stop and value, what it
// panics with, says that its context has ended: compiled code that has no error to return
// ends so, and that is a stop like any other.
func (s *stopper) heeded(value any) (why string, ok bool) {
	err, isError := value.(error)
	if !isError || !errors.Is(err, context.Canceled) {
		return "", false
	}
	g := s.self()
	s.mu.Lock()
	defer s.mu.Unlock()
	if g == nil || g.why == "" {
		return "", false
	}
	return g.why, true
}

func newStopper(h *host) *stopper {
	return &stopper{host: h, all: map[*goroutine]bool{}, byGID: map[uint64]*goroutine{}, holders: map[uint64]bool{}}
}

// begin makes a run the current one.
func (s *stopper) begin(cell string) *cellRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = &cellRun{cell: cell, crashes: make(chan crash, 1)}
	return s.current
}

// end is called when the cell's statements have come to an end, or have been left behind.
func (s *stopper) end(r *cellRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ended = true
	s.current = nil
	if r.cancel != nil && r.why == "" {
		// Only the latest are kept for StopGoroutines: contexts of runs whose
		// goroutines have ended are of interest to nobody, as a rule.
		const keep = 64
		if s.recent = append(s.recent, r); len(s.recent) > keep {
			s.recent = append([]*cellRun(nil), s.recent[1:]...)
		}
	}
}

// add notes g, whose goroutine is about to be started.
func (s *stopper) add(g *goroutine) {
	g.since = time.Now()
	g.wake, g.done = make(chan struct{}), make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	g.id = s.lastID
	s.all[g] = true
	s.alive.Add(1)
	if g.run.why != "" {
		s.tell(g, g.run.why)
	}
}

// enter notes that g is the calling goroutine.
func (s *stopper) enter(g *goroutine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.gid = gid.Get()
	g.stack = (*[2]uintptr)(getg())
	s.byGID[g.gid] = g
}

// leave ends what add and enter began.
func (s *stopper) leave(g *goroutine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, g)
	delete(s.byGID, g.gid)
	s.alive.Add(-1)
	if g.why != "" {
		s.told.Add(-1)
	}
	if !g.main && g.cancel != nil && g.why != "" {
		g.cancel(errStopped)
	}
	close(g.done)
}

// self returns the calling goroutine, nil for one that compiled code has started.
func (s *stopper) self() *goroutine {
	id := gid.Get()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byGID[id]
}

// tell asks g to end. The caller holds mu.
func (s *stopper) tell(g *goroutine, why string) {
	if g.why != "" {
		return
	}
	g.why = why
	s.told.Add(1)
	close(g.wake)
	if g.cancel != nil {
		g.cancel(errStopped)
	}
}

// stop asks the cell r and all that it has started to end. What returned
// takes the flag down again.
func (s *stopper) stop(r *cellRun, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.why != "" || r.ended { // nobody would take the flag down for one that has ended
		return
	}
	r.why = why
	for g := range s.all {
		if g.run == r {
			s.tell(g, why)
		}
	}
	for other := range r.adopted {
		s.endContext(other)
	}
	s.endContext(r)
	s.raise(1)
}

// endContext ends what r's calls were given; later calls get a new one. The
// caller holds mu.
func (s *stopper) endContext(r *cellRun) {
	if r.cancel != nil {
		r.cancel(errStopped)
		r.ctx, r.cancel = nil, nil
	}
}

// stopping reports whether r is being stopped.
func (s *stopper) stopping(r *cellRun) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.why != ""
}

// has reports whether goroutines of r have not ended.
func (s *stopper) has(r *cellRun) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for g := range s.all {
		if g.run == r {
			return true
		}
	}
	return false
}

// settle ends a stop: what has not ended by now is in compiled code, and is
// looked after by reap.
func (s *stopper) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raise(-1)
	if s.told.Load() > 0 && !s.reaping {
		s.reaping = true
		go s.reap()
	}
}

// reap raises the flag now and then until all goroutines that have been told to
// stop have ended. The flag slows every loop down while it is up: a short time
// is enough to stop one that has come back from compiled code into a loop.
func (s *stopper) reap() {
	const every, up = 250 * time.Millisecond, 2 * time.Millisecond
	for {
		time.Sleep(every)
		s.mu.Lock()
		if s.told.Load() == 0 {
			s.reaping = false
			s.mu.Unlock()
			return
		}
		s.raise(1)
		s.mu.Unlock()
		time.Sleep(up)
		s.mu.Lock()
		s.raise(-1)
		s.mu.Unlock()
	}
}

// raise counts who wants the flag up. The caller holds mu.
func (s *stopper) raise(n int) {
	s.raised += n
	s.host.stop = s.raised > 0
}

// hold makes cells wait at their next loop or call until release is called. The
// caller itself may call functions of cells meanwhile.
func (s *stopper) hold() (release func()) {
	id := gid.Get()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pause == nil {
		s.pause = make(chan struct{})
	}
	s.holders[id] = true
	s.raise(1)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.raise(-1)
		if delete(s.holders, id); len(s.holders) == 0 {
			close(s.pause)
			s.pause = nil
		}
	}
}

// busy reports whether code of cells may be running that no Run waits for: goroutines
// of theirs, and cells that were left behind.
func (s *stopper) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for g := range s.all {
		if g.isLeft() {
			return true
		}
	}
	return false
}

// still holds cells up, so that their variables can be read, unless some are busy.
func (s *stopper) still() (release func(), ok bool) {
	if s.busy() {
		return nil, false
	}
	release = s.hold() // what timers and servers call may come at any moment
	if s.busy() {
		release()
		return nil, false
	}
	return release, true
}

// isLeft tells goroutines other than that of the running cell. The caller holds mu.
func (g *goroutine) isLeft() bool { return !g.main || g.run.ended }

// poll panics if the calling goroutine, which is in a call that fr makes, has to stop now.
func (s *stopper) poll(fr *frame) {
	g := s.self()
	s.mu.Lock()
	pause := s.pause
	if s.holders[gid.Get()] {
		pause = nil
	}
	s.mu.Unlock()
	if pause != nil {
		<-pause
	}
	if g == nil {
		s.pollStranger(fr)
		return
	}
	s.heed(g)
}

// heed panics if g, the calling goroutine, has to stop now.
func (s *stopper) heed(g *goroutine) {
	if why, _ := s.mustStop(g); why != "" {
		panic(stopSignal{why})
	}
}

// mustStop says why g has to stop now, "" if it has not: rest is then how long
// the moment for its deferred functions still lasts, if it is in one.
func (s *stopper) mustStop(g *goroutine) (why string, rest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.why == "" {
		return "", 0
	}
	now := time.Now()
	if now.Before(g.until) {
		return "", g.until.Sub(now)
	}
	if g.moment == 0 {
		g.moment = firstMoment
	} else {
		g.moment /= 2
	}
	g.until = now.Add(g.moment)
	return g.why, 0
}

// stackLimit is by how much the stacks of all goroutines may grow in one cell
// before it is taken to recurse without end. Go itself would end the process at
// its own limit, which New raises well above this.
const stackLimit = 128 << 20

func stackBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

const (
	interrupted   = engine.Stopped
	stackOverflow = "stack overflow: a function calls itself without end"
)
