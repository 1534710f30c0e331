package wire

import (
	"context"
	"fmt"
	"log"
	"net"
	"time"
)

// flushTime is how long Hold waits for peers to read their queues. Bytes that are still queued then go into the
// State.
const flushTime = 50 * time.Millisecond

// Hold stops the sockets, so that another program can continue with them by calling Resume with the State. Each
// goroutine stops at a point where it holds no data: callers of Recv stop in their next call, and other
// goroutines stop between two bytes that they read or write. So no data are lost or handled twice.
//
// Messages sent between Hold and Release are not in the State. If ctx is done before all goroutines have stopped,
// Hold releases the sockets and returns the error of ctx.
func (s *Sockets) Hold(ctx context.Context) (*State, error) {
	st, err := s.hold(ctx)
	if err != nil {
		s.Release()
		return nil, fmt.Errorf("wire: the sockets do not stop: %w", err)
	}
	return st, nil
}

func (s *Sockets) hold(ctx context.Context) (*State, error) {
	if !CanHandOver {
		return nil, errCannotHandOver
	}
	// Stop the goroutines that handle messages first. While one of them is busy, everything else continues.
	for _, r := range s.routers() {
		r.held = newHold()
		select {
		case r.holds <- r.held:
		case <-r.done:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, fmt.Errorf("%s is busy: %w", r.name, ctx.Err())
		}
	}
	routers := map[*server]*Router{}
	for _, r := range s.routers() {
		routers[&r.server] = r
	}
	for _, srv := range s.servers() {
		if err := srv.holdReaders(ctx, routers[srv]); err != nil {
			return nil, fmt.Errorf("%s: %w", srv.name, err)
		}
	}
	s.holdWriters()
	st := &State{Seen: s.codec.digests()}
	for i, to := range st.sockets() {
		if err := s.servers()[i].save(to); err != nil {
			return nil, err
		}
	}
	for i, r := range s.routers() {
		for _, m := range r.early {
			st.sockets()[i].Waiting = append(st.sockets()[i].Waiting, m.Pack())
		}
	}
	return st, nil
}

