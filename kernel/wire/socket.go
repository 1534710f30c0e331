package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// A server accepts the connections of one socket. Each connection has a goroutine, which calls the server's functions
// (opened, message, command, finished).
type server struct {
	name       string
	typ        zmq4.SocketType
	log        *log.Logger
	limits     limits
	peerLimits *peerLimits // shared by all sockets
	ln         net.Listener
	opened     func(*conn)                     // called before a connection's first message; may be nil
	message    func(c *conn, frames [][]byte)  // called for each message
	command    func(c *conn, name, arg string) // called for each ZMTP command; may be nil
	finished   func(*conn)                     // called after a connection's last message; may be nil
	mu         sync.Mutex
	conns      map[*conn]bool
	shaking    map[*handshakeConn]*link // connections that are in their handshake
	accepting  *hold                    // the hold of accept, or nil
	anonymous  uint32                   // number of identities assigned to peers without one
	age        uint64                   // age of the newest connection
	closed     bool
	wg         sync.WaitGroup
}

func (s *server) listen(network, addr string) error {
	ln, err := net.Listen(network, addr)
	if err != nil {
		return fmt.Errorf("wire: %s: %w", s.name, err)
	}
	s.init(ln)
	s.accept()
	return nil
}

func (s *server) init(ln net.Listener) {
	s.ln = ln
	s.conns = make(map[*conn]bool)
	s.shaking = make(map[*handshakeConn]*link)
}

// accept starts accepting connections.
func (s *server) accept() {
	s.wg.Go(s.acceptAll)
}

func (s *server) acceptAll() {
	for {
		nc, err := s.ln.Accept()
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			if err == nil {
				nc.Close()
			}
			return
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			h := s.accepting
			s.mu.Unlock()
			if h != nil { // if h is nil, the hold has already been released
				h.stand()
			}
			continue
		}
		if err == nil && len(s.conns)+len(s.shaking) >= s.limits.seats && !s.makeRoom() {
			err = fmt.Errorf("more than %d connections", s.limits.seats)
			nc.Close()
		}
		if err != nil {
			s.mu.Unlock()
			s.log.Printf("%s: accept: %v", s.name, err)
			time.Sleep(20 * time.Millisecond) // probably out of file descriptors: do not spin
			continue
		}
		s.mu.Unlock()
		s.welcome(newLink(nc), nil, 0)
	}
}

// welcome does the handshake with a new peer and serves the peer, in a new goroutine. Another program may have begun
// the handshake. In this case, input holds the bytes that the other program has received, and written is the number of
// bytes that it has sent.
func (s *server) welcome(l *link, input []byte, written int) {
	h := &handshakeConn{Conn: l, replay: input, skip: written}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		l.Close()
		return
	}
	s.age++
	l.age = s.age
	s.shaking[h] = l
	s.wg.Go(func() {
		defer close(l.ended)
		if c := s.shake(h, l); c != nil {
			if s.opened != nil {
				s.opened(c)
			}
			s.talk(c)
		}
	})
	s.mu.Unlock()
}

// shake does the handshake. It returns nil if the peer is refused.
func (s *server) shake(h *handshakeConn, l *link) *conn {
	peer, err := handshake(h, s.typ, "", true, s.limits.handshake)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.shaking, h)
	if err != nil || s.closed {
		l.Close()
		if !s.closed {
			s.log.Printf("%s: connection from %v refused: %v", s.name, l.RemoteAddr(), err)
		}
		return nil
	}
	if peer == "" {
		// As in libzmq, the identity has five bytes that begin with 0. Peers cannot choose an identity of this
		// form.
		s.anonymous++
		peer = string(binary.BigEndian.AppendUint32([]byte{0}, s.anonymous))
	}
	c := newConn(l, peer)
	s.take(c, l)
	return c
}

// take registers the connection c, which uses l. The caller has locked the server, or not started it yet.
func (s *server) take(c *conn, l *link) {
	if l.age == 0 { // the connection was taken over from another program
		s.age++
		l.age = s.age
	}
	c.r.account = &account{peers: s.peerLimits, end: func(why error) {
		s.log.Printf("%s: connection from %v closed: %v", s.name, l.RemoteAddr(), why)
		c.close()
	}}
	s.conns[c] = true
}

