package wire

import "sync"

// A Queue is a channel between a kernel and one front end. The front end is in the same process or uses the
// caller's own transport. The caller passes the front end's messages to Put. Send passes the kernel's
// messages to a function.
type Queue struct {
	send func(*Message) error

	mu     sync.Mutex
	cond   sync.Cond // signals that waiting or closed has changed
	wait   []*Message
	closed bool
}

// NewQueue returns a Queue with a method Send that calls the function send.
func NewQueue(send func(*Message) error) *Queue {
	q := &Queue{send: send}
	q.cond.L = &q.mu
	return q
}

// Put adds a message for Recv. It does not wait.
func (q *Queue) Put(m *Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wait = append(q.wait, m)
	q.cond.Signal()
}

// Recv waits for a message. It returns ErrClosed once the Queue is closed.
func (q *Queue) Recv() (*Message, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.wait) == 0 && !q.closed {
		q.cond.Wait()
	}
	if q.closed {
		return nil, ErrClosed
	}
	m := q.wait[0]
	q.wait = q.wait[1:]
	return m, nil
}

// Send passes m to the front end.
func (q *Queue) Send(m *Message) error { return q.send(m) }

// Close makes Recv return ErrClosed.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}
