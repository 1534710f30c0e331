package ixengine

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/visualfc/gid"
)

// How a cell is stopped. Each loop and each function begins with
//
//	if oc__.Stop { oc__.Poll() }
//
// Stop is false unless something may have to be stopped. Poll then looks
// whether that is the calling goroutine, and panics if so. Deferred functions
// then run, for which the goroutine has a moment in which Poll lets it be; one
// that recovers and goes on is stopped again, with half the moment.
// The flag is read without a lock, for it is read in every loop: it is a byte
// that changes a few times in a session, and a loop that sees the change a
// moment later stops a moment later.
//
// A goroutine that is blocked for good, in select {} or on a channel, cannot
// be stopped. It is left behind, and remembered: if ever it wakes up, the
// flag, raised now and then for its sake, stops it.

// stopSignal is what Poll panics with.
type stopSignal struct{ why string }

func (s stopSignal) Error() string { return s.why }

// exitSignal is what os.Exit and its like panic with in a cell.
type exitSignal struct{ code int }

type stopper struct {
	host *host

	mu      sync.Mutex
	why     string          // "" unless the running cell is being stopped
	wake    *waker          // of the running cell
	zombies map[uint64]bool // goroutines of abandoned cells
	moments map[uint64]moment
}

// waker is closed when the cell is stopped; why is set before. Who has waited
// for it stops however late it comes to run, even if the stop is over by then.
type waker struct {
	closed chan struct{}
	why    string
}

func newWaker() *waker { return &waker{closed: make(chan struct{})} }

// moment is the time that a goroutine has for its deferred functions.
type moment struct {
	until time.Time
	long  time.Duration
}

const firstMoment = 50 * time.Millisecond

// linger is how long a stop goes on after the cell's own goroutine has ended,
// for those it has started to be scheduled and to see the flag.
const linger = 20 * time.Millisecond

func newStopper(h *host) *stopper {
	return &stopper{host: h, wake: newWaker(), zombies: map[uint64]bool{}, moments: map[uint64]moment{}}
}

func (s *stopper) poll() {
	s.mu.Lock()
	why := s.why
	s.mu.Unlock()
	s.heed(why)
}

// heed panics if the calling goroutine has to stop now, because of why or
// because its cell has been abandoned.
func (s *stopper) heed(why string) {
	if why := s.mustStop(gid.Get(), why); why != "" {
		panic(stopSignal{why})
	}
}

// mustStop says why the goroutine id has to stop now, "" if it has not.
func (s *stopper) mustStop(id uint64, why string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.zombies[id] {
		why = "the cell had been stopped"
	}
	if why == "" {
		return ""
	}
	now := time.Now()
	m, again := s.moments[id]
	if now.Before(m.until) {
		return ""
	}
	if m.long /= 2; !again {
		m.long = firstMoment
	}
	m.until = now.Add(m.long)
	s.moments[id] = m
	return why
}

// stop asks every goroutine that runs cells' code to end.
func (s *stopper) stop(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == "" {
		s.why = why
		s.host.stop = true
		s.wake.why = why
		close(s.wake.closed)
	}
}

// stopping tells whether a stop is going on.
func (s *stopper) stopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why != ""
}

// reset ends what stop began.
func (s *stopper) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why != "" {
		s.why = ""
		s.host.stop = false
		clear(s.moments)
		s.wake = newWaker()
	}
}

// abandon remembers the goroutine id as one that has to end when it wakes up;
// done is closed when it has.
func (s *stopper) abandon(id uint64, done <-chan struct{}) {
	s.mu.Lock()
	s.zombies[id] = true
	s.mu.Unlock()
	go func() {
		// The flag slows every loop down while it is up: a short time now
		// and then is enough to stop a sleeper soon after it has woken up.
		const every, up = 250 * time.Millisecond, 2 * time.Millisecond
		for {
			select {
			case <-done:
				s.mu.Lock()
				delete(s.zombies, id)
				s.mu.Unlock()
				return
			case <-time.After(every):
			}
			s.raise(true)
			time.Sleep(up)
			s.raise(false)
		}
	}()
}

func (s *stopper) raise(up bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host.stop = up || s.why != ""
}

// sleep is time.Sleep for cells.
func (s *stopper) sleep(d time.Duration) {
	s.mu.Lock()
	wake := s.wake
	s.mu.Unlock()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-wake.closed:
	}
	select {
	case <-wake.closed:
		s.heed(wake.why)
	default:
		s.poll()
	}
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

// watchStack stops the cell when stacks grow by more than stackLimit, until
// done is closed.
func (s *stopper) watchStack(done <-chan struct{}) {
	before := stackBytes()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if stackBytes() > before+stackLimit {
				s.stop(stackOverflow)
				<-done
				// What such a stack took is free only after a collection, and
				// would hide the growth of the next one.
				runtime.GC()
				return
			}
		}
	}
}

const (
	interrupted   = "interrupted"
	stackOverflow = "stack overflow: a function calls itself without end"
)
