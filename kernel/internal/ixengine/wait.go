package ixengine

import (
	"go/token"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"overcomplete/kernel/internal/rt"
)

// Waiting in cells: each kind of wait is implemented here in a form that also ends when the goroutine is asked
// to stop.

// A waitReason describes, for display, what a goroutine waits for.
type waitReason struct {
	what string
	pos  token.Pos // position of the wait in a cell, if known
	// elsewhere is set if compiled code or a timer may end the wait. Such a wait is not a deadlock.
	elsewhere bool
}

var (
	waitSleep  = &waitReason{what: "time.Sleep", elsewhere: true}
	waitLock   = &waitReason{what: "sync.Mutex.Lock"}
	waitRW     = &waitReason{what: "sync.RWMutex.Lock"}
	waitRLock  = &waitReason{what: "sync.RWMutex.RLock"}
	waitGroup  = &waitReason{what: "sync.WaitGroup.Wait"}
	waitSignal = &waitReason{what: "sync.Cond.Wait"}
)

// await calls wait(wake) repeatedly until the result is true, which means that the awaited event has happened. wake is
// a channel that becomes readable when g may have to stop; the result is then false. If g must stop, await panics.
// While await runs, w describes what g waits for.
func (s *stopper) await(g *goroutine, w *waitReason, wait func(wake any) bool) {
	g.waits.Add(1)
	g.wait.Store(w)
	defer s.afterWait(g)
	var wake any = g.wake
	for !wait(wake) {
		why, rest := s.mustStop(g)
		if why != "" {
			panic(stopSignal{why})
		}
		wake = time.After(rest) // a deferred function waits only for the time that it has left
	}
}

// heedAfter panics if g must stop. It is called when a wait of g has ended, because the event may have come only from
// the deferred functions of another goroutine that was stopped.
func (s *stopper) heedAfter(g *goroutine) {
	if s.told.Load() != 0 {
		s.heed(g)
	}
}

// choose implements reflect.Select for cases without a default.
func (s *stopper) choose(w *waitReason, cases []reflect.SelectCase) (chosen int, recv reflect.Value, ok bool) {
	g := s.self()
	if g == nil {
		return reflect.Select(cases)
	}
	n := len(cases)
	cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv})
	s.await(g, w, func(wake any) bool {
		cases[n].Chan = reflect.ValueOf(wake)
		chosen, recv, ok = reflect.Select(cases)
		return chosen < n
	})
	s.heedAfter(g)
	return chosen, recv, ok
}

// selectOf executes a select statement without a default. The last element of cases is unused; selectOf puts a
// case there that wakes the goroutine.
func (s *stopper) selectOf(w *waitReason, cases []rt.SelectCase) (chosen int, received bool) {
	g := s.self()
	last := len(cases) - 1
	if g == nil {
		return rt.Select(cases[:last])
	}
	s.await(g, w, func(wake any) bool {
		cases[last] = rt.SelectCase{Dir: rt.Receive, Chan: dataOf(wake), Elem: unsafe.Pointer(new(time.Time))}
		chosen, received = rt.Select(cases)
		return chosen < last
	})
	s.heedAfter(g)
	return chosen, received
}

// waitFor waits until the channel done or the channel wake is ready, and reports whether it was the channel done.
func waitFor(done <-chan struct{}, wake any) bool {
	switch wake := wake.(type) {
	case chan struct{}:
		select {
		case <-done:
			return true
		case <-wake:
		}
	case <-chan time.Time:
		select {
		case <-done:
			return true
		case <-wake:
		}
	}
	return false
}

// sleep implements time.Sleep.
func (s *stopper) sleep(d time.Duration) {
	g := s.self()
	if g == nil {
		time.Sleep(d)
		return
	}
	done := make(chan struct{})
	t := time.AfterFunc(d, func() { close(done) })
	defer t.Stop()
	s.await(g, waitSleep, func(wake any) bool { return waitFor(done, wake) })
	s.heedAfter(g)
}

// call runs f, which may block forever, in another goroutine, and waits for it. If f returns after the caller has been
// stopped, undo() is called. The result is the value of f's panic, or nil.
func (s *stopper) call(w *waitReason, f, undo func()) (panicked any) {
	g := s.self()
	if g == nil {
		f()
		return nil
	}
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		panicked = catch(f)
		select {
		case done <- struct{}{}:
		case <-gone:
			if panicked == nil {
				_ = catch(undo) // the caller no longer waits for the panic value
			}
		}
	}()
	came := false
	defer func() {
		if !came {
			close(gone)
		}
	}()
	s.await(g, w, func(wake any) bool { came = waitFor(done, wake); return came })
	return panicked
}

