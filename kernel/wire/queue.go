package wire

import (
	"context"
	"fmt"
	"sync"
)

// A Queue is a channel between a kernel and one front end, without a socket: the front end is in the same process, or
// the user of the Queue has a transport of its own. The user passes the front end's messages to Put, and the kernel
// receives them from Recv. Send passes the kernel's messages to the function that was given to NewQueue.
type Queue struct {
	send func(*Message) error

	mu        sync.Mutex
	cond      sync.Cond // signals that a field below has changed
	wait      []*Message
	closed    bool
	held      bool // Recv waits, see hold
	receiving bool // a goroutine is in Recv
}

// NewQueue returns a Queue whose method Send calls the function fn.
func NewQueue(fn func(*Message) error) *Queue {
	q := &Queue{send: fn}
	q.cond.L = &q.mu
	return q
}

// Put adds a message for Recv. It does not wait.
func (q *Queue) Put(m *Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wait = append(q.wait, m)
	q.cond.Broadcast()
}

// Recv waits for a message. It returns ErrClosed once the Queue is closed. By calling Recv again, the caller says that
// it has handled the previous message.
func (q *Queue) Recv() (*Message, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.receiving = true
	defer func() { q.receiving = false }()
	q.cond.Broadcast()
	for (len(q.wait) == 0 || q.held) && !q.closed {
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

// hold makes Recv wait, and returns when the goroutine that handles the messages waits in Recv, or when ctx is done.
func (q *Queue) hold(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.cond.Broadcast()
	})()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = true
	for !q.receiving && !q.closed && ctx.Err() == nil {
		q.cond.Wait()
	}
	if q.closed {
		return ErrClosed
	}
	return ctx.Err()
}

// release ends a hold.
func (q *Queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = false
	q.cond.Broadcast()
}

// Queues are the channels between a kernel and one front end that exchanges messages as JSON objects; see
// ParsePlain.
type Queues struct {
	Shell, Control, Stdin *Queue
	IOPub                 *Queue // only for Send
}

// NewQueues returns Queues that call send(channel, m) for each message m of the kernel, where channel is the name of
// the message's channel.
func NewQueues(send func(channel string, m *Message) error) *Queues {
	on := func(channel Channel) *Queue {
		return NewQueue(func(m *Message) error { return send(channel.String(), m) })
	}
	return &Queues{on(Shell), on(Control), on(Stdin), on(IOPub)}
}

// all returns the queues that receive messages.
func (q *Queues) all() []*Queue { return []*Queue{q.Shell, q.Control, q.Stdin} }

// Receive parses a message from the front end, as ParsePlain does, and puts it into the queue of the channel that the
// message names.
func (q *Queues) Receive(text []byte) error {
	channel, m, err := ParsePlain(text)
	if err != nil {
		return err
	}
	for i, to := range q.all() {
		if channel == channelNames[i] {
			to.Put(m)
			return nil
		}
	}
	return fmt.Errorf("%w: no channel %q", ErrMalformed, channel)
}

// Close makes Recv of all queues return ErrClosed.
func (q *Queues) Close() error {
	for _, one := range q.all() {
		one.Close()
	}
	return nil
}