// holdReaders stops the goroutines that accept connections, do handshakes and read. The parameter r is the
// socket's Router, or nil; the goroutine that receives from r has already stopped.
func (s *server) holdReaders(ctx context.Context, r *Router) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	accepting := newHold()
	s.accepting = accepting
	s.ln.(deadliner).SetDeadline(pastDeadline)
	s.mu.Unlock()
	select {
	case <-accepting.arrived:
	case <-ctx.Done():
		return ctx.Err()
	}
	var in chan *Message
	if r != nil {
		in = r.in
	}
	for _, l := range s.links() {
		h := l.hold()
		for waiting := true; waiting; {
			select {
			case <-h.arrived:
				waiting = false
			case <-l.ended:
				waiting = false
			case m := <-in: // a reader may be blocked sending this message
				r.early = append(r.early, m)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	for len(in) > 0 {
		r.early = append(r.early, <-in)
	}
	return nil
}

// A deadliner is a listener of package net that supports deadlines.
type deadliner interface {
	SetDeadline(time.Time) error
}

// links returns all connections, including those in their handshake.
func (s *server) links() []*link {
	s.mu.Lock()
	defer s.mu.Unlock()
	var links []*link
	for _, l := range s.shaking {
		links = append(links, l)
	}
	for c := range s.conns {
		links = append(links, c.nc.(*link))
	}
	return links
}

// holdWriters stops the writers when all messages have been sent or flushTime has passed.
func (s *Sockets) holdWriters() {
	var conns []*conn
	for _, srv := range s.servers() {
		srv.mu.Lock()
		for c := range srv.conns {
			conns = append(conns, c)
		}
		srv.mu.Unlock()
	}
	flush(conns, flushTime, (*conn).hold)
}

// save fills in the given SocketState. The readers and writers must have stopped.
func (s *server) save(to *SocketState) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to.Listener, err = fileOf(s.ln); err != nil {
		return err
	}
	to.Anonymous = s.anonymous
	for h, l := range s.shaking {
		fd, err := fileOf(l.Conn)
		if err != nil {
			continue // the handshake timed out
		}
		to.Handshakes = append(to.Handshakes, HandshakeState{File: fd, Read: h.read, Written: h.written})
	}
	for c := range s.conns {
		fd, err := fileOf(c.nc.(*link).Conn)
		if err != nil {
			continue // the connection is closed
		}
		cs := ConnState{File: fd, Peer: []byte(c.peer), Unread: c.r.unread(), Unsent: c.unsent(), Known: c.r.account.known}
		for topic, n := range c.topics {
			cs.Topics = append(cs.Topics, Topic{[]byte(topic), n})
		}
		to.Conns = append(to.Conns, cs)
	}
	return nil
}

// Release lets the sockets continue after Hold.
func (s *Sockets) Release() {
	for _, srv := range s.servers() {
		srv.mu.Lock()
		for c := range srv.conns {
			c.release()
		}
		if srv.accepting != nil {
			srv.ln.(deadliner).SetDeadline(time.Time{})
			srv.accepting.release()
			srv.accepting = nil
		}
		srv.mu.Unlock()
		for _, l := range srv.links() {
			l.release()
		}
	}
	for _, r := range s.routers() {
		r.held.release()
	}
}

// Resume makes the sockets from the State of another program, which the calling program must have replaced (by exec).
// The info and the session must be those of the other program. If Resume fails, the connections are unusable.
func Resume(info ConnectionInfo, session string, st *State, logger *log.Logger) (*Sockets, error) {
	if err := info.Validate(); err != nil {
		return nil, err
	}
	if err := st.check(); err != nil {
		return nil, err
	}
	s := newSockets(info, session, logger, usual)
	s.codec.remember(st.Seen)
	for _, p := range info.ports() {
		if network, addr := info.address(p.port); network == "unix" {
			s.files = append(s.files, addr)
		}
	}
	for i, r := range s.routers() {
		for _, p := range st.sockets()[i].Waiting {
			m, err := p.Unpack()
			if err != nil {
				return nil, fmt.Errorf("wire: state: %w", err)
			}
			r.early = append(r.early, m)
		}
	}
	inherited, err := inherit(st)
	if err != nil {
		return nil, err
	}
	for i, from := range st.sockets() {
		srv := s.servers()[i]
		srv.anonymous = from.Anonymous
		srv.init(inherited.listeners[from.Listener])
		for _, cs := range from.Conns {
			srv.resume(cs, inherited.conns[cs.File], s.IOPub)
		}
		for _, h := range from.Handshakes {
			srv.welcome(newLink(inherited.conns[h.File]), h.Read, h.Written)
		}
		srv.accept()
	}
	return s, nil
}

// resume continues with a connection that has completed its handshake.
func (s *server) resume(cs ConnState, nc net.Conn, pub *Publisher) {
	l := newLink(nc)
	c := resumeConn(l, string(cs.Peer), cs.Unread, cs.Unsent)
	if s == &pub.server && len(cs.Topics) > 0 {
		c.topics = make(map[string]int)
		for _, t := range cs.Topics {
			c.topics[string(t.Topic)] = t.N
			c.topicBytes += len(t.Topic) + frameCost
		}
		pub.subs[c] = true
	}
	s.take(c, l)
	c.r.account.known = cs.Known
	c.seated.Store(cs.Known || len(c.topics) > 0)
	if cs.Known {
		s.peerLimits.know(c.peer)
	}
	if s.opened != nil {
		s.opened(c) // call this before anything is sent to the peer
	}
	s.wg.Go(func() {
		defer close(l.ended)
		s.talk(c)
	})
}

// inheritedFiles maps the file descriptors in a State to the open files.
type inheritedFiles struct {
	listeners map[int]net.Listener
	conns     map[int]net.Conn
}
