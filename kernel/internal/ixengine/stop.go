package ixengine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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
// Stop is false unless something has to be stopped. Poll then checks whether the calling goroutine has to
// stop, and panics if so. Deferred functions then run, and get a short time in which Poll does not panic. A
// goroutine that recovers and continues is stopped again, and its deferred functions then get half that time.
// The flag is read without a lock, because it is read in every loop. It is a byte that changes a few times in
// a session; a loop that sees the change a little later stops a little later.
//
// Each wait in a cell (for a channel, a lock or a time) also waits for the goroutine's wake channel; see
// wait.go. So only compiled code cannot be stopped. Most compiled functions that take a long time accept a
// context, and get one that ends when the cell is stopped; see context.go. Calls of other compiled functions
// are abandoned: the function continues until it returns, and then its goroutine ends at once, without using
// the result.

// A stopSignal is the value with which Poll, and each wait of a cell, panics when a goroutine must stop.
type stopSignal struct{ why string }

func (s stopSignal) Error() string { return s.why }

// An exitSignal is the panic value by which os.Exit, and functions that exit like it, end a cell.
type exitSignal struct{ code int }

// String returns the text that compiled code shows if it recovers the panic.
func (s exitSignal) String() string { return fmt.Sprintf("os.Exit(%d)", s.code) }

// A cellRun is one run of a cell, including everything that the cell started.
type cellRun struct {
	cell    string
	crashes chan crash // panics of its goroutines while the run is in progress

	// guarded by stopper.mu
	why     string          // "" unless the run is being stopped
	ended   bool            // the cell's own statements have ended
	ctx     context.Context // context of its calls; nil until the context is made
	cancel  context.CancelCauseFunc
	adopted map[*cellRun]bool // earlier runs with contexts that this run uses
	// If the run was stopped for lack of memory, held is the number of bytes that were in use at that time,
	// and goroutines is the number of goroutines.
	held       int64
	goroutines int
	// evaluating is set for code that a debugger runs; such code is not stopped together with the other
	// goroutines.
	evaluating bool
	// letGo is set when a debugger is detached while the run is stopped at a breakpoint. JupyterLab's Stop
	// then attaches the debugger again with the same breakpoints, and without letGo the run would stop at the
	// next breakpoint.
	letGo bool
	// cutShort is set if goroutines of compiled code were ended together with the run. If that code reacts to their
	// disappearance, for example with a panic, the cell is not to blame.
	cutShort bool
	// deepElsewhere is set if the run was stopped because another goroutine than the cell's own recurses too deep. That
	// goroutine then reports where.
	deepElsewhere bool
}

// A goroutine is a goroutine that runs code of cells: the cell's own goroutine, or a goroutine started by a
// cell.
type goroutine struct {
	id         int
	gid        uint64 // the runtime's id, 0 until the goroutine runs; guarded by stopper.mu
	run        *cellRun
	main       bool   // the cell's own goroutine
	cell       string // cell that started the goroutine
	line       int
	source     string
	since      time.Time
	wake       chan struct{} // closed when the goroutine is asked to stop, unless it is in a bubble
	done       chan struct{} // closed when the goroutine has ended
	inBubble   bool          // the goroutine is in a bubble of testing/synctest; see context.go
	ended      atomic.Bool   // like done, for others than the goroutines of its bubble
	wait       atomic.Pointer[waitReason]
	waits      atomic.Uint64 // number of times that the goroutine has waited
	root       *ixgo.Frame   // the root frame of its calls
	stack      *[2]uintptr   // bounds of its stack, changed by the runtime; guarded by stopper.mu
	firstStack uintptr       // size of its stack in bytes when it began
	// overflowed is the error for which runtime.Goexit ended the goroutine; see recursion.go.
	overflowed *engine.Error
	// lacks counts, for each lock, how many times the goroutine is going to unlock it without holding it; see waitCond.
	// Only the goroutine's own code uses the map.
	lacks map[any]int

	// guarded by stopper.mu
	paused bool   // waits in awaitRelease
	why    string // "" unless the goroutine has been asked to stop
	until  time.Time
	moment time.Duration
	ctx    context.Context
	cancel context.CancelCauseFunc
}

type stopper struct {
	host     *host
	debug    *debugState
	told     atomic.Int32 // goroutines that were asked to stop and have not ended
	alive    atomic.Int32 // number of goroutines
	others   atomic.Int32 // number of other goroutines in the process when the latest cell began
	someLack atomic.Bool  // the map lacks of some goroutine is or was not empty
	bubbles  atomic.Int32 // number of calls of synctest.Test that have not returned

	mu      sync.Mutex
	all     map[*goroutine]bool
	byGID   map[uint64]*goroutine
	lastID  int
	current *cellRun
	recent  []*cellRun      // ended runs with valid contexts
	raised  int             // number of users that need the flag raised
	pause   chan struct{}   // closed when cells may continue; nil if cells are not paused
	pausing atomic.Bool     // pause is not nil
	holders map[uint64]bool // goroutines that have paused the cells
	reaping bool

	exits  atomic.Bool // some goroutine has called goexit
	ending sync.Map    // the ending of each goroutine that has called goexit or giveUp, by its id; ids are not reused
}

