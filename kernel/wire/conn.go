package wire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by the methods of a closed socket.
var ErrClosed = errors.New("wire: socket closed")

// ErrNoPeer is returned by a Router for a message to a peer that is not connected.
var ErrNoPeer = errors.New("wire: the peer is not connected")

const (
	// queueBytes is the largest number of bytes that may wait for one peer.
	queueBytes = 64 << 20
	// stallTimeout is how long a peer may read nothing before it is disconnected.
	stallTimeout = 30 * time.Second
	// writeChunk is the number of bytes written under one deadline.
	writeChunk = 1 << 20
)

// A conn is a ZMTP connection after its handshake. It has a goroutine that writes the queued messages.
type conn struct {
	nc   net.Conn
	peer string // identity of the peer
	r    *frameReader

	mu     sync.Mutex
	cond   sync.Cond // signals that the queue or closed has changed
	queue  [][]byte  // encoded messages
	queued int       // bytes in the queue, including those that are being written
	closed bool
	held   bool          // writing is stopped, see hold
	idle   bool          // the writer is waiting
	done   chan struct{} // closed when the writer has ended

	topics     map[string]int // subscriptions, guarded by the Publisher's mutex
	topicBytes int

	seated atomic.Bool // the peer has used the socket for its purpose, see makeRoom
}

func newConn(nc net.Conn, peer string) *conn { return resumeConn(nc, peer, nil, nil) }

// resumeConn is like newConn for a connection that another program has handed over. The bytes in unread are those that
// it has read but not handled. The bytes in unsent must be written first.
func resumeConn(nc net.Conn, peer string, unread, unsent []byte) *conn {
	var r io.Reader = nc
	if len(unread) > 0 {
		r = io.MultiReader(bytes.NewReader(unread), nc)
	}
	c := &conn{nc: nc, peer: peer, r: newFrameReader(r), done: make(chan struct{})}
	c.cond.L = &c.mu
	if len(unsent) > 0 {
		c.queue, c.queued = [][]byte{unsent}, len(unsent)
	}
	go c.write()
	return c
}

// send puts msg into the queue. If the queue is full and wait is true, send waits until the peer has read enough. If
// the queue is full and wait is false, send disconnects the peer. The result of send reports whether msg was queued.
func (c *conn) send(msg []byte, wait bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.closed && c.queued > queueBytes {
		if !wait {
			c.closeLocked()
			return false
		}
		c.cond.Wait()
	}
	if c.closed {
		return false
	}
	c.queue = append(c.queue, msg)
	c.queued += len(msg)
	c.cond.Broadcast()
	return true
}

// answer queues msg, unless more than the given number of bytes would then wait for the peer. This limit stops a peer
// that sends requests without reading the replies. The result of answer reports whether msg was queued.
func (c *conn) answer(msg []byte, most int) bool {
	c.mu.Lock()
	much := c.queued+len(msg) > most
	c.mu.Unlock()
	return !much && c.send(msg, false)
}

func (c *conn) write() {
	defer close(c.done)
	for {
		c.mu.Lock()
		for (len(c.queue) == 0 || c.held) && !c.closed {
			c.idle = true
			c.cond.Broadcast()
			c.cond.Wait()
		}
		c.idle = false
		if c.closed {
			c.mu.Unlock()
			return
		}
		batch := c.queue
		c.queue = nil
		c.mu.Unlock()

		for len(batch) > 0 {
			// Small messages share one write.
			var buf []byte
			buf, batch = batch[0], batch[1:]
			if len(batch) > 0 && len(buf)+len(batch[0]) <= writeChunk {
				buf = append([]byte(nil), buf...)
				for len(batch) > 0 && len(buf)+len(batch[0]) <= writeChunk {
					buf = append(buf, batch[0]...)
					batch = batch[1:]
				}
			}
			rest, ok := c.writeOut(buf)
			if !ok {
				return
			}
			if len(rest) > 0 { // the conn is held
				c.mu.Lock()
				c.queue = slices.Concat([][]byte{rest}, batch, c.queue)
				c.mu.Unlock()
				break
			}
		}
	}
}

// writeOut writes buf. If the conn is held, writeOut returns the unwritten rest. If writing fails, writeOut closes the
// connection and returns false.
func (c *conn) writeOut(buf []byte) (rest []byte, ok bool) {
	for len(buf) > 0 {
		c.mu.Lock()
		if c.held {
			c.mu.Unlock()
			return buf, true
		}
		c.nc.SetWriteDeadline(time.Now().Add(stallTimeout))
		c.mu.Unlock()
		n, err := c.nc.Write(buf[:min(len(buf), writeChunk)])
		buf = buf[n:]
		c.mu.Lock()
		c.queued -= n
		held := c.held
		c.cond.Broadcast()
		c.mu.Unlock()
		if err != nil && !(held && errors.Is(err, os.ErrDeadlineExceeded)) {
			c.close()
			return nil, false
		}
	}
	return nil, true
}

// hold stops the writing, possibly in the middle of a message. It returns when all writing has stopped.
func (c *conn) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = true
	c.nc.SetWriteDeadline(pastDeadline)
	for !c.idle && !c.closed {
		c.cond.Wait()
	}
}

// release ends a hold.
func (c *conn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	c.cond.Broadcast()
}

// unsent returns the unwritten bytes. The conn must be held.
func (c *conn) unsent() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Join(c.queue, nil)
}

// drain waits until all queued messages have been passed to the operating system, or the connection is closed
// or held.
func (c *conn) drain() {
	c.mu.Lock()
	for c.queued > 0 && !c.closed && !c.held {
		c.cond.Wait()
	}
	c.mu.Unlock()
}

func (c *conn) close() {
	c.mu.Lock()
	c.closeLocked()
	c.mu.Unlock()
}

func (c *conn) closeLocked() {
	if !c.closed {
		c.closed = true
		c.nc.Close()
		c.cond.Broadcast()
	}
}
