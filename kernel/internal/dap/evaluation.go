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

// evaluateAsync answers a request that runs code, in parallel with the lane (the queue of requests). The lane
// waits for the answer no longer than patience. Evaluations run one after the other.
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

// wait waits until the channel ended is closed, but no longer than d.
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

// quiet ends the evaluations in progress, and waits a short time until they have ended.
func (a *Adapter) quiet() {
	a.Interrupt()
	a.mu.Lock()
	last := a.last
	a.mu.Unlock()
	wait(last, letGo)
}

// faultOf returns the error of code that the user has typed. It drops the position, because the position is
// not in a cell.
func faultOf(err error) error {
	var e *engine.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%s: %s", e.Kind, e.Message)
	}
	return err
}
