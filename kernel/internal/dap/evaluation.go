package dap

import (
	"context"
	"errors"
	"fmt"
	"time"

	"overcomplete/kernel/engine"
)

// An evaluation is a request that runs code.
type evaluation struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// evaluateAsync starts a goroutine that answers r, a request that runs code, and passes the answer to send. Evaluations
// run one after the other. evaluateAsync is called in the lane (the queue of requests). It waits for the answer, but
// only for a time (the constant patience), so that the lane can go on.
func (a *Adapter) evaluateAsync(r request, send func(object, error)) {
	e := new(evaluation)
	e.ctx, e.cancel = context.WithCancel(a.ctx)
	ended := make(chan struct{})
	a.mu.Lock()
	before := a.last
	a.last = ended
	a.stops[e] = true
	a.mu.Unlock()
	go func() {
		defer close(ended)
		if before != nil {
			<-before
		}
		body, err := a.protect(r.Command, func() (object, error) { return evaluations[r.Command](a, e, r) })
		a.mu.Lock()
		delete(a.stops, e)
		a.mu.Unlock()
		e.cancel()
		send(body, err)
	}()
	wait(ended, patience)
}

// wait waits until the given channel is closed, but no longer than d. It does not wait if the channel is nil.
func wait(ended <-chan struct{}, d time.Duration) {
	if ended == nil {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
	}
}

// quiet tells the evaluations in progress to end, and waits until they have ended, but no longer than the constant
// letGo.
func (a *Adapter) quiet() {
	a.Interrupt()
	a.mu.Lock()
	last := a.last
	a.mu.Unlock()
	wait(last, letGo)
}

// faultOf returns err without its position. err is an error in code that the user has typed into the debugger, so the
// position is not in a cell.
func faultOf(err error) error {
	var e *engine.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%s: %s", e.Kind, e.Message)
	}
	return err
}