// The deferred functions of a goroutine that is stopped get the time firstMoment. If they are stopped too, the next ones get
// half of it, and so on. Those that would get less than leastMoment do not run.
const (
	firstMoment = 50 * time.Millisecond
	leastMoment = time.Microsecond
)

// linger is the time for which a stop continues after the cell's own goroutine has ended, so that the
// goroutines that it started are scheduled and see the flag.
const linger = 20 * time.Millisecond

// errStopped is the cause with which the contexts of stopped cells are canceled.
var errStopped error = stoppedError{}

// A stoppedError is a cause that counts as context.Canceled for errors.Is.
type stoppedError struct{}

func (stoppedError) Error() string        { return "the cell was interrupted" }
func (stoppedError) Is(target error) bool { return target == context.Canceled }

// heeded reports whether a panic with this value means that the calling goroutine obeyed a stop. The goroutine must have
// been asked to stop. The value must be an error of a canceled context, with which compiled code panics if it cannot
// return an error; or the error of panic(nil), because sync.OnceFunc and the like take the end of a goroutine for such a
// panic. The cell then counts as stopped, and why is the reason for the stop.
func (s *stopper) heeded(value any) (why string, ok bool) {
	err, isError := value.(error)
	var isNil *runtime.PanicNilError
	if !isError || !errors.Is(err, context.Canceled) && !errors.As(err, &isNil) {
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

// begin starts a new run of a cell, which becomes the current run, and returns it.
func (s *stopper) begin(cell string) *cellRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = &cellRun{cell: cell, crashes: make(chan crash, 1)}
	return s.current
}

// end records that r has ended, because the cell's statements have ended or have been abandoned.
func (s *stopper) end(r *cellRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ended = true
	s.current = nil
	if r.cancel != nil && r.why == "" {
		// Only the latest runs are kept for StopGoroutines: usually nobody needs the contexts of runs
		// without running goroutines.
		const keep = 64
		if s.recent = append(s.recent, r); len(s.recent) > keep {
			s.recent = append([]*cellRun(nil), s.recent[1:]...)
		}
	}
}

// inCell reports whether a cell is running.
func (s *stopper) inCell() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current != nil
}

// add registers g, which is about to be started. parent is the goroutine that starts g, or nil. If g's run or the
// parent has been asked to stop, g is asked too. A goroutine that was asked to stop can still start others until it
// ends, for example in deferred functions, and nobody else would stop these others.
func (s *stopper) add(g, parent *goroutine) {
	g.since = time.Now()
	g.wake, g.done, g.inBubble = make(chan struct{}), make(chan struct{}), s.inBubble()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	g.id = s.lastID
	s.all[g] = true
	s.alive.Add(1)
	if g.run.why != "" {
		s.tell(g, g.run.why)
	} else if parent != nil && parent.why != "" {
		s.tell(g, parent.why)
	}
}

// count implements runtime.NumGoroutine for cells. It leaves out the goroutines of the kernel. So a cell begins with
// one goroutine, as a program does, and can see when the goroutines that it has started have ended.
func (s *stopper) count() int {
	return int(max(s.alive.Load(), int32(runtime.NumGoroutine())-s.others.Load()))
}

// enter records that g is the calling goroutine.
func (s *stopper) enter(g *goroutine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.gid = gid.Get()
	g.stack = (*[2]uintptr)(getg())
	g.firstStack = g.stack[1] - g.stack[0]
	s.byGID[g.gid] = g
}

// leave undoes add and enter.
func (s *stopper) leave(g *goroutine) {
	defer func() {
		if d := s.debug.now.Load(); d != nil {
			d.goroutineEnded(g)
		}
	}()
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
	g.ended.Store(true)
	close(g.done)
}

// self returns the calling goroutine, or nil if compiled code started it.
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
	if g.inBubble {
		return
	}
	close(g.wake)
	if g.cancel != nil {
		g.cancel(errStopped)
	}
}

// stop asks the run r, and all goroutines that it started, to end. The stop lasts until settle is called.
func (s *stopper) stop(r *cellRun, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.why != "" || r.ended { // no caller would lower the flag again for a run that has ended
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

// endContext ends the context that r gives to the compiled functions that it calls; later calls get a new one. The
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

// has reports whether r has goroutines that have not ended.
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

// settle completes the stopping of a cell: goroutines that have not ended by now are in compiled code, and reap()
// takes care of them.
func (s *stopper) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raise(-1)
	if s.told.Load() > 0 && !s.reaping {
		s.reaping = true
		go s.reap()
	}
}

// reap raises the stop flag, which every loop checks, for a moment at regular intervals. It returns when all
// goroutines that were asked to stop have ended. A raised flag slows down every loop, but a moment suffices to stop a
// goroutine that has returned from compiled code into a loop.
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

// raise adds n, which may be negative, to the number of users that need the stop flag raised. The caller holds mu.
func (s *stopper) raise(n int) {
	s.raised += n
	s.host.setStop(s.raised > 0)
}

// hold makes cells wait at their next loop or call. The caller must call release, which lets the cells
// continue. Until then the caller itself may call functions of cells.
func (s *stopper) hold() (release func()) {
	id := gid.Get()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pause == nil {
		s.pause = make(chan struct{})
		s.pausing.Store(true)
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
			s.pausing.Store(false)
		}
	}
}