// talk reads and handles the messages and commands of a peer until its connection ends.
func (s *server) talk(c *conn) {
	for {
		frames, isCommand, err := c.r.next()
		if err != nil {
			break
		}
		if !isCommand {
			s.message(c, frames)
		} else if name, arg, ok := parseCommand(frames[0]); ok && s.command != nil {
			s.command(c, name, arg)
		}
	}
	c.r.account.settle()
	c.close()
	if s.finished != nil {
		s.finished(c)
	}
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	<-c.done
}

// parseCommand splits the body of a ZMTP command frame into the command's name and argument. It returns false if the
// body is too short. The body begins with a byte that holds the length of the name.
func parseCommand(b []byte) (name, arg string, ok bool) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return "", "", false
	}
	n := 1 + int(b[0])
	return string(b[1:n]), string(b[n:]), true
}

// shut closes the listener and unfinished handshakes at once. It closes the other connections when their queued
// messages have been sent, but waits no longer than the duration given by linger.
func (s *server) shut(linger time.Duration) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	if s.ln != nil {
		s.ln.Close()
	}
	for _, l := range s.shaking {
		l.Close()
	}
	s.accepting.release()
	conns := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()

	flush(conns, linger, (*conn).close)
}

// flush waits until all queued messages of conns have been sent, but not longer than the given limit. Then it calls
// end(c) for each connection c, possibly twice.
func flush(conns []*conn, limit time.Duration, end func(*conn)) {
	all := func() {
		for _, c := range conns {
			end(c)
		}
	}
	timer := time.AfterFunc(limit, all)
	for _, c := range conns {
		c.drain()
	}
	timer.Stop()
	all()
}

// A Router is a ROUTER socket. It receives messages from all its peers, and sends each message to the peer
// named by the message's first identity.
type Router struct {
	server
	codec *Codec
	in    chan *Message
	done  chan struct{}
	holds chan *hold // passes a hold to the goroutine that calls Recv
	held  *hold      // the last hold, or nil
	pmu   sync.Mutex
	peers map[string]*conn
	// early is the list of received messages that Recv returns before those in the channel r.in. The list is used by
	// the goroutine that calls Recv. While a hold stops that goroutine, the holder may use the list instead.
	early []*Message
}

func newRouter(name string, codec *Codec, logger *log.Logger) *Router {
	r := &Router{codec: codec, in: make(chan *Message, 64), done: make(chan struct{}), holds: make(chan *hold), peers: make(map[string]*conn)}
	r.server = server{name: name, typ: zmq4.Router, log: logger, opened: r.add, message: r.receive, finished: r.remove}
	return r
}

// add registers a peer. A peer that has lost its connection may come back under its old identity before the
// socket has noticed the loss. Its new connection replaces the old one.
func (r *Router) add(c *conn) {
	r.pmu.Lock()
	old := r.peers[c.peer]
	r.peers[c.peer] = c
	r.pmu.Unlock()
	if old != nil {
		old.close()
	}
}

func (r *Router) remove(c *conn) {
	r.pmu.Lock()
	if r.peers[c.peer] == c {
		delete(r.peers, c.peer)
	}
	r.pmu.Unlock()
}

func (r *Router) receive(c *conn, frames [][]byte) {
	m, err := r.codec.Decode(append([][]byte{[]byte(c.peer)}, frames...))
	if err != nil {
		r.log.Printf("%s: message from %v dropped: %v", r.name, c.nc.RemoteAddr(), err)
		return
	}
	if !c.seated.Swap(true) {
		r.peerLimits.know(c.peer)
		c.r.account.know()
	}
	select {
	case r.in <- m:
	case <-r.done:
	}
}

// Recv waits for a message with a valid signature. It returns ErrClosed once the socket is closed. Only one goroutine
// may call it. By calling Recv again, the caller says that it has handled the previous message (see Sockets.Hold).
func (r *Router) Recv() (*Message, error) {
	for {
		select {
		case h := <-r.holds: // holds take precedence over messages
			h.stand()
			continue
		default:
		}
		if len(r.early) > 0 {
			m := r.early[0]
			r.early = r.early[1:]
			return m, nil
		}
		select {
		case m := <-r.in:
			return m, nil
		case <-r.done:
			return nil, ErrClosed
		case h := <-r.holds:
			h.stand()
		}
	}
}

