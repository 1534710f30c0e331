package wire

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrClosed is returned by the methods of a closed socket.
var ErrClosed = errors.New("wire: socket closed")

// ErrNoPeer is returned by a Router for a message to a peer that is not connected.
var ErrNoPeer = errors.New("wire: the peer is not connected")

const (
	// queueBytes bounds how many bytes may wait for one peer.
	queueBytes = 64 << 20
	// stallTimeout is how long a peer may stop reading before it is disconnected.
	stallTimeout = 30 * time.Second
	// writeChunk is the number of bytes written under one deadline.
	writeChunk = 1 << 20
)

// A conn is one ZMTP connection after its handshake, with a goroutine that
// writes what is queued for it.
type conn struct {
	nc   net.Conn
	peer string // identity
	r    *bufio.Reader

	mu     sync.Mutex
	cond   sync.Cond // the queue or closed has changed
	queue  [][]byte  // encoded messages
	queued int       // their bytes, including those being written
	closed bool
	done   chan struct{} // closed when the writer has ended

	topics map[string]int // subscriptions, guarded by the Publisher's mutex
}

func newConn(nc net.Conn, peer string) *conn {
	c := &conn{nc: nc, peer: peer, r: bufio.NewReaderSize(nc, 64<<10), done: make(chan struct{})}
	c.cond.L = &c.mu
	go c.write()
	return c
}

// send queues msg. When too much is queued, it waits for the peer to read if
// wait is true, and disconnects the peer otherwise. It reports whether msg was
// queued.
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

func (c *conn) write() {
	defer close(c.done)
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.closed {
			c.cond.Wait()
		}
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
			for len(buf) > 0 {
				n := min(len(buf), writeChunk)
				c.nc.SetWriteDeadline(time.Now().Add(stallTimeout))
				if _, err := c.nc.Write(buf[:n]); err != nil {
					c.close()
					return
				}
				buf = buf[n:]
				c.mu.Lock()
				c.queued -= n
				c.cond.Broadcast()
				c.mu.Unlock()
			}
		}
	}
}

// drain waits until everything queued has been passed to the system, or the
// connection is closed.
func (c *conn) drain() {
	c.mu.Lock()
	for c.queued > 0 && !c.closed {
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