// busy reports whether code of cells may be running without a call of Run that waits for it: in goroutines that cells
// started, or in abandoned cells.
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

// still pauses cells so that their variables can be read; release() lets the cells continue. ok is
// false if code of cells may still be running.
func (s *stopper) still() (release func(), ok bool) {
	if s.busy() {
		return nil, false
	}
	release = s.hold() // timers and servers may call cell code at any time
	if s.busy() {
		release()
		return nil, false
	}
	return release, true
}

// pauseAll is like still, but also succeeds if all goroutines of cells are waiting or at a loop or call; they stay there
// until release is called. It gives them about 20 ms to get there, but fails after a few milliseconds if one of them
// is in a call of a compiled function: that function may use values of cells for a long time.
func (s *stopper) pauseAll() (release func(), ok bool) {
	release = s.hold()
	for i := range 20 {
		if s.allPaused() {
			return release, true
		}
		if i == 3 && s.inCompiledCode() {
			break
		}
		time.Sleep(time.Millisecond)
	}
	release()
	return nil, false
}

// inCompiledCode reports whether a goroutine of cells that neither waits nor is paused is in a call of a compiled
// function.
func (s *stopper) inCompiledCode() bool {
	work := compiledWork()
	s.mu.Lock()
	defer s.mu.Unlock()
	for g := range s.all {
		if g.isLeft() && g.wait.Load() == nil && !g.paused && work[g.gid].function != "" {
			return true
		}
	}
	return false
}

func (s *stopper) allPaused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for g := range s.all {
		if g.isLeft() && g.wait.Load() == nil && !g.paused {
			return false
		}
	}
	return true
}

// isLeft reports whether g is a goroutine that a cell started, the goroutine of an abandoned cell, or one that
// evaluates code for a debugger. The only other goroutine is the main goroutine of the running cell. The caller holds
// mu.
func (g *goroutine) isLeft() bool { return !g.main || g.run.ended || g.run.evaluating }

// poll panics if the calling goroutine, which is in a call made by fr, must stop now. Before that, it waits while
// cells are paused (see hold), and lets a debugger stop the goroutine.
func (s *stopper) poll(fr *frame) {
	g := s.self()
	s.awaitRelease(g)
	if d := s.debug.now.Load(); d != nil && s.debug.alert.Load() != 0 {
		d.poll(fr)
	}
	if g == nil {
		s.pollStranger(fr)
		return
	}
	if why, _ := s.mustStop(g); why != "" {
		s.panicWith(why, fr)
	}
}

// awaitRelease waits while cells are paused (see hold). g is the calling goroutine, or nil.
func (s *stopper) awaitRelease(g *goroutine) {
	for {
		s.mu.Lock()
		pause := s.pause
		if s.holders[gid.Get()] {
			pause = nil
		}
		if g != nil {
			g.paused = pause != nil
		}
		s.mu.Unlock()
		if pause == nil {
			return
		}
		<-pause
	}
}

// heed panics if g, the calling goroutine, must stop now.
func (s *stopper) heed(g *goroutine) {
	if why, _ := s.mustStop(g); why != "" {
		panic(stopSignal{why})
	}
}

// mustStop returns the reason why g must stop now, or "" if g may continue. Whenever mustStop returns a reason, it
// grants the deferred functions of g a short period, which is half as long as the period before. During such a period
// mustStop returns "", and rest is the time left.
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
	switch {
	case g.moment == 0:
		g.moment = firstMoment
	case g.moment > leastMoment:
		g.moment /= 2
	default: // the deferred functions defer others without end
		s.giveUp()
	}
	g.until = now.Add(g.moment)
	return g.why, 0
}

// stopped returns the reason why mustStop has told g to stop, or "" if it has not.
func (s *stopper) stopped(g *goroutine) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.moment == 0 {
		return ""
	}
	return g.why
}

// stackLimit is the number of bytes by which the stacks of all goroutines may grow in one cell before the
// cell is assumed to recurse endlessly. Go ends the process at a limit of its own, which New raises well
// above stackLimit.
const stackLimit = 128 << 20

const (
	interrupted   = engine.Stopped
	stackOverflow = "stack overflow: a function calls itself without end, or hundreds of thousands of calls deep"
)