// catch calls f and returns the value of its panic, or nil if f does not panic.
func catch(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// The locks of package sync. Unlocking an unlocked lock would end the process.

func (s *stopper) lock(m *sync.Mutex) {
	if !m.TryLock() {
		s.call(waitLock, m.Lock, m.Unlock)
	}
}

func (s *stopper) unlock(m *sync.Mutex) {
	if s.lacks(m) {
		return
	}
	if m.TryLock() {
		m.Unlock()
		panic("sync: unlock of unlocked mutex")
	}
	m.Unlock()
}

func (s *stopper) lockRW(m *sync.RWMutex) {
	if !m.TryLock() {
		s.call(waitRW, m.Lock, m.Unlock)
	}
}

func (s *stopper) rlock(m *sync.RWMutex) {
	if !m.TryRLock() {
		s.call(waitRLock, m.RLock, m.RUnlock)
	}
}

func (s *stopper) unlockRW(m *sync.RWMutex) {
	if s.lacks(m) {
		return
	}
	if readers(m) >= 0 {
		panic("sync: Unlock of unlocked RWMutex")
	}
	m.Unlock()
}

func runlock(m *sync.RWMutex) {
	if n := readers(m); n == 0 || n == -writing {
		panic("sync: RUnlock of unlocked RWMutex")
	}
	m.RUnlock()
}

// writing is the number that a writer, including one that still waits, subtracts from the readerCount of an
// RWMutex.
const writing = 1 << 30

// readers returns the readerCount of m. This is the number of readers or, if a writer holds the lock or waits for it,
// that number minus 1<<30 (the constant writing).
func readers(m *sync.RWMutex) int32 {
	return (*atomic.Int32)(unsafe.Add(unsafe.Pointer(m), readerCount)).Load()
}

// readerCount is the offset of an RWMutex's number of readers.
var readerCount = func() uintptr {
	f, ok := reflect.TypeFor[sync.RWMutex]().FieldByName("readerCount")
	if !ok || f.Type != reflect.TypeFor[atomic.Int32]() {
		panic("ixengine: this Go has no sync.RWMutex.readerCount that is an atomic.Int32")
	}
	return f.Offset
}()

func (s *stopper) waitGroup(wg *sync.WaitGroup) {
	if p := s.call(waitGroup, wg.Wait, func() {}); p != nil {
		panic(p)
	}
	if g := s.self(); g != nil {
		s.heedAfter(g)
	}
}

// waitCond implements Cond.Wait. The caller expects to hold the lock after Wait, even if it is being stopped. So a
// goroutine that must stop still waits for the lock. It ends without the lock only if another goroutine does not
// release the lock, perhaps because that goroutine was stopped before it unlocked.
func (s *stopper) waitCond(c *sync.Cond) {
	if l, ok := c.L.(interface{ TryLock() bool }); ok && l.TryLock() {
		c.L.Unlock()
		panic("sync: Cond.Wait needs its lock, c.L, to be locked by the caller")
	}
	held := false
	defer func() {
		if held {
			return
		}
		came := false
		defer func() {
			if !came {
				s.lack(c.L)
			}
		}()
		s.call(waitLock, c.L.Lock, c.L.Unlock)
		came = true
	}()
	p := s.call(waitSignal, c.Wait, c.L.Unlock)
	held = true
	if p != nil { // Wait panicked before it unlocked
		panic(p)
	}
}

// lack records that the calling goroutine ends without holding l, although its deferred functions are going to unlock
// l.
func (s *stopper) lack(l sync.Locker) {
	switch l.(type) {
	case *sync.Mutex, *sync.RWMutex:
	default: // Unlock of other types is not replaced
		return
	}
	if g := s.self(); g != nil {
		if g.lacks == nil {
			g.lacks = map[any]int{}
		}
		g.lacks[l]++
		s.someLack.Store(true)
	}
}

// lacks reports whether the calling goroutine is about to unlock a lock that it does not hold, as recorded by lack.
// Each record excuses one unlock: when lacks returns true, it also removes one record.
func (s *stopper) lacks(l any) bool {
	if !s.someLack.Load() {
		return false
	}
	g := s.self()
	if g == nil || g.lacks[l] == 0 {
		return false
	}
	g.lacks[l]--
	return true
}