// Send sends m to the peer m.Identities[0]. It does not wait for the peer. If the peer is not connected, Send drops m
// and returns ErrNoPeer. If the peer reads so slowly that its queue is full, Send also disconnects the peer.
func (r *Router) Send(m *Message) error {
	if len(m.Identities) == 0 {
		return fmt.Errorf("wire: %s: a message without identity cannot be routed", r.name)
	}
	frames, err := r.codec.Encode(m)
	if err != nil {
		return err
	}
	r.pmu.Lock()
	c := r.peers[string(m.Identities[0])]
	r.pmu.Unlock()
	if c == nil || !c.send(appendFrames(nil, frames[1:]), false) {
		return ErrNoPeer
	}
	return nil
}

func (r *Router) close(linger time.Duration) {
	close(r.done)
	r.shut(linger)
}

// A Publisher is the iopub socket, which is an XPUB socket: a message goes to every subscriber, and each
// subscription is answered with an iopub_welcome message.
type Publisher struct {
	server
	codec   *Codec
	session string
	smu     sync.Mutex
	subs    map[*conn]bool
}

func newPublisher(name string, codec *Codec, session string, logger *log.Logger) *Publisher {
	p := &Publisher{codec: codec, session: session, subs: make(map[*conn]bool)}
	p.server = server{name: name, typ: zmq4.XPub, log: logger, message: p.receive, finished: p.remove,
		command: func(c *conn, name, arg string) {
			switch name { // in ZMTP 3.1 peers subscribe by command
			case "SUBSCRIBE":
				p.subscribe(c, arg, true)
			case "CANCEL":
				p.subscribe(c, arg, false)
			}
		}}
	return p
}

// receive handles a subscription message of ZMTP 3.0: one byte, which is 1 to subscribe or 0 to cancel, and then the
// topic.
func (p *Publisher) receive(c *conn, frames [][]byte) {
	if len(frames) != 1 || len(frames[0]) == 0 || frames[0][0] > 1 {
		p.log.Printf("%s: message from %v dropped: not a subscription", p.name, c.nc.RemoteAddr())
		return
	}
	p.subscribe(c, string(frames[0][1:]), frames[0][0] == 1)
}

func (p *Publisher) subscribe(c *conn, topic string, on bool) {
	p.smu.Lock()
	if c.topics == nil {
		c.topics = make(map[string]int)
	}
	switch {
	case on && c.topicBytes+len(topic)+frameCost > p.limits.topics:
		p.smu.Unlock()
		p.log.Printf("%s: connection from %v closed: it subscribed to more than %d bytes of topics", p.name, c.nc.RemoteAddr(), p.limits.topics)
		c.close()
		return
	case on:
		if c.topics[topic] == 0 {
			c.topicBytes += len(topic) + frameCost
		}
		c.topics[topic]++
		c.seated.Store(true)
		p.subs[c] = true
	case c.topics[topic] > 1:
		c.topics[topic]--
	case c.topics[topic] == 1:
		c.topicBytes -= len(topic) + frameCost
		delete(c.topics, topic)
	}
	p.smu.Unlock()
	if !on {
		return
	}
	content, err := Marshal(map[string]string{"subscription": topic})
	if err != nil {
		return
	}
	frames, err := p.codec.Encode(&Message{
		Identities: [][]byte{[]byte(topic)},
		Header:     NewHeader(p.session, "kernel", "iopub_welcome"),
		Content:    content,
	})
	if err == nil {
		c.answer(appendFrames(nil, frames), p.limits.answers)
	}
}

func (p *Publisher) remove(c *conn) {
	p.smu.Lock()
	delete(p.subs, c)
	p.smu.Unlock()
}

