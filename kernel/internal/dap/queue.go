package dap

import "sync"

// A queue calls functions one after the other. It is unbounded: a front end limits itself by waiting for the
// replies to its requests.
type queue struct {
	mu     sync.Mutex
	cond   sync.Cond
	list   []func()
	closed bool
	count  int // number of messages sent; only used by the goroutine of run
}

func (q *queue) init() { q.cond.L = &q.mu }

func (q *queue) add(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.list = append(q.list, f)
		q.cond.Signal()
	}
}

// run calls the functions in the order in which they were added. It returns when the queue is closed.
func (q *queue) run() {
	for {
		q.mu.Lock()
		for len(q.list) == 0 && !q.closed {
			q.cond.Wait()
		}
		if q.closed {
			q.mu.Unlock()
			return
		}
		f := q.list[0]
		q.list = q.list[1:]
		q.mu.Unlock()
		f()
	}
}

// close makes q.run() end, and drops the functions that have not been called yet.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.list = true, nil
	q.cond.Broadcast()
}
