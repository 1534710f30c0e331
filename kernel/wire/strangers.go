package wire

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A peer is a stranger until it sends a message with a valid signature. Strangers share limits on memory and
// time. The messages of a known peer may be as large and as slow as the network allows. All peers of iopub and
// the heartbeat are strangers, because nothing on these sockets is signed; these peers send little.

// limits are the limits on the number of connections to a socket, and on the time and memory that peers may use.
type limits struct {
	seats     int           // connections per socket; a front end needs one per socket
	handshake time.Duration // maximum duration of a handshake
	message   time.Duration // maximum duration of a stranger's message, from its first byte
	bytes     int           // total bytes of strangers' incomplete messages, on all sockets
	topics    int           // total bytes of one peer's subscriptions
	answers   int           // maximum bytes queued for a peer after adding a heartbeat reply or a welcome
}

var usual = limits{seats: 512, handshake: 10 * time.Second, message: 30 * time.Second, bytes: 64 << 20, topics: 64 << 10, answers: 1 << 20}

var (
	errCrowded = errors.New("wire: too much data in incomplete messages of unauthenticated peers")
	errLate    = errors.New("wire: a message of an unauthenticated peer takes too long")
)

// A peerLimits counts the bytes that incomplete messages from strangers use, on all sockets together. A stranger is a
// peer that has not yet sent a signed message.
type peerLimits struct {
	limits
	mu    sync.Mutex
	total int
	held  map[*account]int
	known map[string]bool // identities of peers that have sent a signed message on any socket
}

func newPeerLimits(l limits) *peerLimits {
	return &peerLimits{limits: l, held: map[*account]int{}, known: map[string]bool{}}
}

// know remembers the identity of a peer that has sent a signed message. A front end has the same identity on shell,
// control and stdin, so it then counts as known on all three. Identities that a socket has assigned are ignored,
// because the same identity belongs to another peer on another socket.
func (s *peerLimits) know(peer string) {
	if !strings.HasPrefix(peer, "\x00") {
		s.mu.Lock()
		s.known[peer] = true
		s.mu.Unlock()
	}
}

func (s *peerLimits) knows(peer string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[peer]
}

// An account is one connection's share of the limits. Its methods may be called only by the connection's reader, except
// drop, which any goroutine may call. A nil account has no limits.
type account struct {
	peers *peerLimits
	end   func(why error) // closes the connection
	known bool
	late  *time.Timer // fires if a message takes too long; nil between messages
	ended atomic.Bool
}

// charge counts n more bytes of an incomplete message. If all strangers together then have too many bytes, charge
// closes the connection with the largest share, so there is always room for a message of normal size. It returns an
// error if the account's own connection has been closed.
func (a *account) charge(n int) error {
	if a == nil || a.known {
		return nil
	}
	if a.late == nil {
		a.late = time.AfterFunc(a.peers.message, func() { a.drop(errLate) })
	}
	if a.ended.Load() {
		return errCrowded
	}
	s := a.peers
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

// settle ends the accounting of a message that is complete or has been abandoned.
func (a *account) settle() {
	if a == nil || a.late == nil {
		return
	}
	a.late.Stop()
	a.late = nil
	s := a.peers
	s.mu.Lock()
	s.total -= s.held[a]
	delete(s.held, a)
	s.mu.Unlock()
}

// know marks the connection's peer as known.
func (a *account) know() {
	if a != nil {
		a.settle()
		a.known = true
	}
}

// makeRoom closes the oldest connection that is still in its handshake, or that has not yet sent what its socket is
// for: a signed message, a subscription or a heartbeat. It spares a peer that has completed the handshake and is known
// from another socket. makeRoom reports whether it has closed a connection. The caller has locked the server.
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
		if l := c.nc.(*link); older(l) && !c.seated.Load() && !s.peerLimits.knows(c.peer) {
			oldest, silent = l, c
		}
	}
	switch {
	case silent != nil: // silent is older than every connection that is in its handshake
		delete(s.conns, silent)
		silent.close()
	case shaking != nil:
		delete(s.shaking, shaking)
		oldest.Close()
	default:
		return false
	}
	s.log.Printf("%s: %d connections: closed the silent one from %v to make room for another", s.name, s.limits.seats, oldest.RemoteAddr())
	return true
}
