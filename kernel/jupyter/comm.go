package jupyter

import (
	"context"
	"runtime/debug"
	"slices"

	"overcomplete/ui/comm"
)

// sendComm publishes the comm message o. If o answers a message of a front end, the parent of o is that message.
// Otherwise the parent is the request that the worker is handling or, between requests, the last message that arrived.
func (s *Server) sendComm(o comm.OutgoingMessage) {
	s.pub.Lock()
	defer s.pub.Unlock()
	parent, answers := o.Cause.(*request)
	if !answers {
		parent = s.cause
	}
	s.sendLocked(parent, o.Type, o.Content, o.Metadata, o.Buffers)
}

// comm handles req, a front end's message to a comm. It updates the comm's state at once, and queues the callback, if
// any, for the worker.
//
// Front ends send the next change to a widget only after they have received status idle for this message, and they
// attribute all output before idle to the callback. So idle is sent after the callback. But if the callback must wait
// for a running cell, idle is sent at once: the cell may be reading the widget's value, so the front end must go on
// sending changes.
func (s *Server) comm(req *request) {
	s.pub.Lock()
	s.publishLocked(req, "status", statusOf("busy"))
	if s.atWork == nil {
		s.cause = req
	}
	s.pub.Unlock()
	req.busy = true
	then, err := s.comms.HandleFrom(req, req.Header.MsgType, req.Content, req.Metadata, req.Buffers)
	if err != nil {
		s.log.Print(err)
	}
	if then != nil {
		req.then = then
		s.mu.Lock()
		free := s.running == nil && len(s.queue) == 0
		req.busy = free
		if free && !s.stopping {
			s.queue = append(s.queue, req)
			s.cond.Broadcast()
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
	s.idle(req)
	if then != nil {
		s.mu.Lock()
		s.queue = append(s.queue, req)
		s.cond.Broadcast()
		s.mu.Unlock()
	}
}

// call runs the callback of req. It shows an error of the callback with the callback's output, because no reply
// could carry the error.
func (s *Server) call(ctx context.Context, exec Executor, req *request) {
	out := &output{s: s, req: req}
	err := func() error {
		defer func() {
			if r := recover(); r != nil { // the Executor panicked
				s.log.Printf("callback: panic: %v\n%s", r, debug.Stack())
			}
		}()
		return exec.Call(ctx, req.then, out)
	}()
	if err != nil {
		out.failed(err)
	}
	out.close()
}

// finish publishes status idle after the worker has run the callback of req. If an interrupt has arrived, it also
// aborts the queued execute requests.
func (s *Server) finish(req *request, cancel context.CancelFunc) {
	s.mu.Lock()
	s.running, s.stopRunning = nil, nil
	var rest []*request
	if s.interrupted {
		rest = s.takeExecutes()
	}
	s.mu.Unlock()
	cancel()
	s.pub.Lock()
	s.atWork = nil
	s.publishLocked(req, "status", statusOf("idle"))
	s.pub.Unlock()
	s.abort(rest)
}

// takeExecutes removes the execute requests from the queue and returns them. Callbacks stay in the queue. They must
// still run, because the states of their comms have already changed. The caller holds s.mu.
func (s *Server) takeExecutes() (executes []*request) {
	isExecute := func(r *request) bool { return r.then == nil }
	for _, r := range s.queue {
		if isExecute(r) {
			executes = append(executes, r)
		}
	}
	s.queue = slices.DeleteFunc(s.queue, isExecute)
	return executes
}
