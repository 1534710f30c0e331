package wire

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Who connects is a stranger until a message with a valid signature comes from there. What strangers take is bounded
// for all of them together, and in time; who is known may send as large a message, as slowly, as the network has it.
// Nobody on iopub or the heartbeat signs anything, so that all are strangers there, and send little.

// limits are those of sockets.
type limits struct {
	seats     int           // connections of one socket; a front end needs one
	handshake time.Duration // may take this long
	message   time.Duration // may take this long from its first byte on, if it is a stranger's
	bytes     int           // of incomplete messages of strangers, on all sockets
	topics    int           // bytes of what one peer has subscribed to
	answers   int           // bytes that may wait for one peer before the heartbeat or a welcome adds to them
}

var usual = limits{seats: 512, handshake: 10 * time.Second, message: 30 * time.Second, bytes: 64 << 20, topics: 64 << 10, answers: 1 << 20}

var (
	errCrowded = errors.New("wire: too much of the messages of peers who have signed nothing is incomplete")
	errLate    = errors.New("wire: a message of a peer who has signed nothing takes too long")
)

// strangers counts what has arrived of the incomplete messages of those who are not known.
type strangers struct {
	limits
	mu    sync.Mutex
	total int
	held  map[*account]int
	known map[string]bool // identities of those who have signed something, on whichever socket
}

func newStrangers(l limits) *strangers {
	return &strangers{limits: l, held: map[*account]int{}, known: map[string]bool{}}
}

// know remembers the identity of a peer: a front end has the same on shell, control and stdin. One that was given to a peer
// without is another peer's on another socket.
func (s *strangers) know(peer string) {
	if !strings.HasPrefix(peer, "\x00") {
		s.mu.Lock()
		s.known[peer] = true
		s.mu.Unlock()
	}
}

func (s *strangers) knows(peer string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[peer]
}

// An account is one connection's part of that. Only its reader calls the methods; a nil account has no limits.
type account struct {
	of    *strangers
	end   func(why error) // closes the connection
	known bool
	late  *time.Timer // nil between messages
	ended atomic.Bool
}

// take says that n more bytes of a message are held. Where that is too much for all, the connection that holds most is
// ended; so one message of the usual size always has room.
func (a *account) take(n int) error {
	if a == nil || a.known {
		return nil
	}
	if a.late == nil {
		a.late = time.AfterFunc(a.of.message, func() { a.drop(errLate) })
	}
	if a.ended.Load() {
		return errCrowded
	}
	s := a.of
	s.mu.Lock()
	s.held[a] += n
	s.total += n
	var over []*account
	for s.total > s.bytes {
		most := a
		for b, n := range s.held {
			if n > s.held[most] {
				most = b
			}
		}
		s.total -= s.held[most]
		delete(s.held, most)
		over = append(over, most)
	}
	s.mu.Unlock()
	for _, b := range over {
		b.drop(errCrowded)
	}
	if a.ended.Load() {
		return errCrowded
	}
	return nil
}

func (a *account) drop(why error) {
	if a.ended.CompareAndSwap(false, true) {
		a.end(why)
	}
}

// give says that the message is complete, or will never be.
func (a *account) give() {
	if a == nil || a.late == nil {
		return
	}
	a.late.Stop()
	a.late = nil
	s := a.of
	s.mu.Lock()
	s.total -= s.held[a]
	delete(s.held, a)
	s.mu.Unlock()
}

// know says that the peer is no stranger.
func (a *account) know() {
	if a != nil {
		a.give()
		a.known = true
	}
}

// makeRoom ends the oldest connection that has shown nothing of what its socket is for: a handshake, a signed message, a
// subscription, a heartbeat. It reports whether there was one. A connection of somebody who is known by another, on which
// he waits, stays. The server is locked.
func (s *server) makeRoom() bool {
	var oldest *link
	older := func(l *link) bool { return oldest == nil || l.age < oldest.age }
	var shaking *handshakeConn
	for h, l := range s.shaking {
		if older(l) {
			oldest, shaking = l, h
		}
	}
	var silent *conn
	for c := range s.conns {
		if l := c.nc.(*link); older(l) && !c.seated.Load() && !s.strangers.knows(c.peer) {
			oldest, silent = l, c
		}
	}
	switch {
	case silent != nil: // it is older than any that shakes hands
		delete(s.conns, silent)
		silent.close()
	case shaking != nil:
		delete(s.shaking, shaking)
		oldest.Close()
	default:
		return false
	}
	s.log.Printf("%s: %d connections: that from %v, which was silent, has made room for another", s.name, s.limits.seats, oldest.RemoteAddr())
	return true
}