// Send publishes m under the topic m.Identities[0]. It waits while a subscriber's queue is full. Concurrent
// calls reach all subscribers in the same order only if the caller serializes them.
func (p *Publisher) Send(m *Message) error {
	if len(m.Identities) == 0 {
		return fmt.Errorf("wire: %s: a message without topic cannot be published", p.name)
	}
	frames, err := p.codec.Encode(m)
	if err != nil {
		return err
	}
	topic := string(m.Identities[0])
	var to []*conn
	p.smu.Lock()
	for c := range p.subs {
		for t := range c.topics {
			if strings.HasPrefix(topic, t) {
				to = append(to, c)
				break
			}
		}
	}
	p.smu.Unlock()
	if len(to) == 0 {
		return nil
	}
	msg := appendFrames(nil, frames) // all connections share msg, which is not changed afterwards
	for _, c := range to {
		c.send(msg, true)
	}
	return nil
}

// Sockets are the five sockets of a kernel. The heartbeat socket answers automatically.
type Sockets struct {
	Shell, Control, Stdin *Router
	IOPub                 *Publisher
	heartbeat             server
	codec                 *Codec
	files                 []string // socket files of the ipc transport
	once                  sync.Once
}

// newSockets returns sockets that do not listen yet.
func newSockets(info ConnectionInfo, session string, logger *log.Logger, lim limits) *Sockets {
	codec := NewCodec(info.Key)
	s := &Sockets{
		Shell:   newRouter("shell", codec, logger),
		Control: newRouter("control", codec, logger),
		Stdin:   newRouter("stdin", codec, logger),
		IOPub:   newPublisher("iopub", codec, session, logger),
		codec:   codec,
	}
	s.heartbeat = server{name: "heartbeat", typ: zmq4.Rep, log: logger,
		message: func(c *conn, frames [][]byte) {
			c.seated.Store(true)
			if !c.answer(appendFrames(nil, frames), lim.answers) {
				c.close()
			}
		}}
	all := newPeerLimits(lim)
	for _, srv := range s.servers() {
		srv.limits, srv.peerLimits = lim, all
	}
	return s
}

// servers returns all sockets.
func (s *Sockets) servers() []*server {
	return []*server{&s.Shell.server, &s.Control.server, &s.Stdin.server, &s.IOPub.server, &s.heartbeat}
}

// routers returns the sockets that receive requests.
func (s *Sockets) routers() []*Router { return []*Router{s.Shell, s.Control, s.Stdin} }

// Listen binds the five sockets to the addresses in info. The parameter session is the kernel's session id.
// Dropped messages are logged to logger, which must not be nil.
func Listen(info ConnectionInfo, session string, logger *log.Logger) (*Sockets, error) {
	return listenWithin(info, session, logger, usual)
}

func listenWithin(info ConnectionInfo, session string, logger *log.Logger, lim limits) (*Sockets, error) {
	if err := info.Validate(); err != nil {
		return nil, err
	}
	s := newSockets(info, session, logger, lim)
	for _, b := range []struct {
		srv  *server
		port int
	}{
		{&s.heartbeat, info.HBPort}, {&s.IOPub.server, info.IOPubPort}, {&s.Stdin.server, info.StdinPort},
		{&s.Control.server, info.ControlPort}, {&s.Shell.server, info.ShellPort},
	} {
		network, addr := info.address(b.port)
		if err := b.srv.listen(network, addr); err != nil {
			s.Close()
			return nil, err
		}
		if network == "unix" {
			// The permissions of the directory keep other users out. The mode of the file is a second
			// safeguard.
			os.Chmod(addr, 0o600)
			s.files = append(s.files, addr)
		}
	}
	return s, nil
}

// Close sends the queued messages, for at most a second, and closes the
// sockets. It is safe to call it more than once.
func (s *Sockets) Close() error {
	s.once.Do(func() {
		const linger = time.Second
		var wg sync.WaitGroup
		for _, shut := range []func(){
			func() { s.Shell.close(linger) },
			func() { s.Control.close(linger) },
			func() { s.Stdin.close(linger) },
			func() { s.IOPub.shut(linger) },
			func() { s.heartbeat.shut(linger) },
		} {
			wg.Go(shut)
		}
		wg.Wait()
		for _, srv := range s.servers() {
			srv.wg.Wait()
		}
		for _, f := range s.files {
			os.Remove(f)
		}
	})
	return nil
}
