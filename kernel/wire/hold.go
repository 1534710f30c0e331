package wire

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// A hold stops one goroutine at a point where it holds no data.
type hold struct {
	arrived  chan struct{} // closed when the goroutine has stopped
	released chan struct{} // closed when the goroutine may continue
	arrive   sync.Once
	free     sync.Once
}

func newHold() *hold {
	return &hold{arrived: make(chan struct{}), released: make(chan struct{})}
}

// stand waits until the hold is released. The goroutine to be held calls it, at a point where the goroutine holds no
// data.
func (h *hold) stand() {
	h.arrive.Do(func() { close(h.arrived) })
	<-h.released
}

// release lets the goroutine continue. A nil hold counts as released.
func (h *hold) release() {
	if h != nil {
		h.free.Do(func() { close(h.released) })
	}
}

// pastDeadline is a deadline in the past, which interrupts every wait on a connection or listener.
var pastDeadline = time.Unix(1, 0)

// A link is a connection whose reader can be held. The link's read deadline is reserved for holding the reader.
type link struct {
	net.Conn
	ended chan struct{} // closed when the reader has returned
	age   uint64        // order of arrival, where a lower age means an older link; guarded by the server's mutex

	mu   sync.Mutex
	held *hold // nil if the link is not held
}

func newLink(nc net.Conn) *link { return &link{Conn: nc, ended: make(chan struct{})} }

// Read reads from the connection. While the link is held, Read waits.
func (l *link) Read(p []byte) (int, error) {
	for {
		n, err := l.Conn.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		l.mu.Lock()
		h := l.held
		l.mu.Unlock()
		if h != nil { // if h is nil, the link has already been released
			h.stand()
		}
	}
}

// Close closes the connection, even if it is held.
func (l *link) Close() error {
	err := l.Conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held.release()
	return err
}

// hold makes the reader stop in its next Read. It returns a hold whose channel arrived is closed when the reader
// has stopped.
func (l *link) hold() *hold {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = newHold()
	l.Conn.SetReadDeadline(pastDeadline)
	return l.held
}

// release ends the hold of the reader.
func (l *link) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != nil {
		l.Conn.SetReadDeadline(time.Time{})
		l.held.release()
		l.held = nil
	}
}
